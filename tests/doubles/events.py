"""Server-sent events, as a client reads them."""

import json
from collections.abc import AsyncIterator
from typing import Any, NamedTuple

import httpx2


class Event(NamedTuple):
    name: str
    data: Any
    id: str


async def events_of(response: httpx2.Response) -> AsyncIterator[Event]:
    fields: dict[str, str] = {}
    async for line in response.aiter_lines():
        if line:
            name, _, value = line.partition(": ")
            fields[name] = value
        elif "data" in fields:
            yield Event(fields["event"], json.loads(fields["data"]), fields.get("id", ""))
            fields = {}
