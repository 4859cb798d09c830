"""Questions for the answers of an event's guests: whether somebody accepted or declined it, who did, which they accepted."""

from collections.abc import Sequence

from assistant.reasoning.calls import Person
from assistant.reasoning.offline.lexicon import lexicon
from assistant.reasoning.offline.reading.nouns.persons import distinct, people_in
from assistant.reasoning.offline.reading.parsed import Built
from assistant.reasoning.offline.reading.questions.choosing import select, update
from assistant.reasoning.offline.reading.questions.facts import EVENTS, MAILS, NEGATING, Facts, Read
from assistant.reasoning.offline.reading.slots import lows
from assistant.reasoning.offline.reading.text.items import PERSONAL, Item

ANSWERS = {"accept": "accepted", "decline": "declined", "reply": "answered"}
TENTATIVELY = frozenset({"tentatively", "provisionally"})
SO_FAR = frozenset("already yet still ever also just so far actually definitely officially else please".split())
PASSIVE = frozenset({"is", "are", "was", "were", "been", "being", "get", "got"})
ANYONE = frozenset({"anyone", "anybody", "someone", "somebody", "any"})
NOBODY = frozenset({"nobody", "none", "no", "neither"})
GUESTS = frozenset("guest guests attendee attendees participant participants invitee invitees people".split())
EVERYONE = GUESTS | frozenset("everyone everybody all both each every of them they the my our others one invited".split())
ALL_OF = GUESTS | {"everyone", "everybody", "all", "both", "each", "every"}
PRONOUNS = frozenset({"he", "she", "they", "it", "him", "her", "them", "his", "their", "'s"})
BEHIND = frozenset("about regarding concerning for of to on with at in from by that which called titled named me us".split())
"""Here what stands behind an event's own noun begins."""
HEADS = ("who", "which", "what", "how")


def whether(facts: Facts) -> Read:
    """ "has Tom accepted the review?", "was the invitation declined by anyone?"; False where it isn't known who is meant."""
    parts = _taken_apart(facts)
    if parts is None or facts.clause.head in HEADS:
        return None
    field, before, behind = parts
    subject, event = _plain(before), behind
    if _is_passive(facts, before, behind):
        event, subject = _by(before, behind)
    if not subject or not _is_event(facts, event):
        return None
    if set(lows(subject)) & lexicon().small["me"]:
        return None if len(subject) == 1 else False  # the user's own answer says nothing of another's
    asked = _who(subject)
    return _built(facts, event, field, *asked) if asked is not None else False


def who(facts: Facts) -> Read:
    """ "who has accepted the review?", "which guests declined it?", "how many have not answered the invitation?" """
    parts = _taken_apart(facts)
    if parts is None or not _asks_for_guests(facts, parts[1]) or not _is_event(facts, parts[2]):
        return None
    return _built(facts, parts[2], parts[0], "who not" if _negated(facts) else "who")


def which(facts: Facts) -> Read:
    """ "which of my meetings has Tom not accepted?", "which invitations were declined by Tom?" """
    parts = _taken_apart(facts)
    if parts is None or facts.clause.head not in ("which", "what"):
        return None
    field, before, behind = parts
    at = _subject_at(before)
    event, subject, told = before[:at], _plain(before[at:]), False
    if _is_passive(facts, before, behind):
        event, subject = _by(before, behind)
    elif subject and not facts.whole(event).has(*EVENTS):
        event, told = behind, True  # "what did Tom answer to the invitation?"
    elif subject:
        event = [*event, *behind]
    if not subject or not _is_event(facts, event) or set(lows(subject)) & lexicon().small["me"]:
        return None
    asked = _who(subject)
    if asked is None:
        return False
    if told:
        return _built(facts, event, field, "who", asked[1]) if facts.clause.head == "what" else None
    built = _built(facts, event, field, "which not" if _negated(facts) else "which", asked[1])
    return update(built, each=True)


def _subject_at(items: Sequence[Item]) -> int:
    """Where "has Tom" begins behind the events of "which meetings has Tom", or the "that Tom has" of "meetings that Tom has"."""
    words, auxiliaries = lows(items), lexicon().small["auxiliaries"]
    at = next((n for n, word in enumerate(words) if word in auxiliaries), len(items))
    if _plain(items[at:]):
        return at
    return next((n for n, item in enumerate(items) if n and (item.kind in PERSONAL or item.low in ANYONE)), len(items))


def _taken_apart(facts: Facts) -> tuple[str, list[Item], list[Item]] | None:
    """The answer that is spoken of, what stands before the verb and what behind it."""
    items = [item for item in facts.clause.rest if item.kind != "punct" and not (item.kind == "word" and item.low in NEGATING)]
    words = lows(items)
    at = next((n for n in range(len(items)) if _is_deed(items, words, n)), None)
    if at is None:
        return None
    length, form = lexicon().facts.at(words, at) or (1, None)
    end, field = at + length, ANSWERS[form.verb] if form else ""
    other = lexicon().facts.at(words, end + 1) if words[end : end + 1] == ["or"] else None
    if other is not None and other[1].verb in ANSWERS:
        end, field = end + 1 + other[0], "answered"
    beside = {*words[max(at - 1, 0) : at], *words[end : end + 1]} & TENTATIVELY
    items = [item for item in items if item.low not in TENTATIVELY] if beside else items
    shift = 1 if beside and words[at - 1] in TENTATIVELY else 0
    return "tentative" if beside else field, items[: at - shift], items[end - shift :]


def _is_deed(items: Sequence[Item], words: Sequence[str], at: int) -> bool:
    """Not "the accepted meetings", "an answer", "an invitation to accept"."""
    match = lexicon().facts.at(words, at) if items[at].kind == "word" else None
    described = at > 0 and words[at - 1] in lexicon().small["articles"] | {"'s", "to"}
    return match is not None and match[1].verb in ANSWERS and not described


def _plain(items: Sequence[Item]) -> list[Item]:
    idle = lexicon().small["auxiliaries"] | SO_FAR
    return [item for item in items if item.kind not in ("word",) or item.low not in idle]


def _is_passive(facts: Facts, before: Sequence[Item], behind: Sequence[Item]) -> bool:
    """ "has the review been accepted", "was it declined by Tom"."""
    last = next((word for word in reversed(lows(before)) if word not in SO_FAR), "")
    named = facts.whole(_plain(before)).has(*EVENTS)
    return (last in PASSIVE or facts.clause.head in PASSIVE or lows(behind)[:1] == ["by"]) and named


def _by(before: Sequence[Item], behind: Sequence[Item]) -> tuple[list[Item], list[Item]]:
    """The event of a passive and who it was accepted by: anyone, where that is not said."""
    words = lows(behind)
    at = words.index("by") if "by" in words else len(behind)
    people = [item for item in behind[at + 1 :] if item.kind in PERSONAL or item.kind == "word"]
    anyone = Item("word", "anyone", "anyone", before[-1].end, before[-1].end)
    return [*_plain(before), *behind[:at]], people or [anyone]


def _is_event(facts: Facts, items: Sequence[Item]) -> bool:
    """Whether an event itself is named, not "the room for the meeting": of what else was accepted or answered, mails tell."""
    words = lows(items)
    begin = 1 if words[:1] in (["to"], ["of"]) else 0
    end = next((n for n in range(begin, len(items)) if items[n].kind == "word" and words[n] in BEHIND), len(items))
    known = facts.agent == "calendar" and (not items or any(item.kind == "ref" for item in items))
    return not facts.whole(items).has(*MAILS) and (known or facts.whole(items[begin:end]).has(*EVENTS))


def _who(subject: Sequence[Item]) -> tuple[str, tuple[Person, ...]] | None:
    """Of whom it is asked, and whether one of them is enough; None where that can't be told."""
    words = set(lows(subject))
    if words & NOBODY:
        return None
    if words & ANYONE:
        return "any", ()
    if words <= EVERYONE and words & ALL_OF:
        return "whether", ()
    people = distinct(people_in(subject)) if not words & PRONOUNS else ()
    return ("whether", people) if people else None


def _asks_for_guests(facts: Facts, before: Sequence[Item]) -> bool:
    words = set(lows(_plain(before)))
    if facts.clause.head == "who":
        return words <= EVERYONE
    return facts.clause.head in ("which", "how") and bool(words & (GUESTS | {"many"})) and words <= EVERYONE | {"many"}


def _negated(facts: Facts) -> bool:
    return any(item.kind == "word" and item.low in NEGATING for item in facts.clause.rest)


def _built(facts: Facts, event: Sequence[Item], field: str, question: str, people: tuple[Person, ...] = ()) -> Built:
    built = select(facts.whole(event), "event.answers", "event", without=tuple(SO_FAR))
    built.fields.update(field=field, question=question, to=people)
    return update(built, answer="")
