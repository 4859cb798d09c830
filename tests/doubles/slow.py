"""An account at which the first write takes as long as the test wants."""

import asyncio

import pytest

from integrations.local.mail_writer import LocalMailWriter


class SlowFirst:
    """`begun`: the first mail is on its way; it arrives when `may_arrive` is set. All others arrive at once."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.begun, self.may_arrive = asyncio.Event(), asyncio.Event()
        at_once, double = LocalMailWriter.execute, self

        async def execute(self, *given):
            if not double.begun.is_set():
                double.begun.set()
                await double.may_arrive.wait()
            return await at_once(self, *given)

        monkeypatch.setattr(LocalMailWriter, "execute", execute)
