"""What callers may put into paths, queries and bodies, so that nothing else gets any further."""

import re
from datetime import date, datetime, time, timedelta
from typing import Annotated, TypeVar

from fastapi import Body, Path, Query
from pydantic import AfterValidator, AwareDatetime, Field, WithJsonSchema

from assistant.errors import UserError
from assistant.intake import FIRST_YEAR, LAST_YEAR, LONGEST
from integrations.actions import Action

When = TypeVar("When", datetime, date)
_ON_ONE_LINE = r"^[^\x00-\x1f\x7f]*$"

Id = Annotated[str, Path(min_length=1, max_length=400, pattern=_ON_ONE_LINE, description="Opaque.")]
Cursor = Annotated[str, Query(max_length=4000, pattern=_ON_ONE_LINE, description="`next` of an earlier answer.")]
Words = Annotated[str, Query(max_length=400, pattern=_ON_ONE_LINE)]
Limit = Annotated[int, Query(ge=1, le=200)]
Fingerprint = Annotated[str, Field(max_length=200, description="Of the preview as it was shown.")]
FAR = 2**31 - 1
"""The largest number that every database knows."""
Actions = Annotated[tuple[Action, ...], Body(min_length=1, max_length=50)]
Edited = Annotated[tuple[Action, ...], Field(max_length=50)]
Text = Annotated[str, Field(max_length=LONGEST)]


def _near(moment: When) -> When:
    """Far-off times can't be reckoned with in every zone."""
    if not FIRST_YEAR <= moment.year <= LAST_YEAR:
        raise ValueError(f"give a time between the years {FIRST_YEAR} and {LAST_YEAR}")
    return moment


Moment = Annotated[AwareDatetime, AfterValidator(_near)]
Day = Annotated[date, AfterValidator(_near)]
WallTime = Annotated[time, WithJsonSchema({"type": "string", "pattern": "^[0-2][0-9]:[0-5][0-9](:[0-5][0-9])?$"})]
"""As a clock shows it, in the user's zone; the format "time" of JSON Schema would want an offset."""

LONGEST_SPAN = timedelta(days=400)
"""That is looked through at once."""


def check_span(start: datetime, end: datetime) -> None:
    if not timedelta() < end - start <= LONGEST_SPAN:
        raise UserError(f"The end must come after the start, by {LONGEST_SPAN.days} days at the most.")


_PHRASE = re.compile(r'"([^"]+)"|(\S+)')


def phrases(text: str) -> tuple[str, ...]:
    """Words, and phrases in quotation marks."""
    return tuple(" ".join((phrase or word).split()) for phrase, word in _PHRASE.findall(text))
