"""Calls to language models, for what they cost."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from sqlalchemy import func, insert, select

from storage.session import Prepared, Session, given
from storage.tables import CALL, OWNER, StoredCall

_MINE = CALL.c.user_id == given("user")
_ADD = Prepared(insert(CALL), [column.name for column in CALL.c if column.name != "id"])
_SUMS = select(
    func.count().label("calls"),
    func.coalesce(func.sum(CALL.c.prompt + CALL.c.completion), 0).label("tokens"),
    func.coalesce(func.sum(CALL.c.cost), 0.0).label("cost"),
)
_OF_FLOW = Prepared(_SUMS.where(_MINE, CALL.c.flow_id == given("flow")))
_SINCE = Prepared(_SUMS.where(_MINE, CALL.c.at >= given("since")))
_LIST = Prepared(select(CALL).where(_MINE, CALL.c.at >= given("since")).order_by(CALL.c.id))


def add(s: Session, call: Mapping[str, Any], *, user_id: str = OWNER) -> int:
    """`call` has the columns of StoredCall."""
    return s.insert(_ADD, {"user_id": user_id, **call})


def spent(s: Session, *, flow: str = "", since: datetime | None = None, user_id: str = OWNER) -> tuple[int, int, float]:
    """(calls, tokens, US dollars) of one flow, or of all since an instant."""
    if since is None:
        return s.row(_OF_FLOW, user=user_id, flow=flow)
    return s.row(_SINCE, user=user_id, since=since)


def list(s: Session, since: datetime, *, user_id: str = OWNER) -> tuple[StoredCall, ...]:
    """In the order in which they were made."""
    return s.every(StoredCall, _LIST, user=user_id, since=since)
