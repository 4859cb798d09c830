"""Words that ask for more thought than usual: "…, think hard", "give me three versions of a reply to …", "think harder"."""

import re

_ABOUT_IT = r"(?: (?:about|over|with|on) (?:it|this|that|this one|that one|the wording|what to (?:say|write)))?"
_THINKING = (
    r"(?:(?:really |please |do |just )*think "
    r"(?:it (?:over|through)|(?:(?:very|really|extra|a bit|even) )?(?:hard|harder|more|twice|deeply|carefully|long and hard))"
    rf"(?: (?:before|when) (?:writing|drafting|answering)(?: it)?)?{_ABOUT_IT}"
    rf"|take your time{_ABOUT_IT}|give (?:it|this|that) (?:some|a lot of|more|careful|real|serious) thought"
    r"|put (?:some|a lot of|more|real|serious) thought into (?:it|this|that)"
    rf"|deliberate{_ABOUT_IT}|let (?:several|a few|all|more) (?:models|agents|drafters) (?:try|vote|write it|have a go))"
)
_SEVERAL = (
    r"(?:(?:a few|some|several|a couple of|various|more|different|other|two|three|four|five|[2-5]) )*"
    r"(?:options|alternatives|versions|variants|variations|suggestions|choices|drafts|takes)(?: to choose from)?"
)
_GIVING = rf"(?:(?:please )?(?:give|show|offer|get|write|make|draft|prepare|suggest)(?: me| us)? {_SEVERAL})"
_POLITE = r"(?:,? please)?"
_WISH = rf"(?:{_THINKING}|{_GIVING}{_ABOUT_IT}(?: (?:for|of) (?:it|this|that|the wording))?)"

ALONE = re.compile(
    rf"(?:(?:please|and|now|no|hm+|ok(?:ay)?|can you|could you|i want you to),? )*{_WISH}{_POLITE}[.!?…\s]*", re.IGNORECASE
)
BEHIND = re.compile(rf"(?:[\s]*[,;.!(\u2013\u2014-]+[\s]*(?:and |but |so )?|\s+and ){_WISH}{_POLITE}[.!)…\s]*$", re.IGNORECASE)
BEFORE = re.compile(
    rf"^(?:please |now |ok(?:ay)?,? )*{_THINKING}{_POLITE}(?:\s*[,;:.!\u2013\u2014-]+\s*(?:and |then )?|\s+(?:and|then) )(?=\w)",
    re.IGNORECASE,
)
OF_WHAT = re.compile(
    rf"^(?:please |now |ok(?:ay)?,? )*(?:{_GIVING} (?:for|of) |{_THINKING} (?:about|on) )(?:an? |the |my |your )?"
    r"(?P<what>(?:e-?mail|mail|message|note|reply|answer|response|letter)\b)",
    re.IGNORECASE,
)
WRITING = re.compile(
    r"^(?:please |now |ok(?:ay)?,? |can you |could you )*(?:write|compose|come up with|formulate|word|suggest|propose)(?: me)? "
    r"an? (?:[a-z]+ )?(?P<what>reply|answer|response)\b",
    re.IGNORECASE,
)
DICTATED = re.compile(r":\s|\b(?:saying|says|said|reading|with the (?:text|words))\b", re.IGNORECASE)
"""From here on a text may be somebody's words."""
QUOTE = re.compile('["\u201c\u201e]')
PAUSES = frozenset(",;.!(\u2013\u2014-")
QUOTED = re.compile(r"\"[^\"]*\"|\u201c[^\u201c\u201d]*\u201d")
LONGEST = 200
"""Characters at the beginning and at the end of a message, among which such words stand."""
REPLY = frozenset({"reply", "answer", "response"})


def without_effort(text: str) -> str:
    """The same request without such words; the text itself where there are none. "Think hard about a reply to …" is to draft one;
    empty where they are all there is."""
    if len(text) <= LONGEST and ALONE.fullmatch(text.strip()):
        return ""
    rest = text[: len(text) - len(behind(text))]
    head = OF_WHAT.sub(_to_draft, BEFORE.sub("", rest[:LONGEST], count=1), count=1)
    rest = head + rest[LONGEST:]
    return WRITING.sub(_to_draft, rest, count=1) if rest != text else text


def behind(text: str) -> str:
    """Such words at the end, with what parts them from the rest; also behind dictated words, but not within quotation marks."""
    found = BEHIND.search(text, max(len(text) - LONGEST, 0))
    if found is None:
        return ""
    before = QUOTED.sub("", text[: found.start()])
    joined = found[0].lstrip()[:1] not in PAUSES
    return "" if QUOTE.search(before) or (joined and DICTATED.search(before)) else found[0]


def cut_from_dictated(text: str) -> str:
    """The words that are taken for a wish though they stand behind dictated ones; empty where there are none."""
    cut = behind(text)
    dictated = DICTATED.search(QUOTED.sub("", text[: len(text) - len(cut)]))
    return cut.strip(" ,;.!()\u2013\u2014-") if cut and dictated else ""


def wants_thought(text: str) -> bool:
    return without_effort(text) != text


def _to_draft(found: re.Match[str]) -> str:
    what = found["what"].lower()
    return f"Draft a {'reply' if what in REPLY else 'mail'}"
