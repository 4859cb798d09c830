"""What a task asked of a model is on record, however the task ended: the whole product over real HTTP."""

import asyncio
import time

import pytest
from doubles.llm import ScriptedEndpoint, data, unreachable_url
from doubles.llm import misbehaving as bad
from doubles.llm.scenarios import plan

from assistant.errors import UserError
from assistant.facade import Assistant
from config.models import ModelSetting
from storage import calls
from storage.tables import StoredCall

READ = "find emails from Marcus about the budget last week"


def arrived(endpoint: ScriptedEndpoint) -> None:
    """Waits until it is asked."""
    while not endpoint.requests:
        time.sleep(0.01)


async def made(a: Assistant, clock) -> tuple[StoredCall, ...]:
    await a.database.write(lambda s: None)  # what was left to be written is written before
    return await a.database.read(lambda s: calls.list(s, clock()))


async def test_a_task_is_recorded_by_its_calls(opened, endpoint, clock):
    async with opened() as a:
        turn = await a.say("c", READ)
        found = await made(a, clock)
    assert [(call.flow_id, call.role, call.trouble) for call in found] == [(turn.flow, "analyse", ""), (turn.flow, "reply", "")]
    assert sum(call.prompt for call in found) == endpoint.counters.prompt


async def test_a_task_that_is_interrupted_leaves_a_record_of_what_it_asked(opened, endpoint, clock):
    endpoint.play(bad.slow(30, data(plan())))
    async with opened(timeout=60) as a:
        saying = asyncio.create_task(a.say("c", READ))
        await asyncio.to_thread(arrived, endpoint)
        await a.suspend("c")
        turn = await saying
        (call,) = await made(a, clock)
    assert turn.status == "suspended"
    assert (call.flow_id, call.role, call.trouble, call.estimated) == (turn.flow, "analyse", "cancelled", True)
    assert call.prompt > 500


async def test_a_program_that_ends_in_the_middle_of_a_call_records_it(opened, endpoint, clock):
    endpoint.play(bad.slow(30, data(plan())))
    async with opened(timeout=60) as a:
        saying = asyncio.create_task(a.say("c", READ))
        await asyncio.to_thread(arrived, endpoint)
    await asyncio.gather(saying, return_exceptions=True)
    async with opened() as a:
        assert [call.trouble for call in await made(a, clock)] == ["cancelled"]


async def test_the_call_that_failed_and_the_one_that_stood_in_are_both_recorded(opened, endpoint, clock):
    second = ModelSetting(base_url=endpoint.url, api_key=endpoint.key, model="scripted-small")
    async with opened(base_url=unreachable_url(), second=second) as a:
        await a.say("c", READ)
        found = await made(a, clock)
    assert [(call.model, call.trouble) for call in found][:2] == [("scripted", "unreachable"), ("scripted-small", "")]


async def test_a_task_whose_budget_is_used_up_is_kept(opened, endpoint):
    async with opened(budget={"flow": {"tokens": 10}}) as a:
        turn = await a.say("c", READ)
        assert turn.status == "waiting" and "The budget of 10 tokens for one task is used up" in turn.reply
        assert (await a.say("c", "go on offline")).status == "done"


async def test_a_model_that_the_endpoint_chose_and_that_has_no_price_keeps_the_request(opened, endpoint):
    async with opened(model="", budget={"day": {"cost": 1}}) as a:
        turn = await a.say("c", READ)
    assert turn.status == "waiting" and "needs the price of scripted;" in turn.reply and not endpoint.requests


async def test_a_model_without_a_price_is_refused_at_the_start_where_dollars_are_limited(opened):
    with pytest.raises(UserError, match="needs the price of scripted;"):
        async with opened(budget={"day": {"cost": 1}}):
            pass
