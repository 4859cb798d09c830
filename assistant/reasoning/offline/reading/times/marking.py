"""Times in a sentence: one item each, where what was found is meant as a time."""

from collections.abc import Sequence
from datetime import timedelta

from assistant.reasoning.base import Setting
from assistant.reasoning.calls import TimeSpec
from assistant.reasoning.offline.dates import TimeMention, read_times
from assistant.reasoning.offline.dates.lexicon import EASTER_HOLIDAYS, FIXED_HOLIDAYS, NTH_HOLIDAYS
from assistant.reasoning.offline.lexicon import lexicon
from assistant.reasoning.offline.reading.text.items import Item, Prefer
from assistant.reasoning.offline.reading.text.tokens import Token
from assistant.reasoning.offline.reading.times.masking import masked

FAR = 3000
"""Characters of a message in which times are looked for; what is longer holds a mail's text."""


def with_times(tokens: tuple[Token, ...], text: str, setting: Setting, prefer: Prefer) -> list[Item]:
    """Every token an item, those of one time together."""
    queue = _mentions(tokens, text, setting, prefer)
    items: list[Item] = []
    shown: TimeSpec | None = None
    for token in tokens:
        while queue and queue[0].end <= token.begin:
            queue.pop(0)
        if not queue or queue[0].begin >= token.end or token.begin >= queue[0].end:
            items.append(Item(token.kind, token.text, token.low, token.begin, token.end))
        elif (mention := queue[0]).spec is not shown:
            said = text[mention.begin : mention.end].strip()
            spec = _compared(mention.spec, text[: mention.begin], said, setting)
            spec = _gone_by(spec, [one for one in tokens if one.begin < mention.begin], said, setting)
            items.append(Item("time", said, said.lower(), mention.begin, mention.end, spec))
            shown = mention.spec
    return items


def _mentions(tokens: tuple[Token, ...], text: str, setting: Setting, prefer: Prefer) -> list[TimeMention]:
    hidden, begins = masked(text, tokens)
    found = sorted(read_times(hidden[:FAR], now=setting.now, zone=setting.zone, prefer=prefer), key=lambda m: m.begin)
    found = [m.model_copy(update={"begin": begins.get(m.begin, m.begin)}) for m in found]
    return [m for m in found if _plausible(m.spec, text[m.begin : m.end]) and not _names_a_feast(m.end, text, tokens)]


def _compared(spec: TimeSpec, before: str, said: str, setting: Setting) -> TimeSpec:
    """What "older than" and "newer than" make of the time behind them."""
    lead = before.rstrip().lower()
    older, newer = lead.endswith("older than"), lead.endswith(("newer than", "younger than"))
    if not older and not newer:
        return spec
    edge = setting.now - spec.duration if spec.duration is not None else spec.start if older else spec.stop or spec.start
    start, stop = (None, edge) if older else (edge, None)
    text = f"{lead[-10:]} {said}"
    return TimeSpec(kind="range", text=text, start=start, stop=stop, has_date=True, has_time=spec.has_time)


def _gone_by(spec: TimeSpec, before: Sequence[Token], said: str, setting: Setting) -> TimeSpec:
    """ "I haven't met Tom in nine days", "… for two weeks": behind a perfect the stretch up to now."""
    length = spec.duration
    if length is None and said.lower().startswith("in ") and spec.start is not None and spec.kind == "point":
        whole_days = not spec.has_time
        today = setting.now.astimezone(setting.zone)
        length = timedelta(days=(spec.start.date() - today.date()).days) if whole_days else spec.start - setting.now
    leads = said.lower().startswith(("in ", "for ")) or (bool(before) and before[-1].low in ("in", "for"))
    if length is None or length <= timedelta(0) or not leads or not _is_perfect(before):
        return spec
    return TimeSpec(kind="range", text=said, start=setting.now - length, stop=setting.now, has_date=True, has_time=True)


def _is_perfect(tokens: Sequence[Token]) -> bool:
    """Whether the last auxiliary is have or has, and what happened follows: "has she written", "I haven't met"."""
    words = [token.low for token in tokens if token.kind == "word"]
    at = max((n for n, word in enumerate(words) if word in ("have", "has", "'ve")), default=None)
    if at is None:
        return False
    facts = lexicon().facts
    behind = range(at + 1, min(at + 5, len(words)))
    return any((words[n].endswith(("ed", "en")) or facts.at(words, n)) and words[n] not in PLANNED for n in behind)


PLANNED = frozenset({"scheduled", "planned", "booked", "arranged"})
"""Done by now, for what is still to come."""


def _names_a_feast(end: int, text: str, tokens: Sequence[Token]) -> bool:
    """ "the Christmas party", "Easter lunch": the day is what the event is called by."""
    behind = [n for n, token in enumerate(tokens) if token.begin >= end][:1]
    said = [token.low for token in tokens if token.end <= end and token.kind == "word" and token.low != "'s"]
    feast = any(" ".join(said[-size:]) in {*FIXED_HOLIDAYS, *NTH_HOLIDAYS, *EASTER_HOLIDAYS} for size in (1, 2, 3))
    if behind and feast and tokens[behind[0]].low in ("do", "thing", "bash"):
        return True
    noun = lexicon().nouns.at([token.low for token in tokens], behind[0]) if behind and feast else None
    return noun is not None and noun[1][0] in ("occasion", "event", "mail") and noun[1][2] != "calendar"


QUANTITIES = ("more than", "less than", "fewer than", "at least", "at most")


def _plausible(spec: TimeSpec, said: str) -> bool:
    """Bare "may", "march", "second" or "now" are words before they are times."""
    low = said.strip().lower()
    if low in ("now", "second", "a second", "minute", "moment", "sun", "sat", "mar", "dec"):
        return False
    if low.startswith(QUANTITIES) and low.rpartition(" ")[2].isdigit():
        return False
    if spec.kind == "repeat" and said.isalpha() and said[:1].isupper():
        return False
    return not (low in ("may", "march") and said[:1].islower())
