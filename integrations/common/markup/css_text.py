"""Style sheets as text (CSS Syntax 3): taken apart as far as is needed to know what hides something."""

import re
from collections.abc import Iterator
from typing import NamedTuple

_TOKEN = re.compile(
    r"""/\*.*?(?:\*/|\Z)
      | "(?:[^"\\\n\r\f]|\\.)*+(?:"|(?=[\n\r\f])|\Z)
      | '(?:[^'\\\n\r\f]|\\.)*+(?:'|(?=[\n\r\f])|\Z)
      | url\(\s*+(?!["'\s])[^)\\]*+(?:\\.[^)\\]*+)*+(?:\)|\Z)
      | \\.
      | [;{}()\[\]]""",
    re.VERBOSE | re.DOTALL | re.IGNORECASE,
)
_NAMED = re.compile(r"[\w\\%-]")
_ESCAPE = re.compile(r"\\(?:([0-9a-fA-F]{1,6})(?:\r\n|[ \t\r\n\f])?|(.)|$)", re.DOTALL)
_IMPORTANT = re.compile(r"!\s*important\s*$", re.IGNORECASE)
_NESTED_IN = re.compile(r"@(?:supports|layer|container|scope|starting-style|document|-moz-document)\b", re.IGNORECASE)
_MEDIA = re.compile(r"@media\b", re.IGNORECASE)
_KEYFRAMES = re.compile(r"@(?:-\w+-)?keyframes\s+(.+)", re.IGNORECASE | re.DOTALL)
_FEATURE = re.compile(r"\(\s*([\w-]+)\s*(?::\s*([^()]*))?\)")
_RANGE = re.compile(r"\(\s*(?:([\w.-]+)\s*(<=?|>=?|=)\s*)?(width|device-width|height)\s*(?:(<=?|>=?|=)\s*([\w.-]+)\s*)?\)")
_DEEPEST, _LONGEST, _LONGEST_SHEETS = 5, 10_000, 200_000
_WIDTHS = (1000.0, 1440.0, 1920.0)
_HEIGHT = 800.0
_FEATURES = {
    "prefers-color-scheme": ("light",),
    "prefers-reduced-motion": ("no-preference",),
    "prefers-contrast": ("no-preference",),
    "orientation": ("landscape",),
    "hover": ("hover",),
    "any-hover": ("hover",),
    "pointer": ("fine",),
    "any-pointer": ("fine",),
    "forced-colors": ("none",),
    "inverted-colors": ("none",),
    "scripting": ("none",),
    "display-mode": ("browser",),
    "-webkit-min-device-pixel-ratio": ("0", "1"),
    "-webkit-device-pixel-ratio": ("1",),
    "monochrome": ("0",),
    "grid": ("0",),
}
"""What a medium answers: a large screen, not printed, in light colours. What is not named here is taken to hold."""


class TooMuch(Exception):
    """The style sheets, or the markup, ask for more work than those of any honest mail."""


class Declaration(NamedTuple):
    """Both in lower case, without comments and escapes."""

    name: str
    value: str
    important: bool


class Rule(NamedTuple):
    """`selectors` as they are written, with its declarations, of which there is at least one."""

    selectors: str
    declarations: tuple[Declaration, ...]


def unescaped(text: str) -> str:
    def character(found: re.Match[str]) -> str:
        if not found[1]:
            return found[2] or ""
        code = int(found[1], 16)
        return chr(code) if 0 < code < 0x110000 and not 0xD800 <= code < 0xE000 else "\ufffd"

    return _ESCAPE.sub(character, text) if "\\" in text else text


def without_comments(text: str) -> str:
    """A comment is nothing, but what stands on both its sides doesn't become one word."""

    def left(found: re.Match[str]) -> str:
        if not found[0].startswith("/*"):
            return found[0]
        return " " if _NAMED.match(text, found.start() - 1) and _NAMED.match(text, found.end()) else ""

    return _TOKEN.sub(left, text) if "/*" in text else text


def declarations(text: str) -> list[Declaration]:
    """Of a style attribute, or of what stands in the braces of a rule; blocks within are left out."""
    return [one for piece in _split(without_comments(text)) if (one := _declaration(piece))]


def _split(text: str) -> Iterator[str]:
    """At the semicolons that stand in no brackets."""
    if not any(mark in text for mark in "\"'({[\\"):
        yield from text.split(";")
        return
    start, open_brackets = 0, 0
    for found in _TOKEN.finditer(text):
        mark = found[0]
        if mark in ("(", "[", "{"):
            open_brackets += 1
        elif mark in (")", "]", "}"):
            open_brackets = max(0, open_brackets - 1)
            if mark == "}" and not open_brackets:
                start = found.end()
        elif mark == ";" and not open_brackets:
            yield text[start : found.start()]
            start = found.end()
    yield text[start:]


def _declaration(piece: str) -> Declaration | None:
    name, colon, value = piece.partition(":")
    if not colon:
        return None
    if "\\" in name:  # nobody who means well writes it so
        return Declaration("display", "none", important=True)
    important = _IMPORTANT.search(value)
    written = value[: important.start()] if important else value
    return Declaration(unescaped(name.strip()).lower(), " ".join(unescaped(written).lower().split()), bool(important))


class Sheet:
    """The rules of all style sheets of a text, in order; `animations` are the declarations in which keyframes end, by name."""

    def __init__(self) -> None:
        self.rules: list[Rule] = []
        self.animations: dict[str, list[Declaration]] = {}
        self._length = 0

    def add(self, css: str, media: str = "") -> None:
        self._length += len(css)
        if self._length > _LONGEST_SHEETS:
            raise TooMuch
        if media_holds(media):
            self._read(without_comments(css).replace("<!--", " ").replace("-->", " "), "", 0)

    def _read(self, css: str, inside: str, depth: int) -> None:
        """`inside`: the selectors of the rule that the blocks stand in."""
        if depth > _DEEPEST:
            raise TooMuch
        for prelude, body in _blocks(css):
            if _MEDIA.match(prelude):
                if media_holds(prelude[6:]):
                    self._block(inside, body, depth) if inside else self._read(body, inside, depth + 1)
            elif _NESTED_IN.match(prelude):
                self._block(inside, body, depth) if inside else self._read(body, inside, depth + 1)
            elif found := _KEYFRAMES.match(prelude):
                ends = [each for at, each in _blocks(body) if re.search(r"\bto\b|100%", at.lower())]
                self.animations[unescaped(found[1]).strip("\"' ").lower()] = [one for each in ends for one in declarations(each)]
            elif prelude and not prelude.startswith("@"):
                self._block(_nested(prelude, inside), body, depth)

    def _block(self, selectors: str, body: str, depth: int) -> None:
        found = tuple(declarations(body))
        if found:
            self.rules.append(Rule(selectors, found))
        if "{" in body:
            self._read(body, selectors, depth + 1)


def _nested(prelude: str, inside: str) -> str:
    if not inside:
        return prelude
    each = [one.replace("&", f":is({inside})") if "&" in one else f":is({inside}) {one}" for one in prelude.split(",")]
    whole = ",".join(each)
    return whole if len(whole) <= _LONGEST else ":unread"


def _blocks(css: str) -> Iterator[tuple[str, str]]:
    """(what stands before the braces, what in them) of each block; one that is not closed ends with the text."""
    start, begun, open_braces, open_others = 0, -1, 0, 0
    for found in _TOKEN.finditer(css):
        mark = found[0]
        if mark == "{":
            begun = found.end() if not open_braces else begun
            open_braces += 1
        elif mark == "}" and open_braces:
            open_braces -= 1
            if not open_braces:
                yield css[start : css.index("{", start) if begun < 0 else begun - 1].strip(), css[begun : found.start()]
                start, open_others = found.end(), 0
        elif open_braces:
            continue
        elif mark in ("(", "["):
            open_others += 1
        elif mark in (")", "]"):
            open_others = max(0, open_others - 1)
        elif mark == ";" and not open_others:
            start = found.end()
    if open_braces:
        yield css[start : begun - 1].strip(), css[begun:]


# Media ---------------------------------------------------------------------------------------------------------------


def media_holds(query: str) -> bool:
    """Whether one of the queries holds on a screen as people have them. An empty one does."""
    each = [one.strip() for one in without_comments(unescaped(query)).lower().split(",")]
    return not query.strip() or any(_one_holds(one) for one in each if one)


def _one_holds(query: str) -> bool:
    negated = query.startswith("not ")
    words = re.sub(r"\([^()]*\)", " ", query).replace("(", " ").replace(")", " ").split()
    kind = next((word for word in words if word not in ("not", "only", "and", "or")), "all")
    holds = kind in ("all", "screen") and any(_features_hold(query, width) for width in _WIDTHS)
    return not holds if negated else holds


def _features_hold(query: str, width: float) -> bool:
    told = [_range_holds(found, width) for found in _RANGE.finditer(query)]
    told += [_feature_holds(found[1], (found[2] or "").strip(), width) for found in _FEATURE.finditer(query)]
    return any(told) if " or " in query and told else all(told)


def _feature_holds(name: str, value: str, width: float) -> bool:
    least, most = name.startswith("min-"), name.startswith("max-")
    what = name[4:] if least or most else name
    if what in ("width", "device-width", "height", "device-height"):
        size = width if what.endswith("width") else _HEIGHT
        number = _number(value)
        if not value or number is None:
            return True
        return size >= number if least else size <= number if most else size == number
    return what not in _FEATURES or not value or value in _FEATURES[what]


def _range_holds(found: re.Match[str], width: float) -> bool:
    size = _HEIGHT if found[3] == "height" else width
    left, right = _number(found[1] or ""), _number(found[5] or "")
    return (left is None or _compares(left, found[2], size)) and (right is None or _compares(size, found[4], right))


def _compares(one: float, how: str, other: float) -> bool:
    return {"<": one < other, "<=": one <= other, ">": one > other, ">=": one >= other, "=": one == other}[how]


def _number(text: str) -> float | None:
    found = re.fullmatch(r"(\d+(?:\.\d+)?|\.\d+)(px|em|rem|pt)?", text.strip())
    return float(found[1]) * {"em": 16.0, "rem": 16.0, "pt": 4 / 3}.get(found[2] or "", 1.0) if found else None
