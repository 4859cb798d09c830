"""The user's words that fill a gap in a draft: "fill in: Monday at ten", "the second gap is: yes". Pure code."""

import re

from assistant.reasoning.offline.saying.writing import GAP

_PLACES = {word: n for n, word in enumerate("first second third fourth fifth sixth".split())}
_WHICH = rf"(?P<place>{'|'.join(_PLACES)}|last|\d)"
_NOUN = r"(?:gap|blank|bracket|placeholder|open point|point|answer|question)"
_GAP = rf"(?:the |my )?(?:{_WHICH} {_NOUN}|{_NOUN}(?: (?:number |no\. ?|#)?(?P<number>\d))?)"
FILLS = (
    re.compile(
        rf"(?:please )?(?:fill|answer|complete|replace)(?: in| out)? {_GAP}(?: with| by| as|:)?[ :]+(?P<words>.+)",
        re.IGNORECASE | re.DOTALL,
    ),
    re.compile(rf"(?:please )?(?:put|write|insert|enter) (?P<words>.+?) (?:in|into|for|as) {_GAP}[.!]?", re.IGNORECASE | re.DOTALL),
    re.compile(rf"{_GAP}(?: is| should be| shall be)?\s*:\s*(?P<words>.+)", re.IGNORECASE | re.DOTALL),
    re.compile(r"(?:please )?fill in\b[: ]+(?P<words>.+)", re.IGNORECASE | re.DOTALL),
)


def filled(text: str, body: str) -> str | None:
    """The body with the user's words in the place of a gap, the first where they name none; None where they fill none."""
    gaps = list(GAP.finditer(body))
    said = next((found for pattern in FILLS if (found := pattern.fullmatch(text.strip()))), None)
    if said is None or not gaps:
        return None
    place = _place(said.groupdict(), len(gaps))
    if place is None:
        return None
    gap, words = gaps[place], said["words"].strip().strip('"\u201c\u201d')
    return f"{body[: gap.start()]}{words}{body[gap.end() :]}" if words else None


def _place(named: dict[str, str | None], gaps: int) -> int | None:
    word = (named.get("place") or named.get("number") or "1").lower()
    place = gaps - 1 if word == "last" else _PLACES[word] if word in _PLACES else int(word) - 1
    return place if 0 <= place < gaps else None
