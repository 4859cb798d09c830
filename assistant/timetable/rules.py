"""When a schedule is due, and what it then does: values that are stored as JSON."""

from datetime import datetime
from typing import Annotated, Literal, NamedTuple

from pydantic import Field, NaiveDatetime

from integrations.types import Value

Part = Literal["inbox", "day", "week"]
MORNING: tuple[Part, ...] = ("inbox", "day")


class Cron(Value):
    """Five fields (minute, hour, day of the month, month, day of the week), read on the wall clock."""

    kind: Literal["cron"] = "cron"
    expression: str


class Calendar(Value):
    """An RRULE without its prefix; `start` is its first wall-clock time."""

    kind: Literal["calendar"] = "calendar"
    rrule: str
    start: NaiveDatetime


class Once(Value):
    """`at` is wall-clock time."""

    kind: Literal["once"] = "once"
    at: NaiveDatetime


Rule = Annotated[Cron | Calendar | Once, Field(discriminator="kind")]


class Due(NamedTuple):
    """One due run: `slot` names it by its wall-clock time ("2026-11-23T08:00"), `at` is the instant, aware."""

    slot: str
    at: datetime


class GiveBriefing(Value):
    """What needs an answer in the inbox, and the calendar of the day or week."""

    kind: Literal["briefing"] = "briefing"
    parts: tuple[Part, ...] = MORNING


class Remind(Value):
    kind: Literal["remind"] = "remind"
    text: str


class Ask(Value):
    """A request as the user would say it in the chat."""

    kind: Literal["ask"] = "ask"
    text: str


Task = Annotated[GiveBriefing | Remind | Ask, Field(discriminator="kind")]
