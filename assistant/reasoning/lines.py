"""The lines of the last briefing, to which numbers refer."""

from collections.abc import Sequence

from assistant.values import Data, Numbered, Shown

MAILS, MOST = 10, 25
"""So many mails, and other things, a list shows."""
LISTS = frozenset({"mails", "events", "contacts", "slots", "clashes"})


def briefed(shown: Sequence[Shown]) -> tuple[Numbered, ...]:
    """Of the newest briefing among what was shown."""
    return next((one.lines for one in shown if one.lines), ())


def counted_on(shown: Sequence[Shown]) -> tuple[Numbered, ...]:
    """As `briefed`; none where another list was shown since, in which places count."""
    newest = _newest(shown)
    return newest.lines if newest is not None else ()


def listed_on(shown: Sequence[Shown]) -> int:
    """How many things the list shows in which places count; 0 where it is a briefing's, or there is none."""
    newest = _newest(shown)
    if newest is None or newest.lines:
        return 0
    return min(size(newest.data), MAILS if newest.data.kind == "mails" else MOST)


def _newest(shown: Sequence[Shown]) -> Shown | None:
    """The newest that was numbered."""
    return next((one for one in shown if one.lines or (one.counted and one.data.kind in LISTS and size(one.data))), None)


def size(data: Data) -> int:
    """How many things a list of it holds."""
    return max(map(len, (data.mails, data.events, data.contacts, data.slots, data.clashes)))


def reference(line: Numbered) -> str:
    return f"line{line.number}"


def lined(line: Numbered) -> Data:
    """What a line is about."""
    if line.mail is not None:
        return Data(kind="mails", mails=(line.mail,))
    return Data(kind="events", events=(line.event,) if line.event else ())
