"""Two people with an assistant each, at real servers for mail and calendars: they write to each other, and meet."""

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from datetime import datetime, timedelta
from email import message_from_bytes
from email.message import EmailMessage
from email.policy import default
from pathlib import Path
from typing import NamedTuple
from zoneinfo import ZoneInfo

import pytest
from doubles.boxes.letters import letter
from doubles.providers.standards import served
from servers import Servers, User

from assistant import open_assistant
from assistant.facade import Assistant, Turn
from integrations.common.mime import part_bytes
from integrations.standards.scheduling.imip import CALENDAR_PART, method_of
from integrations.types import INBOX, EventQuery, MailQuery

BERLIN = ZoneInfo("Europe/Berlin")
TOMORROW = (datetime.now(BERLIN) + timedelta(days=1)).replace(hour=15, minute=0, second=0, microsecond=0)
WHOLE_DAY = EventQuery(start=TOMORROW - timedelta(hours=15), end=TOMORROW + timedelta(hours=9))


class Two(NamedTuple):
    """Each with an assistant of their own."""

    eva: User
    anna: User
    evas: Assistant
    annas: Assistant


@pytest.fixture
async def two(servers: Servers, tmp_path: Path) -> AsyncIterator[Two]:
    eva = servers.user("eva@home.example", name="Eva Klein")
    anna = servers.user("anna@south.example", name="Anna Berg")
    async with AsyncExitStack() as entered:
        evas, annas = [await entered.enter_async_context(opened(tmp_path / user.name, user)) for user in (eva, anna)]
        yield Two(eva, anna, evas, annas)


@asynccontextmanager
async def opened(home: Path, user: User) -> AsyncIterator[Assistant]:
    async with open_assistant(home, zone=BERLIN.key, accounts=[served(user.email, user)]) as assistant:
        yield assistant


async def approved(a: Assistant, turn: Turn) -> Turn:
    (preview,) = turn.previews
    done = await a.approve(preview.id, preview.fingerprint)
    assert [outcome.status for outcome in done.outcomes] == ["done"], done.reply
    return done


def inbox(user: User) -> list[EmailMessage]:
    return [message_from_bytes(raw, policy=default) for raw in user.mailbox.mails()]


async def test_a_mail_is_found_answered_and_arrives_at_the_other(servers: Servers, two: Two) -> None:
    offer = letter(
        sender=f"Anna Berg <{two.anna.email}>", to=two.eva.email, subject="Offer for the boat", id="<boat@south.example>"
    )
    two.eva.mailbox.append(offer)
    found = (await two.evas.say("c", "find mails about an offer")).reports[1].data.mails
    assert [mail.subject for mail in found] == ["Offer for the boat"]

    turn = await two.evas.say("c", "reply to Anna's mail about the boat saying I will look at it")
    assert servers.smtp.taken == [] and [person.email for person in turn.previews[0].actions[0].to] == [two.anna.email]
    done = await two.evas.say("c", "yes, send it")
    assert [outcome.status for outcome in done.outcomes] == ["done"]

    (came,) = (await two.annas.say("c", "find mails from Eva")).reports[1].data.mails
    assert (came.subject, came.sender.email, came.folder) == ("Re: Offer for the boat", two.eva.email, INBOX)
    whole = await two.annas.readers.mail.get(came.ref)
    assert whole.in_reply_to == "<boat@south.example>" and "I will look at it" in whole.body
    (original,) = (await two.evas.readers.mail.search(MailQuery(folders=(INBOX,)))).items
    assert original.answered
    assert len(servers.smtp.taken) == len(two.eva.mailbox.mails("Sent")) == 1


async def test_a_meeting_is_arranged_and_accepted(servers: Servers, two: Two) -> None:
    turn = await two.evas.say("c", f'schedule a meeting called "Boat trip" with {two.anna.email} tomorrow at 3pm')
    assert servers.smtp.taken == [] and turn.previews
    done = await approved(two.evas, turn)
    assert "not told" not in done.reply
    (letter,) = inbox(two.anna)
    assert letter["Subject"] == "Invitation: Boat trip" and method_of(part_bytes(bytes(letter), CALENDAR_PART)) == "REQUEST"

    asked = await two.annas.say("c", "any open invitations?")
    assert "Boat trip" in asked.reply
    (invitation,) = await two.annas.readers.calendar.invitations(datetime.now(BERLIN))
    assert (invitation.start, invitation.organizer and invitation.organizer.email) == (TOMORROW, two.eva.email)

    turn = await two.annas.say("c", "accept the invitation from Eva")
    assert len(servers.smtp.taken) == 1
    await approved(two.annas, turn)
    (mine,) = (await two.annas.readers.calendar.events(WHOLE_DAY)).items
    assert (mine.title, mine.start, mine.my_answer, mine.uid) == ("Boat trip", TOMORROW, "accepted", invitation.uid)
    assert await two.annas.readers.calendar.invitations(datetime.now(BERLIN)) == ()

    (reply,) = inbox(two.eva)
    assert reply["Subject"] == "Accepted: Boat trip" and reply["From"].addresses[0].addr_spec == two.anna.email
    assert method_of(part_bytes(bytes(reply), CALENDAR_PART)) == "REPLY"


async def test_a_meeting_that_is_called_off_is_no_longer_offered(servers: Servers, two: Two) -> None:
    turn = await two.evas.say("c", f'schedule a meeting called "Boat trip" with {two.anna.email} tomorrow at 3pm')
    await approved(two.evas, turn)
    assert len(await two.annas.readers.calendar.invitations(datetime.now(BERLIN))) == 1
    await approved(two.evas, await two.evas.say("c", "cancel the boat trip tomorrow"))
    assert await two.annas.readers.calendar.invitations(datetime.now(BERLIN)) == ()
    assert [mail["Subject"] for mail in inbox(two.anna)] == ["Invitation: Boat trip", "Cancelled: Boat trip"]
    assert (await two.evas.readers.calendar.events(WHOLE_DAY)).items == ()


async def test_what_was_accepted_follows_its_organiser(servers: Servers, two: Two) -> None:
    turn = await two.evas.say("c", f'schedule a meeting called "Boat trip" with {two.anna.email} tomorrow at 3pm')
    await approved(two.evas, turn)
    await approved(two.annas, await two.annas.say("c", "accept the invitation from Eva"))
    await approved(two.evas, await two.evas.say("c", "move the boat trip to 4pm"))
    stays, moved = (await two.annas.readers.calendar.events(WHOLE_DAY)).items
    assert (stays.start, stays.my_answer) == (TOMORROW, "accepted")
    assert (moved.start, moved.my_answer) == (TOMORROW + timedelta(hours=1), "needs-action")
    await approved(two.annas, await two.annas.say("c", "accept the invitation from Eva"))
    (mine,) = (await two.annas.readers.calendar.events(WHOLE_DAY)).items
    assert (mine.start, mine.my_answer) == (TOMORROW + timedelta(hours=1), "accepted")
    await approved(two.evas, await two.evas.say("c", "cancel the boat trip tomorrow saying there is a storm"))
    assert "(cancelled)" in (await two.annas.say("c", "what's on my calendar tomorrow?")).reply
    assert "invitation awaiting your answer" not in (await two.evas.say("c", "what needs my attention?")).reply


async def test_whom_no_server_knows_is_said_and_nothing_is_left_standing(servers: Servers, two: Two) -> None:
    turn = await two.evas.say("c", 'schedule a meeting called "Boat trip" with nobody@south.example tomorrow at 3pm')
    (preview,) = turn.previews
    done = await two.evas.approve(preview.id, preview.fingerprint)
    assert [outcome.status for outcome in done.outcomes] == ["failed"] and "nobody@south.example" in done.reply
    assert (await two.evas.readers.calendar.events(WHOLE_DAY)).items == ()
    assert servers.smtp.taken == [] and two.eva.mailbox.mails("Sent") == two.eva.mailbox.mails("Drafts") == []
