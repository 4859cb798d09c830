"""The look-ups that a step needs first: the address of who is named, the members of a group, the people of an event or a mail."""

import re
from collections.abc import Sequence

from assistant.reasoning.base import Missing, Setting
from assistant.reasoning.calls import Person
from assistant.reasoning.offline.lexicon import lexicon
from assistant.reasoning.offline.planning.outline import Draft, refs_in
from assistant.reasoning.offline.reading.entities import named
from assistant.reasoning.offline.reading.nouns.attending import attendance
from assistant.reasoning.offline.reading.nouns.authors import authorship
from assistant.reasoning.offline.reading.nouns.describing import guests_of, is_everyone
from assistant.reasoning.offline.reading.nouns.persons import Named
from assistant.reasoning.offline.reading.parsed import Parse
from assistant.reasoning.offline.reading.slots import lows
from assistant.values import AgentName, Criterion, Step, When

EVERYONE = re.compile(r"^(?:everyone|everybody|people) (?:in|on|of|from) (?:(?:the|my|our) )?", re.IGNORECASE)
EACH = re.compile(r"^(?:each|every)\b", re.IGNORECASE)


NOBODY = frozenset(
    "them they those these it that this contacts contact all my people ones one something anything him her he she then "
    "there too".split()
)
"""Words that name nobody: whoever is meant has to be asked for."""


def lookups(people: Sequence[Named], when: When | None, draft: Draft) -> list[tuple[int, int, str]]:
    """Plans the look-up of everyone who is given by name, and says which words their results replace."""
    edits: list[tuple[int, int, str]] = []
    for one in people:
        person = one.person
        if person.ref or person.email or person.text.lower() in ("me", "myself", ""):
            continue
        if _names_nobody(person.text):
            draft.missing.append(Missing(what="recipient", question=f"Who do you mean by “{person.text}”?"))
            edits.append((one.begin, one.end, "{recipient}"))
            continue
        place = f"{{{_lookup(person, when, draft)}}}"
        edits.append((one.begin, one.end, f"each of {place}" if EACH.match(person.text) else place))
    return edits


def lookups_within(found: Parse, when: When | None, draft: Draft) -> list[tuple[int, int, str]]:
    """The look-ups of people whom the selection describes: "the last mail from whoever I'm meeting first on Friday"."""
    call = found.call
    chosen = {person.text for person in call.select.people if " " in person.text} if call is not None else set()
    edits = []
    for item in found.clause.items if chosen else ():
        said = item.text if item.kind == "person" else ""
        if said in chosen and (described := _described(said, draft.setting)) is not None:
            edits.append((item.begin, item.end, f"{{{_look_up_described(*described, when, draft)}}}"))
    return edits


def _names_nobody(text: str) -> bool:
    """ "Them", "the third one": words that only point."""
    pointing = NOBODY | {"the"} | lexicon().nth.keys()
    return all(word in pointing or lexicon().orders.at([word], 0) is not None for word in text.lower().split())


def _lookup(person: Person, when: When | None, draft: Draft) -> int:
    if " " in person.text and (described := _described(person.text, draft.setting)) is not None:
        return _look_up_described(*described, when, draft)
    group = is_group(person, draft.setting)
    if group:
        person = person.model_copy(update={"text": EVERYONE.sub("", person.text)})
    key = person.text.casefold()
    if key in draft.known:
        number = draft.known[key]
        before = draft.steps[number - 1]
        if before.when != when:
            draft.steps[number - 1] = before.model_copy(update={"when": None, "needs": ()})
        return number
    number = len(draft.steps) + 1
    article = "" if person.text[:1].isupper() else "the "
    if group:
        instruction = f"Who is in the {person.text}?"
        rule = Criterion(words=f"the members of the {person.text}, with addresses", expects="items")
    else:
        name = f"{article if _is_role(person, draft.setting) else ''}{person.text}"
        instruction = f"Find {name}'s email address"
        many = is_everyone(person.text, draft.setting)
        words = f"the addresses of {person.text}" if many else f"exactly one person called {person.text}, with an address"
        rule = Criterion(words=words, expects="items" if many else "one")
    needs = (when.step,) if when is not None else ()
    draft.steps.append(
        Step(id=number, agent="contacts", instruction=instruction, criterion=rule, priority=3, needs=needs, when=when)
    )
    draft.known[key] = number
    return number


def _described(text: str, setting: Setting) -> tuple[AgentName, str, str] | None:
    """Who is asked, and what, for people that an event or a mail describes; and the words for what is found."""
    items = named(text, setting)
    words = lows(items)
    if (there := attendance(items, words, 0)) is not None:
        return "calendar", f"Who is invited to {there.words}?", f"the people of {there.words}, with addresses"
    if guests := guests_of(text):
        event, host = guests
        question = f"Who organises {event}?" if host else f"Who is invited to {event}?"
        return "calendar", question, f"the people of {event}, with addresses"
    if (wrote := authorship(items, words, 0, setting.now)) is not None:
        return "email", f"Find {wrote.words}", f"{wrote.words}, with addresses"
    return None


def _look_up_described(agent: AgentName, instruction: str, words: str, when: When | None, draft: Draft) -> int:
    number = len(draft.steps) + 1
    found = (when.step,) if when is not None else ()
    rule, needs = Criterion(words=words, expects="items"), refs_in(instruction, found)
    draft.steps.append(Step(id=number, agent=agent, instruction=instruction, criterion=rule, priority=3, needs=needs, when=when))
    return number


def is_group(person: Person, setting: Setting) -> bool:
    if is_everyone(person.text, setting):
        return False
    if EVERYONE.match(person.text):
        return True
    low = person.text.casefold()
    if low in {name.casefold() for name in setting.groups}:
        return True
    words = low.split()
    return bool(words) and any((match := lexicon().nouns.at(words, at)) and match[1][0] == "group" for at in range(len(words)))


def _is_role(person: Person, setting: Setting) -> bool:
    """ "client", "boss": a common noun, not a name written in small letters."""
    first = person.text.split()[0].casefold()
    return not person.text[:1].isupper() and first in ROLES


ROLES = frozenset(
    (
        "client customer boss manager landlord supplier vendor accountant lawyer doctor dentist teacher colleague assistant "
        "secretary ceo cfo cto"
    ).split()
)
