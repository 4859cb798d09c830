"""What searches have found by what never changes in a mail, so that the same search asks only about those that came since."""

from collections.abc import Collection
from threading import Lock
from typing import NamedTuple

from integrations.standards.mailbox.mail_query import Criteria

MOST_KEPT, MOST_UIDS = 50, 5000


class Hits(NamedTuple):
    """`uids` of those below `uidnext`, as it was at that time; some may be gone."""

    uidnext: int
    uids: frozenset[int]


class KeptHits:
    """Of the latest searches, by folder's path, UIDVALIDITY and criteria; in memory alone."""

    def __init__(self) -> None:
        self._kept: dict[tuple[object, ...], Hits] = {}
        self._lock = Lock()

    def of(self, path: str, validity: int, criteria: Criteria) -> Hits | None:
        return self._kept.get((path, validity, *criteria))

    def keep(self, path: str, validity: int, criteria: Criteria, uidnext: int, uids: Collection[int]) -> None:
        if len(uids) > MOST_UIDS or max(uids, default=0) >= uidnext:
            return  # the next time, those that came meanwhile are below it
        key = (path, validity, *criteria)
        with self._lock:
            self._kept.pop(key, None)
            self._kept[key] = Hits(uidnext, frozenset(uids))
            while len(self._kept) > MOST_KEPT:
                del self._kept[next(iter(self._kept))]
