"""The certificates that are trusted where nothing else is said. To read them takes longer than many requests, so all share them."""

import ssl
from functools import cache


@cache
def usual() -> ssl.SSLContext:
    """Those that a client of httpx2 would read. It is imported at the first call."""
    import httpx2

    return httpx2.create_ssl_context()
