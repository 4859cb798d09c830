"""Times in words, by an own small grammar: `read_times` finds them, `say` words them, `merge` joins a date and a time.

Conventions: weeks run Monday to Monday; a weekday is the next such day, today excluded; "next Tuesday" lies in next week; an
hour without am or pm is the reading from 08:00 to 18:59 or nearest to that (7 is 19:00); the last day named belongs to a
range; 5/12 is the 12th of May in the zones of the United States and else the 5th of December.
"""

from datetime import datetime
from typing import Literal
from zoneinfo import ZoneInfo

from assistant.reasoning.calls import TimeSpec
from assistant.reasoning.offline.dates.combine import merge
from assistant.reasoning.offline.dates.mentions import mention
from assistant.reasoning.offline.dates.resolve import resolved
from assistant.reasoning.offline.dates.tokens import Sentence
from assistant.reasoning.offline.dates.wording import say
from integrations.types import Value

__all__ = ["TimeMention", "merge", "read_times", "say"]


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
    found: list[TimeMention] = []
    i = 0
    while i < s.size:
        read = mention(s, i)
        if read:
            begin, end = s.begins[i], s.ends[read[1] - 1]
            spec = resolved(s, read[0], text[begin:end])
            if spec:
                found.append(TimeMention(begin=begin, end=end, spec=spec))
                i = read[1]
                continue
        i += 1
    return tuple(found)
