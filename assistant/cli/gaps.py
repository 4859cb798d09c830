"""What a text leaves open for somebody to fill in."""

import re

from rich.text import Text

from assistant.cli.text import counted, safe
from assistant.reasoning.offline.saying.writing import GAP

STYLE = "bold black on yellow"
WORDED = re.compile(rf"(?={GAP.pattern})\[[^\[\]\n]*[^\W\d_][^\[\]\n]*\]")
"""A number in brackets is a footnote."""


def marked(text: str) -> Text:
    """With its gaps standing out."""
    shown = safe(text)
    shown.highlight_regex(WORDED, STYLE)
    return shown


def caution(*texts: str) -> Text | None:
    number = sum(len(WORDED.findall(text)) for text in texts)
    if not number:
        return None
    return Text(f"⚠ {counted(number, 'gap')} in square brackets: say what belongs there before it goes out", style="bold yellow")
