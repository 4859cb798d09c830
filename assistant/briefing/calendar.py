"""What the calendar holds: the day or the week, what collides, what is not settled, and who will be there."""

from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, date, datetime, time, timedelta

from assistant.agents.base import Desk
from assistant.agents.free import HALF, QUARTER, WEEKEND, clashes, collisions, gaps, working_hours
from assistant.agents.words import count, lasting, later, listing
from assistant.attention import lacks, rank_events, rushes
from assistant.briefing.coverage import Told
from assistant.briefing.days import Span, key, known_until, once
from assistant.briefing.facts import Line, Section, Weighed
from assistant.briefing.phrases import clean, clocked, cut, dated, day_of, local, moment_of, title_of
from assistant.reasoning.offline.saying.items import View, event_line, event_time, person
from integrations.types import Event
from risk.times import clock_words

_TIMES = ("starts in", "today at", "tomorrow at")
"""How reasons begin that say what stands in the line already."""
LONGEST_EVENT = 160
MOST_CONFLICTS, MOST_INVITATIONS, MOST_UNPREPARED, MOST_LISTED, MOST_BLOCKS = 8, 5, 5, 40, 5


class Agenda:
    """All accounts' events together. `reached` are the accounts whose events could be read; `whole`: all could, or else nothing is
    said of what is not there."""

    def __init__(
        self,
        events: Sequence[Event],
        invitations: Sequence[Event],
        span: Span,
        told: Told,
        desk: Desk,
        *,
        reached: Sequence[str],
        whole: bool,
    ) -> None:
        self.span = span
        self._desk, self._now, self._told, self._reached, self._whole = desk, desk.setting.now, told, reached, whole
        self._view = View(self._now, desk.setting.zone, desk.me)
        self._there = {key(event): event for event in events if event.status != "cancelled"}
        self._events = [event for event in once(events) if event.status != "cancelled" and event.my_answer != "declined"]
        self._invitations = once(invitations)
        self.listed = [event for event in self._events if event.end > self._now and self._is_of(event)]
        """What the agenda tells: what is not over."""
        self._ranked = {key(one.event): one for one in rank_events(self._events, self._now)}
        self._where: dict[str, str] = {}
        self.still = list[Line]()
        """What was told before and still stands."""

    def _is_of(self, event: Event) -> bool:
        tonight = event.start < self.span.start and not event.all_day
        return event.start < self.span.end and (event.end > self.span.start or tonight)

    def sections(self, met: Mapping[str, tuple[str, ...]], title: str = "") -> list[Section]:
        """`met`: sentences on the latest exchange with the people of an event, by its key. `title`: of the agenda, else the days'
        names."""
        conflicts, agenda = self._conflicts(), self._agenda(met, title or self.span.title)
        found = [agenda, conflicts, self._gaps(), self._invited(), self._unprepared(), self._free()]
        for event in self.listed:
            self._told.say(key(event), _said(event))
        for day in self.span.days:
            self._told.say(f"day/{day}", "told")
        return [section for section in found if section.lines or section.note]

    @property
    def weighed(self) -> tuple[Weighed, ...]:
        return tuple(
            Weighed(
                text=dated(one.event, self._now),
                score=one.score,
                points=one.points,
                told=self._where.get(name, "on another day"),
                event=one.event,
            )
            for name, one in self._ranked.items()
        )

    @property
    def asked(self) -> tuple[str, ...]:
        """The titles of what awaits the user's answer."""
        return tuple(event.title for event in self._invitations)

    def _agenda(self, met: Mapping[str, tuple[str, ...]], title: str) -> Section:
        lines = []
        for event in self.listed[:MOST_LISTED]:
            ranked = self._ranked[key(event)]
            changes = tuple(self._changes(event))
            self._where[key(event)] = "agenda"
            lines.append(
                Line(
                    text=self._timed(event),
                    reasons=(*changes, *(words for words in ranked.reasons if not words.startswith(_TIMES))),
                    score=ranked.score,
                    with_whom=met.get(key(event), ()),
                    event=event,
                    new=bool(changes) or not self._told.before(key(event)),
                )
            )
        notes = (self._following(), _more(len(self.listed) - len(lines)), self._elsewhere())
        return Section(kind="agenda", title=title, lines=tuple(lines), note=" ".join(filter(None, notes)))

    def _changes(self, event: Event) -> Iterator[str]:
        """Only where its day was told before."""
        before, day = self._told.before(key(event)), event.start.astimezone(self._now.tzinfo).date()
        if before and (start := _start_of(before)) != event.start.astimezone(UTC):
            yield f"moved from {self._moment(start, day)}"
        elif not before and self._told.before(f"day/{day}"):
            yield "new since the last briefing"

    def _moment(self, start: datetime, day: date) -> str:
        (here,) = local(self._now, start)
        return f"{here:%H:%M}" if here.date() == day else f"{here:%A} {here:%H:%M}"

    def _elsewhere(self) -> str:
        """What was told of these days and is no longer in them."""
        here, moved, gone = frozenset(map(key, self.listed)), list[str](), list[str]()
        told = [entry for account in self._reached for entry in self._told.earlier(f"event/{account}/").items()]
        for name, said in told:
            start, title = _start_of(said), said.partition(" ")[2]
            was, event = f"{title} ({self._moment(start, self.span.start.date())})", self._there.get(name)
            if name in here or not self._is_within(start):
                continue
            if event is None:
                gone.append(was)
            elif not self._is_of(event):
                moved.append(f"{was} to {moment_of(event, self._now)}")
        return " ".join(f"{how}: {listing(which)}." for how, which in (("Moved", moved), ("No longer there", gone)) if which)

    def _is_within(self, start: datetime) -> bool:
        return max(self._now, self.span.start) <= start < self.span.end

    def _following(self) -> str:
        """Where no more is to begin in the days told."""
        if not self._whole or any(event.start > self._now for event in self.listed):
            return ""
        over = any(self.span.start <= event.start and event.end <= self._now for event in self._events)
        nothing = "" if self.listed else "Nothing more today." if over else "Nothing planned."
        following = next((event for event in self._events if event.start >= self.span.end and not event.all_day), None)
        return " ".join(filter(None, (nothing, f"Next: {dated(following, self._now)}." if following else "")))

    def _conflicts(self) -> Section:
        """Those of the days told, and for the first time those of the week to come."""
        lines = list[Line]()
        for clash in clashes([event for event in self._events if event.end > self._now]):
            first, second = clash.first, clash.second
            start, end = max(first.start, second.start), min(first.end, second.end)
            if end <= max(self._now, start):
                continue
            told = f"conflict/{second.account}/{'+'.join(sorted({first.uid or first.id, second.uid or second.id}))}"
            reasons = (f"they overlap by {lasting(end.astimezone(UTC) - start.astimezone(UTC))}", *self._answerable(first, second))
            if start < self.span.end or not self._told.before(told):
                if len(lines) == MOST_CONFLICTS:
                    continue
                text = f"{self._day(start)}: {clocked(first, self._now)} and {clocked(second, self._now)}"
                lines.append(Line(text=text, reasons=reasons, score=4.0, event=second, new=not self._told.before(told)))
                self._where.setdefault(key(second), "conflicts")
            else:
                names = f"{title_of(first)} and {title_of(second)} at one time"
                self.still.append(Line(text=f"{names} ({self._day(start)})", reasons=reasons, score=4.0, event=second, new=False))
            self._told.say(told, f"{start.astimezone(UTC):%Y-%m-%dT%H:%M}")
        return Section(kind="conflicts", title="Conflicts", lines=tuple(lines))

    def _answerable(self, *events: Event) -> Iterator[str]:
        for event in events:
            if event.my_answer == "needs-action":
                yield f"{title_of(event)} awaits your answer"

    def _gaps(self) -> Section:
        lines = []
        for rush in rushes([event for event in self.listed if event.busy]):
            start, end = local(self._now, rush.first.end, rush.then.start)
            where = f"from {cut(clean(rush.first.location), 40)} to {cut(clean(rush.then.location), 40)}"
            text = f"{self._day_of(start)}{count(rush.minutes, 'minute')} {where}, {clock_words(start, end)}"
            reasons = (f"{title_of(rush.first)}, then {title_of(rush.then)}",)
            lines.append(Line(text=text, reasons=reasons, score=2.0, event=rush.then))
        return Section(kind="gaps", title="Little time to get there", lines=tuple(lines))

    def _invited(self) -> Section:
        lines, more = list[Line](), 0
        for event in self._invitations:
            told = f"invitation/{event.account}/{event.uid or event.id}"
            near = event.start < self.span.end
            by = f", from {person(event.organizer)}" if event.organizer else ""
            reasons = tuple(self._room_for(event))
            if self._told.before(told) and not near:
                text = f"your answer to {title_of(event)} ({self._day(event.start)})"
                self.still.append(Line(text=text, reasons=reasons, score=3.0, event=event, new=False))
            elif len(lines) < MOST_INVITATIONS:
                new = not self._told.before(told)
                lines.append(Line(text=f"{dated(event, self._now)}{by}", reasons=reasons, score=3.0, event=event, new=new))
                self._where.setdefault(key(event), "invitations")
            else:
                more += 1
                continue
            self._told.say(told, "told")
        return Section(kind="invitations", title="Invitations to answer", lines=tuple(lines), note=_more(more))

    def _room_for(self, event: Event) -> Iterator[str]:
        """Whether the user has time then, as far as is known."""
        if event.all_day or not self._whole or event.start >= known_until(self.span):
            return
        others = [one for one in self._events if one.uid != event.uid and not one.all_day]
        way = collisions(others, event.start, event.end)
        yield f"overlaps with {listing([title_of(one) for one in way])}" if way else "you are free then"

    def _unprepared(self) -> Section:
        """Once, at the latest on its day, else on the working day before."""
        lines = list[Line]()
        for event in self._events:
            if event.start <= self._now or event.start >= self._following_day:
                continue
            wanting = lacks(event, self._desk.me)
            told = f"unprepared/{event.account}/{event.uid or event.id}"
            is_told = self._told.before(told) == "; ".join(wanting)
            if not wanting or (len(lines) == MOST_UNPREPARED and not is_told):
                continue
            self._told.say(told, "; ".join(wanting))
            if is_told:
                continue
            when = event_time(event, self._view) if self._is_single(event) else moment_of(event, self._now)
            lines.append(Line(text=f"{when} {title_of(event)}", reasons=wanting, score=1.0, event=event))
        return Section(kind="unprepared", title="Not settled yet", lines=tuple(lines))

    @property
    def _following_day(self) -> datetime:
        """The end of the first working day after the days told."""
        day = self.span.end
        while day.weekday() >= WEEKEND:
            day = _midnight_after(day)
        return _midnight_after(day)

    def _free(self) -> Section:
        lines = []
        hours = working_hours(
            max(_rounded(self._now), self.span.start),
            self.span.end,
            self._desk.day_starts,
            self._desk.day_ends,
            self._desk.setting.zone,
            weekends=False,
        )
        for window in hours:
            blocks = [block for block in gaps(self._events, [window]) if block.end - block.start >= HALF]
            if blocks:
                whole = blocks == [window] and window.start.time() == self._desk.day_starts
                times = "all day" if whole else listing([clock_words(block.start, block.end) for block in blocks], MOST_BLOCKS)
                lines.append(Line(text=f"{self._day_of(window.start)}{times}"))
        return Section(kind="free", title="Free", lines=tuple(lines) if self.listed and self._whole else ())

    def _timed(self, event: Event) -> str:
        """The day stands before it where the agenda is of several, or where it is another."""
        line = clean(event_line(event, self._view))
        return cut(line if self._is_single(event) else f"{self._day(event.start)}, {line}", LONGEST_EVENT)

    def _is_single(self, event: Event) -> bool:
        one_day = self.span.end - self.span.start <= timedelta(days=1, hours=1)
        return one_day and (event.all_day or self.span.start <= event.start < self.span.end)

    def _day(self, moment: datetime) -> str:
        """ "today", "Wednesday 25 Nov" """
        return day_of(moment, self._now)

    def _day_of(self, moment: datetime) -> str:
        """In front of a line, where it is not clear."""
        return "" if self.span.end - self.span.start <= timedelta(days=1, hours=1) else f"{self._day(moment)}: "


def _said(event: Event) -> str:
    """What is remembered of a told event: its start, and what it is called."""
    return f"{event.start.astimezone(UTC):%Y-%m-%dT%H:%M} {cut(clean(event.title), 40)}"


def _start_of(said: str) -> datetime:
    return datetime.fromisoformat(said.partition(" ")[0]).replace(tzinfo=UTC)


def _midnight_after(moment: datetime) -> datetime:
    return datetime.combine(moment.date() + timedelta(days=1), time(), moment.tzinfo)


def _rounded(moment: datetime) -> datetime:
    """Up to the next quarter of an hour."""
    past = timedelta(minutes=moment.minute % 15, seconds=moment.second, microseconds=moment.microsecond)
    return later(moment, QUARTER - past) if past else moment


def _more(number: int) -> str:
    return f"And {number} more." if number > 0 else ""
