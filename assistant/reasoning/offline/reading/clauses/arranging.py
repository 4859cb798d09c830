"""Clauses that change the calendar."""

import re
from collections.abc import Sequence
from datetime import timedelta

from assistant.reasoning.calls import Operation, Person, TimeSpec
from assistant.reasoning.offline.lexicon import Form, lexicon
from assistant.reasoning.offline.reading.clauses.composing import indirect
from assistant.reasoning.offline.reading.entities import Item, is_hour
from assistant.reasoning.offline.reading.frames import Clause
from assistant.reasoning.offline.reading.nouns.persons import Named, people_in
from assistant.reasoning.offline.reading.nouns.selecting import gather, topic_words
from assistant.reasoning.offline.reading.nouns.states import compared_length
from assistant.reasoning.offline.reading.parsed import Built, span_of
from assistant.reasoning.offline.reading.slots import Parts, Slot, Timed, cut, lows, noun_of
from assistant.reasoning.offline.reading.times.lasting import factor_of, is_verb_of_length, with_end
from assistant.reasoning.offline.reading.times.moments import duration_of, merged
from assistant.reasoning.offline.reading.times.sametime import weeks_ahead, without_same_time
from assistant.reasoning.offline.reading.times.stretches import same_length

CALENDAR_WORDS = frozenset({"calendar", "schedule", "agenda", "diary", "contacts", "address"})
NEW_TIME = frozenset({"to", "until", "till", "start", "begin"})


def create(clause: Clause, form: Form, rest: Sequence[Item]) -> Built:
    built = Built("event.create")
    invited: list[Named] = []
    if form.verb == "send":
        invited, rest = indirect(rest, form)
    parts = cut(clause.text, rest, dictates=False)
    if task := _task(clause, form, rest):
        noun = "reminder" if any(item.low == "reminder" for item in parts.object) else ""
        built.fields |= {"title": _composed(noun, "", f"to {task}"), "time": merged(parts.times)}
        built.fields["duration"] = duration_of(parts.times)
        return built
    if form.verb == "invite":
        parts.slots = [_as_new(slot) for slot in parts.slots]
    if len(parts.of("called")) > 1:
        built.guesses.append("that one event is meant")
    if {"longest", "shortest", "biggest", "largest"} & {item.low for item in rest if item.kind == "word"}:
        built.guesses.append("that any free time will do")
    title, topic = _birthday(parts), ""
    built.fields["calendars"] = _whose(parts)
    for slot in parts.slots:
        text = _text(clause, slot.items)
        if slot.marker in ("at", "on") and slot.items and slot.items[0].kind == "number":
            built.guesses.append(f"that “{text}” is a place or a topic")
        if slot.marker in ("called", "subject"):
            title = _title_text(slot, text)
        elif slot.marker == "about" or (slot.marker == "on" and not _calendar(slot)):
            topic = text
        elif (
            slot.marker == "to"
            and form.verb != "send"
            and not any(item.kind in ("ref", "address") for item in slot.items)
            and not _calendar(slot)
        ):
            topic = f"to {text}"
        elif slot.marker in ("with", "to") or (slot.marker == "for" and _personal(slot)):
            if not _calendar(slot):
                invited.extend(people_in([item for item in slot.items if item.kind != "quote"], "any"))
        elif slot.marker == "for":
            topic = topic or text
        elif slot.marker in ("in", "at") and not _calendar(slot):
            built.fields["location"] = text
        elif slot.marker in ("", "of", "from"):
            _object(clause, form, slot, built, invited)
    composed = _composed(built.fields.pop("noun", ""), built.fields.get("title", ""), topic)
    built.fields["title"] = title or composed
    if _WHOLE_DAYS.search(built.fields["title"] or "") and all(not timed.spec.has_time for timed in parts.times):
        built.fields["all_day"] = built.fields.get("all_day") or not any(timed.spec.kind == "duration" for timed in parts.times)
    built.fields["time"] = merged(parts.times)
    built.guesses.extend(_beyond_repeat(built.fields["time"], parts.times))
    if _several_meant(parts, rest):
        built.guesses.append("that one event is meant")
    built.fields["duration"] = duration_of(parts.times) or same_length(built.fields["time"])
    if not invited and not built.fields["duration"] and _spans_days(built.fields["time"]):
        built.fields["all_day"] = True
    if _YEARLY.search(built.fields["title"] or "") and built.fields["time"] is not None and built.fields["time"].kind == "point":
        built.fields["time"] = built.fields["time"].model_copy(update={"kind": "repeat", "rrule": "FREQ=YEARLY"})
        built.guesses.append("it comes back every year, in your calendar")
    built.fields["to"] = tuple(named.person for named in invited)
    built.recipients.extend(invited)
    return built


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
    return " ".join(_text(clause, run) for run in runs if run).rstrip(" ,.")


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


def _as_new(slot: Slot) -> Slot:
    """ "invite Tom to lunch": the people stand first, what they are invited to behind "to"."""
    return Slot({"": "with", "to": "", "for": ""}.get(slot.marker, slot.marker), slot.items)


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
            built.fields["title"] = _capital(_text(clause, [*before, *items[begin:end]]))
    elif own and (noun != "slot" or (len(own) > 1 and all(item.text[:1].isupper() for item in own))):
        built.fields["title"] = _capital(_text(clause, own))


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


def _text(clause: Clause, items: Sequence[Item]) -> str:
    if not items:
        return ""
    if len(items) == 1 and items[0].kind == "quote":
        return items[0].text
    return clause.text[items[0].begin : items[-1].end].strip(" ,")


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def _calendar(slot: Slot) -> bool:
    return any(item.low in CALENDAR_WORDS for item in slot.items)


def _personal(slot: Slot) -> bool:
    return any(
        item.kind in ("person", "name", "address", "ref") or item.low in lexicon().small["pronouns_person"] for item in slot.items
    )


def move(clause: Clause, form: Form, rest: Sequence[Item]) -> Built:
    """ "move my 3pm to 4pm on Thursday", "push it back an hour", "reschedule lunch with Tom for Friday"."""
    built = Built("event.move")
    kept, same = without_same_time(rest)
    kept, day_after = _without_day_after(kept)
    parts = cut(clause.text, _without_direction(kept), dictates=False)
    fresh = next((n for n, timed in enumerate(parts.times) if timed.marker in NEW_TIME and timed.spec.kind != "duration"), None)
    moments = [timed for timed in parts.times if timed.spec.kind != "duration"]
    if fresh is None and len(moments) > 1 and clause.text[: moments[1].begin].rstrip().endswith((" for", " at", " on")):
        fresh = parts.times.index(moments[1])
    if fresh is None and len(moments) == 1 and moments[0].marker == "for" and _has_object(parts):
        fresh = parts.times.index(moments[0])
    if fresh is None and same and moments:
        fresh = parts.times.index(moments[-1])
    if fresh is None and day_after >= 0:
        fresh = next((n for n, timed in enumerate(parts.times) if timed.begin > day_after), None)
    old = parts.times if fresh is None else parts.times[:fresh]
    new = [] if fresh is None else parts.times[fresh:]
    built.fields["time"] = merged(new)
    length = duration_of(parts.times)
    if day_after >= 0:
        built.fields["shift"] = timedelta(days=1)
    elif same and (weeks := weeks_ahead(merged(new), clause.now)):
        built.fields["time"], built.fields["shift"] = None, weeks
    elif length is not None:
        built.fields["shift"] = -length if _earlier(form, rest) else length
    chosen = [
        slot for slot in parts.slots if slot.marker not in ("by", "to", "from") or (slot.marker == "from" and _personal(slot))
    ]
    select = gather(Parts(chosen, list(old)), "event")
    if clause.text and any(item.low in ("earlier", "later") for item in rest):
        select.words = [word for word in select.words if word.lower() not in ("earlier", "later")]
    built.fields["select"] = select.selection(merged(old))
    built.thing = _thing(chosen, [timed for timed in old if timed.spec.kind != "duration"])
    return built


def _without_day_after(items: Sequence[Item]) -> tuple[list[Item], int]:
    """ "to the day after" is one day later, at its own time or another: the rest, and where it began; -1 where it is not said."""
    words = lows(items)
    at = next((n for n in range(len(words)) if words[n : n + 2] == ["day", "after"]), None)
    if at is None or (at + 2 < len(items) and items[at + 2].low in ("tomorrow", "that", "it", "this")):
        return list(items), -1
    begin = at - 1 if words[at - 1 : at] == ["the"] else at
    begin = begin - 1 if words[begin - 1 : begin] == ["to"] else begin
    return [*items[:begin], *items[at + 2 :]], items[begin].begin


def _has_object(parts: Parts) -> bool:
    return any(item.kind != "punct" for item in parts.object)


def _thing(slots: Sequence[Slot], times: Sequence[Timed]) -> tuple[int, int] | None:
    spots = [(item.begin, item.end) for slot in slots for item in slot.items] + [(timed.begin, timed.end) for timed in times]
    return (min(begin for begin, _ in spots), max(end for _, end in spots)) if spots else None


def _without_direction(rest: Sequence[Item]) -> list[Item]:
    return [item for item in rest if not (item.kind == "word" and item.low in ("back", "forward", "earlier", "later", "out"))]


def _earlier(form: Form, rest: Sequence[Item]) -> bool:
    words = {item.low for item in rest}
    return "earlier" in words or "forward" in words or "forward" in form.lemma or form.lemma in ("advance", "shorten")


def rename(clause: Clause, form: Form, rest: Sequence[Item]) -> Built:
    """The new title stands behind the last "to" (or "as"), word for word."""
    built = Built("event.rename")
    at = max((n for n, item in enumerate(rest) if item.kind == "word" and item.low in ("to", "as", "into")), default=len(rest))
    quoted = next((n for n, item in enumerate(rest) if item.kind == "quote" and n > 0), None)
    if at == len(rest) and quoted is not None:
        at = quoted - 1
    elif form.lemma in ("call", "name", "title") and (spoken_of := _spoken_of(rest)):
        built.fields["select"] = gather(Parts([Slot("", tuple(rest[:spoken_of]))]), "event").selection()
        built.thing = span_of(rest[:spoken_of])
        return _renamed(built, _text(clause, rest[spoken_of:]))
    title = _text(clause, rest[at + 1 :])
    items = list(rest[: at + (1 if quoted == at + 1 and rest[at].low not in ("to", "as", "into") else 0)])
    words = lows(items)
    if "of" in words:
        items = items[words.index("of") + 1 :]
    parts = cut(clause.text, items, dictates=False)
    built.fields["select"] = gather(parts, "event").selection(merged(parts.times))
    built.thing = _thing(parts.slots, parts.times)
    return _renamed(built, title)


def _spoken_of(rest: Sequence[Item]) -> int:
    """How many items "it", or "the event" of an earlier result, takes; 0 where something else stands first."""
    at = next((n for n, item in enumerate(rest[:3]) if item.low not in ("the", "event", "meeting")), 0)
    return at + 1 if rest[at : at + 1] and (rest[at].kind == "ref" or rest[at].low in ("it", "that", "this")) else 0


def _renamed(built: Built, title: str) -> Built:
    built.fields["title"] = title.strip("\"'“”")
    if not title:
        built.guesses.append("no new name was said")
    return built


def resize(clause: Clause, form: Form, rest: Sequence[Item]) -> Built:
    """ "to 45 minutes" sets the length, "by 15 minutes" changes it; a time of day behind "until" is a new end. The start stays
    where it is, said or not."""
    built = Built("event.resize")
    rest, _ = without_same_time(rest)
    if (times := factor_of(form, rest)) is not None:
        built.fields["factor"], span = times
        rest = [*rest[: span[0]], *rest[span[1] :]]
    rest = with_end([item for n, item in enumerate(rest) if not is_verb_of_length(rest, n)])
    kept = [item for n, item in enumerate(rest) if item.low not in ("longer", "shorter", "long") or compared_length(rest, n)]
    parts = cut(clause.text, kept, dictates=False)
    words = {item.low for n, item in enumerate(rest) if not compared_length(rest, n) and not _compares(rest, n)}
    length = next((timed for timed in parts.times if timed.spec.kind == "duration"), None)
    relative = form.lemma in ("extend", "shorten", "lengthen", "prolong") or form.verb == "add" or words & {"longer", "shorter"}
    if length is not None and length.spec.duration is not None:
        if relative and length.marker != "to":
            minus = form.lemma == "shorten" or "shorter" in words
            built.fields["shift"] = -length.spec.duration if minus else length.spec.duration
        else:
            built.fields["duration"] = length.spec.duration
    end = [timed for timed in parts.times if timed.marker in NEW_TIME and timed.spec.kind != "duration"]
    if end:
        built.fields["time"] = merged(end)
    old = [timed for timed in parts.times if timed not in end and timed.spec.kind != "duration"]
    slots = [Slot("", slot.items) if form.verb == "add" and slot.marker == "to" else slot for slot in parts.slots]
    chosen = [slot for slot in slots if slot.marker != "to"]
    chosen = [_without_nouns(slot, OF_LENGTH + (EXTRA if form.verb == "add" else ())) for slot in chosen]
    found = gather(Parts(chosen, old), "event")
    if (compared := next((item.low for n, item in enumerate(rest) if _compares(rest, n)), "")) and built.fields.get("duration"):
        length_now = built.fields["duration"]
        found.select["lasting"] = (length_now, LONGEST) if compared == "longer" else (timedelta(), length_now)
    built.fields["select"] = found.selection(merged(old))
    built.thing = _thing(chosen, old)
    return built


LONGEST = timedelta(days=3650)
OF_LENGTH, EXTRA = ("length", "duration", "long"), ("extra", "another", "more", "additional")


def _compares(items: Sequence[Item], at: int) -> bool:
    """ "the longer meetings": those that are longer than they are to be."""
    noun = lexicon().nouns.at(lows(items), at + 1) if items[at].low in ("longer", "shorter") else None
    return noun is not None and noun[1][0] in ("event", "occasion")


def _without_nouns(slot: Slot, words: Sequence[str]) -> Slot:
    return Slot(slot.marker, tuple(item for item in slot.items if item.low not in words))


def relocate(clause: Clause, form: Form, rest: Sequence[Item]) -> Built:
    built = Built("event.relocate")
    parts = cut(clause.text, rest, dictates=False)
    leads = ("to", "into", "in") if form.verb == "add" else ("to", "into")
    places = [slot for slot in parts.slots if slot.marker in leads]
    built.fields["location"] = _text(clause, [item for item in places[-1].items if item.low not in ("the",)]) if places else ""
    chosen = [_without_nouns(slot, ("room", "location", "place", "venue")) for slot in parts.slots if slot not in places]
    built.fields["select"] = gather(Parts(chosen, parts.times), "event").selection(merged(parts.times))
    built.thing = _thing(chosen, parts.times)
    return built


def guests(clause: Clause, form: Form, rest: Sequence[Item], operation: Operation) -> Built:
    """ "invite Tom to the budget review", "remove Anna from it": the object are people, the other slot the event."""
    built = Built(operation)
    side = ("to", "for", "in") if operation == "event.invite" else ("from", "of", "to")
    parts = cut(clause.text, rest, dictates=False)
    named, behind = _guests_first(parts.object)
    people = list(people_in(named))
    events = [slot for slot in parts.slots if slot.marker in side]
    events = events or ([Slot("", tuple(behind))] if behind else [])
    others = [slot for slot in parts.slots if slot.marker not in (*side, "")]
    chosen = [*(Slot("", slot.items) for slot in events), *others]
    built.fields["select"] = gather(Parts(chosen, parts.times), "event").selection(merged(parts.times))
    built.fields["to"] = tuple(named.person for named in people)
    built.thing = _thing(chosen, parts.times)
    if operation == "event.invite":
        built.recipients.extend(people)
    return built


def _guests_first(items: Sequence[Item]) -> tuple[Sequence[Item], Sequence[Item]]:
    """ "take Tom and Anna off the review": the people right behind the verb, and the event that follows them."""
    guests = ("person", "name", "address", "ref")
    end = next((n for n, item in enumerate(items) if item.kind not in guests and item.low not in ("and", ",", "&")), len(items))
    pointed = end < len(items) and end and items[end].low in lexicon().small["articles"]
    return (items[:end], items[end:]) if pointed else (items, ())


def change_selected(clause: Clause, rest: Sequence[Item], operation: Operation) -> Built:
    """Cancel, accept, decline: all there is to read is which events."""
    built = Built(operation)
    parts = cut(clause.text, rest, dictates=False)
    named = [Slot("", slot.items) if slot.marker in ("to", "for") and not _personal(slot) else slot for slot in parts.slots]
    found = gather(Parts(named), "event")
    when = merged(parts.times)
    if operation == "event.cancel" and _a_stretch(when) and not found.select and not found.words and not _one_event(parts):
        found.select["each"] = True
    if (
        operation in ANSWERS
        and noun_of(parts.object)[0] == "invitation"
        and not (found.select or found.words or found.people or when)
    ):
        found.select["unanswered"] = True
    built.fields["select"] = found.selection(when)
    built.thing = _thing(parts.slots, parts.times)
    return built


ANSWERS = ("event.accept", "event.decline", "event.tentative")


def _a_stretch(when: TimeSpec | None) -> bool:
    return when is not None and when.kind in ("range", "point") and not (when.kind == "point" and when.has_time)


def _one_event(parts: Parts) -> bool:
    """A singular noun that one event goes by; "my calendar" and "my afternoon" hold all that is in them."""
    noun, plural, lemma, _, _ = noun_of(parts.object)
    return noun in ("event", "occasion", "invitation") and not plural and lemma not in CALENDAR_WORDS


def clashes(clause: Clause, rest: Sequence[Item]) -> Built:
    built = Built("event.clashes")
    parts = cut(clause.text, rest, dictates=False)
    built.fields["time"] = merged(parts.times)
    words = [word for slot in parts.of("with", "about") for word in topic_words(slot.items)]
    if words:
        built.fields["select"] = gather(Parts(list(parts.of("with", "about"))), "event").selection()
    return built
