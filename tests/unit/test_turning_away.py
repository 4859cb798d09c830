"""What a message turns away from or takes up: giving up in own words, hours among offers, statements with a question behind."""

from datetime import UTC, datetime

import pytest

from assistant.pipeline.consent import gives_up
from assistant.reasoning.offline.planning.message.tagged import asked_back
from assistant.reasoning.offline.planning.talk.hours_offered import by_place


@pytest.mark.parametrize(
    "text",
    [
        "leave it, I'll ring him instead",
        "Actually, scrap that. I'll tell her in person.",
        "on second thoughts, don't bother, she has it already",
        "never mind, she's got it",
        "no need after all",
        "Ah, forget it, no need.",
        "hmm, let's not",
    ],
)
def test_a_refusal_with_its_reason_gives_up(text: str) -> None:
    assert gives_up(text)


@pytest.mark.parametrize(
    "text",
    [
        "leave it, and flag the invoice instead",
        "leave it for now. Archive the invoice.",
        "leave it, she wants it on Friday",
        "leave it, make it Tuesday",
        "leave it, I'll take the second",
        "no need to invite Omar",
        "forget about Omar, invite Lena",
        "drop it into the archive",
        "leave it unread",
    ],
)
def test_what_wishes_for_something_else_does_not(text: str) -> None:
    assert not gives_up(text)


@pytest.mark.parametrize(
    ("text", "question"),
    [
        ("Those two overlap, don't they?", "do those two overlap?"),
        ("That doesn't clash with anything, does it?", "does that clash with anything?"),
        ("I'm free on Friday, right?", "am I free on Friday?"),
        ("The hearing's on Wednesday, isn't it?", "is the hearing on Wednesday?"),
        ("cancel it, right?", ""),
        ("you'll send it, won't you?", ""),
        ("Is it on Friday?", ""),
    ],
)
def test_a_statement_with_a_tag_asks(text: str, question: str) -> None:
    assert asked_back(text) == question


FRIDAY = [(datetime(2026, 11, 20, hour, tzinfo=UTC), datetime(2026, 11, 20, hour + 1, tzinfo=UTC)) for hour in (12, 14, 15)]


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("I'll take two to three. Title: Tender", "take the second one. Title: Tender"),
        ("Two o'clock is fine", "take the second one"),
        ("let's do three, with Jonas", "take the third one, with Jonas"),
        ("I'll take four", "I'll take four"),
        ("two to four works", "two to four works"),
        ("what about two?", "what about two?"),
    ],
)
def test_an_hour_that_was_offered_says_which(text: str, meant: str) -> None:
    assert by_place(text, FRIDAY) == meant
