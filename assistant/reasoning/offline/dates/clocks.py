"""Times of day: "3pm", "half past nine", "15:00", "noon", "3 in the afternoon", "10:00 CET"."""

from zoneinfo import ZoneInfo

from assistant.reasoning.offline.dates.dayparts import part
from assistant.reasoning.offline.dates.lexicon import (
    APPROXIMATELY,
    CLOCK_WORDS,
    CLOSING,
    EVENINGS,
    KEEPING,
    MONTHS,
    MORNINGS,
    MOVES,
    NO_PLURALS,
    NOT_AFTER_HOUR,
    OPENING,
    PARTS,
    PLACES,
    PLAIN_ZONES,
    WEEKDAYS,
    ZONES,
)
from assistant.reasoning.offline.dates.nodes import Clock, Match
from assistant.reasoning.offline.dates.numbers import cardinal
from assistant.reasoning.offline.dates.tokens import Sentence

OPENERS = frozenset("(\"'[“\u2018-\u2013—~@,/")
ZONE_STARTERS = frozenset((*ZONES, *PLAIN_ZONES, *(name.split(" ")[0] for name in PLACES), "(", "z"))


def clock(s: Sentence, i: int, *, bare: bool = False) -> Match[Clock]:
    """`bare`: a number alone is an hour, as after "at"."""
    key = ("clock", i, bare)
    if key not in s.read:
        s.read[key] = _clock(s, i, bare)
    found: Match[Clock] = s.read[key]
    return found


def _clock(s: Sentence, i: int, bare: bool) -> Match[Clock]:
    j = i
    while s.words[j] in APPROXIMATELY or s.words[j] == "at":
        bare = bare or s.words[j] == "at"
        j += 1
    found = _worded(s, j) or _spoken(s, j, bare) or _digital(s, j, bare)
    if not found or (j > i and s.words[i] in APPROXIMATELY and not bare and not found[0].sure and found[1] == j + 1):
        return None
    time, k = found
    if s.words[k] == "ish" and (s.glued(k) or s.words[k - 1] == "-"):
        k += 1
    if s.words[k] in ("sharp", "prompt"):
        k += 1
    named = zone(s, k)
    return (time._replace(zone=named[0]), named[1]) if named else (time, k)


def _worded(s: Sentence, i: int) -> Match[Clock]:
    word = s.words[i]
    if word in ("twelve", "12") and s.words[i + 1] in ("noon", "midnight"):
        return Clock(CLOCK_WORDS[s.words[i + 1]], sure=True), i + 2
    if word in CLOCK_WORDS and not (word == "midnight" and s.words[i + 1] in ("sun", "blue")):
        return Clock(CLOCK_WORDS[word], sure=True), i + 1
    if word == "first" and s.words[i + 1] == "thing" and s.before(i) != "the":
        return Clock(OPENING, sure=True), i + 2
    j = i + 1 if word == "the" else i
    if s.words[j] in ("end", "close") and s.words[j + 1] == "of":
        k = j + 3 if s.words[j + 2] in ("the", "my") else j + 2
        if s.words[k] in ("business", "day", "play") and (s.words[k] != "day" or s.words[j] == "end"):
            return Clock(CLOSING, sure=True), k + 1
        if s.words[k] in ("today", "tomorrow") and s.words[j] == "end":
            return Clock(CLOSING, sure=True), k
    return None


def _hour(number: int) -> bool:
    return 0 <= number <= 24


def _spoken(s: Sentence, i: int, bare: bool) -> Match[Clock]:
    """ "half past nine", "quarter to five", "20 minutes past eight", "half nine"."""
    j = i + 1 if s.words[i] == "a" and s.words[i + 1] == "quarter" else i
    minutes: int | None = {"half": 30, "quarter": 15}.get(s.words[j])
    k = j + 1
    if minutes is None:
        number = cardinal(s, j)
        if not number or not 0 < number[0] < 60:
            return None
        minutes, k = number
        if s.words[k] in ("min", "mins", "minute", "minutes"):
            k += 1
        elif minutes not in (5, 10, 15, 20, 25):
            return None
    word = s.words[k]
    if minutes == 30 and s.words[j] == "half" and bare and (nine := cardinal(s, k)) and 1 <= nine[0] <= 12:
        return _meridiem_after(s, Clock(nine[0], 30), nine[1])
    if word not in ("past", "after", "to", "before", "of"):
        return None
    named = cardinal(s, k + 1)
    hour_word = CLOCK_WORDS.get(s.words[k + 1])
    if not named and hour_word is None:
        return None
    hour, end = named or (hour_word or 12, k + 2)
    if not 1 <= hour <= 24 or (s.words[j] == "half" and word not in ("past", "after")):
        return None
    told = s.words[j] in ("quarter", "half") or k > j + 1
    if s.words[end] == ":" or (word in ("to", "of") and not told and (s.numbers[j] is not None or _begins_stretch(s, i))):
        return None
    if word in ("past", "after"):
        return _meridiem_after(s, Clock(hour, minutes, sure=not named), end)
    return _meridiem_after(s, Clock((hour - 1) % 24 or 12, 60 - minutes, sure=not named), end)


def _begins_stretch(s: Sentence, i: int) -> bool:
    """ "Saturday ten to eleven", "block ten to eleven": from one hour to the other, where nothing says that a moment follows."""
    j = i - 1 if s.before(i) in (",", "for") else i
    before = s.before(j)
    return before in ("from", "between") or (
        MOVES.isdisjoint(s.words[:i]) and (before in WEEKDAYS or before in ("today", "tomorrow") or before in KEEPING)
    )


def _meridiem_after(s: Sentence, time: Clock, i: int) -> tuple[Clock, int]:
    if s.words[i] in ("o'clock",):
        i += 1
    half = meridiem(s, i)
    if half and 1 <= time.hour <= 12:
        return time.half(half[0] == "pm"), half[1]
    return time, i


def meridiem(s: Sentence, i: int) -> Match[str]:
    """am, p.m., a, "p . m ."; one letter only right behind the number."""
    word = s.words[i]
    if word in ("am", "pm"):
        return word, i + 2 if s.words[i + 1] == "." and s.glued(i + 1) and _inside(s, i + 1) else i + 1
    if word == "." and s.glued(i) and s.glued(i + 1) and s.words[i + 1] in ("am", "pm", "a", "p"):
        return meridiem(s, i + 1)
    if word not in ("a", "p"):
        return None
    j = i + 1
    if s.words[j] == "." and s.words[j + 1] == "m":
        dotted = s.words[j + 2] == "." and (s.glued(j + 2) or not s.glued(j))
        return word + "m", j + 3 if dotted else j + 2
    if s.words[j] == "m" and not s.glued(j):
        return word + "m", j + 1
    return (word + "m", j) if s.glued(i) and s.numbers[i - 1] is not None else None


NEXT_SENTENCE = frozenset("if unless otherwise then please i we can could what when who is do does and also cancel move".split())


def _inside(s: Sentence, i: int) -> bool:
    """Whether the full stop belongs to "am.": the sentence goes on behind it."""
    return i + 1 < s.size and not s.capital(i + 1) and s.words[i + 1] not in NEXT_SENTENCE


def _digital(s: Sentence, i: int, bare: bool) -> Match[Clock]:
    number = s.numbers[i]
    if number is None:
        return _worded_hour(s, i, bare)
    if s.glued(i) and s.before(i) not in OPENERS and s.before(i) not in ("t", "at", "="):
        return None
    size = len(s.raw[i])
    if size <= 2 and number <= 24:
        return _with_minutes(s, i, number, bare) or _whole(s, i, number, bare)
    return _military(s, i, number) if size in (3, 4) else None


def _with_minutes(s: Sentence, i: int, hour: int, bare: bool) -> Match[Clock]:
    """ "3:30", "15:00:20", "3.30pm", "15h30"."""
    mark, minute = s.words[i + 1], s.numbers[i + 2]
    if (
        mark not in (":", ".", "h")
        or minute is None
        or len(s.raw[i + 2]) != 2
        or minute > 59
        or not (s.glued(i + 1) and s.glued(i + 2))
    ):
        return None
    if mark == "h" and hour < 13 and not bare and s.raw[i][0] != "0":
        return None  # "2h30" is a length
    j, second = i + 3, 0
    if mark == ":" and s.words[j] == ":" and s.glued(j) and s.numbers[j + 1] is not None and len(s.raw[j + 1]) == 2:
        second, j = min(s.numbers[j + 1] or 0, 59), j + 2
    half = meridiem(s, j)
    if half and 1 <= hour <= 12:
        return Clock(hour, minute, second).half(half[0] == "pm"), half[1]
    if mark == "." and not (bare and countable(s, j)):
        return None
    if hour == 24 and minute > 0:
        return None
    if s.words[j] in ("h", "hrs", "uhr"):
        return Clock(hour, minute, second, sure=True), j + 1
    sure = len(s.raw[i]) == 2 and s.raw[i][0] == "0"
    j += s.words[j] == "o'clock"
    sure = sure or hour > 12 or hour == 0 or mark == "h" or second > 0
    return Clock(hour, minute, second, sure=sure, full=hour > 12, early=not sure and early(s, hour)), j


def _whole(s: Sentence, i: int, hour: int, bare: bool) -> Match[Clock]:
    j = i + 1
    half = meridiem(s, j)
    if half and 1 <= hour <= 12 and not _am_verb(s, i, j, bare):
        return Clock(hour).half(half[0] == "pm"), half[1]
    if s.words[j] == "o'clock":
        return _meridiem_after(s, Clock(hour, sure=hour > 12), j + 1)
    if s.words[j] == "o" and s.words[j + 1] in ("clock", "'"):
        return Clock(hour, sure=hour > 12), j + 2 if s.words[j + 1] == "clock" else j + 3
    if s.words[j] == "ish" or (s.words[j] == "-" and s.words[j + 1] == "ish"):
        return Clock(hour), j + (s.words[j] == "-")
    if s.words[j] in ("uhr",) or (s.words[j] == "h" and s.glued(j) and bare):
        return Clock(hour, sure=True), j + 1
    sure = hour > 12 or hour == 0
    if bare and countable(s, j):
        return Clock(hour, sure=sure), j
    return (Clock(hour, sure=sure), j) if _in_a_part(s, j) and not s.glued(i) else None


def _in_a_part(s: Sentence, j: int) -> bool:
    """ "in the morning", "at night" make a bare number before them an hour."""
    return s.words[j] in ("in", "at") and s.words[j + 1] in ("the", "night") and part(s, j) is not None


def _am_verb(s: Sentence, i: int, j: int, bare: bool) -> bool:
    """ "at 3 am I free": there "am" is the verb."""
    return bare and s.words[j] == "am" and not s.glued(j) and s.words[j + 1] == "i"


def _worded_hour(s: Sentence, i: int, bare: bool) -> Match[Clock]:
    """ "three pm", "nine o'clock", "two thirty"."""
    number = cardinal(s, i)
    if not number or not 1 <= number[0] <= 12:
        return None
    hour, j = number
    minutes = cardinal(s, j)
    minute = 0
    if minutes and 10 <= minutes[0] < 60 and s.numbers[j] is None:
        minute, j = minutes
    half = meridiem(s, j)
    if half and not _am_verb(s, i, j, bare):
        return Clock(hour, minute).half(half[0] == "pm"), half[1]
    if s.words[j] in ("o'clock", "ish"):
        return _meridiem_after(s, Clock(hour, minute), j + (s.words[j] == "o'clock"))
    return (Clock(hour, minute), j) if (bare and countable(s, j)) or _in_a_part(s, j) else None


def _military(s: Sentence, i: int, number: int) -> Match[Clock]:
    """ "1530h", "0930", "1140 a.m."; four digits alone only with a zero before them."""
    hour, minute = divmod(number, 100)
    j = i + 1
    if not _hour(hour) or minute > 59:
        return None
    half = meridiem(s, j)
    if half and 1 <= hour <= 12 and not (half[0] == "am" and s.words[half[1]] == "i"):
        return Clock(hour, minute).half(half[0] == "pm"), half[1]
    if len(s.raw[i]) != 4:
        return None
    if s.words[j] in ("h", "hrs", "hours", "hr", "uhr"):
        return Clock(hour, minute, sure=True), j + 1
    lead = s.before(i) in ("at", "from", "between", "until", "till", "by", "before", "after", "-", "\u2013", "to", "@", "and")
    return (Clock(hour, minute, sure=True), j) if s.raw[i][0] == "0" and lead and countable(s, j) else None


def countable(s: Sentence, j: int) -> bool:
    """The number before token j may be an hour: nothing follows that it could count or be part of."""
    word = s.words[j]
    if not word:
        return True
    if s.numbers[j] is not None:
        return False
    if not word[0].isalpha():
        if word in ("%", "€", "$", "£", "°", "+", "#", "*", "=", "x"):
            return False
        if word == "-" and s.numbers[j + 1] is not None:
            return True
        stuck = s.glued(j) and s.glued(j + 1) and s.words[j + 1][:1].isalnum()
        return not (stuck and word in (".", ":", "/", ",", "-", "'", "\u2019"))
    if word in MONTHS:
        return False
    if word in WEEKDAYS or word in ZONES or word in ("i", "am", "pm"):
        return True
    if s.glued(j) or word in NOT_AFTER_HOUR or word in PARTS or (word.endswith("s") and word not in NO_PLURALS and len(word) > 2):
        return False
    return not s.capital(j) or word in ("i", "on", "with", "and")


def zone(s: Sentence, i: int) -> Match[ZoneInfo]:
    """ "CET", "Pacific", "New York time", "PT" (two letters, and "ist", only in capitals)."""
    word = s.words[i]
    if word not in ZONE_STARTERS:
        return None
    if word == "(":
        found = zone(s, i + 1)
        return (found[0], found[1] + 1) if found and s.words[found[1]] == ")" else None
    if word == "z" and s.glued(i):
        return ZoneInfo("UTC"), i + 1
    for size in (3, 2, 1):
        name = " ".join(s.words[i : i + size])
        key = PLACES.get(name) or (PLAIN_ZONES.get(name) if size == 1 else None)
        j = i + size
        j += s.words[j] in ("standard", "daylight", "local") and s.words[j + 1] == "time"
        if key and s.words[j] in ("time", "times"):
            return ZoneInfo(key), j + 1
    if word in ZONES and (s.raw[i].isupper() or (len(word) > 2 and word not in ("ist", "wet", "est"))):
        return ZoneInfo(ZONES[word]), i + 2 if s.words[i + 1] == "time" else i + 1
    after = s.words[i + 1]
    ends = not after.isalnum() or after in ("today", "tomorrow", "on", "and", "to", "for", "next", "this", "with")
    return (ZoneInfo(PLAIN_ZONES[word]), i + 1) if word in ("eastern", "pacific") or (word in PLAIN_ZONES and ends) else None


def early(s: Sentence, hour: int) -> bool:
    """Whether an hour written with its minutes, "7:30", stands for the morning: seven unless an evening is spoken of, those before
    it only where a morning is."""
    return hour in (5, 6, 7) and EVENINGS.isdisjoint(s.words) and (hour == 7 or not MORNINGS.isdisjoint(s.words))


def settled(time: Clock, *, business_hours: bool = True) -> Clock:
    """An hour said without am or pm: the reading from 08:00 to 18:59, or nearest to that (7 is 19:00)."""
    if time.sure or not 1 <= time.hour <= 12:
        return time._replace(sure=True)
    if not business_hours:
        return time._replace(sure=True)
    return time.half(time.hour == 12 or time.hour < 8)
