"""Where one sentence of a message ends: quoted and dictated words are never parted."""

from collections.abc import Iterator, Sequence

from assistant.reasoning.offline.lexicon import lexicon
from assistant.reasoning.offline.planning.message.branching import CONDITIONAL, Branching
from assistant.reasoning.offline.planning.message.retracting import takes_back
from assistant.reasoning.offline.reading.frames import strip_openers
from assistant.reasoning.offline.reading.grammar import parse
from assistant.reasoning.offline.reading.slots import lows
from assistant.reasoning.offline.reading.text.dictation import dictation
from assistant.reasoning.offline.reading.text.items import Item

ENDS = frozenset({".", "!", "?", ";", "…"})
LONGEST = 80
"""Items of a request that may stand in the midst of dictated words."""
LABELS = frozenset({"title", "name", "subject", "location", "place", "venue", "room", "duration", "length", "text", "body"})
RETRACTED_BY = frozenset({",", "-", "\u2013", "\u2014"})


class Sentences(Branching):
    """The sentences of one message."""

    def _instructs(self, items: Sequence[Item]) -> bool:
        """Whether these items are for certain a request of their own, not more of what is dictated."""
        if not items:
            return False
        ends = next((n for n, item in enumerate(items) if n and item.kind == "punct" and item.low in ENDS), len(items))
        items = items[: min(ends, LONGEST)]
        stripped, taken = strip_openers(items, lexicon().polite["openers"])
        words = lows(items)
        if words[0] in CONDITIONAL or lexicon().otherwise.at(words, 0):
            return True
        if not stripped:
            return False
        found = parse(self._words(items), self.setting)
        return found.call is not None and (found.reading.certain or bool(taken)) and found.clause.mood == "do"

    def _sentences(self) -> Iterator[list[Item]]:
        """Sentences; unquoted dictation goes on over those that are no request, and behind a colon to the end."""
        current: list[Item] = []
        dictating = False
        for sentence in self._raw_sentences():
            if current and dictating and not self._instructs(sentence) and not takes_back(sentence, wholly=True):
                current.extend(sentence)
                continue
            if current:
                yield current
            current = sentence
            dictating, forever = self._dictates(sentence)
            if forever:
                start = sentence[0].begin
                current = [item for item in self.items if item.begin >= start]
                yield current
                return
        if current:
            yield current

    def _raw_sentences(self) -> Iterator[list[Item]]:
        current: list[Item] = []
        for at, item in enumerate(self.items):
            following = self.items[at + 1] if at + 1 < len(self.items) else None
            gap = self.text[item.end : following.begin] if following else ""
            current.append(item)
            ends = item.kind == "punct" and item.low in ENDS and (following is None or bool(gap) or item.low == ";")
            ends = ends or self._request_follows_quote(at)
            bullet = len(current) == 2 and current[0].kind == "number" and current[0].low.isdigit() and item.low == "."
            if bullet or (item.low == ";" and self._label_follows(at)):
                current = [] if bullet else current
            elif (ends and not self._initial(at)) or "\n" in gap or self._condition_follows(at) or self._retraction_follows(at):
                yield current
                current = []
        if current:
            yield current

    def _label_follows(self, at: int) -> bool:
        """ "…; title: Roof": more of what is asked for, not another sentence."""
        words = lows(self.items[at + 1 : at + 3])
        return len(words) == 2 and words[1] == ":" and words[0] in LABELS

    def _request_follows_quote(self, at: int) -> bool:
        """ "… saying 'Got it.' Otherwise send …": a quote that ends a sentence, whose full stop stands inside of it."""
        rest = self.items[at + 1 : at + 1 + LONGEST]
        if self.items[at].kind != "quote" or not rest or rest[0].kind != "word" or not rest[0].text[:1].isupper():
            return False
        words = lows(rest)
        leads = lexicon().otherwise.at(words, 0) or lexicon().conditions.at(words, 0) or words[0] in ("then", "and")
        return bool(leads) or self._begins_deed(rest)

    def _initial(self, at: int) -> bool:
        """ "Paul A. Sand": no sentence ends behind an initial."""
        before, after = self.items[at - 1] if at else None, self.items[at + 1] if at + 1 < len(self.items) else None
        if before is None or after is None or self.items[at].low != ".":
            return False
        letter = before.text.rpartition(" ")[2]
        return len(letter) == 1 and letter.isupper() and letter != "I" and after.text[:1].isupper()

    def _condition_follows(self, at: int) -> bool:
        """ ", and if so …", "; if he hasn't, …" begin a sentence of their own."""
        words = lows(self.items[at : at + 2])
        if words[:1] not in ([","], ["and"], ["or"]) or words[1:] != ["if"]:
            return False
        rest = self.items[at + 1 :]
        stop, _ = dictation(self.items[: at + 1])
        return stop is None and self._reply_condition(rest)[0] is not None

    def _retraction_follows(self, at: int) -> bool:
        """ ", no wait, leave it": what takes back the clause before is a sentence of its own."""
        if self.items[at].low not in RETRACTED_BY or dictation(self.items[: at + 1])[0] is not None:
            return False
        rest = self.items[at + 1 :]
        ends = next((n for n, item in enumerate(rest) if item.kind == "punct" and item.low in ENDS), len(rest))
        return takes_back(rest[:ends])

    def _dictates(self, items: Sequence[Item]) -> tuple[bool, bool]:
        """Whether unquoted dictation is open at the sentence's end, and whether it takes all that follows."""
        start, colon = dictation(items)
        if start is None:
            return False, False
        return True, colon
