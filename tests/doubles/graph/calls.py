"""What a handler is given, what it may answer, and how it refuses."""

import uuid
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

from doubles.emulating.wire import Answer

if TYPE_CHECKING:
    from doubles.graph.schema import Model
    from doubles.graph.world import World

Kind = Literal["work", "personal"]


@dataclass
class GraphUser:
    """`id` is the user's in the directory, `token` the newest access token and `scopes` that one's."""

    email: str
    name: str = ""
    kind: Kind = "work"
    id: str = ""
    token: str = ""
    refresh_token: str = ""
    scopes: frozenset[str] = frozenset()


def directory_id(email: str, kind: Kind = "work") -> str:
    """Of whoever has this address, always the same."""
    known = uuid.uuid5(uuid.NAMESPACE_URL, f"mailto:{email}")
    return known.hex[:16] if kind == "personal" else str(known)


@dataclass(frozen=True)
class Call:
    """`operation` is verb and template: "GET /me/messages/{message}". `path` and `query` are decoded, names in `query` as sent
    ("$select"); `headers` have small names; `body` is None where no JSON was sent, `raw` what came; `prefers` small names too
    ({"idtype": "ImmutableId", "outlook.timezone": "UTC"}); `model` what the operation shows, or each item of its listing."""

    operation: str
    user: GraphUser
    world: "World"
    path: Mapping[str, str] = field(default_factory=dict)
    query: Mapping[str, str] = field(default_factory=dict)
    headers: Mapping[str, str] = field(default_factory=dict)
    body: dict[str, Any] | None = None
    raw: bytes = b""
    prefers: Mapping[str, str] = field(default_factory=dict)
    model: "Model | None" = None
    target: str = ""
    """The path as it came, with its leading slash, without a query."""

    @property
    def immutable(self) -> bool:
        """Whether ids are to stay when an item is moved."""
        return self.prefers.get("idtype", "").lower() == "immutableid"

    def check_match(self, etag: str) -> None:
        """GraphError where the request is about another version of the item. Without If-Match any will do."""
        wanted = self.headers.get("if-match", "*").strip()
        if wanted != "*" and _version(wanted) != _version(etag):
            raise GraphError(412, "ErrorIrresolvableConflict", CONFLICT)


def _version(etag: str) -> str:
    return etag.removeprefix("W/").strip('"')


Handler = Callable[[Call], "dict[str, Any] | tuple[int, dict[str, Any] | None] | bytes | Answer | None"]
"""A dict is told with 200, None is 204, bytes are the content of a $value."""

CONFLICT = (
    "The send or update operation could not be performed because the change key passed in the request does not match the "
    "current change key for the item."
)
UNFORESEEN = ("ErrorInvalidIdMalformed", "ErrorItemNotFound", "ErrorOccurrenceCrossingBoundary", "ErrorMessageSizeExceeded")


class GraphError(Exception):
    """`code` as Graph words it: ErrorItemNotFound, ErrorInvalidIdMalformed, InefficientFilter, … A 400 counts as a request that
    should not have been made, and is complained of, unless its code is one that careful callers meet or `complaint` says
    otherwise."""

    def __init__(
        self,
        status: int,
        code: str,
        message: str = "",
        *,
        headers: Mapping[str, str] | None = None,
        complaint: bool | None = None,
    ) -> None:
        super().__init__(f"{status} {code}: {message}")
        self.status, self.code, self.message = status, code, message or code
        self.headers = dict(headers or {})
        self.complaint = (status == 400 and code not in UNFORESEEN) if complaint is None else complaint


def not_found() -> GraphError:
    return GraphError(404, "ErrorItemNotFound", "The specified object was not found in the store.")
