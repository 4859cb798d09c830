"""What was spent on language models, by day and model."""

from collections.abc import Iterable, Sequence
from datetime import date, datetime, timedelta, tzinfo
from itertools import groupby

from assistant.llm.budget import Spent
from integrations.types import Value
from storage import calls
from storage.database import Database
from storage.tables import StoredCall


class Spending(Value):
    """What was spent on one model on one day, in tokens and US dollars; `cost` None where no price is known; `estimated`: in part
    by the length of the texts, where no endpoint counted."""

    day: str
    model: str
    calls: int
    failed: int
    prompt: int
    cached: int
    completion: int
    cost: float | None
    estimated: bool


async def spent(database: Database, user: str, now: datetime, days: int) -> tuple[Spending, ...]:
    """Of the last days, that of `now` among them, which is in the user's zone."""
    midnight = now.replace(hour=0, minute=0, second=0, microsecond=0)
    made = await database.read(lambda s: calls.list(s, midnight - timedelta(days=days - 1), user_id=user))
    return by_day(made, now.tzinfo)


def by_day(made: Iterable[StoredCall], zone: tzinfo | None) -> tuple[Spending, ...]:
    """One line for each day and model, newest day first."""

    def key(call: StoredCall) -> tuple[date, str]:
        return call.at.astimezone(zone).date(), call.model

    groups = groupby(sorted(made, key=key, reverse=True), key)
    return tuple(summed(day.isoformat(), model, list(calls)) for (day, model), calls in groups)


def summed(day: str, model: str, made: Sequence[StoredCall | Spending]) -> Spending:
    """The sum of calls, or of the lines of several days and models."""
    priced = [call.cost for call in made if call.cost is not None]
    return Spending(
        day=day,
        model=model,
        calls=sum(call.calls if isinstance(call, Spending) else 1 for call in made),
        failed=sum(call.failed if isinstance(call, Spending) else bool(call.trouble) for call in made),
        prompt=sum(call.prompt for call in made),
        cached=sum(call.cached for call in made),
        completion=sum(call.completion for call in made),
        cost=round(sum(priced), 6) if priced else None,
        estimated=any(call.estimated for call in made),
    )


def total(lines: Iterable[Spending]) -> Spent:
    each = (Spent(calls=line.calls, tokens=line.prompt + line.completion, cost=line.cost or 0.0) for line in lines)
    return sum(each, Spent())
