"""The agents that every problem has, and the pool that they make with its experts."""

from collections.abc import Iterable, Sequence

from assistant.drafting.blackboard.experts import Expert
from assistant.drafting.blackboard.fields import name_of
from assistant.drafting.blackboard.reading import Role
from integrations.types import Value


class Member(Value):
    name: str
    role: Role
    description: str


STAFF = (
    Member(name="planner", role="planner", description="makes a plan for the problem, or parts it into smaller ones"),
    Member(name="decider", role="decider", description="judges whether the blackboard holds enough, and gives the final answer"),
    Member(name="critic", role="critic", description="points out what is wrong or misleading on the blackboard"),
    Member(name="cleaner", role="cleaner", description="finds messages that are useless or redundant, which are then removed"),
    Member(name="conflict_resolver", role="conflict_resolver", description="finds who contradicts whom, so that they talk it over"),
)
CHECK = "check"
"""Under this name stands what code finds wrong with a decision; nobody can choose it."""
USUAL = ("planner", "decider", "critic")
"""Who acts where the control unit names nobody known."""


class Pool:
    """`agents` are those still living, `everybody` also those who fell out, in their order."""

    def __init__(self, experts: Iterable[Expert]) -> None:
        generated = (Member(name=one.name, role="expert", description=one.description) for one in experts)
        self.agents = self.everybody = (*STAFF, *generated)

    def drop(self, agent: Member) -> None:
        self.agents = tuple(one for one in self.agents if one != agent)

    def known(self, names: Iterable[str]) -> tuple[Member, ...]:
        """Each once, in the order of the names; unknown names are left out."""
        by_name = {name_of(one.name): one for one in self.agents}
        return tuple(dict.fromkeys(by_name[key] for name in names if (key := name_of(name)) in by_name))

    def acting(self, names: Sequence[str]) -> tuple[Member, ...]:
        """Those named, else the usual ones, else all that are left."""
        return self.known(names) or self.known(USUAL) or self.agents
