"""A mail that leaves once. SMTP itself knows no mail twice, so what is known of one is kept at the IMAP server: see `drafts`."""

import asyncio
import sqlite3
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress

from integrations.common.mail_building import message_id
from integrations.common.mime import read_message
from integrations.common.remote import Unreached, came_to_nothing
from integrations.errors import IntegrationError, Unknowable
from integrations.standards.credentials import Credentials
from integrations.standards.endpoints import Endpoint
from integrations.standards.imap.imap import Imap
from integrations.standards.imap.session import Session
from integrations.standards.mailbox.places import Places
from integrations.standards.sending import drafts
from integrations.standards.sending.filing import Filing, SentMail
from integrations.standards.sending.own_mails import Copy, copies
from integrations.standards.sending.smtp import Letter, Smtp, letter_of
from integrations.types import DRAFTS, SENT

UNTOLD = "Whether this mail was sent can't be told any more; it still lies in Drafts."
UNTOLD_GONE = "Whether this mail was sent can't be told any more, and it lies in Drafts no longer."
TRIED = "sent or not"
"""A fact in Places: the keys of mails that may have left, the last one last; of use where a draft was thrown away, or its mark."""
MOST_TRIED = 100
CLOSING = 15.0
"""Seconds that a mail which is leaving has left when everything ends."""


class Sending:
    def __init__(
        self,
        imap: Imap,
        places: Places,
        endpoint: Endpoint,
        credentials: Credentials,
        *,
        account: str,
        owner: str,
        settings: Mapping[str, str],
    ) -> None:
        self._imap, self._places = imap, places
        self._account, self._owner = account, owner
        self._smtp = Smtp(endpoint, credentials, account=account, trusted=settings.get("trusted", ""))
        self._filing = Filing(imap, places, settings)
        self._leaving: dict[str, asyncio.Task[SentMail]] = {}
        self._unsent: dict[str, Copy] = {}

    async def send(self, raw: bytes, key: str, recipients: Sequence[str]) -> SentMail:
        """To all of the recipients or to nobody. `raw` has the Message-ID of this key; its Bcc stays with the copy in Sent. Goes on
        where whoever waits is cancelled. Raises Unavailable (but not Unreached) or Unreadable where `settle` must be asked."""
        if key not in self._leaving:
            task = asyncio.create_task(self._send(raw, key, recipients))
            self._leaving[key] = task
            task.add_done_callback(lambda done: self._left(key, done))
        return await asyncio.shield(self._leaving[key])

    async def settle(self, key: str) -> SentMail | None:
        """What has become of it: None where it was not sent and no longer will be. Raises Unknowable where that never can be told,
        Unavailable where it can't be just now."""
        if key in self._leaving:
            await asyncio.wait([self._leaving[key]])
        try:
            return await self._imap.write(lambda session: self._settled(session, key))
        except Unknowable:
            if not await self._filing.comes_late(message_id(key, self._owner)):
                raise
        return await self._imap.write(lambda session: self._settled(session, key))

    async def try_out(self) -> None:
        """Signs in at the outgoing server, and sends nothing."""
        async with self._smtp.line():
            pass

    async def close(self) -> None:
        if self._leaving:
            _, late = await asyncio.wait(list(self._leaving.values()), timeout=CLOSING)
            for one in late:
                one.cancel()
            await asyncio.gather(*late, return_exceptions=True)
        await self._filing.close()

    def _left(self, key: str, done: "asyncio.Task[SentMail]") -> None:
        self._leaving.pop(key, None)
        if not done.cancelled():
            done.exception()  # was told to whoever has asked, if they still listen

    # Once ------------------------------------------------------------------------------------------------------------

    async def _send(self, raw: bytes, key: str, recipients: Sequence[str]) -> SentMail:
        letter = await asyncio.to_thread(letter_of, raw, self._owner, recipients)
        date, own_id = read_message(letter.head).date, message_id(key, self._owner)
        already = await self._imap.write(lambda session: self._settled(session, key, SENT, DRAFTS))
        if already:
            return already
        await self._filing.look_again()
        draft = await self._imap.write(lambda session: drafts.lay_down(session, raw, own_id, date))
        try:
            draft = await self._handed_over(letter, draft, key)
        except IntegrationError as error:
            with suppress(IntegrationError):
                await self._broken_off(key, draft, error)
            raise
        return await self._filing.filed(own_id, draft)

    async def _handed_over(self, letter: Letter, draft: Copy, key: str) -> Copy:
        async with self._smtp.line() as line:
            await line.offer(letter)
            await line.write(letter)
            marked = await self._marked(draft, key)
            await line.end()
        return marked

    async def _marked(self, draft: Copy, key: str) -> Copy:
        """Until then nothing has been sent, whatever goes wrong."""

        def work(session: Session) -> Copy:
            marked = drafts.mark(session, draft)
            self._keep_tried(lambda keys: [*keys, key])
            return marked

        try:
            return await self._imap.write(work)
        except IntegrationError as error:
            raise Unreached(str(error), self._account) from error

    async def _broken_off(self, key: str, draft: Copy, error: IntegrationError) -> None:
        if came_to_nothing(error):
            self._unsent[key] = draft
            await asyncio.to_thread(self._forget_tried, key)
            await self._imap.write(lambda session: drafts.discard(session, draft))
            self._unsent.pop(key, None)
        else:  # where the server has put it into Sent, the draft is one too many
            own_id = message_id(key, self._owner)
            await self._imap.write(lambda session: copies(session, own_id, SENT) and drafts.file(session, own_id))

    # Afterwards ------------------------------------------------------------------------------------------------------

    def _settled(self, session: Session, key: str, *folders: str) -> SentMail | None:
        """By what lies in these folders, or in all; what is left of a mail that was not sent is removed."""
        own_id = message_id(key, self._owner)
        found = copies(session, own_id, *folders, deleted=True)
        sent = [copy for copy in found if copy.went_out or drafts.SUBMITTED in copy.flags]
        if sent:
            return self._filing.found(session, own_id, sent[0])
        ours = self._unsent.get(key)
        others = [copy for copy in found if ours is None or copy.place != ours.place]
        self._refuse_to_guess(key, others)
        for draft in found:
            (drafts.withdraw if draft in others else drafts.discard)(session, draft)
        self._unsent.pop(key, None)
        return None

    def _refuse_to_guess(self, key: str, found: Sequence[Copy]) -> None:
        tried = key in self._tried()
        if found and (tried or any(map(drafts.may_have_left, found))):
            raise Unknowable(UNTOLD, self._account)
        if tried:
            raise Unknowable(UNTOLD_GONE, self._account)

    def _tried(self) -> list[str]:
        with suppress(sqlite3.Error):
            return self._places.known(TRIED).split()
        return []

    def _keep_tried(self, change: Callable[[list[str]], list[str]]) -> None:
        with suppress(sqlite3.Error):
            self._places.know(TRIED, " ".join(change(self._tried())[-MOST_TRIED:]))

    def _forget_tried(self, key: str) -> None:
        self._keep_tried(lambda keys: [one for one in keys if one != key])
