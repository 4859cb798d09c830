"""What is told together with the wish to have it in the calendar: "I have a flight on Monday at 9, add it to my calendar"."""

import re

from assistant.reasoning.base import Setting
from assistant.reasoning.offline.planning.message.wishes import become
from assistant.reasoning.offline.reading.entities import mark
from assistant.reasoning.offline.reading.grammar import parse

_CALENDAR = r"(?:calendar events?|calendar entry|calendar|diary|agenda|schedule|event|appointment)"
_NOTED = re.compile(
    r"[,.;:]?\s*(?:and |so )?(?:please |can you |could you )?(?:"
    r"(?:put|add|set|save|enter|write|note|schedule|create) (?:it |this |that )?(?:down )?(?:on|in|into|to|as) "
    rf"(?:my |the |an? |our )?{_CALENDAR}"
    rf"|(?:notify|remind) me (?:of it )?(?:on|in|via|with) (?:my |the |an? )?{_CALENDAR})(?: please)?\s*[.!]?$",
    re.IGNORECASE,
)
LONGEST = 400
_HINT = re.compile(r"calendar|diary|agenda|schedule|remind|an? (?:event|appointment)", re.IGNORECASE)
_SENTENCES = re.compile(r"[.?!]\s+[A-Z]|\n")
_SUBJECT = re.compile(
    r"^(?:(?:hi|hello|hey)[,.!]? )?(?:i|we|{own})(?:'m|'ve|'ll|'d| am| are| will| have| has)*"
    r"(?: (?:got|having|going|supposed|need|needs|plan|must|should|want|wants|be))*(?: to)?(?: have| attend| go to)? (?=\w)",
    re.IGNORECASE,
)
_REMINDED = re.compile(
    r"^(?:please |can you |could you )?remind (?:me|us|{own}) (?:that )"
    r"(?:i|we|he|she|they|{own}) (?:have|has|need|needs|must|got)(?: to| got)?"
    r"(?: have)? (?=\w)",
    re.IGNORECASE,
)


def noted(text: str, setting: Setting) -> str:
    """The same as a request to add it; the text itself where no time was told, or nothing was wished."""
    if len(text) > LONGEST or not _HINT.search(text):
        return text
    own = "|".join(re.escape(name) for one in setting.me for name in {one.name, one.name.partition(" ")[0]} if name) or "me"
    tail = _NOTED.search(text)
    if tail and tail.start() > 0:
        told = text[: tail.start()]
        subject = re.compile(_SUBJECT.pattern.replace("{own}", own), re.IGNORECASE).match(told)
        said = told[subject.end() :] if subject else ""
    else:
        reminded = re.compile(_REMINDED.pattern.replace("{own}", own), re.IGNORECASE).match(text)
        said = text[reminded.end() :].rstrip(" .!") if reminded else ""
    if not said or _SENTENCES.search(said):
        return text
    timed = any(item.time is not None and item.time.kind != "duration" for item in mark(said, setting))
    return f"Add {said} to my calendar" if timed else text


_SET_RIGHT = re.compile(
    r"^(?:(?:hi|hello|hey|oh|by the way)[,.!]? )?(?P<thing>[^,.;!?]+?)"
    r"(?: is| starts| begins| takes place|['\u2019]s)?"
    r"(?:(?: has been| was| got| is)(?: moved| rescheduled| shifted| pushed| put off| postponed))?"
    r"(?: now| actually)? (?P<state>(?:to |at |on |in |from )[^;!?]+?)"
    r"(?:,? (?:and )?(?:not|instead of|rather than|no longer) [^,.;]+)?"
    r"\s*[,.;!]+ (?:and |so |can you |could you )?(?:please )?(?:change|update|correct|fix|adjust|amend|put)"
    r" (?:it|that|this|my calendar|my diary)(?: right| accordingly| please| in my calendar| in my diary| for me)*\s*[.!?]*$",
    re.IGNORECASE,
)
_FACT = re.compile(
    r"\b(?:is|starts|begins|takes place|moved|rescheduled|shifted|pushed|put off|postponed|\w+['\u2019]s)\b", re.IGNORECASE
)
_SETTING_RIGHT = re.compile(r"\b(?:change|update|correct|fix|adjust|amend|put)\b", re.IGNORECASE)


def set_right(text: str, setting: Setting) -> str:
    """ "Lunch starts at 1 instead of noon, please change it": the request to make it so; the text itself where it is none."""
    if len(text) > LONGEST or not _SETTING_RIGHT.search(text):
        return text
    told = _SET_RIGHT.match(text)
    if told is None or not _FACT.search(text[told.start("thing") : told.start("state")]):
        return text
    state = re.sub("^to (?=on |at |in )?", "", told["state"], flags=re.IGNORECASE)
    request = become(state, told["thing"], mark(state, setting)) if state else None
    call = parse(request, setting).call if request else None
    return request if request and call is not None and call.operation in ("event.move", "event.relocate") else text
