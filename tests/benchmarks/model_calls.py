"""How often twelve everyday requests ask the model, and what the product adds to the time it takes:
`python tests/benchmarks/model_calls.py [--counts] [--rounds 3] [--at-once 200]`.

A model that always takes the right step answers over real HTTP. Prints for each request the calls by question, the tokens (four
characters each), the critical path (the longest chain of calls that had to wait for one another), how many steps and calls ran
side by side, and the calls of its approval. Then, at 300 ms for an answer, the time of each request over its critical path, and
that of many reads at once with the CPU time of each; the endpoint runs in a process of its own then. As a yardstick of the machine
the same number of two plain calls of the SDK, one after the other, is timed in between. Fails where a count is above its limit; a
busy machine makes times longer.
"""

import argparse
import asyncio
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager, contextmanager
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from doubles.llm import RequestSeen, ScriptedEndpoint
from doubles.llm.planning import CALENDAR, EVERYDAY, PLAIN_READS, UNSURE, Everyday, planning
from doubles.llm.scenarios import question_of
from e2e.sentences.account import NOW, lay_out

from assistant.bootstrap import open_assistant
from assistant.facade import Assistant
from assistant.reasoning.llm.reasoner import ROLES
from config.settings import LlmSettings, Settings

TESTS = Path(__file__).parents[1]
ALL, ONE, APPROVAL = 26, 3, 0
"""The most calls: for all twelve, for one up to its answer or preview, for an approval."""
OVER, AT_ONCE_OVER, CPU = 0.05, 2.5, 12.0
"""The longest: a flow's time over its critical path as a share, that of many at once in critical paths, milliseconds of CPU."""
LATENCY = 0.3
COUNTED_LATENCY = 0.05
"""Long enough for calls that don't wait for one another to overlap."""


@dataclass(frozen=True)
class Row:
    """What one request took. `path` in calls; `approval` None where nothing was shown; `steps` and `calls_at_once` side by side."""

    text: str
    status: str
    calls: Mapping[str, int]
    prompt: int
    cached: int
    completion: int
    path: int
    steps: int
    calls_at_once: int
    approval: int | None

    @property
    def total(self) -> int:
        return sum(self.calls.values())


def opened(base: Path, url: str, key: str) -> AbstractAsyncContextManager[Assistant]:
    """Over the suite's own account, laid out anew."""
    llm = LlmSettings(base_url=url, api_key=key, model="scripted", retries=0)
    account = lay_out(base / "account")
    settings = Settings(home=base / "home", llm=llm)
    return open_assistant(settings=settings, clock=lambda: NOW, zone="Europe/Berlin", accounts=[account])


# --- counts


async def counted(base: Path, requests: Sequence[Everyday] = (*EVERYDAY, UNSURE)) -> tuple[Row, ...]:
    with ScriptedEndpoint(planning, latency=COUNTED_LATENCY) as endpoint:
        async with opened(base, endpoint.url, endpoint.key) as assistant:
            rows = [await _row(assistant, endpoint, request) for request in requests]
        if endpoint.complaints:
            raise AssertionError("; ".join(endpoint.complaints))
    return tuple(rows)


async def _row(assistant: Assistant, endpoint: ScriptedEndpoint, request: Everyday) -> Row:
    counters, first = endpoint.counters, len(endpoint.requests)
    before = (counters.prompt, counters.cached, counters.completion)
    turn = await assistant.say(request.text, request.text)
    seen = endpoint.requests[first:]
    prompt, cached, completion = (
        now - then for now, then in zip((counters.prompt, counters.cached, counters.completion), before, strict=True)
    )
    return Row(
        text=request.text,
        status=turn.status,
        calls=Counter(question_of(one) for one in seen),
        prompt=prompt,
        cached=cached,
        completion=completion,
        path=longest_chain(seen),
        steps=await _steps_at_once(assistant, turn.flow),
        calls_at_once=most_at_once(seen),
        approval=await _approved(assistant, endpoint, request.text) if turn.previews else None,
    )


def longest_chain(seen: Sequence[RequestSeen]) -> int:
    """How many of the calls began only after another of them had ended, one behind the other."""
    length, free = 0, float("-inf")
    for one in sorted(seen, key=lambda one: one.ended):
        if one.began >= free:
            length, free = length + 1, one.ended
    return length


def most_at_once(seen: Sequence[RequestSeen]) -> int:
    return max((sum(other.began <= one.began < other.ended for other in seen) for one in seen), default=0)


async def _steps_at_once(assistant: Assistant, flow: str) -> int:
    """The most steps that were given to sub-agents before the first of them reported."""
    most = under_way = 0
    async for event in assistant.events("", flow=flow):
        under_way += {"9": 1, "10": -1}.get(event.step, 0)
        most = max(most, under_way)
    return most


async def _approved(assistant: Assistant, endpoint: ScriptedEndpoint, conversation: str) -> int:
    before = len(endpoint.requests)
    turn = await assistant.say(conversation, "approve")
    if not turn.outcomes or any(outcome.status not in ("done", "pending") for outcome in turn.outcomes):
        raise AssertionError(f"not carried out: {turn.reply}")
    return len(endpoint.requests) - before


def complaints(rows: Sequence[Row]) -> list[str]:
    """The limits of counts that are missed."""
    everyday = [row for row in rows if row.text != UNSURE.text]
    total = sum(row.total for row in everyday)
    wrong = [f"{total} calls in all, at most {ALL}"] if total > ALL else []
    wrong += [f"“{row.text}”: {row.total} calls, at most {ONE}" for row in everyday if row.total > ONE]
    wrong += [f"“{row.text}”: its approval asked the model {row.approval} times" for row in rows if (row.approval or 0) > APPROVAL]
    wrong += [f"“{row.text}”: {row.status}" for row in rows if row.status != "done"]
    wrong += [f"“{row.text}”: nothing side by side" for row in rows if _could_overlap(row.text) > row.steps]
    wrong += [f"“{row.text}”: calls one after another" for row in rows if row.text == UNSURE.text and row.calls_at_once < 2]
    return wrong


def _could_overlap(text: str) -> int:
    """How many steps of a plan need no other."""
    plan = next(one.plan for one in (*EVERYDAY, UNSURE) if one.text == text)
    return sum(not step.get("needs") for step in plan["steps"])


def show(rows: Sequence[Row]) -> None:
    heads = ("calls", *ROLES, "prompt", "cached", "compl.", "path", "steps at once", "approval")
    print(f"{'request':64} " + " ".join(f"{head:>{max(6, len(head))}}" for head in heads))
    everyday = [row for row in rows if row.text != UNSURE.text]
    for row in everyday:
        _show(row.text, _cells(row), heads)
    sums = [sum(column) for column in zip(*(_numbers(row) for row in everyday), strict=True)]
    _show("in all", [str(number) for number in sums[:-2]] + ["", str(sums[-1])], heads)
    for row in rows:
        if row.text == UNSURE.text:
            _show("two look-ups that ask the model, side by side", _cells(row), heads)


def _numbers(row: Row) -> list[int]:
    calls = [row.calls.get(role, 0) for role in ROLES]
    return [row.total, *calls, row.prompt, row.cached, row.completion, row.path, row.steps, row.approval or 0]


def _cells(row: Row) -> list[str]:
    numbers = [str(number) for number in _numbers(row)]
    return [*numbers[:-1], "-" if row.approval is None else numbers[-1]]


def _show(title: str, cells: Sequence[str], heads: Sequence[str]) -> None:
    print(f"{title:64} " + " ".join(f"{cell:>{max(6, len(head))}}" for cell, head in zip(cells, heads, strict=True)))


# --- times


@dataclass(frozen=True)
class AtOnce:
    """Seconds; `cpu` of all threads, for each read."""

    wall: float
    cpu: float


@contextmanager
def endpoint_apart(latency: float, script: str = "doubles.llm.planning:planning") -> Iterator[tuple[str, str]]:
    """The scripted endpoint in a process of its own: (address, key)."""
    command = (sys.executable, "-m", "doubles.llm", "--latency", str(latency), "--script", script)
    with subprocess.Popen(command, cwd=TESTS, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            told = dict(word.split("=", 1) for word in process.stdout.readline().split())
            yield told["ASSISTANT_LLM__BASE_URL"], told["ASSISTANT_LLM__API_KEY"]
        finally:
            process.terminate()


@asynccontextmanager
async def warm(base: Path, at_once: int) -> AsyncIterator[Assistant]:
    with endpoint_apart(LATENCY) as (url, key):
        async with opened(base, url, key) as assistant:
            await assistant.say("first", CALENDAR.text)
            await reads_at_once(assistant, "first", min(at_once, 20))
            yield assistant


async def one_by_one(assistant: Assistant, round: str) -> dict[str, float]:
    """Seconds of each request, in a conversation of its own."""
    taken = {}
    for request in EVERYDAY:
        began = time.perf_counter()
        await assistant.say(f"{round} {request.text}", request.text)
        taken[request.text] = time.perf_counter() - began
    return taken


async def reads_at_once(assistant: Assistant, round: str, number: int) -> AtOnce:
    texts = [PLAIN_READS[n % len(PLAIN_READS)].text for n in range(number)]
    wall, cpu = time.perf_counter(), time.process_time()
    turns = await asyncio.gather(*(assistant.say(f"{round} read {n}", text) for n, text in enumerate(texts)))
    wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
    if wrong := [turn.reply for turn in turns if turn.status != "done" or turn.reasoner == "offline"]:
        raise AssertionError(wrong[0])
    return AtOnce(wall, cpu / number)


async def plain_calls_at_once(number: int) -> AtOnce:
    """By the SDK alone, as long a critical path as that of a read."""
    from openai import AsyncOpenAI, DefaultAioHttpClient

    with endpoint_apart(LATENCY, "doubles.llm.misbehaving:obliging") as (url, key):
        async with AsyncOpenAI(base_url=url, api_key=key, max_retries=0, http_client=DefaultAioHttpClient()) as sdk:

            async def two_calls() -> None:
                for _ in range(2):
                    messages = [{"role": "user", "content": "hello " * 1000}]
                    await sdk.chat.completions.create(model="scripted", messages=messages)  # type: ignore[arg-type]

            await asyncio.gather(*(two_calls() for _ in range(20)))
            wall, cpu = time.perf_counter(), time.process_time()
            await asyncio.gather(*(two_calls() for _ in range(number)))
            return AtOnce(time.perf_counter() - wall, (time.process_time() - cpu) / number)


async def timed(base: Path, rows: Sequence[Row], rounds: int, at_once: int) -> None:
    paths = {row.text: row.path * LATENCY for row in rows}
    async with warm(base, at_once) as assistant:
        alone = [await one_by_one(assistant, f"round {n}") for n in range(rounds)]
        many, plain = [], []
        for n in range(rounds):
            many.append(await reads_at_once(assistant, f"round {n}", at_once))
            plain.append(await plain_calls_at_once(at_once))
    print(f"\none request at a time, {LATENCY * 1000:.0f} ms for an answer: best and longest of {rounds}, over the critical path")
    for text in alone[0]:
        _show_times(text, [taken[text] for taken in alone], paths[text])
    _show_times("all twelve", [sum(taken.values()) for taken in alone], sum(paths[text] for text in alone[0]))
    path = paths[CALENDAR.text]
    walls, cpus = [one.wall / path for one in many], [1000 * one.cpu for one in many]
    print(f"\n{at_once} reads at once, critical path {path:.1f} s: best and longest of {rounds}")
    wall, cpu = f"{min(walls):.2f} to {max(walls):.2f}", f"{min(cpus):.1f} to {max(cpus):.1f} ms"
    print(f"  wall time {wall} critical paths, at most {AT_ONCE_OVER}{_mark(min(walls) > AT_ONCE_OVER)}")
    print(f"  CPU time {cpu} for each, at most {CPU:.0f} ms{_mark(min(cpus) > CPU)}")
    walls, cpus = [one.wall / path for one in plain], [1000 * one.cpu for one in plain]
    wall, cpu = f"{min(walls):.2f} to {max(walls):.2f}", f"{min(cpus):.1f} to {max(cpus):.1f} ms"
    print(f"  two plain calls of the SDK instead: {wall} critical paths, {cpu}")


def _show_times(text: str, taken: Sequence[float], path: float) -> None:
    over = [one / path - 1 for one in taken]
    times = f"{min(taken) * 1000:6.0f}-{max(taken) * 1000:.0f} ms"
    print(f"  {text:64} {path * 1000:5.0f} ms  {times:>15}  {min(over):+6.1%} to {max(over):+.1%}{_mark(min(over) > OVER)}")


def _mark(missed: bool) -> str:
    return "  MISSED" if missed else ""


def main() -> int:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--counts", action="store_true", help="only counts, no times")
    options.add_argument("--rounds", type=int, default=3)
    options.add_argument("--at-once", type=int, default=200)
    given = options.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        rows = asyncio.run(counted(Path(temporary) / "counts"))
        show(rows)
        if not given.counts:
            asyncio.run(timed(Path(temporary) / "times", rows, given.rounds, given.at_once))
    missed = complaints(rows)
    print("", *([f"MISSED {line}" for line in missed] or ["All limits of counts are kept."]), sep="\n")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
