"""Plays the cases through the whole assistant, over the suite's own account."""

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from shutil import rmtree

from e2e.sentences.account import NOW, lay_out, state_of
from e2e.sentences.checking import complaints, summary
from e2e.sentences.notation import Case

from assistant import open_assistant
from assistant.facade import Assistant, Turn

HERE = Path(__file__).parent
KNOWN_MISSES = "known_misses"
"""The table of what the assistant still gets wrong: counted by the benchmark, not run as tests."""

UNTOLD = "files have changed, and no outcome says so"


def tables() -> list[Path]:
    return sorted(path for path in HERE.glob("*.txt") if path.stem != KNOWN_MISSES)


@dataclass(frozen=True)
class Miss:
    """What was wrong with what came of a case's message `number`; `got` is all of that, in the notation."""

    number: int
    said: str
    wrong: tuple[str, ...]
    got: str


class Stage:
    """One opened assistant for all cases; it is set up anew after a case in which anything was written."""

    def __init__(self, base: Path) -> None:
        self._base = base
        self._opened = AsyncExitStack()
        self._assistant: Assistant | None = None
        self._files: dict[str, tuple[int, int]] = {}
        self._played = 0

    async def play(self, case: Case) -> Miss | None:
        """The first thing that went wrong, with which the case ends."""
        try:
            return await self._play(case, self._assistant or await self._open())
        except Exception:
            await self.close()
            raise

    async def _play(self, case: Case, assistant: Assistant) -> Miss | None:
        self._played += 1
        miss, executed = None, False
        for number, said in enumerate(case.turns, start=1):
            turn = await assistant.say(f"case {self._played}", said.text)
            wrong = complaints(said, turn, self._base / "account" / "mail") + self._untrue(turn)
            executed = executed or bool(turn.outcomes)
            if wrong:
                miss = Miss(number, said.text, tuple(wrong), summary(turn))
                break
        if executed or (miss and UNTOLD in miss.wrong):
            await self.close()
        return miss

    def _untrue(self, turn: Turn) -> list[str]:
        """What the outcomes say against what has happened on disk."""
        before, self._files = self._files, state_of(self._base / "account")
        done = any(outcome.status == "done" and outcome.action.account for outcome in turn.outcomes)
        if done and self._files == before:
            return ["it says that something was done, and no file has changed"]
        if self._files != before and not turn.outcomes:
            return [UNTOLD]
        return []

    async def _open(self) -> Assistant:
        rmtree(self._base / "home", ignore_errors=True)
        account = lay_out(self._base / "account")
        self._files = state_of(self._base / "account")
        opened = open_assistant(self._base / "home", clock=lambda: NOW, zone="Europe/Berlin", accounts=[account])
        self._assistant = await self._opened.enter_async_context(opened)
        return self._assistant

    async def close(self) -> None:
        self._assistant = None
        await self._opened.aclose()
        self._opened = AsyncExitStack()


@asynccontextmanager
async def stage(base: Path) -> AsyncIterator[Stage]:
    opened = Stage(base)
    try:
        yield opened
    finally:
        await opened.close()
