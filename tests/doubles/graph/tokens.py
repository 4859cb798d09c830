"""What is written in tokens, and MSAL's cache that holds them."""

import base64
import json
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from doubles.graph.calls import GraphUser

if TYPE_CHECKING:
    from doubles.graph.oauth import Authorisation

LOGIN = "https://login.microsoftonline.com"
IDENTITY = frozenset(["openid", "profile", "offline_access", "email"])
"""Scopes that belong to signing in, and are in no token."""
PERSONAL = "9188040d-6c67-4c5b-b112-36a304b66dad"
"""The tenant of all personal accounts."""
TENANT = "8b1c6a37-0a6e-4d0b-8c0e-6a1f4c1d2e3f"


@dataclass
class Grant:
    user: GraphUser
    scopes: frozenset[str]

    @property
    def target(self) -> str:
        return " ".join(sorted(self.scopes))


def tenant_of(user: GraphUser) -> str:
    return PERSONAL if user.kind == "personal" else TENANT


def client_info(user: GraphUser) -> str:
    return _encoded({"uid": _object_id(user), "utid": tenant_of(user)})


def _object_id(user: GraphUser) -> str:
    """Graph tells the id of a personal account short."""
    return f"00000000-0000-0000-{user.id[:4]}-{user.id[4:]}" if user.kind == "personal" else user.id


def id_token(user: GraphUser, client_id: str, nonce: str) -> str:
    """Unsigned: it came over the very connection that was asked."""
    now = int(time.time())
    claims = {
        "aud": client_id,
        "iss": f"{LOGIN}/{tenant_of(user)}/v2.0",
        "iat": now,
        "nbf": now,
        "exp": now + 3600,
        "name": user.name,
        "oid": _object_id(user),
        "preferred_username": user.email,
        "sub": user.id,
        "tid": tenant_of(user),
        "ver": "2.0",
        **({"nonce": nonce} if nonce else {}),
    }
    return f"{_encoded({'typ': 'JWT', 'alg': 'none'})}.{_encoded(claims)}."


def cache_of(authorisation: "Authorisation", user: GraphUser) -> str:
    """As MSAL has it after somebody has signed in."""
    from msal import SerializableTokenCache

    cache = SerializableTokenCache()
    told: dict[str, Any] = {
        "access_token": user.token,
        "refresh_token": user.refresh_token,
        "expires_in": authorisation.lifetime,
        "id_token": id_token(user, authorisation.client_id, ""),
        "client_info": client_info(user),
        "scope": Grant(user, user.scopes).target,
        "token_type": "Bearer",
    }
    event = {
        "client_id": authorisation.client_id,
        "scope": sorted(user.scopes),
        "token_endpoint": f"{LOGIN}/common/oauth2/v2.0/token",
        "environment": "login.microsoftonline.com",
        "grant_type": "authorization_code",
        "response": told,
    }
    cache.add(event)
    return str(cache.serialize())


def _encoded(value: object) -> str:
    return base64.urlsafe_b64encode(json.dumps(value).encode()).decode().rstrip("=")
