"""What no search knows about mails: kinds of attached files, to whom else they went, what their sender is to the user."""

import asyncio
from collections.abc import Sequence

from assistant.agents.base import Desk
from assistant.agents.words import fold, resembles
from assistant.reasoning.calls import Selection
from assistant.reasoning.offline.saying import cues
from assistant.reasoning.offline.saying.prose import sentences
from assistant.reasoning.quoting import own_words
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
TOGETHER = 8
"""Mails read side by side."""
ASKING = cues.any_of(
    r"(?<!you )(?<!you've )(?<!you have )(?:ask(?:ed|ing)?|request(?:ed|ing)?|waiting|looking|hop(?:e|ing))"
    r"(?: you)?(?: again)? for\b",
    r"(?:i|we)(?:'d| would)? (?:still |also )?(?:like|love|need|want)\b",
)
GETTING = cues.any_of(
    r"(?:send|sent|share|shared|have|get|got|see|forward|copy|give|provide|receive|pass|attach|find|mail|e-?mail|need|ready)\b",
    r"available\b",
)
"""What somebody who asks for a thing wants done with it."""
LARGE = 5_000_000
"""Bytes from which on an attached file counts as large."""


async def sifted(mails: Sequence[Mail], selection: Selection, desk: Desk) -> tuple[Mail, ...]:
    known = await _known(desk) if selection.known is not None else frozenset[str]()
    kept = tuple(mail for mail in mails if _sifted(mail, selection, desk, known))
    kept = await _asking(kept, selection, desk) if selection.asks else kept
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
    return (
        bool(selection.attached or selection.addressed or selection.asks)
        or selection.known is not None
        or selection.inside is not None
    )


async def _asking(mails: Sequence[Mail], selection: Selection, desk: Desk) -> tuple[Mail, ...]:
    """The newest, with its text, of everyone who asks in words of their own."""
    others = [mail for mail in mails if mail.sender and mail.sender.email not in desk.me and not mail.bulk]
    read = [await _text_of(others[n : n + TOGETHER], desk) for n in range(0, len(others), TOGETHER)]
    asking = [mail for some in read for mail in some if asks(mail, selection.words, about=selection.asks == "about")]
    newest: dict[str, Mail] = {}
    for mail in sorted(asking, key=lambda one: one.date, reverse=True):
        newest.setdefault(mail.sender.email if mail.sender else "", mail)
    return tuple(newest.values())


async def _text_of(mails: Sequence[Mail], desk: Desk) -> tuple[Mail, ...]:
    return tuple(await asyncio.gather(*(desk.readers.mail.get(mail.ref) for mail in mails)))


def asks(mail: Mail, topic: Sequence[str], *, about: bool = False) -> bool:
    """Whether the mail's own words ask for this, in one sentence or where its subject names it; or ask anything `about` it."""
    said = sentences(own_words(mail.body, mail.sender.name if mail.sender else ""))
    named = resembles(topic, mail.subject)
    for sentence in (mail.subject, *said):
        asked = cues.is_question(sentence) or cues.is_request(sentence) or bool(ASKING.search(sentence))
        if asked and (named or resembles(topic, sentence)) and (about or GETTING.search(sentence) or ASKING.search(sentence)):
            return True
    return False


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
