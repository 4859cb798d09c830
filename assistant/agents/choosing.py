"""Which of several choices a description means: "the one at Lumen", "the lamp man", "the one who sent the samples"."""

import re
from collections.abc import Iterable, Sequence

from assistant.agents.base import Desk
from assistant.agents.words import alike, tokens
from assistant.reasoning.offline.lexicon import lexicon
from assistant.values import Choice, Question
from integrations.errors import IntegrationError
from integrations.types import ContactQuery, MailQuery

LEAD = re.compile(
    r"(?:(?:no|oh|ah|um|er|hm|well|sorry|please|i|it'?s|that'?s|that would be|mean|meant|want|need|is|was|think|make it"
    r"|let'?s say)\b[\s,]*)*"
)
PHRASE = re.compile(r"(?:the|that|this|my|our|whoever|from|at|with|about)\s+\S.*")
SEVERAL = re.compile(r"[.;!?]\s+\S|,\s+(?:and|but|then)\b|\b(?:not|except|but|neither|both)\b")
"""What says more than which one it is, or says which one it is not."""
BUT = re.compile(
    r"(?:(?:no|oh|well|hm|just|certainly|definitely|it'?s|i (?:do not|don'?t) mean|any(?:one|body) but)\b[\s,]*)*"
    r"(?:not|any(?:one|body) but|don'?t mean)\s+(?P<who>\S[^.,;!?]*)"
)
""" "Not the lamp man", "anyone but Kern": which one of two it is not."""
LONGEST = 10
MAILS = 20
"""The newest mails of each whose subjects say what somebody is known for."""


async def described(question: Question, words: str, desk: Desk) -> Choice | None:
    """The only choice that all words of the description fit: by its label, else its card, else what they wrote about."""
    if (but := BUT.fullmatch(_plain(words))) is not None and len(question.choices) == 2:
        ruled_out = await _described(question, _words_in(but["who"]), desk)
        return next((choice for choice in question.choices if ruled_out and choice != ruled_out), None)
    return await _described(question, _description(words), desk)


async def _described(question: Question, wanted: Sequence[str], desk: Desk) -> Choice | None:
    if question.trigger != "ambiguous" or len(question.choices) < 2 or not wanted:
        return None
    labels = [f"{choice.label} {choice.value}" for choice in question.choices]
    if found := _only(question.choices, labels, wanted):
        return found
    cards = [await _card(choice.value, desk) for choice in question.choices]
    if found := _only(question.choices, [f"{label} {card}" for label, card in zip(labels, cards, strict=True)], wanted):
        return found
    written = [await _written(choice.value, desk) for choice in question.choices]
    texts = [" ".join(parts) for parts in zip(labels, cards, written, strict=True)]
    return _only(question.choices, texts, wanted)


def _description(words: str) -> list[str]:
    """The words that tell which one; none where the message is no description."""
    said = _plain(words)
    said = said[match.end() :] if (match := LEAD.match(said)) else said
    return _words_in(said) if PHRASE.fullmatch(said) and not SEVERAL.search(said) else []


def _plain(words: str) -> str:
    return words.strip(" .!").replace("\u2019", "'").casefold()


def _words_in(said: str) -> list[str]:
    found = tokens(said)
    return [word for word in found if word not in lexicon().small["describing"]] if len(found) <= LONGEST else []


def _only(choices: Sequence[Choice], texts: Sequence[str], wanted: Iterable[str]) -> Choice | None:
    wanted = list(wanted)
    there = [set(tokens(text)) for text in texts]
    fits = [n for n, known in enumerate(there) if all(any(alike(word, one) for one in known) for word in wanted)]
    return choices[fits[0]] if len(fits) == 1 else None


async def _card(value: str, desk: Desk) -> str:
    """What the cards with this address say; nothing where they can't be read."""
    if "@" not in value:
        return ""
    try:
        found = (await desk.readers.contacts.search(ContactQuery(email=value))).items
    except IntegrationError:
        return ""
    return " ".join(f"{card.name} {card.company} {card.title}" for card in found)


async def _written(value: str, desk: Desk) -> str:
    if "@" not in value:
        return ""
    try:
        found = (await desk.readers.mail.search(MailQuery(sender=(value,), limit=MAILS))).items
    except IntegrationError:
        return ""
    return " ".join(mail.subject for mail in found)
