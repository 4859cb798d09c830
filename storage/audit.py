"""The audit journal: what was asked for, proposed, approved, sent and answered. Entries are only ever appended, each chained by its
hash to the one before; the chain's head has a row of its own. What is forgotten loses its content and keeps its hashes.

No other module writes these tables.
"""

import contextlib
import hashlib
import json
import secrets
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, Literal

from sqlalchemy import func, insert, or_, select, update
from sqlmodel import SQLModel

from storage.errors import CorruptDatabase
from storage.session import Prepared, Session, among, given
from storage.tables import AUDIT, AUDIT_HEAD, OWNER, AuditEntry, AuditHead

Kind = Literal[
    "proposed", "lapsed", "cancelled", "approved", "permitted", "withdrawn", "started", "done", "failed", "unknown", "forgotten",
    "restored", "differs", "refused",
]  # fmt: skip
GENESIS = "0" * 64
"""The hash before the first entry."""
PAGE = 500

_ADD = Prepared(insert(AUDIT))
_HEAD = Prepared(select(AUDIT_HEAD))
_HEAD_HELD = Prepared(select(AUDIT_HEAD).with_for_update())
_MOVE_HEAD = Prepared(update(AUDIT_HEAD), ["count", "hash"])
_COUNT = Prepared(select(func.count().label("entries")).select_from(AUDIT))
_AFTER = Prepared(select(AUDIT).where(AUDIT.c.seq > given("after")).order_by(AUDIT.c.seq).limit(given("most")))
_FORGOTTEN = Prepared(select(AUDIT.c.seq, AUDIT.c.content).where(AUDIT.c.kind == "forgotten").order_by(AUDIT.c.seq))
_ERASE = Prepared(
    update(AUDIT).where(AUDIT.c.seq == given("which"), AUDIT.c.kind != "forgotten", AUDIT.c.content.is_not(None)), ["content"]
)
_MINE = AUDIT.c.user_id == given("user")
_OF_PERMIT = Prepared(select(AUDIT).where(_MINE, AUDIT.c.preview_id == given("permit")).order_by(AUDIT.c.seq))
_OF_FLOW = Prepared(select(AUDIT).where(_MINE, AUDIT.c.flow_id == given("flow")).order_by(AUDIT.c.seq))
_WITH_CONTENT = Prepared(
    select(AUDIT.c.seq).where(_MINE, AUDIT.c.content.is_not(None), AUDIT.c.kind != "forgotten").order_by(AUDIT.c.seq)
)
_LENGTH = given("length")
_BEGIN_SO = Prepared(
    select(AUDIT.c.preview_id)
    .where(
        _MINE,
        or_(
            *(func.substr(column, 1, _LENGTH) == given("known_as") for column in (AUDIT.c.key, AUDIT.c.preview_id, AUDIT.c.flow_id))
        ),
    )
    .group_by(AUDIT.c.preview_id)
    .order_by(func.max(AUDIT.c.seq).desc())
)
_PERMITTED_BY = Prepared(
    select(AUDIT.c.flow_id)
    .where(AUDIT.c.preview_id == given("permit"), among(AUDIT.c.kind, ("approved", "permitted")))
    .order_by(AUDIT.c.seq.desc())
    .limit(1)
)
_LATEST = Prepared(
    select(AUDIT.c.preview_id)
    .where(_MINE, AUDIT.c.preview_id != "", AUDIT.c.at >= given("since"))
    .group_by(AUDIT.c.preview_id)
    .order_by(func.max(AUDIT.c.seq).desc())
    .limit(given("most"))
)


class NewEntry(SQLModel, frozen=True):
    """As AuditEntry, before it is appended; `content` holds what JSON can."""

    kind: Kind
    flow_id: str = ""
    preview_id: str = ""
    key: str = ""
    content: Mapping[str, Any] = {}


class Verification(SQLModel, frozen=True):
    """`count` entries are in order, up to the hash `head`; `forgotten` of them without their content. `wrong` is a sentence about
    the first that is not."""

    count: int
    head: str
    forgotten: int = 0
    wrong: str = ""


def append(s: Session, at: datetime, *new: NewEntry, user_id: str = OWNER) -> None:
    """Belongs at the end of a transaction: until the commit nobody else can append."""
    head = s.first(AuditHead, _HEAD_HELD)
    if head is None:
        raise CorruptDatabase("The audit journal has lost its head, so nothing more can be recorded; restore a backup.")
    rows: list[dict[str, Any]] = []
    previous = head.hash
    for seq, entry in enumerate(new, start=head.count + 1):
        content = _sealed(entry.content)
        columns = {"user_id": user_id, "seq": seq, "at": at, **entry.model_dump(), "content": content}
        row = AuditEntry.model_construct(**columns, digest=_sha256(content), previous=previous, hash="")
        previous = hash_of(row)
        rows.append({**row.model_dump(), "hash": previous})
    s.insert_all(_ADD, rows)
    s.changed(_MOVE_HEAD, count=head.count + len(rows), hash=previous)


def forget(s: Session, seqs: Iterable[int], at: datetime, *, user_id: str = OWNER) -> int:
    """Erases the content of these entries for good, and notes that; how many. Belongs at the end of a transaction. What tells of
    an earlier forgetting stays."""
    gone = [seq for seq in dict.fromkeys(seqs) if s.changed(_ERASE, which=seq, content=None)]
    if gone:
        append(s, at, NewEntry(kind="forgotten", content={"seqs": gone}), user_id=user_id)
    return len(gone)


def _sealed(content: Mapping[str, Any]) -> str:
    """With a salt, so that what was forgotten can't be guessed from its digest."""
    salted = {**content, "salt": secrets.token_hex(16)}
    text = json.dumps(salted, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return text.encode("utf-8", "backslashreplace").decode()  # of a lone surrogate this makes JSON's escape


def _sha256(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def hash_of(entry: AuditEntry) -> str:
    """Over all columns but the content and the hash itself."""
    columns = entry.model_dump(exclude={"content", "hash"}, warnings=False) | {"at": entry.at.astimezone(UTC).isoformat()}
    return _sha256(json.dumps(columns, sort_keys=True, separators=(",", ":")))


# --- checking


def verify(s: Session, noted: str = "") -> Verification:
    """Whether every entry is as it was written and none is missing. `noted` is a head that was written down elsewhere: it must
    still be part of the chain."""
    excused = _excused(s)
    count, previous, bare, met, restored = 0, GENESIS, 0, noted in ("", GENESIS), ""
    while page := _page(s, count):
        for entry in page:
            if entry is None:
                wrong = f"Entry {count + 1} of the journal can't be read: it was changed."
                return Verification(count=count, head=previous, forgotten=bare, wrong=wrong)
            if wrong := _wrong(entry, count, previous, excused):
                return Verification(count=count, head=previous, forgotten=bare, wrong=wrong)
            count, previous = entry.seq, entry.hash
            bare += entry.content is None
            met = met or entry.hash == noted
            restored = _restored(entry) or restored
    wrong = _wrong_end(s, count, previous)
    if not wrong and not met:
        wrong = f"The head that was noted is not part of the journal: entries were replaced or cut off since.{restored}"
    return Verification(count=count, head=previous, forgotten=bare, wrong=wrong)


def _wrong(entry: AuditEntry, before: int, previous: str, excused: Mapping[int, int]) -> str:
    """What is wrong with the entry that follows on the one numbered `before`."""
    try:
        return _misfit(entry, before, previous, excused)
    except (TypeError, ValueError, AttributeError):  # a column holds what is no text
        return f"Entry {before + 1} of the journal can't be read: it was changed."


def _misfit(entry: AuditEntry, before: int, previous: str, excused: Mapping[int, int]) -> str:
    number = before + 1
    if entry.seq != number:
        return f"Entry {number} of the journal is missing."
    if entry.previous != previous:
        return f"Entry {number} of the journal does not follow on entry {before}: it was changed, moved or put in."
    if hash_of(entry) != entry.hash:
        return f"Entry {number} of the journal was changed after it was written."
    if entry.content is None:
        return "" if excused.get(number, 0) > number else f"Entry {number} of the journal has lost its content, and none says why."
    return "" if _sha256(entry.content) == entry.digest else f"The content of entry {number} of the journal was changed."


def _wrong_end(s: Session, count: int, last: str) -> str:
    head = s.first(AuditHead, _HEAD)
    if head is None:
        return "The journal has lost its head, so entries may be missing at its end."
    if isinstance(head.count, int) and head.count > count:
        return f"Entry {count + 1} of the journal is missing: {head.count - count} were cut off at its end."
    if (head.count, head.hash) != (count, last):
        return f"The journal's head is not that of its last entry, {count}: one of them was changed."
    if s.column(_COUNT) != (count,):
        return "There are entries in front of the first of the journal: they were put in."
    return ""


def _restored(entry: AuditEntry) -> str:
    """How a head that was noted before this entry may have been lost."""
    if entry.kind != "restored":
        return ""
    at = entry.at.astimezone(UTC).isoformat(timespec="minutes")
    return f" The backup of {content_of(entry).get('made', 'a time')} was restored at {at}: what was noted between is not in it."


def _excused(s: Session) -> dict[int, int]:
    """The numbers of forgotten entries, with that of the last entry which says so."""
    found: dict[int, int] = {}
    for entry in s.every(AuditEntry, _FORGOTTEN):
        with contextlib.suppress(ValueError, TypeError, AttributeError, LookupError):  # a changed one is met on the way
            found |= dict.fromkeys(content_of(entry)["seqs"], entry.seq)
    return found


def _page(s: Session, after: int, most: int = PAGE) -> Sequence[AuditEntry | None]:
    """The entries after that number; None stands for one that can't be read, at the place where it is met."""
    try:
        return s.every(AuditEntry, _AFTER, after=after, most=most)
    except (ValueError, TypeError):
        return (None,) if most == 1 else _page(s, after, 1)


# --- reading


def content_of(entry: AuditEntry) -> dict[str, Any]:
    """Empty where it was forgotten."""
    found: dict[str, Any] = json.loads(entry.content) if entry.content is not None else {}
    return found


def page(s: Session, after: int = 0, most: int = PAGE) -> tuple[AuditEntry, ...]:
    """The entries of all users behind the one of that number, in order."""
    return s.every(AuditEntry, _AFTER, after=after, most=most)


def of_permit(s: Session, permit: str, *, user_id: str = OWNER) -> tuple[AuditEntry, ...]:
    """Everything about one preview, or about what else permits actions; in order."""
    return s.every(AuditEntry, _OF_PERMIT, user=user_id, permit=permit)


def of_flow(s: Session, flow: str, *, user_id: str = OWNER) -> tuple[AuditEntry, ...]:
    """What was noted while this flow ran, or of writes that it permitted; in order."""
    return s.every(AuditEntry, _OF_FLOW, user=user_id, flow=flow)


def with_content(s: Session, user_id: str) -> tuple[int, ...]:
    """The numbers of the user's entries that can be forgotten."""
    return s.column(_WITH_CONTENT, user=user_id)


def permits(s: Session, beginning: str, *, user_id: str = OWNER) -> tuple[str, ...]:
    """The permits of which the id, a key or a flow begins so, the newest first."""
    found: tuple[str, ...] = s.column(_BEGIN_SO, user=user_id, known_as=beginning, length=len(beginning))
    return tuple(permit for permit in found if permit)


def permitted_by(s: Session, permit: str) -> str:
    """The flow in which it was permitted; empty where the journal does not know."""
    return str(next(iter(s.column(_PERMITTED_BY, permit=permit)), ""))


def latest(s: Session, since: datetime, most: int, *, user_id: str = OWNER) -> tuple[str, ...]:
    """The permits under which something was noted since then, the newest first."""
    return s.column(_LATEST, user=user_id, since=since, most=most)
