"""An account made of folders: what it has, what it lacks, and what other programs find in them afterwards."""

import mailbox
import subprocess
import sys
from collections.abc import AsyncIterator
from datetime import UTC, datetime
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from integrations.actions import CreateContact, CreateEvent, MarkMail, MoveMail, SaveDraft, SendMail
from integrations.errors import InvalidResponse, NotFound, ReadOnly
from integrations.registry import Account, AccountConfig, open_account
from integrations.types import Address, ContactQuery, EventQuery, MailQuery

KEY = "0123456789abcdef0123456789abcdef"
NOW = datetime(2026, 11, 20, 9, 30, tzinfo=UTC)
ZONE = ZoneInfo("Europe/Berlin")
ANNA = Address(email="anna@x.example", name="Anna")


def opened(tmp_path: Path, **settings: str) -> Account:
    config = AccountConfig(name="home", kind="local", address="Me@Home.Example", settings=settings)
    return open_account(config, zone=ZONE, index=tmp_path / "index", clock=lambda: NOW)


@pytest.fixture
async def account(tmp_path: Path) -> AsyncIterator[Account]:
    account = opened(tmp_path, mail=str(tmp_path / "Mail"))
    yield account
    await account.close()


async def test_what_the_account_lacks_is_empty_to_read_and_refused_to_write(tmp_path: Path) -> None:
    account = opened(tmp_path, mail="", calendars="")
    readers, writers = account.readers, account.writers
    assert (await readers.mail.search(MailQuery())).items == ()
    assert (await readers.calendar.events(EventQuery(start=NOW, end=NOW))).items == ()
    assert (await readers.contacts.search(ContactQuery())).items == ()
    with pytest.raises(ReadOnly, match="no mail folder"):
        await writers.mail.execute(SendMail(account="home", to=(ANNA,)), KEY)
    with pytest.raises(ReadOnly):
        await writers.calendar.execute(CreateEvent(account="home", title="x", start=NOW, end=NOW), KEY)
    with pytest.raises(ReadOnly):
        await writers.contacts.execute(CreateContact(account="home", name="x"), KEY)


def test_an_owner_without_an_address_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InvalidResponse):
        open_account(AccountConfig(name="home", kind="local", address="me"), zone=ZONE, index=tmp_path)


async def test_what_was_written_is_read_by_the_standard_librarys_maildir(account: Account, tmp_path: Path) -> None:
    mail = SendMail(account="home", to=(ANNA,), subject="Größe", body="Grüße")
    sent = await account.writers.mail.execute(mail, KEY)
    draft = await account.writers.mail.execute(SaveDraft(account="home", subject="Entwurf"), KEY[::-1])
    box = mailbox.Maildir(str(tmp_path / "Mail"), create=False)
    assert set(box.list_folders()) == {"Outbox", "Drafts"}
    (message,) = box.get_folder("Outbox")
    assert (message["To"], message.get_subdir(), message.get_flags()) == ('"Anna" <anna@x.example>', "cur", "S")
    assert message.get_payload(decode=True).decode().strip() == "Grüße"
    assert box.get_folder("Outbox").keys() == [sent.id]
    (kept,) = box.get_folder("Drafts")
    assert kept.get_flags() == "DS" and box.get_folder("Drafts").keys() == [draft.id]
    assert "Outbox" in sent.note


async def test_a_mail_that_the_mail_program_has_sent_and_filed_is_still_found_by_its_key(account: Account, tmp_path: Path) -> None:
    action = SendMail(account="home", to=(ANNA,), subject="Hi")
    await account.writers.mail.execute(action, KEY)
    (file,) = (tmp_path / "Mail" / ".Outbox" / "cur").iterdir()
    sent = tmp_path / "Mail" / ".Sent" / "cur"
    for sub in ("cur", "new", "tmp"):
        (sent.parent / sub).mkdir(parents=True, exist_ok=True)
    file.rename(sent / "999.renamed.by-mutt:2,S")
    found = await account.writers.mail.find(action, KEY)
    assert found is not None and found.id == "999.renamed.by-mutt"
    assert found.undo == () and (await account.writers.mail.execute(action, KEY)).id == found.id
    assert list((tmp_path / "Mail" / ".Outbox" / "cur").iterdir()) == []


async def test_a_mail_that_waits_in_the_outbox_can_be_taken_out_of_it_until_the_mail_program_has_it(
    account: Account, tmp_path: Path
) -> None:
    receipts = [await account.writers.mail.execute(SendMail(account="home", to=(ANNA,)), key) for key in (KEY, KEY[::-1])]
    (waits,), (taken,) = (receipt.undo for receipt in receipts)
    await account.writers.mail.execute(waits, KEY.replace("a", "b"))
    (file,) = (tmp_path / "Mail" / ".Outbox" / "cur").iterdir()
    file.unlink()
    with pytest.raises(NotFound):
        await account.writers.mail.execute(taken, KEY.replace("a", "c"))


async def test_a_key_is_found_without_the_index_too(account: Account, tmp_path: Path) -> None:
    action = SendMail(account="home", to=(ANNA,))
    await account.writers.mail.execute(action, KEY)
    await account.close()
    for file in (tmp_path / "index").iterdir():
        file.unlink()
    again = opened(tmp_path, mail=str(tmp_path / "Mail"))
    assert await again.writers.mail.find(action, KEY) is not None
    await again.close()


async def test_a_half_written_file_of_a_crash_is_no_mail_and_no_obstacle(account: Account, tmp_path: Path) -> None:
    action = SendMail(account="home", to=(ANNA,), subject="Hi")
    first = await account.writers.mail.execute(action, KEY)
    (file,) = (tmp_path / "Mail" / ".Outbox" / "cur").iterdir()
    file.rename(tmp_path / "Mail" / ".Outbox" / "tmp" / first.id)
    assert await account.writers.mail.find(action, KEY) is None
    await account.writers.mail.execute(action, KEY)
    assert len(list((tmp_path / "Mail" / ".Outbox" / "cur").iterdir())) == 1
    assert list((tmp_path / "Mail" / ".Outbox" / "tmp").iterdir()) == []


async def test_a_move_within_mbsyncs_folders_drops_the_uid_and_the_old_id_still_works(account: Account, tmp_path: Path) -> None:
    for folder in ("", ".Archive"):
        for sub in ("cur", "new", "tmp"):
            (tmp_path / "Mail" / folder / sub).mkdir(parents=True)
    (tmp_path / "Mail" / "cur" / "17.R1.host,U=5:2,S").write_bytes(b"From: a@x.example\nSubject: s\n\nb\n")
    (mail,) = (await account.readers.mail.search(MailQuery())).items
    moved = await account.writers.mail.execute(MoveMail(account="home", mail=mail.ref, folder="archive"), KEY)
    assert [file.name for file in (tmp_path / "Mail" / ".Archive" / "cur").iterdir()] == ["17.R1.host:2,S"]
    assert (mail.id, moved.id) == ("17.R1.host,U=5", "17.R1.host")
    (undo,) = moved.undo
    await account.writers.mail.execute(undo, KEY[::-1])
    marked = await account.writers.mail.execute(MarkMail(account="home", mail=mail.ref, seen=False), KEY)
    assert marked.undo and (await account.readers.mail.get(mail.ref)).unread


async def test_the_owners_address_is_his_however_it_was_written(account: Account) -> None:
    receipt = await account.writers.mail.execute(SaveDraft(account="home", body="x"), KEY)
    (draft,) = (await account.readers.mail.search(MailQuery(folders=("Drafts",)))).items
    assert draft.sender == Address(email="me@home.example")
    assert draft.date == NOW and str(draft.date.tzinfo) == "Europe/Berlin" and receipt.id == draft.id


def test_opening_an_account_of_mail_imports_no_calendar_library(tmp_path: Path) -> None:
    code = (
        "import sys, asyncio\nfrom pathlib import Path\nfrom zoneinfo import ZoneInfo\n"
        "from integrations.registry import AccountConfig, open_account\nfrom integrations.types import MailQuery\n"
        f"config = AccountConfig(name='a', kind='local', address='a@b.example', settings={{'mail': {str(tmp_path / 'Mail')!r}}})\n"
        f"account = open_account(config, zone=ZoneInfo('UTC'), index=Path({str(tmp_path / 'index')!r}))\n"
        "asyncio.run(account.readers.mail.search(MailQuery()))\n"
        "print(sorted({'icalendar', 'recurring_ical_events', 'vobject', 'sqlmodel'} & set(sys.modules)))\n"
    )
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert result.stdout.strip() == "[]"
