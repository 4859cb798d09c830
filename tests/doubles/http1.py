"""HTTP/1.1 as far as the SDKs use it."""

import asyncio
import socket
import struct
from collections.abc import Mapping
from dataclasses import dataclass
from http import HTTPStatus


@dataclass(frozen=True)
class Received:
    """Header names are small."""

    method: str
    target: str
    headers: Mapping[str, str]
    body: bytes


async def receive(reader: asyncio.StreamReader) -> Received | None:
    """None once the other side has closed."""
    try:
        head = await reader.readuntil(b"\r\n\r\n")
    except (asyncio.IncompleteReadError, ConnectionError):
        return None
    line, *rest = head.decode("latin-1").split("\r\n")
    method, target, _ = line.split(" ", 2)
    headers = {name.strip().lower(): value.strip() for name, _, value in (one.partition(":") for one in rest if one)}
    return Received(method, target, headers, await reader.readexactly(int(headers.get("content-length", 0))))


def head(status: int, headers: Mapping[str, str]) -> bytes:
    lines = [f"HTTP/1.1 {status} {HTTPStatus(status).phrase}", *(f"{name}: {value}" for name, value in headers.items())]
    return ("\r\n".join(lines) + "\r\n\r\n").encode("latin-1")


def reset(writer: asyncio.StreamWriter) -> None:
    """Closes the connection so that the other side sees a reset."""
    sock = writer.get_extra_info("socket")
    if sock is not None and sock.fileno() >= 0:
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    writer.transport.abort()
