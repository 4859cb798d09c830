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
        (r"when|what (?:time|day|date)|which (?:day|date)|how late|until what", _dated),
        (r"how (?:many|long|old|far|big)", cues.NUMBER.search),
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
    when where which who whom whose why will with would you your""".split()
)
_WORD = re.compile(r"[^\W_]+")
_SUFFIXES = ("ations", "ation", "ings", "ing", "edly", "ies", "ied", "ers", "er", "ed", "ly", "es", "s", "e", "y")


@lru_cache(4096)
def stems(text: str) -> frozenset[str]:
    """Of its words with a meaning of their own; links and addresses hold none."""
    words = _WORD.findall(cues.MAIL_ADDRESS.sub(" ", cues.LINK.sub(" ", text)).lower())
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
    kind, topic = _understood(question)
    if not topic and (kind is None or len(mails) > 1):
        return None
    best: tuple[float, str, Mail] | None = None
    for mail in sorted(mails, key=lambda mail: mail.date, reverse=True):
        for candidate in _candidates(mail):
            score = _score(candidate, topic, kind)
            if score > (best[0] if best else 0.0):
                best = score, candidate.sentence, mail
    return best[1:] if best else None


def _understood(question: str) -> tuple[Kind | None, frozenset[str]]:
    """What kind of value is asked for, and of what; where nothing else is named, the kind itself ("the code")."""
    for pattern, kind in _KINDS:
        if pattern.search(question):
            return kind, stems(pattern.sub(" ", question)) or stems(question)
    return None, stems(question)


def _candidates(mail: Mail) -> Iterator[_Candidate]:
    writer = mail.sender.name if mail.sender else ""
    said = (mail.subject, *sentences(own_words(mail.body or mail.snippet, writer)))
    known = [stems(sentence) for sentence in said]
    everywhere = known[0] | stems(writer)
    for at, sentence in enumerate(said):
        if sentence and not cues.BOILERPLATE.search(sentence):
            yield _Candidate(sentence, everywhere.union(*known[max(at - 2, 0) : at + 2]), 1.0 if at else 0.6)


def _score(candidate: _Candidate, topic: frozenset[str], kind: Kind | None) -> float:
    """0 where it is no answer."""
    here = stems(candidate.sentence)
    if kind is not None and not kind(candidate.sentence):
        return 0.0
    if kind is None and (here <= topic or len(here & topic) * 2 < len(topic)):
        return 0.0
    if len(topic - candidate.around) > len(topic) // 3:
        return 0.0
    told = len(here & topic) / len(topic) if topic else 0.0
    return candidate.rank + told - 0.3 * (cues.is_question(candidate.sentence) and kind is not _asking)
