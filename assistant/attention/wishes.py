"""What a mail's own words want of its reader."""

from datetime import date, datetime
from functools import lru_cache
from typing import NamedTuple
from zoneinfo import ZoneInfo

from assistant.attention.deadlines import deadline
from assistant.reasoning.offline.saying import cues
from assistant.reasoning.offline.saying.answering import stems
from assistant.reasoning.offline.saying.prose import sentences
from assistant.reasoning.quoting import own_words
from integrations.types import Mail

_INVITATION = cues.any_of(r"invitation:", r"einladung:", r"invite:")
_ANSWER = cues.any_of(
    r"accepted(?: tentatively)?:",
    r"tentative(?:ly accepted)?:",
    r"declined:",
    r"(?:event )?cancell?ed(?: event)?:",
    r"no longer invited:",
    r"(?:mit vorbehalt )?zugesagt:",
    r"(?:mit vorbehalt|abgelehnt|abgesagt):",
)
"""Begins the subject of a mail that brings a calendar and asks nothing: the answer of somebody invited, or the end of an event."""
_URGENT = cues.any_of(r"urgent\b", r"asap\b", r"important\b", r"time-sensitive\b", r"dringend\b")


class Wish(NamedTuple):
    invites: bool
    question: bool
    request: bool
    urgent: bool
    until: date | None


def wish_of(mail: Mail, zone: ZoneInfo) -> Wish:
    wish = _wish(*_words(mail), mail.date, zone)
    brought = any(part.content_type == "text/calendar" for part in mail.attachments)
    return wish._replace(invites=wish.invites or (brought and not _ANSWER.match(mail.subject)))


def asking_sentence(mail: Mail, zone: ZoneInfo) -> str:
    """The sentence that asks, or that names the day by which; empty where there is none, or the subject does so itself."""
    subject, text, sender = _words(mail)
    if cues.is_question(subject) or deadline((subject,), mail.date, zone):
        return ""
    said = sentences(own_words(text, sender))
    for asks in (cues.is_question, cues.is_request, lambda sentence: deadline((sentence,), mail.date, zone) is not None):
        if found := [sentence for sentence in said if asks(sentence)]:
            topic = stems(subject)
            return max(reversed(found), key=lambda sentence: _bearing(sentence, topic))
    return ""


def _words(mail: Mail) -> tuple[str, str, str]:
    return mail.subject, mail.body or mail.snippet, mail.sender.name if mail.sender else ""


@lru_cache(maxsize=4096)
def _wish(subject: str, text: str, sender: str, written: datetime, zone: ZoneInfo) -> Wish:
    said = (subject, *sentences(own_words(text, sender)))
    question = any(map(cues.is_question, said))
    return Wish(
        invites=bool(_INVITATION.match(subject)),
        question=question,
        request=not question and any(map(cues.is_request, said)),
        urgent=bool(_URGENT.search(subject)),
        until=deadline(said, written, zone),
    )


def _bearing(sentence: str, topic: frozenset[str]) -> float:
    """How much of what the mail is about a sentence bears; of those alike the last is meant, to which the others lead up."""
    dated = bool(cues.DATE.search(sentence)) + bool(cues.TIME.search(sentence))
    return len(stems(sentence) & topic) + dated + min(len(sentence.split()), 10) / 5 - sentence.startswith(("And ", "P.S.", "PS"))
