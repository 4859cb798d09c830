"""A briefing for a terminal, a chat, and whoever reads mail without HTML."""

import re
from collections.abc import Iterator
from textwrap import fill

from assistant.briefing.facts import Briefing, Line, Section
from assistant.briefing.wording import covered, notices, reasons, seen, sentence
from risk.times import DASH

UNNUMBERED = "·"
NUMBERED = re.compile(r" *\d+\. ")


def plain(briefing: Briefing, width: int = 0) -> str:
    """Paragraphs with an empty line between them; lines are broken at `width` characters, 0: nowhere."""
    parts = [[seen(briefing.title)], [f"! {notice}" for notice in notices(briefing)], [briefing.lead]]
    parts += [_section(section, briefing) for section in briefing.sections if section.lines or section.note]
    parts.append([covered(briefing)])
    return "\n\n".join("\n".join(_broken(line, width) for line in part) for part in parts if any(part))


def _section(section: Section, briefing: Briefing) -> list[str]:
    return [f"{seen(section.title)}:", *_lines(section, _margin(briefing)), *filter(None, [sentence(section.note)])]


def _lines(section: Section, margin: int) -> Iterator[str]:
    if section.kind == "open":
        # What stands between two of them is told apart from a semicolon in what others wrote.
        told = [_told(line).replace(";", ",") for line in section.lines]
        yield "; ".join(f"{line.number}. {text}" if line.number else text for line, text in zip(section.lines, told, strict=True))
        return
    for line in section.lines:
        mark = f"{line.number}.".rjust(margin) if line.number else UNNUMBERED
        yield f"{mark} {_told(line)}"
        yield from (f"{'':{margin}} {seen(sentence)}" for sentence in line.with_whom)


def _told(line: Line) -> str:
    return f" {DASH} ".join(filter(None, (seen(line.text), reasons(line))))


def _margin(briefing: Briefing) -> int:
    """The width of the largest number with its dot."""
    numbers = [line.number for section in briefing.sections for line in section.lines]
    return len(f"{max(numbers, default=0)}.")


def _broken(line: str, width: int) -> str:
    if not width or len(line) <= width:
        return line
    numbered = NUMBERED.match(line)
    hang = numbered.end() if numbered else len(line) - len(line.lstrip()) or 2 * line.startswith(("!", UNNUMBERED))
    return fill(
        line.strip(),
        width,
        initial_indent=line[: len(line) - len(line.lstrip())],
        subsequent_indent=" " * hang,
        break_on_hyphens=False,
    )
