"""Amounts of money and phone numbers of a text."""

import re
from functools import lru_cache
from itertools import islice

MOST = 500
CURRENCIES = {
    "\u20ac": "EUR", "eur": "EUR", "euro": "EUR", "euros": "EUR", "$": "USD", "usd": "USD", "us$": "USD", "dollar": "USD",
    "dollars": "USD", "bucks": "USD", "\u00a3": "GBP", "gbp": "GBP", "pound": "GBP", "pounds": "GBP", "pfund": "GBP",
    "quid": "GBP", "chf": "CHF", "franken": "CHF", "francs": "CHF", "fr.": "CHF", "\u00a5": "JPY", "jpy": "JPY", "yen": "JPY",
    "pln": "PLN", "z\u0142": "PLN", "sek": "SEK", "nok": "NOK", "dkk": "DKK", "kr": "SEK", "cad": "CAD", "aud": "AUD",
    "inr": "INR", "\u20b9": "INR", "rupees": "INR", "btc": "BTC", "bitcoin": "BTC", "bitcoins": "BTC", "eth": "ETH",
    "usdt": "USDT", "\u20bf": "BTC", "cny": "CNY", "rmb": "CNY", "rub": "RUB", "\u20bd": "RUB",
}  # fmt: skip
TIMES = {
    "k": 10**3, "tsd": 10**3, "thousand": 10**3, "tausend": 10**3, "m": 10**6, "mio": 10**6, "mn": 10**6, "million": 10**6,
    "millions": 10**6, "millionen": 10**6, "bn": 10**9, "mrd": 10**9, "billion": 10**9, "billions": 10**9,
    "milliarden": 10**9,
}  # fmt: skip
_SIGNS = "|".join(sorted(map(re.escape, CURRENCIES), key=len, reverse=True))
_NUMBER = r"\d{1,15}(?:[.,'\u2019\u00a0\u202f ]\d{3}(?!\d)){0,5}(?:[.,]\d{1,8}(?!\d)|,-|,\u2013)?"
_MORE = r"(?:[ \u00a0]?(?:" + "|".join(sorted(TIMES, key=len, reverse=True)) + r")(?![\w]))?\.?"
AMOUNT = re.compile(
    rf"(?<![\w.,])(?:(?P<sign>{_SIGNS})[ \u00a0]?(?P<number>{_NUMBER})(?P<more>{_MORE})(?![\w])|"
    rf"(?P<number2>{_NUMBER})(?P<more2>{_MORE})[ \u00a0]?(?P<sign2>{_SIGNS})(?![\w]))",
    re.IGNORECASE,
)
NUMBER = re.compile(rf"(?<![\w.,]){_NUMBER}(?P<more>{_MORE})(?!\w)", re.IGNORECASE)

PHONE = re.compile(r"(?<![\w.,/@#=+-])\+?\(?\d(?:[ \u00a0./()-]{0,3}\d){6,16}(?![\w(]|[.,/-]\d|[ \u00a0]?(?:\u20ac|\$|%|EUR|\d))")
CALLED = re.compile(
    r"(?:tel(?:efon|ephone)?|phone|mobile|mobil|cell|handy|fax|call(?: me| us)?|ring|reach (?:me|us)|ruf\w*|anrufen|hotline|"
    r"whatsapp|signal|sms|text|nummer|number)\W{0,3}(?:\w+\W{1,3}){0,3}$",
    re.IGNORECASE,
)
NOT_CALLED = re.compile(
    r"(?:order|invoice|rechnung|bestell|tracking|sendung|parcel|paket|meeting|kunden|customer|account|konto|iban|ref\w*|ticket|case|"
    r"isbn|vat|ust|steuer|id|no|nr)\W{0,3}(?:\w+\W{1,2}){0,2}$",
    re.IGNORECASE,
)
DATE = re.compile(r"\d{4}[-./]\d\d?[-./]\d\d?|\d\d?[-./]\d\d?[-./](?:\d\d){1,2}|(?:19|20)\d\d[ \u2013-]{1,3}(?:19|20)?\d\d")


@lru_cache(64)
def amounts_in(text: str) -> tuple[str, ...]:
    """Numbers with a currency, as they stand there, in that order, each once."""
    return tuple(dict.fromkeys(found[0].rstrip(". ") for found in islice(AMOUNT.finditer(text), MOST)))


def worth(amount: str) -> tuple[str, str]:
    """The currency and the number of what `amounts_in` found, for comparing: "4.500,00 \u20ac" and "EUR 4500" are the same."""
    found = AMOUNT.match(amount)
    if not found:
        return "", _plain(amount)
    sign = CURRENCIES[(found["sign"] or found["sign2"]).lower()]
    return sign, _value(found["number"] or found["number2"], found["more"] or found["more2"] or "")


@lru_cache(64)
def numbers_in(text: str) -> frozenset[str]:
    """As `worth` writes them, with and without a currency."""
    return frozenset(
        _value(found[0].removesuffix(found["more"]), found["more"]) for found in islice(NUMBER.finditer(text), 4 * MOST)
    )


def _value(number: str, more: str) -> str:
    times = TIMES.get(more.strip(" \u00a0.").lower(), 1)
    plain = _plain(number)
    if times == 1:
        return plain
    whole, _, part = plain.partition(".")
    shift = len(str(times)) - 1
    return _plain(whole + part[:shift].ljust(shift, "0") + (f".{part[shift:]}" if part[shift:] else ""))


def _plain(number: str) -> str:
    """One way to write a number: what stands after the last mark are decimals, unless it is three digits."""
    number = re.sub(r"[,.][-\u2013]$", "", number.strip())
    head, mark, tail = "", "", number
    if found := re.search(r"([.,])(\d{1,2}|\d{4,8})$", number):
        head, mark, tail = number[: found.start()], ".", found[2]
    whole = re.sub(r"\D", "", head if mark else tail).lstrip("0") or "0"
    part = tail.rstrip("0") if mark else ""
    return f"{whole}.{part}" if part else whole


@lru_cache(64)
def phones_in(text: str) -> tuple[str, ...]:
    """Phone numbers, as they stand there, in that order, each once."""
    found = (one for one in islice(PHONE.finditer(text), MOST) if _is_phone(one, text))
    return tuple(dict.fromkeys(one[0] for one in found))


def _is_phone(found: re.Match[str], text: str) -> bool:
    number = found[0]
    digits = re.sub(r"\D", "", number)
    before = text[max(0, found.start() - 40) : found.start()]
    if not 7 <= len(digits) <= 15 or DATE.search(number) or NOT_CALLED.search(before):
        return False
    if number[0] == "+" or CALLED.search(before):
        return True
    grouped = bool(re.search(r"\d[ \u00a0./()-]+\d", number))
    american = re.fullmatch(r"\(?\d{3}\)?[ .-]{1,2}\d{3}[ .-]\d{4}", number)
    return bool(american) or (number.lstrip("(").startswith("0") and grouped and len(digits) >= 8)


def dialled(phone: str) -> str:
    """For comparing: "+49 30 123" and "(0049) 30/123" are the same; one without its country keeps its leading 0."""
    digits = re.sub(r"\D", "", re.sub(r"\(0\)", "", phone))
    if phone.strip().startswith("+"):
        return "+" + digits
    return "+" + digits[2:] if digits.startswith("00") else digits


def same_phone(one: str, other: str) -> bool:
    one, other = dialled(one), dialled(other)
    if one == other:
        return True
    home, abroad = sorted((one, other), key=lambda number: number.startswith("+"))
    if home.startswith("+") or not abroad.startswith("+"):
        return False
    rest = home.removeprefix("0")
    return len(rest) >= 6 and abroad.endswith(rest) and len(abroad) - len(rest) <= 4
