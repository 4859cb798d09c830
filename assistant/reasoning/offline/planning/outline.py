"""A plan in the making: its steps, the look-ups they need, and the analysis it ends as."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from assistant.reasoning.base import Analysis, Intent, Missing, Request, Setting
from assistant.reasoning.calls import Call, Person
from assistant.reasoning.offline import criteria
from assistant.reasoning.offline.lexicon import lexicon
from assistant.reasoning.offline.planning.talk.memory import Memory
from assistant.reasoning.offline.reading.entities import named
from assistant.reasoning.offline.reading.nouns.attending import attendance
from assistant.reasoning.offline.reading.nouns.authors import authorship
from assistant.reasoning.offline.reading.nouns.describing import guests_of, is_everyone
from assistant.reasoning.offline.reading.nouns.persons import Named
from assistant.reasoning.offline.reading.parsed import Parse
from assistant.reasoning.offline.reading.slots import lows
from assistant.reasoning.offline.reading.text.tokens import tokenise
from assistant.values import AgentName, ContextBox, Criterion, Plan, Step, When

EVERYONE = re.compile(r"^(?:everyone|everybody|people) (?:in|on|of|from) (?:(?:the|my|our) )?", re.IGNORECASE)
EACH = re.compile(r"^(?:each|every)\b", re.IGNORECASE)
REF = re.compile(r"\{(\d+)\}")


NOUNS = {"mail": "mail", "event": "event", "contact": "contact"}


COMING_DAYS = "for the next 7 days"
"""The period of "check my calendar" where none is said."""


NOBODY = frozenset(
    "them they those these it that this contacts contact all my people ones one something anything him her he she then "
    "there too".split()
)
"""Words that name nobody: whoever is meant has to be asked for."""


@dataclass
class Draft:
    """A plan in the making."""

    request: Request
    memory: Memory
    steps: list[Step] = field(default_factory=list)
    calls: list[Call] = field(default_factory=list)
    known: dict[str, int] = field(default_factory=dict)
    """Steps that look up a person or group, by name."""
    goals: list[str] = field(default_factory=list)
    entities: list[str] = field(default_factory=list)
    constraints: list[str] = field(default_factory=list)
    missing: list[Missing] = field(default_factory=list)
    risks: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    failed: list[str] = field(default_factory=list)
    refrained: list[str] = field(default_factory=list)
    """What the message says is not to be done, before it says what is."""
    understood: list[str] = field(default_factory=list)
    check: tuple[int, bool] | None = None
    """The step that the next "if" or "else" looks at, and whether it was turned around."""
    both: bool = False
    """Whether that step is itself looked at only where another one came out right."""
    blocked: str = ""
    """Why nothing can be done, where more can be said than that it was not understood."""
    beneficiary: str = ""
    company: str = ""
    """Whom the user said to have met, or not: the guest of what is scheduled next."""

    @property
    def setting(self) -> Setting:
        return self.request.setting


def context_of(request: Request, refers: bool = False) -> str:
    if refers:
        return "The message refers to what was shown before."
    if request.paused:
        return f"Previous task: {request.paused[0].goal or request.paused[0].about}, {request.paused[0].status}."
    if request.history:
        return "The conversation goes on; this message stands for itself."
    return "A new conversation."


def tidy(text: str) -> str:
    return text.strip().rstrip("?.!").strip()


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
    needs = tuple(dict.fromkeys((*found, *(int(ref) for ref in REF.findall(instruction)))))
    rule = Criterion(words=words, expects="items")
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


def note_entities(call: Call, draft: Draft) -> None:
    people = (*call.to, *call.cc, *call.bcc, *call.select.people)
    found = [person.text or person.email for person in people if not person.ref]
    found += [call.title, *call.select.words, call.select.group, call.select.company]
    times = [spec.text for spec in (call.select.when, call.time) if spec is not None and spec.text]
    draft.entities.extend(entity for entity in found if entity and entity not in draft.entities)
    draft.constraints.extend(text for text in times if text not in draft.constraints)


def _in_order(steps: Sequence[Step]) -> tuple[Step, ...]:
    """By priority, and each behind what it needs."""
    left, placed = list(steps), list[Step]()
    while left:
        there = {step.id for step in placed}
        following = next((step for step in left if set(step.needs) <= there), left[0])
        placed.append(following)
        left.remove(following)
    return tuple(placed)


def finished(draft: Draft, context: str = "") -> Analysis:
    request = draft.request
    write = [call for call in draft.calls if criteria.writes(call.operation)]
    kind = "both" if write and len(write) < len(draft.calls) else "write" if write else "read"
    steps = _in_order(sorted(draft.steps, key=lambda step: (step.priority, step.id)))
    goal = "; ".join(draft.goals)
    risks = tuple(dict.fromkeys([*draft.risks, *_word_risks(request.text)])) if write else ()
    output = (
        "answer" if not write else "execute_and_confirm" if all(c.operation in criteria.LIGHT for c in write) else "draft_proposal"
    )
    constraints = tuple(dict.fromkeys([*draft.constraints, *(["needs approval"] if output == "draft_proposal" else []), *risks]))
    box = ContextBox(
        goal=goal, entities=tuple(draft.entities), constraints=constraints, progress=("Intent determined, entities identified",),
        next=steps[0].instruction if steps else "", notes=tuple(draft.notes),
    )  # fmt: skip
    return Analysis(
        context=context or context_of(request, draft.memory.used_shown), risks=risks, intent=Intent(goal=goal, request=kind),
        missing=_once(draft.missing), output=output, box=box, plan=Plan(steps=steps),
    )  # fmt: skip


def _once(gaps: Sequence[Missing]) -> tuple[Missing, ...]:
    return tuple({gap.what: gap for gap in reversed(gaps)}.values())[::-1]


def _word_risks(text: str) -> list[str]:
    words = [item.low for item in tokenise(text)]
    return list(dict.fromkeys(match[1] for at in range(len(words)) if (match := lexicon().risks.at(words, at))))
