"""What awaits approval, as a value, and its fingerprint."""

import hashlib
import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any, Literal

from integrations.actions import Action, SaveDraft, SendMail
from integrations.types import Value
from risk.changes import Change, changes_of, contents_of
from risk.evidence import Evidence
from risk.matrix import LEVELS, Level, Rating
from risk.operations import OPERATIONS, operation_of
from risk.provenance import Recipient, reached
from risk.tracing import Trace, traces_of
from risk.versions import Written

__all__ = [
    "LEVELS",
    "Change",
    "Enclosed",
    "Item",
    "Level",
    "Preview",
    "Proposed",
    "Recipient",
    "Status",
    "Trace",
    "differences",
    "fingerprint",
    "make_preview",
]

Status = Literal["open", "approved", "superseded", "cancelled", "stale"]

KEEPS = timedelta(days=7)
ENCLOSED_TEXT = 2000
"""Characters of a forwarded mail that a preview keeps."""


class Proposed(Value):
    """A write as it was proposed: `says` is one clause, `guesses` what it rests on that the user did not say, `notes` what is worth
    knowing besides; `written` tells how its text came about, where it was drafted. `warnings` are clauses on what may be wrong with
    it beside what the facts say."""

    action: Action
    says: str = ""
    guesses: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    written: Written | None = None
    warnings: tuple[str, ...] = ()


class Enclosed(Value):
    """The mail that goes along with a forward: `text` is how it begins, `attachments` are names with sizes."""

    sender: str
    subject: str
    date: datetime
    text: str = ""
    attachments: tuple[str, ...] = ()


class Item(Value):
    """One action of a preview. `says` is one clause; `guesses` what it rests on that the user did not say, `notes` what is
    worth knowing besides; `encloses` what a forward takes along; `written` how its text came about; `traces` tell where links,
    codes, amounts, phone numbers and addresses in its text came from."""

    action: Action
    says: str
    recipients: tuple[Recipient, ...] = ()
    changes: tuple[Change, ...] = ()
    guesses: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    encloses: Enclosed | None = None
    written: Written | None = None
    traces: tuple[Trace, ...] = ()
    warnings: tuple[str, ...] = ()
    """Those with which it was proposed; the gate finds its own anew."""


class Preview(Value):
    """`fingerprint` is of exactly these actions with their etags. `warnings` are those of the `reasons` that say what may be wrong,
    whatever the level. `differs` tells what changed underneath when it replaces a stale
    one (`replaces`). `sample`: it concerns the sample account only. `through` names the accounts that it is done in, each with its
    address, where the user has several."""

    id: str
    flow: str
    conversation: str
    fingerprint: str
    level: Level
    reasons: tuple[str, ...]
    items: tuple[Item, ...]
    created: datetime
    expires: datetime
    status: Status = "open"
    replaces: str = ""
    differs: tuple[Change, ...] = ()
    sample: bool = False
    through: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()

    @property
    def scheduled(self) -> bool:
        """Whether a mail of it goes out at a time of its own."""
        return any(isinstance(action, SendMail) and action.send_at for action in self.actions)

    @property
    def actions(self) -> tuple[Action, ...]:
        return tuple(item.action for item in self.items)


def fingerprint(actions: Sequence[Action]) -> str:
    """Of the actions in their order. Fields at their default are left out, so that a version that knows a further optional field
    reckons the same; ValueError for a time without a zone."""
    canonical = [_canonical({"kind": action.kind, **action.model_dump(exclude_defaults=True)}) for action in actions]
    text = json.dumps(canonical, sort_keys=True, separators=(",", ":"), ensure_ascii=True)
    return "v1:" + hashlib.sha256(text.encode()).hexdigest()


def _canonical(value: Any) -> Any:
    if isinstance(value, datetime):
        if value.tzinfo is None:
            raise ValueError(f"The time {value.isoformat()} has no zone.")
        return value.astimezone(UTC).isoformat()
    if isinstance(value, Mapping):
        return {str(name): _canonical(inner) for name, inner in value.items()}
    if isinstance(value, list | tuple):
        return [_canonical(inner) for inner in value]
    return value


def make_preview(
    *,
    id: str,
    flow: str,
    conversation: str,
    proposed: Sequence[Proposed],
    rating: Rating,
    evidence: Evidence,
    now: datetime,
    keeps: timedelta = KEEPS,
    replaces: str = "",
    differs: tuple[Change, ...] = (),
) -> Preview:
    return Preview(
        id=id,
        flow=flow,
        conversation=conversation,
        fingerprint=fingerprint([one.action for one in proposed]),
        level=rating.level,
        reasons=rating.reasons,
        warnings=rating.warnings,
        items=tuple(_item(one, rating.warnings, evidence) for one in proposed),
        created=now,
        expires=now + keeps,
        replaces=replaces,
        differs=differs,
    )


def _item(proposed: Proposed, warnings: Sequence[str], evidence: Evidence) -> Item:
    action = proposed.action
    return Item(
        action=action,
        says=proposed.says or OPERATIONS[operation_of(action)],
        recipients=reached(action, evidence),
        changes=changes_of(action, evidence),
        guesses=tuple(guess for guess in proposed.guesses if not _told(guess, warnings)),
        notes=tuple(note for note in proposed.notes if not _told(note, warnings)),
        encloses=_enclosed(action, evidence),
        written=proposed.written,
        traces=traces_of(action, evidence),
        warnings=proposed.warnings,
    )


def _told(note: str, warnings: Sequence[str]) -> bool:
    """Whether a warning says the same of an event as the note does: that it collides, is there already, or is in the past."""
    if note == "that time is in the past":
        return any(warning.startswith("it is in the past") for warning in warnings)
    for mark, told in (("collides with ", "it collides with “"), ('there is already a "', "there is already an event “")):
        if note.startswith(mark):
            title = note.removeprefix(mark)
            return any(w.startswith(told) and title.startswith(w.removeprefix(told).partition("”")[0]) for w in warnings)
    return False


def _enclosed(action: Action, evidence: Evidence) -> Enclosed | None:
    if not isinstance(action, SendMail | SaveDraft) or action.forward_of is None:
        return None
    mail = evidence.mail(action.forward_of)
    if mail is None:
        return None
    return Enclosed(
        sender=str(mail.sender or "unknown"),
        subject=mail.subject,
        date=mail.date.astimezone(evidence.local),
        text=mail.body[:ENCLOSED_TEXT],
        attachments=tuple(f"{a.filename or 'unnamed'} ({_size(a.size)})" for a in mail.attachments),
    )


def _size(octets: int) -> str:
    return f"{octets / 2**20:.1f} MB" if octets >= 2**20 else f"{max(1, octets // 2**10)} kB"


def differences(old: Preview, new: Preview) -> tuple[Change, ...]:
    """What a person should look at again: in level, actions, recipients, texts, and in what is changed as it now stands."""
    return tuple(_differences(old, new))


def _differences(old: Preview, new: Preview) -> Iterator[Change]:
    if old.level != new.level:
        yield Change(field="Level", before=old.level, after=new.level)
    earlier, later = _by_target(old), _by_target(new)
    seen = False
    for target in dict.fromkeys((*earlier, *later)):
        for change in _between(earlier.get(target), later.get(target)):
            seen = True
            yield change
    yield from (Change(field="Warning", before="", after=told) for told in new.warnings if told not in old.warnings)
    if not seen and old.fingerprint != new.fingerprint:
        yield Change(field="Version", before="as shown before", after="changed since, in a way that does not show here")


def _by_target(preview: Preview) -> dict[tuple[str, ...], Item]:
    """Items by kind and what they change; alike ones are told apart by their number."""
    found: dict[tuple[str, ...], Item] = {}
    alike: Counter[tuple[str, ...]] = Counter()
    for item in preview.items:
        target = _target(item.action)
        found[(*target, str(alike[target]))] = item
        alike[target] += 1
    return found


def _target(action: Action) -> tuple[str, ...]:
    refs = (getattr(action, name, None) for name in ("mail", "event", "contact", "reply_to", "forward_of"))
    ref = next((ref for ref in refs if ref is not None), None)
    recurrence = getattr(ref, "recurrence", None)
    moment = recurrence.astimezone(UTC).isoformat() if recurrence else ""
    return (action.kind, action.account, getattr(ref, "id", ""), moment)


def _between(old: Item | None, new: Item | None) -> Iterator[Change]:
    if old is None or new is None:
        yield Change(field="Action", before=old.says if old else "", after=new.says if new else "no longer part of it")
        return
    people = [", ".join(sorted(f"{one.address} ({one.line})" for one in item.recipients)) for item in (old, new)]
    if people[0] != people[1]:
        yield Change(field="Recipients", before=people[0] or "nobody", after=people[1] or "nobody")
    was, now = contents_of(old.action), contents_of(new.action)
    yield from (Change(field=name, before=was[name], after=now[name]) for name in was if was[name] != now[name])
    before, after = ({change.field: change for change in item.changes} for item in (old, new))
    for field in dict.fromkeys((*before, *after)):
        yield from _moved(field, before.get(field), after.get(field))


def _moved(field: str, old: Change | None, new: Change | None) -> Iterator[Change]:
    was, now = (old.before if old else ""), (new.before if new else "")
    if old and new and was != now:
        yield Change(field=f"{field} as it stands", before=was, after=now)
    was, now = (old.after if old else "unchanged"), (new.after if new else "unchanged")
    if was != now:
        yield Change(field=field, before=was, after=now)
