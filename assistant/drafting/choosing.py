"""Which way of drafting pays: plain rules over what is known before a word is written."""

from collections.abc import Iterator, Sequence
from typing import Literal

from pydantic import Field

from assistant.drafting.base import StrategyName
from integrations.types import Address, Value

LEVELS = ("low", "medium", "high")
SIDES = "it is a decision with several sides"


class Stakes(Value):
    """What hangs on a draft. `level` and `reasons` are the gate's for the mail as far as it stands; `confidence` in percent is that
    of what was found for it; `asked`: the user wants it thought about; `sides`: it is a decision with several sides."""

    level: Literal["low", "medium", "high"] = "low"
    reasons: tuple[str, ...] = ()
    to: tuple[Address, ...] = ()
    groups: tuple[str, ...] = ()
    """The names of the contact groups that one of `to` belongs to."""
    confidence: int = 100
    asked: bool = False
    sides: bool = False


class When(Value):
    """From where on several drafts are worth their cost. `important` are addresses, domains and names of contact groups."""

    level: Literal["medium", "high", "never"] = "high"
    recipients: int = Field(default=5, ge=1)
    confidence: int = Field(default=70, ge=0, le=100)
    important: tuple[str, ...] = ("vip", "important")


class Choice(Value):
    """`reasons` are for people; none where the usual way is taken."""

    strategy: StrategyName
    reasons: tuple[str, ...] = ()


def choose(stakes: Stakes, when: When) -> Choice:
    reasons = tuple(dict.fromkeys(_reasons(stakes, when)))
    if stakes.sides:
        return Choice(strategy="blackboard", reasons=(SIDES, *reasons))
    return Choice(strategy="coordination" if reasons else "single", reasons=reasons)


def _reasons(stakes: Stakes, when: When) -> Iterator[str]:
    if stakes.asked:
        yield "you asked for more thought"
    if when.level != "never" and LEVELS.index(stakes.level) >= LEVELS.index(when.level):
        yield from stakes.reasons or (f"{stakes.level} risk",)
    if len(stakes.to) >= when.recipients:
        yield f"it goes to {len(stakes.to)} people"
    yield from (f"{one.name or one.email} is important" for one in stakes.to if _important(one, when.important))
    yield from (f"it goes to somebody in {group}" for group in stakes.groups if _listed(group, when.important))
    if stakes.confidence < when.confidence:
        yield f"only {stakes.confidence} % sure of what it rests on"


def _important(address: Address, important: Sequence[str]) -> bool:
    domain = address.email.rpartition("@")[2]
    return _listed(address.email, important) or any(_listed(part, important) for part in _parents(domain))


def _parents(domain: str) -> Iterator[str]:
    """ "mail.example.com", "example.com"; no name of a single part."""
    labels = domain.split(".")
    for begin in range(len(labels) - 1):
        yield ".".join(labels[begin:])
        yield "@" + ".".join(labels[begin:])


def _listed(name: str, important: Sequence[str]) -> bool:
    return name.casefold() in {one.casefold() for one in important}
