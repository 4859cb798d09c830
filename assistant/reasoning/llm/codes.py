"""Codes in a text: what mixes letters and figures as no word does, and what is said to be one."""

import re
from collections.abc import Iterator
from itertools import pairwise

from assistant.reasoning.llm.links import without_links
from risk import codes as security

MIXED = re.compile(r"(?<![\w@.])[A-Za-z0-9]{2,40}(?:-[A-Za-z0-9]{2,40}){0,6}(?![\w@])")
UNIT = re.compile(r"\d+[A-Za-z]{1,3}|[A-Za-z]{1,3}\d{1,4}")
""" "250EUR", "10AM", "Q32026": figures with a unit, or the other way round."""
SHORTEST = 5
CHANGES = 3
"""So many times a code in small letters goes from letters to figures or back, which no date or size does."""


def unknown_codes(words: str, known: str) -> Iterator[str]:
    codes = list(codes_in(without_links(words)))
    there = _joined(known) if codes else ""
    yield from (code for code in codes if _joined(code) not in there)


def unknown_security_codes(words: str, known: str) -> Iterator[str]:
    """Those by which somebody signs in, of figures alone as well."""
    codes = security.codes_in(words)
    there = _joined(known) if codes else ""
    yield from (code for code in codes if _joined(code) not in there)


def codes_in(text: str) -> Iterator[str]:
    return (found for found in MIXED.findall(text) if _is_code(found))


def _is_code(word: str) -> bool:
    bare = word.replace("-", "")
    if len(bare) < SHORTEST or bare.isalpha() or bare.isdecimal() or UNIT.fullmatch(bare):
        return False
    changes = sum(one.isdecimal() != other.isdecimal() for one, other in pairwise(bare))
    return bare.isupper() or changes >= CHANGES


def _joined(text: str) -> str:
    return re.sub(r"[\s-]", "", text).casefold()
