"""Every instruction of instructions.txt is read, for certain, as the call below it."""

from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assistant.reasoning.base import Setting
from assistant.reasoning.calls import Call
from assistant.reasoning.offline.reading.grammar import read


def table() -> list[tuple[str, str]]:
    lines = [
        line for line in (Path(__file__).parent / "instructions.txt").read_text("utf-8").splitlines() if not line.startswith("#")
    ]
    return list(zip(lines[::2], (line.strip() for line in lines[1::2]), strict=True))


def test_the_table_is_large_enough_to_mean_something() -> None:
    assert len(table()) >= 150


@pytest.mark.parametrize(("text", "expected"), table())
def test_an_instruction_is_read_for_certain(text: str, expected: str, setting: Setting, written: Callable[[Call], str]) -> None:
    reading = read(text, setting)
    assert reading.call is not None
    assert written(reading.call) == expected
    assert reading.certain


@pytest.mark.parametrize(
    "polite", ["please {}", "could you {}?", "Hi, can you please {} for me?", "I'd like you to {}, thanks", "would you {} please"]
)
@pytest.mark.parametrize(
    "plain",
    [
        "archive the newsletters",
        "cancel the standup tomorrow",
        "find emails from Anna",
        "update Sarah's phone number to 030 123456",
    ],
)
def test_politeness_changes_nothing(polite: str, plain: str, setting: Setting) -> None:
    assert read(polite.format(plain), setting).call == read(plain, setting).call


@given(
    said=st.text(alphabet=st.characters(blacklist_characters='"“”„«»', blacklist_categories=("Cs", "Cc")), min_size=1, max_size=60)
)
def test_quoted_words_are_taken_verbatim_and_never_obeyed(said: str) -> None:
    setting = SETTING()
    call = read(f'send a mail to anna@example.org saying "{said}"', setting).call
    assert call is not None
    assert call.operation == "mail.send"
    assert [person.email for person in call.to] == ["anna@example.org"]
    assert call.body == said.strip()


@given(text=st.text(max_size=80))
def test_any_text_can_be_read(text: str) -> None:
    reading = read(text, SETTING())
    assert reading.call is not None or not reading.certain


WORDS = "send delete the mail to from Anna tomorrow at 3pm if and then it not cancel my meeting about 'x' : with {1} 5".split()


@given(words=st.lists(st.sampled_from(WORDS), max_size=12))
def test_any_order_of_known_words_can_be_read(words: list[str]) -> None:
    reading = read(" ".join(words), SETTING())
    assert reading.call is not None or not reading.certain


def SETTING() -> Setting:
    from datetime import datetime
    from zoneinfo import ZoneInfo

    zone = ZoneInfo("Europe/Berlin")
    return Setting(now=datetime(2026, 11, 18, 10, tzinfo=zone), zone=zone, names=frozenset({"Anna Berg"}))


@pytest.mark.parametrize(
    "text",
    [
        "don't archive the newsletters",
        "should I cancel the standup?",
        "how do I delete a contact?",
        "never forward my mail",
        "the standup is off",
    ],
)
def test_what_is_negated_or_asked_about_is_no_call(text: str, setting: Setting) -> None:
    assert read(text, setting).call is None


def test_an_agent_reads_an_object_without_a_noun_as_its_own(setting: Setting) -> None:
    operations = {agent: read("show Friday afternoon", setting, agent).call for agent in ("email", "calendar")}
    assert [call.operation for call in operations.values() if call] == ["mail.find", "event.find"]


@pytest.mark.parametrize(("text", "past"), [("mails from Tuesday", True), ("schedule a meeting with Anna on Tuesday", False)])
def test_an_open_weekday_lies_behind_for_mails_and_ahead_for_plans(text: str, past: bool, setting: Setting) -> None:
    call = read(text, setting).call
    assert call is not None
    when = call.select.when or call.time
    assert when is not None
    assert when.start is not None
    assert (when.start < setting.now) is past


def test_a_deed_without_its_object_is_a_guess(setting: Setting) -> None:
    reading = read("archive it", setting)
    assert reading.call is not None
    assert not reading.certain
    assert reading.guesses
