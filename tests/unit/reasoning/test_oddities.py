"""What a person is told of what reading found odd."""

from datetime import UTC, datetime
from pathlib import Path
from typing import Any, get_args

import pytest

from assistant import service
from assistant.reasoning.oddities import told, told_of
from integrations.types import Mail, Oddity

KINDS = get_args(Oddity.model_fields["kind"].annotation)


def mail(*kinds: Any) -> Mail:
    odd = tuple(Oddity(kind=kind, where="body") for kind in kinds)
    return Mail(account="a", id="1", etag="", folder="INBOX", date=datetime(2026, 11, 1, tzinfo=UTC), oddities=odd)


@pytest.mark.parametrize("kind", KINDS)
def test_each_is_told_in_one_plain_sentence(kind: Any) -> None:
    words = told([Oddity(kind=kind, where="body", count=3)])
    assert "this mail" in words and words.endswith(".") and words.count(".") == 1


def test_the_page_tells_it_in_the_same_words() -> None:
    script = (Path(service.__path__[0]) / "page" / "scripts" / "parts" / "oddities.js").read_text("utf-8")
    for kind in KINDS:
        assert f'"{told([Oddity(kind=kind)], "{what}")}"' in script


def test_nothing_odd_is_nothing_to_tell() -> None:
    assert told(()) == "" and told_of([mail(), mail()]) == "" and told_of([]) == ""


def test_what_was_hidden_in_several_ways_is_told_once() -> None:
    assert (
        told(mail("hidden_text", "invisible", "bidi").oddities) == "Text that you could not have seen was removed from this mail."
    )


def test_of_several_it_is_told_of_how_many() -> None:
    several = [mail("hidden_text"), mail("bidi"), mail()]
    assert told_of(several) == "Text that you could not have seen was removed from 2 of these mails."
    assert told_of(several[1:], "event") == "Text that you could not have seen was removed from one of these events."
