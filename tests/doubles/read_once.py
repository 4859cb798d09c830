"""Most tests open an account with the same mails and cards; in one process each of them is parsed once. The same bytes are always
read as the same value, and nothing can change that value."""

from collections.abc import Callable
from functools import lru_cache

from integrations.common.contentline import Block, render
from integrations.common.mime import Parsed
from integrations.common.vcard import Card
from integrations.local import contacts, mail_index

LONGEST, MOST = 20_000, 5_000
"""The octets of a mail and the number of mails or cards that are kept."""


def remember(setattr: Callable[[object, str, object], None]) -> None:
    """What the folders on disk hold, by a test's `setattr`."""
    setattr(mail_index, "read_message", _mails(mail_index.read_message))
    setattr(contacts, "read_card", _cards(contacts.read_card))


def _mails(read: Callable[[bytes], Parsed]) -> Callable[[bytes], Parsed]:
    kept = lru_cache(MOST)(read)
    return lambda raw: kept(raw) if len(raw) <= LONGEST else read(raw)


def _cards(read: Callable[[Block], Card]) -> Callable[[Block], Card]:
    kept: dict[str, Card] = {}

    def card(block: Block) -> Card:
        written = render([block], "\n")
        if len(written) > LONGEST:
            return read(block)
        if written not in kept and len(kept) < MOST:
            kept[written] = read(block)
        return kept[written] if written in kept else read(block)

    return card
