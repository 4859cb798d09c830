"""A second time in a sentence of its own: "Book … at 3. If that slot is taken, make it 4 instead"."""

from collections.abc import Sequence

from assistant.reasoning.base import Setting
from assistant.reasoning.offline.lexicon import lexicon
from assistant.reasoning.offline.reading.grammar import parse
from assistant.reasoning.offline.reading.slots import lows
from assistant.reasoning.offline.reading.text.items import Item, is_hour

TAKEN = frozenset(
    {"taken", "booked", "occupied", "busy", "unavailable", "full", "something", "anything", "clash", "clashes", "conflict"}
)
FITS = frozenset({"free", "available", "possible", "work", "works", "fit", "fits", "suit", "suits", "open"})
NOT = frozenset({"not", "never", "no"})
AGAIN = frozenset(
    "make move put schedule book shift set try take have do use it that to at on for in instead please the same day of "
    "then just".split()
)
"""Words that say of a time only that it is to be the other one."""
SAME_DAY = frozenset({"on", "the", "that", "same", "day"})


def with_second_time(text: str, first: Sequence[Item], second: Sequence[Item], setting: Setting) -> str:
    """Both sentences as one: "A, or at T if I already have something"; empty where the second is nothing of that kind."""
    words = lows(second)
    opener = lexicon().conditions.at(words, 0) if words else None
    if opener is None:
        return ""
    spots = [
        n
        for n in range(opener[0], len(second))
        if second[n].kind == "time" or (is_hour(second[n]) and words[n - 1] in ("at", "to"))
    ]
    deed = next((n for n in range(opener[0] + 1, len(second)) if words[n] in AGAIN and words[n - 1] in (",", "then")), None)
    if deed is None or len(spots) != 1 or spots[0] < deed or not _taken(words[opener[0] : deed], opener[1] == "unless"):
        return ""
    around = [word for n, word in enumerate(words[deed:], deed) if n != spots[0] and second[n].kind != "punct"]
    before = parse(text[first[0].begin : first[-1].end], setting).call
    if not set(around) <= AGAIN or before is None or before.operation not in ("event.create", "event.move"):
        return ""
    if before.time is None or not before.time.has_time:
        return ""
    time = second[spots[0]]
    said = time.text.split()
    while len(said) > 1 and said[-1].lower() in SAME_DAY:
        said.pop()
    hour = " ".join(said)
    lead = "" if hour.lower().startswith(("at ", "on ")) else "at "
    return f"{text[first[0].begin : first[-1].end].rstrip(' .!')}, or {lead}{hour} if I already have something"


def _taken(condition: Sequence[str], unless: bool) -> bool:
    words = {word for word in condition if word not in (",", "then")}
    if not words <= lexicon().small["if_taken"] | TAKEN | FITS | NOT:
        return False
    negated = bool(words & NOT) != unless
    return negated if words & FITS else bool(words & TAKEN) and not negated
