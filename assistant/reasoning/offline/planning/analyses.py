"""What a message comes to in the end: the plan of a draft, words and nothing else, or a command to the assistant itself."""

from collections.abc import Sequence

from assistant.reasoning.base import Analysis, Intent, Missing, Request
from assistant.reasoning.offline import criteria
from assistant.reasoning.offline.lexicon import lexicon
from assistant.reasoning.offline.planning.outline import Draft
from assistant.reasoning.offline.reading.text.tokens import tokenise
from assistant.values import ContextBox, OwnCommand, Plan, Step

COMMANDS = {
    "cancel_flow": "give up a paused task",
    "resume_flow": "go on with a paused task",
    "undo": "take back what was done last",
    "show_outbox": "tell what has not gone out yet",
    "withdraw": "take back a scheduled mail",
    "create_schedule": "do it when it is due",
    "show_schedules": "tell which schedules there are",
    "manage_schedule": "change a schedule",
    "change_schedule": "change when or where a schedule comes",
    "show_briefing": "give a briefing",
    "remember": "remember what you say",
    "show_notes": "tell what is remembered",
    "forget_note": "forget something that was remembered",
}


def spoken(request: Request, said: str, goal: str, *, understood: bool = True) -> Analysis:
    """Words and nothing else: an answer, or why nothing can be done where the request was not `understood`."""
    intent = Intent(goal=goal, request="talk" if understood else "unknown")
    box = ContextBox(goal=goal, progress=("Intent determined",))
    return Analysis(context=context_of(request), intent=intent, box=box, say=said)


def commanded(request: Request, command: OwnCommand) -> Analysis:
    goal = COMMANDS[command.kind]
    named = next((flow.goal or flow.about for flow in request.paused if flow.flow == getattr(command, "flow", "")), "")
    goal = f"{goal}: {named}" if named else goal
    box = ContextBox(goal=goal, progress=("Intent determined",))
    return Analysis(context=context_of(request), intent=Intent(goal=goal, request="command"), box=box, command=command)


def finished(draft: Draft, context: str = "") -> Analysis:
    """The plan of a draft whose sentences are all read."""
    request, goal = draft.request, "; ".join(draft.goals)
    write = [call for call in draft.calls if criteria.writes(call.operation)]
    kind = "both" if write and len(write) < len(draft.calls) else "write" if write else "read"
    steps = _in_order(sorted(draft.steps, key=lambda step: (step.priority, step.id)))
    risks = tuple(dict.fromkeys([*draft.risks, *_word_risks(request.text)])) if write else ()
    light = all(call.operation in criteria.LIGHT for call in write)
    output = "answer" if not write else "execute_and_confirm" if light else "draft_proposal"
    constraints = tuple(dict.fromkeys([*draft.constraints, *(["needs approval"] if output == "draft_proposal" else []), *risks]))
    box = ContextBox(
        goal=goal, entities=tuple(draft.entities), constraints=constraints, progress=("Intent determined, entities identified",),
        next=steps[0].instruction if steps else "", notes=tuple(draft.notes),
    )  # fmt: skip
    return Analysis(
        context=context or context_of(request, draft.memory.used_shown), risks=risks, intent=Intent(goal=goal, request=kind),
        missing=_once(draft.missing), output=output, box=box, plan=Plan(steps=steps),
    )  # fmt: skip


def context_of(request: Request, refers: bool = False) -> str:
    if refers:
        return "The message refers to what was shown before."
    if request.paused:
        return f"Previous task: {request.paused[0].goal or request.paused[0].about}, {request.paused[0].status}."
    if request.history:
        return "The conversation goes on; this message stands for itself."
    return "A new conversation."


def _in_order(steps: Sequence[Step]) -> tuple[Step, ...]:
    """By priority, and each behind what it needs."""
    left, placed = list(steps), list[Step]()
    while left:
        there = {step.id for step in placed}
        following = next((step for step in left if set(step.needs) <= there), left[0])
        placed.append(following)
        left.remove(following)
    return tuple(placed)


def _once(gaps: Sequence[Missing]) -> tuple[Missing, ...]:
    return tuple({gap.what: gap for gap in reversed(gaps)}.values())[::-1]


def _word_risks(text: str) -> list[str]:
    words = [item.low for item in tokenise(text)]
    return list(dict.fromkeys(match[1] for at in range(len(words)) if (match := lexicon().risks.at(words, at))))
