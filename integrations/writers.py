"""How anything is written. Only `assistant.pipeline.execute`, the registry and the providers import this module."""

from typing import Protocol

from integrations.actions import CalendarAction, ContactAction, MailAction, Receipt


class MailWriter(Protocol):
    async def execute(self, action: MailAction, key: str) -> Receipt:
        """One attempt. `key` (hex) becomes the Message-ID's local part or the file's name. Conflict when the etag is stale,
        NotFound when the item is gone."""

    async def find(self, action: MailAction, key: str) -> Receipt | None:
        """The receipt if this action already took effect under `key`, None if it certainly did not and no longer will (a request
        whose connection was lost may still be at work); raises Unavailable when that can't be told just now, Unknowable where it
        never can."""


class CalendarWriter(Protocol):
    async def execute(self, action: CalendarAction, key: str) -> Receipt: ...

    async def find(self, action: CalendarAction, key: str) -> Receipt | None: ...


class ContactWriter(Protocol):
    async def execute(self, action: ContactAction, key: str) -> Receipt: ...

    async def find(self, action: ContactAction, key: str) -> Receipt | None: ...


class Writers(Protocol):
    """A missing capability raises ReadOnly."""

    @property
    def mail(self) -> MailWriter: ...

    @property
    def calendar(self) -> CalendarWriter: ...

    @property
    def contacts(self) -> ContactWriter: ...
