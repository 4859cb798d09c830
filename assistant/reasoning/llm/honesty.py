"""What a model's words are held against before anybody sees them: plain code over the reports that they are about."""

from assistant.reasoning.llm.claims import Strictness, claim
from assistant.reasoning.llm.clauses import plain
from assistant.reasoning.llm.codes import unknown_codes, unknown_security_codes
from assistant.reasoning.llm.dates import known_dates
from assistant.reasoning.llm.evidence import Reports
from assistant.reasoning.llm.figures import known_figures, unknown_numbers, unknown_phones
from assistant.reasoning.llm.freetime import unknown_free
from assistant.reasoning.llm.links import ADDRESS, misleading_links, pictures, unknown_addresses, unknown_links, without_links

__all__ = ["ADDRESS", "false_claims", "faults", "invented", "read_ahead", "unfounded"]

MOST = 12_000
"""Characters of the longest words that are read at all."""


def faults(reply: str, material: str, said: str = "", strictness: Strictness = "told", asked: str | None = None) -> tuple[str, ...]:
    """What `reply` holds that stands neither in `material` nor in what the user `said`, one clause each; none if honest. Where only
    a part of the material was `asked` about, addresses, links, codes and phone numbers must stand in that part."""
    if long := _too_long(reply):
        return long
    seen = (f"“{one}” is a picture or HTML, which nobody is shown" for one in pictures(reply, material))
    there = material if asked is None else asked
    codes = (f"the code {one} is in no report" for one in unknown_codes(reply, f"{there}\n{said}"))
    strange = () if asked is None else _strange(reply, f"{asked}\n{said}")
    free = (f"“{one}” is free in no report" for one in unknown_free(plain(reply), material) if strictness == "told")
    known = f"{material}\n{said}"
    found = (*unfounded(reply, known), *seen, *strange, *codes, *free, *false_claims(reply, material, said, strictness))
    return tuple(dict.fromkeys(found))


def _strange(reply: str, asked: str) -> tuple[str, ...]:
    """By what the user could be led to somebody whom they have not asked about."""
    phones = unknown_phones(without_links(reply), without_links(asked))
    numbers = (*phones, *unknown_security_codes(reply, asked))
    return (*invented(reply, asked), *(f"the number {one} is nothing that was asked about" for one in numbers))


def read_ahead(material: str, said: str = "") -> None:
    """Keeps what `faults` will look for in them, which takes longer than to look."""
    Reports.of(material)
    known = without_links(f"{material}\n{said}")
    known_figures(known)
    known_dates(known)


def unfounded(words: str, known: str) -> tuple[str, ...]:
    """Addresses, links and numbers that stand nowhere."""
    if long := _too_long(words):
        return long
    numbers = unknown_numbers(without_links(words), without_links(known))
    return (*invented(words, known), *dict.fromkeys(f"the number {one} is in no report" for one in numbers))


def invented(words: str, known: str) -> tuple[str, ...]:
    """Addresses and links that stand nowhere, or lead elsewhere than they say."""
    if long := _too_long(words):
        return long
    addresses = (f"the address {one} is in no report" for one in unknown_addresses(words, known))
    links = (f"the link {one} is in no report" for one in unknown_links(words, known))
    traps = (f"the link {one} leads elsewhere than it says" for one in misleading_links(words))
    return tuple(dict.fromkeys((*addresses, *links, *traps)))


def false_claims(words: str, material: str, said: str = "", strictness: Strictness = "noted") -> tuple[str, ...]:
    """Doings of the assistant, and previews, that are none of the material's."""
    return _too_long(words) or tuple(filter(None, [claim(words, material, said, strictness)]))


def _too_long(words: str) -> tuple[str, ...]:
    return (f"that is too long: {len(words):,} characters, and {MOST:,} are the most",) if len(words) > MOST else ()
