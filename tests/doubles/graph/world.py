"""All that the emulated Microsoft knows: its users, and what they have."""

from collections.abc import Callable
from datetime import UTC, datetime

from doubles.graph.calendar import Calendars, Notice
from doubles.graph.calls import GraphUser
from doubles.graph.contacts import AddressBook
from doubles.graph.mail import Mailbox


class World:
    """Set `clock` to have its own time. Whoever plays somebody else's program changes things through these objects."""

    def __init__(self) -> None:
        self.clock: Callable[[], datetime] = lambda: datetime.now(UTC)
        self.url = ""
        self.users: dict[str, GraphUser] = {}
        self.notices: list[Notice] = []
        self._mail: dict[str, Mailbox] = {}
        self._calendars: dict[str, Calendars] = {}
        self._people: dict[str, AddressBook] = {}

    def now(self) -> datetime:
        return self.clock()

    def mail(self, email: str) -> Mailbox:
        if email not in self._mail:
            self._mail[email] = Mailbox(email, self)
        return self._mail[email]

    def calendars(self, email: str) -> Calendars:
        if email not in self._calendars:
            self._calendars[email] = Calendars(self, email)
        return self._calendars[email]

    def has_calendars(self, email: str) -> bool:
        return email in self._calendars or email in self.users

    def all_calendars(self) -> "list[tuple[str, Calendars]]":
        """Of everybody who is here, by address."""
        return [(email, self.calendars(email)) for email in {**self.users, **self._calendars}]

    def people(self, email: str) -> AddressBook:
        if email not in self._people:
            self._people[email] = AddressBook(email, self)
        return self._people[email]
