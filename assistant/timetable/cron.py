"""Cron rules on the wall clock."""

from collections.abc import Iterator
from datetime import datetime

from cronsim import CronSim, CronSimError

LONGEST = 200
ALIASES = {
    "@yearly": "0 0 1 1 *",
    "@annually": "0 0 1 1 *",
    "@monthly": "0 0 1 * *",
    "@weekly": "0 0 * * 0",
    "@daily": "0 0 * * *",
    "@midnight": "0 0 * * *",
    "@hourly": "0 * * * *",
}
LAST, LAST_WEEKDAY = CronSim.LAST, CronSim.LAST_WEEKDAY
ANY_DAY = datetime.fromisoformat("2026-01-01")
SHAPE = 'A cron rule has five fields: minute, hour, day of the month, month and day of the week, such as "0 8 * * 1-5"'


def fields(expression: str) -> tuple[str, ...]:
    """In upper case, with @daily and its like spelt out."""
    return tuple(ALIASES.get(expression.strip().lower(), expression).upper().split())


def read(expression: str) -> CronSim:
    """Its fields as sets: Sunday is 0 or 7, a day of the month or of the week may be the last one. Raises CronSimError."""
    return CronSim(" ".join(fields(expression)), ANY_DAY)


def walls(expression: str, after: datetime) -> Iterator[datetime]:
    """The wall-clock times that follow. Ends where none comes within 50 years. Raises CronSimError."""
    return CronSim(" ".join(fields(expression)), after)


def trouble(expression: str) -> str:
    """One sentence why it can't be used, else empty."""
    if len(expression) > LONGEST:
        return f"This cron rule is too long; {LONGEST} characters must do."
    if len(fields(expression)) != 5:
        return f"{SHAPE}."
    try:
        return "" if next(walls(expression, ANY_DAY), None) else "There is no such day, so it would never be due."
    except CronSimError as wrong:
        field = str(wrong).removeprefix("Bad ").replace("-", " ").replace("day of", "day of the")
        return f"{SHAPE}; its {field} is wrong or never comes."
