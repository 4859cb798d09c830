"""Links among folders: each folder is read once, whatever leads to it."""

import os
from contextlib import ExitStack
from pathlib import Path

import pytest

from integrations.errors import Unavailable
from integrations.local import maildir
from integrations.local.folder import Folder
from integrations.local.importing.sources import find_sources


def listed(root: Path) -> list[str]:
    return list(Folder(root, ".ics", lambda path, content: None).files())


def put(path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("BEGIN:VCALENDAR")


@pytest.mark.parametrize("target", [".", "..", "work", "work/deep"])
def test_a_link_to_what_is_read_anyway_shows_nothing_twice(tmp_path: Path, target: str) -> None:
    root = tmp_path / "calendars"
    put(root / "work" / "deep" / "a.ics")
    put(tmp_path / "other" / "b.ics")
    (root / "again").symlink_to(target)
    (root / "work" / "deep" / "up").symlink_to(f"../../{target}")
    assert listed(root) == ["work/deep/a.ics"]


def test_a_link_to_a_folder_elsewhere_is_followed_once(tmp_path: Path) -> None:
    put(tmp_path / "elsewhere" / "a.ics")
    root = tmp_path / "calendars"
    root.mkdir()
    for name in ("one", "two"):
        (root / name).symlink_to(tmp_path / "elsewhere")
    (tmp_path / "elsewhere" / "back").symlink_to(root)
    assert listed(root) == ["one/a.ics"]


def test_a_root_that_is_itself_a_link_is_read(tmp_path: Path) -> None:
    put(tmp_path / "elsewhere" / "a.ics")
    (tmp_path / "calendars").symlink_to("elsewhere")
    (tmp_path / "elsewhere" / "self").symlink_to(tmp_path / "calendars")
    assert listed(tmp_path / "calendars") == ["a.ics"]


def test_a_link_that_leads_nowhere_or_to_itself_hinders_nothing(tmp_path: Path) -> None:
    (tmp_path / "gone").symlink_to("nowhere")
    (tmp_path / "loop").symlink_to("loop")
    (tmp_path / "loop.ics").symlink_to("loop.ics")
    put(tmp_path / "a.ics")
    assert listed(tmp_path) == ["a.ics", "loop.ics"]


def test_what_a_loop_of_links_would_hold_is_out_of_reach(tmp_path: Path) -> None:
    (tmp_path / "loop.ics").symlink_to("loop.ics")
    with pytest.raises(Unavailable, match=r"loop\.ics can't be read"):
        Folder(tmp_path, ".ics", lambda path, content: None).content("loop.ics")


def test_a_pipe_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "a.ics")
    assert listed(tmp_path) == ["a.ics"]


def test_a_mail_folder_is_met_once_whatever_leads_to_it(tmp_path: Path) -> None:
    root = tmp_path / "mail"
    for place in (root, root / ".Work", root / "Lists" / "python", tmp_path / "other", tmp_path / "far"):
        (place / "cur").mkdir(parents=True)
    for name, target in (
        (".Loop", "."),
        ("up", ".."),
        (".Again", ".Work"),
        ("all", "Lists"),
        (".Far", "../far"),
        (".Far2", "../far"),
    ):
        (root / name).symlink_to(target)
    shown = maildir.layout(root)
    assert [folder.name for folder in shown.folders] == ["INBOX", "Work", "Lists/python", "Far"]
    assert shown.unread == ()


def test_an_import_reads_each_folder_once_and_says_which_links_it_did_not_follow(tmp_path: Path) -> None:
    put(tmp_path / "export" / "in" / "a.ics")
    (tmp_path / "export" / "self").symlink_to(".")
    skipped: list[tuple[str, str]] = []
    with ExitStack() as stack:
        given = [tmp_path / "export", tmp_path / "export" / "in"]
        found = list(find_sources(given, stack, lambda where, reason: skipped.append((where, reason))))
    assert [source.where for source in found] == ["export/in/a.ics"]
    assert skipped == [(str(tmp_path / "export" / "self"), "is a link to a folder; name that folder itself to import it")]


def test_an_import_says_what_it_may_not_read(plain_user: Path) -> None:
    put(plain_user / "export" / "closed" / "a.ics")
    (plain_user / "export" / "closed").chmod(0o400)
    skipped: list[str] = []
    with ExitStack() as stack:
        assert list(find_sources([plain_user / "export"], stack, lambda where, reason: skipped.append(reason))) == []
        assert (
            list(find_sources([plain_user / "export" / "closed" / "a.ics"], stack, lambda _, reason: skipped.append(reason))) == []
        )
    assert skipped == ["could not be read: Permission denied"] * 2
