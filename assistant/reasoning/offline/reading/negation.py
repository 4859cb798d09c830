"""Conditions without their negation."""

from collections.abc import Sequence

from assistant.reasoning.offline.reading.text.items import Item

POSITIVE = {"no": "any", "nobody": "anybody", "nothing": "anything"}


def positive(text: str, items: Sequence[Item]) -> tuple[str, bool]:
    """A condition without its negation, and whether it had one: "don't have any" -> "have any", "are no" -> "are any"."""
    negated = False
    out: list[str] = []
    for at, item in enumerate(items):
        if item.kind == "word" and item.low in ("not", "never"):
            negated = not negated
            if out and out[-1].strip().lower() in ("do", "does", "did"):
                out.pop()
            elif item.begin == (items[at - 1].end if at else -1) and out and out[-1].lower() in ("ca", "wo"):
                out[-1] = {"ca": "can", "wo": "will"}[out[-1].lower()]
            continue
        if item.kind == "word" and item.low in ("busy", "booked", "occupied", "unavailable"):
            negated = not negated
            out.append("free")
            continue
        if item.kind == "word" and item.low in POSITIVE and (at or item.low != "no"):
            negated = not negated
            out.append(POSITIVE[item.low])
            continue
        piece = text[item.begin : item.end]
        if out and item.begin == items[at - 1].end:
            out[-1] += piece
        else:
            out.append(piece)
    return " ".join(out), negated
