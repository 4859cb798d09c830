"""Who mail was exchanged with, told from heads."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime
from typing import NamedTuple
from zoneinfo import ZoneInfo

from integrations.common.mail_words import anyone
from integrations.common.mime import Parsed
from integrations.types import Address, Correspondent


class Exchanged(NamedTuple):
    """A mail, and whether the owner sent it: only where the provider itself says so, for anybody can put the owner's address into a
    From line."""

    head: Parsed
    moment: datetime
    sent: bool


@dataclass
class _Tally:
    names: Counter[str] = field(default_factory=Counter)
    received: int = 0
    sent: int = 0
    last: datetime | None = None


def correspondents(mails: Iterable[Exchanged], *, owner: str, zone: ZoneInfo, name: str = "") -> tuple[Correspondent, ...]:
    """The most frequent first; `name` matches whole parts of a name or address."""
    tallies: dict[str, _Tally] = {}
    for mail in mails:
        _count(tallies, mail, owner)
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


def _count(tallies: dict[str, _Tally], mail: Exchanged, owner: str) -> None:
    head = mail.head
    people = (*head.to, *head.cc, *head.bcc) if mail.sent else (head.sender,) if head.sender else ()
    for address in {one.email: one for one in people if one.email != owner}.values():
        tally = tallies.setdefault(address.email, _Tally())
        tally.names[address.name] += 1
        tally.sent += mail.sent
        tally.received += not mail.sent
        tally.last = max(tally.last or mail.moment, mail.moment)


def _best(names: Counter[str]) -> str:
    """The one seen most, a name before none."""
    return max(names, key=lambda name: names[name] + (name != "") * 0.5)
