"""What a model tells the user to do, by an address, a link or a number that others gave: such words are theirs, and must say so."""

import re
from collections.abc import Iterator

from assistant.reasoning.llm.links import ADDRESS, LINK, undisguised

SENTENCE = re.compile(r"(?<=[.!?;])\s+|\n+")
OPENING = (
    r"(?:[\s\-*\u2022>\"'(]|\d{1,2}[.)]|(?:please|kindly|now|then|so|also|and|just|simply|immediately|urgently|important|urgent"
    r"|note|action (?:needed|required)|to (?:get|fix|solve|resolve|unlock|restore|secure|confirm|verify|continue)[^,]{0,60},"
    r"|(?:for|in order to|if) [^,]{0,80},|you (?:should|must|need to|have to|ought to|had better|are asked to|will need to"
    r"|may want to)|i (?:recommend|suggest|advise)(?: that)?(?: you)?(?: to)?|it is best to|(?:be|make) sure to"
    r"|(?:do not|don't) forget to)"
    r"\b[\s:,!]*)*"
)
DOING = (
    r"(?:write|writing|mail|e-?mail|send|reply|respond|answer|forward|contact|call|phone|ring|dial|text|message|sign|log|login"
    r"|click|tap|go|visit|open|follow|use|pay|transfer|wire|buy|download|install|enter|confirm|verify|update|reset|reach"
    r"|get in touch|turn|head|check|see|submit|fill|scan)"
)
TELLING = re.compile(rf"{OPENING}{DOING}\b", re.IGNORECASE)
PHONE = re.compile(r"(?<![\w.])\+?\d[\d\s()/.-]{6,}\d(?!\w)")


def advises(words: str) -> Iterator[str]:
    """Sentences that tell the user, in the assistant's own voice, to turn to an address, a link or a number."""
    for sentence in SENTENCE.split(undisguised(words)):
        if TELLING.match(sentence) and (ADDRESS.search(sentence) or LINK.search(sentence) or PHONE.search(sentence)):
            yield sentence.strip()
