"""The mails of one folder that a search finds, in the order in which they arrived: only as much is searched, and only as many dates
are read, as are needed.

A server numbers mails in the order in which they came into the folder. That is nearly the order of their dates, but not where some
were moved or brought from elsewhere: so the mails with the highest numbers tell from what day on all dates must be known.
"""

import math
from collections.abc import Collection, Iterable, Sequence
from datetime import UTC, datetime

from integrations.errors import NotFound
from integrations.standards.imap.folders import Folder
from integrations.standards.imap.responses import HIGHEST_UID, sets_of
from integrations.standards.imap.session import Session
from integrations.standards.mailbox.ids import seconds_of
from integrations.standards.mailbox.locating import day
from integrations.standards.mailbox.mail_hits import KeptHits
from integrations.standards.mailbox.mail_query import Criteria
from integrations.standards.mailbox.places import Places, Seen

AT_ONCE = 1500
"""Dates that are read without asking which of them are needed."""
NEWEST = 2000
"""Mails that are searched first, or apart from the others, where a search takes long."""
EVER = 1 << 60
ALL = range(1, HIGHEST_UID + 1)
_LONGEST_SET = 6000


class Order:
    """`firm` are the mails in order as (seconds, uid), all of them up to `bound`; nothing was left out where it is `whole`. Seconds
    count backwards where the newest come first. `uids` are all that were found, where `all_found`. `shares` are the UIDs that are
    to be searched side by side, those of the newest in the first."""

    def __init__(
        self,
        folder: Folder,
        places: Places,
        criteria: Criteria,
        shorter: Criteria,
        *,
        oldest_first: bool,
        after: int | None,
        hits: KeptHits | None = None,
    ) -> None:
        """`shorter`: takes less time, and finds as much where nobody was called by a name without its accents. It is what the older
        mails of a large folder are searched by, unless among the newest it misses somebody, or finds nobody at all. `after`:
        seconds since 1970, of the last mail on the page before. `hits`: where these criteria never change for a mail."""
        self.folder, self._criteria, self._shorter = folder, criteria, shorter
        self._places, self._hits = places, hits
        self._since = math.inf
        self._sign = 1 if oldest_first else -1
        self._after = -EVER if after is None else after * self._sign
        self._searched = range(0)
        """All mails with these UIDs were searched."""
        self.uids: frozenset[int] = frozenset()
        self.all_found = False
        self.shares: Sequence[range] = ()
        self._in_shares: list[frozenset[int]] = []
        self._gone: set[int] = set()
        self._newest = range(0)
        self._misses = False
        self.validity = self._next = 0
        self.firm: list[tuple[int, int]] = []
        self.bound = -EVER
        self.whole = False

    @property
    def first(self) -> list[int]:
        """UIDs of those that are firm."""
        return [uid for _, uid in self.firm]

    def begin(self, session: Session, number: int, *, hastily: bool, apart: bool = False) -> None:
        """Where there are many: `hastily` at first only among the newest, `apart` in shares, of which nothing is searched yet."""
        selected = session.open(self.folder)
        self._since = session.seen
        self.validity, self._next = selected.uidvalidity, selected.uidnext
        if not selected.exists:
            self.all_found = self.whole = True
            return
        many = not self._take_kept(session) and selected.exists > 2 * NEWEST
        if many and apart and self._next:
            self._set_shares(session, selected.exists)
        elif not (many and hastily and self._sign < 0 and self._among_the_newest(session, selected.exists)):
            self.reach(session, number)

    def among(self, uids: Collection[int]) -> None:
        """Only these of what is found."""
        self._criteria = [*self._criteria, "UID", next(sets_of(uids, EVER, EVER), "4294967295")]

    def left(self) -> str:
        """The UIDs that were not searched yet."""
        done = self._searched or range(1, 1)
        older, newer = f"1:{done.start - 1}" if done.start > 1 else "", f"{done.stop}:{HIGHEST_UID}" if done.stop in ALL else ""
        return ",".join(filter(None, (older, newer)))

    def _set_shares(self, session: Session, exists: int) -> None:
        newest: Collection[int] = ()
        if self._shorter != self._criteria:
            newest = session.search(f"{exists - NEWEST + 1}:*")
        self._newest = ALL[min(newest) - 1 :] if newest else range(0)
        middle = min(max(newest, default=self._next) * 3 // 5, self._newest.start or HIGHEST_UID)  # the newest are read, too
        self.shares = ALL[middle - 1 :], ALL[: middle - 1]

    def search_share(self, share: range, session: Session) -> list[int]:
        """What it has found, the newest first."""
        self.check(session)
        newest = self._newest if share == self.shares[0] else range(0)
        uids = self._search_in(newest, self._criteria, session)
        if self._misses_some(session, uids):
            self._searched, self.uids, self._misses = newest, uids, True
        uids |= self._search_in(range(share.start, newest.start) if newest else share, self._shorter, session)
        self._in_shares.append(uids)
        return sorted(uids, reverse=True)

    def read_share(self, session: Session, uids: Collection[int]) -> None:
        """Dates of those found in a share, where they are not too many."""
        if len(uids) <= AT_ONCE:
            self._gone.update(self._undated(session, uids))

    def _search_in(self, share: range, criteria: Criteria, session: Session) -> frozenset[int]:
        return frozenset(session.search("UID", f"{share.start}:{share.stop - 1}", *criteria)) if share else frozenset()

    def join_shares(self) -> None:
        """All of them are searched. Blocking. The older ones are to be searched again where names turned out to have accents."""
        if self._misses:
            self._shorter = self._criteria
        else:
            self._found(frozenset().union(*self._in_shares) - self._gone)
            if not self._unknown() and not self._may_be_longer:
                self._settle(EVER)
                self.whole = True
        self.shares = ()

    def part(self) -> None:
        """The shares could not be searched: all is to be, at once."""
        self.shares, self.uids, self._searched, self._shorter = (), frozenset(), range(0), self._criteria

    def _misses_some(self, session: Session, uids: Collection[int]) -> bool:
        """Whether the shorter criteria do, of those that were found."""
        hits = next(sets_of(uids, EVER, EVER), "")
        return bool(hits) and self._shorter != self._criteria and uids != frozenset(session.search("UID", hits, *self._shorter))

    def lengthen(self) -> bool:
        """To be searched again, as names may have accents: nothing was found without. Whether that may make a difference."""
        may = self._may_be_longer
        self._shorter, self._searched = self._criteria, range(0)
        return may

    @property
    def _may_be_longer(self) -> bool:
        return not self.uids and self._shorter != self._criteria

    def search(self, session: Session) -> None:
        """All that are left."""
        self.check(session)
        left = self.left()
        self._found(session.search("UID", left, *self._shorter) if left else [])

    def check(self, session: Session) -> None:
        """Raises NotFound where the folder is gone, or another one."""
        if session.open(self.folder, since=self._since).uidvalidity != self.validity:
            raise NotFound("It was made anew.", session.server.account)

    def _found(self, uids: Iterable[int]) -> None:
        """These are all that there are, besides those found already."""
        self.uids, self.all_found = frozenset(uids).union(uid for uid in self.uids if uid in self._searched), True
        if self._hits and (self.uids or self._shorter == self._criteria):
            self._hits.keep(self.folder.path, self.validity, self._criteria, self._next, self.uids)

    def _take_kept(self, session: Session) -> bool:
        """Whether the same was searched before: then only what came since is."""
        kept = self._hits.of(self.folder.path, self.validity, self._criteria) if self._hits else None
        if kept is None or not self._next:
            return False
        asked = f"{kept.uidnext}:{HIGHEST_UID}"  # which names the last one even where there is none
        new = session.search("UID", asked, *self._criteria) if self._next > kept.uidnext else []
        self._found([*kept.uids, *new])
        return True

    def reach(self, session: Session, number: int) -> None:
        """Until so many are firm, or all."""
        if not self.all_found:
            session.open(self.folder, since=self._since)
            self._found(session.search(*self._criteria))
        unknown = self._unknown()
        if len(unknown) > AT_ONCE:
            self._read_some(session, unknown, number)
        elif unknown:
            self._read_dates(session, unknown)
        if not self._unknown():
            self._settle(EVER)
            self.whole = True

    def gone(self) -> None:
        """The folder is no longer there, or another one."""
        self.firm, self.whole, self.all_found, self.shares = [], True, True, ()

    # The newest first ------------------------------------------------------------------------------------------------

    def _among_the_newest(self, session: Session, exists: int) -> bool:
        """Whether that could be told from the others."""
        edge = session.search(f"{exists - NEWEST + 1}:*")
        self._read_dates(session, edge)
        reach = self._reached(session, edge)
        if reach is None or self._after > -reach:
            return False
        dates = self._places.dates(self.folder.path, self.validity)
        near = {uid for uid, date in dates.items() if date >= reach}
        newest = next(sets_of(near, EVER, EVER), "")
        if not newest or len(newest) > _LONGEST_SET:
            return False
        self.uids = frozenset(session.search("UID", newest, *self._criteria))
        lowest = max((uid + 1 for uid in edge if uid not in near), default=min(edge))
        self._searched = range(lowest, max(edge) + 1)
        self._settle(-reach)
        if self._misses_some(session, self.uids):
            self._shorter = self._criteria
        return True

    def _reached(self, session: Session, edge: Collection[int]) -> int | None:
        """A date from which on all dates are known."""
        next_then, date = self._places.reach(self.folder.path, self.validity)
        dates = self._places.dates(self.folder.path, self.validity)
        known = sorted((dates[uid] for uid in edge if uid in dates), reverse=True)
        if not known:
            return None
        wanted = known[len(known) * 3 // 4]
        if next_then > min(edge) and date <= wanted:
            return wanted
        near = session.search("SINCE", day(datetime.fromtimestamp(wanted, UTC), -1))
        missing = [uid for uid in near if uid not in dates]
        if len(missing) > NEWEST:
            return None  # most of them came from elsewhere
        self._read_dates(session, missing)
        self._places.keep_reach(self.folder.path, self.validity, self._next, wanted)
        return wanted

    # All of them -----------------------------------------------------------------------------------------------------

    def _read_some(self, session: Session, unknown: Collection[int], number: int) -> None:
        if self._sign < 0 and self._known_before(session, unknown, number):
            return
        edge = sorted(self.uids, reverse=self._sign < 0)
        start, step = 0, number
        while start < len(edge):
            self._read_dates(session, edge[start : start + step])
            keys = sorted(self._keys())
            if len(keys) >= number:
                self._confirm(session, keys[number - 1])
                if len(self.firm) >= number:
                    return
            start, step = start + step, step * 2

    def _known_before(self, session: Session, unknown: Collection[int], number: int) -> bool:
        """Whether what was found out by an earlier search, and the dates of what has come since, are enough."""
        next_then, date = self._places.reach(self.folder.path, self.validity)
        new = [uid for uid in unknown if uid >= next_then]
        if not next_then or len(new) > AT_ONCE:
            return False
        self._read_dates(session, new)
        self._settle(-date)
        return len(self.firm) >= number

    def _confirm(self, session: Session, key: int) -> None:
        """Reads what dates are still unknown up to this key."""
        moment = datetime.fromtimestamp(key * self._sign, UTC)
        asked = ("BEFORE", day(moment, 2)) if self._sign > 0 else ("SINCE", day(moment, -1))
        session.open(self.folder, since=self._since)
        near = session.search(*asked)
        known = self._places.dates(self.folder.path, self.validity)
        missing = [uid for uid in near if uid not in known]
        all_of_them = len(missing) <= AT_ONCE
        self._read_dates(session, missing if all_of_them else [uid for uid in missing if uid in self.uids])
        if all_of_them and self._sign < 0:
            self._places.keep_reach(self.folder.path, self.validity, self._next, -key)
        self._settle(key)

    # Dates -----------------------------------------------------------------------------------------------------------

    def _settle(self, bound: int) -> None:
        self.bound = bound
        dates = self._places.dates(self.folder.path, self.validity)
        keyed = ((dates[uid] * self._sign, uid) for uid in self.uids if uid in dates)
        self.firm = sorted((key, uid) for key, uid in keyed if self._after <= key <= bound)

    def _keys(self) -> Iterable[int]:
        dates = self._places.dates(self.folder.path, self.validity)
        return (key for uid in self.uids if uid in dates and (key := dates[uid] * self._sign) >= self._after)

    def _unknown(self) -> list[int]:
        dates = self._places.dates(self.folder.path, self.validity)
        return [uid for uid in self.uids if uid not in dates]

    def _read_dates(self, session: Session, uids: Iterable[int]) -> None:
        self.uids -= self._undated(session, uids)

    def _undated(self, session: Session, uids: Iterable[int]) -> frozenset[int]:
        """Reads the dates of these. Those that are gone meanwhile have none."""
        known = self._places.dates(self.folder.path, self.validity)
        missing = [uid for uid in uids if uid not in known]
        if not missing:
            return frozenset()
        session.open(self.folder, since=self._since)
        rows = session.fetch(missing, "UID INTERNALDATE").rows
        seen = [Seen(row["UID"], seconds_of(row["INTERNALDATE"])) for row in rows]
        self._places.learn(self.folder.path, self.validity, seen)
        return frozenset(missing).difference(one.uid for one in seen)
