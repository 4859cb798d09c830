"""What a mail asks of the user, point by point, and which of it a draft answers."""

import re
from collections.abc import Iterator, Sequence
from typing import Literal

from assistant.reasoning.offline.saying import cues
from assistant.reasoning.offline.saying.answering import stems, understood
from assistant.reasoning.offline.saying.languages import small_words
from assistant.reasoning.offline.saying.prose import sentences
from assistant.reasoning.offline.saying.writing import GAP
from assistant.reasoning.quoting import own_words
from integrations.types import Mail, Value

Kind = Literal["question", "request", "choice", "deadline"]
Standing = Literal["answered", "gap", "open"]

MOST = 12
"""Points of one mail; what asks for more is no letter."""
SHORTEST = 3
"""Words of a part of a question that asks by itself."""
NEAR = 60
"""Characters behind "by", "deadline", … within which the date stands."""
_ASKING = (
    "who|what|when|where|which|how|why|can|could|would|will|do|does|did|is|are|was|should|shall|have|has|may|"
    "wer|was|wann|wo|welche[rs]?|wie|warum|kannst|können|könntest|hast|haben|sind|ist|soll|"
    "quand|où|comment|pourquoi|peux|pouvez|est-ce|cuándo|dónde|cómo|puedes|puede|quando|dove|come|puoi|può|wanneer|waar|hoe|kun"
)
NEXT = re.compile(rf",? (?:and|und|et|y|e|en) (?=(?:{_ASKING})\b)", re.IGNORECASE)
"""Where one question ends and the next begins."""
INDIRECT = cues.any_of(
    r"(?:i was|i am|i'm|we were|we are) wondering (?:if|whether|when|what|how|who|which|where)\b",
    r"(?:i|we)(?: would|'d| also)* (?:like|need|want|love) to (?:know|hear|ask)\b",
    r"(?:tell|let) (?:me|us) (?:know )?(?:if|whether|when|what|how|who|which|where)\b",
)
REQUEST = cues.any_of(
    r"(?:kannst|könntest|würdest) du\b|(?:können|könnten|würden) sie\b|sag(?:t|en sie)? (?:mir|uns)\b|bescheid\b",
    r"(?:peux|pourrais)-tu\b|(?:pouvez|pourriez)-vous\b|tu (?:peux|pourrais)\b|merci de\b|veuillez\b|s'il (?:te|vous) plaît\b",
    r"(?:puedes|podrías|podría usted|puede usted)\b|por favor\b",
    r"(?:potresti|potrebbe|puoi)\b|per (?:favore|cortesia)\b",
    r"(?:kun|kan|wil|zou) (?:je|jij|u)\b|(?:alsjeblieft|alstublieft)\b",
)
DOING = (
    "send|call|check|bring|confirm|tell|give|forward|reply|sign|review|look|have a look|make sure|remember|don['\u2019]t forget"
    "|fill|book|pick|choose|add|update|share|pay|return|answer|prepare|order|invite|ask|decide|drop|ring|print|upload"
)
IMPERATIVE = re.compile(
    rf"^(?:(?:so|and|then|also|just|next),? )?(?:please )?(?:{DOING})\b(?! (?:is|are|was|has)\b)", re.IGNORECASE
)
FORMULA = re.compile(
    r"\bplease (?:find|see|note|ignore|disregard|accept|excuse)\b|\b(?:feel free|hesitate|for your information|fyi)\b"
    r"|\bif you have (?:any|further|more|other)\b[^.?!]*\bquestions?\b|\bif (?:anything|something) is unclear\b"
    r"|\blet me know if (?:you (?:have|need) any|there(?:['\u2019]s| is) any|i can)"
    r"|\b(?:anbei|bei (?:rück)?fragen|im anhang)\b|\bn'hésite[sz]? pas\b|\bno dud[ea]s?\b|\ballegat[oa]\b|\bbijgevoegd\b",
    re.IGNORECASE,
)
OWN_PROMISE = re.compile(
    r"^(?:i|we)(?:['\u2019]ll|['\u2019]ve| will| have(?! to\b)| sent| can| am| are|['\u2019]m|['\u2019]re)\b", re.IGNORECASE
)
RHETORICAL = re.compile(
    r"^(?:right|ok(?:ay)?|really"
    r"|how (?:are|is) (?:you|things|life|it going|everything)(?: (?:today|doing|these days|at \w+(?: \w+)?))?"
    r"|wie geht(?:['\u2019]s| es)[\w ]*|ça va)\W*$",
    re.IGNORECASE,
)
EITHER = re.compile(r"\b(?:or|oder|ou|o)\b(?! (?:not|so|something|later|anything|similar|oder)\b)", re.IGNORECASE)
WHICH = re.compile(r"^(?:which|welche[rs]?|quel(?:le)?s?|cuál|quale|welke)\b", re.IGNORECASE)
ASSENT = re.compile(
    r"^(?:yes|no|sure|of course|certainly|gladly|ok(?:ay)?|fine|agreed|unfortunately|sorry|i(?:['\u2019]m| am) afraid|will do"
    r"|happy to|done|ja|nein|gerne|leider|oui|non|volontiers|sí|claro|certo|nee|graag)\b",
    re.IGNORECASE,
)
MERELY = re.compile(r"^I am writing (?:about|to ask)\b")
WORD = re.compile(r"[^\W_]+(?:['\u2019][^\W_]+)?")


class Ask(Value):
    """`text` is the mail's own sentence, or the part of it that asks."""

    text: str
    kind: Kind


def asks_of(*mails: Mail) -> tuple[Ask, ...]:
    """In the order of the mails and of what stands in them; each point once."""
    found: dict[str, Ask] = {}
    for ask in (ask for mail in mails for ask in _of_one(mail)):
        found.setdefault(_flat(ask.text), ask)
    return tuple(found.values())[:MOST]


def unanswered(thread: Sequence[Mail], me: frozenset[str]) -> tuple[Mail, ...]:
    """The mails of others since the user's last word, oldest first."""
    since: list[Mail] = []
    for mail in sorted(thread, key=lambda one: one.date):
        since = [] if mail.sender is not None and mail.sender.email in me else [*since, mail]
    return tuple(since)


def standings(text: str, asks: Sequence[Ask]) -> tuple[Standing, ...]:
    """One for each: answered by a sentence of `text`, left as a visible gap, or passed over."""
    said = [one for one in sentences(own_words(text)) if not MERELY.match(one)]
    told = [one for one in said if not GAP.search(one) and not one.rstrip().endswith("?")]
    gaps = GAP.findall(text)
    return tuple(
        "answered" if _answered(ask, told, alone=len(asks) == 1) else "gap" if _left_open(ask, gaps) else "open" for ask in asks
    )


def gap_for(ask: Ask, label: str = "answer") -> str:
    """In brackets, short enough to pass for a gap, and without brackets of its own."""
    text = re.sub(r"[\[\]\s]+", " ", ask.text).strip()
    room = 78 - len(label)
    short = text if len(text) <= room else text[: room - 2].rsplit(" ", 1)[0] + " \u2026"
    return f"[{label}: {short}]"


def _of_one(mail: Mail) -> Iterator[Ask]:
    said = sentences(own_words(mail.body or mail.snippet, mail.sender.name if mail.sender else ""))
    for sentence in said:
        if cues.BOILERPLATE.search(sentence) or FORMULA.search(sentence) or RHETORICAL.match(sentence):
            continue
        if cues.is_question(sentence):
            yield from (Ask(text=part, kind=_kind(part)) for part in _parts(sentence))
        elif kind := _told(sentence):
            yield Ask(text=sentence, kind=kind)


def _parts(question: str) -> list[str]:
    """ "Can you come, and will Tom be there?" asks twice."""
    parts, rest = [], question
    for found in NEXT.finditer(question):
        before, after = rest[: len(rest) - len(question) + found.start()], question[found.end() :]
        if min(len(before.split()), len(after.split())) >= SHORTEST:
            parts.append(f"{before.rstrip(' ,')}?")
            rest = after
    return [*parts, rest]


def _kind(question: str) -> Kind:
    return "choice" if EITHER.search(question) or WHICH.match(question) else "request" if _requests(question) else "question"


def _told(sentence: str) -> Kind | None:
    """What asks without a question mark."""
    if INDIRECT.search(sentence):
        return "choice" if EITHER.search(sentence) else "question"
    if OWN_PROMISE.match(sentence) and not cues.is_request(sentence):
        return None
    if _requests(sentence) or IMPERATIVE.match(sentence):
        return "request"
    due = any(cues.DATE.search(sentence[cue.end() :][:NEAR]) for cue in cues.DEADLINE.finditer(sentence))
    return "deadline" if due else None


def _requests(sentence: str) -> bool:
    return cues.is_request(sentence) or bool(REQUEST.search(sentence))


def _answered(ask: Ask, told: Sequence[str], *, alone: bool) -> bool:
    wanted, topic = understood(ask.text)[0], _content(ask.text)
    for sentence in told:
        shared = _content(sentence) & topic
        if len(shared) * 3 >= len(topic) and shared:
            return True
        if wanted is not None and wanted(sentence) and (shared or alone):
            return True
    return alone and ask.kind != "deadline" and any(ASSENT.match(sentence) for sentence in told)


def _left_open(ask: Ask, gaps: Sequence[str]) -> bool:
    topic = _content(ask.text)
    for gap in gaps:
        asked = _flat(gap.partition(": ")[2])
        if (asked and _flat(ask.text).startswith(asked)) or len(_content(gap) & topic) * 2 > len(topic):
            return True
    return False


def _content(text: str) -> frozenset[str]:
    """The stems of its words, without the small ones of any language."""
    return stems(" ".join(word for word in WORD.findall(text) if word.casefold() not in small_words()))


def _flat(text: str) -> str:
    return " ".join(WORD.findall(text.casefold()))
