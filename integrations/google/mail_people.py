"""Who mail was exchanged with, told from heads."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime
from zoneinfo import ZoneInfo

from integrations.google.mail_query import anyone
from integrations.google.messages import Message
from integrations.types import Address, Correspondent


@dataclass
class _Tally:
    names: Counter[str] = field(default_factory=Counter)
    received: int = 0
    sent: int = 0
    last: datetime | None = None


def correspondents(messages: Iterable[Message], *, owner: str, zone: ZoneInfo, name: str = "") -> tuple[Correspondent, ...]:
    """The most frequent first; `name` matches whole parts of a name or address.

    Only what carries Gmail's own label counts as sent: anybody can put the owner's address into a From line.
    """
    tallies: dict[str, _Tally] = {}
    for message in messages:
        _count(tallies, message, owner)
    means = anyone((name,)) if name.strip() else lambda _: True
    people = [
        Correspondent(
            address=Address(email=email, name=_best(tally.names)),
            received=tally.received,
            sent=tally.sent,
            last=tally.last.astimezone(zone) if tally.last else None,
        )
        for email, tally in tallies.items()
        if any(means(Address(email=email, name=seen)) for seen in tally.names)
    ]
    return tuple(sorted(people, key=lambda one: (-one.received - one.sent, -one.last.timestamp() if one.last else 0.0)))


def _count(tallies: dict[str, _Tally], message: Message, owner: str) -> None:
    head = message.parsed
    sent = "SENT" in message.labels
    people = (*head.to, *head.cc, *head.bcc) if sent else (head.sender,) if head.sender else ()
    for address in {one.email: one for one in people if one.email != owner}.values():
        tally = tallies.setdefault(address.email, _Tally())
        tally.names[address.name] += 1
        tally.sent += sent
        tally.received += not sent
        tally.last = max(tally.last or message.moment, message.moment)


def _best(names: Counter[str]) -> str:
    """The one seen most, a name before none."""
    return max(names, key=lambda name: names[name] + (name != "") * 0.5)
