"""What a message begins with before it asks for anything: "Two things.", "Before I forget:", "You are getting ready for …:"."""

from collections.abc import Sequence

from assistant.reasoning.base import Setting
from assistant.reasoning.offline.criteria import missing
from assistant.reasoning.offline.lexicon import lexicon
from assistant.reasoning.offline.planning.message.wishes import as_request
from assistant.reasoning.offline.reading.entities import mark
from assistant.reasoning.offline.reading.frames import clause_of, strip_openers
from assistant.reasoning.offline.reading.grammar import parse
from assistant.reasoning.offline.reading.text.items import NAMED, Item
from assistant.reasoning.offline.reading.text.tokens import Token, tokenise

MARKS = frozenset({":", ".", "!", "-", "\u2013", "\u2014", "\u2026"})
LONGEST = 30
"""Items of an introduction."""
DIRECTED = frozenset({"you", "your", "we", "our", "it", "today", "there", "this", "the", "my", "a", "an", "i"})
PREPARING = frozenset({"preparation", "follow-up", "advance", "view", "connection", "addition", "precaution"})
"""How the scene is set for a request; what others want is told of them by name."""
NO_SCENE = frozenset(
    "if unless when whenever once until till not never no nobody nothing without except but would could might should must "
    "says said say writes wrote asks tells told wants orders claims suggests"
    " pretend imagine suppose what were was rule rules instructions order".split()
)
"""What makes of a scene a condition, a report, or a rule that the request stands under."""


def introduction(text: str, setting: Setting) -> tuple[str, str]:
    """What a message begins with that selects nothing, and what it asks for then; the first is empty where there is nothing of
    the kind."""
    if not any(mark in text for mark in MARKS):
        return "", text
    items = mark(text, setting)
    at = next((n for n, item in enumerate(items[:LONGEST]) if item.kind == "punct" and item.low in MARKS), None)
    if not at or at + 1 >= len(items) or (items[at].low == "." and items[at + 1].begin == items[at].end):
        return "", text
    lead, rest = items[:at], text[items[at + 1].begin :]
    if _counts(tokenise(text[: items[at].begin])) or _begins(lead):
        return text[: items[at].end], _noted(rest, setting) or rest
    if items[at].low != "." and _sets_scene(text, lead) and _asks(rest, setting):
        return text[: items[at].end], rest
    return "", text


def _counts(lead: Sequence[Token]) -> bool:
    """ "Two things", "just a few small jobs for you": nothing but how much will be asked for."""
    kinds = lexicon().asides
    heads = [n for n, item in enumerate(lead) if item.low in kinds["introducing"]]
    return bool(heads) and all(
        item.low in kinds["introducing"] | kinds["around_introducing"] or item.kind == "number" for item in lead
    )


def _begins(lead: Sequence[Item]) -> bool:
    """ "Before I forget", "here is what I need": a whole saying."""
    words = [item.low for item in strip_openers(lead, lexicon().polite["openers"])[0] or lead if item.low != ","]
    found = lexicon().polite["introducing"].at(words, 0)
    return found is not None and found[0] == len(words)


def _sets_scene(text: str, lead: Sequence[Item]) -> bool:
    """A statement or an aim of the user's own, which says nothing of how the request is meant."""
    words = [word for item in lead for word in item.low.split()]
    if len(words) < 3 or NO_SCENE & set(words):
        return False
    if words[0] == "to":
        form = lexicon().verbs.at(words, 1)
        return not (form is not None and lead[1:2] and lead[1].kind in NAMED) and lead[1].kind == "word"
    if words[0] in ("as", "in") and PREPARING & set(words[1:3]):
        return True
    return words[0] in DIRECTED and clause_of(text, lead).mood == "statement" and as_request(text, lead) is None


def _asks(rest: str, setting: Setting) -> bool:
    """Whether a whole request follows: one that lacks its words may have them in what stands before it."""
    items = mark(rest, setting)
    end = next((item.begin for item in items if item.kind == "punct" and item.low in (".", "!", "?", ";")), len(rest))
    found = parse(rest[:end], setting)
    return found.clause.mood == "do" and (found.call is None or not missing(found.call))


def _entry(rest: str, items: Sequence[Item]) -> str:
    """What stands before the first time is the title, unless somebody is named who may have to be invited."""
    first = next(n for n, item in enumerate(items) if item.time is not None)
    title = rest[: items[first].begin].rstrip(" ,-")
    times_last = all(item.kind in ("time", "punct") or item.low in ("from", "to", "at", "on", "and") for item in items[first:])
    if not times_last or any(item.kind in (*NAMED, "quote") for item in items[:first]):
        return f"Put {rest} in my calendar"
    return f'Put "{title[:1].upper()}{title[1:]}" in my calendar {rest[items[first].begin :]}'


TIMED = ("point", "range")


def _noted(rest: str, setting: Setting) -> str:
    """ "… : vet with the cat, Saturday 11 to 11:30" is a thing for the calendar."""
    items = mark(rest, setting)
    sentence = [item for item in items if not (item.kind == "punct" and item.low in (".", "!", ",", "-"))]
    timed = [item.time for item in items if item.time is not None]
    found = parse(rest, setting)
    if found.call is not None and found.call.operation == "event.create":
        return ""
    full = any(spec.has_date for spec in timed) and any(spec.has_time and spec.kind in TIMED for spec in timed)
    plain = found.clause.mood == "things" and not found.clause.negated and sentence and sentence[0].kind != "time"
    if not plain or not full or "?" in rest or any(item.low in (".", ";") for item in items[:-1] if item.kind == "punct"):
        return ""
    request = _entry(rest.rstrip(" .!"), items)
    call = parse(request, setting).call
    return request if call is not None and call.operation == "event.create" and call.time is not None else ""
