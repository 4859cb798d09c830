"""Numbers in the forms in which people say the same one: whether a text's figures stand in what it was made from."""

import re
from collections.abc import Iterator

NUMBER = re.compile(r"\d+(?:[.,:/ \u00a0\u202f\u2019']\d+)*")
THOUSANDS = re.compile(r"(\d{1,3}(?:[., \u00a0\u202f\u2019']\d{3})+)([.,]\d{1,2})?")
DECIMAL = re.compile(r"(\d+)[.,](\d{1,2})")
SPACE = re.compile(r"[ \u00a0\u202f]")
DAY = re.compile(r"\b(\d{1,2})\.(\d{1,2})\.(\d{4}|\d{2})?(?!\d)")
CLOCK = re.compile(r"\b(\d{1,2})(?:[:.](\d{2}))?\s*([ap])\.?m\b", re.IGNORECASE)
TIME = re.compile(r"\b([01]?\d|2[0-4])[:.]([0-5]\d)\b(?!\s*[ap]\.?m\b)", re.IGNORECASE)
HOUR = re.compile(r"\bat (\d{1,2})\b(?![:.]?\d)", re.IGNORECASE)
PLACE = re.compile(r"(?m)^[ \t]*\d{1,3}[.)]\s")
BULLET = re.compile(r"(?m)^[ \t]*[-•*]\s")
SMALL = frozenset("01")

UNITS = "one two three four five six seven eight nine".split()
TEENS = "ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen".split()
TENS = "twenty thirty forty fifty sixty seventy eighty ninety".split()
GREAT = {"hundred": 100, "thousand": 1000, "million": 1_000_000, "billion": 1_000_000_000}
VALUES = {word: n for n, word in enumerate([*UNITS, *TEENS], 1)} | {word: 10 * n for n, word in enumerate(TENS, 2)} | {"dozen": 12}
TWO_WORDS = re.compile(rf"\b({'|'.join(TENS)})[- ]({'|'.join(UNITS)})\b", re.IGNORECASE)
ONE_WORD = re.compile(rf"\b({'|'.join(word for word in VALUES if word != 'one')})\b", re.IGNORECASE)
MANY = re.compile(rf"\b(?:(\d+(?:[.,]\d+)?|an?|one)[ -])?({'|'.join(GREAT)})\b", re.IGNORECASE)
MONTHS = "january february march april may june july august september october november december".split()
MONTH = re.compile(rf"\b(?:{'|'.join(f'{name[:3]}(?:{name[3:]})?' for name in MONTHS)}|sept)\b", re.IGNORECASE)


def unknown_numbers(text: str, known: str) -> Iterator[str]:
    """Numbers of a text, in figures or words, that are none of what is `known`; the places of a numbered list are no numbers."""
    there, text = _known(known), _in_figures(PLACE.sub("", text))
    for found in CLOCK.finditer(text):
        if _exact(found) not in there:
            yield found[0]
    text = CLOCK.sub(" ", text)
    for found in DAY.finditer(text):
        if not {_plain(part) for part in found.groups() if part} <= there:
            yield found[0]
    yield from (number for number in NUMBER.findall(DAY.sub(" ", text)) if not _stands(number, there))


def _in_figures(text: str) -> str:
    """ "Twenty-five" as 25, "two thousand" as 2000; a lone "one" is hardly ever a number."""
    text = TWO_WORDS.sub(lambda found: str(VALUES[found[1].casefold()] + VALUES[found[2].casefold()]), text)
    text = ONE_WORD.sub(lambda found: str(VALUES[found[1].casefold()]), text)
    return MANY.sub(_multiplied, text)


def _multiplied(found: re.Match[str]) -> str:
    times = float(found[1].replace(",", ".")) if found[1] and found[1][0].isdigit() else 1.0
    return f"{times * GREAT[found[2].casefold()]:.0f}"


def _known(text: str) -> frozenset[str]:
    there = {*SMALL, str(len(BULLET.findall(text)))}
    text = _in_figures(text)
    for number in NUMBER.findall(text):
        there |= _forms(number) | _parts(number)
    for found in CLOCK.finditer(text):
        hour, _, minute = _exact(found)[1:].partition(":")
        there |= _time(int(hour), minute)
    for hour, minute in TIME.findall(text):
        there |= _time(int(hour), minute) | (_time(int(hour) + 12, minute) if 0 < int(hour) < 12 and hour[0] != "0" else set())
    for hour in HOUR.findall(text):
        there |= {f"@{int(hour) % 12}:00", f"@{int(hour) % 12 + 12}:00"}
    return frozenset(there | {str(_month(found[0])) for found in MONTH.finditer(text)})


def _month(name: str) -> int:
    return next(n for n, month in enumerate(MONTHS, 1) if month.startswith(name[:3].casefold()))


def _stands(number: str, there: frozenset[str]) -> bool:
    return bool(_forms(number) & there) or (bool(parts := _parts(number)) and parts <= there)


def _forms(number: str) -> set[str]:
    """The whole number as plain as it gets: 1,250.00 and 1 250 are 1250, 3.50 is 3.5, 49 30 12 is 493012, 15.30 may be 15:30."""
    forms = {_plain(re.sub(r"\D", "", number))} if SPACE.search(number) else set()
    if found := THOUSANDS.fullmatch(number):
        return forms | {_amount(re.sub(r"\D", "", found[1]), (found[2] or "")[1:])}
    if found := DECIMAL.fullmatch(number):
        return {_amount(found[1], found[2]), f"{_plain(found[1])}:{found[2]}"}
    return forms | {_plain(number)}


def _amount(whole: str, part: str) -> str:
    part = part.rstrip("0")
    return f"{_plain(whole)}.{part}" if part else _plain(whole)


def _parts(number: str) -> set[str]:
    """What a time, a date, a list or spaced groups consist of; an amount is one."""
    if DECIMAL.fullmatch(number) or (THOUSANDS.fullmatch(number) and not SPACE.search(number)):
        return set()
    return {_plain(part) for part in re.split(r"\D", number)}


def _exact(found: re.Match[str]) -> str:
    """ "3 pm" as @15:00."""
    return f"@{int(found[1]) % 12 + (12 if found[3].casefold() == 'p' else 0)}:{found[2] or '00'}"


def _time(hour: int, minute: str) -> set[str]:
    """A time of the 24-hour clock in the forms of either, also as the hour to which it is "a quarter"."""
    hours = {hour, hour % 12 or 12}
    to_come = {(hour + 1) % 12 or 12} if int(minute) > 30 else set()
    return {f"@{hour}:{minute}", *(f"{one}:{minute}" for one in hours), *map(str, hours | to_come), _plain(minute)}


def _plain(number: str) -> str:
    return number.lstrip("0") or "0"
