"""One preview approved at the same instant from two devices: each opened the same database by itself."""

import asyncio
from collections.abc import Callable
from contextlib import AsyncExitStack
from datetime import datetime
from pathlib import Path

import pytest
from doubles.crashes import sent
from pydantic import SecretStr

from assistant.bootstrap import LocalAccount, open_assistant
from assistant.errors import AssistantError
from assistant.facade import Assistant
from assistant.values import Outcome
from config.settings import Settings
from integrations.actions import SendMail
from integrations.types import Address
from risk.preview import Preview

PAIRS = 100


@pytest.fixture(params=["sqlite", "postgres"])
def settings(request: pytest.FixtureRequest, tmp_path: Path) -> Settings:
    url = request.getfixturevalue("postgres_url") if request.param == "postgres" else ""
    return Settings(home=tmp_path / "home", database_url=SecretStr(url))


def mail(number: int) -> SendMail:
    return SendMail(account="local", to=(Address(email="anna@example.org"),), subject=f"write-{number}-", body="hello")


async def approved(device: Assistant, preview: Preview) -> tuple[Outcome, ...]:
    """What came of it on this device; nothing where the other one was first."""
    try:
        return (await device.approve(preview.id, preview.fingerprint)).outcomes
    except AssistantError:
        return ()


async def test_of_a_hundred_pairs_of_simultaneous_approvals_each_is_carried_out_once(
    settings: Settings, account: LocalAccount, clock: Callable[[], datetime]
) -> None:
    async with AsyncExitStack() as stack:
        common = {"settings": settings, "clock": clock, "zone": "Europe/Berlin", "accounts": [account]}
        first, second = [await stack.enter_async_context(open_assistant(**common)) for _ in range(2)]

        async def pair(number: int) -> int:
            """How many of the two devices tell that it is done."""
            (preview,) = (await first.propose(f"c{number}", [mail(number)], [f"write {number}"])).previews
            both = await asyncio.gather(approved(first, preview), approved(second, preview))
            return sum(outcome.status == "done" for outcomes in both for outcome in outcomes)

        told = await asyncio.gather(*(pair(number) for number in range(PAIRS)))
    subjects = [line for text in sent(account) for line in text.splitlines() if line.startswith("Subject: write-")]
    assert len(subjects) == len(set(subjects)) == PAIRS
    assert set(told) == {1}
