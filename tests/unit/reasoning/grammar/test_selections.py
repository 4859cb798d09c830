"""Which things and people a sentence selects: descriptions, exceptions, states and sizes, each with any operation."""

from collections.abc import Callable
from datetime import timedelta

import pytest

from assistant.reasoning.base import Request, Setting
from assistant.reasoning.calls import CROWD, Call, Selection
from assistant.reasoning.offline.planning.planner import analyse
from assistant.reasoning.offline.reading.entities import mark
from assistant.reasoning.offline.reading.grammar import read


@pytest.fixture(scope="module")
def known(setting: Setting) -> Setting:
    """The same with what the cards say of companies and jobs."""
    cards = {"companies": frozenset({"acme corp", "city council"}), "jobs": frozenset({"clerk", "site manager", "head of sales"})}
    return setting.model_copy(update=cards)


def people(text: str, setting: Setting) -> list[str]:
    return [item.text for item in mark(text, setting) if item.kind == "person"]


def select(text: str, setting: Setting) -> Selection:
    call = read(text, setting).call
    assert call is not None
    return call.select


@pytest.mark.parametrize(
    ("text", "described"),
    [
        ("write to Mr Fuchs", "Mr Fuchs"), ("ask dr. fuchs whether", "dr. fuchs"),
        ("email David from City Council saying hi", "David from City Council"),
        ("email everyone at Acme Corp saying hi", "everyone at Acme Corp"),
        ("tell the clerk at City Council that", "the clerk at City Council"),
        ("invite all managers to lunch", "all managers"), ("ask the head of sales for it", "the head of sales"),
        ("email the guests of the budget review saying hi", "the guests of budget review"),
        ("tell everyone in tomorrow's standup that", "everyone in tomorrow's standup"),
        ("email everyone in the board saying hi", "everyone in board"),
    ],
)  # fmt: skip
def test_a_description_of_people_is_one_entity(text: str, described: str, known: Setting) -> None:
    assert described in people(text, known)


@pytest.mark.parametrize(
    "text", ["meet Tom at Acme Corp", "move the dentist to Friday", "contacts from Acme Corp", "the manager meeting on Friday"]
)
def test_what_names_a_place_an_event_or_cards_describes_nobody(text: str, known: Setting) -> None:
    assert all(person == "Tom" for person in people(text, known))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("delete all newsletters except the last", "mail.trash | each=True | bulk=True | without=last 1"),
        ("archive all newsletters but keep the one about tea", "mail.archive | each=True | bulk=True | without=tea"),
        ("cancel my meetings on Friday but the standup", "event.cancel | when=point(on Friday) | each=True | without=standup"),
        (
            "mails from Tom other than those from last week",
            "mail.find | people=from:Tom | each=True | without=range(from last week)",
        ),
        ("summarise my unread mail, not counting newsletters", "mail.summarise | each=True | unread=True | without=bulk"),
    ],
)
def test_an_exception_is_part_of_the_selection(text: str, expected: str, setting: Setting) -> None:
    call = read(text, setting).call
    assert call is not None
    assert _with_exceptions(call) == expected.split(" | ")


def _with_exceptions(call: Call) -> list[str]:
    select = call.select
    parts = [call.operation, *(f"people={p.role}:{p.text}" for p in select.people)]
    parts += [f"when={select.when.kind}({select.when.text})"] if select.when else []
    parts += [f"{name}=True" for name in ("each", "unread", "bulk") if getattr(select, name)]
    return parts + [f"without={_left_out(one)}" for one in select.without]


def _left_out(one: Selection) -> str:
    if one.order:
        return f"{one.order} {one.number}"
    if one.when:
        return f"{one.when.kind}({one.when.text})"
    return "bulk" if one.bulk else " ".join(one.words)


def test_whoever_is_excepted_is_among_the_recipients_as_left_out(setting: Setting) -> None:
    call = read("email the marketing team except Tom saying hello", setting).call
    assert call is not None and call.body == "hello"
    assert [(person.text, person.role) for person in call.to] == [("marketing team", "any"), ("Tom", "except")]


@pytest.mark.parametrize("text", ["mark all mails as read except", "accept everything but I am not sure"])
def test_an_exception_that_says_nothing_is_none(text: str, setting: Setting) -> None:
    call = read(text, setting).call
    assert call is None or not call.select.without


def test_what_cannot_heed_an_exception_is_not_done(setting: Setting) -> None:
    assert read("add the contacts Eva and Tom except Tom to my address book", setting).call is None


@pytest.mark.parametrize(
    ("text", "field", "value"),
    [
        ("the last but one mail from Tom", "order", "nth_last"), ("my recurring meetings", "recurring", True),
        ("one-off events next week", "recurring", False), ("events without other people tomorrow", "guests", (0, 0)),
        ("meetings with more than three people", "guests", (4, CROWD)), ("meetings with at most two others", "guests", (0, 2)),
        ("meetings shorter than 30 minutes", "lasting", (timedelta(), timedelta(minutes=30))),
        ("meetings in Room 4 on Friday", "place", "Room 4"), ("events in Hamburg next week", "place", "Hamburg"),
        ("meetings I have declined", "answer", "declined"), ("invitations I haven't answered", "unanswered", True),
        ("mails with a pdf from Tom", "attached", "pdf"), ("mails to me only", "addressed", "only"),
        ("mails where I'm in cc", "addressed", "copy"), ("mails from people I don't know", "known", False),
        ("contacts without a phone number", "lacking", "phone"), ("archive my read newsletters", "unread", False),
    ],
)  # fmt: skip
def test_states_and_sizes_narrow_a_selection(text: str, field: str, value: object, setting: Setting) -> None:
    assert getattr(select(text, setting), field) == value


def test_who_holds_an_event_is_not_merely_in_it(setting: Setting, written: Callable[[Call], str]) -> None:
    call = read("meetings that Tom organises next week", setting).call
    assert call is not None
    assert [(person.text, person.role) for person in call.select.people] == [("Tom", "from")]


@pytest.mark.parametrize("text", ["when is the dentist?", "what time is the flea market?", "where is the reunion?"])
def test_a_question_without_a_kind_looks_in_the_calendar_before_the_mail(text: str, setting: Setting) -> None:
    first, second = analyse(Request(text=text, setting=setting)).plan.steps
    assert (first.agent, second.agent) == ("calendar", "email")
    assert second.when is not None and (second.when.step, second.when.holds) == (first.id, False)


def test_a_deletion_without_a_kind_means_an_event_where_there_is_one(setting: Setting) -> None:
    steps = analyse(Request(text="delete the flea market", setting=setting)).plan.steps
    operations = [call.operation for step in steps if (call := read(step.instruction, setting, step.agent).call)]
    assert operations == ["event.find", "event.cancel", "mail.trash"]
    assert [step.when and step.when.holds for step in steps] == [None, True, False]


@pytest.mark.parametrize("text", ["delete everything that bores me", "delete the budget stuff"])
def test_a_deletion_of_nothing_certain_is_not_planned(text: str, setting: Setting) -> None:
    assert not analyse(Request(text=text, setting=setting)).plan.steps


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("show me the two unread mails from Tom", 2),
        ("archive both mails from Tom", 2),
        ("cancel my three meetings on Friday", 3),
        ("cancel my meetings on Friday", 0),
        ("the last two mails from Tom", 0),
    ],
)
def test_a_number_before_what_is_counted_says_how_many_there_are(text: str, number: int, setting: Setting) -> None:
    found = select(text, setting)
    assert found.counted == number
    assert not found.words


@pytest.mark.parametrize(
    ("text", "same"),
    [
        ("archive everything Anna sent me", "archive all Anna's messages"),
        ("read the last thing Tom wrote to me", "read Tom's last message"),
        ("find what Tom has sent me about the lease", "find all Tom's messages about the lease"),
        ("cancel the first thing on Friday", "cancel the first event on Friday"),
        ("cancel the last thing I have tomorrow", "cancel the last event tomorrow"),
    ],
)
def test_a_head_that_names_no_kind_is_the_noun_that_is_meant(text: str, same: str, setting: Setting) -> None:
    assert read(text, setting).call == read(same, setting).call
