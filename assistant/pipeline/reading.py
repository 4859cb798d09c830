"""A message that only asks to see something proposes nothing, whoever planned for it."""

from collections.abc import Iterable, Sequence
from typing import Literal

from assistant.pipeline.state import FlowState, Journal
from assistant.pipeline.wishes import wish_of
from assistant.reasoning.base import Analysis, Reasoner, Request
from assistant.reasoning.everyday import is_english
from assistant.values import Plan, Step

SOMETHING = "change something"


async def judged(analysis: Analysis, request: Request, offline: Reasoner) -> Analysis:
    """With what the user's words ask for. Where that is no change, nothing that writes is left in it; where nothing is left at all,
    code reads the message instead."""
    asks = asked_for(request.text, analysis)
    analysis = analysis.model_copy(update={"asks": asks})
    if asks != "look":
        return analysis
    kept, wanted = _parted(analysis.plan.steps, request)
    if not wanted:
        return analysis
    if not kept:
        own = await offline.analyse(request)
        analysis = own.model_copy(update={"asks": asks, "limitations": (*analysis.limitations, *own.limitations)})
        kept, _ = _parted(own.plan.steps, request)
    held = [gap for gap in analysis.missing if any(f"{{{gap.what}}}" in step.instruction for step in kept)]
    changes = {
        "plan": Plan(steps=tuple(kept)),
        "missing": tuple(held),
        "intent": analysis.intent.model_copy(update={"request": "read" if kept else "talk"}),
        "output": "answer",
        "limitations": (*analysis.limitations, refused(request.text, wanted)),
    }
    return analysis.model_copy(update=changes)


def asked_for(text: str, analysis: Analysis) -> Literal["change", "look", "unclear"]:
    """By code alone. A write that code reads in the message is asked for; words that speak of a
    change without asking for one leave it to what code reads."""
    if analysis.own == "writes":
        return "change"
    wish = wish_of(text)
    if wish in ("look", "talk"):
        return "look"
    if analysis.own == "looks" and wish in ("perhaps", "unclear") and is_english(text):
        return "look"
    return "unclear" if wish == "unclear" else "change"


def refused(text: str, wanted: Iterable[str]) -> str:
    asked = "You asked for no change" if wish_of(text) == "talk" else "You only asked to see something"
    what = " and to ".join(dict.fromkeys(wanted))
    return f"{asked}, so I prepared nothing: the plan wanted to {what}, which is not in your words."


def without_writes(state: FlowState, journal: Journal) -> FlowState:
    """Where only a look was asked for, steps that came to propose a write all the same are taken out, with what rests on them."""
    wrote = [step for step in state.steps if (data := state.data(step.id)) is not None and data.proposals]
    if not state.only_looks or not wrote:
        return state
    out = {step.id for step in wrote}
    for step in state.steps:
        if out & {*step.needs, *((step.when.step,) if step.when else ())}:
            out.add(step.id)
    line = refused(state.wording or state.text, [SOMETHING])
    state = journal.tell(state, "11", line, dropped=sorted(out))
    return state.but(
        steps=tuple(step for step in state.steps if step.id not in out),
        reports={n: report for n, report in state.reports.items() if n not in out},
        limitations=tuple(dict.fromkeys((*state.limitations, line))),
    )


def _parted(steps: Sequence[Step], request: Request) -> tuple[list[Step], list[str]]:
    """The steps that can stay, and in words what the others wanted. What rests on one of these goes with it."""
    kept, wanted, out = list[Step](), list[str](), set[int]()
    for step in steps:
        deed = _deed(step, request)
        if deed or out & {*step.needs, *((step.when.step,) if step.when else ())}:
            out.add(step.id)
            wanted += [deed] if deed else []
        else:
            kept.append(step)
    return kept, wanted


def _deed(step: Step, request: Request) -> str:
    """What a step would write, as far as its words tell; empty for one that reads."""
    from assistant.reasoning.deeds import deed
    from assistant.reasoning.offline.criteria import writes
    from assistant.reasoning.offline.reading.grammar import read

    call = read(step.instruction, request.setting, step.agent).call
    if call is not None and writes(call.operation):
        return deed(call.operation)
    return SOMETHING if step.criterion.expects == "proposal" else ""
