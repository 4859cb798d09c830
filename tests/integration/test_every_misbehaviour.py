"""Each misbehaviour of a model or its endpoint, at each of the six questions: a sensible reply or a kept request, and no write."""

import pytest
from doubles.llm import Answer, Answerer, Call, Reply, data, says
from doubles.llm import misbehaving as bad
from doubles.llm.scenarios import QUESTIONS, by_question, plan, question_of
from doubles.turns import clear, kept, written

UNCLEAR = "Winnow the chaff from Marcus's budgetary correspondence"
READ = "find emails from Marcus about the budget last week"
NOBODY = {"agent": "contacts", "instruction": "Find Zorgon's email address", "expects": "one"}
SARAH = {"agent": "contacts", "instruction": "Find Sarah's email address", "expects": "one"}
MAIL = {"instruction": "Email {1} about the budget", "expects": "proposal", "needs": [1]}
UNREAD = {"instruction": "Summarise my unread mail"}
GO_ON = data({"decision": "continue"})
WAYS: dict[str, tuple[str, dict[str, Reply]]] = {
    "analyse": (READ, {}),
    "choose_calls": (UNCLEAR, {"analyse": data(plan({"instruction": UNCLEAR})), "adapt": GO_ON}),
    "adapt": ("what is Zorgon's address?", {"analyse": data(plan(NOBODY))}),
    "draft": ("write Sarah a mail about the budget", {"analyse": data(plan(SARAH, MAIL, request="write"))}),
    "reply": (READ, {}),
    "summarise": ("summarise my unread mail", {"analyse": data(plan(UNREAD))}),
}
"""By question: a request that leads there, and what the model answers on the way."""


def with_calls(answer: Answer) -> Answer:
    return bad.text_and_calls(answer.text, Call("no_such_tool", {"anything": 1}))


def on_and_on(seen) -> Reply:
    return bad.endless_calls(seen) if seen.tools else bad.calls(Call("look_at_mails", {"which": {}, "want": "find"}))


ANSWERS: dict[str, Reply | Answerer] = {
    "invalid JSON": bad.INVALID_JSON,
    "wrong schema": bad.WRONG_SCHEMA,
    "unknown tool": bad.UNKNOWN_TOOL,
    "missing arguments": bad.missing_arguments,
    "text and tools": with_calls(says("I have sent it.")),
    "endless tool calls": on_and_on,
    "empty answer": bad.EMPTY,
    "no choices": bad.NO_CHOICES,
    "refusal": bad.REFUSAL,
    "content filter": bad.FILTERED,
    "truncation": bad.truncated(says('{"goal": "Marcus wrote to you about the budget."')),
    "truncated calls": bad.truncated(bad.calls(Call("look_at_mails", {"which": {}, "want": "find"}))),
    "a web page": bad.NOT_AN_API,
    "half a body": bad.HALF_A_BODY,
}
ENDPOINTS: dict[str, Reply] = {
    "401": bad.UNAUTHORIZED,
    "429": bad.rate_limited(0.01),
    "500": bad.SERVER_ERROR,
    "reset": bad.RESET,
    "cut in the middle": bad.cut(says("Marcus wrote")),
    "slow first byte": bad.slow(30, says("Marcus wrote")),
}
ALIKE = {"403": bad.FORBIDDEN, "404": bad.UNKNOWN_MODEL, "no quota": bad.NO_QUOTA, "503": bad.OVERLOADED}
MOST_REQUESTS = 12
"""One repair in each of the ways in which an answer can be asked for, and what came before."""


def misbehaving(question: str, trouble: Reply | Answerer, right: Answerer) -> Answerer:
    return by_question({**WAYS[question][1], question: trouble}, right)


@pytest.mark.parametrize("question", QUESTIONS)
@pytest.mark.parametrize("trouble", ENDPOINTS)
async def test_a_failing_endpoint_keeps_the_request_which_goes_on_offline(opened, endpoint, right, tmp_path, trouble, question):
    async with opened(timeout=0.3 if trouble == "slow first byte" else 5.0) as a:
        before = written(tmp_path)
        endpoint.play(misbehaving(question, ENDPOINTS[trouble], right))
        turn = await a.say("c", WAYS[question][0])
        assert kept(turn) and clear(turn), turn.reply
        assert question_of(endpoint.requests[-1]) == question
        turn = await a.say("c", "2")
        assert turn.reply and not kept(turn) and not turn.outcomes
    assert written(tmp_path) == before


@pytest.mark.parametrize("trouble", ALIKE)
async def test_other_statuses_keep_the_request_too(opened, endpoint, trouble):
    async with opened() as a:
        endpoint.play(ALIKE[trouble])
        turn = await a.say("c", READ)
    assert kept(turn) and clear(turn), turn.reply


@pytest.mark.parametrize("question", QUESTIONS)
@pytest.mark.parametrize("trouble", ANSWERS)
async def test_an_unusable_answer_is_made_up_for_offline_or_keeps_the_request(opened, endpoint, right, tmp_path, trouble, question):
    async with opened() as a:
        before = written(tmp_path)
        endpoint.play(misbehaving(question, ANSWERS[trouble], right))
        turn = await a.say("c", WAYS[question][0])
        assert question in map(question_of, endpoint.requests) and len(endpoint.requests) <= MOST_REQUESTS
        assert turn.reply and not turn.outcomes and "I have sent" not in turn.reply
        assert (kept(turn) and clear(turn)) if question == "analyse" else turn.status in ("done", "failed"), turn.reply
    assert written(tmp_path) == before
