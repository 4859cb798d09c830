"""A backup of a home in use, and what putting it back does to writes that were under way."""

import asyncio
import errno
import json
import shutil
import sqlite3
import zipfile
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from unittest.mock import AsyncMock

import pytest
from doubles.crashes import MAIL, doing, dying, killed, sent, shown
from doubles.virtual_time import Time

from assistant.bootstrap import open_assistant
from assistant.errors import FlowError, UserError
from assistant.pipeline.execute import Executor
from assistant.pipeline.propose import Proposer
from assistant.running.backups import back_up, restore
from assistant.running.lease import Presence
from integrations.actions import Action, MarkMail, Receipt
from integrations.errors import IntegrationError, Unavailable, Unknowable
from integrations.types import MailRef
from storage import audit, backup
from storage.backup import DATABASE
from storage.database import Database
from storage.errors import BadBackup, CorruptDatabase, DiskFull, StorageError

DAY = timedelta(days=1)
NOW = datetime(2026, 11, 18, 10, 0, tzinfo=UTC)
THINKING = doing(MAIL, "mail Anna")
LATER = doing(MAIL.model_copy(update={"send_at": NOW + DAY}), "mail Anna")


@pytest.fixture
def clock() -> Time:
    return Time(NOW)


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return tmp_path / "home"


@pytest.fixture
def saved(home, tmp_path, clock):
    """Backs the home up."""

    def save(name: str = "backup") -> Path:
        back_up(home, tmp_path / name, version="1.2", at=clock())
        return tmp_path / name

    return save


@pytest.fixture
def restored(home, clock):
    """Puts a backup in place of the home."""

    async def put(file: Path, **options):
        return await restore(home, file, **{"replace": True, "at": clock(), **options})

    return put


async def about(scripted) -> list[str]:
    async with scripted(*THINKING) as a:
        return [head.about for head in await a.flows()]


# --- what it holds


async def test_a_backup_holds_everything_as_it_stood_while_the_assistant_was_in_use(scripted, home, saved, restored):
    (home / "local" / "mail" / "new").mkdir(parents=True)
    (home / "config.toml").write_text("zone = 'Europe/Berlin'\n")
    (home / "index").mkdir()
    (home / "index" / "mail.sqlite").write_text("made again")
    async with scripted(*THINKING) as a:
        await a.say("c", "go")
        file = saved()
        await a.say("c", "go")
    shutil.rmtree(home)
    await restored(file)
    assert await about(scripted) == ["go"]
    assert (home / "config.toml").read_text() == "zone = 'Europe/Berlin'\n"
    assert (home / "local" / "mail" / "new").is_dir()
    assert not (home / "index" / "mail.sqlite").exists()


async def test_backup_and_restored_files_are_their_owners_alone(scripted, home, saved, restored):
    await about(scripted)
    (home / "keys" / "old").mkdir(parents=True)
    (home / "keys" / "old" / "token").write_text("secret")
    (home / "keys" / "old" / "token").chmod(0o644)
    file = saved()
    assert file.stat().st_mode & 0o777 == 0o600
    await restored(file)
    assert {path.stat().st_mode & 0o777 for path in (home / DATABASE, home / "keys" / "old" / "token")} == {0o600}
    assert {path.stat().st_mode & 0o777 for path in (home / "keys", home / "keys" / "old")} == {0o700}


async def test_nothing_is_overwritten_and_nothing_is_kept_where_it_would_be_lost_too(scripted, home, saved, clock, tmp_path):
    await about(scripted)
    saved()
    for file, words in {
        tmp_path / "backup": "there already",
        home / "backup": "outside",
        tmp_path / "missing" / "backup": "no folder",
    }.items():
        with pytest.raises(UserError, match=words):
            back_up(home, file, version="1.2", at=clock())
    with pytest.raises(UserError, match="nothing to back up"):
        back_up(tmp_path / "other", tmp_path / "b", version="1.2", at=clock())
    assert not list(tmp_path.glob(".backup*"))


async def test_a_damaged_database_makes_no_backup(scripted, home, saved, tmp_path):
    await about(scripted)
    with sqlite3.connect(home / DATABASE) as connection:
        connection.execute("INSERT INTO event VALUES ('owner', 'no such flow', 1, '2026-11-18', '1', '', '{}')")
    connection.close()
    with pytest.raises(CorruptDatabase, match="refers to nothing"):
        saved()
    assert not (tmp_path / "backup").exists()


async def test_a_mail_that_is_moved_while_it_is_backed_up_is_in_the_backup(scripted, home, saved, monkeypatch):
    await about(scripted)
    (home / "mail" / "cur").mkdir(parents=True)
    (home / "mail" / "cur" / "1:2,").write_text("hello")
    write = zipfile.ZipFile.write

    def moved(archive, path: Path, name: str) -> None:
        if path.name == "1:2,":
            path.rename(path.with_name("1:2,S"))
        write(archive, path, name)

    monkeypatch.setattr(zipfile.ZipFile, "write", moved)
    with zipfile.ZipFile(saved()) as archive:
        assert archive.read("home/mail/cur/1:2,S") == b"hello"


async def test_a_full_disk_makes_no_backup_and_is_named(scripted, saved, tmp_path, monkeypatch):
    await about(scripted)

    def full(*_) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(zipfile.ZipFile, "writestr", full)
    with pytest.raises(DiskFull, match=rf"^The disk of {tmp_path} is full; free some space there, or choose another one\.$"):
        saved()
    assert not list(tmp_path.glob("*backup*"))


# --- where it may be put


async def test_a_restore_is_refused_while_the_home_is_open_or_holds_data(scripted, home, saved, restored):
    async with scripted(*THINKING):
        file = saved()
        with pytest.raises(FlowError, match="open; end it first"):
            await restored(file)
    with pytest.raises(UserError, match="add --replace"):
        await restored(file, replace=False)
    assert await about(scripted) == []


async def test_who_starts_while_a_home_is_put_back_starts_once_more(scripted, saved, restored, monkeypatch):
    await about(scripted)
    file = saved()
    enter = Presence.enter

    def enters_late(self) -> bool:
        """Another process restores between the opening of the database and the lock."""
        monkeypatch.setattr(Presence, "enter", enter)
        with ThreadPoolExecutor(1) as other:
            other.submit(lambda: asyncio.run(restored(file))).result()
        return self.enter()

    monkeypatch.setattr(Presence, "enter", enters_late)
    with pytest.raises(UserError, match="was put back from a backup at this moment; start once more"):
        await about(scripted)
    assert await about(scripted) == []


async def test_what_is_replaced_is_put_aside(scripted, home, saved, restored):
    await about(scripted)
    file = saved()
    async with scripted(*THINKING) as a:
        await a.say("c", "go")
    aside = (await restored(file)).aside
    assert await about(scripted) == []
    with sqlite3.connect(aside / DATABASE) as connection:
        assert connection.execute("SELECT about FROM flow").fetchall() == [("go",)]
    connection.close()


async def test_accounts_in_the_former_home_are_found_in_the_new_one(home, saved, tmp_path, clock):
    from assistant.cli.connecting import add_local

    folder, elsewhere = home / "local" / "contacts", tmp_path / "elsewhere"
    folder.mkdir(parents=True)
    elsewhere.mkdir()
    await add_local(home, "mine", "me@example.org", {"contacts": folder, "calendars": elsewhere}, create=False)
    await restore(tmp_path / "new", saved(), replace=False, at=clock())
    async with open_assistant(tmp_path / "new") as a:
        assert a.accounts[0].settings == {"contacts": str(tmp_path / "new/local/contacts"), "calendars": str(elsewhere)}


# --- files that can't be restored


async def test_what_is_no_backup_is_refused_in_one_sentence_and_nothing_changes(scripted, saved, restored, tmp_path):
    async with scripted(*THINKING) as a:
        await a.say("c", "go")
    file = saved()
    content = file.read_bytes()
    for name, damaged in {
        "text": b"hello",
        "empty": b"",
        "cut": content[: len(content) // 2],
        "flipped": content[:2000] + bytes(255 - octet for octet in content[2000:2100]) + content[2100:],
    }.items():
        (tmp_path / name).write_bytes(damaged)
        with pytest.raises(BadBackup, match="no backup of this program"):
            await restored(tmp_path / name)
    with pytest.raises(UserError, match="There is no backup"):
        await restored(tmp_path / "missing")
    assert await about(scripted) == ["go"]


async def changed_backup(file: Path, name: str, content: bytes) -> Path:
    """A copy in which one entry is another."""
    changed = file.with_name("changed")
    with zipfile.ZipFile(file) as old, zipfile.ZipFile(changed, "w") as new:
        for entry in old.namelist():
            if entry != name:
                new.writestr(entry, old.read(entry))
        new.writestr(name, content)
    return changed


async def test_a_backup_of_a_newer_version_is_refused(scripted, home, saved, restored, tmp_path):
    await about(scripted)
    file = saved()
    with zipfile.ZipFile(file) as archive:
        manifest = json.loads(archive.read("backup.json"))
        (tmp_path / "db").write_bytes(archive.read(DATABASE))
    with sqlite3.connect(tmp_path / "db") as connection:
        connection.execute("UPDATE alembic_version SET version_num = '9999'")
    connection.close()
    for name, content in {
        "backup.json": json.dumps({**manifest, "format": 2}).encode(),
        DATABASE: (tmp_path / "db").read_bytes(),
    }.items():
        with pytest.raises(BadBackup, match="newer version of this program; upgrade"):
            await restored(await changed_backup(file, name, content))
    assert await about(scripted) == []


async def test_a_backup_writes_nothing_outside_the_home(scripted, saved, restored, tmp_path):
    await about(scripted)
    with pytest.raises(BadBackup):
        await restored(await changed_backup(saved(), "home/../../evil", b"x"))
    assert not list(tmp_path.rglob("evil"))


# --- interrupted


@pytest.mark.parametrize("moves", range(6))
async def test_an_interrupted_restore_loses_nothing_and_can_be_repeated(scripted, home, saved, restored, monkeypatch, moves):
    (home / "local").mkdir(parents=True)
    (home / "local" / "letter").write_text("then")
    await about(scripted)
    file = saved()
    (home / "local" / "letter").write_text("now")
    move, left = backup._move, iter(range(moves))

    def dies(path: Path, to: Path) -> None:
        if next(left, None) is None:
            raise KeyboardInterrupt
        move(path, to)

    with monkeypatch.context() as dying_then:
        dying_then.setattr(backup, "_move", dies)
        try:
            await restored(file)
        except KeyboardInterrupt:
            with pytest.raises(StorageError, match=r"restore .* was interrupted"):
                await about(scripted)
    assert {path.read_text() for path in home.rglob("letter")} >= {"now", "then"}
    await restored(file)
    assert await about(scripted) == []
    assert (home / "local" / "letter").read_text() == "then"
    assert "now" in {path.read_text() for path in home.glob("replaced-*/**/letter")}


# --- what was under way


async def test_what_went_out_after_the_backup_does_not_go_out_again(scripted, account, saved, restored, monkeypatch):
    preview = await shown(scripted, THINKING)
    revive = dying(monkeypatch, Executor, "_send")
    await killed(scripted, THINKING, "approve")
    revive()
    file = saved()
    async with scripted(*THINKING) as a:
        assert [o.status for o in a.recovered] == ["done"]
    assert (await restored(file)).doubted == 1
    async with scripted(*THINKING) as a:
        assert [o.status for o in a.recovered] == ["done"]
        with pytest.raises(FlowError, match="approved already"):
            await a.approve(preview.id, preview.fingerprint)
    assert len(sent(account)) == 1


async def test_what_had_not_gone_out_is_shown_and_not_sent_by_itself(scripted, account, saved, restored, monkeypatch):
    await shown(scripted, THINKING)
    revive = dying(monkeypatch, Executor, "_send")
    await killed(scripted, THINKING, "approve")
    revive()
    await restored(saved())
    async with scripted(*THINKING) as a:
        assert [o.status for o in a.recovered] == ["failed"]
        assert sent(account) == []


async def test_what_was_approved_after_the_backup_is_found_done_when_it_is_approved_again(scripted, account, saved, restored):
    preview = await shown(scripted, THINKING)
    file = saved()
    for _ in range(2):
        async with scripted(*THINKING) as a:
            turn = await a.approve(preview.id, preview.fingerprint)
            assert [o.status for o in turn.outcomes] == ["done"]
        assert len(sent(account)) == 1
        await restored(file)


async def test_a_backup_of_any_moment_of_an_approval_leads_to_one_mail(scripted, account, saved, restored, monkeypatch):
    preview = await shown(scripted, THINKING)
    backups: list[Path] = []

    def around(patch: pytest.MonkeyPatch, where: type, name: str) -> None:
        original = getattr(where, name)

        async def with_backups(*given, **options):
            backups.append(saved(f"backup-{len(backups)}"))
            result = await original(*given, **options)
            backups.append(saved(f"backup-{len(backups)}"))
            return result

        patch.setattr(where, name, with_backups)

    with monkeypatch.context() as patch:
        around(patch, Database, "write_synced")
        around(patch, Executor, "_write")
        async with scripted(*THINKING) as a:
            await a.approve(preview.id, preview.fingerprint)
    assert len(backups) >= 8
    for file in backups:
        await restored(file)
        async with scripted(*THINKING) as a:
            for one in await a.open_previews():
                assert [o.status for o in (await a.approve(one.id, one.fingerprint)).outcomes] == ["done"]
            assert not [head for head in await a.flows() if head.status == "running"]
            assert await a.outbox() == ()
        assert len(sent(account)) == 1


class Remote:
    """An account that notes the key of each write, and tells it by them; or is asked in vain."""

    def __init__(self) -> None:
        self.done: dict[str, Receipt] = {}
        self.effects: list[str] = []
        self.refusal: IntegrationError | None = None

    async def execute(self, action: Action, key: str) -> Receipt:
        self.effects.append(key)
        back = (action.model_copy(update={"seen": False}),) if isinstance(action, MarkMail) else ()
        self.done[key] = Receipt(action=action.kind, account="local", key=key, undo=back)
        return self.done[key]

    async def find(self, action: Action, key: str) -> Receipt | None:
        if self.refusal:
            raise self.refusal
        return self.done.get(key)


@pytest.fixture
def remote(monkeypatch) -> Remote:
    account = Remote()
    monkeypatch.setattr(Executor, "_mail", lambda *_: account)
    return account


async def test_what_was_proposed_before_and_is_never_told_is_unknown_after_a_restore(scripted, saved, restored, remote):
    preview = await shown(scripted, THINKING)
    await restored(saved())
    remote.refusal = Unknowable("It never tells.")
    async with scripted(*THINKING) as a:
        turn = await a.approve(preview.id, preview.fingerprint)
        assert [o.status for o in turn.outcomes] == ["unknown"]
    assert remote.effects == []


async def test_what_was_proposed_after_a_restore_goes_out_unasked(scripted, saved, restored, remote, clock):
    await shown(scripted, THINKING)
    await restored(saved())
    remote.refusal = Unknowable("It never tells.")
    clock.now += timedelta(seconds=1)
    async with scripted(*THINKING) as a:
        preview = (await a.say("c", "go")).previews[0]
        assert [o.status for o in (await a.approve(preview.id, preview.fingerprint)).outcomes] == ["done"]
    assert len(remote.effects) == 1


async def test_what_cannot_be_asked_about_just_now_waits_after_a_restore_and_goes_out_once(
    scripted, saved, restored, remote, monkeypatch
):
    preview = await shown(scripted, THINKING)
    await restored(saved())
    remote.refusal = Unavailable("The connection was lost.")
    monkeypatch.setattr(Executor, "reach", AsyncMock())
    async with scripted(*THINKING) as a:
        turn = await a.approve(preview.id, preview.fingerprint)
        assert [o.status for o in turn.outcomes] == ["pending"]
    assert remote.effects == []
    remote.refusal = None
    for recovered in (["done"], []):
        async with scripted(*THINKING) as a:
            assert [o.status for o in a.recovered] == recovered
    assert len(remote.effects) == 1


async def test_what_was_taken_back_after_the_backup_is_not_taken_back_again_long_after_a_restore(
    scripted, inbox, saved, restored, remote, clock
):
    marking = doing(MarkMail(account="local", mail=MailRef(account="local", id="1.a.host", etag="INBOX:S"), seen=True))
    async with scripted(*marking) as a:
        preview = (await a.say("c", "go")).previews[0]
        await a.approve(preview.id, preview.fingerprint)
        file = saved()
        await a.undo("c")
    assert len(remote.effects) == 2
    await restored(file)
    clock.now += 30 * DAY
    async with scripted(*marking) as a:
        assert [o.status for o in (await a.undo("c")).outcomes] == ["done"]
    assert len(remote.effects) == 2


async def test_a_preview_of_the_same_id_is_not_carried_out_twice_though_a_restored_flow_proposed_it_anew(
    scripted, saved, restored, remote, clock, monkeypatch
):
    """The backup was made while the flow had not yet proposed anything."""
    files: list[Path] = []
    keep = Proposer.offer

    async def offered(*given, **options):
        files.append(saved(f"backup-{len(files)}"))
        return await keep(*given, **options)

    with monkeypatch.context() as patch:
        patch.setattr(Proposer, "offer", offered)
        first = await shown(scripted, THINKING)
    async with scripted(*THINKING) as a:
        await a.approve(first.id, first.fingerprint)
    await restored(files[0])
    clock.now += timedelta(minutes=5)
    async with scripted(*THINKING) as a:
        again = (await a.resume(first.flow)).previews[0]
        assert again.id == first.id and again.created > first.created
        assert [o.status for o in (await a.approve(again.id, again.fingerprint)).outcomes] == ["done"]
    assert len(remote.effects) == 1


async def test_the_journal_of_a_restored_home_is_whole_and_tells_of_the_doubt(scripted, saved, restored, monkeypatch):
    await shown(scripted, THINKING)
    revive = dying(monkeypatch, Executor, "_send")
    await killed(scripted, THINKING, "approve")
    revive()
    await restored(saved())
    async with scripted(*THINKING) as a:
        found = await a.database.read(audit.verify)
        entries = await a.database.read(audit.page)
    assert not found.wrong
    kinds = [entry.kind for entry in entries]
    assert kinds.index("restored") < kinds.index("unknown") < kinds.index("failed")


async def test_the_journal_tells_that_a_head_noted_after_the_backup_is_lost_by_the_restore(scripted, saved, restored, clock):
    preview = await shown(scripted, THINKING)
    file = saved()
    async with scripted(*THINKING) as a:
        kept = (await a.database.read(audit.verify)).head
        await a.cancel(preview.id)
        lost = (await a.database.read(audit.verify)).head
    clock.now += DAY
    await restored(file)
    async with scripted(*THINKING) as a:
        verdicts = [(await a.database.read(partial(audit.verify, noted=head))).wrong for head in (kept, lost)]
    assert verdicts[0] == ""
    assert verdicts[1].startswith("The head that was noted is not part of the journal") and verdicts[1].endswith(
        " The backup of 2026-11-18T10:00+00:00 was restored at 2026-11-19T10:00+00:00: what was noted between is not in it."
    )


async def test_a_backup_whose_journal_has_lost_its_head_is_restored_and_that_is_told(scripted, home, saved, restored):
    await about(scripted)
    with sqlite3.connect(home / DATABASE) as connection:
        connection.execute("DELETE FROM audit_head")
    connection.close()
    assert (await restored(saved())).journal.startswith("The journal has lost its head")


# --- mails that were held until their time


async def scheduled(scripted) -> None:
    async with scripted(*LATER) as a:
        preview = (await a.say("c", "go")).previews[0]
        assert [o.status for o in (await a.approve(preview.id, preview.fingerprint)).outcomes] == ["held"]


async def test_a_scheduled_mail_that_went_out_since_is_not_sent_again(scripted, account, saved, restored, clock):
    await scheduled(scripted)
    file = saved()
    clock.now += 2 * DAY
    async with scripted(*LATER) as a:
        assert [o.status for o in a.released] == ["done"]
    assert (await restored(file)).doubted == 1
    async with scripted(*LATER) as a:
        assert [o.status for o in (*a.recovered, *a.released)] == ["done"]
    assert len(sent(account)) == 1


async def test_a_scheduled_mail_that_went_out_early_is_not_sent_again_when_its_time_comes(
    scripted, account, saved, restored, clock
):
    await scheduled(scripted)
    file = saved()
    async with scripted(*LATER) as a:
        assert [news.outcome.status for news in await a.outgoing.release(at_once=lambda held: held)] == ["done"]
    assert (await restored(file)).doubted == 0
    async with scripted(*LATER) as a:
        assert [o.status for o in await a.outbox()] == ["held"]
    clock.now += 2 * DAY
    async with scripted(*LATER) as a:
        assert [o.status for o in a.released] == ["done"]
    assert len(sent(account)) == 1


async def test_a_scheduled_mail_that_was_taken_back_since_is_scheduled_again_and_that_is_told(scripted, saved, restored, clock):
    await scheduled(scripted)
    file = saved()
    async with scripted(*LATER) as a:
        assert [o.status for o in (await a.undo("c")).outcomes] == ["taken_back"]
    found = await restored(file)
    assert (found.scheduled, found.doubted) == (1, 0)
    async with scripted(*LATER) as a:
        assert [o.status for o in await a.outbox()] == ["held"]
    clock.now += 2 * DAY
    found = await restored(file)
    assert (found.scheduled, found.doubted) == (0, 1)


async def test_a_scheduled_mail_goes_out_once_from_a_restored_home(scripted, account, home, saved, restored, clock):
    await scheduled(scripted)
    file = saved()
    shutil.rmtree(home)
    await restored(file)
    clock.now += 2 * DAY
    for released in (["done"], []):
        async with scripted(*LATER) as a:
            assert [o.status for o in a.released] == released
    assert len(sent(account)) == 1
