"""Addresses and links in a text, also where they are written so that no program knows them."""

import re
import unicodedata
from collections.abc import Iterator
from functools import lru_cache

ADDRESS = re.compile(r"(?<![\w.+%-])[\w.+%-]+@[\w-]+(?:\.[\w-]+)+")
BEGINS = (
    r"(?:\b[a-z][a-z0-9+.-]{1,20}:[/\\]{2}|\bhttps?:[/\\](?=\w)|(?<![\w/\\])[/\\]{2}(?=[\w-]{1,63}\.\w)"
    r"|(?<!@)\bwww\.|\bmailto:(?=\S))"
)
"""How all begins that a program makes a link of, a link to "the same scheme" (//host) and one with backslashes included."""
LINK = re.compile(rf"(?:{BEGINS}|\b(?:javascript|vbscript|data|file|tel|sms):(?=\S))" + r"[^\s<>\"')\]\u201d]+", re.IGNORECASE)
BARE = re.compile(
    r"(?<![\w@/.-])(?:[\w-]{2,}\.)+(?:[a-z]{2,24}|[A-Z]{2,24}|xn--[\w-]{2,59}|[A-Za-z]{2,24}(?=/\w))"
    r"(?:/[^\s<>\"')\]\u201d]*)?(?![\w@])"
)
TARGET = re.compile(r"\[([^\[\]\n]*+)\](?:\(\s?<?([^)\s>]*+)[^)\n]*+\)|:\s?<?(\S++))")
HIDING = re.compile(r"\](?=[(\[:])")
PICTURE = re.compile(r"!\[(?!\d{1,3}\](?![(\[]))[^\]\n]{0,80}")
_TAGS = "|".join(
    "a(?=[^<>]{0,200}[=>]) img image svg i?frame video audio script link object embed picture source style meta base body input"
    " table form button math".split()
)
_LEADS = r"style|src|srcset|href|background|on[a-z]{1,20}"
ACTIVE = re.compile(
    rf"<\s{{0,9}}/?\s{{0,9}}(?:(?:{_TAGS})\b[^<>]{{0,200}}|[a-z][^<>]{{0,200}}\s(?:{_LEADS})\s{{0,9}}=[^<>]{{0,200}})>?",
    re.IGNORECASE,
)
ENDING = ".,;:!?\u2026*_`"
_DISGUISES = tuple(
    (re.compile(pattern, re.IGNORECASE), plain)
    for pattern, plain in (
        (r"\bh(?:xx|\*\*|tt)p(s?)\s?(?::|\[:\])\s?[/\\]{1,4}(?=[^\s/\\])", r"http\1://"),
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
    return BARE.sub(" ", ADDRESS.sub(" ", LINK.sub(" ", undisguised(text))))


def unknown_addresses(words: str, known: str) -> Iterator[str]:
    found = [one.rstrip(ENDING) for one in ADDRESS.findall(undisguised(words))]
    there = {one.rstrip(ENDING).casefold() for one in ADDRESS.findall(undisguised(known))} if found else set()
    yield from (one for one in found if one.casefold() not in there)


def unknown_links(words: str, known: str) -> Iterator[str]:
    """What a program would make a link of must stand there as one; what is disguised may be disguised there as well."""
    given = [one for one in links_in(undisguised(words)) if not _is_address(one)]
    if not given:
        return
    active = {_bare(one) for one in links_in(words)}
    there, disguised = _places(known), _places(undisguised(known))
    for link in given:
        bare = _bare(link)
        if bare not in (there if bare in active else disguised):
            yield link


def unlinked(words: str) -> str:
    """With the links of Markdown written out, so that a host never hides behind words."""
    return HIDING.sub("] ", words)


def pictures(words: str, known: str) -> Iterator[str]:
    """Pictures, and HTML that loads or leads somewhere. A picture is one whatever address it has; HTML may be quoted."""
    yield from (found[0] for found in PICTURE.finditer(words))
    yield from (found[0] for found in ACTIVE.finditer(words) if found[0] not in known)


def _places(known: str) -> set[str]:
    """The links that stand there, and the hosts that these and the addresses name."""
    links = {_bare(one) for one in links_in(known)}
    hosts = {_PATH.split(link, maxsplit=1)[0] for link in links}
    return links | hosts | {one.rpartition("@")[2].casefold() for one in ADDRESS.findall(known)}


def misleading_links(words: str) -> Iterator[str]:
    """Links whose words name another place than they lead to."""
    for found in TARGET.finditer(undisguised(words)):
        target = _bare((found[2] or found[3] or "").removeprefix("mailto:"))
        shown = [*ADDRESS.findall(found[1]), *links_in(found[1])]
        if target and not all(re.match(rf"{re.escape(_bare(one.rstrip(ENDING)))}(?:[/?#]|$)", target) for one in shown):
            yield found[0]


def links_in(text: str) -> list[str]:
    """As they stand there, those without a scheme included."""
    full = [found.rstrip(ENDING) for found in LINK.findall(text)]
    rest = ADDRESS.sub(" ", LINK.sub(" ", text))
    return [*full, *(found.rstrip(ENDING) for found in BARE.findall(rest))]


def _is_address(link: str) -> bool:
    return link[:7].lower() == "mailto:" and "?" not in link


_PATH = re.compile(r"[/?#]")
_BEGINNING = re.compile(r"^(?:(?:https?|ftp):)?/*(?:www\.)?", re.IGNORECASE)


def _bare(link: str) -> str:
    """Without what makes no difference to where it leads: of the rest, only the host's letters are the same in both cases."""
    bare = _BEGINNING.sub("", link.replace("\\", "/")).rstrip("/")
    host = _PATH.split(bare, maxsplit=1)[0]
    return host.casefold() + bare[len(host) :]
