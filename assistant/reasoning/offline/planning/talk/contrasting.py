"""What a message sets against the last request: "Tuesday, not Monday", "but not the one on Friday"."""

import re
from collections.abc import Sequence

from assistant.reasoning.base import Request
from assistant.reasoning.offline import criteria
from assistant.reasoning.offline.lexicon import lexicon
from assistant.reasoning.offline.reading.entities import mark
from assistant.reasoning.offline.reading.frames import strip_closers, strip_openers
from assistant.reasoning.offline.reading.grammar import parse
from assistant.reasoning.offline.reading.text.items import Item

LONGEST = 14
"""Items of a message that leans on another."""
CONTRASTS = (
    re.compile(r"(?P<new>.+?),? (?:and )?not (?P<old>.+)", re.IGNORECASE),
    re.compile(r"(?P<new>.+?),? (?:instead of|rather than) (?P<old>.+)", re.IGNORECASE),
    re.compile(r"not (?P<old>.+?)(?:,? but|,) (?P<new>.+)", re.IGNORECASE),
)
"""What was meant, and what was said for it."""


def contrasted(request: Request) -> str:
    """ "Tuesday, not Monday": the last request with the one in the place of the other, where it was said once; else empty."""
    polite = lexicon().polite
    items: Sequence[Item] = strip_closers(mark(request.text, request.setting))
    if not items or len(items) > LONGEST:
        return ""
    items, _ = strip_openers(items, polite["correcting"])
    items, _ = strip_openers(items, polite["openers"])
    said = request.text[items[0].begin : items[-1].end] if items else ""
    found = next((match for pattern in CONTRASTS if (match := pattern.fullmatch(said))), None)
    if found is None:
        return ""
    old, new = (LEAD.sub("", found[side]).strip() for side in ("old", "new"))
    places = list(re.finditer(rf"\b{re.escape(old)}\b", request.last, re.IGNORECASE))
    if len(places) != 1 or parse(found["new"], request.setting).call is not None:
        return ""
    text = request.last[: places[0].start()] + new + request.last[places[0].end() :]
    before, after = parse(request.last, request.setting).call, parse(text, request.setting).call
    return text if before is not None and after is not None and before.operation == after.operation and before != after else ""


LEFT_OUT = re.compile(r"(?:no,? |but |and |please )*(?:not|except(?: for)?|leave out) (?P<what>.+?)[.! ]*", re.IGNORECASE)


def with_less(request: Request) -> str:
    """ "Not today's", "but not the one on Friday" over an open proposal: the last request without these; else empty."""
    found = LEFT_OUT.fullmatch(request.text.strip()) if request.proposal else None
    before = parse(request.last, request.setting) if found else None
    if found is None or before is None or before.call is None or not criteria.writes(before.call.operation):
        return ""
    what, items = found["what"], mark(found["what"], request.setting)
    if items and items[0].kind == "time" and what.lower().removesuffix(" one").removesuffix(" ones").endswith("'s"):
        day = items[0].text
        what = f"the one {day if items[0].low in NEAR else f'on {day}'}"
    text = f"{request.last.rstrip(' .!')} except {what}"
    call = parse(text, request.setting).call
    fits = call is not None and call.operation == before.call.operation and call.select.without != before.call.select.without
    return text if fits else ""


NEAR = frozenset({"today", "tomorrow", "yesterday", "tonight"})
LEAD = re.compile(r"^(?:on|at|to|from|for|in|the) ", re.IGNORECASE)
