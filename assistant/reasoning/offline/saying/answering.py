"""Which sentence of a mail answers a question: one that holds the kind of value asked for and speaks of the same thing."""

import re
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

from assistant.reasoning.offline.saying import cues
from assistant.reasoning.offline.saying.prose import own_words, sentences
from integrations.types import Mail

Kind = Callable[[str], object]


def _dated(text: str) -> bool:
    return bool(cues.DATE.search(text) or cues.TIME.search(text))


_ARRIVING = re.compile(r"\b(?:expect|arriv|deliver|reach|com(?:e|es|ing)\b|due\b|eta\b)", re.IGNORECASE)


def _arriving(text: str) -> bool:
    """When something comes, not when it was sent."""
    return _dated(text) and bool(_ARRIVING.search(text))


def _coded(text: str) -> bool:
    return bool(cues.CODE.search(text) or cues.SECRET.search(text))


def _asking(text: str) -> bool:
    return cues.is_question(text) or cues.is_request(text)


_KINDS: tuple[tuple[re.Pattern[str], Kind], ...] = tuple(
    (re.compile(rf"\b(?:{asked})\b", re.IGNORECASE), kind)
    for asked, kind in (
        (
            r"link|url|web ?site|web ?page|where (?:can|do|should) i (?=download|sign|log|reset|register|pay|click)",
            cues.LINK.search,
        ),
        (r"(?:tele)?phone(?: number)?|mobile(?: number)?|cell(?: number)?", cues.PHONE.search),
        (r"e-?mail address", cues.MAIL_ADDRESS.search),
        (r"how much|how expensive|price|costs?|amount|fee|owe", cues.AMOUNT.search),
        (
            r"(?<=what is the )(?:\w+ )?(?=budget|total|rent|sum|bill|salary|deposit|refund)"
            r"|(?<=what's the )(?=budget|total|rent|sum|bill)",
            cues.AMOUNT.search,
        ),
        (r"when(?=.*\b(?:arrive|get here|be here|be delivered|reach (?:me|us))\b)", _arriving),
        (r"when|what (?:time|day|date)|which (?:day|date)|how late|until what|by when|deadline|due date|departure|arrival", _dated),
        (r"how (?:many|long|old|far|big)|score|grade", cues.NUMBER.search),
        (r"code|pin|otp|passcode|password|number|pnr|gate", _coded),
        (r"where|what (?:place|room|address)|which (?:room|place|gate)", cues.PLACE.search),
        (r"who|whom|whose", cues.NAME.search),
        (r"what (?:did|does|do) (?=\w+ (?:want|need|ask))", _asking),
    )
)
_NO_TOPIC = frozenset(
    """a about again an and any are ask asks at be been begin begins big by can come comes could date day did do does email end
    ends exactly far for from get give got had happen happens has have he held her him his how i if in is it its just know
    late long mail many me message much my need needs of old on or our place planned please say says scheduled send sent she
    should so start starts take takes tell than that the their them there they this time to us want wants was we were what
    when where which who whom whose why will with would you your
    arrive arrives arriving make makes made go goes went coming going happening current latest new newest now today tonight
    tomorrow yesterday week month year check whether already yet still exactly
    supposed due meant expected here shipped ship ships shipping dispatched delivered""".split()
)
WORD = re.compile(r"\d+|[^\W\d_]+")
TAKEN_BACK = 0.7
"""A later mail of the same conversation counts, even if it answers by so much less closely."""
_PERIOD = re.compile(r"\b(?:this|last|next) (?:year|quarter|month|week)\b", re.IGNORECASE)
_WHETHER = re.compile(
    r"(?:(?:check|see|verify|tell me|let me know|find out) (?:whether|if) |(?:is|are|was|were|did|does|do|has|have|had|will|can) )",
    re.IGNORECASE,
)
_SUFFIXES = ("ations", "ation", "ings", "ing", "edly", "ies", "ied", "ers", "er", "ed", "ly", "es", "s", "e", "y")


@lru_cache(4096)
def stems(text: str) -> frozenset[str]:
    """Of its words with a meaning of their own; links and addresses hold none."""
    words = WORD.findall(cues.MAIL_ADDRESS.sub(" ", cues.LINK.sub(" ", text)).lower())
    return frozenset(_stem(word) for word in words if word not in _NO_TOPIC and (len(word) > 1 or word.isdigit()))


@lru_cache(20_000)
def _stem(word: str) -> str:
    for suffix in _SUFFIXES:
        if word.endswith(suffix) and len(word) - len(suffix) >= 3:
            return word[: -len(suffix)]
    return word


class _Candidate(NamedTuple):
    """`around` is what its neighbours, its subject and its sender say. `rank` puts a sentence before a subject."""

    sentence: str
    around: frozenset[str]
    rank: float


def answer_from(question: str, mails: Sequence[Mail]) -> tuple[str, Mail] | None:
    """The sentence that answers best, verbatim, and its mail; of equals the newest. None where no sentence does: it must hold the
    kind of value asked for, and it, its neighbours or its subject (nearly) all words that the question is about."""
    kind, topic, asked = understood(question)
    if not topic and (kind is None or len(mails) > 1):
        return None
    whether = kind is None and asks_whether(question)
    found: list[tuple[float, str, Mail]] = []
    for mail in sorted(mails, key=lambda mail: mail.date, reverse=True):
        rated = [(_score(one, topic, kind, asked, whether=whether), one.sentence, mail) for one in _candidates(mail)]
        found += [max(rated, key=lambda one: one[0])] if rated else []
    best = max(found, key=lambda one: one[0], default=None)
    if best is None or best[0] <= 0:
        return None
    later = (one for one in found if one[2].thread and one[2].thread == best[2].thread and one[0] > max(0, best[0] - TAKEN_BACK))
    return next(later, best)[1:]


def asks_whether(question: str) -> bool:
    """A question that yes or no would answer."""
    return bool(_WHETHER.match(question.strip()))


def understood(question: str) -> tuple[Kind | None, frozenset[str], frozenset[str]]:
    """What kind of value is asked for, and of what; where nothing else is named, the kind itself ("the code"). Last the words for
    the kind and its period ("this year"), which a sentence need not hold, and answers better with."""
    period = frozenset(word for match in _PERIOD.finditer(question) for word in match[0].lower().split())
    for pattern, kind in _KINDS:
        if found := pattern.search(question):
            return kind, stems(pattern.sub(" ", question)) or stems(question), stems(found[0]) | period
    return None, stems(question), period


def _candidates(mail: Mail) -> Iterator[_Candidate]:
    writer = mail.sender.name if mail.sender else ""
    said = (mail.subject, *sentences(own_words(mail.body or mail.snippet, writer)))
    known = [stems(sentence) for sentence in said]
    everywhere = known[0] | stems(writer)
    for at, sentence in enumerate(said):
        if sentence and not cues.BOILERPLATE.search(sentence):
            yield _Candidate(sentence, everywhere.union(*known[max(at - 2, 0) : at + 2]), 1.0 if at else 0.6)


def _score(
    candidate: _Candidate, topic: frozenset[str], kind: Kind | None, asked: frozenset[str], *, whether: bool = False
) -> float:
    """0 where it is no answer."""
    here = stems(candidate.sentence)
    if kind is not None and not kind(candidate.sentence):
        return 0.0
    if kind == cues.NUMBER.search and not cues.NUMBER.search(_without(candidate.sentence, topic)):
        return 0.0
    bare = here <= topic and not (whether and candidate.rank == 1.0 and len(here) > 1)
    if kind is None and (bare or len(here & topic) * 2 < len(topic)):
        return 0.0
    asks = cues.is_question(candidate.sentence) and kind is not _asking
    if len(topic - candidate.around) > (0 if asks else len(topic) // 3):
        return 0.0
    told = len(here & topic) / len(topic) if topic else 0.0
    words = {word.lower() for word in WORD.findall(candidate.sentence)}
    hinted = 0.6 * sum(word in words or word in here for word in asked) / len(asked) if asked else 0.0
    return candidate.rank + told + hinted - 0.3 * asks


def _without(sentence: str, topic: frozenset[str]) -> str:
    """Without the numbers that the question itself names."""
    return WORD.sub(lambda match: " " if match[0] in topic else match[0], sentence)
