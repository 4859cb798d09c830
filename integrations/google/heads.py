"""The heads of messages: all but their text. What Gmail keeps under an id never changes but for its labels, which history tells."""

import asyncio
import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from integrations.errors import IntegrationError, InvalidResponse, NotFound
from integrations.google.google import Apis, Google
from integrations.google.messages import OUTLINE, Message, read
from integrations.types import Skipped

MOST_KEPT = 10_000
GONE = "The mail is no longer there."
_ID = re.compile(r"[0-9a-f]{1,16}")
_EVENTS = ("messagesAdded", "labelsAdded", "labelsRemoved", "messagesDeleted")


def known_id(text: str) -> bool:
    """Whether it can be an id of a message or thread; Gmail takes another one for a fault of the program."""
    return bool(_ID.fullmatch(text))


def _get(message_id: str, how: dict[str, Any]) -> Any:
    return lambda api: api.gmail.users().messages().get(userId="me", id=message_id, **how)


async def message(google: Google, message_id: str, **how: Any) -> dict[str, Any]:
    """In the format asked for; NotFound where it is gone."""
    try:
        if known_id(message_id):
            return await google.read(_get(message_id, how))
    except NotFound:
        pass
    raise NotFound(GONE, google.account)


async def fetched(google: Google, ids: Sequence[str], **how: Any) -> list[dict[str, Any]]:
    """The messages of these ids, in batches; those that are gone are left out."""
    answers = await google.batch([_get(one, how) for one in ids]) if ids else []
    return _given([one for one in answers if not isinstance(one, NotFound)])


def _given(answers: Sequence[dict[str, Any] | IntegrationError]) -> list[dict[str, Any]]:
    for answer in answers:
        if isinstance(answer, IntegrationError):
            raise answer
    return [answer for answer in answers if not isinstance(answer, IntegrationError)]


async def readable(resources: Sequence[dict[str, Any]]) -> tuple[list[Message], list[Skipped]]:
    """What can't be read is named."""
    read_all = await asyncio.to_thread(lambda: list(map(_readable, resources)))
    return [one for one in read_all if isinstance(one, Message)], [one for one in read_all if isinstance(one, Skipped)]


def _readable(resource: dict[str, Any]) -> Message | Skipped:
    where = f"message {resource.get('id', '')}"
    try:
        one = read(resource)
    except InvalidResponse as error:
        return Skipped(where=where, reason=str(error))
    if one.parsed.empty:
        return Skipped(where=where, reason="the message is not a mail")
    return replace(one, parsed=one.parsed.model_copy(update={"headers": ()}))  # most of what thousands of heads would hold


async def read_in_batches(google: Google, ids: Sequence[str], fields: str) -> tuple[list[Message], list[Skipped]]:
    """As `fetched`; one among several whose answer can't be read is named."""
    how = {"format": "full", "fields": fields}
    answers = dict(zip(ids, await google.batch([_get(one, how) for one in ids]) if ids else [], strict=True))
    garbled = {one: answer for one, answer in answers.items() if isinstance(answer, InvalidResponse)}
    if len(garbled) == len(answers):
        garbled = {}
    given = [answer for one, answer in answers.items() if one not in garbled and not isinstance(answer, NotFound)]
    messages, skipped = await readable(_given(given))
    return messages, [*skipped, *(Skipped(where=f"message {one}", reason=str(answer)) for one, answer in garbled.items())]


class History:
    """What has happened to messages since `cursor`."""

    def __init__(self, google: Google) -> None:
        self._google = google

    async def now(self) -> str:
        profile = await self._google.read(lambda api: api.gmail.users().getProfile(userId="me"))
        return str(profile["historyId"])

    async def since(self, cursor: str) -> tuple[str, set[str], set[str]]:
        """(the cursor as of now, ids of those that came or were marked or moved, of those that are gone); NotFound where that can't
        be told any more."""
        if not cursor.isdecimal():
            raise NotFound("There is no such place in the history of the mails.", self._google.account)

        def listing(api: Apis, token: str | None) -> Any:
            return api.gmail.users().history().list(userId="me", startHistoryId=cursor, maxResults=500, pageToken=token)

        pages = await self._google.pages(listing)
        met: dict[str, set[str]] = {event: set() for event in _EVENTS}
        for record in (record for page in pages for record in page.get("history", ())):
            for event in _EVENTS:
                met[event] |= {entry["message"]["id"] for entry in record.get(event, ())}
        gone = met["messagesDeleted"]
        return str(pages[-1]["historyId"]), set().union(*met.values()) - gone, gone


class Heads:
    """Reads each message's head once, and again when its labels have changed."""

    def __init__(self, google: Google) -> None:
        self._google = google
        self._history = History(google)
        self._kept: dict[str, Message] = {}
        self._cursor = ""
        self._era = 0
        self._refreshing, self._reading = asyncio.Lock(), asyncio.Lock()

    @property
    def answered(self) -> set[str]:
        """The Message-IDs that sent mails among those kept are answers to."""
        kept = (one.parsed for one in self._kept.values() if "SENT" in one.labels)
        return {head.in_reply_to for head in kept if head.in_reply_to}

    async def refresh(self) -> None:
        """Forgets what has changed since. One at a time: of two at the start, one would forget what was read after the other."""
        async with self._refreshing:
            if not self._cursor or len(self._kept) > MOST_KEPT:
                self._forget(await self._history.now(), set(self._kept))
                return
            try:
                cursor, changed, gone = await self._history.since(self._cursor)
                self._forget(cursor, changed | gone)
            except NotFound:
                self._forget(await self._history.now(), set(self._kept))

    def _forget(self, cursor: str, ids: set[str]) -> None:
        self._cursor = cursor
        self._era += bool(ids)
        for one in ids & self._kept.keys():
            del self._kept[one]

    async def of(self, ids: Sequence[str]) -> tuple[list[Message], list[Skipped]]:
        """In order; `refresh` comes first. One at a time: searches side by side mostly want the same heads."""
        async with self._reading:
            known, era = self._kept, self._era
            messages, skipped = await read_in_batches(self._google, [one for one in ids if one not in known], OUTLINE)
            if era == self._era:  # or what was read may be older than what was forgotten since
                known |= {one.id: one for one in messages}
            found = {one.id: one for one in messages} | known
        return [found[one] for one in ids if one in found], skipped
