"""A message into pieces: one per request, with the condition it stands under. Quoted and dictated words are never looked into."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Literal

from assistant.reasoning.base import Setting
from assistant.reasoning.offline.lexicon import lexicon
from assistant.reasoning.offline.planning.message.branching import CONDITIONAL, IT, Branching, polite_if, trimmed
from assistant.reasoning.offline.planning.message.conditions import alternative
from assistant.reasoning.offline.planning.message.fronting import Front, fronted, of_guests, placed
from assistant.reasoning.offline.planning.message.keeping import all_but
from assistant.reasoning.offline.planning.message.noting import noted, set_right
from assistant.reasoning.offline.planning.message.objects import one_by_one
from assistant.reasoning.offline.planning.message.passives import as_deed
from assistant.reasoning.offline.planning.message.pieces import Piece
from assistant.reasoning.offline.planning.message.reasons import aside
from assistant.reasoning.offline.planning.message.retracting import takes_back, without_retracted
from assistant.reasoning.offline.planning.message.retrying import with_second_time
from assistant.reasoning.offline.planning.message.supposing import on_it, supposed, waits, with_plain_ifs
from assistant.reasoning.offline.planning.message.telling import is_definite, need_in
from assistant.reasoning.offline.planning.message.uniting import united
from assistant.reasoning.offline.planning.message.wishes import as_request
from assistant.reasoning.offline.planning.message.wrapping import unwrapped
from assistant.reasoning.offline.planning.talk.references import whole_series
from assistant.reasoning.offline.reading.entities import Item, mark
from assistant.reasoning.offline.reading.frames import strip_closers, strip_openers, unknown_verb
from assistant.reasoning.offline.reading.grammar import parse
from assistant.reasoning.offline.reading.nouns import excepting
from assistant.reasoning.offline.reading.nouns.titles import within_title
from assistant.reasoning.offline.reading.slots import lows, noun_of
from assistant.reasoning.offline.reading.text.dictation import closing_deed, dictation, writes_first
from assistant.reasoning.offline.reading.text.labels import label_at

ENDS = frozenset({".", "!", "?", ";", "…"})
LONGEST = 80
"""Items of a request that may stand in the midst of dictated words."""
JOINED = 6
"""How many items can join two requests."""
LATER = frozenset({"then", "after", "afterwards", "finally", "lastly"})
POINTING = frozenset({"it", "them", "that", "those", "these", "this", "her", "him"})
THIS = frozenset({"this", "that", "these", "those"})
TO_THEM = re.compile(r"\bto (?:him|her|them)[.!]?$", re.IGNORECASE)
RETRACTED_BY = frozenset({",", "-", "\u2013", "\u2014"})
REPEATED = frozenset({"find", "archive", "delete", "cancel", "flag", "unflag", "read", "summarise", "restore", "accept", "decline"})


PREPARING = frozenset({"find", "check", "read", "draft", "send"})


class Splitter(Branching):
    """Splits one message; the message is marked once, pieces are cut from its text."""

    def __init__(self, text: str, setting: Setting) -> None:
        self.text = text
        self.setting = setting
        self.items = mark(text, setting)

    def pieces(self) -> tuple[Piece, ...]:
        found: list[Piece] = []
        sentences = list(self._sentences())
        taken = -1
        for at, sentence in enumerate(sentences):
            if at <= taken:
                continue
            following = sentences[at + 1] if at + 1 < len(sentences) else ()
            both = with_second_time(self.text, sentence, following, self.setting) if following else ""
            both = both or (all_but(self.text, [*sentence, *following]) if following else "")
            if whole := both or all_but(self.text, sentence) or all_but(self.text, self._behind_remark(sentence)):
                taken = at + 1 if both else at
                found.extend(Splitter(whole, self.setting).pieces())
            elif self._needed_for(sentence, following):
                found.append(Piece(self._words(sentence)))
            elif found and found[-1].role == "plain" and (rest := self._behind_question(sentence, found[-1])):
                found.extend(piece for piece in self._branches(rest, "if") if piece.text)
            else:
                found.extend(piece for piece in self._of_sentence(sentence) if piece.text)
        return tuple(found)

    def _needed_for(self, sentence: Sequence[Item], following: Sequence[Item]) -> bool:
        """ "Eva should see the last mail from Tom. Pass it on": the reason for what is asked for next."""
        if not POINTING & set(lows(following)) or not self._begins_deed(following):
            return False
        need = need_in(self._words(sentence), mark(self._words(sentence), self.setting, "past"))
        return need is not None and is_definite(need[1])

    def _behind_question(self, sentence: Sequence[Item], before: Piece) -> Sequence[Item]:
        """ "Is the first one before 10? Then move it": what is asked is the condition."""
        if lows(sentence[:1]) != ["then"] or not before.text.rstrip().endswith("?"):
            return ()
        rest = trimmed(sentence[1:])
        asked = parse(before.text, self.setting)
        return rest if asked.call is not None and asked.clause.mood == "fact" and self._begins_deed(rest) else ()

    def _behind_remark(self, items: Sequence[Item]) -> Sequence[Item]:
        """ "Once is enough: …", "One will do, so …": what stands behind a remark that asks for nothing itself."""
        at = next((n for n, item in enumerate(items[:-1]) if n and item.low in (":", "-", "\u2013", "\u2014", ",")), None)
        if at is None or self._begins_deed(items) or dictation(items[: at + 1])[0] is not None:
            return items
        return items[at + 1 + (items[at + 1].low == "so") :]

    def is_request(self) -> bool:
        return self._instructs(self.items)

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
            bullet = len(current) == 2 and current[0].kind == "number" and current[0].low.isdigit() and item.low == "."
            if bullet:
                current = []
            elif (ends and not self._initial(at)) or "\n" in gap or self._condition_follows(at) or self._retraction_follows(at):
                yield current
                current = []
        if current:
            yield current

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

    def _of_sentence(self, items: list[Item]) -> Iterator[Piece]:
        while items and items[0].kind == "punct" and items[0].low in ("-", "*", "•", ",", ")"):
            items = items[1:]
        if not items:
            return
        if (closing := closing_deed(items, dictation(items)[0])) is not None and not closing[1]:
            yield Piece(self._words(items[closing[0] :]), "unclear")
            return
        if waits(self._bare(items)):
            yield Piece(self._words(items), "waits")
            return
        if (asked := supposed(self._words(items), items)) is not None:
            yield Piece(asked)
            return
        if (beside := aside(self.text, items)) is not None and self._asks_for(items[: beside[0]]):
            yield from self._of_sentence(list(trimmed(items[: beside[0]])))
            yield from self._beside(items[beside[1] :])
            return
        if pieces := self._with_front(items):
            yield from pieces
            return
        if wished := self._wished(items):
            yield from wished
            return
        if own := self._own_time(items):
            yield from own
            return
        if guarded := self._guarded(items):
            yield from guarded
            return
        if (told := self._told_first(items)) is not None:
            yield Piece(f"{self._words(items[:told])}.")
            yield from self._for_whom(items[:told], self._of_sentence(items[told + 1 :]))
            return
        lead, rest = self._reply_condition(items)
        if lead is not None:
            yield from self._branches(rest, lead)
            return
        stripped, _ = strip_openers(items, lexicon().polite["openers"])
        words = lows(stripped)
        if in_order := self._in_order(stripped, words):
            yield from in_order
            return
        if inverted := self._inverted(stripped, words):
            yield from inverted
            return
        opener = lexicon().conditions.at(words, 0) if stripped else None
        if opener is not None and not polite_if(words):
            yield from self._if(list(stripped[opener[0] - 1 :]), opener[1] == "unless")
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
            if condition[0].low in IT and (on := on_it(self._words(deed), self._words(condition), self.setting)) is not None:
                yield from self._on_it(on, unless)
                return
            yield from self._checks(condition, unless)
            yield from self._deeds(deed, "if")
            if instead:
                yield from self._deeds(instead, "else")
            return
        yield from self._deeds(items, "plain")

    def _asks_for(self, items: Sequence[Item]) -> bool:
        return self._begins_deed(items) and parse(self._words(trimmed(items)), self.setting).call is not None

    def _beside(self, items: Sequence[Item]) -> Iterator[Piece]:
        """What is told up to the next request, and that request."""
        words = lows(items)
        joined = (n for n in range(1, len(items) - 1) if words[n] in ("and", ",", "then") and self._begins_deed(items[n + 1 :]))
        at = next((n for n in joined if self._asks_for(items[n + 1 :])), len(items))
        yield Piece(self._words(trimmed(items[:at])), "told")
        if at < len(items):
            yield from self._of_sentence(list(items[at + 1 :]))

    def _told_first(self, items: Sequence[Item]) -> int | None:
        """Where the comma stands in "I can't come to the party, please decline it": what is told first, what is asked for then."""
        words = lows(items)
        at = next((n for n, word in enumerate(words) if word in (",", "-", "\u2013", "\u2014", ":")), None)
        if not at or at < 3 or words[0] in CONDITIONAL:
            return None
        if words[at - 1] in THIS and self._begins_deed(items[at + 1 :]):
            return at if need_in(self._words(items[:at]), items[:at]) is not None else None
        if words[at] == ":" or dictation(items)[0] is not None:
            return None
        before, after = items[:at], items[at + 1 :]
        points = POINTING & set(words[at + 1 :]) or whole_series(words, len(words) - 1)
        if not points or self._begins_deed(before) or not self._begins_deed(after):
            return None
        return at if parse(self._words(before), self.setting).clause.mood == "statement" else None

    def _for_whom(self, lead: Sequence[Item], pieces: Iterator[Piece]) -> Iterator[Piece]:
        """ "Tom should see this: forward Anna's mail to him": the pronoun at the end means whom the need was told of."""
        need = need_in(self._words(lead), lead)
        whom = self._words(need[0]) if need is not None else ""
        yield from (replace(piece, text=TO_THEM.sub(f"to {whom}", piece.text)) for piece in pieces) if whom else pieces

    def _wished(self, items: list[Item]) -> list[Piece]:
        """What is wished to be done, clause by clause, as the requests that it is."""
        stop, _ = dictation(items)
        request = (as_request(self.text, items) or as_deed(self.text, items)) if stop is None else None
        if request is None or parse(request, self.setting).call is None:
            return []
        again = Splitter(request, self.setting)
        return list(again._of_sentence(list(again.items)))

    def _with_front(self, items: list[Item]) -> list[Piece]:
        """The pieces of a sentence whose beginning belongs into the first of them; none where that is not so."""
        front = fronted(self.text, items)
        if front is None:
            return []
        if guests := of_guests(front, self._clauses(front.rest), self._words):
            return [Piece(said) for said in guests]
        first, *others = self._of_sentence(list(front.rest))
        stop, _ = dictation(mark(first.text, self.setting))
        clause = self._placed(front, first.text) if stop is None or front.kind != "slot" else None
        if clause is None or parse(clause, self.setting).call is None:
            return []
        return [replace(first, text=clause), *others]

    def _clauses(self, items: Sequence[Item]) -> list[Sequence[Item]]:
        """Parted where "and" or a comma leads to another deed."""
        words = lows(items)
        joints = [n for n in range(1, len(items) - 1) if words[n] in ("and", ",", "then") and self._begins_deed(items[n + 1 :])]
        edges = [-1, *joints, len(items)]
        return [items[begin + 1 : end] for begin, end in pairwise(edges) if end > begin + 1]

    def _in_order(self, items: Sequence[Item], words: Sequence[str]) -> list[Piece]:
        """ "After archiving the mail, show …", "before deleting it, forward the mail": one deed, then the other."""
        if words[:1] not in (["after"], ["before"]) or len(items) < 5:
            return []
        forms = [
            (n, form)
            for n, form in lexicon().verbs.all_at(words, 1)
            if not form.base and words[1].endswith("ing") and " " not in form.lemma
        ]
        at = next((n for n in range(3, len(items) - 1) if words[n] == "," and self._begins_deed(items[n + 1 :])), None)
        if not forms or at is None:
            return []
        first = f"{forms[0][1].lemma} {self._words(items[2:at])}"
        if parse(first, self.setting).call is None:
            return []
        then = list(self._of_sentence(list(items[at + 1 :])))
        return [Piece(first), *then] if words[0] == "after" else [*then, Piece(first)]

    def _placed(self, front: Front, clause: str) -> str | None:
        """What is left out stays behind what the clause begins with."""
        items = mark(clause, self.setting)
        left_out = excepting.span(items) if front.kind == "slot" else None
        if left_out is None or left_out[2] < len(items) - 1:
            return placed(front, clause)
        whole = placed(front, clause[: items[left_out[0]].begin].rstrip(" ,"))
        return whole and f"{whole}, {clause[items[left_out[0]].begin :]}"

    def _inverted(self, items: Sequence[Item], words: Sequence[str]) -> list[Piece]:
        """ "Should there be more, cancel the last one": if there are."""
        if words[:1] != ["should"] or words[-1:] == ["?"]:
            return []
        at = next((n + 1 for n in range(2, len(items) - 1) if words[n] == "," and self._begins_deed(items[n + 1 :])), None)
        return [self._check(items[1 : at - 1], False), *self._branches(items[at:], "if")] if at else []

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
        yield from Splitter(text, self.setting)._deeds(mark(text, self.setting), role)

    def _joint(self, items: Sequence[Item], words: Sequence[str], at: int, stop: int | None) -> int:
        """How many items join two requests at `at`; 0 where none do. In dictated words only "then" can."""
        end = at
        while end < min(len(items), at + JOINED) and (words[end] == "," or (match := lexicon().connectors.at(words, end))):
            end += 1 if words[end] == "," else match[0]  # type: ignore[index]
        if end == at or end >= len(items):
            return 0
        joining = words[at:end]
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
        if leads is not None and (leads[1] not in ("saying", "asking") or writes_first(lows(self._bare(items)))):
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


def instructs(text: str, setting: Setting) -> bool:
    """Whether a sentence is for certain a request of its own."""
    return Splitter(text, setting).is_request()


def pieces(text: str, setting: Setting) -> tuple[Piece, ...]:
    split = Splitter(with_plain_ifs(set_right(noted(unwrapped(text), setting), setting), setting), setting)
    return tuple(united(one_by_one(without_retracted(split.pieces(), setting), setting), setting))
