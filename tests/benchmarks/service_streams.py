"""Many open streams and many messages: `python tests/benchmarks/service_streams.py [--streams 100] [--rate 50] [--seconds 20]
[--json]`.

The service runs in a process of its own, with the offline reasoner and the sample account; this one follows `--streams`
conversations over HTTP on the loopback, and says `--rate` messages a second in them, in turn. Prints the time from the POST to the
first event of it on its stream, the turns that came to their end, the messages that were refused, the events that streams
missed as against what is stored, and the CPU time of the service for each message. Both processes share the machine.
"""

import argparse
import asyncio
import json
import multiprocessing
import resource
import statistics
import sys
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx2

sys.path.insert(0, str(Path(__file__).parents[1]))

WORDS = (
    "what's on my calendar tomorrow?",
    "how many unread mails do I have?",
    "am I free Thursday at 3?",
    "what is Anna's phone number?",
    "read the last mail from Anna",
)
PATIENCE = 60.0
"""Seconds for what is under way to come to its end."""


# --- the service


def serve(home: str, pipe: Any) -> None:
    asyncio.run(_serve(Path(home), pipe))


async def _serve(home: Path, pipe: Any) -> None:
    from doubles.service import serving

    async with serving(home) as service:
        pipe.send((service.url, await service.token(scopes=("read", "propose", "approve"))))
        loop = asyncio.get_running_loop()
        while (asked := await loop.run_in_executor(None, pipe.recv)) != "end":
            used = resource.getrusage(resource.RUSAGE_SELF)
            pipe.send(used.ru_utime + used.ru_stime if asked == "cpu" else None)


# --- the load


@dataclass
class Followed:
    """One conversation and its stream. `waiting`: when each message that has not come on it yet was sent."""

    id: str
    waiting: list[float] = field(default_factory=list)
    firsts: list[float] = field(default_factory=list)
    heard: list[tuple[str, Any]] = field(default_factory=list)
    turns: int = 0
    said: int = 0
    breaks: int = 0
    cursor: str = ""
    open: asyncio.Event = field(default_factory=asyncio.Event)

    def hear(self, name: str, data: Any) -> None:
        if name == "caught_up":
            self.open.set()
        elif name == "message":
            self.heard.append((name, data["id"]))
            if data["role"] == "user" and self.waiting:
                self.firsts.append(time.perf_counter() - self.waiting.pop(0))
        elif name == "step":
            self.heard.append((name, (data["flow"], data["seq"])))
        elif name == "turn":
            self.turns += 1


async def follow(client: httpx2.AsyncClient, one: Followed) -> None:
    from doubles.events import events_of

    while True:
        headers = {"Last-Event-ID": one.cursor} if one.cursor else {}
        try:
            async with client.stream("GET", f"/api/conversations/{one.id}/events", headers=headers) as response:
                async for event in events_of(response):
                    one.cursor = event.id or one.cursor
                    one.hear(event.name, event.data)
        except httpx2.HTTPError:
            pass
        one.breaks += 1


async def say(client: httpx2.AsyncClient, one: Followed, text: str, refused: list[int]) -> None:
    one.waiting.append(time.perf_counter())
    one.said += 1
    answer = await client.post(f"/api/conversations/{one.id}/messages", json={"text": text}, headers={"Prefer": "respond-async"})
    if answer.status_code != 202:
        one.waiting.pop()
        one.said -= 1
        refused.append(answer.status_code)


async def load(client: httpx2.AsyncClient, streams: list[Followed], rate: float, seconds: float) -> tuple[list[int], float]:
    """The statuses of what was refused, and how long it took to say everything."""
    refused: list[int] = []
    begun, sending = time.perf_counter(), set[asyncio.Task[None]]()
    for number in range(round(rate * seconds)):
        await asyncio.sleep(max(0.0, begun + number / rate - time.perf_counter()))
        sending.add(asyncio.create_task(say(client, streams[number % len(streams)], WORDS[number % len(WORDS)], refused)))
    spoken = time.perf_counter() - begun
    await asyncio.gather(*sending)
    return refused, spoken


async def missed(client: httpx2.AsyncClient, one: Followed) -> tuple[int, int]:
    """How many events of what is stored were not heard, and how many were heard more than once."""
    said = (await client.get(f"/api/conversations/{one.id}/messages", params={"limit": 200})).json()["items"]
    stored = {("message", message["id"]) for message in said}
    for flow in {message["flow"] for message in said}:
        items = (await client.get(f"/api/flows/{flow}/events")).json()["items"]
        stored |= {("step", (flow, step["seq"])) for step in items}
    return len(stored - set(one.heard)), len(one.heard) - len(set(one.heard))


async def measured(url: str, token: str, pipe: Any, given: argparse.Namespace) -> dict[str, Any]:
    limits = httpx2.Limits(max_connections=given.streams + 100, max_keepalive_connections=50)
    headers = {"Authorization": f"Bearer {token}"}
    async with httpx2.AsyncClient(base_url=url, headers=headers, limits=limits, timeout=PATIENCE) as client:
        streams = [Followed((await client.post("/api/conversations")).json()["id"]) for _ in range(given.streams)]
        following = [asyncio.create_task(follow(client, one)) for one in streams]
        await asyncio.gather(*(one.open.wait() for one in streams))
        await load(client, streams[:5], 5, 1)  # whatever is loaded at the first use
        await _ended(streams)
        for one in streams:
            one.firsts.clear()
        before = _asked(pipe, "cpu")
        refused, seconds = await load(client, streams, given.rate, given.seconds)
        ended = await _ended(streams)
        cpu = _asked(pipe, "cpu") - before
        lost = [await missed(client, one) for one in streams]
        for task in following:
            task.cancel()
        await asyncio.wait(following)
    firsts = sorted(1000 * first for one in streams for first in one.firsts)
    cuts = statistics.quantiles(firsts, n=100) if len(firsts) > 1 else [0.0] * 99
    said = round(given.rate * given.seconds) - len(refused)
    return {
        "streams": given.streams,
        "messages": said,
        "refused": len(refused),
        "said_per_second": round(said / seconds, 1),
        "first_event_ms": {name: round(cuts[n - 1], 1) for name, n in (("p50", 50), ("p95", 95), ("p99", 99))},
        "unended": sum(one.said - one.turns for one in streams) if not ended else 0,
        "streams_broken": sum(one.breaks for one in streams),
        "streams_lost": sum(1 for one in lost if one[0]),
        "events_missed": sum(one[0] for one in lost),
        "events_twice": sum(one[1] for one in lost),
        "service_cpu_ms_per_message": round(1000 * cpu / max(said, 1), 1),
    }


async def _ended(streams: list[Followed]) -> bool:
    """Whether every message came to a turn. A message that interrupts another ends two."""
    until = time.perf_counter() + PATIENCE
    while any(one.turns < one.said for one in streams):
        if time.perf_counter() > until:
            return False
        await asyncio.sleep(0.02)
    return True


def _asked(pipe: Any, what: str) -> Any:
    pipe.send(what)
    return pipe.recv()


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--streams", type=int, default=100)
    parser.add_argument("--rate", type=float, default=50)
    parser.add_argument("--seconds", type=float, default=20)
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    spawn = multiprocessing.get_context("spawn")
    with tempfile.TemporaryDirectory() as home:
        ours, theirs = spawn.Pipe()
        service = spawn.Process(target=serve, args=(home, theirs))
        service.start()
        theirs.close()
        try:
            url, token = ours.recv()
            found = asyncio.run(measured(url, token, ours, given))
        finally:
            ours.send("end")
            service.join()
    if given.json:
        print(json.dumps(found))
        return
    for name, value in found.items():
        print(f"{name.replace('_', ' '):28} {value}")


if __name__ == "__main__":
    main()
