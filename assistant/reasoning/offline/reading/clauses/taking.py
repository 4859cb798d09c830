"""An event that a mail tells of: "put the meeting from Lena's mail into my calendar", "turn Felix's mail into an event"."""

from collections.abc import Sequence
from datetime import timedelta

from assistant.reasoning.calls import TimeSpec
from assistant.reasoning.offline.lexicon import Form, lexicon
from assistant.reasoning.offline.reading.frames import Clause
from assistant.reasoning.offline.reading.nouns.selecting import gather
from assistant.reasoning.offline.reading.parsed import Built
from assistant.reasoning.offline.reading.slots import cut, lows
from assistant.reasoning.offline.reading.text.items import Item
from assistant.reasoning.offline.reading.times.moments import merged

SOURCE = frozenset({"from", "in", "of", "out", "by", "mentioned", "proposed", "suggested", "described"})
INTO = frozenset({"into", "to", "in", "on", "as"})
DATED = frozenset({"date", "dates", "deadline", "deadlines", "task", "tasks", "appointment", "appointments", "time", "times"})
MANY = frozenset({"dates", "deadlines", "tasks", "appointments", "events", "meetings", "times"})


def from_mail(clause: Clause, form: Form, rest: Sequence[Item]) -> Built | None:
    """None where no mail is the source of what is to be created."""
    items, until = _without_end(_without_calendar(rest))
    words = lows(items)
    mail = next((at for at in range(len(items)) if _is(words, at, "mail")), None)
    converts = form.verb == "convert"
    if converts and len(items) == len(rest):
        return None
    begin = 0 if converts or _is_one_mail(items, words, rest) else _source(words, mail)
    if begin is None or (converts and mail is None and not any(item.kind == "ref" for item in items)):
        return None
    built = Built("event.create")
    built.fields["title"] = "" if converts else _called(clause, items[: max(begin - 1, 0)])
    parts = cut(clause.text, items[begin:], dictates=False)
    built.fields["select"] = gather(parts, "mail").selection(None if converts else merged(parts.times))
    built.fields["field"] = "mail"
    built.fields |= until
    built.fields["question"] = "all" if MANY & set(words[:begin]) else ""
    return built


def _without_end(items: Sequence[Item]) -> tuple[list[Item], dict[str, TimeSpec | timedelta | None]]:
    """Without "till half past one", "for an hour": how long it is to be."""
    kept = list(items)
    until: dict[str, TimeSpec | timedelta | None] = {}
    while kept and (kept[-1].low in BESIDE or _ends(kept[-1].time)):
        spec = kept.pop().time
        if spec is not None:
            until |= {"duration": spec.duration} if spec.kind == "duration" else {"time": spec}
    return (kept, until) if until else (list(items), {})


BESIDE = frozenset({",", "too", "also", "for", "please", "well", "as", "until", "till"})


def _ends(spec: TimeSpec | None) -> bool:
    """A length, or an end without a beginning and a day."""
    if spec is None:
        return False
    return spec.kind == "duration" or (spec.kind == "range" and spec.start is None and spec.has_time and not spec.has_date)


def _is_one_mail(items: Sequence[Item], words: Sequence[str], rest: Sequence[Item]) -> bool:
    """ "put {shown} into my calendar": nothing but a mail that was shown."""
    loose = [at for at, item in enumerate(items) if item.kind != "ref" and words[at] not in lexicon().small["articles"]]
    shown = any(item.kind == "ref" for item in items)
    return shown and len(items) < len(rest) and all(_is(words, at, "mail") for at in loose)


def _source(words: Sequence[str], mail: int | None) -> int | None:
    """Where the mail begins that the thing before it stands in."""
    if mail is None:
        return None
    thing = next((at for at in range(mail) if words[at] in DATED or _is(words, at, "event") or _is(words, at, "occasion")), None)
    if thing is None:
        thing = 0 if mail > 2 else None
    if thing is None:
        return None
    spots = [at for at in range(thing + 1, mail) if words[at] in SOURCE]
    plain = [at for at in range(thing + 1, mail) if words[at] in ("about", "to", "with", "regarding")]
    if not spots or (plain and plain[0] < spots[0]):
        return None
    begin = spots[0] + 1
    return begin + 1 if words[begin : begin + 1] and words[begin] in SOURCE else begin


def _called(clause: Clause, items: Sequence[Item]) -> str:
    """What the thing was called, where that is more than "the meeting" or "the dates"."""
    skip = lexicon().small["articles"] | SOURCE | {"new"}
    said = [item for item in items if item.low not in skip and item.kind != "time"]
    if all(item.low in DATED | MANY | lexicon().small["stop"] or item.low in lexicon().generic for item in said):
        return ""
    text = clause.text[said[0].begin : said[-1].end].strip(" ,")
    return text[:1].upper() + text[1:]


def _is(words: Sequence[str], at: int, noun: str) -> bool:
    found = lexicon().nouns.at(words, at)
    return found is not None and found[1][0] == noun


def _without_calendar(rest: Sequence[Item]) -> list[Item]:
    """Without "into my calendar", "into a calendar event", "as an event"."""
    words = lows(rest)
    for at in range(1, len(rest) - 1):
        if words[at] not in INTO:
            continue
        behind = at + 1
        while behind < len(rest) and words[behind] in lexicon().small["articles"]:
            behind += 1
        match = lexicon().nouns.at(words, behind) if behind < len(rest) else None
        if match is not None and match[1][2] in (
            "calendar",
            "calendar event",
            "calendar entry",
            "event",
            "appointment",
            "diary",
            "agenda",
        ):
            return [*rest[:at], *rest[behind + match[0] :]]
    return list(rest)
