"""What authorisation servers share: the person at the browser, and the way back from there."""

import base64
import hashlib
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from urllib.parse import urlencode

from doubles.emulating.wire import Answer


@dataclass
class Consent:
    """What the person at the browser will do: `email` signs in (else whom login_hint names, else the first there is), grants `only`
    these of the scopes (None: all), or denies."""

    email: str = ""
    only: Collection[str] | None = None
    deny: bool = False


def sent_on(redirect: str, values: Mapping[str, str]) -> Answer:
    return Answer(302, b"", {"location": f"{redirect}{'&' if '?' in redirect else '?'}{urlencode(values)}"})


def challenge(verifier: str) -> str:
    """The S256 challenge of PKCE."""
    return base64.urlsafe_b64encode(hashlib.sha256(verifier.encode()).digest()).decode().rstrip("=")
