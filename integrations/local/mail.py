"""Reading mail from a Maildir++."""

import json
import re
import sqlite3
from datetime import UTC, datetime
from pathlib import Path
from zoneinfo import ZoneInfo

from integrations.common.mime import part_bytes
from integrations.errors import NotFound
from integrations.local.mail_index import HEAD, Found, Head, MailIndex
from integrations.local.mail_query import select
from integrations.local.mail_records import moment_of
from integrations.local.questions import Questions
from integrations.types import Address, Attachment, Changes, Correspondent, Mail, MailQuery, MailRef, Oddity, Page, Skipped

MOST_KEPT = 5000
PLACE = re.compile(r"-?[0-9]{1,18}")
"""What a cursor looks like."""


class LocalMailReader:
    """Times are given in `zone`. A thread leaves out what lies in Trash and Drafts."""

    def __init__(self, index: MailIndex, *, account: str, zone: ZoneInfo, sample: bool = False) -> None:
        self._index = index
        self._questions = Questions(account, index.root, index.still)
        self._account = account
        self._zone = zone
        self._sample = sample
        self._kept: dict[Head, Mail] = {}
        self._everybody: tuple[list[sqlite3.Row], tuple[Correspondent, ...]] = [], ()

    async def search(self, query: MailQuery) -> Page[Mail]:
        if query.cursor is not None and not PLACE.fullmatch(query.cursor):
            raise NotFound("There is no such page of mails.", self._account)
        selection, kept = select(query), self._kept if len(self._kept) < MOST_KEPT else {}
        found: Found = await self._questions.ask(self._index.search, selection, query.folders, query.limit, kept)
        kept.update({(*(row[name] for name in HEAD),): self._mail(row) for row in found.rows})
        self._kept = kept
        return Page[Mail].model_construct(
            items=tuple(kept[head] for head in found.heads),
            next=found.next,
            total=found.total,
            skipped=(*self._index.unread, *map(_skipped, found.skipped)),
        )

    async def get(self, ref: MailRef) -> Mail:
        row = await self._questions.ask(self._index.get, ref.id)
        return self._mail(row, row["body"])

    async def thread(self, thread: str) -> tuple[Mail, ...]:
        rows = await self._questions.ask(self._index.thread, thread)
        return tuple(self._mail(row, row["body"]) for row in rows)

    async def attachment(self, ref: MailRef, part: str) -> bytes:
        return await self._questions.ask_apart(self._attachment, ref, part)

    async def correspondents(self, name: str = "") -> tuple[Correspondent, ...]:
        rows = await self._questions.ask(self._index.correspondents, name)
        if name.strip():
            return tuple(map(self._correspondent, rows))
        if rows is not self._everybody[0]:
            self._everybody = rows, tuple(map(self._correspondent, rows))
        return self._everybody[1]

    async def folders(self) -> tuple[str, ...]:
        return await self._questions.ask(self._index.folders)

    async def changes(self, since: str = "") -> Changes:
        return await self._questions.ask(self._index.changes, self._account, since)

    def _attachment(self, ref: MailRef, part: str) -> bytes:
        path: Path = self._index.locate(ref.id).path
        try:
            return part_bytes(path.read_bytes(), part)
        except FileNotFoundError:
            raise NotFound("The mail is no longer there.", self._account) from None

    def _mail(self, row: sqlite3.Row, body: str = "") -> Mail:
        people = {line: tuple(map(_address, pairs)) for line, pairs in json.loads(row["people"]).items()}
        sender = people.pop("from")
        return Mail(
            account=self._account,
            id=row["id"],
            etag=row["etag"],
            folder=row["folder"],
            message_id=row["message_id"],
            thread=row["thread"],
            in_reply_to=row["in_reply_to"],
            references=tuple(row["refs"].split()),
            sender=sender[0] if sender else None,
            **people,
            subject=row["subject"],
            date=moment_of(row["num"]).astimezone(self._zone),
            snippet=row["snippet"],
            body=body,
            attachments=tuple(
                Attachment(part=part, filename=name, content_type=kind, size=size)
                for part, name, kind, size in json.loads(row["attachments"])
            ),
            unread=bool(row["unread"]),
            flagged=bool(row["flagged"]),
            answered=bool(row["answered"]),
            bulk=bool(row["bulk"]),
            sample=self._sample,
            oddities=tuple(map(_oddity, json.loads(row["oddities"]))),
        )

    def _correspondent(self, row: sqlite3.Row) -> Correspondent:
        return Correspondent(
            address=Address(email=row["email"], name=row["name"]),
            received=row["received"],
            sent=row["sent"],
            last=datetime.fromtimestamp(row["last"], UTC).astimezone(self._zone),
        )


def _skipped(row: sqlite3.Row) -> Skipped:
    return Skipped(where=f"{row['folder']}/{row['name']}", reason=row["reason"])


def _oddity(told: list[object]) -> Oddity:
    return Oddity.model_validate(dict(zip(("kind", "where", "count"), told, strict=True)))


def _address(pair: list[str]) -> Address:
    email, name = pair
    return Address(email=email, name=name)
