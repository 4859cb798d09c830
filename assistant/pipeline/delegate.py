"""Steps 9 to 11: every step whose inputs are there is given to its sub-agent, side by side; what comes back is recorded."""

import asyncio
from collections.abc import Mapping
from dataclasses import replace

from assistant.agents.base import Agent, Desk
from assistant.errors import ModelError
from assistant.pipeline.state import NO_MODEL, FlowState, Interruption, Journal, awaited
from assistant.values import AgentName, Data, Failure, Partial, Report, Step

DATA_LINES = 5


def settle_conditions(state: FlowState) -> FlowState:
    """Steps whose condition came out otherwise, or whose inputs will never come, are passed over."""
    skipped = dict(state.skipped)
    for step in state.steps:
        if step.id in state.reports or step.id in skipped:
            continue
        if why := _hindrance(state, skipped, step):
            skipped[step.id] = why
    return state.but(skipped=skipped)


def _hindrance(state: FlowState, skipped: Mapping[int, str], step: Step) -> str:
    if step.when and step.when.step in state.reports:
        data = state.data(step.when.step)
        if data is None:
            return "what it depends on could not be found out"
        if data.ambiguity is None and data.holds != step.when.holds:
            return "its condition did not hold"
    inputs = {*step.needs, *((step.when.step,) if step.when else ())}
    if any(n in skipped for n in inputs):
        return next(skipped[n] for n in sorted(inputs) if n in skipped)
    final = [n for n in step.needs if isinstance(state.reports.get(n), Failure) and n in state.adapted]
    return f"step {final[0]} failed" if final else ""


def ready(state: FlowState) -> tuple[Step, ...]:
    """Open steps whose inputs are all there and settled, and that lack nothing the user is still to say."""
    inputs = {s.id: (*s.needs, *((s.when.step,) if s.when else ())) for s in state.open_steps}
    return tuple(s for s in state.open_steps if all(_settled(state, n) for n in inputs[s.id]) and not _lacks(state, s))


def _lacks(state: FlowState, step: Step) -> bool:
    gaps = state.analysis.missing if state.analysis else ()
    return any(gap.what not in state.bindings and f"{{{gap.what}}}" in step.instruction for gap in gaps)


def _settled(state: FlowState, step: int) -> bool:
    data = state.data(step)
    return data is not None and data.ambiguity is None


async def delegate(
    state: FlowState, agents: Mapping[AgentName, Agent], desk: Desk, journal: Journal, interruption: Interruption
) -> FlowState:
    """The reports that came before an interruption are kept; late ones are abandoned."""
    steps = ready(state)
    desk = replace(desk, results=state.results(), bindings=state.bindings)
    running: dict[asyncio.Task[Report], Step] = {}
    for step in steps:
        words = f"{step.agent.capitalize()} agent: {_readable(state, step.instruction)}"
        state = journal.tell(state, "9", words, id=step.id, agent=step.agent)
        running[asyncio.create_task(_run(agents[step.agent], step, desk))] = step
    flag = asyncio.create_task(interruption.wait())
    try:
        pending: set[asyncio.Task[Report]] = set(running)
        while pending and not interruption.is_set():
            await asyncio.wait({*pending, flag}, return_when=asyncio.FIRST_COMPLETED)
            arrived = {task for task in pending if task.done()}
            pending -= arrived
            for task in sorted(arrived, key=lambda t: running[t].id):
                state = record(state, running[task], task.result(), journal)
    finally:
        flag.cancel()
        for task in running:
            task.cancel()
        await asyncio.gather(flag, *running, return_exceptions=True)
    return state


async def _run(agent: Agent, step: Step, desk: Desk) -> Report:
    """A fault in a sub-agent is that step's failure, never the flow's end."""
    try:
        return await agent.run(step.instruction, desk)
    except ModelError as error:
        return Failure(type=NO_MODEL, message=str(error), context={"instruction": step.instruction, "trouble": error.kind})
    except Exception as fault:
        words = f"Something went wrong inside the {step.agent} agent ({type(fault).__name__}: {fault})."
        return Failure(type="internal", message=words, context={"instruction": step.instruction})


def trouble_of(failure: Failure) -> ModelError:
    """What was wrong with the model, by a failure for want of it."""
    return ModelError(failure.message, failure.context.get("trouble", "server"))


def record(state: FlowState, step: Step, report: Report, journal: Journal) -> FlowState:
    """Steps 10 and 11 for one report."""
    reports = {**state.reports, step.id: report}
    if isinstance(report, Failure):
        failures = {**state.failures, step.id: state.failures.get(step.id, 0) + 1}
        state = state.but(reports=reports, failures=failures)
        told = {"id": step.id, "status": "error", "type": report.type, "found": report.message}
        state = journal.tell(state, "10", f"Error ({report.type}): {report.message}", **told)
        state = state.noting(blockers=report.message, notes=f"Step {step.id} failed: {report.type}")
        return journal.tell(state, "11", f"Blockers: {report.message}")
    state = state.but(reports=reports)
    limits = report.limitations if isinstance(report, Partial) else ()
    asks = report.data.ambiguity is not None
    words = f"{report.status.capitalize()} ({report.confidence} %): {brief(report.data)}"
    if limits and not asks:
        words += f" — {'; '.join(limits)}"
    found = {"kind": report.data.kind, "found": brief(report.data), "proposed": len(report.data.proposals)}
    state = journal.tell(state, "10", words, id=step.id, status=report.status, confidence=report.confidence, **found)
    if not asks:
        state = state.but(limitations=tuple(dict.fromkeys((*state.limitations, *limits))))
    lines, asked = entities(report.data), _readable(state, step.instruction)
    state = state.noting(
        data=f"{asked}: {brief(report.data)}",
        entities=lines,
        progress=f"{step.agent.capitalize()}: {asked}",
        next=_readable(state, state.open_steps[0].instruction) if state.open_steps else "Answer",
    )
    return journal.tell(state, "11", f"Data: {brief(report.data)}")


def _readable(state: FlowState, instruction: str) -> str:
    """A result that names nobody is told of in a clause."""
    results = state.results()
    return state.readable(instruction, lambda ref: brief(results[ref]) if ref in results else awaited(ref))


def brief(data: Data) -> str:
    """One clause about what was found."""
    if data.ambiguity:
        return f"{len(data.ambiguity.choices)} possibilities for {data.ambiguity.entity}"
    if data.proposals:
        return "; ".join(p.says or p.action.kind.replace("_", " ") for p in data.proposals[:DATA_LINES])
    if data.truth is not None:
        return "yes" if data.truth else "no"
    if data.kind == "count":
        return str(data.count)
    if data.kind == "text":
        return data.text.partition("\n")[0][:120]
    things = {"mails": data.mails, "events": data.events, "contacts": data.contacts, "addresses": data.addresses}
    items = things.get(data.kind) or data.slots or data.clashes
    if data.kind == "nothing":
        return "nothing found"
    number = data.total if data.total is not None else len(items)
    noun = {"clashes": "conflict", "addresses": "address"}.get(data.kind, data.kind.removesuffix("s"))
    return f"{number} {noun}{'' if number == 1 else 'es' if noun.endswith('s') else 's'}"


def entities(data: Data) -> tuple[str, ...]:
    """The people, mails and events that a result names, as lines of the context box."""
    people = [f"{c.name} <{c.emails[0]}>" if c.emails else c.name for c in data.contacts] or [str(a) for a in data.addresses]
    mails = [f'mail "{m.subject}" from {m.sender.name or m.sender.email}' for m in data.mails if m.sender]
    events = [f"{e.title} ({e.start:%a %d %b %H:%M})" for e in data.events]
    return tuple((people + mails + events)[:DATA_LINES])
