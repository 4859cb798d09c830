"""A mail that has left comes to lie in Sent once, whether the outgoing server puts it there or we do."""

import asyncio
import sqlite3
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import partial
from typing import NamedTuple

from integrations.common.remote import came_to_nothing
from integrations.errors import IntegrationError
from integrations.standards.imap.imap import Imap
from integrations.standards.imap.session import Session
from integrations.standards.mailbox.ids import etag
from integrations.standards.mailbox.locating import identify
from integrations.standards.mailbox.places import Places
from integrations.standards.sending import drafts
from integrations.standards.sending.own_mails import Copy, copies, remove
from integrations.types import SENT

LEFT_BEHIND = "It was sent, but could not be put into Sent just now; it still lies in Drafts."
FILER = "puts into Sent what was sent"
"""A fact in Places: "server" or "here"."""
DOUBTS = "may come to lie in Sent twice"
"""A fact in Places: what was put there from here before it is known that the server does not, until it is looked at again."""
MOST_DOUBTS = 50
PATIENCE = {"server": 10.0, "": 1.0, "here": 0.0}
"""Seconds for which the outgoing server may take to put a mail into Sent, by who is known to do it."""
LOOKING = 0.25
"""Seconds between two looks."""
LATER = 20.0
"""Seconds after which is looked whether the server has put one there all the same, until that is known."""
ATTEMPTS = (0.0, 0.5, 2.0)
"""Seconds before each."""


class SentMail(NamedTuple):
    """As it lies in Sent; `id` is empty where it could not be put there, as the `note` then says."""

    id: str
    etag: str
    note: str = ""


class Doubt(NamedTuple):
    """`at`: in seconds since 1970."""

    at: float
    validity: int
    uid: int
    own_id: str


class Filing:
    """`settings`: the account's; `files_sent` is "yes" where the server is said to do it."""

    def __init__(self, imap: Imap, places: Places, settings: Mapping[str, str]) -> None:
        self._imap, self._places = imap, places
        self._said = "server" if settings.get("files_sent") == "yes" else ""
        self._afterwards: set[asyncio.Task[None]] = set()

    async def filed(self, own_id: str, draft: Copy) -> SentMail:
        """It has left: what goes wrong from here on changes nothing of that. `own_id` is its Message-ID."""
        filer = await asyncio.to_thread(self._filer)
        if filer != "here":
            with suppress(IntegrationError):
                await self._imap.write(lambda session: drafts.note_submitted(session, draft))
                await self._appeared(own_id, PATIENCE[filer])
        for pause in ATTEMPTS:
            await asyncio.sleep(pause)
            with suppress(IntegrationError):
                return await self._put_there(own_id, filer, first=not pause)
        with suppress(IntegrationError):
            await self._imap.write(lambda session: drafts.note_submitted(session, draft))
        return SentMail("", "", LEFT_BEHIND)

    def found(self, session: Session, own_id: str, sent: Copy) -> SentMail:
        """Of what has left as `sent` shows; it is put into Sent, where that goes. Blocking, within a piece of work of Imap's."""
        try:
            filed, _ = drafts.file(session, own_id)
        except IntegrationError as error:
            if not came_to_nothing(error):
                raise
            return SentMail("", "", LEFT_BEHIND)
        return self.told(session, filed or sent)

    async def comes_late(self, own_id: str) -> bool:
        """Whether the server, where it is known to put there what was sent, does so with this one."""
        if await asyncio.to_thread(self._filer) != "server":
            return False
        with suppress(IntegrationError):
            return await self._appeared(own_id, PATIENCE["server"])
        return False

    async def _put_there(self, own_id: str, filer: str, *, first: bool) -> SentMail:
        """What lies there at a later attempt may be what an earlier one has put there."""
        copy, theirs = await self._imap.write(lambda session: drafts.file(session, own_id))
        if theirs and first and filer != "server":
            await asyncio.to_thread(self._know, FILER, "server")
        elif copy and not theirs and filer != "here":
            await asyncio.to_thread(self._doubt, Doubt(time.time(), copy.validity, copy.uid, own_id))
            task = asyncio.create_task(self._later())
            self._afterwards.add(task)
            task.add_done_callback(self._afterwards.discard)
        return await self._imap.read(lambda session: self.told(session, copy))

    def told(self, session: Session, copy: Copy | None) -> SentMail:
        """Blocking, within a piece of work of Imap's."""
        if copy is None:
            return SentMail("", "")
        return SentMail(identify(session, self._places, copy.folder, copy.uid), etag(copy.folder.name, copy.flags))

    async def close(self) -> None:
        for task in self._afterwards:
            task.cancel()
        await asyncio.gather(*self._afterwards, return_exceptions=True)

    async def _appeared(self, own_id: str, patience: float) -> bool:
        for _ in range(round(patience / LOOKING)):
            if await self._imap.read(lambda session: copies(session, own_id, SENT)):
                return True
            await asyncio.sleep(LOOKING)
        return False

    async def _later(self) -> None:
        await asyncio.sleep(LATER + 1)
        await self.look_again()

    async def look_again(self) -> None:
        """At what was put into Sent some time ago while it was not known whether the server does that, too."""
        doubts = await asyncio.to_thread(self._doubts)
        ripe = [one for one in doubts if not 0 <= time.time() - one.at < LATER]
        with suppress(IntegrationError):
            for one in ripe:
                twice = await self._imap.write(partial(_one_too_many, doubt=one))
                await asyncio.to_thread(self._know, FILER, "server" if twice else "here")
                await asyncio.to_thread(self._doubt_no_more, one)

    def _doubts(self) -> list[Doubt]:
        with suppress(sqlite3.Error, ValueError):
            lines = [line.split() for line in self._places.known(DOUBTS).splitlines()]
            return [Doubt(float(at), int(validity), int(uid), own_id) for at, validity, uid, own_id in lines]
        return []

    def _keep(self, doubts: Sequence[Doubt]) -> None:
        self._know(DOUBTS, "\n".join(" ".join(map(str, one)) for one in doubts[-MOST_DOUBTS:]))

    def _doubt(self, one: Doubt) -> None:
        self._keep([*self._doubts(), one])

    def _doubt_no_more(self, one: Doubt) -> None:
        self._keep([other for other in self._doubts() if other != one])

    def _filer(self) -> str:
        with suppress(sqlite3.Error):
            return self._places.known(FILER) or self._said
        return self._said

    def _know(self, name: str, value: str) -> None:
        with suppress(sqlite3.Error):
            self._places.know(name, value)


def _one_too_many(session: Session, doubt: Doubt) -> bool:
    """Whether the server has put one beside ours, which goes: ours is the one that was told of."""
    there = copies(session, doubt.own_id, SENT)
    others = [copy for copy in there if copy.place != (doubt.validity, doubt.uid)]
    if others and len(others) < len(there):
        for copy in others:
            remove(session, copy)
        return True
    return False
