"""A sentence of several requests: one piece for each that "and", "then" or a comma joins."""

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Literal

from assistant.reasoning.offline.lexicon import lexicon
from assistant.reasoning.offline.planning.message.branching import Branching
from assistant.reasoning.offline.planning.message.pieces import Piece, trimmed
from assistant.reasoning.offline.planning.message.sentences import LONGEST
from assistant.reasoning.offline.reading.entities import mark
from assistant.reasoning.offline.reading.frames import strip_closers, strip_openers, unknown_verb
from assistant.reasoning.offline.reading.grammar import parse
from assistant.reasoning.offline.reading.nouns import excepting
from assistant.reasoning.offline.reading.slots import DICTATING, lows, noun_of
from assistant.reasoning.offline.reading.text.dictation import closing_deed, dictation, writes_first
from assistant.reasoning.offline.reading.text.items import Item
from assistant.reasoning.offline.reading.text.labels import label_at
from assistant.reasoning.offline.reading.text.names import within_title

JOINED = 6
"""How many items can join two requests."""
LATER = frozenset({"then", "after", "afterwards", "finally", "lastly"})
REPEATED = frozenset({"find", "archive", "delete", "cancel", "flag", "unflag", "read", "summarise", "restore", "accept", "decline"})
RELATIVE = frozenset({"which", "whose", "who", "whom"})
BEFORE_WHO = frozenset({"from", "to", "with", "by", "about", "in", "on", "at", "since", "until"})
"""Before "whom" and the like these begin a question."""
PREPARING = frozenset({"find", "check", "read", "draft", "send"})


class Deeds(Branching):
    """The requests that stand in one sentence."""

    def _deeds(self, items: Sequence[Item], role: Literal["plain", "if", "else"]) -> Iterator[Piece]:
        """One piece for each request that "and", "then" or a comma joins."""
        start = 0
        words = lows(items)
        stop, colon = dictation(items)
        at = max(1, len(items) - len(strip_openers(items, lexicon().polite["openers"])[0]))
        while at < (stop if colon and stop is not None else len(items)):
            if (more := self._another_object(items, words, start, at, stop)) is not None:
                yield Piece(self._words(trimmed(items[start:at])), role)
                yield from self._one_by_one(more, items[at + 1 :], role, _named_in(lows(items[start:at])))
                return
            length = self._joint(items, words, at, stop)
            if length and self._prepares(items[start:at]):
                start = at + length
                at = start
            elif length and self._stands_alone(items[start:at]):
                yield Piece(self._words(trimmed(items[start:at])), role)
                start = at + length
                at = start
                stop_rest, colon = dictation(items[start:])
                stop = start + stop_rest if stop_rest is not None else None
            at += 1
        yield Piece(self._words(trimmed(items[start:])), role)

    def _prepares(self, items: Sequence[Item]) -> bool:
        """ "write and send …", "find and delete …": a bare verb whose doing is a part of the next one's."""
        stripped, _ = strip_openers(items, lexicon().polite["openers"])
        forms = lexicon().verbs.all_at(lows(stripped), 0) if stripped else ()
        return any(length == len(stripped) and form.base and form.verb in PREPARING for length, form in forms)

    def _another_object(self, items: Sequence[Item], words: Sequence[str], start: int, at: int, stop: int | None) -> str | None:
        """The verb that "archive the last mail from Tom and the last one from Laura" says only once."""
        if words[at] != "and" or stop is not None or at + 2 >= len(items) or words[at + 1] not in lexicon().small["articles"]:
            return None
        if (excepted := excepting.span(items[start:])) is not None and start + excepted[0] < at:
            return None
        before, _ = strip_openers(items[start:at], lexicon().polite["openers"])
        verb = next(((n, form) for n, form in lexicon().verbs.all_at(lows(before), 0) if form.base), None) if before else None
        if verb is None or verb[1].verb not in REPEATED or lexicon().nouns.at(lows(before), 0) is not None:
            return None
        if not (lexicon().orders.at(words, at + 2) or words[at + 2] in lexicon().nth):
            return None
        return self._words(before[: verb[0]])

    def _one_by_one(self, verb: str, items: Sequence[Item], role: Literal["plain", "if", "else"], noun: str) -> Iterator[Piece]:
        """`noun` is what "one" stands for."""
        one = next((item for item in items[:4] if item.low == "one"), None)
        begin = items[0].begin
        said = self._words(items)
        text = f"{verb} {said}" if one is None or not noun else f"{verb} {said[: one.begin - begin]}{noun}{said[one.end - begin :]}"
        yield from type(self)(text, self.setting)._deeds(mark(text, self.setting), role)

    def _joint(self, items: Sequence[Item], words: Sequence[str], at: int, stop: int | None) -> int:
        """How many items join two requests at `at`; 0 where none do. In dictated words only "then" can."""
        end = at
        while end < min(len(items), at + JOINED) and (words[end] == "," or (match := lexicon().connectors.at(words, end))):
            end += 1 if words[end] == "," else match[0]  # type: ignore[index]
        if end == at or end >= len(items):
            return 0
        joining = words[at:end]
        if joining == [","] and words[end] in RELATIVE and words[-1:] != ["?"]:
            return 0
        own = stop is not None and at > stop and (closing := closing_deed(items, stop)) is not None and closing == (at, True)
        if (
            stop is not None
            and at >= stop
            and not own
            and not ((LATER & set(joining) or _of_mine(words[end:])) and self._instructs(items[end:]))
        ):
            return 0
        if self._in_title(items, words, at) or label_at(items, words, at) is not None:
            return 0
        begin = at - 1 if words[at - 1] == "," else at
        leads = lexicon().markers.at(words, at) or lexicon().markers.at(words, begin)
        if leads is not None and leads[1] == "with" and self._makes(items[end:]):
            return end - at
        if leads is not None and (leads[1] not in DICTATING or writes_first(lows(self._bare(items)))):
            return 0
        if set(joining) <= {",", "also", "first", "next", "plus"} and "," not in joining:
            return 0
        return end - at if self._new_request(items[end:], joining) else 0

    def _makes(self, items: Sequence[Item]) -> bool:
        """ "… and invite Lena to a planning session then": an event of its own, not more guests."""
        call = parse(self._words(items), self.setting).call
        return call is not None and call.operation == "event.create"

    def _bare(self, items: Sequence[Item]) -> Sequence[Item]:
        return strip_openers(items, lexicon().polite["openers"])[0]

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
        if "then" in joining and (noun := noun_of(items))[0] in ("mail", "event") and noun[3] <= 2:
            listed = parse(self._words(items[:LONGEST]), self.setting)
            return listed.call is not None and listed.clause.mood == "things"
        if "then" in joining or "and" in joining:
            words = lows(items)
            if words[0] in BEFORE_WHO and words[1:2] in (["whom"], ["who"], ["which"], ["what"]) and words[-1] == "?":
                return True
            return words[0] in lexicon().small["auxiliaries"] and parse(self._words(items), self.setting).call is not None
        return False

    def _stands_alone(self, items: Sequence[Item]) -> bool:
        stripped = strip_closers(strip_openers(items, lexicon().polite["openers"])[0])
        return bool(stripped)


def _of_mine(words: Sequence[str]) -> bool:
    """Whether "my calendar" or the like is spoken of, which no reader of a mail is asked to change."""
    own = ("calendar", "diary", "agenda", "inbox", "contacts", "archive")
    return any(one == "my" and other in own for one, other in pairwise(words))


def _named_in(words: Sequence[str]) -> str:
    """The noun of a request for one thing."""
    return next((str(found[1][2]) for n in range(1, len(words)) if (found := lexicon().nouns.at(words, n)) and not found[1][1]), "")
