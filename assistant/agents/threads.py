"""Who has the last word in a thread."""

from collections.abc import Sequence
from datetime import datetime

from assistant.agents.base import Desk
from integrations.types import OUTBOX, Mail, MailQuery


async def unanswered(mails: Sequence[Mail], desk: Desk) -> tuple[Mail, ...]:
    """The newest mail of each thread that came to the user and that the user has not answered since."""
    theirs = [m for m in mails if m.sender and m.sender.email not in desk.me and not m.answered]
    if not theirs:
        return ()
    last = await last_words(desk, min(mail.date for mail in theirs))
    open_threads: dict[str, Mail] = {}
    for mail in sorted(theirs, key=lambda m: m.date, reverse=True):
        if mail.thread not in last or last[mail.thread] < mail.date:
            open_threads.setdefault(mail.thread or mail.id, mail)
    return tuple(open_threads.values())


async def last_words(desk: Desk, since: datetime) -> dict[str, datetime]:
    """When the user last wrote in each thread."""
    query = MailQuery(sender=tuple(sorted(desk.me)), since=since, folders=(), limit=1000)
    waiting = MailQuery(sender=query.sender, since=since, folders=(OUTBOX,), limit=1000)
    last: dict[str, datetime] = {}
    for asked in (query, waiting):
        for mail in (await desk.readers.mail.search(asked)).items:
            if mail.thread and mail.sender and mail.sender.email in desk.me:
                last[mail.thread] = max(mail.date, last.get(mail.thread, mail.date))
    return last
