"""Pages of messages and of what belongs to them."""

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from doubles.google.calls import Call
from doubles.google.paging import Paging, Place

T = TypeVar("T")
USUAL, LARGEST = 100, 500
_VAGUE = 201


def page(call: Call, items: Sequence[T], place: Callable[[T], Place]) -> tuple[Sequence[T], dict[str, Any]]:
    """The page, and what the answer says of the next one."""
    shown, token = Paging(call).page(items, default=USUAL, most=LARGEST, place=place)
    return shown, {"nextPageToken": token} if token else {}


def estimate(items: Sequence[T], following: dict[str, Any]) -> dict[str, Any]:
    """As good as Gmail's: right on the last page, a mere placeholder before."""
    return {"resultSizeEstimate": _VAGUE if following else len(items)}
