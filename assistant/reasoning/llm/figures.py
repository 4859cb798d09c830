"""Numbers in the forms in which people say the same one: whether a text's figures stand in what it was made from."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import pairwise

from assistant.reasoning.llm.dates import NAMED_DATE, NUMERIC_DATE, dates_of, unknown_dates

NUMBER = re.compile(r"\d+(?:[.,:/ \u00a0\u202f\u2019']\d+)*")
THOUSANDS = re.compile(r"(\d{1,3}(?:[., \u00a0\u202f\u2019']\d{3})+)([.,]\d{1,2})?")
DECIMAL = re.compile(r"(\d+)[.,](\d{1,2})")
SPACE = re.compile(r"[ \u00a0\u202f]")
CLOCK = re.compile(r"\b(\d{1,2})(?:[:.](\d{2}))?\s?([ap])\.?m\b", re.IGNORECASE)
TIME = re.compile(r"(?<![\d:.,])([01]?\d|2[0-4])([:.])([0-5]\d)(?!\d|[:.,]\d)(?!\s?[ap]\.?m\b)", re.IGNORECASE)
_WHEN = "at|from|to|until|till|between|since|before|after|past|around|by"
_AFTERWARDS = (
    "and|to|or|until|till|on|in|is|was|are|were|if|with|for|o'?clock|sharp|today|tomorrow|tonight|this|next|every|each|the|you|i|"
    "mon|tue|wed|thu|fri|sat|sun|" + "|".join(f"{day}day" for day in "mon tues wednes thurs fri satur sun".split())
)
HOUR = re.compile(
    rf"(?:\b(?:{_WHEN}) |\bbetween (?:\d{{1,2}}|@) and |@ ?[-\u2013] ?|@ and )(?P<after>\d{{1,2}})(?![\w@]|[:.,/]\d)"
    rf"(?=\W*$|[^\w\s]| (?:(?:{_AFTERWARDS})\b|@))"
    r"|\b(?P<before>\d{1,2})(?= ?(?:o'?clock\b|[-\u2013] ?@))|\b(?P<range>\d{1,2})(?= (?:and|to|or) @)",
    re.IGNORECASE | re.MULTILINE,
)
"""An hour by itself, where other times stand as @."""
HALVES = re.compile(r"\b(?:(half|quarter) past|(quarter) to) (\d{1,2})\b", re.IGNORECASE)
ORDINAL = re.compile(r"\b(\d{1,2})(?:st|nd|rd|th)\b", re.IGNORECASE)
YEAR = re.compile(r"(?:(?<=#)|(?<=#,)|\b(?:in|of|since|from|until|by|year|for))\s?\b((?:19|20)\d\d)\b(?! [a-z])", re.IGNORECASE)
COUNT = re.compile(
    r"(?<![\d.,:])(\d{1,6}) (?!more|other|further)(?:[a-z]{1,12} ){0,2}?"
    r"(?:e-?mails?|mails?|messages?|events?|meetings?|appointments?|invitations?|contacts?)\b",
    re.IGNORECASE,
)
COUNTED = re.compile(r"\((?:showing )?(\d{1,6})|\bof (\d{1,6})")
PHONE = re.compile(r"\+\d(?:[ \u00a0\u202f()/.-]{0,2}\d){6,18}(?!\d)")
PLACE = re.compile(r"(?m)^[ \t]*\d{1,3}[.)]\s")
BULLET = re.compile(r"(?m)^[ \t]*[-•*]\s")
MAIL = re.compile(r"(?m)^From: ")
THOUSANDFOLD = re.compile(r"(?<![\d.,])(\d[\d.,]{0,20}) ?(k|bn)\b", re.IGNORECASE)
SMALL = frozenset("01")

UNITS = "one two three four five six seven eight nine".split()
TEENS = "ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen".split()
TENS = "twenty thirty forty fifty sixty seventy eighty ninety".split()
GREAT = {"hundred": 100, "thousand": 1000, "million": 1_000_000, "billion": 1_000_000_000}
VALUES = {word: n for n, word in enumerate([*UNITS, *TEENS], 1)} | {word: 10 * n for n, word in enumerate(TENS, 2)} | {"dozen": 12}
TWO_WORDS = re.compile(rf"\b({'|'.join(TENS)})[- ]({'|'.join(UNITS)})\b", re.IGNORECASE)
ONE_WORD = re.compile(rf"\b({'|'.join(word for word in VALUES if word != 'one')})\b", re.IGNORECASE)
MANY = re.compile(rf"\b(?:(\d+(?:[.,]\d+)?|an?|one)[ -])?({'|'.join(GREAT)})\b", re.IGNORECASE)
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
    """Numbers of a text, in figures or words, that are none of what is `known`; the places of a numbered list are no numbers.
    Times and dates vouch for times and dates, and for nothing else."""
    there, given = known_figures(known), _read(PLACE.sub("", text))
    yield from (told for told, time in given.times if not time & there.of_times)
    yield from (told for told, hour in given.hours if not hour & (there.of_times | there.of_hours))
    yield from (told for told, day in given.days if day not in there.days and day not in there.numbers)
    yield from (year for year in given.years if year not in there.years and year not in there.numbers)
    yield from (told for told, whole in given.phones if whole not in there.wholes)
    yield from (number for number in given.left if not _stands(number, there))
    yield from (found[0] for found in COUNT.finditer(_in_figures(text)) if _plain(found[1]) not in there.counts)
    yield from unknown_amounts(_in_figures(text), _in_figures(known))
    yield from unknown_dates(_in_figures(text), known)


def unknown_phones(text: str, known: str) -> Iterator[str]:
    there = known_figures(known).wholes
    yield from (told for told, whole in _read(PLACE.sub("", text)).phones if whole not in there)


@dataclass
class _Given:
    """The figures of a text by what they are: each as it is told, with what it can mean. `dotted` may be times or amounts; `dated`
    are days of whole dates, `days` those that stand alone; `left` is what is neither of a time nor of a date."""

    times: list[tuple[str, frozenset[str]]] = field(default_factory=list)
    dotted: list[tuple[str, frozenset[str]]] = field(default_factory=list)
    hours: list[tuple[str, frozenset[str]]] = field(default_factory=list)
    dated: set[str] = field(default_factory=set)
    days: list[tuple[str, str]] = field(default_factory=list)
    years: list[str] = field(default_factory=list)
    phones: list[tuple[str, str]] = field(default_factory=list)
    left: list[str] = field(default_factory=list)


@lru_cache(32)
def _read(text: str) -> _Given:
    """Takes from the text, one kind after the other, what it has understood; "@" stays of a time and "#" of a date."""
    given = _Given()

    def clock(found: re.Match[str]) -> str:
        given.times.append((found[0], _clock(found)))
        return "@"

    def time(found: re.Match[str]) -> str:
        dotted = found[2] == "."
        (given.dotted if dotted else given.times).append((found[0], _time(found[1], found[3])))
        return found[0] if dotted else "@"

    def hour(found: re.Match[str]) -> str:
        name = found.lastgroup or ""
        start, end = (at - found.start() for at in found.span(name))
        if int(found[name]) > 24:
            return found[0]
        given.hours.append((found[0], _either(int(found[name]), "00")))
        return f"{found[0][:start]}@{found[0][end:]}"

    def date(found: re.Match[str]) -> str:
        days = {str(day) for day, _ in dates_of(found)}
        given.dated |= days
        given.years += re.findall(r"\b\d{4}\b", found[0])
        return "#" if days else found[0]

    def ordinal(found: re.Match[str]) -> str:
        given.days.append((found[0], found[1].lstrip("0")))
        return "#"

    def year(found: re.Match[str]) -> str:
        given.years.append(found[1])
        return "#"

    def phone(found: re.Match[str]) -> str:
        given.phones.append((found[0], re.sub(r"\D", "", found[0])))
        return " "

    text = HALVES.sub(_on_the_clock, _in_figures(text))
    for pattern, taken in (
        (PHONE, phone), (CLOCK, clock), (NAMED_DATE, date), (NUMERIC_DATE, date), (TIME, time), (HOUR, hour), (HOUR, hour),
        (ORDINAL, ordinal), (YEAR, year),
    ):  # fmt: skip
        text = pattern.sub(taken, text)
    given.left = NUMBER.findall(text)
    return given


def unknown_amounts(text: str, known: str) -> Iterator[str]:
    """Numbers that stand with another currency, or with a percent sign, than they are known with."""
    given = [(unit, number, whole) for unit, number, whole in _quantities(text) if unit]
    there: dict[str, set[str]] = {}
    for unit, number, _ in _quantities(known) if given else ():
        for form in _forms(number):
            there.setdefault(form, set()).add(unit)
    for unit, number, whole in given:
        units = {one for form in _forms(number) for one in there.get(form, ())}
        if units and not units & {unit, ""}:
            yield whole


def _quantities(text: str) -> Iterator[tuple[str, str, str]]:
    """Each number's unit (empty where it has none), itself, and how both stand there."""
    for found in QUANTITY.finditer(text):
        sign = (found[1] or found[3] or "").casefold()
        yield UNITS_OF.get(sign, sign), found[2], found[0].strip()


@lru_cache(256)
def _in_figures(text: str) -> str:
    """ "Twenty-five" as 25, "two thousand" as 2000; a lone "one" is hardly ever a number."""
    text = THOUSANDFOLD.sub(lambda found: _times(found[1], 1000 if found[2] in "kK" else 10**9), text)
    low = text.casefold()
    if not any(word in low for word in (*VALUES, *GREAT)):
        return text  # the patterns below take their time
    text = TWO_WORDS.sub(lambda found: str(VALUES[found[1].casefold()] + VALUES[found[2].casefold()]), text)
    text = ONE_WORD.sub(lambda found: str(VALUES[found[1].casefold()]), text)
    return MANY.sub(_multiplied, text)


def _multiplied(found: re.Match[str]) -> str:
    return _times(found[1] if found[1] and found[1][0].isdigit() else "1", GREAT[found[2].casefold()])


def _times(number: str, factor: int) -> str:
    whole = THOUSANDS.fullmatch(number)
    plain = re.sub(r"\D", "", number) if whole or not DECIMAL.fullmatch(number) else number.replace(",", ".")
    return f"{float(plain) * factor:.0f}"


@dataclass(frozen=True)
class _There:
    """What is known: `counts` of mails and the like, `numbers` in all forms, `wholes` of them and of phone numbers in digits."""

    counts: frozenset[str]
    numbers: frozenset[str]
    wholes: frozenset[str]
    of_times: frozenset[str]
    of_hours: frozenset[str]
    days: frozenset[str]
    years: frozenset[str]


@lru_cache(256)  # many words are held against the same reports
def known_figures(text: str) -> _There:
    given = _read(PLACE.sub("", text))
    counts = {*SMALL, str(len(BULLET.findall(text))), str(len(MAIL.findall(text))), *_places(text)}
    numbers = set(counts)
    counts.update(_plain(found[1]) for found in COUNT.finditer(_in_figures(text)))
    counts.update(_plain(found[1] or found[2]) for found in COUNTED.finditer(text))
    for number in given.left:
        numbers |= _forms(number) | _parts(number)
    return _There(
        counts=frozenset(counts),
        numbers=frozenset(numbers),
        wholes=frozenset({whole for _, whole in given.phones} | {re.sub(r"\D", "", number) for number in given.left}),
        of_times=frozenset().union(*(times for _, times in (*given.times, *given.dotted))),
        of_hours=frozenset().union(*(times for _, times in given.hours)),
        days=frozenset(given.dated.union(day for _, day in given.days)),
        years=frozenset(given.years),
    )


def _places(text: str) -> Iterator[str]:
    """How many a numbered list has."""
    places = [int(re.sub(r"\D", "", found)) for found in PLACE.findall(text)]
    yield from (str(one) for one, after in pairwise([*places, 0]) if after <= one)


def _stands(number: str, there: _There) -> bool:
    if forms := _forms(number) & there.numbers:
        return bool(forms)
    if (dotted := DECIMAL.fullmatch(number)) and _either(int(dotted[1]), dotted[2]) & there.of_times:
        return True
    whole = re.sub(r"\D", "", number)
    return (len(whole) > 4 and whole in there.wholes) or (bool(parts := _parts(number)) and parts <= there.numbers)


def _forms(number: str) -> set[str]:
    """The whole number as plain as it gets: 1,250.00 and 1 250 are 1250, 3.50 is 3.5, 49 30 12 is 493012."""
    forms = {_plain(re.sub(r"\D", "", number))} if SPACE.search(number) else set()
    if found := THOUSANDS.fullmatch(number):
        return forms | {_amount(re.sub(r"\D", "", found[1]), (found[2] or "")[1:])}
    if found := DECIMAL.fullmatch(number):
        return {_amount(found[1], found[2])}
    return forms | {_plain(number)}


def _amount(whole: str, part: str) -> str:
    part = part.rstrip("0")
    return f"{_plain(whole)}.{part}" if part else _plain(whole)


def _parts(number: str) -> set[str]:
    """What a list or spaced groups consist of; an amount and a ratio are one."""
    if ":" in number or DECIMAL.fullmatch(number) or (THOUSANDS.fullmatch(number) and not SPACE.search(number)):
        return set()
    return {_plain(part) for part in re.split(r"\D", number)}


def _clock(found: re.Match[str]) -> frozenset[str]:
    """ "3 pm" as 15:00."""
    return frozenset({f"{int(found[1]) % 12 + (12 if found[3].casefold() == 'p' else 0)}:{found[2] or '00'}"})


def _time(hour: str, minute: str) -> frozenset[str]:
    """A time of the 24-hour clock, unless it is written as nobody does there: then it may be either half of the day's."""
    return frozenset({f"{int(hour) % 24}:{minute}"}) if hour[0] == "0" or int(hour) > 9 else _either(int(hour), minute)


def _either(hour: int, minute: str) -> frozenset[str]:
    return frozenset({f"{hour % 24}:{minute}", f"{(hour + 12) % 24}:{minute}"} if hour <= 12 else {f"{hour % 24}:{minute}"})


def _on_the_clock(found: re.Match[str]) -> str:
    """ "Half past 4" as 4:30."""
    hour = int(found[3]) - (1 if found[2] else 0)
    return f"{hour % 12 or 12}:{'45' if found[2] else '30' if found[1].casefold() == 'half' else '15'}"


def _plain(number: str) -> str:
    return number.lstrip("0") or "0"
