"""What strangers wrote, made fit to stand inside a sentence."""

import re
import unicodedata

LONGEST = 80

SEPARATORS = re.compile(r"[\s<>()\[\]{},;:\"`|\\=]+")


def line(text: str, longest: int = LONGEST) -> str:
    """On one line, without control, format and bidi characters, and not too long."""
    shown = "".join(" " if unicodedata.category(char) in ("Cc", "Zl", "Zp") else char for char in text)
    words = " ".join("".join(char for char in shown if unicodedata.category(char) not in ("Cf", "Cs", "Co", "Cn")).split())
    return words if len(words) <= longest else words[: longest - 1].rstrip() + "\u2026"


def addresses_in(text: str) -> frozenset[str]:
    """The addresses that stand verbatim in a text."""
    if "@" not in text:
        return frozenset()
    parts = (part.strip(".!?*_'\u2018\u2019\u201c\u201d") for part in SEPARATORS.split(text.lower()) if "@" in part)
    return frozenset(part for part in parts if part.count("@") == 1 and not part.startswith("@") and not part.endswith("@"))


def stands_in(email: str, text: str) -> bool:
    """Whether just this address stands in the text."""
    return email in text.lower() and email in addresses_in(text)
