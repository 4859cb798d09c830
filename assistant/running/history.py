"""What was done, and why: read from the audit journal, for commands and for questions in the chat."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from typing import NamedTuple
from zoneinfo import ZoneInfo

from assistant.errors import UserError
from assistant.pipeline.execute import UNDO
from assistant.pipeline.hindsight import Wondering, wondered
from assistant.running.stories import NOT_BEGUN, OPEN, Deed, Line, Story, story
from risk.times import moment_words
from storage import audit
from storage.audit import GENESIS, Verification, content_of
from storage.database import Database
from storage.session import Session
from storage.tables import AuditEntry

HEAD = re.compile(rf"[0-9a-f]{{{len(GENESIS)}}}")
EVER = datetime(1970, 1, 1, tzinfo=UTC)
FAR = 200
"""Permits, the newest first, among which an answer is looked for."""
MOST = 20
"""Writes that are told of at once, the newest."""
When = Callable[[datetime], str]
NOTHING_LIKE_IT = "The audit journal tells of nothing like that."
NOTHING_HERE = "I have done nothing in this conversation that the audit journal tells of."
NOTHING_DONE = "I have done nothing, says the audit journal."


class Told(NamedTuple):
    """`permit` is what the words are about, where it is one thing."""

    words: str
    permit: str = ""


@dataclass(frozen=True)
class History:
    """`zone` is the user's."""

    database: Database
    user: str
    clock: Callable[[], datetime]
    zone: ZoneInfo

    async def stories(self, *, target: str = "", since: datetime | None = None, limit: int = 50) -> tuple[Story, ...]:
        """The newest first. `target` is a preview, a key or a flow, or the beginning of one."""

        def work(s: Session) -> tuple[Story, ...]:
            if target:
                permits = audit.permits(s, target, user_id=self.user)
            else:
                permits = audit.latest(s, since or EVER, limit, user_id=self.user)
            found = (self._story(s, permit) for permit in permits[:limit])
            return tuple(one for one in found if since is None or one.at >= since)

        return await self.database.read(work)

    async def verify(self, noted: str | None = None) -> Verification:
        """`noted` is a head that was written down elsewhere; UserError where it can't be one."""
        head = noted.strip().lower() if noted is not None else ""
        if noted is not None and not HEAD.fullmatch(head):
            raise UserError(f"“{noted}” is no head of a journal; give all {len(GENESIS)} digits and letters that verify has told.")
        return await self.database.read(lambda s: audit.verify(s, head))

    def _story(self, s: Session, permit: str) -> Story:
        entries = audit.of_permit(s, permit, user_id=self.user)
        told = story(entries, tuple(self._earlier(s, entries)))
        undone = audit.of_permit(s, f"{UNDO}{permit}", user_id=self.user)
        if not undone:
            return told
        lines = [Line(at=line.at, text=f"Taken back: {line.text}") for line in story(undone).lines]
        return told.model_copy(update={"lines": (*told.lines, *lines)})

    def _earlier(self, s: Session, entries: Sequence[AuditEntry]) -> list[AuditEntry]:
        """About the previews that this one took the place of, the first of them first."""
        found: list[AuditEntry] = []
        seen: set[str] = set()
        while (before := content_of(entries[0]).get("replaces", "")) and before not in seen:
            seen.add(before)
            entries = audit.of_permit(s, before, user_id=self.user)
            if not entries:
                break
            found = [*entries, *found]
        return found

    # --- in the chat

    async def answer(self, text: str, conversation: str, at_hand: str = "") -> Told | None:
        """None where the words ask for nothing that is the journal's to say. `at_hand` is the open preview that was shown last."""
        now = self.clock().astimezone(self.zone)
        asked = wondered(text, now, self.zone)
        if asked is None:
            return None
        when = partial(_when, now=now)
        if asked.asked == "level":
            return Told(_told(await self.stories(target=at_hand), when), at_hand) if at_hand else None
        stories = [one for one in await self.stories(since=asked.since, limit=FAR) if _fits(asked, one, conversation)]
        if asked.asked == "what":
            done = [(one, deed) for one in reversed(stories) for deed in one.deeds if deed.begun and _among(asked, deed)]
            return Told("\n".join(_listed(one, deed, when) for one, deed in done[-MOST:]) or NOTHING_DONE)
        if not stories:
            return None if asked.perhaps else Told(NOTHING_LIKE_IT if asked.words else NOTHING_HERE)
        one = stories[0]
        return Told(_told(stories[:1], when) if asked.asked == "why" else _in_short(asked, one, when), one.permit)


def _when(at: datetime, now: datetime) -> str:
    """The hour alone where it was today."""
    local = at.astimezone(now.tzinfo)
    return f"{local:%H:%M}" if local.date() == now.date() else moment_words(at, zone=local.tzinfo or UTC, today=now.date())


def _told(stories: Sequence[Story], when: When) -> str:
    return "\n".join(f"{when(line.at)}: {line.text}" for one in stories for line in one.lines)


def _fits(asked: Wondering, one: Story, conversation: str) -> bool:
    if not asked.words and asked.asked != "what" and one.conversation != conversation:
        return False
    within = asked.until is None or any((deed.begun or one.at) < asked.until for deed in one.deeds)
    return within and any(_among(asked, deed) for deed in one.deeds)


def _among(asked: Wondering, deed: Deed) -> bool:
    meant = not asked.operations or deed.operation in asked.operations
    return meant and all(re.search(rf"\b{re.escape(word)}", deed.about) for word in asked.words)


def _listed(one: Story, deed: Deed, when: When) -> str:
    note = f" ({deed.note.rstrip('.')})" if deed.note else ""
    return f"- {when(deed.begun or one.at)}: {deed.says}: {deed.status}{note}. {one.approval}"


def _in_short(asked: Wondering, one: Story, when: When) -> str:
    if asked.asked == "who":
        return f"{one.says}: {one.result}. {one.approval}"
    deed = next(deed for deed in one.deeds if _among(asked, deed))
    if deed.begun is None:
        waits = {OPEN: "it awaits your approval", NOT_BEGUN: "it has not gone out yet"}.get(deed.status, f"it was {deed.status}")
        return f"No, {waits}: {deed.says}."
    return f"{deed.says}: {deed.status}, {when(deed.begun)}."
