"""What is about to be written of an event, read again from its text: it must say what was approved, and nothing else may have come
or gone. No field, and no name of a guest, can begin a line of its own."""

import re
from collections import Counter
from collections.abc import Iterable, Sequence

from integrations.actions import AnswerInvitation, CancelEvent, CreateEvent, UpdateEvent
from integrations.common.addresses import unwritable
from integrations.common.contentline import Block, Line, lines_of, made, parse, render, unescape
from integrations.common.ical import CalendarObject, objects
from integrations.common.ical_events import attendee_email
from integrations.errors import InvalidResponse
from integrations.types import Address

Change = UpdateEvent | CancelEvent | AnswerInvitation
TEXTS = {"title": "SUMMARY", "location": "LOCATION", "description": "DESCRIPTION"}
STAMPED = {"UID", "DTSTAMP", "LAST-MODIFIED", "SEQUENCE", "RECURRENCE-ID"}
TIMES = {"DTSTART", "DTEND", "DURATION", "RRULE", "RDATE", "EXDATE", "EXRULE"}
_ODD = re.compile(r"[\x00-\x08\x0a-\x1f\x7f\x85\u2028\u2029]")


def refuse_unwritable(people: Iterable[Address], account: str) -> None:
    for address in people:
        if why := unwritable(address):
            raise InvalidResponse(f"{address.email!r} can't be invited: it {why}.", account)


def check_new(text: str, action: CreateEvent, *, owner: str, rule: str, start: Line, end: Line) -> None:
    """`start`, `end` and `rule` as they are to stand there."""
    entries = parse(text)
    calendars = [entry for entry in entries if isinstance(entry, Block)]
    events = [block for calendar in calendars for block in calendar.blocks if block.name != "VTIMEZONE"]
    event = events[0] if events else Block("", made(""))
    people = [address.email for address in action.attendees]
    names = ["UID", "DTSTAMP", "CREATED", "LAST-MODIFIED", "SUMMARY", "DTSTART", "DTEND", *(["RRULE"] if rule else [])]
    names += [TEXTS[field] for field in ("location", "description") if getattr(action, field)]
    names += [*(["ORGANIZER"] if people else []), *["ATTENDEE"] * len(people), "SEQUENCE"]
    wrong = {
        "form": len(entries) != 1 or [block.name for block in events] != ["VEVENT"] or any(event.blocks) or _is_odd(text),
        "properties": [line.name for line in event.lines] != names,
        "guests": [attendee_email(line) for line in event.all("ATTENDEE")] != people,
        "organiser": {attendee_email(line) for line in event.all("ORGANIZER")} - {owner.lower()} != set(),
        "times": [event.get("DTSTART"), event.get("DTEND"), event.value("RRULE")] != [start, end, rule],
        **{field: _said(event, name) != lines_of(getattr(action, field)) for field, name in TEXTS.items()},
    }
    _refuse(wrong, action.account)


def check_changed(before: Sequence[Block], after: CalendarObject | None, action: Change, owner: str) -> None:
    """`before` are the event's blocks as they were, copied; `after` as they are to be written, None where it is gone."""
    if after is None:
        return
    read = objects(parse(render([Block("VCALENDAR", made("BEGIN:VCALENDAR"), list(after.blocks), made("END:VCALENDAR"))])))
    blocks = [block for source in read for block in source.blocks]
    pairs = _paired(before, blocks)
    wrong = {
        "form": len(read) != 1 or len(blocks) != len(after.blocks) or len(blocks) > len(before) + 1,
        "properties": any(_otherwise(was, now, action) for was, now in pairs),
        "guests": _guests_differ(pairs, action),
        "organiser": any(_organiser_differs(was, now, owner) for was, now in pairs),
        **_texts_of_update(blocks, action),
    }
    _refuse(wrong, action.account)


def _paired(before: Sequence[Block], after: Sequence[Block]) -> list[tuple[Block, Block]]:
    """Each block with what it was made from. A new one comes last, and from that of the series; none but instances go."""
    if len(after) < len(before):
        known = {block.value("RECURRENCE-ID"): block for block in before}
        return [(known.get(block.value("RECURRENCE-ID"), before[0]), block) for block in after]
    master = next((block for block in before if not block.value("RECURRENCE-ID")), before[0])
    return list(zip([*before, *[master] * (len(after) - len(before))], after, strict=True))


def _texts_of_update(blocks: Sequence[Block], action: Change) -> dict[str, bool]:
    """At least where it was meant: a single instance with words of its own keeps them."""
    if not isinstance(action, UpdateEvent):
        return {}
    given = {field: lines_of(text) for field in TEXTS if (text := getattr(action, field)) is not None}
    return {field: all(_said(block, TEXTS[field]) != text for block in blocks) for field, text in given.items()}


def _otherwise(before: Block, after: Block, action: Change) -> bool:
    """Whether anything has come, gone or changed that the action does not speak of."""
    free = _free(action)
    kept, there = ([line.text for line in block.lines if line.name not in free] for block in (before, after))
    inside, inside_there = (render(block.blocks) for block in (before, after))
    new = Counter(line.name for line in after.lines) - Counter(line.name for line in before.lines)
    several = {name: count for name, count in new.items() if count > 1 and name not in ("ATTENDEE", "EXDATE", "RDATE")}
    return kept != there or inside != inside_there or bool(several)


def _free(action: Change) -> set[str]:
    """The properties that it may touch; a single instance of a series gets times of its own."""
    alone = TIMES if action.event.recurrence is not None else set()
    if isinstance(action, AnswerInvitation):
        return STAMPED | alone | {"ATTENDEE"}
    if isinstance(action, CancelEvent):
        return STAMPED | {"EXDATE"}
    texts = {name for field, name in TEXTS.items() if getattr(action, field) is not None}
    moved = TIMES if action.start is not None or action.end is not None or action.all_day is not None else alone
    people = {"ATTENDEE", "ORGANIZER"} if action.add_attendees or action.remove_attendees else set()
    return STAMPED | texts | people | moved | ({"X-ALT-DESC"} if "DESCRIPTION" in texts else set())


def _guests_differ(pairs: Sequence[tuple[Block, Block]], action: Change) -> bool:
    """Those of a single instance are changed in one block, and nothing but as asked."""
    changed = [(_guests(was), _guests(now)) for was, now in pairs if _guests(was) != _guests(now)]
    if not isinstance(action, UpdateEvent) or not (action.add_attendees or action.remove_attendees):
        return bool(changed)
    gone = {email.lower() for email in action.remove_attendees}
    come = {address.email for address in action.add_attendees}
    there = any(come <= set(now) and not gone & set(now) for now in (_guests(block) for _, block in pairs))
    too_many = action.event.recurrence is not None and len(changed) > 1
    return not there or too_many or any(set(now) != (set(was) - gone) | come for was, now in changed)


def _organiser_differs(before: Block, after: Block, owner: str) -> bool:
    now, was = ({attendee_email(line) for line in block.all("ORGANIZER")} for block in (after, before))
    return now != (was or now & {owner.lower()})


def _guests(block: Block) -> Counter[str]:
    return Counter(attendee_email(line) for line in block.all("ATTENDEE"))


def _said(block: Block, name: str) -> str:
    line = block.get(name)
    return unescape(line.value) if line else ""


def _is_odd(text: str) -> bool:
    return any(_ODD.search(line) for line in text.split("\r\n"))


def _refuse(wrong: dict[str, bool], account: str) -> None:
    if found := [what for what, is_wrong in wrong.items() if is_wrong]:
        raise InvalidResponse(f"The event was not written: its {' and '.join(found)} would not be as approved.", account)
