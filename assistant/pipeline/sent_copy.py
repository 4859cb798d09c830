"""After a write its provider's own copy is read, by the account's reader and not by what has written it, and compared with what was
approved. Whatever it comes to, the write is not repeated for it."""

import asyncio
import logging
from collections.abc import Sequence

from integrations.actions import Action, CancelEvent, CreateEvent, Receipt, SaveDraft, SendMail, UpdateEvent
from integrations.common import as_approved
from integrations.registry import Account
from integrations.types import Attachment, EventRef, MailRef

PATIENCE = 10.0
"""Seconds for which the copy is waited for."""

log = logging.getLogger(__name__)


async def compared(account: Account, action: Action, receipt: Receipt) -> Receipt:
    """With what the copy has otherwise, beside what the writer itself has found. What can't be looked at changes nothing."""
    try:
        async with asyncio.timeout(PATIENCE):
            clauses = await _differences(account, action, receipt)
    except Exception as error:
        log.info("The copy of what was written in %s could not be looked at: %s", account.config.name, type(error).__name__)
        return receipt
    differs = as_approved.told(filter(None, (*clauses, receipt.differs)))
    return receipt.model_copy(update={"differs": differs}) if differs else receipt


async def _differences(account: Account, action: Action, receipt: Receipt) -> tuple[str, ...]:
    if isinstance(action, SendMail | SaveDraft) and receipt.id:
        mail = await account.readers.mail.get(MailRef(account=action.account, id=receipt.id))
        return as_approved.of_mail(action, as_approved.copy_of(mail), await _forwarded(account, action.forward_of))
    if isinstance(action, CreateEvent | UpdateEvent) and (ref := _event(action, receipt)):
        event = await account.readers.calendar.get(ref)
        return as_approved.of_event(action, event, account.config.address)
    return ()


async def _forwarded(account: Account, ref: MailRef | None) -> Sequence[Attachment]:
    return (await account.readers.mail.get(ref)).attachments if ref else ()


def _event(action: CreateEvent | UpdateEvent, receipt: Receipt) -> EventRef | None:
    """The receipt of a new one names it in what takes it back, its calendar included."""
    if isinstance(action, UpdateEvent):
        return action.event.model_copy(update={"etag": ""})
    return next((undo.event for undo in receipt.undo if isinstance(undo, CancelEvent)), None)
