"""A full disk, a database that can't be written, that is newer or damaged, a damaged index: one clear sentence each, at the start
and in the middle, and nothing is lost or done twice."""

import sqlite3
from datetime import timedelta
from pathlib import Path

import pytest
from doubles.crashes import MAIL, doing, only_flow, sent, shown
from doubles.small_disk import MOMENTS, NOW, on_a_small_disk
from doubles.virtual_time import Time

from assistant.pipeline.execute import Executor
from assistant.running.backups import back_up, restore
from integrations.types import MailQuery
from storage.backup import DATABASE
from storage.errors import CorruptDatabase, NewerDatabase, Unwritable

DAY = timedelta(days=1)
THINKING = doing(MAIL, "mail Anna")
LATER = doing(MAIL.model_copy(update={"send_at": NOW + DAY}), "mail Anna")


@pytest.fixture
def clock() -> Time:
    return Time(NOW)


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return tmp_path / "home"


# --- a disk that is really full


@pytest.fixture(scope="module")
def on_full_disks(tmp_path_factory):
    found = on_a_small_disk(tmp_path_factory.mktemp("full"))
    if found is None:
        pytest.skip("This user may not mount a file system of their own (unshare -rm).")
    return found


@pytest.mark.parametrize("moment", MOMENTS[:-1])
def test_a_full_disk_is_one_sentence_and_nothing_is_lost_or_done_twice(on_full_disks, moment):
    came = on_full_disks[moment]
    begun = moment.endswith("the write")
    approved = begun or moment == "release"
    assert came["said"].startswith("The disk is full, so nothing was saved") and "\n" not in came["said"]
    assert ("the next start finds out what came of it" in came["said"]) == begun
    assert (came["meanwhile"], came["sent"]) == (int(begun), 1)
    assert came["recovered"] == (["done"] if approved else [])
    assert came["still open"] == (not approved) and not came["running"]


# --- a database that can't be written


def test_a_read_only_disk_is_one_sentence_and_nothing_is_lost(on_full_disks):
    came = on_full_disks["read-only"]
    assert came["said"].endswith("can't be written (Read-only file system); check the folder and its permissions.")
    assert (came["meanwhile"], came["sent"], came["recovered"], came["still open"]) == (0, 1, [], True)


async def refuse_writes(a) -> None:
    """From now on SQLite says what it says of a file system that became read-only."""
    for write in (a.database.write, a.database.write_synced):
        await write(lambda s: s.connection.execute("PRAGMA query_only=ON").close())


async def test_a_database_that_became_read_only_leaves_the_preview_open(scripted, account):
    preview = await shown(scripted, THINKING)
    async with scripted(*THINKING) as a:
        await refuse_writes(a)
        with pytest.raises(Unwritable, match=r"^The database .* can't be written \(.*\); check the folder and its permissions\.$"):
            await a.approve(preview.id, preview.fingerprint)
        assert sent(account) == []
        assert [one.id for one in await a.open_previews()] == [preview.id]
    async with scripted(*THINKING) as a:
        assert [o.status for o in (await a.approve(preview.id, preview.fingerprint)).outcomes] == ["done"]
    assert len(sent(account)) == 1


async def test_a_mail_that_cannot_be_released_is_sent_when_the_database_can_be_written_again(scripted, account, clock):
    async with scripted(*LATER) as a:
        preview = (await a.say("c", "go")).previews[0]
        assert [o.status for o in (await a.approve(preview.id, preview.fingerprint)).outcomes] == ["held"]
        await refuse_writes(a)
        clock.now += 2 * DAY
        with pytest.raises(Unwritable):
            await a.release()
    assert sent(account) == []
    async with scripted(*LATER) as a:
        assert [o.status for o in a.released] == ["done"]
    assert len(sent(account)) == 1


async def test_what_was_sent_before_the_database_became_read_only_is_found_at_the_next_start(scripted, account, monkeypatch):
    preview = await shown(scripted, THINKING)
    write = Executor._write

    async with scripted(*THINKING) as a:

        async def then_refused(self, *given):
            receipt = await write(self, *given)
            await refuse_writes(a)
            return receipt

        with monkeypatch.context() as broken:
            broken.setattr(Executor, "_write", then_refused)
            with pytest.raises(Unwritable, match="the next start finds out what came of it"):
                await a.approve(preview.id, preview.fingerprint)
    async with scripted(*THINKING) as a:
        assert [o.status for o in a.recovered] == ["done"]
        assert (await only_flow(a, "approve")).status == "done"
    assert len(sent(account)) == 1


# --- a database of a newer version


async def test_a_newer_database_is_left_alone_with_what_it_holds(scripted, account, home):
    preview = await shown(scripted, THINKING)
    with versioned(home, "9999"), pytest.raises(NewerDatabase, match=r"newer version of this program; upgrade the program"):
        await shown(scripted, THINKING)
    async with scripted(*THINKING) as a:
        assert [o.status for o in (await a.approve(preview.id, preview.fingerprint)).outcomes] == ["done"]


async def test_an_assistant_that_is_open_while_the_database_is_upgraded_ends_what_it_does(scripted, account, home):
    async with scripted(*THINKING) as a:
        preview = (await a.say("c", "go")).previews[0]
        with versioned(home, "9999"):
            assert [o.status for o in (await a.approve(preview.id, preview.fingerprint)).outcomes] == ["done"]
    assert len(sent(account)) == 1


async def test_a_held_mail_waits_in_a_newer_database(scripted, account, home, clock):
    async with scripted(*LATER) as a:
        preview = (await a.say("c", "go")).previews[0]
        await a.approve(preview.id, preview.fingerprint)
    clock.now += 2 * DAY
    with versioned(home, "9999"), pytest.raises(NewerDatabase):
        async with scripted(*LATER):
            pass
    assert sent(account) == []
    async with scripted(*LATER) as a:
        assert [o.status for o in a.released] == ["done"]
    assert len(sent(account)) == 1


class versioned:
    """The database as another version of the program would have left it."""

    def __init__(self, home: Path, version: str) -> None:
        self._path, self._version = home / DATABASE, version

    def __enter__(self) -> None:
        self._was = self._set(self._version)

    def __exit__(self, *_) -> None:
        self._set(self._was)

    def _set(self, version: str) -> str:
        with sqlite3.connect(self._path) as connection:
            (was,) = connection.execute("SELECT version_num FROM alembic_version").fetchone()
            connection.execute("UPDATE alembic_version SET version_num = ?", [version])
        connection.close()
        return was


# --- a damaged database


def damage(path: Path) -> None:
    """Every page but the first."""
    with path.open("r+b") as file:
        for page in range(4096, path.stat().st_size, 4096):
            file.seek(page)
            file.write(b"\xff" * 200)


async def test_a_damaged_database_is_one_sentence_and_a_backup_brings_everything_back(scripted, account, home, tmp_path, clock):
    preview = await shown(scripted, THINKING)
    back_up(home, tmp_path / "backup", version="1", at=clock())
    damage(home / DATABASE)
    with pytest.raises(CorruptDatabase, match=r"is damaged \(.*\); put a backup back: assistant restore FILE --replace\.$"):
        async with scripted(*THINKING) as a:
            await a.approve(preview.id, preview.fingerprint)
    assert sent(account) == []
    await restore(home, tmp_path / "backup", replace=True, at=clock() + timedelta(hours=1))
    async with scripted(*THINKING) as a:
        assert [o.status for o in (await a.approve(preview.id, preview.fingerprint)).outcomes] == ["done"]
    assert len(sent(account)) == 1


async def test_a_held_mail_in_a_damaged_database_is_told_and_sent_once_from_the_backup(scripted, account, home, tmp_path, clock):
    async with scripted(*LATER) as a:
        preview = (await a.say("c", "go")).previews[0]
        await a.approve(preview.id, preview.fingerprint)
    back_up(home, tmp_path / "backup", version="1", at=clock())
    damage(home / DATABASE)
    clock.now += 2 * DAY
    with pytest.raises(CorruptDatabase, match="put a backup back"):
        async with scripted(*LATER) as a:
            await a.release()
    await restore(home, tmp_path / "backup", replace=True, at=clock() - 2 * DAY)
    for _ in range(2):
        async with scripted(*LATER):
            assert len(sent(account)) == 1


async def test_a_database_that_is_damaged_in_the_middle_of_an_approval_sends_nothing_twice(
    scripted, account, home, tmp_path, clock, monkeypatch
):
    preview = await shown(scripted, THINKING)
    back_up(home, tmp_path / "backup", version="1", at=clock())
    write = Executor._write

    async def then_damaged(self, *given):
        receipt = await write(self, *given)
        for name in (DATABASE, f"{DATABASE}-wal"):
            damage(home / name)
        return receipt

    with monkeypatch.context() as broken:
        broken.setattr(Executor, "_write", then_damaged)
        try:
            async with scripted(*THINKING) as a:
                await a.approve(preview.id, preview.fingerprint)
        except CorruptDatabase as told:
            assert "\n" not in str(told)
    assert len(sent(account)) == 1
    await restore(home, tmp_path / "backup", replace=True, at=clock())
    async with scripted(*THINKING) as a:
        assert [o.status for o in (await a.approve(preview.id, preview.fingerprint)).outcomes] == ["done"]
    assert len(sent(account)) == 1


# --- a damaged search index


def damage_index(home: Path) -> None:
    files = [path for path in (home / "index").iterdir() if path.suffix == ".sqlite3"]
    assert files
    for path in files:
        path.write_bytes(b"\xff" * max(path.stat().st_size, 8192))


async def test_a_damaged_index_is_made_again_at_the_start(scripted, account, inbox, home):
    preview = await shown(scripted, THINKING)
    async with scripted(*THINKING) as a:
        before = (await a.readers.mail.search(MailQuery())).items
    damage_index(home)
    async with scripted(*THINKING) as a:
        assert (await a.readers.mail.search(MailQuery())).items == before != ()
        assert [o.status for o in (await a.approve(preview.id, preview.fingerprint)).outcomes] == ["done"]
    assert len(sent(account)) == 1


async def test_a_damaged_index_does_not_keep_a_held_mail_back(scripted, account, inbox, home, clock):
    async with scripted(*LATER) as a:
        preview = (await a.say("c", "go")).previews[0]
        await a.approve(preview.id, preview.fingerprint)
        await a.readers.mail.search(MailQuery())
        damage_index(home)
        clock.now += 2 * DAY
        assert [news.outcome.status for news in await a.release()] == ["done"]
    assert len(sent(account)) == 1


async def test_an_index_that_is_damaged_in_the_middle_of_an_approval_does_not_stop_it(scripted, account, inbox, home):
    preview = await shown(scripted, THINKING)
    async with scripted(*THINKING) as a:
        await a.readers.mail.search(MailQuery())
        damage_index(home)
        assert [o.status for o in (await a.approve(preview.id, preview.fingerprint)).outcomes] == ["done"]
    assert len(sent(account)) == 1
