"""Text for programs that make links and pictures of what they read: nothing of it loads, and no link hides where it leads."""

import re
from collections.abc import Iterator

from assistant.reasoning.llm.links import BEGINS

GAP = "\N{ZERO WIDTH SPACE}"
RUN = re.compile(
    rf"{BEGINS}[^\s<>\"\u201c\u201d\u200b]+|(?<![\w@/.-])(?:[\w-]{{2,63}}\.)+[a-z]{{2,24}}/[^\s<>\"\u201c\u201d\u200b]+",
    re.IGNORECASE,
)
"""As much of a link as any program would take: up to where there is room, and what looks like a site with a path as well."""
MARKS = re.compile(
    r"!(?=\[)|\](?=[(\[:])|<(?![\w.+%-]{1,64}@[\w.-]{1,255}>)(?=[a-z/!?])|&(?=#?\w{1,32};)|\\(?=[!-/:-@\[-`{-~])|(?<=```)(?=\w)",
    re.IGNORECASE,
)
"""With what pictures, links, tags, entities and drawings begin; an address in angle brackets is none of them."""
CLOSING = ".,;:!?\u2026*_~`'\")]}|\u2019"
AUTHORITY = re.compile(r"(?:[a-z][a-z0-9+.-]*:)?/*([^/?#]*)", re.IGNORECASE)
NUMERIC = re.compile(r"\[[0-9a-f:.]+\](?::\d+)?", re.IGNORECASE)
STRANGE = re.compile(r"[\[\]{}`\\|^]")
"""Stands in no address of a page, but in what is made to be read as two."""
MAIL = re.compile(r"mailto:[\w.+%-]{1,64}@[\w.-]{1,255}", re.IGNORECASE | re.ASCII)
"""With nothing that would be written in the mail."""
WEB = re.compile(r"(?:https?|ftp)://|www\.|[\w-]+\.", re.IGNORECASE)


def inert(text: str, known: str = "") -> str:
    """For readers of Markdown and HTML. A link stays one where it stands in `known` letter for letter and shows its host."""
    live = _links(known)

    def settled(found: re.Match[str]) -> str:
        if not found.group("run"):
            return f"{found[0]}{GAP}"
        run = found[0]
        return _shown(run) if _is_live(run, live) else MARKS.sub(lambda mark: f"{mark[0]}{GAP}", _dull(run))

    return _EITHER.sub(settled, text)


_EITHER = re.compile(f"(?P<run>{RUN.pattern})|{MARKS.pattern}", re.IGNORECASE)


def defused(text: str, known: str = "") -> str:
    """For terminals, which know links and nothing else."""
    live = _links(known)
    return RUN.sub(lambda found: _shown(found[0]) if _is_live(found[0], live) else _dull(found[0]), text)


def _links(known: str) -> frozenset[str]:
    return frozenset(form for found in RUN.findall(known) for form in _forms(found))


def _forms(run: str) -> Iterator[str]:
    """What a link may end with is not always a part of it: each place at which it may end."""
    yield _same(run.rstrip(CLOSING))
    for closing in "')]":
        yield _same(run.partition(closing)[0].rstrip(CLOSING))


def _is_live(run: str, live: frozenset[str]) -> bool:
    link = run.rstrip(CLOSING)
    plain = MAIL.fullmatch(link) or (WEB.match(link) and "@" not in _authority(link))
    return bool(plain) and not STRANGE.search(NUMERIC.sub("", link, count=1)) and _same(link) in live


def _same(link: str) -> str:
    """The letters of scheme and host are the same in both cases."""
    end = AUTHORITY.match(link)
    length = end.end() if end else 0
    return link[:length].casefold() + link[length:]


def _authority(link: str) -> str:
    found = AUTHORITY.match(link)
    return found[1] if found else ""


def _shown(run: str) -> str:
    """With the name by which a host of other letters is looked up, since they may look like others."""
    link = run.rstrip(CLOSING)
    host = _authority(link)
    if host.isascii():
        return run
    try:
        return f"{link} ({host.casefold().encode('idna').decode()}){run[len(link) :]}"
    except UnicodeError:
        return _dull(run)


def _dull(run: str) -> str:
    """As people write links that nobody shall follow: https[:]//site[.]example"""
    dotted = re.sub(r"(?<=\w)\.(?=[\w-])", "[.]", run)
    return re.sub(r":(?=[/\\])|^([a-z-]{2,21}):", lambda found: f"{found[1] or ''}[:]", dotted, flags=re.IGNORECASE)
