"""Marking, archiving, trashing and putting back."""

from collections.abc import Callable

from assistant.agents.base import Desk, Handler
from assistant.agents.mails import mails_to_change, select_mails
from assistant.agents.report import AlreadySo, Notes
from assistant.agents.words import mail_label
from assistant.reasoning.calls import Call, Selection
from assistant.values import Data, Proposal
from integrations.actions import DeleteDraft, MailAction, MarkMail, MoveMail
from integrations.types import ARCHIVE, DRAFTS, INBOX, TRASH, Mail

Change = Callable[[Mail], MailAction | None]
"""None where the mail is so already."""


def _filed(verb: str, already: str, change: Change, folder: str = "") -> Handler:
    async def handle(call: Call, desk: Desk, notes: Notes) -> Data:
        select = call.select
        if folder and not select.folder and not select.refs:
            select = await _where_it_lies(select, folder, desk)
        mails = await mails_to_change(select, desk, notes, received=not folder)
        changes = [(mail, action) for mail in mails if (action := change(mail)) is not None]
        if not changes:
            which = f"{mail_label(mails[0], desk.setting.now)}, is" if len(mails) == 1 else "All of these are"
            raise AlreadySo(f"{which} {already} already.", mails)
        if len(changes) < len(mails):
            notes.caution(f"{len(mails) - len(changes)} of {len(mails)} are already {already}")
        proposals = (
            Proposal(action=action, says=f"{verb} {mail_label(mail, desk.setting.now)}", before=mail) for mail, action in changes
        )
        return Data(kind="proposals", proposals=tuple(proposals))

    return handle


async def _where_it_lies(select: Selection, folder: str, desk: Desk) -> Selection:
    """What is put back comes from this folder, or where none of it lies there from the archive."""
    here, archived = (select.model_copy(update={"folder": name}) for name in (folder, ARCHIVE))
    if select.each or (await select_mails(here, desk, Notes())).items:
        return here
    return archived if (await select_mails(archived, desk, Notes())).items else here


def _seen(seen: bool) -> Change:
    def change(mail: Mail) -> MailAction | None:
        return MarkMail(account=mail.account, mail=mail.ref, seen=seen) if mail.unread == seen else None

    return change


def _flagged(flagged: bool) -> Change:
    def change(mail: Mail) -> MailAction | None:
        return MarkMail(account=mail.account, mail=mail.ref, flagged=flagged) if mail.flagged != flagged else None

    return change


def _into(folder: str) -> Change:
    def change(mail: Mail) -> MailAction | None:
        return MoveMail(account=mail.account, mail=mail.ref, folder=folder) if mail.folder != folder else None

    return change


def _trashed(mail: Mail) -> MailAction | None:
    return DeleteDraft(account=mail.account, mail=mail.ref) if mail.folder == DRAFTS else _into(TRASH)(mail)


mark_read = _filed("mark as read", "read", _seen(True))
mark_unread = _filed("mark as unread", "unread", _seen(False))
flag = _filed("flag", "flagged", _flagged(True))
unflag = _filed("unflag", "without a flag", _flagged(False))
archive = _filed("archive", "in the archive", _into(ARCHIVE))
trash = _filed("move to the trash", "in the trash", _trashed)
restore = _filed("put back into the inbox", "in the inbox", _into(INBOX), folder=TRASH)
