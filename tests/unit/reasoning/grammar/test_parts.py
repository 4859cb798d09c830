"""What a message of several sentences tells, and what it asks for."""

import pytest

from assistant.reasoning.base import Setting
from assistant.reasoning.offline.planning.message.acquainting import introduced
from assistant.reasoning.offline.planning.message.introducing import introduction
from assistant.reasoning.offline.planning.message.messages import pieces
from assistant.reasoning.offline.planning.message.owing import owed
from assistant.reasoning.offline.planning.message.particulars import headed
from assistant.reasoning.offline.planning.message.telling import lapsed
from assistant.reasoning.offline.planning.message.topics import named_first
from assistant.reasoning.offline.reading.clauses.riders import copy_told, held_from
from assistant.reasoning.offline.reading.entities import mark
from assistant.reasoning.offline.reading.grammar import parse


@pytest.mark.parametrize(
    ("message", "lead"),
    [
        ("Two things. Archive the mail from Tom.", "Two things."),
        ("A few small jobs for you: archive the mail from Tom.", "A few small jobs for you:"),
        ("Before I forget: archive the mail from Tom.", "Before I forget:"),
        ("You are tidying up the office today: archive the mail from Tom.", "You are tidying up the office today:"),
    ],
)
def test_what_only_introduces_selects_nothing(message: str, lead: str, setting: Setting) -> None:
    assert introduction(message, setting) == (lead, "archive the mail from Tom." if ":" in lead else "Archive the mail from Tom.")


@pytest.mark.parametrize(
    "message",
    [
        "You would never do this: archive the mail from Tom.",
        "It is as Tom said: archive the mail from Anna.",
        "There is a rule if you cancel something: tell Tom.",
        "Delete the mail. It is old.",
        "3.5 hours are too long: cancel the review.",
    ],
)
def test_a_report_a_rule_or_a_request_is_no_introduction(message: str, setting: Setting) -> None:
    assert introduction(message, setting) == ("", message)


def test_a_thing_with_its_time_behind_an_introduction_is_an_entry(setting: Setting) -> None:
    told, entry = pieces("Before I forget: optician on Friday from 3 to 3:30 pm", setting)

    made = parse(entry.text, setting).call
    assert told.role == "told"
    assert made is not None and (made.operation, made.title) == ("event.create", "Optician")


@pytest.mark.parametrize(
    ("message", "request_made"),
    [
        ("I still owe Tom an answer. Say that I agree.", "tell Tom that I agree."),
        ("Tom asked about the lease. Reply that it is signed.", "reply to the last mail from Tom about lease saying it is signed."),
        ("Tom asked whether we come. Reply that we do.", "tell Tom that we do."),
        ("Tom is waiting for news about the lease: it is signed, tell him that.", "tell Tom that it is signed."),
        ("The lease is signed. Let Tom know.", "tell Tom that The lease is signed."),
    ],
)
def test_who_waits_for_an_answer_gets_what_is_said(message: str, request_made: str, setting: Setting) -> None:
    assert owed(message, setting)[1] == request_made


@pytest.mark.parametrize(
    "message",
    [
        "Tom asked me to tell Anna that it is over.",
        "If the lease is signed, tell Tom.",
        "Tom asked for a date. Should I tell him Friday?",
    ],
)
def test_a_report_a_condition_or_a_question_answers_nobody(message: str, setting: Setting) -> None:
    assert owed(message, setting) == ("", message)


@pytest.mark.parametrize(
    "message",
    [
        "Ada Winter is our new cook, add her to my contacts. Her mail is ada@winter.example.",
        "I met Ada Winter (ada@winter.example). Save her as a contact.",
        "Create a contact for Ada Winter, ada@winter.example.",
    ],
)
def test_somebody_introduced_and_saved_is_one_contact(message: str, setting: Setting) -> None:
    assert introduced(message, setting) == "Add a contact: Ada Winter, ada@winter.example"


@pytest.mark.parametrize(
    "message",
    [
        "Ada Winter's mail is ada@winter.example, but don't save it.",
        "Ada Winter (ada@winter.example) is new. Send her a mail.",
        "Ada Winter and Ben Frost are new, ada@winter.example. Add her to my contacts.",
    ],
)
def test_what_asks_for_more_than_saving_is_left_as_it_is(message: str, setting: Setting) -> None:
    assert introduced(message, setting) == message


def test_a_thing_named_first_stands_in_each_request(setting: Setting) -> None:
    said = "For the review on Friday only: begin at 11 rather than 10, and hold it in Room 2."

    assert named_first(said, setting) == "move the review on Friday to 11. change the room of the review on Friday to Room 2"


def test_a_heading_is_the_title(setting: Setting) -> None:
    assert (
        headed("New appointment: optician, Friday at 3 pm.", setting) == 'create an appointment called "optician", Friday at 3 pm.'
    )


@pytest.mark.parametrize(
    ("told", "thing"),
    [
        ("No dentist for me tomorrow, I'm ill.", "dentist tomorrow"),
        ("I can't make it to the review, I'm ill.", "the review"),
        ("The review is cancelled tonight.", "The review tonight"),
        ("No dentist tomorrow?", ""),
    ],
)
def test_what_does_not_take_place_is_spoken_of(told: str, thing: str) -> None:
    assert lapsed(told) == thing


def test_particulars_in_sentences_of_their_own_belong_to_the_event(setting: Setting) -> None:
    (made,) = pieces("Book a call with Tom. Friday at 3 pm. Half an hour. Title: Lease.", setting)

    assert made.text == 'Book a call with Tom, friday at 3 pm, half an hour called "Lease"'


@pytest.mark.parametrize("said", ["Tom gets a copy.", "Copy for Tom.", "cc Tom", "A copy goes to Tom too."])
def test_a_sentence_may_only_say_who_gets_a_copy(said: str, setting: Setting) -> None:
    told = copy_told(mark(said, setting))

    assert told is not None and [named.person.text for named in told[0]] == ["Tom"]


def test_no_copy_is_no_copy(setting: Setting) -> None:
    assert copy_told(mark("Tom gets no copy.", setting)) is None


def test_what_is_to_be_read_first_is_held_back(setting: Setting) -> None:
    assert held_from(mark("I want to read it first.", setting)) == 0
    assert held_from(mark("I want to read it.", setting)) is None
