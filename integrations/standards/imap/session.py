"""What is asked of a mailbox over one connection that is signed in. Blocking."""

import math
import re
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple, TypeVar

from integrations.errors import IntegrationError, InvalidResponse, NotFound, ReadOnly
from integrations.standards.imap.folders import USES, Folder, Folders
from integrations.standards.imap.imap_errors import Server, Unsearchable
from integrations.standards.imap.responses import (
    Garbled,
    Piece,
    Row,
    found_by,
    found_in_sets,
    internal_date,
    listed_in,
    prefixes_in,
    rows_of,
    sets_of,
    statuses_in,
    uids_of,
    vanished_in,
)
from integrations.standards.imap.wire import Answer, Argument, Content, Wire
from integrations.types import INBOX

LISTED_FOR = 10.0
"""Seconds for which a listing of folders is taken as it was."""
LONGEST_SET, MOST_AT_ONCE = 6000, 2000
"""Characters, and messages, of one FETCH or STORE."""
_LINE_END = re.compile(rb"\r\n|\r|\n")
_WORD = re.compile(r"[A-Za-z0-9$\\*_.-]+")
_ITEM = re.compile(r"[A-Z0-9.]+(?:\[[^\]]*\])?(?:<\d+(?:\.\d+)?>)?")
_COPIED = re.compile(rb"(\d+) ([\d:,]+) ([\d:,]+)")
_APPENDED = re.compile(rb"\[APPENDUID \d+ (\d+)\]", re.IGNORECASE)
_MODIFIED = re.compile(rb"\[MODIFIED ([\d:,]+)\]", re.IGNORECASE)


R = TypeVar("R")


class Selected(NamedTuple):
    """An open folder as it was when it was opened; `keywords`: whether it takes new ones. `modseq` is None where it keeps none."""

    uidvalidity: int
    uidnext: int
    modseq: int | None
    exists: int
    keywords: bool


@dataclass
class _Open:
    """`current`: opened, or seen to be as it was, in this piece of work. `asked` and `seen`, by the monotonic clock: when that was
    asked for last, and answered."""

    path: str
    writing: bool
    selected: Selected
    asked: float
    seen: float
    current: bool = True


class Status(NamedTuple):
    uidvalidity: int
    uidnext: int
    messages: int
    modseq: int | None


class Fetched(NamedTuple):
    """`vanished` are the UIDs of what is gone, as far as the server told."""

    rows: list[Row]
    vanished: set[int]


class Listing:
    """The folders as they were last listed, for all of an account's connections."""

    def __init__(self) -> None:
        self._folders, self._at = Folders(), float("-inf")

    def current(self) -> Folders | None:
        return self._folders if time.monotonic() - self._at < LISTED_FOR else None

    def keep(self, folders: Folders) -> Folders:
        self._folders, self._at = folders, time.monotonic()
        return folders

    def forget(self) -> None:
        self._at = float("-inf")


class Session:
    """Raises the errors of `integrations.errors` only."""

    def __init__(self, wire: Wire, listing: Listing) -> None:
        self.wire, self._listing = wire, listing
        self.server: Server = wire.server
        self.capabilities = wire.capabilities
        self._open: _Open | None = None
        self._caught_up = False
        if "QRESYNC" in self.capabilities:
            wire.ask("ENABLE", "QRESYNC")
        elif "CONDSTORE" in self.capabilities and "ENABLE" in self.capabilities:
            wire.ask("ENABLE", "CONDSTORE")

    def begin(self) -> None:
        """Before a piece of work: what was open is looked at anew."""
        if self._open:
            self._open.current = False
        self._caught_up = False

    def alive(self) -> bool:
        try:
            return self.wire.ask("NOOP").ok and not self.wire.broken
        except IntegrationError:
            return False

    # Folders -----------------------------------------------------------------------------------------------------

    def folders(self, *, fresh: bool = False) -> Folders:
        """`fresh`: not as they were some seconds ago."""
        return (not fresh and self._listing.current()) or self._listing.keep(self._list())

    def _list(self) -> Folders:
        extended = {"SPECIAL-USE", "LIST-EXTENDED"} <= self.capabilities
        answer = self.wire.must("LIST", '""', '"*"', *(["RETURN (SPECIAL-USE)"] if extended else []))
        own, foreign = None, frozenset[str]()
        if "NAMESPACE" in self.capabilities:
            own, foreign = prefixes_in(self.wire.must("NAMESPACE").told.get("NAMESPACE", []))
        prefix, delimiter = own or ("", "")
        return Folders(self._read(listed_in, answer, "LIST"), prefix, delimiter, foreign)

    def open(self, folder: Folder, *, writing: bool = False, since: float = math.inf) -> Selected:
        """Costs nothing where it is open already, in this piece of work; or in an earlier one, where no less of it is known here
        than in the session whose `seen` is `since`. Raises NotFound where it is gone."""
        held, asked = self._open, time.monotonic()
        fits = held and held.path == folder.path and held.writing >= writing
        if held and fits and (held.current or self._is_known(held, since) or self._is_unchanged(held)):
            return held.selected
        self._open = None
        arguments: list[Argument] = [_name(folder), *(["(CONDSTORE)"] if "CONDSTORE" in self.capabilities else [])]
        answer = self.wire.ask("SELECT" if writing else "EXAMINE", *arguments)
        self.wire.selected(answer.ok)
        if not answer.ok:
            self._listing.forget()
            raise self._not_opened(folder, answer)
        if writing and b"[READ-ONLY]" in answer.words.upper():
            raise ReadOnly(f"The folder {folder.name} can only be read.", self.server.account)
        selected = _selected(answer, lambda name: self._told_number(answer, name))
        self._open = _Open(folder.path, writing, selected, asked, time.monotonic())
        return selected

    def _is_unchanged(self, held: "_Open") -> bool:
        """Since an earlier piece of work: to open a large folder again is much work for a server. Any but the inbox may be another
        one by now."""
        if held.writing or held.path.upper() != INBOX:
            return False
        asked = time.monotonic()
        self._catch_up()
        held.current = not self.wire.changed
        if held.current:
            held.asked, held.seen = asked, time.monotonic()
        return held.current

    def _is_known(self, held: "_Open", since: float) -> bool:
        held.current = held.path.upper() == INBOX and (held.seen == since or held.asked >= since)
        return held.current

    @property
    def seen(self) -> float:
        """When what is known here of the open folder was told, by the monotonic clock."""
        return self._open.seen if self._open else math.inf

    def _not_opened(self, folder: Folder, answer: Answer) -> IntegrationError:
        meant = self.server.refusal(answer.words)
        if answer.status == "NO" and type(meant) in (InvalidResponse, NotFound):
            return NotFound(f"There is no folder {folder.name} any more.", self.server.account)
        return meant

    def status(self, folder: Folder) -> Status:
        """Raises NotFound where it is gone."""
        self._catch_up()
        answer = self.wire.ask("STATUS", _name(folder), f"({self._counts})")
        if not answer.ok:
            self._listing.forget()
            raise self._not_opened(folder, answer)
        told = self._read(statuses_in, answer, "STATUS")
        if len(told) != 1:
            raise self.server.unreadable()
        return self._status(*told.values())

    def statuses(self, folders: Iterable[Folder]) -> dict[Folder, Status]:
        """Of all of them that are there, in one go where the server can."""
        wanted = {one.path: one for one in folders}
        if "LIST-STATUS" in self.capabilities:
            self._catch_up()
            answer = self.wire.must("LIST", '""', '"*"', f"RETURN (STATUS ({self._counts}))")
            told = self._read(statuses_in, answer, "STATUS")
            return {wanted[path]: self._status(one) for path, one in told.items() if path in wanted}
        found = {}
        for one in wanted.values():
            try:
                found[one] = self.status(one)
            except NotFound:
                continue
        return found

    def _catch_up(self) -> None:
        """Of a folder that is open on this connection, Dovecot's STATUS tells only what this connection was told already."""
        if not self._caught_up:
            self.wire.must("NOOP")
            self._caught_up = True

    @property
    def _counts(self) -> str:
        return "UIDVALIDITY UIDNEXT MESSAGES" + (" HIGHESTMODSEQ" if "CONDSTORE" in self.capabilities else "")

    def _status(self, told: dict[str, int]) -> Status:
        try:
            validity, following, messages = (self._kept(told[name]) for name in ("UIDVALIDITY", "UIDNEXT", "MESSAGES"))
            return Status(validity, following, messages, self._kept(told.get("HIGHESTMODSEQ", 0)) or None)
        except KeyError:
            raise self.server.unreadable() from None

    def create(self, folder: Folder) -> None:
        """With what it is for, where the server keeps that; there already is as good."""
        use = [f"(USE ({USES[folder.name]}))"] if "CREATE-SPECIAL-USE" in self.capabilities and folder.name in USES else []
        answer = self.wire.ask("CREATE", _name(folder), *use)
        if not answer.ok and use and b"ALREADYEXISTS" not in answer.words.upper():
            answer = self.wire.ask("CREATE", _name(folder))
        self._listing.forget()
        if not answer.ok and b"EXISTS" not in answer.words.upper():
            raise self.server.refusal(answer.words)
        self.wire.ask("SUBSCRIBE", _name(folder))

    # Reading -----------------------------------------------------------------------------------------------------

    def search(self, *criteria: Argument) -> list[int]:
        """UIDs in the open folder. str goes out as it is, bytes (UTF-8) as strings. Raises Unsearchable where the server can't."""
        extended = "ESEARCH" in self.capabilities
        returned = ["RETURN (ALL)"] if extended else []
        answer = self._found(self.wire.ask("UID", "SEARCH", *returned, *_charset(criteria), *criteria))
        if extended and "SEARCH" not in answer.told:
            return self._read(found_in_sets, answer, "ESEARCH")
        return self._read(found_by, answer, "SEARCH")

    def sort(self, order: str, *criteria: Argument) -> list[int] | None:
        """In an order such as "REVERSE ARRIVAL"; None where the server does not sort."""
        if "SORT" not in self.capabilities:
            return None
        answer = self._found(self.wire.ask("UID", "SORT", f"({order})", "UTF-8", *(criteria or ("ALL",))))
        return self._read(found_by, answer, "SORT")

    def _found(self, answer: Answer) -> Answer:
        if answer.ok:
            return answer
        meant = self.server.refusal(answer.words)
        if type(meant) in (InvalidResponse, Unsearchable):
            raise Unsearchable(f"{self.server.host} can't look for this.", self.server.account)
        raise meant

    def fetch(self, uids: Sequence[int] | str, items: str, *, changed_since: int | None = None, vanished: bool = False) -> Fetched:
        """What `items` asks for, such as "(FLAGS BODY.PEEK[HEADER])", of each message that is there: `uids` may also be a set
        such as "1:*". A row tells all that was asked for. `vanished` needs QRESYNC and `changed_since`."""
        modifier = ""
        if changed_since is not None:
            modifier = f" (CHANGEDSINCE {changed_since}{' VANISHED' if vanished else ''})"
        sets = [uids] if isinstance(uids, str) else sets_of(uids, LONGEST_SET, MOST_AT_ONCE)
        wanted = None if isinstance(uids, str) else frozenset(uids)
        asked = _with_uid(items)
        fetched = Fetched([], set())
        for part in sets:
            answer = self.wire.must("UID", "FETCH", part, asked + modifier)
            rows = self._read(rows_of, answer, "FETCH")
            fetched.rows.extend(row for row in rows if (wanted is None or row["UID"] in wanted) and _names(asked) <= row.keys())
            fetched.vanished.update(self._read(vanished_in, answer, "VANISHED"))
        return fetched

    # Writing -----------------------------------------------------------------------------------------------------

    def store(self, uids: Sequence[int], change: str, flags: Sequence[str], *, unchanged_since: int | None = None) -> set[int]:
        """`change` is FLAGS, +FLAGS or -FLAGS. The UIDs of those that were left alone since they had changed."""
        condition = [f"(UNCHANGEDSINCE {unchanged_since})"] if unchanged_since is not None else []
        refused: set[int] = set()
        for part in sets_of(uids, LONGEST_SET, MOST_AT_ONCE):
            answer = self.wire.ask("UID", "STORE", part, *condition, f"{change}.SILENT", _flags(flags))
            modified = _MODIFIED.search(answer.words)
            if modified:
                refused.update(self._uids(modified[1]))
            elif not answer.ok:
                raise self.server.refusal(answer.words)
        return refused

    def move(self, uid: int, to: Folder) -> int | None:
        """The new UID, where the server tells. Without MOVE it is copied first and then removed."""
        if "MOVE" in self.capabilities:
            return self._copied(self.wire.must("UID", "MOVE", str(uid), _name(to)))
        self._must_expunge()
        copied = self._copied(self.wire.must("UID", "COPY", str(uid), _name(to)))
        self.expunge(uid)
        return copied

    def _copied(self, answer: Answer) -> int | None:
        for told in (*answer.told.get("COPYUID", []), answer.words.partition(b"[COPYUID ")[2]):
            found = _COPIED.match(told) if isinstance(told, bytes) else None
            if found:
                return next(iter(self._uids(found[3])), None)
        return None

    def append(self, folder: Folder, raw: bytes, flags: Sequence[str], date: datetime | None) -> int | None:
        """Its UID, where the server tells. Raises NotFound where there is no such folder."""
        content = Content(_LINE_END.sub(b"\r\n", raw))
        moment = [f'"{internal_date(date)}"'] if date else []
        answer = self.wire.must("APPEND", _name(folder), _flags(flags), *moment, content)
        found = _APPENDED.search(answer.words)
        return int(found[1]) if found else None

    def expunge(self, uid: int) -> None:
        """Removes this one for good, and no other."""
        self._must_expunge()
        self.store([uid], "+FLAGS", ["\\Deleted"])
        self.wire.must("UID", "EXPUNGE", str(uid))

    def _must_expunge(self) -> None:
        if "UIDPLUS" not in self.capabilities:
            raise ReadOnly(f"{self.server.host} can't remove a single mail.", self.server.account)

    # Answers -----------------------------------------------------------------------------------------------------

    def _told_number(self, answer: Answer, name: str) -> int | None:
        told = answer.told.get(name)
        number = told[-1] if told else None
        return self._kept(int(number)) if isinstance(number, bytes) and number.isdigit() and len(number) < 21 else None

    def _kept(self, number: int) -> int:
        """No server counts further, and no database of ours."""
        if number >= 1 << 63:
            raise self.server.unreadable()
        return number

    def _uids(self, text: bytes) -> list[int]:
        try:
            return uids_of(text.decode("ascii"))
        except Garbled:
            raise self.server.unreadable() from None

    def _read(self, reader: Callable[[Sequence[Piece | None]], R], answer: Answer, kind: str) -> R:
        data: Sequence[Piece | None] = answer.told.get(kind, [])
        try:
            return reader(data)
        except (Garbled, TypeError, ValueError):
            raise self.server.unreadable() from None


def _name(folder: Folder) -> bytes:
    return folder.path.encode("latin-1")


def _charset(criteria: Sequence[Argument]) -> list[str]:
    return [] if all(isinstance(one, str) or one.isascii() for one in criteria) else ["CHARSET UTF-8"]


def _flags(flags: Sequence[str]) -> str:
    """Raises ValueError where one is none."""
    if not all(map(_WORD.fullmatch, flags)):
        raise ValueError(f"{flags!r} are no flags")
    return f"({' '.join(flags)})"


def _with_uid(items: str) -> str:
    inside = items.strip().removeprefix("(").removesuffix(")")
    return f"({inside})" if "UID" in inside.upper().split() else f"(UID {inside})"


def _names(items: str) -> frozenset[str]:
    """Those under which a row tells what was asked for; sections are told under names that servers write in their own ways."""
    return frozenset(one for one in _ITEM.findall(items.upper()) if "[" not in one)


def _selected(answer: Answer, number: Callable[[str], int | None]) -> Selected:
    flags = answer.told.get("PERMANENTFLAGS", [])
    return Selected(
        uidvalidity=number("UIDVALIDITY") or 0,
        uidnext=number("UIDNEXT") or 0,
        modseq=number("HIGHESTMODSEQ"),
        exists=number("EXISTS") or 0,
        keywords=any(isinstance(one, bytes) and b"\\*" in one for one in flags),
    )
