"""What somebody wrote in a mail, sentence by sentence: without greeting, signature and quoted history."""

import re

from assistant.reasoning.quoting import WRAPPED_AT

_BULLET = re.compile(r"^\s*(?:[-*•·\u2013]|\d{1,2}[.)])\s+")
_ENDS = re.compile(r"(?<![.!?…])[.!?…]+[\"')\]\u201d\u2019]*\s+|[\u3002\uff01\uff1f]")
_ABBREVIATION = re.compile(
    r"(?<!\w)(?:[A-Z]|mr|mrs|ms|dr|prof|st|vs|etc|e\.g|i\.e|approx|ca|inc|ltd|co|dept|fig|jan|feb|mar|apr|jun|jul|aug"
    r"|sept?|oct|nov|dec|mon|tue|wed|thu|fri|z\.b|d\.h|bzw|usw)\.$",
    re.IGNORECASE,
)
_LONGEST_ABBREVIATION = 6


def sentences(text: str) -> tuple[str, ...]:
    """In order, each verbatim but for its line breaks."""
    return tuple(sentence for block in _blocks(text) for sentence in _split(block))


def _blocks(text: str) -> list[str]:
    """Paragraphs, list items and lines that stand alone; what ends in a colon goes with what it introduces."""
    blocks: list[str] = []
    previous = ""
    for line in text.split("\n"):
        stripped = line.strip()
        introduced = blocks and blocks[-1].endswith(":")
        continues = (introduced or len(previous) >= WRAPPED_AT) and not _BULLET.match(line)
        if stripped and blocks and continues:
            blocks[-1] += f" {stripped}"
        elif stripped:
            blocks.append(_BULLET.sub("", line).strip())
        previous = stripped
    return blocks


_DAY_OF_MONTH = re.compile(
    r"(?:.*\D)?\d{1,2}\.\s+(?:jan|feb|mär|mar|apr|mai|may|jun|jul|aug|sep|okt|oct|nov|dez|dec)", re.IGNORECASE
)
""" "27. Nov", as Germans write it."""


def _split(block: str) -> list[str]:
    found: list[str] = []
    begin = 0
    for end in _ENDS.finditer(block):
        abbreviated = _ABBREVIATION.search(block, max(end.start() - _LONGEST_ABBREVIATION, begin), end.start() + 1)
        dated = _DAY_OF_MONTH.fullmatch(block[max(end.start() - 3, begin) : end.end() + 3])
        if not abbreviated and not dated and not block[end.end() : end.end() + 1].islower():
            found.append(block[begin : end.end()].strip())
            begin = end.end()
    rest = block[begin:].strip()
    return [*found, rest] if rest else found
