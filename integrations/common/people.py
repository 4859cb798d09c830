"""Comparing names and addresses the way people type them: without regard to case and accents."""

import re
import unicodedata
from collections.abc import Iterable
from urllib.parse import unquote

from integrations.common.addresses import normal_email
from integrations.common.invisible import visible

WORD = re.compile(r"[^\W_]+")


def plain(text: str) -> str:
    if text.isascii():
        return text.lower()
    decomposed = unicodedata.normalize("NFKD", text.casefold())
    return "".join(letter for letter in decomposed if not unicodedata.combining(letter))


def parts(text: str) -> frozenset[str]:
    """The words of a name or address: "anna.berg@x.org" has anna, berg, x and org."""
    return frozenset(WORD.findall(plain(text)))


def email_address(text: str) -> str:
    """The normal form of a bare address or `mailto:` URI; empty where it is not exactly one."""
    text = text.strip().strip("'\"")
    if text[:7].lower() == "mailto:":
        text = unquote(text[7:].partition("?")[0])
    return normal_email(text)


def honest_name(name: str) -> str:
    """A name for showing beside an address; empty where it looks like an address itself, which might be another one."""
    name = " ".join(visible(name).split()).strip("'\"")
    return "" if "@" in name or "@" in unicodedata.normalize("NFKC", name) else name


def is_person(asked: str, names: Iterable[str], emails: Iterable[str]) -> bool:
    """Whether `asked`, an address or whole parts of a name or address, means somebody called and reached so."""
    if "@" in asked:
        return plain(asked.strip()) in {plain(email) for email in emails}
    wanted = parts(asked)
    return bool(wanted) and any(wanted <= parts(text) for text in (*names, *emails))


def gone_for_guest(organizer: str, comment: str = "") -> str:
    """What is said where a guest has removed the own copy of an event."""
    words = " Your words were told to nobody." if comment.strip() else ""
    return f"It is gone from your calendar only: {organizer} organises it.{words}"
