"""Messages that stand in a conversation: what was shown, what is paused, what is proposed."""

from datetime import timedelta
from typing import Any

import pytest

from assistant.reasoning.base import Request, Setting
from assistant.reasoning.offline.planning.planner import analyse
from assistant.values import CancelFlow, Data, Paused, Proposal, ResumeFlow, Shown, Undo
from integrations.actions import CreateEvent, SendMail, UpdateContact
from integrations.types import Address, Contact, ContactRef, Event, Mail


def mails(setting: Setting) -> tuple[Shown, ...]:
    people = (("Anna Berg", "anna@example.org"), ("Tom Fuchs", "tom@example.org"))
    found = tuple(
        Mail(account="a", id=email, etag="", folder="INBOX", date=setting.now, sender=Address(email=email, name=name))
        for name, email in people
    )
    return (Shown(text="two mails", data=Data(kind="mails", mails=found)),)


def events(setting: Setting) -> tuple[Shown, ...]:
    end = setting.now + timedelta(hours=1)
    event = Event(account="a", calendar="c", id="1", etag="", uid="1", title="Budget review", start=setting.now, end=end)
    return (Shown(text="one event", data=Data(kind="events", events=(event,))),)


def contacts() -> tuple[Shown, ...]:
    card = Contact(account="a", id="1", etag="", uid="1", name="Eva Klein", emails=("eva@example.org",))
    return (Shown(text="one contact", data=Data(kind="contacts", contacts=(card,))),)


@pytest.mark.parametrize(
    ("message", "instruction"),
    [
        ("archive it", "Archive the mail {shown}"),
        ("reply to the second one saying thanks a lot", "Reply to the second mail of {shown} saying thanks a lot"),
        ("delete the first two", "Delete the first two mails of {shown}"),
        ("mark them as read", "Mark the mails {shown} as read"),
        ("reply to her that I agree", "Reply to the mail {shown} that I agree"),
        ("summarise that mail", "Summarise the mail {shown}"),
        ("read the last one", "Read the last mail of {shown}"),
        ("archive both", "Archive the mails {shown}"),
        ("what does it say?", "What does the mail {shown} say"),
        ("delete those mails", "Delete the mails {shown}"),
        ("read the second mail", "Read the second mail of {shown}"),
        ("forward it to max@example.org", "Forward the mail {shown} to max@example.org"),
    ],
)
def test_words_that_point_at_mails_point_at_what_was_shown(message: str, instruction: str, setting: Setting) -> None:
    analysis = analyse(Request(text=message, setting=setting, shown=mails(setting)))
    assert [step.instruction for step in analysis.plan.steps] == [instruction]


@pytest.mark.parametrize(
    ("message", "instruction"),
    [
        ("cancel it", "Cancel the event {shown}"),
        ("delete it", "Delete the event {shown}"),
        ("move it to Friday at 3pm", "Move the event {shown} to Friday at 3pm"),
        ("push that meeting back an hour", "Push the event {shown} back an hour"),
        ("decline that invitation", "Decline the event {shown}"),
        ("rename it to Finance talk", "Rename the event {shown} to Finance talk"),
        ("schedule a meeting with these participants tomorrow at 4pm", "Schedule a meeting with {shown} tomorrow at 4pm"),
        ("schedule a follow-up at the same time next week", "Schedule a follow-up on Wednesday 25 November at 10:00"),
    ],
)
def test_words_that_point_at_an_event_stay_with_the_calendar(message: str, instruction: str, setting: Setting) -> None:
    (step,) = analyse(Request(text=message, setting=setting, shown=events(setting))).plan.steps
    assert (step.agent, step.instruction) == ("calendar", instruction)


@pytest.mark.parametrize(
    ("message", "instruction"),
    [
        ("email her saying hi", "Email eva@example.org saying hi"),
        ("change her phone number to 030 1234567", "Change Eva Klein's phone number to 030 1234567"),
        ("what's her birthday?", "What's Eva Klein's birthday"),
    ],
)
def test_her_is_the_contact_shown(message: str, instruction: str, setting: Setting) -> None:
    (step,) = analyse(Request(text=message, setting=setting, shown=contacts())).plan.steps
    assert step.instruction == instruction


@pytest.mark.parametrize(
    ("since", "message", "instruction"),
    [
        (("when did Tom Fuchs last write",), "flag his last one", "Flag Tom Fuchs's last mail"),
        (("thanks", "when did Tom Fuchs last write"), "archive his last mail", "Archive Tom Fuchs's last mail"),
        (("find mails from Bodo", "find mails from Tom Fuchs"), "read her last mail", "Read Bodo's last mail"),
        (("and Tom Fuchs, when did he?",), "flag his last one", "Flag Tom Fuchs's last mail"),
        (("what is Bodo's phone number",), "cancel my meeting with him", "Cancel my meeting with Bodo"),
        (("thanks",), "flag her last one", "Flag Eva Klein's last mail"),
    ],
)
def test_her_is_who_was_asked_about_after_what_was_shown(
    since: tuple[str, ...], message: str, instruction: str, setting: Setting
) -> None:
    (step,) = analyse(Request(text=message, setting=setting, shown=contacts(), since=since)).plan.steps
    assert step.instruction == instruction


@pytest.mark.parametrize("about_two", [{"since": ("did Anna Berg answer Tom Fuchs",)}, {"last": "did Anna Berg answer Tom Fuchs"}])
def test_which_of_two_is_meant_is_asked(about_two: dict[str, Any], setting: Setting) -> None:
    analysis = analyse(Request(text="flag her last one", setting=setting, shown=contacts(), **about_two))
    assert [gap.what for gap in analysis.missing] == ["her"]


def test_a_draft_shown_is_sent_to_the_team(setting: Setting) -> None:
    steps = analyse(Request(text="Send this draft email to the team", setting=setting, shown=mails(setting))).plan.steps
    assert [step.instruction for step in steps] == ["Who is in the team?", "Send the draft {shown} to {1}"]


PAUSED = (
    Paused(flow="f2", about="find mails from Tom", goal="find mails from Tom", status="waiting"),
    Paused(flow="f1", about="Schedule board meeting next month", goal="Schedule board meeting next month", status="suspended"),
)


@pytest.mark.parametrize(
    ("message", "command"),
    [
        ("Never mind the board meeting", CancelFlow(flow="f1")),
        ("resume the board meeting", ResumeFlow(flow="f1")),
        ("go on with the board meeting scheduling", ResumeFlow(flow="f1")),
        ("continue with the mails from Tom", ResumeFlow(flow="f2")),
        ("continue", ResumeFlow(flow="f2")),
        ("forget it", CancelFlow(flow="f2")),
        ("stop that task", CancelFlow(flow="f2")),
        ("cancel the board meeting task", CancelFlow(flow="f1")),
        ("undo that", Undo()),
        ("please undo", Undo()),
    ],
)
def test_a_command_is_about_the_paused_task_it_names(message: str, command: object, setting: Setting) -> None:
    analysis = analyse(Request(text=message, setting=setting, paused=PAUSED))
    assert analysis.command == command
    assert analysis.intent.request == "command"
    assert not analysis.plan.steps


@pytest.mark.parametrize("message", ["cancel the standup", "Actually, check my calendar first", "archive the newsletters"])
def test_a_request_beside_a_paused_task_is_a_new_flow(message: str, setting: Setting) -> None:
    analysis = analyse(Request(text=message, setting=setting, paused=PAUSED))
    assert analysis.command is None
    assert len(analysis.plan.steps) == 1
    assert analysis.context.startswith("Previous task: find mails from Tom")


def test_a_paused_task_that_does_not_exist_is_said(setting: Setting) -> None:
    assert (
        "no paused task about garden party" in analyse(Request(text="resume the garden party", setting=setting, paused=PAUSED)).say
    )
    assert "no paused task" in analyse(Request(text="never mind", setting=setting)).say


def proposal(setting: Setting) -> tuple[Proposal, ...]:
    return (Proposal(action=CreateEvent(account="a", title="Meeting", start=setting.now, end=setting.now)),)


@pytest.mark.parametrize(
    ("message", "steps"),
    [
        ("make it 4 pm", ["In {proposal}: make it 4 pm"]),
        ("leave out Tom", ["In {proposal}: leave out Tom"]),
        ("leave out the first one", ["In {proposal}: leave out the first one"]),
        ("without the second", ["In {proposal}: without the second"]),
        ("same time next week", ["In {proposal}: same time next week"]),
        ("also invite Anna", ["Find Anna's email address", "In {proposal}: invite {1}"]),
        ("change the subject to Hello", ["In {proposal}: change the subject to Hello"]),
        ("Change Tom to Eva in the proposal", ["Find Eva's email address", "In {proposal}: Change Tom to {1} in the proposal"]),
        ("Change 3pm to 4pm in the proposal", ["In {proposal}: Change 3pm to 4pm in the proposal"]),
        ("say see you there instead", ["In {proposal}: say see you there instead"]),
        ("send it to Anna Lee instead", ["Find Anna Lee's email address", "In {proposal}: send it to {1}"]),
        ("no, I meant Anna Lee", ["Find Anna Lee's email address", "In {proposal}: no, I meant {1}"]),
        ("make it 45 minutes", ["In {proposal}: make it 45 minutes"]),
        ("make it 4 pm and leave out Tom", ["In {proposal}: make it 4 pm", "In {proposal}: leave out Tom"]),
        ("in room B", ["In {proposal}: in room B"]),
        ("an hour later please", ["In {proposal}: an hour later"]),
        ("add max@example.org in cc", ["In {proposal}: add max@example.org in cc"]),
    ],
)
def test_feedback_revises_the_proposal(message: str, steps: list[str], setting: Setting) -> None:
    analysis = analyse(Request(text=message, setting=setting, proposal=proposal(setting)))
    assert [step.instruction for step in analysis.plan.steps] == steps
    assert analysis.plan.steps[-1].agent == "calendar"


@pytest.mark.parametrize(
    "message",
    [
        "what's on my calendar tomorrow?",
        "find the mails from Tom",
        "invite Tom to the budget review",
        "send a mail to Tom saying hi",
        "thanks",
    ],
)
def test_what_is_plainly_something_else_leaves_the_proposal_alone(message: str, setting: Setting) -> None:
    analysis = analyse(Request(text=message, setting=setting, proposal=proposal(setting)))
    assert all("{proposal}" not in step.instruction for step in analysis.plan.steps)
    assert analysis.plan.steps or analysis.say


def test_the_agent_of_a_revision_is_the_one_of_its_proposal(setting: Setting) -> None:
    card = ContactRef(account="a", id="1")
    kinds = {"email": SendMail(account="a"), "contacts": UpdateContact(account="a", contact=card)}
    for agent, action in kinds.items():
        analysis = analyse(Request(text="leave out Tom", setting=setting, proposal=(Proposal(action=action),)))
        assert analysis.plan.steps[0].agent == agent
