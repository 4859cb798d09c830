import io
import mailbox
import os
import re
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from integrations.local.importing import ImportReport, LocalFolders, import_files
from integrations.local.importing.mbox import split_mbox
from integrations.local.maildir import folders, split_name

ENVELOPE = b"From sender@one.example Sat Nov 14 10:00:00 2026\n"


def mail(number: int = 1, *, headers: str = "", body: str = "Hello\n") -> bytes:
    return (
        f"From: Ada <ada@one.example>\nTo: me@two.example\nSubject: Number {number}\n"
        f"Date: Sat, 14 Nov 2026 10:00:{number:02} +0000\nMessage-ID: <{number}@one.example>\n{headers}\n{body}"
    ).encode()


def mbox(*mails: bytes) -> bytes:
    return b"".join(ENVELOPE + raw + b"\n" for raw in mails)


@pytest.fixture
def maildir(tmp_path: Path) -> Path:
    return tmp_path / "mail"


def take(maildir: Path, name: str, content: bytes) -> ImportReport:
    source = maildir.parent / name
    source.parent.mkdir(parents=True, exist_ok=True)
    source.write_bytes(content)
    return import_files([source], LocalFolders(mail=maildir))


def placed(maildir: Path) -> dict[str, tuple[str, str]]:
    """Folder and flags of each mail, by subject."""
    found = {}
    for folder in folders(maildir):
        for path in (path for part in ("cur", "new") for path in (folder.path / part).iterdir()):
            subject = mailbox.MaildirMessage(path.read_bytes())["Subject"]
            found[subject] = (folder.name, split_name(path.name)[1])
    return found


def test_an_mbox_becomes_one_mail_for_each_message(maildir: Path) -> None:
    report = take(maildir, "old.mbox", mbox(mail(1), mail(2), mail(3)))
    assert (report.mails, report.duplicates, report.skipped) == (3, 0, ())
    assert {message["Subject"] for message in mailbox.Maildir(maildir)} == {"Number 1", "Number 2", "Number 3"}


def test_a_second_import_adds_nothing(maildir: Path) -> None:
    content = mbox(mail(1), mail(2))
    take(maildir, "old.mbox", content)
    before = sorted(path.name for path in maildir.rglob("*"))
    report = take(maildir, "old.mbox", content)
    assert (report.mails, report.duplicates) == (0, 2)
    assert sorted(path.name for path in maildir.rglob("*")) == before


def test_a_mail_is_found_again_after_it_was_moved_and_marked(maildir: Path) -> None:
    take(maildir, "one.eml", mail())
    there = next((maildir / "cur").iterdir())
    archive = maildir / ".Archive" / "cur"
    archive.mkdir(parents=True)
    there.rename(archive / (there.name.partition(":")[0] + ",U=7:2,FS"))
    assert take(maildir, "one.eml", mail()).duplicates == 1


def test_a_mail_delivered_by_another_program_is_a_duplicate(maildir: Path) -> None:
    box = mailbox.Maildir(maildir)
    box.add(mail(1, headers="Received: from relay.example; Sat, 14 Nov 2026 10:00:01 +0000\n"))
    assert take(maildir, "one.eml", mail(1)).duplicates == 1
    assert take(maildir, "two.eml", mail(1, body="Another text\n")).mails == 1


def test_the_same_mail_in_mbox_and_eml_is_one_mail(maildir: Path) -> None:
    raw = mail(body="From here on it snows.\n")
    quoted = raw.replace(b"\nFrom here", b"\n>From here")
    take(maildir, "old.mbox", mbox(quoted))
    assert take(maildir, "one.eml", raw.replace(b"\n", b"\r\n")).duplicates == 1


def test_labels_and_flags_do_not_make_another_mail(maildir: Path) -> None:
    take(maildir, "old.mbox", mbox(mail(headers="X-Gmail-Labels: Inbox,Unread\n")))
    assert take(maildir, "new.mbox", mbox(mail(headers="X-Gmail-Labels: Archived\n"))).duplicates == 1


@pytest.mark.parametrize(
    ("labels", "folder", "flags"),
    [
        ("Inbox,Opened", "INBOX", "S"),
        ("Inbox,Unread", "INBOX", ""),
        ("Archived,Starred", "Archive", "FS"),
        ("Sent", "Sent", "S"),
        ("Sent,Inbox", "INBOX", "S"),
        ("Trash,Unread", "Trash", ""),
        ("Spam,Unread", "Spam", ""),
        ("Draft", "Drafts", "DS"),
        ("Holiday 2026,Opened", "Archive", "S"),
        ("=?UTF-8?Q?Posteingang,Ungelesen?=", "INBOX", ""),
        ("=?UTF-8?Q?Messages_envoy=C3=A9s?=", "Sent", "S"),
    ],
)
def test_takeout_labels_become_folder_and_flags(maildir: Path, labels: str, folder: str, flags: str) -> None:
    take(maildir, "All mail.mbox", mbox(mail(headers=f"X-Gmail-Labels: {labels}\n")))
    assert placed(maildir) == {"Number 1": (folder, flags)}


@pytest.mark.parametrize(
    ("headers", "folder", "flags"),
    [
        ("", "INBOX", "S"),
        ("Status: RO\n", "INBOX", "S"),
        ("Status: O\n", "INBOX", ""),
        ("Status: RO\nX-Status: AF\n", "INBOX", "FRS"),
        ("Status: RO\nX-Status: D\n", "Trash", "S"),
        ("X-Mozilla-Status: 0005\n", "INBOX", "FS"),
        ("X-Mozilla-Status: 0000\n", "INBOX", ""),
    ],
)
def test_an_mbox_keeps_what_was_read_and_marked(maildir: Path, headers: str, folder: str, flags: str) -> None:
    take(maildir, "inbox", mbox(mail(headers=headers)))
    assert placed(maildir) == {"Number 1": (folder, flags)}


@pytest.mark.parametrize(
    ("name", "folder"), [("Sent", "Sent"), ("Sent Items.mbox", "Sent"), ("Archives", "Archive"), ("work", "INBOX")]
)
def test_an_mbox_named_after_a_folder_goes_there(maildir: Path, name: str, folder: str) -> None:
    take(maildir, name, mbox(mail()))
    assert placed(maildir)["Number 1"][0] == folder


def test_a_maildir_is_taken_with_its_folders_and_flags(maildir: Path) -> None:
    source = maildir.parent / "old"
    for name, raw in {
        "cur/1.a:2,RS": mail(1),
        "new/2.b": mail(2),
        ".Sent/cur/3.c,U=3:2,S": mail(3),
        ".Lists.go/cur/4.d:2,": mail(4),
    }.items():
        (source / name).parent.mkdir(parents=True, exist_ok=True)
        (source / name).write_bytes(raw)
    import_files([source], LocalFolders(mail=maildir))
    assert placed(maildir) == {
        "Number 1": ("INBOX", "RS"),
        "Number 2": ("INBOX", ""),
        "Number 3": ("Sent", "S"),
        "Number 4": ("Lists/go", ""),
    }


def test_bytes_are_kept_as_they_are(maildir: Path) -> None:
    raw = b"Subject: caf\xe9\r\nContent-Type: text/plain; charset=nonsense\r\n\r\n\x00\xff body without end"
    take(maildir, "odd.eml", raw)
    assert next((maildir / "cur").iterdir()).read_bytes() == raw


def test_a_mail_without_a_date_gets_that_of_its_file(maildir: Path) -> None:
    source = maildir.parent / "undated.eml"
    source.write_bytes(b"Subject: no date\n\nHello\n")
    moment = datetime(2020, 2, 3, tzinfo=UTC).timestamp()
    os.utime(source, (moment, moment))
    import_files([source], LocalFolders(mail=maildir))
    there = next((maildir / "cur").iterdir())
    assert there.stat().st_mtime == moment
    assert there.name.startswith(f"{int(moment)}.")


@pytest.mark.parametrize(
    "header", ["Date: yesterday", "Date: Sat, 32 Nov 2026 99:00:00 +0000", "Date:", "Date: Thu, 01 Jan 0001 00:00:00 +0000"]
)
def test_a_bad_date_does_not_cost_the_mail(maildir: Path, header: str) -> None:
    assert take(maildir, "odd.eml", f"Subject: odd\n{header}\n\nHello\n".encode()).mails == 1


def test_a_line_from_in_a_text_does_not_cut_a_mail(maildir: Path) -> None:
    raw = mail(body="one\n\nFrom here it is easy.\n\nFrom: is no header here\nend\n")
    report = take(maildir, "old.mbox", mbox(raw, mail(2)))
    assert report.mails == 2


def test_an_mbox_part_without_header_is_skipped_with_its_place(maildir: Path) -> None:
    nothing = b"just words that are no mail\n"
    report = take(maildir, "old.mbox", mbox(mail(1)) + ENVELOPE + b"\n" + ENVELOPE.replace(b"sender", b"other") + mail(2))
    assert report.mails == 2
    report = take(maildir, "broken.mbox", ENVELOPE + nothing)
    assert report.mails == 0
    assert [skipped.reason for skipped in report.skipped] == ["has no header, so it is no mail"]
    assert report.skipped[0].where == "broken.mbox, message 1"


bodies = st.lists(
    st.sampled_from(["", "text", "From me", ">From you", "From: x", "-- ", "From a@b Sat Nov 14 10:00:00 2026 x"])
).map(lambda lines: "\n".join(lines) + "\n")


@given(st.lists(bodies, min_size=1, max_size=5))
def test_what_was_quoted_into_an_mbox_comes_out_as_it_was(tmp_path_factory: pytest.TempPathFactory, texts: list[str]) -> None:
    mails = [mail(number, body=text) for number, text in enumerate(texts)]
    path = tmp_path_factory.mktemp("mbox") / "quoted.mbox"
    path.write_bytes(mbox(*(re.sub(rb"(?m)^(>*From )", rb">\1", raw) for raw in mails)))
    with path.open("rb") as stream:
        assert [entry.raw for entry in split_mbox(stream)] == mails


@given(st.binary(max_size=300))
def test_any_bytes_can_be_split(content: bytes) -> None:
    for entry in split_mbox(io.BytesIO(ENVELOPE + content)):
        assert entry.raw is not None
