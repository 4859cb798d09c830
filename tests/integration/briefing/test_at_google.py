"""What a briefing of a full mailbox asks of Google, and what it does not hide."""

from collections import Counter
from collections.abc import Iterator
from datetime import timedelta
from email.message import EmailMessage
from email.utils import format_datetime
from pathlib import Path

import pytest
from doubles.desks import ANNA, BERLIN, ME, at, briefed, note, texts
from doubles.google import GoogleEmulator
from doubles.google.putting import deliver
from doubles.providers.google import emulated

from assistant.briefing.facts import Briefing
from integrations.readers import Readers
from integrations.registry import open_account
from integrations.types import INBOX, SENT, Address

LONG = "We talked about it at length. " * 9
LETTERS, LOOKED_AT, MOST_ASKED_ONE_BY_ONE = 105, 100, 260


@pytest.fixture
def google() -> Iterator[GoogleEmulator]:
    with GoogleEmulator() as google:
        google.world.clock = lambda: at("24 8:00")
        google.account(ME.email, name=ME.name)
        yield google
        assert google.complaints == []


def arrives(google: GoogleEmulator, sender: Address, hours_ago: int, subject: str, text: str) -> None:
    mail = EmailMessage()
    mail["From"], mail["To"], mail["Subject"] = str(sender), str(ANNA if sender == ME else ME), subject
    mail["Date"] = format_datetime(at("23 8:00") - timedelta(hours=hours_ago))
    mail["Message-ID"] = f"<{hours_ago}.{sender.email}>"
    mail.set_content(text)
    deliver(google.world.mail(ME.email), mail.as_bytes(), SENT if sender == ME else INBOX)


async def told(google: GoogleEmulator, readers: Readers, now: str, after: Briefing | None = None) -> tuple[Briefing, int, int]:
    """With how many requests it took, one by one and in batches."""
    google.requests.clear()
    briefing = await briefed(now, readers, after=after)
    seen = Counter(one.batched for one in google.requests)
    return briefing, seen[False], seen[True]


async def test_a_full_mailbox_costs_a_bounded_number_of_requests_and_what_is_left_out_is_said(
    tmp_path: Path, google: GoogleEmulator, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("assistant.briefing.post.MOST_LETTERS", LOOKED_AT)
    for number in range(LETTERS):
        arrives(google, ANNA, number, f"Topic {number}", f"{LONG}Could you send me the figures?")
        if number < 30:
            arrives(google, ME, 60 + number, f"Offer {number}", "Could you send me the offer?")
    secret = google.secret(google.account(ME.email))
    account = open_account(emulated("google", ME.email, endpoint=google.url, secret=secret), zone=BERLIN, index=tmp_path / "index")
    try:
        first, alone, batched = await told(google, account.readers, "23 8:00")
        assert len(texts(first, "answer")) == 10
        assert "5 older mails were not looked at." in note(first, "answer")
        assert alone <= MOST_ASKED_ONE_BY_ONE
        assert batched <= 2 * LETTERS
        _, alone, batched = await told(google, account.readers, "24 8:00", after=first)
        assert alone <= MOST_ASKED_ONE_BY_ONE
        assert batched <= 50
    finally:
        await account.close()
