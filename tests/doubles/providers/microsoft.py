"""Accounts at the emulated Microsoft Graph."""

from typing import ClassVar

from doubles.providers.emulated import Emulated


class Microsoft(Emulated):
    forgets: ClassVar[frozenset[str]] = frozenset({"send_mail"})
    kind: ClassVar[str] = "microsoft"
    server: ClassVar[str] = "doubles.providers.microsoft_server"
    pauses: ClassVar[tuple[str, ...]] = (*Emulated.pauses, "integrations.microsoft.contacts_writer.AT_WORK")
