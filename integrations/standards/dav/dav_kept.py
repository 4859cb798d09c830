"""What calendars and address books held when they were last read, so that a new process asks only for what has changed since."""

import sqlite3
import time
import zlib
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import NamedTuple

from integrations.errors import Unavailable
from integrations.standards.kept_file import KeptFile

LONGEST = 7 * 24 * 3600.0
"""Seconds after which all is read anew: a server may have left out a change."""


class Item(NamedTuple):
    """`tag` is the server's ETag."""

    tag: str
    content: bytes


class State(NamedTuple):
    """As of when a collection was read: `token` is what its changes can be asked since, `version` what it says when nothing has
    changed; `span` is what was asked for, where that is not all."""

    token: str
    version: str
    span: str = ""


@dataclass(frozen=True)
class Held:
    state: State
    items: Mapping[str, Item]


class DavKept(KeptFile):
    kind, what, version = "dav", "calendars and contacts", 1
    tables = """
CREATE TABLE collection (
    number INTEGER PRIMARY KEY, url TEXT NOT NULL UNIQUE, token TEXT NOT NULL, version TEXT NOT NULL, span TEXT NOT NULL,
    begun REAL NOT NULL
);
CREATE TABLE item (
    collection INTEGER NOT NULL, path TEXT NOT NULL, tag TEXT NOT NULL, content BLOB NOT NULL, PRIMARY KEY (collection, path)
);
"""

    def held(self, url: str) -> Held | None:
        """None where nothing is kept of it that could be used."""
        try:
            return self._write(lambda db: _held(db, url))
        except (Unavailable, zlib.error):
            return None

    def keep_all(self, url: str, state: State, items: Mapping[str, Item]) -> None:
        """In place of whatever is kept of it."""

        def write(db: sqlite3.Connection) -> None:
            db.execute("DELETE FROM item WHERE collection IN (SELECT number FROM collection WHERE url = ?)", (url,))
            row = "INSERT OR REPLACE INTO collection (url, token, version, span, begun) VALUES (?, ?, ?, ?, ?)"
            db.execute(row, (url, *state, time.time()))
            _put(db, url, items)

        self._keep(write)

    def keep_changes(self, url: str, before: State, state: State, changed: Mapping[str, Item], gone: Collection[str]) -> None:
        """What has come after `before`. Where another process has kept something else since, that stays."""

        def write(db: sqlite3.Connection) -> None:
            asked = "UPDATE collection SET (token, version, span) = (?, ?, ?) WHERE url = ? AND (token, version, span) = (?, ?, ?)"
            if db.execute(asked, (*state, url, *before)).rowcount:
                taken_away = "DELETE FROM item WHERE path = ? AND collection = (SELECT number FROM collection WHERE url = ?)"
                db.executemany(taken_away, [(path, url) for path in gone])
                _put(db, url, changed)

        self._keep(write)


def _held(db: sqlite3.Connection, url: str) -> Held | None:
    asked = "SELECT number, token, version, span, begun FROM collection WHERE url = ?"
    for number, token, version, span, begun in db.execute(asked, (url,)):
        if not 0 <= time.time() - begun <= LONGEST:
            return None
        rows = db.execute("SELECT path, tag, content FROM item WHERE collection = ?", (number,))
        return Held(State(token, version, span), {path: Item(tag, zlib.decompress(packed)) for path, tag, packed in rows})
    return None


def _put(db: sqlite3.Connection, url: str, items: Mapping[str, Item]) -> None:
    written = "INSERT OR REPLACE INTO item SELECT number, ?, ?, ? FROM collection WHERE url = ?"
    db.executemany(written, [(path, tag, zlib.compress(content, 1), url) for path, (tag, content) in items.items()])
