"""People who are described by what they take part in: "the person in my second meeting on Monday", "everyone I'm meeting
tomorrow", "each of the people I have meetings with", "whoever has the first call with me on Friday", "my next meeting's guests"."""

from collections.abc import Sequence
from dataclasses import dataclass

from assistant.reasoning.offline.lexicon import lexicon
from assistant.reasoning.offline.reading.text.items import PERSONAL, Item, said

EVENTS = frozenset({"event", "occasion"})
QUOTED = frozenset({"quote"})
SEVERAL = frozenset({"people", "everyone", "everybody", "anyone"})
FAR = 8
"""Items before the noun of an event."""


@dataclass(frozen=True, slots=True)
class Attendance:
    """`length` items describe whoever takes part in the events that `words` say; `each` of them apart."""

    length: int
    words: str
    each: bool


@dataclass(frozen=True, slots=True)
class _Head:
    """ "each of the people": where it ends, whether it is several people, apart, and people of an event by the word alone."""

    end: int
    several: bool
    each: bool
    guests: bool


def attendance(items: Sequence[Item], words: Sequence[str], at: int) -> Attendance | None:
    if _asked_for(words, at):
        return None
    head = _head(items, words, at)
    if head is None:
        return _owned(items, words, at)
    for relation in (_inside, _met, _had, _with_me):
        if (found := relation(items, words, head)) is not None:
            end, meant = found
            return Attendance(end - at, meant, head.each)
    return None


def _asked_for(words: Sequence[str], at: int) -> bool:
    """ "who are the guests of …", "how many people are in …": a question's own words."""
    before = at - 1
    while before >= 0 and (words[before] in lexicon().small["articles"] or words[before] in lexicon().small["each"]):
        before -= 1
    return before >= 0 and words[before] in ("is", "are", "was", "were", "'s", "many", "which", "what", "who")


def _head(items: Sequence[Item], words: Sequence[str], at: int) -> _Head | None:
    small = lexicon().small
    each = words[at] in ("each", "every")
    place = at
    while place < len(items) and (words[place] in small["each"] or (place > at and words[place] == "of")):
        place += 1
    place += place < len(items) and words[place] in ("the", "my", "our", "those")
    if place >= len(items) or words[place] not in small["people_heads"]:
        return None
    word = words[place]
    guests = word.removesuffix("s") in small["guests"]
    several = (place > at and words[at] in small["each"]) or word.endswith("s") or word in SEVERAL
    return _Head(place + 1, several, each, guests)


def _skipping(words: Sequence[str], at: int, *skipped: str) -> int:
    while at < len(words) and words[at] in skipped:
        at += 1
    return at


def _inside(items: Sequence[Item], words: Sequence[str], head: _Head) -> tuple[int, str] | None:
    """ "of the review", "in my second meeting on Monday", "who is coming to lunch"."""
    at = head.end
    if words[at : at + 1] in (["who"], ["that"]) or words[at - 1] == "whoever":
        at = _skipping(words, at + (words[at : at + 1] in (["who"], ["that"])), "is", "are", "will", "be", "'s")
    length = lexicon().people["joining"].at(words, at)
    if length is None:
        return None
    at += length[0]
    end = _event(items, words, at, titled=head.guests)
    return (end, said(items[at:end])) if end else None


def _met(items: Sequence[Item], words: Sequence[str], head: _Head) -> tuple[int, str] | None:
    """ "I'm meeting first on Monday", "that I will see tomorrow"."""
    at = _skipping(words, head.end, "that", "who", "whom")
    if words[at : at + 1] not in (["i"], ["we"]):
        return None
    if (past := lexicon().people["met_last"].at(words, at)) is not None:
        return at + past[0], "my last meeting"
    at = _skipping(words, at + 1, "am", "are", "will", "have", "shall", "be", "going", "supposed", "due", "scheduled", "to", "'m")
    if at >= len(items) or words[at] not in lexicon().small["meeting_verbs"]:
        return None
    at = _skipping(words, at + 1, "with", "up")
    end, order, times = _tail(items, words, at)
    if not (order or times):
        return None
    return end, f"my {order} meeting{'s' if head.several and not order else ''} {times}".replace("  ", " ")


def _had(items: Sequence[Item], words: Sequence[str], head: _Head) -> tuple[int, str] | None:
    """ "I have meetings with on Monday", "with whom I have my first call tomorrow"."""
    at = _skipping(words, head.end, "that", "who", "whom", "with")
    if words[at : at + 1] not in (["i"], ["we"]) or words[at + 1 : at + 2] not in (["have"], ["got"], ["had"]):
        return None
    return _shared(
        items, words, _skipping(words, at + 2, "got", "scheduled", "a", "an", "any", "some", "my", "the"), head, ("with",)
    )


def _with_me(items: Sequence[Item], words: Sequence[str], head: _Head) -> tuple[int, str] | None:
    """ "who has a meeting with me on Monday", "meeting me tomorrow"."""
    at = _skipping(words, head.end, "that", "who", "is", "are", "will", "be", "'s")
    if at < len(items) and words[at] in lexicon().small["meeting_verbs"] and words[at + 1 : at + 2] in (["me"], ["us"], ["with"]):
        end, order, times = _tail(items, words, _skipping(words, at + 1, "with", "me", "us"))
        met = f"my {order} meeting{'s' if head.several and not order else ''} {times}".replace("  ", " ")
        return (end, met) if order or times else None
    if words[at : at + 1] not in (["has"], ["have"], ["having"], ["got"]):
        return None
    at = _skipping(words, at + 1, "got", "a", "an", "any", "some", "their", "the", "his", "her")
    return _shared(items, words, at, head, ("with", "me", "us"))


def _shared(items: Sequence[Item], words: Sequence[str], at: int, head: _Head, between: Sequence[str]) -> tuple[int, str] | None:
    """An event that both take part in: its words, then "with" or "with me", then when it is."""
    noun = _noun(items, words, at)
    if noun is None:
        return None
    name = said(items[at:noun])
    end, order, times = _tail(items, words, _skipping(words, noun, *between))
    several = (
        head.several and not order and not any(lexicon().orders.at(words, n) or words[n] in lexicon().nth for n in range(at, noun))
    )
    plural = name if not several or name.endswith("s") else f"{name}s"
    return end, f"my {order} {plural} {times}".replace("  ", " ").strip()


def _owned(items: Sequence[Item], words: Sequence[str], at: int) -> Attendance | None:
    """ "my next meeting's participants", "the attendees" standing behind."""
    if at and words[at - 1] not in lexicon().small["person_cues"] | {"all", "each", "every"}:
        return None
    noun = _noun(items, words, at) if "'s" in words[at : at + 2 * FAR] else None
    if noun is None or words[noun : noun + 1] != ["'s"] or noun + 1 >= len(items):
        return None
    if words[noun + 1].removesuffix("s") not in lexicon().small["guests"] | {"people"}:
        return None
    return Attendance(noun + 2 - at, said(items[at:noun]), False)


def _noun(items: Sequence[Item], words: Sequence[str], at: int) -> int | None:
    """Where the event's noun ends, with only what can stand before it in between."""
    for n in range(at, min(len(items), at + FAR)):
        noun = lexicon().nouns.at(words, n)
        if noun is not None and noun[1][0] in EVENTS:
            return n + int(noun[0])
        marker, verb = lexicon().markers.at(words, n), lexicon().facts.at(words, n)
        acts = verb is not None and verb[1].verb == "attend"
        if items[n].kind == "punct" or noun is not None or marker is not None or acts or words[n] in ("that", "and", "if", "me"):
            return None
    return None


def _event(items: Sequence[Item], words: Sequence[str], at: int, *, titled: bool) -> int:
    """The end of "my second meeting on Monday", with `titled` of "the Design Review" too; 0 where no event stands."""
    begin = _noun(items, words, at)
    if begin is None and titled:
        begin = _title(items, words, at)
    if begin is None:
        return 0
    lex = lexicon()
    told = [
        n
        for n in range(at, begin)
        if words[n] not in lex.small["articles"] and not lex.orders.at(words, n) and words[n] not in lex.nth
    ]
    timed = len(told) > 1  # it is said already which event: what stands behind "titled" is the mail's then
    while True:
        end = _tail(items, words, begin)[0]
        timed = timed or end > begin
        if not timed or words[end : end + 1] not in (["called"], ["titled"], ["named"]):
            end += _joined_behind(items, words, end)
        if end == begin:
            return end
        begin = end


def _joined_behind(items: Sequence[Item], words: Sequence[str], at: int) -> int:
    """How many items say more of an event: with whom it is, what it is called, that "I have" it, among what it is."""
    behind = items[at + 1] if at + 1 < len(items) else None
    if behind is None:
        return 0
    kinds = {"with": PERSONAL, "called": QUOTED, "titled": QUOTED, "named": QUOTED, "of": frozenset({"ref"})}
    return 2 if behind.kind in kinds.get(words[at], ()) or words[at : at + 2] in (["i", "have"], ["we", "have"]) else 0


def _title(items: Sequence[Item], words: Sequence[str], at: int) -> int | None:
    end = at + (at < len(items) and words[at] in lexicon().small["articles"])
    if end < len(items) and items[end].kind == "quote":
        return end + 1
    begin = end
    while end < len(items) and items[end].kind in ("word", "name", "person") and not _leaves(items, words, end):
        end += 1
    return end if end > begin else None


def _leaves(items: Sequence[Item], words: Sequence[str], at: int) -> bool:
    mails = any((noun := lexicon().nouns.at(words, n)) and noun[1][0] == "mail" for n in (at + 1, at + 2) if n < len(items))
    begins = words[at] in lexicon().small["articles"] | {"one", "their"} and mails
    return begins or lexicon().markers.at(words, at) is not None or words[at] in ("that", "and", "if", "should", "must")


def _tail(items: Sequence[Item], words: Sequence[str], at: int) -> tuple[int, str, str]:
    """Where the times behind an event end; "first", "last" among them, and the times as said."""
    order, kept = "", list[str]()
    end = at
    while end < len(items):
        lead = end + (words[end] in ("on", "at", "in", "during", "for", "this") and end + 1 < len(items))
        match = lexicon().orders.at(words, end)
        if items[lead].kind == "time":
            kept.append(said(items[end : lead + 1]))
            end = lead + 1
        elif match is not None and not order and (end + match[0] == len(items) or not _before_mail(words, end + match[0])):
            order = " ".join(words[end : end + match[0]])
            end += match[0]
        elif words[end] in ("and", ",") and end + 1 < len(items) and items[end + 1].kind == "time" and kept:
            kept.append(words[end])
            end += 1
        else:
            break
    return end, order, " ".join(kept)


def _before_mail(words: Sequence[str], at: int) -> bool:
    noun = lexicon().nouns.at(words, at)
    return noun is not None and noun[1][0] == "mail"
