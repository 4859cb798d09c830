"""Codes and sign-in links of other texts that come up again in a text, though nothing there says what they are."""

import re
from base64 import urlsafe_b64decode
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import islice
from unicodedata import digit
from urllib.parse import unquote

from risk.code_words import YEAR
from risk.codes import codes_in
from risk.pieces import Piece
from risk.secret_links import random_value, secret_links_in

MOST = 50
"""Codes of one text that are looked for."""
LONGEST_VALUE = 2000
WINDOW = 14
"""Characters of a link's long random value by which it is known again."""
DIGITS = (
    "0|zero|oh|null", "1|one|eins?", "2|two|zwei|zwo", "3|three|drei", "4|four|vier", "5|five|f(?:\u00fc|ue)nf", "6|six|sechs",
    "7|seven|sieben", "8|eight|acht", "9|nine|neun",
)  # fmt: skip
TENS = (
    "", "ten", "twenty|zwanzig", "thirty|drei(?:\u00df|ss)ig", "forty|vierzig", "fifty|f(?:\u00fc|ue)nfzig", "sixty|sechzig",
    "seventy|siebzig", "eighty|achtzig", "ninety|neunzig",
)  # fmt: skip
TEENS = (
    "ten|zehn", "eleven|elf", "twelve|zw(?:\u00f6|oe)lf", "thirteen|dreizehn", "fourteen|vierzehn", "fifteen|f(?:\u00fc|ue)nfzehn",
    "sixteen|sechzehn", "seventeen|siebzehn", "eighteen|achtzehn", "nineteen|neunzehn",
)  # fmt: skip
FILLING = "\0"
"""Stands for the rest of a word that was read as digits, so that each place stays the same."""
BETWEEN = rf"{FILLING}*+[\W_]{{0,3}}"
_ONES, _TENS = "|".join(DIGITS[1:]), "|".join(TENS[2:])
COMPOUND = re.compile(
    rf"\b(?:(?P<teen>{'|'.join(TEENS)})|(?P<unit>{_ONES}|ein)und(?P<zig>{_TENS})|(?P<ten>{_TENS})(?:[ -]?(?P<one>{_ONES}))?)\b",
    re.IGNORECASE,
)
SPOKEN = re.compile("|".join(f"({ways})" for ways in DIGITS), re.IGNORECASE)
NO_SIGN = re.compile(r"[\W_]+")
HEX = re.compile(r"(?=[0-9]*[a-f])(?=[a-f]*[0-9])[0-9a-f]{5,400}|(?:3[0-9]){4,40}")
ENCODED = re.compile(r"(?:%[0-9a-f]{2}){4,400}|(?<![A-Za-z0-9])[a-z0-9_-]{5,4000}", re.IGNORECASE)
MOST_ENCODED = 300
"""Words of one text that are read as base64, hexadecimal and the like."""
APART = " \u2026 "
"""Stands between two places of a text that belong together."""


def leaked(text: str, other: str) -> Iterator[Piece]:
    """Those of `other`, as they stand in `text`: also spaced out, backwards, in words, and encoded."""
    for code in codes_beside_links(other)[:MOST]:
        if found := _code_in(text, code):
            yield Piece("code", found)
    for link in secret_links_in(other):
        value = random_value(link)[:LONGEST_VALUE]
        windows = [value[at : at + WINDOW] for at in range(0, max(1, len(value) - WINDOW + 1), WINDOW // 2)]
        if place := next((text.find(window) + 1 for window in (*windows, *(one[::-1] for one in windows)) if window in text), 0):
            yield Piece("secret_link", _whole(text, place - 1))
        elif found := next((word for word, plain in _decoded(text) if any(window in plain for window in windows)), ""):
            yield Piece("secret_link", found)


def torn(texts: Sequence[str], beside: Sequence[str], other: str) -> Iterator[Piece]:
    """The codes of `other` that no one text holds, but several of them together. `beside`: texts that go out along with these."""
    own, everything = "\n".join(texts), "\n".join((*texts, *beside))
    for code in codes_beside_links(other)[:MOST] if own else ():
        found = spelt_out(code, own) or _in_halves(code, own, everything)
        if found and not any(_code_in(text, code) for text in (*texts, *beside)):
            yield Piece("code", found)


def _in_halves(code: str, text: str, everything: str) -> str:
    """The two parts of a code that stand in different places, at least one of them in the text."""
    plain = "".join(char for char in code if char.isalnum())
    if len(plain) < 6:
        return ""
    for cut in range(2, len(plain) - 1):
        parts = (plain[:cut], plain[cut:])
        told = all(any(map(str.isdigit, part)) and not YEAR.fullmatch(part) for part in parts)
        if told and all(_alone(part, everything) for part in parts) and any(_alone(part, text) for part in parts):
            return APART.join(parts)
    return ""


def _alone(part: str, text: str) -> bool:
    return part in text and re.search(rf"(?<![\w.,:]){re.escape(part)}(?![\w:]|[.,]\d)", text) is not None


def _code_in(text: str, code: str) -> str:
    found = spelt_out(code, text)
    if not found and spelt_out(code, _all_decoded(text)):
        found = next((word for word, plain in _decoded(text) if spelt_out(code, plain)), "")
    return found


@lru_cache(64)
def _all_decoded(text: str) -> str:
    return "\n".join(plain for _, plain in _decoded(text))


@lru_cache(64)
def _decoded(text: str) -> tuple[tuple[str, str], ...]:
    """The words of a text that can be read as something else, each with what that is."""
    words = (found[0] for found in islice(ENCODED.finditer(text), MOST_ENCODED))
    return tuple((word, plain) for word in words for plain in _readings(word))


def _readings(word: str) -> Iterator[str]:
    if "%" in word:
        yield unquote(word)
        return
    number = word.lower().removeprefix("0x")
    if HEX.fullmatch(number):
        yield str(int(number, 16))
        if len(number) % 2 == 0:
            yield from _printable(bytes.fromhex(number))
    if len(word) > 5:
        yield from _printable(urlsafe_b64decode(word + "=" * (-len(word) % 4)) if len(word) % 4 != 1 else b"")


def _printable(octets: bytes) -> Iterator[str]:
    if octets.isascii() and (text := octets.decode("ascii")).isprintable():
        yield text


def codes_beside_links(text: str) -> tuple[str, ...]:
    """Without the random values of sign-in links, which are told as links."""
    links = secret_links_in(text)
    return tuple(code for code in codes_in(text) if not any(code in link for link in links))


def spelt_out(code: str, text: str) -> str:
    """A code as a text has it, in whatever way; empty where it has not."""
    plain, code = _plain_digits(text), _plain_digits(code)
    if sum(map(str.isalnum, code)) > 4:  # "ten thirty" is a time of day
        plain = _numbers_as_digits(plain)
    found = _looked_for(code).search(plain) if _could_hold(plain, code) else None
    if found is None:
        return ""
    rest = plain[found.end() :]
    return text[found.start() : len(text) - len(rest.lstrip(FILLING))]


@lru_cache(64)
def _plain_digits(text: str) -> str:
    """With the digits of every script, also circled or raised ones, as 0 to 9, each in its place."""
    return text if text.isascii() else "".join(str(digit(char, char)) for char in text)


def _could_hold(text: str, code: str) -> bool:
    """Quickly told, for all of many codes: whether its signs are there in a row, whatever stands between them."""
    signs = "".join(filter(str.isalnum, code)).lower()
    return any(way in row for row in _rows(text) for way in (signs, signs[::-1]))


@lru_cache(128)
def _rows(text: str) -> tuple[str, str]:
    """The letters and digits of a text; and the same with words for digits as these."""
    worded = SPOKEN.sub(lambda found: str(found.lastindex - 1 if found.lastindex else ""), text)
    return NO_SIGN.sub("", text).lower(), NO_SIGN.sub("", worded).lower()


@lru_cache(64)
def _numbers_as_digits(text: str) -> str:
    """The same of words for numbers from 10 to 99."""
    return COMPOUND.sub(_two_digits, text)


def _two_digits(found: re.Match[str]) -> str:
    if found["teen"]:
        digits = f"{10 + _which(TEENS, found['teen'])}"
    else:
        one = found["one"] or found["unit"]
        digits = f"{_which(TENS, found['ten'] or found['zig'])}{_which(DIGITS, one) if one else 0}"
    return digits.ljust(len(found[0]), FILLING)


def _which(words: Sequence[str], word: str) -> int:
    return next(number for number, ways in enumerate(words) if ways and re.fullmatch(ways, word, re.IGNORECASE))


def _whole(text: str, at: int) -> str:
    """The word around a place."""
    start = max((text.rfind(blank, 0, at) for blank in ' \n\t<>"'), default=-1) + 1
    ends = [end for blank in ' \n\t<>"' if (end := text.find(blank, at)) >= 0]
    return text[start : min(ends, default=len(text))]


@lru_cache(256)
def _looked_for(code: str) -> re.Pattern[str]:
    plain = [char for char in code if char.isalnum()]
    digits = "".join(plain)
    if len(plain) < 4 or YEAR.fullmatch(digits):
        return re.compile(rf"(?<!\w){re.escape(code)}(?!\w)") if len(plain) > 4 else re.compile(r"(?!)")
    ways = [plain, plain[::-1]] if len(plain) > 5 else [plain]
    written = (
        BETWEEN.join(f"(?:{DIGITS[int(char)]})" if char in "0123456789" else re.escape(char) for char in way) for way in ways
    )
    # What is long is known again within other letters, too; what is short may be a part of any number.
    before, behind = (
        (r"(?<!\d)", r"(?!\d)") if len(plain) > 5 and any(map(str.isdigit, plain)) else (r"(?<![\w.,/])", r"(?!\w|[.,]\d)")
    )
    return re.compile(rf"{before}(?:{'|'.join(written)}){behind}", re.IGNORECASE)
