"""What endpoints send, read within bounds of size."""

import asyncio
import json
from collections.abc import AsyncGenerator, AsyncIterator, Iterator
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

from assistant.llm.troubles import Late, Oversized, Refused

if TYPE_CHECKING:
    from httpx2 import Response

LARGEST = 16 * 2**20
"""Bytes of an answer. A streamed one takes some 300 for a token."""
WORDS = 64 * 1024
"""Bytes that are read of an error."""
DONE = "[DONE]"


class Measure:
    """Counts bytes and raises Oversized."""

    def __init__(self, most: int = LARGEST) -> None:
        self._left = most

    def take(self, chunk: bytes) -> bytes:
        self._left -= len(chunk)
        if self._left < 0:
            raise Oversized
        return chunk


async def body(response: "Response") -> str:
    """The whole of it; the connection is free again afterwards."""
    measure = Measure()
    try:
        return b"".join([measure.take(chunk) async for chunk in response.aiter_bytes()]).decode("utf-8-sig", "replace")
    finally:
        await response.aclose()


async def turn_down(response: "Response") -> None:
    """A hook for every response, before anything else is read of it: raises Refused for errors and for pages."""
    if response.is_success and "html" not in response.headers.get("content-type", ""):
        return
    said = b""
    async for chunk in response.aiter_bytes():
        said += chunk
        if len(said) >= WORDS:
            break
    raise Refused(response.status_code, said[:WORDS].decode("utf-8-sig", "replace"), response.headers)


async def events(response: "Response", *, pace: float, in_all: float) -> AsyncGenerator[str]:
    """The data of server-sent events, each within `pace` seconds of the one before; keep-alives are none. An answer that is no
    stream is one event, followed by DONE. Raises Late and Oversized."""
    if "json" in response.headers.get("content-type", ""):
        async with _until(pace, f"did not answer within {pace:g} seconds"):
            whole = await body(response)
        yield whole
        yield DONE
        return
    now = asyncio.get_running_loop().time
    end, due, lines, measure = now() + in_all, now() + pace, _Lines(), Measure()
    arriving = response.aiter_bytes()
    try:
        while True:
            late = f"sent nothing more for {pace:g} seconds" if due < end else f"did not end its answer within {in_all:g} seconds"
            async with _until(min(due, end) - now(), late):
                chunk = await anext(arriving, None)
            for data in data_of(lines.feed(measure.take(chunk)) if chunk is not None else lines.end()):
                due = now() + pace
                yield data
            if chunk is None:
                return
    finally:
        await response.aclose()


@asynccontextmanager
async def _until(seconds: float, words: str) -> AsyncIterator[None]:
    """Raises Late."""
    try:
        async with asyncio.timeout(seconds):
            yield
    except TimeoutError:
        raise Late(words) from None


class _Lines:
    """From bytes that come in any portions."""

    def __init__(self) -> None:
        self._begun: list[bytes] = []

    def feed(self, chunk: bytes) -> str:
        """Those that have ended."""
        ended, end, rest = chunk.rpartition(b"\n")
        if not end:
            self._begun.append(chunk)
            return ""
        whole = b"".join((*self._begun, ended))
        self._begun = [rest]
        return whole.decode("utf-8-sig", "replace")

    def end(self) -> str:
        return b"".join(self._begun).decode("utf-8-sig", "replace")


def is_stream(text: str) -> bool:
    return text.lstrip().startswith(("data:", "event:", ":"))


def data_of(text: str) -> Iterator[str]:
    """Each line of data is an event of its own."""
    for line in text.split("\n"):
        if line.startswith("data:"):
            yield line.removeprefix("data:").strip()


def answer_of(text: str) -> object:
    """Its JSON. Raises Refused where that is an error."""
    answer: object = json.loads(text)
    if refused := Refused.within(answer):
        raise refused
    return answer
