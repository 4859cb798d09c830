"""What is handed out once and kept as a digest alone."""

import hashlib
import hmac
import secrets

TOKEN = "pat_"
"""How an API token begins, so that one that leaked is found by whoever looks for such."""


def fresh(beginning: str = "") -> str:
    """256 random bits, as text that may stand in an address."""
    return beginning + secrets.token_urlsafe(32)


def public_id() -> str:
    return secrets.token_hex(8)


def digest(secret: str) -> str:
    """SHA-256 in hexadecimal. A salt would add nothing: the secret is random."""
    return hashlib.sha256(secret.encode("utf-8", "replace")).hexdigest()


def same(one: str, other: str) -> bool:
    """In a time that does not tell how far they agree."""
    return hmac.compare_digest(one.encode("utf-8", "replace"), other.encode("utf-8", "replace"))


def csrf(session: str) -> str:
    """What a page of ours must send beside the session's cookie, which a page of another site can't know."""
    return hmac.new(session.encode("utf-8", "replace"), b"csrf", hashlib.sha256).hexdigest()
