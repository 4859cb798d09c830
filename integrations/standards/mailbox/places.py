"""What is remembered of the mails at a server: where they were seen, their heads, and how answers hang together.

Nothing in it but what the server has, and nothing that can become untrue: UIDs are never given again under the same UIDVALIDITY,
and what a mail says never changes. A file that is missing, broken or of another version is begun anew.
"""

import secrets
import sqlite3
import time
import zlib
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from integrations.common.mime import Parsed
from integrations.standards.kept_file import KeptFile

_TABLES = """
CREATE TABLE fact (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE folder (
    number INTEGER PRIMARY KEY, path TEXT NOT NULL, validity INTEGER NOT NULL, next INTEGER NOT NULL DEFAULT 0,
    reach INTEGER NOT NULL DEFAULT 0, UNIQUE (path, validity)
);
CREATE TABLE spot (
    folder INTEGER NOT NULL, uid INTEGER NOT NULL, date INTEGER NOT NULL, id TEXT NOT NULL DEFAULT '', PRIMARY KEY (folder, uid)
) WITHOUT ROWID;
CREATE INDEX spot_id ON spot (id) WHERE id <> '';
CREATE TABLE head (id TEXT PRIMARY KEY, head BLOB NOT NULL) WITHOUT ROWID;
CREATE TABLE body (number INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, text BLOB NOT NULL);
CREATE TABLE reference (message_id TEXT PRIMARY KEY, thread TEXT NOT NULL) WITHOUT ROWID;
CREATE INDEX reference_thread ON reference (thread);
CREATE TABLE picture (number INTEGER PRIMARY KEY, made REAL NOT NULL, folders BLOB NOT NULL);
"""
MOST_TEXTS, MOST_PICTURES = 5000, 50
"""The oldest beyond are dropped."""


class Spot(NamedTuple):
    """`path`: the folder's at the server; `validity` its UIDVALIDITY."""

    path: str
    validity: int
    uid: int


class Seen(NamedTuple):
    """`date` in seconds since 1970; `id` is empty where only the date was read."""

    uid: int
    date: int
    id: str = ""


class Places(KeptFile):
    kind, what, version, tables = "imap", "mails", 2, _TABLES

    def __init__(self, index: Path, account: str) -> None:
        super().__init__(index, account)
        self._dates: dict[tuple[str, int], dict[int, int]] = {}

    # Where mails were seen -------------------------------------------------------------------------------------------

    def dates(self, path: str, validity: int) -> Mapping[int, int]:
        """Those known in a folder, by UID, in seconds since 1970."""
        with self._lock:
            if (path, validity) not in self._dates:
                asked = "SELECT uid, date FROM spot JOIN folder ON folder = number WHERE path = ? AND validity = ?"
                rows = self._read(asked, path, validity)
                self._dates[path, validity] = dict(rows)
            return self._dates[path, validity]

    def learn(self, path: str, validity: int, seen: Iterable[Seen]) -> None:
        told = list(seen)
        with self._lock:
            self.dates(path, validity)
            self._dates[path, validity] |= {one.uid: one.date for one in told}
            self._keep(lambda db: _learn(db, path, validity, told))

    def reach(self, path: str, validity: int) -> tuple[int, int]:
        """(uid, date): of every mail in a folder with a lower UID and at least that date, the date is known. Zeros where there is
        none such."""
        rows = self._read("SELECT next, reach FROM folder WHERE path = ? AND validity = ?", path, validity)
        return (int(rows[0][0]), int(rows[0][1])) if rows else (0, 0)

    def keep_reach(self, path: str, validity: int, next: int, date: int) -> None:
        asked = "UPDATE folder SET next = ?, reach = ? WHERE path = ? AND validity = ?"
        self._keep(lambda db: db.execute(asked, (next, date, path, validity)))

    def ids(self, path: str, validity: int, uids: Sequence[int]) -> dict[int, str]:
        """Those known, by UID."""
        asked = "SELECT uid, id FROM spot JOIN folder ON folder = number WHERE path = ? AND validity = ? AND id <> '' AND uid IN "
        return dict(self._read_many(asked, uids, path, validity))

    def spots(self, id: str) -> list[Spot]:
        """Where a mail was seen; it may be there no more."""
        rows = self._read("SELECT path, validity, uid FROM spot JOIN folder ON folder = number WHERE id = ?", id)
        return [Spot(*row) for row in reversed(rows)]

    # What mails say --------------------------------------------------------------------------------------------------

    def heads(self, ids: Sequence[str]) -> dict[str, Parsed]:
        """Those known, by id; of their text only the beginning."""
        rows = self._read_many("SELECT id, head FROM head WHERE id IN ", ids)
        return {id: head for id, packed in rows if (head := _head(packed))}

    def keep_heads(self, heads: Mapping[str, Parsed]) -> None:
        packed = [(id, _packed(head.model_dump_json())) for id, head in heads.items()]

        def write(db: sqlite3.Connection) -> None:
            db.executemany("INSERT OR REPLACE INTO head VALUES (?, ?)", packed)
            for head in heads.values():
                _join(db, (*head.references, head.in_reply_to, head.message_id))

        self._keep(write)

    def texts(self, ids: Sequence[str]) -> dict[str, str]:
        rows = self._read_many("SELECT id, text FROM body WHERE id IN ", ids)
        return {id: _unpacked(packed) for id, packed in rows}

    def keep_texts(self, texts: Mapping[str, str]) -> None:
        packed = [(id, _packed(text)) for id, text in texts.items()]

        def write(db: sqlite3.Connection) -> None:
            db.executemany("INSERT OR REPLACE INTO body (id, text) VALUES (?, ?)", packed)
            db.execute("DELETE FROM body WHERE number <= (SELECT max(number) FROM body) - ?", (MOST_TEXTS,))

        self._keep(write)

    # Threads ---------------------------------------------------------------------------------------------------------

    def threads(self, message_ids: Sequence[str]) -> dict[str, str]:
        """By Message-ID, as far as known."""
        return dict(self._read_many("SELECT message_id, thread FROM reference WHERE message_id IN ", message_ids))

    def relatives(self, message_id: str) -> list[str]:
        """The Message-IDs that are known to be of the same thread."""
        asked = "SELECT message_id FROM reference WHERE thread = (SELECT thread FROM reference WHERE message_id = ?)"
        return [one for (one,) in self._read(asked, message_id)]

    # Pictures of all folders, and other facts ------------------------------------------------------------------------

    @property
    def birth(self) -> str:
        """Of this file: another one knows nothing of what this one has told."""
        if not self.known("birth"):
            self.know("birth", secrets.token_hex(6))
        return self.known("birth")

    def picture(self, number: int) -> str:
        """Empty where there is none any more."""
        rows = self._read("SELECT folders FROM picture WHERE number = ?", number)
        return _unpacked(rows[0][0]) if rows else ""

    def keep_picture(self, folders: str) -> int:
        """Its number."""

        def write(db: sqlite3.Connection) -> int:
            number = db.execute("INSERT INTO picture (made, folders) VALUES (?, ?)", (time.time(), _packed(folders))).lastrowid or 0
            db.execute("DELETE FROM picture WHERE number <= ?", (number - MOST_PICTURES,))
            return number

        return self._write(write) or 0

    def known(self, name: str) -> str:
        """A fact that somebody keeps here; empty where it is not known."""
        rows = self._read("SELECT value FROM fact WHERE name = ?", name)
        return str(rows[0][0]) if rows else ""

    def know(self, name: str, value: str) -> None:
        self._write(lambda db: db.execute("INSERT OR REPLACE INTO fact VALUES (?, ?)", (name, value)))

    def _close(self) -> None:
        with self._lock:
            self._dates.clear()
            super()._close()


def _learn(db: sqlite3.Connection, path: str, validity: int, seen: Sequence[Seen]) -> None:
    db.execute("INSERT OR IGNORE INTO folder (path, validity) VALUES (?, ?)", (path, validity))
    (number,) = db.execute("SELECT number FROM folder WHERE path = ? AND validity = ?", (path, validity)).fetchone()
    db.executemany(
        "INSERT INTO spot VALUES (?, ?, ?, ?) ON CONFLICT DO UPDATE SET id = excluded.id WHERE excluded.id <> ''",
        [(number, *one) for one in seen],
    )


def _join(db: sqlite3.Connection, message_ids: Iterable[str]) -> None:
    """They are of one thread: that of the first one known, else called by the first; threads that they connect become one."""
    ids = list(dict.fromkeys(filter(None, message_ids)))
    if not ids:
        return
    marks = ",".join("?" * len(ids))
    known = dict(db.execute(f"SELECT message_id, thread FROM reference WHERE message_id IN ({marks})", ids).fetchall())
    thread = next((str(known[one]) for one in ids if one in known), ids[0])
    for other in set(known.values()) - {thread}:
        db.execute("UPDATE reference SET thread = ? WHERE thread = ?", (thread, other))
    db.executemany("INSERT OR IGNORE INTO reference VALUES (?, ?)", [(one, thread) for one in ids])


def _packed(text: str) -> bytes:
    return zlib.compress(text.encode("utf-8", "replace"), 1)


def _unpacked(packed: bytes) -> str:
    return zlib.decompress(packed).decode()


def _head(packed: bytes) -> Parsed | None:
    """None where an earlier version of ours has kept it in another form."""
    try:
        return Parsed.model_validate_json(_unpacked(packed))
    except ValueError:
        return None
