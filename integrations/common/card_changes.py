"""What is written of vCards, and whether it was."""

from datetime import datetime

from integrations.actions import UpdateContact
from integrations.common.contentline import Block, render
from integrations.common.vcard import CardFile, read_card, update_card
from integrations.errors import InvalidResponse

CHANGED = "This contact was changed since it was read."
GONE = "This contact does not exist any more."


def only(vcf: str) -> Block:
    cards = CardFile(vcf.encode()).cards
    if len(cards) != 1:
        raise InvalidResponse("Exactly one contact was expected.")
    return cards[0]


def checked(card: Block) -> None:
    """Reads what is about to be written once more, as any program would."""
    read_card(only(render([card])))


def would_change_nothing(card: Block, action: UpdateContact, now: datetime) -> bool:
    again = card.copy()
    update_card(again, action, now=now)
    return read_card(again) == read_card(card)


def same(one: Block, other: Block) -> bool:
    """Whether they say the same, in whatever order, and whenever and with whatever program they were written."""
    return _said(one) == _said(other)


def _said(card: Block) -> list[str]:
    return sorted(line.text for line in card.without("REV", "PRODID").lines)
