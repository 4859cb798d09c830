"""Slots into a selection: which mails, events or contacts are meant."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from assistant.reasoning.calls import Person, Selection, TimeSpec
from assistant.reasoning.offline.lexicon import lexicon
from assistant.reasoning.offline.reading.entities import Item
from assistant.reasoning.offline.reading.frames import Parts, Slot, lows

Domain = Literal["mail", "event", "contact", "template"]
Role = Literal["any", "from", "to", "with"]
SEPARATORS = frozenset({"and", ",", "&", "or", "plus", ";"})


@dataclass(frozen=True, slots=True)
class Named:
    """A person in the text, with where the name stands."""

    person: Person
    begin: int
    end: int


@dataclass
class Gathered:
    """What has been read of a clause so far; `unread` are words that found no place."""

    select: dict[str, Any] = field(default_factory=dict)
    people: list[Named] = field(default_factory=list)
    words: list[str] = field(default_factory=list)
    unread: list[str] = field(default_factory=list)

    def selection(self, when: TimeSpec | None = None) -> Selection:
        chosen = dict(self.select)
        if when is not None:
            chosen["when"] = when
        people = tuple(dict.fromkeys(named.person for named in self.people))
        return Selection(people=people, words=tuple(dict.fromkeys(self.words)), **chosen)


def people_in(items: Sequence[Item], role: Role = "any") -> tuple[Named, ...]:
    """The persons of a person's place: any words there name somebody ("the client", "marketing team")."""
    found: list[Named] = []
    group: list[Item] = []
    for item in (*items, None):
        if item is None or item.low in SEPARATORS:
            if (named := _person(group, role)) is not None:
                found.append(named)
            group = []
        elif item.kind in ("person", "ref") and group and group[-1].kind in ("person", "ref", "address"):
            if (named := _person(group, role)) is not None:
                found.append(named)
            group = [item]
        else:
            group.append(item)
    return tuple(found)


def _person(group: Sequence[Item], role: Role) -> Named | None:
    small = lexicon().small
    ref = next((item for item in group if item.kind == "ref"), None)
    if ref is not None:
        return Named(Person(ref=ref.low, role=role), ref.begin, ref.end)
    address = next((item for item in group if item.kind == "address"), None)
    kept = [
        item
        for item in group
        if item.kind in ("word", "name", "person", "number")
        and not (
            item.kind == "word"
            and item.low
            in small["articles"] | {"please", "'s", "both", "all", "also", "only", "just", "too", "me", "i", "of", "back", "long"}
        )
    ]
    text = _text(kept)
    if address is not None:
        begin = min((item.begin for item in (*kept, address)), default=address.begin)
        return Named(Person(text=text, email=address.low, role=role), begin, address.end)
    if not kept or (len(kept) == 1 and kept[0].kind == "number"):
        return None
    first = group[0] if group[0].low in small["articles"] else kept[0]
    return Named(Person(text=text, role=role), first.begin, kept[-1].end)


def is_job(word: str) -> bool:
    """ "manager", "engineers": what somebody is by profession."""
    jobs = lexicon().small["jobs"]
    return word in jobs or (word.endswith("s") and word[:-1] in jobs)


def _text(items: Sequence[Item]) -> str:
    text = ""
    for before, item in zip((None, *items), items, strict=False):
        glue = "" if before is None or before.end == item.begin else " "
        text += glue + item.text
    return text


def topic_words(items: Sequence[Item], *, phrase: bool = False) -> tuple[str, ...]:
    """Content words; quoted text and capitalised names stay whole."""
    stop = lexicon().small["stop"]
    words = [
        item.text.strip()
        for item in items
        if item.kind in ("quote", "name", "person", "number", "address")
        or (item.kind == "word" and item.text and item.low not in stop and not item.low.startswith("'"))
    ]
    return (" ".join(words),) if phrase and words else tuple(words)


def gather(parts: Parts, domain: Domain) -> Gathered:
    """Reads every slot as part of a selection."""
    found = Gathered()
    for slot in parts.slots:
        _READ.get(slot.marker, _read_object)(slot, domain, found)
    return found


def _read_object(slot: Slot, domain: Domain, found: Gathered) -> None:
    items = [item for item in slot.items if item.kind != "punct"]
    words = lows(items)
    lex = lexicon()
    at = 0
    plural = False
    noun_seen = False
    while at < len(items):
        item = items[at]
        if item.kind == "ref":
            found.select["refs"] = (*found.select.get("refs", ()), item.low)
        elif step := _state(items, words, at, domain, found):
            at += step
            continue
        elif item.kind in ("person", "address") or (item.kind == "name" and at + 1 < len(items) and words[at + 1] == "'s"):
            at = _mentioned(items, words, at, domain, found, noun_seen)
            continue
        elif match := lex.nouns.at(words, at) if item.kind == "word" else None:
            plural |= match[1][1]
            noun_seen = True
            if match[1][2] == "mail" and {"my", "any", "all"} & set(words[:at]):
                plural = True
            if not _is_title(items, words, at, match, domain):
                at += match[0]
                continue
            found.words.append(item.text)
        elif item.kind == "word" and item.low in lex.small["each"]:
            found.select["each"] = True
        elif (
            item.kind in ("quote", "name")
            or (item.kind == "word" and item.text and item.low not in lex.small["stop"])
            or (item.kind == "number" and not item.low.isdigit())
        ):
            found.words.append(item.text)
        at += 1
    if plural and not found.select.get("order"):
        found.select["each"] = True


HEADS = frozenset("event invitation slot clash time name place length".split())


def _is_title(items: Sequence[Item], words: Sequence[str], at: int, match: tuple[int, Any], domain: Domain) -> bool:
    """A noun that belongs to a title: "standup", "budget meeting plan"; the generic head noun is none."""
    noun, _, lemma = match[1]
    if domain != "event":
        return noun not in _OWN[domain] and noun not in ("field",)
    return lemma not in lexicon().generic and noun not in HEADS


_OWN: dict[str, frozenset[str]] = {
    "mail": frozenset({"mail", "newsletter", "attachment", "reply", "draft", "invitation"}),
    "contact": frozenset({"contact", "field", "group"}),
    "template": frozenset({"template"}),
}


def _state(items: Sequence[Item], words: Sequence[str], at: int, domain: Domain, found: Gathered) -> int:
    """States, orders and folders: how many items they take, 0 where none stands here."""
    lex = lexicon()
    if items[at].kind not in ("word", "number"):
        return 0
    if (order := order_at(items, words, at)) is not None:
        taken, name, number = order
        found.select["order"], found.select["number"] = name, number
        return taken
    if length := _folder(items, words, at, domain, found):
        return length
    match = lex.states.at(words, at)
    if match is not None:
        length, (state, setting) = match
        if _fits(state, domain) and not (words[at] in ("new", "open", "pending") and domain != "mail"):
            found.select[state] = setting
            if state == "bulk":
                found.select["each"] = words[at].endswith("s") or found.select.get("each", False)
            return length
    if words[at] == "future" and domain == "event":
        found.select["each"] = True
        return 1
    if (
        words[at] == "read"
        and domain == "mail"
        and at + 1 < len(items)
        and words[at + 1] in ("mails", "emails", "messages", "mail")
    ):
        found.select["unread"] = False
        return 1
    return 0


def _folder(items: Sequence[Item], words: Sequence[str], at: int, domain: Domain, found: Gathered) -> int:
    """ "my sent mails", "in the archive"; not "the mail I sent" and not "sent me"."""
    match = lexicon().folders.at(words, at)
    if match is None or domain != "mail":
        return 0
    if words[at] in ("sent", "archive", "bin") and at + 1 < len(items) and words[at + 1] in lexicon().small["me"]:
        return 0
    found.select["folder"] = match[1]
    return match[0]


def _fits(state: str, domain: Domain) -> bool:
    if state == "all_day":
        return domain == "event"
    return domain == "mail" or (state == "unanswered" and domain == "event")


def order_at(
    items: Sequence[Item], words: Sequence[str], at: int
) -> tuple[int, Literal["first", "oldest", "last", "next", "nth"], int] | None:
    lex = lexicon()
    count = lex.numbers.get(words[at]) or (int(words[at]) if words[at].isdigit() else 0)
    if count and at + 1 < len(items) and (later := lex.orders.at(words, at + 1)):
        return 1 + later[0], later[1], count
    if words[at] in lex.nth:
        return 1, "nth", lex.nth[words[at]]
    match = lex.orders.at(words, at)
    if match is None:
        return None
    length, name = match
    follower = words[at + length] if at + length < len(items) else ""
    number = lex.numbers.get(follower) or (int(follower) if follower.isdigit() else 0)
    if number and follower != "one":
        return length + 1, name, number
    return length, name, 1


def _mentioned(items: Sequence[Item], words: Sequence[str], at: int, domain: Domain, found: Gathered, noun_seen: bool) -> int:
    """Somebody inside the object: "Anna's last mail", "the mail Anna sent", "Anna and Tom"."""
    role: Role = {"mail": "from", "event": "with"}.get(domain, "any")  # type: ignore[assignment]
    if domain == "event" and not noun_seen and not (at + 1 < len(items) and words[at + 1] == "'s"):
        follower = lexicon().nouns.at(words, at + 1)
        if follower is not None and follower[1][0] in ("event", "occasion"):
            found.words.append(items[at].text)
            return at + 1
    found.people.extend(people_in(items[at : at + 1], role))
    at += 1
    while at < len(items) and (
        words[at] in ("'s", "send", "sent", "wrote", "write", "has", "have", "did", "sends") or items[at].low == "me"
    ):
        at += 1
    return at


def _read_people(role: Role) -> Any:
    def read(slot: Slot, domain: Domain, found: Gathered) -> None:
        if domain == "event" and role == "to" and not any(item.kind in ("person", "name", "ref", "address") for item in slot.items):
            _read_object(slot, domain, found)
            return
        kept, tail = _until_tail(slot.items)
        if domain == "contact" and role == "from":
            if any((noun := lexicon().nouns.at(lows(kept), at)) and noun[1][0] == "contact" for at in range(len(kept))):
                return
            company = " ".join(topic_words(kept))
            found.select["company"] = company
            return
        me = [item for item in kept if item.kind == "word" and item.low in lexicon().small["me"]]
        found.people.extend(named for named in people_in(kept, role) if not (me and len(kept) == 1))
        if me and len(kept) == 1 and domain == "mail" and role == "from":
            found.select["folder"] = "Sent"
        if tail:
            _read_object(Slot("", tuple(tail)), domain, found)

    return read


def _until_tail(items: Sequence[Item]) -> tuple[list[Item], list[Item]]:
    """A person's place ends where something else begins: a relative clause, a state, a quote."""
    words = lows(items)
    for at, item in enumerate(items):
        relative = item.kind == "word" and item.low in ("that", "which", "who", "older", "newer") and at > 0
        if item.kind == "quote" or relative or (at > 0 and lexicon().states.at(words, at) is not None):
            return list(items[:at]), list(items[at + (1 if relative else 0) :])
    return list(items), []


def _read_with(slot: Slot, domain: Domain, found: Gathered) -> None:
    words = ["with", *lows(slot.items)]
    if domain == "mail" and (match := lexicon().states.at(words, 0)):
        found.select[match[1][0]] = match[1][1]
        return
    if domain == "mail" and any(word.startswith("attachment") for word in words):
        found.select["has_attachment"] = "no" not in words
        return
    quotes = [item for item in slot.items if item.kind == "quote"]
    if quotes:
        found.words.extend(item.text for item in quotes)
        return
    kept, tail = _until_tail(slot.items)
    if domain == "mail" and kept and not _names_people(kept):
        found.words.extend(topic_words(kept))
    else:
        found.people.extend(people_in(kept, "with"))
    if tail:
        _read_object(Slot("", tuple(tail)), domain, found)


def _names_people(items: Sequence[Item]) -> bool:
    words = lows(items)
    groups = any((noun := lexicon().nouns.at(words, at)) and noun[1][0] in ("group", "contact") for at in range(len(words)))
    return groups or any(item.kind in ("person", "name", "address", "ref") for item in items) or any(map(is_job, words))


def _read_topic(slot: Slot, domain: Domain, found: Gathered) -> None:
    found.words.extend(topic_words(slot.items))


def _read_in(slot: Slot, domain: Domain, found: Gathered) -> None:
    """ "in my inbox", "in my calendar", "in the marketing team", "in their title", "on the budget"."""
    words = lows(slot.items)
    lex = lexicon()
    for at in range(len(words)):
        folder = lex.folders.at(words, at)
        if folder is not None and domain == "mail":
            found.select["folder"] = folder[1]
            return
        noun = lex.nouns.at(words, at)
        if noun is not None and noun[1][2] in (
            "calendar",
            "schedule",
            "agenda",
            "diary",
            "address book",
            "contact",
            "mail",
            "email",
        ):
            tail = slot.items[at + noun[0] :]
            if tail:
                _read_object(Slot("", tuple(tail)), domain, found)
            return
    if domain == "contact":
        _contact_place(slot, found)
    elif slot.marker == "in" and any(word in ("subject", "title", "body", "text") for word in words):
        return
    else:
        _read_object(slot, domain, found)


def _contact_place(slot: Slot, found: Gathered) -> None:
    words = lows(slot.items)
    fields = [lexicon().fields[word] for word in words if word in lexicon().fields]
    if fields and found.words:
        found.select[fields[0] if fields[0] in ("company", "title", "group") else "title"] = found.words.pop()
        return
    text = " ".join(topic_words(slot.items))
    if slot.marker in ("at", "from"):
        found.select["company"] = text
    else:
        found.select["group"] = text


def _read_for(slot: Slot, domain: Domain, found: Gathered) -> None:
    if domain == "contact":
        words = lows(slot.items)
        if any((noun := lexicon().nouns.at(words, at)) and noun[1][0] == "group" for at in range(len(words))) or any(
            word in ("members", "member") for word in words
        ):
            found.select["group"] = _group_name(slot.items)
            return
        found.people.extend(people_in(slot.items, "any"))
    elif domain == "mail" and slot.marker == "of" and any(item.low == "'s" for item in slot.items):
        _read_object(slot, domain, found)
    elif any(item.kind in ("person", "name") for item in slot.items):
        found.people.extend(people_in(slot.items, "to" if domain == "mail" else "with"))
    else:
        _read_object(slot, domain, found)


def _group_name(items: Sequence[Item]) -> str:
    kept = [item for item in items if item.low not in ("members", "member", "all", "every", "each", "of", "the", "my", "our")]
    return _text(kept)


_READ: dict[str, Any] = {
    "": _read_object,
    "from": _read_people("from"),
    "to": _read_people("to"),
    "with": _read_with,
    "about": _read_topic,
    "called": _read_topic,
    "subject": _read_topic,
    "in": _read_in,
    "on": _read_in,
    "at": _read_in,
    "for": _read_for,
    "of": _read_for,
}
