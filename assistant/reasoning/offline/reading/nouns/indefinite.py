"""Noun phrases whose head names no kind: "everything Omar sent me", "the last thing she wrote", "the first thing on Friday"."""

from collections.abc import Sequence
from dataclasses import replace

from assistant.reasoning.offline.lexicon import lexicon
from assistant.reasoning.offline.reading.slots import lows
from assistant.reasoning.offline.reading.text.items import NAMED, Item

WHOLE = frozenset({"everything", "anything", "whatever", "all", "what"})
VAGUE = frozenset({"thing", "things", "stuff", "business", "affair", "thingy", "matter"})
"""Nouns that add nothing to the word before them."""
THINGS = {"thing": "", "things": "s", "stuff": "s"}
WROTE = frozenset("sent wrote written mailed emailed e-mailed send sends write writes".split())
BRIEF = frozenset("short quick brief concise little rough compact".split())
DIGESTS = frozenset({"summary", "overview", "recap", "gist"})


def with_heads(items: Sequence[Item]) -> tuple[Item, ...]:
    """Such a head as the noun it stands for: whoever wrote tells that it is mail, a time or the calendar that it is an event."""
    items = _sent_to(items, lows(items))
    words = lows(items)
    if not (WHOLE | THINGS.keys() | VAGUE | DIGESTS) & set(words):
        return tuple(items)
    kept: list[Item] = []
    at = 0
    while at < len(items):
        taken, instead = _written(items, words, at) or _planned(items, words, at) or (1, items[at : at + 1])
        if taken == 1 and kept and _says_nothing(items, words, at):
            kept[-1], instead = replace(kept[-1], end=items[at].end), ()
        brief = words[at] in BRIEF and words[at + 1 : at + 2] and words[at + 1] in DIGESTS
        kept.extend(() if brief else instead)
        at += taken
    return tuple(kept)


def _says_nothing(items: Sequence[Item], words: Sequence[str], at: int) -> bool:
    """ "The lamp thing", "that order business": whatever has to do with it."""
    before, lex = items[at - 1], lexicon()
    if items[at].kind != "word" or words[at] not in VAGUE or lex.nouns.at(words, at) is not None:
        return False
    if before.kind in NAMED:
        return True
    small = lex.small
    plain = before.low in small["stop"] | small["weighty"] | small["vague_beside"] | small["urgent"]
    ordered = lex.orders.at(words, at - 1) or lex.states.at(words, at - 1) or before.low in lex.nth or before.low in lex.numbers
    first = any(form.base for _, form in lex.verbs.all_at(words, at - 1)) and lex.nouns.at(words, at - 1) is None and at == 1
    return before.kind == "word" and bool(before.text) and not (plain or ordered or first)


def _sent_to(items: Sequence[Item], words: Sequence[str]) -> Sequence[Item]:
    """ "The mails I wrote Omar" as "the mails I sent to Omar"."""
    verb = next((at for at in range(2, len(items) - 1) if words[at] in WROTE), 0)
    me = verb - 1 - (verb > 1 and words[verb - 1] in ("have", "'ve"))
    to = words[verb + 1 : verb + 2] == ["to"]
    whom = verb + 1 + to
    if not verb or me < 1 or words[me] not in ("i", "we") or whom >= len(items) or items[whom].kind not in NAMED:
        return items
    head = me - 1 - (me > 1 and words[me - 1] == "that")
    noun = lexicon().nouns.at(words, head)
    if words[head] not in WHOLE | THINGS.keys() and (noun is None or noun[1][0] != "mail"):
        return items
    sent = replace(items[verb], text="sent", low="sent")
    marker = items[verb + 1] if to else Item("word", "to", "to", sent.end, sent.end)
    return (*items[: me + 1], sent, marker, *items[whom:])


def _written(items: Sequence[Item], words: Sequence[str], at: int) -> tuple[int, Sequence[Item]] | None:
    """ "Everything Omar sent me" as "all Omar's mails"."""
    head = words[at]
    asked = head == "what" and (not at or "remind" in words[:at])
    if items[at].kind != "word" or head not in WHOLE | THINGS.keys() or asked:
        return None
    who = at + 1 + (words[at + 1 : at + 2] == ["that"])
    verb = who + 1 + (words[who + 1 : who + 2] in (["has"], ["have"], ["'s"], ["'ve"]))
    if verb >= len(items) or words[verb] not in WROTE:
        return None
    small = lexicon().small
    theirs = items[who].kind in NAMED or words[who] in ("he", "she", "they")
    if not theirs and words[who] not in ("i", "we"):
        return None
    mails = f"message{THINGS.get(head, 's')}"
    lead = (replace(items[at], text="all", low="all"),) if head in WHOLE else ()
    if not theirs:
        return 1, (*lead, replace(items[at], text=mails, low=mails))
    to = verb + 1 + (words[verb + 1 : verb + 2] == ["to"])
    end = to + 1 if to < len(items) and words[to] in small["me"] | {"us"} else verb + 1
    end = _sent_round(words, end)
    begin, stop = items[verb].begin, items[end - 1].end
    owner = Item("word", "", "'s", begin, begin)
    return end - at, (*lead, items[who], owner, Item("word", mails, mails, begin, stop))


AROUND = frozenset({"round", "around", "out", "over", "along", "through", "across"})
EVERYONE = frozenset({"everyone", "everybody", "us", "all"})


def _sent_round(words: Sequence[str], at: int) -> int:
    """Behind "round", "out to everyone"."""
    if at >= len(words) or words[at] not in AROUND:
        return at
    whom = at + 1 + (words[at + 1 : at + 2] == ["to"])
    end = whom
    while end < len(words) and words[end] in EVERYONE:
        end += 1
    return end if end > whom else at + 1


def _planned(items: Sequence[Item], words: Sequence[str], at: int) -> tuple[int, Sequence[Item]] | None:
    """ "The first thing on Friday" as "the first event on Friday"."""
    ordered = at > 1 and words[at - 2] in ("the", "my") and lexicon().orders.at(words, at - 1) is not None
    if words[at] not in ("thing", "things") or not ordered:
        return None
    end = at + 1 + (words[at + 1 : at + 2] == ["that"])
    if words[end : end + 2] in (["i", "have"], ["we", "have"]):
        end += 2
        end += words[end : end + 1] == ["on"] and end + 1 < len(items) and items[end + 1].kind == "time"
    elif not (end < len(items) and (items[end].kind == "time" or _in_calendar(words, end))):
        return None
    noun = "events" if words[at] == "things" else "event"
    return end - at, (replace(items[at], text=noun, low=noun, end=items[end - 1].end),)


def _in_calendar(words: Sequence[str], at: int) -> bool:
    return words[at] in ("on", "in") and words[at + 1 : at + 2] in (["my"], ["our"], ["the"]) and words[at + 2 : at + 3] in (
        ["calendar"], ["agenda"], ["schedule"], ["diary"],
    )  # fmt: skip
