"""Writing mail into a Maildir++. Nothing is sent from here: what is to go out waits in the Outbox for the user's mail program."""

import asyncio
import socket
import threading
from collections.abc import Callable
from contextlib import suppress
from datetime import datetime
from pathlib import Path
from typing import TypeVar

from integrations.actions import DeleteDraft, MailAction, MarkMail, MoveMail, Receipt, SaveDraft, SendMail
from integrations.common.mail_building import build_message, message_id
from integrations.common.mime import Parsed, read_message
from integrations.errors import Conflict, IntegrationError, NotFound
from integrations.local import maildir
from integrations.local.disk import on_behalf_of, reading
from integrations.local.mail_index import MailIndex
from integrations.local.maildir import Located
from integrations.types import DRAFTS, OUTBOX, TRASH, MailRef

R = TypeVar("R")
OUTBOX_NOTE = "Put into the Outbox; this account has no outgoing server, so your mail program sends it."


class LocalMailWriter:
    def __init__(self, index: MailIndex, *, account: str, owner: str, clock: Callable[[], datetime], name: str = "") -> None:
        self._index = index
        self._account = account
        self._owner, self._name = owner, name
        self._clock = clock
        self._lock = threading.Lock()

    async def execute(self, action: MailAction, key: str) -> Receipt:
        return await asyncio.to_thread(self._locked, self._execute, action, key)

    async def find(self, action: MailAction, key: str) -> Receipt | None:
        return await asyncio.to_thread(self._locked, self._find, action, key)

    def _locked(self, work: Callable[[MailAction, str], R], action: MailAction, key: str) -> R:
        with self._lock, on_behalf_of(self._account, self._index.root):
            return work(action, key)

    def _execute(self, action: MailAction, key: str) -> Receipt:
        self._index.standing.refuse()
        match action:
            case SendMail() | SaveDraft():
                return self._written(action, key) or self._write(action, key)
            case DeleteDraft():
                mail = self._current(action.mail)
                if mail.folder.name != DRAFTS:
                    raise Conflict("That mail is not a draft any more.")
                return self._move(action, key, mail, TRASH)
            case MoveMail():
                return self._find(action, key) or self._move(action, key, self._current(action.mail), action.folder)
            case MarkMail():
                return self._find(action, key) or self._mark(action, key)

    def _find(self, action: MailAction, key: str) -> Receipt | None:
        if isinstance(action, SendMail | SaveDraft):
            return self._written(action, key)
        try:
            mail = self._index.locate(action.mail.id)
        except NotFound:
            return self._receipt(action, key) if isinstance(action, DeleteDraft) else None
        folder, flags = maildir.state_of(action.mail.etag)
        if isinstance(action, MarkMail):
            marked = maildir.etag("", _marked(mail.flags, action)) == maildir.etag("", mail.flags)
            undo = self._unmark(action, mail, flags) if folder else ()
            return self._receipt(action, key, mail, *undo) if marked else None
        target = action.folder if isinstance(action, MoveMail) else TRASH
        if mail.folder.name.lower() != target.lower():
            return None
        return self._receipt(action, key, mail, *self._move_back(mail, folder))

    # Sending and drafts ----------------------------------------------------------------------------------------------

    def _written(self, action: SendMail | SaveDraft, key: str) -> Receipt | None:
        """The receipt if a mail of this key lies in any folder, wherever a mail program has put it since."""
        rows = self._index.by_message_id(message_id(key, self._owner))
        return self._write_receipt(action, key, rows[0]["id"], rows[0]["etag"]) if rows else None

    def _write(self, action: SendMail | SaveDraft, key: str) -> Receipt:
        now = self._clock()
        raw = build_message(
            action,
            key=key,
            owner=self._owner,
            name=self._name,
            now=now,
            answers=self._answered(action.reply_to) if action.reply_to else None,
            forwards=self._raw(action.forward_of) if action.forward_of else None,
        )
        sends = isinstance(action, SendMail)
        folder = maildir.folder_for(self._index.root, OUTBOX if sends else DRAFTS)
        host = socket.gethostname().replace("/", "_").replace(":", "_")
        mail = maildir.deliver(folder, f"{int(now.timestamp())}.{key}.{host}", "S" if sends else "DS", raw)
        noted = self._note_on_original(action) if sends else ()
        return self._write_receipt(action, key, mail.id, mail.etag).model_copy(update={"changed": noted})

    def _write_receipt(self, action: SendMail | SaveDraft, key: str, mail_id: str, etag: str) -> Receipt:
        """A mail that still waits in the Outbox can be taken out of it."""
        ref = MailRef(account=self._account, id=mail_id, etag=etag)
        receipt = Receipt(action=action.kind, account=self._account, key=key, id=mail_id, etag=etag)
        if isinstance(action, SaveDraft):
            return receipt.model_copy(update={"undo": (DeleteDraft(account=self._account, mail=ref),)})
        waits = maildir.state_of(etag)[0] == OUTBOX
        undo = (MoveMail(account=self._account, mail=ref, folder=TRASH),) if waits else ()
        return receipt.model_copy(update={"note": OUTBOX_NOTE, "undo": undo})

    def _raw(self, ref: MailRef) -> bytes:
        path: Path = self._index.locate(ref.id).path
        with reading(path):
            try:
                return path.read_bytes()
            except FileNotFoundError:
                raise NotFound("The mail is no longer there.") from None

    def _answered(self, ref: MailRef) -> Parsed:
        return read_message(self._raw(ref))

    def _note_on_original(self, action: SendMail | SaveDraft) -> tuple[MailRef, ...]:
        """Marks what was answered or forwarded. The mail is written by now, so a failure here is none. What had been changed since
        it was read is not told as changed by this."""
        noted: list[MailRef] = []
        for ref, flag in ((action.reply_to, maildir.ANSWERED), (action.forward_of, maildir.PASSED)):
            if ref is not None:
                with suppress(IntegrationError):
                    mail = self._index.locate(ref.id)
                    marked = maildir.set_flags(mail, mail.flags + flag)
                    noted += [self._ref(marked)] if ref.etag in ("", mail.etag) else []
        return tuple(noted)

    # Changes ---------------------------------------------------------------------------------------------------------

    def _current(self, ref: MailRef) -> Located:
        mail = self._index.locate(ref.id)
        if ref.etag and ref.etag != mail.etag:
            raise Conflict("The mail was moved or marked since it was read.")
        return mail

    def _move(self, action: MoveMail | DeleteDraft, key: str, mail: Located, folder: str) -> Receipt:
        moved = maildir.move(mail, maildir.folder_for(self._index.root, folder))
        return self._receipt(action, key, moved, *self._move_back(moved, mail.folder.name))

    def _mark(self, action: MarkMail, key: str) -> Receipt:
        mail = self._current(action.mail)
        marked = maildir.set_flags(mail, _marked(mail.flags, action))
        return self._receipt(action, key, marked, *self._unmark(action, marked, mail.flags))

    def _ref(self, mail: Located) -> MailRef:
        return MailRef(account=self._account, id=mail.id, etag=mail.etag)

    def _move_back(self, mail: Located, folder: str) -> tuple[MoveMail, ...]:
        """Nothing where the mail was there already, or where it was is not known."""
        if not folder or folder == mail.folder.name:
            return ()
        return (MoveMail(account=self._account, mail=self._ref(mail), folder=folder),)

    def _unmark(self, action: MarkMail, mail: Located, before: str) -> tuple[MarkMail, ...]:
        def earlier(wanted: bool | None, flag: str) -> bool | None:
            was = flag in before
            return None if wanted is None or wanted == was else was

        seen, flagged = earlier(action.seen, maildir.SEEN), earlier(action.flagged, maildir.FLAGGED)
        if seen is None and flagged is None:
            return ()
        return (MarkMail(account=self._account, mail=self._ref(mail), seen=seen, flagged=flagged),)

    def _receipt(self, action: MailAction, key: str, mail: Located | None = None, *undo: MoveMail | MarkMail) -> Receipt:
        return Receipt(
            action=action.kind,
            account=self._account,
            key=key,
            id=mail.id if mail else "",
            etag=mail.etag if mail else "",
            undo=undo,
        )


def _marked(flags: str, action: MarkMail) -> str:
    for wanted, flag in ((action.seen, maildir.SEEN), (action.flagged, maildir.FLAGGED)):
        if wanted is not None:
            flags = flags.replace(flag, "") + (flag if wanted else "")
    return flags
