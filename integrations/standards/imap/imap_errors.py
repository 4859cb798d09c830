"""What goes wrong at an IMAP server, as the errors of `integrations.errors`: the one place where its refusals and what befalls a
connection are put into words."""

import re
import ssl
from collections.abc import Callable
from typing import NamedTuple

from integrations.common.remote import Down, Unauthorized, Unreached, Unreadable
from integrations.errors import Conflict, IntegrationError, InvalidResponse, NotFound, RateLimited, ReadOnly, Unavailable
from integrations.registry import reconnect
from integrations.standards.certificates import wrong_with
from integrations.standards.credentials import KIND
from integrations.standards.dialling import Private

_CODE = re.compile(rb"\[([A-Za-z-]+)[^\]]*\]\s*")
_TOO_MANY = re.compile(rb"too many|maximum number|limit (is )?(reached|exceeded)|exceeded", re.IGNORECASE)
_PASSING = re.compile(rb"temporar|try (it )?(again )?later|unavailable|internal error|timed? ?out", re.IGNORECASE)


class Lost(Unavailable):
    """The connection broke; over another one it may well go on."""


class Unsearchable(InvalidResponse):
    """The server can't look for this."""


class Server(NamedTuple):
    """Of whom errors speak."""

    account: str
    host: str

    def lost(self) -> Lost:
        return Lost(f"The connection to {self.host} was lost.", self.account)

    def unreadable(self) -> Unreadable:
        return Unreadable(f"{self.host} gave an answer that can't be read.", self.account)

    def limited(self) -> RateLimited:
        return RateLimited(f"{self.host} allows no more connections for this account just now.", self.account)

    def unreached(self, error: Exception) -> IntegrationError:
        """What an error means that came up before anybody was signed in: nothing has happened yet."""
        if isinstance(error, IntegrationError):
            return error
        if isinstance(error, Private):
            return Unreached(str(error), self.account)
        if isinstance(error, ssl.SSLCertVerificationError):
            return Unreached(f"{self.host} was not signed in to: its certificate {wrong_with(error)}.", self.account)
        if isinstance(error, ssl.SSLError):
            return Unreached(f"No encrypted connection to {self.host} came about.", self.account)
        if isinstance(error, TimeoutError):
            return Unreached(f"{self.host} did not answer in time.", self.account)
        if _TOO_MANY.search(str(error).encode()):
            return self.limited()
        return Unreached(f"{self.host} can't be reached just now.", self.account)

    def refusal(self, words: bytes) -> IntegrationError:
        """What a NO or BAD means."""
        found = _CODE.match(words)
        code = found[1].upper().decode() if found else ""
        if code in _MEANINGS:
            return _MEANINGS[code](self)
        if not code and _TOO_MANY.search(words):
            return self.limited()
        return InvalidResponse(f"{self.host} refused the request{said(words)}.", self.account)

    def refused_login(self, words: bytes) -> IntegrationError:
        if not _CODE.match(words) and _PASSING.search(words):
            return self.down()
        refusal = self.refusal(words)
        return refusal if isinstance(refusal, RateLimited | Down) else self.unauthorized()

    def bye(self, words: bytes) -> IntegrationError:
        """What a server means that hangs up."""
        return self.limited() if _TOO_MANY.search(words) else self.lost()

    def unauthorized(self) -> Unauthorized:
        again = reconnect(KIND, self.account)
        return Unauthorized(f"{self.host} does not accept the sign-in of the account {self.account}; {again}", self.account)

    def down(self) -> Down:
        return Down(f"{self.host} has trouble just now.", self.account, None)


_MEANINGS: dict[str, Callable[[Server], IntegrationError]] = {
    "AUTHENTICATIONFAILED": Server.unauthorized,
    "AUTHORIZATIONFAILED": Server.unauthorized,
    "EXPIRED": Server.unauthorized,
    "LIMIT": Server.limited,
    "UNAVAILABLE": Server.down,
    "SERVERBUG": Server.down,
    "CORRUPTION": Server.down,
    "INUSE": lambda of: RateLimited(f"{of.host} has another program at work on this folder just now.", of.account),
    "OVERQUOTA": lambda of: InvalidResponse(f"The mailbox at {of.host} is full.", of.account),
    "NOPERM": lambda of: ReadOnly(f"{of.host} does not allow this to the account {of.account}.", of.account),
    "READ-ONLY": lambda of: ReadOnly(f"{of.host} lets this folder be read only.", of.account),
    "NONEXISTENT": lambda of: NotFound(f"{of.host} has no such folder any more.", of.account),
    "TRYCREATE": lambda of: NotFound(f"{of.host} has no such folder any more.", of.account),
    "ALREADYEXISTS": lambda of: Conflict(f"{of.host} has such a folder already.", of.account),
    "BADCHARSET": lambda of: Unsearchable(f"{of.host} can't look for these letters.", of.account),
}


def said(words: bytes) -> str:
    """The end of a sentence, from what the server put into words; bounded and fit to be shown."""
    text = " ".join(_CODE.sub(b"", words, count=1).decode("utf-8", "replace").split())[:200]
    clean = "".join(filter(str.isprintable, text)).rstrip(". ")
    return f": {clean}" if clean else ""
