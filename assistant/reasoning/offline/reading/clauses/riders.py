"""What rides on a deed: who gets a copy of a mail, that it is held back, that nothing may be in a change's way."""

from collections.abc import Sequence

from assistant.reasoning.calls import Call
from assistant.reasoning.offline.lexicon import lexicon
from assistant.reasoning.offline.reading.frames import strip_closers
from assistant.reasoning.offline.reading.nouns.persons import Named, people_in
from assistant.reasoning.offline.reading.slots import lows
from assistant.reasoning.offline.reading.text.items import PERSONAL, Item

WRITTEN = frozenset({"mail.send", "mail.draft", "mail.reply", "mail.forward"})
LEADS: tuple[tuple[str, ...], ...] = (
    ("with", "a", "copy", "to"), ("with", "copy", "to"), ("and", "copy", "in"), ("copy", "to"), ("copying", "in"), ("copying",),
    ("and", "cc"), ("and", "bcc"), ("and", "copy"), (",", "cc"), (",", "bcc"), (",", "copy"), ("put", "in", "cc"),
)  # fmt: skip
BEHIND = (
    ["in", "cc"],
    ["on", "cc"],
    ["in", "bcc"],
    ["in", "copy"],
    ["on", "copy"],
    ["in", "the", "cc"],
    ["in"],
    ["in", "too"],
    ["too"],
    ["as", "well"],
    ["on", "it"],
    ["in", "on", "it"],
    ["please"],
)


WITH = frozenset({"with", "keeping", "putting"})
PUTTING = frozenset({"put", "keep", "have", "leave", "take"})
"""Before those whom a mail is copied to: "… and put Lena in cc"; "tell Tom to put Lena in cc" is for Tom to do."""
Copied = tuple[int, tuple[Named, ...], bool]
"""Where it begins among the items, who gets the copy, and whether nobody shall see that."""


ENDS = frozenset({".", ";", "!"})
GETTING = frozenset("gets get receives receive should shall must will is are to be sent have has need needs wants given".split())
COPY = frozenset({"a", "the", "copy", "copies", "too", "as", "well", "also", "of", "it", "this", "both", "please"})
COPYING = frozenset("cc bcc copy copies a to for in goes go should and please also : ,".split())


def copy_told(items: Sequence[Item]) -> tuple[tuple[Named, ...], bool] | None:
    """ "Lena gets a copy", "copy for Omar and Priya", "cc Lena": a sentence of nothing else; whether it is hidden."""
    items = [item for item in strip_closers(items) if item.low not in ENDS]
    words = lows(items)
    people = [item for item in items if item.kind in PERSONAL or item.low in ("and", ",", "&")]
    who = [n for n, item in enumerate(items) if item.kind in PERSONAL]
    rest = [word for item, word in zip(items, words, strict=True) if item.kind not in PERSONAL]
    if not who or not {"cc", "bcc", "copy", "copies"} & set(rest):
        return None
    gets = not who[0] and set(rest) <= GETTING | COPY | {"and", ",", "&"} and bool(GETTING & set(rest))
    copies = rest[0] in ("cc", "bcc", "copy", "copies", "a") and set(rest) <= COPYING | COPY and who[-1] > 0
    return (people_in(people, "any"), "bcc" in rest) if gets or copies else None


def copied_to(items: Sequence[Item]) -> Copied | None:
    at = next((n for n in range(len(items) - 2, 1, -1) if items[n].kind == "punct" and items[n].low in ENDS), 0)
    if at and (told := copy_told(items[at + 1 :])) is not None:
        return at, *told
    words = lows(items)
    end = next((len(items) - len(tail) for tail in BEHIND if words[-len(tail) :] == tail), len(items))
    begin = end
    while begin and (items[begin - 1].kind in PERSONAL or (words[begin - 1] in ("and", ",", "&") and begin < end)):
        begin -= 1
    while begin < end and items[begin].kind not in PERSONAL:
        begin += 1
    copies = {"cc", "bcc", "copy"} & set(words[end:])
    rides = words[begin - 1] in WITH or (words[begin - 1] in PUTTING and words[begin - 2 : begin - 1] in (["and"], [","], [";"]))
    leads = ((words[begin - 1],), *LEADS) if copies and rides else LEADS
    lead = next((one for one in leads if tuple(words[max(0, begin - len(one)) : begin]) == one), None)
    if begin == end or lead is None or begin - len(lead) < 2:
        return None
    at = begin - len(lead)
    at -= words[at - 1] in ("and", ",") and at > 2
    return at, people_in(items[begin:end], "any"), "bcc" in (*lead, *words[end:])


def copied(call: Call, people: Sequence[Named], *, hidden: bool) -> Call | None:
    if call.operation not in WRITTEN:
        return None
    field = "bcc" if hidden else "cc"
    return call.model_copy(update={field: (*getattr(call, field), *(named.person for named in people))})


JOINTS = frozenset({"but", "and", ",", ".", ";", "please", "just", "only"})
LONGEST = 8
KEPT = ("mail.send", "mail.draft", "mail.reply")


def held_from(items: Sequence[Item], behind: str = "") -> int | None:
    """Where the words that hold a mail back begin, at the end of a clause; None where there are none. 0: they are all there is.
    `behind` was taken off the end as mere politeness: "I want to read it" alone holds nothing back, with "first" it does."""
    stripped = strip_closers(items)
    first = "first" in behind.lower() or "first" in lows(items[len(stripped) :])
    items = stripped
    words = [*lows(items), *(["first"] if first else [])]
    for at in range(max(len(items) - LONGEST, 0), len(items)):
        if any(length in (len(items) - at, len(words) - at) for length, _ in lexicon().polite["holding"].all_at(words, at)):
            begin = at
            while begin and words[begin - 1] in JOINTS:
                begin -= 1
            return begin if begin < at or not at or words[at] in ("without", "as") else None
    return None


def kept(call: Call) -> Call | None:
    """The same mail as a draft; None for what can't be kept as one."""
    if call.operation not in KEPT:
        return None
    field = (call.field or "reply") if call.operation == "mail.reply" else call.field
    return call.model_copy(update={"operation": "mail.draft", "field": field})


GUARD = "unless there is a clash"
"""How a step says it."""
PLACING = ("event.create", "event.move", "event.resize")
NOT = frozenset({"not", "no", "nothing", "never", "without"})


def is_guard(condition: Sequence[Item], unless: bool, call: Call | None) -> bool:
    """Whether a condition asks for nothing but that the deed's own time is free."""
    if call is None or call.operation not in PLACING:
        return False
    asides, free_words = lexicon().asides, lexicon().small["free"]
    words = lows(strip_closers([item for item in condition if item.kind != "punct"]))
    taken = {"have", "has", "is", "'s"} & set(words) and {"something", "anything"} & set(words) and {"then", "already"} & set(words)
    clashes = bool(set(words) & asides["clashing"] or taken)
    free = bool(set(words) & free_words) and (call.operation == "event.resize" or call.shift is not None)
    if not (clashes or free) or not set(words) <= asides["clashing"] | free_words | asides["around_clash"]:
        return False
    negated = bool(NOT & set(words))
    return (negated == unless) if free and not clashes else (negated != unless)


def guarded_from(items: Sequence[Item]) -> int | None:
    """Where a step's own guard begins."""
    tail = GUARD.split()
    return len(items) - len(tail) if lows(items)[-len(tail) :] == tail and len(items) > len(tail) else None
