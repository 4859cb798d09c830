"""An authenticator that keeps passkeys, and the browser between it and a page."""

import hashlib
import json
import secrets
from dataclasses import dataclass, field
from typing import Any

import cbor2
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from webauthn.helpers import base64url_to_bytes, bytes_to_base64url

PRESENT, VERIFIED, ATTESTED = 0x01, 0x04, 0x40

Json = dict[str, Any]


@dataclass
class Key:
    id: bytes
    rp_id: str
    user: str
    """The user's handle, in base64url."""
    private: ec.EllipticCurvePrivateKey
    count: int = 0


@dataclass
class Authenticator:
    """`origin` is the page's; `verifies`: it asks for a PIN or a finger."""

    origin: str
    verifies: bool = True
    keys: list[Key] = field(default_factory=list)

    def create(self, options: Json) -> Json:
        """What `navigator.credentials.create` gives, as JSON."""
        key = Key(secrets.token_bytes(16), options["rp"]["id"], options["user"]["id"], ec.generate_private_key(ec.SECP256R1()))
        self.keys.append(key)
        content = bytes(16) + len(key.id).to_bytes(2, "big") + key.id + _cose(key)
        attestation = cbor2.dumps({"fmt": "none", "attStmt": {}, "authData": self._data(key, ATTESTED) + content})
        client = self._client("webauthn.create", options["challenge"])
        return _credential(key, {"clientDataJSON": _text(client), "attestationObject": _text(attestation)})

    def get(self, options: Json) -> Json:
        """What `navigator.credentials.get` gives, as JSON."""
        key = next(key for key in self.keys if key.rp_id == options["rpId"])
        key.count += 1
        client, data = self._client("webauthn.get", options["challenge"]), self._data(key)
        signature = key.private.sign(data + hashlib.sha256(client).digest(), ec.ECDSA(hashes.SHA256()))
        parts = {"clientDataJSON": client, "authenticatorData": data, "signature": signature}
        return _credential(key, {name: _text(part) for name, part in parts.items()} | {"userHandle": key.user})

    def _client(self, kind: str, challenge: str) -> bytes:
        return json.dumps({"type": kind, "challenge": challenge, "origin": self.origin, "crossOrigin": False}).encode()

    def _data(self, key: Key, more: int = 0) -> bytes:
        flags = PRESENT | (VERIFIED if self.verifies else 0) | more
        return hashlib.sha256(key.rp_id.encode()).digest() + bytes([flags]) + key.count.to_bytes(4, "big")


def changed(credential: Json, part: str) -> Json:
    """With one bit of this part of the response changed."""
    content = bytearray(base64url_to_bytes(credential["response"][part]))
    content[-1] ^= 1
    return {**credential, "response": {**credential["response"], part: _text(bytes(content))}}


def _cose(key: Key) -> bytes:
    numbers = key.private.public_key().public_numbers()
    return cbor2.dumps({1: 2, 3: -7, -1: 1, -2: numbers.x.to_bytes(32, "big"), -3: numbers.y.to_bytes(32, "big")})


def _credential(key: Key, response: Json) -> Json:
    id = _text(key.id)
    return {"id": id, "rawId": id, "type": "public-key", "response": response, "clientExtensionResults": {}}


def _text(content: bytes) -> str:
    return bytes_to_base64url(content)
