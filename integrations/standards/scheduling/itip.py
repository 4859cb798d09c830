"""What others are told of an event, as iTIP has it (RFC 5546): by which method, which of its parts, and whom."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import Literal, NamedTuple

from integrations.actions import AnswerInvitation, CalendarAction, CancelEvent, CreateEvent, RestoreEvent, UpdateEvent
from integrations.common.addresses import wire_email
from integrations.common.contentline import Block, Line, escape, prop
from integrations.common.ical import CalendarObject
from integrations.common.ical_events import Place, Timeline, attendee_email, later
from integrations.common.ical_times import written
from integrations.common.people import honest_name
from integrations.types import Address

Method = Literal["REQUEST", "CANCEL", "REPLY"]
Kind = Literal["invitation", "update", "cancellation", "uninvited", "accepted", "declined", "tentative"]
METHODS: dict[Kind, Method] = {
    "invitation": "REQUEST",
    "update": "REQUEST",
    "cancellation": "CANCEL",
    "uninvited": "CANCEL",
    "accepted": "REPLY",
    "declined": "REPLY",
    "tentative": "REPLY",
}
ANSWERED: dict[str, Kind] = {"ACCEPTED": "accepted", "DECLINED": "declined", "TENTATIVE": "tentative"}
TOLD = frozenset(
    "UID DTSTAMP CREATED LAST-MODIFIED DTSTART DTEND DURATION RRULE RDATE EXDATE RECURRENCE-ID SUMMARY DESCRIPTION LOCATION GEO "
    "URL CONFERENCE STATUS TRANSP CLASS PRIORITY SEQUENCE ORGANIZER ATTENDEE".split()
)
"""The rest is the owner's own: alarms, categories, what programs note down."""
OF_PEOPLE = ("CN", "CUTYPE", "ROLE", "PARTSTAT", "RSVP", "LANGUAGE")
REPEATS = ("RRULE", "RDATE", "EXDATE", "EXRULE")


class Notice(NamedTuple):
    """`calendar` holds what is told and nothing else."""

    kind: Kind
    to: tuple[Address, ...]
    calendar: CalendarObject
    comment: str = ""

    @property
    def method(self) -> Method:
        return METHODS[self.kind]

    @property
    def text(self) -> str:
        """The calendar as it is sent."""
        return self.calendar.text.replace("VERSION:2.0\r\n", f"VERSION:2.0\r\nMETHOD:{self.method}\r\n", 1)


def notices(
    action: CalendarAction, source: CalendarObject, place: Place, now: datetime, before: CalendarObject | None = None
) -> tuple[Notice, ...]:
    """`source` is the event as it stands after the action; as it stood where it is removed altogether. `before` is it as it was,
    where that is still known: without it everybody whom an update removes counts as having been invited. Malformed where its times
    can't be read."""
    return _Telling(action, source, place, now, before).notices()


def organiser(source: CalendarObject) -> Address | None:
    """Whoever the first of its blocks that names somebody names."""
    line = next((line for block in source.blocks for line in block.all("ORGANIZER")), None)
    return _person(line) if line else None


class _Telling:
    def __init__(
        self, action: CalendarAction, source: CalendarObject, place: Place, now: datetime, before: CalendarObject | None
    ) -> None:
        self._action, self._source, self._place, self._now, self._before = action, source, place, now, before
        self._owner = place.owner.lower()

    def notices(self) -> tuple[Notice, ...]:
        organising = organiser(self._source)
        if organising is None:
            return ()
        if organising.email != self._owner:
            return self._reply(organising)
        match self._action:
            case AnswerInvitation():
                return ()
            case CancelEvent():
                return self._cancelled(self._action)
            case UpdateEvent():
                return (*self._updated(self._action), *self._uninvited(self._action))
            case CreateEvent() | RestoreEvent():
                kind: Kind = "invitation" if isinstance(self._action, CreateEvent) else "update"
                return self._requests(self._source.blocks, lambda _: kind)

    # To the organiser

    def _reply(self, organising: Address) -> tuple[Notice, ...]:
        if not isinstance(self._action, AnswerInvitation | RestoreEvent):
            return ()
        comment = self._action.comment if isinstance(self._action, AnswerInvitation) else ""
        blocks = [block for block in self._blocks(self._action.event.recurrence) if self._mine(block)]
        answers = {(self._mine(block) or prop("ATTENDEE", "")).params.get("PARTSTAT", "").upper() for block in blocks[:1]}
        kind = ANSWERED.get(next(iter(answers), ""))
        if kind is None:
            return ()
        told = [self._told(block, [self._owner], comment) for block in blocks]
        return (Notice(kind, (organising,), self._with(told), comment),)

    def _mine(self, block: Block) -> Line | None:
        return next((line for line in block.all("ATTENDEE") if attendee_email(line) == self._owner), None)

    # To those invited

    def _updated(self, action: UpdateEvent) -> tuple[Notice, ...]:
        added = {address.email for address in action.add_attendees}
        known = {address.email for block in self._before.blocks for address in self._people(block)} if self._before else set()
        own = (action.title, action.start, action.end, action.all_day, action.location, action.description)
        concerns_all = any(field is not None for field in own)

        def kind(email: str) -> Kind | None:
            if email in added - known:
                return "invitation"
            return "update" if concerns_all else None

        return self._requests(self._blocks(action.event.recurrence), kind)

    def _requests(self, blocks: Sequence[Block], kind_for: "Callable[[str], Kind | None]") -> tuple[Notice, ...]:
        """One for all who are told the same; whoever takes part in single instances is told of those alone."""
        groups: dict[tuple[Kind, tuple[int, ...]], list[Address]] = {}
        for email, address in _by_email(person for block in blocks for person in self._people(block)).items():
            if kind := kind_for(email):
                takes_part = tuple(at for at, block in enumerate(blocks) if email in _by_email(self._people(block)))
                groups.setdefault((kind, takes_part), []).append(address)
        return tuple(
            Notice(kind, tuple(people), self._with([self._told(blocks[at]) for at in takes_part]))
            for (kind, takes_part), people in groups.items()
        )

    def _uninvited(self, action: UpdateEvent) -> tuple[Notice, ...]:
        gone = {email.lower() for email in action.remove_attendees} - {self._owner}
        if self._before is not None:
            was = _by_email(person for block in self._before.blocks for person in self._people(block))
            people = [address for email, address in was.items() if email in gone]
        else:
            people = [Address(email=email) for email in sorted(gone)]
        blocks = self._blocks(action.event.recurrence)[:1]
        return self._cancels("uninvited", people, blocks)

    def _cancelled(self, action: CancelEvent) -> tuple[Notice, ...]:
        if action.event.recurrence is not None:
            block = self._removed_instance(action.event.recurrence)
            return self._cancels("cancellation", self._people(block), [block], action.comment) if block else ()
        blocks = [self._source.master] if self._source.master else list(self._source.blocks)
        people = _by_email(person for block in self._source.blocks for person in self._people(block))
        return self._cancels("cancellation", list(people.values()), [self._counted(block) for block in blocks], action.comment)

    def _removed_instance(self, recurrence: datetime) -> Block | None:
        """As a block of its own: as it was, or made from that of the series."""
        for block in self._before.blocks if self._before else ():
            if Timeline(self._before or self._source, self._place).moment(block, "RECURRENCE-ID") == recurrence:
                return block
        master = self._source.master
        if master is None:
            return None
        timeline = Timeline(self._source, self._place)
        style, (start, end) = written(timeline, master), timeline.times(master)
        block = master.without(*REPEATS, "DURATION")
        block.set("DTSTART", style.line("DTSTART", recurrence))
        block.set("DTEND", style.line("DTEND", later(recurrence, end.astimezone(UTC) - start.astimezone(UTC))))
        block.add(style.line("RECURRENCE-ID", recurrence))
        return block

    def _cancels(self, kind: Kind, people: Sequence[Address], blocks: Sequence[Block], comment: str = "") -> tuple[Notice, ...]:
        if not people:
            return ()
        told = [self._told(block, [], comment) for block in blocks]
        for block in told:
            block.set("STATUS", prop("STATUS", "CANCELLED"))
            block.set("ATTENDEE", *(prop("ATTENDEE", f"mailto:{wire_email(one.email)}", CN=one.name) for one in people))
        return (Notice(kind, tuple(people), self._with(told), comment),)

    # Parts of it

    def _blocks(self, recurrence: datetime | None) -> list[Block]:
        if recurrence is None:
            return list(self._source.blocks)
        timeline = Timeline(self._source, self._place)
        return [block for block in self._source.blocks if timeline.moment(block, "RECURRENCE-ID") == recurrence]

    def _people(self, block: Block) -> list[Address]:
        """Everybody but the owner."""
        found = _by_email(person for line in block.all("ATTENDEE") if (person := _person(line)))
        return [address for email, address in found.items() if email != self._owner]

    def _told(self, block: Block, attendees: Sequence[str] | None = None, comment: str = "") -> Block:
        """What of it others are told; of the attendees only these, where any are given."""
        kept = block.without()
        kept.body = [entry for entry in kept.body if isinstance(entry, Line) and entry.name in TOLD]
        kept.change(lambda line: _public(line, attendees))
        kept.set("UID", prop("UID", self._source.uid))
        kept.set("DTSTAMP", prop("DTSTAMP", f"{self._now.astimezone(UTC):%Y%m%dT%H%M%SZ}"))
        if comment.strip():
            kept.add(prop("COMMENT", escape(comment.strip())))
        return kept

    def _counted(self, block: Block) -> Block:
        """With the number of its cancellation, unless it stands there already."""
        if block.value("STATUS").upper() == "CANCELLED":
            return block
        counted, present = block.without(), block.value("SEQUENCE")
        counted.set("SEQUENCE", prop("SEQUENCE", str(int(present) + 1 if present.isdigit() else 1)))
        return counted

    def _with(self, blocks: Sequence[Block]) -> CalendarObject:
        return replace(self._source, blocks=tuple(blocks))


def _public(line: Line, attendees: Sequence[str] | None) -> Line | None:
    if line.name not in ("ATTENDEE", "ORGANIZER"):
        return line
    email = attendee_email(line)
    if not email or (line.name == "ATTENDEE" and attendees is not None and email not in attendees):
        return None
    params = line.params
    return prop(line.name, f"mailto:{wire_email(email)}", **{name: params.get(name, "") for name in OF_PEOPLE})


def _person(line: Line) -> Address | None:
    email = attendee_email(line)
    return Address(email=email, name=honest_name(line.params.get("CN", ""))) if email else None


def _by_email(people: Iterable[Address]) -> dict[str, Address]:
    return {person.email: person for person in people}
