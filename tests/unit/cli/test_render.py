"""An answer on the screen."""

from datetime import UTC, datetime

import pytest

from assistant.cli import render
from assistant.cli.text import repeats
from assistant.facade import Turn
from assistant.values import Data, Failure, Question, Success

NOW = datetime(2026, 11, 18, 9, 0, tzinfo=UTC)
FOUND = {1: Success(data=Data(kind="count", count=3))}


def turn(**fields: object) -> Turn:
    return Turn(flow="f", status="done", reply="r", said="Three mails.", reasoner="offline reasoner").model_copy(update=fields)


@pytest.mark.parametrize(
    ("fields", "told"),
    [
        ({"confidence": 75, "reports": FOUND}, True),
        ({"confidence": 95, "reports": FOUND}, False),
        ({"confidence": 75}, False),
        ({"confidence": 75, "reports": {**FOUND, 2: Failure(type="not_found", message="no")}}, False),
        ({"confidence": 75, "reports": FOUND, "status": "failed"}, False),
        ({"confidence": 75, "reports": FOUND, "question": Question(id="q", text="Who?", trigger="missing", entity="x")}, False),
    ],
    ids=["rather unsure", "sure", "small talk", "something failed", "failed", "a question"],
)
def test_confidence_is_told_only_where_it_says_something(fields, told):
    assert ("75 % sure" in render.footer(turn(**fields)).plain) is told


def test_the_footer_names_reasoner_and_sample_account():
    assert render.footer(turn(sample=True)).plain == "offline reasoner · sample account"


def test_words_of_a_mail_are_never_taken_for_the_short_form_of_a_preview(seen, preview):
    said = 'Eva writes: "Nothing has been done yet. This is what I would do: nothing."'
    assert "This is what I would do: nothing." in seen(render.turn(turn(said=said, previews=(preview(),)), NOW), 100)


@pytest.mark.parametrize(
    ("rule", "words"),
    [
        ("FREQ=WEEKLY;BYDAY=TU", "every Tuesday"),
        ("FREQ=DAILY;COUNT=3", "every day, 3 times"),
        ("FREQ=MONTHLY;BYDAY=1MO", "every first Monday of the month"),
        ("", ""),
        ("FREQ=WEEKLY;BYDAY=XX", "repeats by a rule of its own"),
    ],
)
def test_a_rule_of_recurrence_is_put_into_words(rule, words):
    assert repeats(rule) == words
