"""Lengths as style sheets write them (CSS Values 4), in pixels."""

import re
from functools import lru_cache

_NUMBER = r"[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?"
_LENGTH = re.compile(rf"({_NUMBER})([a-z]*|%)")
_TOKEN = re.compile(r"\s*(?:((?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?)([a-z]*|%)|([-+*/(),])|(calc|min|max|clamp)(?=\())", re.IGNORECASE)
_ABSOLUTE = {"px": 1.0, "pt": 96 / 72, "pc": 16.0, "in": 96.0, "cm": 96 / 2.54, "mm": 96 / 25.4, "q": 96 / 101.6}
_VIEW = {"vw": 12.8, "vi": 12.8, "vmax": 12.8, "vh": 8.0, "vb": 8.0, "vmin": 8.0}
_BY_FONT = {"em": 1.0, "ex": 0.5, "ch": 0.5, "cap": 0.7, "ic": 1.0, "lh": 1.2}
_BY_ROOT = {"rem": 16.0, "rex": 8.0, "rch": 8.0, "rlh": 19.2}
_DEEPEST, _LONGEST = 10, 200


@lru_cache(maxsize=8192)
def length(text: str, font: float = 16.0, whole: float | None = None, *, bare: bool = False) -> float | None:
    """`font`: the font's size; `whole`: what percentages are of, None where they mean nothing; `bare`: whether a number without a
    unit is one too. None where it is no length."""
    text = text.strip()
    found = _LENGTH.fullmatch(text)
    if found:
        number = float(found[1])
        return _pixels(number, found[2], font, whole) if found[2] else number if bare or not number else None
    if not text.endswith(")") or len(text) > _LONGEST:
        return None
    try:
        return _Sum(text, font, whole).whole()
    except (ValueError, ArithmeticError, IndexError):
        return None


def _pixels(value: float, unit: str, font: float, whole: float | None) -> float | None:
    if unit == "%":
        return None if whole is None else value * whole / 100
    for prefix in ("s", "l", "d"):  # the small, large and dynamic views
        if unit[:1] == prefix and unit[1:] in _VIEW:
            unit = unit[1:]
    factor = _ABSOLUTE.get(unit) or _VIEW.get(unit) or _BY_ROOT.get(unit)
    if factor is None and unit in _BY_FONT:
        factor = _BY_FONT[unit] * font
    return None if factor is None else value * factor


class _Sum:
    """calc() and its kin."""

    def __init__(self, text: str, font: float, whole: float | None) -> None:
        self._font, self._whole = font, whole
        self._tokens: list[float | str] = []
        position = 0
        while position < len(text):
            found = _TOKEN.match(text, position)
            if not found:
                raise ValueError("no sum")
            self._tokens.append(self._token(found))
            position = found.end()
        self._at = self._depth = 0

    def _token(self, found: re.Match[str]) -> float | str:
        if found[1]:
            number = float(found[1])
            pixels = _pixels(number, found[2].lower(), self._font, self._whole) if found[2] else number
            if pixels is None:
                raise ValueError("no length")
            return pixels
        return (found[3] or found[4]).lower()

    def whole(self) -> float:
        value = self._added()
        if self._at != len(self._tokens):
            raise ValueError("more follows")
        return value

    def _next(self, *wanted: str) -> str:
        token = self._tokens[self._at] if self._at < len(self._tokens) else ""
        if isinstance(token, str) and token in wanted:
            self._at += 1
            return token
        return ""

    def _added(self) -> float:
        value = self._multiplied()
        while sign := self._next("+", "-"):
            value += self._multiplied() * (1 if sign == "+" else -1)
        return value

    def _multiplied(self) -> float:
        value = self._one()
        while sign := self._next("*", "/"):
            other = self._one()
            value = value * other if sign == "*" else value / other
        return value

    def _one(self) -> float:
        if sign := self._next("+", "-"):
            return self._one() * (1 if sign == "+" else -1)
        name = self._next("calc", "min", "max", "clamp")
        if self._next("("):
            return self._within(name)
        value = self._tokens[self._at]
        if isinstance(value, str):
            raise ValueError("no number")
        self._at += 1
        return value

    def _within(self, name: str) -> float:
        self._depth += 1
        if self._depth > _DEEPEST:
            raise ValueError("too deep")
        values = [self._added()]
        while self._next(","):
            values.append(self._added())
        if not self._next(")"):
            raise ValueError("not closed")
        self._depth -= 1
        if name == "clamp" and len(values) == 3:
            return max(values[0], min(values[1:]))
        return min(values) if name == "min" else max(values) if name == "max" else values[0]
