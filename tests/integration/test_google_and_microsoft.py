"""One conversation over an account at Google and one at Microsoft, each with an address of its own."""

from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from email import message_from_bytes
from email.message import EmailMessage
from email.policy import default
from pathlib import Path

import pytest
from doubles.boxes.base import BERLIN, NOW
from doubles.boxes.events import at
from doubles.boxes.letters import letter
from doubles.given import GivenEvent
from doubles.google import GoogleEmulator, putting
from doubles.graph import GraphEmulator
from doubles.graph.calendar.putting import put_event
from doubles.graph.mail.putting import deliver
from doubles.providers.emulated import emulated

from assistant import open_assistant
from assistant.facade import Assistant
from integrations.types import SENT, MailQuery

PRIVATE, WORK = "me@gmail.example", "me@company.example"
ANNA, TOM, CARA = "Anna Berg <anna.berg@acme.example>", "Tom Lee <tom.lee@north.example>", "cara.lund@company.example"


@pytest.fixture
def google() -> Iterator[GoogleEmulator]:
    with GoogleEmulator() as google:
        google.world.clock = lambda: NOW
        google.account(PRIVATE, name="Eva Klein")
        google.world.calendars.primary(PRIVATE).zone = BERLIN.key
        putting.deliver(google.world.mail(PRIVATE), offer(ANNA, PRIVATE, "Offer for the boat"))
        putting.deliver(google.world.mail(PRIVATE), letter(sender=ANNA, to=PRIVATE, subject="Holidays"))
        putting.put_event(google.world.calendars.primary(PRIVATE), GivenEvent("Dentist", at(20, 14), at(20, 15)))
        yield google
        assert google.complaints == []


@pytest.fixture
def microsoft() -> Iterator[GraphEmulator]:
    with GraphEmulator() as graph:
        graph.world.clock = lambda: NOW
        graph.account(WORK, name="Eva Klein")
        deliver(graph.world.mail(WORK), offer(TOM, WORK, "Offer for the printer"))
        deliver(graph.world.mail(WORK), letter(sender=TOM, to=WORK, subject="Canteen"))
        put_event(graph.world.calendars(WORK).default, GivenEvent("Review", at(20, 15), at(20, 16)))
        graph.account(CARA)
        put_event(graph.world.calendars(CARA).default, GivenEvent("Interview", at(20, 16), at(20, 17)))
        yield graph
        assert graph.complaints == []


def offer(sender: str, to: str, subject: str) -> bytes:
    return letter(sender=sender, to=to, subject=subject, id=f"<{subject.split()[-1]}@offers.example>", body="Would you look at it?")


@asynccontextmanager
async def conversation(home: Path, google: GoogleEmulator, microsoft: GraphEmulator) -> AsyncIterator[Assistant]:
    private, work = google.account(PRIVATE), microsoft.account(WORK)
    accounts = [
        emulated("google", "private", PRIVATE, endpoint=google.url, secret=google.secret(private)),
        emulated("microsoft", "work", WORK, endpoint=microsoft.url, secret=microsoft.secret(work)),
    ]
    async with open_assistant(home, clock=lambda: NOW, zone=BERLIN.key, accounts=accounts) as assistant:
        yield assistant


async def sent(a: Assistant, google: GoogleEmulator, microsoft: GraphEmulator) -> list[tuple[str, EmailMessage]]:
    """By account, as they left."""
    found = (await a.readers.mail.search(MailQuery(folders=(SENT,)))).items
    boxes = {"private": google.world.mail(PRIVATE), "work": microsoft.world.mail(WORK)}
    return [(mail.account, message_from_bytes(boxes[mail.account].raw(mail.id), policy=default)) for mail in found]


async def test_a_conversation_finds_mails_counts_times_and_answers_over_both(
    tmp_path: Path, google: GoogleEmulator, microsoft: GraphEmulator
) -> None:
    async with conversation(tmp_path / "home", google, microsoft) as a:
        found = (await a.say("c", "find mails about an offer")).reports[1].data.mails
        assert {(mail.account, mail.subject) for mail in found} == {
            ("private", "Offer for the boat"),
            ("work", "Offer for the printer"),
        }

        free = (await a.say("c", "when am I free on Friday afternoon?")).reports[1].data.slots
        assert [(slot.start, slot.end) for slot in free] == [(at(20, 12), at(20, 14)), (at(20, 16), at(20, 18))]

        turn = await a.say("c", "reply to Tom's mail about the printer saying I will look at it")
        assert [action.account for action in turn.previews[0].actions] == ["work"]
        assert turn.previews[0].through == (f"work ({WORK})",)
        assert await sent(a, google, microsoft) == []

        done = await a.say("c", "yes, send it")
        assert [outcome.status for outcome in done.outcomes] == ["done"]
        ((account, mail),) = await sent(a, google, microsoft)
        assert (account, mail["From"].addresses[0].addr_spec, mail["In-Reply-To"]) == ("work", WORK, "<printer@offers.example>")


async def test_a_reply_to_what_came_to_the_other_account_leaves_from_that(
    tmp_path: Path, google: GoogleEmulator, microsoft: GraphEmulator
) -> None:
    async with conversation(tmp_path / "home", google, microsoft) as a:
        await a.say("c", "reply to Anna's mail about the boat saying I will look at it")
        await a.say("c", "yes, send it")
        ((account, mail),) = await sent(a, google, microsoft)
    assert (account, mail["From"].addresses[0].addr_spec, mail["In-Reply-To"]) == ("private", PRIVATE, "<boat@offers.example>")


async def test_a_time_for_two_is_where_neither_calendar_nor_that_of_the_other_has_anything(
    tmp_path: Path, google: GoogleEmulator, microsoft: GraphEmulator
) -> None:
    async with conversation(tmp_path / "home", google, microsoft) as a:
        turn = await a.say("c", f"find a free hour with {CARA} on Friday afternoon")
    hours = {hour for slot in turn.reports[1].data.slots for hour in range(slot.start.hour, slot.end.hour)}
    assert hours and not hours & {14, 15, 16}


async def test_when_one_is_out_of_reach_the_other_is_read_and_it_is_said(
    tmp_path: Path, google: GoogleEmulator, microsoft: GraphEmulator
) -> None:
    async with conversation(tmp_path / "home", google, microsoft) as a:
        with microsoft.down():
            turn = await a.say("c", "find mails about an offer")
    assert [mail.account for mail in turn.reports[1].data.mails] == ["private"]
    assert "work" in turn.reply
