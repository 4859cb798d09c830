"""Why Microsoft signs somebody not in: the one place where its codes, and what MSAL raises, are read."""

import re
from collections.abc import Mapping
from typing import Any

import httpx

from integrations.common.remote import Ended, Unreached
from integrations.errors import AuthExpired, IntegrationError, InvalidResponse, Unavailable
from integrations.registry import reconnect

CODE = re.compile(r"AADSTS(\d+)")
TRANSIENT = {"temporarily_unavailable", "server_error", "service_not_available"}
UNREADABLE = "Microsoft gave an answer to signing in that can't be read."
ELSEWHERE = "Microsoft can't be reached just now to sign in."
ASK = "ask its administrator to allow it"
ANYBODY = "“Accounts in any organizational directory and personal Microsoft accounts”"
NATIVE = "“Mobile and desktop applications”"
ONE_PAGE = f"the registration is of the platform “Single-page application”; add {NATIVE} instead"
PERSONAL = f"the registration is for personal accounts only; use --tenant consumers, or register it for {ANYBODY}"
SECRET = "the client secret is wrong; give its Value, not its ID"
HELPS = {
    "50011": "the registration lacks this redirect address; add it under Authentication, as docs/microsoft.md tells",
    "50020": f"the registration is for another organisation than this account's; register it for {ANYBODY}",
    "50034": "there is no such account in this organisation; sign in as somebody else",
    "50105": "your organisation lets only people use it who are assigned to it; ask its administrator to assign you",
    "50194": f"the registration is for one organisation; give its tenant (--tenant), or register it for {ANYBODY}",
    "53000": "your organisation wants a device that it manages; sign in in a browser on such a device",
    "53003": f"a policy of your organisation forbids this way of signing in; use a browser instead of a code, or {ASK}",
    "65001": f"nobody has allowed it in your organisation yet; accept what Microsoft asks, or {ASK}",
    "70002": SECRET,
    "90002": "there is no such tenant; check it (--tenant)",
    "90008": "the registration lacks permissions of Microsoft Graph; add those that docs/microsoft.md names",
    "90094": f"your organisation lets only an administrator allow programs; {ASK}",
    "700016": "there is no such registration; check the Application (client) ID, and the tenant (--tenant)",
    "7000112": f"the registration is disabled in your organisation; {ASK}",
    "7000215": SECRET,
    "7000218": "the registration allows no public client flows; set that to Yes under Authentication, or give its client secret",
    "7000222": "the client secret has expired; make a new one, and give that",
    "9002325": ONE_PAGE,
    "9002327": ONE_PAGE,
    "9002331": PERSONAL,
    "9002346": PERSONAL,
}
"""What Microsoft's codes say, and what helps."""
NOT_FOR_CONSUMERS = "not enabled for consumers"
FOR_CONSUMERS = f"the registration is not for personal accounts; register it for {ANYBODY}"


def why(told: Mapping[str, Any]) -> str:
    """In a clause; empty where what Microsoft tells is none of what is known here."""
    described = str(told.get("error_description") or "")
    if NOT_FOR_CONSUMERS in described:
        return FOR_CONSUMERS
    return next((HELPS[code] for code in CODE.findall(described) if code in HELPS), "")


def code_of(told: Mapping[str, Any]) -> str:
    """Such as “AADSTS70000”, which an administrator can look up."""
    found = CODE.search(str(told.get("error_description") or ""))
    return found[0] if found else _plain(told.get("error"))


def unrefreshed(told: Mapping[str, Any] | None, account: str) -> IntegrationError:
    """Why MSAL gives no new token; `told` is what it answers instead, None where it knows nobody to give it to."""
    again = reconnect("microsoft", account)
    if not told:
        return Ended(f"The account {account} is not signed in at Microsoft; {again}", account)
    error = str(told.get("error") or "")
    if error in TRANSIENT:
        return Unavailable(ELSEWHERE, account)
    if error == "invalid_grant":
        return Ended(f"Microsoft has ended the sign-in of the account {account}; {again}", account)
    if not error:
        return InvalidResponse(UNREADABLE, account)
    helps = f": {clause}; then {again}" if (clause := why(told)) else f"; {again}"
    return AuthExpired(f"Microsoft refuses to sign in the account {account} ({code_of(told)}){helps}", account)


def translated(error: Exception, account: str = "") -> IntegrationError:
    """What is raised while signing in."""
    if isinstance(error, IntegrationError):
        return error
    if isinstance(error, httpx.ConnectError | httpx.ConnectTimeout):
        return Unreached(ELSEWHERE, account)
    if isinstance(error, httpx.HTTPError | OSError):
        return Unavailable(ELSEWHERE, account)
    # MSAL meets an answer that it does not expect with errors of any kind.
    return InvalidResponse(UNREADABLE, account)


def _plain(code: Any) -> str:
    """Nothing else of an answer's text is shown."""
    return code if isinstance(code, str) and re.fullmatch(r"[\w.-]{1,60}", code) else "without a reason"
