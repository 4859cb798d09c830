"""Requests as the SDK builds them. What it needs is imported at the first one, and takes its time: call it in a thread."""

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from threading import Lock
from typing import TYPE_CHECKING, Any, ClassVar
from urllib.parse import urlsplit

from integrations.microsoft.transport import trusting

if TYPE_CHECKING:
    from kiota_abstractions.base_request_builder import BaseRequestBuilder
    from kiota_abstractions.request_information import RequestInformation
    from msgraph.graph_service_client import GraphServiceClient

    Build = Callable[[GraphServiceClient], RequestInformation]
    """Makes one request: `lambda client: client.me.messages.by_message_id(id).to_get_request_information()`."""

MICROSOFT = "https://graph.microsoft.com"
VERSION = "/v1.0"
IMMUTABLE_IDS = 'IdType="ImmutableId"'
"""An id that stays when the thing is moved."""
_ME = "/users/me-token-to-replace"
"""What the SDK writes for /me, to be replaced by a middleware of its own."""


class Endpoint:
    """Where Graph is: the only place that a token is ever sent to."""

    def __init__(self, root: str = "") -> None:
        self.root = (root or MICROSOFT).rstrip("/")
        self.base = self.root + VERSION

    def owns(self, url: str) -> bool:
        return self.serves(url) and urlsplit(url).path.startswith(VERSION + "/")

    def serves(self, url: str) -> bool:
        try:
            return origin(url) == origin(self.root)
        except ValueError:
            return False


def origin(url: str) -> tuple[str, str, int | None]:
    """ValueError where it is no plain address of something."""
    parts = urlsplit(url)
    if "@" in parts.netloc or "\\" in url or not url.isprintable() or " " in url:
        raise ValueError("no plain address")
    return parts.scheme, parts.hostname or "", {"https": 443, "http": 80}.get(parts.scheme) if parts.port is None else parts.port


@dataclass(frozen=True)
class Prepared:
    """All of a request but its token."""

    method: str
    url: str
    headers: Mapping[str, str]
    content: bytes | None = None

    def path(self, endpoint: Endpoint) -> str:
        """As "/me/messages"."""
        return urlsplit(self.url).path.removeprefix(urlsplit(endpoint.base).path)


class Requests:
    _building: ClassVar = Lock()
    """Of all accounts together: the SDK imports what it needs as it goes along, in circles, which two threads can't do at once."""

    def __init__(self, endpoint: Endpoint) -> None:
        self._endpoint = endpoint
        self._client: GraphServiceClient | None = None

    def prepared(self, build: "Build", headers: Mapping[str, str] | None = None) -> Prepared:
        """One at a time: threads that reckon side by side are no faster, and keep the event loop from its turn."""
        with self._building:
            return self._prepared(build, headers or {})

    def _prepared(self, build: "Build", headers: Mapping[str, str]) -> Prepared:
        info = build(self._sdk())
        info.path_parameters["baseurl"] = self._endpoint.base
        given = {name.lower(): ", ".join(sorted(values)) for name, values in info.headers.get_all().items()}
        method = info.http_method
        assert method is not None
        return Prepared(method.value, _plain(info.url), with_prefer(given, headers), info.content)

    def following(self, link: str, headers: Mapping[str, str] | None = None) -> Prepared:
        return Prepared("GET", link, with_prefer({"accept": "application/json"}, headers or {}))

    def _sdk(self) -> "GraphServiceClient":
        if self._client is None:
            self._client = _sdk(self._endpoint.base)
        return self._client


def _sdk(base: str) -> "GraphServiceClient":
    """It only builds requests and writes bodies: what it would send itself, it would send again as it likes."""
    import httpx
    from kiota_abstractions.authentication import AnonymousAuthenticationProvider
    from msgraph.graph_request_adapter import GraphRequestAdapter
    from msgraph.graph_service_client import GraphServiceClient

    adapter = GraphRequestAdapter(AnonymousAuthenticationProvider(), httpx.AsyncClient(verify=trusting()))
    adapter.base_url = base
    return GraphServiceClient(request_adapter=adapter)


def _plain(url: str) -> str:
    path, mark, query = url.partition("?")
    return path.replace(_ME, "/me", 1) + mark + re.sub(r"(^|&)%24", r"\1$", query)


def with_prefer(given: Mapping[str, str], further: Mapping[str, str]) -> dict[str, str]:
    """All headers in small letters; what is preferred is put together."""
    headers = dict(given) | {name.lower(): value for name, value in further.items()}
    wishes = [IMMUTABLE_IDS, *(value for name, value in (*given.items(), *further.items()) if name.lower() == "prefer")]
    return headers | {"prefer": ", ".join(dict.fromkeys(wishes))}


def sending(
    builder: "BaseRequestBuilder", method: str, content: bytes | Mapping[str, Any], kind: str = "application/json"
) -> "RequestInformation":
    """A request with a body of our own: MIME, or JSON that the SDK's models would not write as Graph wants it."""
    from kiota_abstractions.method import Method
    from kiota_abstractions.request_information import RequestInformation

    info = RequestInformation(Method[method], builder.url_template, dict(builder.path_parameters))
    info.headers.try_add("Accept", "application/json")
    info.set_stream_content(content if isinstance(content, bytes) else json.dumps(content).encode(), kind)
    return info


def asking(builder: Any, **query: Any) -> "RequestInformation":
    """A GET with its query: `asking(client.me.contacts, select=["id"], filter="…")` asks for $select and $filter."""
    info: RequestInformation = builder.to_get_request_information()
    info.query_parameters |= {f"%24{name}": value for name, value in query.items() if value is not None}
    return info


def value_of(builder: Any) -> "RequestInformation":
    """A GET of what an attachment holds, for which the SDK has no builder."""
    info = asking(builder)
    info.url_template = str(info.url_template).partition("{?")[0] + "/$value"
    return info
