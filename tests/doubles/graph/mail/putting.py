"""Puts mails into an emulated mailbox, as other programs would."""

from doubles.graph.mail.mailbox import Mailbox

from integrations.types import ARCHIVE, DRAFTS, INBOX, OUTBOX, SENT, TRASH

KNOWN = {INBOX: "inbox", SENT: "sentitems", DRAFTS: "drafts", OUTBOX: "outbox", ARCHIVE: "archive", TRASH: "deleteditems"}


def deliver(mailbox: Mailbox, raw: bytes, folder: str = INBOX, *, seen: bool = False, flagged: bool = False) -> str:
    """Gives the mail's immutable id. Other folders lie below the top, and are made where they are missing."""
    place = KNOWN.get(folder) or mailbox.folder(folder).id
    return mailbox.deliver(raw, place, seen=seen, flagged=flagged)
