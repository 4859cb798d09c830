"""A flow as a saved value: everything needed to go on with it in another process."""

import contextlib
import json
from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Annotated, Any, Literal, Protocol, Self

from pydantic import AliasChoices, BeforeValidator, Field, ValidationError

from assistant.briefing.facts import Briefing, Wanted
from assistant.errors import Unreadable
from assistant.reasoning.base import Analysis, Intent
from assistant.reasoning.lines import briefed, lined, reference
from assistant.reasoning.naming import itself, named
from assistant.values import (
    ContextBox,
    Criterion,
    Data,
    Failure,
    Outcome,
    OwnCommand,
    Partial,
    Paused,
    Proposal,
    Question,
    Report,
    Shown,
    Step,
    Success,
)
from integrations.types import Event, Value

Course = Literal["plan", "approve", "undo", "drop", "ask", "late", "brief", "remind"]
Status = Literal["running", "waiting", "suspended", "parked", "done", "failed", "cancelled"]
Proposer = Literal["propose", "by hand", "program"]
"""The door of typed writes: Python, the page, where the user chose them without words, or another program."""
MAX_PASSES = 10
COMPLETE, PARTIAL = 90, 50
ASK_BELOW = 70
RETRIES = 2
MODEL, OFFLINE, STOP = "model", "offline", "stop"
"""What a flow's bindings hold where it goes on without the model, or no more."""
LOW = "-low"
"""Ends the reference under which a flow does what the gate lets through."""
GOES_ON = "it goes on when this is done."
"""Ends what `previous` says of a run of a schedule, which nobody need resume."""
NO_WISH = "I found no wish for a change in your message"
UNSAID = "it is about something that was shown though you had not asked for it"
NO_MODEL = "no_model"
"""The type of a failure for want of the model."""


class StepRecord(Value):
    """One numbered step of the chart as it was passed."""

    step: str
    at: datetime
    text: str


class Carried(Value):
    """A preview that a new flow takes up: to revise it (`feedback` are the user's words) or to carry it out."""

    preview: str
    fingerprint: str
    proposals: tuple[Proposal, ...]
    feedback: str = ""


def _several(targets: Any) -> Any:
    """Of older snapshots, whose `target` is one."""
    return tuple(filter(None, (targets,))) if isinstance(targets, str) else targets


class FlowState(Value):
    """`reports`, `failures` and `skipped` are by step id; `results` are earlier results by reference; `own_words` says whether
    `text` came from the user's own hand (a schedule's or another program's text mandates nothing)."""

    id: str
    user: str
    conversation: str
    text: str
    wording: str = ""
    """A clearer wording of `text` that a reasoner gave and the user chose: it is what is planned for, and no own words."""
    created: datetime
    version: int = 0
    status: Status = "running"
    course: Course = "plan"
    targets: Annotated[tuple[str, ...], BeforeValidator(_several)] = Field((), validation_alias=AliasChoices("targets", "target"))
    """The previews and flows that `drop` is about, or the flow that `undo` takes back."""
    own_words: bool = True
    door: str = "say"
    """The method of the facade through which it came, or a Proposer."""
    background: bool = False
    slot: str = ""
    """The schedule and its slot that it is a run of, with a slash between."""
    schedule: str = ""
    """The name of that schedule."""
    late: str = ""
    """What to say where it comes later than it was due."""
    held: bool = False
    """The user has stopped it, so it does not go on by itself."""
    brief: Wanted | None = None
    """What `brief` is to tell of."""
    briefing: Briefing | None = None
    undo_window: timedelta = timedelta()
    """For how long a mail of it is held before it leaves."""
    history: tuple[str, ...] = ()
    said: tuple[str, ...] = ()
    shown: tuple[Shown, ...] = ()
    last: str = ""
    """The conversation's last request before this one, in whole words."""
    since: tuple[str, ...] = ()
    """What was asked after the newest of `shown` and showed nothing, newest first."""
    paused: tuple[Paused, ...] = ()
    """What of its conversation rested when it began."""
    previous: str = ""
    carried: Carried | None = None
    beside: Carried | None = None
    """What stays open, unchanged, beside a message that was not understood."""
    analysis: Analysis | None = None
    box: ContextBox = ContextBox()
    steps: tuple[Step, ...] = ()
    passes: int = 0
    reports: dict[int, Report] = Field(default_factory=dict)
    failures: dict[int, int] = Field(default_factory=dict)
    skipped: dict[int, str] = Field(default_factory=dict)
    adapted: tuple[int, ...] = ()
    bindings: dict[str, str] = Field(default_factory=dict)
    left_open: tuple[str, ...] = ()
    """Choices that the user left to the assistant, by label: all that it proposes rests on them as on a guess."""
    question: Question | None = None
    wanted: Question | None = None
    """What an adaptation wants to ask."""
    confidence: int = 0
    limitations: tuple[str, ...] = ()
    gated: bool = False
    outcomes: tuple[Outcome, ...] = ()
    made: tuple[Event, ...] = ()
    """Events that its writes brought about, for "it"."""
    permits: tuple[str, ...] = ()
    """What its writes were carried out under, for an undo."""
    previews: tuple[str, ...] = ()
    reply: str = ""
    spoken: str | None = None
    """The reply without the short form of its previews, for whoever shows those in full."""
    revived: int = 0
    """How often it was gone on with after the program ended in the middle of it."""
    trail: tuple[StepRecord, ...] = ()

    def but(self, **changes: object) -> Self:
        """A copy with these fields changed."""
        return self.model_copy(update=changes)

    def noting(self, **lines: str | tuple[str, ...]) -> Self:
        """A copy whose context box has `goal`/`next` replaced and the other fields added to, without repeats."""
        changes: dict[str, object] = {}
        for field, value in lines.items():
            before = getattr(self.box, field)
            if isinstance(before, str):
                changes[field] = value
            else:
                new = (value,) if isinstance(value, str) else value
                changes[field] = before + tuple(line for line in dict.fromkeys(new) if line and line not in before)
        return self.but(box=self.box.model_copy(update=changes))

    @property
    def offline(self) -> bool:
        """Whether it went on without the model, as the user chose."""
        return self.bindings.get(MODEL) == OFFLINE

    @property
    def stopped(self) -> bool:
        """Whether it was given up for want of the model."""
        return self.bindings.get(MODEL) == STOP

    @property
    def about(self) -> str:
        """The flow's goal in words, or the message that began it."""
        return self.box.goal or self.text

    @property
    def open_steps(self) -> tuple[Step, ...]:
        return tuple(s for s in self.steps if s.id not in self.reports and s.id not in self.skipped)

    @property
    def resumable(self) -> bool:
        """Whether the loop runs it: anything else is one short act that is not gone on with in the middle."""
        return self.course == "plan" and not (self.own_words and self.analysis and self.analysis.command)

    @property
    def by_program(self) -> bool:
        """Whether another program's words gave rise to it; a schedule's are the user's."""
        return self.course == "plan" and not (self.own_words or self.background or self.door in ("propose", "by hand"))

    @property
    def only_looks(self) -> bool:
        """Whether code finds no wish for a change in the words, so that nothing is proposed."""
        return self.analysis is not None and self.analysis.asks == "look"

    @property
    def permit(self) -> str:
        """The reference under which the flow writes, or would."""
        if self.course == "approve" and self.carried:
            return self.carried.preview
        return self.permits[-1] if self.permits else f"{self.id}{LOW}"

    def data(self, step: int) -> Data | None:
        report = self.reports.get(step)
        return None if report is None or isinstance(report, Failure) else report.data

    @property
    def proposals(self) -> tuple[Proposal, ...]:
        """What the steps proposed, in the plan's order. A change of a carried proposal takes the place of the change before it."""
        if self.only_looks:
            return ()
        overtaken = {s.id for s in self._revisions()[:-1]}
        proposed = ((s, p) for s in self.steps if s.id not in overtaken and (d := self.data(s.id)) for p in d.proposals)
        left = tuple(f"{label}, for you left it to me" for label in self.left_open)
        return tuple(
            p.model_copy(update={"guesses": (*p.guesses, *self._doubts(s), *left), "warnings": (*p.warnings, *self._warnings(s))})
            for s, p in proposed
        )

    def _warnings(self, step: Step) -> tuple[str, ...]:
        """What a step does that the user's words do not ask for."""
        unclear = self.analysis is not None and self.analysis.asks == "unclear" and not self.carried
        leans = self._unsaid(step)
        return (*step.warnings, *((NO_WISH,) if unclear else ()), *((UNSAID,) if leans else ()))

    def _doubts(self, step: Step) -> tuple[str, ...]:
        """What is not the user's own about a step, or not known of the condition that it hangs on."""
        report = self.reports.get(step.when.step) if step.when else None
        limits = report.limitations if isinstance(report, Partial) else ()
        return (*filter(None, (step.guess,)), *(f"its condition holds; {limit}" for limit in limits))

    def _revisions(self) -> list[Step]:
        """The steps that have changed the carried proposal, in the order in which they did."""
        return [s for s in self.steps if "{proposal}" in s.instruction and (d := self.data(s.id)) and d.proposals]

    @property
    def leans_on_unsaid(self) -> bool:
        """Whether a step refers to something shown that the user's words had not asked for."""
        return any(map(self._unsaid, self.steps))

    def _unsaid(self, step: Step) -> bool:
        return any(f"{{shown{n or ''}}}" in step.instruction for n, one in enumerate(self.shown) if not one.as_said)

    def readable(self, words: str, unfound: Callable[[str], str] = itself) -> str:
        """With names in the place of references; `unfound` as `named` has it."""
        return named(words, self.results(), unfound)

    def results(self) -> dict[str, Data]:
        """Everything an instruction can refer to; the proposal as the steps have changed it so far."""
        found = {str(n): d for n in self.reports if (d := self.data(n))}
        found |= {f"shown{n or ''}": one.data for n, one in enumerate(self.shown)}
        found |= {reference(line): lined(line) for line in briefed(self.shown)}
        if self.carried:
            revised = self._revisions()
            carried = Data(kind="proposals", proposals=self.carried.proposals)
            found["proposal"] = (self.data(revised[-1].id) if revised else None) or carried
        return found


def read_state(snapshot: str) -> FlowState:
    """Raises Unreadable."""
    try:
        return FlowState.model_validate_json(snapshot)
    except ValidationError as error:
        raise Unreadable(
            "The state of this task can't be read: it is damaged, or was saved by another version of the program."
        ) from error


def permits_in(flow: str, snapshot: str) -> frozenset[str]:
    """The references under which a running flow may be writing. Where its snapshot can't be read, all that it names as such."""
    found = {f"{flow}{LOW}"}
    try:
        return frozenset(found | {read_state(snapshot).permit})
    except Unreadable:
        with contextlib.suppress(ValueError, TypeError, AttributeError):  # what there is, as far as it is what it should be
            stored = json.loads(snapshot)
            found |= set(stored.get("permits", ()))
            found |= {stored["carried"]["preview"]} if stored.get("carried") else set()
        return frozenset(found)


def awaited(ref: str) -> str:
    """How a result is called before it is there."""
    return f"what step {ref} finds" if ref.isdigit() else itself(ref)


class Journal(Protocol):
    """Where a running flow tells what happens and is saved."""

    def tell(self, state: FlowState, step: str, text: str, **data: object) -> FlowState:
        """Streams an event at once and adds it to the state's trail; it is stored with the next save."""

    async def save(self, state: FlowState) -> FlowState:
        """Compare-and-set on the version; the state with its new version. Raises when another owner has the flow."""


class Interruption(Protocol):
    """Set when a new message, Ctrl-C or a shutdown wants the flow to stop."""

    def is_set(self) -> bool: ...

    async def wait(self) -> object: ...


def met(criterion: Criterion, report: Report | None) -> bool:
    """Whether a report fulfils a step's success criterion."""
    if report is None or isinstance(report, Failure) or report.data.ambiguity:
        return False
    data = report.data
    if criterion.expects == "proposal":
        return bool(data.proposals) or data.already
    if criterion.expects == "one":
        return len(data.addresses) == 1 or len(data.contacts) == 1
    if criterion.expects == "items":
        return data.holds
    return True


def commanding(state: FlowState, command: OwnCommand) -> FlowState:
    """A flow that carries out what code has read in the user's own words."""
    goal = command.kind.replace("_", " ")
    analysis = Analysis(
        context="",
        intent=Intent(goal=goal, request="command"),
        output="execute_and_confirm",
        box=ContextBox(goal=goal, progress=("Intent determined",)),
        command=command,
    )
    return state.but(analysis=analysis, box=analysis.box)


def proposing(state: FlowState, proposals: tuple[Proposal, ...], goal: str) -> FlowState:
    """A flow whose writes are given, not thought up: nothing is left to analyse or delegate."""
    step = Step(
        id=1,
        agent="email",
        instruction=goal,
        criterion=Criterion(words="it is shown for approval", expects="proposal"),
        priority=6,
    )
    analysis = Analysis(
        context="",
        intent=Intent(goal=goal, request="write"),
        output="draft_proposal",
        box=ContextBox(goal=goal, progress=("Proposed from outside",)),
    )
    report = Success(data=Data(kind="proposals", proposals=proposals), confidence=100)
    return state.but(analysis=analysis, box=analysis.box, steps=(step,), reports={1: report}, confidence=100)
