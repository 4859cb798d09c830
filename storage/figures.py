"""How much there is of everything, of all users, for whoever watches over the service."""

from typing import NamedTuple

from sqlalchemy import case, func, select
from sqlmodel import SQLModel

from storage.session import Prepared, Session
from storage.tables import CALL, FLOW, OUTBOX, PREVIEW

_NUMBER = func.count().label("number")
_FLOWS = Prepared(select(FLOW.c.status, _NUMBER).group_by(FLOW.c.status))
_PREVIEWS = Prepared(select(PREVIEW.c.status, PREVIEW.c.level, _NUMBER).group_by(PREVIEW.c.status, PREVIEW.c.level))
_OUTBOX = Prepared(select(OUTBOX.c.status, _NUMBER).group_by(OUTBOX.c.status))
_CALLS = Prepared(
    select(
        CALL.c.model,
        _NUMBER,
        func.count(case((CALL.c.trouble != "", 1))).label("failed"),
        func.coalesce(func.sum(CALL.c.prompt), 0).label("prompt"),
        func.coalesce(func.sum(CALL.c.completion), 0).label("completion"),
        func.coalesce(func.sum(CALL.c.cost), 0.0).label("cost"),
    ).group_by(CALL.c.model)
)


class Number(SQLModel, frozen=True):
    """`level` of previews alone."""

    status: str
    level: str = ""
    number: int


class Asked(SQLModel, frozen=True):
    """Calls to a language model, how many of them failed, their tokens, and their cost in US dollars as far as prices are known."""

    model: str
    number: int
    failed: int
    prompt: int
    completion: int
    cost: float


class Figures(NamedTuple):
    flows: tuple[Number, ...]
    previews: tuple[Number, ...]
    outbox: tuple[Number, ...]
    calls: tuple[Asked, ...]


def figures(s: Session) -> Figures:
    return Figures(s.every(Number, _FLOWS), s.every(Number, _PREVIEWS), s.every(Number, _OUTBOX), s.every(Asked, _CALLS))
