"""Which flows begin: each is made as a value that tells all it has to do, and stored before it is run."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from uuid import uuid4

from assistant.pipeline import consent
from assistant.pipeline.master import Master
from assistant.pipeline.state import Carried, Course, FlowState, proposing
from assistant.pipeline.versions import proposal_of
from assistant.running.journal import FlowJournal
from assistant.running.recall import Recall, Situation, described
from assistant.values import Choice, Proposal, Question
from integrations.actions import Action
from risk.preview import Preview
from storage import outbox
from storage.tables import OutboxRow

WHICH_PREVIEW = "preview to approve"


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
            text="Which of these do you approve?" if len(now.opened) > 1 else "Do you approve this?",
            trigger="confirmation",
            entity=WHICH_PREVIEW,
            choices=choices,
        )
        return await self.journal.create(state.but(course="ask", question=question))

    async def revision(self, preview: Preview, words: str, actions: Sequence[Action]) -> FlowState:
        """Edited actions are described anew: the old words need not fit them any more."""
        state = await self.new(preview.conversation, words or "Edited by hand")
        state = state.but(carried=carried(preview, words), door="revise")
        if actions:
            state = proposing(state, tuple(Proposal(action=a) for a in actions), f"change the proposal {described(preview)}")
        return await self.journal.create(state)

    async def proposal(self, conversation: str, actions: Sequence[Action], says: Sequence[str]) -> FlowState:
        goal = "; ".join(dict.fromkeys(a.kind.replace("_", " ") for a in actions))
        state = (await self.new(conversation, "; ".join(says) or goal, own_words=False)).but(door="propose")
        words = list(says) or [""] * len(actions)
        proposals = tuple(Proposal(action=a, says=w) for a, w in zip(actions, words, strict=True))
        return await self.journal.create(proposing(state, proposals, goal))

    # --- flows that rest

    async def answered(self, asking: FlowState, value: str, words: str) -> FlowState:
        """Goes on with the flow that asked; where it asked which preview is meant, with that preview's approval."""
        if asks_which(asking):
            await self.lapsed(asking, as_status="done")
            return await self.approval(await self.recall.preview(value), words)
        state, asked = self.master.answered(asking, value), asking.question
        if asked is not None and consent.leaves_it(words):
            chosen = tuple(choice.label for choice in asked.choices if choice.value == value)
            state = state.but(left_open=(*state.left_open, *chosen))
        return await self.journal.reopen(state, words)

    async def lapsed(self, asking: FlowState, as_status: str = "cancelled") -> None:
        """A question that is not to be answered any more."""
        await self.journal.settle(asking.but(status=as_status, question=None, reply=""))

    async def resumption(self, resting: FlowState) -> FlowState:
        return await self.journal.reopen(resting.but(previous="", paused=()))


def asks_which(state: FlowState) -> bool:
    return state.question is not None and state.question.entity == WHICH_PREVIEW


def carried(preview: Preview, feedback: str) -> Carried:
    proposals = tuple(proposal_of(item) for item in preview.items)
    return Carried(preview=preview.id, fingerprint=preview.fingerprint, proposals=proposals, feedback=feedback)
