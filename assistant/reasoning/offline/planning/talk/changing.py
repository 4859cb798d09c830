"""Which words of the last request a fragment takes the place of: times for times, people for people, things for things."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

from assistant.reasoning.base import Request
from assistant.reasoning.offline import criteria
from assistant.reasoning.offline.lexicon import lexicon
from assistant.reasoning.offline.planning.talk.retiming import counted, retimed
from assistant.reasoning.offline.reading.entities import mark
from assistant.reasoning.offline.reading.frames import Clause
from assistant.reasoning.offline.reading.parsed import Parse
from assistant.reasoning.offline.reading.slots import cut, lows
from assistant.reasoning.offline.reading.text.dictation import dictation
from assistant.reasoning.offline.reading.text.items import NAMED, Item, is_hour

BETWEEN = frozenset({"and", ",", "or", "&"})
Edit = tuple[int, int, str]
"""Where in the last request, and the words that are to stand there."""


@dataclass(frozen=True)
class Fragment:
    """A message without a verb. `corrects`: the last request was meant otherwise; `goes_on`: it is asked of something else."""

    text: str
    items: tuple[Item, ...]
    corrects: bool = False
    goes_on: bool = False

    @property
    def bare(self) -> bool:
        return not (self.corrects or self.goes_on)

    @property
    def words(self) -> list[str]:
        return lows(self.items)


def edits_of(fragment: Fragment, before: Parse, request: Request) -> list[Edit]:
    last = Last.of(before)
    for way in (_opposite, _relative, _field, _order, _slots, _thing):
        if edits := way(fragment, last, request):
            return edits
    return []


@dataclass(frozen=True)
class Last:
    """The last request: its items up to what it dictates, and where more can be said."""

    parse: Parse
    items: tuple[Item, ...]
    end: int

    @classmethod
    def of(cls, before: Parse) -> "Last":
        items = before.clause.items
        stop, _ = dictation(items)
        kept = items if stop is None else items[:stop]
        return cls(before, tuple(kept), before.end if stop is None else -1)

    @property
    def clause(self) -> Clause:
        return self.parse.clause

    @property
    def writes(self) -> bool:
        return self.parse.call is not None and criteria.writes(self.parse.call.operation)

    def runs(self) -> Iterator[tuple[str, tuple[Item, ...]]]:
        """People who are named together, with the marker before them."""
        words = lows(self.items)
        marker = ""
        for named, group in groupby(range(len(self.items)), lambda n: self._in_run(n)):
            places = list(group)
            if named:
                yield marker, tuple(self.items[n] for n in places)
                marker = ""
                continue
            found = [match[1] for n in places if (match := lexicon().markers.at(words, n)) and n + match[0] == places[-1] + 1]
            marker = found[0] if found else ""

    def _in_run(self, n: int) -> bool:
        if self.items[n].kind in NAMED:
            return True
        around = self.items[n - 1 : n + 2 : 2] if n else ()
        return self.items[n].low in BETWEEN and len(around) == 2 and all(item.kind in NAMED for item in around)

    def times(self, *, lengths: bool = False) -> list[Item]:
        return [item for item in self.items if item.time is not None and (item.time.kind == "duration") == lengths]


def _relative(fragment: Fragment, last: Last, request: Request) -> list[Edit]:
    """ "and the week after?": counted from the time of the last request."""
    times = last.times()
    words = counted(" ".join(fragment.words).replace("\0", fragment.items[-1].low), times[-1].time if times else None, request)
    if not words or (len(times) > 1 and not last.writes):
        return []
    place = (times[-1].begin, times[-1].end) if times else (last.end, last.end)
    return [(*place, words)] if place[0] >= 0 else []


OPPOSITES = {"longer": "shorter", "later": "earlier", "newest": "oldest", "latest": "oldest", "read": "unread", "first": "last"}
OPPOSITES |= {new: old for old, new in OPPOSITES.items() if old != "latest"}


def _opposite(fragment: Fragment, last: Last, request: Request) -> list[Edit]:
    """ "No, shorter" behind "make it half an hour longer"."""
    words = [word for word in fragment.words if word not in ("the", "one", "as")]
    old = OPPOSITES.get(words[0], "") if len(words) == 1 and fragment.corrects else ""
    places = [item for item in last.items if item.kind == "word" and item.low == old]
    return [(places[0].begin, places[0].end, words[0])] if len(places) == 1 else []


def _field(fragment: Fragment, last: Last, request: Request) -> list[Edit]:
    """ "and the email address?": another field of the same card."""
    fields, small = lexicon().fields, lexicon().small
    words = [word for word in fragment.words if word not in small["articles"] | small["possessives_person"]]
    words = ["email address"] if words in (["email"], ["mail"], ["e-mail"], ["email", "address"]) else words
    call = last.parse.call
    if (
        call is None
        or not call.operation.startswith("contact.")
        or not words
        or not all(part in fields or part == "email address" for part in words)
    ):
        return []
    places = [item for item in last.items if item.low in fields]
    new = " ".join(words)
    return [(places[0].begin, places[-1].end, new)] if places and not last.writes else []


def _order(fragment: Fragment, last: Last, request: Request) -> list[Edit]:
    """ "and the one before?" behind "the last mail from Jonas": the second, then the third of them."""
    call = last.parse.call
    words = [word for word in fragment.words if word not in ("that", "it", "this")]
    steps = lexicon().sequence
    forward = "event" if call is not None and call.operation.startswith("event.") else "mail"
    if call is None or " ".join(words) not in steps.get(forward, ()) or (call.select.number > 1 and call.select.order != "nth"):
        return []
    nth = {number: name for name, number in lexicon().nth.items() if name.isalpha()}
    number = call.select.number + 1 if call.select.order == "nth" else 2
    place = next((item for n, item in enumerate(last.items) if _is_order(last.items, n)), None)
    return [(place.begin, place.end, nth[number])] if place is not None and number in nth else []


def _is_order(items: Sequence[Item], at: int) -> bool:
    """ "The last mail"; not "when did she last write"."""
    words = lows(items)
    if at + 1 < len(items) and lexicon().verbs.at(words, at + 1) and not lexicon().nouns.at(words, at + 1):
        return False
    return items[at].kind == "word" and (lexicon().orders.at([items[at].low], 0) is not None or items[at].low in lexicon().nth)


def _slots(fragment: Fragment, last: Last, request: Request) -> list[Edit]:
    """Times for times, people for people, topics for topics; nothing where any part of the fragment finds no place."""
    parts = cut(fragment.text, fragment.items, dictates=False)
    edits: list[Edit] = []
    for timed in parts.times:
        item = next(item for item in fragment.items if item.begin == timed.begin)
        edits += _time(item, last, request) or [NOWHERE]
    for slot in parts.slots:
        if not slot.items and not slot.marker:
            continue
        if len(slot.items) == 1 and is_hour(slot.items[0]) and slot.marker in ("", "to", "at"):
            edits += _hour(slot.items[0], last, request) or [NOWHERE]
        elif slot.items and all(item.kind in NAMED or item.low in BETWEEN | {"'s"} for item in slot.items):
            edits += _people(slot.marker, slot.items, last, fragment) or [NOWHERE]
        elif slot.marker == "about" and slot.items:
            edits += _topic(slot.items, last, fragment.text) or [NOWHERE]
        else:
            return []
    return [] if NOWHERE in edits else edits


NOWHERE: Edit = (-1, -1, "")


def _time(item: Item, last: Last, request: Request) -> list[Edit]:
    assert item.time is not None
    if item.time.kind == "duration":
        lengths = last.times(lengths=True)
        return [(lengths[-1].begin, lengths[-1].end, item.text)] if len(lengths) == 1 else []
    times = last.times()
    if times:
        words = retimed(item, times[-1].time, request)
        return [(times[-1].begin, times[-1].end, words)] if words and (last.writes or len(times) == 1) else []
    words = retimed(item, None, request)
    return [(last.end, last.end, words)] if words and last.end >= 0 and not last.writes else []


def _hour(item: Item, last: Last, request: Request) -> list[Edit]:
    """ "how about 3?", where the last request had a time of day."""
    times = [one for one in last.times() if one.time is not None and one.time.has_time]
    read = mark(f"at {item.text}", request.setting)
    if len(times) != 1 or len(read) != 1 or read[0].time is None:
        return []
    return [(times[0].begin, times[0].end, retimed(read[0], times[0].time, request))]


def _people(marker: str, items: Sequence[Item], last: Last, fragment: Fragment) -> list[Edit]:
    """In the place of those under the same marker, or of the only ones there are; a read may be narrowed by somebody new."""
    items = [item for item in items if item.low != "'s"]
    words = fragment.text[items[0].begin : items[-1].end]
    runs = list(last.runs())
    fitting = [run for under, run in runs if not marker or under == marker or (under == "" and marker in ("from", "with"))]
    if not marker and len(fitting) > 1 and last.writes:
        fitting = [run for under, run in runs if under in ("", "to")] or fitting
    if len(fitting) == 1:
        return [(fitting[0][0].begin, fitting[0][-1].end, words)]
    if fitting or not marker or last.writes or last.end < 0:
        return []
    return [(last.end, last.end, f"{marker} {words}")]


def _topic(items: Sequence[Item], last: Last, text: str) -> list[Edit]:
    words = text[items[0].begin : items[-1].end]
    slots = cut(last.clause.text, last.items, dictates=False).of("about")
    if slots and slots[0].items:
        return [(slots[0].items[0].begin, slots[0].items[-1].end, words)]
    return [(last.end, last.end, f"about {words}")] if last.end >= 0 and not last.writes else []


def _thing(fragment: Fragment, last: Last, request: Request) -> list[Edit]:
    """Another mail, event or person in the place of the one that was asked for or acted on."""
    if not _names_a_thing(fragment):
        return []
    words = _with_noun(fragment, last)
    span = last.parse.thing or _asked_about(last)
    if span is None or (last.end >= 0 and span[1] > last.end):
        return []
    return [(span[0], span[1], words)] if not _same_words(words, last.clause.text[span[0] : span[1]]) else []


def _with_noun(fragment: Fragment, last: Last) -> str:
    """ "The one with the code" is a mail where mails were spoken of."""
    words = fragment.text[fragment.items[0].begin : fragment.items[-1].end]
    noun = last.parse.call.operation.partition(".")[0] if last.parse.call is not None else ""
    head = next((item for item in fragment.items[1:3] if item.low in ("one", "ones")), None)
    if head is None or not noun:
        return words
    begin = fragment.items[0].begin
    named = f"{noun}s" if head.low == "ones" else noun
    return f"{words[: head.begin - begin]}{named}{words[head.end - begin :]}"


def _names_a_thing(fragment: Fragment) -> bool:
    """A noun phrase: it begins like one, or holds the noun of one."""
    first, words, lex = fragment.items[0], fragment.words, lexicon()
    small = lex.small
    if first.kind in NAMED | {"quote"} or first.low in small["articles"] | small["each"] | {"my", "our", "that", "this"}:
        return len(words) > 1 or first.kind in NAMED | {"quote"}
    return any(lex.nouns.at(words, at) for at in range(len(words))) or lex.states.at(words, 0) is not None


def _same_words(one: str, other: str) -> bool:
    return one.casefold() == other.casefold()


def _asked_about(last: Last) -> tuple[int, int] | None:
    """What a question is about: behind its verb, up to its time."""
    lead = lexicon().small["articles"] | {"my", "our"}
    begin = next((n for n, item in enumerate(last.items) if n and (item.low in lead or item.kind in NAMED)), None)
    if begin is None:
        return None
    end = next((n for n in range(begin, len(last.items)) if last.items[n].time is not None), len(last.items))
    return (last.items[begin].begin, last.items[end - 1].end) if end > begin else None
