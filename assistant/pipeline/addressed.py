"""Whom the user's words give as somebody to reach or to write down, and of whom they only speak: pure code over each message."""

import re
from collections.abc import Iterable, Iterator

from assistant.pipeline.wishes import LEAD, QUOTED, asks_to_write
from risk.text import normal_address, placed_addresses

BY_HAND = re.compile(r"Edited by hand, with \u201c([^\u201d]*)\u201d added")
"""How it is told that the user put addresses into a preview."""
DICTATED = re.compile(
    r"\b(?:saying|says|that says|which says|with the (?:text|words|message))\b.*"
    r"|(?<=\w)\b(?<!\bto)(?<!\bcc)(?<!\binvite)(?<!\baddress)(?<!\bmail)(?<!\brecipients):\s(?=.*)(?P<body>.*)",
    re.IGNORECASE | re.DOTALL,
)
MAILING = re.compile(
    r"\b(?:tell|write|reply|answer|respond|say|draft|send|e-?mail|mail|message|text|note|compose|forward)\b", re.IGNORECASE
)
SENTENCE = re.compile(r"[.!?;\n]+(?=\s|$)")
PART = re.compile(r"\s*,\s*(?:and |then |but )*|\s+(?:and(?: then)?|then|but|or)\s+", re.IGNORECASE)
ABOUT = re.compile(
    r"(?:\b(?:from|by|of|about|regarding|concerning|re|against|unlike|than|via|under|through|not|except|without"
    r"|besides|that|if|whether|because|since|when|whose|who|has|have|had|is called"
    r"|(?:me|us|him|her|them|myself) (?:at|on|under|via)"
    r"|(?:mails|e-?mails|messages|letters|replies|answers|wrote|written|sent|talked|spoke) (?:to|with))"
    r"(?: (?:the|my|our|his|her|this|that|a|an|sender|address|account))*[\s(<\u2039:]*)$",
    re.IGNORECASE,
)
"""Before an address that is merely spoken of."""
DOES = re.compile(
    r"[\s,)>]*(?:has|had|have|is|was|are|were|wrote|writes|asked|asks|said|says|wants|wanted|sent|sends|thinks|told|tells|did|does"
    r"|will|would|keeps|kept|claims|claimed|offers|offered|needs|called|calls|mentioned|suggested|replied|answered)\b",
    re.IGNORECASE,
)
"""Behind one that is said to do something itself."""
SHALL = re.compile(
    r"[\s,)>]*(?:(?:should|must|ought to|needs? to|has to|have to|wants? to|would (?:like|love) to|is to|are to|shall) "
    r"(?:also |too |both |all )*(?:get|know|hear|be|have|receive|see|join|come)\b)",
    re.IGNORECASE,
)
"""Behind one that something is to reach."""
NOT = re.compile(r"\b(?:don't|do not|never|no longer|stop|avoid|instead of)\b(?! forget| hesitate)", re.IGNORECASE)
FILING = re.compile(
    r"(?:delete|trash|remove|archive|mark|flag|unflag|star|file|move|restore|bin|block|report|mute|ignore|unsubscribe|clean|find|show"
    r"|search|list|read|open|check|look|summari[sz]e|count|throw|get rid)\b",
    re.IGNORECASE,
)
"""Begins what is done to mails, and not to whoever wrote them."""


def named_addresses(*messages: str) -> frozenset[str]:
    """In all of the messages, as `normal_address` writes them. What is quoted, dictated or asked about is none of it."""
    return frozenset(email for message in messages if "@" in message for email in _named(message))


def _named(message: str) -> Iterator[str]:
    if by_hand := BY_HAND.match(message):
        yield from _normal(placed_addresses(by_hand[1]))
        return
    own = _undictated(QUOTED.sub(" ", message.replace("\u2019", "'")))
    for sentence in SENTENCE.split(own):
        if "@" in sentence:
            yield from _of_sentence(sentence)


def _undictated(text: str) -> str:
    found = DICTATED.search(text)
    if found is None:
        return text
    head = text[: found.start()]
    # "Invite: a@x.example" gives whom; "tell Anna: ..." what.
    return head if found["body"] is None or MAILING.search(head) else text


def _of_sentence(sentence: str) -> Iterator[str]:
    written = placed_addresses(sentence)
    if not asks_to_write(_without(sentence, written)) and not _are_all(sentence, written):
        return
    given = True
    for part in PART.split(sentence):
        there = placed_addresses(part)
        if not there:
            continue
        for address in there:
            before, _, behind = part.partition(address)
            if before.strip(" <(\u2039") or SHALL.match(behind) or DOES.match(behind):
                given = _gives(before, behind)
            # What is only listed goes with what it is listed after.
            if given:
                yield from _normal([address])


def _gives(before: str, behind: str) -> bool:
    if SHALL.match(behind):
        return True
    told = LEAD.match(before.casefold())
    if FILING.match(before[told.end() :] if told else before) or NOT.search(before):
        return False
    return not (ABOUT.search(before.rstrip(" <(\u2039") + " ") or ABOUT.search(before) or DOES.match(behind))


def _are_all(sentence: str, written: Iterable[str]) -> bool:
    """Whether a message is no more than addresses: an answer."""
    return not re.sub(
        r"[\W_]", "", re.sub(r"\b(?:and|or|to|use|it's|its|is|please|the|address|at)\b", "", _without(sentence, written, ""))
    )


def _without(sentence: str, written: Iterable[str], instead: str = "anna") -> str:
    for address in written:
        sentence = sentence.replace(address, instead)
    return sentence


def _normal(written: Iterable[str]) -> Iterator[str]:
    yield from filter(None, map(normal_address, written))
