"""Which servers an account's password may go to, beside the one it was given for: what a server names in hrefs and redirects may
lead anywhere."""

from urllib.parse import urlsplit

from integrations.standards.endpoints import SCHEMES, Endpoint

REGISTRIES = {"ac", "co", "com", "edu", "gob", "gov", "mil", "ne", "net", "nom", "or", "org", "sch"}
"""Second levels of countries, under which strangers register side by side, as in co.uk."""


def may_go(start: Endpoint, url: str) -> bool:
    """The same server, or one beside it: by TLS at the usual port, with a name under the same parent (iCloud's caldav.icloud.com
    sends its users to p42-caldav.icloud.com)."""
    try:
        parts = urlsplit(url)
        port = parts.port or SCHEMES[parts.scheme][2]
    except (ValueError, KeyError):
        return False
    host = (parts.hostname or "").rstrip(".")
    if not host or parts.username is not None or parts.scheme not in ("http", "https"):
        return False
    if (parts.scheme, host, port) == (start.scheme, start.host.lower(), start.port):
        return True
    parent = _parent(start.host.lower().rstrip("."))
    beside = bool(parent) and (host == parent or host.endswith(f".{parent}"))
    return beside and (parts.scheme, port) == ("https", 443) and start.scheme == "https"


def _parent(host: str) -> str:
    """Empty where whoever registers a name could stand beside it."""
    if ":" in host or host.replace(".", "").isdigit():
        return ""
    labels = host.split(".")[1:]
    if len(labels) < 2 or (len(labels) == 2 and len(labels[1]) == 2 and labels[0] in REGISTRIES):
        return ""
    return ".".join(labels)
