"""Accounts at the emulated Google."""

from typing import ClassVar

from doubles.providers.emulated import Emulated


class Google(Emulated):
    forgets: ClassVar[frozenset[str]] = frozenset({"send_mail", "create_contact", "restore_contact"})
    kind: ClassVar[str] = "google"
    server: ClassVar[str] = "doubles.providers.google_server"
