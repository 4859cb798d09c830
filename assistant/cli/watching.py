"""Agents at work, as somebody follows them: a table of them that changes, or one line after the other."""

from collections.abc import Iterator
from contextlib import contextmanager

from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.table import Table
from rich.text import Text

from assistant.cli.text import safe
from assistant.cli.told import MARKS, line, of_agent, words
from assistant.drafting.base import Tell, Told

NAME = 18
"""Columns that a name has at least, where it needs them."""
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
        table = Table.grid(padding=(0, 1))
        table.add_column(width=1)
        table.add_column(no_wrap=True, min_width=min(max(map(len, self._agents), default=0), NAME))
        table.add_column(no_wrap=True, overflow="ellipsis")
        for agent, told in self._agents.items():
            mark, style = MARKS.get(told.kind, ("·", "dim"))
            table.add_row(Text(mark, style=style), safe(agent, "bold"), safe(of_agent(told)))
        return Group(*(_cut(words(told)) for told in self._all), table)


def _cut(said: str) -> Text:
    cut = safe(said, "dim")
    cut.no_wrap, cut.overflow = True, "ellipsis"
    return cut


@contextmanager
def watching(out: Console, *, quiet: bool) -> Iterator[Tell]:
    """What is told meanwhile."""
    if quiet:
        yield lambda told: None
    elif not out.is_terminal:
        yield lambda told: out.print(line(told), soft_wrap=True)
    else:
        board = Board()
        with Live(board, console=out, transient=True, refresh_per_second=8):
            yield board.hear
