"""An hour named among those that were offered: "I'll take eleven to twelve", "two o'clock is fine" say which one."""

import re
from collections.abc import Sequence
from datetime import datetime

from assistant.reasoning.offline.lexicon import lexicon

Offer = tuple[datetime, datetime | None]
HOURS = "one two three four five six seven eight nine ten eleven twelve".split()
HOUR = r"(?P<{0}>\d{{1,2}}|" + "|".join(HOURS) + r"|noon)(?:[:.](?P<{0}m>\d\d)(?!\d))?"
CLOCK = r"(?:\s*(?:o['\u2019]?clock|[ap]\.?m\b\.?))?"
CHOICE = re.compile(
    r"(?:(?:ok|okay|great|good|perfect|then|so|yes|well|right|fine|please|and)\b[\s,.]*)*"
    r"(?P<verb>(?:(?:i|we)(?:['\u2019](?:ll|d)| will| would| can)?(?: like to| rather)?\s+|let['\u2019]?s\s+|let us\s+|let me\s+)?"
    r"(?:take|have|do|go for|go with|use|pick|choose|grab|book|reserve|say)\s+)?"
    rf"(?:the (?:one|slot|hour|time) )?(?:from |at |between )?{HOUR.format('from')}{CLOCK}"
    rf"(?:\s*(?:to|till|until|and|-|\u2013)\s*{HOUR.format('till')}{CLOCK})?(?: (?:one|slot))?"
    r"(?P<suits>\s+(?:it is|then|please"
    r"|(?:is|would be|will be|sounds|looks)\s+(?:fine|good|great|perfect|ok|okay|best|ideal|lovely)"
    r"|(?:works|suits|fits|will do|would do|would work|would suit)(?: best| well| fine)?)(?: (?:for |by |with )?(?:me|us))?)?"
    r"(?P<rest>\s*(?:[,.;!-].*|(?:for|with|and|called)\b.*)?)",
    re.IGNORECASE | re.DOTALL,
)


def by_place(text: str, offered: Sequence[Offer]) -> str:
    """The message with the place of the offer in the stead of its hours; the message itself where they are those of none."""
    found = CHOICE.fullmatch(text.strip())
    if found is None or not (found["verb"] or found["suits"]):
        return text
    begin, end = _minutes(found["from"], found["fromm"]), _minutes(found["till"], found["tillm"])
    fitting = [n for n, (start, stop) in enumerate(offered) if _is_at(start, begin) and (end is None or _is_at(stop, end))]
    places = {number: name for name, number in lexicon().nth.items() if name.isalpha()} | {1: "first"}
    if len(fitting) != 1 or fitting[0] + 1 not in places:
        return text
    return f"take the {places[fitting[0] + 1]} one{found['rest']}"


def _minutes(hour: str | None, minutes: str | None) -> int | None:
    if hour is None:
        return None
    number = 12 if hour.lower() == "noon" else int(hour) if hour.isdigit() else HOURS.index(hour.lower()) + 1
    return number * 60 + int(minutes or 0)


def _is_at(moment: datetime | None, minutes: int | None) -> bool:
    """In either half of the day, where the hour leaves it open."""
    if moment is None or minutes is None:
        return False
    at = moment.hour * 60 + moment.minute
    return at == minutes or (minutes <= 12 * 60 and at % 720 == minutes % 720)
