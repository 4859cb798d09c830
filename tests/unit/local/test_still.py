"""What has not changed is not read again; whatever changed is."""

import os
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from integrations.local.folder import Folder
from integrations.local.still import Still, times_of

LONG_AGO = 1_700_000_000


def settle(*directories: Path) -> None:
    """As if nobody had touched them for years."""
    for directory in directories:
        os.utime(directory, ns=(LONG_AGO * 10**9 + 123, LONG_AGO * 10**9 + 123))


def remembered(directory: Path) -> Still:
    still = Still()
    still.remember({str(directory): times_of(str(directory))})
    return still


@pytest.fixture
def directory(tmp_path: Path) -> Path:
    made = tmp_path / "items"
    made.mkdir()
    (made / "there.txt").write_text("x")
    settle(made)
    return made


def test_nothing_is_still_before_it_was_looked_at() -> None:
    assert not Still().holds()


def test_a_directory_nobody_touched_is_still(directory: Path) -> None:
    assert remembered(directory).holds()


@pytest.mark.parametrize(
    "change",
    [
        lambda d: (d / "new.txt").write_text("y"),
        lambda d: (d / "there.txt").unlink(),
        lambda d: (d / "there.txt").rename(d / "other.txt"),
        lambda d: (d / "below").mkdir(),
        lambda d: d.rename(d.with_name("elsewhere")),
        lambda d: (d.rename(d.with_name("elsewhere")), d.mkdir(), settle(d)),
    ],
    ids=["added", "removed", "renamed", "folder made", "taken away", "replaced"],
)
def test_a_directory_in_which_something_changed_is_not(directory: Path, change: Callable[[Path], object]) -> None:
    still = remembered(directory)
    change(directory)
    assert not still.holds()


def test_a_directory_that_has_just_changed_is_not_trusted_for_the_next_change_may_have_the_same_time(directory: Path) -> None:
    (directory / "new.txt").write_text("y")
    assert not remembered(directory).holds()


def test_whole_seconds_are_trusted_later(directory: Path) -> None:
    recent = time.time_ns() // 10**9 * 10**9
    os.utime(directory, ns=(recent, recent))
    assert not remembered(directory).holds()


def texts(root: Path) -> Folder[str]:
    return Folder(root, ".txt", lambda path, content: content.decode())


def test_the_files_of_a_folder_are_the_same_object_until_one_changes(directory: Path) -> None:
    folder = texts(directory)
    before = folder.files()
    assert folder.files() is before
    (directory / "there.txt").write_text("changed in place")
    assert folder.files()["there.txt"].item == "changed in place"
    assert before["there.txt"].item == "x"


def test_a_file_that_appears_in_a_folder_below_is_seen(directory: Path) -> None:
    (directory / "a" / "b").mkdir(parents=True)
    settle(directory / "a" / "b", directory / "a", directory)
    folder = texts(directory)
    assert set(folder.files()) == {"there.txt"}
    (directory / "a" / "b" / "new.txt").write_text("y")
    assert set(folder.files()) == {"there.txt", "a/b/new.txt"}


def test_a_link_whose_target_appears_later_is_seen(directory: Path, tmp_path: Path) -> None:
    (directory / "link.txt").symlink_to(tmp_path / "target.txt")
    settle(directory)
    folder = texts(directory)
    assert set(folder.files()) == {"there.txt"}
    (tmp_path / "target.txt").write_text("y")
    assert folder.files()["link.txt"].item == "y"
