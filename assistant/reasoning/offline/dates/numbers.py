"""Numbers in digits and in words."""

from assistant.reasoning.offline.dates.lexicon import CARDINALS, ORDINALS, SUFFIXES, TENS
from assistant.reasoning.offline.dates.nodes import Match
from assistant.reasoning.offline.dates.tokens import Sentence

FIRST_YEAR, LAST_YEAR = 1900, 2199


def _in_words(s: Sentence, i: int) -> Match[int]:
    """0 to 99: "nine", "twenty one", "twenty-one"."""
    word = s.words[i]
    if word in CARDINALS:
        return CARDINALS[word], i + 1
    if word not in TENS:
        return None
    j = i + 2 if s.words[i + 1] == "-" and s.glued(i + 1) else i + 1
    unit = CARDINALS.get(s.words[j], 0)
    return (TENS[word] + unit, j + 1) if 0 < unit < 10 else (TENS[word], i + 1)


def cardinal(s: Sentence, i: int) -> Match[int]:
    number = s.numbers[i]
    return (number, i + 1) if number is not None else _in_words(s, i)


def amount(s: Sentence, i: int) -> Match[float]:
    """A quantity: digits with a decimal part, words, "a", "a couple of", "one and a half"."""
    word = s.words[i]
    if word in ("a", "an", "another"):
        if s.words[i + 1] in ("couple", "few"):
            return amount(s, i + 1)
        return (1.0, i + 1) if word != "a" or s.words[i + 1] != "." else None
    if word in ("couple", "few"):
        return (2.0 if word == "couple" else 3.0), i + 2 if s.words[i + 1] == "of" else i + 1
    found = cardinal(s, i)
    if not found:
        return None
    value, j = float(found[0]), found[1]
    if s.words[j] in (".", ",") and s.glued(j) and s.glued(j + 1) and s.numbers[j + 1] is not None and s.numbers[i] is not None:
        return float(f"{s.raw[i]}.{s.raw[j + 1]}"), j + 2
    if s.words[j] == "and" and s.words[j + 1] in ("a", "one") and s.words[j + 2] == "half":
        return value + 0.5, j + 3
    if value in (20, 30, 40, 50) and s.words[j] == "and" and (more := _in_words(s, j + 1)) and more[0] < 10:
        return value + more[0], more[1]
    return value, j


def ordinal(s: Sentence, i: int) -> Match[int]:
    """ "5th", "fifth", "twenty-seventh"; digits need their suffix."""
    word, number = s.words[i], s.numbers[i]
    if number is not None:
        return (number, i + 2) if s.words[i + 1] in SUFFIXES and s.glued(i + 1) else None
    if word in ORDINALS:
        return ORDINALS[word], i + 1
    if word in TENS:
        j = i + 2 if s.words[i + 1] == "-" else i + 1
        unit = ORDINALS.get(s.words[j], 0)
        return (TENS[word] + unit, j + 1) if 0 < unit < 10 else None
    return None


def year(s: Sentence, i: int, *, short: bool = False) -> Match[int]:
    """Four digits or words; with `short` also '26 and 26."""
    number = s.numbers[i]
    if number is None:
        return _year_in_words(s, i)
    digits = len(s.raw[i])
    if digits == 4 and FIRST_YEAR <= number <= LAST_YEAR and not _decimal(s, i):
        return number, i + 1
    if short and digits == 2:
        return (2000 if number < 70 else 1900) + number, i + 1
    return None


def _decimal(s: Sentence, i: int) -> bool:
    return s.words[i + 1] in (".", ",") and s.glued(i + 1) and s.glued(i + 2) and s.numbers[i + 2] is not None


def _year_in_words(s: Sentence, i: int) -> Match[int]:
    """ "nineteen eighty six", "nineteen hundred ninety", "two thousand and fifteen", "twenty twenty six"."""
    if s.words[i] == "two" and s.words[i + 1] == "thousand":
        j = i + 3 if s.words[i + 2] == "and" else i + 2
        rest = _in_words(s, j)
        return (2000 + rest[0], rest[1]) if rest else (2000, i + 2)
    if s.words[i] not in ("nineteen", "twenty"):
        return None
    j = i + 2 if s.words[i + 1] == "hundred" else i + 1
    rest = _in_words(s, j)
    if not rest or rest[0] < 10:
        return None
    return (1900 if s.words[i] == "nineteen" else 2000) + rest[0], rest[1]
