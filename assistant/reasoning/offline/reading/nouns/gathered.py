"""What has been read of a selection so far."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from assistant.reasoning.calls import Selection, TimeSpec
from assistant.reasoning.offline.lexicon import lexicon
from assistant.reasoning.offline.reading.nouns.persons import Named, is_job
from assistant.reasoning.offline.reading.text.items import Item
from assistant.reasoning.offline.reading.times.stretches import whole_days


@dataclass
class Gathered:
    """What has been read of a clause so far; `unread` are words that found no place."""

    select: dict[str, Any] = field(default_factory=dict)
    people: list[Named] = field(default_factory=list)
    words: list[str] = field(default_factory=list)
    unread: list[str] = field(default_factory=list)

    def selection(self, when: TimeSpec | None = None) -> Selection:
        chosen = dict(self.select)
        if when is not None:
            chosen["when"] = when
        if when is not None and chosen.get("overlapping") is not None and chosen["overlapping"].when is None:
            chosen["overlapping"] = chosen["overlapping"].model_copy(update={"when": when})
            chosen["when"] = whole_days(when)
        people = tuple(dict.fromkeys(named.person for named in self.people))
        if chosen.get("folder") == "Received" and any(person.role == "from" for person in people):
            del chosen["folder"]
        return Selection(people=people, words=tuple(dict.fromkeys(self.words)), **chosen)


def topic_words(items: Sequence[Item], *, phrase: bool = False) -> tuple[str, ...]:
    """Content words; quoted text and capitalised names stay whole."""
    stop = lexicon().small["stop"]
    words = [
        item.text.strip()
        for item in items
        if item.kind in ("quote", "name", "person", "number", "address")
        or (item.kind == "word" and item.text and item.low not in stop and not item.low.startswith("'"))
    ]
    return (" ".join(words),) if phrase and words else tuple(words)


def as_job(found: Gathered) -> None:
    """ "sales managers": the words up to a profession are a job title, in the singular."""
    at = next((n for n, word in enumerate(found.words) if is_job(word.lower())), None)
    if at is None or found.select.get("title"):
        return
    job = found.words[at]
    job = job if job.lower() in lexicon().small["jobs"] else job[:-1]
    found.select["title"] = " ".join((*found.words[:at], job))
    found.words = found.words[at + 1 :]
