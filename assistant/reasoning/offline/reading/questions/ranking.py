"""Who or what has the most: "who sent me the most mails", "my busiest day next week", "the longest meeting on Friday"."""

from collections.abc import Sequence
from dataclasses import dataclass

from assistant.reasoning.calls import Person
from assistant.reasoning.offline.lexicon import lexicon
from assistant.reasoning.offline.reading.frames import Clause
from assistant.reasoning.offline.reading.nouns.persons import Named, Role, in_role, people_in
from assistant.reasoning.offline.reading.nouns.selecting import gather
from assistant.reasoning.offline.reading.parsed import Built
from assistant.reasoning.offline.reading.questions.facts import EVENTS, MAILS, Facts
from assistant.reasoning.offline.reading.slots import Parts, cut, lows
from assistant.reasoning.offline.reading.text.items import PERSONAL, Item
from assistant.reasoning.offline.reading.times.moments import merged

MEASURES = {"more": "most", "busier": "most", "busiest": "most", "less": "least", "quietest": "least"}
COMPARING = frozenset({"more", "less", "busier"})
OF_DAYS = frozenset({"busiest", "quietest"})
OF_EVENTS = frozenset({"longest", "shortest", "largest"})
ALTOGETHER = frozenset({"total", "altogether", "overall"})
GUESTS = frozenset({"people", "guests", "attendees", "participants", "invitees"})
AROUND = frozenset(
    "which what who whom is are was were 's do does did have has had got get of often total altogether overall time in on calendar "
    "data there that takes take took than find show tell me up long lasts last lasted".split()
)


@dataclass(frozen=True)
class Superlative:
    name: str
    begin: int
    end: int


def ranking(clause: Clause, items: Sequence[Item], agent: str | None = None) -> Built | None:
    words = lows(items)
    found = _superlative(words)
    if found is None:
        return None
    compared, apart = _compared(items)
    if found.name in COMPARING and len(compared) < 2:
        return None
    facts = Facts(clause, items)
    domain = _domain(facts, found, bool(compared), agent)
    ranked, used = _ranked(clause, items, words, found, domain)
    if not domain or not ranked:
        return None
    taken = set(range(found.begin, found.end)) | used | apart
    kept = [item for at, item in enumerate(items) if at not in taken]
    built = _selected(clause, kept, domain, ranked)
    measure = MEASURES.get(found.name, found.name)
    by_people = ranked == "event" and measure in ("most", "least")
    built.fields["field"] = ranked
    built.fields["question"] = "largest" if by_people else "longest" if ranked == "title" and measure == "most" else measure
    built.fields["to"] = tuple(compared)
    return built


def comparing(clause: Clause, agent: str | None = None) -> Built | None:
    """ "do I have more meetings this week than next week?", "is Friday busier than Thursday?": two periods side by side."""
    items = [item for item in clause.items if item.kind != "punct"]
    words = lows(items)
    times = [at for at, item in enumerate(items) if item.time is not None and item.time.kind != "duration"]
    found = _superlative(words)
    if found is None or found.name not in COMPARING | OF_DAYS or len(times) != 2 or not {"than", "or"} & set(words):
        return None
    rest = [
        item
        for at, item in enumerate(items)
        if at not in times and not found.begin <= at < found.end and words[at] not in ("than", "or")
    ]
    domain = _domain(Facts(clause, rest), found, False, agent)
    if not domain:
        return None
    built = _selected(clause, rest, domain, "time")
    first, second = (items[at].time for at in times)
    built.fields["select"] = built.fields["select"].model_copy(update={"when": first})
    built.fields.update(time=second, field="time" if clause.mood == "fact" else "times", question=MEASURES[found.name])
    return built


def _superlative(words: Sequence[str]) -> Superlative | None:
    lex = lexicon()
    for at in range(len(words)):
        match = lex.superlatives.at(words, at)
        if match is not None and lex.orders.at(words, at) is None:
            return Superlative(match[1], at, at + match[0])
    return None


def _compared(items: Sequence[Item]) -> tuple[list[Person], set[int]]:
    """ "…, Tom or Anna", "Tom, Anna or me": those joined by "or", and where they stand."""
    words, small = lows(items), lexicon().small
    joint = next((at for at in range(1, len(items) - 1) if words[at] == "or"), None)
    if joint is None:
        return [], set()
    begin, end = joint, joint + 1
    while begin > 0 and (_is_somebody(items[begin - 1]) or words[begin - 1] == ","):
        begin -= 1
    while end < len(items) and _is_somebody(items[end]):
        end += 1
    spots = [at for at in range(begin, end) if _is_somebody(items[at])]
    return [_somebody(items[at], words[at] in small["me"]) for at in spots], set(range(begin, end))


def _somebody(item: Item, me: bool) -> Person:
    if item.kind == "ref":
        return Person(ref=item.low)
    return Person(email=item.low) if item.kind == "address" else Person(text="me" if me else item.text, role="any")


def _is_somebody(item: Item) -> bool:
    return item.kind in PERSONAL or item.low in ("i", "me")


def _domain(facts: Facts, found: Superlative, comparing: bool, agent: str | None) -> str:
    if facts.has(*MAILS) or facts.verb in ("send", "receive", "reply", "say"):
        return "mail"
    busy = found.name in OF_DAYS or found.name == "busier" or comparing
    if facts.has(*EVENTS) or facts.verb in ("meet", "attend", "invite") or busy or agent == "calendar":
        return "event"
    return "event" if facts.says("takes", "take", "took") and facts.says("time") else ""


def _ranked(clause: Clause, items: Sequence[Item], words: Sequence[str], found: Superlative, domain: str) -> tuple[str, set[int]]:
    """What is ranked, as a call names it, and the items that say so."""
    if domain == "event" and (GUESTS & set(words[found.end :])):
        return "event", {at for at in range(found.end, len(words)) if words[at] in GUESTS}
    if clause.head in ("who", "whom"):
        return "person", set()
    if found.name in OF_EVENTS or (domain == "event" and words[found.end : found.end + 1] == ["time"]):
        total = bool(ALTOGETHER & set(words)) or found.name not in OF_EVENTS
        return ("title" if total else "event") if domain == "event" else "", set()
    for at in range(len(words)):
        match = lexicon().rankings.at(words, at)
        if match is not None and items[at].kind == "word" and not found.begin <= at < found.end:
            return match[1], set(range(at, at + match[0]))
    return ("day" if found.name in OF_DAYS else ""), set()


def _selected(clause: Clause, items: Sequence[Item], domain: str, ranked: str) -> Built:
    """Which mails or events are looked at: what is left of the sentence."""
    facts = Facts(clause, items)
    behind = facts.rest if facts.form and facts.verb != "have" else items
    kept = [item for item in behind if item.low not in AROUND and item.low not in lexicon().small["me"]]
    parts = cut(clause.text, kept, dictates=False)
    built = Built("mail.rank" if domain == "mail" else "event.rank")
    found = gather(Parts(list(parts.slots)), "mail" if domain == "mail" else "event")
    role: Role = "with"
    if domain == "mail":
        received = facts.verb == "receive"
        outgoing = facts.by_me and not received
        role = "to" if received else "from"
        if outgoing:
            found.people[:] = in_role(found.people, "to")
            found.select["folder"] = "Sent"
    subject = people_in([item for item in items if item.kind in PERSONAL]) if not found.people else ()
    found.people += in_role(subject, role)
    found.select.pop("each", None)
    found.select.pop("order", None)
    found.words = [word for word in found.words if word.lower() not in AROUND and not _names(word, found.people)]
    built.fields["select"] = found.selection(merged(parts.times))
    return built


def _names(word: str, people: Sequence[Named]) -> bool:
    return any(word == one for named in people for one in named.person.text.split())
