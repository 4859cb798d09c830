"""Which elements are open at each place of a text in HTML: as a browser decides it for what people and programs write (HTML 13.2).

Not all of that algorithm: where markup is broken in ways that only an attacker thinks of, an element stays open rather than closed.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from typing import NamedTuple

from integrations.common.markup.css_selectors import Element
from integrations.common.markup.css_text import TooMuch
from integrations.common.markup.looks import Look

_VOID = frozenset("area base basefont bgsound br col embed frame hr img input keygen link meta param source track wbr".split())
_CLOSES_P = frozenset(
    "address article aside blockquote center details dialog dir div dl dd dt fieldset figcaption figure footer form h1 h2 h3 h4 h5 "
    "h6 header hgroup hr li main menu nav ol p pre listing section summary table ul".split()
)
_SPECIAL = _CLOSES_P | frozenset(
    "applet body button caption colgroup frameset head html iframe marquee noembed noframes noscript object script select style "
    "tbody td template textarea tfoot th thead title tr xmp".split()
)
_FORMATTING = frozenset("a b big code em font i nobr s small strike strong tt u".split())
_SCOPES = frozenset("applet caption html table td th marquee object template".split())
_TABLE_SCOPES = frozenset({"table", "html", "template"})
_TABLE = frozenset("caption col colgroup table tbody td tfoot th thead tr".split())
_ROWS = frozenset({"table", "tbody", "tfoot", "thead", "tr"})
"""What stands in these but in no cell is put before the table."""
_CLOSED_BY: Mapping[str, tuple[frozenset[str], frozenset[str]]] = {
    "li": (frozenset({"li"}), _SPECIAL - {"address", "div", "p", "li"}),
    **dict.fromkeys(("dd", "dt"), (frozenset({"dd", "dt"}), _SPECIAL - {"address", "div", "p", "dd", "dt"})),
    "td": (frozenset({"td", "th", "caption"}), frozenset({"tr", *_TABLE_SCOPES})),
    "th": (frozenset({"td", "th", "caption"}), frozenset({"tr", *_TABLE_SCOPES})),
    "tr": (frozenset({"tr", "caption"}), _TABLE_SCOPES),
    "option": (frozenset({"option"}), frozenset({"select", "optgroup", *_SCOPES})),
    "optgroup": (frozenset({"option", "optgroup"}), frozenset({"select", *_SCOPES})),
    "a": (frozenset({"a"}), _SCOPES | _SPECIAL),
    **dict.fromkeys(("tbody", "tfoot", "thead"), (frozenset({"tbody", "tfoot", "thead", "caption"}), _TABLE_SCOPES)),
}
_MOST_LOST, _MOST_STEPS = 40, 1_000_000


class Open(NamedTuple):
    """An element that is open. `before_table` is how text looks that stands in a table, but in none of its cells; `lost`: how many
    formatting elements were to be opened again when a cell began."""

    element: Element
    look: Look
    before_table: Look
    lost: int = 0


Styling = Callable[[Look, Element], Look]


class Tree:
    """`styled` tells how an element looks in one of another look."""

    def __init__(self, styled: Styling, html: Mapping[str, str], body: Mapping[str, str]) -> None:
        self._styled = styled
        self._steps = 0
        self._names: Counter[str] = Counter()
        self._lost: list[tuple[str, Mapping[str, str]]] = []
        root = Element("html", html)
        look = styled(Look(), root)
        self._stack = [Open(root, look, look)]
        root.child("head", {})
        self._push("body", body)

    @property
    def look(self) -> Look:
        """Of text that stands here."""
        self._reopen()
        top = self._stack[-1]
        return top.before_table if top.element.name in _ROWS else top.look

    @property
    def gone(self) -> bool:
        """Whether nothing that stands here shows."""
        return self._stack[-1].look.gone

    def inside(self, names: frozenset[str]) -> bool:
        return not names.isdisjoint(self._names)

    def open(self, name: str, attributes: Mapping[str, str], *, empty: bool = False) -> Look:
        """Its look. What is only found in tables stands for nothing elsewhere."""
        if name in _TABLE - {"table"} and not self._names["table"]:
            return self._stack[-1].look
        if name in _CLOSES_P and self._names["p"]:
            self._close(frozenset({"p"}), _SCOPES | {"button"})
        if name in _CLOSED_BY:
            self._close(*_CLOSED_BY[name])
        if name not in _SPECIAL:
            self._reopen()
        self._complete_row(name)
        look = self._push(name, attributes)
        if name in _VOID or empty:
            self._pop()
        return look

    def close(self, name: str) -> None:
        if not self._names[name]:
            self._forget(name)
            return
        if name in _FORMATTING:
            self._close_formatting(name)
        elif name in _SPECIAL:
            self._close(frozenset({name}), _TABLE_SCOPES if name in _TABLE else _SCOPES)
        else:
            self._close(frozenset({name}), _SPECIAL)

    # The elements that are open ------------------------------------------------------------------------------------------

    def _push(self, name: str, attributes: Mapping[str, str]) -> Look:
        top = self._stack[-1]
        fostered = top.element.name in _ROWS and name not in _TABLE
        parent = top.before_table if fostered else top.look
        element = top.element.child(name, attributes)
        look = self._styled(parent, element)
        before = parent if name == "table" else top.before_table if name in _ROWS else look
        self._stack.append(Open(element, look, before, len(self._lost)))
        self._names[name] += 1
        return look

    def _complete_row(self, name: str) -> None:
        """What people leave out of a table."""
        above = self._stack[-1].element.name
        if name in ("td", "th", "tr") and above == "table":
            self._push("tbody", {})
        if name in ("td", "th") and self._stack[-1].element.name in ("tbody", "thead", "tfoot"):
            self._push("tr", {})

    def _pop(self) -> Open:
        top = self._stack.pop()
        self._names[top.element.name] -= 1
        if not self._names[top.element.name]:
            del self._names[top.element.name]
        if top.element.name in ("td", "th", "caption"):
            del self._lost[top.lost :]
        return top

    def _close(self, names: frozenset[str], limits: frozenset[str]) -> None:
        """Up to the innermost of these, unless a limit stands between. Formatting elements in it are opened again after it."""
        if not any(self._names[name] for name in names):
            return
        for at in range(len(self._stack) - 1, 1, -1):
            name = self._stack[at].element.name
            self._count()
            if name in names:
                closed = [self._stack[index].element for index in range(at, len(self._stack))]
                while len(self._stack) > at:
                    self._pop()
                self._lost += _to_reopen(closed, names)
                return
            if name in limits:
                return

    def _count(self) -> None:
        self._steps += 1
        if self._steps > _MOST_STEPS:
            raise TooMuch

    def _close_formatting(self, name: str) -> None:
        """It ends here, though what was opened in it goes on."""
        passed: list[tuple[str, Mapping[str, str]]] = []
        for at in range(len(self._stack) - 1, 1, -1):
            other = self._stack[at].element
            if other.name == name:
                for _ in range(len(self._stack) - at):
                    self._pop()
                for inner, attributes in reversed(passed):
                    self._push(inner, attributes)
                return
            if other.name in _SCOPES:
                return
            passed.append((other.name, other.attributes))
            if len(passed) > _MOST_LOST:
                raise TooMuch

    def _forget(self, name: str) -> None:
        for at in range(len(self._lost) - 1, -1, -1):
            if self._lost[at][0] == name:
                del self._lost[at]
                return

    def _reopen(self) -> None:
        start = (
            next((one.lost for one in reversed(self._stack) if one.element.name in ("td", "th", "caption")), 0) if self._lost else 0
        )
        again = self._lost[start:]
        self._steps += len(again)
        if len(again) > _MOST_LOST:
            raise TooMuch
        del self._lost[start:]
        for name, attributes in again:
            self._push(name, attributes)


def _to_reopen(closed: list[Element], names: frozenset[str]) -> Iterator[tuple[str, Mapping[str, str]]]:
    """Formatting goes on after the element that it was begun in, but not after a cell."""
    for one in closed:
        if one.name in ("td", "th", "caption"):
            return
        if one.name in _FORMATTING and one.name not in names:
            yield one.name, one.attributes
