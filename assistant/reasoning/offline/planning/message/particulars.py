"""What is told of a new event in sentences of its own: "Book a call with Yuki. 2 December, 9:00. Half an hour. Title: Moss"."""

import re
from collections.abc import Sequence

from assistant.reasoning.base import Setting
from assistant.reasoning.offline.planning.message.pieces import Piece
from assistant.reasoning.offline.reading.entities import mark
from assistant.reasoning.offline.reading.grammar import parse
from assistant.reasoning.offline.reading.text.items import Item

_HEADED = re.compile(
    r"^(?P<polite>(?:please |ok |okay |hi |also |and )*)(?:(?:create|add|make|enter|book|schedule) )?(?:an? |one )?"
    r"(?:new|another|further) (?:calendar )?(?:appointment|event|entry|meeting|date)\s*:\s*"
    r"(?P<title>[^\s:,.;\"\d][^:,.;\"\d]*?)\s*(?P<rest>[,.;].*)?$",
    re.IGNORECASE | re.DOTALL,
)


def headed(text: str, setting: Setting) -> str:
    """ "New appointment: optician, next Tuesday at 8:30" with its title as one; the text itself where it is no such entry."""
    found = _HEADED.match(text)
    if found is None or any(item.kind in ("time", "person") for item in mark(found["title"], setting)):
        return text
    return f'{found["polite"]}create an appointment called "{found["title"]}"{found["rest"] or ""}'


_LABELLED = re.compile(
    r"^(?:and )?(?:the |its )?(?:(?P<title>title|name|subject|topic)|(?P<where>where|place|location|room|venue)|"
    r"(?P<when>when|time|date|day|start|duration|length|how long)|"
    r"(?P<who>with|guests?|participants?|attendees?|invitees?|people|who))\s*(?::|\bis\b|\bshould be\b)\s*"
    r"(?P<said>(?:[^:]|(?<=\d):(?=\d))+)$",
    re.IGNORECASE,
)


def with_particulars(first: Piece, second: Piece, setting: Setting) -> Piece | None:
    """One request where the second sentence only tells when, where, with whom or under what title the event is to be."""
    made = parse(first.text, setting).call
    if made is None or made.operation != "event.create" or first.role != second.role or "?" in second.text:
        return None
    said = _said(second.text.strip().rstrip(".! "), setting)
    if not said:
        return None
    whole = f"{first.text.rstrip('.!? ')}{said}"
    found = parse(whole, setting)
    call = found.call
    if call is None or call.operation != "event.create" or found.reading.unread:
        return None
    fields = ("to", "location", "duration") if " called " in said else ("to", "title", "location", "duration")
    kept = all(getattr(call, name) == getattr(made, name) for name in fields if getattr(made, name))
    timed = made.time is None or (call.time is not None and (made.time.start, made.time.stop) == (call.time.start, call.time.stop))
    dated = call.time is not None and made.time is not None and not made.time.has_time and call.time.has_time
    return Piece(whole, first.role, first.negated) if kept and (timed or dated) and call != made else None


IT = frozenset({"it", "that", "this"})
LASTING = frozenset(
    "it that this should must will 'll shall would has have to needs need is 's going last lasts take takes place be run runs only"
    " just about roughly".split()
)
"""What stands between "it" and how long, when or where it is to be."""


def _without_it(items: Sequence[Item]) -> Sequence[Item]:
    if not items or items[0].low not in IT:
        return items
    return items[next((n for n, item in enumerate(items) if item.low not in LASTING), len(items)) :]


def _said(text: str, setting: Setting) -> str:
    """The words of the second sentence as they stand in the first; empty where they tell anything else."""
    label = _LABELLED.match(text)
    if label is not None:
        said = label["said"].strip()
        quoted = said if said[:1] in "\"'\u201c" else f'"{said}"'
        if label["title"]:
            return f" called {quoted}"
        return f" with {said}" if label["who"] else f" in {said}" if label["where"] else f", {said}"
    items = _without_it(mark(text, setting))
    if not items:
        return ""
    text = text[items[0].begin :]
    plain = all(
        item.kind in ("time", "number", "punct") or item.low in ("room", "in", "at", "for", "on", "from", "and", "long")
        for item in items
    )
    return f", {text[:1].lower()}{text[1:]}" if plain and any(item.kind == "time" or item.low == "room" for item in items) else ""
