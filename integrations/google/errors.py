"""What goes wrong at Google, as the errors of `integrations.errors`: the one place where the libraries' exceptions are read."""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import httpx2
from google.auth.exceptions import RefreshError, TransportError
from googleapiclient.errors import Error, HttpError

from integrations import registry
from integrations.common.remote import Down, Ended, Unauthorized, Unreached, Unreadable, UsedUp, retry_after
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

TOO_FAST = {"rateLimitExceeded", "userRateLimitExceeded", "RATE_LIMIT_EXCEEDED", "RESOURCE_EXHAUSTED"}
USED_UP = {"quotaExceeded", "dailyLimitExceeded", "dailyLimitExceededUnreg"}
NOT_ALLOWED = {"insufficientPermissions", "ACCESS_TOKEN_SCOPE_INSUFFICIENT"}
NOT_ENABLED = {"accessNotConfigured", "SERVICE_DISABLED"}
NOT_YOURS = {"requiredAccessLevel", "forbidden", "forbiddenForNonOrganizer", "insufficientCalendarPermissions", "PERMISSION_DENIED"}
FORGOTTEN = {"EXPIRED_SYNC_TOKEN", "fullSyncRequired", "updatedMinTooLongAgo"}
APIS = {"gmail": "Gmail", "calendar": "Google Calendar", "people": "People"}
THINGS = {"gmail": "Gmail", "calendar": "Google Calendar", "people": "Google Contacts"}


@dataclass(frozen=True)
class Asked:
    """What was asked of Google: `account` is ours, `method` such as "gmail.users.messages.get"."""

    account: str
    method: str = ""

    @property
    def api(self) -> str:
        return self.method.partition(".")[0]

    @property
    def thing(self) -> str:
        return THINGS.get(self.api, "Google")


def reconnect(account: str) -> str:
    return registry.reconnect("google", account)


def translated(error: Exception, asked: Asked) -> IntegrationError:
    """Programming errors are raised again as they are."""
    if isinstance(error, IntegrationError):
        return error
    if isinstance(error, HttpError):
        return _refusal(error, asked)
    if isinstance(error, httpx2.ConnectError | httpx2.ConnectTimeout):
        return Unreached(f"{asked.thing} can't be reached just now.", asked.account)
    if isinstance(error, httpx2.TimeoutException):
        return Unavailable(f"{asked.thing} did not answer in time.", asked.account)
    if isinstance(error, httpx2.DecodingError | Error | ValueError | KeyError):
        return Unreadable(f"{asked.thing} gave an answer that can't be read.", asked.account)
    if isinstance(error, httpx2.HTTPError | OSError):
        return Unavailable(f"{asked.thing} can't be reached just now.", asked.account)
    raise error


def unrefreshed(error: Exception, account: str) -> IntegrationError:
    """Why there is no new token."""
    if isinstance(error, RefreshError) and not error.retryable:
        told = error.args[1] if len(error.args) > 1 else None
        code = told.get("error") if isinstance(told, Mapping) else None
        if code == "invalid_grant":
            return Ended(f"Google has ended the sign-in of the account {account}; {reconnect(account)}", account)
        if code:
            return AuthExpired(f"Google refuses to sign in the account {account} ({code}); {reconnect(account)}", account)
        return InvalidResponse("Google gave an answer to signing in that can't be read.", account)
    if isinstance(error, httpx2.ConnectError | httpx2.ConnectTimeout):
        return Unreached("Google can't be reached just now to sign in.", account)
    if isinstance(error, RefreshError | TransportError | httpx2.HTTPError | OSError):
        return Unavailable("Google can't be reached just now to sign in.", account)
    # google-auth meets an answer that it does not expect with errors of any kind.
    return InvalidResponse("Google gave an answer to signing in that can't be read.", account)


def _refusal(error: HttpError, asked: Asked) -> IntegrationError:
    status, account, thing = int(error.resp.status), asked.account, asked.thing
    told = _told(error.content)
    reasons = set(_reasons(told))
    if status == 401:
        return Unauthorized(f"Google no longer accepts the sign-in of the account {account}; {reconnect(account)}", account)
    if reasons & NOT_ENABLED:
        return AuthExpired(_not_enabled(told, asked), account)
    if reasons & USED_UP:
        return UsedUp(f"{thing} allows no more requests for today.", account, _retry_after(error))
    if status == 429 or (status == 403 and reasons & TOO_FAST):
        return RateLimited(f"{thing} asks for a pause: there were too many requests.", account, _retry_after(error))
    if status == 403:
        return _forbidden(reasons, told, asked)
    if reasons & FORGOTTEN:
        return NotFound(f"{thing} can't tell any more what has changed since then.", account)
    if status in (404, 410):
        return NotFound(f"{thing} has no such thing any more.", account)
    if status in (409, 412) or (asked.api == "people" and reasons & {"failedPrecondition", "FAILED_PRECONDITION"}):
        return Conflict(f"{thing} has another version of it: it was changed since it was read.", account)
    if status >= 500:
        return Down(f"{thing} has trouble just now (HTTP {status}).", account, _retry_after(error))
    return InvalidResponse(f"{thing} refused the request (HTTP {status}{_said(told)}).", account)


def _forbidden(reasons: set[str], told: Mapping[str, Any], asked: Asked) -> IntegrationError:
    account = asked.account
    if reasons & NOT_ALLOWED:
        missing = f"The account {account} was connected without leave for {asked.thing}"
        return AuthExpired(f"{missing}; {reconnect(account)}, and tick all the boxes that Google shows.", account)
    kind = ReadOnly if reasons & NOT_YOURS else InvalidResponse
    return kind(f"{asked.thing} does not allow this{_said(told)}.", account)


def _not_enabled(told: Mapping[str, Any], asked: Asked) -> str:
    api = f"{APIS[asked.api]} API" if asked.api in APIS else "API"
    service = asked.api if asked.api != "calendar" else "calendar-json"
    where = f"https://console.cloud.google.com/apis/library/{service}.googleapis.com"
    return f"The {api} is not enabled in your project at Google: enable it at {where}, then wait a minute or two."


def _told(content: bytes) -> Mapping[str, Any]:
    """The error's own object; empty where the answer has none."""
    try:
        error = json.loads(content)["error"]
    except (ValueError, KeyError, TypeError):
        return {}
    return error if isinstance(error, Mapping) else {}


def _reasons(told: Mapping[str, Any]) -> Iterable[str]:
    for entry in (told, *_entries(told, "errors"), *_entries(told, "details")):
        for key in ("reason", "status"):
            if isinstance(entry.get(key), str):
                yield entry[key]


def _entries(told: Mapping[str, Any], key: str) -> list[Mapping[str, Any]]:
    entries = told.get(key)
    return [entry for entry in entries if isinstance(entry, Mapping)] if isinstance(entries, list) else []


def _said(told: Mapping[str, Any]) -> str:
    message = told.get("message")
    return f": {' '.join(message.split())[:200].rstrip('.')}" if isinstance(message, str) and message else ""


def _retry_after(error: HttpError) -> float | None:
    return retry_after(error.resp.get("retry-after", ""))
