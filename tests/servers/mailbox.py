"""A user's mailbox as a program of somebody else's sees it, over a connection of its own."""

import imaplib
import os
import time
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from email.parser import BytesHeaderParser
from email.utils import parsedate_to_datetime
from pathlib import Path
from typing import Any


class Mailbox:
    """Folder names in ASCII, with "/" between them; `maildir` is where all of them lie."""

    def __init__(self, port: int, name: str, password: str, maildir: Path) -> None:
        self._at, self._as, self._maildir = port, (name, password), maildir

    def __enter__(self) -> imaplib.IMAP4:
        self._imap = imaplib.IMAP4("127.0.0.1", self._at)
        self._imap.login(*self._as)
        return self._imap

    def __exit__(self, *_: object) -> None:
        self._imap.logout()

    def append(self, raw: bytes, folder: str = "INBOX", *, flags: Iterable[str] = (), date: datetime | None = None) -> None:
        """A folder that is missing is made; it arrived when its Date says, unless told."""
        with self as imap:
            if folder != "INBOX":
                imap.create(_quoted(folder))
                imap.subscribe(_quoted(folder))
            when = (date or _date(raw)).astimezone()
            text = raw.replace(b"\r\n", b"\n").replace(b"\n", b"\r\n")
            done(imap.append(_quoted(folder), " ".join(flags), imaplib.Time2Internaldate(when), text))
        if when > datetime.now(UTC):
            self._postdate(folder, when)

    def _postdate(self, folder: str, when: datetime) -> None:
        """Dovecot itself takes no mail that arrives in the future. Nobody has asked it for the date of this one yet."""
        home = self._maildir if folder == "INBOX" else self._maildir / f".{folder.replace('/', '.')}"
        newest = max((*home.glob("cur/*"), *home.glob("new/*")), key=lambda path: path.stat().st_ctime_ns)
        os.utime(newest, (when.timestamp(), when.timestamp()))

    def mails(self, folder: str = "INBOX") -> list[bytes]:
        """Whole, the oldest first."""
        with self as imap:
            if imap.select(_quoted(folder), readonly=True)[0] != "OK":
                return []
            answer = done(imap.fetch("1:*", "(BODY.PEEK[])")) if imap.untagged_responses["EXISTS"][-1] != b"0" else []
            return [part[1] for part in answer if isinstance(part, tuple)]

    def folders(self) -> list[str]:
        with self as imap:
            lines = [line.decode() for line in done(imap.list()) if b"Noselect" not in line]
            return sorted(line.rpartition(' "/" ')[2].strip('"') for line in lines)

    def everything(self) -> Iterator[tuple[str, str, datetime, bytes]]:
        """Folder, UID, date of arrival and text of each mail."""
        for folder in self.folders():
            with self as imap:
                done(imap.select(_quoted(folder), readonly=True))
                for uid in done(imap.uid("SEARCH", "ALL"))[0].decode().split():
                    told, raw = done(imap.uid("FETCH", uid, "(INTERNALDATE BODY.PEEK[])"))[0]
                    arrived = datetime.strptime(told.decode().split('"')[1], "%d-%b-%Y %H:%M:%S %z")
                    yield folder, uid, arrived, raw

    def locate(self, sought: bytes) -> tuple[str, str]:
        """Folder and UID of the mail of exactly this text."""
        return next((folder, uid) for folder, uid, _, raw in self.everything() if raw == sought)

    def get(self, folder: str, uid: str) -> bytes:
        with self as imap:
            done(imap.select(_quoted(folder), readonly=True))
            raw: bytes = done(imap.uid("FETCH", uid, "(BODY.PEEK[])"))[0][1]
            return raw

    def flag(self, folder: str, uid: str, *flags: str, add: bool = True) -> None:
        with self as imap:
            done(imap.select(_quoted(folder)))
            done(imap.uid("STORE", uid, "+FLAGS" if add else "-FLAGS", f"({' '.join(flags)})"))

    def move(self, folder: str, uid: str, to: str) -> None:
        with self as imap:
            done(imap.select(_quoted(folder)))
            done(imap.uid("MOVE", uid, _quoted(to)))

    def remove(self, folder: str, uid: str) -> None:
        with self as imap:
            done(imap.select(_quoted(folder)))
            done(imap.uid("STORE", uid, "+FLAGS", "(\\Deleted)"))
            done(imap.uid("EXPUNGE", uid))


def done(answer: tuple[str, list[Any]]) -> list[Any]:
    kind, data = answer
    assert kind == "OK", data
    return data


def _quoted(folder: str) -> str:
    return '"' + folder.replace("\\", "\\\\").replace('"', '\\"') + '"'


def _date(raw: bytes) -> datetime:
    said = BytesHeaderParser().parsebytes(raw)["Date"]
    try:
        found = parsedate_to_datetime(said or "")
    except ValueError:
        return datetime.fromtimestamp(time.time(), UTC)
    return found if found.tzinfo else found.replace(tzinfo=UTC)
