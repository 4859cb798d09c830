import zipfile
from pathlib import Path

import pytest

from integrations.errors import IntegrationError
from integrations.local.importing import LocalFolders, import_files
from integrations.local.importing import sources as importing_sources

MAIL = b"From: Ada <ada@one.example>\nSubject: Hello\nMessage-ID: <1@one.example>\n\nHello\n"
MBOX = b"From ada@one.example Sat Nov 14 10:00:00 2026\nX-Gmail-Labels: Sent\nSubject: Sent one\n\nHello\n"
EVENT = b"BEGIN:VCALENDAR\nVERSION:2.0\nBEGIN:VEVENT\nUID:e\nDTSTART:20261114T100000Z\nSUMMARY:E\nEND:VEVENT\nEND:VCALENDAR\n"
CARD = b"BEGIN:VCARD\nVERSION:3.0\nFN:Ada\nEND:VCARD\n"
EXPORT = {
    "Takeout/Mail/All mail Including Spam and Trash.mbox": MBOX,
    "Takeout/Calendar/me@two.example.ics": EVENT,
    "Takeout/Contacts/All Contacts/All Contacts.vcf": CARD,
    "Takeout/Contacts/My Contacts/My Contacts.vcf": CARD,
    "Takeout/archive_browser.html": b"<html><body>Your export</body></html>",
}


@pytest.fixture
def account(tmp_path: Path) -> LocalFolders:
    home = tmp_path / "home"
    return LocalFolders(mail=home / "mail", calendars=home / "calendars", contacts=home / "contacts")


@pytest.fixture
def zipped(tmp_path: Path) -> Path:
    path = tmp_path / "takeout.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in EXPORT.items():
            archive.writestr(name, content)
    return path


def test_a_whole_export_is_read_from_its_folder(tmp_path: Path, account: LocalFolders) -> None:
    for name, content in EXPORT.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_bytes(content)
    report = import_files([tmp_path / "Takeout"], account)
    assert (report.mails, report.events, report.contacts, report.duplicates) == (1, 1, 1, 1)
    assert [skipped.where for skipped in report.skipped] == ["Takeout/archive_browser.html"]


def test_a_whole_export_is_read_from_its_zip(zipped: Path, account: LocalFolders) -> None:
    report = import_files([zipped], account)
    assert (report.mails, report.events, report.contacts, report.duplicates) == (1, 1, 1, 1)
    assert [skipped.where for skipped in report.skipped] == ["takeout.zip: Takeout/archive_browser.html"]
    assert import_files([zipped], account).taken == 0


@pytest.mark.parametrize("name", ["mail.eml", "mail.txt", "mail", "mail.ics"])
def test_content_tells_what_a_file_is(tmp_path: Path, account: LocalFolders, name: str) -> None:
    (tmp_path / name).write_bytes(MAIL)
    assert import_files([tmp_path / name], account).mails == 1


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"", "is empty"),
        (b"Dear diary: today\nI did nothing\n", "is neither mail, a calendar nor a contact"),
        (b"\x89PNG\r\n\x1a\n\x00\x00", "is neither mail, a calendar nor a contact"),
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "is an Outlook message or Office document: save it as .eml first"),
        (b"\x1f\x8b\x08\x00", "is a compressed archive: unpack it first"),
    ],
)
def test_what_is_not_understood_is_skipped_with_the_reason(
    tmp_path: Path, account: LocalFolders, content: bytes, reason: str
) -> None:
    (tmp_path / "strange.dat").write_bytes(content)
    report = import_files([tmp_path / "strange.dat"], account)
    assert [(skipped.where, skipped.reason) for skipped in report.skipped] == [("strange.dat", reason)]


def test_a_path_that_is_not_there_is_told(tmp_path: Path, account: LocalFolders) -> None:
    report = import_files([tmp_path / "gone.mbox"], account)
    assert [skipped.reason for skipped in report.skipped] == ["there is no such file or folder"]


def test_a_kind_the_account_has_no_folder_for_is_told(zipped: Path, account: LocalFolders) -> None:
    report = import_files([zipped], LocalFolders(mail=account.mail))
    assert (report.mails, report.taken) == (1, 1)
    assert "this account has no folder for calendars" in {skipped.reason for skipped in report.skipped}


def test_member_names_of_a_zip_lead_nowhere(tmp_path: Path, account: LocalFolders) -> None:
    path = tmp_path / "evil.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("../../../outside.ics", EVENT)
    assert import_files([path], account).events == 1
    assert [found.relative_to(tmp_path).as_posix() for found in tmp_path.rglob("*.ics")] == ["home/calendars/outside/e.ics"]


def test_a_damaged_member_costs_only_itself(zipped: Path, account: LocalFolders) -> None:
    raw = bytearray(zipped.read_bytes())
    with zipfile.ZipFile(zipped) as archive:
        start = archive.infolist()[0].header_offset + 30 + len(archive.infolist()[0].filename)
    raw[start : start + 20] = bytes(20)
    zipped.write_bytes(raw)
    report = import_files([zipped], account)
    assert (report.mails, report.events, report.contacts) == (0, 1, 1)
    assert any(skipped.reason.startswith("could not be read") for skipped in report.skipped)


def test_a_zip_bomb_is_refused(tmp_path: Path, account: LocalFolders, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importing_sources, "BOMB_SIZE", 2**20)
    path = tmp_path / "bomb.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("big.mbox", MBOX + b"\n" * 2**22)
    report = import_files([path], account)
    assert report.mails == 0
    assert "too tightly" in report.skipped[0].reason


def test_a_document_that_is_a_zip_is_left_alone(tmp_path: Path, account: LocalFolders) -> None:
    path = tmp_path / "letter.docx"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("[Content_Types].xml", "<Types/>")
    assert "is a document" in import_files([path], account).skipped[0].reason


def test_progress_runs_to_the_end(zipped: Path, account: LocalFolders) -> None:
    told: list[tuple[int, int, str]] = []
    import_files([zipped], account, on_progress=lambda done, total, where: told.append((done, total, where)))
    total = sum(map(len, EXPORT.values()))
    assert told[-1][:2] == (total, total)
    assert [done for done, _, _ in told] == sorted(done for done, _, _ in told)
    assert told[0][2].startswith("takeout.zip")


@pytest.mark.parametrize(("kind", "content"), [("mail", MAIL), ("calendars", EVENT), ("contacts", CARD)])
def test_what_cannot_be_written_ends_the_import_with_an_error(tmp_path: Path, kind: str, content: bytes) -> None:
    (tmp_path / "in the way").write_text("a file where the folder should be")
    (tmp_path / "one").write_bytes(content)
    with pytest.raises(IntegrationError):
        import_files([tmp_path / "one"], LocalFolders.of({kind: str(tmp_path / "in the way")}))


def test_a_link_to_a_folder_above_does_not_go_round_forever(tmp_path: Path, account: LocalFolders) -> None:
    (tmp_path / "export").mkdir()
    (tmp_path / "export" / "one.eml").write_bytes(MAIL)
    (tmp_path / "export" / "loop").symlink_to(tmp_path / "export")
    assert import_files([tmp_path / "export"], account).mails == 1


def test_the_folders_come_from_an_accounts_settings() -> None:
    folders = LocalFolders.of({"mail": "/m", "calendars": "", "other": "x"})
    assert folders == LocalFolders(mail=Path("/m"))
