"""The lexicon as data: `lexicon.toml`, with its inflections derived once, when the first sentence is read."""

import itertools
import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

VOWELS = "aeiou"
NONE_HERE: Iterator[tuple[int, Any]] = iter(())
"""Most words begin no phrase of a table."""


def _longest_first(table: Mapping[Any, list[tuple[tuple[str, ...], Any]]]) -> dict[Any, tuple[tuple[tuple[str, ...], Any], ...]]:
    return {key: tuple(sorted(rows, key=lambda row: -len(row[0]))) for key, rows in table.items()}


Saying = tuple[tuple[tuple[str, ...], tuple[str, ...]], str]
"""The words before and behind an object, and the deed that they mean, with "_" for the object."""


@dataclass(frozen=True, slots=True)
class Phrases:
    """Phrases looked up by their first word, the longest first."""

    by_first: Mapping[str, tuple[tuple[tuple[str, ...], Any], ...]]
    by_pair: Mapping[tuple[str, str], tuple[tuple[tuple[str, ...], Any], ...]]
    """By the first two words, or by one and nothing: hundreds of phrases may begin alike."""

    @classmethod
    def of(cls, entries: Iterable[tuple[str, Any]]) -> "Phrases":
        table: dict[str, list[tuple[tuple[str, ...], Any]]] = {}
        pairs: dict[tuple[str, str], list[tuple[tuple[str, ...], Any]]] = {}
        for phrase, value in entries:
            words = tuple(phrase.split())
            alike = pairs.setdefault((words[0], words[1] if len(words) > 1 else ""), [])
            if (words, value) not in alike:
                alike.append((words, value))
                table.setdefault(words[0], []).append((words, value))
        return cls(_longest_first(table), _longest_first(pairs))

    def all_at(self, lows: Sequence[str], at: int) -> Iterator[tuple[int, Any]]:
        """Every phrase that begins at `at`: its length in words and its value, the longest first."""
        return self._all_at(lows, at) if at < len(lows) and lows[at] in self.by_first else NONE_HERE

    def at(self, lows: Sequence[str], at: int) -> tuple[int, Any] | None:
        return next(self._all_at(lows, at), None) if at < len(lows) and lows[at] in self.by_first else None

    def _all_at(self, lows: Sequence[str], at: int) -> Iterator[tuple[int, Any]]:
        first = lows[at]
        if at + 1 < len(lows):
            for words, value in self.by_pair.get((first, lows[at + 1]), ()):
                if len(words) == 2 or tuple(lows[at : at + len(words)]) == words:
                    yield len(words), value
        for _, value in self.by_pair.get((first, ""), ()):
            yield 1, value


@dataclass(frozen=True, slots=True)
class Form:
    """One reading of a verb: its class, its lemma phrase, and whether it is the base form ("send", not "sent")."""

    verb: str
    lemma: str
    base: bool


@dataclass(frozen=True)
class Lexicon:
    verbs: Phrases
    facts: Phrases
    nouns: Phrases
    """Values are (class, plural, singular phrase)."""
    markers: Phrases
    exceptions: Phrases
    schedules: Phrases
    """What people are told to be ("busy", "open"), and what asks for a time that fits them ("asking")."""
    states: Phrases
    orders: Phrases
    hosting: Phrases
    """What somebody does who holds an event."""
    from_the_end: Phrases
    folders: Phrases
    superlatives: Phrases
    asides: Mapping[str, frozenset[str]]
    kin: Mapping[str, frozenset[str]]
    conditions: Phrases
    bounds: Phrases
    bounds_behind: Phrases
    rankings: Phrases
    """Values are what is ranked, as a call names it."""
    fields: Mapping[str, str]
    operations: Mapping[tuple[str, str], str]
    alike: tuple[frozenset[str], ...]
    """Words for the same thing."""
    small: Mapping[str, frozenset[str]]
    polite: Mapping[str, Phrases]
    people: Mapping[str, Phrases]
    """Phrases that people are described by."""
    labels: Phrases
    """Words for the parts of a mail: "subject" or "body"."""
    talk: Phrases
    commands: Mapping[str, Phrases]
    idioms: Mapping[str, tuple[Saying, ...]]
    """By the first of their words."""
    verbless: tuple[Saying, ...]
    """The same where nothing stands before the object, and it needs no verb."""
    risks: Phrases
    connectors: Phrases
    otherwise: Phrases
    idle: Phrases
    """What says of mails or events only that they are there."""
    numbers: Mapping[str, int]
    nth: Mapping[str, int]
    generic: frozenset[str]
    examples: Mapping[str, str]
    taking: Phrases
    sequence: Mapping[str, frozenset[str]]
    """The neighbour in a list of mails (newest first) or events (soonest first)."""
    relative: Mapping[str, tuple[str, int]]
    """Days and weeks that count from another time: unit ("day", "week") and count."""
    multiples: Phrases
    """Values are what a length is multiplied with."""
    slips: Mapping[str, str]
    """Misspelt words, and what each means."""
    advice: Phrases
    """Verbs of how a mail should be answered, by the question word they stand behind, or "treat" for those said of much else."""
    advising: Mapping[str, frozenset[str]]
    """What stands before and between a question word and such a verb."""
    choosing: Mapping[str, frozenset[str]]
    """The words of a question for the best of what was shown."""
    known: frozenset[str]
    """Every single word that stands somewhere above: such a word in lower case is no name."""


def inflections(verb: str) -> Iterator[str]:
    """Third person, past and -ing form of a regular verb's first word; the rest of a phrase stays."""
    head, _, tail = verb.partition(" ")
    rest = f" {tail}" if tail else ""
    if head.endswith("ee"):
        stems = (head + "s", head + "d", head + "ing")
    elif head.endswith("e"):
        stems = (head + "s", head + "d", head[:-1] + "ing")
    elif head.endswith("y") and head[-2] not in VOWELS:
        stems = (head[:-1] + "ies", head[:-1] + "ied", head + "ing")
    elif head.endswith(("s", "sh", "ch", "x", "z")):
        stems = (head + "es", head + "ed", head + "ing")
    else:
        double = head + head[-1] if _doubles(head) else head
        stems = (head + "s", double + "ed", double + "ing")
    for stem in stems:
        yield stem + rest


def _doubles(word: str) -> bool:
    short = len(word) > 2 and word[-1] not in VOWELS + "wxy" and word[-2] in VOWELS and word[-3] not in VOWELS
    return short and sum(letter in VOWELS for letter in word) == 1


def plural(noun: str) -> str:
    if noun.endswith("y") and noun[-2] not in VOWELS:
        return noun[:-1] + "ies"
    return noun + ("es" if noun.endswith(("s", "sh", "ch", "x")) else "s")


def _verb_forms(classes: Mapping[str, Sequence[str]], irregular: Mapping[str, str]) -> Iterator[tuple[str, Form]]:
    odd: dict[str, list[str]] = {}
    for form, lemma in irregular.items():
        odd.setdefault(lemma, []).append(form)
    for verb, phrases in classes.items():
        for phrase in phrases:
            yield phrase, Form(verb, phrase, True)
            head, _, tail = phrase.partition(" ")
            for form in inflections(phrase):
                yield form, Form(verb, phrase, False)
            for form in odd.get(head, ()):
                yield f"{form} {tail}".strip(), Form(verb, phrase, form == head)


def _noun_forms(classes: Mapping[str, Sequence[str]]) -> Iterator[tuple[str, tuple[str, bool, str]]]:
    for noun, phrases in classes.items():
        for phrase in phrases:
            yield phrase, (noun, phrase in ("people",), phrase)
            yield plural(phrase), (noun, True, phrase)


def _flatten(table: Mapping[str, Sequence[str]]) -> Iterator[tuple[str, str]]:
    for value, phrases in table.items():
        for phrase in phrases:
            yield phrase, value


@cache
def lexicon() -> Lexicon:
    raw = tomllib.loads(files(__package__).joinpath("lexicon.toml").read_text("utf-8"))
    polite = {name: [phrase for one in patterns for phrase in alternatives(one)] for name, patterns in raw["polite"].items()}
    small = {name: frozenset(words) for name, words in raw["small"].items()}
    raw["markers"] = {name: [p for one in patterns for p in alternatives(one)] for name, patterns in raw["markers"].items()}
    tables = ("exceptions", "verbs", "facts", "nouns", "markers", "orders", "folders", "superlatives", "rankings")
    known = {word for table in tables for phrases in raw[table].values() for phrase in phrases for word in phrase.split()}
    known |= set().union(*small.values()) | set(raw["numbers"]) | set(raw["nth"]) | set(raw["irregular"])
    known |= {word for table in ("states", "from_the_end") for phrase in raw[table] for word in phrase.split()}
    known |= {form for phrases in raw["verbs"].values() for verb in phrases if " " not in verb for form in inflections(verb)}
    known |= {plural(noun) for phrases in raw["nouns"].values() for noun in phrases}
    known |= {word for phrases in raw["people"].values() for phrase in phrases for word in phrase.split()}
    known |= {word for phrases in raw["advice"].values() for phrase in phrases for word in phrase.split()}
    known |= {word for phrases in polite.values() for phrase in phrases for word in phrase.split()}
    return Lexicon(
        verbs=Phrases.of(_verb_forms(raw["verbs"], raw["irregular"])),
        facts=Phrases.of(_verb_forms(raw["facts"], raw["irregular"])),
        nouns=Phrases.of(_noun_forms(raw["nouns"])),
        markers=Phrases.of(_flatten(raw["markers"])),
        exceptions=Phrases.of(_flatten(raw["exceptions"])),
        schedules=Phrases.of(_flatten(raw["schedules"])),
        states=Phrases.of(_state_forms(raw["states"])),
        orders=Phrases.of(_flatten(raw["orders"])),
        hosting=Phrases.of((p, p) for p in raw["people"]["hosting"]),
        from_the_end=Phrases.of(raw["from_the_end"].items()),
        folders=Phrases.of(_flatten(raw["folders"])),
        asides={name: frozenset(words) for name, words in raw["asides"].items()},
        kin={name: frozenset(words) for name, words in raw["kin"].items()},
        conditions=Phrases.of(_flatten(raw["conditions"])),
        bounds=Phrases.of(_flatten(raw["bounds"])),
        bounds_behind=Phrases.of(_flatten(raw["bounds_behind"])),
        superlatives=Phrases.of(_flatten(raw["superlatives"])),
        rankings=Phrases.of(
            (form, key) for key, words in raw["rankings"].items() for word in words for form in (word, plural(word))
        ),
        fields=dict(_flatten(raw["fields"])),
        operations={_pair(key): operation for key, operation in raw["operations"].items()},
        alike=tuple(frozenset(words) for words in raw["alike"].values()),
        small=small,
        polite={name: Phrases.of((p, name) for p in phrases) for name, phrases in polite.items()},
        people={name: Phrases.of((p, name) for p in phrases) for name, phrases in raw["people"].items()},
        labels=Phrases.of(_flatten(raw["labels"])),
        talk=Phrases.of(_flatten(raw["talk"])),
        commands={name: Phrases.of((p, name) for p in phrases) for name, phrases in raw["commands"].items()},
        idioms=_by_first_word(_sayings(raw["idioms"])),
        verbless=_sayings(raw["verbless"]),
        risks=Phrases.of(_flatten(raw["risks"])),
        connectors=Phrases.of((p, p) for p in raw["small"]["connectors"]),
        otherwise=Phrases.of((p, p) for p in raw["small"]["otherwise"]),
        idle=Phrases.of((p, p) for p in raw["small"]["idle"]),
        numbers=raw["numbers"],
        nth=raw["nth"],
        generic=frozenset(raw["generic"]["words"]),
        examples=raw["examples"],
        taking=Phrases.of(_flatten(raw["taking"])),
        sequence={kind: frozenset(phrases) for kind, phrases in raw["sequence"].items()},
        relative={phrase: (unit, count) for phrase, (unit, count) in raw["relative"].items()},
        multiples=Phrases.of(raw["multiples"].items()),
        slips=dict(_flatten(raw["slips"])),
        advice=Phrases.of((phrase, name) for name in ("how", "what", "treat", "trailing") for phrase in raw["advice"][name]),
        advising={name: frozenset(raw["advice"][name]) for name in ("before", "between", "asked", "manner", "beside")},
        choosing={name: frozenset(words) for name, words in raw["choosing"].items()},
        known=frozenset(known - small["names_too"] | {"mark"}),
    )


def alternatives(pattern: str) -> Iterator[str]:
    """Every phrase of "it would be nice|kind if you could?": words between bars stand for each other, "?" ends one that may
    lack."""
    choices = [(*words.removesuffix("?").split("|"), *([""] if words.endswith("?") else [])) for words in pattern.split()]
    for chosen in itertools.product(*choices):
        yield " ".join(word for word in chosen if word)


def _by_first_word(sayings: Iterable[Saying]) -> Mapping[str, tuple[Saying, ...]]:
    found: dict[str, tuple[Saying, ...]] = {}
    for saying in sayings:
        first = saying[0][0][0]
        found[first] = (*found.get(first, ()), saying)
    return found


def _sayings(table: Mapping[str, Sequence[str]]) -> tuple[Saying, ...]:
    """The longest first: "put me down as not coming to _" before "put me down as _"."""
    found = [(_around(one), deed) for deed, patterns in table.items() for some in patterns for one in alternatives(some)]
    return tuple(sorted(found, key=lambda saying: -len(saying[0][0]) - len(saying[0][1])))


def _around(pattern: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    begin, _, end = pattern.partition("_")
    return tuple(begin.split()), tuple(end.split())


def _pair(key: str) -> tuple[str, str]:
    verb, _, noun = key.partition(" ")
    return verb, noun


def _state_forms(states: Mapping[str, Mapping[str, Any]]) -> Iterator[tuple[str, tuple[str, Any]]]:
    for phrase, setting in states.items():
        (field, value), *_ = setting.items()
        value = tuple(value) if isinstance(value, list) else value
        yield phrase, (field, value)
        if (" " not in phrase and field in ("bulk", "has_attachment")) or phrase.endswith(" attachment"):
            yield plural(phrase), (field, value)
