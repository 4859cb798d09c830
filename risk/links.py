"""The links of a text, as a mail program would make them active."""

import re
from collections.abc import Iterator
from functools import lru_cache
from html import unescape
from itertools import islice

MOST = 500
"""Links of one text."""
_DOT = "[.\u3002\uff0e\uff61]"
_REST = r"[^\s<>\"\u201c\u201d]+"
ACTING = re.compile(
    "(?:javascript|data|vbscript|file|tel|sms|callto|mailto|geo|intent|bitcoin|magnet|skype|facetime|whatsapp|webcal):",
    re.IGNORECASE,
)
"""Schemes that go without slashes."""
LINK = re.compile(
    rf"(?:(?<![^\W_])(?:[a-z][a-z0-9+-]{{1,20}}:[/\\]{{1,3}}(?=[^\s/\\])|{ACTING.pattern}(?=\S))"
    rf"|(?<![\w:/\\.])[/\\]{{2}}(?=[\w-]+\.)|(?<![\w@.-])www{_DOT}(?=\w)){_REST}",
    re.IGNORECASE,
)
HOST = re.compile(
    rf"(?<![\w@.\-/\\\u3002\uff0e\uff61])((?:[^\W_](?:[\w-]{{0,61}}[^\W_])?{_DOT})+(?:xn--[\w-]{{2,59}}|[^\W\d_]{{2,24}}))"
    r"(?![\w@-]|[.\u3002\uff0e\uff61]\w)(:\d{1,5}(?!\d))?([/?#\\][^\s<>\"\u201c\u201d]*)?"
)
NUMBERED = re.compile(rf"(?<![\w@.\-/\\])(?:\d{{1,3}}\.){{3}}\d{{1,3}}(?::\d{{1,5}})?[/?#]{_REST}")
"""A host by its number, which is one only with what follows it."""
STARTS = ".:/\\\u3002\uff0e\uff61"
ENDS = ".,;:!?\u2026*_`'\u2019|~"
PAIRS = {")": "(", "]": "[", "}": "{"}
FILES = frozenset(
    "md py sh rs pl ps cc so zip mov app cab bat pdf doc docx xls xlsx ppt pptx odt ods txt csv tsv rtf png jpg jpeg gif svg "
    "bmp webp tif tiff heic mp3 mp4 avi wav ogg mkv eml msg ics vcf html htm xml json yaml yml toml ini log tar gz rar exe dmg "
    "iso js ts css java cpp".split()
)
"""Names of files end in these, though some are countries or the like; a host among them has a third label, or a path."""
ONLY_FILES = frozenset("pdf docx xlsx gz txt png jpg json".split())
CERTAIN = frozenset("com org net edu gov mil int biz example test".split())
SHORT_WORDS = frozenset("no so it is in at to me my be am an us do as by es er la ma pa id co".split())
"""Countries that are words too: with a capital, after a full stop, the next sentence begins so."""
ENDINGS = frozenset(
    "com org net edu gov mil int info biz name pro mobi app dev page cloud online site store shop tech website space live life "
    "world today news blog email link click xyz top club vip work works team group company agency digital media studio design "
    "solutions services systems network support center global international software tools games game fun run zone city house "
    "care health help law legal bank finance financial insurance money loan loans cash credit tax capital fund ventures "
    "holdings consulting marketing photos photography pictures video art museum travel tours hotel hotels restaurant cafe bar "
    "pub pizza recipes kitchen wine beer coffee fashion clothing shoes jewelry gmbh ltd llc inc sarl icu cyou sbs bond quest "
    "monster lol wtf rocks ninja guru expert academy school university college education training institute foundation charity "
    "church community social chat dating singles buzz trade bid auction market markets exchange deals sale discount promo win "
    "bet casino poker download stream film movie show radio music band party events berlin hamburg koeln bayern wien london "
    "paris amsterdam tokyo nyc africa asia eu arpa onion example test invalid".split()
)
"""Of hosts that are named without more, besides the countries; what has a path may end in anything."""


@lru_cache(64)
def links_in(text: str) -> tuple[str, ...]:
    """Links with any scheme, without one, and bare names of hosts, as they stand there, in that order, each once."""
    return tuple(dict.fromkeys(link for _, link in placed_links(text)))


@lru_cache(64)
def placed_links(text: str) -> tuple[tuple[int, str], ...]:
    """With where they begin; the first `MOST`."""
    if not any(mark in text for mark in STARTS):
        return ()
    links, until = [], 0
    for start, link in sorted((*islice(_schemed(text), MOST), *islice(_bare(text), MOST))):
        if start >= until:
            links.append((start, link))
            until = start + len(link)
    return tuple(links[:MOST])


def _schemed(text: str) -> Iterator[tuple[int, str]]:
    for found in LINK.finditer(text):
        if link := _trimmed(found[0]):
            yield found.start(), link


def _bare(text: str) -> Iterator[tuple[int, str]]:
    for found in HOST.finditer(text):
        labels = re.split(_DOT, found[1])
        if _is_host(labels[-1], len(labels), found[3] or ""):
            yield found.start(), _trimmed(found[0])
    for found in NUMBERED.finditer(text):
        yield found.start(), _trimmed(found[0])


def _is_host(written: str, labels: int, path: str) -> bool:
    ending = written.lower()
    if ending in FILES:
        return bool(path[1:]) or (labels > 2 and ending not in ONLY_FILES)
    if path[1:] or ending.startswith("xn--") or not ending.isascii():
        return True
    if written.istitle() and labels == 2:
        return ending in CERTAIN or (len(ending) == 2 and ending not in SHORT_WORDS)
    return ending in ENDINGS or len(ending) == 2


def _trimmed(link: str) -> str:
    """Without what closes the sentence or bracket around it."""
    end = len(link)
    over = {close: link.count(close) - link.count(opens) for close, opens in PAIRS.items()}
    while end and (link[end - 1] in ENDS or over.get(link[end - 1], 0) > 0):
        end -= 1
        if link[end] in over:
            over[link[end]] -= 1
    return link[:end]


def same_place(link: str) -> str:
    """The same for links that lead to the same place: nothing is left out that a server would see."""
    plain = unescape(link.strip()).replace("\\", "/")
    scheme = plain.partition("//")[0] if "//" in plain else ""
    if scheme.lower() not in ("", "http:", "https:") or ACTING.match(plain):
        return plain
    host, path = place_of(plain)
    return host.removeprefix("www.") if path in ("", "/") else host + path.rstrip("/")


def place_of(link: str) -> tuple[str, str]:
    """The host, lower-cased, and what follows it."""
    plain = unescape(link).replace("\\", "/")
    scheme, slashes, rest = plain.partition("//")
    if not slashes or not re.fullmatch(r"[a-zA-Z][\w+-]*:|", scheme):
        rest = plain
    found = re.search("[/?#]", rest := rest.lstrip("/"))
    at = found.start() if found else len(rest)
    return re.sub(_DOT, ".", rest[:at].lower()), rest[at:]
