"""What reports say, sentence by sentence: what is told there as done, as against asked, planned or imagined."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

from assistant.reasoning.llm.clauses import BULLET, WORDS, flat, inflected, plain, spelt_out, tokens, words_of

DENIAL = frozenset("not nothing never none nobody no neither nor".split())
_LISTED = re.compile(r"^\s*\d{1,3}\. .*(?: \u2013 |\d{1,2}:\d\d)")
_SENTENCE = re.compile(r"(?<=[.!?])\s+")
_PART = re.compile(r"[,;:] (?:and |but )?")
_INVITATION = re.compile(r"\s{0,9}(?:\d{1,3}\. )?invitation: ", re.IGNORECASE)
_HEADED = re.compile(r"(?:To|Date): ")
_SUFFIX = re.compile(r"(?:ations?|ings?|ied|ies|ers?|ed|es|s|e|y)$")
_TO_COME = frozenset("will would shall should could can may might must".split())
_UNREAL = _TO_COME.union(
    "if unless until once when whether before want wants need needs hope hopes wish let".split(),
    "wait waits waiting await awaits awaiting".split(),
)
_DETERMINERS = frozenset("a an the my your our his her their its this that these those it me us them him all both any".split())
_NEAR = 4
"""Words in front of a participle among which "will", "must" or "to be" makes it one that is still to come."""


@dataclass(frozen=True)
class Unit:
    """What a sentence of the reports, or a part of it, says: stems of its `own` words, of those `over` it (its heading, the head
    of its mail), and of what it tells as `done`."""

    own: frozenset[str]
    over: frozenset[str]
    done: frozenset[str]
    denies: bool
    joins: bool = False
    """Whether it is two sentences, whose words are no single one's own."""

    def holds(self, content: frozenset[str]) -> bool:
        return content - self.own <= self.over


@dataclass(frozen=True)
class Reports:
    """`listed` are whole lines of lists; `names` the words by which somebody or something is named."""

    flat: str
    names: frozenset[str]
    words: frozenset[str]
    stems: frozenset[str]
    listed: frozenset[str]
    units: tuple[Unit, ...]

    @classmethod
    @lru_cache(256)  # many words are held against the same reports
    def of(cls, material: str) -> "Reports":
        text = plain(material)
        spelt = spelt_out(text)
        found = tokens(spelt)
        capitals = {word.casefold().removesuffix("'s") for word in WORDS.findall(text) if word[0].isupper()}
        common = ("harmless", "function", "generic", "saying", "self")
        return cls(
            flat=f"{flat(text)} {flat(spelt)}",
            names=frozenset(capitals.difference(inflected(), *map(words_of, common))),
            words=frozenset(found),
            stems=frozenset(stems(found)),
            listed=frozenset(flat(BULLET.sub("", line)) for line in text.split("\n") if _LISTED.match(line)),
            units=tuple(dict.fromkeys(_units(spelt))),
        )

    def holds(self, words: str, most: int = 3) -> bool:
        """Word for word, and more than a scrap of it."""
        low = flat(words).strip(" .,!?;:\"'")
        return len(low.split()) >= most and low in self.flat

    def tell(self, content: frozenset[str], pointer: frozenset[str], done: frozenset[str], denies: bool) -> bool:
        """Whether a sentence of theirs holds all of the `content`, and itself, without its heading, a word of any `pointer`, and
        tells what is `done` as done."""
        found = (unit for unit in self.units if unit.denies == denies and done <= unit.done and unit.holds(content))
        return any(not pointer or (pointer & unit.own and not unit.joins) for unit in found)

    def have_done(self, done: frozenset[str], content: frozenset[str]) -> bool:
        """Whether a sentence tells that as done, of something that the `content` names as well."""
        return any(done <= unit.done and (not content or content & (unit.own | unit.over)) for unit in self.units)


def _units(text: str) -> Iterator[Unit]:
    """Every sentence of every line together with its heading, or with the head of its mail."""
    heading, head, before = _NOTHING, _NOTHING, _NOTHING
    for line in filter(str.strip, text.split("\n")):
        own = _Over.of(line)
        bare = line.lstrip()
        if bare.startswith("From: "):
            head = before + own
        elif _HEADED.match(bare):
            head += own
        elif BULLET.match(bare) and bare[0].isdigit():
            head = own
        elif line.rstrip().endswith(":"):
            heading, head = own, _NOTHING
        before = own
        over = head + heading
        sentences = [tuple(_sentence(sentence, over)) for sentence in _SENTENCE.split(line)]
        for (one, *_), (two, *_) in pairwise(sentences):  # what is said of "they" may be told of whom the sentence before names
            yield Unit(one.own | two.own, over.stems, one.done | two.done, one.denies or two.denies, joins=True)
        for parts in sentences:
            yield from parts


@dataclass(frozen=True)
class _Over:
    """What stands over a sentence, and what that tells as done."""

    stems: frozenset[str] = frozenset()
    done: frozenset[str] = frozenset()

    @classmethod
    def of(cls, line: str) -> "_Over":
        words = tokens(line)
        (done,) = [frozenset({"go"})] if line.lstrip().startswith("To: ") else _told(line, words, [words])
        return cls(frozenset(stems(words)), done)

    def __add__(self, other: "_Over") -> "_Over":
        return _Over(self.stems | other.stems, self.done | other.done)


_NOTHING = _Over()


def _sentence(sentence: str, over: _Over) -> Iterator[Unit]:
    """The whole first, then its parts."""
    words = tokens(sentence)
    parts = [tokens(part) for part in _PART.split(sentence)]
    done = list(_told(sentence, words, parts))
    yield Unit(frozenset(stems(words)), over.stems, over.done.union(*done), bool(DENIAL & set(words)))
    for part, its in zip(parts, done, strict=True) if len(parts) > 1 else ():
        yield Unit(frozenset(stems(part)), over.stems, its | over.done, bool(DENIAL & set(part)))


def _told(sentence: str, words: list[str], parts: list[list[str]]) -> Iterator[frozenset[str]]:
    """Stems of what each part of a sentence tells as done."""
    wishes = _wishes(sentence, words)
    invited = {stem("invited")} if _INVITATION.match(sentence) else set()
    for part in parts:
        yield frozenset() if wishes else frozenset(invited.union(map(stem, told_done(part, _UNREAL))))


def _wishes(sentence: str, words: list[str]) -> bool:
    """Whether it asks, demands or imagines, so that nothing in it is told as done."""
    if sentence.rstrip(" \"')").endswith("?"):
        return True
    first, then = ([word for word in words if word not in words_of("opening")] + ["", ""])[:2]
    if first == "please":
        return then not in words_of("noting")
    commands = first in words_of("doing") and first not in inflected() and then in _DETERMINERS
    return commands or first in words_of("commanding") or first in _UNREAL


def told_done(words: list[str], unreal: frozenset[str] = frozenset()) -> Iterator[str]:
    """The words that tell something as done; none that is still to come, or that follows one of the `unreal`."""
    for at, word in enumerate(words):
        if unreal and word in unreal:
            return
        if not is_finished(word):
            continue
        near = words[max(0, at - _NEAR) : at]
        if not (_TO_COME & set(near) or ("to", "be") in pairwise(near)):
            yield word


@lru_cache(4096)
def is_finished(word: str) -> bool:
    """A past or perfect form. Whatever ends like one is taken for one, unless it is known to say nothing."""
    if word in inflected():
        return not word.endswith("ing") and word not in words_of("lasting")
    return len(word) > 4 and word.endswith("ed") and not any(word in words_of(name) for name in ("function", "harmless", "saying"))


def stems(words: Iterable[str]) -> Iterator[str]:
    for word in words:
        yield stem(word)
        if "-" in word:
            yield from stems(word.split("-"))


@lru_cache(4096)
def stem(word: str) -> str:
    word = inflected().get(word, word)
    bare = _SUFFIX.sub("", word)
    bare = bare if len(bare) >= 3 else word
    return bare[:-1] if len(bare) > 3 and bare[-1] == bare[-2] else bare
