"""Messages that lean on the last request, and on what was shown or found free."""

from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as some

from assistant.reasoning.base import Analysis, Request, Setting
from assistant.reasoning.offline.planning.planner import analyse
from assistant.values import CancelFlow, Data, Paused, Proposal, Shown, Slot
from integrations.actions import CancelEvent, SendMail
from integrations.types import Address, Event, EventRef, Mail


def goal(message: str, last: str, setting: Setting) -> str:
    return analyse(Request(text=message, setting=setting, last=last)).intent.goal


@pytest.mark.parametrize(
    ("last", "message", "whole"),
    [
        ("what's on my calendar on Friday", "and on Thursday?", "what's on my calendar on Thursday"),
        ("what's on Friday", "what about the day after?", "what's on 21 November 2026"),
        ("what's on next week", "and the week after?", "what's from 30 November 2026 to 6 December 2026"),
        ("am I free on Friday at 10", "and at 9?", "am I free on 20 November 2026 at 09:00"),
        ("am I free on Friday at 10", "how about 3?", "am I free on 20 November 2026 at 15:00"),
        ("am I free on Friday at 10", "and on Thursday?", "am I free on 19 November 2026 at 10:00"),
        ("what's on Friday", "and after 5?", "what's on 20 November 2026 after 17:00"),
        ("mails from Anna Berg", "and from Tom Fuchs?", "mails from Tom Fuchs"),
        ("mails from Anna Berg", "what about Tom?", "mails from Tom"),
        ("mails from Anna Berg", "about the budget", "mails from Anna Berg about the budget"),
        ("mails about the budget", "only from Tom", "mails about the budget from Tom"),
        ("mails about the budget", "this week", "mails about the budget this week"),
        ("when is my next meeting with Tom", "and with Eva Klein?", "when is my next meeting with Eva Klein"),
        ("read the last mail from Tom", "and the one before?", "read the second mail from Tom"),
        ("read the second mail from Tom", "and the one before that", "read the third mail from Tom"),
        ("what is Eva Klein's phone number", "and Tom's?", "what is Tom's phone number"),
        ("what is Eva Klein's phone number", "and her email?", "what is Eva Klein's email address"),
        ("find slots for a meeting with Tom tomorrow", "and on Friday?", "find slots for a meeting with Tom on Friday"),
        ("read the last mail from Tom", "same for Eva Klein", "read the last mail from Eva Klein"),
        ("move the dentist to 11", "no, to 12", "move the dentist to 12"),
        ("archive the mail from Tom", "and the one about bridges", "archive the mail about bridges"),
        ("email Tom saying hello", "and Eva Klein", "email Eva Klein saying hello"),
        ("ask Tom if Monday suits him", "Tuesday, not Monday", "ask Tom if Tuesday suits him"),
        ("ask Tom if Monday suits him", "not Monday but Tuesday", "ask Tom if Tuesday suits him"),
        ("email Tom saying see you on Monday", "Tuesday instead of Monday", "email Tom saying see you on Tuesday"),
    ],
)
def test_a_fragment_takes_its_place_in_the_last_request(last: str, message: str, whole: str, setting: Setting) -> None:
    assert goal(message, last, setting) == whole


@pytest.mark.parametrize(
    ("last", "message"),
    [
        ("", "and on Thursday?"),
        ("email Tom saying hello", "Eva Klein"),
        ("email Tom saying hello", "tomorrow"),
        ("mails from Anna Berg and Tom Fuchs to Eva Klein", "and Sarah?"),
        ("what's on Friday", "and the colour of the sky?"),
    ],
)
def test_a_fragment_that_has_no_place_is_not_understood(last: str, message: str, setting: Setting) -> None:
    analysis = analyse(Request(text=message, setting=setting, last=last))
    assert not analysis.plan.steps
    assert analysis.say


@pytest.mark.parametrize(
    "message", ["archive the mail from Tom", "cancel the sync", "what's on Monday?", "just archive the newsletter from Tom"]
)
def test_a_whole_request_leans_on_nothing(message: str, setting: Setting) -> None:
    alone = analyse(Request(text=message, setting=setting))
    assert analyse(Request(text=message, setting=setting, last="mails from Eva Klein")).plan == alone.plan


def event(setting: Setting, title: str = "Budget review", days: int = 2) -> Event:
    start = setting.now + timedelta(days=days)
    return Event(account="a", calendar="c", id=title, etag="", uid=title, title=title, start=start, end=start + timedelta(hours=1))


def cancelling(setting: Setting) -> tuple[Proposal, ...]:
    ref = EventRef(account="a", calendar="c", id="1", etag="")
    return (Proposal(action=CancelEvent(account="a", event=ref), says="cancel Budget review", before=event(setting)),)


def revising(message: str, last: str, setting: Setting, proposal: tuple[Proposal, ...]) -> Analysis:
    paused = (Paused(flow="p1", about=last, goal=last, status="preview"),)
    shown = (Shown(text=last, data=Data(kind="events", events=(event(setting),))),)
    return analyse(Request(text=message, setting=setting, last=last, proposal=proposal, paused=paused, shown=shown))


@pytest.mark.parametrize(
    ("message", "whole"),
    [
        ("I mean the design review", "cancel the design review"),
        ("no, the one on Friday", "cancel the event on Friday"),
        ("no, rather move it to 2pm", "move the event {shown} to 2pm"),
        ("actually, rename it to Sync", "rename the event {shown} to Sync"),
        ("cancel the design review instead", "cancel the design review"),
    ],
)
def test_what_corrects_a_request_takes_the_place_of_its_proposal(message: str, whole: str, setting: Setting) -> None:
    analysis = revising(message, "cancel the budget review", setting, cancelling(setting))
    assert (analysis.intent.goal, analysis.instead) == (whole, True)


@pytest.mark.parametrize("message", ["what's on Monday?", "cancel the design review", "mails from Tom"])
def test_another_request_leaves_the_proposal_open(message: str, setting: Setting) -> None:
    assert not revising(message, "cancel the budget review", setting, cancelling(setting)).instead


@pytest.mark.parametrize("message", ["no, keep it", "keep it", "better not", "leave it as it is"])
def test_what_is_to_be_kept_gives_the_proposal_up(message: str, setting: Setting) -> None:
    assert revising(message, "cancel the budget review", setting, cancelling(setting)).command == CancelFlow(flow="p1")


def sending() -> tuple[Proposal, ...]:
    to = (Address(email="tom@example.org", name="Tom Fuchs"),)
    return (Proposal(action=SendMail(account="a", to=to, subject="Hi", body="hello"), says="send a mail to Tom Fuchs"),)


@pytest.mark.parametrize(
    ("message", "operation"),
    [
        ("and Eva Klein", "add"),
        ("Eva Klein too", "add"),
        ("also send it to Eva Klein", "add"),
        ("no, Eva Klein", "replace"),
        ("Eva Klein instead", "replace"),
        ("how about Eva Klein?", "replace"),
        ("yes, but to Eva Klein", "replace"),
        ("not Tom but Eva Klein", "replace"),
        ("Eva Klein, not Tom", "replace"),
        ("not Tom", "drop"),
        ("only Tom", "drop"),
    ],
)
def test_a_name_alone_changes_the_people_of_a_proposal(message: str, operation: str, setting: Setting) -> None:
    from assistant.reasoning.offline.reading.grammar import parse

    analysis = revising(message, "email Tom saying hello", setting, sending())
    call = parse(analysis.plan.steps[-1].instruction, setting).call
    assert call is not None
    assert call.operation == f"revise.{operation}_person"


@pytest.mark.parametrize("message", ['add "See you soon."', "add that I'll bring cake", "with the note: call me"])
def test_more_is_added_to_the_text_of_a_mail(message: str, setting: Setting) -> None:
    from assistant.reasoning.offline.reading.grammar import parse

    (step,) = revising(message, "email Tom saying hello", setting, sending()).plan.steps
    call = parse(step.instruction, setting).call
    assert call is not None
    assert (call.operation, call.field) == ("revise.body", "more")


def mails(setting: Setting, *ids: str) -> Shown:
    sender = Address(email="anna@example.org", name="Anna Berg")
    found = tuple(Mail(account="a", id=id, etag="", folder="INBOX", date=setting.now, sender=sender) for id in ids)
    return Shown(text=" ".join(ids), data=Data(kind="mails", mails=found))


@pytest.mark.parametrize(
    ("message", "instruction"),
    [
        ("only the unread ones", "Only the unread mails of {shown}"),
        ("archive the one about bridges", "Archive the mail of {shown} about bridges"),
        ("delete those from Tom", "Delete the mails of {shown} from Tom"),
        ("archive the second and the fourth", "Archive the second mail of {shown} and the fourth mail of {shown}"),
        ("archive all but the first", "Archive all mails of {shown} but the first"),
        ("which of them have attachments?", "Which mails of {shown} have attachments"),
        ("read the last one from Tom", "Read the last mail of {shown} from Tom"),
    ],
)
def test_one_stands_for_what_was_shown(message: str, instruction: str, setting: Setting) -> None:
    (step,) = analyse(Request(text=message, setting=setting, shown=(mails(setting, "1", "2", "3", "4"),))).plan.steps
    assert step.instruction.removeprefix("Only ").lower() == instruction.removeprefix("Only ").lower()


@pytest.mark.parametrize(
    ("message", "instruction"),
    [
        ("archive the third one", "Archive the third mail of {shown1}"),
        ("archive the others", "Archive the first and the third mail of {shown1}"),
        ("archive the other one", "Archive the first and the third mail of {shown1}"),
        ("archive that one", "Archive the mail of {shown}"),
    ],
)
def test_behind_one_that_was_picked_the_list_still_counts(message: str, instruction: str, setting: Setting) -> None:
    shown = (mails(setting, "2"), mails(setting, "1", "2", "3"))
    (step,) = analyse(Request(text=message, setting=setting, shown=shown)).plan.steps
    assert step.instruction == instruction


def test_a_verb_finds_its_kind_of_thing_further_back(setting: Setting) -> None:
    people = Shown(text="who?", data=Data(kind="addresses", addresses=(Address(email="tom@example.org", name="Tom"),)))
    shown = (people, Shown(text="when?", data=Data(kind="events", events=(event(setting),))))
    (step,) = analyse(Request(text="move it to Friday at 3pm", setting=setting, shown=shown)).plan.steps
    assert step.instruction == "Move the event {shown1} to Friday at 3pm"


@pytest.mark.parametrize(
    ("message", "last", "words"),
    [
        ("book it for a call with Eva Klein", "am I free on Friday at 9", "on 20 November 2026 at 09:00"),
        ("schedule a call with Eva Klein then", "am I free on Friday at 9", "on 20 November 2026 at 09:00"),
        ("then put in a call with Eva Klein", "am I free on Friday at 9", "on 20 November 2026 at 09:00"),
    ],
)
def test_a_free_time_is_taken_up(message: str, last: str, words: str, setting: Setting) -> None:
    step = analyse(Request(text=message, setting=setting, last=last)).plan.steps[-1]
    assert step.agent == "calendar"
    assert words in step.instruction


@pytest.mark.parametrize(("message", "hour"), [("take the second one", "11:00"), ("book the first one for a call", "10:00")])
def test_a_slot_is_taken_up_with_whom_it_was_looked_for(message: str, hour: str, setting: Setting) -> None:
    slots = tuple(Slot(start=setting.now + timedelta(hours=n), end=setting.now + timedelta(hours=n, minutes=30)) for n in range(2))
    shown = (Shown(text="slots", data=Data(kind="slots", slots=slots)),)
    request = Request(text=message, setting=setting, shown=shown, last="find slots for a meeting with Tom Fuchs today")
    instruction = analyse(request).plan.steps[-1].instruction
    assert f"at {hour} for 30 minutes" in instruction


def test_a_slot_that_was_not_offered_is_not_taken(setting: Setting) -> None:
    slot = Slot(start=setting.now, end=setting.now + timedelta(hours=1))
    shown = (Shown(text="slots", data=Data(kind="slots", slots=(slot,))),)
    analysis = analyse(Request(text="book the third one", setting=setting, shown=shown, last="find slots tomorrow"))
    assert analysis.missing or not analysis.plan.steps


LAST = ("mails from Anna Berg", "email Tom saying hello", "am I free on Friday at 10", "move the dentist to 11", "nonsense", "")
SAID = "and no not only one ones the other rest Tom Eva Friday 3 at on from about then it that keep instead too , ? first second"


@given(
    message=some.lists(some.sampled_from(SAID.split()), max_size=7).map(" ".join),
    last=some.sampled_from(LAST),
    proposed=some.booleans(),
)
def test_any_fragment_gets_an_answer(message: str, last: str, proposed: bool, setting: Setting) -> None:
    proposal = sending() if proposed else ()
    analysis = analyse(Request(text=message, setting=setting, last=last, proposal=proposal, shown=(mails(setting, "1", "2"),)))
    assert analysis.say or analysis.plan.steps or analysis.missing or analysis.command


@pytest.mark.parametrize(
    ("last", "message", "instruction"),
    [
        ("move the dentist an hour later", "no, earlier", "Move the event {shown} 120 minutes earlier"),
        ("move my first meeting an hour later", "no, 30 minutes", "Move the event {shown} 30 minutes earlier"),
        ("extend the dentist by an hour", "no, by 90 minutes", "Make the event {shown} 30 minutes longer"),
        ("move my first meeting to 11", "no, to 12", "Move the event {shown} to 12"),
    ],
)
def test_a_correction_of_what_was_done_counts_from_how_it_was(last: str, message: str, instruction: str, setting: Setting) -> None:
    shown = (Shown(text=last, data=Data(kind="events", events=(event(setting),))),)
    (step,) = analyse(Request(text=message, setting=setting, last=last, shown=shown)).plan.steps
    assert step.instruction == instruction


@pytest.mark.parametrize(
    ("message", "instruction"),
    [
        ("archive the newer one", "Archive the newest mail of {shown}"),
        ("archive the older of the two", "Archive the oldest mail of {shown}"),
        ("archive the latter", "Archive the second mail of {shown}"),
    ],
)
def test_of_two_things_shown_one_is_compared(message: str, instruction: str, setting: Setting) -> None:
    (step,) = analyse(Request(text=message, setting=setting, shown=(mails(setting, "1", "2"),))).plan.steps
    assert step.instruction == instruction
    assert analyse(Request(text=message, setting=setting, shown=(mails(setting, "1", "2", "3"),))).missing


@pytest.mark.parametrize("last", ["am I free on Friday at 9", "what's on Friday", "do I have anything on Friday afternoon"])
def test_a_new_event_with_only_an_hour_is_on_the_day_asked_about(last: str, setting: Setting) -> None:
    step = analyse(Request(text="then block 4pm to 5pm for planning", setting=setting, last=last)).plan.steps[-1]
    assert "on Friday 20 November" in step.instruction
    step = analyse(Request(text="then block 4pm to 5pm on Monday for planning", setting=setting, last=last)).plan.steps[-1]
    assert "Friday" not in step.instruction
