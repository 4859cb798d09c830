"""What all floors of the assistant speak of."""

from datetime import datetime
from typing import Annotated, Any, Literal

from pydantic import Field

from assistant.timetable.rules import MORNING, Part, Rule, Task
from integrations.actions import Action
from integrations.types import Address, Contact, Event, EventRef, Mail, Value
from risk.versions import Written

AgentName = Literal["email", "calendar", "contacts"]


class ContextBox(Value):
    """The seed's context box; the fields stand in its order and are shown under its names."""

    goal: str = ""
    entities: tuple[str, ...] = ()
    constraints: tuple[str, ...] = ()
    data: tuple[str, ...] = ()
    progress: tuple[str, ...] = ()
    blockers: tuple[str, ...] = ()
    next: str = ""
    notes: tuple[str, ...] = ()


class Choice(Value):
    """One way to answer a question: `value` is what the flow goes on with, `label` what the user reads."""

    id: str
    label: str
    value: str


Trigger = Literal["interpretations", "missing", "high_risk", "preference", "confirmation", "retries", "confidence", "ambiguous"]
"""Why the user is asked: the seed's eight triggers."""


class Question(Value):
    """`entity` is what the answer settles (a name, or what is missing); without choices any text is an answer."""

    id: str
    text: str
    trigger: Trigger
    entity: str
    choices: tuple[Choice, ...] = ()


class Slot(Value):
    """A free stretch of time."""

    start: datetime
    end: datetime


class Clash(Value):
    """Two events that overlap."""

    first: Event
    second: Event


class Voice(Value):
    """How the user writes to these people. `greeting`, `closing` (with the name) and `signature` are as they will stand, empty
    where none is written; `words` is the usual length of what stands between, 0 where unknown; `language` is a code like "en",
    empty where unknown. `like`: to whom the mails went that it was read off, `mails` of them, all in that language."""

    greeting: str = ""
    closing: str = ""
    signature: str = ""
    words: int = 0
    language: str = ""
    tone: Literal["formal", "familiar", ""] = ""
    like: Literal["person", "domain", "all", "none"] = "none"
    mails: int = 0

    @property
    def wording(self) -> str:
        return "\n".join((self.greeting, self.closing, self.signature)).strip()


class Brief(Value):
    """What has to be written, for a mail whose words the user did not dictate.

    `about` is the user's own wording of what it shall say, where it was `dictated` the text itself, which only lacks a subject;
    `answering` the mail it answers (with body); `thought`: the user wants it thought about more; `sides`: it is
    asked how to answer, which has several sides, in the words of `question`.
    """

    kind: Literal["mail", "reply", "forward"]
    about: str = ""
    dictated: bool = False
    to: tuple[Address, ...] = ()
    answering: Mail | None = None
    template: str = ""
    thought: bool = False
    sides: bool = False
    question: str = ""
    voice: Voice | None = None


class Proposal(Value):
    """One proposed write. `says` is one clause for people; `guesses` what it rests on that the user did not say, so that it is
    never done unasked; `notes` are consequences and defaults worth knowing;
    `brief` is set while subject or body must still be drafted, `written` tells how they were; `before` is what the action would
    change; `warnings` are clauses on what is wrong with how it came about."""

    action: Action
    says: str = ""
    guesses: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    brief: Brief | None = None
    before: Mail | Event | Contact | None = None
    written: Written | None = None
    warnings: tuple[str, ...] = ()


class Ambiguity(Value):
    """Something the user must settle before the step can go on."""

    entity: str
    question: str
    trigger: Trigger = "ambiguous"
    choices: tuple[Choice, ...] = ()


class Data(Value):
    """What a report carries. `kind` says which field is the answer; `truth` is the answer to a yes-or-no question;
    `total` counts all matches where `mails` (or others) hold only the first."""

    kind: Literal[
        "mails", "events", "contacts", "addresses", "slots", "clashes", "count", "text", "proposals", "templates", "nothing"
    ] = "nothing"
    mails: tuple[Mail, ...] = ()
    events: tuple[Event, ...] = ()
    contacts: tuple[Contact, ...] = ()
    addresses: tuple[Address, ...] = ()
    slots: tuple[Slot, ...] = ()
    clashes: tuple[Clash, ...] = ()
    count: int | None = None
    total: int | None = None
    text: str = ""
    truth: bool | None = None
    reasons: tuple[str, ...] = ()
    """One per item, where the order of the items has reasons (attention)."""
    proposals: tuple[Proposal, ...] = ()
    ambiguity: Ambiguity | None = None
    decide: str = ""
    """What the user wants to know which of `slots` is best for; `events` are then those of the days around."""
    chosen: int | None = None
    """The place of the one of `slots` that was decided for."""
    heading: str = ""
    """What was looked for, as understood: "mails from Anna Berg, 9-15 November"."""
    already: bool = False
    """What was asked for is so already, as `text` says; the things that it is so with are given, for "it"."""

    @property
    def holds(self) -> bool:
        if self.truth is not None:
            return self.truth
        found = (self.mails, self.events, self.contacts, self.addresses, self.slots, self.clashes, self.proposals)
        return any(found) or bool(self.count) or (self.kind == "text" and bool(self.text))


Confidence = Annotated[int, Field(ge=0, le=100)]


class Success(Value):
    status: Literal["success"] = "success"
    data: Data
    confidence: Confidence = 95


class Partial(Value):
    status: Literal["partial"] = "partial"
    data: Data
    limitations: tuple[str, ...]
    confidence: Confidence = 70


class Failure(Value):
    """`type` is the kind of an integration error, or not_understood, too_many, refused; `context` is JSON for the record."""

    status: Literal["error"] = "error"
    type: str
    message: str
    context: dict[str, Any] = {}


Report = Annotated[Success | Partial | Failure, Field(discriminator="status")]


class Criterion(Value):
    """When a step has succeeded. `expects`: "answer" a report that isn't an error (finding nothing is an answer); "items" at least
    one thing found; "one" exactly one person; "proposal" at least one proposed write."""

    words: str
    expects: Literal["answer", "items", "one", "proposal"] = "answer"


class When(Value):
    """The step runs only if the result of step `step` holds (`Data.holds`), or does not."""

    step: int
    holds: bool


class Step(Value):
    """One delegation. `instruction` is in words; `{3}` in it stands for the result of step 3, `{shown}` for what the conversation
    showed last, `{line3}` for line 3 of its last briefing, `{proposal}` for the proposal being revised. `priority` is the seed's:
    1 safety, 2 intent, 3 critical context, 4 other context, 5 action planning, 6 action execution. `guess`: what its writes rest
    on that the user did not say; `warnings`: what in it the user's words do not ask for."""

    id: int
    agent: AgentName
    instruction: str
    criterion: Criterion
    priority: Annotated[int, Field(ge=1, le=6)] = 3
    needs: tuple[int, ...] = ()
    when: When | None = None
    weight: float = 1.0
    guess: str = ""
    warnings: tuple[str, ...] = ()


class Plan(Value):
    steps: tuple[Step, ...] = ()


class CancelFlow(Value):
    """Gives up a suspended or waiting flow; `flow` is its id."""

    kind: Literal["cancel_flow"] = "cancel_flow"
    flow: str


class ResumeFlow(Value):
    kind: Literal["resume_flow"] = "resume_flow"
    flow: str


class Undo(Value):
    """Takes back what a preview did; `preview` empty: the last thing done in the conversation."""

    kind: Literal["undo"] = "undo"
    preview: str = ""


class ShowOutbox(Value):
    """Tells what is scheduled to go out, or waits, or is uncertain."""

    kind: Literal["show_outbox"] = "show_outbox"


class Withdraw(Value):
    """Takes back a scheduled mail: the one that all of these words fit, which are of its recipients and its subject; with `every`
    also several."""

    kind: Literal["withdraw"] = "withdraw"
    words: tuple[str, ...] = ()
    every: bool = False


class CreateSchedule(Value):
    """`name` is what the user will call it by; `targets` are named in the user's words ("mail", or one they have added); `zone`:
    the user's where empty."""

    kind: Literal["create_schedule"] = "create_schedule"
    name: str
    task: Task
    rule: Rule
    targets: tuple[str, ...] = ()
    zone: str = ""


class ShowSchedules(Value):
    kind: Literal["show_schedules"] = "show_schedules"


class ManageSchedule(Value):
    """The one that all of these words fit, which are of its name, task or time; with `every` all of them."""

    kind: Literal["manage_schedule"] = "manage_schedule"
    act: Literal["pause", "resume", "remove", "run"]
    words: tuple[str, ...] = ()
    every: bool = False


class ChangeSchedule(Value):
    """Of the one that all words fit, else of the newest of the conversation: of `rule` its days where it is `dated`, and its hour
    where it is `timed`; where else it is to be delivered, and where no more."""

    kind: Literal["change_schedule"] = "change_schedule"
    words: tuple[str, ...] = ()
    rule: Rule | None = None
    dated: bool = False
    timed: bool = False
    targets: tuple[str, ...] = ()
    without: tuple[str, ...] = ()


class ShowBriefing(Value):
    """A briefing at once."""

    kind: Literal["show_briefing"] = "show_briefing"
    parts: tuple[Part, ...] = MORNING


class Remember(Value):
    """`texts` are the user's own words, each as it stands in the message."""

    kind: Literal["remember"] = "remember"
    texts: tuple[str, ...]


class ShowNotes(Value):
    """Of what is remembered that which all of these words fit."""

    kind: Literal["show_notes"] = "show_notes"
    words: tuple[str, ...] = ()


class ForgetNote(Value):
    """The ones of these numbers, else the one that all of the words fit; `every`: all that is remembered."""

    kind: Literal["forget_note"] = "forget_note"
    numbers: tuple[int, ...] = ()
    words: tuple[str, ...] = ()
    every: bool = False


OwnCommand = Annotated[
    CancelFlow
    | ResumeFlow
    | Undo
    | ShowOutbox
    | Withdraw
    | CreateSchedule
    | ShowSchedules
    | ManageSchedule
    | ChangeSchedule
    | ShowBriefing
    | Remember
    | ShowNotes
    | ForgetNote,
    Field(discriminator="kind"),
]


class Numbered(Value):
    """A line of a briefing, which an instruction refers to as `{line3}`. `text` is the line without its number; `invites`: its
    event awaits the user's answer; `shut`: it looks like phishing, so that its number is good for nothing but reading it and
    putting it away."""

    number: int
    text: str
    mail: Mail | None = None
    event: Event | None = None
    invites: bool = False
    shut: bool = False


class Shown(Value):
    """What the conversation showed earlier, for "it", "her" and "the second one"; newest first in a list of them. `as_said` is
    False where code does not read in the user's words that just this was to be looked for; `counted`: whether its things were
    numbered; `lines`: of a briefing."""

    text: str
    data: Data
    as_said: bool = True
    counted: bool = True
    lines: tuple[Numbered, ...] = ()


class Paused(Value):
    """A suspended or waiting flow of the conversation; `about` is the user's message that began it."""

    flow: str
    about: str
    goal: str
    status: str


class Outcome(Value):
    """What one action came to. `says` is the clause under which it was proposed, `note` what the provider or the error said;
    `goes_out`: when one that is held does. "taken_back": it was held, and nothing has gone out. `differs`: what the provider's own
    copy has otherwise than was approved, as of the Receipt."""

    action: Action
    status: Literal["done", "failed", "unknown", "held", "pending", "started", "taken_back"]
    says: str = ""
    note: str = ""
    key: str = ""
    undoable: bool = False
    created: EventRef | None = None
    """The event that now exists."""
    goes_out: datetime | None = None
    differs: str = ""
