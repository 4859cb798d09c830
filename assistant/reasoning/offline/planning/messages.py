"""A message into pieces: one per request, with the condition it stands under. Quoted and dictated words are never looked into."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import islice
from typing import Literal

from assistant.reasoning.base import Setting
from assistant.reasoning.offline.lexicon import lexicon
from assistant.reasoning.offline.planning.conditions import alternative
from assistant.reasoning.offline.planning.fronting import fronted, placed
from assistant.reasoning.offline.planning.pieces import Piece
from assistant.reasoning.offline.planning.uniting import united
from assistant.reasoning.offline.planning.wishes import as_request
from assistant.reasoning.offline.reading.dictation import dictation
from assistant.reasoning.offline.reading.entities import Item, mark
from assistant.reasoning.offline.reading.frames import lows, strip_closers, strip_openers, unknown_verb
from assistant.reasoning.offline.reading.grammar import parse
from assistant.reasoning.offline.reading.negation import positive
from assistant.reasoning.offline.reading.titles import within_title

ENDS = frozenset({".", "!", "?", ";", "…"})
CONDITIONAL = frozenset({"if", "unless"})


LONGEST = 80
"""Items of a request that may stand in the midst of dictated words."""
BEGINNING, JOINED, TRIES = 16, 6, 8
"""How many items are looked at to see whether a request begins, how many can join two requests, and how many places are tried as
the border of a condition."""


REPEATED = frozenset({"archive", "delete", "cancel", "flag", "unflag", "read", "summarise", "restore", "accept", "decline"})


class Splitter:
    """Splits one message; the message is marked once, pieces are cut from its text."""

    def __init__(self, text: str, setting: Setting) -> None:
        self.text = text
        self.setting = setting
        self.items = mark(text, setting)

    def pieces(self) -> tuple[Piece, ...]:
        return tuple(piece for sentence in self._sentences() for piece in self._of_sentence(sentence) if piece.text)

    def is_request(self) -> bool:
        return self._instructs(self.items)

    def _words(self, items: Sequence[Item]) -> str:
        return self.text[items[0].begin : items[-1].end].strip() if items else ""

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
            if current and dictating and not self._instructs(sentence):
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
            bullet = len(current) == 2 and current[0].kind == "number" and current[0].low.isdigit() and item.low == "."
            if bullet:
                current = []
            elif ends or "\n" in gap or self._condition_follows(at):
                yield current
                current = []
        if current:
            yield current

    def _condition_follows(self, at: int) -> bool:
        """ ", and if so …", "; if he hasn't, …" begin a sentence of their own."""
        words = lows(self.items[at : at + 2])
        if words[:1] not in ([","], ["and"], ["or"]) or words[1:] != ["if"]:
            return False
        rest = self.items[at + 1 :]
        stop, _ = dictation(self.items[: at + 1])
        return stop is None and self._reply_condition(rest)[0] is not None

    def _dictates(self, items: Sequence[Item]) -> tuple[bool, bool]:
        """Whether unquoted dictation is open at the sentence's end, and whether it takes all that follows."""
        start, colon = dictation(items)
        if start is None:
            return False, False
        return True, colon

    def _of_sentence(self, items: list[Item]) -> Iterator[Piece]:
        while items and items[0].kind == "punct" and items[0].low in ("-", "*", "•", ",", ")"):
            items = items[1:]
        if not items:
            return
        if pieces := self._with_front(items):
            yield from pieces
            return
        if wished := self._wished(items):
            yield from wished
            return
        lead, rest = self._reply_condition(items)
        if lead is not None:
            yield from self._branches(rest, lead)
            return
        stripped, _ = strip_openers(items, lexicon().polite["openers"])
        words = lows(stripped)
        if stripped and words[0] in CONDITIONAL and not _polite_if(words):
            yield from self._if(list(stripped), words[0] == "unless")
            return
        if (either := alternative(self.text, items, self.setting)) is not None:
            yield Piece(f"check whether I am free {either.first}", "check")
            yield Piece(either.deed, "if")
            yield Piece(either.instead, "else")
            return
        split = self._infix(items)
        if split is not None:
            deed, condition, unless = split
            condition, instead = self._otherwise(condition)
            yield self._check(condition, unless)
            yield from self._deeds(deed, "if")
            if instead:
                yield from self._deeds(instead, "else")
            return
        yield from self._deeds(items, "plain")

    def _wished(self, items: list[Item]) -> list[Piece]:
        """What is wished to be done, clause by clause, as the requests that it is."""
        stop, _ = dictation(items)
        request = as_request(self.text, items) if stop is None else None
        if request is None or parse(request, self.setting).call is None:
            return []
        again = Splitter(request, self.setting)
        return list(again._of_sentence(list(again.items)))

    def _with_front(self, items: list[Item]) -> list[Piece]:
        """The pieces of a sentence whose beginning belongs into the first of them; none where that is not so."""
        front = fronted(self.text, items)
        if front is None:
            return []
        first, *others = self._of_sentence(list(front.rest))
        stop, _ = dictation(mark(first.text, self.setting))
        clause = placed(front, first.text) if stop is None or front.kind != "slot" else None
        if clause is None or parse(clause, self.setting).call is None:
            return []
        return [replace(first, text=clause), *others]

    def _reply_condition(self, items: Sequence[Item]) -> tuple[Literal["if", "else"] | None, Sequence[Item]]:
        """ "If not, …", "otherwise …", "if so, …" speak of the check before."""
        words = lows(items)
        if words[:2] in (["if", "so"], ["if", "yes"]) and words[2:3] in ([","], ["then"]):
            return "if", items[2:]
        match = lexicon().otherwise.at(words, 0)
        if match is not None:
            return "else", items[match[0] :]
        if (short := self._short_condition(items, words)) is not None:
            return short
        return None, items

    def _short_condition(self, items: Sequence[Item], words: Sequence[str]) -> tuple[Literal["if", "else"], Sequence[Item]] | None:
        """ "If he hasn't, …", "if I am …": the condition is the one looked at before."""
        small = lexicon().small
        somebody = len(words) > 3 and (
            words[1] in small["me"] | {"he", "she", "they", "it", "there", "that"} or items[1].kind == "person"
        )
        if words[:1] != ["if"] or not somebody or words[2] not in small["auxiliaries"]:
            return None
        at = 3
        negated = words[at] == "not"
        at += negated
        while at < len(words) and words[at] in (",", "then", "just"):
            at += 1
        return ("else" if negated else "if", items[at:]) if at < len(items) and self._begins_deed(items[at:]) else None

    def _if(self, items: list[Item], unless: bool) -> Iterator[Piece]:
        """ "if C, A", "if C then A"; A ends where "otherwise" begins."""
        words = lows(items)
        at = self._consequence(items, words)
        if at is None:
            yield Piece(self._words(items))
            return
        condition = items[1:at]
        while condition and condition[-1].low in (",", "then"):
            condition = condition[:-1]
        yield self._check(condition, unless)
        yield from self._branches(items[at:], "if")

    def _consequence(self, items: Sequence[Item], words: Sequence[str]) -> int | None:
        for at in range(2, len(items)):
            if words[at - 1] in (",", "then") and at < len(items) and self._begins_deed(items[at:]):
                return at
        verbs = (n for n in range(2, len(items)) if items[n].kind == "word" and lexicon().verbs.at(words, n))
        deeds = islice((n for n in verbs if self._begins_deed(items[n:])), TRIES)
        return next((n for n in deeds if self._holds_fact(items[1:n])), None)

    def _holds_fact(self, items: Sequence[Item]) -> bool:
        return bool(items) and parse(f"check whether {self._words(items)}", self.setting).call is not None

    def _begins_deed(self, items: Sequence[Item]) -> bool:
        stripped, _ = strip_openers(items[:BEGINNING], lexicon().polite["openers"])
        if not stripped:
            return False
        words = lows(stripped)
        if words[0] in lexicon().small["wh"] or words[:2] in (["do", "not"],):
            return True
        return any(form.base for _, form in lexicon().verbs.all_at(words, 0))

    def _check(self, condition: Sequence[Item], unless: bool) -> Piece:
        text, negated = positive(self.text, condition)
        return Piece(f"check whether {text}", "check", negated != unless)

    def _branches(self, items: Sequence[Item], role: Literal["if", "else"]) -> Iterator[Piece]:
        deed, instead = self._otherwise(items)
        yield from self._deeds(deed, role)
        if instead:
            yield from self._deeds(instead, "else")

    def _otherwise(self, items: Sequence[Item]) -> tuple[Sequence[Item], Sequence[Item]]:
        """What stands before and behind "otherwise", which counts in dictated words only where a request follows it."""
        words = lows(items)
        stop, _ = dictation(items)
        for at in range(1, len(items)):
            match = lexicon().otherwise.at(words, at)
            if match is None or (words[at] == "else" and words[at - 1] not in (",", "or")) or words[at - 1] not in (",", ";", "or"):
                continue
            instead = items[at + match[0] :]
            if lows(_trim(instead))[:2] in (["do", "nothing"], ["nothing"]):
                return _trim(items[:at]), ()
            if stop is None or at < stop or self._instructs(instead):
                return _trim(items[:at]), _trim(instead)
        return _trim(items), ()

    def _infix(self, items: Sequence[Item]) -> tuple[Sequence[Item], Sequence[Item], bool] | None:
        """ "A if C", "A unless C"; a verb of asking takes its own "if"."""
        words = lows(items)
        stop, _ = dictation(items)
        for at in islice((n for n in range(1, len(items)) if words[n] in CONDITIONAL), TRIES):
            if stop is not None and at >= stop:
                return None
            if items[at].kind != "word" or _polite_if(words[at : at + 3]):
                continue
            if words[at] == "if" and (self._asks(items[:at]) or words[at - 1] in ("as", "even", "what", "or")):
                return None
            if words[at + 1 : at + 2] in (["it"], ["they"], ["that"], ["this"]):
                return None
            if self._begins_deed(items[:at]) and self._holds_fact(self._otherwise(items[at + 1 :])[0]):
                return _trim(items[:at]), items[at + 1 :], words[at] == "unless"
        return None

    def _asks(self, items: Sequence[Item]) -> bool:
        stripped, _ = strip_openers(items, lexicon().polite["openers"])
        words = lows(stripped)
        if not stripped:
            return True
        asking = lexicon().polite["asking"].at(words, 0)
        return (asking is not None and asking[0] >= len(words)) or words[0] in ("ask", "see", "check", "know")

    def _deeds(self, items: Sequence[Item], role: Literal["plain", "if", "else"]) -> Iterator[Piece]:
        """One piece for each request that "and", "then" or a comma joins."""
        start = 0
        words = lows(items)
        stop, colon = dictation(items)
        at = 1
        while at < (stop if colon and stop is not None else len(items)):
            if (more := self._another_object(items, words, start, at, stop)) is not None:
                yield Piece(self._words(_trim(items[start:at])), role)
                yield from self._one_by_one(more, items[at + 1 :], role)
                return
            length = self._joint(items, words, at, stop)
            if length and self._stands_alone(items[start:at]):
                yield Piece(self._words(_trim(items[start:at])), role)
                start = at + length
                at = start
                stop_rest, colon = dictation(items[start:])
                stop = start + stop_rest if stop_rest is not None else None
            at += 1
        yield Piece(self._words(_trim(items[start:])), role)

    def _another_object(self, items: Sequence[Item], words: Sequence[str], start: int, at: int, stop: int | None) -> str | None:
        """The verb that "archive the last mail from Tom and the last one from Laura" says only once."""
        if words[at] != "and" or stop is not None or at + 2 >= len(items) or words[at + 1] not in lexicon().small["articles"]:
            return None
        before, _ = strip_openers(items[start:at], lexicon().polite["openers"])
        verb = next(((n, form) for n, form in lexicon().verbs.all_at(lows(before), 0) if form.base), None) if before else None
        if verb is None or verb[1].verb not in REPEATED or lexicon().nouns.at(lows(before), 0) is not None:
            return None
        if not (lexicon().orders.at(words, at + 2) or words[at + 2] in lexicon().nth):
            return None
        return self._words(before[: verb[0]])

    def _one_by_one(self, verb: str, items: Sequence[Item], role: Literal["plain", "if", "else"]) -> Iterator[Piece]:
        text = f"{verb} {self._words(items)}"
        yield from Splitter(text, self.setting)._deeds(mark(text, self.setting), role)

    def _joint(self, items: Sequence[Item], words: Sequence[str], at: int, stop: int | None) -> int:
        """How many items join two requests at `at`; 0 where none do. In dictated words only "then" can."""
        end = at
        while end < min(len(items), at + JOINED) and (words[end] == "," or (match := lexicon().connectors.at(words, end))):
            end += 1 if words[end] == "," else match[0]  # type: ignore[index]
        if end == at or end >= len(items):
            return 0
        joining = words[at:end]
        if stop is not None and at >= stop and not ("then" in joining and self._instructs(items[end:])):
            return 0
        if self._in_title(items, words, at):
            return 0
        if lexicon().markers.at(words, at) is not None or (
            at > 0 and lexicon().markers.at(words, at - 1 if words[at - 1] == "," else at)
        ):
            return 0
        if set(joining) <= {",", "also", "first", "next", "plus"} and "," not in joining:
            return 0
        return end - at if self._new_request(items[end:], joining) else 0

    def _in_title(self, items: Sequence[Item], words: Sequence[str], at: int) -> bool:
        """Whether "and" joins two words of one title: "called Plan and Review"."""
        if not within_title(items, at):
            return False
        return any((match := lexicon().markers.at(words, n)) and match[1] == "called" for n in range(at))

    def _new_request(self, items: Sequence[Item], joining: Sequence[str]) -> bool:
        if self._begins_deed(items):
            found = parse(self._words(items[:LONGEST]), self.setting)
            return found.call is not None and (found.clause.mood in ("do", "wh"))
        if unknown_verb(items) and items[0].text.islower():
            return True
        if "then" in joining or "and" in joining:
            words = lows(items)
            return words[0] in lexicon().small["auxiliaries"] and parse(self._words(items), self.setting).call is not None
        return False

    def _stands_alone(self, items: Sequence[Item]) -> bool:
        stripped = strip_closers(strip_openers(items, lexicon().polite["openers"])[0])
        return bool(stripped)


def _polite_if(words: Sequence[str]) -> bool:
    return " ".join(words[:3]) in ("if you can", "if you could", "if you please") or " ".join(words[:2]) in (
        "if possible",
        "if needed",
        "if necessary",
        "if any",
    )


def _trim(items: Sequence[Item]) -> Sequence[Item]:
    while items and items[0].low in (",", "then", ";"):
        items = items[1:]
    while items and items[-1].low in (",", ";", "and"):
        items = items[:-1]
    return items


def instructs(text: str, setting: Setting) -> bool:
    """Whether a sentence is for certain a request of its own."""
    return Splitter(text, setting).is_request()


def pieces(text: str, setting: Setting) -> tuple[Piece, ...]:
    return tuple(united(Splitter(text, setting).pieces(), setting))
