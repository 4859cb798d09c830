"""What is kept and what goes, said one after the other: "Keep only the first meeting on Friday and cancel the rest"."""

from collections.abc import Sequence

from assistant.reasoning.offline.lexicon import lexicon, plural
from assistant.reasoning.offline.reading.entities import Item
from assistant.reasoning.offline.reading.frames import strip_closers, strip_openers
from assistant.reasoning.offline.reading.slots import lows

KEEPING = frozenset({"keep", "leave"})
GOING = frozenset({"delete", "cancel", "archive"})
REST = frozenset(
    "the rest others other ones all of them everything else remaining any my meetings events mails emails that day on".split()
)


def all_but(text: str, items: Sequence[Item]) -> str:
    """The same as one request that leaves something out; empty where nothing of the kind is said."""
    items = strip_closers(strip_openers(items, lexicon().polite["openers"])[0])
    words = lows(items)
    if not items or words[0] not in KEEPING:
        return ""
    verb = next((n for n in range(2, len(items)) if words[n] not in KEEPING and _going(words, n)), None)
    if (
        verb is None
        or not {"rest", "others", "else", "other", "remaining"} & set(words[verb + 1 :])
        or not set(words[verb + 1 :]) <= REST
    ):
        return ""
    end = verb
    while end > 1 and words[end - 1] in ("and", ",", ".", "but", "then", ";", "please"):
        end -= 1
    begin = 1 + (words[1] in ("only", "just"))
    order = next((n for n in range(begin, end) if lexicon().orders.at(words, n) or words[n] in lexicon().nth), None)
    noun = next(((n, found) for n in range(begin, end) if (found := lexicon().nouns.at(words, n))), None)
    if noun is None or order is None or order > noun[0] or noun[1][1][0] not in ("event", "mail"):
        return ""
    at, (length, (_, _, lemma)) = noun
    ordinal = text[items[begin].begin : items[at - 1].end]
    behind = text[items[at + length].begin : items[end - 1].end] if at + length < end else ""
    return f"{words[verb]} all my {plural(lemma)} {behind} except {ordinal} one".replace("  ", " ")


def _going(words: Sequence[str], at: int) -> bool:
    return any(form.base and form.verb in GOING for _, form in lexicon().verbs.all_at(words, at))
