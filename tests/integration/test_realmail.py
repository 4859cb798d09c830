"""Real and malformed files from other programs' test suites go through the import and the readers."""

from datetime import UTC, datetime
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from integrations.local.importing import ImportReport, LocalFolders, import_files
from integrations.registry import AccountConfig, open_account
from integrations.types import ContactQuery, EventQuery, MailQuery

REAL = Path(__file__).resolve().parents[3] / "shared" / "data" / "realmail"

pytestmark = pytest.mark.skipif(not REAL.is_dir(), reason="the collection of real mails is not at ../shared/data/realmail")


@pytest.fixture
def folders(tmp_path: Path) -> LocalFolders:
    return LocalFolders(mail=tmp_path / "mail", calendars=tmp_path / "calendars", contacts=tmp_path / "contacts")


def summary(report: ImportReport) -> str:
    lines = [f"{skipped.where}: {skipped.reason}" for skipped in report.skipped]
    return "\n".join([f"{report.mails} mails, {report.events} events, {report.contacts} contacts", *lines])


def test_everything_is_taken_known_or_skipped_with_a_reason(folders: LocalFolders) -> None:
    report = import_files([REAL], folders)
    print(summary(report))
    assert report.mails >= 105
    assert report.events >= 45
    assert report.contacts >= 70
    assert all(skipped.where and skipped.reason for skipped in report.skipped)
    for path in (path for path in REAL.rglob("*") if path.is_file()):
        single = import_files([path], folders)
        assert single.duplicates or single.skipped or single.taken, path


def test_nearly_every_mail_is_taken(folders: LocalFolders) -> None:
    report = import_files([REAL / "eml", REAL / "mbox"], folders)
    assert len(report.skipped) <= 2, summary(report)


def test_a_second_import_takes_nothing(folders: LocalFolders) -> None:
    first = import_files([REAL], folders)
    second = import_files([REAL], folders)
    assert second.taken == 0
    assert second.duplicates >= first.taken


async def test_the_readers_read_what_was_imported(folders: LocalFolders, tmp_path: Path) -> None:
    report = import_files([REAL], folders)
    settings = {name: str(getattr(folders, name)) for name in ("mail", "calendars", "contacts")}
    config = AccountConfig(name="real", kind="local", address="me@home.example", settings=settings)
    account = open_account(config, zone=ZoneInfo("Europe/Berlin"), index=tmp_path / "index")
    try:
        mails = await account.readers.mail.search(MailQuery(folders=("INBOX", "Sent", "Archive", "Trash", "Drafts"), limit=1000))
        assert len(mails.items) == report.mails
        for mail in mails.items:
            assert (await account.readers.mail.get(mail.ref)).id == mail.id
        century = EventQuery(start=datetime(2000, 1, 1, tzinfo=UTC), end=datetime(2030, 1, 1, tzinfo=UTC), limit=5000)
        assert not (await account.readers.calendar.events(century)).skipped
        cards = await account.readers.contacts.search(ContactQuery())
        assert not cards.skipped
        assert len(cards.items) >= report.contacts - 5  # groups are no people
    finally:
        await account.close()
