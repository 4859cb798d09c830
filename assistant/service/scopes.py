"""The rights that a token may give, each by itself."""

from typing import Literal

Scope = Literal["read", "propose", "approve", "manage"]
SCOPES: tuple[Scope, ...] = ("read", "propose", "approve", "manage")
"""See what is theirs; say and propose; approve and undo; connect accounts, set up schedules, change settings, hand out tokens."""
