"""How long: "30 minutes", "an hour and a half", "2h30", "nine days"."""

from assistant.reasoning.offline.dates.lexicon import DAYS, GLUED_UNITS, SECONDS, UNIT_MONTHS, UNITS
from assistant.reasoning.offline.dates.nodes import Length, Match
from assistant.reasoning.offline.dates.numbers import amount, cardinal
from assistant.reasoning.offline.dates.tokens import Sentence

MOST_MORE = 90
"""Of no unit more would be said behind "or"."""


def of_unit(unit: str) -> Length:
    return Length(months=UNIT_MONTHS.get(unit, 0), days=DAYS.get(unit, 0), seconds=SECONDS.get(unit, 0))


def unit(s: Sentence, i: int, *, glued: bool = False) -> Match[str]:
    """`glued`: one letter will do, as it stands right behind digits."""
    word = s.words[i]
    if glued and word in GLUED_UNITS and s.glued(i):
        return GLUED_UNITS[word], i + 1
    if word in UNITS and not (word in ("second", "quarter") and s.words[i + 1] in ("half", "of", "to", "past")):
        return UNITS[word], i + 1
    return None


def length(s: Sentence, i: int) -> Match[Length]:
    found = _one(s, i)
    while found:
        total, j = found
        k = j + 1 if s.words[j] in ("and", ",") else j
        more = _one(s, k) if _continues(s, k) else None
        if not more or _rank(more[0]) >= _rank(total):
            break
        found = total.plus(more[0]), more[1]
    return (found[0], _or_more(s, found[1])) if found else None


def _or_more(s: Sentence, i: int) -> int:
    """Behind "or two", "or so" of "an hour or two": the shorter one counts."""
    if s.words[i] != "or":
        return i
    if s.words[i + 1] in ("so", "more", "thereabouts"):
        return i + 2
    number = cardinal(s, i + 1)
    end = number[1] + (s.words[number[1]] in UNITS) if number and number[0] <= MOST_MORE else i
    return i if number and (s.numbers[end] is not None or s.words[end] in ("pm", "am", "o'clock", ":")) else end


def _continues(s: Sentence, i: int) -> bool:
    """A further part needs a number of its own: "1 hour 30 minutes"; not "2 hours a day"."""
    return s.words[i] not in ("a", "an", "half") or s.words[i - 1] == "and"


def _rank(part: Length) -> float:
    return part.timedelta.total_seconds()


def _one(s: Sentence, i: int) -> Match[Length]:
    return _half(s, i) or _counted(s, i) or _free(s, i)


SPARE = frozenset("free spare clear full whole solid uninterrupted".split())


def _free(s: Sentence, i: int) -> Match[Length]:
    """The length of "first free hour", "next free half hour"."""
    if s.words[i] != "free" or s.words[i + 1] not in ("hour", "half", "half-hour", "quarter"):
        return None
    return _half(s, i + 1) or ((of_unit("hour"), i + 2) if s.words[i + 1] == "hour" else None)


def _half(s: Sentence, i: int) -> Match[Length]:
    """ "half an hour", "half hour", "a quarter of an hour", "three quarters of an hour", "half a day"."""
    j = i + 1 if s.words[i] in ("a", "an", "one") and s.words[i + 1] in ("half", "quarter", *SPARE) else i
    j += s.words[j] in SPARE and s.words[j + 1] in ("half", "quarter")
    share = {"half": 0.5, "quarter": 0.25, "½": 0.5, "¼": 0.25, "¾": 0.75}.get(s.words[j])
    if share is None and s.words[j] in ("three", "3") and s.words[j + 1] == "quarters":
        share, j = 0.75, j + 1
    if share is None:
        return None
    k = j + 1
    k += s.words[k] in SPARE
    if s.words[k] in ("-", "of"):
        k += 1
    if s.words[k] in ("a", "an"):
        k += 1
    found = unit(s, k)
    if not found or found[0] not in ("hour", "day", "minute", "year") or s.words[k].startswith("night"):
        return None
    part = of_unit(found[0])
    if found[0] == "day":
        return Length(seconds=share * 8 * 3600), found[1]
    scaled = part.times(share)
    return (scaled, found[1]) if scaled else None


def _counted(s: Sentence, i: int) -> Match[Length]:
    if s.words[i] in ("a", "an") and s.words[i + 1] in ("week", "month", "day", "year", "second") and s.words[i + 2] == "-":
        return None
    number = amount(s, i)
    if not number:
        return None
    value, j = number
    if s.words[j] == "-":
        j += 1
    j += s.words[j] in SPARE and s.words[j + 1] in UNITS
    if s.words[j] in ("business", "working", "work"):
        return None
    named = unit(s, j, glued=s.numbers[j - 1] is not None and s.words[j - 1] != "-")
    if not named or (s.words[j] == "night" and value > 1 and s.words[j - 1] != "-"):
        return None
    part, k = of_unit(named[0]), named[1]
    total = part.times(value)
    if not total:
        return None
    if named[0] == "hour" and s.numbers[k] is not None and s.glued(k) and len(s.raw[k]) == 2:
        minutes = s.numbers[k] or 0
        k += 2 if s.words[k + 1] in ("m", "min") and s.glued(k + 1) else 1
        return total.plus(Length(seconds=60 * minutes)), k
    return _with_fraction(s, total, part, k)


def _with_fraction(s: Sentence, total: Length, part: Length, j: int) -> tuple[Length, int]:
    """ "an hour and a half", "one hour and a quarter"; not the half of "a day and a half hour"."""
    share = {"half": 0.5, "quarter": 0.25}.get(s.words[j + 2], 0.0)
    if share and s.words[j] == "and" and s.words[j + 1] in ("a", "one") and not unit(s, j + 3) and s.words[j + 3] != "an":
        more = part.times(share)
        if more:
            return total.plus(more), j + 3
    if s.words[j] == "and" and s.words[j + 1] == "half" and not unit(s, j + 2):
        more = part.times(0.5)
        if more:
            return total.plus(more), j + 2
    if s.words[j] == "-" and s.words[j + 1] == "long":
        return total, j + 2
    return total, j
