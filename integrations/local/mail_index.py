"""The searchable picture of a Maildir, in a file of its own that is rebuilt whenever it is missing, broken or of another version.

Several processes may share it. Every question first looks whether another program changed the folders.
"""

import hashlib
import json
import os
import re
import sqlite3
import threading
from collections.abc import Callable, Container, Iterator, Sequence
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple, TypeVar

from integrations.common.mime import read_message
from integrations.errors import NotFound, Unavailable
from integrations.local import mail_records as records
from integrations.local.mail_changes import changes
from integrations.local.mail_query import Selection, address_condition
from integrations.local.mail_schema import PRAGMAS, TABLES, VERSION
from integrations.local.mail_watch import Directory, Watch, located, may_be_mail, names_in
from integrations.local.maildir import Folder, Located, folders, split_name, stable
from integrations.local.standing import Standing
from integrations.types import Changes, Skipped

T = TypeVar("T")
Progress = Callable[[int, int], None]

_BATCH = 500
_MOST_SKIPPED = 50


HEAD = ("num", "serial", "dir", "folder", "name", "thread")
Head = tuple[int, int, str, str, str, str]
"""What everything else about a mail depends on."""


class Found(NamedTuple):
    """`heads` in order; `rows` of those that were not known."""

    heads: list[Head]
    rows: list[sqlite3.Row]
    total: int
    next: str | None
    skipped: list[sqlite3.Row]


def index_file(index: Path, account: str, root: Path) -> Path:
    """One file per account and mail folder."""
    slug = re.sub(r"[^\w-]+", "-", account)[:40]
    digest = hashlib.sha256(f"{account}\0{root.absolute()}".encode()).hexdigest()[:10]
    return index / f"mail-{slug}-{digest}.sqlite3"


class MailIndex:
    """Blocking; safe to use from several threads. `on_progress` hears (done, all) while many mails are read; `marker` is where it
    is remembered that the folder was there; `unread` are the directories that could not be looked into."""

    def __init__(
        self, root: Path, file: Path, *, owner: str, on_progress: Progress | None = None, marker: Path | None = None
    ) -> None:
        self.root = root
        self.standing = Standing(root, marker)
        self.unread: tuple[Skipped, ...] = ()
        self.on_progress = on_progress
        self._file = file
        self._owner = owner
        self._lock = threading.RLock()
        self._db: sqlite3.Connection | None = None
        self._watch = Watch(root)
        self._everybody: tuple[tuple[int, int], list[sqlite3.Row]] | None = None

    # Connection ------------------------------------------------------------------------------------------------------

    def _connect(self) -> sqlite3.Connection:
        self._file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        os.close(os.open(self._file, os.O_RDWR | os.O_CREAT, 0o600))  # SQLite gives the files beside it the same mode
        self._file.chmod(0o600)
        db = sqlite3.connect(self._file, isolation_level=None, check_same_thread=False, timeout=10)
        db.row_factory = sqlite3.Row
        for pragma in PRAGMAS:
            db.execute(pragma)
        with self._writing(db):
            (version,) = db.execute("PRAGMA user_version").fetchone()
            if version == 0:
                for statement in TABLES.split(";\n"):
                    db.execute(statement)
                db.execute(f"PRAGMA user_version = {VERSION}")
            elif version != VERSION:
                raise sqlite3.DatabaseError(f"index version {version}")
        return db

    def _is_broken(self, error: sqlite3.OperationalError) -> bool:
        """Not merely locked or out of space: tables are missing, or somebody deleted the file."""
        return str(error).startswith("no such") or not self._file.exists()

    def _discard(self) -> None:
        self.close()
        for suffix in ("", "-wal", "-shm"):
            with suppress(FileNotFoundError):
                Path(f"{self._file}{suffix}").unlink()

    def close(self) -> None:
        with self._lock:
            self._watch.forget()
            self._everybody = None
            if self._db is not None:
                self._db.close()
                self._db = None

    @contextmanager
    def _writing(self, db: sqlite3.Connection) -> Iterator[None]:
        db.execute("BEGIN IMMEDIATE")
        try:
            yield
        except BaseException:
            db.execute("ROLLBACK")
            raise
        db.execute("COMMIT")

    def _ask(self, question: Callable[[sqlite3.Connection], T]) -> T:
        """Answers from the index as the folders are now. A broken index is thrown away and built again, once."""
        with self._lock:
            for last in (False, True):
                try:
                    self._db = self._db or self._connect()
                    self._refresh(self._db)
                    return question(self._db)
                except sqlite3.DatabaseError as error:
                    if isinstance(error, sqlite3.OperationalError) and not self._is_broken(error):
                        raise Unavailable(f"The mail index can't be used just now: {error}.") from error
                    self._discard()
                    if last:
                        raise Unavailable(f"The mail index can't be built: {error}.") from error
        raise AssertionError("unreachable")

    def still(self) -> bool:
        """Whether a question would be answered from the index as it is; itself it never waits."""
        if not self._lock.acquire(blocking=False):
            return False
        try:
            return self._db is not None and self._watch.quiet()
        finally:
            self._lock.release()

    # What other programs changed -------------------------------------------------------------------------------------

    def _refresh(self, db: sqlite3.Connection) -> None:
        if self._watch.quiet():
            return
        known = {row["path"]: row for row in db.execute("SELECT path, folder, stamp FROM dir")}
        self.standing.look(expected=bool(known))
        look = self._watch.look()
        there, self.unread = look.directories, look.unread
        changed = [
            one
            for one in there
            if one.path not in known or (known[one.path]["folder"], known[one.path]["stamp"]) != (one.folder.name, one.stamp or -1)
        ]
        gone = known.keys() - {one.path for one in there}
        if changed or gone:
            self._update(db, changed, gone)
        self._watch.followed(look)

    def _update(self, db: sqlite3.Connection, changed: Sequence[Directory], gone: set[str]) -> None:
        with self._writing(db):
            added = self._compare(db, changed, gone)
        done = 0
        for batch in _batches(added, _BATCH):
            self._add(db, batch)
            done += len(batch)
            if self.on_progress and len(added) > _BATCH:
                self.on_progress(done, len(added))
        with self._writing(db):
            db.executemany("DELETE FROM dir WHERE path = ?", [(path,) for path in gone])
            rows = [(one.path, one.folder.name, one.sub, one.stamp) for one in changed]
            db.executemany("INSERT OR REPLACE INTO dir VALUES (?, ?, ?, ?)", rows)

    def _compare(self, db: sqlite3.Connection, changed: Sequence[Directory], gone: set[str]) -> list[Located]:
        """Follows renames, forgets what is gone, and returns what is new."""
        added: list[Located] = []
        lost: list[sqlite3.Row] = []
        for path in gone:
            lost += db.execute("SELECT num, key FROM mail WHERE dir = ?", (path,))
            db.execute("DELETE FROM skipped WHERE dir = ?", (path,))
        for one in changed:
            names = names_in(one.path)
            sql = "SELECT name FROM mail WHERE dir = ? UNION ALL SELECT name FROM skipped WHERE dir = ?"
            known = {name for (name,) in db.execute(sql, (one.path, one.path))}
            for name in known - names:
                lost += db.execute("SELECT num, key FROM mail WHERE dir = ? AND name = ?", (one.path, name))
            db.executemany("DELETE FROM skipped WHERE dir = ? AND name = ?", [(one.path, name) for name in known - names])
            self._rename_folder(db, one)
            added += [located(one, name) for name in names - known if may_be_mail(one.path, name)]
        return self._follow(db, added, lost)

    def _rename_folder(self, db: sqlite3.Connection, one: Directory) -> None:
        """A folder may come to be shown under another name, when the special one whose place it took appears."""
        shown = db.execute("SELECT folder FROM dir WHERE path = ?", (one.path,)).fetchone()
        if shown and shown["folder"] != one.folder.name:
            for row in db.execute("SELECT num, name FROM mail WHERE dir = ?", (one.path,)).fetchall():
                records.change(db, row["num"], located(one, row["name"]), self._owner)

    def _follow(self, db: sqlite3.Connection, added: list[Located], lost: list[sqlite3.Row]) -> list[Located]:
        """A file that vanished from one name and came up under another is the same mail."""
        before: dict[str, list[int]] = {}
        for row in lost:
            before.setdefault(row["key"], []).append(row["num"])
        new = []
        for mail in added:
            nums = before.get(stable(mail.id))
            if nums:
                records.change(db, nums.pop(), mail, self._owner)
            else:
                new.append(mail)
        for nums in before.values():
            for num in nums:
                records.remove(db, num, self._owner)
        return new

    def _add(self, db: sqlite3.Connection, batch: Sequence[Located]) -> None:
        read = [(mail, self._read(mail)) for mail in batch]
        with self._writing(db):
            for mail, add in read:
                place = (str(mail.path.parent), mail.name)
                if add is None or db.execute("SELECT 1 FROM mail WHERE dir = ? AND name = ?", place).fetchone():
                    continue  # vanished, or another process was quicker
                if isinstance(add, str):
                    db.execute("INSERT OR REPLACE INTO skipped VALUES (?, ?, ?)", (*place, add))
                else:
                    add(db)

    def _read(self, mail: Located) -> Callable[[sqlite3.Connection], None] | str | None:
        """What adds the mail, the reason why it can't be read, or None where it has vanished."""
        try:
            with mail.path.open("rb") as file:
                raw = file.read()
                changed = os.fstat(file.fileno()).st_mtime
        except FileNotFoundError:
            return None
        except OSError as error:
            return f"the file can't be read ({error.strerror})"
        try:
            parsed = read_message(raw)
        except Exception as error:  # whatever the standard parser trips over in it
            return f"the mail is malformed ({type(error).__name__}: {error})"
        if parsed.empty:
            return "the file is not a mail"
        moment = parsed.date or datetime.fromtimestamp(int(changed), UTC)
        return lambda db: records.add(db, mail, parsed, moment, self._owner)

    # Questions -------------------------------------------------------------------------------------------------------

    def search(self, selection: Selection, folders: Sequence[str], limit: int, known: Container[Head] = ()) -> Found:
        def question(db: sqlite3.Connection) -> Found:
            nums = [row[0] for row in db.execute(selection.numbers, (*selection.parameters, limit + 1))]
            complete = len(nums) <= limit and not selection.page
            total = len(nums) if complete else db.execute(selection.count, selection.parameters).fetchone()[0]
            heads = _heads(db, nums[:limit])
            rows = _rows(db, [head[0] for head in heads if head not in known])
            skipped = [] if selection.page else _skipped(db, folders)
            return Found(heads, rows, total, str(nums[limit - 1]) if len(nums) > limit else None, skipped)

        return self._ask(question)

    def get(self, mail_id: str) -> sqlite3.Row:
        """With `body`; NotFound where there is no such mail."""
        sql = (
            "SELECT mail.*, body FROM mail JOIN content USING (num) WHERE key = ? AND NOT hidden ORDER BY id <> ?, folder = 'Trash'"
        )
        row: sqlite3.Row | None = self._ask(lambda db: db.execute(sql, (stable(mail_id), mail_id)).fetchone())
        if row is None:
            raise NotFound("The mail is no longer there.")
        return row

    def locate(self, mail_id: str) -> Located:
        row = self.get(mail_id)
        path = Path(row["dir"])
        flags = split_name(row["name"])
        return Located(Folder(row["folder"], path.parent), path.name, row["name"], *flags)

    def by_message_id(self, message_id: str) -> list[sqlite3.Row]:
        sql = "SELECT * FROM mail WHERE message_id = ?"
        return self._ask(lambda db: db.execute(sql, (message_id,)).fetchall())

    def thread(self, thread: str) -> list[sqlite3.Row]:
        sql = (
            "SELECT mail.*, body FROM mail JOIN content USING (num) WHERE NOT hidden AND folder NOT IN ('Trash', 'Drafts') "
            "AND thread = coalesce((SELECT thread FROM reference WHERE message_id = ?), ?) ORDER BY num"
        )
        return self._ask(lambda db: db.execute(sql, (thread, thread)).fetchall())

    def correspondents(self, name: str) -> list[sqlite3.Row]:
        """One row per address, under the name it was seen with most; those whose name or address matches. The list of all stays
        the same object for as long as nothing changes."""

        def question(db: sqlite3.Connection) -> list[sqlite3.Row]:
            if name.strip():
                return found(db)
            state = (db.execute("PRAGMA data_version").fetchone()[0], db.total_changes)
            if self._everybody is None or self._everybody[0] != state:
                self._everybody = state, found(db)
            return self._everybody[1]

        def found(db: sqlite3.Connection) -> list[sqlite3.Row]:
            condition, parameters = "1", []
            if name.strip():
                known, parameter = address_condition(name)
                condition, parameters = f"email IN (SELECT email FROM address WHERE {known})", [parameter]
            sql = (
                "SELECT email, name, max(received + sent + (name <> '') * 0.5), sum(received) AS received, sum(sent) AS sent, "
                f"max(last) AS last FROM address WHERE {condition} AND received + sent > 0 AND email <> ? "
                "GROUP BY email ORDER BY sum(received) + sum(sent) DESC, last DESC"
            )
            return db.execute(sql, (*parameters, self._owner)).fetchall()

        return self._ask(question)

    def changes(self, account: str, since: str) -> Changes:
        return self._ask(lambda db: changes(db, account, since))

    def folders(self) -> tuple[str, ...]:
        self.standing.look()
        return tuple(folder.name for folder in folders(self.root))

    def prepare(self) -> int:
        """Brings the index up to date; the number of mails in it."""
        return int(self._ask(lambda db: db.execute("SELECT count(*) FROM mail").fetchone()[0]))


def _batches(items: Sequence[Located], size: int) -> Iterator[Sequence[Located]]:
    return (items[start : start + size] for start in range(0, len(items), size))


def _heads(db: sqlite3.Connection, nums: Sequence[int]) -> list[Head]:
    sql = f"SELECT {', '.join(HEAD)} FROM mail WHERE num IN (SELECT value FROM json_each(?))"
    heads: dict[int, Head] = {row[0]: tuple(row) for row in db.execute(sql, (json.dumps(nums),))}
    return [heads[num] for num in nums]


def _rows(db: sqlite3.Connection, nums: Sequence[int]) -> list[sqlite3.Row]:
    if not nums:
        return []
    sql = "SELECT * FROM mail WHERE num IN (SELECT value FROM json_each(?))"
    rows: dict[int, sqlite3.Row] = {row["num"]: row for row in db.execute(sql, (json.dumps(nums),))}
    return [rows[num] for num in nums]


def _skipped(db: sqlite3.Connection, folders: Sequence[str]) -> list[sqlite3.Row]:
    condition = f"dir.folder COLLATE NOCASE IN ({','.join('?' * len(folders))})" if folders else "1"
    sql = f"SELECT folder, name, reason FROM skipped JOIN dir ON dir.path = skipped.dir WHERE {condition} LIMIT {_MOST_SKIPPED}"
    return db.execute(sql, tuple(folders)).fetchall()
