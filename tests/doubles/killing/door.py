"""A service that is killed, and whoever uses it over HTTP: what was not answered is sent again when it is back."""

import asyncio
import contextlib
import os
import signal
import sys
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from random import Random
from typing import Any, NamedTuple
from uuid import uuid4

import httpx2
from doubles.events import events_of
from doubles.killing.notes import Notes
from doubles.killing.stream import Stream, T
from pydantic import TypeAdapter

from assistant.service.views import Turn
from integrations.actions import Action
from integrations.common.certificates import usual
from integrations.readers import Readers
from integrations.registry import AccountConfig
from integrations.types import ContactQuery, EventQuery, MailQuery

TESTS = Path(__file__).parents[2]
READY = "Ctrl-C"
CLIENTS = 4
"""At once, each with conversations of its own."""
ACTIONS: TypeAdapter[tuple[Action, ...]] = TypeAdapter(tuple[Action, ...])


class Gone(Exception):
    """The service was ended in the middle of it."""


@asynccontextmanager
async def served(home: Path, port: int, log: Path) -> AsyncIterator[asyncio.subprocess.Process]:
    """`assistant serve` in a process of its own."""
    path = os.pathsep.join((str(TESTS), str(TESTS.parent)))
    command = [sys.executable, "-m", "doubles.killing.served", "--home", str(home), "serve", "--port", str(port)]
    environment = {**os.environ, "PYTHONPATH": path, "ASSISTANT_UNDO_WINDOW": "1", "ASSISTANT_ZONE": "UTC"}
    with log.open("ab") as errors:
        process = await asyncio.create_subprocess_exec(*command, stdout=asyncio.subprocess.PIPE, stderr=errors, env=environment)
        assert process.stdout is not None
        async for line in process.stdout:
            if line.decode().startswith(READY):
                break
        try:
            yield process
        finally:
            if process.returncode is None:
                process.send_signal(signal.SIGKILL)
            await process.wait()


class Sent(NamedTuple):
    path: str
    body: Any
    key: str = ""


@dataclass
class Door:
    """What `doubles.killing.stream.Stream` needs of an assistant, over HTTP. `unanswered` outlives a service; `said`: the
    conversations in each of which one message was sent."""

    url: str
    token: str
    account: AccountConfig
    readers: Readers
    notes: Notes
    unanswered: dict[str, Sent] = field(default_factory=dict)
    said: list[str] = field(default_factory=list)
    followed: "dict[str, Follower]" = field(default_factory=dict)
    troubles: list[str] = field(default_factory=list)
    _last: dict[str, str] = field(default_factory=dict)
    _names: dict[str, str] = field(default_factory=dict)

    def enter(self) -> None:
        headers = {"Authorization": f"Bearer {self.token}"}
        self.http = httpx2.AsyncClient(base_url=self.url, headers=headers, timeout=60, verify=usual())

    @property
    def accounts(self) -> Sequence[AccountConfig]:
        return (self.account,)

    def clock(self) -> datetime:
        return datetime.now(UTC)

    # --- what a stream of approvals does

    async def look(self, query: MailQuery | EventQuery | ContactQuery) -> Any:
        if isinstance(query, MailQuery):
            return await self.readers.mail.search(query)
        if isinstance(query, EventQuery):
            return await self.readers.calendar.events(query)
        return await self.readers.contacts.search(query)

    async def propose(self, name: str, actions: Sequence[Action]) -> Turn:
        path = f"/api/conversations/{await self.conversation(name)}/actions"
        return await self.turn(path, {"actions": ACTIONS.dump_python(tuple(actions), mode="json")}, repeat=False)

    async def approve(self, preview: str, fingerprint: str) -> Turn:
        turn = await self.turn(f"/api/previews/{preview}/approve", {"fingerprint": fingerprint})
        self._last[turn.conversation] = turn.flow
        return turn

    async def cancel(self, preview: str) -> Turn:
        return await self.turn(f"/api/previews/{preview}/cancel", {})

    async def undo(self, name: str) -> Turn:
        flow = self._last.get(await self.conversation(name))
        return await self.turn(f"/api/flows/{flow}/undo", {}) if flow else NOTHING

    async def say(self, name: str, text: str) -> Turn:
        """Each in a conversation of its own, so that it can be told whether it was said once."""
        conversation = await self._begun()
        self.said.append(conversation)
        return await self.turn(f"/api/conversations/{conversation}/messages", {"text": text}, key=uuid4().hex)

    # --- over HTTP

    async def conversation(self, name: str) -> str:
        if name not in self._names:
            self._names[name] = await self._begun()
            self.followed[self._names[name]] = Follower(self._names[name])
        return self._names[name]

    async def _begun(self) -> str:
        return str((await self._post(Sent("/api/conversations", {})))["id"])

    async def turn(self, path: str, body: Any, key: str = "", *, repeat: bool = True) -> Turn:
        """What is sent and not answered is sent again later."""
        number, sent = uuid4().hex, Sent(path, body, key)
        if repeat:
            self.unanswered[number] = sent
        answer = await self._post(sent)
        self.unanswered.pop(number, None)
        return Turn.model_validate(answer) if answer else NOTHING

    async def again(self) -> None:
        for number, sent in tuple(self.unanswered.items()):
            answer = await self._post(sent)
            if sent.key and not answer:
                self.troubles.append(f"The message {sent.key} can't be said: {sent}.")
            for outcome in Turn.model_validate(answer).outcomes if answer else ():
                self.notes.note("told", key=outcome.key, status=outcome.status)
            del self.unanswered[number]

    async def _post(self, sent: Sent) -> Any:
        """None where it was refused."""
        try:
            answer = await self.http.post(sent.path, json=sent.body, headers={"Idempotency-Key": sent.key} if sent.key else {})
        except httpx2.TransportError as lost:
            raise Gone from lost
        if answer.status_code == 503:
            raise Gone
        if answer.status_code >= 500 or answer.status_code in (404, 422, 429):
            self.troubles.append(f"{sent} was answered with {answer.status_code}: {answer.text}")
        return answer.json() if answer.is_success else None


NOTHING = Turn.model_construct(previews=(), outcomes=(), flow="", conversation="")


class Tabs(Stream):
    """Somebody with two tabs, who does in both at once what can be done once."""

    _a: Door  # type: ignore[assignment]

    def _any(self, found: Sequence[T]) -> T | None:
        """Of what no other client touches: what one deletes another could not, and nothing could be shown again of it."""
        own = [one for one in found if sum(one.id.encode()) % CLIENTS == int(self._life.rpartition("-")[2])]  # type: ignore[attr-defined]
        return super()._any(own)

    async def next(self) -> None:
        deeds: tuple[Callable[[], Any], ...] = (super().next, self._twice, self._approved_and_edited, self._approved_and_cancelled)
        await self._random.choices((*deeds, self._withdrawn, self._words), weights=(8, 3, 2, 2, 2, 5))[0]()

    async def _twice(self) -> None:
        for preview in await self._proposed(2):
            await asyncio.gather(self._approve(preview), self._approve(preview))

    async def _approved_and_edited(self) -> None:
        for preview in await self._proposed(1):
            edited = [action.model_dump(mode="json") for action in preview.actions]
            for action in edited:
                if "body" in action:
                    action["body"] += " and more"
            body = {"fingerprint": preview.fingerprint, "actions": edited}
            editing = self._a.turn(f"/api/previews/{preview.id}/revise", body)
            _, turn = await asyncio.gather(self._approve(preview), editing)
            for fresh in turn.previews:
                await self._approve(fresh)

    async def _approved_and_cancelled(self) -> None:
        for preview in await self._proposed(1):
            self._notes.note("dropping")
            await asyncio.gather(self._approve(preview), self._a.cancel(preview.id))

    async def _withdrawn(self) -> None:
        """At a moment that may be the end of the window."""
        for preview in await self._proposed(1):
            self._notes.note("approving", preview=preview.id, writes=len(preview.actions))
            turn = await self._a.approve(preview.id, preview.fingerprint)
            self._told(turn)
            held = [outcome for outcome in turn.outcomes if outcome.status == "held"]
            await asyncio.sleep(self._random.choice((0.0, 0.95, 1.0, 1.02)) if held else 0)
            for outcome in held:
                answer = await self._a._post(Sent(f"/api/outbox/{outcome.key}/withdraw", {}))
                for taken in answer["items"] if answer else ():
                    self._notes.note("told", key=taken["key"], status=taken["status"])


@dataclass
class Follower:
    """Who follows a conversation and is cut off again and again. Of steps that were told twice the later holds, since the way of
    the former may have been given up."""

    conversation: str
    cursor: str = ""
    messages: list[str] = field(default_factory=list)
    steps: dict[tuple[str, int], str] = field(default_factory=dict)
    turns: dict[str, str] = field(default_factory=dict)
    twice: list[str] = field(default_factory=list)

    async def follow(self, http: httpx2.AsyncClient, random: Random) -> None:
        """Until it is cancelled."""
        while True:
            with contextlib.suppress(httpx2.TransportError):
                await self.listen(http, random.randrange(1, 12))
            await asyncio.sleep(random.choice((0, 0, 0.05)))

    async def listen(self, http: httpx2.AsyncClient, most: int = 0) -> None:
        """So many events, or up to where nothing is left."""
        headers = {"Last-Event-ID": self.cursor} if self.cursor else {}
        async with http.stream("GET", f"/api/conversations/{self.conversation}/events", headers=headers) as response:
            async for event in events_of(response):
                self._hear(event.name, event.data)
                self.cursor = event.id or self.cursor
                most -= 1
                if most == 0 or (most < 0 and event.name == "caught_up"):
                    return

    def _hear(self, name: str, data: Any) -> None:
        if name == "message":
            self.messages.append(data["id"])
        elif name == "turn":
            self.turns[data["flow"]] = data["status"]
        elif name == "step":
            key, told = (data["flow"], data["seq"]), f"{data['at']} {data['step']} {data['text']}"
            if self.steps.get(key) == told:
                self.twice.append(f"{key} {told}")
            self.steps[key] = told

    async def wrong(self, http: httpx2.AsyncClient) -> list[str]:
        """What was missed or heard twice, a sentence for each."""
        await self.listen(http)
        page = (await http.get(f"/api/conversations/{self.conversation}/messages", params={"limit": 200})).json()
        said = [message["id"] for message in page["items"]]
        while page["next"]:
            query = {"limit": 200, "before": page["next"]}
            page = (await http.get(f"/api/conversations/{self.conversation}/messages", params=query)).json()
            said = [*(message["id"] for message in page["items"]), *said]
        wrong = [] if said == self.messages else [f"Of {said} were heard {self.messages}."]
        for flow in (await http.get("/api/flows", params={"conversation": self.conversation})).json()["items"]:
            stored = (await http.get(f"/api/flows/{flow['id']}/events")).json()["items"]
            told = [f"{step['at']} {step['step']} {step['text']}" for step in stored]
            heard = [self.steps.get((flow["id"], number)) for number in range(1, len(told) + 1)]
            wrong += [] if heard == told else [f"Of the steps {told} were heard {heard}."]
            if self.turns.get(flow["id"]) != flow["status"]:
                wrong.append(f"{flow['id']} is {flow['status']}, heard was {self.turns.get(flow['id'])}.")
        return [*wrong, *(f"Heard twice: {step}" for step in self.twice)]
