"""What a newcomer does in the first ten minutes, with either reasoner: on the sample account, and on one at a service that holds
the same and was connected by command."""

import asyncio
from collections.abc import Callable, Iterator
from contextlib import AbstractAsyncContextManager
from datetime import datetime, time
from email.policy import default
from itertools import cycle, product
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
from doubles.places import SERVICES, Clock, InFolders, connected

from assistant.facade import Assistant
from integrations.types import DRAFTS, OUTBOX, EventQuery, MailQuery, MailRef

pytestmark = pytest.mark.usefixtures("thinker")

WEDNESDAY_START = datetime(2026, 11, 18, tzinfo=ZoneInfo("Europe/Berlin"))

THINKERS = ("offline", "model")
IN_FOLDERS = list(product(THINKERS, ["folders"]))
ONE_EACH = list(zip(cycle(THINKERS), SERVICES, strict=False))
THE_OTHER = list(zip(cycle(THINKERS[::-1]), SERVICES, strict=False))
"""A service answers alike whoever thinks, and a reasoner sees the same of each place: so every case has both reasoners in folders,
and a case that reads or writes in a way of its own has each service once, with the two reasoners in turn. What only talks, or
reads as another case does, has folders only."""


def among(cells: list[tuple[str, str]]) -> pytest.MarkDecorator:
    return pytest.mark.parametrize(("thinker", "place"), cells, indirect=True)


at_services = among(IN_FOLDERS + ONE_EACH)
at_services_otherwise = among(IN_FOLDERS + THE_OTHER)
everywhere = among(list(product(THINKERS, ["folders", *SERVICES])))


@pytest.fixture(params=["folders"])
def place(request: pytest.FixtureRequest, home: Path) -> Iterator[InFolders]:
    clock = Clock(WEDNESDAY_START.replace(hour=10), "Europe/Berlin")
    if request.param == "folders":
        yield InFolders(home, clock)
        return
    with connected(request.param, home, clock) as place:
        yield place


@pytest.fixture
def sample(place: InFolders) -> Callable[[], AbstractAsyncContextManager[Assistant]]:
    return place.opened


@at_services
async def test_whats_on_my_calendar_tomorrow(sample):
    async with sample() as a:
        turn = await a.say("c", "what's on my calendar tomorrow?")
    assert turn.status == "done" and not turn.previews
    assert all(e.start.date().isoformat() == "2026-11-19" for e in turn.reports[1].data.events) and turn.reports[1].data.events


@at_services_otherwise
async def test_find_emails_from_someone_about_something_last_week(sample):
    async with sample() as a:
        turn = await a.say("c", "find emails from Marcus about the budget last week")
        mails = turn.reports[1].data.mails
    assert mails and all("marcus" in m.sender.email and "2026-11-09" <= m.date.date().isoformat() <= "2026-11-15" for m in mails)


@at_services
async def test_am_i_free_thursday_at_three(sample):
    async with sample() as a:
        turn = await a.say("c", "am I free Thursday at 3?")
    assert turn.reports[1].data.truth is not None and "15:00" in turn.reply


@at_services
async def test_a_mail_is_previewed_approved_and_sent_exactly_once(sample, place):
    async with sample() as a:
        turn = await a.say("c", "send a mail to Sarah saying I'll be ten minutes late")
        shown = turn.previews[0]
        assert (
            shown.level == "medium" and shown.items[0].recipients[0].origin == "your contacts" and not place.written(place.leaves)
        )
        done = await a.say("c", "approve")
    assert [o.status for o in done.outcomes] == ["done"] and ("Outbox" in done.reply) is (place.leaves == OUTBOX)
    (sent,) = place.written(place.leaves)
    assert "sarah" in str(sent["To"]).lower() and "ten minutes late" in sent.as_string(policy=default)


@at_services_otherwise
async def test_email_david_asks_which(sample):
    async with sample() as a:
        turn = await a.say("c", "email David")
        assert turn.question and {c.label.partition(" <")[0] for c in turn.question.choices} == {"David Smith", "David Chen"}
        turn = await a.say("c", "Smith")
        assert turn.question and turn.question.trigger == "missing"
        turn = await a.say("c", "The parcel has arrived")
    action = turn.previews[0].actions[0]
    assert action.to[0].email.startswith("david.smith") and action.body == "The parcel has arrived"


@at_services_otherwise
async def test_moving_a_meeting_with_others_is_high_and_shows_before_and_after(sample):
    async with sample() as a:
        turn = await a.say("c", "move my 3pm to 4pm")
        shown = turn.previews[0]
        assert shown.level == "high" and any("15:00" in c.before and "16:00" in c.after for c in shown.items[0].changes)
        done = await a.say("c", "yes, do it")
        assert done.outcomes[0].status == "done"
        start = WEDNESDAY_START
        moved = await a.look(EventQuery(start=start.replace(hour=16), end=start.replace(hour=17)))
    assert any(e.start.time() == time(16) for e in moved.items)


@at_services
async def test_archiving_one_mail_is_low_and_runs_at_once_and_can_be_undone(sample):
    async with sample() as a:
        newest = (await a.look(MailQuery(folders=("INBOX",), limit=1))).items[0]
        turn = await a.say("c", f"archive the last mail from {newest.sender.email}")
        assert turn.outcomes and turn.outcomes[0].status == "done" and not turn.previews
        assert (await read(a, newest.ref)).folder == "Archive"
        await a.say("c", "undo that")
        assert (await read(a, newest.ref)).folder == "INBOX"


async def read(a, ref: MailRef):
    return await a.readers.mail.get(ref)


async def test_what_it_does_not_understand_it_says_and_writes_nothing(sample, place):
    async with sample() as a:
        turn = await a.say("c", "frobnicate the quarterly zebra")
    assert not turn.previews and not turn.outcomes and turn.reply and not place.written(place.leaves)


async def test_it_says_who_thinks(sample, thinker):
    async with sample() as a:
        assert (await a.say("c", "hello")).reasoner == thinker


@everywhere
async def test_the_seeds_example_user_experience(sample):
    async with sample() as a:
        scheduling = asyncio.create_task(a.say("c", "Schedule board meeting next month"))
        await asyncio.sleep(0)
        checked = await a.say("c", "Actually, check my calendar first")
        paused = await scheduling
        assert paused.status == "suspended"
        assert checked.status == "done" and not checked.previews and checked.reports[1].data.events
        assert 'I\'ve paused "Schedule board meeting next month" and can resume it later if needed.' in checked.reply
        assert checked.context.notes[0] == 'Previous task: "Schedule board meeting next month" was in progress.'
        given_up = await a.say("c", "Never mind the board meeting")
        assert given_up.reply.startswith("Understood, I've cancelled") and given_up.reply.endswith("is complete.")
        assert not await a.flows("c", resting=True) and not await a.open_previews("c")


async def test_a_paused_task_is_resumed_by_its_name(sample):
    async with sample() as a:
        moving = asyncio.create_task(a.say("c", "move my 3pm to 4pm"))
        await asyncio.sleep(0)
        await a.say("c", "what's on my calendar tomorrow?")
        assert (await moving).status == "suspended"
        resumed = await a.say("c", "resume the move of my 3pm")
        assert resumed.status == "done" and resumed.previews[0].level == "high"


async def test_a_question_left_waiting_is_asked_again_when_resumed(sample):
    async with sample() as a:
        asked = (await a.say("c", "email David")).question
        other = await a.say("c", "what's on my calendar tomorrow?")
        assert "paused" in other.reply and [f.status for f in await a.flows("c", resting=True)] == ["waiting"]
        assert (await a.say("c", "resume the mail to David")).question == asked


async def test_a_pronoun_that_could_be_several_people_is_asked_about(sample):
    async with sample() as a:
        await a.say("c", "when is the next team stand-up?")
        turn = await a.say("c", "email him that I'll be late")
    assert turn.question and "him" in turn.question.text and not turn.previews


async def test_of_several_people_the_one_who_was_named_is_meant(sample):
    async with sample() as a:
        await a.say("c", "when is my next meeting with Anna?")
        turn = await a.say("c", "email her that I'll be late")
    assert [to.email for to in turn.previews[0].actions[0].to] == ["anna.kowalski@northwind.example"]


@at_services
async def test_the_oldest_of_what_was_shown_goes_by_date(sample):
    async with sample() as a:
        shown = (await a.say("c", "show me the newsletters")).reports[1].data.mails
        turn = await a.say("c", "delete the oldest")
    oldest = min(shown, key=lambda mail: mail.date)
    assert [o.action.mail.id for o in turn.outcomes] == [oldest.id]


@pytest.mark.parametrize(
    ("thinker", "place", "words"),
    [
        *((*cell, "save it as a draft instead") for cell in IN_FOLDERS + THE_OTHER),
        *((*cell, "make it a draft") for cell in IN_FOLDERS),
        *((*cell, "don't send it, just keep it as a draft") for cell in IN_FOLDERS),
    ],
    indirect=["thinker", "place"],
)
async def test_a_mail_that_waits_for_approval_can_be_kept_as_a_draft_instead(sample, place, words):
    async with sample() as a:
        first = (await a.say("c", "email Sarah saying hello")).previews[0]
        turn = await a.say("c", words)
        (action,) = turn.previews[0].actions
        assert action.kind == "save_draft" and action.body == "hello" and turn.previews[0].replaces == first.id
        assert (await a.say("c", "approve")).outcomes[0].status == "done"
    assert not place.written(place.leaves) and len(place.written(DRAFTS)) == 1


async def test_a_paused_task_is_told_of_by_names(sample):
    async with sample() as a:
        await a.say("c", "show me the last mail from Leila")
        asked = await a.say("c", "forward it")
        other = await a.say("c", "what's on my calendar tomorrow?")
        (waiting,) = await a.flows("c", resting=True)
    named = "forward the mail “Support in numbers” from Leila Farouk"
    assert asked.question and asked.about == asked.context.goal == waiting.goal == named
    assert f'I\'ve paused "{named}" and can resume it later if needed.' in other.reply


@at_services_otherwise
async def test_what_is_so_already_is_said_and_is_what_it_means(sample):
    async with sample() as a:
        await a.say("c", "read the last mail from David Chen")
        turn = await a.say("c", "mark the last mail from Leila as unread")
        flagged = await a.say("c", "flag it")
        again = await a.say("c", "flag it")
    assert turn.status == "done" and turn.reply == '"Support in numbers" from Leila Farouk, Tue 17 Nov, 16:30, is unread already.'
    assert 'Done: flag "Support in numbers"' in flagged.reply
    assert again.status == "done" and again.reply.endswith(", is flagged already.") and "Support in numbers" in again.reply
