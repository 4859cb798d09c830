"""What a briefing of a full mailbox asks of a service, and what it does not hide."""

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import timedelta
from email.message import EmailMessage
from email.utils import format_datetime
from pathlib import Path
from typing import Any

import pytest
from doubles import google, graph
from doubles.desks import ANNA, BERLIN, ME, at, briefed, note, texts
from doubles.google import putting
from doubles.graph.mail.putting import deliver
from doubles.providers.emulated import emulated

from assistant.briefing.facts import Briefing
from integrations.readers import Readers
from integrations.registry import open_account
from integrations.types import INBOX, SENT, Address

LONG = "We talked about it at length. " * 9
LETTERS, LOOKED_AT = 105, 100


@dataclass
class Service:
    """`first` and `later`: the most requests that a briefing, and one after it, may take: one by one, and in batches."""

    kind: str
    emulator: Any
    deliver: Any
    first: tuple[int, int]
    later: tuple[int, int]

    def arrives(self, sender: Address, hours_ago: int, subject: str, text: str) -> None:
        mail = EmailMessage()
        mail["From"], mail["To"], mail["Subject"] = str(sender), str(ANNA if sender == ME else ME), subject
        mail["Date"] = format_datetime(at("23 8:00") - timedelta(hours=hours_ago))
        mail["Message-ID"] = f"<{hours_ago}.{sender.email}>"
        mail.set_content(text)
        self.deliver(self.emulator.world.mail(ME.email), mail.as_bytes(), SENT if sender == ME else INBOX)

    async def told(self, readers: Readers, now: str, after: Briefing | None = None) -> tuple[Briefing, tuple[int, int]]:
        """With how many requests it took, one by one and in batches."""
        self.emulator.requests.clear()
        briefing = await briefed(now, readers, after=after)
        seen = Counter(getattr(one, "batched", False) for one in self.emulator.requests)
        return briefing, (seen[False], seen[True])


@contextmanager
def at_google() -> Iterator[Service]:
    with google.GoogleEmulator() as emulator:
        yield Service("google", emulator, putting.deliver, first=(260, 2 * LETTERS), later=(260, 50))


@contextmanager
def at_microsoft() -> Iterator[Service]:
    with graph.GraphEmulator() as emulator:
        yield Service("microsoft", emulator, deliver, first=(150, 0), later=(150, 0))


@pytest.fixture(params=[at_google, at_microsoft])
def service(request: pytest.FixtureRequest) -> Iterator[Service]:
    with request.param() as service:
        service.emulator.world.clock = lambda: at("24 8:00")
        service.emulator.account(ME.email, name=ME.name)
        yield service
        assert service.emulator.complaints == []


async def test_it_costs_a_bounded_number_of_requests_and_what_is_left_out_is_said(
    tmp_path: Path, service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("assistant.briefing.post.MOST_LETTERS", LOOKED_AT)
    for number in range(LETTERS):
        service.arrives(ANNA, number, f"Topic {number}", f"{LONG}Could you send me the figures?")
        if number < 30:
            service.arrives(ME, 60 + number, f"Offer {number}", "Could you send me the offer?")
    secret = service.emulator.secret(service.emulator.account(ME.email))
    config = emulated(service.kind, "work", ME.email, endpoint=service.emulator.url, secret=secret)
    account = open_account(config, zone=BERLIN, index=tmp_path / "index")
    try:
        first, asked = await service.told(account.readers, "23 8:00")
        assert len(texts(first, "answer")) == 10
        assert "5 older mails were not looked at." in note(first, "answer")
        assert asked[0] <= service.first[0] and asked[1] <= service.first[1], asked
        _, asked = await service.told(account.readers, "24 8:00", after=first)
        assert asked[0] <= service.later[0] and asked[1] <= service.later[1], asked
    finally:
        await account.close()
