"""How far a briefing looks, and what of it was told before."""

from collections.abc import Mapping
from datetime import datetime, timedelta

from assistant.briefing.facts import Covered, Wanted

FIRST = timedelta(hours=24)
"""How far back a first briefing looks for what is new."""
OVERLAP = timedelta(hours=2)
"""Mails come later than their date says; those told already are not told again."""


def begins(wanted: Wanted, account: str, now: datetime) -> Covered:
    """Up to where earlier briefings have covered this account, in the zone of `now`."""
    before = wanted.since.accounts.get(account) if wanted.since else None
    return before.model_copy(update={"until": before.until.astimezone(now.tzinfo)}) if before else Covered(until=now - FIRST)


class Told:
    """What was told before, and what this briefing tells: by key, what was said. A key begins with the kind of thing and its
    account. What is not said again is forgotten."""

    def __init__(self, before: Mapping[str, str]) -> None:
        self._before, self._now = dict(before), dict[str, str]()

    @property
    def is_first(self) -> bool:
        """Nothing was told before."""
        return not self._before

    def before(self, key: str) -> str:
        return self._before.get(key, "")

    def earlier(self, prefix: str) -> Mapping[str, str]:
        return {key: said for key, said in self._before.items() if key.startswith(prefix)}

    def say(self, key: str, said: str) -> None:
        self._now[key] = said

    def keep(self, prefix: str) -> None:
        """Of an account that could not be read."""
        self._now |= self.earlier(prefix)

    @property
    def after(self) -> dict[str, str]:
        return dict(self._now)
