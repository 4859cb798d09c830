"""What leans on the last request: "and on Thursday?", "from Helena?", "no, Clara" is that request with one part of it changed."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby, pairwise

from assistant.reasoning.base import Request
from assistant.reasoning.calls import Call
from assistant.reasoning.offline import criteria
from assistant.reasoning.offline.lexicon import lexicon
from assistant.reasoning.offline.planning.talk.retiming import counted, day, retimed
from assistant.reasoning.offline.reading.entities import Item, is_hour, mark
from assistant.reasoning.offline.reading.frames import Clause, clause_of, strip_closers, strip_openers, tense
from assistant.reasoning.offline.reading.grammar import parse
from assistant.reasoning.offline.reading.parsed import Parse
from assistant.reasoning.offline.reading.slots import cut, lows
from assistant.reasoning.offline.reading.text.dictation import dictation
from assistant.reasoning.offline.reading.text.tokens import tokenise

PERSONS = frozenset({"person", "name", "address"})
BETWEEN = frozenset({"and", ",", "or", "&"})
ALIKE = (
    {"event.find", "event.next", "event.check"},
    {"mail.find", "mail.read", "mail.check"},
    {"contact.find", "contact.address"},
    {"event.next", "mail.answer"},
)
"""Operations between which a changed part may shift the reading."""
ABOUT = re.compile(r"(?:and |or |ok,? |okay,? )?(?:what|how) about\b", re.IGNORECASE)
"""Put aside before times are read, for "about 3" is a time of its own."""
LONGEST = 14
"""Items of a fragment."""

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


@dataclass(frozen=True)
class Leaning:
    """The request that was meant, in whole words."""

    text: str
    corrects: bool


def leaning(request: Request) -> Leaning | None:
    """None where the message stands for itself, or leaves open which part of the last request it changes."""
    if not request.last:
        return None
    if changed := contrasted(request) or _with_less(request):
        return Leaning(changed, True)
    fragment = _fragment(request)
    if fragment is None:
        return None
    before = parse(request.last, request.setting)
    if before.call is None or (fragment.bare and criteria.writes(before.call.operation)):
        return None
    text = _again(fragment, before, request)
    if text and fragment.corrects and _is_done(request):
        text = _of_what_it_was(text, before, request)
    return Leaning(text, fragment.corrects) if text and text != request.last else None


def _is_done(request: Request) -> bool:
    """Whether nothing of the last request is left to be answered or approved."""
    said = {line.removeprefix("user: ") for line in request.history if line.startswith("user: ")}
    waits = request.proposal or any(one.about in said for one in request.paused if one.status in ("waiting", "preview"))
    return bool(request.shown) and not waits


def _of_what_it_was(text: str, before: Parse, request: Request) -> str:
    """The corrected request about the very events that were changed, which its words may not fit any more, a difference counted
    from how they were before: "move my first meeting an hour later", "no, earlier" is two hours earlier than it is now."""
    found = parse(text, request.setting)
    old, new = before.call, found.call
    if old is not None and new is not None and old.operation == new.operation == "event.create":
        return _moved(old, new, request) or text
    if old is None or new is None or new.operation != old.operation or new.operation not in ("event.move", "event.resize"):
        return text
    if found.thing is None or old.select != new.select or not request.shown[0].data.events:
        return text
    it = "it" if len(request.shown[0].data.events) == 1 else "them"
    if old.shift is None or new.shift is None:
        return f"{text[: found.thing[0]]}{it}{text[found.thing[1] :]}" if old.shift is None and new.shift is None else text
    minutes = round((new.shift - old.shift).total_seconds() / 60)
    verb, more, less = ("move", "later", "earlier") if new.operation == "event.move" else ("make", "longer", "shorter")
    return f"{verb} {it} {abs(minutes)} minutes {more if minutes > 0 else less}"


def _moved(old: Call, new: Call, request: Request) -> str:
    """ "Actually make it 9", once the event is there: it moves; empty where more than the hour is different."""
    start = new.time.start if new.time is not None and new.time.kind == "point" and new.time.has_time else None
    if start is None or len(request.shown[0].data.events) != 1 or old.model_copy(update={"time": new.time}) != new:
        return ""
    start = start.astimezone(request.setting.zone)
    return f"move it to {day(start)} at {start:%H:%M}"


CONTRASTS = (
    re.compile(r"(?P<new>.+?),? (?:and )?not (?P<old>.+)", re.IGNORECASE),
    re.compile(r"(?P<new>.+?),? (?:instead of|rather than) (?P<old>.+)", re.IGNORECASE),
    re.compile(r"not (?P<old>.+?)(?:,? but|,) (?P<new>.+)", re.IGNORECASE),
)
"""What was meant, and what was said for it."""


def contrasted(request: Request) -> str:
    """ "Tuesday, not Monday": the last request with the one in the place of the other, where it was said once; else empty."""
    polite = lexicon().polite
    items: Sequence[Item] = strip_closers(mark(request.text, request.setting))
    if not items or len(items) > LONGEST:
        return ""
    items, _ = strip_openers(items, polite["correcting"])
    items, _ = strip_openers(items, polite["openers"])
    said = request.text[items[0].begin : items[-1].end] if items else ""
    found = next((match for pattern in CONTRASTS if (match := pattern.fullmatch(said))), None)
    if found is None:
        return ""
    old, new = (LEAD.sub("", found[side]).strip() for side in ("old", "new"))
    places = list(re.finditer(rf"\b{re.escape(old)}\b", request.last, re.IGNORECASE))
    if len(places) != 1 or parse(found["new"], request.setting).call is not None:
        return ""
    text = request.last[: places[0].start()] + new + request.last[places[0].end() :]
    before, after = parse(request.last, request.setting).call, parse(text, request.setting).call
    return text if before is not None and after is not None and before.operation == after.operation and before != after else ""


LEFT_OUT = re.compile(r"(?:no,? |but |and |please )*(?:not|except(?: for)?|leave out) (?P<what>.+?)[.! ]*", re.IGNORECASE)


def _with_less(request: Request) -> str:
    """ "Not today's", "but not the one on Friday" over an open proposal: the last request without these; else empty."""
    found = LEFT_OUT.fullmatch(request.text.strip()) if request.proposal else None
    before = parse(request.last, request.setting) if found else None
    if found is None or before is None or before.call is None or not criteria.writes(before.call.operation):
        return ""
    what, items = found["what"], mark(found["what"], request.setting)
    if items and items[0].kind == "time" and what.lower().removesuffix(" one").removesuffix(" ones").endswith("'s"):
        day = items[0].text
        what = f"the one {day if items[0].low in NEAR else f'on {day}'}"
    text = f"{request.last.rstrip(' .!')} except {what}"
    call = parse(text, request.setting).call
    fits = call is not None and call.operation == before.call.operation and call.select.without != before.call.select.without
    return text if fits else ""


NEAR = frozenset({"today", "tomorrow", "yesterday", "tonight"})
LEAD = re.compile(r"^(?:on|at|to|from|for|in|the) ", re.IGNORECASE)


def _fragment(request: Request) -> Fragment | None:
    lead = ABOUT.match(request.text)
    text = " " * lead.end() + request.text[lead.end() :] if lead else request.text
    items: Sequence[Item] = mark(text, request.setting, tense(tokenise(request.last)))
    if len(items) > LONGEST:
        return None
    polite = lexicon().polite
    instead = "instead" in lows(items[-3:])
    corrects, goes_on = False, lead is not None or lows(items[-1:]) == ["too"] or lows(items[-2:]) == ["as", "well"]
    narrows = False
    while items:
        rest, going = strip_openers(items, polite["continuing"])
        rest, correcting = strip_openers(rest, polite["correcting"])
        narrows = narrows or any(phrase.split()[-1] in ("only", "just") for phrase in going)
        goes_on, corrects = goes_on or bool(going), corrects or bool(correcting)
        if len(rest) == len(items):
            break
        items = rest
    items = tuple(strip_closers(items))
    if {"one", "ones"} & set(lows(items)) and (narrows or not (goes_on or corrects)):
        return None
    if not items or _commands(lows(items)) or clause_of(request.text, items).mood != "things" or lows(items)[0] == "not":
        return None
    bare = not (goes_on or corrects or instead)
    if bare and parse(request.text, request.setting).call is not None:
        return None
    return Fragment(request.text, items, corrects or instead, goes_on)


def _commands(words: Sequence[str]) -> bool:
    """ "Archive that one": a verb, though "archive" is a noun as well."""
    verb = lexicon().verbs.at(words, 0)
    pointing = lexicon().small["articles"] | {"it", "that", "this", "them", "those", "these"}
    return verb is not None and verb[1].base and words[verb[0] : verb[0] + 1] != [] and words[verb[0]] in pointing


def _again(fragment: Fragment, before: Parse, request: Request) -> str:
    """The last request with the fragment in its place; empty where it has none there."""
    edits = _edits(fragment, before, request)
    if (
        not edits
        or any(one[1] > other[0] for one, other in pairwise(sorted(edits)))
        or len({edit[:2] for edit in edits}) < len(edits)
    ):
        return ""
    text = request.last
    for begin, end, words in sorted(edits, reverse=True):
        glue = " " if begin == end and words[:1].isalnum() else ""
        led = text[:begin].rstrip().endswith((" to", " on", " at", "'s on"))
        words = words[3:] if led and words.startswith(("on ", "at ")) else words
        text = f"{text[:begin]}{glue}{words}{text[end:]}"
    found, call = parse(text, request.setting), before.call
    assert call is not None
    if found.call is None or found.reading.unread:
        return ""
    same = found.call.operation == call.operation or any({found.call.operation, call.operation} <= kind for kind in ALIKE)
    return text if same and found.call != call else ""


def _edits(fragment: Fragment, before: Parse, request: Request) -> list[Edit]:
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
        if self.items[n].kind in PERSONS:
            return True
        around = self.items[n - 1 : n + 2 : 2] if n else ()
        return self.items[n].low in BETWEEN and len(around) == 2 and all(item.kind in PERSONS for item in around)

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
        elif slot.items and all(item.kind in PERSONS or item.low in BETWEEN | {"'s"} for item in slot.items):
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
    if first.kind in PERSONS | {"quote"} or first.low in small["articles"] | small["each"] | {"my", "our", "that", "this"}:
        return len(words) > 1 or first.kind in PERSONS | {"quote"}
    return any(lex.nouns.at(words, at) for at in range(len(words))) or lex.states.at(words, 0) is not None


def _same_words(one: str, other: str) -> bool:
    return one.casefold() == other.casefold()


def _asked_about(last: Last) -> tuple[int, int] | None:
    """What a question is about: behind its verb, up to its time."""
    lead = lexicon().small["articles"] | {"my", "our"}
    begin = next((n for n, item in enumerate(last.items) if n and (item.low in lead or item.kind in PERSONS)), None)
    if begin is None:
        return None
    end = next((n for n in range(begin, len(last.items)) if last.items[n].time is not None), len(last.items))
    return (last.items[begin].begin, last.items[end - 1].end) if end > begin else None
