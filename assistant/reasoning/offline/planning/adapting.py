"""What to do when a step did not bring what it should: the seed's decision matrix as plain rules."""

from collections.abc import Iterable

from assistant.reasoning.base import Adaptation, Trouble
from assistant.reasoning.calls import Call
from assistant.reasoning.offline.reading.grammar import parse
from assistant.values import Failure, Partial, Question, Report, Step, Success

TEMPORARY = frozenset({"api_down", "rate_limited", "unavailable"})
PERMANENT = {
    "auth_expired": "ask me once more when the account is connected again",
    "read_only": "choose an account or calendar that can be written to",
    "refused": "change the request so that it stays within what is allowed",
    "invalid_response": "try again later, or look with the provider's own program",
}
TRIES = 2
"""How often one step is tried, the first time included."""


def adapt(trouble: Trouble) -> Adaptation:
    """Revise where there is another way, ask where only the user knows, exit where nothing helps, else go on."""
    for step in trouble.steps:
        report = trouble.reports.get(step.id)
        if report is None or _fine(step, report):
            continue
        decision = _about(step, report, trouble)
        if decision is not None:
            return decision
    return Adaptation(decision="continue", why="What there is suffices to go on.")


def _fine(step: Step, report: Report) -> bool:
    return isinstance(report, Success) and (step.criterion.expects == "answer" or report.data.holds)


def _about(step: Step, report: Report, trouble: Trouble) -> Adaptation | None:
    if isinstance(report, Success | Partial) and report.data.ambiguity is not None:
        choice = report.data.ambiguity
        question = Question(
            id=f"step-{step.id}", text=choice.question, trigger=choice.trigger, entity=choice.entity, choices=choice.choices
        )
        return Adaptation(decision="ask", question=question, why=choice.question)
    failure = report if isinstance(report, Failure) else None
    if failure is not None and failure.type in TEMPORARY:
        return _again(step, failure, trouble)
    if failure is not None and failure.type in PERMANENT:
        return _exit(step, failure, PERMANENT[failure.type], trouble)
    if isinstance(report, Partial):
        return None
    wider = _wider(step, trouble)
    if wider is not None:
        return wider
    if _needed(step, trouble):
        return _without(step, failure, trouble)
    return None


def _again(step: Step, failure: Failure, trouble: Trouble) -> Adaptation | None:
    """A temporary fault is tried once more; then the rest goes on without it, if it can."""
    if trouble.failures.get(step.id, 0) < TRIES:
        return Adaptation(decision="revise", steps=_pending(trouble, again=step), why=f"{failure.message} I try once more.")
    if not _needed(step, trouble) and any(_fine(s, r) for s, r in _reported(trouble)):
        return None
    return _exit(step, failure, "try again in a few minutes", trouble)


def _exit(step: Step, failure: Failure, instead: str, trouble: Trouble) -> Adaptation | None:
    """Ends only when nothing else of the plan can succeed."""
    others = [s for s, r in _reported(trouble) if s.id != step.id and _fine(s, r)]
    waiting = [s for s in trouble.steps if s.id not in trouble.reports and step.id not in _behind(s, trouble.steps)]
    if (others or waiting) and not _needed(step, trouble):
        return None
    return Adaptation(decision="exit", why=failure.message, instead=_sentence(instead))


def _reported(trouble: Trouble) -> Iterable[tuple[Step, Report]]:
    return [(step, trouble.reports[step.id]) for step in trouble.steps if step.id in trouble.reports]


def _behind(step: Step, steps: Iterable[Step]) -> set[int]:
    """All steps that `step` rests on."""
    table = {s.id: s for s in steps}
    seen: set[int] = set()
    open_ = list(step.needs)
    while open_:
        number = open_.pop()
        if number not in seen and number in table:
            seen.add(number)
            open_.extend(table[number].needs)
    return seen


def _needed(step: Step, trouble: Trouble) -> bool:
    return any(step.id in _behind(other, trouble.steps) for other in trouble.steps if other.id not in trouble.reports)


def _writes_behind(step: Step, trouble: Trouble) -> bool:
    """Nothing may be changed that only a wider search has found."""
    return any(other.criterion.expects == "proposal" and step.id in _behind(other, trouble.steps) for other in trouble.steps)


def _pending(trouble: Trouble, *, again: Step | None = None, instead: Step | None = None) -> tuple[Step, ...]:
    """The steps not done; `again` stands once more, `instead` in the place of its namesake."""
    steps = [instead if instead is not None and s.id == instead.id else s for s in trouble.steps]
    redo = again or instead
    return tuple(s for s in steps if s.id not in trouble.reports or (redo is not None and s.id == redo.id))


def _wider(step: Step, trouble: Trouble) -> Adaptation | None:
    """Another way to the same: a name from the mails where contacts don't have it, a search without its time or a word."""
    if trouble.failures.get(step.id, 0) >= TRIES or step.criterion.expects == "proposal":
        return None
    call = parse(step.instruction, trouble.setting, step.agent).call
    if call is None:
        return None
    if call.operation == "contact.address":
        name = call.select.people[0].text if call.select.people else ""
        other = step.model_copy(
            update={"agent": "email", "instruction": f"Find the last mail from {name}", "criterion": step.criterion}
        )
        return (
            _revised(other, f"{name} is not in your contacts; I look in your mail.", trouble)
            if name and step.agent == "contacts"
            else None
        )
    if step.criterion.expects != "items" or not call.operation.startswith("mail.") or _writes_behind(step, trouble):
        return None
    words = _widened(step.instruction, call)
    if words is None:
        return None
    return _revised(step.model_copy(update={"instruction": words}), "Nothing fits exactly; I look more widely.", trouble)


def _revised(step: Step, why: str, trouble: Trouble) -> Adaptation:
    return Adaptation(decision="revise", steps=_pending(trouble, instead=step), why=why)


def _widened(instruction: str, call: Call) -> str | None:
    when = call.select.when
    if when is not None and when.text and when.text in instruction:
        return " ".join(instruction.replace(when.text, " ").split())
    if len(call.select.words) > 1 and call.select.words[-1] in instruction:
        return " ".join(instruction.replace(call.select.words[-1], " ").split())
    return None


def _without(step: Step, failure: Failure | None, trouble: Trouble) -> Adaptation:
    """What other steps wait for was not found: ask for a person, else explain."""
    call = parse(step.instruction, trouble.setting, step.agent).call
    if step.criterion.expects == "one" and trouble.failures.get(step.id, 0) < TRIES + 1:
        name = call.select.people[0].text if call and call.select.people else "that person"
        text = f"I know no address of {name}. Which address should I use?"
        return Adaptation(
            decision="ask", question=Question(id=f"step-{step.id}", text=text, trigger="missing", entity=name), why=text
        )
    why = failure.message if failure is not None else f"Nothing was found for: {step.instruction}"
    return Adaptation(decision="exit", why=_sentence(why), instead="Say it in other words, or name it more exactly.")


def _sentence(text: str) -> str:
    text = text[:1].upper() + text[1:]
    return text if text.endswith((".", "!", "?")) else f"{text}."
