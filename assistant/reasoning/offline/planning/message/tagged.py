"""A statement that is put as a question: "that doesn't clash with anything, does it?", "I'm free on Friday, right?"."""

import re

from assistant.reasoning.offline.lexicon import lexicon

PRONOUN = r"(?:it|they|he|she|i|we|there|that|this|those|these)"
TAG = re.compile(
    rf"(?P<said>.+?)(?:\s*,\s*|\s+)(?:(?P<aux>do|does|did|is|are|am|was|were|have|has|had|will|would|can|could|should|ai)"
    rf"(?:n['\u2019]?t)?\s+{PRONOUN}(?:\s+not)?"
    r"|(?P<bare>right|correct|no|yes|yeah|true|isn['\u2019]?t that (?:so|right)|or (?:not|no|am i wrong)))"
    r"\s*\?[?!]*\s*",
    re.IGNORECASE | re.DOTALL,
)
LEAD = re.compile(r"^(?:(?:so|and|but|ok|okay|right|well|then|hm|hmm|oh|ah|now|wait)\b[\s,.]*)+", re.IGNORECASE)
AUXILIARY = r"do|does|did|is|are|am|was|were|have|has|had|will|would|can|could|should"
STATED = re.compile(
    rf"(?P<subject>(?:(?!\b(?:{AUXILIARY})\b|n['\u2019]t|['\u2019](?:s|re|m|ll|ve|d)\b).)+?)"
    rf"(?:\s+(?P<aux>{AUXILIARY})(?:n['\u2019]?t|\s+not)?|(?P<short>['\u2019](?:s|re|m|ll|ve|d)))\s+(?P<rest>.+)",
    re.IGNORECASE | re.DOTALL,
)
FULL = {"s": "is", "re": "are", "m": "am", "ll": "will", "ve": "have", "d": "would"}


def asked_back(text: str) -> str:
    """The question without its tag, what is denied asked plainly; empty where the text has no such tag or speaks to "you"."""
    found = TAG.fullmatch(text.strip())
    if found is None:
        return ""
    said = LEAD.sub("", found["said"]).strip(" ,")
    if not _begins_with_subject(said):
        return ""
    if (stated := STATED.fullmatch(said)) is not None:
        aux = stated["aux"] or FULL[stated["short"].lstrip("'\u2019").lower()]
        return f"{aux.lower()} {_small(stated['subject'].strip())} {stated['rest']}?"
    aux = (found["aux"] or "").lower()
    if aux in ("do", "does", "did"):
        return f"{aux} {_small(said)}?"
    plural = re.match(r"(?:i|we|they|those|these|both)\b", said, re.IGNORECASE)
    return f"do {_small(said)}?" if found["bare"] and plural else ""


def _begins_with_subject(said: str) -> bool:
    """Somebody or something; "cancel it, right?" is no statement."""
    first = re.match(r"[\w.-]*", said)
    word = first[0] if first is not None else ""
    if re.fullmatch(AUXILIARY, word, re.IGNORECASE):
        return False
    return word.lower() in LEADING | {"i"} or (word[:1].isupper() and lexicon().verbs.at([word.lower()], 0) is None)


def _small(words: str) -> str:
    """With the small first letter of a word that is no name."""
    first = words.split()[0] if words else ""
    return words if first == "I" or first.lower() not in LEADING else words[0].lower() + words[1:]


LEADING = frozenset("we he she it they there that this those these the my our both nobody nothing everyone".split())
