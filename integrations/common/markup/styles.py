"""The style sheets that stand in a text in HTML itself; what would have to be fetched is none."""

import base64
import binascii
import re
from collections.abc import Iterable, Iterator
from html import unescape
from urllib.parse import unquote

from integrations.common.markup.pieces import Piece, Tag

_DATA = re.compile(r"\s*data:text/css[^,]*?(;\s*base64)?\s*,(.*)", re.IGNORECASE | re.DOTALL)
_IMPORT = re.compile(r"@import\s+(?:url\(\s*)?(?:\"([^\"]*)\"|'([^']*)'|([^\s)\"';][^\s)]*))", re.IGNORECASE)


def styles(pieces: Iterable[Piece]) -> Iterator[tuple[str, str]]:
    """(the sheet, the media that it is for), in their order."""
    drawn: list[str] | None = None
    media = ""
    for piece in pieces:
        if isinstance(piece, str):
            if drawn is not None:
                drawn.append(unescape(piece))
        elif isinstance(piece, Tag) and piece.name == "style":
            if drawn is not None:
                yield from _with_imported("".join(drawn), media)
            drawn, media = None, unescape(piece.attributes.get("media", ""))
            if piece.raw is not None:
                yield from _with_imported(piece.raw, media)
            elif not piece.closes:
                drawn = []  # in a drawing, a sheet is markup, and counts for the whole text
        elif isinstance(piece, Tag) and piece.name == "link" and "stylesheet" in piece.attributes.get("rel", "").lower():
            yield from (
                (css, unescape(piece.attributes.get("media", ""))) for css in _data(unescape(piece.attributes.get("href", "")))
            )
    if drawn is not None:
        yield from _with_imported("".join(drawn), media)


def _with_imported(css: str, media: str) -> Iterator[tuple[str, str]]:
    if "data:" in css:
        for found in _IMPORT.finditer(css):
            yield from ((one, media) for one in _data(found[1] or found[2] or found[3] or ""))
    yield css, media


def _data(address: str) -> Iterator[str]:
    found = _DATA.match(address)
    if not found:
        return
    if not found[1]:
        yield unquote(found[2])
        return
    try:
        yield base64.b64decode(unquote(found[2]) + "==").decode("utf-8", "replace")
    except (binascii.Error, ValueError):
        return
