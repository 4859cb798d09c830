"""A mail on its way, at the server: it lies in Drafts before anything goes out, is marked before its text does, and moves to Sent.

Whoever asks later reads off where it was broken off. Two who are at the same mail never both go on: each writes first, its draft or
its flag, and then looks for the other's. Blocking, within a piece of work of Imap's."""

from contextlib import suppress
from datetime import datetime

from integrations.common.remote import Unreached, after_the_write
from integrations.errors import IntegrationError, InvalidResponse, NotFound, Unavailable
from integrations.standards.imap.session import Session
from integrations.standards.mailbox.ids import DELETED
from integrations.standards.sending.own_mails import (
    DRAFT,
    Copy,
    append,
    copies,
    flags_now,
    folder_for,
    move,
    open_at,
    remove,
    unflag,
)
from integrations.types import DRAFTS, SENT

PENDING, SUBMITTED, FLAGGED = "$submitpending", "$submitted", "\\flagged"
"""RFC 5550's words for: its text is about to go out, and: the outgoing server has it. A server that keeps no such words keeps a
flag in place of the first."""
_SAID = {PENDING: "$SubmitPending", SUBMITTED: "$Submitted", FLAGGED: "\\Flagged"}
LEAVING = "This mail is just being sent."


def lay_down(session: Session, raw: bytes, message_id: str, date: datetime | None) -> Copy:
    """Raises Unavailable where somebody else has come so far with the same mail that it may leave."""
    draft = append(session, DRAFTS, raw, message_id, ("\\Draft", "\\Seen"), date)
    with after_the_write(session.server.account):
        try:
            for earlier in copies(session, message_id, DRAFTS, deleted=True):
                if earlier.uid < draft.uid:  # a later one finds ours
                    withdraw(session, earlier)
            if copies(session, message_id, SENT):
                raise Unavailable(LEAVING, session.server.account)
        except IntegrationError:
            remove(session, draft)
            raise
    return draft


def mark(session: Session, draft: Copy) -> Copy:
    """As about to be sent. Raises Unreached where it must not be: somebody has taken it away, or no mark stays."""
    account = session.server.account
    try:
        keywords = session.open(draft.folder, writing=True).keywords
        open_at(session, draft)
        for sign in (PENDING, FLAGGED) if keywords else (FLAGGED,):
            with suppress(InvalidResponse):  # it may bear no more words than it has
                session.store([draft.uid], "+FLAGS", [_SAID[sign]])
            flags = flags_now(session, draft)
            if flags is None:
                raise Unreached("The draft was taken away before it was sent.", account)
            if sign in flags:
                return draft._replace(flags=flags)
    except NotFound as gone:
        raise Unreached("The draft was gone before it was sent.", account) from gone
    raise Unreached(f"{session.server.host} keeps no note of what is being sent, so it was not sent.", account)


def note_submitted(session: Session, draft: Copy) -> None:
    if PENDING in draft.flags:
        open_at(session, draft)
        session.store([draft.uid], "+FLAGS", [_SAID[SUBMITTED]])


def may_have_left(draft: Copy) -> bool:
    return bool(draft.flags & {PENDING, FLAGGED})


def withdraw(session: Session, draft: Copy) -> None:
    """Raises Unavailable where its text has begun to go out meanwhile."""
    open_at(session, draft)
    session.store([draft.uid], "+FLAGS", ["\\Deleted"])
    rows = session.fetch([draft.uid], "(UID FLAGS)").rows
    if any(may_have_left(draft._replace(flags=frozenset(map(str.lower, row["FLAGS"])))) for row in rows):
        session.store([draft.uid], "-FLAGS", ["\\Deleted"])
        raise Unavailable(LEAVING, session.server.account)
    remove(session, draft)


def discard(session: Session, draft: Copy) -> None:
    """It has not left, and no longer will. Its mark goes first: some servers only keep it as deleted."""
    with suppress(NotFound):
        open_at(session, draft)
        flags = flags_now(session, draft)
        if flags is not None:
            remove(session, unflag(session, draft._replace(flags=flags), (PENDING, FLAGGED)))


def file(session: Session, message_id: str) -> tuple[Copy | None, bool]:
    """A mail that has left, in Sent, once; and whether it lay there already. None where there is nothing of it any more."""
    already, drafts = copies(session, message_id, SENT), copies(session, message_id, DRAFTS, deleted=True)
    moved = None
    for draft in drafts:
        if already or moved:
            remove(session, draft)
        else:
            moved = move(session, draft, folder_for(session, SENT), message_id)
    filed = next(iter(already), moved)
    if filed and DRAFT in filed.flags:
        filed = unflag(session, filed, (DRAFT, PENDING, SUBMITTED, FLAGGED, DELETED))
    return filed, bool(already)
