"""Numbers of bank accounts (IBAN, ISO 13616) and of payment cards (ISO/IEC 7812), which their check digits set apart."""

import re
from functools import lru_cache
from itertools import islice

MOST = 200
IBAN = re.compile(r"(?<!\w)[A-Z]{2}\d\d(?:[ \u00a0-]?[A-Z0-9]){11,30}(?!\w)", re.IGNORECASE)
CARD = re.compile(
    r"(?<![\w+.,-])(?:3[47]\d\d(?:[ \u00a0-]?\d){11}|(?:4|5[1-5]|2[2-7])\d{2,3}(?:[ \u00a0-]?\d){12})(?![\w]|[.,-]\d)"
)


@lru_cache(64)
def ibans_in(text: str) -> tuple[str, ...]:
    """As they stand there, each once."""
    return tuple(dict.fromkeys(iban for found in islice(IBAN.finditer(text), MOST) if (iban := _iban(found[0]))))


@lru_cache(64)
def cards_in(text: str) -> tuple[str, ...]:
    """As they stand there, each once."""
    found = (one[0] for one in islice(CARD.finditer(text), MOST))
    return tuple(dict.fromkeys(card for card in found if len(bare(card)) in (15, 16) and _luhn(bare(card))))


def bare(number: str) -> str:
    return re.sub(r"[\W_]", "", number).upper()


def _iban(text: str) -> str:
    """Without the words behind it that could be read as a part of it."""
    words = re.split(r"(?<=\w)(?=[ \u00a0-])", text)
    tries = ("".join(words[:end]) for end in range(len(words), 0, -1))
    return next((one for one in tries if _checks(bare(one))), "")


def _checks(iban: str) -> bool:
    return 15 <= len(iban) <= 34 and int("".join(str(int(char, 36)) for char in iban[4:] + iban[:4])) % 97 == 1


def _luhn(digits: str) -> bool:
    doubled = (sum(divmod(2 * int(digit), 10)) for digit in digits[-2::-2])
    return (sum(map(int, digits[-1::-2])) + sum(doubled)) % 10 == 0
