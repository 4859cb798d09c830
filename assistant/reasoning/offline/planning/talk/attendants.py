"""Those who take part in the event that the message has just spoken of: "cancel my first meeting and tell the participants", "email
them"."""

from collections.abc import Sequence

from assistant.reasoning.calls import Call
from assistant.reasoning.offline.lexicon import lexicon
from assistant.reasoning.offline.reading.text.items import Item

EVENTS = frozenset({"event", "occasion"})
DETERMINERS = frozenset({"the", "its", "their", "all", "each", "every", "both", "his", "her"})
GOES_ON = frozenset({"of", "in", "at", "from", "on", "for"})


def people_there(thing: str, noun: str, *, each: bool = False) -> str:
    """The words for everyone in an event, by the words or the step that stand for it; empty where it is none."""
    if thing.startswith("{"):
        return f"{'each of ' if each else ''}{thing}" if noun == "event" else ""
    words = thing.lower().replace("'s", "").split()
    nouns = {found[1][0] for at in range(len(words)) if (found := lexicon().nouns.at(words, at))}
    there = bool(nouns & EVENTS) or noun == "event"
    return f"{'each participant' if each else 'the participants'} of {thing}" if there else ""


def attendants(items: Sequence[Item], words: Sequence[str], at: int, thing: str, noun: str) -> tuple[int, str] | None:
    """How many items are "the attendees", and the words for them."""
    place = at
    while place < len(items) and words[place] in DETERMINERS:
        place += 1
    if noun == "mail" and (written := _senders(items, words, place, thing)):
        return place + 1 - at, written
    if place >= len(items) or words[place].removesuffix("s") not in lexicon().small["guests"]:
        return None
    within = place == at and at > 0 and words[at - 1] in DETERMINERS
    if within or (GOES_ON | {"list", "lists"}) & set(words[place + 1 : place + 2]):
        return None
    there = people_there(thing, noun, each=words[at] in ("each", "every"))
    return (place + 1 - at, there) if there else None


def _senders(items: Sequence[Item], words: Sequence[str], at: int, thing: str) -> str:
    """ "the sender", "its author": who wrote the mail that the message has just spoken of; empty where more is said of whom."""
    if at >= len(items) or at == 0 or words[at].removesuffix("s") not in lexicon().small["senders"] or not thing:
        return ""
    if GOES_ON & set(words[at + 1 : at + 2]) - {"at", "on", "for", "from"} or words[at + 1 : at + 2] == ["'s"]:
        return ""
    return thing if thing.startswith("{") else f"the sender of {thing}"


MET = frozenset({"met", "meet", "seen", "spoken", "talked"})


def with_us(check: str, person: str, asked: Call | None) -> str:
    """ "If we haven't met lately": the user and who was spoken of."""
    words = set(check.lower().split())
    ours = asked is not None and asked.operation == "event.check" and not asked.select.people and "we" in words
    return f"{check} with {person}" if ours and person and MET & words else check
