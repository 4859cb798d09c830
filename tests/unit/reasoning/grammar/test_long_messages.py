"""Long messages: what is dictated or quoted at length is taken as it is, and nothing makes reading slow."""

import gc
import time
from collections.abc import Iterator

import pytest

from assistant.reasoning.base import Analysis, Request, Setting
from assistant.reasoning.offline.planning.planner import analyse
from assistant.reasoning.offline.reading.grammar import read
from assistant.reasoning.offline.reading.text.folding import LONG, MOST, folded
from assistant.reasoning.offline.reading.text.tokens import tokenise

TALK = "On Monday at 3 we meet Tom and Jonas, and then we go. If you can, delete the old plan. "
TIMES = 8
"""As long as plain words may other characters take: a ratio, since machines differ."""
"""Of processor time, many times what is needed and a small part of what a quadratic reading takes."""


def understood(text: str, setting: Setting) -> Analysis:
    return analyse(Request(text=text, setting=setting))


@pytest.mark.parametrize(
    "opening", ["email zoe@example.org: {}", "email zoe@example.org saying {}", 'email zoe@example.org saying "{}"']
)
def test_what_is_dictated_at_length_arrives_word_for_word_and_asks_for_nothing(opening: str, setting: Setting) -> None:
    said = (TALK * 60).strip()
    (step,) = understood(opening.format(said), setting).plan.steps
    call = read(step.instruction, setting, step.agent).call
    assert call is not None
    assert (call.operation, call.body) == ("mail.send", said)


def test_a_long_dictation_begins_on_the_line_behind_its_colon(setting: Setting) -> None:
    said = (TALK * 20).strip()
    (step,) = understood(f"Hi, please email zoe@example.org:\n{said}", setting).plan.steps
    call = read(step.instruction, setting, step.agent).call
    assert call is not None
    assert call.body == said


@pytest.mark.parametrize("behind", [" Then archive the last mail from Anna.", "\narchive the last mail from Anna"])
def test_a_request_set_apart_ends_a_long_dictation(behind: str, setting: Setting) -> None:
    analysis = understood(f"email zoe@example.org saying {TALK * 20}{behind}", setting)
    operations = [call.operation for step in analysis.plan.steps if (call := read(step.instruction, setting, step.agent).call)]
    assert sorted(operations) == ["mail.archive", "mail.send"]


def test_the_last_sentence_of_a_long_dictation_is_no_request(setting: Setting) -> None:
    analysis = understood(f"email zoe@example.org saying {TALK * 20}Please archive the last mail from Anna.", setting)
    assert len(analysis.plan.steps) == 1


def test_a_request_behind_a_long_quote_is_read(setting: Setting) -> None:
    analysis = understood(f'email zoe@example.org saying "{TALK * 20}" and archive the last mail from Anna', setting)
    assert [step.instruction[:7] for step in analysis.plan.steps] == ["Email z", "Archive"]


def test_the_goal_of_a_long_dictation_stays_short(setting: Setting) -> None:
    analysis = understood(f"email zoe@example.org: {TALK * 200}", setting)
    assert len(analysis.intent.goal) < LONG
    assert "On Monday at 3" in analysis.intent.goal


def test_a_long_text_that_dictates_nothing_is_not_read_as_requests(setting: Setting) -> None:
    analysis = understood("Delete the last mail from Tom. " * (MOST // 30 + 2), setting)
    assert not analysis.plan.steps
    assert "too long" in analysis.say


def test_short_messages_are_read_as_they_are(setting: Setting) -> None:
    text = f"email zoe@example.org saying {TALK}"
    assert folded(text, setting).text == text


UNITS = [
    "(", "\U0001f600", "-", "x ", "' ", "'a ", '" ', "„", "«a ", "“b ", "and ", ", and then ", "if I go, ", "3 ", "at 3 ", ". ",
    "x. ", ", ", ": ", "Tom ", "to Tom ", "a@b.de ", "+49 1 ", "{1} ", "Monday ", "Xyz ", "not ", "move it ", "and move it ",
    "archive if ", "1", "is with to then ", "On Friday, if ", "archive the last mail from Tom, and then ",
]  # fmt: skip


@pytest.fixture(scope="module")
def plain(setting: Setting) -> Iterator[float]:
    """Seconds of processor time that plain words take. What earlier tests have left in memory is looked through only once."""
    understood("hello", setting)
    gc.collect()
    gc.freeze()
    yield taken("x ", setting)
    gc.unfreeze()


@pytest.mark.parametrize("unit", UNITS)
def test_no_run_of_characters_takes_long(unit: str, setting: Setting, plain: float) -> None:
    assert taken(unit, setting) < TIMES * plain


def taken(unit: str, setting: Setting) -> float:
    begun = time.process_time()
    for length in (MOST - 1, 100_000):
        understood((unit * length)[:length], setting)
        read((unit * length)[:length], setting)
    return time.process_time() - begun


def test_an_open_quotation_mark_quotes_nothing() -> None:
    tokens = tokenise("say „this and “that, then 'quoted' and 'open")
    assert [token.text for token in tokens if token.kind == "quote"] == ["quoted"]
    assert [token.text for token in tokens if token.kind == "punct"] == ["„", "“", ",", "'"]


def test_a_place_that_no_step_stands_for_harms_nothing(setting: Setting) -> None:
    assert understood("archive {7}", setting).plan.steps[0].needs == ()
