"""What is remembered of mails at a server."""

import os
import sqlite3
import threading
from pathlib import Path

import pytest

from integrations.common.mime import read_message
from integrations.errors import Unavailable
from integrations.standards.mailbox.places import MOST_PICTURES, Places, Seen, Spot


@pytest.fixture
def places(tmp_path: Path) -> Places:
    return Places(tmp_path / "index", "acc")


async def test_what_one_process_learns_another_knows(places: Places, tmp_path: Path) -> None:
    other = Places(tmp_path / "index", "acc")
    places.learn("INBOX", 7, [Seen(1, 100, "a"), Seen(2, 200)])
    assert other.spots("a") == [Spot("INBOX", 7, 1)]
    assert dict(other.dates("INBOX", 7)) == {1: 100, 2: 200} and other.ids("INBOX", 7, [1, 2]) == {1: "a"}
    await places.close()
    await other.close()


async def test_a_folder_made_anew_has_nothing_of_the_old_one(places: Places) -> None:
    places.learn("INBOX", 7, [Seen(1, 100, "a")])
    assert places.ids("INBOX", 8, [1]) == {} and dict(places.dates("INBOX", 8)) == {}
    await places.close()


async def test_a_date_read_again_does_not_make_an_id_unknown(places: Places) -> None:
    places.learn("INBOX", 7, [Seen(1, 100, "a")])
    places.learn("INBOX", 7, [Seen(1, 100)])
    assert places.ids("INBOX", 7, [1]) == {1: "a"}
    await places.close()


async def test_accounts_know_nothing_of_each_other(places: Places, tmp_path: Path) -> None:
    other = Places(tmp_path / "index", "acc/2")
    places.know("x", "1")
    assert (places.known("x"), other.known("x")) == ("1", "")
    await places.close()
    await other.close()


async def test_threads_that_an_answer_connects_become_one(places: Places) -> None:
    def keep(number: int, own: str, **further: str) -> None:
        lines = [f"Message-ID: <{own}>", *(f"{name.replace('_', '-')}: <{id}>" for name, id in further.items())]
        places.keep_heads({str(number): read_message("\r\n".join([*lines, "", ""]).encode())})

    keep(1, "c@x", In_Reply_To="b@x")
    keep(2, "a@x")
    assert places.threads(["<c@x>", "<a@x>"]) == {"<c@x>": "<b@x>", "<a@x>": "<a@x>"}
    keep(3, "b@x", In_Reply_To="a@x")
    assert len(set(places.threads(["<a@x>", "<b@x>", "<c@x>"]).values())) == 1
    assert set(places.relatives("<b@x>")) == {"<a@x>", "<b@x>", "<c@x>"}
    await places.close()


async def test_only_the_last_pictures_are_kept(places: Places) -> None:
    numbers = [places.keep_picture(str(at)) for at in range(MOST_PICTURES + 5)]
    assert len(set(numbers)) == len(numbers)
    assert (places.picture(numbers[0]), places.picture(numbers[-1])) == ("", str(MOST_PICTURES + 4))
    await places.close()


async def test_a_new_file_is_born_anew(places: Places, tmp_path: Path) -> None:
    birth = places.birth
    assert places.birth == birth
    await places.close()
    for file in (tmp_path / "index").iterdir():
        file.unlink()
    assert places.birth != birth
    await places.close()


async def test_a_file_that_is_removed_while_it_is_open_is_begun_anew(places: Places, tmp_path: Path) -> None:
    places.know("x", "1")
    for file in (tmp_path / "index").iterdir():
        file.unlink()
    await places.close()
    places.know("y", "2")
    assert (places.known("x"), places.known("y")) == ("", "2")
    await places.close()


async def test_a_file_of_another_version_is_begun_anew(places: Places, tmp_path: Path) -> None:
    places.know("x", "1")
    await places.close()
    (file,) = (tmp_path / "index").glob("*.sqlite3")
    with sqlite3.connect(file) as db:
        db.execute("PRAGMA user_version = 99")
    db.close()
    assert places.known("x") == ""
    await places.close()


async def test_what_need_not_be_kept_is_not_missed(places: Places, tmp_path: Path) -> None:
    (tmp_path / "index").write_text("no folder")
    places.keep_texts({"a": "text"})
    with pytest.raises(Unavailable, match="acc"):
        places.know("x", "1")


async def test_many_threads_may_use_it_at_once(places: Places) -> None:
    def work(number: int) -> None:
        for at in range(20):
            places.learn(f"folder {number}", 1, [Seen(at + 1, at, f"{number}.{at}")])

    threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all(len(places.dates(f"folder {number}", 1)) == 20 for number in range(4))
    await places.close()


async def test_nobody_else_may_look_into_the_folder_of_the_index(places: Places, tmp_path: Path) -> None:
    places.know("x", "1")
    assert os.stat(tmp_path / "index").st_mode & 0o077 == 0
    await places.close()
