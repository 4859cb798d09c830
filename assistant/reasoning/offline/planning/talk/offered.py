"""What was found to be free, taken up: "book it", "take the first one for a call with Omar", "then put in a call with Clara"."""

import re
from collections.abc import Sequence
from datetime import datetime

from assistant.reasoning.base import Request
from assistant.reasoning.offline.lexicon import lexicon
from assistant.reasoning.offline.planning.talk.hours_offered import by_place
from assistant.reasoning.offline.planning.talk.retiming import day
from assistant.reasoning.offline.reading.entities import mark
from assistant.reasoning.offline.reading.frames import strip_closers, strip_openers
from assistant.reasoning.offline.reading.grammar import parse
from assistant.reasoning.offline.reading.nouns.states import order_at
from assistant.reasoning.offline.reading.slots import lows
from assistant.reasoning.offline.reading.text.items import Item
from assistant.reasoning.offline.reading.text.tokens import tokenise

POINTERS = frozenset({"it", "that", "this"})
HEADS = frozenset({"one", "slot", "time", "option", "hour", "gap"})
PLACES = {"first": 0, "oldest": 0, "next": 0, "last": -1}
FOR = re.compile(r"^(?:for|to have|to hold) ", re.IGNORECASE)


def taken_up(text: str, request: Request) -> str:
    """The request with the time that was offered; empty where the message takes up none."""
    items, taken = strip_openers(mark(text, request.setting), lexicon().polite["openers"])
    items, riders = _without_riders(strip_closers(items), text)
    words = lows(items)
    verb = lexicon().taking.at(words, 0) if items else None
    if verb is None or any(item.time is not None and item.time.kind != "duration" for item in items):
        return ""
    offered = _offered(request)
    if not offered:
        return ""
    chosen = _chosen(request)
    span = _pointer(items, words, verb[0], len(offered), chosen)
    if span is None and "then" not in taken and not ((len(offered) == 1 or chosen is not None) and _opens(request.text)):
        return ""
    begin, end, place = span or (len(items), len(items), chosen or 0)
    if place >= len(offered):
        return ""
    rest = f"{_said(text, items[verb[0] : begin])} {_said(text, items[end:])}".strip(" ,")
    start, stop = offered[place]
    return _whole(FOR.sub("", rest), start, stop, request, items) + riders


INVITES = re.compile(
    r"(?:and |then )*(?:(?:please )?invite (?:him|her|them|both|everyone|everybody)(?: (?:too|as well|along))?"
    r"|(?:please )?send (?:him|her|them|both|out|everyone|everybody)?(?: (?:the|an?))? ?(?:invites?|invitations?))",
    re.IGNORECASE,
)
"""Those whom the time was looked for with are invited anyway."""
NAMES = re.compile(
    r"(?:and |then )*(?:(?:call|name|title) it|called|named|titled|(?:title|name|topic|subject)\s*(?::|is\b)) *(?P<title>.+)",
    re.IGNORECASE,
)
SUITS = re.compile(
    r"^(?:(?:ok|okay|yes|well|great|good|then|so|hm+|oh),? )*(?P<which>the [\w ]{3,20}?|that one|that|it)"
    r"(?: (?:is|would be|will be|looks|sounds|seems)|['\u2019]s)?(?: just| really)? "
    r"(?:fine|good|great|perfect|ok|okay|best|ideal|works|suits|fits|does it|will do|would work|would suit)"
    r"(?: best| well| fine| great)?(?: (?:for |by |with )?(?:me|us))?(?P<rest>[\s,.;!-].*)?$",
    re.IGNORECASE,
)
""" "The first one is fine, …" takes it up."""
TAKES_IT = re.compile(
    r"^[\s,.;!-]*(?:(?:so|please|and|then),? )*(?:book|take|reserve|schedule) (?:it|that|that one)\b", re.IGNORECASE
)


def taken_up_whole(request: Request) -> str:
    """The whole message, where all that it asks for is one of the times that were shown."""
    if not request.shown or not request.shown[0].data.slots or request.proposal or request.text.rstrip().endswith("?"):
        return ""
    request = request.model_copy(update={"text": by_place(request.text, _offered(request))})
    suits = SUITS.match(request.text.strip())
    rest = TAKES_IT.sub("", suits["rest"] or "") if suits else ""
    said = taken_up(f"take {suits['which']}{rest}" if suits else request.text, request)
    found = parse(said, request.setting) if said else None
    fits = found is not None and found.call is not None and found.call.operation == "event.create" and found.reading.certain
    return said if fits else ""


def _without_riders(items: Sequence[Item], text: str) -> tuple[Sequence[Item], str]:
    """Without "and invite her", and "and call it X" as the end of the request."""
    riders = ""
    for at in range(len(items) - 1, 0, -1):
        joint = items[at].low in ("and", ",", ".", "-")
        if not joint and items[at].low not in ("called", "titled", "named"):
            continue
        said = _said(text, items[at + joint :]).strip()
        if INVITES.fullmatch(said):
            items = items[:at]
        elif (named := NAMES.fullmatch(said)) is not None:
            items, riders = items[:at], f" called '{named['title'].strip(chr(34))}'"
    while items and items[-1].low in ("and", ","):
        items = items[:-1]
    return items, riders


def in_the_way(text: str, request: Request) -> str:
    """ "What's in the way?" behind "no": the events that were shown with it; empty where nothing of the kind is asked."""
    words = [token.low for token in tokenise(text) if token.kind == "word"]
    if " ".join(words) not in lexicon().small["in_the_way"] or not request.shown or not request.shown[0].data.events:
        return ""
    call = parse(request.last, request.setting).call if request.last else None
    return "show me the events {shown}" if call is not None and call.operation == "event.free" else ""


def _whole(what: str, start: datetime, stop: datetime | None, request: Request, items: Sequence[Item]) -> str:
    long = any(item.time is not None and item.time.kind == "duration" for item in items)
    length = f" for {int((stop - start).total_seconds()) // 60} minutes" if stop is not None and not long else ""
    what = f"a meeting {what}" if what.startswith("with ") else what
    return f"schedule {what or _what_for(request)} on {day(start)} at {start:%H:%M}{length}"


def _what_for(request: Request) -> str:
    asked = request.last.partition(";")[0]
    if _chosen(request) is not None:  # for what the times were looked for
        times = request.shown[0].data.slots
        asked = next((one.text for one in request.shown[1:] if one.data.slots == times and one.data.chosen is None), asked)
    call = parse(asked, request.setting).call
    people = [person.text or person.email for person in (*call.to, *call.select.people)] if call is not None else []
    return f"a meeting with {' and '.join(people)}" if people else "a meeting"


def _offered(request: Request) -> tuple[tuple[datetime, datetime | None], ...]:
    """The slots shown last, else the time that was asked about."""
    zone = request.setting.zone
    if request.shown and request.shown[0].data.slots:
        return tuple((slot.start.astimezone(zone), slot.end.astimezone(zone)) for slot in request.shown[0].data.slots)
    call = parse(request.last, request.setting).call if request.last else None
    spec = call.time if call is not None and call.operation == "event.free" else None
    if spec is None or spec.start is None or not spec.has_time:
        return ()
    return ((spec.start.astimezone(zone), spec.stop.astimezone(zone) if spec.kind == "range" and spec.stop else None),)


def _chosen(request: Request) -> int | None:
    """The place of the one that was decided for among the times shown last."""
    return request.shown[0].data.chosen if request.shown else None


def _pointer(
    items: Sequence[Item], words: Sequence[str], begin: int, offered: int, chosen: int | None = None
) -> tuple[int, int, int] | None:
    """From where to where the words stand that point at an offer, and at which."""
    for at in range(begin, len(items)):
        if words[at] == "then" and at + 1 == len(items):
            return at, at + 1, chosen or 0
        if words[at] in POINTERS and (offered == 1 or chosen is not None):
            return at, at + 1 + (words[at + 1 : at + 2] != [] and words[at + 1] in HEADS), chosen or 0
        if words[at] == "the" and at + 1 < len(items) and (order := order_at(items, words, at + 1)) is not None:
            end = at + 1 + order[0]
            if end < len(items) and words[end] not in HEADS:
                return None
            place = order[2] - 1 if order[1] == "nth" else PLACES[order[1]]
            return at, end + (end < len(items)), place % offered if place < offered else offered
    return None


def _opens(text: str) -> bool:
    """ "Then …", "ok, so …": what follows from the answer."""
    return text.lower().replace(",", " ").split()[:1] in (["then"], ["so"], ["ok"], ["okay"], ["great"], ["good"], ["perfect"])


def _said(text: str, items: Sequence[Item]) -> str:
    return text[items[0].begin : items[-1].end] if items else ""
