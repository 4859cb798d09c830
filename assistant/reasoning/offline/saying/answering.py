"""Which sentence of a mail answers a question: one that holds the kind of value asked for and speaks of the same thing."""

import re
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

from assistant.reasoning.offline.saying import cues
from assistant.reasoning.offline.saying.prose import sentences
from assistant.reasoning.quoting import own_words
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


_BY_TRADE = re.compile(
    r"^(?:and |but )?(?:the|my|our|your|his|her|their|an?) (?:\w+ )?\w+ (?:is|are|was|were|will|would|has|have|had|can|could|must|"
    r"should|wants?|needs?|comes?|asks?|asked|said|says)\b",
    re.IGNORECASE,
)


def _somebody(text: str) -> bool:
    """A name, or whoever a sentence is about: "the joiner is waiting"."""
    return bool(cues.NAME.search(text) or _BY_TRADE.search(text))


def _lasting_or_dated(text: str) -> bool:
    return bool(cues.SPAN.search(text)) or _dated(text)


_WANTING = (
    "want(?:s|ed)?|need(?:s|ed)?|ask(?:s|ed|ing)?|expect(?:s|ed|ing)?|require[sd]?|wish(?:es|ed)?|hop(?:e|es|ed|ing)"
    "|suggest(?:s|ed)?|propos(?:e|es|ed)"
)
_NO_STUFF = (
    "is|are|was|were|do|does|did|will|would|should|can|could|has|have|money|it|the|that|this|an?|my|our|his|her|their|for|i|we|he|"
    "she|they|you"
)
"""What follows "how much" where an amount of money is asked for, not one of butter."""
_KINDS: tuple[tuple[re.Pattern[str], Kind], ...] = tuple(
    (re.compile(rf"\b(?:{asked})\b", re.IGNORECASE), kind)
    for asked, kind in (
        (
            r"link|url|web ?site|web ?page|where (?:can|do|should) i (?=download|sign|log|reset|register|pay|click)",
            cues.LINK.search,
        ),
        (r"(?:tele)?phone(?: number)?|mobile(?: number)?|cell(?: number)?", cues.PHONE.search),
        (r"e-?mail address", cues.MAIL_ADDRESS.search),
        (
            rf"how much (?=(?-i:(?!(?:{_NO_STUFF})\b)[a-z]+))",
            cues.NUMBER.search,
        ),
        (r"how much|how expensive|price|costs?|amount|fee|owe", cues.AMOUNT.search),
        (
            r"(?<=what is the )(?:\w+ )?(?=budget|total|rent|sum|bill|salary|deposit|refund)"
            r"|(?<=what's the )(?=budget|total|rent|sum|bill)",
            cues.AMOUNT.search,
        ),
        (r"when(?=.*\b(?:arriv\w+|get here|be here|be delivered|reach (?:me|us))\b)", _arriving),
        (r"how (?:soon|quickly|fast)", _lasting_or_dated),
        (r"how long (?=(?:do|have) (?:i|we) (?:have|got)(?: (?:left|time))?(?: to\b|\?|$))", _lasting_or_dated),
        (r"how long", cues.SPAN.search),
        (r"(?:by|until|till|before) (?:when|what day|what date|which day|which date)|when(?=.* by\W*$)", _dated),
        (r"when|what (?:time|day|date)|which (?:day|date)|how late|until what|by when|deadline|due date|departure|arrival", _dated),
        (r"number of (?=(?:\w+ )?\w+s\b)", cues.NUMBER.search),
        (r"how (?:many|old|far|big|large|high|tall|heavy)|score|grade", cues.NUMBER.search),
        (r"code|pin|otp|passcode|password|number|pnr|gate", _coded),
        (r"where|what (?:place|room|address)|which (?:room|place|gate)", cues.PLACE.search),
        (r"who|whom|whose", _somebody),
        (rf"what (?:(?:else|exactly) )?(?:(?:did|does|do|was|is|['\u2019]s) )?(?=(?:\w+ ){{1,3}}?(?:{_WANTING})\b)", _asking),
        (
            r"what (?=(?:(?:am|was|are|were) (?:i|we) (?:supposed|meant|expected|asked|to\b)|(?:do|have|must|should) (?:i|we) "
            r"(?:have|need|got|ought) to|(?:has|needs|ought) to be|(?:must|should) be|is to be))",
            _asking,
        ),
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
    supposed due meant expected here shipped ship ships shipping dispatched delivered
    mr mrs ms dr back wanted needed needing asked asking expects expect expecting hope hopes hoping wish wishes would likes liked
    must may might shall let else exactly doing done latest soon quickly fast anything something anywhere somewhere mention mentions
    mentioned written write writes wrote tells told telling""".split()
)
_HINTS = frozenset("send sent come comes coming arrive arrives arriving make start starts end ends tell expect ship".split())
"""Verbs that a sentence need not hold, and answers better with."""
WORD = re.compile(r"\d+|[^\W\d_]+")
TAKEN_BACK = 0.7
"""A later mail of the same conversation counts, even if it answers by so much less closely."""
_BY_THEN = re.compile(
    r"\b(?:by|until|till|before) (?:when|wh\w+ (?:day|date))|\bby\W*$|at the latest|the latest i|deadline|\bdue\b|"
    r"how long (?:do|have) (?:i|we)", re.IGNORECASE,
)  # fmt: skip
"""What asks for the end of a time, not for any date."""
_AT_WHAT = re.compile(r"\b(?:what time|which time|what hour|how late|how early)\b", re.IGNORECASE)
_CLOCK = "o'clock"
"""Stands for a time of day that is asked for."""
_OWNER = re.compile(r"([^\W\d_]+)['\u2019]s\b(?! (?:the|a|my|our)\b)")
_POINTING = frozenset("it its that this they them".split())
_FINITE = frozenset("is are was were am do does did has have had will would can could should shall may might must s".split())
_BEFORE_VERB = frozenset("to i we you he she they can could should must may will would".split())
"""Behind these stands what is done with the thing that is asked about, which a mail may put in other words."""
_WHY = re.compile(r"\b(?:why|how come|what for|for what reason)\b", re.IGNORECASE)
_REASON = re.compile(r"\b(?:because|since|due to|owing to|as there|on account of|the reason)\b", re.IGNORECASE)
_PERIOD = re.compile(r"\b(?:this|last|next) (?:year|quarter|month|week)\b", re.IGNORECASE)
_WHETHER = re.compile(
    r"(?:(?:check|see|verify|tell me|let me know|find out) (?:whether|if) |(?:is|are|was|were|did|does|do|has|have|had|will|can) )",
    re.IGNORECASE,
)
_SUFFIXES = (
    "isions",
    "ision",
    "ides",
    "ided",
    "iding",
    "ide",
    "eries",
    "ery",
    "ments",
    "ment",
    "ations",
    "ation",
    "ings",
    "ing",
    "edly",
    "ies",
    "ied",
    "ers",
    "er",
    "ed",
    "ly",
    "es",
    "s",
    "e",
    "y",
)


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
    """`around` is what its neighbours, its subject and its sender say. `rank` puts a sentence before a subject. `passage` is the
    sentence and the next one."""

    sentence: str
    around: frozenset[str]
    rank: float
    passage: str


def answer_from(question: str, mails: Sequence[Mail], without: frozenset[str] = frozenset()) -> tuple[str, Mail] | None:
    """The sentence that answers best, verbatim, and its mail; of equals the newest. None where no sentence does: it must hold the
    kind of value asked for, and it, its neighbours or its subject (nearly) all words that the question is about, but for the
    stems `without` which it is to be answered. Of a reason, and of a question in the mail, the next sentence is told too."""
    kind, whole, asked = understood(question)
    topic = whole - without
    at_hand = bool(without) or len(mails) == 1
    if not topic and not (at_hand and (kind is not None or _WHY.search(question))):
        return None
    whether = kind is None and asks_whether(question)
    found: list[tuple[float, _Candidate, Mail]] = []
    for mail in sorted(mails, key=lambda mail: mail.date, reverse=True):
        rated = [(_score(one, topic, kind, asked, of=len(whole), whether=whether), one, mail) for one in _candidates(mail)]
        found += [max(rated, key=lambda one: one[0])] if rated else []
    best = max(found, key=lambda one: one[0], default=None)
    if best is None or best[0] <= 0:
        return None
    later = (one for one in found if one[2].thread and one[2].thread == best[2].thread and one[0] > max(0, best[0] - TAKEN_BACK))
    _, candidate, mail = next(later, best)
    return (candidate.passage if kind is None and _goes_on(question, candidate) else candidate.sentence), mail


def unheard(
    question: str, mails: Sequence[Mail], without: frozenset[str] = frozenset(), *, of_one: bool = False
) -> tuple[str, ...]:
    """The words of the question that none of the mails speaks of, where enough is left to go by: half of them or, of mails that
    are known to be meant (`of_one`), the kind of what is asked for. Names, numbers, owners and what stands right before another
    word ("winter fair") narrow, and are never passed over."""
    kind, whole, _ = understood(question)
    heard = {stem for mail in mails for one in _candidates(mail) for stem in one.around}
    words = WORD.findall(question)
    doing = {word.lower() for before, word in pairwise(words) if before.lower() in _BEFORE_VERB}
    loose = {word for word in words if _stem(word.lower()) not in heard or word.lower() in doing}
    topic = whole - without
    missing = {stem for stem in topic if stem not in heard or stem in stems_of(tuple(doing))}
    left = topic - missing
    enough = bool(left) and len(left) * 2 >= len(topic) - 1
    if not missing or asks_whether(question) or not (enough or (of_one and (kind is not None or _WHY.search(question)))):
        return ()
    said = [word for word in words if word in loose and word.lower() not in _NO_TOPIC and _stem(word.lower()) in missing]
    owned = {match[1] for match in _OWNER.finditer(question)}
    narrowing = {word for word, after in pairwise(words) if _stem(after.lower()) in left and after.lower() not in _NO_TOPIC}
    kept = any(word.isdigit() or word in owned | narrowing or (word[:1].isupper() and word != words[0]) for word in said)
    return () if kept else tuple(dict.fromkeys(said))


def leans(question: str) -> bool:
    """Whether a question points at the mail at hand, or leaves out all but what it asks for: "is it due?", "until when?"."""
    words = {word.lower() for word in WORD.findall(question)}
    return bool(words & _POINTING) or not words & _FINITE


def stems_of(words: Sequence[str]) -> frozenset[str]:
    return frozenset(_stem(word.lower()) for word in words)


def _goes_on(question: str, candidate: _Candidate) -> bool:
    """Whether what follows belongs to the answer: a reason, or what stands behind a question."""
    return bool(_WHY.search(question) and not _REASON.search(candidate.sentence)) or (
        cues.is_question(candidate.sentence) and not asks_whether(question)
    )


def asks_whether(question: str) -> bool:
    """A question that yes or no would answer."""
    return bool(_WHETHER.match(question.strip()))


def understood(question: str) -> tuple[Kind | None, frozenset[str], frozenset[str]]:
    """What kind of value is asked for, and of what; where nothing else is named, the kind itself ("the code"). Last the words for
    the kind and its period ("this year"), which a sentence need not hold, and answers better with."""
    period = frozenset(word for match in _PERIOD.finditer(question) for word in match[0].lower().split())
    hints = period | (_HINTS & {word.lower() for word in WORD.findall(question)})
    for pattern, kind in _KINDS:
        if found := pattern.search(question):
            deadline = frozenset({"by", "due", "until"}) if _BY_THEN.search(question) else frozenset[str]()
            clock = frozenset({_CLOCK}) if _AT_WHAT.search(question) else frozenset[str]()
            return kind, stems(pattern.sub(" ", question)) or stems(question), stems(found[0]) | hints | deadline | clock
    return None, stems(question), hints


def _candidates(mail: Mail) -> Iterator[_Candidate]:
    writer = mail.sender.name if mail.sender else ""
    said = (mail.subject, *sentences(own_words(mail.body or mail.snippet, writer)))
    known = [stems(sentence) for sentence in said]
    everywhere = known[0] | stems(writer)
    for at, sentence in enumerate(said):
        if sentence and not cues.BOILERPLATE.search(sentence):
            passage = " ".join(said[at : at + 2]) if at else sentence
            yield _Candidate(sentence, everywhere.union(*known[max(at - 2, 0) : at + 2]), 1.0 if at else 0.6, passage)


def _score(
    candidate: _Candidate, topic: frozenset[str], kind: Kind | None, asked: frozenset[str], *, of: int, whether: bool = False
) -> float:
    """0 where it is no answer; `of` how many words the question is about in all."""
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
    told = len(here & topic) / of if of else 0.0
    words = {word.lower() for word in WORD.findall(candidate.sentence)}
    due = 0.8 if "due" in asked and cues.DEADLINE.search(candidate.sentence) else 0.0
    due += 0.5 if _CLOCK in asked and cues.TIME.search(candidate.sentence) else 0.0
    hinted = due + 0.6 * sum(word in words or word in here for word in asked) / len(asked) if asked else 0.0
    return candidate.rank + told + hinted - 0.3 * asks


def _without(sentence: str, topic: frozenset[str]) -> str:
    """Without the numbers that the question itself names."""
    return WORD.sub(lambda match: " " if match[0] in topic else match[0], sentence)
