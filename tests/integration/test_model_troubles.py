"""Whatever a model's endpoint does, the user gets a sensible reply or a kept request: the whole product over real HTTP."""

from dataclasses import replace

import pytest
from doubles.llm import Answerer, Call, Failure, Reply, ScriptedEndpoint, data, first, says, unreachable_url
from doubles.llm import misbehaving as bad
from doubles.llm.scenarios import RightSteps, by_question, plan, question_of
from doubles.turns import kept, written

from assistant.bootstrap import open_assistant
from config.models import ModelSetting
from config.settings import Settings

READ = "find emails from Marcus about the budget last week"
WRITE = "send a mail to Sarah saying I'll be ten minutes late"
UNCLEAR = "Winnow the chaff from Marcus's budgetary correspondence"


PASSING = {"500": bad.SERVER_ERROR, "reset": bad.RESET, "invalid JSON": bad.INVALID_JSON, "refusal": bad.REFUSAL}


@pytest.mark.parametrize("trouble", PASSING)
async def test_tried_again_after_the_endpoint_recovered_the_model_finishes(opened, endpoint, right, trouble):
    async with opened() as a:
        endpoint.play(PASSING[trouble])
        await a.say("c", READ)
        still = await a.say("c", "try again")
        endpoint.play(right)
        turn = await a.say("c", "1")
    assert kept(still) and turn.status == "done" and turn.reports[1].data.mails
    assert question_of(endpoint.requests[-1]) == "reply"


async def test_stopped_the_request_ends_and_nothing_was_done(opened, endpoint, tmp_path):
    async with opened() as a:
        before = written(tmp_path)
        endpoint.play(bad.SERVER_ERROR)
        await a.say("c", WRITE)
        turn = await a.say("c", "3")
        assert turn.status == "cancelled" and "Stopped" in turn.reply and not await a.flows("c", resting=True)
    assert written(tmp_path) == before


async def test_a_kept_request_survives_a_restart(opened, endpoint, right):
    async with opened() as a:
        endpoint.play(bad.RESET)
        await a.say("c", WRITE)
    endpoint.play(right)
    async with opened() as a:
        turn = await a.say("c", "try again")
    assert [action.kind for action in turn.previews[0].actions] == ["send_mail"]


async def test_a_write_gone_on_with_offline_is_previewed_as_always(opened, endpoint, tmp_path):
    async with opened() as a:
        before = written(tmp_path)
        endpoint.play(bad.UNAUTHORIZED)
        await a.say("c", WRITE)
        turn = await a.say("c", "go on offline")
    assert turn.previews and not turn.outcomes and written(tmp_path) == before


async def test_a_new_message_leaves_the_kept_request_for_later(opened, endpoint, right):
    async with opened() as a:
        endpoint.play(bad.SERVER_ERROR)
        await a.say("c", READ)
        endpoint.play(right)
        other = await a.say("c", "what's on my calendar tomorrow?")
        assert other.status == "done" and [flow.status for flow in await a.flows("c", resting=True)] == ["waiting"]


# --- the answer to what was found


async def test_a_lie_is_replaced_by_plain_words(opened, endpoint, right):
    async with opened() as a:
        endpoint.play(by_question({"reply": says("Done, sent.")}, right))
        turn = await a.say("c", READ)
    assert turn.status == "done" and "Marcus Webb" in turn.reply and "sent" not in turn.reply


async def test_unreachable_in_the_middle_what_was_found_is_kept(opened, endpoint, right):
    async with opened() as a:
        endpoint.play(by_question({"reply": bad.RESET}, right))
        turn = await a.say("c", READ)
        assert kept(turn) and turn.reports[1].data.mails
        turn = await a.say("c", "2")
    assert turn.status == "done" and "Marcus Webb" in turn.reply
    assert [question_of(seen) for seen in endpoint.requests].count("analyse") == 1


async def test_gone_down_altogether_in_the_middle_it_is_kept_and_finished_with_the_model(opened, endpoint, right):
    async with opened(timeout=10.0) as a:
        with endpoint.down():
            assert kept(await a.say("c", READ))
        turn = await a.say("c", "1")
    assert turn.status == "done" and "Marcus Webb" in turn.reply


async def test_a_slow_first_byte_is_waited_for_only_so_long(opened, endpoint):
    async with opened(timeout=0.2) as a:
        endpoint.play(bad.slow(5, data(plan())))
        turn = await a.say("c", READ)
        assert kept(turn) and "within 0.2 seconds" in turn.reply


async def test_what_was_done_is_told_even_where_the_model_is_gone(opened, endpoint, right):
    text = "archive the last mail from Marcus and show me my meetings tomorrow"
    async with opened() as a:
        endpoint.play(by_question({"reply": bad.RESET}, right))
        turn = await a.say("c", text)
    assert [outcome.status for outcome in turn.outcomes] == ["done"] and turn.status == "done"
    assert "✓ Done" in turn.reply and "Thursday 19 Nov" in turn.reply


HALF_PAIR = '{"id":"1","object":"chat.completion","created":1,"model":"scripted","choices":[{"index":0,"finish_reason":"stop",'
HALF_PAIR += '"message":{"role":"assistant","content":"Marcus \\ud83d wrote.\\u0000 \\u001b[2J"}}]}'


async def test_characters_that_no_file_can_hold_do_no_harm(opened, endpoint, right):
    async with opened() as a:
        endpoint.play(by_question({"reply": Failure(200, "", body=HALF_PAIR)}, right))
        turn = await a.say("c", READ)
        assert turn.status == "done" and "Marcus" in turn.reply and "\x00" not in turn.reply
        assert (await a.say("c", READ)).status == "done"


async def test_lengths_beyond_all_measure_are_refused(opened, endpoint, right):
    call = Call("change_event", {"which": {"words": ["review"]}, "change": "move", "by_minutes": 1e300})
    planned = data(plan({"agent": "calendar", "instruction": UNCLEAR}))
    async with opened() as a:
        endpoint.play(
            by_question({"analyse": planned, "choose_calls": bad.calls(call), "adapt": data({"decision": "continue"})}, right)
        )
        turn = await a.say("c", UNCLEAR)
    assert turn.reports[1].status == "error" and turn.reports[1].type != "internal" and turn.reply


# --- a sub-agent's calls


def unclear(answer: Reply | Answerer, right: RightSteps) -> Answerer:
    """A plan with an instruction that the grammar can't read, and what the sub-agent's model then calls."""
    planned = data(plan({"instruction": UNCLEAR}))
    return by_question({"analyse": planned, "choose_calls": answer, "adapt": data({"decision": "continue"})}, right)


LOOK = Call("look_at_mails", {"which": {"people": [{"who": "Marcus", "role": "from"}], "words": ["budget"]}, "want": "find"})


async def test_an_unclear_instruction_is_carried_out_by_the_models_call(opened, endpoint, right):
    async with opened() as a:
        endpoint.play(unclear(bad.calls(LOOK), right))
        turn = await a.say("c", UNCLEAR)
    assert turn.reports[1].data.mails and "Marcus Webb" in turn.reply


MISCALLED: dict[str, Reply | Answerer] = {
    "no call": says("I would look for mails."),
    "two calls": bad.calls(LOOK, LOOK),
    "broken arguments": bad.calls(Call("look_at_mails", '{"which": ')),
}


@pytest.mark.parametrize("trouble", MISCALLED)
async def test_a_model_that_calls_nothing_usable_ends_in_a_plain_answer(opened, endpoint, right, tmp_path, trouble):
    async with opened() as a:
        before = written(tmp_path)
        endpoint.play(unclear(MISCALLED[trouble], right))
        turn = await a.say("c", UNCLEAR)
    assert turn.status in ("done", "failed", "waiting") and turn.reply and "I have sent" not in turn.reply
    assert not turn.outcomes and written(tmp_path) == before
    assert len(endpoint.requests) <= 8


async def test_text_beside_a_usable_call_does_no_harm(opened, endpoint, right):
    async with opened() as a:
        endpoint.play(unclear(bad.text_and_calls("Looking.", LOOK), right))
        turn = await a.say("c", UNCLEAR)
    assert turn.reports[1].data.mails


async def test_a_model_gone_while_a_sub_agent_asks_it_keeps_the_request(opened, endpoint, right):
    async with opened() as a:
        endpoint.play(unclear(bad.SERVER_ERROR, right))
        turn = await a.say("c", UNCLEAR)
        assert kept(turn)
        endpoint.play(unclear(bad.calls(LOOK), right))
        turn = await a.say("c", "1")
    assert turn.status == "done" and turn.reports[1].data.mails


# --- several mails to write


SARAH = {"agent": "contacts", "instruction": "Find Sarah's email address", "expects": "one"}
MARCUS = {"agent": "contacts", "instruction": "Find Marcus Webb's email address", "expects": "one"}
TO_SARAH = {"instruction": "Email {1} about the budget", "expects": "proposal", "needs": [1]}
TO_MARCUS = {"instruction": "Email {2} about lunch", "expects": "proposal", "needs": [2]}
TWO_MAILS = data(plan(SARAH, MARCUS, TO_SARAH, TO_MARCUS, request="write", output="draft_proposal"))
TWO = "write Sarah a mail about the budget and Marcus one about lunch"


def drafted(seen) -> Reply:
    about = "lunch" if "lunch" in seen.last else "the budget"
    return data({"subject": about.capitalize(), "body": f"Let us talk about {about}.", "gaps": []})


def drafts(endpoint: ScriptedEndpoint, about: str) -> int:
    return sum(question_of(seen) == "draft" and about in seen.last for seen in endpoint.requests)


def subjects(turn) -> list[str]:
    return [action.subject for preview in turn.previews for action in preview.actions]


async def test_several_mails_are_drafted_side_by_side_and_keep_their_order(opened, endpoint, right):
    """Neither draft is answered before both are asked for."""

    def beside(seen) -> Reply:
        return replace(drafted(seen), beside=2)

    async with opened(timeout=60.0) as a:
        endpoint.play(by_question({"analyse": TWO_MAILS, "draft": beside}, right))
        turn = await a.say("c", TWO)
    assert subjects(turn) == ["The budget", "Lunch"] and endpoint.counters.most_at_once == 2


@pytest.mark.parametrize("failing", ["lunch", "the budget"])
async def test_what_was_drafted_before_the_model_failed_is_not_asked_for_again(opened, endpoint, right, failing):
    trouble = by_question({"analyse": TWO_MAILS, "draft": lambda seen: bad.RESET if failing in seen.last else drafted(seen)}, right)
    async with opened() as a:
        endpoint.play(trouble)
        assert kept(await a.say("c", TWO)) and kept(await a.say("c", "1"))
        endpoint.play(by_question({"draft": drafted}, right))
        turn = await a.say("c", "1")
    assert subjects(turn) == ["The budget", "Lunch"] and not turn.outcomes
    assert {about: drafts(endpoint, about) for about in ("lunch", "the budget")} == {"lunch": 1, "the budget": 1, failing: 3}


async def test_what_the_model_did_not_draft_is_written_offline_beside_what_it_did(opened, endpoint, right):
    async with opened() as a:
        fails = by_question(
            {"analyse": TWO_MAILS, "draft": lambda seen: bad.RESET if "lunch" in seen.last else drafted(seen)}, right
        )
        endpoint.play(fails)
        assert kept(await a.say("c", TWO))
        turn = await a.say("c", "2")
    bodies = [action.body for action in turn.previews[0].actions]
    assert bodies[0] == "Let us talk about the budget." and bodies[1] and "lunch" in subjects(turn)[1].casefold()


async def test_a_kept_request_survives_any_number_of_tries(opened, endpoint, right):
    async with opened() as a:
        endpoint.play(by_question({"analyse": TWO_MAILS, "draft": bad.RESET}, right))
        turns = [await a.say("c", TWO), *[await a.say("c", "1") for _ in range(12)]]
        assert all(map(kept, turns)) and not any(turn.previews for turn in turns)
        endpoint.play(by_question({"draft": drafted}, right))
        assert subjects(await a.say("c", "1")) == ["The budget", "Lunch"]


# --- time


async def test_a_question_ends_however_many_attempts_are_left(opened, endpoint):
    async with opened(timeout=0.1, retries=1000) as a:
        endpoint.play(bad.rate_limited(0.05))
        turn = await a.say("c", READ)
    assert kept(turn) and "0.3 seconds" in turn.reply


# --- what is asked again, and who else is asked


async def test_a_plan_that_does_not_hang_together_is_asked_for_once_more(opened, endpoint, right):
    broken = data(plan({"instruction": 'Reply to {7} saying "Yes."'}))
    async with opened() as a:
        endpoint.play(first(broken, then=right))
        turn = await a.say("c", READ)
    assert turn.status == "done" and "does not stand before it" in endpoint.requests[1].last


async def test_an_endpoint_without_schemas_or_tools_still_plans(opened, endpoint, right):
    endpoint.lacks = frozenset(["response_format", "tools"])
    async with opened() as a:
        turn = await a.say("c", READ)
    assert turn.status == "done" and "Marcus Webb" in turn.reply


async def test_a_failed_call_is_retried(opened, endpoint, right):
    async with opened(retries=2) as a:
        endpoint.play(first(bad.rate_limited(0.01), bad.SERVER_ERROR, then=right))
        turn = await a.say("c", READ)
    assert turn.status == "done"


async def test_the_second_model_stands_in(opened, endpoint, right):
    second = ModelSetting(base_url=endpoint.url, api_key=endpoint.key, model="scripted-small")
    async with opened(base_url=unreachable_url(), second=second) as a:
        turn = await a.say("c", READ)
    assert turn.status == "done" and {seen.model for seen in endpoint.requests} == {"scripted-small"}


async def test_where_the_second_fails_too_the_request_is_kept(opened, endpoint, right):
    second = ModelSetting(base_url=endpoint.url, api_key="wrong", model="scripted-small", retries=0)
    async with opened(base_url=unreachable_url(), second=second) as a:
        assert kept(await a.say("c", READ))
    endpoint.requests.clear()


async def test_a_budget_that_is_used_up_stops_the_next_call_with_one_sentence(opened, endpoint, right):
    async with opened(budget={"day": {"tokens": 10}}) as a:
        await a.say("c", READ)
        turn = await a.say("c", "what's on my calendar tomorrow?")
        assert turn.status == "waiting" and "Today's budget of 10 tokens" in turn.reply and "tomorrow" in turn.reply
        assert [choice.value for choice in turn.question.choices] == ["offline", "stop"]
        assert (await a.say("c", "1")).status == "done"


async def test_a_budget_used_up_in_the_middle_leaves_nothing_to_try_again_either(opened, endpoint, right):
    async with opened(budget={"flow": {"tokens": 10}}) as a:
        endpoint.play(unclear(bad.calls(LOOK), right))
        turn = await a.say("c", UNCLEAR)
    assert "budget of 10 tokens" in turn.reply and [choice.value for choice in turn.question.choices] == ["offline", "stop"]


async def test_without_a_model_nothing_is_asked_and_the_offline_reasoner_is_named(tmp_path, clock):
    async with open_assistant(settings=Settings(home=tmp_path), clock=clock, zone="Europe/Berlin") as a:
        assert a.reasoner == "offline reasoner" and (await a.say("c", READ)).status == "done"
