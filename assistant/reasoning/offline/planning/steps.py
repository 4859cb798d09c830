"""A call as a step of the plan, behind the look-ups it needs, and what it leaves behind for the next sentence to point at."""

from assistant.reasoning.calls import Call
from assistant.reasoning.offline import criteria
from assistant.reasoning.offline.planning.instructing import instruction_of, titled_by_event, with_event, with_places
from assistant.reasoning.offline.planning.lookups import is_group, lookups, lookups_within
from assistant.reasoning.offline.planning.message.telling import event_in
from assistant.reasoning.offline.planning.outline import Draft, note_entities, noun_of, refs_in, tidy
from assistant.reasoning.offline.reading.grammar import agent_of
from assistant.reasoning.offline.reading.parsed import Parse
from assistant.values import Criterion, Step, When


def add(text: str, found: Parse, when: When | None, draft: Draft) -> None:
    """Plans what `text` was read as; refuses it where the event is not known after which its mail is to be called."""
    call = found.call
    assert call is not None
    instruction = _instruction(text, found, call, when, draft)
    if instruction is None:
        draft.refuse(text)
        return
    needs = tuple(number for number in refs_in(instruction) if 0 < number <= len(draft.steps))
    _must_find(needs, when, draft)
    if when is not None and when.step not in needs:
        needs = (*needs, when.step)
    number = len(draft.steps) + 1
    step = Step(
        id=number, agent=agent_of(call.operation) or "email", instruction=instruction, criterion=criteria.criterion(call),
        priority=_priority(call), needs=needs, when=when,
    )  # fmt: skip
    draft.steps.append(step)
    draft.calls.append(call)
    draft.goals.append(tidy(text[found.begin : found.end]))
    draft.understood.append(draft.goals[-1])
    draft.risks.extend(criteria.flags(call, groups=any(is_group(person, draft.setting) for person in call.to)))
    note_entities(call, draft)
    _remember(text, found, call, number, draft)


def _instruction(text: str, found: Parse, call: Call, when: When | None, draft: Draft) -> str | None:
    """The words of the step; what they need is planned before it, and asked for where it is missing."""
    edits = lookups(found.recipients, when, draft) if criteria.writes(call.operation) else []
    edits += lookups_within(found, when, draft)
    gaps = criteria.missing(call)
    draft.missing.extend(gaps)
    instruction = with_places(instruction_of(text, found, edits), criteria.places(call, gaps), draft.setting)
    return with_event(instruction, draft) if titled_by_event(found) else instruction


def _must_find(needs: tuple[int, ...], when: When | None, draft: Draft) -> None:
    """What a later step works with must be found, unless it is a check that the step hangs on."""
    for number in needs:
        step = draft.steps[number - 1]
        if step.criterion.expects == "answer" and (when is None or when.step != number):
            rule = Criterion(words=f"something is found to go on with: {step.instruction}", expects="items")
            draft.steps[number - 1] = step.model_copy(update={"criterion": rule})


PRIORITIES = {
    "event.slots": 5, "event.choose": 5,
    "event.free": 3, "mail.check": 3, "event.check": 3, "contact.address": 3, "contact.group": 3,
}  # fmt: skip
READING, WRITING = 4, 6
"""The priority of all other steps."""


def _priority(call: Call) -> int:
    return WRITING if criteria.writes(call.operation) else PRIORITIES.get(call.operation, READING)


NO_THING = frozenset({"event.free", "event.slots", "mail.answer"})
"""Their results are times or words: nothing that "it" could mean."""


def _remember(text: str, found: Parse, call: Call, number: int, draft: Draft) -> None:
    _remember_person(call, draft)
    times = [spec.text for spec in (call.time, call.select.when) if spec is not None and spec.text and spec.has_date]
    if times:
        draft.memory.when = times[0]
    if criteria.writes(call.operation):
        _remember_written(text, found, call, number, draft)
    elif call.beside is not None and found.thing is not None:
        draft.memory.thing, draft.memory.noun = text[found.thing[0] : found.thing[1]], "event"
    elif call.operation not in NO_THING:
        noun = noun_of(call)
        draft.memory.thing = f"{{{number}}}"
        draft.memory.found = [*(draft.memory.found if noun == draft.memory.noun else []), number]
        draft.memory.noun = noun


def _remember_person(call: Call, draft: Draft) -> None:
    named = [person.text or person.email for person in (*call.select.people, *call.to) if not person.ref]
    before = "" if draft.memory.person in (*call.select.words, call.title) else draft.memory.person
    draft.memory.person = next((name for name in reversed(named) if name), before)


def _remember_written(text: str, found: Parse, call: Call, number: int, draft: Draft) -> None:
    """The thing that is changed, the event that a mail speaks of, or what is made."""
    if found.thing is not None and call.operation != "contact.update":
        words = text[found.thing[0] : found.thing[1]].strip(" ,")
        if words and not words.startswith(("for ", "to ")):
            draft.memory.thing = f"the last mail from {words}" if _only_named(words, call) else words
            draft.memory.noun = noun_of(call)
    elif call.operation == "mail.send" and (event := event_in(call.body, draft.memory.person, draft.setting)):
        draft.memory.thing, draft.memory.noun = event, "event"
    elif call.operation in ("mail.send", "mail.draft", "event.create"):
        draft.memory.thing = f"{{{number}}}"


def _only_named(words: str, call: Call) -> bool:
    """ "Reply to Tom": the mail is named by nothing but its author."""
    said = (*(person.text for person in call.select.people), *call.select.words)
    return call.operation == "mail.reply" and call.select.order == "last" and [words.casefold()] == [one.casefold() for one in said]
