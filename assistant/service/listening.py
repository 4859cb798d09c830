"""Where the service listens, and whether it may."""

import errno
import socket
import ssl
from ipaddress import ip_address
from pathlib import Path

from assistant.errors import AssistantError, UserError
from integrations.types import Value

HOST, PORT = "localhost", 8765
LOOPBACK = ("127.0.0.1", "::1")


class CannotListen(AssistantError):
    """The address is taken, or not this machine's."""

    code = 4


class Listening(Value):
    """`cert` and `key` are PEM files; `proxies` the addresses whose X-Forwarded-For and -Proto are believed with `behind_proxy`."""

    host: str = HOST
    port: int = PORT
    cert: Path | None = None
    key: Path | None = None
    behind_proxy: bool = False
    proxies: tuple[str, ...] = LOOPBACK
    insecure_http: bool = False

    @property
    def is_loopback(self) -> bool:
        if self.host == "localhost":
            return True
        try:
            return ip_address(self.host).is_loopback
        except ValueError:
            return False

    @property
    def secure(self) -> bool:
        return self.cert is not None

    def check(self) -> None:
        """Raises UserError where it may not listen so."""
        if (self.cert is None) != (self.key is None):
            raise UserError("TLS needs both --tls-cert and --tls-key.")
        if not (self.is_loopback or self.secure or self.behind_proxy or self.insecure_http):
            raise UserError(
                f"On {self.host} passwords would cross the network in the clear: give --tls-cert and --tls-key, or --behind-proxy "
                "where a proxy does TLS; --insecure-http listens all the same."
            )
        if self.cert and self.key:
            _check_pair(self.cert, self.key)

    def url(self, port: int) -> str:
        """As somebody on this machine reaches it."""
        host = "localhost" if self.host in ("", "0.0.0.0", "::") else self.host
        return f"{'https' if self.secure else 'http'}://{f'[{host}]' if ':' in host else host}:{port}"

    def sockets(self) -> list[socket.socket]:
        """Bound; "localhost" in both families, so that nobody else on this machine can answer under our name. Raises
        CannotListen."""
        if self.host != "localhost":
            return [_bound(self.host, self.port)]
        first = _bound(LOOPBACK[0], self.port)
        try:
            return [first, _bound(LOOPBACK[1], first.getsockname()[1])]
        except _NoSuchAddress:
            return [first]
        except CannotListen:
            first.close()
            raise


class _NoSuchAddress(CannotListen):
    pass


def _bound(host: str, port: int) -> socket.socket:
    try:
        family, *_, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)[0]
    except OSError:
        raise CannotListen(f"There is no address {host} to listen on.") from None
    # With the protocol named asyncio switches off Nagle's algorithm, which makes every answer wait for 40 ms.
    listener = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        if family == socket.AF_INET6:
            listener.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
        listener.bind(address)
        listener.listen(2048)
    except OSError as error:
        listener.close()
        raise _cannot(host, port, error) from None
    return listener


def _cannot(host: str, port: int, error: OSError) -> CannotListen:
    if error.errno == errno.EADDRINUSE:
        return CannotListen(f"Port {port} on {host} is in use already; give another with --port, or end what listens there.")
    if error.errno in (errno.EADDRNOTAVAIL, errno.EAFNOSUPPORT):
        return _NoSuchAddress(f"The address {host} is not one of this machine.")
    return CannotListen(f"Nothing can listen on {host}, port {port}: {error.strerror}.")


def _check_pair(cert: Path, key: Path) -> None:
    for what, path in (("certificate", cert), ("key", key)):
        try:
            path.read_bytes()
        except OSError as error:
            raise UserError(f"The {what} {path} can't be read: {error.strerror}.") from None
    try:
        ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER).load_cert_chain(cert, key, password="")
    except (ssl.SSLError, ValueError):
        raise UserError(f"{cert} and {key} are not a certificate and its unencrypted key in PEM.") from None
