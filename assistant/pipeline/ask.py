"""Step 8: whether the user must be asked, and what an answer changes."""

import re

from assistant.errors import ModelError
from assistant.pipeline.state import ASK_BELOW, MODEL, NO_MODEL, OFFLINE, RETRIES, STOP, FlowState, met
from assistant.values import Ambiguity, Choice, Failure, Partial, Question, Step

GO_ON, AGAIN, WITHOUT = "go on", "again", "without"
SURE = "confidence"
MESSAGE = "message"
REPLIES = re.compile(r"(?:reply|answer|respond)\b", re.IGNORECASE)
ACKNOWLEDGEMENT = "Thank you for your mail. I will come back to you about it."
NOT_SAID = "you had not said what the reply shall say"


def _question(state: FlowState, ambiguity: Ambiguity) -> Question:
    asked = len(state.bindings) + 1
    return Question(
        id=f"{state.id}-q{asked}",
        text=ambiguity.question,
        trigger=ambiguity.trigger,
        entity=ambiguity.entity,
        choices=ambiguity.choices,
    )


def _interpretations(state: FlowState) -> Question | None:
    question = state.analysis.interpretations if state.analysis else None
    if question is None or question.entity in state.bindings:
        return None
    return question.model_copy(update={"id": f"{state.id}-q{len(state.bindings) + 1}"})


def _wanted(state: FlowState) -> Question | None:
    if state.wanted is None or state.wanted.entity in state.bindings:
        return None
    return state.wanted.model_copy(update={"id": f"{state.id}-q{len(state.bindings) + 1}"})


def _ambiguous(state: FlowState) -> Question | None:
    for step in state.steps:
        data = state.data(step.id)
        if data and data.ambiguity and data.ambiguity.entity not in state.bindings:
            return _question(state, data.ambiguity)
    return None


def _missing(state: FlowState) -> Question | None:
    """Asked once nothing is left to look up that might settle it."""
    if state.analysis is None or any(step.priority < 5 for step in state.open_steps):
        return None
    if not state.open_steps and state.reports:
        return None
    for missing in state.analysis.missing:
        if missing.what not in state.bindings:
            ask = Ambiguity(entity=missing.what, question=missing.question, trigger="missing")
            return _question(state, ask)
    return None


def _failed_too_often(state: FlowState) -> Question | None:
    for step in state.steps:
        report, entity = state.reports.get(step.id), f"retry {step.id}"
        if state.failures.get(step.id, 0) < RETRIES or not isinstance(report, Failure) or entity in state.bindings:
            continue
        choices = (
            Choice(id="1", label="Try again", value=AGAIN),
            Choice(id="2", label="Go on without it", value=WITHOUT),
            Choice(id="3", label="Stop", value=STOP),
        )
        text = f'"{state.readable(step.instruction)}" failed twice: {report.message} What shall I do?'
        return _question(state, Ambiguity(entity=entity, question=text, trigger="retries", choices=choices))
    return None


def _unsure(state: FlowState) -> Question | None:
    """Below 70 % the user is asked where an answer helps: something still rests on a shaky result."""
    if not state.reports or state.confidence >= ASK_BELOW or SURE in state.bindings:
        return None
    shaky = [
        s
        for s in state.steps
        if isinstance(r := state.reports.get(s.id), Partial) and not r.data.ambiguity and r.confidence < ASK_BELOW
    ]
    if not shaky or not any(_rests_on(state, step) for step in shaky):
        return None
    report = state.reports[shaky[0].id]
    assert isinstance(report, Partial)
    choices = (Choice(id="1", label="Go on", value=GO_ON), Choice(id="2", label="Stop", value=STOP))
    text = f"I am only {state.confidence} % sure: {' '.join(report.limitations)} Shall I go on?"
    return _question(state, Ambiguity(entity=SURE, question=text, trigger="confidence", choices=choices))


def _rests_on(state: FlowState, shaky: Step) -> bool:
    data = state.data(shaky.id)
    return bool(data and data.proposals) or any(shaky.id in step.needs for step in state.open_steps)


def without_model(state: FlowState, trouble: ModelError) -> Question:
    """Asked where the model can't be had; nothing that was found so far is lost. A budget that is used up is no better at once."""
    ways = [("Try again", AGAIN), ("Go on offline, without the model", OFFLINE), ("Stop", STOP)]
    if trouble.kind == "budget":
        del ways[0]
    choices = tuple(Choice(id=str(n), label=label, value=value) for n, (label, value) in enumerate(ways, 1))
    text = f"{trouble} Your request is kept. How shall I go on?"
    return _question(state, Ambiguity(entity=MODEL, question=text, trigger="retries", choices=choices))


def without_asking(state: FlowState, trouble: ModelError) -> FlowState:
    """Offline, where nobody is there to be asked how to go on without the model."""
    offline = _with_or_without_model(state.but(bindings={**state.bindings, MODEL: OFFLINE}), OFFLINE)
    return offline.but(limitations=(*offline.limitations, f"{trouble} So I did this offline, without the model."))


def by_itself(state: FlowState) -> FlowState:
    """A run of its own has nobody who could say what a reply is to say: it proposes an acknowledgement, and tells that this is a
    guess."""
    gaps = {gap.what for gap in state.analysis.missing} if state.background and state.analysis else set()
    if MESSAGE not in gaps - set(state.bindings):
        return state
    wanting = [step for step in state.steps if f"{{{MESSAGE}}}" in step.instruction]
    if not wanting or not all(REPLIES.match(step.instruction) for step in wanting):
        return state
    steps = tuple(_acknowledging(step) if step in wanting else step for step in state.steps)
    return state.but(steps=steps, bindings={**state.bindings, MESSAGE: ACKNOWLEDGEMENT})


def _acknowledging(step: Step) -> Step:
    return _filled(step, MESSAGE, ACKNOWLEDGEMENT).model_copy(update={"guess": NOT_SAID})


def must_ask(state: FlowState) -> Question | None:
    """The question that stands in the way, the most basic first."""
    checks = (_interpretations, _failed_too_often, _wanted, _ambiguous, _unsure, _missing)
    return next((question for check in checks if (question := check(state))), None)


def answered(state: FlowState, value: str) -> FlowState:
    """The flow with its question settled: what asked for the answer runs again, and only that."""
    question = state.question
    if question is None:
        return state
    bindings = {**state.bindings, question.entity: value}
    state = state.but(question=None, bindings=bindings, status="running")
    state = state.noting(progress=f"You answered: {value}")
    if question.entity == MODEL:
        return _with_or_without_model(state, value)
    if question.trigger == "retries":
        return _retry(state, int(question.entity.removeprefix("retry ")), value)
    if value == STOP and question.trigger == "confidence":
        return state.but(
            skipped={**state.skipped, **{s.id: "you stopped here" for s in state.open_steps}},
            limitations=(*state.limitations, "Stopped as you asked."),
        )
    if state.wanted is not None and state.wanted.entity == question.entity:
        failed = {s.id for s in state.steps if s.id in state.reports and not met(s.criterion, state.reports[s.id])}
        return state.but(wanted=None, reports={n: r for n, r in state.reports.items() if n not in failed})
    if question.trigger == "interpretations":
        return _afresh(state.but(wording=value))
    if question.trigger == "missing":
        filled = tuple(_filled(step, question.entity, value) for step in state.steps)
        return state.but(steps=filled) if filled != state.steps else _afresh(_saying_more(state, value))
    again = {n for n in state.reports if (d := state.data(n)) and d.ambiguity and d.ambiguity.entity == question.entity}
    return state.but(reports={n: r for n, r in state.reports.items() if n not in again})


def _with_or_without_model(state: FlowState, value: str) -> FlowState:
    """What failed for want of the model is tried again, by it or offline."""
    if value == STOP:
        return state
    failed = {n for n, report in state.reports.items() if isinstance(report, Failure) and report.type == NO_MODEL}
    bindings = {k: v for k, v in state.bindings.items() if k != MODEL or v == OFFLINE}
    return state.but(
        bindings=bindings,
        reports={n: report for n, report in state.reports.items() if n not in failed},
        failures={n: times for n, times in state.failures.items() if n not in failed},
        adapted=tuple(n for n in state.adapted if n not in failed),
    )


def _saying_more(state: FlowState, words: str) -> FlowState:
    wording = f"{state.wording} {words}" if state.wording else ""
    return state.but(text=f"{state.text} {words}", wording=wording)


def _afresh(state: FlowState) -> FlowState:
    """The same flow with a clearer wording, from the beginning."""
    return state.but(analysis=None, steps=(), reports={}, skipped={}, failures={}, adapted=())


def _filled(step: Step, what: str, value: str) -> Step:
    return step.model_copy(update={"instruction": step.instruction.replace(f"{{{what}}}", value.replace('"', "'"))})


def _retry(state: FlowState, step: int, value: str) -> FlowState:
    if value == AGAIN:
        left = {n: r for n, r in state.reports.items() if n != step}
        bindings = {k: v for k, v in state.bindings.items() if k != f"retry {step}"}
        return state.but(reports=left, bindings=bindings, failures={**state.failures, step: 0})
    if value == STOP:
        return state.but(skipped={**state.skipped, **{s.id: "you stopped here" for s in state.open_steps}})
    return state
