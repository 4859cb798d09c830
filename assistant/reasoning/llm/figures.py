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
MAIL = re.compile(r"(?m)^From: ")
THOUSANDFOLD = re.compile(rf"({NUMBER.pattern}) ?(k|bn)\b", re.IGNORECASE)
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


_MONTH = MONTH.pattern.removeprefix(r"\b").removesuffix(r"\b")
_DAYS = r"\d{1,2}(?:st|nd|rd|th)?(?:(?: ?[-\u2013,&] ?| and | to )\d{1,2}(?:st|nd|rd|th)?){0,3}"
NAMED_DATE = re.compile(
    rf"(?:\b(?P<weekday>mon|tue|wed|thu|fri|sat|sun)[a-z]*,? (?:the )?)?"
    rf"(?:\b(?P<days>{_DAYS})(?: of)? (?P<after>{_MONTH})\b|\b(?P<before>{_MONTH})\.? (?P<later>{_DAYS})(?![\d:]| ?[ap]m))",
    re.IGNORECASE,
)
NUMERIC_DATE = re.compile(
    r"(?<!at )(?<!from )(?<!to )(?<!until )(?<![\d./])(?:\d{4}-(?P<m>\d{2})-(?P<d>\d{2})|"
    r"(?P<a>\d{1,2})[./](?P<b>\d{1,2})(?:[./](?:\d{4}|\d{2}\b)|\.(?= |$)))(?!\d)"
)
_CURRENCY = "[$\u20ac\u00a3\u00a5]|EUR|USD|GBP|CHF|JPY"
QUANTITY = re.compile(
    rf"(?:({_CURRENCY}) ?)?({NUMBER.pattern})(?: ?({_CURRENCY}|euros?|dollars?|pounds?|francs?|yen|%|percent|per cent)(?!\w))?",
    re.IGNORECASE,
)
UNITS_OF = {
    "$": "usd", "dollar": "usd", "dollars": "usd", "\u20ac": "eur", "euro": "eur", "euros": "eur", "\u00a3": "gbp", "pound": "gbp",
    "pounds": "gbp", "\u00a5": "jpy", "yen": "jpy", "franc": "chf", "francs": "chf", "percent": "%", "per cent": "%",
}  # fmt: skip


def unknown_numbers(text: str, known: str) -> Iterator[str]:
    """Numbers of a text, in figures or words, that are none of what is `known`; the places of a numbered list are no numbers."""
    there, text = _known(known), _in_figures(PLACE.sub("", text))
    for found in CLOCK.finditer(text):
        if _exact(found) not in there:
            yield found[0]
    text = CLOCK.sub(" ", text)
    for found in DAY.finditer(text):
        if not ({_plain(part) for part in found.groups() if part} <= there or _forms(found[0].rstrip(".")) & there):
            yield found[0]
    yield from (number for number in NUMBER.findall(DAY.sub(" ", text)) if not _stands(number, there))
    yield from unknown_amounts(text, _in_figures(known))
    yield from unknown_dates(text, known)


def unknown_amounts(text: str, known: str) -> Iterator[str]:
    """Numbers that stand with another currency, or with a percent sign, than they are known with."""
    there: dict[str, set[str]] = {}
    for unit, number, _ in _quantities(known):
        for form in _forms(number):
            there.setdefault(form, set()).add(unit)
    for unit, number, whole in _quantities(text):
        units = {one for form in _forms(number) for one in there.get(form, ())}
        if unit and units and not units & {unit, ""}:
            yield whole


def _quantities(text: str) -> Iterator[tuple[str, str, str]]:
    """Each number's unit (empty where it has none), itself, and how both stand there."""
    for found in QUANTITY.finditer(text):
        sign = (found[1] or found[3] or "").casefold()
        yield UNITS_OF.get(sign, sign), found[2], found[0].strip()


def unknown_dates(text: str, known: str) -> Iterator[str]:
    """Days of a month that are known of no such month, or as another weekday."""
    there: dict[tuple[int, int], set[str]] = {}
    for found in (*NAMED_DATE.finditer(known), *NUMERIC_DATE.finditer(known)):
        for date in _dates(found):
            there.setdefault(date, set()).add(_weekday(found))
    for found in (*NAMED_DATE.finditer(text), *NUMERIC_DATE.finditer(text)):
        if re.search(rf"(?<![\d.]){re.escape(found[0].rstrip('.'))}(?![\d.]\d)", known):
            continue  # in these very words, be it a date or not
        dates = set(_dates(found))
        days = {day for date in dates for day in there.get(date, ())} - {""}
        if dates and (not dates & there.keys() or (days and _weekday(found) and _weekday(found) not in days)):
            yield found[0].strip()


def _dates(found: re.Match[str]) -> Iterator[tuple[int, int]]:
    """Day and month, in either order where figures leave it open; both ends of a range."""
    if found.re is NUMERIC_DATE:
        first, second = (
            (int(part) for part in (found["a"], found["b"]) if part) if found["a"] else (int(found["d"]), int(found["m"]))
        )
        yield from {(day, month) for day, month in ((first, second), (second, first)) if month <= 12 and day <= 31}
        return
    month = _month(found["before"] or found["after"])
    yield from ((int(day), month) for day in re.findall(r"\d{1,2}", found["days"] or found["later"]))


def _weekday(found: re.Match[str]) -> str:
    return (found.groupdict().get("weekday") or "")[:3].casefold()


def _in_figures(text: str) -> str:
    """ "Twenty-five" as 25, "two thousand" as 2000; a lone "one" is hardly ever a number."""
    text = TWO_WORDS.sub(lambda found: str(VALUES[found[1].casefold()] + VALUES[found[2].casefold()]), text)
    text = ONE_WORD.sub(lambda found: str(VALUES[found[1].casefold()]), text)
    text = THOUSANDFOLD.sub(lambda found: _times(found[1], 1000 if found[2] in "kK" else 10**9), text)
    return MANY.sub(_multiplied, text)


def _multiplied(found: re.Match[str]) -> str:
    return _times(found[1] if found[1] and found[1][0].isdigit() else "1", GREAT[found[2].casefold()])


def _times(number: str, factor: int) -> str:
    whole = THOUSANDS.fullmatch(number)
    plain = re.sub(r"\D", "", number) if whole or not DECIMAL.fullmatch(number) else number.replace(",", ".")
    return f"{float(plain) * factor:.0f}"


def _known(text: str) -> frozenset[str]:
    there = {*SMALL, str(len(BULLET.findall(text))), str(len(MAIL.findall(text)))}
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
