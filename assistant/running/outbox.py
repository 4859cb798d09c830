"""What has not gone out yet, or may not have, as a person sees it and takes it back."""

from collections.abc import Sequence
from dataclasses import dataclass

from pydantic import ValidationError

from assistant.pipeline.dependence import waits_for
from assistant.pipeline.execute import ACTION, Executor
from assistant.pipeline.propose import as_preview
from assistant.values import Outcome, Withdraw
from integrations.actions import Action, SendMail
from integrations.registry import TriesSending
from risk.text import line
from storage import outbox, previews
from storage.database import Database
from storage.tables import OutboxRow

NOTHING = "Nothing is scheduled, and nothing else waits to go out."


@dataclass(frozen=True)
class Outbox:
    database: Database
    executor: Executor
    user: str

    async def rows(self) -> tuple[OutboxRow, ...]:
        """Held, pending, started and unknown, in the order in which they were laid down."""
        found = await self.database.read(lambda s: outbox.unfinished(s, user_id=self.user) + outbox.unknown(s, user_id=self.user))
        return tuple(sorted(found, key=lambda row: row.id))

    async def listed(self) -> tuple[Outcome, ...]:
        return tuple([await self.told(row) for row in await self.rows()])

    async def told(self, row: OutboxRow) -> Outcome:
        outcome, says = await self.executor.outcome(row), await self.clauses(row)
        return outcome.model_copy(update={"says": says[row.position]}) if row.position < len(says) else outcome

    async def clauses(self, row: OutboxRow) -> list[str]:
        """What the preview under which it was approved says of each of its actions; nothing where that can't be read."""
        stored = await self.database.read(lambda s: previews.get(s, row.preview_id))
        try:
            return [item.says for item in as_preview(stored).items] if stored else []
        except ValidationError:
            return []

    async def take_back(self, row: OutboxRow) -> tuple[Outcome, ...]:
        """The row and what was to happen once it had gone out; none where it has begun."""
        action = ACTION.validate_json(row.action)
        after = [r for r in await self.executor.laid_down(row.preview_id) if r.position > row.position]
        rows = [row, *(r for r in after if waits_for(ACTION.validate_json(r.action), action))]
        return await self.executor.take_back(rows, await self.clauses(row))

    async def try_sending(self, account: str) -> bool:
        """Signs in where its mail leaves, and sends nothing; False where that can't be tried. Raises IntegrationError."""
        found = self.executor.accounts[account]
        if not (found.sends and isinstance(found, TriesSending)):
            return False
        await found.try_sending()
        return True

    # --- in words

    async def shown(self) -> str:
        return "\n".join(map(_line, await self.listed())) or NOTHING

    async def withdrawn(self, command: Withdraw) -> str:
        """Takes back the scheduled mail that the words fit. With several, or none, nothing is done but to tell."""
        held = [row for row in await self.rows() if row.status == "held"]
        fitting = [row for row in held if _fits(ACTION.validate_json(row.action), command.words)]
        if not fitting:
            about = f" that fits “{' '.join(command.words)}”" if command.words else ""
            return f"No scheduled mail{about} waits to go out." + ("\n" + await self.shown() if held else "")
        if len(fitting) > 1 and not command.every:
            names = "\n".join([_line(await self.told(row)) for row in fitting])
            return f"Several are scheduled, so nothing was taken back. Say to whom, or about what:\n{names}"
        taken = [outcome for row in fitting for outcome in await self.take_back(row)]
        if not taken:
            return "It has begun already, so it can't be taken back."
        return "\n".join(f"✓ Taken back: {one.says}. Nothing has left." for one in taken)


def _line(outcome: Outcome) -> str:
    return f"{outcome.status}: {outcome.says or outcome.action.kind.replace('_', ' ')}. {outcome.note}".rstrip()


def _fits(action: Action, words: Sequence[str]) -> bool:
    """Whether each word stands in a recipient or in the subject."""
    if not isinstance(action, SendMail):
        return False
    people = (*action.to, *action.cc, *action.bcc)
    there = line(" ".join((*map(str, people), action.subject)), 10_000).casefold()
    return all(word.casefold() in there for word in words)
