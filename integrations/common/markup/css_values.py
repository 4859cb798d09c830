"""Values of style sheets, taken apart, and how far is too far."""

import re
from collections.abc import Mapping

from integrations.common.markup.css_lengths import length

Values = Mapping[str, str]
"""The valid values of one element, by property without its maker's prefix; `=width` and `=height` stand for attributes of zero."""

FAR, FARTHEST = -300.0, 2500.0
"""Pixels to the left or above, and to the right or below, where nobody looks."""
PAGE = 600.0
_FUNCTION = re.compile(r"([\w-]+)\(([^()]*(?:\([^()]*\)[^()]*)*)\)")
_WORD = re.compile(r"[\w-]+\([^()]*(?:\([^()]*\)[^()]*)*\)|[^\s,]+")


def words(value: str) -> list[str]:
    """At its blanks and commas that stand in no brackets."""
    return _WORD.findall(value)


def functions(value: str) -> list[tuple[str, str]]:
    """(name, what stands in the brackets)."""
    return _FUNCTION.findall(value)


def is_far(value: str, size: float) -> bool:
    """`size`: of the letters, in pixels."""
    far = length(value, size, PAGE, bare=True) if value else None
    return far is not None and (far <= FAR or far >= FARTHEST)
