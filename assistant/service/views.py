"""What the API shows of a user's tasks and mail, typed so that the OpenAPI document is exact."""

from collections.abc import Iterable
from datetime import date, datetime
from typing import Any, Generic, Literal, TypeVar

from pydantic import Field

from assistant.events import FlowEvent
from assistant.facade import Turn as Told
from assistant.running.conversations import Conversation as Conversation
from assistant.running.conversations import Message as Kept
from assistant.running.glance import Day
from assistant.running.stories import Deed, Line, Story
from assistant.service.briefings import BriefingView, briefing_of
from assistant.service.params import WallTime
from assistant.values import AgentName, Failure, Outcome, Partial, Question, Report
from assistant.values import Step as Planned
from integrations.types import Event, Mail, Page, Value
from risk.preview import Preview
from storage.tables import FlowHead

T = TypeVar("T")


class Items(Value, Generic[T]):
    items: tuple[T, ...]


class Listed(Items[T], Generic[T]):
    next: str | None = Field(None, description="The cursor of the following page; null at the end.")


class Delegation(Value):
    """One step of the plan, and what came of it. `words`: why it came to no full result."""

    id: int
    agent: AgentName
    instruction: str
    status: Literal["success", "partial", "error", "open"]
    words: str = ""


class Turn(Value):
    """A flow as it stands: what was replied, asked, proposed and done. `confidence` in percent; `reasoner` names who thought;
    `sample`: it is about the sample account; `undoable`: something that it did can be taken back; `slot`: the run of
    a schedule that it is, as "<schedule>/<slot>", `late` what there is to say where that came late."""

    flow: str
    conversation: str
    about: str
    status: str
    reply: str
    question: Question | None
    previews: tuple[Preview, ...]
    outcomes: tuple[Outcome, ...]
    confidence: int
    limitations: tuple[str, ...]
    reasoner: str
    sample: bool
    steps: tuple[Delegation, ...]
    undoable: bool
    briefing: BriefingView | None
    slot: str
    late: str


class Mails(Listed[Mail]):
    """`total` counts all that match, where the providers know; `skipped`: sentences about what could not be read."""

    total: int | None
    skipped: tuple[str, ...]


class AsksAttention(Value):
    """`why` is `reasons` as one clause."""

    mail: Mail
    reasons: tuple[str, ...]
    why: str


class Today(Value):
    """`date` in `zone`; work lies between `day_starts` and `day_ends`. `clashes` are pairs of the ids of events that overlap.
    `unread` mails in the inbox, open `previews` and `resting` flows are counted."""

    date: date
    zone: str
    day_starts: WallTime
    day_ends: WallTime
    events: tuple[Event, ...]
    clashes: tuple[tuple[str, str], ...]
    invitations: tuple[Event, ...]
    mails: tuple[AsksAttention, ...]
    unread: int
    previews: int
    resting: int
    skipped: tuple[str, ...]


class Recorded(Value):
    """What the audit journal tells of a preview, or of what else was permitted under `permit`: `says` what it was, `result` what it
    came to, `approval` by whom it was approved, as a sentence; `approved` as a clause. `words` asked for it; `at`: when the last
    was noted. What was forgotten is missing."""

    permit: str
    flow: str
    conversation: str
    words: str
    level: str
    reasons: tuple[str, ...]
    approved: str
    deeds: tuple[Deed, ...]
    at: datetime
    lines: tuple[Line, ...]
    says: str
    result: str
    approval: str


class Begun(Value):
    id: str


class Message(Value):
    """`turn` stands with the last message of a flow that has come to its end or rests; null where its record can't be read any
    more."""

    id: str
    role: Literal["user", "assistant", "program", "schedule"]
    text: str
    at: datetime
    flow: str | None
    turn: Turn | None = None


class Messages(Listed[Message]):
    """The oldest first; `next` leads to those before them. `cursor`: from there the conversation's events go on. `running`: the
    flow that runs in it now."""

    cursor: str
    running: str | None


class Flow(Value):
    """`about` is the message that began it."""

    id: str
    conversation: str
    about: str
    goal: str
    status: str
    created: datetime
    updated: datetime


class Step(Value):
    """One numbered step of a flow; `step` is its number in the chart, `name` what it is called there; `seq` counts from 1."""

    flow: str
    seq: int
    at: datetime
    step: str
    name: str
    text: str
    data: dict[str, Any]


class OpenQuestion(Value):
    flow: str
    conversation: str
    about: str
    question: Question


def turn_of(told: Told) -> Turn:
    return Turn(
        flow=told.flow,
        conversation=told.conversation,
        about=told.about,
        status=told.status,
        reply=told.said,
        question=told.question,
        previews=told.previews,
        outcomes=told.outcomes,
        confidence=told.confidence,
        limitations=told.limitations,
        reasoner=told.reasoner,
        sample=told.sample,
        steps=tuple(_delegation(step, told.reports.get(step.id)) for step in told.steps),
        undoable=any(outcome.undoable for outcome in told.outcomes),
        briefing=briefing_of(told.briefing) if told.briefing else None,
        slot=told.slot,
        late=told.late,
    )


def _delegation(step: Planned, report: Report | None) -> Delegation:
    words = ""
    if isinstance(report, Failure):
        words = report.message
    elif isinstance(report, Partial):
        words = "; ".join(report.limitations)
    status = report.status if report else "open"
    return Delegation(id=step.id, agent=step.agent, instruction=step.instruction, status=status, words=words)


def step_of(told: FlowEvent) -> Step:
    return Step(flow=told.flow, seq=told.seq, at=told.at, step=told.step, name=told.name, text=told.text, data=told.data)


def question_of(told: Told) -> OpenQuestion:
    assert told.question is not None
    return OpenQuestion(flow=told.flow, conversation=told.conversation, about=told.about, question=told.question)


def mails_of(page: Page[Mail]) -> Mails:
    skipped = tuple(f"{one.where}: {one.reason}" for one in page.skipped)
    return Mails(items=page.items, next=page.next, total=page.total, skipped=skipped)


def today_of(day: Day, *, previews: int, resting: int) -> Today:
    return Today(
        **day.model_dump(include={"date", "zone", "day_starts", "day_ends", "unread", "skipped"}),
        events=day.events,
        clashes=tuple((clash.first.id, clash.second.id) for clash in day.clashes),
        invitations=day.invitations,
        mails=tuple(AsksAttention(mail=one.mail, reasons=one.reasons, why="; ".join(one.reasons)) for one in day.mails),
        previews=previews,
        resting=resting,
    )


def recorded_of(story: Story) -> Recorded:
    return Recorded(**dict(story), says=story.says, result=story.result, approval=story.approval)


def message_of(kept: Kept, told: Told | None = None) -> Message:
    turn = turn_of(told) if told else None
    return Message(id=str(kept.id), role=kept.role, text=kept.text, at=kept.at, flow=kept.flow, turn=turn)


def flow_of(head: FlowHead) -> Flow:
    return Flow.model_validate(head.model_dump(include=set(Flow.model_fields)))


def items(values: Iterable[T]) -> Items[T]:
    return Items(items=tuple(values))
