"""What is written of vCards, and whether it was."""

import re
from collections import Counter
from datetime import datetime

from integrations.actions import CreateContact, UpdateContact
from integrations.common.contentline import Block, lines_of, render
from integrations.common.people import email_address
from integrations.common.vcard import CardFile, read_card, text, update_card
from integrations.errors import InvalidResponse

CHANGED = "This contact was changed since it was read."
GONE = "This contact does not exist any more."
OF = {
    "name": ("FN", "N"),
    "nickname": ("NICKNAME",),
    "emails": ("EMAIL",),
    "phones": ("TEL",),
    "company": ("ORG",),
    "title": ("TITLE", "ROLE"),
    "groups": ("CATEGORIES",),
    "note": ("NOTE",),
}
"""The properties that say what a field does."""
_DIALLED = re.compile(r"[^\d+*#]")


def only(vcf: str) -> Block:
    cards = CardFile(vcf.encode()).cards
    if len(cards) != 1:
        raise InvalidResponse("Exactly one contact was expected.")
    return cards[0]


def checked(card: Block, action: CreateContact | UpdateContact, before: Block | None = None) -> None:
    """Reads what is about to be written once more, as any program would. InvalidResponse where it says anything else than what was
    approved; `before` is the card as it was, copied, None where it is new."""
    read = only(render([card]))
    read_card(read)
    touched = {field for field in OF if (getattr(action, field) if before is None else getattr(action, field) is not None)}
    touched |= {"name"} if before is None else set()
    wrong = {
        **{field: _says_otherwise(read, field, action, before) for field in touched},
        "properties": _has_come_or_gone(before, read, touched) or any(read.blocks) != any(before.blocks if before else ()),
    }
    if found := [what for what, is_wrong in wrong.items() if is_wrong]:
        raise InvalidResponse(f"The contact was not written: its {' and '.join(found)} would not be as approved.", action.account)


def _says_otherwise(read: Block, field: str, action: CreateContact | UpdateContact, before: Block | None) -> bool:
    there, wanted = [lines_of(text(line)) for line in read.all(OF[field][0])], getattr(action, field)
    if field == "emails":
        return {email_address(one) for one in there} != {email_address(one) for one in wanted if one.strip()}
    if field == "phones":
        return {_dialled(one) for one in there} != {_dialled(one) for one in wanted if one.strip()}
    if field == "groups" or (field == "name" and before is None and not wanted):
        return len(there) > 1
    if field == "title" and not there:
        there = [lines_of(text(line)) for line in read.all("ROLE")]
    return there != ([lines_of(wanted).strip()] if wanted else [])


def _has_come_or_gone(before: Block | None, read: Block, touched: set[str]) -> bool:
    """Whether anything has that belongs to none of these fields. What labels an address or a number may go along with it."""
    free = {name for field in touched for name in OF[field]} | {"REV", "UID"}
    was = Counter(line.text for line in before.lines if line.name not in free) if before else Counter[str]()
    now = Counter(line.text for line in read.lines if line.name not in free and (before or line.name != "VERSION"))
    gone = [line for line in was - now if not _is_label(line)]
    return bool(now - was) or bool(gone)


def _is_label(line: str) -> bool:
    return line.partition(".")[2].upper().startswith("X-AB")


def _dialled(phone: str) -> str:
    return _DIALLED.sub("", phone) or lines_of(phone).strip()


def would_change_nothing(card: Block, action: UpdateContact, now: datetime) -> bool:
    again = card.copy()
    update_card(again, action, now=now)
    return read_card(again) == read_card(card)


def same(one: Block, other: Block) -> bool:
    """Whether they say the same, in whatever order, and whenever and with whatever program they were written."""
    return _said(one) == _said(other)


def _said(card: Block) -> list[str]:
    return sorted(line.text for line in card.without("REV", "PRODID").lines)
