"""What a message wants remembered, told of that, or forgotten again: by code alone, in the ways people say it."""

import re
from collections.abc import Sequence
from typing import NamedTuple

from assistant.reasoning.base import Request, Setting
from assistant.reasoning.remembering import LONGEST, Sentence, asked_to_remember, points_back, sentences
from assistant.values import ForgetNote, OwnCommand, Remember, ShowNotes

HINT = re.compile(r"remember|memori[sz]e|in mind|\bnotes?\b|forget|know about me|future reference|preferences", re.IGNORECASE)
"""What every such message has in it."""
LONGEST_MESSAGE = 2000
_BEFORE = (
    r"(?:(?:hi|hey|hello|oh|ok|okay|also|and|btw|by the way|please|just|so|one more thing|fyi)[,.!:]?\s+)*"
    r"(?:(?:can|could|would|will) you (?:please )?|i(?:'d| would) (?:like|want|love) you to |i (?:want|need) you to "
    r"|(?:you|we) (?:should|must|need to) |make sure (?:to|you) )?(?:please )?(?:always )?"
)
_ASK = re.compile(
    rf"{_BEFORE}(?:"
    r"(?P<verb>remember|memori[sz]e|(?:keep|bear) in mind|note down|note|take note"
    r"|(?:make|take|add|save|keep|store|create) (?:a |an )?(?:mental |quick |short |new )?note|don't forget|do not forget"
    r"|never forget)(?: for (?:me|later|the future|next time))?"
    r"|for (?:(?:your|my|the) )?(?:records?|future reference|notes))"
    r"(?P<link>\s*[:,]\s+(?:that\s+)?|\s+that\s+|\s+to\s+(?=(?:always|never)\b)|\s+-+\s+|\s+)",
    re.IGNORECASE,
)
_BEHIND = re.compile(
    r"(?P<said>.+?)\s*[,;\u2013-]+\s*(?:and |so |please )*(?:remember|note|keep|bear|don't forget|do not forget)"
    r" (?:this|that|it)(?: (?:in mind|down|for (?:me|later|next time|the future)|please))*\s*[.!]*",
    re.IGNORECASE,
)
_POLITE = re.compile(r"(?:[\w ]{1,20}[,!.]? )?(?:can|could|would|will) you\b", re.IGNORECASE)
_FOR_CALENDAR = re.compile(r"\b(?:in|into|on|to) (?:my|the|our) (?:calendar|diary|agenda|schedule)\s*[.!?]*$", re.IGNORECASE)
_NO_NOTE = re.compile(
    r"(?:to|not to|when|what|who|whom|where|how|why|if|whether|which|me|us|this|it|them)\b(?!'s|'ve|'re)(?! (?:is|are|was|were)\b)"
    r"|(?:that|this|it)\s*[.!?]*$",
    re.IGNORECASE,
)
_SUBJECT = r"(?:i|we|he|she|they|you|it|there|my|our|his|her|their|the|all|every|everybody|everyone|no|on|in|at|for|from|if)\b"
_VERB = re.compile(
    r"\b(?:is|isn't|are|aren't|was|were|has|hasn't|have|haven't|had|will|won't|would|can|can't|cannot|could|should|must|may"
    r"|do|does|don't|doesn't|prefers?|likes?|loves?|hates?|wants?|needs?|uses?|lives?|works?|goes|go|speaks?|signs?|write|writes|eats?"
    r"|drinks?|starts?|ends?|takes?|calls?|means?|always|never|sits?|belongs?|owns?|runs?|leads?|reports?|handles?|comes?|get|gets"
    r"|married|stands?|knows?|am|think|thinks|keep|keeps|read|reads)\b|\w'(?:s|m|re|ve|ll|d)\b",
    re.IGNORECASE,
)
_WISHES = re.compile(r"\b(?:need|wants?|would|'d|please|can|could|must|should|have to|has to|let|make sure)\b", re.IGNORECASE)
_JOINT = re.compile(r"\s*[,;]?\s+(?:and|then)\s+(?:also |please |then )*", re.IGNORECASE)
_REASON = re.compile(r"[,;]\s*so\s+(?:please |can you |could you )?", re.IGNORECASE)

_YOUR = r"(?:(?:my|your|the|all|any|me|of|those|these)\s+)*"
_ABOUT = r"(?:\s+(?:about|on|of|regarding|concerning|for)\s+(?P<about>.+?))?"
_LAST = r"(?:\s*(?:please|so far|again|now|at the moment|right now))*\s*[?.!]*"
_SHOW = re.compile(
    rf"{_BEFORE}(?:"
    rf"what (?:do|did|have|can) you (?:still )?(?:remember(?:ed)?|note(?:d)?(?: down)?|keep in mind|kept in mind)(?: for me)?"
    rf"|what (?:did|have) i (?:ever )?(?:ask(?:ed)?|tell|told) you to (?:remember|note(?: down)?|keep in mind)"
    rf"|(?:what|which) notes (?:do you have|have you(?: got)?|are there|did you (?:make|keep|take)|do i have|have i got)"
    r"|what do you (?:know|remember) about me"
    rf"|(?:show|list|tell|read|display|print|see|give)(?: me)? (?:everything|all|what)(?: that)? (?:you(?:'ve| have)?"
    rf" remember(?:ed)?|i(?:'ve| have)? (?:asked|told) you to remember)"
    rf"|(?:show|list|read|display|print|see|what are) {_YOUR}(?:notes|preferences)"
    rf"|do you (?:remember|have) (?:anything|something|any notes?|a note)"
    rf"|(?:my|your) notes){_ABOUT}{_LAST}",
    re.IGNORECASE,
)
_DROP = r"(?:forget|delete|remove|erase|drop|discard|clear|wipe)"
_EVERY = re.compile(
    rf"{_BEFORE}(?:{_DROP} (?:everything|all|anything)(?: (?:of )?(?:that|what))? (?:you(?:'ve| have)? (?:ever )?(?:remember(?:ed)?"
    rf"|know|noted?|kept)(?: (?:about|of) me)?|i(?:'ve| have)? (?:asked|told) you to remember)"
    rf"|{_DROP} (?:all|every one)(?: of)? (?:(?:my|your|the) )?notes|{_DROP} (?:my|your|the) notes){_LAST}",
    re.IGNORECASE,
)
_NUMBERED = re.compile(
    rf"{_BEFORE}{_DROP} {_YOUR}notes?(?: (?:number|no\.?|nr\.?))?\s+"
    rf"(?P<numbers>#?\d{{1,4}}(?:(?:\s*,\s*|\s*,?\s+and\s+)#?\d{{1,4}})*){_LAST}",
    re.IGNORECASE,
)
_FORGET = re.compile(
    rf"{_BEFORE}(?:{_DROP} {_YOUR}notes?\s+(?:that|about|on|of|regarding|saying)\s+(?P<note>.+?)"
    r"|forget (?:about )?(?:what (?:i|you) (?:said|told you|asked you|know|remember|noted)(?: to remember)?(?: (?:about|of|on))?"
    r"|that)\s+(?P<that>.+?)"
    r"|(?:you can )?(?:stop|don't|do not|no longer|needn't)(?: need to)? remember(?:ing)?(?: that)?\s+(?P<stop>.+?))"
    rf"{_LAST}",
    re.IGNORECASE,
)
_WORD = re.compile(r"[^\W_]+(?:'[^\W_]+)?")
SMALL = frozenset(
    "a an the to of for in on at from with and or that this it its is are was were be my me i i'm mine you your as by about what"
    " who do does have has had am he she they his her their".split()
)
"""Words that tell no note from another."""


class Wanted(NamedTuple):
    """What is to be remembered; the part of the message that says so, and the rest of it."""

    texts: tuple[str, ...]
    asking: str
    rest: str


def note_command(request: Request) -> OwnCommand | None:
    """None where the message as a whole is nothing about what is remembered."""
    text = " ".join(request.text.replace("\u2019", "'").split())
    if len(text) > LONGEST_MESSAGE or not HINT.search(text):
        return None
    if (told := _SHOW.fullmatch(text)) is not None:
        return ShowNotes(words=significant(told["about"] or ""))
    if _EVERY.fullmatch(text):
        return ForgetNote(every=True)
    if (numbered := _NUMBERED.fullmatch(text)) is not None:
        return ForgetNote(numbers=tuple(dict.fromkeys(int(number) for number in re.findall(r"\d+", numbered["numbers"]))))
    if (dropped := _dropped(text, request.setting)) is not None:
        return dropped
    wanted = to_remember(request.text, request.setting)
    return Remember(texts=wanted.texts) if wanted is not None and not wanted.rest else None


def to_remember(text: str, setting: Setting) -> Wanted | None:
    """What stands in the message is kept as it stands; None where nothing is wanted remembered for certain."""
    if len(text) > LONGEST_MESSAGE or not HINT.search(text):
        return None
    said = sentences(text)
    if not said or " ".join(one.text for one in said).split() != text.replace("\u2019", "'").split():
        return None  # something was pasted behind it
    texts, asking, rest = list[str](), list[str](), list[str]()
    for one in said:
        if points_back(one) and rest and not _requests(rest[-1], setting):
            asking += [rest[-1], one.text]
            texts.append(rest.pop().rstrip(" .!;"))
            continue
        found, left = _noted(one, setting)
        if found:
            texts.append(found)
            asking.append(one.text[: one.text.index(found) + len(found)] if left else one.text)
        rest += [left] if left else []
    if not texts or not all(asked_to_remember(one, text) for one in texts if len(one) <= LONGEST):
        return None
    if all(_only_tells(one, setting) for one in rest):
        return Wanted(tuple(dict.fromkeys(texts)), text, "")
    return Wanted(tuple(dict.fromkeys(texts)), " ".join(asking), " ".join(rest))


def significant(text: str) -> tuple[str, ...]:
    """The words that tell which note is meant, in small letters."""
    words = (word.casefold().removesuffix("'s") for word in _WORD.findall(text.replace("\u2019", "'")))
    return tuple(dict.fromkeys(word for word in words if word not in SMALL))


def fits(words: Sequence[str], text: str) -> bool:
    """Whether all of these words are in a note, whatever their endings."""
    there = significant(text)
    return bool(words) and all(any(_alike(word, one) for one in there) for word in words)


def _alike(one: str, other: str) -> bool:
    short, long = sorted((one, other), key=len)
    return one == other or (len(short) > 3 and long.startswith(short) and len(long) - len(short) <= 2)


def _dropped(text: str, setting: Setting) -> ForgetNote | None:
    """Where "forget that …" fits no note it means something else: a task, or what is proposed."""
    found = _FORGET.fullmatch(text)
    if found is None:
        return None
    words = significant(found["note"] or found["that"] or found["stop"])
    there = any(fits(words, note) for note in setting.notes)
    return ForgetNote(words=words) if words and (there or found["note"]) else None


def _noted(sentence: Sentence, setting: Setting) -> tuple[str, str]:
    """What of a sentence is to be remembered, and what of it is something else."""
    text = sentence.text
    asks = _ASK.match(sentence.masked)
    if asks is not None:
        said, masked = text[asks.end() :], sentence.masked[asks.end() :]
        that = bool(re.search(r"that|:", asks["link"]))
        habit = asks["link"].strip().casefold() == "to"
        if not (habit or _states(said, masked, that, setting)) or not _may(sentence.masked):
            return "", text
        said, more = _without_request(said, setting)
        return said.strip(" ,").rstrip(" .!?;"), more
    behind = _BEHIND.fullmatch(sentence.masked)
    if behind is not None and not _requests(text[: behind.end("said")], setting):
        return text[: behind.end("said")].strip(), ""
    return "", text


def _may(masked: str) -> bool:
    """A question is a wish only where it is one out of politeness."""
    return not masked.endswith("?") or _POLITE.match(masked) is not None


def _states(said: str, masked: str, that: bool, setting: Setting) -> bool:
    """Whether it is a statement that can be kept, and no request or question."""
    if not said.strip(" .!?") or _NO_NOTE.match(said) or _FOR_CALENDAR.search(said) or _REASON.search(masked):
        return False
    if re.match(_SUBJECT, said, re.IGNORECASE) is None and not re.match(r"[A-Z0-9\u00c0-\u024f]", said) and not that:
        return _VERB.search(masked) is not None and not _requests(said, setting)
    if that and re.match(_SUBJECT, said, re.IGNORECASE):
        return len(said.split()) > 1
    return _VERB.search(masked) is not None and not _requests(said, setting)


def _without_request(said: str, setting: Setting) -> tuple[str, str]:
    """ "I prefer short mails and show me my calendar": the second is a request of its own."""
    for joint in _JOINT.finditer(said):
        rest = said[joint.end() :]
        if not re.match(_SUBJECT, rest, re.IGNORECASE) and _requests(rest, setting):
            return said[: joint.start()], rest
    return said, ""


def _only_tells(sentence: str, setting: Setting) -> bool:
    """Whether nothing is wanted with it."""
    tells = re.match(_SUBJECT, sentence, re.IGNORECASE) is not None and not sentence.endswith("?")
    return tells and _WISHES.search(sentence) is None and not _requests(sentence, setting)


def _requests(text: str, setting: Setting) -> bool:
    """Whether the grammar reads a request there."""
    from assistant.reasoning.offline.planning.scheduling import read_schedule
    from assistant.reasoning.offline.reading.grammar import read

    reading = read(text, setting)
    return (reading.call is not None and reading.certain) or read_schedule(text, setting) is not None
