"""Noun phrases whose noun was said before: "the one about bridges", "only the unread ones", "those two", "which of them"."""

from collections.abc import Sequence
from dataclasses import dataclass

from assistant.reasoning.offline.lexicon import lexicon
from assistant.reasoning.offline.reading.text.items import Item

ONLY_MAILS = frozenset({"unread", "flagged", "has_attachment", "bulk"})
AHEAD = frozenset({"upcoming", "future", "coming"})
COMING = (
    ("that", "are", "still", "to", "come"),
    ("that", "are", "yet", "to", "come"),
    ("that", "are", "to", "come"),
    ("still", "to", "come"),
    ("that", "lie", "ahead"),
)
LONGEST = 4
"""Items between the article and "one"."""
ARTICLES = frozenset({"the", "those", "these", "this", "that"})
QUANTIFIERS = frozenset({"all", "any", "each", "every", "both", "which", "none", "some"})
POINTERS = frozenset({"them", "those", "these"})
BUT = frozenset({"but", "except", "excepting", "besides", "save"})
MODIFIERS = frozenset({"that", "which", "who", "without", "i", "is", "was"})


@dataclass(frozen=True)
class One:
    """How many items the phrase takes, what stands before its noun and what of that belongs behind it."""

    taken: int
    lead: str
    adjectives: str
    behind: str
    plural: bool

    def words(self, noun: str, thing: str) -> str:
        name = f"{noun}s" if noun and self.plural else noun
        parts = (self.lead, self.adjectives, name, f"of {thing}", self.behind)
        return " ".join(part for part in parts if part)

    @property
    def ahead(self) -> bool:
        """ "Every upcoming one", "all the future ones": events of that name."""
        return bool(AHEAD & set(self.adjectives.lower().split()))

    def named(self, title: str) -> str:
        first, _, rest = title.partition(" ")
        bare = rest if first.lower() in ARTICLES | {"my", "our"} else title
        return f"all future {bare} meetings {self.behind}".rstrip()

    def of_mails(self) -> str:
        """ "The unread ones", where nothing was spoken of: the words, where only mails can be so; else empty."""
        words = self.adjectives.lower().split()
        states = {match[1][0] for at in range(len(words)) if (match := lexicon().states.at(words, at))}
        noun = "mails" if self.plural else "mail"
        return " ".join(filter(None, (self.lead, self.adjectives, noun, self.behind))) if states & ONLY_MAILS else ""


def one_at(items: Sequence[Item], words: Sequence[str], at: int) -> One | None:
    start = at + 1 if words[at] in ("only", "just") and at + 1 < len(items) else at
    quantifier = words[start] if words[start] in QUANTIFIERS else ""
    if quantifier and words[start + 1 : start + 2] == ["of"] and words[start + 2 : start + 3] and words[start + 2] in POINTERS:
        tail = next((len(some) for some in COMING if tuple(words[start + 3 : start + 3 + len(some)]) == some), 0)
        return One(start + 3 + tail - at, quantifier, "future" if tail else "", "", True)
    if (
        words[start] == "everything"
        and words[start + 1 : start + 2]
        and words[start + 1] in BUT
        and {"one", "ones"} & set(words[start + 2 :])
    ):
        return One(start + 1 - at, "all", "", "", True)
    if quantifier:
        start += 1
    named = any(lexicon().nouns.at(words, n) for n in range(start, min(start + LONGEST + 2, len(words))))
    if quantifier in ("all", "every") and words[start : start + 1] and words[start] in BUT and not named:
        return One(start - at, "all", "", "", True)
    article = start < len(items) and words[start] in ARTICLES
    begin = start + 1 if article else start
    if article and words[start] in ("those", "these") and (few := _several(items, words, begin)) is not None:
        return One(few - at, quantifier or "the", "", "", True)
    return _headed(items, words, at, begin, quantifier or ("the" if article or at < begin else ""))


def one_of_day(items: Sequence[Item], words: Sequence[str], at: int) -> One | None:
    """ "Friday's", "tomorrow's" with no noun behind it: the one of that day."""
    item, behind = items[at], items[at + 1 : at + 2]
    owned = item.time is not None and item.time.has_date and item.low.endswith(("'s", "\u2019s"))
    if not owned or any(one.kind not in ("word", "punct") or lexicon().nouns.at(words, at + 1) for one in behind):
        return None
    if behind and behind[0].kind == "word" and behind[0].low not in BEHIND_ONE:
        return None
    day = item.text[:-2]
    return One(1, "the", "", day if day.lower() in NEAR else f"on {day.removeprefix('on ')}", False)


NEAR = frozenset({"today", "tomorrow", "yesterday", "tonight"})
BEHIND_ONE = frozenset(
    "to by from in at for with and is has needs need should must will can could would shall until please too instead".split()
)


def others_at(items: Sequence[Item], words: Sequence[str], at: int) -> int:
    """How many items "the others", "the rest", "the other two mails" take; 0 where they do not stand here."""
    if words[at] != "the" or words[at + 1 : at + 2] not in (["others"], ["rest"], ["other"], ["remaining"]):
        return 0
    end = at + 2
    if words[at + 1] in ("others", "rest"):
        of_them = words[end : end + 1] == ["of"] and words[end + 1 : end + 2] and words[end + 1] in POINTERS
        return 4 if of_them else 2 if _ends(items, words, end) or words[end] in FOLLOWING else 0
    if end < len(items) and words[end] in lexicon().numbers and words[end] != "one":
        end += 1
    if end < len(items) and (words[end] in ("one", "ones") or lexicon().nouns.at(words, end) is not None):
        return end + 1 - at
    bare = words[at + 1] == "other" and (_ends(items, words, end) or words[end] in FOLLOWING - {"to"})
    return end - at if bare else 0


PREDICATES = frozenset("overlap clash collide conflict coincide".split())
FOLLOWING = frozenset({"too", "as", "instead", "please", "and", "to"})


def _several(items: Sequence[Item], words: Sequence[str], at: int) -> int | None:
    """Behind "those": a number, or at once what tells which."""
    if at < len(items) and words[at] in lexicon().numbers and (_ends(items, words, at + 1) or words[at + 1] in PREDICATES):
        return at + 1
    if at < len(items) and (words[at] in MODIFIERS or lexicon().markers.at(words, at) is not None) and words[at] != "to":
        return at
    return None


def _headed(items: Sequence[Item], words: Sequence[str], at: int, begin: int, lead: str) -> One | None:
    head = next((n for n in range(begin, min(begin + LONGEST + 1, len(items))) if words[n] in ("one", "ones")), None)
    if (
        head is None
        or (words[head] == "one" and not lead)
        or (lexicon().nouns.at(words, head + 1) if head + 1 < len(items) else None)
    ):
        return None
    between = items[begin:head]
    if any(
        item.kind == "punct" or lexicon().markers.at(words, n) or lexicon().exceptions.at(words, n)
        for n, item in enumerate(between, begin)
    ):
        return None
    if (begin == at or words[begin - 1] in ("only", "just")) and between and not _describes(words, begin):
        return None
    times = [item for item in between if item.time is not None]
    adjectives = " ".join(item.text for item in between if item.time is None)
    return One(head + 1 - at, lead or "the", adjectives, " ".join(item.text for item in times), words[head] == "ones")


def _describes(words: Sequence[str], at: int) -> bool:
    return lexicon().states.at(words, at) is not None or lexicon().orders.at(words, at) is not None


def _ends(items: Sequence[Item], words: Sequence[str], at: int) -> bool:
    return at >= len(items) or items[at].kind == "punct" or lexicon().markers.at(words, at) is not None


COMPARED = {
    "newer": "newest",
    "later": "latest",
    "older": "oldest",
    "earlier": "earliest",
    "shorter": "shortest",
    "longer": "longest",
    "former": "first",
    "latter": "second",
}
BY_PLACE = frozenset({"former", "latter"})
"""They need no noun behind them."""


def compared_at(words: Sequence[str], at: int) -> tuple[int, str]:
    """How many words "the newer of the two", "the more recent one" take, and the order that this is; 0 where none stands."""
    if words[at] != "the":
        return 0, ""
    recent = tuple(words[at + 1 : at + 3]) == ("more", "recent")
    order = "newest" if recent else COMPARED.get(words[at + 1] if at + 1 < len(words) else "", "")
    end = at + 2 + recent
    one = words[end : end + 1] in (["one"], ["mail"], ["email"], ["meeting"])
    end += one
    for tail in (("of", "the", "two"), ("of", "them"), ("of", "these"), ("of", "those"), ("of", "both")):
        if tuple(words[end : end + len(tail)]) == tail:
            return (end + len(tail) - at, order) if order else (0, "")
    return (end - at, order) if order and (one or words[at + 1] in BY_PLACE) else (0, "")


MAKING = frozenset({"create", "meet"})


def new_one(words: Sequence[str], at: int) -> int:
    """How many words "another one", "one" take right behind a verb that makes events; 0 where no new one is meant."""
    begin = at - 1 if at else 0
    makes = any(form.verb in MAKING for n in range(max(0, at - 3), at) for _, form in lexicon().verbs.all_at(words, n) if form.base)
    another = words[at] == "another" and words[at + 1 : at + 2] == ["one"]
    led = words[at + 1 : at + 2] in (["with"], ["on"], ["at"], ["for"])
    plain = words[at] == "one" and words[begin] not in ("the", "this", "that") and led
    return (2 if another else 1) if makes and at and (another or plain) else 0


def named_alike(thing: str, items: Sequence[Item]) -> str:
    """A new event with the name of the one that was spoken of: "the process review on Monday" as "a process review"."""
    leads = ("with", "on", "at", "in", "from", "for")
    ends = (n for n, item in enumerate(items) if n and (item.time is not None or item.low in leads))
    end = next(ends, len(items))
    begin = 1 if items[0].low in ARTICLES | {"my", "our", "a", "an"} else 0
    ordered = lexicon().orders.at([item.low for item in items], begin) is not None or items[begin].low in lexicon().nth
    return "" if ordered or end <= begin else f"a {thing[items[begin].begin : items[end - 1].end]}"
