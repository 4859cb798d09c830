"""Misspelt words of the lexicon are read; names, quotes and dictated words stay, and a write says what it guessed."""

import pytest

from assistant.reasoning.base import Request, Setting
from assistant.reasoning.offline.planning.planner import analyse
from assistant.reasoning.offline.reading.grammar import read
from assistant.reasoning.offline.reading.text.spelling import corrected


@pytest.mark.parametrize(
    ("wrong", "right"),
    [
        ("find emials from Anna abuot the lease", "find emails from Anna about the lease"),
        ("whats on my calender tommorow", "whats on my calendar tomorrow"),
        ("cancle the standup on tuseday", "cancel the standup on tuesday"),
        ("mails with atachments", "mails with attachments"),
        ("wich mails frm Anna are ther", "which mails from Anna are there"),
        ("waht did Tom rite abuot the lease", "what did Tom write about the lease"),
        ("move teh review ot friday", "move the review to friday"),
    ],
)
def test_a_slip_of_the_pen_is_read(wrong: str, right: str, setting: Setting) -> None:
    assert corrected(wrong, setting)[0] == right


@pytest.mark.parametrize(
    "text",
    [
        "find the contract from Anna",
        "delete the form from Tom",
        "send Tom a mail saying I wil be laet",
        "find mails about 'shedule'",
        "email Marion about lunch",
        "archive the mail about the boat launch",
    ],
)
def test_what_may_be_meant_as_it_stands_stays(text: str, setting: Setting) -> None:
    assert corrected(text, setting) == (text, ())


def test_a_write_whose_verb_was_misspelt_says_so(setting: Setting) -> None:
    (step,) = analyse(Request(text="delte the last mail from Tom", setting=setting)).plan.steps
    reading = read(step.instruction, setting, step.agent)
    assert reading.call is not None
    assert reading.call.operation == "mail.trash"
    assert reading.guesses == ("“delte” means “delete”",) or reading.guesses == ("“Delte” means “delete”",)


def test_a_look_up_needs_no_guess(setting: Setting) -> None:
    assert read("serch for mails from Tom", setting).certain
