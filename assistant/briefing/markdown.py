"""A briefing as Markdown. What others wrote stays what it is: text."""

import re
from collections.abc import Iterator

from assistant.briefing.facts import Briefing, Line, Section
from assistant.briefing.wording import covered, href, notices, reasons, seen, sentence
from risk.times import DASH

MARKS = re.compile(r"([\\`*_{}\[\]<>()#+\-.!|~^=:@&$])")
"""All that means something in Markdown or its dialects, which make links of bare addresses too."""
HARMLESS = re.compile(r"(?<=\w)\\(-)(?=\w)|(?<=\d)\\([:.])(?=\d)|(?<=[^\W\d_])\\([.:!)])(?=\s|$)")
"""Within and behind words, and in times and numbers."""


def written(briefing: Briefing, base_url: str = "") -> str:
    """CommonMark. Lines lead to their mails and events as far as there is a place to lead to."""
    blocks = [
        f"# {escaped(seen(briefing.title))}",
        *(f"> {escaped(notice)}" for notice in notices(briefing)),
        escaped(briefing.lead),
    ]
    for section in briefing.sections:
        if section.lines or section.note:
            blocks += [f"## {escaped(seen(section.title))}", "\n".join(_lines(section, base_url)), escaped(sentence(section.note))]
    blocks.append(f"*{escaped(covered(briefing))}*" if covered(briefing) else "")
    return "\n\n".join(filter(None, blocks)) + "\n"


def _lines(section: Section, base_url: str) -> Iterator[str]:
    if section.kind == "open":
        yield "; ".join(_told(line, base_url) for line in section.lines)
        return
    for line in section.lines:
        yield f"- {_told(line, base_url)}"
        yield from (f"  - {escaped(seen(sentence))}" for sentence in line.with_whom)


def _told(line: Line, base_url: str) -> str:
    """The number stands as text, since a list of Markdown counts by itself."""
    where, text = href(line, base_url), escaped(seen(line.text))
    linked = f"[{text}](<{where}>)" if where else text
    number = f"**{line.number}** " if line.number else ""
    why = escaped(reasons(line))
    return f"{number}{linked}{f' {DASH} {why}' if why else ''}"


def escaped(text: str) -> str:
    """Text that shows as it is: no link, picture, heading or other formatting comes of it."""
    return HARMLESS.sub(lambda found: found[0][1:], MARKS.sub(r"\\\1", text))
