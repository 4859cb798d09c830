"""Where something is to be delivered: "by mail", "to my phone", "and send it to my laptop"."""

import re

MAIL = frozenset({"mail", "email", "e-mail", "mails", "emails", "inbox", "mailbox", "address"})
HERE = frozenset({"chat", "conversation", "here", "page"})
NO_TARGETS = frozenset(
    """day days week month year agenda calendar schedule diary meetings appointments mails messages tasks to-do todo list name
    behalf own desk way mind boss team wife husband mother father manager colleague colleagues friend friends hand heart
    the a my me birthday anniversary holiday vacation return arrival
    noon midnight then now tomorrow tonight lunch monday tuesday wednesday thursday friday saturday sunday""".split()
)
_DEED = r"(?:(?:send|deliver|push|post|forward|give|have|get|put) (?:it|them|that|this|one)(?: (?:delivered|sent))? )"
_AND = r"(?:,? *\band (?:please |also |then )*|,? *\balso )"
_ENDS = r"(?= *(?:$|[,.!:]|\b(?:and|at|on|every|each|to|that|about|of|from|please|tomorrow|as)\b))"
WAY = re.compile(
    rf"{_AND}?(?:{_DEED}(?:to me )?)?(?:also )?\b(?:by|via|through|over) (?:my )?(?P<by>[a-z][\w-]*){_ENDS}"
    rf"|{_AND}?(?:{_DEED})?\bto my (?P<to>[a-z][\w-]*)(?! (?:of|about|with))\b"
    rf"|{_AND}?(?:{_DEED})?\bon(?:to)? my (?P<on>[a-z][\w-]*)(?! (?:of|about|with))\b"
    rf"|{_AND}{_DEED}to (?P<name>[a-z][\w-]*)(?= *(?:$|[,.!]))"
    rf"|{_AND}?(?:e-?mail|mail) (?P<mailed>it|them|that|this)(?: to me)?\b"
    rf"|{_AND}?(?:{_DEED}|(?:tell|show) (?:it|them|that) (?:to )?me )?\b(?:right )?"
    r"(?P<here>here|in (?:the|this) (?:chat|conversation))\b",
    re.IGNORECASE,
)


def cut_targets(text: str) -> tuple[str, tuple[str, ...]]:
    """The text with blanks where targets were named, and those."""
    found: dict[str, None] = {}

    def blank(match: re.Match[str]) -> str:
        said = match["by"] or match["to"] or match["on"] or match["name"] or ""
        word = said.lower()
        if word in NO_TARGETS or (match["on"] and word in MAIL):
            return match[0]
        if match["mailed"] or word in MAIL:
            found["mail"] = None
        elif said and word not in HERE:
            found[said] = None
        return " " * len(match[0])

    return WAY.sub(blank, text), tuple(found)
