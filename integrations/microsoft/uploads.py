"""Upload sessions: what is too large for one request goes in pieces, to an address that Graph has given for it."""

import re
from collections.abc import Iterator

from integrations.microsoft.requests import Endpoint, Prepared, origin

PIECE = 10 * 320 * 1024
"""Bytes at a time; Graph takes multiples of 320 KiB, and less than 4 MB."""
NAME = re.compile(r"[a-z0-9-]+(\.[a-z0-9-]+)+")
HOSTS = (".office.com", ".office365.com", ".outlook.com", ".live.com", ".microsoft.com", ".office365.us", ".outlook.cn")


def may_be_given(address: str, endpoint: Endpoint) -> bool:
    """Whether Graph itself would name such an address: a mail's attachment goes to no other."""
    if endpoint.serves(address):
        return True
    try:
        scheme, host, port = origin(address)
    except ValueError:
        return False
    return (scheme, port) == ("https", 443) and NAME.fullmatch(host) is not None and host.endswith(HOSTS)


def pieces(address: str, content: bytes) -> Iterator[Prepared]:
    """Without a token: the address itself says who may send there."""
    for start in range(0, len(content), PIECE):
        piece = content[start : start + PIECE]
        place = f"bytes {start}-{start + len(piece) - 1}/{len(content)}"
        yield Prepared("PUT", address, {"content-type": "application/octet-stream", "content-range": place}, piece)
