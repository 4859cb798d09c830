"""The longest time at a token: one date or time, a range of two, a bound, a recurrence or a length."""

from collections.abc import Callable

from assistant.reasoning.offline.dates import calendar
from assistant.reasoning.offline.dates.days_said import DAY_RULES
from assistant.reasoning.offline.dates.hours import BOUNDS, PHRASE_LEADS, bound, changes, for_from, moving
from assistant.reasoning.offline.dates.lengths import length
from assistant.reasoning.offline.dates.lexicon import (
    APPROXIMATELY,
    CARDINALS,
    CLOCK_WORDS,
    MONTHS,
    ORDINALS,
    PART_PLURALS,
    PARTS,
    REPEATERS,
    TENS,
    UNITS,
    WEEKDAY_PLURALS,
    WEEKDAYS,
)
from assistant.reasoning.offline.dates.nodes import Clock, Days, Draft, Hours, Length, Match, Node, Span, Stretch
from assistant.reasoning.offline.dates.pieces import simple
from assistant.reasoning.offline.dates.recurring import recurring
from assistant.reasoning.offline.dates.repeats import EVERY, WORKDAY_WORDS
from assistant.reasoning.offline.dates.spans import instantly, span
from assistant.reasoning.offline.dates.tokens import Sentence
from assistant.reasoning.offline.dates.windows import present

LEADS = frozenset("over on at in during for @ by from between before after around about of as to".split())
STARTERS = frozenset(
    (
        *DAY_RULES, *LEADS, *BOUNDS, *PHRASE_LEADS, *PARTS, *PART_PLURALS, *CLOCK_WORDS, *EVERY, *REPEATERS, *WEEKDAY_PLURALS,
        *WORKDAY_WORDS, *CARDINALS, *TENS, *ORDINALS, *APPROXIMATELY, *WEEKDAYS, *MONTHS, "tonight", "half", "quarter", "once",
        "first", "end", "close", "all", "anytime", "any", "sometime", "three", "mid", "couple", "few", "another", "½",
        "¼", "¾", "weekends", "free",
    )
)  # fmt: skip
SMALL = frozenset(
    "the a an in on at for by from of over about around between before after since until till during this that next last my as @ "
    "any per to time anytime sometime".split()
)
LED_ONLY = frozenset("date long business working work lunch breakfast dinner w moment".split())
PROMISING = (STARTERS | frozenset(UNITS) | LED_ONLY) - SMALL
STUCK = frozenset("$#_€£+&%*")
"""Right behind these a word or a number is part of a name or a sum."""
SUMS = frozenset("$€£")


def any_time(s: Sentence) -> bool:
    """Whether some word may belong to a time at all."""
    return not PROMISING.isdisjoint(s.words) or any(number is not None for number in s.numbers)


def mention(s: Sentence, i: int) -> Match[Node]:
    if s.numbers[i] is None and s.words[i] not in STARTERS:
        return None
    if (s.glued(i) and s.before(i) in STUCK) or (s.numbers[i] is not None and s.before(i) in SUMS) or not _promising(s, i):
        return None
    best: Match[Node] = None
    for rule in SINCE_RULES if s.words[i] == "since" else RULES:
        try:
            found = rule(s, i)
        except (OverflowError, ValueError):  # a number beyond the calendar names no day
            continue
        if found and (best is None or found[1] > best[1]):
            best = found
    return best


def _promising(s: Sentence, i: int) -> bool:
    """After small words, something must come that may be a time: most "in the …" lead to none."""
    while s.words[i] in SMALL:
        i += 1
    return s.numbers[i] is not None or s.words[i] in PROMISING


def single(s: Sentence, i: int) -> Match[Node]:
    word = s.words[i]
    if word == "all" and s.words[i + 1] in ("day", "week"):
        return _all_day(s, i)
    if word in ("on", "at", "in", "over", "during", "for", "@", "around", "about", "from", "as"):
        return _led(s, i)
    return _alone(s, i, moving(s, i))


def _alone(s: Sentence, i: int, bare: bool) -> Match[Node]:
    found = simple(s, i, bare=bare and s.numbers[i] is not None)
    if not found or not isinstance(found[0], Draft) or found[0].days is None or found[0].time is not None:
        return found
    if s.words[found[1]] == "all" and s.words[found[1] + 1] == "day":
        return found[0], found[1] + 2
    later = _or_later(s, found[0], found[1])
    return later or found


def _or_later(s: Sentence, draft: Draft, j: int) -> Match[Node]:
    """ "Friday or later", "26 November onwards"."""
    if s.words[j] in ("onward", "onwards"):
        return Span(draft, None), j + 1
    if s.words[j] not in ("or", "and") or (
        s.words[j + 2].isalnum() and s.words[j + 2] not in ("in", "on", "with", "for", "please")
    ):
        return None
    if s.words[j + 1] in ("later", "after", "onwards", "greater"):
        return Span(draft, None), j + 2
    return (Span(None, draft), j + 2) if s.words[j + 1] in ("earlier", "before") else None


def _all_day(s: Sentence, i: int) -> Match[Node]:
    j = i + 2
    if s.words[i + 1] == "week":
        return Draft(calendar.week(s.today)), j
    found = simple(s, j + (s.words[j] in ("on", "long")))
    if found and isinstance(found[0], Draft) and found[0].days and not found[0].time:
        return found
    return Length(days=1), j


def _led(s: Sentence, i: int) -> Match[Node]:
    """A preposition belongs to what it leads to."""
    word, j = s.words[i], i + 1
    j = j + 1 if word == "as" and s.words[j] in ("of", "from") else j
    if word == "for" and s.words[j] not in ("the", "this"):
        found = for_from(s, i)
        if found:
            return Draft(time=found[0]), found[1]
        lasting = length(s, j)
        if lasting:
            return _starting(s, lasting[0], lasting[1]) or lasting
    spanned = span(s, j) if word in ("on", "in", "for", "during", "about", "around") else None
    change = word == "from" and changes(s, i, led=True)
    bare = (
        word in ("at", "@")
        or change
        or (word in ("around", "about", "by") and s.before(i) in ("at", "be", "meet", "finish", "done"))
    )
    found_simple = time_led(s, i, bare=bare)
    if not found_simple or (spanned and spanned[1] > found_simple[1]):
        return spanned
    node = found_simple[0]
    if (
        isinstance(node, Draft)
        and node.days is None
        and word in ("for", "from", "by", "as")
        and isinstance(node.time, Clock)
        and not change
    ):
        return None
    later = _or_later(s, node, found_simple[1]) if isinstance(node, Draft) and node.days and not node.time else None
    return later or found_simple


def time_led(s: Sentence, i: int, *, bare: bool) -> Match[Draft | Stretch]:
    direct = simple(s, i)
    inner = simple(s, i + 1, bare=bare)
    if not inner or (direct and inner[1] <= direct[1]):
        return direct
    in_day = s.words[i] == "in" and isinstance(inner[0], Draft) and inner[0].days and inner[0].days.single
    return direct if in_day and s.words[i + 1] != "the" else inner


def _starting(s: Sentence, by: Length, j: int) -> Match[Node]:
    """ "for 3 days from today", "for a week starting Monday"."""
    k = j + 1 if s.words[j] == "," else j
    if s.words[k] not in ("from", "starting", "beginning") or by.seconds:
        return None
    k += 2 if s.words[k + 1] in ("on", "from") else 1
    found = simple(s, k)
    if not found or not isinstance(found[0], Draft) or not found[0].days or found[0].time:
        return None
    start = found[0].days.start
    return Draft(Days(start, calendar.shift(start, by), "span")), found[1]


def duration(s: Sentence, i: int) -> Match[Node]:
    found = length(s, i)
    if not found:
        return None
    by = found[0]
    whole = s.words[i] in ("a", "an") and not by.seconds
    if (whole and s.before(i) not in ("for", "than", "takes", "take", "lasts", "about")) or s.before(i) in (
        "times",
        "once",
        "twice",
    ):
        return None
    if (s.glued(i) and s.before(i) not in ("(", '"', "'", "~", "-")) or (
        by.seconds == 1 and whole is False and s.words[i] in ("a", "one")
    ):
        return None
    return found


def bounded(s: Sentence, i: int) -> Match[Node]:
    """ "by Friday", "since Monday", "after 3 March", "before tomorrow at 5"."""
    if s.words[i] == "to" and (now := present(s, i + 1)):
        node, k = now
        return (Span(None, instantly(node), inclusive=False), k) if isinstance(node, Stretch) and s.words[k - 1] == "date" else None
    found = bound(s, i)
    if not found or s.words[i] == "past":
        return None
    side, j = found
    inner = simple(s.looking_back() if side == "since" else s, j + (s.words[j] == "on"))
    if not inner or (isinstance(inner[0], Draft) and inner[0].days is None):
        return None
    node, k = inner
    if isinstance(node, Stretch):
        node = instantly(node)
    if side == "from" and s.words[i] == "from":
        if s.words[k] not in ("onward", "onwards", "forward") and not (s.words[k] == "on" and not s.words[k + 1].isalnum()):
            return None
        k += 1
    if side == "from" and isinstance(node.time, Hours) and node.time.start is not None:
        return node, k  # "starting at noon or later on Friday": hours of that day
    if side == "start" and node.days and node.time is None:
        node = Draft(calendar.day(node.days.stop))
    if side in ("start", "from", "since"):
        return Span(node, None), k + (s.words[k] in ("onward", "onwards"))
    ends = "end" in s.words[j : j + 2]  # before the end of a month is still in it
    return Span(None, node, inclusive=side != "stop" or ends), k


RULES: tuple[Callable[[Sentence, int], Match[Node]], ...] = (recurring, single, bounded, span, duration)
"""Of equally long readings the first wins: "after 5pm tomorrow" ends with the day, where "since 5pm yesterday" goes on."""
SINCE_RULES = (bounded, *RULES)
