"""Who drafts, and how: the composition root sets the table, and everything else sits down at it."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from assistant.drafting.accounting import PriceOf, unknown
from assistant.drafting.base import Strategy
from assistant.drafting.blackboard import Blackboard, Limits, Mind, PromptProfile
from assistant.drafting.choosing import When
from assistant.drafting.options import Options
from assistant.drafting.restart import Orchestration
from assistant.drafting.session import Problems, Seat, none


@dataclass(frozen=True)
class Table:
    """Without `seats` there is no model, and rules write and vote. `presenter` decides and presents in place of the winner;
    `minds` and `decider` are those of the blackboard, whose prompts are `board`."""

    seats: tuple[Seat, ...] = ()
    presenter: Seat | None = None
    minds: tuple[Mind, ...] = ()
    decider: Mind | None = None
    options: Options = field(default_factory=Options)
    board: PromptProfile = "paper"
    limits: Limits = field(default_factory=Limits)
    price: PriceOf = unknown
    when: When = field(default_factory=When)

    @property
    def by_rules(self) -> bool:
        return not self.seats

    def without_models(self) -> "Table":
        return Table(options=self.options, when=self.when)

    def coordination(self, rules: Sequence[Seat] = (), problems: Problems = none) -> Strategy:
        """`rules` sit down where there is no model."""
        seats = self.seats or tuple(rules)
        return Orchestration(seats, self.options, self.presenter, self.price, problems, rules=self.by_rules)

    def blackboard(self, problems: Problems = none) -> Strategy:
        """Needs minds."""
        return Blackboard(
            self.minds, deciding=self.decider, profile=self.board, limits=self.limits, price=self.price, problems=problems
        )
