"""One mail's rows in the index: adding, changing and removing them keeps threads, addresses and counts true."""

import json
import sqlite3
from collections.abc import Iterable
from datetime import UTC, datetime, timedelta

from integrations.common.mime import Parsed
from integrations.local.mail_schema import BCC, CC, FROM, STEP, TO
from integrations.local.maildir import ANSWERED, FLAGGED, SEEN, TRASHED, Located, stable
from integrations.types import DRAFTS, OUTBOX, SENT, TRASH, Address

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_UNCOUNTED = frozenset({DRAFTS, TRASH, "Junk", "Spam"})
"""A mail in these makes nobody a correspondent."""


def first_num(moment: datetime) -> int:
    """The lowest number of a mail of that moment."""
    return (moment - _EPOCH) // timedelta(microseconds=1) * STEP // 1_000_000


def moment_of(num: int) -> datetime:
    return _EPOCH + timedelta(seconds=num // STEP)


def _pairs(people: Iterable[Address]) -> list[list[str]]:
    return [[address.email, address.name] for address in people]


def _state(mail: Located) -> tuple[object, ...]:
    """The columns that a rename changes: dir to hidden."""
    unread = mail.sub == "new" or SEEN not in mail.flags
    return (
        str(mail.path.parent),
        mail.name,
        mail.folder.name,
        mail.id,
        stable(mail.id),
        mail.etag,
        unread,
        FLAGGED in mail.flags,
        ANSWERED in mail.flags,
        TRASHED in mail.flags,
    )


def _free_num(db: sqlite3.Connection, moment: datetime) -> int:
    low = first_num(moment.replace(microsecond=0))
    (last,) = db.execute("SELECT max(num) FROM mail WHERE num BETWEEN ? AND ?", (low, low + STEP - 1)).fetchone()
    return low if last is None else int(last) + 1


def _thread(db: sqlite3.Connection, parsed: Parsed, mail: Located) -> str:
    """The thread of the first known one among this mail's and its ancestors' ids; threads that it connects become one."""
    ids = list(dict.fromkeys(filter(None, (*parsed.references, parsed.in_reply_to, parsed.message_id))))
    if not ids:
        return stable(mail.id)
    marks = ",".join("?" * len(ids))
    known = dict(db.execute(f"SELECT message_id, thread FROM reference WHERE message_id IN ({marks})", ids).fetchall())
    thread = next((str(known[one]) for one in ids if one in known), ids[0])
    for other in set(known.values()) - {thread}:
        db.execute("UPDATE reference SET thread = ? WHERE thread = ?", (thread, other))
        db.execute("UPDATE mail SET thread = ? WHERE thread = ?", (thread, other))
    db.executemany("INSERT OR IGNORE INTO reference VALUES (?, ?)", [(one, thread) for one in ids])
    return thread


def _address_id(db: sqlite3.Connection, address: Address) -> int:
    key = (address.email, address.name)
    row = db.execute("SELECT id FROM address WHERE email = ? AND name = ?", key).fetchone()
    if row:
        return int(row[0])
    number = int(db.execute("INSERT INTO address (email, name) VALUES (?, ?)", key).lastrowid or 0)
    db.execute("INSERT INTO address_words (rowid, words) VALUES (?, ?)", (number, f"{address.name} {address.email}"))
    return number


def _count(db: sqlite3.Connection, num: int, folder: str, owner: str, sign: int) -> None:
    """Adds the mail to its correspondents' counts, or takes it back.

    Only what lies in Sent or Outbox counts as sent: anybody can put the owner's address into a From line.
    """
    if folder in _UNCOUNTED:
        return
    column, roles = ("sent", (TO, CC, BCC)) if folder in (SENT, OUTBOX) else ("received", (FROM,))
    marks = ",".join(map(str, roles))
    db.execute(
        f"UPDATE address SET {column} = {column} + ?, last = max(last, ?) WHERE email <> ? AND id IN "
        f"(SELECT address FROM party WHERE num = ? AND role IN ({marks}))",
        (sign, num // STEP, owner, num),
    )


def add(db: sqlite3.Connection, mail: Located, parsed: Parsed, moment: datetime, owner: str) -> None:
    """`moment` is the mail's date, or the file's where it has none."""
    num = _free_num(db, moment)
    lines = {FROM: (parsed.sender,) if parsed.sender else (), TO: parsed.to, CC: parsed.cc, BCC: parsed.bcc}
    everybody = [address for people in lines.values() for address in people]
    people = {"from": _pairs(lines[FROM]), "to": _pairs(parsed.to), "cc": _pairs(parsed.cc), "bcc": _pairs(parsed.bcc)}
    attachments = [[one.part, one.filename, one.content_type, one.size] for one in parsed.attachments]
    text = (num, " ".join(map(str, everybody)), parsed.subject, parsed.text)
    db.execute(
        f"INSERT INTO mail VALUES ({','.join('?' * 22)}, random())",
        (
            num,
            *_state(mail),
            parsed.bulk,
            bool(attachments),
            parsed.message_id,
            _thread(db, parsed, mail),
            parsed.in_reply_to,
            " ".join(parsed.references),
            parsed.subject,
            parsed.snippet,
            json.dumps({**people, "reply_to": _pairs(parsed.reply_to)}, ensure_ascii=False),
            json.dumps(attachments, ensure_ascii=False),
            json.dumps([[one.kind, one.where, one.count] for one in parsed.oddities]),
        ),
    )
    db.execute("INSERT INTO content VALUES (?, ?, ?, ?)", text)
    db.execute("INSERT INTO search (rowid, people, subject, body) VALUES (?, ?, ?, ?)", text)
    parties = {(_address_id(db, address), role, num) for role, people in lines.items() for address in people}
    db.executemany("INSERT INTO party VALUES (?, ?, ?)", parties)
    _count(db, num, mail.folder.name, owner, 1)


def change(db: sqlite3.Connection, num: int, mail: Located, owner: str) -> None:
    """The file was renamed: marked, or moved to another folder."""
    (folder,) = db.execute("SELECT folder FROM mail WHERE num = ?", (num,)).fetchone()
    if folder != mail.folder.name:
        _count(db, num, folder, owner, -1)
        _count(db, num, mail.folder.name, owner, 1)
    columns = "dir, name, folder, id, key, etag, unread, flagged, answered, hidden"
    db.execute(f"UPDATE mail SET ({columns}) = ({','.join('?' * 10)}) WHERE num = ?", (*_state(mail), num))


def remove(db: sqlite3.Connection, num: int, owner: str) -> None:
    (folder,) = db.execute("SELECT folder FROM mail WHERE num = ?", (num,)).fetchone()
    _count(db, num, folder, owner, -1)
    text = db.execute("SELECT num, people, subject, body FROM content WHERE num = ?", (num,)).fetchone()
    db.execute("INSERT INTO search (search, rowid, people, subject, body) VALUES ('delete', ?, ?, ?, ?)", text)
    for table in ("content", "party", "mail"):
        db.execute(f"DELETE FROM {table} WHERE num = ?", (num,))
