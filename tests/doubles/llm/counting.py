"""Usage where an answer does not give its own, and what the endpoint has counted."""

from dataclasses import dataclass, field

from doubles.llm.answers import CHARACTERS, Answer, Counted, completion_tokens, tokens
from doubles.llm.requests import RequestSeen

BLOCK = 16
"""Prefixes are cached in blocks of so many tokens."""


@dataclass
class Counters:
    """`requests` are those that were answered, with an error or not; `most_at_once` were under way side by side."""

    requests: int = 0
    prompt: int = 0
    cached: int = 0
    completion: int = 0
    now: int = 0
    most_at_once: int = 0

    def begin(self) -> None:
        self.requests += 1
        self.now += 1
        self.most_at_once = max(self.most_at_once, self.now)

    def add(self, usage: Counted) -> None:
        self.prompt += usage.prompt
        self.cached += usage.cached
        self.completion += usage.completion


@dataclass
class PrefixCache:
    """Which blocks of a prompt an earlier one to the same model began with."""

    _seen: set[int] = field(default_factory=set)

    def usage(self, seen: RequestSeen, answer: Answer) -> Counted:
        prompt = tokens(seen.prompt)
        return Counted(prompt, completion_tokens(answer), min(self._cached(seen), prompt))

    def _cached(self, seen: RequestSeen) -> int:
        size, text = BLOCK * CHARACTERS, seen.prompt
        prefix, known, hits = hash(seen.model), True, 0
        for at in range(0, len(text) - size + 1, size):
            prefix = hash((prefix, text[at : at + size]))
            known = known and prefix in self._seen
            hits += known
            self._seen.add(prefix)
        return hits * BLOCK
