"""What the assistant is to Microsoft: an app registration of the user's own."""

import json
import re
from collections.abc import Mapping
from typing import Any
from urllib.parse import urlsplit

from pydantic import Field, ValidationError

from integrations.types import Value

LOGIN = "https://login.microsoftonline.com"
"""Where Microsoft signs people in, of all organisations and at home."""
ANY_TENANT = "common"
ID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.IGNORECASE)
TENANT = re.compile(r"[A-Za-z0-9][A-Za-z0-9.-]{0,99}")


class NoTenant(ValueError):
    """What was given as a tenant is none."""


class Client(Value):
    """`authority` is where it signs in: any account, or those of one tenant; `client_secret` only where its redirect address is of
    the platform Web; `endpoint` the root of everything where that is not Microsoft's own."""

    client_id: str
    authority: str = f"{LOGIN}/{ANY_TENANT}"
    client_secret: str = Field(default="", repr=False)
    endpoint: str = ""

    @property
    def genuine(self) -> bool:
        """Whether all that is sent goes to Microsoft."""
        return not self.endpoint and self.authority == authority_of(self.tenant)

    @property
    def tenant(self) -> str:
        return urlsplit(self.authority).path.strip("/")


def client_told(told: Any) -> Client:
    """Of the Application (client) ID (`client_id`) and perhaps `tenant`, `client_secret`. Raises ValueError where it is something
    else."""
    if not isinstance(told, dict) or not ID.fullmatch(str(told.get("client_id", "")).strip()):
        raise ValueError("no Application (client) ID")
    given = {name: value.strip() for name, value in told.items() if isinstance(value, str) and value.strip()}
    if tenant := given.pop("tenant", ""):
        if not TENANT.fullmatch(tenant):
            raise NoTenant("no tenant")
        given["authority"] = authority_of(tenant)
    return client_of(given)


def client_of(told: Mapping[str, Any]) -> Client:
    """As it was stored. Raises ValueError where it is not told whole."""
    try:
        return Client(**{name: told[name] for name in Client.model_fields if name in told})
    except ValidationError as wrong:
        raise ValueError("no client") from wrong


def client_in(secret: str) -> Client | None:
    """The one that somebody signed in with, where it is told whole."""
    try:
        return client_of(json.loads(secret))
    except ValueError:
        return None


def authority_of(tenant: str) -> str:
    return f"{LOGIN}/{tenant}"
