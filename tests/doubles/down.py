"""An account of which parts are out of reach."""

from typing import Any, NoReturn

from integrations.errors import Unavailable
from integrations.readers import Readers

WHY = "The server of work does not answer."


class Down:
    """Reads as `readers` do, but for what is named in `down`: whole parts ("mail", "calendar", "contacts"), or what one of them is
    asked ("mail.thread")."""

    def __init__(self, readers: Readers, *down: str) -> None:
        self.accounts, self._readers, self.down = readers.accounts, readers, set(down)

    def __getattr__(self, part: str) -> Any:
        return _Part(part, getattr(self._readers, part), self)

    def refuses(self, part: str, asked: str) -> bool:
        return bool({part, f"{part}.{asked}"} & self.down)


class _Part:
    def __init__(self, part: str, reader: Any, account: Down) -> None:
        self._part, self._reader, self._account = part, reader, account

    def __getattr__(self, asked: str) -> Any:
        return self._refuse if self._account.refuses(self._part, asked) else getattr(self._reader, asked)

    async def _refuse(self, *_: object, **__: object) -> NoReturn:
        raise Unavailable(WHY, self._account.accounts[0])
