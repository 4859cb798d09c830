"""Times in words, by an own small grammar: `read_times` finds them, `say` words them, `merge` joins a date and a time.

Conventions: weeks run Monday to Monday; a weekday is the next such day, today excluded; "next Tuesday" lies in next week; an
hour without am or pm is the reading from 08:00 to 18:59 or nearest to that (7 is 19:00); the last day named belongs to a
range; 5/12 is the 12th of May in the zones of the United States and else the 5th of December.
"""

from datetime import datetime
from typing import Literal
from zoneinfo import ZoneInfo

from assistant.reasoning.calls import TimeSpec
from assistant.reasoning.offline.dates.alternatives import Found, elliptic, further, set_right
from assistant.reasoning.offline.dates.combine import merge
from assistant.reasoning.offline.dates.impossible import impossible
from assistant.reasoning.offline.dates.mentions import any_time, mention
from assistant.reasoning.offline.dates.resolve import resolved
from assistant.reasoning.offline.dates.tokens import Sentence
from assistant.reasoning.offline.dates.wording import say
from integrations.types import Value

__all__ = ["TimeMention", "impossible_dates", "merge", "read_times", "say"]


class TimeMention(Value):
    """A time found in a text, from character `begin` up to `end`."""

    begin: int
    end: int
    spec: TimeSpec


def read_times(
    text: str,
    *,
    now: datetime,
    zone: ZoneInfo,
    prefer: Literal["future", "past"] = "future",
    business_hours: bool = True,
    day_first: bool | None = None,
) -> tuple[TimeMention, ...]:
    """The times in a text from left to right, longest first where they overlap. `day_first` None goes by the zone."""
    s = Sentence(text, now, zone, past=prefer == "past", business_hours=business_hours, day_first=day_first)
    if not any_time(s):
        return ()
    found: list[Found] = []
    beyond = {one.begin: one.end for one in impossible(s)}
    i = 0
    while i < s.size:
        if i in beyond:
            i = beyond[i]
            continue
        read = _read(s, i, text)
        if read is None:
            i += 1
            continue
        while read is not None:
            found.append(read)
            i = read.end
            read = further(s, read)
    return tuple(one for one in (_mention(s, read, text) for read in set_right(s, found)) if one is not None)


def impossible_dates(text: str, *, now: datetime, zone: ZoneInfo) -> tuple[str, ...]:
    """A sentence for each date or time in a text that doesn't exist; `read_times` reads none there."""
    s = Sentence(text, now, zone, past=False, business_hours=True, day_first=None)
    return tuple(one.says for one in impossible(s))


def _read(s: Sentence, i: int, text: str) -> Found | None:
    read = mention(s, i)
    found = Found(read[0], i, read[1]) if read else elliptic(s, i)
    return found if found and _mention(s, found, text) else None


def _mention(s: Sentence, found: Found, text: str) -> TimeMention | None:
    begin, end = s.begins[found.begin], s.ends[found.end - 1]
    spec = resolved(s, found.node, text[begin:end])
    return TimeMention(begin=begin, end=end, spec=spec) if spec else None
