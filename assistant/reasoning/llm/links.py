"""Addresses and links in a text, also where they are written so that no program knows them."""

import re
import unicodedata
from collections.abc import Iterator
from functools import lru_cache

ADDRESS = re.compile(r"(?<![\w.+%-])[\w.+%-]+@[\w-]+(?:\.[\w-]+)+")
LINK = re.compile(
    r"(?:\b[a-z][a-z0-9+.-]{1,20}://|\bwww\.|\b(?:javascript|data|file|vbscript):(?=\S))[^\s<>\"')\]\u201d]+", re.IGNORECASE
)
BARE = re.compile(
    r"(?<![\w@/.-])(?:[\w-]{2,}\.)+(?:[a-z]{2,24}|[A-Z]{2,24}|xn--[\w-]{2,59}|[A-Za-z]{2,24}(?=/\w))"
    r"(?:/[^\s<>\"')\]\u201d]*)?(?![\w@])"
)
TARGET = re.compile(r"\[([^\[\]\n]*+)\](?:\(\s?<?([^)\s>]*+)[^)\n]*+\)|:\s?<?(\S++))")
ENDING = ".,;:!?\u2026*_`"
_DISGUISES = tuple(
    (re.compile(pattern, re.IGNORECASE), plain)
    for pattern, plain in (
        (r"\bh(?:xx|\*\*|tt)p(s?)\s?(?::|\[:\])\s?//", r"http\1://"),
        (r"\s?[\[({<]\s?(?:\.|dot|punkt)\s?[\])}>]\s?", "."),
        (r"\s?[\[({<]\s?(?:@|at)\s?[\])}>]\s?", "@"),
        (r"(?<=\w) at ([\w-]{1,63}(?:(?: dot |\.)[\w-]{1,63}){0,9}) dot (?=[a-z])", r"@\1."),
        (r"(?<=\w) dot (?=(?:com|org|net|info|io|example|[a-z]{2})\b)", "."),
    )
)
_BLANKS = re.compile(r"\s{2,}")
_FOREIGN = re.compile(r"[^\x00-\x7f]")
_POINTS = str.maketrans({"\u3002": ".", "\uff61": ".", "\u2024": ".", "\u2044": "/", "\u2215": "/"})


def _one_blank(found: re.Match[str]) -> str:
    return "\n" if "\n" in found[0] else " "


@lru_cache(256)  # many words are held against the same reports
def undisguised(text: str) -> str:
    """ "hxxp://x[.]example" and "anna at x dot example" as what they stand for."""
    if not text.isascii():
        text = unicodedata.normalize("NFKC", text).translate(_POINTS)
        text = _FOREIGN.sub(lambda found: "" if unicodedata.category(found[0]) == "Cf" else found[0], text)
    text = _BLANKS.sub(_one_blank, text)
    for pattern, plain in _DISGUISES:
        text = pattern.sub(plain, text)
    return text


@lru_cache(256)
def without_links(text: str) -> str:
    return BARE.sub(" ", LINK.sub(" ", ADDRESS.sub(" ", undisguised(text))))


def unknown_addresses(words: str, known: str) -> Iterator[str]:
    found = [one.rstrip(ENDING) for one in ADDRESS.findall(undisguised(words))]
    there = {one.rstrip(ENDING).casefold() for one in ADDRESS.findall(undisguised(known))} if found else set()
    yield from (one for one in found if one.casefold() not in there)


def unknown_links(words: str, known: str) -> Iterator[str]:
    links = _links(undisguised(words))
    there = _places(undisguised(known)) if links else set()
    for link in links:
        bare = _bare(link)
        if not any(one == bare or one.startswith((f"{bare}/", f"{bare}?", f"{bare}#")) for one in there):
            yield link


def _places(known: str) -> set[str]:
    return {_bare(one) for one in _links(known)} | {one.rpartition("@")[2].casefold() for one in ADDRESS.findall(known)}


def misleading_links(words: str) -> Iterator[str]:
    """Links whose words name another place than they lead to."""
    for found in TARGET.finditer(undisguised(words)):
        target = _bare((found[2] or found[3] or "").removeprefix("mailto:"))
        shown = [*ADDRESS.findall(found[1]), *_links(found[1])]
        if target and not all(re.match(rf"{re.escape(_bare(one.rstrip(ENDING)))}(?:[/?#]|$)", target) for one in shown):
            yield found[0]


def _links(text: str) -> list[str]:
    text = ADDRESS.sub(" ", text)
    full = [found.rstrip(ENDING) for found in LINK.findall(text)]
    return [*full, *(found.rstrip(ENDING) for found in BARE.findall(LINK.sub(" ", text)))]


def _bare(link: str) -> str:
    return re.sub(r"^(?:(?:https?|ftp)://)?(?:www\.)?", "", link.casefold()).rstrip("/")
