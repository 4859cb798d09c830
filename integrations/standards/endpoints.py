"""Where a server listens and how a connection to it is secured, from one address such as imaps://mail.example.org."""

import ipaddress
import re
import ssl
from typing import Literal
from urllib.parse import urlsplit

from integrations.errors import InvalidResponse
from integrations.types import Value

Security = Literal["tls", "starttls", "none"]
Protocol = Literal["imap", "smtp", "http"]
SCHEMES: dict[str, tuple[Protocol, Security, int]] = {
    "imaps": ("imap", "tls", 993),
    "imap+starttls": ("imap", "starttls", 143),
    "imap": ("imap", "none", 143),
    "smtps": ("smtp", "tls", 465),
    "smtp+starttls": ("smtp", "starttls", 587),
    "smtp": ("smtp", "none", 25),
    "https": ("http", "tls", 443),
    "http": ("http", "none", 80),
}
HOST = re.compile(r"[a-z0-9._-]+|[0-9a-f:.]+(%[a-z0-9._-]+)?")
"""A name, or an address of IPv6."""


class Endpoint(Value):
    """`path` is empty but for http. `public`: it is reached on the internet alone, never on this machine or its own network."""

    scheme: str
    host: str
    port: int
    path: str = ""
    public: bool = False

    @property
    def security(self) -> Security:
        return SCHEMES[self.scheme][1]

    @property
    def protocol(self) -> Protocol:
        return SCHEMES[self.scheme][0]

    def __str__(self) -> str:
        host = f"[{self.host}]" if ":" in self.host else self.host
        port = "" if self.port == SCHEMES[self.scheme][2] else f":{self.port}"
        return f"{self.scheme}://{host}{port}{self.path}"


def endpoint_of(text: str, protocol: Protocol, account: str = "") -> Endpoint:
    """Raises InvalidResponse where it is no such address, or where a password would go out in plain text."""
    try:
        parts = urlsplit(text.strip())
        port = parts.port
        host = (parts.hostname or "").encode("idna").decode()
    except ValueError:
        raise InvalidResponse("This is not the address of a server.", account) from None
    if parts.username is not None:  # perhaps with a password, which no error may show
        raise InvalidResponse("The address of a server holds no username and no password.", account)
    known = SCHEMES.get(parts.scheme)
    if known is None or known[0] != protocol or not HOST.fullmatch(host):
        example = next(scheme for scheme, (of, *_) in SCHEMES.items() if of == protocol)
        shown = "This" if "@" in text else repr(text)  # it could be a password
        raise InvalidResponse(f"{shown} is not the address of a server, such as {example}://mail.example.org.", account)
    _, security, usual = known
    if security == "none" and not is_loopback(host):
        raise InvalidResponse(f"{host} is not on this machine, so nothing is sent to it without encryption.", account)
    path = (parts.path or "/") if protocol == "http" else ""
    return Endpoint(scheme=parts.scheme, host=host, port=port or usual, path=path)


def is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def tls_context(trusted: str = "") -> ssl.SSLContext:
    """That checks certificates and names; `trusted` is a file of certificates to trust beside the usual ones. Raises OSError
    (ssl.SSLError is one) where it can't be read."""
    context = ssl.create_default_context()
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    if trusted:
        context.load_verify_locations(trusted)
    return context
