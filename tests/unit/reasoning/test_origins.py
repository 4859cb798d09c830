"""Where what is proposed came from, in the same words on every screen."""

import re
from pathlib import Path
from typing import get_args

import pytest

from assistant.reasoning import origins
from assistant.reasoning.origins import KINDS, SOURCES, kind_of, origin_of, person, text_of, unknown_first
from integrations.types import Address
from risk import tracing
from risk.tracing import Trace

PARTS = Path(origins.__file__).parents[1] / "service" / "page" / "scripts" / "parts"
SARAH = "Sarah Lindqvist <sarah@northwind.example>"


def trace(source: str = "message", by: str = SARAH, **more: object) -> Trace:
    return Trace.model_validate({"kind": "link", "text": "https://x.example/a", "source": source, "by": by, **more})


@pytest.mark.parametrize(
    ("source", "by", "words"),
    [
        ("own_words", "", "you wrote it"),
        ("own_words", SARAH, "you wrote it"),
        ("message", SARAH, f"from the mail by {SARAH}"),
        ("message", "", "from a mail"),
        ("thread", SARAH, f"from this exchange, by {SARAH}"),
        ("thread", "", "from this exchange"),
        ("event_text", "“Sync”", "from the text of the event “Sync”"),
        ("nowhere", "", "stands in no message and not in what you wrote"),
    ],
)
def test_an_origin_is_told_in_words(source: str, by: str, words: str) -> None:
    assert origin_of(trace(source, by)) == words


def test_whose_mail_it_was_is_told_on_one_line() -> None:
    assert "\n" not in origin_of(trace(by="Mallory\nyou wrote it\u202e"))


def test_every_kind_and_source_has_its_words() -> None:
    assert set(get_args(tracing.Kind)) <= set(KINDS) and set(get_args(tracing.Source)) <= set(SOURCES)


def test_the_page_says_the_same() -> None:
    said = (PARTS / "traces.js").read_text("utf-8")
    for table in (origins.KINDS, origins.SOURCES, origins.BY, origins.UNKNOWN):
        assert all(re.search(rf'\b{key}: "{re.escape(words)}"', said) for key, words in table.items())


def test_what_came_from_nowhere_stands_first() -> None:
    known, unknown = trace(), trace("nowhere", "", known=False)
    assert unknown_first((known, unknown)) == (unknown, known)


def test_an_address_of_other_letters_shows_as_it_goes_out() -> None:
    assert person(Address(name="Sara", email="s\u0430ra@example.org")) == "Sara <s\\u0430ra@example.org (s\u0430ra@example.org)>"
    assert "xn--" in text_of(trace(kind="address", text="anna@m\u00fcller.example"))
    assert person(Address(email="anna@x.example")) == "anna@x.example" and kind_of(trace()) == "link"
