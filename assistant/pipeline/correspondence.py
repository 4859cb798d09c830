"""What a draft rests on besides the user's words, gathered through readers: how they write, and what else the thread asks."""

import asyncio
from collections.abc import Sequence

from assistant.drafting.asks import unanswered
from assistant.drafting.voice import voice_of
from assistant.reasoning.base import Setting
from assistant.values import Brief
from integrations.errors import IntegrationError
from integrations.readers import MailReader
from integrations.types import SENT, Address, Mail, MailQuery

TO_THEM, TO_ANYBODY = 15, 45
"""Mails that the user's voice is read off, at most."""


async def in_own_voice(brief: Brief, mail: MailReader, setting: Setting) -> Brief:
    """Without a voice where the sent mails can't be read: then what is usual is written."""
    to = brief.to or ((brief.answering.sender,) if brief.answering and brief.answering.sender else ())
    try:
        sent = await _sent(mail, to)
    except IntegrationError:
        return brief
    return brief.model_copy(update={"voice": voice_of(sent, to, setting.me, brief.answering)})


async def _sent(mail: MailReader, to: Sequence[Address]) -> tuple[Mail, ...]:
    """With bodies, newest first."""
    emails = tuple(one.email for one in to)
    queries = [MailQuery(folders=(SENT,), recipient=emails, limit=TO_THEM)] if emails else []
    queries.append(MailQuery(folders=(SENT,), limit=TO_ANYBODY))
    pages = await asyncio.gather(*(mail.search(query) for query in queries))
    found = {one.ref.id: one for page in pages for one in page.items}
    whole = await asyncio.gather(*(_whole(mail, one) for one in found.values()))
    return tuple(sorted(whole, key=lambda one: one.date, reverse=True))


async def _whole(mail: MailReader, found: Mail) -> Mail:
    try:
        return found if found.body else await mail.get(found.ref)
    except IntegrationError:
        return found


async def unanswered_before(answering: Mail | None, mail: MailReader, setting: Setting) -> tuple[Mail, ...]:
    """The other mails of the thread that nobody answered yet, oldest first."""
    if answering is None or not answering.thread:
        return ()
    try:
        thread = await mail.thread(answering.thread)
    except IntegrationError:
        return ()
    me = frozenset(address.email for address in setting.me)
    return tuple(one for one in unanswered(thread, me) if one.ref.id != answering.ref.id and one.date <= answering.date)
