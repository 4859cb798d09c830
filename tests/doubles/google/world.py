"""All that the emulated Google knows: its users, and what they have."""

from collections.abc import Callable
from datetime import UTC, datetime

from doubles.google.calendar import Calendars
from doubles.google.calls import GoogleUser
from doubles.google.gmail import Mailbox
from doubles.google.people import AddressBook


class World:
    """Set `clock` to have its own time. Whoever plays somebody else's program changes things through these objects."""

    def __init__(self) -> None:
        self.clock: Callable[[], datetime] = lambda: datetime.now(UTC)
        self.users: dict[str, GoogleUser] = {}
        self.calendars = Calendars(self)
        self._mail: dict[str, Mailbox] = {}
        self._people: dict[str, AddressBook] = {}

    def now(self) -> datetime:
        return self.clock()

    def mail(self, email: str) -> Mailbox:
        if email not in self._mail:
            self._mail[email] = Mailbox(email, self)
        return self._mail[email]

    def people(self, email: str) -> AddressBook:
        if email not in self._people:
            self._people[email] = AddressBook(email, self)
        return self._people[email]
