"""A plan in the making: its steps, the look-ups they need, and the analysis it ends as."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from assistant.reasoning.base import Analysis, Intent, Missing, Request, Setting
from assistant.reasoning.calls import Call, Person
from assistant.reasoning.offline import criteria
from assistant.reasoning.offline.lexicon import lexicon
from assistant.reasoning.offline.planning.references import Memory
from assistant.reasoning.offline.reading.selecting import Named
from assistant.reasoning.offline.reading.tokens import tokenise
from assistant.values import ContextBox, Criterion, Plan, Step, When

EVERYONE = re.compile(r"^(?:everyone|everybody|people) (?:in|on|of|from) ", re.IGNORECASE)
REF = re.compile(r"\{(\d+)\}")


NOUNS = {"mail": "mail", "event": "event", "contact": "contact"}


COMING_DAYS = "for the next 7 days"
"""The period of "check my calendar" where none is said."""


NOBODY = frozenset(
    "them they those these it that this contacts contact all my people ones one something anything him her he she".split()
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
    understood: list[str] = field(default_factory=list)
    check: tuple[int, bool] | None = None
    """The step that the next "if" or "else" looks at, and whether it was turned around."""
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
    for named in people:
        person = named.person
        if person.ref or person.email or person.text.lower() in ("me", "myself", ""):
            continue
        if all(word in NOBODY for word in person.text.lower().split()):
            draft.missing.append(Missing(what="recipient", question=f"Who do you mean by “{person.text}”?"))
            edits.append((named.begin, named.end, "{recipient}"))
            continue
        edits.append((named.begin, named.end, f"{{{_lookup(person, when, draft)}}}"))
    return edits


def _lookup(person: Person, when: When | None, draft: Draft) -> int:
    group = is_group(person, draft.setting)
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
        rule = Criterion(words=f"exactly one person called {person.text}, with an address", expects="one")
    needs = (when.step,) if when is not None else ()
    draft.steps.append(
        Step(id=number, agent="contacts", instruction=instruction, criterion=rule, priority=3, needs=needs, when=when)
    )
    draft.known[key] = number
    return number


def is_group(person: Person, setting: Setting) -> bool:
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


def finished(draft: Draft, context: str = "") -> Analysis:
    request = draft.request
    write = [call for call in draft.calls if criteria.writes(call.operation)]
    kind = "both" if write and len(write) < len(draft.calls) else "write" if write else "read"
    steps = tuple(sorted(draft.steps, key=lambda step: (step.priority, step.id)))
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
