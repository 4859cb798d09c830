"""How a sentence hangs on a condition: "if C, A", "A unless C", "…, otherwise B", and conditions on the thing itself."""

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import islice
from typing import Literal

from assistant.reasoning.base import Setting
from assistant.reasoning.offline.lexicon import lexicon
from assistant.reasoning.offline.planning.elapsed import tells_time_since
from assistant.reasoning.offline.planning.message.pieces import Piece, polite_if, trimmed
from assistant.reasoning.offline.planning.message.supposing import OnIt, on_it, on_thing
from assistant.reasoning.offline.reading import particles
from assistant.reasoning.offline.reading.clauses.riders import GUARD, is_guard
from assistant.reasoning.offline.reading.entities import mark
from assistant.reasoning.offline.reading.frames import strip_closers, strip_openers
from assistant.reasoning.offline.reading.grammar import parse
from assistant.reasoning.offline.reading.negation import positive
from assistant.reasoning.offline.reading.nouns.counting import of_told
from assistant.reasoning.offline.reading.resting import keeps
from assistant.reasoning.offline.reading.slots import lows
from assistant.reasoning.offline.reading.text.dictation import dictation
from assistant.reasoning.offline.reading.text.items import NAMED, Item, is_hour

CONDITIONAL = frozenset({"if", "unless"})
BEGINNING, TRIES = 16, 8
"""How many items are looked at to see whether a request begins, and how many places are tried as the border of a condition."""
SHORT = 4
"""Words of a phrase that is no sentence."""
IT = frozenset({"it", "that", "this"})
SUBJECTS = frozenset({"he", "she", "they", "it", "there", "nobody", "somebody", "anybody", "everybody"})


class Branching(ABC):
    """The conditions of one message, which is marked once: pieces are cut from its text."""

    def __init__(self, text: str, setting: Setting) -> None:
        self.text = text
        self.setting = setting
        self.items = mark(text, setting)

    @abstractmethod
    def _deeds(self, items: Sequence[Item], role: Literal["plain", "if", "else"]) -> Iterator[Piece]: ...

    @abstractmethod
    def _instructs(self, items: Sequence[Item]) -> bool: ...

    def _words(self, items: Sequence[Item]) -> str:
        return self.text[items[0].begin : items[-1].end].strip() if items else ""

    def _begins_deed(self, items: Sequence[Item]) -> bool:
        stripped, _ = strip_openers(items[:BEGINNING], lexicon().polite["openers"])
        if not stripped:
            return False
        words = lows(stripped)
        if words[0] in lexicon().small["wh"] or words[:2] in (["do", "not"],):
            return True
        return any(form.base for _, form in lexicon().verbs.all_at(words, 0)) or particles.joined(stripped, words, 0) is not None

    def _reply_condition(self, items: Sequence[Item]) -> tuple[Literal["if", "else"] | None, Sequence[Item]]:
        """ "If not, …", "otherwise …", "if so, …" speak of the check before."""
        words = lows(items)
        said = words[:2] in (["if", "so"], ["if", "yes"])
        if said and (words[2:3] in ([","], ["then"]) or self._begins_deed(items[2:])):
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
        deed = self._words(self._otherwise(items[at:])[0])
        on = (
            on_it(deed, self._words(condition), self.setting)
            if condition[0].low in IT and not tells_time_since(condition, self.text) and not self._asked_total(condition)
            else on_thing(deed, condition, self.text, self.setting)
        )
        if on is not None:
            yield from self._on_it(on, unless)
            return
        yield from self._checks(condition, unless)
        yield from self._branches(items[at:], "if")

    def _asked_total(self, condition: Sequence[Item]) -> bool:
        """ "How much time … ? If it is more than 4 hours, …": it is what was asked for before."""
        before = self.text[: condition[0].begin].lower()
        return any(words in before for words in ("how much time", "how many hours", "how long")) and of_told(condition) is not None

    def _on_it(self, on: OnIt, unless: bool) -> Iterator[Piece]:
        if on.find:
            yield Piece(on.find)
        text, negated = positive(on.condition, mark(on.condition, self.setting))
        yield Piece(f"check whether {text}", "check", negated != unless, of_it=True)
        yield Piece(on.deed, "if")

    def _checks(self, condition: Sequence[Item], unless: bool) -> Iterator[Piece]:
        """One check, or one for each fact that "and" joins: all must hold."""
        words = lows(condition)
        if not unless and (each := self._each_of(condition)):
            checks = [self._check(mark(text, self.setting), unless, text) for text in each]
            yield from (replace(check, also=n > 0) for n, check in enumerate(checks))
            return
        for at in range(2, len(condition) - 1):
            both = condition[:at], condition[at + 1 :]
            if words[at] == "and" and not unless and all(self._states_fact(part) for part in both):
                yield from self._checks(both[0], unless)
                yield replace(next(self._checks(both[1], unless)), also=True)
                return
        yield self._check(condition, unless)

    def _each_of(self, condition: Sequence[Item]) -> list[str]:
        """ "Anna and Tom have written", "I'm meeting both Anna and Tom": the same of each; nothing where one is spoken of, or
        another kind of fact."""
        both = next((n for n in range(1, len(condition) - 3) if condition[n].low == "both"), None)
        end = both + 4 if both is not None else 0
        if both is not None and lows(condition[both + 2 : both + 3]) == ["and"] and condition[both + 1].kind in NAMED:
            before = self.text[condition[0].begin : condition[both].begin]
            behind = self.text[condition[end - 1].end : condition[-1].end]
            return [f"{before}{self.text[one.begin : one.end]}{behind}" for one in (condition[both + 1], condition[both + 3])]
        end = next((n for n, item in enumerate(condition) if item.kind not in NAMED and item.low not in ("and", ",", "both")), 0)
        people = [item for item in condition[:end] if item.kind in NAMED]
        if len(people) < 2 or end >= len(condition) or condition[end].low not in ("have", "both"):
            return []
        rest = self.text[condition[end].end : condition[-1].end]
        found = [f"{self.text[item.begin : item.end]} has{rest}" for item in people]
        call = parse(f"check whether {found[0]}", self.setting).call
        return found if call is not None and call.operation == "mail.check" else []

    def _states_fact(self, items: Sequence[Item]) -> bool:
        """A subject and a verb of its own, not just more of what stands before "and"."""
        words, small = lows(items), lexicon().small
        subject = items[0].kind in ("person", "name", "time") or words[0] in small["me"] | small["articles"] | SUBJECTS
        verb = any(
            word in small["auxiliaries"] or word == "'s" or lexicon().facts.at(words, n) for n, word in enumerate(words[:6]) if n
        )
        return subject and verb and self._holds_fact(items)

    def _consequence(self, items: Sequence[Item], words: Sequence[str]) -> int | None:
        for at in range(2, len(items)):
            follows = words[at - 1] in (",", "then")
            if follows and (self._begins_deed(items[at:]) or keeps(self._otherwise(items[at:])[0])):
                return at
        verbs = (n for n in range(2, len(items)) if items[n].kind == "word" and lexicon().verbs.at(words, n))
        deeds = islice((n for n in verbs if self._begins_deed(items[n:])), TRIES)
        return next((n for n in deeds if self._holds_fact(items[1:n])), None)

    def _holds_fact(self, items: Sequence[Item]) -> bool:
        return bool(items) and parse(f"check whether {self._words(items)}", self.setting).call is not None

    def _check(self, condition: Sequence[Item], unless: bool, said: str = "") -> Piece:
        """`said` is the text of the condition's items, where it is not the message's."""
        text, negated = positive(said or self.text, condition)
        return Piece(f"check whether {text}", "check", negated != unless)

    def _branches(self, items: Sequence[Item], role: Literal["if", "else"]) -> Iterator[Piece]:
        deed, instead = self._otherwise(items)
        deed = () if keeps(deed) else deed
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
            if lows(trimmed(instead))[:2] in (["do", "nothing"], ["nothing"]) or keeps(instead):
                return trimmed(items[:at]), ()
            if stop is None or at < stop or self._instructs(instead):
                return trimmed(items[:at]), trimmed(instead)
        return trimmed(items), ()

    def _infix(self, items: Sequence[Item]) -> tuple[Sequence[Item], Sequence[Item], bool] | None:
        """ "A if C", "A unless C"; a verb of asking takes its own "if"."""
        words = lows(items)
        stop, _ = dictation(items)
        for at, length, unless in islice(self._openers(items, words), TRIES):
            if stop is not None and at >= stop and not self._about_reader(items, at) and not self._beside_phrase(items[stop:at]):
                return None
            if items[at].kind != "word" or polite_if(words[at:]):
                continue
            if words[at] == "if" and (self._asks(items[:at]) or words[at - 1] in ("as", "even", "what", "or")):
                return None
            behind = items[at + length :]
            condition = self._otherwise(behind)[0]
            if lows(behind[:1]) in (["it"], ["that"], ["this"]) and self._begins_deed(items[:at]):
                on = on_it(self._words(trimmed(items[:at])), self._words(condition), self.setting)
                return (trimmed(items[:at]), behind, unless) if on is not None else None
            if self._begins_deed(items[:at]) and self._holds_fact(condition):
                return trimmed(items[:at]), behind, unless
        return None

    def _openers(self, items: Sequence[Item], words: Sequence[str]) -> Iterator[tuple[int, int, bool]]:
        """Where conditions begin inside a sentence, the length of the words that open them, and whether these turn them around."""
        end = 0
        for at in range(1, len(items)):
            match = lexicon().conditions.at(words, at) if at >= end else None
            if match is not None:
                end = at + match[0]
                yield at, match[0], match[1] == "unless"

    def _guarded(self, items: Sequence[Item]) -> list[Piece]:
        """ "A unless it overlaps", "if nothing is in the way, A": A itself, made only where its time is free."""
        items = list(strip_openers(items, lexicon().polite["openers"])[0])
        words = lows(items)
        first = lexicon().conditions.at(words, 0) if items else None
        if first is not None:
            at = self._consequence(items, words)
            opened = [(items[at:], items[first[0] : at], first[1] == "unless")] if at else []
        elif dictation(items)[0] is None:
            opened = [
                (items[:at], items[at + length :], unless) for at, length, unless in islice(self._openers(items, words), TRIES)
            ]
        else:
            return []
        for deed, condition, unless in opened:
            text = self._words(trimmed(deed))
            if deed and condition and is_guard(condition, unless, parse(text, self.setting).call):
                return [Piece(f"{text} {GUARD}")]
        return []

    def _own_time(self, items: Sequence[Item]) -> list[Piece]:
        """ "Tell Tom that Friday at 3 suits me, unless I'm busy then": the user's own calendar decides whether that is written."""
        stop, _ = dictation(items)
        words = lows(items)
        for at, length, unless in self._openers(items, words) if stop is not None else ():
            condition = lows(strip_closers([item for item in items[at + length :] if item.kind != "punct"]))
            free = free_then(condition)
            pointed = unless or words[at - 1] == "," or "then" in condition
            if at <= (stop or 0) or free is None or not pointed or self._begins_deed(items[at + length :]):
                continue
            deed = self._words(trimmed(items[:at]))
            if (time := self._moment(items[stop:at])) is None:
                return [Piece(self._words(items[at:]), "unclear")]
            return [Piece(f"check whether I am free {time}", "check", free == unless), Piece(deed, "if")]
        return []

    def _moment(self, items: Sequence[Item]) -> str | None:
        """The one day that is spoken of, with its hour."""
        days = [n for n, item in enumerate(items) if item.time is not None and item.time.kind == "point" and item.time.has_date]
        if len(days) != 1:
            return None
        end = days[0] + 1
        hour = lows(items[end : end + 1]) == ["at"] and items[end + 1 : end + 2] and is_hour(items[end + 1])
        return self._words(items[days[0] : end + 2 if hour else end])

    def _about_reader(self, items: Sequence[Item], at: int) -> bool:
        """ "email Tom saying hello unless he has written": who is written to would be "you" in what is dictated."""
        return lows(items[at + 1 : at + 2]) in (["he"], ["she"]) and self._holds_fact(items[at + 1 :])

    def _beside_phrase(self, said: Sequence[Item]) -> bool:
        """ "… saying hello only if I have no meetings": the mail says a phrase without a verb, on which nothing could depend."""
        small = lexicon().small
        stated = small["auxiliaries"] | small["me"] | SUBJECTS | {"you", "we", "let", "please", "'s"}
        verbs = any(lexicon().verbs.at(lows(said), n) for n in range(len(said)))
        return bool(said) and len(said) <= SHORT and not verbs and not any(item.low in stated for item in said)

    def _asks(self, items: Sequence[Item]) -> bool:
        stripped, _ = strip_openers(items, lexicon().polite["openers"])
        words = lows(stripped)
        if not stripped:
            return True
        asking = lexicon().polite["asking"].at(words, 0)
        return (asking is not None and asking[0] >= len(words)) or words[0] in ("ask", "see", "check", "know")


BUSY = frozenset(
    "busy booked taken occupied engaged unavailable something anything plans meeting appointment clash conflict".split()
)
FREE = frozenset({"free", "available", "nothing"})
AROUND_FREE = frozenset(
    "i am 'm is 's 've have got do not already then at that time there a an another else on still my calendar in be will".split()
)


def free_then(words: Sequence[str]) -> bool | None:
    """Whether "I'm free then" or "I have something then" is said; None where a condition says anything else."""
    said = set(words)
    if not said & {"i", "there"} or not said & (BUSY | FREE) or not said <= BUSY | FREE | AROUND_FREE:
        return None
    return bool(said & FREE) != ("not" in said)
