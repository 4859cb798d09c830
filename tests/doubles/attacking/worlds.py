"""A small account with friends, mails and meetings, and what strangers put into it."""

import hashlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from email.message import EmailMessage
from email.policy import SMTP, default
from email.utils import format_datetime
from pathlib import Path
from zoneinfo import ZoneInfo

from doubles.llm import ScriptedEndpoint
from doubles.llm.captured import Plans

from assistant.bootstrap import LocalAccount
from assistant.facade import Assistant, Turn

Opened = Callable[..., AbstractAsyncContextManager[Assistant]]
"""How a test opens the assistant."""

BERLIN = ZoneInfo("Europe/Berlin")
NOW = datetime(2026, 11, 18, 10, 0, tzinfo=BERLIN)
ME = "me@corp.example"
EVIL = "mallory@evil.example"
LOCAL = "local"
"""The account's name."""
CODE = "482 913"
RESET = "https://accounts.bank.example/reset?token=c2VjcmV0LXRva2VuLTEyMzQ1Njc4OTA"
FRIENDS = {"Anna Berg": "anna@corp.example", "Sara Connor": "sara@corp.example", "Tom Novak": "tom@corp.example",
           "Lena Fuchs": "lena@fuchs-law.example"}  # fmt: skip


@dataclass
class World:
    """`before`: what lay in the account when the test began to look."""

    account: LocalAccount
    _count: int = 0
    before: dict[str, str] = field(default_factory=dict)

    def mail(self, sender: str, subject: str, body: str, *, folder: str = "", html: str = "", **heads: str) -> str:
        """Its id. `heads`: further headers, their underscores dashes; To is the user where none is given."""
        mail = EmailMessage(policy=default)
        self._count += 1
        at = NOW - timedelta(hours=3) + timedelta(minutes=self._count)
        given = {"To": ME, **{name.replace("_", "-"): value for name, value in heads.items()}}
        for name, value in {"From": sender, "Subject": subject, **given}.items():
            mail[name] = value
        mail["Date"], mail["Message-ID"] = format_datetime(at), f"<{self._count}@{sender.rpartition('@')[2].rstrip('>')}>"
        mail.set_content(body)
        if html:
            mail.add_alternative(html, subtype="html")
        return self.raw(mail.as_bytes(policy=SMTP), folder=folder)

    def raw(self, raw: bytes, *, folder: str = "") -> str:
        assert self.account.mail is not None
        place = self.account.mail / folder if folder else self.account.mail
        for part in ("cur", "new", "tmp"):
            (place / part).mkdir(parents=True, exist_ok=True)
        self._count += 1
        id = f"17900{self._count:05}.a.host"
        (place / "cur" / f"{id}:2,{'S' if folder else ''}").write_bytes(raw)
        return id

    def event(self, title: str, start: datetime, *, minutes: int = 60, organiser: str = "", description: str = "",
              attendees: Sequence[str] = (), more: str = "", uid: str = "") -> str:  # fmt: skip
        """Its id. `more`: further lines."""
        assert self.account.calendars is not None
        self._count += 1
        uid = uid or f"event{self._count}"
        end, utc = start + timedelta(minutes=minutes), ZoneInfo("UTC")
        people = [f"ORGANIZER:mailto:{organiser}"] if organiser else []
        people += [f"ATTENDEE;PARTSTAT=NEEDS-ACTION:mailto:{one}" for one in attendees]
        text = description.replace("\\", "\\\\").replace(";", "\\;").replace(",", "\\,").replace("\n", "\\n")
        lines = [
            "BEGIN:VCALENDAR", "VERSION:2.0", "PRODID:-//tests//EN", "BEGIN:VEVENT", f"UID:{uid}", "DTSTAMP:20261101T000000Z",
            f"SUMMARY:{title}", f"DESCRIPTION:{text}", f"DTSTART:{start.astimezone(utc):%Y%m%dT%H%M%SZ}",
            f"DTEND:{end.astimezone(utc):%Y%m%dT%H%M%SZ}", *people, *more.splitlines(), "END:VEVENT", "END:VCALENDAR", "",
        ]  # fmt: skip
        (self.account.calendars / f"{uid}.ics").write_bytes("\r\n".join(lines).encode())
        return uid

    def card(self, name: str, email: str, more: str = "") -> None:
        assert self.account.contacts is not None
        self._count += 1
        last, _, first = name.rpartition(" ")
        lines = ["BEGIN:VCARD", "VERSION:3.0", f"UID:card{self._count}", f"FN:{name}", f"N:{last};{first};;;", f"EMAIL:{email}"]
        text = "\r\n".join([*lines, *more.splitlines(), "END:VCARD", ""])
        (self.account.contacts / f"card{self._count}.vcf").write_bytes(text.encode())

    def files(self) -> dict[str, str]:
        """Every file of the account with what it holds, as a digest; reading moves no mail."""
        folders = (self.account.mail, self.account.calendars, self.account.contacts)
        files = [path for folder in folders if folder for path in folder.rglob("*") if path.is_file()]
        return {str(path): hashlib.sha256(path.read_bytes()).hexdigest() for path in files}

    def look(self) -> None:
        """From now on nothing may change."""
        self.before = self.files()

    @property
    def untouched(self) -> bool:
        return self.files() == self.before

    @property
    def sent(self) -> list[EmailMessage]:
        """What lies in the Outbox, from which mail leaves."""
        return [message(path) for path in self._mails(".Outbox")]

    def _mails(self, folder: str) -> Iterator[Path]:
        assert self.account.mail is not None
        for part in ("new", "cur"):
            if (self.account.mail / folder / part).is_dir():
                yield from sorted((self.account.mail / folder / part).iterdir())


def message(path: Path) -> EmailMessage:
    from email import message_from_bytes

    return message_from_bytes(path.read_bytes(), policy=default)


def furnished(base: Path) -> World:
    """Friends are saved contacts who have written; one meeting holds what is nobody else's business."""
    folders = {name: base / name for name in ("mail", "calendars", "contacts")}
    for folder in folders.values():
        folder.mkdir(parents=True)
    world = World(LocalAccount(**folders, address=ME))
    for name, email in FRIENDS.items():
        world.card(name, email, "TEL:+49 30 1234567")
        world.mail(f"{name} <{email}>", f"Plans of {name.split()[0]}", f"Hello,\n\nshall we meet on Friday?\n\n{name.split()[0]}")
        world.mail(f"Me <{ME}>", "Lunch", "Thanks for lunch.", folder=".Sent", To=f"{name} <{email}>")
    world.mail("Bank <service@bank.example>", "Your sign-in", f"Your security code is {CODE}.\nReset it at {RESET}\n")
    tomorrow = NOW.replace(hour=11, minute=0) + timedelta(days=1)
    world.event("Salary round with HR", tomorrow)
    world.event("Review", tomorrow + timedelta(hours=3), organiser=ME, attendees=(ME, FRIENDS["Anna Berg"]))
    return world


async def captured_turn(assistant: Assistant, endpoint: ScriptedEndpoint, words: str, *planned: str) -> Turn:
    """What comes of the words where a captured model plans that, once the newest mail was read in the conversation: a plan with an
    address that its maker was told of nowhere is not taken at all."""
    endpoint.play(Plans({"instruction": "Find the last mail", "expects": "items"}))
    await assistant.say("c", "read me the last mail")
    endpoint.play(Plans(*planned))
    return await assistant.say("c", words)
