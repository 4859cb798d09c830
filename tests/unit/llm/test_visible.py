"""What hides in a text is no part of it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assistant.reasoning.llm.visible import FromModel, one_line, visible

BIDI = "\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\u200e\u200f"
HIDDEN = [*"\0\x07\x1b\x7f\u00ad\u200b\u2060\ufeff\ud83d", *BIDI, "\U000e0041"]
SHOWN = [
    "\U0001f468\u200d\U0001f469\u200d\U0001f467",
    "\u2764\ufe0f",
    "\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645",
    "naïve “ok” 50 €",
    "日本語",
]
"""A family, a heart, a Persian word."""


@pytest.mark.parametrize("hidden", HIDDEN)
def test_characters_that_nobody_sees_are_gone(hidden: str) -> None:
    assert visible(f"pay{hidden}pal") == "paypal"


@pytest.mark.parametrize("shown", SHOWN)
def test_what_is_seen_stays(shown: str) -> None:
    assert visible(shown) == shown


def test_nothing_can_be_spelt_in_selectors_or_joiners() -> None:
    assert visible("❤" + "\ufe0f\ufe00\ufe01" * 40) == "❤\ufe0f"
    assert visible("a" + "\u200d\u200c" * 40 + "b") == "ab" and visible("é" + "\u200d\u200c" * 40 + "é") == "éé"


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r", "\x0b", "\x0c", "\x1c", "\x85", "\u2028", "\u2029"])
def test_there_is_one_way_for_a_line_to_end(end: str) -> None:
    assert visible(f"a{end}b") == "a\nb" and one_line(f"a{end}b", 9) == "a b"


@pytest.mark.parametrize("space", ["\t", "\xa0", "\u2003", "\u202f", "\u3000"])
def test_other_spaces_are_blanks(space: str) -> None:
    assert visible(f"10{space}euros") == "10 euros"


@given(st.text())
def test_only_lines_and_what_is_seen_are_left(text: str) -> None:
    assert all(char == "\n" or char.isprintable() or char in "\u200c\u200d" for char in visible(text))


@given(st.text(), st.integers(1, 50))
def test_a_line_is_one_and_bounded(text: str, most: int) -> None:
    assert len(one_line(text, most)) <= most + 4 and len(one_line(text, most).splitlines()) <= 1


def test_a_models_answer_is_visible_through_and_through() -> None:
    class Given(FromModel):
        lines: list[str]
        parts: dict[str, str]

    given = Given.model_validate_json('{"lines": ["a\\u200bb"], "parts": {"x": "c\\u202ed"}}')
    assert given.lines == ["ab"] and given.parts == {"x": "cd"}
