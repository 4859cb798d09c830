"""What stands around a request without changing it."""

import re

LEAD = re.compile(
    r"(?:(?:please|pls|plz|thanks|thank you|great|perfect|ok|okay|hey|hi|hello|so|also|and|then|now|well|good morning|from now on"
    r"|starting (?:now|today)|in (?:the )?future|would you mind|do you mind|can you|could you|would you|will you"
    r"|can i|could i|may i"
    r"|i want(?: you)? to|i(?:'d| would) like(?: you)? to"
    r"|i need you to|i want|i(?:'d| would) like|kindly|just|do)\b[\s,.!:-]*)+",
    re.IGNORECASE,
)
TAIL = re.compile(
    r"(?:[\s,]*\b(?:please|pls|plz|thanks|thank you|thx|cheers|from now on|if you can|would you|for me|ok|okay))*[\s.!?,;:]*$",
    re.IGNORECASE,
)
WORD = re.compile(r"[A-Za-z0-9][\w'-]*")


def plain(text: str) -> str:
    """On one line, with plain apostrophes, without what is said for politeness at its ends."""
    said = " ".join(text.replace("\u2019", "'").split())
    return TAIL.sub("", LEAD.sub("", said, count=1) if LEAD.match(said) else said).strip()


def capitalised(words: str) -> str:
    return words[:1].upper() + words[1:]


def tidy(words: str) -> str:
    """Without double blanks and what is left of joints at its ends."""
    short = re.sub(r"\s+([,.;!?])", r"\1", " ".join(words.split()))
    short = re.sub(r"^(?:[,;:.-]|and\b|then\b|also\b)+\s*|[\s,;:-]+$", "", short, flags=re.IGNORECASE)
    return TAIL.sub("", short).strip()


def short(words: str, most: int = 60) -> str:
    """Cut at a word."""
    return words if len(words) <= most else words[:most].rsplit(" ", 1)[0].rstrip(" ,;:") + "…"
