"""Clauses that put a new event into the calendar: its title, its guests, its time."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import timedelta

from assistant.reasoning.calls import Person, TimeSpec
from assistant.reasoning.offline.lexicon import Form, lexicon
from assistant.reasoning.offline.reading.clauses.addressing import indirect
from assistant.reasoning.offline.reading.frames import Clause
from assistant.reasoning.offline.reading.nouns.persons import Named, is_job, people_in
from assistant.reasoning.offline.reading.parsed import Built, verbatim
from assistant.reasoning.offline.reading.slots import (
    CALENDAR_WORDS,
    Parts,
    Slot,
    Timed,
    cut,
    is_personal,
    lows,
    names_calendar,
    noun_of,
)
from assistant.reasoning.offline.reading.text.items import NAMED, Item, is_hour
from assistant.reasoning.offline.reading.times.moments import duration_of, merged
from assistant.reasoning.offline.reading.times.stretches import same_length


@dataclass
class _New:
    """A new event as far as it was read; `title` is what it is said to be called, `topic` what it is about."""

    clause: Clause
    form: Form
    built: Built
    invited: list[Named]
    title: str = ""
    topic: str = ""
    company: str = ""
    """With whom, where it is nobody who could be invited ("the cat"): part of the title."""

    def take(self, slot: Slot) -> None:
        text, calendar = verbatim(self.clause, slot.items), names_calendar(slot)
        if slot.marker in ("at", "on") and slot.items and slot.items[0].kind == "number":
            self.built.guesses.append(f"that “{text}” is a place or a topic")
        if slot.marker == "for" and slot.items and all(item.low in OWN for item in slot.items):
            return
        if slot.marker in ("called", "subject") or (slot.marker == "as" and _is_title(slot)):
            self.title = _title_text(slot, text)
        elif slot.marker == "about" or (slot.marker == "on" and not calendar):
            self.topic = text
        elif slot.marker == "to" and self.form.verb != "send" and not calendar and not _addressed(slot):
            self.topic = f"to {text}"
        elif slot.marker == "with" and self.form.verb == "add" and not _names_guests(slot):
            self.company = f" with {text}"
        elif slot.marker in ("with", "to") or (slot.marker == "for" and is_personal(slot)):
            if not calendar:
                self.invited.extend(people_in([item for item in slot.items if item.kind != "quote"], "any"))
        elif slot.marker == "for":
            self.topic = self.topic or text
        elif slot.marker in ("in", "at") and not calendar:
            self.built.fields["location"] = text
        elif slot.marker in ("", "of", "from"):
            _object(self.clause, self.form, slot, self.built, self.invited)


OWN = frozenset({"me", "myself", "us", "ourselves"})
WHOLE, DAY = frozenset({"whole", "entire", "full", "complete"}), frozenset({"day", "days"})
WHOLLY = frozenset({"completely", "entirely", "fully", "wholly"})
BEFORE_WHOLE = frozenset({"the", "a", "that", "this", "my"})


def _is_title(slot: Slot) -> bool:
    """ "Book Friday as Site day", "book it as catch up"; not "as a reminder", "as planned"."""
    if not slot.items:
        return False
    bare = slot.items[0].kind == "word" and lexicon().nouns.at(lows(slot.items), 0) is not None
    return bare or slot.items[0].kind in NAMED | {"quote"} or slot.items[0].text[:1].isupper()


def _without_whole_day(rest: Sequence[Item]) -> tuple[Sequence[Item], bool]:
    """Without "the whole day (of)", "all of" before a day, "completely" behind one, and whether any of these was said."""
    words = lows(rest)
    for at in range(len(rest)):
        begin = at - 1 if at and words[at - 1] in BEFORE_WHOLE else at
        if words[at] in WHOLE and words[at + 1 : at + 2] and words[at + 1] in DAY | {"of"}:
            end = at + 2 + (words[at + 2 : at + 3] == ["of"])
        elif words[at : at + 2] == ["all", "of"]:
            begin, end = at, at + 2
        elif words[at] in WHOLLY:
            return [*rest[:at], *rest[at + 1 :]], True
        else:
            continue
        day = rest[end].time if end < len(rest) else None
        if words[at + 1] in DAY or (day is not None and day.has_date and not day.has_time):
            return [*rest[:begin], *rest[end:]], True
    return rest, False


ROOMS = frozenset({"room", "hall", "office", "studio", "building", "floor", "lab", "auditorium"})


def _in_rooms(items: Sequence[Item]) -> list[Item]:
    """ "… 15:00 to 16:00, Room 2": behind a comma the room alone says where."""
    found = list(items)
    for at in range(len(items) - 2):
        if items[at].low == "," and items[at + 1].low in ROOMS and items[at + 2].kind in ("number", "name"):
            found[at] = replace(items[at], kind="word", text="in", low="in")
    return found


def create(clause: Clause, form: Form, rest: Sequence[Item]) -> Built:
    built = Built("event.create")
    rest, built.fields["all_day"] = _without_whole_day(rest)
    invited, rest = indirect(rest, form) if form.verb == "send" else ([], rest)
    parts = cut(clause.text, _in_rooms(rest), dictates=False)
    if task := _task(clause, form, rest):
        noun = "reminder" if any(item.low == "reminder" for item in parts.object) else ""
        built.fields |= {"title": _composed(noun, "", f"to {task}"), "time": merged(parts.times)}
        built.fields["duration"] = duration_of(parts.times)
        return built
    if form.verb == "invite":
        titled = bool(parts.of("called", "subject"))
        parts.slots = [_as_new(slot, titled=titled) for slot in parts.slots]
    if len(parts.of("called")) > 1:
        built.guesses.append("that one event is meant")
    if SIZES & {item.low for item in rest if item.kind == "word"}:
        built.guesses.append("that any free time will do")
    new = _New(clause, form, built, invited, title=_birthday(parts))
    built.fields["calendars"] = _whose(parts)
    for slot in parts.slots:
        new.take(slot)
    composed = _composed(built.fields.pop("noun", ""), built.fields.get("title", ""), new.topic)
    built.fields["title"] = new.title or f"{composed}{new.company}"
    _take_times(built, parts, rest, alone=not invited)
    if form.lemma.partition(" ")[0] == "block" and not (built.fields["duration"] or invited or _hours(parts)):
        built.fields["all_day"] = built.fields["all_day"] or _one_day(built.fields["time"])
    built.go_to(invited)
    return built


SIZES = frozenset({"longest", "shortest", "biggest", "largest"})


def _names_guests(slot: Slot) -> bool:
    groups = any(noun_of([item])[0] in ("group", "contact") or is_job(item.low) for item in slot.items)
    return groups or is_personal(slot) or _addressed(slot)


def _addressed(slot: Slot) -> bool:
    return any(item.kind in ("ref", "address") for item in slot.items)


def _take_times(built: Built, parts: Parts, rest: Sequence[Item], *, alone: bool) -> None:
    """When it is and how long; `alone`: nobody is invited."""
    title, when = built.fields["title"] or "", merged(parts.times)
    if _WHOLE_DAYS.search(title) and all(not timed.spec.has_time for timed in parts.times):
        built.fields["all_day"] = built.fields.get("all_day") or not any(timed.spec.kind == "duration" for timed in parts.times)
    built.guesses.extend(_beyond_repeat(when, parts.times))
    if _several_meant(parts, rest):
        built.guesses.append("that one event is meant")
    built.fields["duration"] = duration_of(parts.times) or same_length(when)
    if alone and built.fields["duration"] == ONE_DAY and _one_day(when) and when is not None and not when.has_time:
        built.fields |= {"all_day": True, "duration": None}
    if alone and not built.fields["duration"] and _spans_days(when):
        built.fields["all_day"] = True
    if _YEARLY.search(title) and when is not None and when.kind == "point":
        when = when.model_copy(update={"kind": "repeat", "rrule": "FREQ=YEARLY"})
        built.guesses.append("it comes back every year, in your calendar")
    built.fields["time"] = when


def _hours(parts: Parts) -> bool:
    return any(timed.spec.has_time for timed in parts.times)


ONE_DAY = timedelta(days=1)


def _one_day(when: TimeSpec | None) -> bool:
    """ "Block Friday" takes all of it."""
    return when is not None and when.kind == "point" and when.has_date


def _task(clause: Clause, form: Form, rest: Sequence[Item]) -> str:
    """What "remind me to …" reminds of, without its times: whoever and whatever else is named in it belongs to the task."""
    words = lows(rest)
    if form.lemma != "remind" and "reminder" not in words:
        return ""
    at = next((n for n in range(len(rest) - 1) if words[n] == "to" and _begins_task(rest[n + 1])), None)
    if at is None:
        return ""
    runs: list[list[Item]] = [[]]
    for item in rest[at + 1 :]:
        if item.time is None:
            runs[-1].append(item)
        elif runs[-1]:
            runs.append([])
    return " ".join(verbatim(clause, run) for run in runs if run).rstrip(" ,.")


def _begins_task(item: Item) -> bool:
    return item.kind == "word" and item.low not in lexicon().small["articles"] | CALENDAR_WORDS


def _several_meant(parts: Parts, rest: Sequence[Item]) -> bool:
    """ "two meetings at 9 and 10", "with Tom at 9 and with Eva at 10": more events than one call can make."""
    words = lows(parts.object)
    noun, plural, _, begin, _ = noun_of(parts.object)
    number = next((lexicon().numbers.get(word) or (int(word) if word.isdigit() else 0) for word in words[: max(begin, 0)]), 0)
    clocks = [t for t in parts.times if t.spec.has_time and t.spec.kind == "point" and t.spec.start is not None]
    hours = {t.spec.start.time() for t in clocks if t.spec.start is not None}
    listed = len(hours) > 1 and any(t.marker in ("and", "with") for t in clocks[1:])
    for time, joint, hour in zip(rest, rest[1:], rest[2:], strict=False):
        clock = time.time is not None and time.time.has_time and time.time.kind == "point"
        listed = listed or (clock and joint.low in ("and", ",") and is_hour(hour))
    return (plural and number > 1 and noun in ("event", "occasion")) or listed


def _beyond_repeat(when: TimeSpec | None, times: Sequence[Timed]) -> list[str]:
    """Dates that what recurs could not be bound to: passed over in silence it would go on without end."""
    if when is None or when.kind != "repeat":
        return []
    dated = (timed.spec for timed in times if timed.spec.kind in ("point", "range") and timed.spec.has_date)
    return [f"that “{spec.text}” does not bound it" for spec in dated if spec.text not in when.text]


def _birthday(parts: Parts) -> str:
    """ "the birthday of Tom": whose it is stands in the title, and nobody is invited to it."""
    if not any(item.low == "birthday" for item in parts.object):
        return ""
    whose = [named.person.text for slot in parts.of("of", "for") for named in people_in(slot.items)]
    parts.slots = [slot for slot in parts.slots if slot.marker not in ("of", "for")] if whose else parts.slots
    return f"{whose[0]}'s birthday" if whose else ""


def _spans_days(when: TimeSpec | None) -> bool:
    """ "from the 19th to the 23rd", without hours: what is from one day to another takes all of them."""
    if when is None or when.kind != "range" or when.has_time or not (when.has_date and when.start and when.stop):
        return False
    said = f" {when.text.lower()} "
    return when.stop - when.start > timedelta(days=1, hours=2) and any(f" {word} " in said for word in SPANNING)


SPANNING = ("to", "until", "till", "through", "-", "\u2013")


def _whose(parts: Parts) -> tuple[Person, ...]:
    """ "to Tom's calendar", "into Tom's and my calendars"."""
    owners: list[Person] = []
    for slot in parts.slots:
        words = lows(slot.items)
        if slot.marker not in ("to", "in", "on", "at") or not any(
            word.removesuffix("s") in ("calendar", "diary", "agenda") for word in words
        ):
            continue
        for at, item in enumerate(slot.items):
            if item.kind in ("person", "name", "ref") and "'s" in words[at + 1 :]:
                owners += [named.person for named in people_in([item])]
            elif item.low in ("my", "our"):
                owners.append(Person(text="me"))
    return tuple(owners) if any(owner.text != "me" for owner in owners) else ()


def _as_new(slot: Slot, *, titled: bool) -> Slot:
    """ "invite Tom to lunch": the people stand first, what they are invited to behind "to"; where that is, if it has a title."""
    return Slot({"": "with", "to": "at" if titled else "", "for": ""}.get(slot.marker, slot.marker), slot.items)


def _object(clause: Clause, form: Form, slot: Slot, built: Built, invited: list[Named]) -> None:
    """The object of "schedule …": its own title words, people met, states."""
    items = [item for item in slot.items if not (item.kind == "punct" and item.low not in ("&", "-", "/", ",", "'"))]
    words = lows(items)
    if any(word in ("all-day", "whole-day") for word in words) or "all day" in " ".join(words):
        built.fields["all_day"] = True
        items = [item for item in items if item.low not in ("all-day", "whole-day", "all", "day")]
    noun, _, lemma, begin, end = noun_of(items)
    if form.verb == "meet" or (
        begin < 0 and items and all(item.kind in ("person", "address", "ref") or item.low in ("and", ",") for item in items)
    ):
        invited.extend(people_in(items))
        return
    quote = next((item.text for item in items if item.kind == "quote"), "")
    if quote:
        built.fields["title"] = quote
        return
    own = [
        item
        for item in items
        if item.kind != "ref"
        and (item.kind != "word" or item.text)
        and (item.low not in lexicon().small["articles"] | {"of", "new", "me", "us"} or _in_run(items, item))
    ]
    if noun in ("event", "occasion", "invitation") and end == len(items):
        before = [item for item in own if item.begin < items[begin].begin]
        before = before[1:] if len(before) > 1 and before[0].low == "event" else before
        built.fields["noun"] = lemma
        if before or lemma not in lexicon().generic:
            built.fields["title"] = _capital(verbatim(clause, [*before, *items[begin:end]]))
    elif own and (noun != "slot" or (len(own) > 1 and all(item.text[:1].isupper() for item in own))):
        built.fields["title"] = _capital(verbatim(clause, own))


def _in_run(items: Sequence[Item], item: Item) -> bool:
    """Whether a word opens or goes on a title in capitals: "New Employee Onboarding"."""
    behind = next((other for other in items if other.begin > item.begin), None)
    return item.text[:1].isupper() and behind is not None and behind.text[:1].isupper()


_WHOLE_DAYS = re.compile(r"\b(?:day off|days off|vacation|holidays?|leave|birthday|anniversary|out of office)$", re.IGNORECASE)
"""Titles of what lasts all day where no time is said."""
_YEARLY = re.compile(r"\b(?:birthday|anniversary)$", re.IGNORECASE)
_ARTICLE = re.compile(r"^(?:the|a|an|my|our) ", re.IGNORECASE)


def _composed(noun: str, title: str, topic: str) -> str:
    noun = "" if noun in ("invitation", "invite", "meeting invitation") else noun
    topic = _ARTICLE.sub("", topic) if not (title or noun) else topic
    if topic.startswith("to ") and not (title or noun):
        return _capital(topic[3:])
    if topic.startswith("to "):
        return f"{title or _capital(noun)} {topic}"
    if title and topic:
        return f"{title}: {topic}" if title.lower() == topic.lower() else f"{title} about {topic}"
    if topic:
        return f"{_capital(noun)} about {topic}" if noun else _capital(topic)
    return title


def _title_text(slot: Slot, text: str) -> str:
    quote = next((item.text for item in slot.items if item.kind == "quote"), "")
    return quote or (text.removesuffix(" just").removesuffix(" only") if " " in text else text)


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
