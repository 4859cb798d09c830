"""Turns how one speaks about a mail ("that I can't come", "whether she has time") into what stands in it."""

import re

PRONOUNS = {
    "she": {"she": "you", "her": "your", "hers": "yours", "herself": "yourself"},
    "he": {"he": "you", "him": "you", "his": "your", "himself": "yourself"},
    "they": {"they": "you", "them": "you", "their": "your", "theirs": "yours", "themselves": "yourselves"},
}
VERBS = {
    "has": "have", "is": "are", "was": "were", "does": "do", "hasn't": "haven't", "isn't": "aren't", "wasn't": "weren't",
    "doesn't": "don't", "goes": "go",
}  # fmt: skip
ADVERBS = frozenset(["still", "also", "already", "really", "ever", "never", "now", "maybe", "always", "just", "only"])

STATEMENT = re.compile(
    r"^(?:i|we|you|it|there|this|please|thanks|thank|yes|no|sure|okay|ok|fine|sorry|unfortunately|let)(?:'\w+)?\b", re.I
)
ASKING = re.compile(
    r"^(?:to\s+(?:ask|know|find out)\s+|ask(?:ing)?\s+|about\s+)?(whether|if|when|where|what|which|how|who|why)\b\s*(.*)$", re.I
)
SUBJECT = re.compile(r"(she|he|they)('s|'re|'ve|'ll|'d)?", re.I)
THAT = re.compile(r"^(?:saying\s+|to\s+(?:say|tell (?:him|her|them))\s+)?that\s+(.+)$", re.I)
ASK_FOR = re.compile(r"^(?:(?:to\s+)?ask\s+|asking\s+)?for\s+(.+)$", re.I)
TO_DO = re.compile(r"^(?:to\s+ask\s+(?:him|her|them)\s+to|asking\s+(?:him|her|them)\s+to|to)\s+(.+)$", re.I)
ABOUT = re.compile(r"^(?:about|regarding|concerning)\s+", re.I)


def sentence_for(about: str, name: str) -> str:
    """One sentence or two to somebody called `name` (empty: several people, or nobody known)."""
    text = about.strip().rstrip(".")
    if said := THAT.match(text):
        return as_sentence(_addressed(said[1], name))
    if asked := ASKING.match(text):
        return _question(asked[1].lower(), _addressed(asked[2], name))
    if wanted := TO_DO.match(text):
        return as_sentence(f"could you please {_mine(wanted[1])}", end="?")
    if wanted := ASK_FOR.match(text):
        return as_sentence(f"I am writing to ask for {wanted[1]}")
    if STATEMENT.match(text):
        return as_sentence(text)
    return f"I am writing about {ABOUT.sub('', text)}.\n\n[details]"


def _question(word: str, clause: str) -> str:
    word = "whether" if word == "if" else word
    return as_sentence(f"I would like to know {word} {clause}".rstrip(" ?"))


def as_sentence(text: str, end: str = ".") -> str:
    """With a capital and an end."""
    text = re.sub(r"\bi\b(?=[\s']|$)", "I", text.strip())
    closed = text if text.endswith((".", "!", "?")) else text + end
    return closed[:1].upper() + closed[1:]


def _mine(clause: str) -> str:
    """A request as the one who asks puts it."""
    return re.sub(r"^(?:please\s+)", "", clause.strip(), flags=re.I)


def _addressed(clause: str, name: str) -> str:
    """The clause said to the one it is about: "she has her laptop" becomes "you have your laptop"; others spoken of stay."""
    first, _, others = clause.replace("\u2019", "'").partition(" ")
    rest = others.split()
    if name and first.casefold() == name.casefold():
        return " ".join(["you", *_agreeing(rest)])
    subject = SUBJECT.fullmatch(first)
    if subject is None:
        return clause
    pronoun, short = subject[1].lower(), subject[2] or ""
    forms = PRONOUNS[pronoun]
    rest = rest if short or pronoun == "they" else _agreeing(rest)
    return " ".join([f"you{_short(short, rest)}", *(forms.get(token.lower(), token) for token in rest)])


def _short(short: str, rest: list[str]) -> str:
    if short != "'s":
        return short
    return "'ve" if rest and rest[0] in ("got", "been", "had") else "'re"


def _agreeing(tokens: list[str]) -> list[str]:
    """The verb after "she" as it is after "you"; adverbs before it are passed over."""
    for place, token in enumerate(tokens):
        if token.lower() in ADVERBS:
            continue
        return [*tokens[:place], _second_person(token.lower()) if token.islower() else token, *tokens[place + 1 :]]
    return tokens


def _second_person(verb: str) -> str:
    if verb in VERBS:
        return VERBS[verb]
    if not verb.endswith("s") or verb.endswith("ss"):
        return verb
    if verb.endswith("ies") and len(verb) > 4:
        return verb[:-3] + "y"
    return verb[:-2] if verb.endswith(("ches", "shes", "sses", "xes", "zes")) else verb[:-1]
