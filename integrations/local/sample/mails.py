"""The sample's mails as messages, and where in a Maildir++ each lies."""

import tomllib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from email.header import Header
from email.message import EmailMessage
from email.policy import SMTP
from email.utils import format_datetime, formataddr
from importlib.resources import files
from typing import Literal

from pydantic import Field

from integrations.local.sample.moments import Moments
from integrations.local.sample.people import People
from integrations.types import INBOX, SENT, Value

_PLAIN_TEXT = "MIME-Version: 1.0\nContent-Type: text/plain; charset=utf-8\nContent-Transfer-Encoding: 8bit\n\n"
_POLICY = SMTP.clone(linesep="\n")


class Attached(Value):
    name: str
    text: str


class PlannedMail(Value):
    """As the mails' files describe it; `answers` is the mail's place in its thread, None the one before."""

    sender: str = Field(alias="from")
    to: tuple[str, ...]
    cc: tuple[str, ...] = ()
    at: str
    body: str
    html: str = ""
    subject: str = ""
    answers: int | None = None
    unread: bool = False
    flagged: bool = False
    folder: Literal["INBOX", "Archive"] = "INBOX"
    list: str = ""
    reply_to: str = ""
    invitation: str = ""
    attach: tuple[Attached, ...] = ()


class PlannedThread(Value):
    id: str
    subject: str
    separate: bool = False
    mails: tuple[PlannedMail, ...]

    def parent(self, number: int) -> int | None:
        answers = self.mails[number].answers
        return None if self.separate or not number else number - 1 if answers is None else answers

    def ancestors(self, number: int) -> tuple[int, ...]:
        parent = self.parent(number)
        return () if parent is None else (*self.ancestors(parent), parent)

    def answered(self, number: int) -> bool:
        return any(mail.sender == "me" and self.parent(later) == number for later, mail in enumerate(self.mails))


class PlannedMails(Value):
    threads: tuple[PlannedThread, ...]


@dataclass(frozen=True)
class Delivery:
    """`flags` are Maildir's letters, sorted."""

    folder: str
    name: str
    flags: str
    raw: bytes


def read_threads() -> tuple[PlannedThread, ...]:
    found = (files(__package__) / name for name in ("work_mails.toml", "other_mails.toml"))
    plans = [PlannedMails.model_validate(tomllib.loads(file.read_text(encoding="utf-8"))) for file in found]
    return tuple(thread for plan in plans for thread in plan.threads)


class MailBuilder:
    def __init__(self, moments: Moments, people: People, invitation: Callable[[str], bytes]) -> None:
        """`invitation` gives the calendar object that invites to an event, by its id."""
        self._moments = moments
        self._people = people
        self._invitation = invitation

    def build(self, thread: PlannedThread) -> Iterator[Delivery]:
        for number, mail in enumerate(thread.mails):
            when = self._moments.received(mail.at)
            name = f"{int(when.timestamp())}.{thread.id}-{number + 1}.northwind"
            folder = SENT if mail.sender == "me" else mail.folder
            flags = {"S": not mail.unread, "F": mail.flagged, "R": thread.answered(number)}
            raw = self._headers(thread, number, when) + self._content(thread, number)
            yield Delivery(folder, name, "".join(sorted(flag for flag, is_set in flags.items() if is_set)), raw)

    def _headers(self, thread: PlannedThread, number: int, when: datetime) -> bytes:
        mail, ancestors = thread.mails[number], thread.ancestors(number)
        subject = self._moments.fill(mail.subject or thread.subject)
        values = {
            "From": self._named([mail.sender]),
            "To": self._named(mail.to),
            "Cc": self._named(mail.cc),
            "Reply-To": self._named([mail.reply_to] if mail.reply_to else []),
            "Subject": f"Re: {subject}" if ancestors else subject,
            "Date": format_datetime(when),
            "Message-ID": self._message_id(thread, number),
            "In-Reply-To": self._message_id(thread, ancestors[-1]) if ancestors else "",
            "References": " ".join(self._message_id(thread, at) for at in ancestors),
            "List-Id": f"<{mail.list}>" if mail.list else "",
            "List-Unsubscribe": f"<https://{mail.list}/unsubscribe>" if mail.list else "",
            "Precedence": "bulk" if mail.list else "",
        }
        return "".join(f"{name}: {Header(value, header_name=name).encode()}\n" for name, value in values.items() if value).encode()

    def _content(self, thread: PlannedThread, number: int) -> bytes:
        """The MIME headers and the body."""
        mail = thread.mails[number]
        text = self._moments.fill(mail.body.lstrip("\n"))
        if not (mail.html or mail.invitation or mail.attach):
            return (_PLAIN_TEXT + text).encode()
        message = EmailMessage(policy=_POLICY)
        message.set_content(text)
        if mail.html:
            message.add_alternative(self._moments.fill(mail.html.lstrip("\n")), subtype="html")
        if mail.invitation:
            event = self._invitation(mail.invitation).decode()
            message.add_alternative(event, subtype="calendar", params={"method": "REQUEST"})
        for attached in mail.attach:
            subtype = "csv" if attached.name.endswith(".csv") else "plain"
            message.add_attachment(attached.text, subtype=subtype, filename=attached.name)
        for at, part in enumerate(part for part in message.walk() if part.is_multipart()):
            part.set_boundary(f"part-{at}-{thread.id}-{number + 1}")
        return message.as_bytes()

    def _named(self, keys: Sequence[str]) -> str:
        people = [self._people[key] for key in keys]
        return ", ".join(formataddr((person.name, person.email)) for person in people)

    def _message_id(self, thread: PlannedThread, number: int) -> str:
        domain = self._people[thread.mails[number].sender].email.partition("@")[2]
        return f"<{thread.id}.{number + 1}@{domain}>"


def maildir_path(delivery: Delivery) -> str:
    """Relative to the Maildir's root."""
    folder = "" if delivery.folder == INBOX else f".{delivery.folder}/"
    part = f"cur/{delivery.name}:2,{delivery.flags}" if delivery.flags else f"new/{delivery.name}"
    return folder + part
