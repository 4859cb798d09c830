"""What is said beside a deed and changes it: it is taken off, what is left is read, and its call is changed."""

from collections.abc import Callable
from dataclasses import replace

from assistant.reasoning.base import Setting
from assistant.reasoning.calls import Call, Reading
from assistant.reasoning.offline.reading.clauses import changes, riders
from assistant.reasoning.offline.reading.frames import Clause
from assistant.reasoning.offline.reading.nouns import beside as neighbours
from assistant.reasoning.offline.reading.nouns.persons import Named
from assistant.reasoning.offline.reading.parsed import Parse
from assistant.reasoning.offline.reading.slots import lows
from assistant.reasoning.offline.reading.times import sendtime, vacancy

ReadText = Callable[[str], Parse]
ReadClause = Callable[[Clause], Parse]


def held_back(found: Clause, read: ReadText) -> Parse | None:
    """ "write to Tom that …, but don't send it": a draft of what stands before."""
    at = riders.held_from(found.items, found.text[found.items[-1].end :]) if _instructs(found) and found.items else None
    inner = read(found.text[: found.items[at].begin].rstrip(" ,.;")) if at else None
    call = riders.kept(inner.call) if inner is not None and inner.call is not None else None
    return _with(inner, found, call) if inner is not None and call is not None else None


def copied(found: Clause, read: ReadText) -> Parse | None:
    """ "… that it is moved and cc Lena": the mail that stands before, with a copy."""
    tail = riders.copied_to(found.items) if _instructs(found) else None
    if tail is None:
        return None
    at, people, hidden = tail
    inner = read(found.text[: found.items[at].begin].rstrip(" ,")) if at else None
    call = riders.copied(inner.call, people, hidden=hidden) if inner is not None and inner.call is not None else None
    if inner is None or call is None:
        return None
    return replace(_with(inner, found, call), recipients=(*inner.recipients, *people))


SENT = frozenset({"mail.send", "mail.reply", "mail.forward"})


def sent_later(found: Clause, setting: Setting, read: ReadClause) -> Parse | None:
    """ "… a mail tomorrow at 8 saying …": the same without these words, to go out then."""
    place = sendtime.going_out(found.items, setting) if _instructs(found) else None
    if place is None:
        return None
    at, when = place
    inner = read(_without(found, at, at + 1))
    if inner.call is not None and inner.call.operation == "mail.draft" and found.items[0].low == "schedule":
        inner = _with(inner, found, inner.call.model_copy(update={"operation": "mail.send"}))
    if inner.call is None or inner.call.operation not in SENT:
        return None
    return _with(inner, found, inner.call.model_copy(update={"time": when}))


def guarded(found: Clause, read: ReadText) -> Parse | None:
    """ "… unless there is a clash": only where nothing is in the way."""
    at = riders.guarded_from(found.items) if found.mood == "do" else None
    inner = read(found.text[: found.items[at].begin].rstrip(" ,")) if at else None
    if inner is None or inner.call is None or inner.call.operation not in riders.PLACING:
        return None
    return _with(inner, found, inner.call.model_copy(update={"guarded": True}))


def changes_of_one(found: Clause, read: ReadText) -> Parse | None:
    """ "rename the sync to Weekly and move it to 10": one call with both changes."""
    items = found.items
    joints = changes.joints(items) if _instructs(found) else []
    for at in joints if len(joints) <= changes.MOST else []:
        first = read(found.text[items[0].begin : items[at - 1].end])
        second = read(found.text[items[at + 1].begin : items[-1].end])
        if first.call is None or second.call is None or not changes.about_the_same(second.reading):
            continue
        call = changes.joined(first.call, second.call)
        if call is not None:
            people = (*_shifted(first.recipients, items[0].begin), *_shifted(second.recipients, items[at + 1].begin))
            return replace(_with(first, found, call), recipients=people)
    return None


def _shifted(people: tuple[Named, ...], by: int) -> tuple[Named, ...]:
    return tuple(replace(named, begin=named.begin + by, end=named.end + by) for named in people)


def into_free_time(found: Clause, setting: Setting, read: ReadClause) -> Parse | None:
    """ "… to my first free slot on Friday": the same without these words, at that place."""
    place = vacancy.vacancy(found.text, found.items, setting) if _instructs(found) else None
    if place is None:
        return None
    inner = read(vacancy.moved_if_there(_without(found, place.begin, place.end)))
    call = vacancy.within(inner.call, place) if inner.call is not None else None
    return _with(inner, found, call) if call is not None else None


def beside(found: Clause, read: ReadClause) -> Parse | None:
    """ "… right after my last meeting": the same without these words, at that place."""
    asks = found.mood == "wh" and found.head in ("what", "which", "who")
    fits = (found.mood in ("do", "fact") or asks) and not found.negated
    apart = neighbours.beside(found.text, found.items) if fits else None
    if apart is None:
        return None
    left = _without(found, apart.begin, apart.end)
    if found.mood == "fact" and (asked := neighbours.asked(found.text, left.items)) is not None:
        return _certain(found, neighbours.placed(asked, apart), apart)
    inner = read(left)
    if asks:
        call = neighbours.neighbour(inner.call, apart, lows(left.items))
        return _certain(found, call, apart) if call is not None else None
    call = (neighbours.placed(inner.call, apart) or neighbours.picked(inner.call, apart)) if inner.call is not None else None
    if call is None:
        return None
    recipients = tuple(named for named in inner.recipients if not neighbours.same_people(named.person))
    thing = apart.span if call.operation in ("event.check", "event.free") else inner.thing
    picked = call.select.next_to is not None
    changed = replace(inner, reading=Reading(certain=True)) if picked else inner
    return replace(_with(changed, found, call), recipients=recipients, thing=thing)


def _instructs(found: Clause) -> bool:
    return found.mood == "do" and not found.negated


def _without(found: Clause, begin: int, end: int) -> Clause:
    gone = found.items[begin:end]
    kept = tuple(item for item in found.items if item not in gone)
    return replace(found, items=kept, rest=tuple(item for item in found.rest if item not in gone))


def _with(inner: Parse, found: Clause, call: Call) -> Parse:
    """What was read of the rest, as the reading of the whole with this call."""
    return replace(inner, clause=found, reading=inner.reading.model_copy(update={"call": call}))


def _certain(found: Clause, call: Call | None, apart: neighbours.Beside) -> Parse:
    return Parse(found, Reading(call=call, certain=True), thing=apart.span)
