"""The names that users sign in with."""

import re
import unicodedata
from typing import Annotated

from pydantic import AfterValidator

NAME = 80
"""Characters at most."""
_UNSEEN = re.compile(r"\s+")


def spelt(given: str) -> str:
    """The same name, however a keyboard composed its characters."""
    return _UNSEEN.sub(" ", unicodedata.normalize("NFC", given)).strip()


def _name(given: str) -> str:
    name = spelt(given)
    if len(name) > NAME:
        raise ValueError(f"a name has at most {NAME} characters")
    if any(unicodedata.category(character) in ("Cc", "Cf", "Cs", "Co", "Cn") for character in name):
        raise ValueError("a name has no invisible characters")
    return name


Name = Annotated[str, AfterValidator(_name)]
