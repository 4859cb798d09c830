"""Security codes of a text: one-time codes, PINs, passwords, keys. Found by what stands around them, in English and German."""

import re
from bisect import bisect
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import chain, islice

from risk.code_words import (
    ABOUT_ACCESS,
    BEFORE,
    BEHIND_NAME,
    CARD,
    CODE,
    COUNTED,
    DATE,
    FULL_STOP,
    HEADS,
    JOINS,
    LEAD,
    LOGIN,
    LONE,
    MEETING,
    NAMES,
    NO_PASSWORDS,
    ORDINARY,
    ORDINARY_LINE,
    PASSWORD,
    PASSWORD_TIE,
    PLAIN,
    SAVES,
    SECRET,
    SEED_PHRASE,
    STRONG,
    TAIL,
    TIED,
    TIES,
    USED,
    YEAR,
)

MOST = 2000
"""Words that are looked around for codes, of one text."""
REACH = 90
"""Characters between the word that says what a code is and the code itself; a code on a line of its own may be further off."""
REACH_OF_LINES = 600
LONGEST_WORD = 15
"""Characters of a word that somebody says of a password ("confidential")."""


Placed = tuple[int, str]
"""Where in the text, and what stands there."""


@lru_cache(64)
def codes_in(text: str) -> tuple[str, ...]:
    """As they stand there, in the order of the text, each once."""
    found = sorted({(at, code) for at, code in _codes(text)})
    return tuple(dict.fromkeys(code for _, code in found))


def _codes(text: str) -> Iterator[Placed]:
    names = list(_names(text))
    for name in names:
        if not _ordinary(text, name):
            yield from _after(text, name)
            yield from _before(text, name)
    for used in chain(islice(USED.finditer(text), MOST), islice(CARD.finditer(text), MOST)):
        if used.re is CARD or _like_a_code(used["code"], certain=True):
            yield used.start("code"), used["code"]
    yield from _lone(text, sorted([name.start() for name in names if not PLAIN.fullmatch(name[0])] + _spoken_of(text)))


def _names(text: str) -> Iterator[re.Match[str]]:
    """Only where one can stand: to look for all of them everywhere takes long."""
    spans: list[list[int]] = []
    for head in islice(HEADS.finditer(text), MOST):
        start, end = max(0, head.start() - LEAD), head.end() + TAIL
        if spans and start <= spans[-1][1]:
            spans[-1][1] = end
        else:
            spans.append([start, end])
    for start, end in spans:
        yield from NAMES.finditer(text, start, end)


def _spoken_of(text: str) -> list[int]:
    return [found.start() for found in islice(ABOUT_ACCESS.finditer(text), MOST)]


def _ordinary(text: str, name: re.Match[str]) -> bool:
    if ORDINARY.search(text[max(0, name.start() - 24) : name.start()]):
        return True
    if PLAIN.fullmatch(name[0]) and SAVES.search(text[max(0, name.start() - 60) : name.end() + 60]):
        return True
    around = text[max(0, name.start() - 200) : name.end() + 40]
    return not PASSWORD.match(name[0]) and MEETING.search(around) is not None


def _after(text: str, name: re.Match[str]) -> Iterator[Placed]:
    start = name.end()
    window = text[start : start + REACH + 64]
    if stop := FULL_STOP.search(window[:REACH]):
        window = window[: stop.start()]
    if phrase := SEED_PHRASE.match(text[start : start + 240]):
        yield start + phrase.start(1), phrase[1]
    if PASSWORD.match(name[0]) and (secret := _password(window, _signs_in(text, name))):
        yield start + secret[0], secret[1]
        return
    strong = STRONG.match(name[0]) is not None
    listed = False
    for code in islice(CODE.finditer(window), 12):
        gap = window[: code.start()]
        tied = listed or TIES.search(gap) is not None
        words = len(gap.split())
        if code.start() > REACH or not (tied or words <= strong):
            return
        if _follows(code, gap, tied, strong) and (strong or not COUNTED.match(window, code.end())):
            yield start + code.start(), code[0]
            listed = JOINS.match(window, code.end()) is not None
            if "\n" not in gap and not listed:
                return


def _follows(code: re.Match[str], gap: str, tied: bool, strong: bool) -> bool:
    """Whether what stands behind the name of a code, with that gap between them, is one."""
    if YEAR.fullmatch(code[0]):
        return TIED.search(gap) is not None or (strong and not gap.strip())
    digits = any(char.isdigit() for char in code[0])
    return (digits or (tied and len(gap.split()) <= 2)) and _like_a_code(code[0], strong or tied)


def _signs_in(text: str, name: re.Match[str]) -> bool:
    return LOGIN.search(text[max(0, name.start() - REACH) : name.start()]) is not None


def _before(text: str, name: re.Match[str]) -> Iterator[Placed]:
    start = max(0, name.start() - REACH)
    code = BEFORE.search(text[start : name.start()])
    if code and _like_a_code(code["code"], certain=True):
        yield start + code.start("code"), code["code"]


def _password(window: str, signs_in: bool) -> Placed | None:
    """After "password is" or "password:", unless an ordinary word stands there. `signs_in`: behind a user's name."""
    tie = PASSWORD_TIE.match(window)
    if signs_in and (found := BEHIND_NAME.match(window)) and not (tie and tie.end() <= found.start("secret")):
        return found.start("secret"), found["secret"]
    found = SECRET.match(window, tie.end()) if tie else None
    if not tie or not found:
        return None
    word = found[0].rstrip(".,;:!?*_)")
    if len(word) < 4 or word.lower() in NO_PASSWORDS or "://" in word:
        return None
    rest = window[found.end() :].partition("\n")[0].strip(" \t\"'\u201c\u201d`*.")
    alone = not rest and tie["mark"].strip() in (":", "=") and len(word) > 4
    quoted = window[tie.end() - 1] in "\"'\u201c\u201e\u2018`"
    return (found.start(), word) if alone or quoted or _no_word(word) else None


def _no_word(word: str) -> bool:
    """Whether nobody would find it in a dictionary."""
    if len(word) > LONGEST_WORD or any(char.isdigit() or not (char.isalnum() or char in "-/'\u2019") for char in word):
        return True
    return not (word.islower() or word.istitle() or word.isupper())


def _like_a_code(code: str, certain: bool) -> bool:
    if DATE.fullmatch(code):
        return False
    if YEAR.fullmatch(code):
        return certain
    if code.replace("-", "").isalpha():
        return code.isupper() and len(code) >= 5
    digits = sum(char.isdigit() for char in code)
    return digits >= 4 or (digits > 0 and len(code) >= 5 and (certain or digits >= 2))


def _lone(text: str, said: Sequence[int]) -> Iterator[Placed]:
    """Codes that stand on a line of their own, below words that speak of access, which stand at the places `said`."""
    for found in islice(LONE.finditer(text), MOST) if said else ():
        at, code = found.start("code"), found["code"]
        last = said[bisect(said, at) - 1] if said[0] < at else -REACH_OF_LINES
        above = text[max(0, at - 60) : at].strip().rpartition("\n")[2]
        digits = any(char.isdigit() for char in code)
        near = at - last < REACH_OF_LINES and not ORDINARY_LINE.search(above)
        if digits and near and _like_a_code(code.replace(" ", ""), certain=True):
            yield at, code
