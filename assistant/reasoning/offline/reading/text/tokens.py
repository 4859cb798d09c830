"""Text into tokens: words with their clitics apart, and whole: quotes, addresses, references, telephone numbers. Of several
addresses in one nobody knows which is meant: none is taken."""

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

Kind = Literal["word", "number", "punct", "quote", "address", "phone", "ref", "time", "person", "name", "subject"]

APOSTROPHE = "\u2019"
_TOKEN = re.compile(
    r"""
      \{(?P<ref>\d+|shown\d?|line\d+|proposal)\}
    | (?P<quote>"[^"]*" | “[^”]*” | „[^“”]*[“”] | «[^»]*» | \u2018(?:[^\u2019]|\u2019(?=\w))*\u2019
        | (?<!\w)'(?=\S)(?:(?!'(?!\w)).|(?<=s)'(?=[ ]\w[^']*(?:(?<=\w)'(?=\w)[^']*)*(?<=\S)'(?!\w)))*'(?!\w))
    | (?P<several>[\w.+%-]{1,64}@[\w.-]++(?:@|[<(\[:\\"]<?[\w.+%-]{1,64}@)[^\s,;]*)
    | <?(?P<address>[\w.+%-]{1,64}@[\w-]+(?:\.[\w-]+)+)>?
    | (?P<phone>(?:\+|\b0)\d(?:[ ()/.-]{0,2}\d){5,} | \b\d{3}[-. ](?:\d{3}[-. ])?\d{4}\b)
    | (?P<number>\d+(?:[:.,/]\d+)*(?:[^\W\d_]+\b)?)
    | (?P<word>[ap]\.m\.(?!\w) | (?:dr|mr|mrs|ms|prof|st|tel|mob)\.(?=\s) | \bw/(?=\s) | [^\W\d_]+(?:['\u2019&-]?\w+)*)
    | (?P<punct>\S)
    """,
    re.VERBOSE | re.IGNORECASE | re.DOTALL,
)
_QUOTES = tuple(
    (re.compile(opener), re.compile(closer))
    for opener, closer in (("„", "[“”]"), ("“", "”"), ("«", "»"), ("\u2018", "\u2019"), (r"(?<!\w)'", r"'(?!\w)"))
)
PLAIN = "\u00a6"
_CLITIC = re.compile(r"(?i)(.+?)(n['\u2019]t|['\u2019](?:s|ll|ve|re|d|m))$")
_CLITICS = {"n't": "not", "'s": "'s", "'ll": "will", "'ve": "have", "'re": "are", "'d": "would", "'m": "am"}
_BASES = {"ca": "can", "wo": "will", "sha": "shall"}
_UNMARKED = {
    "dont": ("do", "not", 2), "doesnt": ("does", "not", 2), "didnt": ("did", "not", 2), "isnt": ("is", "not", 2),
    "arent": ("are", "not", 2), "wasnt": ("was", "not", 2), "werent": ("were", "not", 2), "havent": ("have", "not", 2),
    "hasnt": ("has", "not", 2), "hadnt": ("had", "not", 2), "cant": ("can", "not", 2), "cannot": ("can", "not", 3),
    "couldnt": ("could", "not", 2), "wont": ("will", "not", 2), "wouldnt": ("would", "not", 2), "shouldnt": ("should", "not", 2),
    "whats": ("what", "'s", 1), "whos": ("who", "'s", 1), "whens": ("when", "'s", 1), "wheres": ("where", "'s", 1),
    "hows": ("how", "'s", 1), "thats": ("that", "'s", 1), "theres": ("there", "'s", 1), "im": ("i", "am", 1),
    "ive": ("i", "have", 2), "weve": ("we", "have", 2), "youve": ("you", "have", 2), "theyve": ("they", "have", 2),
    "youre": ("you", "are", 2), "theyre": ("they", "are", 2), "lets": ("let", "us", 1), "gimme": ("give", "me", 2),
    "todays": ("today", "'s", 1), "tomorrows": ("tomorrow", "'s", 1), "yesterdays": ("yesterday", "'s", 1),
    "tonights": ("tonight", "'s", 1), "lemme": ("let", "me", 2), "wanna": ("want", "to", 2), "gonna": ("going", "to", 2),
    "gotta": ("have", "to", 2),
}  # fmt: skip
"""Everyday spellings of two words as one, with how many letters belong to the second."""


@dataclass(frozen=True, slots=True)
class Token:
    """`low` is what the lexicon is asked for; `text` stays as written. `begin` and `end` are offsets into the text."""

    kind: Kind
    text: str
    low: str
    begin: int
    end: int


@lru_cache(maxsize=64)
def tokenise(text: str) -> tuple[Token, ...]:
    found: list[Token] = []
    for match in _TOKEN.finditer(_without_open_quotes(text)):
        kind, begin, end = match.lastgroup, match.start(), match.end()
        raw = text[begin:end]
        if kind == "word":
            found.extend(_word(raw, begin, end))
        elif kind == "quote":
            found.append(Token("quote", raw[1:-1].strip(), "", begin, end))
        elif kind in ("ref", "address", "phone"):
            inner = match.group(kind)
            found.append(
                Token("ref" if kind == "ref" else "phone" if kind == "phone" else "address", inner, inner.lower(), begin, end)
            )
        elif kind == "number":
            found.append(Token("number", raw, raw.lower(), begin, end))
        else:
            found.append(Token("punct", raw, raw, begin, end))
    return tuple(found)


def _without_open_quotes(text: str) -> str:
    """Quotation marks that nothing closes become plain marks, so that no search for their end runs through the rest again and
    again. Every character keeps its place."""
    for opener, closer in _QUOTES:
        last = max((found.start() for found in closer.finditer(text)), default=-1)
        if opener.search(text, last + 1):
            text = text[: last + 1] + opener.sub(PLAIN, text[last + 1 :])
    return text


def _word(raw: str, begin: int, end: int) -> tuple[Token, ...]:
    low = raw.lower().replace(APOSTROPHE, "'")
    if low in _UNMARKED:
        first, second, letters = _UNMARKED[low]
        cut = end - letters
        return (Token("word", raw, first, begin, cut), Token("word", "", second, cut, end))
    clitic = _CLITIC.fullmatch(raw)
    if clitic is None:
        return (Token("word", raw, low, begin, end),)
    base, tail = clitic.groups()
    cut = begin + len(base)
    base_low = base.lower()
    if base_low == "let" and len(tail) == 2:
        return (Token("word", base, "let", begin, cut), Token("word", tail, "us", cut, end))
    word = _BASES.get(base_low, base_low) if tail.lower().startswith("n") else base_low
    return (Token("word", base, word, begin, cut), Token("word", tail, _CLITICS[tail.lower().replace(APOSTROPHE, "'")], cut, end))
