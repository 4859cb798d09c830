"""Stretches of one day: "from 2 to 4", "9-5", "after 11", "before noon", "all day"."""

from assistant.reasoning.offline.dates.clocks import clock, countable, settled
from assistant.reasoning.offline.dates.dayparts import in_part, part
from assistant.reasoning.offline.dates.lengths import length
from assistant.reasoning.offline.dates.lexicon import KEEPING, MOVES, UNTIL
from assistant.reasoning.offline.dates.nodes import Clock, Hours, Match
from assistant.reasoning.offline.dates.numbers import cardinal
from assistant.reasoning.offline.dates.tokens import Sentence

DAY_MINUTES = 24 * 60


def hours(s: Sentence, i: int, *, near_day: bool = False) -> Match[Hours]:
    """A stretch with both ends. `near_day`: two numbers alone will do ("Monday 12-4")."""
    j = i
    while s.words[j] in ("anytime", "sometime", "any", "time", "somewhere"):
        j += 1
    if s.words[j] == "at" and not near_day:
        near_day, j = True, j + 1
    lead = s.words[j] in ("from", "between")
    near_day = near_day or (not lead and s.before(j) in KEEPING and _to_hour(s, j))
    j = working(s, j + lead)
    first = clock(s, j, bare=True) if lead or near_day else clock(s, j) or _number_pair(s, j)
    if not first:
        return None
    joiner = s.words[first[1]]
    if joiner not in UNTIL and not (joiner == "and" and s.words[i] == "between"):
        return _from_for(s, first[0], first[1]) if lead and s.words[i] == "from" else None
    if joiner == "to" and changes(s, i, led=lead):
        return None
    k = first[1] + 1
    second = clock(s, k, bare=True)
    if not second:
        return None
    in_the_part = s.words[second[1]] in ("in", "at") and part(s, second[1])
    if not (lead or near_day or in_the_part) and not (first[0].sure or second[0].sure or first[1] - j > 1 or second[1] - k > 1):
        return None
    named = second[0].zone or first[0].zone
    start, stop = paired(first[0], second[0], business_hours=s.business_hours)
    found = Hours(start._replace(zone=named), stop._replace(zone=named))
    suffix = part(s, second[1])
    if suffix and suffix[0].part and not second[0].sure and s.words[second[1]] in ("in", "at"):
        start, stop = paired(first[0], in_part(second[0], suffix[0].part), business_hours=s.business_hours)
        return Hours(start._replace(zone=named), stop._replace(zone=named)), suffix[1]
    return found, second[1]


def _to_hour(s: Sentence, i: int) -> bool:
    """ "ten to eleven", "9 to 10" behind a verb that keeps time free: two hours, the second behind "to"."""
    first = cardinal(s, i)
    second = cardinal(s, first[1] + 1) if first and s.words[first[1]] == "to" else None
    return bool(first and second and first[0] <= 24 and second[0] <= 24 and countable(s, second[1]))


def working(s: Sentence, i: int) -> int:
    """Behind the words "the work hours of", where they stand."""
    j = i + (s.words[i] == "the")
    j += s.words[j] in ("work", "working", "office", "business", "opening")
    return j + 2 if s.words[j] == "hours" and s.words[j + 1] == "of" else i


def changes(s: Sentence, i: int, *, led: bool) -> bool:
    """ "A to B" from token i on is a change from A to B ("move my 3pm to 4pm"), not the time between them."""
    return _moved(s, i) or (not led and s.before(i) in ("my", "the"))


def moving(s: Sentence, i: int) -> bool:
    """Token i follows "to" (or "it") after a verb that moves something: there a number is an hour."""
    return s.before(i) in ("to", "it") and not MOVES.isdisjoint(s.words[:i])


THERE = frozenset({"it", "that", "this", "them", "the", "my", "our", "off", "back", "forward"})


def _moved(s: Sentence, i: int) -> bool:
    """Behind "put" only what is there already is moved: "put a lunch in from 12 to 1" says when it is."""
    words = s.words[:i]
    return any(word in MOVES and (word != "put" or words[n + 1] in THERE) for n, word in enumerate(words[:-1]))


def _number_pair(s: Sentence, i: int) -> Match[Clock]:
    """The bare 2 of "2-4pm" or "2 to 4pm": an hour only if what ends the pair says so."""
    number = cardinal(s, i)
    if not number or number[0] > 24 or s.words[number[1]] not in UNTIL or (s.glued(i) and s.before(i) not in "(,"):
        return None
    k = number[1] + 1
    end = clock(s, k) or clock(s, k, bare=True)
    if not end or not (end[0].sure or end[1] - k > 1 or (s.words[end[1]] in ("in", "at") and part(s, end[1]))):
        return None
    return Clock(number[0], sure=number[0] > 12), number[1]


def paired(first: Clock, second: Clock, *, business_hours: bool = True) -> tuple[Clock, Clock]:
    """Each end helps to read the other: "2-4pm" is 14 to 16, "11-1pm" 11 to 13, "9 to 5" 9 to 17."""
    if first.sure and second.sure:
        return first, second
    if second.sure and 1 <= first.hour <= 12:
        if second.full and second.minutes > first.minutes:
            return first._replace(sure=True), second
        readings = (first.half(False), first.half(True))
        first = max(readings, key=lambda c: (c.minutes < second.minutes, c.minutes if c.minutes < second.minutes else 0))
        return first, second
    start = settled(first, business_hours=business_hours)
    if not 1 <= second.hour <= 12 or second.sure:
        return start, second._replace(sure=True)
    readings = (second.half(False), second.half(True))
    if second.hour == 12 and start.minutes < 12 * 60 + second.minute:
        return start, readings[1]  # before noon, 12:30 is no half past midnight
    stop = min(readings, key=lambda c: (c.minutes - start.minutes - 1) % DAY_MINUTES)
    return start, stop


def _from_for(s: Sentence, start: Clock, i: int) -> Match[Hours]:
    """ "from 2pm for 2 hours"."""
    if s.words[i] != "for":
        return None
    found = length(s, i + 1)
    if not found or found[0].months or found[0].days or found[0].seconds % 60:
        return None
    return _lasting(s, start, int(found[0].seconds) // 60), found[1]


def _lasting(s: Sentence, start: Clock, minutes: int) -> Hours:
    begin = settled(start, business_hours=s.business_hours)
    total = begin.minutes + minutes
    end = Clock(total // 60 % 24 if total != DAY_MINUTES else 24, total % 60, sure=True, zone=begin.zone)
    return Hours(begin, end)


def for_from(s: Sentence, i: int) -> Match[Hours]:
    """ "for 2.5 hours from 9"."""
    if s.words[i] != "for":
        return None
    found = length(s, i + 1)
    if not found or s.words[found[1]] not in ("from", "starting") or found[0].days or found[0].months:
        return None
    start = clock(s, found[1] + 1 + (s.words[found[1] + 1] == "at"), bare=True)
    return (_lasting(s, start[0], int(found[0].seconds) // 60), start[1]) if start else None


BOUNDS: dict[str, str] = {
    "before": "stop", "by": "deadline", "until": "until", "till": "until", "til": "until", "after": "start",
    "since": "since", "from": "from", "past": "start", "starting": "from", "beginning": "from",
}  # fmt: skip
PHRASES: dict[tuple[str, ...], str] = {
    ("no", "later", "than"): "deadline",
    ("not", "later", "than"): "deadline",
    ("no", "earlier", "than"): "from",
    ("more", "than"): "start",
    ("greater", "than"): "start",
    ("not", "before"): "from",
    ("earlier", "than"): "stop",
    ("later", "than"): "start",
    ("prior", "to"): "stop",
    ("up", "to"): "until",
    ("as", "late", "as"): "deadline",
    ("as", "early", "as"): "from",
    ("as", "of"): "from",
    ("as", "from"): "from",
    ("on", "or", "after"): "from",
    ("on", "or", "before"): "deadline",
    ("starting", "on"): "from",
    ("starting", "from"): "from",
    ("starting", "at"): "from",
    ("beginning", "on"): "from",
}
MEALS: dict[str, tuple[Clock, Clock]] = {
    "breakfast": (Clock(8, sure=True), Clock(9, sure=True)),
    "lunch": (Clock(12, sure=True), Clock(13, sure=True)),
    "lunchtime": (Clock(12, sure=True), Clock(13, sure=True)),
    "dinner": (Clock(19, sure=True), Clock(20, sure=True)),
    "work": (Clock(9, sure=True), Clock(18, sure=True)),
}
"""Before and after what no clock names."""
COUNTED_BACK: dict[str, str] = {"more": "stop", "longer": "stop", "less": "since", "fewer": "since"}
"""What "than 3 days ago" sets behind these: longer ago is earlier."""
PHRASE_LEADS = frozenset(phrase[0] for phrase in PHRASES) | frozenset(COUNTED_BACK)


def bound(s: Sentence, i: int) -> Match[str]:
    """What a word sets: "stop" (exclusive), "until" or "deadline" (the day named belongs to it), "start" (behind it), "from",
    "since"."""
    while s.words[i] in ("anytime", "sometime", "any", "time"):
        i += 1
    counted = COUNTED_BACK.get(s.words[i]) if s.words[i + 1] == "than" else None
    if counted and "ago" in s.words[i + 2 : i + 5]:
        return counted, i + 2
    if s.words[i] in PHRASE_LEADS:
        for phrase, side in PHRASES.items():
            if tuple(s.words[i : i + len(phrase)]) == phrase:
                return side, i + len(phrase)
    side_of = BOUNDS.get(s.words[i])
    return (side_of, i + 1) if side_of else None


def open_hours(s: Sentence, i: int) -> Match[Hours]:
    """ "after 11", "before noon", "by 5pm", "3pm or later"."""
    found = bound(s, i)
    if not found:
        return _or_later(s, i)
    side, j = found
    if s.words[i] == "from" and changes(s, i, led=True):
        return None
    meal = MEALS.get(s.words[j])
    if meal and side in ("stop", "start", "until", "deadline") and countable(s, j + 1) and s.words[j + 1] != "with":
        return (Hours(meal[1], None) if side == "start" else Hours(None, meal[0], deadline=side == "deadline")), j + 1
    time = clock(s, j, bare=s.words[j - 1] != "past")
    if not time or (s.words[i] == "by" and _compared(s, i)) or (s.words[i] == "past" and time[1] - j < 2):
        return None
    if s.words[i] == "from" and s.words[time[1]] in UNTIL:
        return None
    when = settled(time[0], business_hours=s.business_hours)
    if side in ("start", "from", "since"):
        return Hours(when, None), time[1]
    if when.hour == 0 and not when.minute:
        when = when._replace(hour=24)
    return Hours(None, when, deadline=side == "deadline"), time[1]


def _compared(s: Sentence, i: int) -> bool:
    """ "increase it by 3", "back by 2"."""
    return any(word in CHANGES for word in s.words[max(0, i - 4) : i])


CHANGES = frozenset(
    "increase increased reduce reduced raise raised multiply multiplied divide divided extend extended shorten shortened up down "
    "push pushed back cut lower".split()
)


def _or_later(s: Sentence, i: int) -> Match[Hours]:
    time = clock(s, i)
    if not time or s.words[time[1]] not in ("or", "and") or not countable(s, time[1]):
        return None
    word = s.words[time[1] + 1]
    when = settled(time[0], business_hours=s.business_hours)
    if word in ("later", "after", "onwards", "onward"):
        return Hours(when, None), time[1] + 2
    return (Hours(None, when), time[1] + 2) if word in ("earlier", "before") else None
