"""What has happened to the mails of an index since a cursor, which names the index's birth and a place in its list of changes."""

import sqlite3

from integrations.types import Changes, MailRef

_SINCE = """
SELECT change.id AS last, mail.id, mail.etag FROM change LEFT JOIN mail ON mail.key = change.key AND NOT mail.hidden
WHERE change.seq > ? GROUP BY change.key ORDER BY change.seq
"""


def changes(db: sqlite3.Connection, account: str, since: str) -> Changes:
    (birth,) = db.execute("SELECT value FROM meta WHERE key = 'birth'").fetchone()
    (last,) = db.execute("SELECT coalesce(max(seq), 0) FROM change").fetchone()
    cursor = f"{birth}.{last}"
    known, _, seen = since.partition(".")
    if not since or known != birth or not seen.isdecimal():
        return Changes(cursor=cursor, complete=not since)
    rows = db.execute(_SINCE, (int(seen),)).fetchall()
    return Changes(
        cursor=cursor,
        changed=tuple(MailRef(account=account, id=row["id"], etag=row["etag"]) for row in rows if row["id"]),
        gone=tuple(MailRef(account=account, id=row["last"]) for row in rows if not row["id"]),
    )
