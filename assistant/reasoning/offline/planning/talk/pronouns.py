"""Who "her", "them", "his last one" and "everyone in it" are."""

from collections.abc import Sequence

from assistant.reasoning.offline.lexicon import lexicon
from assistant.reasoning.offline.planning.talk.attendants import people_there
from assistant.reasoning.offline.planning.talk.memory import Memory, kind_of
from assistant.reasoning.offline.planning.talk.people import several_in
from assistant.reasoning.offline.reading.clauses.guests import PLACE
from assistant.reasoning.offline.reading.text.items import Item

THING_VERBS = frozenset(
    {"find", "read", "summarise", "forward", "mark", "flag", "unflag", "archive", "delete", "restore", "cancel", "move", "rename",
     "resize", "change", "accept", "decline", "tentative", "count"}
)  # fmt: skip
CLITICS = {"'ve": "has", "'re": "is", "'s": "has", "'ll": "will", "'d": "would"}
IN_PLACE_OF = frozenset({("instead", "of"), ("place", "of")})
SENT_ME = (["sent", "me"], ["wrote", "me"], ["emailed", "me"])
EVERYONE = frozenset("everyone everybody people guests attendees participants all".split())


def person_or_thing(items: Sequence[Item], words: Sequence[str], at: int, memory: Memory) -> tuple[int, str] | None:
    """ "She", "him", "them": a person or, behind what is done with things, the things spoken of."""
    if words[at] not in ("she", "he", "they", "her", "him", "them"):
        return None
    if any((marker := lexicon().markers.at(words, at - back)) and marker[0] > back for back in (1, 2) if at >= back):
        return 0, ""
    before = words[at - 1] if at else ""
    somebody = memory.person or memory.turned
    verb = lexicon().verbs.at(words, at - 1) if at else None
    follows_thing_verb = (
        verb is not None and verb[1].verb in THING_VERBS and verb[0] == 1 and words[at + 1 : at + 2] not in (["off"], ["out"])
    )
    if words[at] == "them" and (follows_thing_verb or before == "of") and (memory.thing or (memory.request.shown and not somebody)):
        thing = memory.thing_words("", plural=True)
        return (1, thing) if thing else (0, "")
    if not memory.person and words[at + 1 : at + 3] in SENT_ME and (there := people_there(memory.thing, memory.noun)):
        return 3, f"from {there}"
    if words[at] in ("them", "him", "her") and not memory.person and (there := people_there(memory.thing, memory.noun)):
        return 1, there
    data = memory.shown
    if words[at] == "them" and not somebody and data is not None and not data.mails and several_in(data, memory.request.setting):
        memory.used_shown = True
        return 1, "{shown}"
    if not somebody and data is not None and data.mails and before == "to" and words[0] in ("reply", "respond", "answer", "write"):
        memory.used_shown = True
        return 1, "the mail {shown}"
    if words[at] in ("them", "they") and memory.people:
        return 1, memory.people
    if words[at] in ("them", "they") and not memory.person and len(memory.turned) > 1:
        return 1, " and ".join(memory.turned)
    return _somebody(items, words, at, memory)


def _somebody(items: Sequence[Item], words: Sequence[str], at: int, memory: Memory) -> tuple[int, str]:
    before = words[at - 1] if at else ""
    subject = words[at] in ("he", "she")
    another = at > 0 and (_joined_to_another(items, at) or tuple(words[max(at - 2, 0) : at]) in IN_PLACE_OF)
    name = memory.person_before() if another else memory.person_word(subject=subject)
    if not name and words[at] in ("her", "him", "them") and memory.noun == "mail" and memory.thing.startswith("{"):
        answers = before == "to" and words[0] in ("reply", "respond", "answer", "write")
        return 1, f"the mail {memory.thing}" if answers else memory.thing
    if not name:
        if words[at] in ("her", "him", "them"):
            memory.unresolved.append(words[at])
        return 0, ""
    clitic = CLITICS.get(items[at + 1].text.lower().replace("\u2019", "'")) if at + 1 < len(items) else None
    return (2, f"{name} {clitic}") if clitic else (1, name)


def _joined_to_another(items: Sequence[Item], at: int) -> bool:
    """ "To Omar and her": she is somebody else."""
    return at > 1 and items[at - 1].low in ("and", ",") and items[at - 2].kind in ("person", "name", "address")


def together(items: Sequence[Item], at: int, memory: Memory) -> str:
    """ "Anna and Tom": both of them; "" where nobody is named beside."""
    beside = at > 1 and items[at - 1].low in ("and", ",", "&") and items[at - 2].kind in ("person", "name")
    return f"{memory.people or memory.person} and {items[at].text}" if beside else ""


def people_shown(items: Sequence[Item], words: Sequence[str], at: int, memory: Memory) -> tuple[int, str] | None:
    """ "Everyone in it", "both", where people or an event with guests were shown."""
    data = memory.shown
    if data is None or memory.thing:
        return None
    if words[at] in EVERYONE and words[at + 1 : at + 2] and words[at + 1] in ("in", "of", "at", "on") and data.events:
        pointing = words[at + 2 : at + 3] in (["it"], ["that"], ["this"])
        if pointing and not memory.thing:
            memory.used_shown = True
            named = words[at + 3 : at + 4] in (["meeting"], ["event"], ["one"], ["call"])
            return 3 + named, "{shown}"
    if words[at] == "both" and kind_of(data) == "contact" and max(len(data.contacts), len(data.addresses)) == 2:
        memory.used_shown = True
        return 1, "{shown}"
    deleted = at > 0 and words[at - 1] in ("delete", "remove") and not memory.turned
    if words[at] in ("her", "him") and deleted and len(data.contacts) == 1:
        memory.used_shown = True
        return 1, f"the contact {data.contacts[0].name}"
    return None


MISSIVE = frozenset({"email", "mail", "message", "e-mail"})
"""Behind "their" these are the mail that was just spoken of, not an address."""


def possessive(items: Sequence[Item], words: Sequence[str], at: int, memory: Memory) -> tuple[int, str] | None:
    """ "Her last mail", "his latest", "their phone number": whose that is."""
    if words[at] == "their" and any((noun := lexicon().nouns.at(words, n)) and noun[1][0] == "contact" for n in range(at)):
        return 0, ""
    if words[at] not in lexicon().small["possessives_person"]:
        return None
    ends = at + 2 >= len(items) or items[at + 2].kind == "punct" or words[at + 2] in ("and", "then", "now", "too")
    if memory.thing and memory.noun == "mail" and words[at + 1 : at + 2] and words[at + 1] in MISSIVE and ends:
        return 2, memory.thing
    named = at + 1 < len(items) and _noun_follows(words, at + 1)
    length = 0 if named else _ordered_ones(items, words, at + 1)
    if not named and not length:
        return None
    put = named and words[at + 1] in PLACE and memory.before
    name = memory.before if put else memory.person_word(named=True)
    if not name:
        memory.unresolved.append(words[at])
    if named:
        return (1, f"{name}'s") if name else (0, "")
    kind = memory.wanted or (kind_of(memory.shown) if memory.shown is not None else "")
    order = " ".join(words[at + 1 : at + 1 + length]).removesuffix(" one")
    return 1 + length, f"{name}'s {order} {kind if kind == 'event' else 'mail'}" if name else ""


def _noun_follows(words: Sequence[str], at: int) -> bool:
    while at < len(words):
        if lexicon().nouns.at(words, at) is not None:
            return True
        if words[at] in lexicon().fields:
            return True
        if (
            lexicon().orders.at(words, at) is None
            and lexicon().states.at(words, at) is None
            and words[at] not in ("new", "email", *lexicon().nth, *lexicon().numbers)
        ):
            return False
        at += 1
    return False


def _ordered_ones(items: Sequence[Item], words: Sequence[str], at: int) -> int:
    """How many items "latest", "last one" take where nothing more is named."""
    order = lexicon().orders.at(words, at)
    if order is None:
        return 0
    end = at + order[0] + (words[at + order[0] : at + order[0] + 1] == ["one"])
    return end - at if end >= len(items) or items[end].kind == "punct" or lexicon().markers.at(words, end) is not None else 0
