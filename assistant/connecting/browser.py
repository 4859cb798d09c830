"""Kinds of accounts that sign in somewhere, most by what somebody allows in a browser: one module each, imported where one is
connected."""

from importlib import import_module
from typing import Any, NamedTuple, Protocol

from assistant.connecting.kept import Kept
from assistant.connecting.signing import SignIn

BY_BROWSER = {"google": "assistant.connecting.google", "microsoft": "assistant.connecting.microsoft"}
SIGNS_IN = {**BY_BROWSER, "imap": "assistant.connecting.imap"}


class Connected(NamedTuple):
    """`may`: what was allowed, in words; `troubles`: what can't be used yet, and why; `again`: it had been connected before."""

    name: str
    address: str
    again: bool
    may: tuple[str, ...]
    troubles: tuple[str, ...]


class Consent(Protocol):
    """One attempt to sign in; `address` is what has to be opened in a browser. Both raise IntegrationError."""

    @property
    def address(self) -> str: ...

    async def exchange(self, answer: str) -> str:
        """What the account signs in with, for the address that the browser was sent to in the end."""


class Asking(Protocol):
    """What needs somebody's consent."""

    async def consent(self, redirect: str, state: str) -> Consent:
        """Raises UserError where the provider would not send the browser back to `redirect`, IntegrationError."""


class Connecting(Asking, Protocol):
    """One account that is to be connected."""

    @property
    def name(self) -> str: ...

    async def finish(self, secret: str) -> Connected: ...


class SigningIn(Protocol):
    """What the module of a kind that signs in offers."""

    async def sign_in(self, kept: Kept, name: str) -> SignIn: ...

    async def end(self, secret: str | None, why: str = "") -> str:
        """Has the provider take back the permission that comes with `secret`; what came of it, as a sentence. `why`: what keeps
        the secret from being known."""


class ByBrowser(SigningIn, Protocol):
    """What the module of a kind that is allowed in a browser offers."""

    async def begin_told(self, kept: Kept, name: str, told: Any, *, trusted: bool) -> Connecting:
        """`told` is the program's own registration with the provider as JSON, None for that of another account; one who is
        `trusted` may name any server in it."""


def signing_in(kind: str) -> SigningIn | None:
    module: Any = import_module(SIGNS_IN[kind]) if kind in SIGNS_IN else None
    return module  # type: ignore[no-any-return]


def by_browser(kind: str) -> ByBrowser | None:
    module: Any = import_module(BY_BROWSER[kind]) if kind in BY_BROWSER else None
    return module  # type: ignore[no-any-return]
