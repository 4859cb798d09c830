"""An account at a real Dovecot and a real Radicale, whose mails, events and contacts other programs change behind one's back."""

import imaplib
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from datetime import datetime
from email import message_from_bytes
from itertools import count
from pathlib import Path
from typing import Literal
from unittest.mock import patch
from urllib.parse import quote

import httpx
import pytest
from doubles.boxes.base import BERLIN, NAME, NOW, OWNER, Box, Boxes, CalendarBox, ContactBox, Errors, MailBox
from doubles.boxes.files import CARD_PARTS, EVENT_PARTS, annotated, calendar_file, card_file, properties, renamed
from doubles.given import GivenContact, GivenEvent
from doubles.secrets import KeptSecrets
from servers import NotInstalled, Servers, User, shared
from servers.http_proxy import HttpProxy
from servers.smtp import Taken

from integrations.actions import Action, CancelEvent, CreateContact, CreateEvent, DeleteContact, MarkMail
from integrations.common import retrying
from integrations.errors import AuthExpired, Conflict, InvalidResponse, NotFound, RateLimited, ReadOnly, Unavailable
from integrations.registry import Account, AccountConfig, open_account
from integrations.standards.mailbox.ids import mail_id
from integrations.types import INBOX, ContactQuery, ContactRef, EventQuery, EventRef, MailQuery, MailRef

OFTEN = 50
"""More often than any call is tried."""
MAIL_COMMANDS = {
    "save_draft": rb"APPEND",
    "delete_draft": rb"MOVE",
    "mark_mail": rb"UID STORE",
    "move_mail": rb"MOVE",
}
NOTICES = {"REQUEST": "invitation", "CANCEL": "cancellation", "REPLY": "reply"}
GARBLED = b"* 1 FETCH (UID x FLAGS ((\r\n%t OK done\r\n"
YEAR = EventQuery(start=datetime(2026, 1, 1, tzinfo=BERLIN), end=datetime(2027, 1, 1, tzinfo=BERLIN))
LUNCH = CreateEvent(account=NAME, title="Lunch", start=NOW, end=NOW.replace(hour=10))
EVA = CreateContact(account=NAME, name="Eva", emails=("eva@x.example",))
LETTER = b"From: a@x.example\r\nSubject: s\r\n\r\nb\r\n"


class StandardsBox(Box):
    def __init__(self, account: Account, user: User) -> None:
        super().__init__(account)
        self.user, self.servers = user, user.servers

    def change_password(self) -> None:
        self.servers.change_password(self.user, "another one")
        self.servers.imap.cut()


class StandardsMail(StandardsBox, MailBox):
    gone = f"{int(NOW.timestamp())}-1234-{'x' * 16}"

    def deliver(self, raw: bytes, folder: str = INBOX, *, seen: bool = False, flagged: bool = False) -> None:
        self.user.mailbox.append(raw, folder, flags=["\\Seen"] * seen + ["\\Flagged"] * flagged)

    def raw(self, mail_id: str) -> bytes:
        folder, uid = self._found(mail_id)
        return self.user.mailbox.get(folder, uid)

    def remove(self, mail_id: str) -> None:
        self.user.mailbox.remove(*self._found(mail_id))

    def file(self, mail_id: str, folder: str) -> None:
        self.user.mailbox.move(*self._found(mail_id), folder)

    def _found(self, wanted: str) -> tuple[str, str]:
        for folder, uid, arrived, raw in self.user.mailbox.everything():
            if mail_id(arrived, len(raw), raw.partition(b"\r\n\r\n")[0]) == wanted:
                return folder, uid
        raise LookupError(f"There is no mail {wanted}.")

    def lose(self, action: Action, when: Literal["before", "after"]) -> None:
        """What is sent is lost before its text went out, as nothing else is certain never to arrive; or once the server has sent it
        on and filed it."""
        if action.kind != "send_mail":
            self.servers.imap.lose(MAIL_COMMANDS[action.kind], when)
        elif when == "before":
            self.servers.smtp.answer("RCPT", "")
        else:
            self.user.files_sent = True
            self.servers.smtp.lose("after")

    @property
    def errors(self) -> Errors:
        def read() -> Awaitable[object]:
            return self.reader.search(MailQuery())

        async def refused() -> None:
            self.change_password()
            await read()

        async def conflict() -> None:
            self.deliver(LETTER)
            mail = (await self.reader.search(MailQuery())).items[0]
            self.user.mailbox.flag(*self._found(mail.id), "\\Flagged")
            await self.writer.execute(MarkMail(account=NAME, mail=mail.ref, seen=True), "2" * 32)

        async def read_only() -> None:
            self.deliver(LETTER)
            mail = (await self.reader.search(MailQuery())).items[0]
            self.servers.dovecot.forbid(OWNER, "lr")
            self.servers.imap.cut()
            await self.writer.execute(MarkMail(account=NAME, mail=mail.ref, seen=True), "2" * 32)

        async def limited() -> None:
            self.servers.imap.limit(1)
            other = imaplib.IMAP4("127.0.0.1", self.servers.imap.port)
            try:
                other.login(self.user.email, self.user.password)
                await read()
            finally:
                other.logout()

        async def out_of_order() -> None:
            self.servers.imap.refuse()
            await read()

        async def garbled() -> None:
            self.deliver(LETTER)
            self.servers.imap.instead(rb"FETCH", GARBLED, times=OFTEN)
            await read()

        return {
            AuthExpired: refused,
            NotFound: lambda: self.reader.get(MailRef(account=NAME, id=self.gone)),
            Conflict: conflict,
            ReadOnly: read_only,
            RateLimited: limited,
            Unavailable: out_of_order,
            InvalidResponse: garbled,
        }


class AtRadicale:
    """Where a user's things are; `proxy` is what the account comes by."""

    def __init__(self, user: User) -> None:
        self.user, self.servers, self.home = user, user.servers, f"/{user.email}/"
        self.proxy, self.calendar, self.book = user.servers.dav, f"{self.home}calendar/", f"{self.home}contacts/"
        self._count = count()

    def ask(self, method: str, path: str, content: bytes = b"") -> bytes:
        """As somebody else's program."""
        return self._asked(self.servers.radicale.port, method, path, content)

    def _asked(self, port: int, method: str, path: str, content: bytes, **headers: str) -> bytes:
        headers["Content-Type"] = "text/vcard" if path.endswith(".vcf") else "text/calendar"
        login = (self.user.email, self.user.password)
        where = f"http://127.0.0.1:{port}{quote(path)}"
        # No certificates are read for plain HTTP.
        answer = httpx.request(method, where, content=content, headers=headers, auth=login, verify=False)
        return answer.raise_for_status().content

    def file_card(self, content: bytes) -> None:
        """As a file of the server's, as asking it takes long for hundreds of them."""
        (self.servers.radicale.home(self.user.email) / "contacts" / f"card{next(self._count)}.vcf").write_bytes(content)

    def read_only_calendar(self) -> str:
        self.servers.radicale.add(self.user.email, "readonly", {"tag": "VCALENDAR"})
        return f"{self.home}readonly/"

    def forbid_book(self) -> None:
        home = self.servers.radicale.home(self.user.email)
        (home / "contacts").rename(home / "readonly")


class DavBox(StandardsBox):
    """`gone` is the path of an object; so are all ids."""

    def __init__(self, account: Account, at: AtRadicale) -> None:
        super().__init__(account, at.user)
        self.at, self._count = at, count()

    def answers(self, read: Callable[[], Awaitable[object]]) -> Errors:
        """The errors that any question may be answered with."""

        async def refused() -> None:
            self.change_password()
            await read()

        async def limited() -> None:
            self.at.proxy.instead("", 429, {"Retry-After": "0"}, times=OFTEN)
            await read()

        async def out_of_order() -> None:
            self.at.proxy.refuse()
            await read()

        async def garbled() -> None:
            self.at.proxy.instead("", 207, {"Content-Type": "application/xml"}, b"<multistatus", times=OFTEN)
            await read()

        return {AuthExpired: refused, RateLimited: limited, Unavailable: out_of_order, InvalidResponse: garbled}


class StandardsCalendar(DavBox, CalendarBox):
    def __init__(self, account: Account, at: AtRadicale) -> None:
        super().__init__(account, at)
        self.gone = f"{at.calendar}none.ics"

    def parts(self, *fields: str) -> set[str]:
        return {EVENT_PARTS[field] for field in fields}

    def lose(self, action: Action, when: Literal["before", "after"]) -> None:
        """Whoever has guests calls off an event before it is deleted."""
        alone = (
            isinstance(action, CancelEvent)
            and not action.event.recurrence
            and b"ATTENDEE" not in self.at.ask("GET", action.event.id)
        )
        self.at.proxy.lose("DELETE" if alone else "PUT", when)

    def put(self, event: GivenEvent) -> None:
        self.at.ask("PUT", f"{self.at.calendar}item{next(self._count)}.ics", calendar_file(event))

    def remove(self, ref: EventRef) -> None:
        self.at.ask("DELETE", ref.id)

    def rename(self, ref: EventRef, title: str) -> None:
        self.at.ask("PUT", ref.id, renamed(self.at.ask("GET", ref.id), title))

    def state(self, ref: EventRef) -> Mapping[str, object]:
        return properties(self.at.ask("GET", ref.id), ("DTSTAMP", "SEQUENCE", "LAST-MODIFIED"))

    def told(self) -> list[tuple[str, str]]:
        """By mail, as this calendar server tells nobody anything."""
        found: list[tuple[str, str]] = []
        for mail in self.servers.smtp.taken:
            kind = _notice(mail)
            for recipient in mail.recipients:
                again = kind == "invitation" and (recipient, kind) in found
                found.append((recipient, "update" if again else kind))
        return found

    @property
    def errors(self) -> Errors:
        async def conflict() -> None:
            made = await self.writer.execute(LUNCH, "a1")
            stale = EventRef(account=NAME, calendar=self.at.calendar, id=made.id, etag=made.etag)
            self.rename(stale, "Dinner")
            await self.writer.execute(CancelEvent(account=NAME, event=stale), "a2")

        async def read_only() -> None:
            await self.writer.execute(LUNCH.model_copy(update={"calendar": self.at.read_only_calendar()}), "a1")

        return {
            **self.answers(lambda: self.reader.events(YEAR)),
            NotFound: lambda: self.reader.get(EventRef(account=NAME, calendar=self.at.calendar, id=self.gone)),
            Conflict: conflict,
            ReadOnly: read_only,
        }


class StandardsContacts(DavBox, ContactBox):
    def __init__(self, account: Account, at: AtRadicale) -> None:
        super().__init__(account, at)
        self.gone = f"{at.book}none.vcf"

    def parts(self, *fields: str) -> set[str]:
        return {part for field in fields for part in CARD_PARTS[field]}

    def lose(self, action: Action, when: Literal["before", "after"]) -> None:
        self.at.proxy.lose("DELETE" if isinstance(action, DeleteContact) else "PUT", when)

    def file(self, contact: GivenContact) -> None:
        self.at.file_card(card_file(contact))

    def state(self, contact_id: str) -> Mapping[str, object]:
        return properties(self.at.ask("GET", contact_id), ("REV",))

    def annotate(self, contact_id: str, note: str) -> None:
        self.at.ask("PUT", contact_id, annotated(self.at.ask("GET", contact_id), note))

    @property
    def errors(self) -> Errors:
        async def conflict() -> None:
            made = await self.writer.execute(EVA, "a1")
            self.annotate(made.id, "meanwhile")
            stale = ContactRef(account=NAME, id=made.id, etag=made.etag)
            await self.writer.execute(DeleteContact(account=NAME, contact=stale), "a2")

        async def read_only() -> None:
            self.at.forbid_book()
            await self.writer.execute(EVA, "a1")

        return {
            **self.answers(lambda: self.reader.search(ContactQuery())),
            NotFound: lambda: self.reader.get(ContactRef(account=NAME, id=self.gone)),
            Conflict: conflict,
            ReadOnly: read_only,
        }


def _notice(mail: Taken) -> str:
    (calendar,) = (part for part in message_from_bytes(mail.raw).walk() if part.get_content_type() == "text/calendar")
    return NOTICES[str(calendar.get_param("method")).upper()]


def _complaints(proxy: HttpProxy) -> list[str]:
    """Writes that could overwrite what they have not seen."""
    writes = [one for one in proxy.requests if one.method in ("PUT", "DELETE")]
    return [
        f"{one.method} {one.path} is bound to nothing" for one in writes if not {"if-match", "if-none-match"} & one.headers.keys()
    ]


@asynccontextmanager
async def opened(root: Path, name: str, place: type[AtRadicale] = AtRadicale) -> AsyncIterator[Boxes]:
    servers = shared()
    try:
        user = servers.user(OWNER, name="Me", zone=BERLIN.key)
        at = place(user)
        settings = user.settings | dict.fromkeys(("caldav", "carddav"), f"http://127.0.0.1:{at.proxy.port}/")
    except NotInstalled as missing:
        pytest.skip(str(missing))
    complaints: list[str] = []
    config = AccountConfig(name=name, kind="imap", address=OWNER, settings=settings)
    secrets = KeptSecrets(**{name: user.secret})
    with patch.multiple(retrying, PAUSE=0.0, LONGEST_PAUSE=0.0):
        account = open_account(config, zone=BERLIN, index=root / "index", clock=lambda: NOW, secrets=secrets)
        try:
            yield Boxes(
                StandardsMail(account, user),
                StandardsCalendar(account, at),
                StandardsContacts(account, at),
                complaints,
                lambda: _cut_off(servers, at.proxy),
            )
            complaints += _complaints(at.proxy)
        finally:
            await account.close()
            servers.reset()


def _cut_off(servers: Servers, proxy: HttpProxy) -> None:
    servers.imap.refuse()
    proxy.refuse()
    servers.smtp.answer("AUTH", "", times=OFTEN)
