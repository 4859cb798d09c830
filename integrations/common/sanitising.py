"""What a person would see of a text in HTML: no markup, no scripts, nothing hidden."""

import re
from collections.abc import Iterator, Mapping
from html import unescape
from typing import NamedTuple

from integrations.common.invisible import visible
from integrations.common.markup.css_rules import Rules, declared
from integrations.common.markup.css_selectors import Element
from integrations.common.markup.css_text import Declaration, Sheet, TooMuch, declarations
from integrations.common.markup.looks import Look, cascade, look_of
from integrations.common.markup.pieces import Comment, Piece, Tag, pieces
from integrations.common.markup.styles import styles
from integrations.common.markup.tree import Tree

_UNSEEN = frozenset(
    "applet audio canvas datalist iframe math meter noembed noframes noscript object optgroup option progress rp script select "
    "style svg template textarea title video".split()
)
_TOLD = frozenset("datalist noscript object option optgroup select template textarea".split())
"""Hidden text in these is told of; in the others it is none, or something else stands in its place."""
_BLOCK = frozenset(
    "address article aside blockquote body br caption center dd details dialog div dl dt fieldset figcaption figure footer form h1 "
    "h2 h3 h4 h5 h6 header hr legend li main nav ol p pre section summary table tr ul".split()
)
_LONGEST = 400_000
_LONGEST_STYLE = 5000
_MOST_TAGS, _MOST_LOOKS, _MOST_COMPARED = 15_000, 4000, 200
_OF_HEAD = frozenset("base basefont bgsound link meta script style title".split())
_FOREIGN = frozenset({"svg", "math"})
_FRAME = frozenset({"html", "head", "body"})
_SPACE = re.compile(r"\s+")
_LETTER = re.compile(r"\w")
_LOOSE = re.compile(r"\W+")
_CONDITION = re.compile(r"\s*\[(?:if|endif)\b", re.IGNORECASE)
_LEAST_PROSE = 8
"""Words of a comment that tells somebody something; those of programs are shorter."""


class Shown(NamedTuple):
    """`hidden` counts the characters of text that a person would not see, `turned` those that run backwards; `cut`: how many there
    are beyond what was read."""

    text: str
    hidden: int = 0
    turned: int = 0
    cut: int = 0


class _Page:
    """One text as it is being read."""

    def __init__(self, html: str) -> None:
        self.html = html[:_LONGEST]
        self.seen: list[str] = []
        self.hidden: list[str] = []
        self.turned = 0
        self.cut = len(html) - len(self.html)
        self._pieces = list(pieces(self.html))
        self._sheet = Sheet()
        for css, media in styles(self._pieces):
            self._sheet.add(css, media)
        self._rules = Rules(self._sheet.rules)
        self._known: dict[object, Look] = {}
        self._begun, self._tags = False, 0
        self._tree = Tree(self._styled, *(self._of_frame(name) for name in ("html", "body")))

    def _of_frame(self, name: str) -> dict[str, str]:
        """The attributes of what there is only once, from all tags that are written for it."""
        found: dict[str, str] = {}
        for piece in self._pieces:
            if isinstance(piece, Tag) and piece.name == name and not piece.closes:
                found = {**_unescaped(piece.attributes), **found}
        return found

    def read(self) -> None:
        read = 0
        try:
            for piece in self._pieces:
                self._take(piece)
                read += 1
        except TooMuch:
            self.cut += sum(len(piece) for piece in self._pieces[read:] if isinstance(piece, str))

    def _take(self, piece: Piece) -> None:
        if isinstance(piece, str):
            self._text(_SPACE.sub(" ", unescape(piece)))
        elif isinstance(piece, Comment):
            self._comment(piece.text)
        elif piece.name in _FRAME:
            self._break(piece)
        elif piece.closes:
            gone = self._tree.gone
            self._tree.close(piece.name)
            if not gone:
                self._break(piece)
        else:
            self._open(piece)

    def _text(self, text: str) -> None:
        if not text.strip():
            self.seen.append(text)
            return
        self._begun = True
        look = self._tree.look
        if look.hides:
            if not self._tree.inside(_UNSEEN) or self._tree.inside(_TOLD):
                self.hidden.append(text)
            return
        self.seen.append(text)
        self.turned += len(text.strip()) if look.turned and text.isascii() else 0

    def _comment(self, text: str) -> None:
        if not _CONDITION.match(text) and "<" not in text and "{" not in text and len(text.split()) >= _LEAST_PROSE:
            self.hidden.append(text)

    def _open(self, tag: Tag) -> None:
        if tag.name == "template" and "shadowrootmode" in tag.attributes:
            raise TooMuch  # what follows may not be shown
        self._tags += 1
        if self._tags > _MOST_TAGS:
            raise TooMuch
        self._begun = self._begun or tag.name not in _OF_HEAD
        empty = tag.empty and (tag.name in _FOREIGN or self._tree.inside(_FOREIGN))
        if self._begun:
            look = self._tree.open(tag.name, _unescaped(tag.attributes), empty=empty)
            if not look.gone:
                self._break(tag)
        if tag.raw is not None:
            self._raw(tag.name, tag.raw)
            self._tree.close(tag.name)

    def _raw(self, name: str, text: str) -> None:
        if name == "xmp":
            self._text(text)
        elif name in _TOLD and text.strip():
            self.hidden.append(unescape(text))

    def _break(self, tag: Tag) -> None:
        if tag.name in _BLOCK:
            self.seen.append("\n- " if tag.name == "li" and not tag.closes else "\n\n" if tag.name == "p" and tag.closes else "\n")
        elif tag.name in ("td", "th") and not tag.closes:
            self.seen.append(" ")

    def _styled(self, parent: Look, element: Element) -> Look:
        applied = self._rules.of(element)
        style = element.attributes.get("style", "")
        key = (parent, element.name, tuple(element.attributes.items()), tuple((id(one.rule), one.sure) for one in applied))
        known = self._known.get(key)
        if known is None:
            inline: list[Declaration] = declarations(style) if style and len(style) <= _LONGEST_STYLE else []
            known = look_of(parent, element.name, element.attributes, cascade(declared(applied), inline), self._sheet.animations)
            unseen = element.name in _UNSEEN or (element.name == "dialog" and "open" not in element.attributes)
            if unseen or len(style) > _LONGEST_STYLE:  # of such a style nobody knows what it comes to
                known = known._replace(gone=True)
            self._known[key] = known
            if len(self._known) > _MOST_LOOKS:
                raise TooMuch
        return known


def _unescaped(attributes: Mapping[str, str]) -> Mapping[str, str]:
    if not any("&" in value for value in attributes.values()):
        return attributes
    return {name: unescape(value) for name, value in attributes.items()}


def _lines(seen: list[str]) -> Iterator[str]:
    for line in "".join(seen).splitlines():
        yield " ".join(line.split())


def shown(html: str) -> Shown:
    """The text that a browser would show, one line per block, and what it would not."""
    try:
        page = _Page(html)
    except TooMuch:
        return Shown("", cut=len(html))
    page.read()
    text = re.sub(r"\n{3,}", "\n\n", "\n".join(_lines(page.seen))).strip()
    return Shown(text, _told(page.hidden, text), page.turned, page.cut)


def _told(hidden: list[str], text: str) -> int:
    """Characters that say something, and not only what is seen elsewhere: a page for telephones repeats what one for desks says."""
    seen = _LOOSE.sub("", text.lower())
    each = [piece for one in hidden if _LETTER.search(piece := " ".join(visible(one).split()))]
    new = [piece for piece in each[:_MOST_COMPARED] if _LOOSE.sub("", piece.lower()) not in seen]
    return sum(map(len, (*new, *each[_MOST_COMPARED:])))


def text_of_html(html: str) -> str:
    """The text that a browser would show, one line per block."""
    return shown(html).text
