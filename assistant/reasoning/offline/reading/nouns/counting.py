"""How many there must be: "more than 3 mails", "at least four", "two meetings or more", "more than once"."""

from collections.abc import Sequence
from datetime import timedelta

from assistant.reasoning.calls import Bounds
from assistant.reasoning.offline.lexicon import lexicon
from assistant.reasoning.offline.reading.slots import lows
from assistant.reasoning.offline.reading.text.items import PERSONAL, Item

TIMES = {"once": 1, "twice": 2, "thrice": 3}
BARE = frozenset("there is are was were be i we have has had got do did does of them those these that it in all altogether".split())
NEAR = 3
"""What is counted is named within so many words behind the number."""
COUNTED = frozenset({"mail", "newsletter", "reply", "draft", "event", "occasion", "invitation", "attachment"})
ALTOGETHER = frozenset({"total", "altogether", "combined", "together", "sum", "all"})
SUMMING = frozenset("add adds amount amounts sum sums total totals come comes".split())
SPENDING = frozenset({"spend", "spends", "spent", "sit", "time", "total", "combined", "length", "duration"})
"""Words for what one does with the hours in meetings."""
TAKING = frozenset({"up", "to", "take", "takes", "last", "lasts", "add", "adds", "sum", "amount", "is", "are", "for"})
AROUND_TOTAL = frozenset({"in", "a", "total", "altogether", "combined", "together", "of", "up", "to", "overall", "all"})
LONGEST = timedelta(days=3650)


def bounded(items: Sequence[Item]) -> tuple[tuple[Item, ...], Bounds | None]:
    """The items without the words that say how many, and the bounds that they set."""
    words = lows(items)
    for at in range(len(items)):
        if (found := _at(items, words, at)) is not None:
            end, bounds = found
            return (*items[:at], *items[end:]), bounds
    return tuple(items), None


def _at(items: Sequence[Item], words: Sequence[str], at: int) -> tuple[int, Bounds] | None:
    before = lexicon().bounds.at(words, at)
    place = at + before[0] if before else at
    number = _number(words, place)
    if number is None or (at and words[at - 1] == "with"):
        return None
    end = place + 1
    if before is not None:
        kind = before[1]
        if words[place] in TIMES or words[end : end + 1] in (["times"], ["time"]):
            return end + (words[place] not in TIMES), _bounds(kind, number)
        return (end, _bounds(kind, number)) if _counted(items, words, end) else None
    behind = lexicon().bounds_behind.at(words, end)
    if behind is not None:
        return end + behind[0], _bounds(behind[1], number)
    return None


def _number(words: Sequence[str], at: int) -> int | None:
    if at >= len(words):
        return None
    word = words[at]
    return int(word) if word.isdecimal() else lexicon().numbers.get(word) or TIMES.get(word)


def _counted(items: Sequence[Item], words: Sequence[str], at: int) -> bool:
    """Things that can be counted follow, or nothing that the number could belong to."""
    if (
        at >= len(items)
        or items[at].kind in ("punct", "time", "person", "name", "ref")
        or words[at] in BARE | {"from", "with", "on"}
    ):
        return True
    near = (lexicon().nouns.at(words, n) for n in range(at, min(at + NEAR, len(items))))
    return any(noun is not None and noun[1][0] in COUNTED for noun in near)


def _bounds(kind: str, number: int) -> Bounds:
    return {
        "over": (number + 1, None),
        "least": (number, None),
        "under": (0, number - 1),
        "most": (0, number),
        "exactly": (number, number),
    }[kind]


def altogether(items: Sequence[Item]) -> tuple[tuple[Item, ...], tuple[timedelta, timedelta] | None]:
    """ "more than 6 hours of meetings", "my meetings take over 6 hours in total": the rest, and longer and shorter than what."""
    words = lows(items)
    for at in range(1, len(items)):
        spec, lead = items[at].time, _comparison(words, at)
        if spec is None or spec.kind != "duration" or spec.duration is None or lead is None:
            continue
        begin, end, kind = lead[0], at + 1, lead[1]
        near, before = set(words[max(begin - 3, 0) : begin]), set(words[:begin])
        summed = bool(SUMMING & near or {"total", "combined", "spend", "spent"} & before)
        if words[at + 1 : at + 2] != ["of"] and not summed and not ALTOGETHER & set(words[at + 1 : at + 4]):
            continue
        while begin and words[begin - 1] in TAKING | SUMMING:
            begin -= 1
        while end < len(items) and words[end] in AROUND_TOTAL:
            end += 1
        rest = (*items[:begin], *items[end:])
        return tuple(item for item in rest if item.low not in SPENDING), _span(kind, spec.duration)
    return tuple(items), None


def of_told(items: Sequence[Item]) -> tuple[Item, Item] | None:
    """ "it is more than 4 hours in total": the first and last item of how long, where nothing else is said."""
    words = lows(items)
    for at in range(1, len(items)):
        spec, lead = items[at].time, _comparison(words, at)
        if spec is not None and spec.kind == "duration" and lead is not None:
            around = {*words[: lead[0]], *words[at + 1 :]}
            return (items[lead[0]], items[at]) if around <= BARE | TAKING | AROUND_TOTAL | SUMMING | {"'s", "this"} else None
    return None


def _comparison(words: Sequence[str], at: int) -> tuple[int, str] | None:
    for begin in range(max(at - 3, 0), at):
        match = lexicon().bounds.at(words, begin)
        if match is not None and begin + match[0] == at:
            return begin, match[1]
    return None


def _span(kind: str, length: timedelta) -> tuple[timedelta, timedelta]:
    moment = timedelta(seconds=1)
    return {
        "over": (length, LONGEST), "least": (length - moment, LONGEST), "under": (-moment, length),
        "most": (-moment, length + moment), "exactly": (length - moment, length + moment),
    }[kind]  # fmt: skip


def compares_people(items: Sequence[Item]) -> bool:
    """ "more recently than Anna", "more often than Tom": what is not compared here."""
    words = lows(items)
    return any(words[at] == "than" and at + 1 < len(items) and items[at + 1].kind in PERSONAL for at in range(1, len(items)))


def only_counts(items: Sequence[Item]) -> bool:
    """ "there are at least 4": what is counted was named before."""
    rest, bounds = bounded(items)
    return bounds is not None and all(item.low in BARE for item in rest)
