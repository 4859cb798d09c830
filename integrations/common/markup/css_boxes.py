"""Whether a box has no room, stands where nobody looks, or is clipped or masked away."""

import re

from integrations.common.markup.css_lengths import length
from integrations.common.markup.css_transforms import TRANSFORMS, is_transformed_away
from integrations.common.markup.css_values import FARTHEST, PAGE, Values, functions, is_far, words

_PULLED, _MOVED = -200.0, -60.0
"""Pixels that a box is pulled by its margins, or moved by where it is placed, from which on it has left the page."""
_THINNEST, _LOWEST = 2.0, 0.4
"""Pixels of a box, and its part of the letters' size, up to which nobody can read what it cuts off."""
_SIDES = ("left", "top", "right", "bottom")
_ROOMS = ("height", "max-height", "width", "max-width", "block-size", "inline-size", "max-block-size", "max-inline-size")
_OVERFLOWS = ("overflow", "overflow-x", "overflow-y")
_GAPS = ("padding-left", "padding-right", "padding-top", "border-left-width", "border-top-width")
_LENGTHS = frozenset(
    (*_ROOMS, *_SIDES, *(f"margin-{side}" for side in _SIDES), *_GAPS, "text-indent", "letter-spacing", "word-spacing")
)
_KEYWORDS = frozenset(
    "auto none normal initial inherit unset revert min-content max-content fit-content stretch -webkit-fill-available".split()
)
_POSITIONS = frozenset("static relative absolute fixed sticky -webkit-sticky".split())
_CUTTING = frozenset("hidden clip scroll auto overlay -webkit-paged-x -webkit-paged-y".split())
_FUNCTIONS = frozenset(("clip", "clip-path", "transform", "filter", "mask", "mask-image", "content"))
_HIDING = {
    "content-visibility": ("hidden",),
    "mso-hide": ("all",),
    "-webkit-text-security": ("disc", "circle", "square"),
    "text-security": ("disc", "circle", "square"),
}
_GRIDS = ("grid-template-rows", "grid-template-columns", "grid-template", "grid-auto-rows", "grid-auto-columns", "grid")
_SINGLE = (
    "padding border-left border-width text-align position inset margin z-index unicode-bidi direction contain table-layout "
    "font-size-adjust backface-visibility".split()
)
_OTHERS = frozenset((*_SINGLE, *_OVERFLOWS, *_FUNCTIONS, *_HIDING, *_GRIDS, *TRANSFORMS))
_PAINTED = re.compile(r"(?:url|image|image-set|[\w-]*gradient)\(")
_NO_ROOM = re.compile(r"0(?:\.0*)?(?:fr|px|em|rem|%)?")
PROPERTIES = _LENGTHS | _OTHERS
_PREFIX = re.compile(r"-(?:webkit|moz|ms|o)-")
_LOGICAL = {"inline-start": "left", "inline-end": "right", "block-start": "top", "block-end": "bottom"}
_PHYSICAL = {f"inset-{side}": physical for side, physical in _LOGICAL.items()}
_PHYSICAL |= {f"margin-{side}": f"margin-{physical}" for side, physical in _LOGICAL.items()}
_PHYSICAL |= {f"{name}-{axis}": name for name in ("inset", "margin") for axis in ("inline", "block")}
_FLATTEST = 0.2
"""The height of small letters, as a part of the size, under which nobody reads them."""


def plain_name(name: str) -> str:
    name = name if name in _HIDING else _PREFIX.sub("", name, count=1)
    return _PHYSICAL.get(name, name)


def is_valid(name: str, value: str) -> bool:
    """Whether a browser would take it. A number without a unit is one in some documents only: it counts where it hides."""
    if name in _LENGTHS:
        return value in _KEYWORDS or value.startswith("fit-content(") or _is_length(value)
    if name in ("inset", "margin", "padding"):
        given = words(value)
        return 0 < len(given) <= 4 and all(one in _KEYWORDS or _is_length(one) for one in given)
    if name == "position":
        return value in _POSITIONS
    if name in _OVERFLOWS:
        return all(one in _CUTTING or one in ("visible", "initial", "inherit", "unset") for one in value.split())
    if name == "z-index":
        return value == "auto" or value.removeprefix("-").isdigit()
    if name in _FUNCTIONS:
        return bool(functions(value)) or value in _KEYWORDS
    return bool(value)


def _is_length(value: str) -> bool:
    if length(value, 16.0, 100.0) is not None:
        return True
    bare = length(value, bare=True)
    return bare is not None and not _THINNEST < bare < FARTHEST


def is_gone(values: Values, size: float) -> bool:
    """`size`: of its letters, in pixels."""
    if not values:
        return False
    if any(values.get(name) in hiding for name, hiding in _HIDING.items()):
        return True
    flat = length(values.get("font-size-adjust", "").rpartition(" ")[2], bare=True)
    if flat is not None and flat < _FLATTEST:
        return True
    if values.get("backface-visibility") == "hidden" and any("rotate" in values.get(name, "") for name in ("transform", "rotate")):
        return True
    return _has_no_room(values, size) or _is_off(values, size) or _is_clipped(values, size) or is_transformed_away(values, size)


def own_length(values: Values, name: str, size: float, whole: float | None = None) -> float | None:
    """None where it is not given, or no length."""
    value = values.get(name)
    if value in ("normal", "initial"):
        return 0.0
    return length(value, size, whole, bare=True) if value else None


def _has_no_room(values: Values, size: float) -> bool:
    if "=width" in values and "=height" in values and "width" not in values and "height" not in values:
        return True
    cuts = any(one in _CUTTING for name in _OVERFLOWS for one in values.get(name, "").split())
    cuts = cuts or any(word in ("paint", "content", "strict") for word in values.get("contain", "").split())
    for name in _ROOMS:
        room = own_length(values, name, size, PAGE) if values.get(name) not in _KEYWORDS else None
        if room is not None and (cuts or name == "max-height") and room <= (max(_THINNEST, _LOWEST * size) if cuts else 0.0):
            return True
        if room is not None and room <= _THINNEST and name == "width" and values.get("table-layout") == "fixed":
            return True
    return any(_NO_ROOM.fullmatch(word) for name in _GRIDS for word in words(values.get(name, ""))) or _is_empty(values)


def _is_empty(values: Values) -> bool:
    """Whether what is in it counts for nothing, or is not painted."""
    contained = values.get("contain", "").split()
    if ("strict" in contained or "size" in contained) and "height" not in values:
        return True
    return bool(_PAINTED.match(values.get("content", "")))


def _is_off(values: Values, size: float) -> bool:
    placed = values.get("position", "static") != "static"
    singles = [values.get(name, "") for name in (*(f"margin-{side}" for side in _SIDES), *(_SIDES if placed else ()))]
    several = [word for name in ("margin", *(("inset",) if placed else ())) for word in words(values.get(name, ""))]
    several += [word for name in ("padding", "border-left", "border-width") for word in words(values.get(name, ""))]
    if any(is_far(value, size) for value in (*singles, *several, *(values.get(name, "") for name in _GAPS))):
        return True
    if placed and (values.get("z-index", "").startswith("-") or _is_beside(values, size)):
        return True
    for name, most in (("margin-left", _PULLED), ("margin-top", _PULLED), *((side, _MOVED) for side in _SIDES if placed)):
        if (own_length(values, name, size, PAGE) or 0.0) <= most:
            return True
    across = [own_length(values, name, size, PAGE) or 0.0 for name in ("margin-left", *(("left",) if placed else ()))]
    width = own_length(values, "width", size, PAGE)
    if width is not None and width >= FARTHEST and values.get("text-align") in ("right", "end", "center"):
        return True
    return width is not None and sum(across) < 0 and sum(across) + width <= _THINNEST


def _is_beside(values: Values, size: float) -> bool:
    """Whether it begins where the page, or what it is placed in, ends."""
    fixed = values["position"] == "fixed"
    shares = [values.get(name, "") for name in ("left", "right", *(("top", "bottom") if fixed else ()))]
    if any((length(value.removesuffix("%"), bare=True) or 0.0) >= 99 for value in shares if value.endswith(("%", "vw", "vh"))):
        return True
    return fixed and any((own_length(values, name, size, PAGE) or 0.0) <= -2 * size for name in ("top", "bottom"))


def _is_clipped(values: Values, size: float) -> bool:
    for name, inner in functions(values.get("clip", "")):
        edges = [_edge(word, size) for word in words(inner)]
        if name == "rect" and len(edges) == 4:
            top, right, bottom, left = edges
            if (bottom or FARTHEST) - (top or 0.0) <= _THINNEST or (right or FARTHEST) - (left or 0.0) <= _THINNEST:
                return True
    masks = (values.get("mask", ""), values.get("mask-image", ""))
    if any("transparent" in mask or "url(" in mask for mask in masks):
        return True  # a picture may not be there, and then nothing shows
    return any(_cuts_all(name, inner, size) for name, inner in functions(values.get("clip-path", "")))


def _edge(word: str, size: float) -> float | None:
    """None where it is that of the box."""
    return None if word == "auto" else length(word, size, bare=True) or 0.001


def _cuts_all(name: str, inner: str, size: float) -> bool:
    shape = inner.partition("round")[0].partition(" at ")[0]
    known = [one for word in words(shape) if (one := length(word, size, 100.0, bare=True)) is not None]
    if name == "inset":
        four = {1: (0, 0, 0, 0), 2: (0, 1, 0, 1), 3: (0, 1, 2, 1), 4: (0, 1, 2, 3)}.get(len(known))
        top, right, bottom, left = (known[at] for at in four) if four else (0.0, 0.0, 0.0, 0.0)
        return top + bottom >= 99 or left + right >= 99
    if name in ("circle", "ellipse"):
        return bool(known) and min(known) <= 1.0
    if name == "polygon":
        across, down = known[::2], known[1::2]
        return not across or not down or max(across) - min(across) <= 1.0 or max(down) - min(down) <= 1.0
    return name in ("path", "rect", "xywh", "shape", "url")
