"""An account at a real Dovecot and a real Xandikos, which is asked here to tell others nothing by itself."""

from contextlib import AbstractAsyncContextManager
from pathlib import Path

from doubles.boxes import standards
from doubles.boxes.base import Boxes
from doubles.boxes.standards import AtRadicale
from servers import User


class AtXandikos(AtRadicale):
    def __init__(self, user: User) -> None:
        super().__init__(user)
        self.proxy, self.home = self.servers.xandikos_dav, f"/{user.number}-{user.email}/"
        self.calendar, self.book = f"{self.home}calendars/calendar/", f"{self.home}contacts/addressbook/"

    def ask(self, method: str, path: str, content: bytes = b"") -> bytes:
        return self._asked(self.servers.xandikos.port, method, path, content, **{"X-Remote-User": self.home.strip("/")})

    def file_card(self, content: bytes) -> None:
        self.ask("PUT", f"{self.book}card{next(self._count)}.vcf", content)


def opened(root: Path, name: str) -> AbstractAsyncContextManager[Boxes]:
    return standards.opened(root, name, AtXandikos)
