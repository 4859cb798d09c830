"""Ranks mails by what their whole text asks, for the chat, the day at a glance and briefings alike."""

import asyncio
from collections.abc import Mapping, Sequence
from datetime import datetime

from assistant.agents.base import Desk
from assistant.agents.report import Notes
from assistant.agents.trying import attempted
from assistant.attention import Ranked, by_machine, is_answered, rank_mails
from integrations.types import Mail

MOST_READ, MOST_READ_AT_ONCE = 60, 20
"""Mails whose text is read, the newest ones, and so many where somebody waits for it; the others are ranked by their beginning."""
WHOLE = 150
"""Characters: a beginning that is shorter is the whole mail."""


async def ranked(
    mails: Sequence[Mail], known: frozenset[str], answered: Mapping[str, datetime], desk: Desk, most: int = MOST_READ
) -> tuple[Ranked, ...]:
    """As `rank_mails`; some of the mails come back with their text."""
    open_ones = [mail for mail in mails if not (is_answered(mail, answered) or mail.bulk or by_machine(mail))]
    texts = {(mail.account, mail.id): mail for mail in await whole(open_ones, desk, most)}
    read = [texts.get((mail.account, mail.id), mail) for mail in mails]
    return rank_mails(read, me=desk.me, known=known, answered=answered, now=desk.setting.now)


async def whole(mails: Sequence[Mail], desk: Desk, most: int = MOST_READ) -> tuple[Mail, ...]:
    """With their text where the beginning is not all of it, as far as they can be read just now."""
    longer = [at for at, mail in enumerate(mails) if len(mail.snippet) >= WHOLE and not mail.body][:most]
    read = await asyncio.gather(*(attempted(desk.readers.mail.get(mails[at].ref), mails[at], Notes()) for at in longer))
    texts = dict(zip(longer, read, strict=True))
    return tuple(texts.get(at, mail) for at, mail in enumerate(mails))


def without_text(mail: Mail) -> Mail:
    return mail.model_copy(update={"body": ""}) if mail.body else mail
