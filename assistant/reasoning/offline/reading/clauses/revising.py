"""Clauses that change a proposal: "make it 4 pm", "leave out Tom", "say … instead"."""

from collections.abc import Sequence
from typing import Literal

from assistant.reasoning.calls import Selection
from assistant.reasoning.offline.lexicon import lexicon
from assistant.reasoning.offline.reading.entities import Item
from assistant.reasoning.offline.reading.frames import Clause, strip_openers
from assistant.reasoning.offline.reading.nouns.persons import Named, people_in
from assistant.reasoning.offline.reading.nouns.selecting import gather, topic_words
from assistant.reasoning.offline.reading.nouns.states import order_at
from assistant.reasoning.offline.reading.parsed import Built
from assistant.reasoning.offline.reading.slots import Parts, cut, lows
from assistant.reasoning.offline.reading.times.moments import duration_of, merged
from assistant.reasoning.offline.reading.times.sametime import weeks_ahead, without_same_time

PROPOSAL = Selection(refs=("proposal",))
ADD = frozenset({"add", "invite", "include", "cc", "copy", "also", "plus"})
DROP = (
    "leave out",
    "without",
    "drop",
    "remove",
    "take out",
    "leave off",
    "take off",
    "uninvite",
    "not",
    "exclude",
    "skip",
    "delete",
    "keep",
    "all but",
    "all except",
    "but not",
)
SAY = frozenset({"say", "write", "saying"})


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
    if (built := _people_only(items, words, tone)) is not None:
        built.fields.setdefault("select", PROPOSAL)
        return built
    said = " ".join(word for word in words if word != "\0")
    if tone == "only" and (kept := _drop_item(items, words) or _such(clause, items, words)) is not None:
        kept.fields["field"] = "others"
        return kept
    if tone == "adds" and words[:2] in (["send", "it"], ["send", "that"], ["forward", "it"]) and (people := _persons(items)):
        return Built("revise.add_person", {"to": tuple(n.person for n in people), "select": PROPOSAL}, recipients=list(people))
    for reader in (_more, _body, _subject, _swap, _drop, _person, _place, _times):
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


Tone = Literal["", "adds", "corrects", "only"]


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


NAMING = frozenset("to with for too also as well and , & instead please".split())


def _people_only(items: Sequence[Item], words: Sequence[str], tone: Tone) -> Built | None:
    """ "And Omar", "also to Yuki" add somebody; "no, Clara", "how about Omar?" put somebody in the place of another."""
    people = _persons(items)
    if not people or not all(item.kind in ("person", "name", "address", "ref") or item.low in NAMING for item in items):
        return None
    if tone == "corrects":
        return _replaced(people, ())
    if tone == "only":
        return Built("revise.drop_person", {"to": tuple(n.person for n in people), "field": "others"})
    if tone == "adds":
        return Built("revise.add_person", {"to": tuple(n.person for n in people)}, recipients=list(people))
    return None


LEADS = frozenset("in , no but and please then oh actually : wait sorry hm of to for nope".split())
TAILS = frozenset("instead please . ! rather , in then to the proposal draft from of".split())


def _trim(items: Sequence[Item]) -> list[Item]:
    """Without "in", "no," in front and "instead", "in the proposal" behind."""
    kept = list(items)
    while kept and (kept[0].low in LEADS):
        kept.pop(0)
    while kept and kept[-1].low in TAILS:
        kept.pop()
    return kept


ADDITION = ("with the note", "with a note", "with the comment", "with the text", "with the words", "add a note", "add the note",
            "add the text", "add the words", "add the sentence", "add a line", "add that", "also say", "also write", "and say",
            "mention", "also mention", "mention that", "also mention that", "add")  # fmt: skip
"""How more of a mail's text is begun, the longest first where one begins another."""


def _more(clause: Clause, items: Sequence[Item], words: Sequence[str], said: str) -> Built | None:
    """ "Add that I'll bring cake", "with the note: …": behind what the mail says already."""
    lead = next(
        (phrase for phrase in sorted(ADDITION, key=len, reverse=True) if said == phrase or said.startswith(f"{phrase} ")), ""
    )
    if not lead:
        return None
    rest = list(items[len(lead.split()) :])
    while rest and rest[0].low in (":", "that", "saying", ","):
        rest = rest[1:]
    told = bool(rest) and rest[0].kind == "time" and rest[0].low.startswith("that ") and len(rest) > 1 and rest[1].kind == "word"
    if not rest or (lead == "add" and rest[0].kind != "quote" and not told):
        return None
    begin = rest[0].begin + (len("that ") if told else 0)
    text = rest[0].text if rest[0].kind == "quote" else clause.text[begin:].strip()
    return Built("revise.body", {"body": text, "field": "more"})


def _body(clause: Clause, items: Sequence[Item], words: Sequence[str], said: str) -> Built | None:
    if words[0] in SAY and len(items) > 1:
        rest = items[2:] if words[1] == "that" and len(items) > 2 else items[1:]
    elif words[0] in ("change", "make", "set", "replace", "edit") and any(
        word in ("text", "body", "message", "wording") for word in words[:4]
    ):
        at = next((n for n, word in enumerate(words) if word in ("to", "say", "with", "as")), None)
        if at is None:
            return None
        rest = items[at + 1 :]
    elif words[:2] == ["make", "it"] and len(words) > 2 and words[2] == "say":
        rest = items[3:]
    else:
        return None
    if not rest:
        return None
    text = rest[0].text if rest[0].kind == "quote" else clause.text[rest[0].begin : rest[-1].end]
    return Built("revise.body", {"body": text})


def _subject(clause: Clause, items: Sequence[Item], words: Sequence[str], said: str) -> Built | None:
    """ "change the subject to X", "call it X", "rename it to X"."""
    verb = words[0]
    mentions = [n for n, word in enumerate(words) if word in ("subject", "title", "name", "topic")]
    naming = verb in ("call", "rename", "title", "name")
    if not mentions and not naming:
        return None
    mention = mentions[0] if mentions else 0
    at = next((n for n in range(mention, len(words)) if words[n] in ("to", "be", "as", ":", "should")), None)
    start = at + 1 if at is not None else (2 if naming else mention + 1)
    rest = [item for item in items[start:] if item.low not in ("be", ":", "is")]
    if not rest:
        return None
    text = rest[0].text if rest[0].kind == "quote" else clause.text[rest[0].begin : rest[-1].end]
    if any(words[n] == "subject" for n in mentions):
        return Built("revise.subject", {"subject": text})
    return Built("revise.title", {"title": text})


def _swap(clause: Clause, items: Sequence[Item], words: Sequence[str], said: str) -> Built | None:
    """ "I meant Anna Lee", "send it to Eva", "Tom instead of Anna", "change Tom to Eva", "not Tom but Eva"."""
    people = _persons(items)
    if not people:
        return None
    if "instead of" in said or "rather than" in said:
        at = next(n for n, word in enumerate(words) if word == "of" or word == "than")
        new, old = _persons(items[:at]), _persons(items[at:])
        return _replaced(new, old)
    if words[0] in ("change", "replace", "swap", "switch", "exchange") and len(people) == 2:
        new, old = people[1:], people[:1]
        return _replaced(new, old)
    if words[0] == "not" and (border := next((n for n, word in enumerate(words) if word in ("but", ",")), 0)):
        return _replaced(_persons(items[border:]), _persons(items[:border]))
    if "not" in words[1:]:
        border = words.index("not")
        return _replaced(_persons(items[:border]), _persons(items[border:]))
    if "meant" in words or "mean" in words:
        at = words.index("meant") if "meant" in words else words.index("mean")
        rest = items[at:]
        cut_at = next((n for n, item in enumerate(rest) if item.low == "not"), len(rest))
        return _replaced(_persons(rest[:cut_at]), _persons(rest[cut_at:]))
    sends = (
        words[0] in ("send", "address", "make", "it", "the")
        and any(word in ("to", "with", "for") for word in words)
        and not _has_time(items)
    )
    if sends and (words[:2] in (["send", "it"], ["address", "it"], ["make", "it"], ["send", "that"]) or "it" in words[:3]):
        return _replaced(people, ())
    return None


def _replaced(new: Sequence[Named], old: Sequence[Named]) -> Built | None:
    if not new:
        return None
    built = Built("revise.replace_person", recipients=list(new))
    built.fields["to"] = tuple(named.person for named in new)
    built.fields["select"] = PROPOSAL.model_copy(update={"people": tuple(named.person for named in old)})
    return built


def _persons(items: Sequence[Item]) -> tuple[Named, ...]:
    """Only what is a person's name or address; other words are no people here."""
    kept = [item for item in items if item.kind in ("person", "name", "address", "ref") or item.low in ("and", ",")]
    found = list(people_in(kept))
    return tuple(found)


def _has_time(items: Sequence[Item]) -> bool:
    return any(item.kind == "time" for item in items)


def _drop(clause: Clause, items: Sequence[Item], words: Sequence[str], said: str) -> Built | None:
    if not said.startswith(DROP):
        return None
    if not _persons(items) and (item := _drop_item(items, words)) is not None:
        return item
    people = _persons(items) or (
        people_in(items[1:]) if len(items) > 1 and items[-1].kind == "word" and said.startswith("leave out") else ()
    )
    if people:
        return Built("revise.drop_person", {"to": tuple(named.person for named in people)})
    about = topic_words([item for item in items[1:] if item.low not in POINTERS])
    return Built("revise.drop_person", {"select": PROPOSAL.model_copy(update={"words": about})}) if about else None


POINTERS = frozenset(
    "one ones it that them out off mail mails email event meeting from about with all but except keep leave".split()
)


def _drop_item(items: Sequence[Item], words: Sequence[str]) -> Built | None:
    """ "leave out the first one", "without the last two": which of several changes."""
    chosen = next((found for at in range(len(items)) if (found := order_at(items, words, at)) is not None), None)
    if chosen is None:
        return None
    _, order, number = chosen
    return Built("revise.drop_person", {"select": PROPOSAL.model_copy(update={"order": order, "number": number})})


def _such(clause: Clause, items: Sequence[Item], words: Sequence[str]) -> Built | None:
    """ "The one on Friday", "the unread ones", "the mail about the facade": which of several changes, by what is said of them."""
    if not {"one", "ones"} & set(words) and not any(lexicon().nouns.at(words, at) for at in range(len(words))):
        return None
    kept = [item for item in items if item.low not in ("one", "ones")]
    parts = cut(clause.text, kept, dictates=False)
    chosen = gather(parts, "mail").selection(merged(parts.times)).model_copy(update={"each": False})
    if chosen == Selection():
        return None
    return Built("revise.drop_person", {"select": chosen.model_copy(update={"refs": ("proposal",)})})


def _person(clause: Clause, items: Sequence[Item], words: Sequence[str], said: str) -> Built | None:
    adds = words[0] in ADD or (words[0] in ("with", "bring", "loop", "put") and not _has_time(items))
    rest = [
        item
        for item in items
        if item.low not in ADD | {"bring", "loop", "in", "put", "to", "it", "as", "well", "too", "on", "with", "bcc"}
    ]
    people = _persons(rest)
    if not people and adds and any(lexicon().nouns.at(lows(rest), n) for n in range(len(rest))):
        people = people_in(rest)
    if not adds or not people or _elsewhere(items, words):
        return None
    line = "cc" if "cc" in words or "copy" in words else "bcc" if "bcc" in words else ""
    return Built("revise.add_person", {"to": tuple(named.person for named in people), "field": line}, recipients=list(people))


OWN_WORDS = frozenset("it that this the meeting event mail proposal cc bcc invitation list too as well".split())


def _elsewhere(items: Sequence[Item], words: Sequence[str]) -> bool:
    """ "invite Tom to the budget review" is about another event than the proposal's."""
    if "to" not in words:
        return False
    own = OWN_WORDS
    behind = [item for item in items[words.index("to") + 1 :] if item.kind == "word"]
    return any(item.low not in own for item in behind)


def _place(clause: Clause, items: Sequence[Item], words: Sequence[str], said: str) -> Built | None:
    placed = any(word in ("room", "location", "place", "venue", "office") for word in words)
    if _has_time(items) or not (placed or words[0] in ("in", "at")):
        return None
    after_to = next(
        (n for n in range(len(words) - 1, -1, -1) if words[n] in ("to", "in", "at", "be", "as") and n + 1 < len(words)), None
    )
    start = (
        after_to + 1
        if after_to is not None
        else next((n for n, word in enumerate(words) if word not in ("it", "make", "in", "at", "the", "change", "move", "hold")), 0)
    )
    rest = items[start:]
    text = rest[0].text if len(rest) == 1 else clause.text[rest[0].begin : rest[-1].end]
    return Built("revise.location", {"location": text})


AROUND_TIME = frozenset(
    (
        "make it move change to the time at on for that be set start let us should a an by better better: in do later "
        "earlier long duration length have i want would prefer schedule put push back date day instead of take from "
        "longer shorter minutes meeting event as reschedule shift postpone extend shorten "
        "is are enough plenty will works suits fine ok okay better only just need needs we suffices me us"
    ).split()
)


def _times(clause: Clause, items: Sequence[Item], words: Sequence[str], said: str) -> Built | None:
    items, same = without_same_time(items)
    words = lows(items)
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
