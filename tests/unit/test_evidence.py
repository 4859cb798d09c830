"""What is gathered for the gate, when two accounts number their things alike."""

from contextlib import AsyncExitStack
from datetime import datetime
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from zoneinfo import ZoneInfo

from assistant.pipeline.evidence import Directory
from integrations.actions import CancelEvent, DeleteContact, MarkMail
from integrations.combined import CombinedReaders
from integrations.registry import Account, AccountConfig, open_account
from integrations.types import ContactRef, EventRef, MailRef

BERLIN = ZoneInfo("Europe/Berlin")
NOW = datetime(2026, 11, 21, 10, tzinfo=BERLIN)
TIMES = "DTSTART:20261121T150000Z\r\nDTEND:20261121T160000Z\r\n"


def account(place: Path, name: str) -> Account:
    """Its mail, event and contact are called by its name, and have the same ids as those of any other."""
    disk = place / name
    for folder in ("mail/cur", "calendars", "contacts"):
        (disk / folder).mkdir(parents=True)
    (disk / "mail" / "cur" / "1.a.host:2,S").write_text(f"From: a@x.example\nSubject: {name}\n\nb\n")
    event = f"BEGIN:VEVENT\r\nUID:u\r\nSUMMARY:{name}\r\n{TIMES}END:VEVENT\r\n"
    (disk / "calendars" / "a.ics").write_text(f"BEGIN:VCALENDAR\r\nVERSION:2.0\r\n{event}END:VCALENDAR\r\n")
    (disk / "contacts" / "a.vcf").write_text(f"BEGIN:VCARD\r\nVERSION:3.0\r\nUID:u\r\nFN:{name}\r\nEND:VCARD\r\n")
    settings = {kind: str(disk / kind) for kind in ("mail", "calendars", "contacts")}
    config = AccountConfig(name=name, kind="local", address=f"me@{name}.example", settings=settings)
    return open_account(config, zone=BERLIN, index=place / "index", clock=lambda: NOW)


async def test_things_with_equal_ids_in_two_accounts_are_both_looked_at(tmp_path: Path) -> None:
    names = ("home", "work")
    actions = [
        action
        for name in names
        for action in (
            MarkMail(account=name, mail=MailRef(account=name, id="1.a.host"), seen=True),
            CancelEvent(account=name, event=EventRef(account=name, calendar=".", id="a.ics")),
            DeleteContact(account=name, contact=ContactRef(account=name, id="a.vcf")),
        )
    ]
    turn: Any = SimpleNamespace(text="", own_words=True, said=())
    async with AsyncExitStack() as stack:
        accounts = [account(tmp_path, name) for name in names]
        for one in accounts:
            stack.push_async_callback(one.close)
        directory = Directory(CombinedReaders([one.readers for one in accounts]), (), BERLIN, lambda: NOW)
        seen = await directory.evidence(actions, turn)
    marks = [action for action in actions if isinstance(action, MarkMail)]
    cancels = [action for action in actions if isinstance(action, CancelEvent)]
    deletes = [action for action in actions if isinstance(action, DeleteContact)]
    assert [mail.subject for action in marks if (mail := seen.mail(action.mail))] == list(names)
    assert [event.title for action in cancels if (event := seen.event(action.event))] == list(names)
    assert [card.name for action in deletes if (card := seen.contact(action.contact))] == list(names)
