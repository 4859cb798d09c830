"""The user's own list of who may be written to, as it stands at this moment, held against what is to be done."""

import json
import logging
from collections.abc import Sequence
from dataclasses import dataclass

from assistant.pipeline.evidence import Directory
from integrations.actions import Action
from risk.recipients import Recipients, may_reach, refusal
from storage import settings
from storage.database import Database

RECIPIENTS = "recipients"
"""The setting: a JSON list; absent or null where the user keeps no list."""

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Listed:
    directory: Directory
    database: Database
    user: str

    async def refusal(self, actions: Sequence[Action]) -> str:
        """Why none of this may be done, in one sentence; empty where it may. Raises what an account out of reach does."""
        reaching = [action for action in actions if may_reach(action)]
        allowed = await self.recipients() if reaching else None
        return "" if allowed is None else refusal(reaching, allowed, await self.directory.concerned(reaching))

    async def recipients(self) -> Recipients | None:
        """None: there is no list. A damaged one allows nobody."""
        text = await self.database.read(lambda s: settings.get(s, RECIPIENTS, user_id=self.user))
        try:
            entries = json.loads(text) if text is not None else None
            if entries is not None and not isinstance(entries, list):
                raise ValueError("It is no list.")
            return None if entries is None else Recipients.of(entries)
        except (ValueError, RecursionError) as bad:
            log.warning("The setting recipients can't be used, so nobody may be written to: %s", bad)
            return Recipients()
