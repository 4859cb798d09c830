"""What a listing finds: $search, or $filter with $orderby, never both."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from doubles.graph.calls import Call, GraphError
from doubles.graph.expressions import properties
from doubles.graph.mail.folders import Folder
from doubles.graph.mail.kql import read
from doubles.graph.mail.mailbox import Mailbox, latest_sent_first
from doubles.graph.mail.matching import matches
from doubles.graph.mail.message import Message
from doubles.graph.mail.properties import normal_in
from doubles.graph.mail.rendering import coarse, resource
from doubles.graph.odata import Asked, asked, order_filtered
from doubles.graph.paging import listed

ALONE = {
    "$filter": ("SearchWithFilter", "$filter"),
    "$orderby": ("SearchWithOrderBy", "$orderBy"),
    "$count": ("SearchWithCount", "$count"),
    "$skip": ("SearchWithSkip", "$skip"),
}
MOST_FOUND, A_PAGE, A_PAGE_FOUND = 1000, 10, 25
PLAIN = (
    "bodyPreview categories conversationId createdDateTime flag/flagStatus hasAttachments importance inferenceClassification "
    "internetMessageId isDraft isRead lastModifiedDateTime parentFolderId receivedDateTime sentDateTime subject"
).split()
PEOPLE = [f"{name}/emailAddress/{part}" for name in ("from", "sender") for part in ("address", "name")]
FILTERED = frozenset([*PLAIN, *PEOPLE, "singleValueExtendedProperties"])
ORDERED = frozenset([*PLAIN, *PEOPLE]) - {"categories", "bodyPreview", "conversationId", "internetMessageId", "flag/flagStatus"}


def question(call: Call) -> Call:
    """With the names of extended properties as they are shown."""
    return replace(call, query={name: normal_in(text) if "0x" in text.lower() else text for name, text in call.query.items()})


def page(call: Call, box: Mailbox, folder: Folder | None) -> dict[str, Any]:
    """Of one folder, or of the whole mailbox."""
    call = question(call)
    for one in box.everything:
        box.look(one)
    messages = box.everything if folder is None else box.within(folder)
    body = _searched(call, box, messages) if "$search" in call.query else _filtered(call, messages)
    return body | {"value": [coarse(item) for item in body["value"]]}


def _searched(call: Call, box: Mailbox, messages: Sequence[Message]) -> dict[str, Any]:
    for name in call.query:
        if name in ALONE and not (name == "$count" and call.query[name] == "false"):
            code, written = ALONE[name]
            raise GraphError(400, code, f"The query parameter '{written}' is not supported with '$search'.")
    condition = read(call.query["$search"])
    found = latest_sent_first(one for one in messages if one.indexed and matches(box, condition, one))[:MOST_FOUND]
    return listed(call, [resource(call, one) for one in found], default_top=A_PAGE_FOUND, context=_context(call))


def _filtered(call: Call, messages: Sequence[Message]) -> dict[str, Any]:
    """Newest first; what is filtered comes in the order of an index that nobody knows."""
    wanted = asked(call)
    _check(wanted)
    items = [resource(call, one) for one in messages]
    order = "" if wanted.filter is not None else "receivedDateTime desc"
    return listed(call, items, default_top=A_PAGE, context=_context(call), order=order, wanted=wanted)


def _check(wanted: Asked) -> None:
    if others := [name for name in properties(wanted.filter) if name not in FILTERED]:
        raise GraphError(400, "ErrorInvalidUrlQueryFilter", f"The query filter contains one or more invalid nodes: {others[0]}.")
    if others := [str(one.path) for one in wanted.order if str(one.path) not in ORDERED]:
        raise GraphError(400, "ErrorInvalidUrlQuery", f"The property '{others[0]}' does not support ordering.")
    order_filtered(wanted)


def _context(call: Call) -> str:
    return f"users('{call.user.id}')/messages"
