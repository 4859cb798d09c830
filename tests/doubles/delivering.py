"""A service on this machine that takes notes over real HTTP, as it is told to, and an assistant by a clock that a test moves."""

import json
import threading
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from assistant.bootstrap import LocalAccount, open_assistant
from assistant.facade import Assistant
from assistant.scheduling.values import Delivery
from assistant.timetable.rules import Cron, Remind

SECRET = "canary-7d1f0b"
DAILY = Cron(expression="0 8 * * *")


@dataclass
class NoteService:
    """`answers` are given in turn, the last again and again: a status, "drops" the connection once it has read, or "hangs" until
    the service ends. `notes` are those that arrived, whatever was answered."""

    port: int = 0
    answers: list[int | str] = field(default_factory=lambda: [200])
    notes: list[dict[str, str]] = field(default_factory=list)
    ended: threading.Event = field(default_factory=threading.Event)

    @property
    def address(self) -> str:
        return f"json://{SECRET}:{SECRET}@127.0.0.1:{self.port}/{SECRET}"

    @property
    def bodies(self) -> list[str]:
        return [note["message"] for note in self.notes]


@contextmanager
def note_service() -> Iterator[NoteService]:
    service = NoteService()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            service.notes.append(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
            answer = service.answers.pop(0) if len(service.answers) > 1 else service.answers[0]
            if answer == "hangs":
                service.ended.wait(30)
            if isinstance(answer, str):
                self.close_connection = True
                return
            self.send_response(answer)
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, format: str, *args: object) -> None:
            """Nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    service.port = server.server_port
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    try:
        yield service
    finally:
        service.ended.set()
        server.shutdown()
        server.server_close()


@dataclass
class Days:
    """One assistant in Berlin, by a clock that a test moves."""

    home: Path
    account: LocalAccount
    at: datetime = datetime(2026, 11, 23, 6, 30, tzinfo=UTC)

    @asynccontextmanager
    async def __call__(self) -> AsyncIterator[Assistant]:
        async with open_assistant(self.home, clock=lambda: self.at, zone="Europe/Berlin", accounts=[self.account]) as assistant:
            yield assistant

    def passes(self, **time: float) -> None:
        self.at += timedelta(**time)


async def reminded(assistant: Assistant, *targets: str, text: str = "call Tom") -> str:
    """A schedule that has run once."""
    schedule = await assistant.schedules.add("Calls", Remind(text=text), DAILY, targets=targets)
    await assistant.schedules.run(schedule.id)
    return schedule.id


async def delivered(assistant: Assistant, schedule: str) -> tuple[Delivery, ...]:
    """Of its last run."""
    (last, *_) = await assistant.schedules.history(schedule)
    return last.deliveries
