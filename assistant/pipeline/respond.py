"""Step 15: results are held against each step's criterion, and one reply says what was found, done, proposed and left out."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from assistant.pipeline.state import ASK_BELOW, GOES_ON, FlowState, Status, met
from assistant.reasoning.base import Account, Reasoner, Setting
from assistant.reasoning.origins import NOT_AS_APPROVED, WARNING, reasons_of
from assistant.values import Failure, Outcome, Step
from risk.preview import Preview

EXPIRED = "This waited for too long to be done unseen, so nothing was done yet. Here it is again, as things stand now."
TOO_LATE = 'The time at which this was to go out has passed, so nothing was sent. Say when it shall go out, or "send it now".'
STALE = "Something has changed since this was shown, so nothing was done. Here it is again, as things stand now."


async def spoken(state: FlowState, reasoner: Reasoner, setting: Setting) -> str:
    """What was found, in the reasoner's words. A preview and a receipt need none: they are worded by code."""
    if state.analysis and state.analysis.say:
        return state.analysis.say
    told = answers(state)
    if not told:
        return ""
    reports = {s.id: state.reports[s.id] for s in told}
    as_said = state.analysis is None or state.analysis.as_said
    account = Account(text=state.text, box=state.box, steps=told, reports=reports, setting=setting, as_said=as_said)
    return await reasoner.reply(account)


def answers(state: FlowState) -> tuple[Step, ...]:
    """The steps whose reports must be put into words."""
    found = (s for s in state.steps if s.id in state.reports and not ((d := state.data(s.id)) and d.proposals))
    return tuple(s for s in found if not _only_an_input(state, s) and not _made_up_for(state, s))


def _only_an_input(state: FlowState, step: Step) -> bool:
    """A look-up that another step needed is not an answer, as long as it succeeded."""
    needed = any(step.id in other.needs and other.id not in state.skipped for other in state.steps)
    return needed and met(step.criterion, state.reports[step.id])


def _made_up_for(state: FlowState, step: Step) -> bool:
    """A look-up that found nothing, where the one planned for that case found something."""
    data = state.data(step.id)
    instead = [
        s for s in state.steps if s.when and s.when.step == step.id and not s.when.holds and s.criterion.expects != "proposal"
    ]
    found = any((other := state.data(s.id)) is not None and (other.holds or _made_up_for(state, s)) for s in instead)
    return data is not None and not data.holds and found


def unmet(state: FlowState) -> tuple[str, ...]:
    """For each step that missed its success criterion, which and why."""
    lines = []
    for step in state.steps:
        if step.id in state.skipped:
            if state.skipped[step.id] != "its condition did not hold":
                lines.append(f'Not done: "{state.readable(step.instruction)}", because {state.skipped[step.id]}.')
        elif step.id in state.reports and not met(step.criterion, state.reports[step.id]):
            lines.append(f'Not as hoped: "{state.readable(step.instruction)}" ({step.criterion.words}).')
    return tuple(lines)


def _left_undone(state: FlowState) -> tuple[str, ...]:
    """The writes asked for beside something else of which nothing came."""
    asked = [s for s in state.steps if s.criterion.expects == "proposal"]
    undone = [
        s for s in asked if s.id in state.reports and not met(s.criterion, state.reports[s.id]) and not _made_up_for(state, s)
    ]
    asks = {s.id for s in undone if (data := state.data(s.id)) is not None and data.ambiguity is not None}
    gone = [s for s in asked if state.skipped.get(s.id, UNMET) != UNMET]
    if len(asked) < 2:
        return ()
    return tuple(f'Not done: "{state.readable(s.instruction)}".' for s in (*undone, *gone) if s.id not in asks)


UNMET = "its condition did not hold"


def compose(state: FlowState, said: str, previews: Sequence[Preview]) -> FlowState:
    parts = [state.late, said, *_counted(_outcome(o) for o in state.outcomes)]
    short = [proposed(preview) for preview in previews]
    parts.extend(short)
    passed = [s for s in state.steps if state.skipped.get(s.id) == "its condition did not hold"]
    untouched = [s for s in passed if s.criterion.expects == "proposal"]
    if untouched and not previews and not state.outcomes:
        parts.append("So there was nothing to do.")
    misses = unmet(state)
    parts.extend(misses if not said else _left_undone(state))
    parts.extend(line for line in state.limitations if line not in said)
    if state.beside:
        parts.append(f"The proposal stays open: {'; '.join(proposal.says for proposal in state.beside.proposals[:3])}.")
    if state.previous:
        parts.append(_left(state.previous))
    failure = any(isinstance(report, Failure) for report in state.reports.values())
    if 0 < state.confidence < ASK_BELOW and state.reports and not failure:
        parts.append(f"I am {state.confidence} % sure of this.")
    failed = bool(state.reports) and not previews and not state.outcomes and state.confidence == 0
    failed = failed and not _nothing_there(state)
    failed = failed or (bool(state.outcomes) and not previews and all(o.status == "failed" for o in state.outcomes))
    reply = "\n".join(dict.fromkeys(part for part in parts if part)) or "There was nothing to do."
    spoken = "\n".join(dict.fromkeys(part for part in parts if part and part not in short))
    return state.but(
        reply=reply,
        spoken=spoken if short else None,
        limitations=tuple(dict.fromkeys((*state.limitations, *misses))),
        status="failed" if failed else _rest(state, previews),
    ).noting(progress="Answered", next="Nothing" if not previews else "Wait for your approval")


def _nothing_there(state: FlowState) -> bool:
    """A run by itself that finds nothing to do has not failed."""
    failures = [report for report in state.reports.values() if isinstance(report, Failure)]
    return state.background and bool(failures) and all(one.type == "not_found" for one in failures)


def _rest(state: FlowState, previews: Sequence[Preview]) -> Status:
    """What nobody was there to see waits for whoever comes."""
    return "parked" if state.background and any(preview.status == "open" for preview in previews) else "done"


def _left(previous: str) -> str:
    task = previous.partition('"')[2].rpartition('"')[0] or previous
    return previous if previous.endswith(GOES_ON) else f'I\'ve paused "{task}" and can resume it later if needed.'


def _counted(lines: Iterable[str]) -> Iterator[str]:
    """Each once; what was done more than once says so."""
    return (line if times == 1 else f"{line} ({times} times)" for line, times in Counter(lines).items())


def _outcome(outcome: Outcome) -> str:
    """One line about one write, never more than the receipt says."""
    what = outcome.says or outcome.action.kind.replace("_", " ")
    if outcome.status == "done":
        differs = f"\n⚠ {NOT_AS_APPROVED}: {outcome.differs.rstrip('.')}." if outcome.differs else ""
        return f"✓ Done: {what}.{' ' + outcome.note if outcome.note else ''}{differs}"
    if outcome.status == "failed":
        return f"✗ Not done: {what}. {outcome.note}"
    return f"{STANDING.get(outcome.status, '? Uncertain')}: {what}. {outcome.note}".rstrip()


STANDING = {
    "held": "… Not sent yet",
    "pending": "… Waiting",
    "started": "… Under way",
    "taken_back": "✓ Taken back before it went out",
}


def proposed(preview: Preview) -> str:
    """The short form of a preview; whoever shows it in full renders the preview itself."""
    reasons = reasons_of(preview)
    lines = [f"{preview.level.capitalize()} risk{': ' if reasons else ''}{'; '.join(reasons)}."] if preview.reasons else []
    head = ["Nothing has been done yet. This is what I would do:", *(f"⚠ {WARNING}: {one}." for one in preview.warnings)]
    lines = head + [f"  • {item.says}" for item in preview.items[:20]] + lines
    if len(preview.items) > 20:
        lines.insert(-1, f"  … and {len(preview.items) - 20} more")
    said = [f"Through {' and '.join(preview.through)}."] if preview.through else []
    said += [f"I assume: {guess}" for item in preview.items for guess in item.guesses]
    said += [f"Note: {note}" for item in preview.items for note in item.notes]
    lines += [f"  {line}" for line in dict.fromkeys(said)]
    return "\n".join([*lines, 'Say "approve", tell me what to change, or say "cancel".'])
