"""Page tokens: valid for the very query that they were given for."""

import base64
import hashlib
from collections.abc import Callable, Sequence
from typing import TypeVar

from doubles.google.calls import ApiError, Call

T = TypeVar("T")
Place = tuple[int, ...]


class Paging:
    def __init__(self, call: Call, *, token: str = "pageToken", size: str = "maxResults") -> None:
        self._token, self._size = call.params.get(token), call.params.get(size)
        query = sorted((name, repr(content)) for name, content in call.params.items() if name not in (token, size, "fields"))
        self._query = hashlib.sha256(repr((call.method, call.user.email, query)).encode()).hexdigest()[:12]

    def page(
        self, found: Sequence[T], *, default: int, most: int, place: Callable[[T], Place] | None = None
    ) -> tuple[Sequence[T], str]:
        """A page of at most `most`, and the token of the next one; empty: there is none. With a `place` for each (growing through
        `found`), what comes in between two pages shifts nothing."""
        places = [place(item) for item in found] if place else [(number,) for number in range(len(found))]
        last = self._last()
        left = [number for number, here in enumerate(places) if last is None or here > last]
        shown = left[: min(self._size or default, most)]
        return [found[number] for number in shown], self._after(places[shown[-1]]) if len(left) > len(shown) else ""

    def _after(self, place: Place) -> str:
        return base64.urlsafe_b64encode(f"{'/'.join(map(str, place))}:{self._query}".encode()).decode()

    def _last(self) -> Place | None:
        if not self._token:
            return None
        try:
            place, query = base64.urlsafe_b64decode(self._token).decode().split(":")
            if query == self._query:
                return tuple(map(int, place.split("/")))
        except ValueError:
            pass
        raise ApiError(400, "invalid", "Invalid page token value.")
