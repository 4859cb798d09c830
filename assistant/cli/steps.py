"""What is told while a task runs: quietly each delegation and draft with its result, or on demand every numbered step."""

import asyncio
from collections.abc import AsyncIterator

from rich.console import Console
from rich.text import Text

from assistant.cli.text import counted, on_one_line
from assistant.cli.told import QUIET, line
from assistant.drafting.base import Told
from assistant.events import FlowEvent

PATIENCE = 1.0
"""Seconds after which a delegation is told before its result is there."""


class Steps:
    def __init__(self, out: Console, *, all_steps: bool) -> None:
        self._out, self._all = out, all_steps
        self._begun: dict[int, str] = {}
        self._late: dict[int, asyncio.TimerHandle] = {}

    async def follow(self, events: AsyncIterator[FlowEvent]) -> None:
        try:
            async for event in events:
                self.hear(event)
        finally:
            for timer in self._late.values():
                timer.cancel()

    def hear(self, event: FlowEvent) -> None:
        if self._all:
            self._tell(f"  {event.step:>4}  {event.name}: {on_one_line(event.text)}")
        elif event.step == "9":
            self._begins(event)
        elif event.step == "10":
            self._ends(event)
        elif event.step == "11" and event.data.get("drafting"):
            self._drafts(event)
        elif event.step == "13" and event.data.get("decision") == "revise":
            self._tell(f"· {on_one_line(event.text.partition(': ')[2]) or 'trying it another way'}")

    def _begins(self, event: FlowEvent) -> None:
        number = int(event.data.get("id", 0))
        _, _, instruction = event.text.partition(": ")
        words = f"· {event.data.get('agent', 'assistant')}: {on_one_line(instruction)}"
        self._begun[number] = words
        self._late[number] = asyncio.get_running_loop().call_later(PATIENCE, self._tell, f"{words} …")

    def _ends(self, event: FlowEvent) -> None:
        number = int(event.data.get("id", 0))
        if timer := self._late.pop(number, None):
            timer.cancel()
        if words := self._begun.pop(number, ""):
            self._tell(f"{words} … {found_words(event)}")

    def _drafts(self, event: FlowEvent) -> None:
        """Why there are several, then each as it is written, and the votes as they fall."""
        if "kind" not in event.data:
            self._tell(f"· {on_one_line(event.text)}")
        elif event.data["kind"] in QUIET:
            told = Told(kind=event.data["kind"], text=event.text, agent=str(event.data.get("agent", "")), data=event.data)
            self._tell(f"  {line(told).plain}")

    def _tell(self, words: str) -> None:
        self._out.print(Text(words, style="dim"), no_wrap=True, overflow="ellipsis", crop=True)


def found_words(event: FlowEvent) -> str:
    """The result of a delegation in a few words."""
    if event.data.get("status") == "error":
        return f"✗ {on_one_line(str(event.data.get('found', '')))}"
    proposed = int(event.data.get("proposed", 0))
    if proposed:
        return f"{counted(proposed, 'change')} prepared"
    return "answered" if event.data.get("kind") == "text" else on_one_line(str(event.data.get("found", "")))
