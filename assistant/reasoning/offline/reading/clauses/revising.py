"""Clauses that change a proposal: "make it 4 pm", "leave out Tom", "say … instead"."""

import re
from collections.abc import Sequence
from zoneinfo import ZoneInfo

from assistant.reasoning.calls import TimeSpec
from assistant.reasoning.offline.dates import read_times
from assistant.reasoning.offline.lexicon import lexicon
from assistant.reasoning.offline.reading.clauses.moving import factor_said
from assistant.reasoning.offline.reading.clauses.revising_people import (
    PROPOSAL,
    Tone,
    add_person,
    drop,
    drop_item,
    has_time,
    people_only,
    persons_in,
    such,
    swap,
)
from assistant.reasoning.offline.reading.clauses.revising_text import retitle, reword, say_more
from assistant.reasoning.offline.reading.frames import Clause, strip_openers
from assistant.reasoning.offline.reading.parsed import Built
from assistant.reasoning.offline.reading.slots import Parts, cut, lows
from assistant.reasoning.offline.reading.text.items import PERSONAL, Item
from assistant.reasoning.offline.reading.times.moments import duration_of, merged
from assistant.reasoning.offline.reading.times.sametime import weeks_ahead, without_same_time


def revise(clause: Clause, items: Sequence[Item]) -> Built | None:
    """`items` without the reference to the proposal; None where they change nothing about one."""
    items = [item for item in items if not (item.kind == "ref" and item.low == "proposal")]
    if _keeps_as_draft(lows(items)):
        return Built("revise.draft", {"select": PROPOSAL})
    items, tone = _without_lead(items, clause.text)
    if tone is None:
        return None
    items = _trim(items)
    words = lows(items)
    if not items:
        return None
    if (built := people_only(items, words, tone)) is not None:
        built.fields.setdefault("select", PROPOSAL)
        return built
    said = " ".join(word for word in words if word != "\0")
    if tone == "only" and (kept := drop_item(items, words) or such(clause, items, words)) is not None:
        kept.fields["field"] = "others"
        return kept
    if tone == "adds" and words[:2] in (["send", "it"], ["send", "that"], ["forward", "it"]) and (people := persons_in(items)):
        return Built("revise.add_person", {"to": tuple(n.person for n in people), "select": PROPOSAL}, recipients=list(people))
    for reader in (_sending, say_more, reword, retitle, swap, drop, add_person, _place, _times):
        built = reader(clause, items, words, said)
        if built is not None:
            built.fields.setdefault("select", PROPOSAL)
            return built
    return None


KEEPING = frozenset("save keep store make leave put just only it this that as a the my draft drafts in into please instead".split())
KEEPING |= frozenset("don't do not n't send : , . ! but and rather as to be actually no".split())


def _keeps_as_draft(words: Sequence[str]) -> bool:
    """ "Save it as a draft instead", "just a draft, please", "don't send it, keep it in drafts"."""
    return bool({"draft", "drafts"} & set(words)) and set(words) <= KEEPING


def _without_lead(items: Sequence[Item], text: str) -> tuple[list[Item], Tone | None]:
    """What is said of the proposal, and in which tone: "and …", "no, …"; None where the same is asked for somebody else."""
    polite = lexicon().polite
    rest: Sequence[Item] = list(items)[2:] if lows(items[:2]) == ["in", ":"] else items
    last = text.lower().rstrip(" .!?").rpartition(" ")[2]
    tone: Tone = {"instead": "corrects", "too": "adds", "well": "adds"}.get(last, "")  # type: ignore[assignment]
    while rest:
        left, going = strip_openers(rest, polite["continuing"])
        left, correcting = strip_openers(left, polite["correcting"])
        left, _ = strip_openers(left, polite["openers"])
        if any("same" in phrase.split() for phrase in going):
            return list(left), None
        if any(phrase.split()[-1] in ("only", "just") for phrase in going):
            tone = "only"
        elif tone == "only":
            pass
        elif correcting or any("about" in phrase.split() for phrase in going):
            tone = "corrects"
        elif going and not tone:
            tone = "adds"
        if len(left) == len(rest):
            break
        rest = left
    return list(rest), tone


LEADS = frozenset(", no but and please then oh actually : wait sorry hm of to for nope".split())
TAILS = frozenset("instead please . ! rather , in then to the proposal draft from of".split())


def _trim(items: Sequence[Item]) -> list[Item]:
    """Without "in", "no," in front and "instead", "in the proposal" behind."""
    kept = list(items)
    while kept and (kept[0].low in LEADS):
        kept.pop(0)
    while kept and kept[-1].low in TAILS:
        kept.pop()
    return kept


PLACES = frozenset({"location", "place", "venue", "spot", "where", "room", "office"})
TO_PLACE = frozenset({"in", "at", "into"})
BEFORE_PLACE = PLACES - {"room", "office"} | TO_PLACE | frozenset(
    """it that this we us i let the its our a meeting event appointment is are 's 'll be will would should shall takes take happens
    meet meets meeting make put hold have has do move change set switch to over as from : by""".split()
)  # fmt: skip
"""What may stand in front of a place: "the venue will be …", "let's meet at …", "put it in …"."""
LINKS = TO_PLACE | {"to", "be", "as", "is", "'s", ":"}


def _place(clause: Clause, items: Sequence[Item], words: Sequence[str], said: str) -> Built | None:
    if has_time(items):
        return None
    links = [n for n, word in enumerate(words[:-1]) if word in LINKS and all(one in BEFORE_PLACE | PLACES for one in words[:n])]
    named = next((n for n, word in enumerate(words) if word not in BEFORE_PLACE), len(words))
    start = max(links, default=-1) + 1 if links else named
    before = set(words[:start])
    if start >= len(words) or not (before & (TO_PLACE | PLACES) or words[start] in ("room", "office")) or _in_stead(words[start:]):
        return None
    start += words[start] in ("the", "a") and len(words) > start + 1
    rest = items[start:]
    text = rest[0].text if len(rest) == 1 else clause.text[rest[0].begin : rest[-1].end]
    return Built("revise.location", {"location": text})


def _in_stead(words: Sequence[str]) -> bool:
    """ "In his place" is about people."""
    return words[1:2] in (["place"], ["stead"]) and words[0] in lexicon().small["possessives_person"]


SUITING = frozenset("suit suits fit fits work works better best".split())


def _without_suited(items: Sequence[Item]) -> list[Item]:
    """ "Tuesday suits her better", "five is better for Helena": without whom it suits."""
    at = next((n for n, item in enumerate(items) if n and item.low in SUITING), None)
    if at is None or not has_time(items[:at]):
        return list(items)
    return [*items[:at], *(item for item in items[at:] if item.kind not in PERSONAL and item.low not in SUITED)]


SUITED = SUITING | frozenset("for with me us him her them you even much really well and".split())

SENDING = frozenset("send sent sends sending go goes out hold held wait waits".split())
NOW = (("now",), ("right", "now"), ("right", "away"), ("straight", "away"), ("at", "once"), ("immediately",))
AROUND_NOW = SENDING | frozenset("it them that this do n't wait just please instead actually let ' s off not later anymore".split())
AROUND_SENDING = SENDING | frozenset("them not now until till before n't only".split())


def _sending(clause: Clause, items: Sequence[Item], words: Sequence[str], said: str) -> Built | None:
    """ "Send it now", "hold it until tomorrow at 8", "not now, on Friday at 9"."""
    length = next((len(now) for now in NOW if tuple(words[-len(now) :]) == now), 0)
    if length and set(words[:-length]) <= AROUND_NOW and SENDING & set(words):
        return Built("revise.now")
    if not (SENDING & set(words) or words[:2] == ["not", "now"] or words[:1] == ["schedule"]):
        return None
    parts: Parts = cut(clause.text, items, dictates=False)
    loose = [item for slot in parts.slots for item in slot.items if item.kind != "punct" and item.low not in AROUND_SENDING]
    if [item for item in loose if item.low not in AROUND_TIME or item.kind != "word"]:
        return None
    if (when := merged(parts.times)) is not None:
        return Built("revise.time", {"time": _from_then(when, clause), "field": "send"})
    length_said = duration_of(parts.times)
    return Built("revise.time", {"shift": length_said, "field": "send"}) if length_said and "later" in words else None


def _from_then(when: TimeSpec, clause: Clause) -> TimeSpec:
    """ "Until Monday morning": it goes out when that begins."""
    zone = clause.now.tzinfo if clause.now else None
    lead = re.match(r"(?:until|till|before) ", when.text, re.IGNORECASE)
    if lead is None or clause.now is None or not isinstance(zone, ZoneInfo):
        return when
    read = read_times(when.text[lead.end() :], now=clause.now, zone=zone)
    return read[0].spec if len(read) == 1 else when


AROUND_TIME = frozenset(
    (
        "make it move change to the time at on for that be set start let us should a an by better better: in do say later "
        "earlier long duration length have i want would prefer schedule put push back date day instead of take from "
        "longer shorter minutes meeting event as reschedule shift postpone extend shorten "
        "is are would might could really actually 'd "
        "enough plenty will works suits fine ok okay better only just need needs we suffices me us say let 's"
    ).split()
)


def _times(clause: Clause, items: Sequence[Item], words: Sequence[str], said: str) -> Built | None:
    items, same = without_same_time(_without_suited(items))
    words = lows(items)
    if (times := factor_said(items)) is not None and not has_time(items):
        begin, end = times[1]
        around = {word for n, word in enumerate(words) if not begin <= n < end}
        return None if around - AROUND_TIME else Built("revise.duration", {"factor": times[0]})
    parts: Parts = cut(clause.text, items, dictates=False)
    if not parts.times:
        return None
    known = AROUND_TIME
    loose = [item for slot in parts.slots for item in slot.items if item.kind == "word" and item.low not in known]
    if loose or any(item.kind in ("person", "name", "quote", "address") for slot in parts.slots for item in slot.items):
        return None
    length = duration_of(parts.times)
    behind = next((n for n, timed in enumerate(parts.times) if timed.marker == "to"), 0)
    when = merged([timed for timed in parts.times[behind:] if timed.marker != "from"])
    if same and (weeks := weeks_ahead(when, clause.now)):
        return Built("revise.time", {"shift": weeks})
    if length is not None and when is None:
        if set(words) & {"later", "earlier", "back"}:
            return Built("revise.time", {"shift": -length if "earlier" in words else length})
        return Built("revise.duration", {"duration": length})
    return Built("revise.time", {"time": when, "duration": length})
