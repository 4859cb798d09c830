"""What a sentence that answers comes to: yes or no, or the one piece of it that was asked for."""

import re

from assistant.reasoning.offline.saying import cues
from assistant.reasoning.offline.saying.answering import WORD, asks_whether, stems, understood

_OPEN = re.compile(
    r"\b(?:if|whether|once|unless|until|when|maybe|perhaps|might|may|could|would|should|hope|please)\b", re.IGNORECASE
)
_DENIED = re.compile(
    r"\b(?:not|never|no longer|nobody|none|without|cannot|declined|rejected|denied|refused|failed|unable|cancell?ed)\b"
    r"|n['\u2019]t\b",
    re.IGNORECASE,
)
_REPLACED = re.compile(r"\b(?:instead of|rather than|no longer|not|moved from|changed from) (?:on |at )?$", re.IGNORECASE)
_POINT = rf"(?:{cues.DATE.pattern}|{cues.TIME.pattern})"
_MOMENT = re.compile(rf"{_POINT}(?:[ ,]*(?:at|on|from|to|until|-|\u2013)?[ ,]*(?:\d{{4}}\b|{_POINT}))*", re.IGNORECASE)
_VALUES: tuple[tuple[re.Pattern[str], re.Pattern[str]], ...] = tuple(
    (re.compile(rf"\b(?:{asked})\b", re.IGNORECASE), pattern)
    for asked, pattern in (
        (r"link|url|web ?site|web ?page", cues.LINK),
        (r"phone|telephone|mobile", cues.PHONE),
        (r"e-?mail address", cues.MAIL_ADDRESS),
        (r"when|what (?:time|day|date)|which (?:day|date)|deadline|due|how late", _MOMENT),
        (r"how much|price|costs?|amount|fee|owe|budget|total|rent", cues.AMOUNT),
        (r"code|pin|otp|number|pnr", cues.CODE),
        (r"score|grade|points", re.compile(r"\b\d[\d.,/]*(?: ?%| points| out of \d+)?")),
        (r"how (?:long|soon|quickly|fast)", cues.SPAN),
        (r"how (?:long|soon|quickly|fast)", _MOMENT),
        (r"how many", re.compile(rf"{cues.NUMBER.pattern}[\d.,]* \w+", re.IGNORECASE)),
    )
)


def verdict(question: str, sentence: str) -> bool | None:
    """Yes or no, where the sentence says of everything in question that it is so, or is not so; None where it leaves that open."""
    topic = stems(question)
    if not asks_whether(question) or not topic or topic - stems(sentence):
        return None
    if cues.is_question(sentence) or _OPEN.search(sentence):
        return None
    return bool(_DENIED.search(question)) == bool(_DENIED.search(sentence))


def value_in(question: str, sentence: str) -> str:
    """The piece of the sentence that was asked for: its date, amount, link, code …; empty where that is not one piece."""
    _, topic, _ = understood(question)
    patterns = (pattern for asked, pattern in _VALUES if asked.search(question))
    found = ([spot for spot in _spots(pattern, sentence) if spot[0] not in topic] for pattern in patterns)
    spots = next(filter(None, found), [])
    if not spots:
        return ""
    near = [match.start() for match in WORD.finditer(sentence) if stems(match[0]) & topic]
    first = min(spots, key=lambda spot: min((abs(spot.start() - at) for at in near), default=spot.start()))
    return first[0].strip(" ,;.")


def _spots(pattern: re.Pattern[str], sentence: str) -> list[re.Match[str]]:
    return [spot for spot in pattern.finditer(sentence) if not _REPLACED.search(sentence[: spot.start()])]
