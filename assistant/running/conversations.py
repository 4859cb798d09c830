"""Conversations to look through: which there are, and what was said in them."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Literal, NamedTuple, cast

from assistant.errors import Unknown, Unreadable, UserError
from assistant.pipeline.state import FlowState, read_state
from integrations.types import Page, Value
from risk.text import line
from storage import conversations, flows, previews
from storage.conversations import END, Latest
from storage.database import Database
from storage.session import Session
from storage.tables import StoredMessage

Role = Literal["user", "assistant", "program", "schedule"]
TITLE = 80
"""Characters of a title."""


class Conversation(Value):
    """`title` is how its first message begins; `updated` when the last was said. `resting` counts flows that could be gone on with;
    `running`: one runs now."""

    id: str
    title: str
    created: datetime
    updated: datetime
    open_previews: int = 0
    resting: int = 0
    running: bool = False


class Message(Value):
    """`id` counts up over all conversations."""

    id: int
    role: Role
    text: str
    at: datetime
    flow: str | None = None


class MessagePage(NamedTuple):
    """A page of messages, the oldest first. `ends`: of flows that rest or have ended, by the message that they ended with; `next`
    leads to earlier messages; `running` is the flow that runs now."""

    messages: tuple[Message, ...]
    ends: Mapping[int, FlowState]
    next: str | None
    running: str | None


@dataclass(frozen=True)
class Conversations:
    database: Database
    user: str

    async def begin(self, conversation: str, at: datetime) -> None:
        await self.database.write(lambda s: conversations.ensure(s, conversation, at, user_id=self.user))

    async def is_known(self, conversation: str) -> bool:
        return await self.database.read(lambda s: conversations.is_known(s, conversation, user_id=self.user))

    async def known(self, conversation: str) -> None:
        """Raises Unknown where there is none."""
        if not await self.is_known(conversation):
            raise Unknown(f"There is no conversation {conversation}.")

    async def listed(self, words: str = "", before: str = "", limit: int = 30) -> Page[Conversation]:
        """The one that was talked in last comes first. `words` occur in one of its messages."""
        end = _number(before)

        def work(s: Session) -> Page[Conversation]:
            found = conversations.latest(s, end, limit + 1, words.strip(), user_id=self.user)
            opened, unended = previews.count_open(s, self.user), _unended(s, self.user)
            items = tuple(self._told(s, one, opened, unended) for one in found[:limit])
            return Page[Conversation](items=items, next=str(found[limit - 1].last) if len(found) > limit else None)

        return await self.database.read(work)

    def _told(self, s: Session, one: Latest, opened: Mapping[str, int], unended: Mapping[tuple[str, bool], int]) -> Conversation:
        first = conversations.first(s, one.id, user_id=self.user)
        (last,) = conversations.page(s, one.id, limit=1, user_id=self.user)
        first = first or last
        return Conversation(
            id=one.id,
            title=line(first.text, TITLE),
            created=first.at,
            updated=last.at,
            open_previews=opened.get(one.id, 0),
            resting=unended.get((one.id, False), 0),
            running=(one.id, True) in unended,
        )

    async def said(self, conversation: str, before: str = "", limit: int = 50) -> MessagePage:
        """Raises Unknown."""
        end = _number(before)

        def work(s: Session) -> tuple[tuple[StoredMessage, ...], Mapping[int, str], str | None]:
            if not conversations.is_known(s, conversation, user_id=self.user):
                raise Unknown(f"There is no conversation {conversation}.")
            found = conversations.page(s, conversation, end, limit + 1, user_id=self.user)
            later = conversations.answered_since(s, conversation, end, user_id=self.user) if end < END else frozenset()
            last = {m.flow_id: m.id for m in found[-limit:] if m.role == "assistant" and m.flow_id and m.flow_id not in later}
            stored = {number: flow for id, number in last.items() if (flow := flows.get(s, id)) and flow.status != "running"}
            running = flows.running_in(s, self.user, conversation)
            return found, {number: flow.snapshot for number, flow in stored.items()}, running.id if running else None

        found, snapshots, running = await self.database.read(work)
        ends = {number: state for number, snapshot in snapshots.items() if (state := _read(snapshot))}
        more = str(found[1].id) if len(found) > limit else None
        return MessagePage(tuple(map(as_message, found[-limit:])), ends, more, running)


def _unended(s: Session, user: str) -> Mapping[tuple[str, bool], int]:
    """How many flows rest, and run, by conversation and whether they run."""
    counted: Counter[tuple[str, bool]] = Counter()
    for one in flows.unended(s, user):
        if one.status != "parked":  # its previews are counted
            counted[(one.conversation, one.status == "running")] += one.number
    return counted


def _number(before: str) -> int:
    if not before:
        return END
    if not (before.isascii() and before.isdigit() and len(before) < 11 and int(before) <= END):
        raise UserError("There is no such page; begin with the first one.")
    return int(before)


def as_message(stored: StoredMessage) -> Message:
    return Message.model_construct(id=stored.id, role=cast(Role, stored.role), text=stored.text, at=stored.at, flow=stored.flow_id)


def _read(snapshot: str) -> FlowState | None:
    """None where it was thinned or can't be read."""
    try:
        return read_state(snapshot) if snapshot else None
    except Unreadable:
        return None
