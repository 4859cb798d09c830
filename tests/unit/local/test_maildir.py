"""Maildirs as other programs write them."""

from pathlib import Path

import pytest

from integrations.errors import Conflict, NotFound
from integrations.local import maildir
from integrations.local.maildir import Folder, Located
from integrations.types import ARCHIVE, DRAFTS, INBOX, SENT, TRASH


def make(path: Path) -> Path:
    for sub in ("cur", "new", "tmp"):
        (path / sub).mkdir(parents=True)
    return path


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("1700.1_2.host,U=12:2,S", ("1700.1_2.host,U=12", "S", "")),
        ("1700.M1P2.host,S=123,W=130:2,FSab", ("1700.M1P2.host,S=123,W=130", "FS", "ab")),
        ("1700.R9.host", ("1700.R9.host", "", "")),
        ("1700.R9.host:2,", ("1700.R9.host", "", "")),
        ("1700.R9.host!2,SR", ("1700.R9.host", "RS", "")),
        ("1700.R9.host:1,x", ("1700.R9.host:1,x", "", "")),
        ("1700_0.9.host,U=1,FMD5=7e3:2,SS", ("1700_0.9.host,U=1,FMD5=7e3", "S", "")),
    ],
)
def test_names_of_mbsync_dovecot_mutt_and_offlineimap_are_read(name: str, expected: tuple[str, str, str]) -> None:
    assert maildir.split_name(name) == expected


def test_folders_are_shown_by_the_names_people_know(tmp_path: Path) -> None:
    make(tmp_path)
    for name in (".Sent Items", ".Drafts", ".Lists.python", ".Entw&APw-rfe", ".trash"):
        make(tmp_path / name)
    (tmp_path / ".notmuch").mkdir()
    shown = {folder.name for folder in maildir.folders(tmp_path)}
    assert shown == {INBOX, SENT, DRAFTS, "Lists/python", "Entwürfe", TRASH}


def test_an_alias_gives_way_to_the_real_folder(tmp_path: Path) -> None:
    for name in (".Sent", ".Sent Items"):
        make(tmp_path / name)
    assert {folder.name for folder in maildir.folders(tmp_path)} == {SENT, "Sent Items"}


def test_plain_directories_are_folders_too(tmp_path: Path) -> None:
    for name in ("INBOX", "Sent", "Lists/python"):
        make(tmp_path / name)
    assert {folder.name for folder in maildir.folders(tmp_path)} == {INBOX, SENT, "Lists/python"}
    assert maildir.folder_for(tmp_path, ARCHIVE).path == tmp_path / "Archive"


def test_a_missing_special_folder_is_made_and_another_is_not(tmp_path: Path) -> None:
    make(tmp_path)
    made = maildir.folder_for(tmp_path, "archive")
    assert (made.name, made.path) == (ARCHIVE, tmp_path / ".Archive")
    assert sorted(path.name for path in made.path.iterdir()) == ["cur", "maildirfolder", "new", "tmp"]
    with pytest.raises(NotFound):
        maildir.folder_for(tmp_path, "Elsewhere")


def test_no_file_is_ever_written_over(tmp_path: Path) -> None:
    folder = Folder(INBOX, make(tmp_path))
    first = maildir.deliver(folder, "1.key.host", "S", b"first")
    with pytest.raises(Conflict):
        maildir.deliver(folder, "1.key.host", "S", b"second")
    assert first.path.read_bytes() == b"first"
    assert list((tmp_path / "tmp").iterdir()) == []
    other = Folder(ARCHIVE, make(tmp_path / ".Archive"))
    (other.path / "cur" / "1.key.host:2,S").write_bytes(b"there")
    with pytest.raises(Conflict):
        maildir.move(first, other)
    assert (other.path / "cur" / "1.key.host:2,S").read_bytes() == b"there"


def test_a_move_drops_the_uid_and_keeps_new_mail_new(tmp_path: Path) -> None:
    inbox, archive = Folder(INBOX, make(tmp_path)), Folder(ARCHIVE, make(tmp_path / ".Archive"))
    (tmp_path / "new" / "1.a.host,U=7").write_bytes(b"x")
    moved = maildir.move(Located(inbox, "new", "1.a.host,U=7", "1.a.host,U=7", "", ""), archive)
    assert moved.path == tmp_path / ".Archive" / "new" / "1.a.host"
    assert moved.path.read_bytes() == b"x"


def test_flags_of_other_programs_stay(tmp_path: Path) -> None:
    inbox = Folder(INBOX, make(tmp_path))
    (tmp_path / "cur" / "1.a.host:2,Fb").write_bytes(b"x")
    marked = maildir.set_flags(Located(inbox, "cur", "1.a.host:2,Fb", "1.a.host", "F", "b"), "FS")
    assert marked.path.name == "1.a.host:2,FSb" and marked.path.exists()


def test_a_mail_that_another_program_renamed_meanwhile_is_a_conflict(tmp_path: Path) -> None:
    inbox = Folder(INBOX, make(tmp_path))
    with pytest.raises(Conflict):
        maildir.set_flags(Located(inbox, "cur", "1.a.host:2,", "1.a.host", "", ""), "S")
