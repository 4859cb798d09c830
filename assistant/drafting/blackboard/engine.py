"""The blackboard as a way of drafting."""

import asyncio
from collections.abc import Sequence

from assistant.drafting.accounting import PriceOf, unknown
from assistant.drafting.base import Deliberation, Task, Tell
from assistant.drafting.blackboard.asking import Asking, Limits, Mind, UsedUp
from assistant.drafting.blackboard.prompts import PromptProfile
from assistant.drafting.blackboard.rounds import Rounds
from assistant.drafting.session import Problems, none


class Blackboard:
    """Implements Strategy. Agents take the `minds` in turns; `deciding`, where given, answers for the decider instead. A decision
    with `problems` is none: they are posted, and the rounds go on."""

    def __init__(
        self,
        minds: Sequence[Mind],
        *,
        deciding: Mind | None = None,
        profile: PromptProfile = "paper",
        limits: Limits | None = None,
        price: PriceOf = unknown,
        problems: Problems = none,
    ) -> None:
        self.minds, self.deciding, self.profile = tuple(minds), deciding, profile
        self.limits, self.price, self.problems = limits or Limits(), price, problems

    async def run(self, task: Task, tell: Tell) -> Deliberation:
        given = {"decider": self.deciding} if self.deciding else {}
        rounds = Rounds(Asking(task, self.minds, given, self.limits, self.price), self.profile, self.problems, tell)
        try:
            async with asyncio.timeout(self.limits.timeout):
                decided = await rounds.play()
        except TimeoutError:
            return rounds.undecided("timed_out", f"{self.limits.timeout:g} seconds were not enough for a decision.")
        except UsedUp:
            return rounds.undecided("exhausted", f"{self.limits.tokens:,} tokens were not enough for a decision.")
        return decided or rounds.undecided("exhausted", f"{rounds.round} rounds were not enough for a decision.")
