"""A message into pieces: one per request, with the condition it stands under. Quoted and dictated words are never looked into."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise

from assistant.reasoning.base import Setting
from assistant.reasoning.offline import criteria
from assistant.reasoning.offline.lexicon import lexicon
from assistant.reasoning.offline.planning.message.acquainting import introduced
from assistant.reasoning.offline.planning.message.branching import CONDITIONAL, IT
from assistant.reasoning.offline.planning.message.conditions import alternative
from assistant.reasoning.offline.planning.message.deeds import Deeds
from assistant.reasoning.offline.planning.message.fronting import Front, fronted, of_guests, placed
from assistant.reasoning.offline.planning.message.insertions import without_insertions
from assistant.reasoning.offline.planning.message.introducing import introduction
from assistant.reasoning.offline.planning.message.keeping import all_but
from assistant.reasoning.offline.planning.message.needing import is_definite, need_in
from assistant.reasoning.offline.planning.message.noting import noted, set_right
from assistant.reasoning.offline.planning.message.objects import one_by_one
from assistant.reasoning.offline.planning.message.owing import owed
from assistant.reasoning.offline.planning.message.particulars import headed
from assistant.reasoning.offline.planning.message.passives import OBLIGING, as_deed
from assistant.reasoning.offline.planning.message.pieces import Piece, polite_if, trimmed
from assistant.reasoning.offline.planning.message.reasons import aside
from assistant.reasoning.offline.planning.message.retracting import without_retracted
from assistant.reasoning.offline.planning.message.retrying import with_second_time
from assistant.reasoning.offline.planning.message.sentences import Sentences
from assistant.reasoning.offline.planning.message.supposing import on_it, supposed, waits, with_plain_ifs
from assistant.reasoning.offline.planning.message.tagged import asked_back
from assistant.reasoning.offline.planning.message.topics import named_first
from assistant.reasoning.offline.planning.message.uniting import inviting, united
from assistant.reasoning.offline.planning.message.verbless import as_imperative, as_question
from assistant.reasoning.offline.planning.message.wishes import as_request
from assistant.reasoning.offline.planning.message.wrapping import unwrapped
from assistant.reasoning.offline.planning.talk.things import whole_series
from assistant.reasoning.offline.reading.adjuncts import SENT
from assistant.reasoning.offline.reading.entities import mark
from assistant.reasoning.offline.reading.frames import strip_openers
from assistant.reasoning.offline.reading.grammar import parse
from assistant.reasoning.offline.reading.nouns import excepting
from assistant.reasoning.offline.reading.slots import lows
from assistant.reasoning.offline.reading.text.dictation import closing_deed, dictation
from assistant.reasoning.offline.reading.text.items import Item

POINTING = frozenset({"it", "them", "that", "those", "these", "this", "her", "him"})
STORES = frozenset({"calendar", "diary", "agenda", "schedule", "address book", "contacts", "contact list"})
THIS = frozenset({"this", "that", "these", "those"})
TO_THEM = re.compile(r"\bto (?:him|her|them)[.!]?$", re.IGNORECASE)


class Splitter(Sentences, Deeds):
    """Splits one message into pieces."""

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
        if asked := supposed(self._words(items), items) or asked_back(self._words(items)):
            yield Piece(asked)
            return
        if (beside := aside(self.text, items)) is not None and self._asks_for(items[: beside[0]]):
            yield from self._of_sentence(list(trimmed(items[: beside[0]])))
            yield from self._beside(items[beside[1] :])
            return
        if pieces := self._with_front(items):
            yield from pieces
            return
        if both := self._both_passive(items):
            yield from (piece for part in both for piece in self._of_sentence(list(part)))
            return
        if wished := self._wished(items):
            yield from wished
            return
        if own := self._own_time(items):
            yield from own
            return
        if (either := alternative(self.text, items, self.setting)) is not None:
            yield Piece(f"check whether I am free {either.first}", "check")
            yield Piece(self._plainly(either.deed), "if")
            yield Piece(self._plainly(either.instead), "else")
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

    def _plainly(self, text: str) -> str:
        """A wish as the request that it is."""
        return as_request(text, mark(text, self.setting)) or text

    def _asks_for(self, items: Sequence[Item]) -> bool:
        return self._begins_deed(items) and parse(self._words(trimmed(items)), self.setting).call is not None

    def _asks_beside(self, items: Sequence[Item]) -> bool:
        """A request, or one beside which something is told in its turn."""
        beside = aside(self.text, items)
        return self._asks_for(items) or (beside is not None and self._asks_for(items[: beside[0]]))

    def _beside(self, items: Sequence[Item]) -> Iterator[Piece]:
        """What is told up to the next request, and that request."""
        words = lows(items)
        joined = (n for n in range(1, len(items) - 1) if words[n] in ("and", ",", "then") and self._begins_deed(items[n + 1 :]))
        at = next((n for n in joined if self._asks_beside(items[n + 1 :])), len(items))
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

    def _both_passive(self, items: Sequence[Item]) -> list[Sequence[Item]]:
        """ "The first one should be declined, the other one accepted by Monday must be moved": two sentences in one."""
        words = lows(items)
        if sum(word in OBLIGING for word in words) < 2 or dictation(items)[0] is not None:
            return []
        for at in (n for n in range(3, len(items) - 3) if words[n] in (",", "and", "while", "but")):
            begin = at + 1 + (words[at + 1] in ("and", "while", "but"))
            said = [as_deed(self.text, part) for part in (items[:at], items[begin:])]
            calls = [parse(one, self.setting).call for one in said if one is not None]
            if len(calls) == 2 and all(call is not None and not call.operation.endswith((".send", ".reply")) for call in calls):
                return [items[:at], items[begin:]]
        return []

    def _wished(self, items: list[Item]) -> list[Piece]:
        """What is wished to be done, clause by clause, as the requests that it is."""
        stop, _ = dictation(items)
        request = self._as_imperative(items) if stop is None else None
        if request is None or parse(request, self.setting).call is None:
            return []
        again = Splitter(request, self.setting)
        return list(again._of_sentence(list(again.items)))

    def _as_imperative(self, items: list[Item]) -> str | None:
        readers = (as_request, as_deed, as_imperative, as_question)
        return next((said for read in readers if (said := read(self.text, items)) is not None), None)

    def _with_front(self, items: list[Item]) -> list[Piece]:
        """The pieces of a sentence whose beginning belongs into the first of them; none where that is not so."""
        front = fronted(self.text, items)
        if front is None:
            return []
        if guests := of_guests(front, self._clauses(front.rest), self._words):
            return [Piece(said) for said in guests]
        first, *others = self._of_sentence(list(front.rest))
        stop, _ = dictation(mark(first.text, self.setting))
        dictates = stop if front.kind == "slot" else None
        clause = self._placed(front, first.text) if dictates is None else self._sent_then(front, first.text, dictates)
        bare = parse(first.text, self.setting).call if self._names_store(front.lead) else None
        if bare is not None and criteria.writes(bare.operation):
            clause = first.text
        if clause is None or parse(clause, self.setting).call is None:
            return []
        return [replace(first, text=clause), *others]

    def _sent_then(self, front: Front, clause: str, stop: int) -> str | None:
        """ "Tomorrow at 8, send Anna a mail saying …": a time in front of the words that the mail holds."""
        items = mark(clause, self.setting)
        for item in reversed(items[max(stop - 2, 1) : stop]):
            said = f"{clause[: item.begin].rstrip()} {front.lead} {clause[item.begin :]}"
            call = parse(said, self.setting).call
            if call is not None and call.time is not None and call.operation in SENT:
                return said
        return None

    def _names_store(self, lead: str) -> bool:
        """ "In my calendar, …", "in the address book, …": where alone it can be changed, which says nothing of what."""
        words = lead.lower().split()
        rest = [word for word in words if word not in ("in", "on", "within", "to", "into", "from", "the", "my", "our", "own")]
        return " ".join(rest) in STORES

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


def instructs(text: str, setting: Setting) -> bool:
    """Whether a sentence is for certain a request of its own."""
    return Splitter(text, setting).is_request()


def pieces(text: str, setting: Setting) -> tuple[Piece, ...]:
    lead, asked = introduction(text, setting)
    told, asked = owed(headed(named_first(introduced(asked, setting), setting), setting), setting)
    plain = inviting(without_insertions(unwrapped(asked), setting), setting)
    split = Splitter(with_plain_ifs(set_right(noted(plain, setting), setting), setting), setting)
    found = united(one_by_one(without_retracted(split.pieces(), setting), setting), setting)
    return (*(Piece(said, "told") for said in (lead, told) if said), *found)
