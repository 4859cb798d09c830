"""Reads the mail of one account as far as a briefing looks."""

import asyncio
from dataclasses import dataclass
from datetime import datetime, timedelta

from assistant.agents.base import Desk
from assistant.agents.report import Notes
from assistant.agents.trying import attempted
from assistant.agents.weighing import whole
from assistant.attention import wish_of
from assistant.briefing.coverage import OVERLAP
from assistant.briefing.facts import Covered
from integrations.types import INBOX, OUTBOX, Changes, Mail, MailQuery, Page

LOOKED_BACK, WAITED_BACK = timedelta(days=14), timedelta(days=30)
MOST_LETTERS, MOST_SENT, MOST_BULK = 300, 300, 200
MOST_OLDER, MOST_OLDER_READ = 100, 20


@dataclass(frozen=True)
class Post:
    """What lies in the inbox, what came there in bulk, what the user sent (or what waits to be sent); `beyond` mails more were not
    looked at, None: some, nobody knows how many; `arrived` are the ids of those that came or changed since the cursor."""

    letters: tuple[Mail, ...] = ()
    bulk: tuple[Mail, ...] = ()
    sent: tuple[Mail, ...] = ()
    beyond: int | None = 0
    arrived: frozenset[str] = frozenset()
    cursor: str = ""


async def read_post(desk: Desk, covered: Covered) -> Post:
    """`desk` reads one account. Raises what its reader does."""
    now, reader, me = desk.setting.now, desk.readers.mail, tuple(sorted(desk.me))
    since, before = covered.until - OVERLAP, now + timedelta(days=1)  # whoever dates mails further ahead wants to stay on top
    first = min(since, now - LOOKED_BACK)
    letters, older, bulk, sent, held, changes = await asyncio.gather(
        reader.search(MailQuery(folders=(INBOX,), bulk=False, since=first, before=before, limit=MOST_LETTERS)),
        _still_due(desk, first),
        reader.search(MailQuery(folders=(INBOX,), bulk=True, since=since, before=before, limit=MOST_BULK)),
        reader.search(MailQuery(sender=me, since=now - WAITED_BACK, limit=MOST_SENT)),
        reader.search(MailQuery(sender=me, folders=(OUTBOX,), since=now - WAITED_BACK, limit=MOST_SENT)),
        attempted(reader.changes(covered.cursor), Changes(cursor=covered.cursor), Notes()),
    )
    return Post(
        letters=tuple(mail for mail in (*letters.items, *older) if not _by(mail, desk.me)),
        bulk=bulk.items,
        sent=tuple(mail for mail in (*sent.items, *held.items) if _by(mail, desk.me)),
        beyond=_beyond(letters, bulk),
        arrived=frozenset(ref.id for ref in changes.changed),
        cursor=changes.cursor,
    )


async def _still_due(desk: Desk, before: datetime) -> list[Mail]:
    """Older mails that want something by a day which is still to come."""
    now, zone = desk.setting.now, desk.setting.zone
    query = MailQuery(folders=(INBOX,), bulk=False, since=now - WAITED_BACK, before=before, limit=MOST_OLDER)
    found = (await desk.readers.mail.search(query)).items if before > now - WAITED_BACK else ()
    read = await whole([mail for mail in found if not mail.answered], desk, MOST_OLDER_READ)
    return [mail for mail in read if (until := wish_of(mail, zone).until) and until >= now.date()]


def _beyond(*pages: Page[Mail]) -> int | None:
    cut = [page for page in pages if page.next is not None or (page.total or 0) > len(page.items)]
    return None if any(page.total is None for page in cut) else sum((page.total or 0) - len(page.items) for page in cut)


def _by(mail: Mail, me: frozenset[str]) -> bool:
    return mail.sender is not None and mail.sender.email in me
