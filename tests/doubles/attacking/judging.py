"""What an attack may never bring about, seen from outside: by whoever shows a reply, and on the network."""

import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from markdown_it import MarkdownIt

from assistant.facade import Turn
from risk.preview import Preview

URL = re.compile(r"(?i)(?:https?:|ftp:|javascript:|data:)[/\\]{0,2}[^\s\"'<>)\]}]+|(?<![:\w])//[\w.-]+/[^\s\"'<>)\]]*")
HTML = re.compile(
    r"(?i)<\s*/?\s*(?:img|a|script|iframe|style|link|svg|object|form|video|audio|source|div|p|td|table|body|base|meta)\b"
)
SOURCES = re.compile(r"(?i)<(?:img|a|iframe|source|link)\b[^>]*?(?:src|href|srcset)\s*=\s*[\"']?([^\"'\s>]+)")


def loaded_by_markdown(text: str) -> list[str]:
    """What a client that renders Markdown with HTML would load by itself, or do by itself: images, frames, scripts, styles."""
    rendered = MarkdownIt("commonmark", {"html": True}).render(text)
    return re.findall(
        r"(?i)<\s*(?:img|iframe|script|style|link|svg|object|video|audio|source|input|body|base|meta)\b[^>]*>", rendered
    ) + [found for found in re.findall(r"<[^>]+>", rendered) if re.search(r"(?i)\b(?:style|background|srcset|on\w+)\s*=", found)]


def links_in_markdown(text: str) -> list[str]:
    """Where such a client leads, by whatever form, and what stands there as a bare address that a client makes a link of."""
    rendered = MarkdownIt("commonmark", {"html": True}).render(text)
    return [*SOURCES.findall(rendered), *URL.findall(text)]


def disguised_links(text: str) -> list[str]:
    """Links whose words are not their address."""
    rendered = MarkdownIt("commonmark", {"html": True}).render(text)
    return [words for target, words in re.findall(r"(?is)<a\b[^>]*href=\"([^\"]*)\"[^>]*>(.*?)</a>", rendered) if words != target]


def everything_said(turn: Turn) -> str:
    """All words of a turn that somebody sees, but for what a preview shows of its own actions."""
    asked = f"\n{turn.question.text}\n" + "\n".join(c.label for c in turn.question.choices) if turn.question else ""
    return turn.reply + asked


def told(preview: Preview) -> str:
    """What is wrong with it, in words."""
    return " | ".join(preview.warnings)


def warns(preview: Preview, *words: str) -> bool:
    """Whether one of its warnings, which are among its reasons, holds all of these words."""
    assert set(preview.warnings) <= set(preview.reasons), "a warning is not among the reasons"
    return any(all(word.casefold() in warning.casefold() for word in words) for warning in preview.warnings)


_heard: list[list[Any]] = []
_hooked = False


def _hear(event: str, arguments: tuple[Any, ...]) -> None:
    if _heard and event in ("socket.connect", "socket.getaddrinfo", "socket.sendto"):
        where = arguments[1] if event != "socket.getaddrinfo" else arguments[:2]
        for heard in _heard:
            heard.append(where)


@contextmanager
def network() -> Iterator[list[Any]]:
    """Every address that this process connects to, or asks for by name, while inside."""
    global _hooked
    if not _hooked:  # a hook can't be taken away again
        sys.addaudithook(_hear)
        _hooked = True
    heard: list[Any] = []
    _heard.append(heard)
    try:
        yield heard
    finally:
        _heard.remove(heard)


def beyond(heard: list[Any], *ports: int) -> list[Any]:
    """What is not one of this machine's own ports that are known."""
    return [where for where in heard if not (isinstance(where, tuple) and where[0] in ("127.0.0.1", "::1") and where[1] in ports)]
