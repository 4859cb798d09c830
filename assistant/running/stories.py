"""What the audit journal tells of each write, in words. Nothing else is asked: not the flows, nor the outbox."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any, NamedTuple

from assistant.pipeline.auditing import DELIVERY
from integrations.types import Value
from storage.audit import content_of
from storage.tables import AuditEntry

FORGOTTEN = "What was noted here is forgotten."
OPEN, NOT_BEGUN, BEGUN = "open", "not begun", "begun"
STANDS = {"proposed": OPEN, "approved": NOT_BEGUN, "permitted": NOT_BEGUN, "cancelled": "cancelled", "lapsed": "replaced"}
STANDS |= {"refused": "refused"}
CAME = {"started": BEGUN, "done": "done", "failed": "failed", "unknown": "unknown", "withdrawn": "given up"}
CAME |= {"differs": "done, but not as approved"}
"""What became of a proposal, and of one of its writes, by the last entry about it."""


class Line(Value):
    at: datetime
    text: str


class Deed(Value):
    """One write. `about` is everything by which it can be named, in small letters; `begun` is when it was sent first."""

    says: str
    operation: str
    about: str = ""
    status: str = OPEN
    key: str = ""
    begun: datetime | None = None
    note: str = ""


class Story(Value):
    """A preview, or what else was permitted, from the words that asked for it to what the provider answered. `permit` is its id;
    `approved` says by whom, and how, or why that was not needed; `at` is when the last was noted. The content of what was forgotten
    is missing."""

    permit: str
    flow: str
    conversation: str = ""
    words: str = ""
    level: str = ""
    reasons: tuple[str, ...] = ()
    approved: str = ""
    deeds: tuple[Deed, ...] = ()
    at: datetime
    lines: tuple[Line, ...] = ()

    @property
    def approval(self) -> str:
        """`approved` as a sentence."""
        if not self.approved:
            begun = any(deed.begun for deed in self.deeds)
            return "The journal does not tell who approved it." if begun else "Nobody has approved it."
        return f"{'Approved' if self.approved.startswith('by ') else 'Approval was'} {self.approved}."

    @property
    def says(self) -> str:
        return "; ".join(deed.says for deed in self.deeds) or "forgotten"

    @property
    def result(self) -> str:
        """ "done", "2 done, 1 failed"."""
        counts = Counter(deed.status for deed in self.deeds)
        if len(counts) < 2:
            return next(iter(counts), "")
        return ", ".join(f"{count} {status}" for status, count in counts.items())


class Noted(NamedTuple):
    """An entry with its content."""

    entry: AuditEntry
    content: Mapping[str, Any]

    @property
    def kind(self) -> str:
        return self.entry.kind


def story(entries: Sequence[AuditEntry], earlier: Sequence[AuditEntry] = ()) -> Story:
    """Of the entries under one permit, in order. `earlier` are those about the previews that this one took the place of."""
    noted = [Noted(entry, content_of(entry)) for entry in entries]
    first = noted[0]
    begun = [Noted(entry, content_of(entry)) for entry in earlier if entry.kind == "proposed"]
    permitted = next((one for one in noted if one.kind in ("approved", "permitted")), None)
    deeds = tuple(_deeds(noted))
    return Story(
        permit=first.entry.preview_id,
        flow=(permitted or first).entry.flow_id,
        conversation=first.content.get("conversation", ""),
        words=[*begun, first][0].content.get("words", ""),
        level=first.content.get("level", ""),
        reasons=tuple(first.content.get("reasons", ())),
        approved=_approver(permitted) if permitted else "",
        deeds=deeds,
        at=noted[-1].entry.at,
        lines=tuple(_lines([*begun, *noted], several=len(deeds) > 1)),
    )


def _deeds(noted: Sequence[Noted]) -> Iterator[Deed]:
    planned = _planned(noted)
    stands = next((STANDS[one.kind] for one in reversed(noted) if one.kind in STANDS), OPEN)
    count = max((len(planned), *(one.content["position"] + 1 for one in noted if "position" in one.content)))
    for position in range(count):
        told: Mapping[str, Any] = planned[position] if position < len(planned) else {}
        own = [one for one in noted if one.content.get("position") == position]
        sent = next((one for one in own if one.kind == "started"), None)
        told = told or (sent.content if sent else {})
        yield Deed(
            says=told.get("says") or told.get("operation", "").replace("_", " "),
            operation=told.get("operation", ""),
            about=_about(told),
            status=CAME[own[-1].kind] if own else stands,
            key=own[-1].entry.key if own else "",
            begun=sent.entry.at if sent else None,
            note=_note(own[-1].content) if own else "",
        )


def _planned(noted: Sequence[Noted]) -> Sequence[Mapping[str, Any]]:
    """Every write as it was proposed last, in order."""
    return next((one.content["actions"] for one in reversed(noted) if "actions" in one.content), ())


def _about(told: Mapping[str, Any]) -> str:
    """The clause, the people, the title and the name."""
    action = told.get("action", {})
    people = [one for field in ("to", "cc", "bcc", "attendees", "add_attendees") for one in action.get(field, ())]
    named = [action.get(field) or "" for field in ("subject", "title", "name", "folder", "account")]
    parts = [told.get("says", ""), *told.get("to", ()), *named, *(str(part) for one in people for part in one.values())]
    return " ".join(parts).casefold()


def _note(content: Mapping[str, Any]) -> str:
    receipt = content.get("receipt") or {}
    return str(receipt.get("note") or content.get("error") or content.get("why") or content.get("what") or "")


def _approver(permitted: Noted) -> str:
    content = permitted.content
    words = f"“{content.get('words', '')}”"
    if content.get("course") == DELIVERY:
        return "not needed: you had set it up so"
    if permitted.kind == "approved":
        return "by you, naming its fingerprint" if content.get("door") == "approve" else f"by you: {words}"
    return f"by you: {words}" if content.get("undoes") else "not needed: low risk, and asked for"


# --- in words


def _lines(noted: Sequence[Noted], *, several: bool) -> Iterator[Line]:
    begun: set[str] = set()
    for one in noted:
        for text in _told(one, again=one.entry.key in begun, which=_which(noted, one) if several else ""):
            yield Line(at=one.entry.at, text=text)
        if one.kind == "started":
            begun.add(one.entry.key)


def _which(noted: Sequence[Noted], one: Noted) -> str:
    """Of several writes the one that an entry is about."""
    position = one.content.get("position")
    planned = _planned(noted)
    return f"{planned[position]['says']}: " if position is not None and position < len(planned) else ""


def _told(one: Noted, *, again: bool, which: str) -> Iterator[str]:
    content = one.content
    if one.entry.content is None:
        yield FORGOTTEN
        return
    match one.kind:
        case "proposed":
            yield _asked(content)
            yield f"Proposed: {_listed(content)}."
            yield f"It is {content['level']} risk: {'; '.join(content['reasons'])}."
        case "refused":
            yield _asked(content)
            yield f"This was not even shown for approval: {_listed(content)}. {'; '.join(content['reasons'])}."
        case "permitted" if content.get("course") == DELIVERY:
            yield f"As you set up with the schedule “{content['schedule']}”: {_listed(content)}."
        case "permitted":
            yield _asked(content)
            why = f"{content['level']} risk, and you had asked for just this: {'; '.join(content['reasons'])}"
            yield f"No approval was needed for this: {_listed(content)} ({why})."
        case "approved":
            yield _approval(content)
        case "cancelled":
            yield f"You dropped it{_with_words(content)}; nothing was done."
        case "lapsed":
            taken = "Another proposal took its place" if content["by"] else "What it was about was not there any more"
            yield f"{taken}, so nothing was done."
        case "started":
            yield which + _begun(content, one.entry.key, again=again)
        case "differs":
            yield f"{which}It is not as approved: {content['what']}."
        case "withdrawn":
            yield which + content["why"] + (f" You said: “{content['words']}”." if content.get("words") else "")
        case _:
            yield which + _answer(one.kind, content)


def _listed(content: Mapping[str, Any]) -> str:
    return "; ".join(_with_guesses(action) for action in content["actions"])


def _with_guesses(action: Mapping[str, Any]) -> str:
    guesses = "; ".join(action.get("guesses", ()))
    return f"{action['says']} (it rests on a guess: {guesses})" if guesses else str(action["says"])


def _asked(content: Mapping[str, Any]) -> str:
    words = f"“{content['words']}”"
    if content["background"]:
        name = content.get("schedule", "")
        return f"{f'The schedule “{name}”' if name else 'A schedule'} asked: {words}."
    if content["door"] == "by hand":
        return f"You chose it: {words}."
    if content["door"] in ("propose", "program"):
        return f"Another program proposed it: {words}."
    if not content["own_words"]:
        return f"Another program asked: {words}."
    if content.get("course") == "approve":
        return f"When you approved it ({words}), it had changed underneath or could not be done, so it was shown again."
    if content.get("course") == "undo":
        return f"You wanted it taken back: {words}."
    return f"You wanted it changed: {words}." if content.get("replaces") else f"You asked: {words}."


def _approval(content: Mapping[str, Any]) -> str:
    exactly = f"You approved exactly this, {content['fingerprint'][:15]}…"
    return f"{exactly}, by naming it." if content["door"] == "approve" else f"{exactly}, with the words “{content['words']}”."


def _with_words(content: Mapping[str, Any]) -> str:
    return "" if content["door"] == "cancel" else f" with the words “{content['words']}”"


def _begun(content: Mapping[str, Any], key: str, *, again: bool) -> str:
    once_more = " once more, since it certainly had not happened" if again else ""
    account = content.get("action", {}).get("account", "")
    return f"Begun{once_more}{f' in the account {account}' if account else ''}{f', under the key {key}' if key else ''}."


def _answer(kind: str, content: Mapping[str, Any]) -> str:
    note = _note(content)
    behind = f" {note.rstrip('.')}." if note else ""
    match kind, content["found"]:
        case "done", True:
            return f"No answer came; asked afterwards, the provider had it: done.{behind}"
        case "done", False:
            return f"The provider answered: done.{behind}"
        case "failed", True:
            return f"No answer came; asked afterwards, the provider did not have it: not done.{behind}"
        case "failed", False:
            return f"It was refused, so it is not done.{behind}"
    return f"No answer came, and it could not be settled whether it happened.{behind}"
