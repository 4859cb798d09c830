"""Which elements the rules of a style sheet are about (Selectors 4)."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import NamedTuple

from integrations.common.markup.css_text import TooMuch, unescaped

NO, PERHAPS, YES = 0, 1, 2
"""Whether an element is meant; PERHAPS where that hangs on what comes later in the text, or on how strictly it is read."""

_IDENT = r"(?:[-\w\u0080-\U0010ffff]|\\[0-9a-fA-F]{1,6}[ \t\n]?|\\.)+"
_PIECE = re.compile(
    rf"""(?P<type>{_IDENT}|\*)
       | \#(?P<id>{_IDENT})
       | \.(?P<class>{_IDENT})
       | \[\s*(?P<attribute>[^\s=~|^$*\]]+)\s*(?:(?P<how>[~|^$*]?=)\s*(?P<value>"[^"]*"|'[^']*'|[^\s\]]*)\s*(?P<case>[isIS])?\s*)?\]
       | (?P<colons>::?)(?P<pseudo>[-\w]+)(?P<open>\()?
       | (?P<combinator>\s*[>+~]\s*|\s+)""",
    re.VERBOSE,
)
_AN_B = re.compile(r"(?:([+-]?\d{0,9})n)?\s*([+-]?\s*\d{1,9})?")
_STATES = frozenset(
    "hover focus active visited focus-within focus-visible target target-within disabled read-only placeholder-shown autofill "
    "empty indeterminate invalid valid user-invalid default fullscreen".split()
)
_UNPAINTED = frozenset("before after first-letter selection marker placeholder backdrop".split())
_ANY_OF = frozenset({"is", "where", "matches", "any", "-webkit-any", "-moz-any"})
_LONGEST = 2000
"""Characters of one selector; nobody writes longer ones."""
_DEEPEST, _MOST_COMPOUNDS, _MOST_KEYS = 6, 20, 200
MOST_WORK, _LOOK = 800_000, 12
"""About half a microsecond each; what it takes to look at one element."""


@dataclass(eq=False, slots=True)
class Element:
    """`before` is the sibling ahead of it; `place` counts from 1 among its siblings."""

    name: str
    attributes: Mapping[str, str]
    parent: "Element | None" = None
    before: "Element | None" = None
    place: int = 1
    last: "Element | None" = None
    """Of its children so far."""
    classes: frozenset[str] = field(init=False)
    keys: list[str] = field(init=False)
    """Its name, classes and id, in lower case."""
    line: frozenset[str] | None = field(init=False)
    """Keys of its own and of all that it stands in; None where they are too many to keep."""

    def __post_init__(self) -> None:
        given = self.attributes.get("class")
        self.classes = frozenset(given.split()) if given else frozenset()
        self.keys = [self.name, *(f".{one.lower()}" for one in self.classes)] if given else [self.name]
        if "id" in self.attributes:
            self.keys.append(f"#{self.attributes['id'].lower()}")
        above = self.parent.line if self.parent else frozenset()
        if above is not None and not above.issuperset(self.keys):
            above = above.union(self.keys) if len(above) < _MOST_KEYS else None
        self.line = above

    def child(self, name: str, attributes: Mapping[str, str]) -> "Element":
        ahead = self.last
        self.last = Element(name, attributes, self, ahead, ahead.place + 1 if ahead else 1)
        return self.last


class Compound(NamedTuple):
    """What must hold of one element; `ahead` is how it stands to the compound written before it."""

    ahead: str = ""
    type: str = ""
    ids: tuple[str, ...] = ()
    classes: tuple[str, ...] = ()
    attributes: tuple[tuple[str, str, str], ...] = ()
    pseudo: tuple[tuple[str, str], ...] = ()
    unsure: bool = False


Selector = tuple[Compound, ...]
"""The last compound first."""


def _closing(text: str, start: int) -> int:
    depth = 1
    for at in range(start, len(text)):
        depth += (text[at] == "(") - (text[at] == ")")
        if not depth:
            return at
    return len(text)


def _listed(text: str) -> Iterator[str]:
    """At the commas that stand in no brackets."""
    start = depth = 0
    quote = ""
    for at, mark in enumerate(text):
        if quote or mark in "\"'":
            quote = "" if quote == mark else quote or mark
        elif mark in "([":
            depth += 1
        elif mark in ")]":
            depth -= 1
        elif mark == "," and depth <= 0:
            yield text[start:at]
            start = at + 1
    yield text[start:]


@lru_cache(maxsize=1024)
def selectors(text: str) -> tuple[Selector, ...]:
    return tuple(_selector(one.strip()) for one in _listed(text) if one.strip())


def _selector(text: str) -> Selector:
    if len(text) > _LONGEST:
        return (Compound(unsure=True),)
    found, one, position = list[Compound](), Compound(), 0
    while position < len(text):
        piece = _PIECE.match(text, position)
        if not piece:
            one, position = one._replace(unsure=True), position + 1
        elif piece["combinator"]:
            found.append(one)
            one, position = Compound(ahead=piece["combinator"].strip() or " "), piece.end()
        elif piece["pseudo"]:
            end = _closing(text, piece.end()) if piece["open"] else piece.end()
            name = piece["pseudo"].lower()
            unpainted = piece["colons"] == "::" and name != "first-line"
            one = one._replace(pseudo=(*one.pseudo, ("before" if unpainted else name, text[piece.end() : end])))
            position = end + 1 if piece["open"] else end
        else:
            one, position = _with(one, piece), piece.end()
    found.append(one)
    kept = found[-_MOST_COMPOUNDS:]
    if len(kept) < len(found):
        kept[0] = kept[0]._replace(unsure=True)
    return tuple(reversed(kept))


def _with(one: Compound, piece: re.Match[str]) -> Compound:
    if piece["type"]:
        return one._replace(type="" if piece["type"] == "*" else unescaped(piece["type"]).lower())
    if piece["id"]:
        return one._replace(ids=(*one.ids, unescaped(piece["id"])))
    if piece["class"]:
        return one._replace(classes=(*one.classes, unescaped(piece["class"])))
    value = unescaped((piece["value"] or "").strip("\"'"))
    return one._replace(attributes=(*one.attributes, (unescaped(piece["attribute"]).lower(), piece["how"] or "", value)))


def keys_of(one: Compound) -> frozenset[str]:
    """Those that an element must have."""
    named = (one.type,) if one.type else ()
    return frozenset((*named, *(f".{each.lower()}" for each in one.classes), *(f"#{each.lower()}" for each in one.ids)))


def specificity(selector: Selector) -> tuple[int, int, int]:
    ids = sum(len(one.ids) for one in selector)
    others = sum(len(one.classes) + len(one.attributes) + len(one.pseudo) for one in selector)
    return ids, others, sum(bool(one.type) for one in selector)


class Matching:
    """Counts what it does; TooMuch when that is too much."""

    def __init__(self) -> None:
        self._left = MOST_WORK

    def count(self, work: int) -> None:
        self._left -= work
        if self._left < 0:
            raise TooMuch

    def matches(self, element: Element, selector: Selector, at: int = 0, depth: int = 0) -> int:
        told = self._compound(element, selector[at], depth)
        if not told or at + 1 == len(selector):
            return told
        best = NO
        for other in _standing(element, selector[at].ahead):
            best = max(best, self.matches(other, selector, at + 1, depth))
            if best == YES:
                break
        return min(told, best)

    def _compound(self, element: Element, wanted: Compound, depth: int) -> int:
        self.count(_LOOK)
        if wanted.type and wanted.type != element.name:
            return NO
        told = PERHAPS if wanted.unsure else YES
        if wanted.ids:
            told = min(told, *(_same(one, element.attributes.get("id", "")) for one in wanted.ids))
        if wanted.classes and told:
            told = min(told, _has_classes(element, wanted.classes))
        for name, how, value in wanted.attributes if told else ():
            told = min(told, _has_attribute(element, name, how, value))
        for name, argument in wanted.pseudo if told else ():
            told = min(told, self._pseudo(element, name, argument, depth))
        return told

    def _pseudo(self, element: Element, name: str, argument: str, depth: int) -> int:
        if name in _STATES or name in _UNPAINTED:
            return NO
        if name in ("not", *_ANY_OF):
            if depth >= _DEEPEST:
                return PERHAPS
            best = max((self.matches(element, one, 0, depth + 1) for one in selectors(argument)), default=NO)
            return YES - best if name == "not" else best
        if name == "root":
            return YES if element.name == "html" else NO
        if name in ("link", "any-link"):
            return YES if element.name == "a" and "href" in element.attributes else NO
        if name == "checked":
            return YES if "checked" in element.attributes or "selected" in element.attributes else NO
        if name in ("first-child", "nth-child"):
            return _is_nth(element.place, "1" if name == "first-child" else argument)
        if name in ("first-of-type", "nth-of-type"):
            return _is_nth(self._place_of_type(element), "1" if name == "first-of-type" else argument)
        return PERHAPS

    def _place_of_type(self, element: Element) -> int:
        place, other = 1, element.before
        while other is not None:
            self.count(1)
            place += other.name == element.name
            other = other.before
        return place


def _standing(element: Element, ahead: str) -> Iterator[Element]:
    """Those that stand to it as the combinator says."""
    other = element.before if ahead in ("+", "~") else element.parent
    while other is not None:
        yield other
        if ahead in (">", "+"):
            return
        other = other.before if ahead == "~" else other.parent


def _same(wanted: str, given: str) -> int:
    """Mails without a document type are read without regard to case."""
    return YES if wanted == given else PERHAPS if wanted.lower() == given.lower() else NO


def _has_classes(element: Element, wanted: tuple[str, ...]) -> int:
    if element.classes.issuperset(wanted):
        return YES
    lowered = {one.lower() for one in element.classes}
    return PERHAPS if lowered.issuperset(one.lower() for one in wanted) else NO


def _has_attribute(element: Element, name: str, how: str, value: str) -> int:
    given = element.attributes.get(name)
    if given is None:
        return NO
    if not how:
        return YES
    exact, loose = _is(given, how, value), _is(given.lower(), how, value.lower())
    return YES if exact else PERHAPS if loose else NO


def _is(given: str, how: str, value: str) -> bool:
    match how:
        case "=":
            return given == value
        case "~=":
            return value in given.split()
        case "|=":
            return given == value or given.startswith(f"{value}-")
    if not value:
        return False
    return given.startswith(value) if how == "^=" else given.endswith(value) if how == "$=" else value in given


def _is_nth(place: int, formula: str) -> int:
    text = formula.strip().lower()
    text = {"odd": "2n+1", "even": "2n"}.get(text, text)
    found = _AN_B.fullmatch(text)
    if not found or not text:
        return PERHAPS
    start = int((found[2] or "0").replace(" ", ""))
    if found[1] is None:
        return YES if place == start else NO
    step = int(found[1] + "1") if found[1] in ("", "+", "-") else int(found[1])
    count, rest = divmod(place - start, step) if step else (0, place - start)
    return YES if rest == 0 and count >= 0 else NO
