"""A briefing in the terminal, or in the form in which it is wanted."""

import re
from pathlib import Path
from typing import Literal

from rich.console import Console
from rich.table import Table
from rich.text import Text

from assistant.bootstrap import open_assistant, settings_for
from assistant.briefing import html, markdown, text
from assistant.briefing.facts import Briefing, Weighed
from assistant.cli.text import console, on_one_line, safe
from assistant.timetable.rules import Part

Form = Literal["text", "json", "markdown", "html"]
WIDEST = 100
"""Columns beyond which lines are hard to read."""
SIGN = {True: "green", False: "red"}


async def told(home: Path | None, parts: tuple[Part, ...], form: Form, *, explain: bool) -> int:
    """What could not be looked at is said in it, and is no failure."""
    settings = settings_for(home)
    async with open_assistant(home, recover=False, settings=settings) as a:
        briefing = await a.briefing(parts, explain=explain)
    match form:
        case "json":
            print(briefing.model_dump_json(indent=2, exclude={"coverage"}))
        case "markdown":
            print(markdown.written(briefing, settings.public_url), end="")
        case "html":
            print(html.page(briefing, settings.public_url), end="")
        case "text":
            out = console()
            out.print(_styled(briefing, min(out.width, WIDEST)), soft_wrap=True)
            if explain:
                _explain(briefing, out)
    return 0


def _styled(briefing: Briefing, width: int) -> Text:
    said = safe(text.plain(briefing, width))
    headings = "|".join(re.escape(section.title) for section in briefing.sections)
    said.highlight_regex(rf"(?m)\A.+$|^(?:{headings}):$" if headings else r"\A.+", "bold")
    said.highlight_regex(r"(?m)^! .+$", "yellow")
    said.highlight_regex(r"(?m)^ *\d+\.(?= )", "cyan")
    said.highlight_regex(r"(?ms)^Covered: .+\Z", "dim")
    return said


def _explain(briefing: Briefing, out: Console) -> None:
    """By section, what asks most first, and behind the sections what is left out by the reason why."""
    titles: dict[str, str] = {section.kind: section.title for section in briefing.sections}
    places = list(dict.fromkeys([*titles, *(one.told for one in briefing.weighed)]))
    out.print(Text("\nHow it was ranked", style="bold"))
    for place in places:
        weighed = [one for one in briefing.weighed if one.told == place]
        if weighed:
            heading = titles.get(place) or f"Left out: {place or 'nothing asks for attention'}"
            out.print(Text("\n").append(safe(on_one_line(heading), "bold")))
            out.print(_ranking(weighed))


def _ranking(weighed: list[Weighed]) -> Table:
    table = Table.grid(padding=(0, 2, 0, 0))
    table.add_column(justify="right", no_wrap=True, width=6)
    table.add_column(overflow="fold")
    for one in weighed:
        table.add_row(f"{one.score:g}", safe(on_one_line(one.text)))
        if one.points:
            table.add_row("", Text(" · ", style="dim").join(map(_point, one.points)))
    return table


def _point(point: tuple[float, str]) -> Text:
    weight, words = point
    return Text.assemble((f"{weight:+g}", SIGN[weight >= 0]), " ", safe(on_one_line(words) or "without a word", "dim"))
