"""Which language a text is in, on which terms its writer is with the reader, and how letters in it begin and end."""

import re
import tomllib
from collections import Counter
from functools import cache
from importlib.resources import files
from typing import Literal

from integrations.types import Value

Tone = Literal["formal", "familiar", ""]

WORD = re.compile(r"[^\W\d_]+")
LOOKED_AT = 4000
"""Characters."""
SHARE = 0.15
"""Of the words of a text that must be its language's small ones."""


class Language(Value):
    """`words`: the small words it is recognised by, separated by spaces. `formal` and `familiar` are regular expressions. The
    others are what a letter holds where the user's own mails don't tell, with {first} and {full} for names."""

    words: str
    hello: str
    familiar_hello: str
    formal_hello: str
    all_hello: str
    also: str
    closing: str
    thanks: str
    offer: str
    answer: str
    formal: str
    familiar: str
    familiar_thanks: str = ""
    familiar_offer: str = ""

    @property
    def small(self) -> frozenset[str]:
        return frozenset(self.words.split())


@cache
def languages() -> dict[str, Language]:
    known = tomllib.loads(files(__package__).joinpath("languages.toml").read_text("utf-8"))
    return {code: Language.model_validate(one) for code, one in known.items()}


@cache
def small_words() -> frozenset[str]:
    return frozenset().union(*(language.small for language in languages().values()))


def language_of(text: str) -> str:
    """A key of `languages`; empty where the text is too short to tell, or in none of them."""
    words = Counter(word.casefold() for word in WORD.findall(text[:LOOKED_AT]))
    counted = {code: sum(words[word] for word in language.small) for code, language in languages().items()}
    (best, most), (_, second) = Counter(counted).most_common(2)
    return best if most > second and most >= 2 and most >= SHARE * words.total() else ""


def tone_of(text: str, language: str) -> Tone:
    """By how the reader is addressed; what is balanced tells nothing."""
    known = languages().get(language)
    if known is None:
        return ""
    formal, familiar = (len(re.findall(marks, text[:LOOKED_AT], re.MULTILINE)) for marks in (known.formal, known.familiar))
    return "formal" if formal > familiar else "familiar" if familiar > formal else ""
