"""What transforms, filters and blending do to a text: whether it can still be seen, and how small it becomes (CSS Transforms 2)."""

import re
from collections.abc import Callable, Iterable, Mapping
from math import prod

from integrations.common.markup.css_lengths import length
from integrations.common.markup.css_values import FAR, FARTHEST, Values, functions, is_far, words

TRANSFORMS = frozenset("transform filter scale translate rotate zoom mix-blend-mode".split())
_SMALLEST_PART = 0.1
_PERCENT = re.compile(r"([+-]?(?:\d+\.?\d*|\.\d+))%")
_ANGLE = re.compile(r"([+-]?(?:\d+\.?\d*|\.\d+))(deg|turn|rad|grad)")
_LIGHTENING = frozenset("lighten screen color-dodge plus-lighter difference exclusion".split())
"""What makes dark letters on a light page vanish."""


def is_transformed_away(values: Values, size: float) -> bool:
    """`size`: of its letters, in pixels."""
    for name, inner in functions(f"{values.get('transform', '')} {values.get('filter', '')}"):
        if name in _AWAY and _AWAY[name](words(inner), size):
            return True
    if any(_shrinks(words(values.get(name, "")), size) for name in ("scale", "zoom")):
        return True
    turned = words(values.get("rotate", ""))
    if turned and not {"x", "y"}.isdisjoint(turned) and any(_is_edge(one) for one in turned):
        return True
    return values.get("mix-blend-mode") in _LIGHTENING or _moves(words(values.get("translate", "")), size)


def shrunk(values: Values) -> float:
    """How much smaller than 1 the letters become."""
    parts = [_numbers(words(values[name])[:2]) for name in ("scale", "zoom") if name in values]
    parts += [_numbers(words(inner)[:2]) for name, inner in functions(values.get("transform", "")) if name.startswith("scale")]
    return prod(min(1.0, *map(abs, numbers)) for numbers in parts if numbers)


def _shrinks(given: list[str], _: float) -> bool:
    return any(abs(number) < _SMALLEST_PART for number in _numbers(given[:2]))


def _numbers(given: Iterable[str]) -> list[float]:
    each = ((length(one.removesuffix("%"), bare=True), one.endswith("%")) for one in given)
    return [number / 100 if percent else number for number, percent in each if number is not None]


def _moves(given: list[str], size: float) -> bool:
    parts = [float(found[1]) for word in given if (found := _PERCENT.fullmatch(word))]
    return any(abs(part) > 150 for part in parts) or any(is_far(word, size) for word in given if not word.endswith("%"))


def _is_edge(angle: str) -> bool:
    """Whether what is turned by so much is seen from its edge."""
    found = _ANGLE.fullmatch(angle)
    degrees = float(found[1]) * {"turn": 360.0, "rad": 57.29578, "grad": 0.9}.get(found[2], 1.0) if found else 0.0
    return 85 < abs(degrees) % 180 < 95


def _flattens(given: list[str], _: float) -> bool:
    return any(map(_is_edge, given))


def _turns(given: list[str], _: float) -> bool:
    return len(given) == 4 and any(_numbers(given[:2])) and _is_edge(given[3])


def _squashes(given: list[str], _: float) -> bool:
    numbers = _numbers(given)
    if len(numbers) == 16:
        numbers = [numbers[at] for at in (0, 1, 4, 5, 12, 13)]
    if len(numbers) != 6:
        return False
    across, down = numbers[4], numbers[5]
    return abs(numbers[0] * numbers[3] - numbers[1] * numbers[2]) < _SMALLEST_PART**2 or any(
        one <= FAR or one >= FARTHEST for one in (across, down)
    )


def _blurs(given: list[str], size: float) -> bool:
    return any((length(one, size) or 0.0) > 4 for one in given)


def _bleaches(given: list[str], _: float) -> bool:
    return any(number >= 3 for number in _numbers(given))


def _inverts(given: list[str], _: float) -> bool:
    """Black on what is not its own ground becomes white."""
    return not given or any(number > 0.7 for number in _numbers(given))


def _fades(given: list[str], _: float) -> bool:
    return given == ["opacity=0"]


_AWAY: Mapping[str, Callable[[list[str], float], bool]] = {
    **dict.fromkeys(("scale", "scalex", "scaley", "scale3d", "opacity", "contrast"), _shrinks),
    **dict.fromkeys(("translate", "translatex", "translatey", "translatez", "translate3d"), _moves),
    **dict.fromkeys(("rotatex", "rotatey", "skew", "skewx", "skewy"), _flattens),
    **dict.fromkeys(("matrix", "matrix3d"), _squashes),
    "rotate3d": _turns,
    "blur": _blurs,
    "brightness": _bleaches,
    "invert": _inverts,
    "alpha": _fades,
}
