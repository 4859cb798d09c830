"""Folders of items: what other programs change is seen, and no write is half done."""

import os
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from integrations.errors import NotFound, ReadOnly
from integrations.local.folder import FEW, Folder, create, locked, remove, replace, safe_name


def reading(root: Path) -> tuple[Folder[str], list[str]]:
    """A folder of texts and the paths of the files it opened."""
    opened: list[str] = []

    def read(path: str, content: bytes) -> str:
        opened.append(path)
        return content.decode()

    return Folder(root, ".txt", read), opened


def held(folder: Folder[str]) -> dict[str, str]:
    return {path: file.item for path, file in folder.files().items()}


def test_items_are_found_in_the_root_and_below_and_hidden_ones_are_not(tmp_path: Path) -> None:
    (tmp_path / "a" / "b").mkdir(parents=True)
    (tmp_path / ".git").mkdir()
    for name in ("x.txt", "a/y.TXT", "a/b/z.txt", ".hidden.txt", ".git/c.txt", "a/other.md"):
        (tmp_path / name).write_text(name)
    folder, _ = reading(tmp_path)
    assert set(held(folder)) == {"x.txt", "a/y.TXT", "a/b/z.txt"}
    assert folder.folders == (".", "a", "a/b")


def test_a_folder_that_is_missing_holds_nothing(tmp_path: Path) -> None:
    folder, _ = reading(tmp_path / "none")
    assert held(folder) == {}


def test_only_what_changed_is_read_again(tmp_path: Path) -> None:
    for name in ("a.txt", "b.txt", "c.txt"):
        (tmp_path / name).write_text("one")
    folder, opened = reading(tmp_path)
    folder.files()
    (tmp_path / "b.txt").write_text("two")
    (tmp_path / "c.txt").unlink()
    (tmp_path / "d.txt").write_text("new")
    opened.clear()
    assert held(folder) == {"a.txt": "one", "b.txt": "two", "d.txt": "new"}
    assert opened == ["b.txt", "d.txt"]


def test_a_change_that_keeps_size_and_time_is_seen(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text("one")
    folder, _ = reading(tmp_path)
    folder.files()
    status = path.stat()
    path.write_text("two")
    os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))
    assert held(folder) == {"a.txt": "two"}


def test_in_a_large_folder_what_comes_or_goes_is_seen_at_once_and_what_changed_in_place_soon(tmp_path: Path) -> None:
    for number in range(FEW + 1):
        (tmp_path / f"{number}.txt").write_text("old")
    folder, _ = reading(tmp_path)
    time.sleep(0.1)
    for _ in range(3):
        held(folder)
    (tmp_path / "new.txt").write_text("new")
    (tmp_path / "1.txt").unlink()
    assert "new.txt" in held(folder)
    assert "1.txt" not in held(folder)
    (tmp_path / "0.txt").write_text("changed")
    latest = time.monotonic() + 5
    while held(folder)["0.txt"] != "changed":
        assert time.monotonic() < latest
        time.sleep(0.01)


def test_a_loop_of_links_ends(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "x.txt").write_text("x")
    (tmp_path / "a" / "loop").symlink_to(tmp_path)
    folder, _ = reading(tmp_path)
    assert "a/x.txt" in held(folder)


@pytest.mark.parametrize("path", ["../x.txt", "/etc/hosts.txt", "a/../../x.txt", "x.md", "", "a"])
def test_a_path_outside_or_of_another_kind_is_not_found(tmp_path: Path, path: str) -> None:
    folder, _ = reading(tmp_path / "root")
    with pytest.raises(NotFound):
        folder.path(path)


def test_a_link_that_leads_outside_is_not_followed_to_write(tmp_path: Path) -> None:
    (tmp_path / "root").mkdir()
    (tmp_path / "secret.txt").write_text("s")
    (tmp_path / "root" / "x.txt").symlink_to(tmp_path / "secret.txt")
    folder, _ = reading(tmp_path / "root")
    with pytest.raises(NotFound):
        folder.path("x.txt")


@pytest.mark.parametrize("key", ["../x", "", "a/b", ".hidden", "x" * 200, "a\n"])
def test_a_key_that_can_name_no_file_is_refused(key: str) -> None:
    with pytest.raises(ValueError, match="name a file"):
        safe_name(key)


def test_creating_never_overwrites_and_leaves_nothing_else_behind(tmp_path: Path) -> None:
    create(tmp_path / "a.txt", b"one")
    with pytest.raises(FileExistsError):
        create(tmp_path / "a.txt", b"two")
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == {"a.txt": b"one"}


def test_of_many_creators_exactly_one_wins(tmp_path: Path) -> None:
    outcomes: list[str] = []

    def attempt(number: int) -> None:
        try:
            create(tmp_path / "a.txt", str(number).encode())
            outcomes.append(str(number))
        except FileExistsError:
            pass

    threads = [threading.Thread(target=attempt, args=(number,)) for number in range(12)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert outcomes == [(tmp_path / "a.txt").read_text()]


def test_replacing_and_removing_need_the_content_that_was_read(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_bytes(b"one")
    path.chmod(0o640)
    assert not replace(path, b"three", expected=b"two")
    assert not remove(path, expected=b"two")
    assert path.read_bytes() == b"one"
    assert replace(path, b"three", expected=b"one")
    assert (path.read_bytes(), path.stat().st_mode & 0o777) == (b"three", 0o640)
    assert remove(path, expected=b"three")
    assert not remove(path, expected=b"three")
    assert not replace(path, b"x", expected=b"three")
    assert list(tmp_path.iterdir()) == []


def test_writers_take_turns_and_no_change_is_lost(tmp_path: Path) -> None:
    path = tmp_path / "count.txt"
    path.write_text("0")

    def count() -> None:
        for _ in range(10):
            with locked(tmp_path):
                present = path.read_bytes()
                assert replace(path, str(int(present) + 1).encode(), expected=present)

    threads = [threading.Thread(target=count) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert path.read_text() == "40"


CLOSED = Path("/sys/kernel")


@pytest.mark.skipif(not CLOSED.is_dir(), reason="no folder of this machine is closed to everyone, root too")
def test_a_folder_that_cannot_be_written_to_says_so() -> None:
    with pytest.raises(ReadOnly):
        create(CLOSED / "a.txt", b"one")


def test_a_folder_that_is_gone_says_so(tmp_path: Path) -> None:
    with pytest.raises(NotFound):
        create(tmp_path / "gone" / "a.txt", b"one")
    with pytest.raises(NotFound), locked(tmp_path / "gone"):
        pass


def test_a_folder_tells_without_waiting_whether_it_is_as_it_was(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("one")
    folder, _ = reading(tmp_path)
    assert not folder.still()
    os.utime(tmp_path, ns=(1_700_000_000_000_000_123, 1_700_000_000_000_000_123))
    folder.files()
    assert folder.still()
    taken, done = threading.Event(), threading.Event()

    def look() -> None:
        with folder.lock:
            taken.set()
            done.wait()

    with ThreadPoolExecutor(1) as elsewhere:
        elsewhere.submit(look)
        taken.wait()
        assert not folder.still()
        done.set()
    (tmp_path / "b.txt").write_text("two")
    assert not folder.still()
