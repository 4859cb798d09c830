"""The mails of one folder that a search finds, in the order in which they arrived: only as much is searched, and only as many dates
are read, as are needed.

A server numbers mails in the order in which they came into the folder. That is nearly the order of their dates, but not where some
were moved or brought from elsewhere: so the mails with the highest numbers tell from what day on all dates must be known.
"""

from collections.abc import Collection, Iterable
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
"""Mails that are searched first where a search takes long."""
EVER = 1 << 60
_LONGEST_SET = 6000


class Order:
    """`firm` are the mails in order as (seconds, uid), all of them up to `bound`; nothing was left out where it is `whole`. Seconds
    count backwards where the newest come first. `uids` are all that were found, where `all_found`."""

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
        self._sign = 1 if oldest_first else -1
        self._after = -EVER if after is None else after * self._sign
        self._searched = range(0)
        """All mails with these UIDs were searched."""
        self.uids: frozenset[int] = frozenset()
        self.all_found = False
        self.validity = self._next = 0
        self.firm: list[tuple[int, int]] = []
        self.bound = -EVER
        self.whole = False

    def begin(self, session: Session, number: int, *, hastily: bool) -> None:
        """`hastily`: at first only among the newest, where there are many."""
        selected = session.open(self.folder)
        self.validity, self._next = selected.uidvalidity, selected.uidnext
        if not selected.exists:
            self.all_found = self.whole = True
            return
        kept = self._take_kept(session)
        hastily = hastily and not kept and self._sign < 0 and selected.exists > 2 * NEWEST
        if not (hastily and self._among_the_newest(session, selected.exists)):
            self.reach(session, number)

    def among(self, uids: Collection[int]) -> None:
        """Only these of what is found."""
        self._criteria = [*self._criteria, "UID", next(sets_of(uids, EVER, EVER), "4294967295")]

    def left(self) -> str:
        """The UIDs that were not searched yet."""
        done = self._searched or range(1, 1)
        return ",".join(filter(None, (f"1:{done.start - 1}" if done.start > 1 else "", f"{done.stop}:{HIGHEST_UID}")))

    def lengthen(self) -> bool:
        """To be searched again, as names may have accents: nothing was found without. Whether that may make a difference."""
        may = not self.uids and self._shorter != self._criteria
        self._shorter, self._searched = self._criteria, range(0)
        return may

    def search(self, session: Session) -> None:
        """All that are left. Raises NotFound where the folder is gone, or another one."""
        if session.open(self.folder).uidvalidity != self.validity:
            raise NotFound("It was made anew.", session.server.account)
        self._found(session.search("UID", self.left(), *self._shorter))

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
            session.open(self.folder)
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
        self.firm, self.whole, self.all_found = [], True, True

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
        hits = next(sets_of(self.uids, EVER, EVER), "")
        if hits and self._shorter != self._criteria and self.uids != frozenset(session.search("UID", hits, *self._shorter)):
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
        session.open(self.folder)
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
        """Those that are gone meanwhile have none: they are left out."""
        known = self._places.dates(self.folder.path, self.validity)
        missing = [uid for uid in uids if uid not in known]
        if not missing:
            return
        session.open(self.folder)
        rows = session.fetch(missing, "UID INTERNALDATE").rows
        seen = [Seen(row["UID"], seconds_of(row["INTERNALDATE"])) for row in rows]
        self._places.learn(self.folder.path, self.validity, seen)
        self.uids -= set(missing) - {one.uid for one in seen}
