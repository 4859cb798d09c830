"""The lexicon as data: `lexicon.toml`, with its inflections derived once, when the first sentence is read."""

import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

VOWELS = "aeiou"


@dataclass(frozen=True, slots=True)
class Phrases:
    """Phrases looked up by their first word, the longest first."""

    by_first: Mapping[str, tuple[tuple[tuple[str, ...], Any], ...]]

    @classmethod
    def of(cls, entries: Iterable[tuple[str, Any]]) -> "Phrases":
        table: dict[str, list[tuple[tuple[str, ...], Any]]] = {}
        for phrase, value in entries:
            words = tuple(phrase.split())
            row = table.setdefault(words[0], [])
            if (words, value) not in row:
                row.append((words, value))
        return cls({first: tuple(sorted(row, key=lambda e: -len(e[0]))) for first, row in table.items()})

    def all_at(self, lows: Sequence[str], at: int) -> Iterator[tuple[int, Any]]:
        """Every phrase that begins at `at`: its length in words and its value, the longest first."""
        for words, value in self.by_first.get(lows[at], ()) if at < len(lows) else ():
            if tuple(lows[at : at + len(words)]) == words:
                yield len(words), value

    def at(self, lows: Sequence[str], at: int) -> tuple[int, Any] | None:
        return next(self.all_at(lows, at), None)


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
    states: Phrases
    orders: Phrases
    folders: Phrases
    fields: Mapping[str, str]
    operations: Mapping[tuple[str, str], str]
    small: Mapping[str, frozenset[str]]
    polite: Mapping[str, Phrases]
    talk: Phrases
    commands: Mapping[str, Phrases]
    risks: Phrases
    connectors: Phrases
    otherwise: Phrases
    numbers: Mapping[str, int]
    nth: Mapping[str, int]
    generic: frozenset[str]
    examples: Mapping[str, str]
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
    small = {name: frozenset(words) for name, words in raw["small"].items()}
    tables = ("verbs", "facts", "nouns", "markers", "orders", "folders")
    known = {word for table in tables for phrases in raw[table].values() for phrase in phrases for word in phrase.split()}
    known |= set().union(*small.values()) | set(raw["numbers"]) | set(raw["nth"]) | set(raw["irregular"])
    known |= {word for state in raw["states"] for word in state.split()}
    known |= {form for phrases in raw["verbs"].values() for verb in phrases if " " not in verb for form in inflections(verb)}
    known |= {plural(noun) for phrases in raw["nouns"].values() for noun in phrases}
    known |= {word for phrases in raw["polite"].values() for phrase in phrases for word in phrase.split()}
    return Lexicon(
        verbs=Phrases.of(_verb_forms(raw["verbs"], raw["irregular"])),
        facts=Phrases.of(_verb_forms(raw["facts"], raw["irregular"])),
        nouns=Phrases.of(_noun_forms(raw["nouns"])),
        markers=Phrases.of(_flatten(raw["markers"])),
        states=Phrases.of(_state_forms(raw["states"])),
        orders=Phrases.of(_flatten(raw["orders"])),
        folders=Phrases.of(_flatten(raw["folders"])),
        fields=dict(_flatten(raw["fields"])),
        operations={_pair(key): operation for key, operation in raw["operations"].items()},
        small=small,
        polite={name: Phrases.of((p, name) for p in phrases) for name, phrases in raw["polite"].items()},
        talk=Phrases.of(_flatten(raw["talk"])),
        commands={name: Phrases.of((p, name) for p in phrases) for name, phrases in raw["commands"].items()},
        risks=Phrases.of(_flatten(raw["risks"])),
        connectors=Phrases.of((p, p) for p in raw["small"]["connectors"]),
        otherwise=Phrases.of((p, p) for p in raw["small"]["otherwise"]),
        numbers=raw["numbers"],
        nth=raw["nth"],
        generic=frozenset(raw["generic"]["words"]),
        examples=raw["examples"],
        known=frozenset(known - small["names_too"] | {"mark"}),
    )


def _pair(key: str) -> tuple[str, str]:
    verb, _, noun = key.partition(" ")
    return verb, noun


def _state_forms(states: Mapping[str, Mapping[str, bool]]) -> Iterator[tuple[str, tuple[str, bool]]]:
    for phrase, setting in states.items():
        (field, value), *_ = setting.items()
        yield phrase, (field, value)
        if " " not in phrase and field in ("bulk", "has_attachment"):
            yield plural(phrase), (field, value)
