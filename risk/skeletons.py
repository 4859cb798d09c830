"""What letters look like: two texts with the same skeleton can hardly be told apart by eye."""

import unicodedata
from functools import lru_cache
from itertools import zip_longest

from risk.confusables import confusables
from risk.text import UNSEEN

ASCII_SHAPES = str.maketrans({"0": "o", "1": "l", "|": "l", "m": "rn"})
"""Those of the Unicode confusables that are ASCII themselves."""
SLOPPY_SHAPES = (("vv", "w"), ("cl", "d"), ("i", "l"), ("3", "e"), ("5", "s"), ("\u00df", "ss"))
"""What is taken for one another at a glance."""

EASTERN = frozenset({"CJK", "HIRAGANA", "KATAKANA", "KATAKANA-HIRAGANA", "HANGUL"})
"""Scripts that are written together, and with Latin letters."""


@lru_cache(16384)
def skeleton(text: str) -> str:
    """As in UTS #39, after NFKC and lower case."""
    if not text.isascii():
        text = unicodedata.normalize("NFKC", text.translate(confusables()))
        text = UNSEEN.sub("", "".join(char for char in text if unicodedata.category(char) != "Cf")).translate(confusables())
        text = unicodedata.normalize("NFD", text.lower()).translate(confusables())
    return text.lower().translate(ASCII_SHAPES)


@lru_cache(16384)
def at_a_glance(text: str) -> str:
    """The skeleton for a hurried eye, that of accents free."""
    shape = skeleton(text)
    if not shape.isascii():
        shape = "".join(char for char in shape if not unicodedata.combining(char))
    for written, read in SLOPPY_SHAPES:
        shape = shape.replace(written, read)
    return shape


def one_edit(one: str, other: str) -> str:
    """The letters in which they differ, where one was added, dropped, replaced, or swapped with its neighbour; empty otherwise."""
    if one == other or abs(len(one) - len(other)) > 1:
        return ""
    start = next((at for at, (a, b) in enumerate(zip_longest(one, other)) if a != b), 0)
    a, b = one[start:], other[start:]
    if a[1:] == b or a == b[1:]:
        return a[:1] if a[1:] == b else b[:1]
    if a[1:] == b[1:] or (a[:2] == b[1::-1] and a[2:] == b[2:]):
        return a[:1] + b[:1]
    return ""


def slip(one: str, other: str) -> bool:
    """Whether the one edit between them is one that no two real names differ by: neighbours swapped, or a letter doubled."""
    if len(one) == len(other):
        differing = [at for at, (a, b) in enumerate(zip(one, other, strict=True)) if a != b]
        return len(differing) == 2
    longer = max(one, other, key=len)
    start = next((at for at, (a, b) in enumerate(zip_longest(one, other)) if a != b), 0)
    return start > 0 and longer[start] == longer[start - 1]


def imitates(word: str) -> bool:
    """Whether a word mixes alphabets, or is of another one than ours but looks like ours throughout."""
    if word.isascii():
        return False
    scripts = {unicodedata.name(char, "?").partition(" ")[0] for char in word if char.isalpha()} - EASTERN
    return len(scripts) > 1 or ("LATIN" not in scripts and skeleton(word).isascii())
