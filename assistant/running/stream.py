"""What the flows of this process tell, for those who listen to it: what is stored of it, and what is not yet."""

import asyncio
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import NamedTuple

from assistant.events import FlowEvent

MOST = 200
"""Events that wait for one listener; with more it looks in the storage instead."""


class Saved(NamedTuple):
    """The events of a flow are stored up to this one."""

    flow: str
    seq: int


class Ear:
    """Of one follower. `stirred`: there is something in the storage; what was told before that is found there, or unsaved."""

    def __init__(self) -> None:
        self.told: deque[FlowEvent | Saved] = deque()
        self.stirred = False
        self.closed = False
        self._wake = asyncio.Event()

    def hear(self, told: FlowEvent | Saved) -> None:
        if len(self.told) >= MOST:
            self.stir()
        elif not self.stirred:
            self.told.append(told)
        self._wake.set()

    def stir(self) -> None:
        self.told.clear()
        self.stirred = True
        self._wake.set()

    def close(self) -> None:
        self.closed = True
        self._wake.set()

    async def wait(self) -> None:
        await self._wake.wait()
        self._wake.clear()


class Stream:
    """Of one user's conversations."""

    def __init__(self) -> None:
        self._listeners: list[tuple[str, asyncio.Queue[FlowEvent]]] = []
        self._ears: dict[str, list[Ear]] = {}
        self._watchers: list[Callable[[str], None]] = []
        self._unsaved: dict[str, dict[str, list[FlowEvent]]] = {}

    # --- what the journal tells

    def tell(self, conversation: str, event: FlowEvent) -> None:
        """It is not stored yet. What was told on a way that was given up is forgotten."""
        told = self._unsaved.setdefault(conversation, {})
        told[event.flow] = [*(e for e in told.get(event.flow, ()) if e.seq < event.seq), event]
        self.publish(conversation, event)

    def publish(self, conversation: str, event: FlowEvent) -> None:
        for name, queue in self._listeners:
            if name == conversation:
                queue.put_nowait(event)
        for ear in self._ears.get(conversation, ()):
            ear.hear(event)

    def saved(self, conversation: str, flow: str, seq: int) -> None:
        self._keep(conversation, flow, [e for e in self._unsaved.get(conversation, {}).get(flow, ()) if e.seq > seq])
        for ear in self._ears.get(conversation, ()):
            ear.hear(Saved(flow, seq))

    def given_up(self, conversation: str, flow: str) -> None:
        """What is not stored of it never will be."""
        self._keep(conversation, flow, [])

    def stir(self, conversation: str) -> None:
        """A message, or the state in which a flow rests, was stored."""
        for ear in self._ears.get(conversation, ()):
            ear.stir()
        self.changed(conversation)

    def changed(self, conversation: str) -> None:
        for watch in self._watchers:
            watch(conversation)

    def _keep(self, conversation: str, flow: str, events: list[FlowEvent]) -> None:
        told = self._unsaved.get(conversation, {})
        if events:
            told[flow] = events
        elif told.pop(flow, None) is not None and not told:
            del self._unsaved[conversation]

    # --- what listeners ask

    def unsaved(self, conversation: str) -> tuple[FlowEvent, ...]:
        return tuple(event for told in self._unsaved.get(conversation, {}).values() for event in told)

    @contextmanager
    def listening(self, conversation: str) -> Iterator[asyncio.Queue[FlowEvent]]:
        """Live events alone."""
        entry = (conversation, asyncio.Queue[FlowEvent]())
        self._listeners.append(entry)
        try:
            yield entry[1]
        finally:
            self._listeners.remove(entry)

    @contextmanager
    def following(self, conversation: str) -> Iterator[Ear]:
        ear = Ear()
        self._ears.setdefault(conversation, []).append(ear)
        try:
            yield ear
        finally:
            self._ears[conversation].remove(ear)
            if not self._ears[conversation]:
                del self._ears[conversation]

    @contextmanager
    def watching(self, watch: Callable[[str], None]) -> Iterator[None]:
        """`watch` hears the names of conversations in which something was stored."""
        self._watchers.append(watch)
        try:
            yield
        finally:
            self._watchers.remove(watch)
