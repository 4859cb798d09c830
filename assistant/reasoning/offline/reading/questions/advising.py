"""How a mail should be answered: "how should I reply to Emily?", "what would you say to Tom?". It asks for a draft."""

from collections.abc import Sequence
from dataclasses import replace

from assistant.reasoning.base import Setting
from assistant.reasoning.offline.lexicon import lexicon
from assistant.reasoning.offline.reading.frames import Clause, clause
from assistant.reasoning.offline.reading.nouns.selecting import gather
from assistant.reasoning.offline.reading.parsed import Built, Parse, span_of_parts
from assistant.reasoning.offline.reading.slots import Parts, Slot, cut, lows
from assistant.reasoning.offline.reading.text.items import PERSONAL, Item
from assistant.reasoning.offline.reading.times.moments import merged

HEADS = ("how", "what")
SAYING = frozenset({"say", "say back", "write"})
ANSWERS = frozenset({"answer", "reply", "response"})
OTHERS = frozenset({"event", "occasion", "slot", "clash", "invitation", "template", "field"})
OWN = frozenset({"my", "our", "the", "an", "a"})


def advice(found: Clause) -> Parse | None:
    """None where it asks something else, or after answering mails as such ("how do I reply to a mail?")."""
    words = lows(found.items)
    heads = (n for n, word in enumerate(words) if word in HEADS and set(words[:n]) <= lexicon().advising["before"])
    for head in heads:
        verb = _verb(words, head)
        rest = None if verb is None else _object(found.items, words, *verb)
        if rest is not None:
            asked = replace(found, items=found.items[head:], mood="do", negated=False, head="")
            return _draft(found, rest).parse(asked, "draft")
    return None


def asks_how(text: str, setting: Setting) -> bool:
    """Whether a message asks so, of whatever mail."""
    return advice(clause(text, setting)) is not None


def _verb(words: Sequence[str], head: int) -> tuple[int, int, str] | None:
    """Where the verb stands, behind a word that asks for advice, where it ends, and of which kind it is: the last that fits."""
    between, asks, found = lexicon().advising["between"] | lexicon().advising["manner"], False, None
    at = head + 1
    while at < len(words):
        asks = asks or words[at] in lexicon().advising["asked"]
        if asks and (match := _verb_at(words, at, words[head])):
            found = (at, at + match[0], match[1])
            if words[at + match[0] : at + match[0] + 1] != ["in"] or words[at] not in between:
                return found
        if words[at] not in between:
            break
        at += 1
    return found


def _verb_at(words: Sequence[str], at: int, head: str) -> tuple[int, str] | None:
    kinds = lexicon().advice.all_at(words, at)
    return next(((size, kind) for size, kind in kinds if kind == head or (kind == "treat" and head == "how")), None)


def _object(items: Sequence[Item], words: Sequence[str], begin: int, end: int, kind: str) -> Sequence[Item] | None:
    """What shall be answered; None where it is no mail, or any."""
    rest = _told_of(items[end:])
    said = " ".join(words[begin:end])
    if said in ANSWERS and begin and words[begin - 1] in OWN:
        rest = _without_trailing(rest)
    rest = _without_own_answer(rest)
    low = lows(rest)
    if _any(low[low[:1] == ["to"] :]) or (not low and "can" in words[:begin]):
        return None
    if said in SAYING and low and low[0] not in ("to", "back", "about"):
        return None
    if said == "tell" and not (rest and (rest[0].kind in (*PERSONAL, "ref") or low[0] in lexicon().small["pronouns_person"] | OWN)):
        return None
    names_mail = any(item.kind == "ref" for item in rest) or _is_mail(low)
    if _is_other(low) or (kind == "treat" and not names_mail):
        return None
    return rest


def _told_of(rest: Sequence[Item]) -> list[Item]:
    """Without how it shall sound, and what is to be kept in mind: that is told those who draft, in the user's words."""
    words, advising = lows(rest), lexicon().advising
    end = next((n for n, word in enumerate(words) if word in advising["beside"]), len(words))
    while end and (words[end - 1] in advising["manner"] or rest[end - 1].kind == "punct"):
        end -= 1
    return list(rest[:end])


def _any(words: Sequence[str]) -> bool:
    """ "How do I reply to a mail?", "how do I answer mails?"."""
    noun = lexicon().nouns.at(words, 0) if words else None
    return bool(words) and (words[0] in lexicon().small["indefinite"] or (noun is not None and noun[1][1]))


def _is_mail(words: Sequence[str]) -> bool:
    if lexicon().small["raised"] & set(words):
        return True
    return any((noun := lexicon().nouns.at(words, n)) and noun[1][0] in ("mail", "reply") for n in range(len(words)))


def _is_other(words: Sequence[str]) -> bool:
    """ "how should I answer the invitation", "what should I say in the meeting"; not "to Tom about the meeting"."""
    about = next((n for n, word in enumerate(words) if word in ("about", "on", "from")), len(words))
    nouns = {noun[1][0] for n in range(about) if (noun := lexicon().nouns.at(words, n))}
    return bool(nouns & OTHERS) and not _is_mail(words)


def _without_trailing(rest: list[Item]) -> list[Item]:
    """Without the "be" of "what should my answer to Tom be"."""
    words = lows(rest)
    at = next((n for n in range(len(rest)) if any(kind == "trailing" for _, kind in lexicon().advice.all_at(words, n))), len(rest))
    return rest[:at] if at else rest[1:]


def _without_own_answer(rest: list[Item]) -> list[Item]:
    """Without "in my reply"."""
    words = lows(rest)
    at = 1 if words[:1] in (["in"], ["as"], ["with"]) else 0
    at += words[at : at + 1] != [] and words[at] in OWN
    return rest[at + 1 :] if at and words[at : at + 1] and words[at] in ANSWERS else rest


def _draft(found: Clause, rest: Sequence[Item]) -> Built:
    parts = cut(found.text, rest, dictates=False)
    slots = [Slot("", slot.items) if slot.marker == "to" else slot for slot in parts.slots]
    gathered = gather(Parts(slots, parts.times), "mail")
    select = gathered.select
    if not (select.get("order") or select.get("refs") or select.get("each")):
        select["order"] = "last"
    fields = {"field": "reply", "question": found.text.strip(), "select": gathered.selection(merged(parts.times))}
    return Built("mail.draft", fields, thing=span_of_parts(parts.slots, parts.times))
