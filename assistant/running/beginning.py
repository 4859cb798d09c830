"""Which flows begin: each is made as a value that tells all it has to do, and stored before it is run."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from uuid import uuid4

from assistant.briefing.facts import Wanted
from assistant.pipeline import consent
from assistant.pipeline.evidence import recipients
from assistant.pipeline.master import Master
from assistant.pipeline.state import Carried, Course, FlowState, Proposer, proposing
from assistant.pipeline.versions import proposal_of
from assistant.running.journal import FlowJournal
from assistant.running.recall import WHICH_PREVIEW, Recall, Situation, asks_which, described
from assistant.timetable.rules import Ask, GiveBriefing, Remind, Task
from assistant.values import Choice, Proposal, Question
from integrations.actions import Action
from integrations.types import Value
from risk.preview import Preview
from storage import outbox
from storage.session import Session
from storage.tables import OutboxRow


class Run(Value):
    """One run of a schedule. `name` is the schedule's; `brief`: what a briefing is to tell of; `late`: what to say where it comes
    later than it was due."""

    schedule: str
    slot: str
    name: str
    conversation: str
    task: Task
    brief: Wanted | None = None
    late: str = ""


@dataclass(frozen=True)
class Beginning:
    """Each method stores a flow that runs, and raises Busy where another one does in its conversation."""

    user: str
    journal: FlowJournal
    recall: Recall
    master: Master
    clock: Callable[[], datetime]
    undo_window: timedelta = timedelta()

    def state(self, conversation: str, text: str, now: Situation, *, own_words: bool = True, background: bool = False) -> FlowState:
        """A flow about these words, not stored yet."""
        return FlowState(
            id=uuid4().hex[:12],
            user=self.user,
            conversation=conversation,
            text=text,
            created=self.clock(),
            own_words=own_words,
            background=background,
            undo_window=self.undo_window,
            history=now.history,
            said=now.said,
            shown=now.shown,
            last=now.last,
            since=now.since,
        )

    async def new(self, conversation: str, text: str, *, own_words: bool = True) -> FlowState:
        return self.state(conversation, text, await self.recall.situation(conversation), own_words=own_words)

    async def _short(self, conversation: str, words: str, now: Situation | None, course: Course, **more: object) -> FlowState:
        """A flow that is one short act."""
        now = now or await self.recall.situation(conversation)
        return await self.journal.create(self.state(conversation, words, now).but(course=course, **more))

    async def approval(self, preview: Preview, words: str, now: Situation | None = None, *, door: str = "say") -> FlowState:
        return await self._short(preview.conversation, words, now, "approve", carried=carried(preview, ""), door=door)

    async def drop(
        self, conversation: str, words: str, targets: Sequence[str], now: Situation | None = None, *, door: str = "say"
    ) -> FlowState:
        """Of open previews and resting flows."""
        return await self._short(conversation, words, now, "drop", targets=tuple(targets), door=door)

    async def undo(self, conversation: str, flow: str, words: str = "") -> FlowState:
        """Of this flow, or of the last that can be."""
        done = await self.recall.last_done(conversation, flow)
        targets = (done.id,) if done else ()
        return await self._short(conversation, words or "undo", None, "undo", targets=targets, door="say" if words else "undo")

    async def late(self, conversation: str, row: OutboxRow, preview: Preview | None) -> FlowState:
        """A flow that shows again what this row was to do. FlowError where somebody else shows it."""
        words = preview.items[row.position].says if preview and row.position < len(preview.items) else "What was to go out"
        state = await self.new(conversation, words, own_words=False)
        shown = carried(preview, "") if preview else None
        state = state.but(course="late", targets=(row.key,), carried=shown, door="outbox")
        return await self.journal.create(state, lambda s: outbox.shown(s, row.id))

    async def saying(self, conversation: str, words: str, reply: str, now: Situation, previews: Sequence[str] = ()) -> FlowState:
        """A flow that has nothing to do but to answer. `previews` are shown once more with it."""
        return await self._short(conversation, words, now, "ask", reply=reply, previews=tuple(previews))

    async def asking_which(self, conversation: str, words: str, now: Situation) -> FlowState:
        """A "yes" that could mean several things, or not the last thing shown, approves nothing: it is asked about."""
        first = [p for p in now.opened if now.on_screen and p.id == now.on_screen.id]
        opened = [*first, *(p for p in now.opened if p not in first)]
        choices = tuple(
            Choice(id=str(n), label=f"{described(p)} (shown {p.created.astimezone():%d %b %H:%M})", value=p.id)
            for n, p in enumerate(opened, start=1)
        )
        state = self.state(conversation, words, now)
        question = Question(
            id=f"{state.id}-q1",
            text=_which(now),
            trigger="confirmation",
            entity=WHICH_PREVIEW,
            choices=choices,
        )
        return await self.journal.create(state.but(course="ask", question=question))

    async def revision(self, preview: Preview, words: str, actions: Sequence[Action], *, own_words: bool = True) -> FlowState:
        """Edited actions are described anew: the old words need not fit them any more."""
        said = words or _by_hand(preview, actions)
        state = await self.new(preview.conversation, said, own_words=own_words)
        state = state.but(carried=carried(preview, words), door="revise")
        if actions:
            state = proposing(state, _edited(preview, actions), f"change the proposal {described(preview)}")
        return await self.journal.create(state)

    async def proposal(self, conversation: str, actions: Sequence[Action], says: Sequence[str], *, by: Proposer) -> FlowState:
        """What was chosen by hand is told in words of the page, which quote what others wrote: they are not the user's own."""
        goal = "; ".join(dict.fromkeys(a.kind.replace("_", " ") for a in actions))
        state = (await self.new(conversation, "; ".join(says) or goal, own_words=False)).but(door=by)
        words = list(says) or [""] * len(actions)
        proposals = tuple(Proposal(action=a, says=w) for a, w in zip(actions, words, strict=True))
        return await self.journal.create(proposing(state, proposals, goal))

    async def scheduled(self, run: Run, claim: Callable[[Session, str], bool]) -> FlowState:
        """A run of a schedule; what it is to do was said by the user, but not now, nor of what the conversation has shown since.
        FlowError where its claim is lost."""
        course, text = _task(run)
        state = FlowState(
            id=uuid4().hex[:12],
            user=self.user,
            conversation=run.conversation,
            text=text,
            created=self.clock(),
            course=course,
            own_words=False,
            door="schedule",
            background=True,
            slot=f"{run.schedule}/{run.slot}",
            schedule=run.name,
            late=run.late,
            brief=run.brief,
            undo_window=self.undo_window,
        )
        return await self.journal.create(state, lambda s: claim(s, state.id))

    # --- flows that rest

    async def answered(self, asking: FlowState, value: str, words: str, *, own_words: bool = True) -> FlowState:
        """Goes on with the flow that asked; where it asked which preview is meant, with that preview's approval."""
        if asks_which(asking):
            await self.lapsed(asking, as_status="done")
            return await self.approval(await self.recall.preview(value), words)
        state, asked = self.master.answered(asking, value), asking.question
        if asked is not None and consent.leaves_it(words):
            chosen = tuple(choice.label for choice in asked.choices if choice.value == value)
            state = state.but(left_open=(*state.left_open, *chosen))
        return await self.journal.reopen(state, words, own_words=own_words)

    async def lapsed(self, asking: FlowState, as_status: str = "cancelled") -> None:
        """A question that is not to be answered any more."""
        await self.journal.settle(asking.but(status=as_status, question=None, reply=""))

    async def resumption(self, resting: FlowState) -> FlowState:
        return await self.journal.reopen(resting.but(previous="", paused=(), held=False))


def _task(run: Run) -> tuple[Course, str]:
    match run.task:
        case Ask(text=text):
            return "plan", text
        case Remind(text=text):
            return "remind", text
        case GiveBriefing():
            return "brief", run.name


def _which(now: Situation) -> str:
    if len(now.opened) > 1:
        return "Which of these do you approve?"
    who = {"program": "Another program", "schedule": "A schedule"}.get(now.shown_by, "") if now.on_screen else ""
    return f"{who} proposed this; do you approve it?" if who else "Do you approve this?"


def _edited(preview: Preview, actions: Sequence[Action]) -> tuple[Proposal, ...]:
    """What was not touched stays with all that was said of it; a text that was edited still tells how it was written."""
    untouched = {item.action: proposal_of(item) for item in preview.items}
    beside = preview.items if len(preview.items) == len(actions) else (None,) * len(actions)
    return tuple(
        untouched.get(action) or Proposal(action=action, written=item.written if item and item.action.kind == action.kind else None)
        for action, item in zip(actions, beside, strict=True)
    )


def _by_hand(preview: Preview, actions: Sequence[Action]) -> str:
    """What the user did, with the addresses that they put in, which are their own words; quoted, these ask for nothing."""
    before = {email for action in preview.actions for email in recipients(action)}
    added = dict.fromkeys(email for action in actions for email in recipients(action) if email not in before)
    return f"Edited by hand, with “{', '.join(added)}” added" if added else "Edited by hand"


def carried(preview: Preview, feedback: str) -> Carried:
    proposals = tuple(proposal_of(item) for item in preview.items)
    return Carried(preview=preview.id, fingerprint=preview.fingerprint, proposals=proposals, feedback=feedback)
