"""Passkeys: the two ceremonies of WebAuthn, registering one and signing in with one."""

import hashlib
import hmac
import json
import secrets
from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any, NamedTuple
from urllib.parse import urlsplit

import webauthn
from fastapi import Request
from webauthn.helpers import base64url_to_bytes as from_base64url
from webauthn.helpers import bytes_to_base64url, options_to_json, parse_client_data_json
from webauthn.helpers.structs import (
    AuthenticatorSelectionCriteria,
    PublicKeyCredentialDescriptor,
    ResidentKeyRequirement,
    UserVerificationRequirement,
)

from assistant.service.hosts import is_number
from assistant.service.problems import Problem
from storage.tables import StoredPasskey, StoredUser

OURS = "Personal assistant"
LASTS = timedelta(minutes=5)
VERIFIED = UserVerificationRequirement.REQUIRED
"""By PIN, finger or face, since nothing else is asked for."""


class RelyingParty(NamedTuple):
    """Where a passkey is used: the relying party's id, and the page's origin."""

    rp_id: str
    origin: str


class Registered(NamedTuple):
    id: str
    public_key: str
    sign_count: int


class Challenges:
    """A challenge carries its end and a mark under a key that only this process has, so that none need be kept but those that were
    used."""

    def __init__(self, clock: Callable[[], datetime]) -> None:
        self._clock = clock
        self._key = secrets.token_bytes(32)
        self._used: dict[bytes, datetime] = {}

    def make(self, purpose: str) -> bytes:
        ends = int((self._clock() + LASTS).timestamp())
        content = secrets.token_bytes(16) + ends.to_bytes(8, "big")
        return content + self._mark(content, purpose)

    def redeem(self, challenge: bytes, purpose: str) -> None:
        """Raises Problem for one that is not ours, too old, used before or was for something else."""
        now, content, mark = self._clock(), challenge[:24], challenge[24:]
        fresh = hmac.compare_digest(mark, self._mark(content, purpose)) and int.from_bytes(content[16:], "big") > now.timestamp()
        self._used = {used: ends for used, ends in self._used.items() if ends > now}
        if not fresh or content in self._used:
            raise Problem(400, "That took too long; please try again.")
        self._used[content] = now + LASTS

    def _mark(self, content: bytes, purpose: str) -> bytes:
        return hmac.new(self._key, content + purpose.encode(), hashlib.sha256).digest()


class Ceremonies:
    def __init__(self, clock: Callable[[], datetime], public_url: str) -> None:
        self._challenges = Challenges(clock)
        self._public = urlsplit(public_url)

    def possible(self, request: Request) -> bool:
        """Passkeys belong to a name; browsers know none for an address in numbers."""
        return not is_number(request.url.hostname or "")

    def relying_party(self, request: Request) -> RelyingParty:
        if not self.possible(request):
            raise Problem(400, "Passkeys need a name: open this page under localhost, or the name of the setting public_url.")
        name = request.url.hostname or ""
        if name == self._public.hostname:
            return RelyingParty(name, f"{self._public.scheme}://{self._public.netloc}")
        return RelyingParty(name, f"{request.url.scheme}://{request.url.netloc}")

    def registration(self, request: Request, user: StoredUser, session: str, known: tuple[StoredPasskey, ...]) -> dict[str, Any]:
        """What the browser is asked with; only this session can answer."""
        options = webauthn.generate_registration_options(
            rp_id=self.relying_party(request).rp_id,
            rp_name=OURS,
            user_id=user.id.encode(),
            user_name=user.name or OURS,
            challenge=self._challenges.make(f"register {session}"),
            authenticator_selection=AuthenticatorSelectionCriteria(
                resident_key=ResidentKeyRequirement.REQUIRED, user_verification=VERIFIED
            ),
            exclude_credentials=[PublicKeyCredentialDescriptor(from_base64url(one.id)) for one in known],
        )
        return _json(options_to_json(options))

    def registered(self, request: Request, session: str, credential: dict[str, Any]) -> Registered:
        """Raises Problem."""
        party = self.relying_party(request)
        challenge = self._redeemed(credential, f"register {session}")
        try:
            found = webauthn.verify_registration_response(
                credential=credential,
                expected_challenge=challenge,
                expected_rp_id=party.rp_id,
                expected_origin=party.origin,
                require_user_verification=True,
            )
        except Exception as error:  # what a stranger sends may break any part of the library
            raise Problem(400, "This passkey could not be registered.") from error
        return Registered(
            bytes_to_base64url(found.credential_id), bytes_to_base64url(found.credential_public_key), found.sign_count
        )

    def signing_in(self, request: Request) -> dict[str, Any]:
        """For whichever passkey the user then chooses."""
        options = webauthn.generate_authentication_options(
            rp_id=self.relying_party(request).rp_id, challenge=self._challenges.make("sign in"), user_verification=VERIFIED
        )
        return _json(options_to_json(options))

    def signed_in(self, request: Request, credential: dict[str, Any], passkey: StoredPasskey | None) -> int:
        """The new count of signatures. Raises Problem, also where `passkey`, which the credential names, is not there."""
        party = self.relying_party(request)
        challenge = self._redeemed(credential, "sign in")
        if passkey is None or not _same_user(credential, passkey):
            raise refused()
        try:
            found = webauthn.verify_authentication_response(
                credential=credential,
                expected_challenge=challenge,
                expected_rp_id=party.rp_id,
                expected_origin=party.origin,
                credential_public_key=from_base64url(passkey.public_key),
                credential_current_sign_count=passkey.sign_count,
                require_user_verification=True,
            )
        except Exception as error:
            raise refused() from error
        return found.new_sign_count

    def _redeemed(self, credential: dict[str, Any], purpose: str) -> bytes:
        try:
            challenge = parse_client_data_json(from_base64url(credential["response"]["clientDataJSON"])).challenge
        except Exception as error:
            raise Problem(400, "This is no answer of a browser to a passkey's question.") from error
        self._challenges.redeem(challenge, purpose)
        return challenge


def refused() -> Problem:
    return Problem(401, "This passkey is not known here.")


def _same_user(credential: dict[str, Any], passkey: StoredPasskey) -> bool:
    handle = credential["response"].get("userHandle")
    return handle is None or handle == bytes_to_base64url(passkey.user_id.encode())


def _json(text: str) -> dict[str, Any]:
    options: dict[str, Any] = json.loads(text)
    return options
