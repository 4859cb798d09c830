"""Who or what has the most: mails and events counted or measured by person, time or title."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import UTC, date, datetime, time, timedelta
from typing import Any, TypeVar

from assistant.agents.base import Desk
from assistant.agents.events import at_any_time, select_events
from assistant.agents.mails import select_mails
from assistant.agents.people import names_to_addresses, of_result
from assistant.agents.report import Notes, Refusal
from assistant.agents.words import count as counted
from assistant.agents.words import day, fold, lasting, length_of, listing, others, period
from assistant.reasoning.calls import Call, Person, Selection, TimeSpec
from assistant.values import Data
from integrations.types import SENT, Address, Event, Mail

T = TypeVar("T", Mail, Event)
MOST_COUNTED = 1000
PERIODS = ("time", "times")
"""Rankings of two periods: whether the first has more, or which has."""
MOST_LISTED = 12
FOLLOWING = 2
"""How many are told behind the first."""
WEEKEND = 5
SEASONS = ("winter (December to February)", "spring (March to May)", "summer (June to August)", "autumn (September to November)")
SIZES = frozenset({"longest", "shortest", "largest", "biggest", "smallest"})
"""What mails are not measured by."""
LEAST = frozenset({"least", "shortest"})


async def rank_mails(call: Call, desk: Desk, notes: Notes) -> Data:
    if call.field in PERIODS:
        totals = [(await select_mails(one, desk, notes)).total for one in _periods(call)]
        return _side_by_side(totals, call, "mail", desk)
    if call.question in SIZES:
        raise Refusal(
            "not_understood", f"I can't tell which mail is {call.question}: I can only count mails. Ask for the most of them."
        )
    found = await select_mails(call.select, desk, notes, limit=MOST_COUNTED)
    if found.total > len(found.items):
        notes.limit(f"only the newest {len(found.items)} of {found.total} are counted")
    outgoing = call.select.folder == SENT
    mails = [mail for mail in found.items if outgoing or not _mine(mail, desk)]
    if not mails:
        return Data(kind="nothing", heading=found.heading)
    if call.field == "person":
        groups = _by_person(mails, lambda mail: mail.recipients if outgoing else (mail.sender,) if mail.sender else (), desk)
        groups = await _compared(groups, call.to, desk)
    else:
        groups = _by_time(mails, call.field, lambda mail: mail.date, desk)
    return _told(groups, call, len, "mail", found.heading, desk)


def _mine(mail: Mail, desk: Desk) -> bool:
    return mail.sender is not None and mail.sender.email in desk.me


async def rank_events(call: Call, desk: Desk, notes: Notes) -> Data:
    if call.field in PERIODS:
        totals = [len((await select_events(one, desk, notes)).items) for one in _periods(call)]
        return _side_by_side(totals, call, "event", desk)
    chosen = call.select if call.select.when else call.select.model_copy(update={"each": True})
    found = await select_events(chosen, desk, notes)
    if not found.items and call.select.when is None and not call.to:
        found = await select_events(chosen.model_copy(update={"when": at_any_time(desk)}), desk, notes)
    events = [event for event in found.items if event.status != "cancelled"]
    if not events and not call.to:
        return Data(kind="nothing", heading=found.heading)
    if call.field == "event":
        return _single(events, call, found.heading)
    if call.field == "title":
        groups = _grouped((fold(event.title), event.title, event) for event in events if not event.all_day)
        return _told(groups, call, _taken, "event", found.heading, desk)
    if call.field == "person":
        if call.to:
            groups = {key: group for person in call.to for key, group in [await _of_one(person, chosen, desk)]}
        else:
            groups = _by_person(events, lambda event: others(event, desk.me), desk)
    else:
        groups = _with_empty_days(_by_time(events, call.field, lambda event: event.start, desk), call, desk)
    return _told(groups, call, len, "event", found.heading, desk)


async def total(call: Call, desk: Desk, notes: Notes) -> Data:
    """How long the timed events take together."""
    found = await select_events(call.select, desk, notes)
    timed = [event for event in found.items if not event.all_day]
    taken = _taken(timed)
    average = f", {lasting(taken / len(timed))} on average" if len(timed) > 1 else ""
    text = f"{lasting(taken)}: {found.heading}, {counted(len(timed), 'event')}{average}."
    return Data(kind="text", text=text, events=tuple(timed), total=len(timed), heading=found.heading)


def _periods(call: Call) -> tuple[Selection, Selection]:
    return call.select, call.select.model_copy(update={"when": call.time})


def _side_by_side(totals: Sequence[int], call: Call, noun: str, desk: Desk) -> Data:
    """Two periods with how much is in each; yes or no where that was asked."""
    named = [period(one.when, desk.setting.now) for one in _periods(call) if one.when]
    text = ", ".join(f"{name}: {counted(number, noun)}" for name, number in zip(named, totals, strict=True))
    first, second = totals
    holds = first < second if call.question == "least" else first > second
    return Data(kind="text", text=f"{text}.", truth=holds if call.field == "time" else None, total=sum(totals))


Groups = dict[str, tuple[str, list[Any]]]
"""By key: the name to be shown, and the items."""


def _grouped(rows: Iterable[tuple[str, str, T]]) -> Groups:
    groups: Groups = {}
    for key, label, item in rows:
        groups.setdefault(key, (label, []))[1].append(item)
    return groups


def _by_person(items: Sequence[T], people: Callable[[T], Iterable[Address]], desk: Desk) -> Groups:
    named: dict[str, str] = {}
    rows: list[tuple[str, str, T]] = []
    for item in items:
        for person in {one.email: one for one in people(item) if one.email not in desk.me}.values():
            named[person.email] = named.get(person.email) or person.name
            rows.append((person.email, person.email, item))
    return {email: (named.get(email) or email, found) for email, (_, found) in _grouped(rows).items()}


async def _compared(groups: Groups, people: Sequence[Person], desk: Desk) -> Groups:
    """Only those asked about, who may have none."""
    if not people:
        return groups
    result: Groups = {}
    for person in people:
        emails = await _emails(person, desk)
        fitting = [group for email, group in groups.items() if email in emails or fold(person.text) in fold(group[0]).split()]
        result[person.text or person.email] = (person.text or person.email, [item for _, items in fitting for item in items])
    return result


async def _emails(person: Person, desk: Desk) -> frozenset[str]:
    if person.email:
        return frozenset({person.email})
    if person.ref:
        return frozenset(address.email for address in of_result(person.ref, desk))
    return desk.me if fold(person.text) in ("me", "i") else frozenset(await names_to_addresses(person.text, desk))


async def _of_one(person: Person, select: Selection, desk: Desk) -> tuple[str, tuple[str, list[Any]]]:
    """What concerns one person: events in that person's calendar, or with that person in them."""
    if fold(person.text) in ("me", "i"):
        return "you", ("you", list((await select_events(select, desk, Notes())).items))
    label = person.text or person.email
    others_too = select.model_copy(update={"people": (*select.people, person.model_copy(update={"role": "with"}))})
    return label, (label, list((await select_events(others_too, desk, Notes())).items))


def _by_time(items: Sequence[T], field: str, moment: Callable[[T], datetime], desk: Desk) -> Groups:
    named = ((_when(field, moment(item).astimezone(desk.setting.zone), desk), item) for item in items)
    return dict(sorted(_grouped((key, label, item) for (key, label), item in named).items()))


def _when(field: str, at: datetime, desk: Desk) -> tuple[str, str]:
    """The key of a stretch of time, by which it sorts, and its name."""
    monday = at - timedelta(days=at.weekday())
    match field:
        case "hour":
            return f"{at:%H}", f"{at:%H}:00-{at.hour + 1:02}:00"
        case "weekday":
            return str(at.weekday()), f"{at:%A}"
        case "week":
            return f"{monday:%Y%m%d}", f"the week of {day(monday, desk.setting.now)}"
        case "month":
            return f"{at:%Y%m}", f"{at:%B %Y}"
        case "quarter":
            return f"{at.year}{(at.month - 1) // 3}", f"Q{(at.month - 1) // 3 + 1} {at.year}"
        case "season":
            return str(at.month % 12 // 3), SEASONS[at.month % 12 // 3]
        case "year":
            return f"{at.year}", f"{at.year}"
    return f"{at:%Y%m%d}", day(at, desk.setting.now)


def _with_empty_days(groups: Groups, call: Call, desk: Desk) -> Groups:
    """For the quietest day, the working days on which there is nothing count too."""
    if call.question != "least" or call.field != "day" or call.select.when is None:
        return groups
    free: Groups = {key: (label, []) for key, label in (_when("day", at, desk) for at in _working_days(call.select.when, desk))}
    return dict(sorted({**free, **groups}.items()))


def _working_days(spec: TimeSpec, desk: Desk) -> Iterator[datetime]:
    if spec.start is None or spec.stop is None or spec.stop - spec.start > timedelta(days=100):
        return
    first: date = max(spec.start, desk.setting.now).astimezone(desk.setting.zone).date()
    while datetime.combine(first, time(), desk.setting.zone) < spec.stop:
        if first.weekday() < WEEKEND:
            yield datetime.combine(first, time(), desk.setting.zone)
        first += timedelta(days=1)


def _taken(events: Iterable[Event]) -> timedelta:
    return sum((event.end.astimezone(UTC) - event.start.astimezone(UTC) for event in events), timedelta())


def _single(events: Sequence[Event], call: Call, heading: str) -> Data:
    """Single events by their length, or by how many take part."""
    timed = [event for event in events if not event.all_day] or list(events)
    size: Callable[[Event], Any] = (lambda e: len(others(e, frozenset()))) if call.question == "largest" else length_of
    best = (min if call.question in LEAST else max)(size(event) for event in timed)
    chosen = tuple(event for event in timed if size(event) == best)
    told = f"{best} people" if call.question == "largest" else lasting(best)
    return Data(kind="events", events=chosen, total=len(chosen), heading=f"{call.question} of {len(timed)} {heading}, {told}")


def _told(groups: Groups, call: Call, size: Callable[[Any], Any], noun: str, heading: str, desk: Desk) -> Data:
    if not groups:
        return Data(kind="nothing", heading=heading)
    rows = sorted(groups.values(), key=lambda group: size(group[1]), reverse=call.question not in LEAST)
    best = size(rows[0][1])
    first, rest = [row for row in rows if size(row[1]) == best], [row for row in rows if size(row[1]) != best]
    each = " each" if len(first) > 1 else ""
    scope = heading.removeprefix(f"{noun}s").strip(" ,") or ("the coming year" if noun == "event" and not call.select.when else "")
    lines = [f"{_listed([label for label, _ in first])}: {_amount(best, noun)}{each}{f' ({scope})' if scope else ''}."]
    if rest:
        lines.append(f"Then {listing([f'{label} ({_amount(size(items), noun)})' for label, items in rest[:FOLLOWING]])}.")
    items = first[0][1] if len(first) == 1 else []
    people = tuple(
        Address(email=email, name=label) for email, (label, _) in groups.items() if "@" in email and label == first[0][0]
    )
    events = tuple(item for item in items if isinstance(item, Event)) if call.field not in ("person", "title") else ()
    events = events if len(events) <= MOST_LISTED else ()
    return Data(kind="text", text=" ".join(lines), events=events, addresses=people[:1], total=len(items), heading=heading)


def _listed(labels: Sequence[str]) -> str:
    words = listing(labels)
    return words[:1].upper() + words[1:]


def _amount(size: Any, noun: str) -> str:
    return lasting(size) if isinstance(size, timedelta) else counted(size, noun)
