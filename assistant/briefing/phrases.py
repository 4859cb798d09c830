"""The short words of a briefing's lines."""

import re
from collections.abc import Iterable
from datetime import datetime

from assistant.reasoning.offline.saying import cues
from assistant.reasoning.offline.saying.items import one_line, people, person
from assistant.reasoning.offline.saying.prose import sentences
from assistant.reasoning.quoting import own_words
from integrations.common.invisible import visible
from integrations.types import Address, Event, Mail
from risk.times import clock_words, day_words

LONGEST = 120
"""Characters of a line."""
_ANSWERS = re.compile(r"^(?:(?:re|aw|fwd?|wg|sv|antw)(?:\[\d+\])?\s*:\s*)+", re.IGNORECASE)
QUOTES = " \"'\u201c\u201d\u2018\u2019"
LEAST_WORDS = 4
"""Of a sentence that tells something."""


def clean(text: str) -> str:
    return one_line(visible(text))


def cut(text: str, most: int) -> str:
    """At a word's end, with an ellipsis."""
    if len(text) <= most:
        return text
    return text[: most - 1].rsplit(" ", 1)[0].rstrip(" ,;:-") + "…"


def mail_words(mail: Mail, says: str = "", who: str = "") -> str:
    """ "Anna Berg: Could you send the figures? (Budget Q4)" """
    who, about = cut(clean(who) or person(mail.sender), 40), topic(mail)
    if not says:
        return cut(f"{who}: {about}", LONGEST)
    about = cut(about, 48)
    return f"{who}: {cut(clean(says).strip(QUOTES), LONGEST - len(who) - len(about) - 5)} ({about})"


def topic(mail: Mail, most: int = LONGEST) -> str:
    """Its subject without "Re:" and the like."""
    return cut(_ANSWERS.sub("", clean(mail.subject)) or "(no subject)", most)


def gist(mail: Mail) -> str:
    """The first sentence that tells something."""
    told = sentences(own_words(mail.body or mail.snippet, mail.sender.name if mail.sender else ""))
    return next((one for one in told if len(one.split()) >= LEAST_WORDS and not cues.PLEASANTRY.search(one)), "")


def short_words(mail: Mail) -> str:
    """ "Anna Berg (Budget Q4)" """
    return f"{cut(person(mail.sender), 30)} ({topic(mail, 40)})"


def names(addresses: Iterable[Address], most: int = 3) -> str:
    return clean(people(tuple(addresses), most))


def day_named(moment: datetime, now: datetime) -> str:
    """ "today", "on Thursday" within a week, else "on 3 November"."""
    local = moment.astimezone(now.tzinfo)
    days = (now.date() - local.date()).days
    if days in (-1, 0, 1):
        return {-1: "tomorrow", 0: "today", 1: "yesterday"}[days]
    if -7 < days < 7:
        return f"on {local:%A}"
    year = f" {local.year}" if local.year != now.year else ""
    return f"on {local.day} {local:%B}{year}"


def ago(moment: datetime, now: datetime) -> str:
    days = (now.date() - moment.astimezone(now.tzinfo).date()).days
    return {0: "today", 1: "yesterday"}.get(days) or f"{days} days ago"


def day_of(moment: datetime, now: datetime) -> str:
    """ "today", "tomorrow", else "Wednesday 25 Nov" """
    local = moment.astimezone(now.tzinfo)
    near = {0: "today", 1: "tomorrow"}.get((local.date() - now.date()).days)
    return near or day_words(local.date(), now.date(), weekday="%A")


def local(now: datetime, *moments: datetime) -> tuple[datetime, ...]:
    return tuple(moment.astimezone(now.tzinfo) for moment in moments)


def title_of(event: Event) -> str:
    return cut(clean(event.title) or "(no title)", 60)


def clocked(event: Event, now: datetime) -> str:
    """ "Team stand-up (09:00-09:15)" """
    return f"{cut(title_of(event), 40)} ({clock_words(*local(now, event.start, event.end))})"


def dated(event: Event, now: datetime) -> str:
    """ "Team stand-up, Monday 23 Nov, 09:00-09:15" """
    return f"{title_of(event)}, {moment_of(event, now)}"


def moment_of(event: Event, now: datetime) -> str:
    start, end = local(now, event.start, event.end)
    if event.all_day:
        return f"{day_of(start, now)}, all day"
    return f"{day_of(start, now)}, {clock_words(start, end) if start.date() == end.date() else f'{start:%H:%M}'}"
