"""Connections on which nobody speaks, or so slowly that it is meant to hold them."""

import asyncio

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

PATIENCE = 20.0
"""Seconds in which the head of a request must have arrived."""


class Connection(H11Protocol):
    """uvicorn alone would wait for ever for a first request, and for one that has begun."""

    _waiting: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._wait()

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        in_head = self.conn.their_state is h11.IDLE and bool(self.conn.trailing_data[0])
        if in_head:
            self._wait()
        else:
            self._wait_no_more()

    def connection_lost(self, exc: Exception | None) -> None:
        self._wait_no_more()
        super().connection_lost(exc)

    def _wait(self) -> None:
        """A further piece does not make it wait longer."""
        if self._waiting is None:
            self._waiting = self.loop.call_later(PATIENCE, self._leave)

    def _wait_no_more(self) -> None:
        if self._waiting is not None:
            self._waiting.cancel()
            self._waiting = None

    def _leave(self) -> None:
        if not self.transport.is_closing():
            self.transport.close()
