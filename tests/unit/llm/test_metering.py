"""What calls cost, the record of them, and the budget: over real HTTP and a real database."""

import asyncio
import json
import time
from collections.abc import AsyncIterator, Callable, Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from doubles.llm import Answer, Counted, Failure, ScriptedEndpoint, says
from doubles.llm import misbehaving as bad

from assistant.errors import ModelError
from assistant.llm import budget as budgets
from assistant.llm import metering
from assistant.llm.budget import Budget, Limit, Spent
from assistant.llm.endpoint import Endpoint, EndpointClient
from assistant.llm.messages import Completion, Message, Prompt, Tool, Usage
from assistant.llm.metering import FLOW, Meter, MeteredClient
from assistant.llm.pricing import Price, PriceTable
from assistant.running.calls import Calls
from storage import calls as stored
from storage.database import Database
from storage.tables import StoredCall

BERLIN = ZoneInfo("Europe/Berlin")
NOON = datetime(2026, 11, 18, 12, 0, tzinfo=BERLIN)
HELLO = Prompt(messages=(Message(role="user", content="hello " * 40),))
PROMPT_TOKENS = 240 // 4
PRICES = PriceTable(
    prices={"scripted*": Price(prompt=1.0, cached=0.1, completion=10.0), "scripted-small": Price(prompt=0, completion=0)}
)
COUNTED = Answer(text="Hello.", usage=Counted(prompt=100, completion=50, cached=40))


class Clock:
    now = NOON

    def __call__(self) -> datetime:
        return self.now


class Counting(Calls):
    """Counts how often the sums are read."""

    reads = 0

    async def spent(self, *, flow: str = "", since: datetime | None = None) -> Spent:
        type(self).reads += 1
        return await super().spent(flow=flow, since=since)


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def endpoint() -> Iterator[ScriptedEndpoint]:
    with ScriptedEndpoint(COUNTED) as running:
        yield running


@pytest.fixture
async def database(tmp_path: Path) -> AsyncIterator[Database]:
    opened = Database.open(tmp_path / "assistant.sqlite")
    yield opened
    await opened.close()


Made = Callable[..., MeteredClient]


@pytest.fixture
async def metered(endpoint: ScriptedEndpoint, database: Database, clock: Clock) -> AsyncIterator[Made]:
    """A client over a meter, by the limits that are given."""
    clients: list[MeteredClient] = []

    def make(*, flow: Limit | None = None, day: Limit | None = None, prices: PriceTable = PRICES, **given: Any) -> MeteredClient:
        meter = Meter(Counting(database), prices, Budget(flow=flow or Limit(), day=day or Limit()), clock, BERLIN)
        options = {"model": "scripted", "base_url": endpoint.url, "api_key": endpoint.key, "retries": 0, "timeout": 5, **given}
        clients.append(MeteredClient(EndpointClient(Endpoint.model_validate(options)), "reply", meter, longest=1000))
        return clients[-1]

    yield make
    for client in clients:
        await client.close()


@pytest.fixture
def flow() -> Iterator[Callable[[str], object]]:
    yield FLOW.set
    FLOW.set("")


def arrived(endpoint: ScriptedEndpoint) -> None:
    """Waits until it is asked."""
    while not endpoint.requests:
        time.sleep(0.01)


async def recorded(database: Database) -> tuple[StoredCall, ...]:
    await database.write(lambda s: None)  # what was left to be written is written before
    return await database.read(lambda s: stored.list(s, NOON - timedelta(days=2)))


async def the_one(database: Database) -> StoredCall:
    (call,) = await recorded(database)
    return call


# --- prices


@pytest.mark.parametrize(
    ("model", "cost"),
    [
        ("gpt-5", 1.0),
        ("gpt-5-mini-2025", 2.0),
        ("gpt-5-nano", 3.0),
        ("openai/gpt-5-nano", 3.0),
        ("vendor/exact", 4.0),
        ("exact", None),
        ("unknown", None),
    ],
)
def test_the_nearest_name_tells_the_price(model: str, cost: float | None) -> None:
    names = {"gpt-5*": 1.0, "gpt-5-mini*": 2.0, "gpt-5-nano": 3.0, "vendor/exact": 4.0}
    table = PriceTable(prices={name: Price(prompt=price, completion=0) for name, price in names.items()})
    assert table.cost(model, Usage(prompt=1_000_000)) == cost and table.knows(model) is (cost is not None)


def test_cached_tokens_have_a_price_of_their_own() -> None:
    usage = Usage(prompt=100, cached=40, completion=50)
    assert Price(prompt=1.0, cached=0.1, completion=10.0).of(usage) == pytest.approx((60 + 4 + 500) / 1_000_000)
    assert Price(prompt=1.0, completion=10.0).of(usage) == pytest.approx((100 + 500) / 1_000_000)


# --- the record


async def test_a_call_is_recorded_with_what_the_endpoint_counted(metered: Made, database: Database, flow) -> None:
    flow("f1")
    await metered().complete(HELLO)
    call = await the_one(database)
    assert (call.flow_id, call.role, call.model, call.at) == ("f1", "reply", "scripted", NOON)
    assert (call.prompt, call.cached, call.completion, call.trouble, call.estimated) == (100, 40, 50, "", False)
    assert call.cost == pytest.approx((60 + 4 + 500) / 1_000_000)


async def test_a_streamed_call_is_recorded_alike(metered: Made, database: Database) -> None:
    pieces = [piece async for piece in metered().stream(HELLO)]
    call = await the_one(database)
    assert isinstance(pieces[-1], Completion) and (call.prompt, call.completion, call.estimated) == (100, 50, False)


async def test_a_call_that_is_cancelled_is_recorded_as_one_that_cost_its_prompt(metered, database, endpoint) -> None:
    endpoint.play(bad.slow(30, COUNTED))
    task = asyncio.create_task(metered().complete(HELLO))
    await asyncio.to_thread(arrived, endpoint)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    call = await the_one(database)
    assert (call.trouble, call.prompt, call.completion, call.estimated) == ("cancelled", PROMPT_TOKENS, 0, True)


async def test_a_stream_that_nobody_hears_to_its_end_costs_what_was_heard(metered, database, endpoint) -> None:
    client = metered()
    await client.complete(HELLO)
    endpoint.play(Answer(text="word " * 100, piece=40))
    stream = client.stream(HELLO)
    heard = [await anext(stream), await anext(stream)]
    await stream.aclose()
    call = (await recorded(database))[-1]
    assert heard == ["word " * 8] * 2
    assert (call.trouble, call.prompt, call.completion, call.estimated) == ("cancelled", PROMPT_TOKENS, 20, True)


async def test_a_stream_that_is_dropped_is_still_one_of_its_task(metered, database, endpoint, flow) -> None:
    client = metered()
    await client.complete(HELLO)
    endpoint.play(Answer(text="word " * 100, piece=40))
    flow("f1")
    stream = client.stream(HELLO)
    await anext(stream)
    flow("f2")
    await stream.aclose()
    assert (await recorded(database))[-1].flow_id == "f1"


async def test_a_stream_that_is_left_after_the_whole_answer_is_no_trouble(metered, database) -> None:
    stream = metered().stream(HELLO)
    async for piece in stream:
        if isinstance(piece, Completion):
            break
    await stream.aclose()
    call = await the_one(database)
    assert (call.trouble, call.prompt, call.estimated) == ("", 100, False)


async def test_a_stream_that_breaks_off_costs_what_was_heard(metered, database, endpoint) -> None:
    client = metered()
    await client.complete(HELLO)
    endpoint.play(bad.cut(Answer(text="word " * 100, piece=40), after=3))
    with pytest.raises(ModelError):
        [piece async for piece in client.stream(HELLO)]
    call = (await recorded(database))[-1]
    assert call.trouble == "unreachable" and call.prompt == PROMPT_TOKENS and call.completion >= 10 and call.estimated


@pytest.mark.parametrize(
    ("reply", "trouble"),
    [(bad.UNAUTHORIZED, "denied"), (bad.SERVER_ERROR, "server"), (bad.NO_QUOTA, "rate_limited"), (bad.RESET, "unreachable")],
    ids=["denied", "server", "rate_limited", "unreachable"],
)
async def test_a_call_that_the_endpoint_did_not_take_up_costs_nothing(metered, database, endpoint, reply, trouble) -> None:
    endpoint.play(reply)
    with pytest.raises(ModelError):
        await metered().complete(HELLO)
    call = await the_one(database)
    assert (call.trouble, call.prompt, call.completion, call.cost, call.estimated) == (trouble, 0, 0, 0.0, False)


async def test_a_call_that_took_too_long_cost_its_prompt(metered, database, endpoint) -> None:
    endpoint.play(bad.slow(30, COUNTED))
    with pytest.raises(ModelError):
        await metered(timeout=0.1).complete(HELLO)
    call = await the_one(database)
    assert (call.trouble, call.prompt, call.estimated) == ("timeout", PROMPT_TOKENS, True)


@pytest.mark.parametrize(
    ("answer", "trouble"),
    [
        (Answer(text="Hel", finish="length", usage=COUNTED.usage), "truncated"),
        (Answer(refusal="I can't.", usage=COUNTED.usage), "refused"),
        (Answer(finish="content_filter", usage=COUNTED.usage), "refused"),
    ],
    ids=["truncated", "refused", "filtered"],
)
async def test_an_answer_that_is_none_keeps_what_it_cost(metered, database, endpoint, answer, trouble) -> None:
    endpoint.play(answer)
    await metered().complete(HELLO)
    call = await the_one(database)
    assert (call.trouble, call.prompt, call.completion, call.estimated) == (trouble, 100, 50, False)


UNCOUNTED = {"id": "1", "object": "chat.completion", "created": 1, "model": "scripted"}
UNCOUNTED |= {"choices": [{"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": "word " * 16}}]}


async def test_what_an_endpoint_does_not_count_is_estimated(metered, database, endpoint) -> None:
    endpoint.play(Failure(200, "", headers={"content-type": "application/json"}, body=json.dumps(UNCOUNTED)))
    await metered().complete(HELLO)
    call = await the_one(database)
    assert (call.trouble, call.prompt, call.completion, call.estimated) == ("", PROMPT_TOKENS, 20, True)


async def test_tools_are_part_of_an_estimated_prompt(metered, database, endpoint) -> None:
    endpoint.play(Failure(200, "", headers={"content-type": "application/json"}, body=json.dumps(UNCOUNTED)))
    tool = Tool(name="find", description="x" * 400, parameters={"type": "object", "properties": {}})
    await metered().complete(HELLO.model_copy(update={"tools": (tool,)}))
    assert (await the_one(database)).prompt >= PROMPT_TOKENS + 100


async def test_a_record_that_comes_after_the_database_was_closed_is_dropped(metered, database, endpoint) -> None:
    client = metered()
    await database.close()
    assert (await client.complete(HELLO)).text == "Hello."


# --- the budget


async def test_a_budget_of_tokens_binds_also_where_they_are_estimated(metered, endpoint) -> None:
    endpoint.play(Failure(200, "", headers={"content-type": "application/json"}, body=json.dumps(UNCOUNTED)))
    client = metered(day=Limit(tokens=PROMPT_TOKENS))
    await client.complete(HELLO)
    with pytest.raises(ModelError, match=f"Today's budget of {PROMPT_TOKENS} tokens"):
        await client.complete(HELLO)


async def test_the_budget_of_one_task_is_not_that_of_another(metered, flow) -> None:
    client = metered(flow=Limit(tokens=150))
    flow("f1")
    await client.complete(HELLO)
    with pytest.raises(ModelError, match="budget of 150 tokens for one task is used up") as told:
        await client.complete(HELLO)
    flow("f2")
    await client.complete(HELLO)
    assert told.value.kind == "budget"


async def test_a_task_that_is_gone_on_with_brings_along_what_it_spent(metered, flow, database) -> None:
    flow("f1")
    await metered().complete(HELLO)
    await recorded(database)
    with pytest.raises(ModelError, match="for one task"):
        await metered(flow=Limit(tokens=150)).complete(HELLO)


async def test_many_tasks_keep_their_budgets(metered, flow, database, monkeypatch) -> None:
    monkeypatch.setattr(metering, "FLOWS", 2)
    client = metered(flow=Limit(tokens=150))
    for name in ("f1", "f2", "f3"):
        flow(name)
        await client.complete(HELLO)
    await recorded(database)
    flow("f1")
    with pytest.raises(ModelError, match="for one task"):
        await client.complete(HELLO)


async def test_the_days_budget_is_free_again_after_midnight_of_the_users_zone(metered, clock) -> None:
    client = metered(day=Limit(cost=0.0001))
    clock.now = datetime(2026, 11, 18, 22, 30, tzinfo=UTC)
    await client.complete(HELLO)
    with pytest.raises(ModelError, match=r"Today's budget of \$0.0001"):
        await client.complete(HELLO)
    clock.now = datetime(2026, 11, 18, 23, 30, tzinfo=UTC)
    await client.complete(HELLO)


async def test_of_several_at_once_only_one_takes_the_last_tokens(metered, endpoint) -> None:
    client = metered(day=Limit(tokens=150))
    endpoint.latency = 0.05
    ended = await asyncio.gather(*(client.complete(HELLO) for _ in range(5)), return_exceptions=True)
    assert [type(one) for one in ended].count(ModelError) == 4 and len(endpoint.requests) == 1


async def test_near_the_limit_calls_go_one_after_another_as_long_as_it_lasts(metered, endpoint) -> None:
    client = metered(day=Limit(tokens=450))
    endpoint.latency = 0.02
    ended = await asyncio.gather(*(client.complete(HELLO) for _ in range(5)), return_exceptions=True)
    assert [type(one) for one in ended].count(ModelError) == 2
    assert len(endpoint.requests) == 3 and endpoint.counters.most_at_once == 1


async def test_far_from_the_limit_they_run_side_by_side(metered, endpoint) -> None:
    client = metered(day=Limit(tokens=100_000))
    endpoint.play(replace(says("Hello"), beside=5))
    await asyncio.gather(*(client.complete(HELLO) for _ in range(5)))
    assert endpoint.counters.most_at_once == 5


@pytest.mark.parametrize("how", ["failed", "cancelled"])
async def test_what_was_held_for_a_call_is_given_back_however_it_ends(metered, endpoint, how) -> None:
    client = metered(day=Limit(tokens=900))
    endpoint.play([bad.SERVER_ERROR if how == "failed" else bad.slow(30, COUNTED), COUNTED])
    first = asyncio.create_task(client.complete(HELLO))
    await asyncio.to_thread(arrived, endpoint)
    second = asyncio.create_task(client.complete(HELLO))
    await asyncio.sleep(0.05)
    if how == "cancelled":
        first.cancel()
    assert (await second).text == "Hello." and isinstance((await asyncio.gather(first, return_exceptions=True))[0], BaseException)


async def test_who_waits_for_the_budget_can_be_interrupted_and_has_made_no_call(metered, endpoint, database) -> None:
    client = metered(day=Limit(tokens=900))
    endpoint.play(bad.slow(0.5, COUNTED))
    first = asyncio.create_task(client.complete(HELLO))
    await asyncio.to_thread(arrived, endpoint)
    second = asyncio.create_task(client.complete(HELLO))
    await asyncio.sleep(0.05)
    second.cancel()
    await asyncio.gather(first, second, return_exceptions=True)
    assert len(await recorded(database)) == 1


async def test_sums_are_not_read_at_every_call(metered, flow) -> None:
    client = metered(flow=Limit(tokens=100_000), day=Limit(tokens=100_000))
    flow("f1")
    Counting.reads = 0
    for _ in range(10):
        await client.complete(HELLO)
    assert Counting.reads <= 4  # one of each limit, and again where the machine takes seconds


async def test_what_another_process_spends_is_seen(metered, database, monkeypatch) -> None:
    monkeypatch.setattr(budgets, "FRESH", 0.0)
    mine, others = metered(day=Limit(tokens=400)), metered(day=Limit(tokens=400))
    await mine.complete(HELLO)
    await others.complete(HELLO)
    await others.complete(HELLO)
    await recorded(database)
    with pytest.raises(ModelError, match="Today's budget"):
        await mine.complete(HELLO)


# --- a budget in dollars


async def test_a_model_without_a_price_is_refused_before_anything_is_sent(metered, endpoint) -> None:
    with pytest.raises(ModelError, match=r"price of scripted.*\[llm\.prices\]") as told:
        await metered(day=Limit(cost=1.0), prices=PriceTable()).complete(HELLO)
    assert told.value.kind == "budget" and not endpoint.requests


async def test_so_is_one_that_the_endpoint_chooses(metered, endpoint) -> None:
    with pytest.raises(ModelError, match="price of scripted;"):
        await metered(day=Limit(cost=1.0), prices=PriceTable(), model="").complete(HELLO)
    assert not endpoint.requests


async def test_a_model_that_the_endpoint_chooses_is_used_where_its_price_is_known(metered, endpoint, database) -> None:
    client = metered(day=Limit(cost=1.0), model="")
    await client.complete(HELLO)
    call = await the_one(database)
    assert call.model == "scripted" and call.cost


async def test_tokens_are_limited_without_any_price(metered, endpoint) -> None:
    await metered(day=Limit(tokens=1000), prices=PriceTable()).complete(HELLO)
    assert len(endpoint.requests) == 1
