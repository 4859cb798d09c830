"""Agents at work, as somebody follows them: a table of them that changes, or one line after the other."""

from collections.abc import Iterator
from contextlib import contextmanager

from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.text import Text

from assistant.cli.text import safe
from assistant.cli.told import MARKS, in_full, line, of_agent, words
from assistant.drafting.base import Tell, Told

NAME = 18
"""Columns to which shorter names are filled up, at most."""
LAST = 4
"""Lines of what concerns all that stay in sight."""


class Board:
    """The last that was told of each agent, and of all."""

    def __init__(self) -> None:
        self._agents: dict[str, Told] = {}
        self._all: list[Told] = []

    def hear(self, told: Told) -> None:
        if told.agent:
            self._agents[told.agent] = told
        else:
            self._all = [*self._all, told][-LAST:]

    def __rich__(self) -> RenderableType:
        width = min(max(map(len, self._agents), default=0), NAME)
        rows = (self._row(told, width) for told in self._agents.values())
        return Group(*(_line(safe(words(told), "dim")) for told in self._all), *rows)

    def _row(self, told: Told, width: int) -> Text:
        mark, style = MARKS.get(told.kind, ("·", "dim"))
        name = safe(f"{told.agent:{width}} ", "bold")
        return _line(Text.assemble((f"{mark} ", style), name, safe(of_agent(told))))


def _line(text: Text) -> Text:
    """Cut at the width of the screen."""
    text.no_wrap, text.overflow = True, "ellipsis"
    return text


@contextmanager
def watching(out: Console, *, quiet: bool) -> Iterator[Tell]:
    """What is told meanwhile; what of it needs several lines stays on a terminal too."""
    if quiet:
        yield lambda told: None
    elif not out.is_terminal:
        yield lambda told: out.print(in_full(told) or line(told), soft_wrap=True)
    else:
        board = Board()

        def hear(told: Told) -> None:
            board.hear(told)
            if full := in_full(told):
                out.print(full)

        with Live(board, console=out, transient=True, refresh_per_second=8):
            yield hear
