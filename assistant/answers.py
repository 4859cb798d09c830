"""What the one door hands out."""

from collections.abc import Mapping
from typing import NamedTuple

from assistant.briefing.facts import Briefing
from assistant.events import FlowEvent
from assistant.reasoning.asked import linkable
from assistant.running.conversations import Message
from assistant.running.following import CaughtUp
from assistant.running.outgoing import News
from assistant.values import ContextBox, Outcome, Question, Report, Step
from integrations.types import Value
from risk.preview import Preview


class Turn(Value):
    """What came of one message. `status` is the flow's; `confidence` in percent; `reasoner` names who thought; `said` is the reply
    without the short form of the previews; `sample`: it was about the sample account; `about` is the message that began it;
    `slot`: the run of a schedule that it is, as "<schedule>/<slot>"; `late`: what there is to say where that came late;
    `as_said` is False where a model planned to look at other things than code reads in the message."""

    flow: str
    status: str
    reply: str
    conversation: str = ""
    about: str = ""
    question: Question | None = None
    previews: tuple[Preview, ...] = ()
    outcomes: tuple[Outcome, ...] = ()
    confidence: int = 0
    limitations: tuple[str, ...] = ()
    context: ContextBox = ContextBox()
    steps: tuple[Step, ...] = ()
    reports: Mapping[int, Report] = {}
    reasoner: str = ""
    said: str = ""
    sample: bool = False
    briefing: Briefing | None = None
    slot: str = ""
    late: str = ""
    as_said: bool = True

    @property
    def linkable(self) -> str:
        """All whose links may be links where it is shown."""
        return linkable(self.about, self.reports, self.previews, as_said=self.as_said)


class Transcript(Value):
    """A page of messages, the oldest first. `turns`: of flows that rest or have ended, by the message that they ended with; `next`
    leads to earlier messages; `running` is the flow that runs now."""

    messages: tuple[Message, ...]
    turns: Mapping[int, Turn]
    next: str | None
    running: str | None


class Said(NamedTuple):
    message: Message


class Rested(NamedTuple):
    """A flow came to its end, or rests. It stands as it is now: of several rests between two looks only the last is told."""

    turn: Turn


class WentOut(NamedTuple):
    """Of a write that was shown as open: it is done, has failed, is unknown or was taken back."""

    news: News


class Followed(NamedTuple):
    """`cursor`: following goes on behind it from there, also after a restart and in another process."""

    item: Said | FlowEvent | Rested | WentOut | CaughtUp
    cursor: str
