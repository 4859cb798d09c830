"""All that entering needs, put together for one service."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Annotated

from fastapi import Depends, Request

from assistant.service.entering.passkeys import Ceremonies
from assistant.service.entering.passwords import Passwords
from assistant.service.entering.recognising import Recognising
from assistant.service.entering.sessions import Sessions
from assistant.service.entering.throttle import Throttle
from assistant.service.problems import Problem
from storage.database import Database
from storage.errors import Duplicate
from storage.session import T, Work


@dataclass(frozen=True)
class Entrance:
    database: Database
    clock: Callable[[], datetime]
    passwords: Passwords
    throttle: Throttle
    sessions: Sessions
    ceremonies: Ceremonies
    recognise: Recognising
    public_url: str = ""

    def page(self, request: Request) -> str:
        """The address at which people reach the page, as far as is known."""
        return self.public_url or str(request.base_url)

    async def renamed(self, work: Work[T]) -> T:
        """Raises Problem where the name is somebody else's."""
        try:
            return await self.database.write(work)
        except Duplicate as taken:
            raise Problem(409, str(taken)) from taken


def entrance_of(database: Database, clock: Callable[[], datetime], *, secure: bool = False, public_url: str = "") -> Entrance:
    """`secure`: it is reached over TLS alone. `public_url` is the address that people use, empty for none."""
    sessions = Sessions(database, clock, secure, public_url)
    recognise = Recognising(database, clock, sessions)
    return Entrance(database, clock, Passwords(), Throttle(clock), sessions, Ceremonies(clock, public_url), recognise, public_url)


def _of(request: Request) -> Entrance:
    entrance: Entrance = request.app.state.entrance
    return entrance


Entering = Annotated[Entrance, Depends(_of)]
