"""A mail's title and text under labels: "with the subject 'X' and the body 'Y'", "title: X, text: Y", "'X' as the subject"."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from assistant.reasoning.offline.lexicon import lexicon
from assistant.reasoning.offline.reading.text.items import Item

Name = Literal["subject", "body"]
EVENT = "{event}"
"""A title that is the event's own, before it is known which event."""
NAMING = frozenset({"titled", "entitled", "called", "named", "name", "call", "title", "it", "after", "with", "headed"})
NAMES = frozenset({"name", "title", "subject"})
LONGEST = 12
"""Words of "the name of the meeting"."""
ENDS = frozenset({".", ";", "!", "?"})
SAYING = frozenset({"saying", "asking"})
PUTTING = frozenset({"say", "write", "put", "include", "have", "use", "take", "choose", "set"})
"""Verbs before words whose label stands behind them."""


@dataclass(frozen=True, slots=True)
class Label:
    """Items `begin` to `end` name a part of a mail; those from `said` to `until` are its words. `open`: they stand unquoted."""

    name: Name
    begin: int
    end: int
    said: int
    until: int
    open: bool = False


def label_at(items: Sequence[Item], words: Sequence[str], at: int) -> Label | None:
    """The labelled part of a mail that begins at `at`; None where no label stands, or nothing that it could be of."""
    if items[at].kind in ("quote", "ref"):
        return _behind(items, words, at, at + 1)
    small, labels = lexicon().small, lexicon().labels
    said = at + (words[at] in ("and", ","))
    if words[said : said + 1] and words[said] in PUTTING and said + 1 < len(items) and items[said + 1].kind == "quote":
        behind = _behind(items, words, said + 1, said + 2)
        return replace(behind, begin=at) if behind else None
    if (eponym := _eponym(items, words, at)) is not None:
        return eponym
    place = at
    while place < len(items) and words[place] in small["label_leads"]:
        place += 1
    while place < len(items) and words[place] in small["label_articles"]:
        place += 1
    match = labels.at(words, place)
    if match is None:
        return None
    place += match[0]
    colon = False
    while place < len(items) and (words[place] in small["label_links"] or _the_mail(words, place)):
        colon = colon or words[place] in (":", "=")
        place += 1 + _the_mail(words, place)
    if place < len(items) and (items[place].kind == "quote" or (items[place].kind == "ref" and match[1] == "subject")):
        return Label(match[1], at, place + 1, place, place + 1)
    if place >= len(items):
        return None
    until = _end_of_open(items, words, place, match[1])
    listed = match[1] == "subject" and words[at] == "," and until < len(items) and words[until] not in ENDS
    if not colon and not listed:
        return None
    return Label(match[1], at, until, place, until, open=True)


def _eponym(items: Sequence[Item], words: Sequence[str], at: int) -> Label | None:
    """ "titled with the event's name", "with the name of the meeting as the title"."""
    small, place, names = lexicon().small, at, False
    while place < len(items) and (words[place] in NAMING or _leads(words[place], small) or _titles(words, place)):
        names = names or not (_leads(words[place], small) or words[place] == "it")
        place += 1
        place += 2 * _the_mail(words, place)
    if names and place < len(items) and items[place].kind == "ref":
        return Label("subject", at, place + 1, place, place + 1)
    if NAMES.isdisjoint(words[at : place + LONGEST]):
        return None
    for begin in range(at, min(place + 2, len(items))):
        if length := event_name(words, begin):
            end = begin + length
            behind = _behind(items, words, begin, end)
            return Label("subject", at, behind.end if behind else end, begin, end) if behind or begin > at else None
    return None


def _titles(words: Sequence[str], at: int) -> bool:
    match = lexicon().labels.at(words, at)
    return match is not None and match[1] == "subject"


def _the_mail(words: Sequence[str], at: int) -> bool:
    """ "title the email …": which title is meant."""
    return words[at : at + 1] in (["the"], ["this"], ["that"]) and words[at + 1 : at + 2] in (["email"], ["mail"], ["message"])


def _leads(word: str, small: Mapping[str, frozenset[str]]) -> bool:
    return word in small["label_leads"] or word in small["label_links"]


def event_name(words: Sequence[str], at: int) -> int:
    """How many words from `at` are "the event's name", "the title of the meeting"."""
    small, nouns = lexicon().small, lexicon().nouns
    begin = at + (words[at] in small["label_articles"] or words[at] == "that")
    noun = nouns.at(words, begin)
    if noun is not None and noun[1][0] in ("event", "occasion"):
        end = begin + noun[0]
        end += words[end : end + 1] == ["'s"]
        return end + 1 - at if words[end : end + 1] in (["name"], ["title"], ["subject"]) else 0
    begin += words[begin : begin + 1] == ["same"]
    if words[begin : begin + 1] not in (["name"], ["title"]) or words[begin + 1 : begin + 2] not in (["of"], ["as"]):
        return 0
    end = begin + 2
    end += words[end : end + 1] != [] and words[end] in ("the", "that", "this", "their", "each", "my")
    noun = nouns.at(words, end)
    return end + noun[0] - at if noun is not None and noun[1][0] in ("event", "occasion") else 0


def _behind(items: Sequence[Item], words: Sequence[str], begin: int, at: int) -> Label | None:
    """ "'X' as the subject": the label stands behind its words, which end at `at`."""
    if words[at : at + 1] not in (["as"], ["for"], ["in"]):
        return None
    place = at + 1
    while place < len(items) and words[place] in lexicon().small["label_articles"]:
        place += 1
    match = lexicon().labels.at(words, place)
    end = place + match[0] if match else 0
    follows = end < len(items) and (items[end].kind == "quote" or words[end] == ":")
    return Label(match[1], begin, end, begin, at) if match and not follows else None


def _end_of_open(items: Sequence[Item], words: Sequence[str], begin: int, name: Name) -> int:
    """Unquoted words end where the next label begins; a title also with its sentence, or where the text begins."""
    for at in range(begin + 1, len(items)):
        if (words[at] in ENDS or words[at] in lexicon().small["label_leads"]) and at + 1 < len(items):
            follows = label_at(items, words, at if words[at] not in ENDS else at + 1)
            if follows is not None:
                return at
        if name == "subject" and words[at] in ENDS and at + 1 < len(items):
            return at
        other = lexicon().labels.at(words, at)
        if other is not None and other[1] != name and words[at + other[0] : at + other[0] + 1] == [":"]:
            return at
        if name == "subject" and (marker := lexicon().markers.at(words, at)) and marker[1] in SAYING:
            return at
    return len(items)


def labels_in(items: Sequence[Item], words: Sequence[str], stop: int | None) -> Iterator[Label]:
    """All of them; from `stop` on, in dictated words, only a title put behind them."""
    at, seen = 0, set[Name]()
    while at < len(items):
        dictated = stop is not None and at >= stop
        label = label_at(items, words, at) if not dictated or _puts_behind(words, at) else None
        if label is not None and dictated and not (label.name == "subject" and label.end == len(items)):
            label = None
        if label is None or label.name in seen:
            at += 1
            continue
        seen.add(label.name)
        yield label
        at = label.end


def _puts_behind(words: Sequence[str], at: int) -> bool:
    return words[at] in (",", ";", ".", "-") or (
        words[at] == "and" and words[at + 1 : at + 2] in (["title"], ["use"], ["call"], ["take"], ["choose"])
    )


@dataclass(frozen=True, slots=True)
class Taken:
    """A clause without labelled parts, its text without a title behind dictated words, and what the parts say by name."""

    text: str
    items: tuple[Item, ...]
    said: dict[str, str]


def taken(text: str, items: Sequence[Item], stop: int | None, names: Sequence[Name] = ("subject", "body")) -> Taken:
    """`stop` is where unquoted dictation begins."""
    words = [item.low if item.kind in ("word", "number", "punct", "name") else "\0" for item in items]
    found, kept, at, end = dict[str, str](), list[Item](), 0, len(text)
    if "subject" in names and (item := next((item for item in items if item.kind == "subject"), None)):
        found["subject"] = item.text
        stop = stop - 1 if stop is not None and items.index(item) < stop else stop
        items = [one for one in items if one.kind != "subject"]
        words = [item.low if item.kind in ("word", "number", "punct", "name") else "\0" for item in items]
    for label in labels_in(items, words, stop):
        if label.name not in names:
            continue
        kept += items[at : label.begin]
        found[label.name] = _words(text, items, label)
        at = label.end
        end = items[label.begin].begin if stop is not None and label.begin >= stop else end
    return Taken(text[:end], (*kept, *items[at:]), found)


def _words(text: str, items: Sequence[Item], label: Label) -> str:
    first = items[label.said]
    if not label.open and first.kind not in ("quote", "ref"):
        return EVENT
    if not label.open:
        return f"{{{first.low}}}" if first.kind == "ref" else first.text
    end = None if label.name == "body" and label.until == len(items) else items[label.until - 1].end
    said = text[first.begin : end].strip(" \n,;")
    return said if label.name == "body" else said.rstrip(".")


def by_mail(words: Sequence[str], at: int) -> int:
    """How many words from `at` are "by email", "with a mail"."""
    if words[at : at + 1] == [] or words[at] not in ("by", "via", "with", "in", "through", "per"):
        return 0
    place = at + 1 + (words[at + 1 : at + 2] in (["a"], ["an"], ["the"]))
    noun = lexicon().nouns.at(words, place)
    return place + noun[0] - at if noun is not None and noun[1][0] == "mail" else 0


def behind_way(items: Sequence[Item], words: Sequence[str], at: int) -> int:
    """Where what is told begins: behind "know", "by email" and labelled parts; `at` itself where none of these stand there."""
    place = at + (words[at : at + 1] == ["know"])
    length = by_mail(words, place)
    if not length and not (place > at and place < len(items) and label_at(items, words, place)):
        return at
    place += length
    while place < len(items):
        marker = lexicon().markers.at(words, place)
        if (label := label_at(items, words, place)) is not None:
            place = label.end
        elif marker is not None and marker[1] == "called" and items[place + marker[0] : place + marker[0] + 1]:
            place += marker[0] + 1
        else:
            break
    return place
