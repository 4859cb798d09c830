"""A message into pieces: one per request, with the condition it stands under. Quoted and dictated words are never looked into."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from assistant.reasoning.base import Setting
from assistant.reasoning.offline.dictation import dictation
from assistant.reasoning.offline.entities import Item, mark
from assistant.reasoning.offline.frames import lows, strip_closers, strip_openers, unknown_verb
from assistant.reasoning.offline.grammar import parse
from assistant.reasoning.offline.lexicon import lexicon
from assistant.reasoning.offline.parsed import Parse

ENDS = frozenset({".", "!", "?", ";", "…"})
CONDITIONAL = frozenset({"if", "unless"})


@dataclass(frozen=True, slots=True)
class Piece:
    """One clause of a message. `role`: "check" is a condition to look at first; "if" and "else" run when the check before them
    holds or does not. `negated` turns the check around ("if she hasn't written", "unless")."""

    text: str
    role: Literal["plain", "check", "if", "else"] = "plain"
    negated: bool = False


class Splitter:
    """Splits one message; the message is marked once, pieces are cut from its text."""

    def __init__(self, text: str, setting: Setting) -> None:
        self.text = text
        self.setting = setting
        self.items = mark(text, setting)

    def pieces(self) -> tuple[Piece, ...]:
        return tuple(piece for sentence in self._sentences() for piece in self._of_sentence(sentence) if piece.text)

    def _words(self, items: Sequence[Item]) -> str:
        return self.text[items[0].begin : items[-1].end].strip() if items else ""

    def _instructs(self, items: Sequence[Item]) -> bool:
        """Whether these items are for certain a request of their own, not more of what is dictated."""
        if not items:
            return False
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
            elif ends or "\n" in gap:
                yield current
                current = []
        if current:
            yield current

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
        lead, rest = self._reply_condition(items)
        if lead is not None:
            yield from self._branches(rest, lead)
            return
        stripped, _ = strip_openers(items, lexicon().polite["openers"])
        words = lows(stripped)
        if stripped and words[0] in CONDITIONAL and not _polite_if(words):
            yield from self._if(list(stripped), words[0] == "unless")
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

    def _reply_condition(self, items: Sequence[Item]) -> tuple[Literal["if", "else"] | None, Sequence[Item]]:
        """ "If not, …", "otherwise …", "if so, …" speak of the check before."""
        words = lows(items)
        if words[:2] in (["if", "so"], ["if", "yes"]) and words[2:3] in ([","], ["then"]):
            return "if", items[2:]
        match = lexicon().otherwise.at(words, 0)
        if match is not None:
            return "else", items[match[0] :]
        return None, items

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
        for at in range(2, len(items)):
            if (
                items[at].kind == "word"
                and lexicon().verbs.at(words, at)
                and self._begins_deed(items[at:])
                and self._holds_fact(items[1:at])
            ):
                return at
        return None

    def _holds_fact(self, items: Sequence[Item]) -> bool:
        return bool(items) and parse(f"check whether {self._words(items)}", self.setting).call is not None

    def _begins_deed(self, items: Sequence[Item]) -> bool:
        stripped, _ = strip_openers(items, lexicon().polite["openers"])
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
            if stop is None or at < stop or self._instructs(items[at + match[0] :]):
                return _trim(items[:at]), _trim(items[at + match[0] :])
        return _trim(items), ()

    def _infix(self, items: Sequence[Item]) -> tuple[Sequence[Item], Sequence[Item], bool] | None:
        """ "A if C", "A unless C"; a verb of asking takes its own "if"."""
        words = lows(items)
        stop, _ = dictation(items)
        for at in range(1, len(items)):
            if stop is not None and at >= stop:
                return None
            if words[at] not in CONDITIONAL or items[at].kind != "word" or _polite_if(words[at:]):
                continue
            if words[at] == "if" and (self._asks(items[:at]) or words[at - 1] in ("as", "even", "what", "or")):
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
        stop, _ = dictation(items)
        at = 1
        while at < len(items):
            length = self._joint(items, words, at, stop)
            if length and self._stands_alone(items[start:at]):
                yield Piece(self._words(_trim(items[start:at])), role)
                start = at + length
                at = start
                stop_rest, _ = dictation(items[start:])
                stop = start + stop_rest if stop_rest is not None else None
            at += 1
        yield Piece(self._words(_trim(items[start:])), role)

    def _joint(self, items: Sequence[Item], words: Sequence[str], at: int, stop: int | None) -> int:
        """How many items join two requests at `at`; 0 where none do. In dictated words only "then" can."""
        end = at
        while end < len(items) and (words[end] == "," or (match := lexicon().connectors.at(words, end))):
            end += 1 if words[end] == "," else match[0]  # type: ignore[index]
        if end == at or end >= len(items):
            return 0
        joining = words[at:end]
        if stop is not None and at >= stop and not ("then" in joining and self._instructs(items[end:])):
            return 0
        if lexicon().markers.at(words, at) is not None or (
            at > 0 and lexicon().markers.at(words, at - 1 if words[at - 1] == "," else at)
        ):
            return 0
        if set(joining) <= {",", "also", "first", "next", "plus"} and "," not in joining:
            return 0
        return end - at if self._new_request(items[end:], joining) else 0

    def _new_request(self, items: Sequence[Item], joining: Sequence[str]) -> bool:
        if self._begins_deed(items):
            found = parse(self._words(items), self.setting)
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


def positive(text: str, items: Sequence[Item]) -> tuple[str, bool]:
    """A condition without its negation, and whether it had one: "don't have any" -> "have any", "are no" -> "are any"."""
    negated = False
    out: list[str] = []
    for at, item in enumerate(items):
        if item.kind == "word" and item.low in ("not", "never"):
            negated = not negated
            if out and out[-1].strip().lower() in ("do", "does", "did"):
                out.pop()
            elif item.begin == (items[at - 1].end if at else -1) and out and out[-1].lower() in ("ca", "wo"):
                out[-1] = {"ca": "can", "wo": "will"}[out[-1].lower()]
            continue
        if item.kind == "word" and item.low in ("busy", "booked", "occupied", "unavailable"):
            negated = not negated
            out.append("free")
            continue
        if item.kind == "word" and item.low in ("no", "nobody") and at:
            negated = not negated
            out.append("any" if item.low == "no" else "anybody")
            continue
        piece = text[item.begin : item.end]
        if out and item.begin == items[at - 1].end:
            out[-1] += piece
        else:
            out.append(piece)
    return " ".join(out), negated


def pieces(text: str, setting: Setting) -> tuple[Piece, ...]:
    return tuple(_folded(Splitter(text, setting).pieces(), setting))


def _folded(found: Sequence[Piece], setting: Setting) -> Iterator[Piece]:
    """Puts together what one request was said in: "do that for me", "I need to catch up with Eva. Schedule …"."""
    held: Piece | None = None
    for piece in found:
        if _only_asks(piece.text) and held is not None:
            continue
        if held is not None:
            joined = _joined(held, piece, setting)
            if joined is not None:
                held = joined
                continue
            yield held
        held = piece
    if held is not None:
        yield held


def _only_asks(text: str) -> bool:
    from assistant.reasoning.offline.tokens import tokenise

    tokens = [token for token in tokenise(text) if token.kind != "punct"]
    words = [token.low for token in tokens]
    stripped, taken = strip_openers([Item(t.kind, t.text, t.low, t.begin, t.end) for t in tokens], lexicon().polite["openers"])
    rest = " ".join(lows(strip_closers(stripped)))
    return (bool(taken) and rest in lexicon().small["done_that"]) or " ".join(words) in lexicon().small["done_that"]


def _joined(first: Piece, second: Piece, setting: Setting) -> Piece | None:
    """The guests named in one sentence for the event that the next one makes."""
    if first.role != second.role and not (first.role == "plain" and second.role == "plain"):
        return None
    one = parse(first.text, setting)
    if one.call is None or one.call.operation != "event.create":
        return None
    two = parse(second.text, setting)
    if two.call is None:
        return None
    if one.verb == "meet" and two.call.operation == "event.create" and not two.call.to and not one.call.time and not one.call.title:
        guests = " and ".join(_said(one, first.text))
        return replace(second, text=f"{second.text.rstrip('?.! ')} with {guests}")
    if (
        two.call.operation == "event.invite"
        and "shown" in two.call.select.refs + (("shown",) if not two.thing else ())
        and two.call.to
    ):
        guests = " and ".join(_said(two, second.text))
        return replace(first, text=f"{first.text.rstrip('?.! ')} with {guests}")
    return None


def _said(found: Parse, text: str) -> list[str]:
    return [text[named.begin : named.end] for named in found.recipients]
