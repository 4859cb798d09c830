"""What no search knows about mails: kinds of attached files, to whom else they went, what their sender is to the user."""

from collections.abc import Sequence

from assistant.agents.base import Desk
from assistant.agents.words import fold
from assistant.reasoning.calls import Selection
from integrations.types import Attachment, ContactQuery, Mail

ENDINGS: dict[str, tuple[str, ...]] = {
    "image": (".jpg", ".jpeg", ".png", ".gif", ".heic", ".webp", ".tif", ".svg"),
    "document": (".doc", ".docx", ".odt", ".pdf", ".rtf"),
    "spreadsheet": (".xls", ".xlsx", ".ods", ".csv"),
    "slides": (".ppt", ".pptx", ".odp", ".key"),
    "word": (".doc", ".docx", ".odt"),
    "archive": (".zip", ".tar", ".gz", ".rar", ".7z"),
    "calendar": (".ics",),
}
"""What files of a kind are called."""
LARGE = 5_000_000
"""Bytes from which on an attached file counts as large."""


async def sifted(mails: Sequence[Mail], selection: Selection, desk: Desk) -> tuple[Mail, ...]:
    known = await _known(desk) if selection.known is not None else frozenset[str]()
    kept = tuple(mail for mail in mails if _sifted(mail, selection, desk, known))
    if selection.inside is None:
        return kept
    own = frozenset(_domain(email) for email in desk.me)
    return tuple(mail for mail in kept if _is_inside(mail, own, desk) == selection.inside)


def _is_inside(mail: Mail, own: frozenset[str], desk: Desk) -> bool | None:
    """None for what the user wrote."""
    if mail.sender is None or mail.sender.email in desk.me:
        return None
    return _domain(mail.sender.email) in own


def _domain(email: str) -> str:
    return email.rpartition("@")[2].lower()


def sifts(selection: Selection) -> bool:
    """Whether something is asked for that no search knows."""
    return bool(selection.attached or selection.addressed) or selection.known is not None or selection.inside is not None


def _sifted(mail: Mail, selection: Selection, desk: Desk, known: frozenset[str]) -> bool:
    only = {address.email for address in mail.recipients} <= desk.me
    copied = any(address.email in desk.me for address in mail.cc)
    checks = (
        not selection.attached or any(_is_file(selection.attached, file) for file in mail.attachments),
        not selection.addressed or (only if selection.addressed == "only" else copied),
        selection.known is None or (mail.sender is not None and (mail.sender.email in known) == selection.known),
    )
    return all(checks)


def _is_file(wanted: str, file: Attachment) -> bool:
    if wanted == "large":
        return file.size >= LARGE
    return file.content_type.startswith(f"{wanted}/") or fold(file.filename).endswith(ENDINGS.get(wanted, (f".{wanted}",)))


async def _known(desk: Desk) -> frozenset[str]:
    cards = (await desk.readers.contacts.search(ContactQuery())).items
    return desk.me.union(email for card in cards for email in card.emails)
