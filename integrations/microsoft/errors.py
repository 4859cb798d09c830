"""What goes wrong at Microsoft, as the errors of `integrations.errors`: the one place where answers and exceptions are read."""

import functools
import inspect
import json
import re
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any, TypeVar

import httpx

from integrations import registry
from integrations.common.remote import Down, Unauthorized, Unreached, Unreadable, retry_after
from integrations.errors import (
    AuthExpired,
    Conflict,
    IntegrationError,
    InvalidResponse,
    NotFound,
    RateLimited,
    ReadOnly,
    Unavailable,
)

NOT_ALLOWED = {"erroraccessdenied", "accessdenied", "authorization_requestdenied", "forbidden"}
NO_SUCH_ID = {"errorinvalididmalformed", "errorinvalididempty", "errorinvalidmailboxitemid"}
FORGOTTEN = {"syncstatenotfound", "errorsyncstatenotfound", "syncstateinvalid", "errorinvalidsyncstatedata", "resyncrequired"}
TOO_MUCH_TOGETHER = {"inefficientfilter", "searchwithorderby"}
NO_MAILBOX = {"mailboxnotenabledforrestapi", "mailboxnotsupportedforrestapi"}
AREAS = (
    ("contacts", re.compile(r"/me/contact")),
    ("calendar", re.compile(r"/me/(calendar|events)")),
    ("sending", re.compile(r"/me/(sendMail|messages/[^/]+/send)$")),
    ("mail", re.compile(r"/me/(messages|mailFolders|inferenceClassification)")),
)
THINGS = {"mail": "Outlook", "sending": "Outlook", "calendar": "Outlook Calendar", "contacts": "Outlook Contacts"}
NEEDS = {"mail": "mail.readwrite", "sending": "mail.send", "calendar": "calendars.readwrite", "contacts": "contacts.readwrite"}


MALFORMED = KeyError, IndexError, TypeError, ValueError, AttributeError, OverflowError
"""What reading an answer ends in whose parts are not what Graph promises."""
C = TypeVar("C")


class Refused(InvalidResponse):
    """`code` is Graph's own, such as "InefficientFilter"; empty where it gave none."""

    def __init__(self, message: str, account: str, code: str) -> None:
        super().__init__(message, account)
        self.code = code


class TooComplex(Refused):
    """Graph does not look for this and that together; asked for less it answers."""


@dataclass(frozen=True)
class Asked:
    """What was asked of Graph: `account` is ours, `path` such as "/me/messages"; `granted` are the scopes of the token in small
    letters, none where they are not known."""

    account: str
    path: str = ""
    granted: frozenset[str] = frozenset()
    reads: bool = False

    @property
    def area(self) -> str:
        return next((area for area, paths in AREAS if paths.match(self.path)), "")

    @property
    def thing(self) -> str:
        return THINGS.get(self.area, "Microsoft")

    @property
    def without_leave(self) -> bool:
        needed = NEEDS.get(self.area)
        return bool(self.granted and needed and needed not in self.granted)


def reconnect(account: str) -> str:
    return registry.reconnect("microsoft", account)


def translated(error: Exception, asked: Asked) -> IntegrationError:
    """Programming errors are raised again as they are."""
    if isinstance(error, IntegrationError):
        return error
    if isinstance(error, httpx.ConnectError | httpx.ConnectTimeout):
        return Unreached(f"{asked.thing} can't be reached just now.", asked.account)
    if isinstance(error, httpx.TimeoutException):
        return Unavailable(f"{asked.thing} did not answer in time.", asked.account)
    if isinstance(error, httpx.DecodingError | httpx.InvalidURL | ValueError | KeyError):
        return Unreadable(f"{asked.thing} gave an answer that can't be read.", asked.account)
    if isinstance(error, httpx.HTTPError | OSError):
        return Unavailable(f"{asked.thing} can't be reached just now.", asked.account)
    raise error


def reads_answers(cls: type[C]) -> type[C]:
    """For readers and writers, which take the parts of an answer for what Graph says they are: where they are not, all they are
    asked raises Unreadable."""
    for name, method in vars(cls).items():
        if inspect.iscoroutinefunction(method) and not name.startswith("_"):
            setattr(cls, name, _careful(method))
    return cls


def _careful(method: Callable[..., Awaitable[Any]]) -> Callable[..., Awaitable[Any]]:
    @functools.wraps(method)
    async def asked(self: Any, *given: Any, **named: Any) -> Any:
        try:
            return await method(self, *given, **named)
        except MALFORMED as error:
            raise Unreadable("Microsoft gave an answer that can't be read.", self._account) from error

    return asked


def refusal(answer: httpx.Response, asked: Asked) -> IntegrationError:
    """What an answer means that is no success."""
    status, account, thing = answer.status_code, asked.account, asked.thing
    told = _told(answer.content)
    code = str(told.get("code") or "")
    named = code.lower()
    pause = retry_after(answer.headers.get("retry-after", ""))
    if status == 401:
        return Unauthorized(f"Microsoft no longer accepts the sign-in of the account {account}; {reconnect(account)}", account)
    if named in NO_MAILBOX:
        return Refused(f"The account {account} has no mailbox that can be reached at Microsoft.", account, code)
    if status == 429:
        return RateLimited(f"{thing} asks for a pause: there were too many requests.", account, pause)
    if status == 403 and named in NOT_ALLOWED:
        return _forbidden(told, asked)
    if named in FORGOTTEN or status == 410:
        return NotFound(f"{thing} can't tell any more what has changed since then.", account)
    if status == 404 or named in NO_SUCH_ID:
        return NotFound(f"{thing} has no such thing any more.", account)
    # Who only reads has met 412 as well, now and then: nothing has changed for them.
    if status in (409, 412) and not asked.reads:
        return Conflict(f"{thing} has another version of it: it was changed since it was read.", account)
    if status in (408, 409, 412) or (status >= 500 and status not in (501, 507)):
        return Down(f"{thing} has trouble just now (HTTP {status}).", account, pause)
    kind = TooComplex if named in TOO_MUCH_TOGETHER else Refused
    return kind(f"{thing} refused the request (HTTP {status}{_said(told)}).", account, code)


def _forbidden(told: Mapping[str, Any], asked: Asked) -> IntegrationError:
    if asked.without_leave:
        missing = f"The account {asked.account} was connected without leave for {asked.thing}"
        return AuthExpired(f"{missing}; {reconnect(asked.account)}", asked.account)
    return ReadOnly(f"{asked.thing} does not allow this{_said(told)}.", asked.account)


def _told(content: bytes) -> Mapping[str, Any]:
    """The error's own object; empty where the answer has none."""
    try:
        error = json.loads(content)["error"]
    except (ValueError, KeyError, TypeError, RecursionError):
        return {}
    return error if isinstance(error, Mapping) else {}


def _said(told: Mapping[str, Any]) -> str:
    message = told.get("message")
    words = "".join(filter(str.isprintable, " ".join(message.split())[:200])) if isinstance(message, str) else ""
    return f": {words.rstrip('.')}" if words else ""
