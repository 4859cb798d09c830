"""What strangers wrote, made fit to stand inside a sentence."""

import re
import unicodedata

LONGEST = 80

SEPARATORS = re.compile(r"[\s<>()\[\]{},;:\"`|\\=]+")

BLANK = re.compile("[\u115f\u1160\u2800\u3164\uffa0]")
"""Letters by name that show as nothing but room, with which a line can be torn apart."""
UNSEEN = re.compile("[\u034f\u17b4\u17b5\u180b-\u180d]")
_ACCENT = "[\u0300-\u036f\u0483-\u0489\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff]"
PILED = re.compile(f"({_ACCENT}{{3}}){_ACCENT}+")
"""No language sets more than three accents upon a letter; piled up they cover the lines around."""


def undisguised(text: str) -> str:
    """Without letters that show nothing, and without accents that cover other text."""
    return text if text.isascii() else PILED.sub(r"\1", BLANK.sub(" ", UNSEEN.sub("", text)))


def line(text: str, longest: int = LONGEST) -> str:
    """On one line, without control, format and bidi characters, and not too long."""
    shown = "".join(" " if unicodedata.category(char) in ("Cc", "Zl", "Zp") else char for char in text)
    kept = "".join(char for char in shown if unicodedata.category(char) not in ("Cf", "Cs", "Co", "Cn"))
    words = " ".join(undisguised(kept).split())
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
