"""Requests without a verb, sayings around an object, and what is put in between."""

import pytest
from unit.reasoning.grammar.reading import call, steps

from assistant.reasoning.base import Setting
from assistant.reasoning.offline.planning.message.insertions import without_insertions
from assistant.reasoning.offline.planning.message.verbless import as_imperative, as_question
from assistant.reasoning.offline.reading.entities import mark


@pytest.mark.parametrize(
    ("said", "meant"),
    [
        ("the budget lunch off please", "cancel the budget lunch"),
        ("the budget lunch off tomorrow", "cancel the budget lunch tomorrow"),
        ("everything from Anna read", "mark everything from Anna as read"),
        ("the quote from Tom to the archive", "archive the quote from Tom"),
        ("standup half an hour later", "move standup half an hour later"),
        ("standup half an hour longer", "make standup half an hour longer"),
        ("standup to four", "move standup to four"),
        ("standup on Friday instead", "move standup to Friday"),
        ("standup an hour later, so starting at ten", "move standup an hour later, so starting at ten"),
        ("the party: yes", "accept the party"),
        ("the party off, it is raining", "cancel the party"),
    ],
)
def test_what_stands_behind_an_object_says_what_becomes_of_it(said: str, meant: str, setting: Setting) -> None:
    assert as_imperative(said, mark(said, setting)) == meant


@pytest.mark.parametrize(
    "said",
    [
        "Tom off", "Tom off on Friday", "day off", "meeting off", "mails read", "a lunch off", "the newsletters off",
        "the lunch off?", "the lunch off if it rains", "the lunch probably off", "the lunch was off", "not the lunch an hour later",
        "Anna says lunch off", "Tom an hour later", "the mail from Tom to Friday", "cancel the lunch", "number to four",
    ],
)  # fmt: skip
def test_what_is_told_asked_or_names_nothing_certain_is_no_request(said: str, setting: Setting) -> None:
    assert as_imperative(said, mark(said, setting)) is None


@pytest.mark.parametrize(
    ("said", "asked"),
    [
        ("dentist when?", "when is the dentist?"), ("the invoice, how much again", "how much is the invoice?"),
        ("lunch with Tom tomorrow, what time?", "what time is the lunch with Tom tomorrow?"),
    ],
)  # fmt: skip
def test_a_question_word_may_stand_last(said: str, asked: str, setting: Setting) -> None:
    assert as_question(said, mark(said, setting)) == asked


@pytest.mark.parametrize(
    ("said", "plain"),
    [
        ("Move the standup, would you, to ten.", "Move the standup to ten."),
        ("Could you, when you get a minute, flag the invoice?", "Could you flag the invoice?"),
        ("Archive the letter, the one about brick, please", "Archive the letter about brick please"),
        ("Archive the letter, I mean the one from Tom.", "Archive the letter from Tom."),
        ("Ask Anna and Tom, in one mail, whether they come", "Ask Anna and Tom whether they come"),
        ("Write, but don't send it yet, a note to Tom", "draft a note to Tom"),
        ("Tell Tom that the letter, the one about brick, is here", "Tell Tom that the letter, the one about brick, is here"),
        ("Archive the letter, if Tom agrees, today", "Archive the letter, if Tom agrees, today"),
    ],
)
def test_an_insertion_is_passed_over_or_put_in_its_place(said: str, plain: str, setting: Setting) -> None:
    assert without_insertions(said, setting) == plain


@pytest.mark.parametrize(
    "said", ["piano tuner, Friday 4 to 5 pm", "Friday 4 to 5 pm piano tuner", "new piano tuner Friday 4 to 5 pm"]
)
def test_a_thing_and_its_full_time_are_noted_down(said: str, setting: Setting) -> None:
    found = call(said, setting)
    assert (found.operation, found.title.lower(), found.time and found.time.has_time) == ("event.create", "piano tuner", True)


@pytest.mark.parametrize(
    "said",
    ["the piano tuner Friday 4 pm", "piano tuner Friday 4 pm?", "weather Friday 4 pm", "piano tuner Friday", "Tom Friday 4 pm"],
)
def test_what_may_be_there_already_is_not_noted_down(said: str, setting: Setting) -> None:
    assert not any(step.startswith(("Schedule", "Add", "New")) for step in steps(said, setting))


def test_who_cannot_be_invited_stands_in_the_title(setting: Setting) -> None:
    found = call("put swimming with the kids on Friday 4 to 5 pm in my calendar", setting)
    assert (found.title, found.to) == ("Swimming with the kids", ())


@pytest.mark.parametrize(
    ("said", "operation"),
    [
        ("put me down as coming to the party", "event.accept"), ("count me in for the party", "event.accept"),
        ("put me down as not coming to the party", "event.decline"), ("count me out of the party", "event.decline"),
        ("put me down as a maybe for the party", "event.tentative"), ("rsvp no for the party", "event.decline"),
    ],
)  # fmt: skip
def test_sayings_answer_an_invitation(said: str, operation: str, setting: Setting) -> None:
    (step,) = steps(said, setting)
    assert call(step, setting).operation == operation


@pytest.mark.parametrize("said", ["the budget thing", "the budget business", "that budget stuff"])
def test_a_noun_that_says_nothing_selects_nothing(said: str, setting: Setting) -> None:
    assert call(f"archive {said}", setting).select.words == ("budget",)


def test_half_past_is_no_past(setting: Setting) -> None:
    time = call("new haircut Friday half past five", setting).time
    assert time is not None and time.start is not None and time.start > setting.now
