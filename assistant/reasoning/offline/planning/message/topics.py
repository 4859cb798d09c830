"""A thing that is named first, and what becomes of it: "For the review on Friday only: begin at 11, and hold it in Room 2"."""

import re
from collections.abc import Iterator

from assistant.reasoning.base import Setting
from assistant.reasoning.offline.planning.message.passives import as_deed
from assistant.reasoning.offline.reading.entities import mark
from assistant.reasoning.offline.reading.grammar import parse

_LEAD = re.compile(
    r"^(?P<polite>(?:please|so|and|also|now|ok|okay|hi|hello)[, ]+)?(?:for|as for|as to|regarding|concerning|about|re|"
    r"with regard to|with respect to|in the case of|when it comes to) "
    r"(?P<only>just |only )?(?P<thing>(?:the|my|our|tomorrow's|today's|tonight's|"
    r"\w+day's) (?:[^:;!?\"]|(?<=\d):(?=\d))"
    r"{2,80}?)(?P<alone>,? (?:only|alone))?(?P<mark>\s*[:,]| [-\u2013\u2014]) (?P<rest>\S.*)$",
    re.IGNORECASE | re.DOTALL,
)
_JOINT = re.compile(r"\s*(?:[,;.]\s*(?:and\s+|then\s+|also\s+)*|\s+and\s+(?:then\s+|also\s+)*)(?=[a-z])", re.IGNORECASE)
_RATHER = re.compile(r",? (?:rather than|instead of|and not|not)(?: at)? [\w:. ]{1,14}(?=[,.;]| and |$)", re.IGNORECASE)
_OF_DAY = re.compile(r" of (?=(?:next |this |last )?(?:mon|tues|wednes|thurs|fri|satur|sun)day|\d|today|tomorrow)", re.IGNORECASE)
_CLOSING = re.compile(r"[,.! ]*(?:please|thanks|thank you|okay|ok)?[.! ]*$", re.IGNORECASE)
_POLITE = re.compile(r"^(?:please |can you |could you |would you |just |kindly |let's |let us )+", re.IGNORECASE)
_IT = re.compile(r"\b(?:it|that|this one|this|that one)\b", re.IGNORECASE)
_LET = r"(?:let it |make it |have it |it (?:should|shall|must|is to|will) )?"
_FIELD = r"(?P<field>room|place|location|venue|title|name|time|start)"
_DEEDS = tuple(
    (re.compile(form, re.IGNORECASE), deed)
    for form, deed in (
        (rf"{_LET}(?:begin|start)(?: it)? (?:at |from )?(?P<at>.+)", "move {thing} to {at}"),
        (rf"{_LET}(?:end|finish|stop|close)(?: it)? (?:at )?(?P<at>.+)", "extend {thing} until {at}"),
        (r"(?:add|invite|include|bring in) (?P<at>[A-Z].+)", "invite {at} to {thing}"),
        (r"(?:remove|drop|uninvite|disinvite|take off) (?P<at>[A-Z].+)", "uninvite {at} from {thing}"),
        (r"(?:hold|have|do|host|put) it (?:in|at) (?P<at>.+)", "change the room of {thing} to {at}"),
        (rf"(?:change|switch|set|move) (?:the |its )?{_FIELD} to (?P<at>.+)", "change the {field} of {thing} to {at}"),
        (rf"(?:the )?new {_FIELD}:? (?:is )?(?P<at>.+)", "change the {field} of {thing} to {at}"),
    )
)
"""What becomes of the thing where its verb alone does not say that something is changed."""


def named_first(text: str, setting: Setting) -> str:
    """The same with the thing in its place in each request; the text itself where any of these cannot be read so."""
    lead = _LEAD.match(text)
    if lead is None or text.rstrip().endswith("?") or (lead["mark"].strip() == "," and lead[0].lower().startswith("for ")):
        return text
    thing = _OF_DAY.sub(" on ", lead["thing"].strip())
    if any(item.kind in ("quote", "address") for item in mark(text, setting)):
        return text
    asked = list(_requests(thing, lead["rest"]))
    if not asked or not all(one and _is_read(one, setting) for one in asked):
        return text
    return ". ".join(asked)


def _is_read(request: str, setting: Setting) -> bool:
    plain = as_deed(request, mark(request, setting)) or request
    return parse(plain, setting).call is not None


def _requests(thing: str, rest: str) -> Iterator[str]:
    """One for each clause; empty for what says nothing of the thing."""
    for said in _JOINT.split(_RATHER.sub("", _CLOSING.sub("", rest, count=1))):
        clause = _POLITE.sub("", said.strip())
        form = next(((found, deed) for pattern, deed in _DEEDS if (found := pattern.fullmatch(clause)) is not None), None)
        if form is not None:
            yield form[1].format(thing=thing, **form[0].groupdict())
        else:
            yield _IT.sub(thing, clause, count=1) if _IT.search(clause) else ""
