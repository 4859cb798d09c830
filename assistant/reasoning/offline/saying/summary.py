"""Summaries and answers made of sentences that stand in the mails, and of nothing else."""

import re
from collections.abc import Sequence
from functools import lru_cache

from assistant.reasoning.offline.saying import cues
from assistant.reasoning.offline.saying.answering import answer_from, stems
from assistant.reasoning.offline.saying.prose import sentences
from assistant.reasoning.quoting import own_words
from integrations.types import Mail

__all__ = ["answer_from", "left_out", "summarise"]

MOST_LINES = 20
LONGEST_LINE = 240

_SIGNS: tuple[tuple[re.Pattern[str], float], ...] = (
    (cues.DATE, 2),
    (cues.TIME, 1),
    (cues.AMOUNT, 2),
    (cues.NUMBER, 1),
    (cues.SECRET, 3),
    (cues.DEADLINE, 1),
    (cues.NAME, 0.5),
    (cues.PLEASANTRY, -4),
)


def summarise(mails: Sequence[Mail], *, sentences: int = 3) -> str:
    """Of one mail its `sentences` weightiest, of several one line each, newest first. Says what it leaves out."""
    if not mails:
        return "There is no mail to summarise."
    if len(mails) == 1:
        return _one(mails[0], sentences)
    newest = sorted(mails, key=lambda mail: mail.date, reverse=True)
    letters = [mail for mail in newest if not mail.bulk] or newest
    lines = [f"- {_headed(mail)}" for mail in letters[:MOST_LINES]]
    return "\n".join([*lines, *left_out(len(letters) - MOST_LINES, len(newest) - len(letters))])


def left_out(older: int, newsletters: int) -> list[str]:
    """At most one line about mails that a summary does without."""
    counted = [
        f"{count} {noun if count == 1 else noun + 's'}"
        for count, noun in ((older, "older mail"), (newsletters, "newsletter"))
        if count > 0
    ]
    return [f"({' and '.join(counted)} not summarised)"] if counted else []


def _one(mail: Mail, most: int) -> str:
    said = _said(mail)
    weights = _weights(said, mail)
    best = sorted(sorted(range(len(said)), key=lambda at: (-weights[at], at))[:most])
    rest = len(said) - len(best)
    left_out = [f"({rest} more sentence{'' if rest == 1 else 's'} not shown)"] if rest else []
    return "\n".join(filter(None, [_heading(mail), " ".join(said[at] for at in best), *left_out]))


def _headed(mail: Mail) -> str:
    said = _said(mail)
    if not said:
        return _heading(mail)
    weights = _weights(said, mail)
    return f"{_heading(mail)}: {_shortened(said[max(range(len(said)), key=weights.__getitem__)])}"


def _heading(mail: Mail) -> str:
    sender = (mail.sender.name or mail.sender.email) if mail.sender else "(no sender)"
    return f"{sender}, {mail.subject or '(no subject)'}"


def _shortened(sentence: str) -> str:
    return sentence if len(sentence) <= LONGEST_LINE else sentence[:LONGEST_LINE].rsplit(" ", 1)[0] + " …"


def _said(mail: Mail) -> tuple[str, ...]:
    own = own_words(mail.body or mail.snippet, mail.sender.name if mail.sender else "")
    return tuple(sentence for sentence in sentences(own) if not cues.BOILERPLATE.search(sentence))


def _weights(said: Sequence[str], mail: Mail) -> list[float]:
    subject = stems(mail.subject)
    return [_weight(sentence, subject) + (at == 0) - 0.1 * at for at, sentence in enumerate(said)]


@lru_cache(4096)
def _weight(sentence: str, subject: frozenset[str]) -> float:
    words = len(sentence.split())
    weight = sum(points for pattern, points in _SIGNS if pattern.search(sentence))
    weight += 2 * cues.is_question(sentence) + 2 * cues.is_request(sentence)
    weight += min(len(stems(sentence) & subject), 3) * 0.5
    return weight - 2 * (words < 5) - (words > 45)
