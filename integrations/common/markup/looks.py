"""How an element of a text in HTML looks, as far as that decides whether its text can be seen (CSS 2.2, and what came after)."""

import re
from collections.abc import Callable, Iterable, Mapping
from functools import lru_cache
from typing import NamedTuple

from integrations.common.markup.css_boxes import PROPERTIES, is_gone, is_valid, own_length, plain_name
from integrations.common.markup.css_colours import BLACK, CLEAR, LINK, WHITE, Colour, attribute_colour, colour, unseen
from integrations.common.markup.css_lengths import length
from integrations.common.markup.css_text import Declaration
from integrations.common.markup.css_transforms import shrunk
from integrations.common.markup.css_values import FARTHEST, functions, words

_SMALLEST = 5.0
"""Pixels of a letter's size, under which nobody reads it."""
_FAINTEST = 0.1
_OUTSIDE = -100.0
"""Pixels of an indent from which on a line is pushed out of its box; those that hang stay well below."""
_SIZES = {"xx-small": 9.0, "x-small": 10.0, "small": 13.0, "medium": 16.0, "large": 18.0, "x-large": 24.0, "xx-large": 32.0}
_SIZES |= {"xxx-large": 48.0, "initial": 16.0}
_RELATIVE = {"smaller": 0.83, "larger": 1.2, "inherit": 1.0, "unset": 1.0, "revert": 1.0}
_SHOWN = frozenset(
    "block inline inline-block flex inline-flex grid inline-grid table inline-table table-row table-cell table-row-group list-item "
    "table-header-group table-footer-group table-caption table-column table-column-group contents flow-root flow run-in ruby "
    "-webkit-box -webkit-inline-box -webkit-flex -ms-flexbox -moz-box -webkit-inline-flex inherit initial unset revert".split()
)
_SMALLER = {"small": 0.83, "sub": 0.83, "sup": 0.83, "big": 1.2}
_INLINE = frozenset("a abbr b big cite code em font i img q s small span strike strong sub sup tt u var".split())
_VAR = re.compile(r"var\(\s*(--[^,()\s]+)\s*(?:,([^()]*))?\)")
_NUMBER = re.compile(r"[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?")
_UNKNOWN_COLOURS = (
    "lab(",
    "lch(",
    "oklab(",
    "oklch(",
    "color(",
    "color-mix(",
    "rgb(from ",
    "rgba(from ",
    "hsl(from ",
    "hsla(from ",
    "hwb(from ",
)
_GROUND_WORDS = re.compile(
    r"none|(?:no-)?repeat(?:-[xy])?|space|round|center|top|left|right|bottom|fixed|scroll|local|cover|contain|auto|"
    r"(?:border|padding|content)-box|text|/|url\(.*|[\w-]*gradient\(.*|image(?:-set)?\(.*|initial|inherit|unset|currentcolor"
)
_MOST_VARIABLES = 60
_COMPANIONS = (Declaration("overflow", "hidden", False), Declaration("position", "absolute", False))


class Look(NamedTuple):
    """What an element's own text looks like. `gone`: neither it nor anything in it shows; `tight`: its lines have no height;
    `away`: its first line begins where nobody looks; `squeezed`: its letters stand on each other; `turned`: they run backwards."""

    gone: bool = False
    visible: bool = True
    size: float = 16.0
    scale: float = 1.0
    colour: Colour = BLACK
    ground: Colour = WHITE
    fade: float = 1.0
    tight: bool = False
    away: bool = False
    squeezed: bool = False
    turned: bool = False
    link: Colour = LINK
    variables: tuple[tuple[str, str], ...] = ()

    @property
    def hides(self) -> bool:
        if self.gone or self.tight or self.away or self.squeezed or not self.visible:
            return True
        return self.size * self.scale < _SMALLEST or self.fade < _FAINTEST or unseen(self.colour, self.ground)


def cascade(sheets: Iterable[tuple[Declaration, bool]], inline: Iterable[Declaration]) -> list[Declaration]:
    """In the order in which they win: those of the sheets, the element's own, and then the important ones of both. Of a rule that
    is not sure to apply, only what hides counts."""
    plain: list[Declaration] = []
    important: list[Declaration] = []
    for one, sure in sheets:
        if sure or _may_hide(one):
            (important if one.important else plain).append(one)
    for one in inline:
        (important if one.important else plain).append(one)
    return plain + important


@lru_cache(maxsize=1024)
def _may_hide(one: Declaration) -> bool:
    return look_of(Look(), "div", {}, [*_COMPANIONS, one]).hides or (one.name in PROPERTIES and one in _COMPANIONS)


def look_of(
    parent: Look,
    name: str,
    attributes: Mapping[str, str],
    declared: Iterable[Declaration],
    animations: Mapping[str, Iterable[Declaration]] | None = None,
) -> Look:
    """Of an element in one that looks like `parent`; `animations` are the declarations that keyframes end with, by name."""
    wanted = _Wanted(parent, name)
    wanted.take_attributes(attributes)
    for one in sorted(declared, key=_sets_no_variable):
        wanted.take(one)
    for shown in wanted.animated if animations else ():
        for one in (animations or {}).get(shown, ()):
            wanted.take(one)
    return wanted.look()


def _sets_no_variable(one: Declaration) -> bool:
    """Variables hold for all of an element, wherever they are set."""
    return not one.name.startswith("--")


class _Wanted:
    """What the declarations of one element come to: a valid one takes the place of those before it, another changes nothing."""

    def __init__(self, parent: Look, name: str) -> None:
        self.parent, self.name = parent, name
        self.animated: list[str] = []
        self._variables = dict(parent.variables)
        self._shown, self._visible = True, parent.visible
        self._size = parent.size * _SMALLER.get(name, 1.0)
        self._colour, self._fill = parent.colour, None  # type: Colour, Colour | None
        self._back, self._images = CLEAR, ()  # type: Colour, tuple[Colour, ...]
        self._fade, self._covered = 1.0, False
        self._tight = parent.tight and name not in ("sub", "sup")
        self._turned, self._link = parent.turned, parent.link
        self._values: dict[str, str] = {}

    def take_attributes(self, attributes: Mapping[str, str]) -> None:
        if not attributes:
            return
        if self.name == "a" and "href" in attributes:
            self._colour = self._link
        self._shown = "hidden" not in attributes and "popover" not in attributes
        self._back = attribute_colour(attributes.get("bgcolor", "")) or self._back
        written = {"body": "text", "font": "color"}.get(self.name, "")
        self._colour = attribute_colour(attributes.get(written, "")) or self._colour
        self._link = attribute_colour(attributes.get("link", "") if self.name == "body" else "") or self._link
        for name in ("width", "height"):
            if attributes.get(name, "").strip() in ("0", "0px", "1", "1px", "0%"):
                self._values[f"={name}"] = "0"
        if self.name == "bdo":
            self._turned = attributes.get("dir", "").strip().lower() == "rtl"

    def take(self, one: Declaration) -> None:
        value = one.value
        if one.name.startswith("--"):
            if len(self._variables) < _MOST_VARIABLES:
                self._variables[one.name] = value[:200]
            return
        if "var(" in value:
            value = self._with_variables(value)
        value = value.replace("-webkit-calc(", "calc(").replace("-moz-calc(", "calc(")
        name = plain_name(one.name)
        if name == "mso-hide" and self.name == "a":
            return  # a button that another stands for in one program
        if reader := _READERS.get(name):
            reader(self, value)
        elif name in PROPERTIES and is_valid(name, value):
            self._values[name] = value

    def _with_variables(self, value: str) -> str:
        for _ in range(5):
            value = _VAR.sub(lambda found: self._variables.get(found[1], (found[2] or "").strip()), value)[:500]
        return value.strip()

    # Each leaves things as they are where the value is none ------------------------------------------------------------

    def display(self, value: str) -> None:
        given = value.split()
        if given and (value == "none" or all(word in _SHOWN for word in given)):
            self._shown = value != "none"

    def visibility(self, value: str) -> None:
        if value in ("visible", "hidden", "collapse", "initial"):
            self._visible = value in ("visible", "initial")
        elif value in ("inherit", "unset", "revert"):
            self._visible = self.parent.visible

    def opacity(self, value: str) -> None:
        written = value.removesuffix("%")
        number = length(written, bare=True) if _NUMBER.fullmatch(written) or value.endswith(")") else None
        if number is not None:
            self._fade = max(0.0, number / 100 if value.endswith("%") else number)

    def font_size(self, value: str) -> None:
        if value in _SIZES or value in _RELATIVE:
            self._size = _SIZES.get(value) or self.parent.size * _RELATIVE[value]
            return
        size = length(value, self.parent.size, self.parent.size)
        if size is None and (size := length(value, bare=True)) is not None:
            size = size if size < _SMALLEST else None  # without a unit it counts in some documents only
        if size is not None and size >= 0:
            self._size = size

    def font(self, value: str) -> None:
        if value in _RELATIVE or value == "initial":
            self.font_size(value)
        given = value.replace("/", " / ").split()
        for at, word in enumerate(given[:-1]):
            if word in _SIZES or word in _RELATIVE or length(word, self.parent.size, self.parent.size) is not None:
                self.font_size(word)
                self.line_height(given[at + 2] if given[at + 1] == "/" and at + 2 < len(given) else "normal")
                return

    def line_height(self, value: str) -> None:
        if value in ("normal", "initial"):
            self._tight = False
        elif value in ("inherit", "unset"):
            self._tight = self.parent.tight
        elif _NUMBER.fullmatch(value):
            self._tight = float(value) * self._size < 1.0 and self.name not in _INLINE
        elif (tall := length(value, self._size, self._size)) is not None:
            self._tight = tall < 1.0 and self.name not in _INLINE

    def text_colour(self, value: str) -> None:
        self._colour = self._colour_of(value) or self._colour

    def text_fill(self, value: str) -> None:
        self._fill = self._colour_of(value) or self._fill

    def _colour_of(self, value: str) -> Colour | None:
        if value in ("inherit", "unset", "currentcolor"):
            return self.parent.colour
        if value in ("initial", "revert"):
            return BLACK
        if value.startswith("light-dark("):
            value = value[11:].partition(",")[0].strip()
        if value.startswith(_UNKNOWN_COLOURS):
            return CLEAR  # no honest mail has them: it is not worked out how it looks
        return colour(value)

    def ground(self, value: str) -> None:
        self._covered = value == "currentcolor"
        found = CLEAR if value in ("initial", "unset", "revert") else self._colour_of(value)
        self._back = found or self._back

    def background(self, value: str) -> None:
        given = words(value.replace("/", " / "))
        colours = [found for word in given if (found := colour(word))]
        known = all(colour(word) or _GROUND_WORDS.fullmatch(word) or length(word, 16.0, 100.0) is not None for word in given)
        if given and known and len(colours) < 2:
            self._covered = "currentcolor" in given
            self._back = colours[0] if colours else CLEAR
            self.background_image(value)

    def background_image(self, value: str) -> None:
        """A picture may not be there: only what is painted without one counts."""
        found = [colour(word) for name, inner in functions(value) if name.endswith("gradient") for word in words(inner)]
        self._images = tuple(one for one in found if one and one.alpha > 0.5)

    def animation(self, value: str) -> None:
        self.animated = [word.strip("\"'") for word in words(value)]

    # What they come to -------------------------------------------------------------------------------------------------

    def look(self) -> Look:
        parent, values, size = self.parent, self._values, self._size
        ground = self._back.over(parent.ground) if self._back.alpha else parent.ground
        text = self._fill or self._colour
        if self._covered:
            ground = self._colour.over(ground)
        if self._images and len({unseen(text, one.over(ground)) for one in self._images}) == 1:
            ground = self._images[0].over(ground)
        indent, spacing = own_length(values, "text-indent", size, 1.1 * FARTHEST), own_length(values, "letter-spacing", size)
        apart = own_length(values, "word-spacing", size) or 0.0
        overridden = values.get("unicode-bidi") in ("bidi-override", "isolate-override")
        return Look(
            gone=parent.gone or not self._shown or is_gone(values, size),
            visible=self._visible,
            size=size,
            scale=parent.scale * shrunk(values),
            colour=text,
            ground=ground,
            fade=parent.fade * self._fade,
            tight=self._tight,
            away=parent.away if indent is None else indent <= _OUTSIDE or indent >= FARTHEST,
            squeezed=(parent.squeezed if spacing is None else spacing <= -0.4 * max(size, 1.0)) or apart <= -4 * max(size, 1.0),
            link=self._link,
            turned=values.get("direction") == "rtl" if overridden else self._turned,
            variables=tuple(self._variables.items()) if self._variables else (),
        )


_READERS: Mapping[str, Callable[[_Wanted, str], None]] = {
    "display": _Wanted.display,
    "visibility": _Wanted.visibility,
    "opacity": _Wanted.opacity,
    "font-size": _Wanted.font_size,
    "font": _Wanted.font,
    "line-height": _Wanted.line_height,
    "color": _Wanted.text_colour,
    "text-fill-color": _Wanted.text_fill,
    "background-color": _Wanted.ground,
    "background": _Wanted.background,
    "background-image": _Wanted.background_image,
    "animation": _Wanted.animation,
    "animation-name": _Wanted.animation,
}


def tells(name: str) -> bool:
    """Whether a property of that name may decide what can be seen."""
    return name.startswith("--") or plain_name(name) in _READERS or plain_name(name) in PROPERTIES
