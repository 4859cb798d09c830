"""Writing mail at any IMAP server, and sending it by the outgoing server that belongs to it."""

import asyncio
from collections.abc import Callable
from contextlib import suppress
from datetime import datetime
from functools import partial

from integrations.actions import DeleteDraft, MailAction, MarkMail, MoveMail, Receipt, SaveDraft, SendMail
from integrations.common.mail_building import build_message, message_id
from integrations.common.mime import Parsed, read_message
from integrations.common.remote import after_the_write
from integrations.errors import Conflict, IntegrationError, NotFound
from integrations.standards.imap.folders import SPECIAL, Folder
from integrations.standards.imap.imap import Imap
from integrations.standards.imap.session import Session
from integrations.standards.mailbox.ids import FLAGGED, SEEN, etag, parts_of, state_of
from integrations.standards.mailbox.locating import GONE, Found, alike, identify, locate
from integrations.standards.mailbox.places import Places
from integrations.standards.sending.filing import SentMail
from integrations.standards.sending.own_mails import Copy, append, copies, first_of, flags_now, folder_for
from integrations.standards.sending.sending import Sending
from integrations.types import DRAFTS, OUTBOX, SENT, TRASH, MailRef

OUTBOX_NOTE = "Put into the Outbox; this account has no outgoing server, so your mail program sends it."
DELETED = "The draft is gone; whether it was deleted or sent does not show any more."
FORWARDED = "$Forwarded"
_SYSTEM = {SEEN: "\\Seen", FLAGGED: "\\Flagged"}


class StandardsMailWriter:
    """`sending` is None where there is no outgoing server."""

    def __init__(
        self,
        imap: Imap,
        places: Places,
        sending: Sending | None,
        *,
        account: str,
        owner: str,
        name: str = "",
        clock: Callable[[], datetime],
    ) -> None:
        self._imap, self._places, self._sending = imap, places, sending
        self._account, self._owner, self._name, self._clock = account, owner, name, clock

    async def execute(self, action: MailAction, key: str) -> Receipt:
        match action:
            case SendMail() if self._sending is not None:
                return await self._send(self._sending, action, key)
            case SendMail() | SaveDraft():
                return await self._written(action, key, *self._places_for(action)) or await self._write(action, key)
            case _:
                return await self._imap.write(lambda session: self._change(session, action, key))

    async def find(self, action: MailAction, key: str) -> Receipt | None:
        match action:
            case SendMail() if self._sending is not None:
                sent = await self._sending.settle(key)
                return self._sent(action, key, sent) if sent else None
            case SendMail() | SaveDraft():
                return await self._written(action, key)
            case _:
                return await self._imap.read(lambda session: self._changed_already(session, action, key))

    # Sending and drafts ----------------------------------------------------------------------------------------------

    async def _send(self, sending: Sending, action: SendMail, key: str) -> Receipt:
        raw = await self._built(action, key)
        recipients = [address.email for address in (*action.to, *action.cc, *action.bcc)]
        sent = await sending.send(raw, key, recipients)
        noted = await self._note_on_originals(action)
        return self._sent(action, key, sent).model_copy(update={"changed": noted})

    def _sent(self, action: SendMail, key: str, mail: SentMail) -> Receipt:
        return Receipt(action=action.kind, account=self._account, key=key, id=mail.id, etag=mail.etag, note=mail.note)

    def _places_for(self, action: SendMail | SaveDraft) -> tuple[str, ...]:
        """Where one of this key most likely lies, if any does."""
        return (OUTBOX, SENT) if isinstance(action, SendMail) else (DRAFTS, SENT)

    async def _written(self, action: SendMail | SaveDraft, key: str, *folders: str) -> Receipt | None:
        """In these folders, or wherever a mail program has put it since."""
        own_id = message_id(key, self._owner)

        def work(session: Session) -> Receipt | None:
            found = copies(session, own_id, *folders)
            return self._write_receipt(session, action, key, found[0]) if found else None

        return await self._imap.read(work)

    async def _write(self, action: SendMail | SaveDraft, key: str) -> Receipt:
        raw = await self._built(action, key)
        sends = isinstance(action, SendMail)
        name, flags = (OUTBOX, ("\\Seen",)) if sends else (DRAFTS, ("\\Draft", "\\Seen"))

        def work(session: Session) -> Receipt:
            own_id = message_id(key, self._owner)
            written = append(session, name, raw, own_id, flags, self._clock())
            with after_the_write(self._account):
                return self._write_receipt(session, action, key, first_of(session, written, own_id))

        receipt = await self._imap.write(work)
        return receipt.model_copy(update={"changed": await self._note_on_originals(action)}) if sends else receipt

    def _write_receipt(self, session: Session, action: SendMail | SaveDraft, key: str, copy: Copy) -> Receipt:
        """A mail that still waits in the Outbox can be taken out of it."""
        tag = etag(copy.folder.name, copy.flags)
        ref = MailRef(account=self._account, id=identify(session, self._places, copy.folder, copy.uid), etag=tag)
        receipt = Receipt(action=action.kind, account=self._account, key=key, id=ref.id, etag=tag)
        if isinstance(action, SaveDraft):
            return receipt.model_copy(update={"undo": (DeleteDraft(account=self._account, mail=ref),)})
        waits = copy.folder.name == OUTBOX
        undo = (MoveMail(account=self._account, mail=ref, folder=TRASH),) if waits else ()
        return receipt.model_copy(update={"note": OUTBOX_NOTE, "undo": undo})

    async def _built(self, action: SendMail | SaveDraft, key: str) -> bytes:
        answered = await self._original(action.reply_to, "HEADER") if action.reply_to else None
        forwarded = await self._original(action.forward_of, "") if action.forward_of else None
        return await asyncio.to_thread(self._build, action, key, answered, forwarded)

    def _build(self, action: SendMail | SaveDraft, key: str, answered: bytes | None, forwarded: bytes | None) -> bytes:
        answers: Parsed | None = read_message(answered) if answered is not None else None
        return build_message(
            action, key=key, owner=self._owner, name=self._name, now=self._clock(), answers=answers, forwards=forwarded
        )

    async def _original(self, ref: MailRef, section: str) -> bytes:
        def work(session: Session) -> bytes:
            found = locate(session, self._places, ref.id, ref.etag)
            rows = session.fetch([found.uid], f"(UID BODY.PEEK[{section}])").rows
            content = rows[-1].get(f"BODY[{section}]") if rows else None
            if not isinstance(content, bytes):
                raise NotFound(GONE, self._account)
            return content

        return await self._imap.read(work)

    async def _note_on_originals(self, action: SendMail | SaveDraft) -> tuple[MailRef, ...]:
        """Marks what was answered or forwarded. The mail has gone out by now, so a failure here is none. What had been changed
        since it was read is not told as changed by this."""
        noted: list[MailRef] = []
        for ref, flag in ((action.reply_to, "\\Answered"), (action.forward_of, FORWARDED)):
            if ref is not None:
                with suppress(IntegrationError):
                    noted += await self._imap.write(partial(self._note, ref, flag))
        return tuple(noted)

    def _note(self, ref: MailRef, flag: str, session: Session) -> list[MailRef]:
        found = locate(session, self._places, ref.id, ref.etag)
        if session.open(found.folder, writing=True).keywords or flag.startswith("\\"):
            session.store([found.uid], "+FLAGS", [flag])
        return [self._ref(found)] if ref.etag in ("", _tag(found)) else []

    # Changes ---------------------------------------------------------------------------------------------------------

    def _change(self, session: Session, action: MarkMail | MoveMail | DeleteDraft, key: str) -> Receipt:
        found = locate(session, self._places, action.mail.id, action.mail.etag)
        if not isinstance(action, DeleteDraft) and (already := self._already(session, action, key, found)):
            return already
        if action.mail.etag not in ("", _tag(found)):
            raise Conflict("The mail was moved or marked since it was read.", self._account)
        match action:
            case MarkMail():
                return self._mark(session, action, key, found)
            case MoveMail():
                return self._move(session, action, key, found, self._target(session, action.folder))
            case DeleteDraft() if found.folder.name != DRAFTS:
                raise Conflict("That mail is not a draft any more.", self._account)
            case DeleteDraft():
                return self._move(session, action, key, found, folder_for(session, TRASH))

    def _mark(self, session: Session, action: MarkMail, key: str, found: Found) -> Receipt:
        session.open(found.folder, writing=True)
        marks = _marks(action)
        (sign, flags), *more = _changes(marks)
        if session.store([found.uid], sign, flags, unchanged_since=found.modseq):
            raise Conflict("The mail was marked by somebody else just now.", self._account)
        with after_the_write(self._account):
            for sign, flags in more:
                session.store([found.uid], sign, flags)
            if flags_now(session, Copy(found.folder, 0, found.uid)) is None:
                raise NotFound(GONE, self._account)
        kept, added = found.flags - marks.keys(), {flag for flag, is_on in marks.items() if is_on}
        marked = found._replace(flags=kept | added)
        return self._receipt(action, key, marked, _unmark(action, self._ref(marked), _tag(found)))

    def _target(self, session: Session, name: str) -> Folder:
        """Special ones are made where they are missing; the others must be there."""
        folders = session.folders()
        if folder := folders.named(name) or session.folders(fresh=True).named(name):
            return folder
        special = next((one for one in SPECIAL if one.casefold() == name.casefold()), None)
        if special is None:
            there = ", ".join(folder.name for folder in folders.all)
            raise NotFound(f"There is no mail folder called {name!r}; there are: {there}.", self._account)
        return folder_for(session, special)

    def _move(self, session: Session, action: MoveMail | DeleteDraft, key: str, found: Found, to: Folder) -> Receipt:
        moved = self._moved_by_half(session, found, to)
        session.open(found.folder, writing=True)
        if moved:
            session.expunge(found.uid)
        else:
            uid = session.move(found.uid, to)
            with after_the_write(self._account):
                moved = self._arrived(session, found, to, uid)
        return self._receipt(action, key, moved, self._move_back(moved, found.folder.name))

    def _arrived(self, session: Session, found: Found, to: Folder, uid: int | None) -> Found:
        """Servers call it well done, too, where there was nothing to be moved any more."""
        if uid is not None:
            return found._replace(folder=to, uid=uid, id=identify(session, self._places, to, uid))
        if moved := self._lying_in(session, found, to):
            return moved
        raise NotFound(GONE, self._account)

    def _moved_by_half(self, session: Session, found: Found, to: Folder) -> Found | None:
        """A server that can't move copies first; what was broken off after that is brought to its end."""
        return None if "MOVE" in session.capabilities or to == found.folder else self._lying_in(session, found, to)

    def _lying_in(self, session: Session, found: Found, folder: Folder) -> Found | None:
        parts = parts_of(found.id)
        uid = alike(session, self._places, folder, {found.id: parts}).get(found.id) if parts else None
        return found._replace(folder=folder, uid=uid) if uid is not None else None

    # What was done already -------------------------------------------------------------------------------------------

    def _changed_already(self, session: Session, action: MarkMail | MoveMail | DeleteDraft, key: str) -> Receipt | None:
        try:
            found = locate(session, self._places, action.mail.id)
        except NotFound:
            gone = self._receipt(action, key).model_copy(update={"note": DELETED})
            return gone if isinstance(action, DeleteDraft) else None
        return self._already(session, action, key, found)

    def _already(self, session: Session, action: MarkMail | MoveMail | DeleteDraft, key: str, found: Found) -> Receipt | None:
        """The receipt where everything is as it should be, whoever saw to it."""
        before = action.mail.etag
        if isinstance(action, MarkMail):
            if any((flag in found.flags) is not on for flag, on in _marks(action).items()):
                return None
            undo = _unmark(action, self._ref(found), before) if before else None
            return self._receipt(action, key, found, undo)
        target = action.folder if isinstance(action, MoveMail) else TRASH
        if found.folder.name.casefold() != target.casefold():
            return None
        return self._receipt(action, key, found, self._move_back(found, state_of(before)[0]))

    def _move_back(self, moved: Found, folder: str) -> MoveMail | None:
        """Nothing where the mail was there already, or where it was is not known."""
        if not folder or folder == moved.folder.name:
            return None
        return MoveMail(account=self._account, mail=self._ref(moved), folder=folder)

    def _ref(self, found: Found) -> MailRef:
        return MailRef(account=self._account, id=found.id, etag=_tag(found))

    def _receipt(
        self, action: MailAction, key: str, found: Found | None = None, undo: MarkMail | MoveMail | None = None
    ) -> Receipt:
        receipt = Receipt(action=action.kind, account=self._account, key=key, undo=(undo,) if undo else ())
        return receipt.model_copy(update={"id": found.id, "etag": _tag(found)}) if found else receipt


def _tag(found: Found) -> str:
    return etag(found.folder.name, found.flags)


def _marks(action: MarkMail) -> dict[str, bool]:
    return {flag: on for flag, on in ((SEEN, action.seen), (FLAGGED, action.flagged)) if on is not None}


def _changes(marks: dict[str, bool]) -> list[tuple[str, list[str]]]:
    """As they are stored; first what is to be set."""
    on = [_SYSTEM[flag] for flag, is_on in marks.items() if is_on]
    off = [_SYSTEM[flag] for flag, is_on in marks.items() if not is_on]
    return [change for change in (("+FLAGS", on), ("-FLAGS", off)) if change[1]]


def _unmark(action: MarkMail, ref: MailRef, before: str) -> MarkMail | None:
    letters = state_of(before)[1]

    def earlier(wanted: bool | None, letter: str) -> bool | None:
        was = letter in letters
        return None if wanted is None or wanted == was else was

    seen, flagged = earlier(action.seen, "S"), earlier(action.flagged, "F")
    return None if seen is None and flagged is None else MarkMail(account=ref.account, mail=ref, seen=seen, flagged=flagged)
