"""Folders of the test's own, in which other programs leave files."""

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from datetime import datetime
from itertools import count
from pathlib import Path

from doubles.boxes.base import BERLIN, NAME, NOW, OWNER, Boxes, CalendarBox, ContactBox, Errors, MailBox
from doubles.boxes.files import CARD_PARTS, EVENT_PARTS, annotated, calendar_file, card_file, properties, renamed
from doubles.given import GivenContact, GivenEvent

from integrations.actions import CancelEvent, CreateContact, CreateEvent, DeleteContact, MarkMail, SendMail
from integrations.errors import AuthExpired, Conflict, InvalidResponse, NotFound, RateLimited, ReadOnly, Unavailable
from integrations.registry import Account, AccountConfig, open_account
from integrations.types import INBOX, Address, ContactQuery, ContactRef, EventQuery, EventRef, MailQuery, MailRef

NO_SIGN_IN = "nobody signs in to a folder"
NO_LIMIT = "a folder is not limited"
BESIDES = {"connection": "a folder is written without a connection"}
YEAR = EventQuery(start=datetime(2026, 1, 1, tzinfo=BERLIN), end=datetime(2027, 1, 1, tzinfo=BERLIN))
LUNCH = CreateEvent(account=NAME, title="Lunch", start=NOW, end=NOW.replace(hour=10))
EVA = CreateContact(account=NAME, name="Eva", emails=("eva@x.example",))
LETTER = SendMail(account=NAME, to=(Address(email="anna@x.example"),), subject="Hi", body="hello")


class _Unmounted:
    """The folder was there, and is not now."""

    root: Path

    def vanish(self) -> None:
        self.root.rename(self.root.with_name("elsewhere"))


class LocalMail(MailBox, _Unmounted):
    gone = "1.nothing"

    def __init__(self, account: Account, root: Path) -> None:
        super().__init__(account)
        self.root, self._count = root, count(1)
        (root / "cur").mkdir(parents=True, exist_ok=True)

    @property
    def lacks(self) -> Mapping[str, str]:
        return {**self.account.lacks, **BESIDES}

    def deliver(self, raw: bytes, folder: str = INBOX, *, seen: bool = False, flagged: bool = False) -> None:
        home = self.root if folder == INBOX else self.root / f".{folder.replace('/', '.')}"
        for sub in ("cur", "new", "tmp"):
            (home / sub).mkdir(parents=True, exist_ok=True)
        name = f"1700000000.M{next(self._count)}P7.host"
        flags = f"{'F' * flagged}{'S' * seen}"
        (home / "cur" / f"{name}:2,{flags}" if flags else home / "new" / name).write_bytes(raw)

    def raw(self, mail_id: str) -> bytes:
        return self._path(mail_id).read_bytes()

    def remove(self, mail_id: str) -> None:
        self._path(mail_id).unlink()

    def file(self, mail_id: str, folder: str) -> None:
        path = self._path(mail_id)
        path.rename(self.root / f".{folder}" / "cur" / path.name)

    def _path(self, mail_id: str) -> Path:
        (found,) = [path for path in self.root.rglob("*") if path.is_file() and path.name.partition(":2,")[0] == mail_id]
        return found

    @property
    def errors(self) -> Errors:
        async def conflict() -> None:
            self.deliver(b"From: a@x.example\nSubject: s\n\nb\n")
            mail = (await self.reader.search(MailQuery())).items[0]
            await self.writer.execute(MarkMail(account=NAME, mail=mail.ref, flagged=True), "1" * 32)
            await self.writer.execute(MarkMail(account=NAME, mail=mail.ref, seen=True), "2" * 32)

        async def vanished() -> None:
            await self.reader.search(MailQuery())
            self.vanish()

        async def unavailable() -> None:
            await vanished()
            await self.reader.search(MailQuery())

        async def read_only() -> None:
            await vanished()
            await self.writer.execute(LETTER, "1" * 32)

        return {
            AuthExpired: NO_SIGN_IN,
            NotFound: lambda: self.reader.get(MailRef(account=NAME, id=self.gone)),
            Conflict: conflict,
            ReadOnly: read_only,
            RateLimited: NO_LIMIT,
            Unavailable: unavailable,
            InvalidResponse: lambda: self.writer.execute(LETTER.model_copy(update={"subject": "a\nb"}), "1" * 32),
        }


class LocalCalendar(CalendarBox, _Unmounted):
    gone = "work/none.ics"

    def __init__(self, account: Account, root: Path) -> None:
        super().__init__(account)
        self.root, self._count = root, count()
        (root / "work").mkdir(parents=True, exist_ok=True)

    @property
    def lacks(self) -> Mapping[str, str]:
        return {**self.account.lacks, **BESIDES}

    def parts(self, *fields: str) -> set[str]:
        return {EVENT_PARTS[field] for field in fields}

    def put(self, event: GivenEvent) -> None:
        (self.root / "work" / f"item{next(self._count)}.ics").write_bytes(calendar_file(event))

    def remove(self, ref: EventRef) -> None:
        (self.root / ref.id).unlink()

    def rename(self, ref: EventRef, title: str) -> None:
        path = self.root / ref.id
        path.write_bytes(renamed(path.read_bytes(), title))

    def state(self, ref: EventRef) -> Mapping[str, object]:
        return properties((self.root / ref.id).read_bytes(), ("DTSTAMP", "SEQUENCE", "LAST-MODIFIED"))

    @property
    def errors(self) -> Errors:
        async def conflict() -> None:
            made = await self.writer.execute(LUNCH, "k1")
            stale = EventRef(account=NAME, calendar="work", id=made.id, etag="stale")
            await self.writer.execute(CancelEvent(account=NAME, event=stale), "k2")

        async def vanished() -> None:
            await self.writer.execute(LUNCH, "k1")
            await self.reader.events(YEAR)
            self.vanish()

        async def unavailable() -> None:
            await vanished()
            await self.reader.events(YEAR)

        async def read_only() -> None:
            await vanished()
            await self.writer.execute(LUNCH, "k2")

        return {
            AuthExpired: NO_SIGN_IN,
            NotFound: lambda: self.reader.get(EventRef(account=NAME, calendar="work", id=self.gone)),
            Conflict: conflict,
            ReadOnly: read_only,
            RateLimited: NO_LIMIT,
            Unavailable: unavailable,
            InvalidResponse: lambda: self.writer.execute(LUNCH.model_copy(update={"rrule": "nonsense"}), "k1"),
        }


class LocalContacts(ContactBox, _Unmounted):
    gone = "people/none.vcf"

    def __init__(self, account: Account, root: Path) -> None:
        super().__init__(account)
        self.root, self._count = root, count()
        (root / "people").mkdir(parents=True, exist_ok=True)

    @property
    def lacks(self) -> Mapping[str, str]:
        return {**self.account.lacks, **BESIDES}

    def parts(self, *fields: str) -> set[str]:
        return {part for field in fields for part in CARD_PARTS[field]}

    def annotate(self, contact_id: str, note: str) -> None:
        path = self.root / contact_id
        path.write_bytes(annotated(path.read_bytes(), note))

    def file(self, contact: GivenContact) -> None:
        (self.root / "people" / f"card{next(self._count)}.vcf").write_bytes(card_file(contact))

    def state(self, contact_id: str) -> Mapping[str, object]:
        return properties((self.root / contact_id).read_bytes(), ("REV",))

    @property
    def errors(self) -> Errors:
        async def conflict() -> None:
            made = await self.writer.execute(EVA, "k1")
            stale = ContactRef(account=NAME, id=made.id, etag="stale")
            await self.writer.execute(DeleteContact(account=NAME, contact=stale), "k2")

        async def vanished() -> None:
            await self.writer.execute(EVA, "k1")
            await self.reader.search(ContactQuery())
            self.vanish()

        async def unavailable() -> None:
            await vanished()
            await self.reader.search(ContactQuery())

        async def read_only() -> None:
            await vanished()
            await self.writer.execute(EVA, "k2")

        return {
            AuthExpired: NO_SIGN_IN,
            NotFound: lambda: self.reader.get(ContactRef(account=NAME, id=self.gone)),
            Conflict: conflict,
            ReadOnly: read_only,
            RateLimited: NO_LIMIT,
            Unavailable: unavailable,
            InvalidResponse: lambda: self.writer.execute(EVA.model_copy(update={"emails": ("eva at example",)}), "k1"),
        }


@asynccontextmanager
async def opened(root: Path, name: str) -> AsyncIterator[Boxes]:
    settings = {name: str(root / name) for name in ("mail", "calendars", "contacts")}
    config = AccountConfig(name=name, kind="local", address=OWNER, settings=settings)
    account = open_account(config, zone=BERLIN, index=root / "index", clock=lambda: NOW)
    try:
        yield Boxes(
            LocalMail(account, root / "mail"),
            LocalCalendar(account, root / "calendars"),
            LocalContacts(account, root / "contacts"),
        )
    finally:
        await account.close()
