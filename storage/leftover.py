"""Whose flows or writes somebody has to see to: of all users, for those who don't come by."""

from collections.abc import Set
from datetime import datetime

from sqlalchemy import select

from storage import flows
from storage.session import Prepared, Session, among, given
from storage.tables import OUTBOX

_WHOSE = select(OUTBOX.c.user_id).distinct()
_DUE = Prepared(_WHOSE.where(OUTBOX.c.status == "held", OUTBOX.c.not_before <= given("now")))
_UNSETTLED = Prepared(_WHOSE.where(among(OUTBOX.c.status, ("pending", "started", "unknown"))))
_UNSHOWN = Prepared(_WHOSE.where(OUTBOX.c.status == "failed", OUTBOX.c.unshown))


def of_users(s: Session, now: datetime, *, leases: datetime, rows: bool, but: Set[str] = frozenset()) -> frozenset[str]:
    """Those with a running flow whose lease has ended by `leases`, with a held write that is due (`but` these, who see to that
    themselves), or, with `rows`, with a write that has not come to its end or that is still to be told of."""
    whose = {head.user_id for head in flows.expired(s, leases)}
    whose |= set(s.column(_DUE, now=now)) - but
    if rows:
        whose |= {*s.column(_UNSETTLED), *s.column(_UNSHOWN)}
    return frozenset(whose)
