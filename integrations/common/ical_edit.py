"""Changing iCalendar text: only the named properties are rewritten, every other line stays as it was."""

from datetime import UTC, date, datetime, time, timedelta, tzinfo
from zoneinfo import ZoneInfo

from integrations.actions import AnswerInvitation, CreateEvent, UpdateEvent
from integrations.common.calendar_checks import TEXTS, check_new, refuse_unwritable
from integrations.common.contentline import Block, Line, escape, line_end, lines_of, made, parse, prop, render
from integrations.common.ical import CalendarObject, known_zone, objects
from integrations.common.ical_events import Timeline, attendee_email, later
from integrations.common.ical_times import Written, shifted_rule, shifted_values, written
from integrations.errors import InvalidResponse, NotFound
from integrations.types import Address

PRODUCT = "-//personal-assistant//EN"
ONCE = ("RRULE", "RDATE", "EXDATE", "EXRULE")
DAY = timedelta(days=1)


class CalendarFile:
    """The text of a calendar file while it is changed."""

    def __init__(self, text: str) -> None:
        self._end = line_end(text)
        self._root = Block("", made(""), parse(text))

    def object(self, uid: str) -> CalendarObject | None:
        return next((found for found in self.objects if found.uid == uid), None)

    @property
    def objects(self) -> tuple[CalendarObject, ...]:
        return objects(self._root.body)

    @property
    def empty(self) -> bool:
        """Whether nothing but time zones is left in it."""
        return all(block.name == "VTIMEZONE" for calendar in self._root.blocks for block in calendar.blocks)

    @property
    def text(self) -> str:
        return render(self._root.body, self._end)

    def remove(self, gone: tuple[Block, ...]) -> None:
        for parent in self._parents():
            parent.body = [entry for entry in parent.body if not any(entry is block for block in gone)]

    def insert(self, block: Block, after: Block | None = None) -> None:
        """After another, or at the end of the calendar."""
        for parent in self._parents():
            for at, entry in enumerate(parent.body):
                if entry is after:
                    parent.body.insert(at + 1, block)
                    return
        next(self._root.blocks, self._root).body.append(block)

    def define_zone(self, zone: tzinfo | None, around: datetime) -> None:
        if not isinstance(zone, ZoneInfo) or zone.key == "UTC":
            return
        if any(block.value("TZID") == zone.key for block in self._root.walk("VTIMEZONE")):
            return
        calendar = next(self._root.blocks, self._root)
        at = next((at for at, entry in enumerate(calendar.body) if isinstance(entry, Block)), len(calendar.body))
        calendar.body.insert(at, _zone_block(zone, around))

    def put(self, wanted: CalendarObject) -> None:
        """The object as given, in place of what stands there under its UID."""
        present = self.object(wanted.uid)
        known = {zone.value("TZID") for zone in self._root.walk("VTIMEZONE")}
        for block in wanted.blocks:
            self.insert(block, present.blocks[-1] if present else None)
        if present:
            self.remove(present.blocks)
        for zone in wanted.zones:
            if zone.value("TZID") not in known:
                next(self._root.blocks, self._root).body.insert(0, zone)

    def _parents(self) -> list[Block]:
        return [self._root, *self._root.blocks]


def new_event(action: CreateEvent, *, uid: str, owner: str, zone: ZoneInfo, now: datetime) -> str:
    """A calendar with this event."""
    if action.end.astimezone(UTC) < action.start.astimezone(UTC):
        raise InvalidResponse("An event can't end before it starts.", action.account)
    refuse_unwritable(action.attendees, action.account)
    style = _style_for(action.start, zone, all_day=action.all_day)
    start, end = whole_days(action.start, action.end, zone) if action.all_day else (action.start, action.end)
    starts, ends, rule = style.line("DTSTART", start), style.line("DTEND", end), checked_rule(action.rrule) if action.rrule else ""
    lines = [
        prop("UID", uid),
        *(prop(name, _utc(now)) for name in ("DTSTAMP", "CREATED", "LAST-MODIFIED")),
        prop("SUMMARY", escape(lines_of(action.title))),
        starts,
        ends,
        *([prop("RRULE", rule)] if rule else []),
        *(prop(TEXTS[name], escape(lines_of(text))) for name in ("location", "description") if (text := getattr(action, name))),
        *([prop("ORGANIZER", f"mailto:{owner}")] if action.attendees else []),
        *(_invited(address) for address in action.attendees),
        prop("SEQUENCE", "0"),
    ]
    event = Block("VEVENT", made("BEGIN:VEVENT"), list(lines), made("END:VEVENT"))
    file = CalendarFile(f"BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:{PRODUCT}\r\nEND:VCALENDAR\r\n")
    file.insert(event)
    file.define_zone(style.zone if style.kind == "zoned" else None, action.start)
    check_new(file.text, action, owner=owner, rule=rule, start=starts, end=ends)
    return file.text


def update_event(file: CalendarFile, timeline: Timeline, action: UpdateEvent, *, owner: str, now: datetime) -> None:
    """Changes one instance, or all of a series; NotFound where the instance does not exist."""
    recurrence = action.event.recurrence
    _identify(timeline.source)
    targets, timeline = _targets(file, timeline, recurrence)
    lead = targets[0]
    before = {name: lead.value(name) for name in TEXTS.values()}
    if action.start is not None or action.end is not None or action.all_day is not None:
        _set_times(file, timeline, lead, action, targets[1:])
    for target in targets:
        for field, name in TEXTS.items():
            wanted = getattr(action, field)
            # An instance that was given its own words keeps them.
            if wanted is not None and target.value(name) == before[name]:
                _set_text(target, name, wanted)
        _set_attendees(target, action, owner)
        stamp(target, now, count=True)


def answer_event(file: CalendarFile, timeline: Timeline, action: AnswerInvitation, *, owner: str, now: datetime) -> None:
    """Changes the owner's own answer and nobody else's; NotFound where the owner is not among the attendees."""
    recurrence = action.event.recurrence
    _identify(timeline.source)
    targets, _ = _targets(file, timeline, recurrence)
    if not any(_is(line, owner) for target in targets for line in target.all("ATTENDEE")):
        raise NotFound("You are not among the people invited to this event.", action.account)
    for target in targets:
        target.change(lambda line: line.with_param("PARTSTAT", action.answer.upper()) if _is(line, owner) else line)
        stamp(target, now, count=False)


def cancel_instance(file: CalendarFile, timeline: Timeline, recurrence: datetime, *, now: datetime) -> None:
    """Takes one instance out of a series; NotFound where it does not exist."""
    if timeline.instance(recurrence) is None:
        raise NotFound("This instance of the series does not exist any more.", timeline.place.account)
    _identify(timeline.source)
    file.remove(tuple(block for block in timeline.source.blocks if _recurrence(timeline, block) == recurrence))
    master = timeline.source.master
    if master is not None:
        master.add(written(timeline, master).line("EXDATE", recurrence))
        stamp(master, now, count=True)


def _identify(source: CalendarObject) -> None:
    """Gives what has no UID the name it goes by, or the change would rename it."""
    for block in source.blocks:
        if not block.value("UID"):
            block.set("UID", prop("UID", source.uid))


def _targets(file: CalendarFile, timeline: Timeline, recurrence: datetime | None) -> tuple[list[Block], Timeline]:
    """The series' own block and then its overrides, or the one for an instance; and the object as it is with that block."""
    if recurrence is None:
        return sorted(timeline.source.blocks, key=lambda block: block.get("RECURRENCE-ID") is not None), timeline
    block = _override(file, timeline, recurrence)
    present = file.object(timeline.source.uid)
    assert present is not None
    return [block], Timeline(present, timeline.place)


def _override(file: CalendarFile, timeline: Timeline, recurrence: datetime) -> Block:
    """The block that holds this one instance, made from the series' own where there is none."""
    instance, master = timeline.instance(recurrence), timeline.source.master
    if instance is None or instance.status == "cancelled":
        raise NotFound("This instance of the series does not exist any more.", timeline.place.account)
    for block in timeline.source.blocks:
        if _recurrence(timeline, block) == recurrence:
            return block
    assert master is not None  # an instance comes from an override or from the master
    style, block = written(timeline, master), master.copy()
    block.change(lambda line: None if line.name in ONCE else line)
    block.set("DTSTART", style.line("DTSTART", instance.start))
    if master.get("DTEND"):
        block.set("DTEND", written(timeline, master, "DTEND").line("DTEND", instance.end))
    block.add(style.line("RECURRENCE-ID", recurrence))
    file.insert(block, after=timeline.source.blocks[-1])
    return block


def _recurrence(timeline: Timeline, block: Block) -> datetime | None:
    return timeline.moment(block, "RECURRENCE-ID")


def _set_times(file: CalendarFile, timeline: Timeline, block: Block, action: UpdateEvent, overrides: list[Block]) -> None:
    """Where only the start is given the duration stays. `overrides` follow a series whose start moves."""
    zone, style = timeline.place.zone, written(timeline, block)
    current = timeline.times(block)
    all_day = style.kind == "date" if action.all_day is None else action.all_day
    turned = all_day != (style.kind == "date")
    start = action.start or current[0]
    end = action.end or (current[1] if action.start is None else same_length(current, start, all_day=all_day))
    if turned:
        if timeline.recurs and action.event.recurrence is None:
            raise InvalidResponse("A series can't be turned from timed to all-day, or back.", action.account)
        style = _style_for(start, zone, all_day=all_day)
    if all_day:
        start, end = whole_days(start, end, zone)
    if end.astimezone(UTC) < start.astimezone(UTC):
        raise InvalidResponse("An event can't end before it starts.", action.account)
    end_style = style if turned or not block.get("DTEND") else written(timeline, block, "DTEND")
    if start != current[0] and action.event.recurrence is None and timeline.recurs:
        _shift_series(timeline, block, overrides, style.local(start) - style.local(current[0]), end - start)
    block.set("DTSTART", style.line("DTSTART", start))
    if action.end is not None or turned or block.get("DTEND"):
        block.set("DURATION")
        block.set("DTEND", end_style.line("DTEND", end))
    if turned:
        file.define_zone(style.zone if style.kind == "zoned" else None, start)


def _shift_series(timeline: Timeline, master: Block, overrides: list[Block], by: timedelta, length: timedelta) -> None:
    """Moves what refers to the instances' original starts along with the start, in the series' local time."""
    style = written(timeline, master)
    old = style.local(timeline.times(master)[0])
    if rule := master.get("RRULE"):
        master.set("RRULE", rule.with_value(shifted_rule(rule.value, old, by, style)))
    master.change(lambda line: shifted_values(line, by, style) if line.name in ("EXDATE", "RDATE") else line)
    for block in overrides:
        recurrence, own = _recurrence(timeline, block), timeline.moment(block, "DTSTART")
        if recurrence is None:
            continue
        block.change(lambda line: shifted_values(line, by, style) if line.name == "RECURRENCE-ID" else line)
        if own == recurrence:  # never moved by itself, so it goes along
            start = style.moment(style.local(own) + by)
            block.set("DTSTART", style.line("DTSTART", start))
            if block.get("DTEND"):
                block.set("DTEND", style.line("DTEND", same_length((start, later(start, length)), start, all_day=False)))


def same_length(current: tuple[datetime, datetime], start: datetime, *, all_day: bool) -> datetime:
    if all_day:
        return start + (current[1].date() - current[0].date())
    return later(start, current[1].astimezone(UTC) - current[0].astimezone(UTC))


def whole_days(start: datetime, end: datetime, zone: ZoneInfo) -> tuple[datetime, datetime]:
    """From local midnight to the midnight after the last moment, at least one day."""
    first, last = start.astimezone(zone), end.astimezone(zone)
    until = last.date() if last.time() == time() else last.date() + DAY
    begin = datetime.combine(first.date(), time(), zone)
    return begin, datetime.combine(max(until, first.date() + DAY), time(), zone)


def _set_text(block: Block, name: str, wanted: str) -> None:
    present = block.get(name)
    language = (present.params.get("LANGUAGE", "") if present else "") or ""
    block.set(name, *([prop(name, escape(lines_of(wanted)), LANGUAGE=language)] if wanted else []))
    if name == "DESCRIPTION":
        block.set("X-ALT-DESC")  # the same text as HTML, which would now say something else


def _set_attendees(block: Block, action: UpdateEvent, owner: str) -> None:
    refuse_unwritable(action.add_attendees, action.account)
    gone = {email.lower() for email in action.remove_attendees}
    if gone:
        block.change(lambda line: None if line.name == "ATTENDEE" and attendee_email(line) in gone else line)
    present = {attendee_email(line) for line in block.all("ATTENDEE")}
    new = [address for address in action.add_attendees if address.email not in present]
    if new and not block.get("ORGANIZER"):
        block.add(prop("ORGANIZER", f"mailto:{owner}"))
    block.add(*(_invited(address) for address in new))


def stamp(block: Block, now: datetime, *, count: bool) -> None:
    """`count` where the change is one of the organizer's, which SEQUENCE numbers."""
    block.set("DTSTAMP", prop("DTSTAMP", _utc(now)))
    block.set("LAST-MODIFIED", prop("LAST-MODIFIED", _utc(now)))
    if count:
        present = block.value("SEQUENCE")
        block.set("SEQUENCE", prop("SEQUENCE", str(int(present) + 1 if present.isdigit() else 1)))


def _invited(address: Address) -> Line:
    return prop(
        "ATTENDEE", f"mailto:{address.email}", CN=address.name, ROLE="REQ-PARTICIPANT", PARTSTAT="NEEDS-ACTION", RSVP="TRUE"
    )


def _is(line: Line, owner: str) -> bool:
    return line.name == "ATTENDEE" and attendee_email(line) == owner.lower()


def _style_for(moment: datetime, zone: ZoneInfo, *, all_day: bool) -> Written:
    if all_day:
        return Written("date", zone)
    own = moment.tzinfo if isinstance(moment.tzinfo, ZoneInfo) and known_zone(moment.tzinfo.key) else zone
    return Written("utc", UTC) if own.key in ("UTC", "Etc/UTC") else Written("zoned", own, own.key)


def checked_rule(rrule: str) -> str:
    from icalendar import vRecur

    try:
        rule = vRecur.from_ical(rrule)
        assert "FREQ" in rule
        return str(rule.to_ical().decode())
    except (ValueError, AssertionError) as error:
        raise InvalidResponse(f"The repetition {rrule!r} can't be understood.") from error


def _zone_block(zone: ZoneInfo, around: datetime) -> Block:
    from icalendar import Timezone

    found = Timezone.from_tzinfo(zone, zone.key, first_date=date(around.year - 1, 1, 1), last_date=date(around.year + 20, 1, 1))
    block = parse(found.to_ical().decode())[0]
    assert isinstance(block, Block)
    return block


def _utc(now: datetime) -> str:
    return f"{now.astimezone(UTC):%Y%m%dT%H%M%SZ}"
