"""Who is to come to what is proposed after all, or in whose place: "he can come after all", "have Lena come in his place"."""

import re

from assistant.reasoning.base import Request, Setting
from assistant.reasoning.calls import Call
from assistant.reasoning.offline.reading.entities import mark
from assistant.reasoning.offline.reading.grammar import parse
from assistant.reasoning.offline.reading.text.items import PERSONAL

IN_STEAD = re.compile(
    r"\b(?:in (?:his|her|their) (?:place|stead)|(?:instead of|in place of|for) (?:him|her|them))\b", re.IGNORECASE
)
COMES = re.compile(
    r"\b(?P<who>he|she|they|(?!who|what|it|that|there)[A-Z]\w+)(?: (?:can|could|will|would|is|are|does|has)|['\u2019](?:s|ll|re))"
    r"(?: (?:now|actually|also|be|time|able to))* "
    r"(?:come|coming|join|joining|make it|attend|attending|around|in|there|free|available|back)\b"
    r"(?: (?:us|too|again|after all|as well|then|now|it|in))*",
    re.IGNORECASE,
)
AWAY = re.compile(
    r"^(?:(?:oh|no|ok|okay|sorry|hm+|well|wait|actually),? )*(?P<who>[A-Z]\w+)"
    r" (?:can(?:not|['\u2019]t)|can not|couldn['\u2019]t|won['\u2019]t|will not|isn['\u2019]t|is|has)\b[^,.;]*(?:[,.;]| so)"
    r" (?:so |and |then )*"
)
"""Somebody of whom it is told first that they do not come."""
ASKED_IN = re.compile(
    r"^(?i:(?:ok|okay|oh|and|so|actually),? )*(?i:can|could|should|may) (?P<who>[A-Z]\w+(?: (?:and )?[A-Z]\w+)*)"
    r" (?:please )?(?:come|join|attend|be there|be in it|be part of it|be invited)(?: (?:us|along|in))?"
    r"(?: (?:too|as well|also))*[?.! ]*$"
)
""" "Could Omar come along too?\""""
EARLIER = 6
"""Messages in which somebody may have been left out before."""


def change_of(text: str, setting: Setting) -> Call | None:
    """What a clause changes about a proposal; None where it changes nothing of one."""
    call = parse(f"In {{proposal}}: {text}", setting).call
    return call if call is not None and call.operation.startswith("revise.") else None


def with_people(request: Request) -> str:
    """The message with those named who are pointed at."""
    text, away = request.text, AWAY.match(request.text)
    if (stead := IN_STEAD.search(text)) is not None:
        begin = away.end() if away else 0
        coming = [item.text for item in mark(text[begin : stead.start()], request.setting) if item.kind in PERSONAL]
        behind = [] if stead.start() else [i.text for i in mark(text[stead.end() :], request.setting) if i.kind in PERSONAL]
        if behind:
            return f"add {' and '.join(behind)}"
        if coming and away:
            return f"{' and '.join(coming)} instead of {away['who']}{text[stead.end() :]}"
        return f"add {' and '.join(coming)}{text[stead.end() :]}" if coming and left_out(request) else text
    if (asked := ASKED_IN.match(text)) is not None:
        return f"add {asked['who']}"
    for comes in COMES.finditer(text):
        gone = left_out(request)
        if gone and comes["who"].lower() in ("he", "she", "they", *(name.lower() for name in gone)):
            return f"{text[: comes.start()]}add {' and '.join(gone)}{text[comes.end() :]}"
    return text


def left_out(request: Request) -> list[str]:
    """Whom the user took off last."""
    said = [line.removeprefix("user: ") for line in request.history if line.startswith("user: ")]
    for text in reversed(said[-EARLIER:]):
        for part in (text, *re.split(r"[,.;] | because ", text)):
            call = change_of(part, request.setting)
            if call is not None and call.operation == "revise.drop_person" and call.field != "others" and call.to:
                return [person.text or person.email for person in call.to]
    return []
