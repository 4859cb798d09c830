"""Dictated words that nothing announces: "answer his mail - I'd love to", "reply to Anna's mail yes I will be there"."""

from collections.abc import Sequence

from assistant.reasoning.offline.lexicon import lexicon
from assistant.reasoning.offline.reading.text.items import Item

DASHES = frozenset({"-", "\u2013", "\u2014"})
ANSWERING = frozenset({"will", "would", "am", "can", "could", "agree", "accept", "love"})
"""What "I" goes on with in an answer, and hardly in "the mail I …"."""
ADDRESSED = ("person", "name", "address", "ref")


def said_from(items: Sequence[Item], words: Sequence[str], at: int) -> int | None:
    """Where the dictated words begin that `at` leads to; None where it leads to none."""
    if at + 1 >= len(items):
        return None
    if words[at] in DASHES:
        apart = (at == 0 or items[at].begin > items[at - 1].end) and items[at + 1].begin > items[at].end
        return at + 1 if apart else None
    if items[at].kind != "word" or not _behind_object(items, words, at):
        return None
    if words[at] == "that":
        return at + 1 if words[at + 1] in ("i", "we") and words[at + 2 : at + 3] and words[at + 2] in ANSWERING else None
    answers = words[at] in lexicon().small["answers"] or (words[at] in ("i", "we") and words[at + 1] in ANSWERING)
    return at if answers else None


def only_people(items: Sequence[Item]) -> bool:
    """ "to Anna and Tom": whoever is written to, and nothing that says which mail."""
    named = any(item.kind in ADDRESSED for item in items)
    return named and all(item.kind in ADDRESSED or item.low in ("to", "and", ",", "back", "&") for item in items)


def _behind_object(items: Sequence[Item], words: Sequence[str], at: int) -> bool:
    """Whether a person, a mail or a comma stands right before; at the very beginning only a plain answer counts."""
    if at == 0:
        return words[at] in ("yes", "yeah", "yep", "no", "nope", "sure", "i", "we")
    if words[at - 1] == "," and at > 1:
        return True
    if items[at - 1].kind in ADDRESSED:
        return True
    noun = lexicon().nouns.at(words, at - 1)
    return noun is not None and noun[1][0] in ("mail", "reply", "invitation")


COMING = frozenset({"would", "will", "'d", "'ll", "can", "could", "should", "am", "'m", "must", "is", "are"})


def says_what_comes(items: Sequence[Item], at: int) -> bool:
    """ "… that I'd love to", "… that Friday would be better": what is answered; a mail is described by what has happened."""
    return any(item.low in COMING for item in items[at + 1 : at + 3])


def told_that(items: Sequence[Item], words: Sequence[str], at: int) -> bool:
    """ "write a mail to Tom that …": behind the reader's name, where no mail of somebody's is spoken of."""
    leads = {"from", "about", "of", "the", "last", "latest"}
    return at > 1 and items[at - 1].kind in ADDRESSED and words[at - 2] in ("to", "and", ",") and not leads & set(words[:at])
