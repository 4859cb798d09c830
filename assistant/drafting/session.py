"""What one deliberation gives to those who take part in it. They live as long as it does, and remember nothing of another."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from assistant.drafting.accounting import Books
from assistant.drafting.base import Participant, Tell
from assistant.drafting.options import Options

Problems = Callable[[str], Sequence[str]]
"""What is wrong with a text, one sentence each; none: nothing."""


def none(text: str) -> Sequence[str]:
    return ()


@dataclass(frozen=True)
class Session:
    options: Options
    books: Books
    tell: Tell
    problems: Problems = none


Seat = Callable[[Session], Participant]
