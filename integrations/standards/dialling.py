"""Which address of a host is connected to. Users who may not touch this machine's own network shall not reach it through here: for
them a name is looked up once, and what it led to is looked at and connected to, whatever DNS says a moment later."""

import ipaddress
import socket

from integrations.standards.endpoints import SCHEMES, Endpoint

ORDINARY_PORTS = {port for _, security, port in SCHEMES.values() if security != "none"} | {8443}


class Private(OSError):
    """It is none of the internet; the message is a sentence."""


def dialled(endpoint: Endpoint, patience: float) -> socket.socket:
    """A connection; `patience` in seconds. Blocks. Raises OSError."""
    at = public_address(endpoint.host, endpoint.port) if endpoint.public else endpoint.host
    return socket.create_connection((at, endpoint.port), patience)


def public_address(host: str, port: int) -> str:
    """Where all that a name leads to is of the internet, and the port one of a mail, calendar or contacts server. Blocks. Raises
    OSError, Private."""
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except UnicodeError as none:
        raise socket.gaierror(socket.EAI_NONAME, "no such name") from none
    addresses = [str(address[0]) for *_, address in found]
    if port not in ORDINARY_PORTS or not addresses or not all(map(of_the_internet, addresses)):
        raise Private(
            f"{host}, port {port}, is not a server on the internet; only the owner may connect one of this machine or of a private "
            "network."
        )
    return addresses[0]


def of_the_internet(address: str) -> bool:
    found = ipaddress.ip_address(address.partition("%")[0])
    mapped = getattr(found, "ipv4_mapped", None) or getattr(found, "sixtofour", None) or found
    inside = ipaddress.ip_address(int(found) & 0xFFFFFFFF)
    embedded = inside if int(found) >> 32 in (0, 0x0064FF9B << 64) else mapped  # IPv4-compatible (and IPv4 itself), NAT64
    return embedded.is_global and not embedded.is_multicast
