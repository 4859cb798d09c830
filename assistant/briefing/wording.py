"""What the text, the Markdown and the mail of a briefing have in common: sentences about it, and strangers' text made safe."""

import re
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from itertools import groupby
from urllib.parse import quote

from assistant.briefing.facts import Briefing, Line, Looked
from assistant.reasoning.llm.visible import one_line
from integrations.types import Event, Mail
from risk.times import day_words, moment_words

WHY = 3
"""Reasons that are told of a line, those of most weight."""
LONGEST = 160
"""Characters of one line's text, or of one reason."""
INNER = re.compile('["\u201c-\u201f\u00ab\u00bb\u301d-\u301f\uff02]')
ENDS = (".", "!", "?", "…")


def seen(text: str, most: int = LONGEST) -> str:
    """On one line, and only what can be seen of it."""
    return one_line(text, most)


def quoted(text: str, most: int = LONGEST) -> str:
    """Between quotation marks that nothing within it ends."""
    return f"\u201c{INNER.sub(chr(39), seen(text, most))}\u201d"


def reasons(line: Line) -> str:
    """On one line; empty where there are none."""
    return "; ".join(seen(reason) for reason in line.reasons[:WHY])


def notices(briefing: Briefing) -> tuple[str, ...]:
    """What must be said first: about earlier runs, and about what could not be looked at."""
    said = {True: "is in here only in part", False: "is not in here"}
    failed = (f"{seen(one.account)} {said[one.partly]}: {sentence(one.trouble)}" for one in briefing.looked if one.trouble)
    return (*(sentence(notice) for notice in briefing.notices), *failed)


def covered(briefing: Briefing) -> str:
    """What it covers, in one sentence."""
    reached = sorted((one for one in briefing.looked if not one.trouble), key=lambda one: (one.since, one.account))
    spans = [_span(briefing, list(alike)) for _, alike in groupby(reached, key=lambda one: one.since)]
    partly = [seen(one.account) for one in briefing.looked if one.partly]
    failed = [seen(one.account) for one in briefing.looked if one.trouble and not one.partly]
    some = f"{listed(partly)} only in part" if partly else ""
    missing = f"not {listed(failed)}, which could not be read" if failed else ""
    said = "; ".join(filter(None, [*spans, some, missing]))
    return f"Covered: {said}." if said else ""


def _span(briefing: Briefing, alike: Sequence[Looked]) -> str:
    since = f" since {moment_words(alike[0].since, zone=briefing.at.tzinfo or UTC, today=briefing.at.date())}"
    mails, events = sum(one.mails for one in alike), sum(one.events for one in alike)
    counts = [_counted(mails, "mail"), _counted(events, "event") + _up_to(alike[0].ahead, briefing.at)]
    held = [count for count, wanted in zip(counts, (_of_mail(briefing), _of_calendar(briefing)), strict=True) if wanted]
    names = listed([seen(one.account) for one in alike])
    return f"{names}{since if _of_mail(briefing) else ''} ({' and '.join(held)})" if held else names


def _up_to(end: datetime | None, now: datetime) -> str:
    """The last day before that midnight."""
    return f" up to {day_words((end - timedelta(seconds=1)).date(), now.date())}" if end else ""


def _of_mail(briefing: Briefing) -> bool:
    return "inbox" in briefing.parts


def _of_calendar(briefing: Briefing) -> bool:
    return bool({"day", "week"} & set(briefing.parts))


def _counted(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def listed(names: Sequence[str]) -> str:
    return " and ".join(filter(None, (", ".join(names[:-1]), *names[-1:])))


def sentence(text: str) -> str:
    """Begins with a capital and ends with a stop."""
    said = seen(text, 400)
    return f"{said[:1].upper()}{said[1:]}{'' if said.endswith(ENDS) else '.'}" if said else ""


def href(line: Line, base_url: str) -> str:
    """Where it leads: to the page under `base_url`, else to the mail in the reader's mail program; empty for nowhere."""
    if line.mail is not None:
        place = f"#/mail/{_path(line.mail.account, line.mail.id)}"
        return f"{base_url.rstrip('/')}/{place}" if base_url else _mid(line.mail)
    if line.event is not None and base_url:
        return f"{base_url.rstrip('/')}/#/event/{_place(line.event)}"
    return ""


def _place(event: Event) -> str:
    instance = f"?recurrence={quote(event.recurrence.isoformat(), safe='')}" if event.recurrence else ""
    return _path(event.account, event.calendar, event.id) + instance


def _path(*parts: str) -> str:
    return "/".join(quote(part, safe="") for part in parts)


def _mid(mail: Mail) -> str:
    bare = mail.message_id.strip().strip("<>")
    return f"mid:{quote(bare, safe='@')}" if bare else ""
