"""Whether a message asks, in the user's own words, that just this be remembered. Pure code; nothing that thinks is asked."""

import re
from collections.abc import Iterator
from typing import NamedTuple

from assistant.reasoning.quoting import layers

LONGEST = 500
"""Characters of one note."""

_ASKS = re.compile(
    r"\b(?:remember(?! (?:when|what|how|who|where|why|if)\b)|memori[sz]e|(?:keep|bear|have) (?:it |this |that )?in mind|note"
    r"|notes|(?:don't|do not|never) forget|from now on|(?:in|for)(?: the)? future|for (?:the|your|my) records?)\b",
    re.IGNORECASE,
)
_NOT = re.compile(
    r"\b(?:don't|do not|no need to|needn't|never|stop|should(?:n't)? i|(?:do|did|can|can't|cannot|could) i|do you|did you|have you"
    r"|i (?:don't|do not|can't|cannot|could not|couldn't|still|just|now|will|must|should))\b[^,;]{0,20}"
    r"\b(?:remember|memori[sz]e|note|notes|keep|bear)\b"
    r"|\b(?:tell|ask|remind|write|reply|respond|answer|say|send|shoot|drop|leave|give|mail|e-?mail|message|text|ping|let|invite"
    r"|forward)\b[^,;:]*\b(?:remember|note|notes|mind|forget)\b",
    re.IGNORECASE,
)
"""It is not to be remembered, is asked about, or somebody else is to remember it."""
_REPORTED = re.compile(
    r"\b(?:says|said|saying|writes|wrote|claims|claimed|mentions|mentioned|(?:that|which|who) (?:say|write|claim)"
    r"|translate|summari[sz]e|explain|proofread|whether"
    r"|(?:wants?|wanted|asks?|asked|tells?|told|begs?|begged|reminds?|reminded) (?:me|us|you|everybody|everyone|people|all)"
    r"|(?:find|search|look (?:for|up)|show|check|open|list|read)\b.*\b(?:that|where|which)|with (?:an?|the|this)(?=\s*$))\b"
    r"|(?:must not|mustn't|won't|will not|should not|shouldn't|ought not to|cannot|can't|not)(?: ever| please)?\s*$",
    re.IGNORECASE,
)
"""Before what asks: somebody else does, or nobody shall."""
_OWN_ORDER = re.compile(
    r"\bi(?:'d like to| want to| would like to)?(?: have| also| just| already)? (?:ask|asked|tell|told|remind|reminded|said)\b",
    re.IGNORECASE,
)
_TURNED = re.compile(
    r"\b(?:not|never|no|none|nobody|nothing|neither|nor|without|hardly|unless|except|only|until|\w+n't)\b", re.IGNORECASE
)
"""Left out, it makes what is said another thing."""
_SPEAKER = re.compile(
    r"(?:^|\n)\s*(?:[\[(]?\d{1,2}[:.]\d\d\S*\s+)?(?!(?:important|please|also|fyi|ps|btw|oh|ok|okay|hey|assistant|remember|remembers?|note"
    r"|notes|one more thing)\b)(?-i:[A-Z])[\w.'-]+(?: (?-i:[A-Z])[\w.'-]+){0,2}\s*:\s*$",
    re.IGNORECASE,
)
"""Before a colon: a name, as in a chat."""
_ASKED_POLITELY = re.compile(r"(?:can|could|would|will) you\b", re.IGNORECASE)
_QUOTED = re.compile(
    r"\"[^\"]*\"?|\u201e[^\u201c\u201d]*[\u201c\u201d]?|\u201c[^\u201d]*\u201d?|\u00ab[^\u00bb]*\u00bb?|\u00bb[^\u00ab]*\u00ab?"
    r"|\u2039[^\u203a]*\u203a?|\u300c[^\u300d]*\u300d?|\u300e[^\u300f]*\u300f?|```.*?(?:```|$)|`[^`]*`?"
    r"|(?<!\w)['\u2018\u201a](?=\w).{0,1000}?(?<=[\w.!?])['\u2018](?!\w)",
    re.DOTALL,
)
_PASTED = re.compile(
    r"(?:>|\||(?:From|To|Cc|Date|Sent|Subject|Von|An|Betreff) ?:|-{3,}"
    r"|[^\n<]{0,80}<[^<>@\s]+@[^<>\s]+>|(?:hi|hello|hey|dear|hallo|liebe[rs]?)\b[^.?!\n]{0,40},)",
    re.IGNORECASE,
)
_OF_OTHERS = re.compile(
    r"\b(?:says?|said|saying|writes?|wrote|written|reads?|told|asks?|asked|mean|means|translate|summari[sz]e|explain|proofread|reply"
    r"|answer|send|mail|e-?mail|forward|draft|tell|text|message|following|below|this)\b[^:]*:\s*$",
    re.IGNORECASE,
)
"""Before a colon: what follows it is somebody else's, or meant for them."""
_POINTS_ON = re.compile(
    r"(?:(?:please|can you|could you)\s+)*(?:is|are|what|what's|look|summari[sz]e|translate|explain|read|check|proofread|answer"
    r"|reply|fix|correct|shorten|improve)\b[^.?!]*\b(?:this|these|the following|below)\b",
    re.IGNORECASE,
)
"""What follows it is what it is about."""
_LONGEST_HEAD = 300
_ENDS = re.compile(r"(?<=[.!?;])\s+|\n+")
_THAT = re.compile(
    r"(?:(?:and|so|also|please|oh|can you|could you|would you|you should|i want you to|i'd like you to)[\s,]+)*"
    r"(?:remember|note|save|memori[sz]e|keep|bear|don't forget|do not forget)(?: (?:this|that|it))?"
    r"(?: (?:in mind|down|as a note|in your notes?|for (?:me|later|next time|the future)|please|too|as well))*\s*[.!?]*",
    re.IGNORECASE,
)


_THAT_AND_MORE = re.compile(rf"{_THAT.pattern}(?=$|[,;]|\s*\band\b)", re.IGNORECASE)


class Sentence(NamedTuple):
    """`masked` has another sign for each one that is quoted."""

    text: str
    masked: str


def asked_to_remember(text: str, message: str) -> bool:
    """Whether `text` stands word for word in what the user themselves wrote in the message, within a sentence that asks to remember
    it, or before one that does."""
    wanted = _plain(text).strip(" .,;:!")
    return bool(wanted) and len(text) <= LONGEST and any(_says(run, wanted) for run in _asking(sentences(message)))


def _says(run: str, wanted: str) -> bool:
    """Whether it stands there, in whole words, and not without what turns its meaning."""
    before, there, after = run.partition(wanted)
    asked = _ASKS.search(before)
    if not there or before[-1:].isalnum() or after[:1].isalnum():
        return False
    left_out = (before[asked.end() if asked else 0 :], _ASKS.sub("", _ENDS.split(after)[0]))
    return not any(map(_TURNED.search, left_out))


def sentences(message: str) -> tuple[Sentence, ...]:
    """Of what the user wrote themselves: up to where something begins that was pasted, or that is said to be somebody else's."""
    lines = layers(message).new.split("\n")
    kept: list[str] = []
    for at, line in enumerate(lines):
        if at and (_PASTED.match(line.strip()) or not line.strip()):
            break
        kept.append(line)
    text = "\n".join(kept).replace("\u2019", "'")
    masked = _QUOTED.sub(lambda quoted: "\u2026" * len(quoted[0]), text)
    end, begin, found = _others_begin(masked), 0, []
    for gap in (*_ENDS.finditer(masked, 0, end), None):
        stop = gap.start() if gap else end
        if masked[begin:stop].strip():
            found.append(Sentence(text[begin:stop].strip(), masked[begin:stop].strip()))
            if _POINTS_ON.match(found[-1].masked) and not _asks(found[-1].masked):
                break
        begin = gap.end() if gap else end
    return tuple(found)


def points_back(sentence: Sentence) -> bool:
    """ "Please remember that": what stands before it."""
    return _THAT.fullmatch(" ".join(sentence.masked.split())) is not None


def _others_begin(masked: str) -> int:
    for colon in re.finditer(r":(?=\s)", masked):
        head = _ENDS.split(masked[max(0, colon.end() - _LONGEST_HEAD) : colon.end()])[-1]
        if (_OF_OTHERS.search(head) or _SPEAKER.search(head)) and not _asks(head.rstrip(": ")):
            return colon.start()
    return len(masked)


def _asking(said: tuple[Sentence, ...]) -> Iterator[str]:
    """What each sentence holds that asks to remember something, and what stands before one that points back."""
    before = ""
    for one in said:
        if _THAT_AND_MORE.match(" ".join(one.masked.split())):
            yield before
        if not points_back(one) and _asks(one.masked):
            yield _plain(one.text)
        before = _plain(one.text)


def _asks(masked: str) -> bool:
    if masked.rstrip().endswith("?") and not _ASKED_POLITELY.search(masked):
        return False
    if re.search(r"\b(?:don't|do not|never) forget\b", masked, re.IGNORECASE):
        return True
    asks = _ASKS.search(masked)
    if asks is None or _NOT.search(masked):
        return False
    before = re.split("[,;]", masked[: asks.start()])[-1]
    return _REPORTED.search(before) is None or _OWN_ORDER.search(before) is not None


def _plain(text: str) -> str:
    return " ".join(text.replace("\u2019", "'").casefold().split())
