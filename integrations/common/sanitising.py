"""What a person would see of a text: no markup, no scripts, nothing hidden.

The standard library's HTML parser takes minutes for some 400 kB of unclosed tags, so the markup is split here, in linear time.
"""

import re
from collections.abc import Iterator
from html import unescape
from typing import NamedTuple

_INVISIBLE = re.compile("[\u00ad\u200b\u2060-\u2064\u202a-\u202e\u2066-\u2069\ufeff\U000e0000-\U000e007f]")
_UNSEEN = frozenset("script style head title template noscript object svg math select textarea iframe".split())
_VOID = frozenset("area base br col embed hr img input link meta source track wbr".split())
_BLOCK = frozenset(
    "address article aside blockquote body br center dd div dl dt fieldset footer form h1 h2 h3 h4 h5 h6 header hr li main nav ol "
    "p pre section table tr ul".split()
)
_TAG = re.compile(r"<(/?)([a-zA-Z][\w:-]*)")
_UNQUOTED = re.compile(r"[^>\"']*")
_STYLE = re.compile(r"\bstyle\s*=", re.IGNORECASE)
_HIDDEN = re.compile(r"(?:^|\s)hidden(?=[\s=/]|$)", re.IGNORECASE)
_QUOTED = re.compile(r"\"[^\"]*\"|'[^']*'")
_HIDING = re.compile(r"display\s*:\s*none|visibility\s*:\s*hidden|mso-hide\s*:\s*all|(?:opacity|max-height)\s*:\s*0(?![.\d])", re.I)
_TINY = re.compile(r"font-size\s*:\s*0(?![.\d])", re.I)
_INLINE = frozenset({"span", "font", "p", "a", "small", "b", "i"})
"""Only in these does a font size of nothing hide: layouts set it on the cells and boxes around readable text."""
_LONGEST = 400_000
_LONGEST_STYLE = 1000


def visible(text: str) -> str:
    """Without the characters that show nothing but can split, reorder or smuggle words."""
    return _INVISIBLE.sub("", text)


class _Tag(NamedTuple):
    name: str
    closes: bool
    attributes: str

    @property
    def hides(self) -> bool:
        attributes = unescape(self.attributes)
        style = _STYLE.search(attributes)
        value = attributes[style.end() : style.end() + _LONGEST_STYLE] if style else ""
        shrinks = self.name in _INLINE and bool(_TINY.search(value))
        return shrinks or bool(_HIDING.search(value)) or bool(_HIDDEN.search(_QUOTED.sub("", attributes)))


def _tag_end(html: str, position: int) -> int:
    """Index of the `>` that ends the tag, -1 if nothing does; quoted values may hold one."""
    while True:
        found = _UNQUOTED.match(html, position)
        end = found.end() if found else position
        if end >= len(html):
            return -1
        if html[end] == ">":
            return end
        closing = html.find(html[end], end + 1) if html[end - 1] == "=" else end
        if closing < 0:
            return html.find(">", end)
        position = closing + 1


def _pieces(html: str) -> Iterator[str | _Tag]:
    """Text and tags in turn. What is begun and never ended hides the rest, as it does in a browser."""
    position = 0
    while (start := html.find("<", position)) >= 0:
        yield html[position:start]
        found = _TAG.match(html, start)
        if found:
            end = _tag_end(html, found.end())
            yield _Tag(found[2].lower(), bool(found[1]), html[found.end() : end])
        elif html.startswith("<!--", start):
            end = html.find("-->", start + 4)
            end = end + 2 if end >= 0 else -1
        elif html.startswith(("<!", "<?", "</"), start):
            end = html.find(">", start)
        else:
            yield "<"
            end = start
        if end < 0:
            return
        position = end + 1
    yield html[position:]


def _seen(html: str) -> Iterator[str]:
    unseen, depth = "", 0
    for piece in _pieces(html):
        if isinstance(piece, str):
            if not unseen:
                yield re.sub(r"\s+", " ", unescape(piece))
            continue
        if unseen and (piece.name == unseen == "p" or (unseen == "head" and piece.name == "body")) and not piece.closes:
            unseen = ""  # closes by itself
        if unseen:
            depth += (piece.name == unseen) * (-1 if piece.closes else 1)
            unseen = unseen if depth else ""
        elif not piece.closes and piece.name not in _VOID and (piece.name in _UNSEEN or piece.hides):
            unseen, depth = piece.name, 1
        elif piece.name in _BLOCK:
            yield "\n- " if piece.name == "li" and not piece.closes else "\n\n" if piece.name == "p" and piece.closes else "\n"
        elif piece.name in ("td", "th"):
            yield " "


def text_of_html(html: str) -> str:
    """The text that a browser would show, one line per block."""
    lines = [" ".join(line.split()) for line in "".join(_seen(html[:_LONGEST])).splitlines()]
    return re.sub(r"\n{3,}", "\n\n", "\n".join(lines)).strip()
