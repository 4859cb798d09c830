"""What goes wrong at a CalDAV or CardDAV server, as the errors of `integrations.errors`."""

from collections.abc import Mapping
from typing import NamedTuple

import httpx

from integrations.common.remote import Down, Unauthorized, Unreached, Unreadable, retry_after
from integrations.errors import Conflict, IntegrationError, InvalidResponse, NotFound, RateLimited, ReadOnly, Unavailable
from integrations.registry import reconnect
from integrations.standards.certificates import mistrusted, wrong_with
from integrations.standards.credentials import KIND
from integrations.standards.dialling import Private


class Elsewhere(InvalidResponse):
    """It leads to a server where the password does not belong."""


class Server(NamedTuple):
    """`thing` is what people call it: "calendar server"."""

    account: str
    thing: str

    @property
    def unreadable(self) -> Unreadable:
        return Unreadable(f"The {self.thing} gave an answer that can't be read.", self.account)

    @property
    def too_large(self) -> Unreadable:
        return Unreadable(f"The answer of the {self.thing} is too large.", self.account)

    @property
    def elsewhere(self) -> Elsewhere:
        return Elsewhere(f"The {self.thing} sends to another server, where the password does not belong.", self.account)


def unanswered(error: Exception, server: Server) -> IntegrationError:
    """Why there is no answer. Programming errors are raised again as they are."""
    account, thing = server
    if isinstance(error, IntegrationError):
        return error
    if isinstance(error, Private):
        return Unreached(str(error), account)
    if isinstance(error, httpx.ConnectError | httpx.ConnectTimeout | httpx.PoolTimeout):
        if wrong := mistrusted(error):
            return Unreached(f"The certificate of the {thing} {wrong_with(wrong)}, so nothing was sent to it.", account)
        return Unreached(f"The {thing} can't be reached just now.", account)
    if isinstance(error, httpx.TimeoutException):
        return Unavailable(f"The {thing} did not answer in time.", account)
    if isinstance(error, httpx.DecodingError | httpx.InvalidURL | httpx.UnsupportedProtocol | httpx.LocalProtocolError):
        return server.unreadable
    if isinstance(error, httpx.HTTPError | OSError):
        return Unavailable(f"The connection to the {thing} was lost.", account)
    raise error


def refusal(status: int, headers: Mapping[str, str], server: Server) -> IntegrationError:
    """For an answer that is none of success."""
    account, thing = server
    if status == 401:
        return Unauthorized(f"The {thing} refuses the sign-in of {account}; {reconnect(KIND, account)}", account)
    if status in (403, 405, 423, 501):
        return ReadOnly(f"The {thing} does not allow this.", account)
    if status in (404, 410):
        return NotFound(f"The {thing} has no such thing any more.", account)
    if status in (409, 412):
        return Conflict(f"The {thing} has another version of it: it was changed since it was read.", account)
    if status == 413:
        return InvalidResponse(f"This is more than the {thing} takes.", account)
    if status == 429:
        pause = retry_after(headers.get("retry-after", ""))
        return RateLimited(f"The {thing} asks for a pause: there were too many requests.", account, pause)
    if status == 507:
        return InvalidResponse(f"There is no room left on the {thing}.", account)
    if status >= 500:
        return Down(f"The {thing} has trouble just now (HTTP {status}).", account, retry_after(headers.get("retry-after", "")))
    if status < 400:
        return server.unreadable
    return InvalidResponse(f"The {thing} refused the request (HTTP {status}).", account)
