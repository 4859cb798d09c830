"""What is not to be done, said before what is: "don't delete them, archive them"."""

import re

from assistant.reasoning.offline.planning.outline import NOUNS, Draft
from assistant.reasoning.offline.reading.grammar import domain_of, parse

NEGATION = re.compile(r"^(?:(?:please|but|so|ok|no),? )*(?:do not|don['\u2019]?t|never|no need to|not) ", re.IGNORECASE)
AS_WELL = re.compile(r"^[\s,;.!]*(?:and|or|nor)\b(?! (?:just|only|instead|rather)\b)", re.IGNORECASE)


def contrasted(text: str, message: str) -> bool:
    """Whether something else follows instead; behind "and" and "or" the negation may go on."""
    rest = message.partition(text.rstrip(" .!"))[2]
    return bool(rest.strip(" .!")) and AS_WELL.match(rest) is None


def refrain(text: str, draft: Draft) -> None:
    """Keeps what is not to be done, and what it is about, which "it" and "them" then mean."""
    draft.refrained.append(text.rstrip(" .!"))
    draft.constraints.append(text.rstrip(" .!"))
    call = (found := parse(deed := NEGATION.sub("", text, count=1), draft.setting)).call
    if call is None:
        return
    if found.thing is not None:
        draft.memory.thing = deed[found.thing[0] : found.thing[1]].strip(" ,")
        draft.memory.noun = NOUNS.get(domain_of(call.operation), "")
    people = [person.text or person.email for person in (*call.to, *call.select.people) if not person.ref]
    draft.memory.person = next(iter(people), draft.memory.person)
