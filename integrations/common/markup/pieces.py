"""HTML split into text, tags and comments as a browser splits it, in linear time whatever it is.

The standard library's parser takes minutes for some 400 kB of unclosed tags.
"""

import re
from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import NamedTuple

_MARKUP = re.compile(r"<(?=[a-zA-Z/!?])")
"""Any other is text."""
_NAME = re.compile(r"<(/?)([a-zA-Z][^ \t\n\r\f/>]*+)")
_ATTRIBUTE = re.compile(r"[ \t\n\r\f/]*+(=?[^ \t\n\r\f/>=]*+)[ \t\n\r\f]*+(=[ \t\n\r\f]*+)?")
_BARE = re.compile(r"[^ \t\n\r\f>]*+")
_COMMENT_END = re.compile(r"--!?>")
_RAW = frozenset("script style title textarea xmp iframe noembed noframes".split())
"""What stands in these is no markup."""
_RAW_END = {name: re.compile(rf"</{name}(?=[ \t\n\r\f/>])", re.IGNORECASE) for name in _RAW}
_NONE: Mapping[str, str] = MappingProxyType({})


class Tag(NamedTuple):
    """Names in lower case; `empty`: it ends in a slash, which counts in pictures and formulas only. Of one whose content is no
    markup, `raw` is that content, and its end has gone by."""

    name: str
    closes: bool
    attributes: Mapping[str, str] = _NONE
    empty: bool = False
    raw: str | None = None


class Comment(NamedTuple):
    text: str


Piece = str | Tag | Comment


def pieces(html: str) -> Iterator[Piece]:
    """In turn. What is begun and never ended hides the rest, as it does in a browser."""
    position, foreign = 0, 0
    while begin := _MARKUP.search(html, position):
        start = begin.start()
        if start > position:
            yield html[position:start]
        found = _NAME.match(html, start)
        if not found:
            comment, position = _comment(html, start)
            if comment:
                yield comment
            if position < 0:
                return
            continue
        name = found[2].lower()
        attributes, end, empty = _attributes(html, found.end())
        if end < 0:
            return
        position = end + 1
        tag = Tag(name, bool(found[1]), attributes, empty)
        if name in ("svg", "math"):
            foreign = max(0, foreign - 1) if tag.closes else foreign + (not empty)
        if name in _RAW and not tag.closes and not foreign:
            last = _RAW_END[name].search(html, position)
            yield tag._replace(raw=html[position : last.start() if last else len(html)])
            _, end, _ = _attributes(html, last.end()) if last else ({}, -1, False)
            if end < 0:
                return
            position = end + 1
        elif name == "plaintext" and not tag.closes:
            yield html[position:]
            return
        else:
            yield tag
    yield html[position:]


def _comment(html: str, start: int) -> tuple[Comment | None, int]:
    """A comment or declaration that begins there, and where it ends: -1 where nothing ends it."""
    if html.startswith("<!--", start):
        if html.startswith((">", "->"), start + 4):
            return None, html.index(">", start) + 1
        end = _COMMENT_END.search(html, start + 4)
        return Comment(html[start + 4 : end.start() if end else len(html)]), end.end() if end else -1
    if html.startswith("</>", start):
        return None, start + 3
    stop = html.find(">", start)
    return None, stop + 1 if stop >= 0 else -1


def _attributes(html: str, position: int) -> tuple[Mapping[str, str], int, bool]:
    """(by name, where the `>` is that ends the tag or -1, whether a slash stands before it); of two of a name the first counts."""
    if html.startswith(">", position):
        return _NONE, position, False
    attributes: dict[str, str] = {}
    while found := _ATTRIBUTE.match(html, position):
        slash = html.startswith("/", found.end() - 1) and not found[1]
        position = found.end()
        if not found[1]:
            return attributes, position if html.startswith(">", position) else -1, slash
        value = ""
        if found[2]:
            quote = html[position : position + 1]
            if quote in ("'", '"'):
                end = html.find(quote, position + 1)
                if end < 0:
                    return attributes, -1, False
                value, position = html[position + 1 : end], end + 1
            elif bare := _BARE.match(html, position):
                value, position = bare[0], bare.end()
        attributes.setdefault(found[1].lower(), value)
    return attributes, -1, False
