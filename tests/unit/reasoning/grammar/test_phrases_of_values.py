"""Noun phrases that name a value, and people of the user's own house or of another."""

import pytest

from assistant.reasoning.base import Setting
from assistant.reasoning.offline.reading.entities import mark
from assistant.reasoning.offline.reading.grammar import parse
from assistant.reasoning.offline.reading.nouns.values import value_phrase


@pytest.mark.parametrize(
    ("text", "phrase"),
    [
        ("the tracking number of the parcel again please", "the tracking number of the parcel"),
        ("permit reference number", "permit reference number"),
        ("that price which Tom quoted", "that price which Tom quoted"),
        ("once more the deadline of the grant", "the deadline of the grant"),
        ("the phone number of Anna", ""),
        ("Anna's mobile number", ""),
        ("the phone numbers of the board", ""),
        ("a time for lunch", ""),
        ("time to meet Anna", ""),
        ("contacts without a phone number", ""),
        ("mails about the price", ""),
    ],
)
def test_a_value_is_named_by_its_head(text: str, phrase: str, setting: Setting) -> None:
    found = value_phrase(mark(text, setting))
    assert (text[found[0].begin : found[-1].end] if found else "") == phrase


@pytest.mark.parametrize(
    "text",
    [
        "permit reference number again please",
        "look up the invoice number that Tom sent me",
        "remind me of the date that Anna gave for the repair",
        "does the letter say how long the repair takes?",
        "by when does Tom want his form back?",
        "what did Anna want me to look at in the contract?",
        "how long do I have to return the form?",
    ],
)
def test_what_only_a_mail_tells_is_asked_of_the_mails(text: str, setting: Setting) -> None:
    call = parse(text, setting).call
    assert call is not None
    assert call.operation == "mail.answer"


@pytest.mark.parametrize("text", ["remind me of the deadline on Friday", "remind me about the rent tomorrow"])
def test_a_reminder_is_no_question(text: str, setting: Setting) -> None:
    call = parse(text, setting).call
    assert call is not None
    assert call.operation == "event.create"


@pytest.mark.parametrize(
    ("text", "inside"),
    [
        ("which mails came from colleagues?", True),
        ("mails from people outside our office", False),
        ("which mails came from people who don't work at our firm?", False),
        ("mails from Tom", None),
    ],
)
def test_mails_are_told_by_the_house_of_their_sender(text: str, inside: bool | None, setting: Setting) -> None:
    call = parse(text, setting).call
    assert call is not None
    assert call.select.inside is inside
