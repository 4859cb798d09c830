"""Telling others by mail of the owner's events, and organisers of the owner's answers."""

from collections.abc import Callable, Sequence
from datetime import datetime
from typing import TYPE_CHECKING
from zoneinfo import ZoneInfo

from integrations.actions import CalendarAction, CancelEvent, RestoreEvent
from integrations.common.contentline import Malformed
from integrations.common.ical import CalendarObject
from integrations.common.ical_events import Place
from integrations.common.people import gone_for_guest
from integrations.common.remote import came_to_nothing
from integrations.errors import AuthExpired, IntegrationError, InvalidResponse, RateLimited, Unavailable, Unknowable
from integrations.standards.scheduling.imip import Letter, Sender, key_of, write_letter
from integrations.standards.scheduling.itip import notices, organiser

if TYPE_CHECKING:
    from integrations.standards.sending.sending import Sending

NO_SERVER = "this account has no outgoing server"
WORDLESS = "Your calendar server tells others of it, but takes no words along: yours were not told."
ANSWERED = "Your calendar server may tell them that you do not come."
MOST_NAMED = 5


class Scheduling:
    """`name` is the owner's own. `by_server`: the calendar server tells everybody by itself (RFC 6638)."""

    def __init__(
        self,
        sending: "Sending | None",
        *,
        account: str,
        owner: str,
        name: str,
        zone: ZoneInfo,
        clock: Callable[[], datetime],
        by_server: bool = False,
    ) -> None:
        self._sending, self._account, self._clock, self._by_server = sending, account, clock, by_server
        self._sender = Sender(owner, name, zone)

    def refuse(self, action: CalendarAction, source: CalendarObject, before: CalendarObject | None = None) -> None:
        """Raises InvalidResponse where others could not be told of it. What is given is what `tell` is given."""
        self._letters(action, "refuse", source, before)

    async def tell(
        self,
        action: CalendarAction,
        key: str,
        source: CalendarObject,
        before: CalendarObject | None = None,
        *,
        again: bool = False,
    ) -> str:
        """Tells whoever is concerned what was done under `key`, and gives what is to be said of that.

        `source` is the event as it stands now, or as it stood where it goes altogether; `before` as it was, where that is still
        known. `again`: this may have been begun before; what has left or may have left does not leave again. An error that came to
        nothing means that nobody was told.
        """
        letters = self._letters(action, key, source, before)
        if not letters:
            return self._of_guest(action, source)
        if self._by_server:
            return WORDLESS if any(letter.notice.comment for letter in letters) else ""
        if self._sending is None:
            return f"{_people(letters)} not told: {NO_SERVER}."
        notes: list[str] = []
        for letter in letters:
            try:
                await self._leave(self._sending, letter, again=again)
            except IntegrationError as error:
                if letter is letters[0] and _nothing_left(error):
                    if not again:
                        raise
                    if _may_go_later(error):
                        raise Unavailable(str(error), self._account) from error
                notes.append(_note(letter, error))
        return " ".join(notes)

    async def _leave(self, sending: "Sending", letter: Letter, *, again: bool) -> None:
        if again and await sending.settle(letter.key):
            return
        try:
            await sending.send(letter.raw, letter.key, letter.recipients)
        except IntegrationError as error:
            if _nothing_left(error) or not await sending.settle(letter.key):
                raise

    def _of_guest(self, action: CalendarAction, source: CalendarObject) -> str:
        inviting = organiser(source)
        if inviting is None or inviting.email == self._sender.email:
            return ""
        if isinstance(action, CancelEvent):
            note = gone_for_guest(inviting.name or inviting.email, action.comment)
            return f"{note} {ANSWERED}" if self._by_server and not _called_off(source) else note
        if isinstance(action, RestoreEvent):
            return f"{inviting.name or inviting.email} was not told."
        return ""

    def _letters(self, action: CalendarAction, key: str, source: CalendarObject, before: CalendarObject | None) -> Sequence[Letter]:
        now, sender = self._clock(), self._sender
        place = Place(account=self._account, calendar="", id="", etag="", owner=sender.email, zone=sender.zone)
        try:
            told = notices(action, source, place, now, before)
        except Malformed as reason:
            raise InvalidResponse(f"Nobody can be told of this event: {reason}.", self._account) from reason
        return [write_letter(notice, key_of(key, notice, number), sender, now) for number, notice in enumerate(told)]


def _called_off(source: CalendarObject) -> bool:
    """As a whole: a single instance that is removed is always told by the server."""
    return not any(block.all("RRULE") or block.all("RDATE") for block in source.blocks) and all(
        block.value("STATUS").upper() == "CANCELLED" for block in source.blocks
    )


def _nothing_left(error: IntegrationError) -> bool:
    return came_to_nothing(error) and not isinstance(error, Unknowable)


def _may_go_later(error: IntegrationError) -> bool:
    return isinstance(error, Unavailable | AuthExpired | RateLimited)


def _note(letter: Letter, error: IntegrationError) -> str:
    if _nothing_left(error):
        return f"{_people([letter])} not told: {error}"
    return f"Whether {_names([letter])} heard of it is not certain: {error}"


def _people(letters: Sequence[Letter]) -> str:
    several = len({email for letter in letters for email in letter.recipients}) > 1
    return f"{_names(letters)} {'were' if several else 'was'}"


def _names(letters: Sequence[Letter]) -> str:
    people = {address.email: address.name or address.email for letter in letters for address in letter.notice.to}
    names = list(people.values())
    if len(names) > MOST_NAMED:
        return f"{', '.join(names[:MOST_NAMED])} and {len(names) - MOST_NAMED} more"
    return " and ".join(filter(None, (", ".join(names[:-1]), names[-1])))
