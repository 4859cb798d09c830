"""The six questions that the pipeline asks whoever thinks. Answers are proposals only: nothing here can act."""

from datetime import datetime, time
from typing import Literal, Protocol
from zoneinfo import ZoneInfo

from pydantic import ConfigDict

from assistant.reasoning.calls import Reading
from assistant.values import (
    AgentName,
    Brief,
    ContextBox,
    OwnCommand,
    Paused,
    Plan,
    Proposal,
    Question,
    Report,
    Shown,
    Step,
)
from integrations.types import Address, Mail, Value


class Setting(Value):
    """What every question may know. `me` are the user's own addresses and name; `names` are the names of contacts, correspondents
    and groups, `companies` and `jobs` what their cards say in small letters, for recognising people in a sentence."""

    model_config = ConfigDict(frozen=True, extra="forbid", arbitrary_types_allowed=True)

    now: datetime
    zone: ZoneInfo
    me: tuple[Address, ...] = ()
    names: frozenset[str] = frozenset()
    groups: frozenset[str] = frozenset()
    companies: frozenset[str] = frozenset()
    jobs: frozenset[str] = frozenset()
    templates: frozenset[str] = frozenset()
    day_starts: time = time(9)
    """When something is due for which a day was named and no hour."""
    notes: tuple[str, ...] = ()
    """What the user asked to remember, in their own words, the newest first; no wish of this message."""


class Request(Value):
    """A user's message. `proposal` is set when it revises one; `paused` are flows that could be resumed, newest first; `shown` what
    the conversation showed lately, newest first; `history` the last messages, oldest first, as "user: …" / "assistant: …";
    `last` the last request in whole words, which "and on Thursday?" leans on; `since` what was asked after the newest of `shown`
    and showed nothing, newest first, in whole words or, where it was not understood, as it was said."""

    text: str
    setting: Setting
    history: tuple[str, ...] = ()
    shown: tuple[Shown, ...] = ()
    paused: tuple[Paused, ...] = ()
    proposal: tuple[Proposal, ...] = ()
    last: str = ""
    since: tuple[str, ...] = ()


class Missing(Value):
    """Information without which the plan can't go on; `question` asks for it."""

    what: str
    question: str


class Intent(Value):
    """`goal` is one clause for people ("move the Budget review to 16:00"); `request` classifies it."""

    goal: str
    request: Literal["read", "write", "both", "command", "talk", "unknown"]


class Analysis(Value):
    """Steps 1 to 6 in one answer. `output` is step 5's strategy. `command` is something the assistant does to itself; `say` answers
    small talk, help and what was not understood, in which case the plan is empty. `interpretations`: more than one reading
    is valid and the user must choose; the value of each choice is the request in clear words. A step's instruction may hold
    `{what}` in the place of a piece of missing information. `instead`: what is planned takes the place of the open proposal.
    `vouched` is False where the grammar does not read the planned writes in the user's own words: then none is done unasked.
    `as_said` is False where the plan as a whole is not what the grammar reads there, so that it may show other things than were
    asked for. `words` is the request in whole words that code vouches for; empty: `intent.goal` is.
    `limitations` are sentences for the user about how the message was read. `own` is what code reads in the message: a write, for
    certain nothing but looks, or neither. `asks` is what comes of that: where it is "look", the words ask for no change, and
    nothing of the plan may write; where it is "unclear", no wish for a change was found in them."""

    context: str
    risks: tuple[str, ...] = ()
    intent: Intent
    missing: tuple[Missing, ...] = ()
    interpretations: Question | None = None
    output: Literal["answer", "draft_proposal", "execute_and_confirm"] = "answer"
    box: ContextBox
    plan: Plan = Plan()
    command: OwnCommand | None = None
    say: str = ""
    instead: bool = False
    vouched: bool = True
    as_said: bool = True
    words: str = ""
    limitations: tuple[str, ...] = ()
    own: Literal["writes", "looks", ""] = ""
    asks: Literal["change", "look", "unclear"] = "change"


class Instruction(Value):
    """What a sub-agent could not read for certain by grammar."""

    agent: AgentName
    text: str
    setting: Setting
    grammar: Reading


class Trouble(Value):
    """What adapt is asked about: the steps so far with their reports, and how often each failed."""

    box: ContextBox
    steps: tuple[Step, ...]
    reports: dict[int, Report]
    failures: dict[int, int]
    setting: Setting


class Adaptation(Value):
    """revise: go on with `steps` in place of the ones not done. ask: `question`. exit: `why` explains, `instead` says what the
    user can do. `vouched` is False where a step is new that code did not make: then no write is done unasked any more."""

    decision: Literal["revise", "continue", "ask", "exit"]
    steps: tuple[Step, ...] = ()
    question: Question | None = None
    why: str = ""
    instead: str = ""
    vouched: bool = True


class Draft(Value):
    """`gaps` are facts left for the user to fill in, visible in the body as […]."""

    subject: str
    body: str
    gaps: tuple[str, ...] = ()


class Account(Value):
    """What reply is asked to word: the reports of each step with its criterion's verdict. `lead` is given where one or two
    sentences on what matters most in them are wanted: those by code, which are also the answer where there are no better ones.
    `as_said` as of the Analysis: where it is False, links and addresses are only told of what the words of `text` name."""

    text: str
    box: ContextBox
    steps: tuple[Step, ...]
    reports: dict[int, Report]
    setting: Setting
    lead: str = ""
    as_said: bool = True


class Reasoner(Protocol):
    @property
    def name(self) -> str:
        """Shown to the user: "offline reasoner", or the model's name."""

    async def analyse(self, request: Request) -> Analysis: ...

    async def choose_calls(self, instruction: Instruction) -> Reading: ...

    async def adapt(self, trouble: Trouble) -> Adaptation: ...

    async def draft(self, brief: Brief, setting: Setting) -> Draft: ...

    async def reply(self, account: Account) -> str: ...

    async def summarise(self, mails: tuple[Mail, ...], setting: Setting) -> str:
        """A short text that keeps numbers, dates, names and questions; nothing in it that the mails don't say."""
