"""`assistant deliberate`: a strategy alone on a task, by models over HTTP and by rules."""

import io
import json
import sys
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest
from doubles.drafting import ANSWER_TOOLS, answers, coordinates, deciding, restarts
from doubles.llm import Reply, RequestSeen, Script, ScriptedEndpoint, says, unreachable_url
from doubles.llm import misbehaving as bad
from doubles.llm.requests import text_of

from assistant.bootstrap import model_calls, open_assistant
from assistant.cli.deliberate import deliberate
from assistant.drafting.base import Deliberation, Told
from assistant.drafting.free import MOST, Terms
from assistant.errors import DraftingError, UserError

TASK = "Where should we meet?"
MAIL = "write a mail to Anna saying the parcel has arrived"
THREE = coordinates("Let us meet [where].", vote=2, reason="Agent C is clear")


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    """What is printed when a model that goes by the script is asked, and the endpoint."""

    async def run(script: Script, task: str = TASK, *, all_: bool = False, json: bool = False, **terms: object):
        with ScriptedEndpoint(script) as endpoint:
            monkeypatch.setenv("ASSISTANT_LLM__BASE_URL", endpoint.url)
            monkeypatch.setenv("ASSISTANT_LLM__API_KEY", endpoint.key)
            monkeypatch.setenv("ASSISTANT_LLM__RETRIES", "0")
            assert await deliberate(tmp_path, task, Terms.model_validate(terms), all_=all_, json=json) == 0
        return capsys.readouterr().out, endpoint

    return run


@pytest.fixture
def by_rules(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    async def run(task: str = MAIL, *, all_: bool = False, json: bool = False, **terms: object) -> str:
        assert await deliberate(tmp_path, task, Terms.model_validate(terms), all_=all_, json=json) == 0
        return capsys.readouterr().out

    return run


def each_its_own() -> Script:
    """Each agent answers something else, all vote for warm."""
    given: Iterator[int] = iter(range(99))

    def script(seen: RequestSeen) -> Reply:
        if "vote" in seen.tools and "enum" not in seen.tools["vote"]["properties"]["agent_id"]:
            return answers(f"Answer number {next(given)}", next(tool for tool in ANSWER_TOOLS if tool in seen.tools))
        return THREE(seen)

    return script


# --- with a model


async def test_it_prints_the_text_the_votes_with_reasons_and_what_each_agent_used(asked):
    printed, endpoint = await asked(each_its_own(), profile="mass")
    assert "✎ warm answers: 3 words" in printed and "★ warm's answer was selected." in printed
    assert "warm · 3 of 3 votes" in printed and "brief voted for warm: warm is clear" in printed and "Presented:" in printed
    rows = [line.split()[:2] for line in printed.splitlines()]
    assert ["brief", "2"] in rows and ["all", str(len(endpoint.requests))] in rows


async def test_the_other_answers_show_on_demand(asked):
    short, _ = await asked(each_its_own())
    long, _ = await asked(each_its_own(), all_=True)
    assert "2 other answers: --all shows them" in short and "2 other answers" not in long
    assert long.count("Answer number") > short.count("Answer number")


async def test_json_is_one_object_that_can_be_read_back(asked):
    printed, _ = await asked(each_its_own(), json=True)
    deliberation = Deliberation.model_validate_json(printed)
    assert deliberation.winner == "warm" and len(deliberation.votes) == 3 and not deliberation.rules


async def test_restarts_are_told_counted_and_limited(asked):
    def never_content(seen: RequestSeen) -> Reply:
        return restarts("It is too short.", "Write more.") if deciding(seen) else each(seen)

    each = each_its_own()
    printed, _ = await asked(never_content, restarts=1)
    requested = "🔄 Orchestration restart requested by final agent\n\nReason: It is too short.\n\n---\n"
    begun = "🔄 Orchestration Restart - Attempt 2/2\n\nReason: It is too short.\n\nInstructions: Write more.\n\n---\n"
    assert f"\n{requested}{begun}" in printed
    assert "2 attempts ·" in printed and "attempt" in printed.partition("agent ")[2]
    each = each_its_own()
    once, _ = await asked(never_content, restarts=0)
    assert "attempts" not in once


@pytest.mark.parametrize(("number", "names"), [(2, {"brief", "warm"}), (4, {"brief", "warm", "thorough", "brief 2"})])
async def test_so_many_agents_take_part_as_are_asked_for(asked, number, names):
    printed, _ = await asked(each_its_own(), json=True, agents=number)
    assert {spent["agent"] for spent in json.loads(printed)["spent"]} == names


@pytest.mark.parametrize(("profile", "tool"), [("mass", "update_answer"), ("massgen", "new_answer")])
async def test_the_profile_says_how_agents_are_asked(asked, profile, tool):
    _, endpoint = await asked(THREE, profile=profile)
    assert tool in endpoint.requests[0].tools


async def test_it_is_judged_before_or_after_it_is_presented(asked):
    _, before = await asked(each_its_own(), judged="before")
    _, after = await asked(each_its_own(), judged="after")
    assert [bool(seen.tools) for seen in before.requests][-2:] == [True, False]
    assert [bool(seen.tools) for seen in after.requests][-2:] == [False, True]


async def test_one_agent_alone_has_no_tools_and_no_style(asked):
    printed, endpoint = await asked(lambda seen: says("At the station."), strategy="single")
    (seen,) = endpoint.requests
    assert not seen.tools and "style" not in str(seen.messages) and "At the station." in printed and "voted" not in printed


async def test_a_blackboard_names_its_experts_at_most_so_many(asked):
    experts = {"experts": [{"role": f"guide_{n}", "description": "knows the town"} for n in range(3)]}

    def script(seen: RequestSeen) -> Reply:
        generating = "generate a list of expert agents" in text_of(seen.messages[-1])
        return says(json.dumps(experts if generating else {"output": "boxed{at the station}"}))

    printed, endpoint = await asked(script, strategy="blackboard", agents=1, profile="original")
    assert "conflict_resolver, guide_0\n" in printed and "guide_1" not in printed
    assert not any(seen.tools for seen in endpoint.requests)


async def test_nothing_is_offered_that_writes_and_no_mailbox_is_read(asked, tmp_path):
    _, endpoint = await asked(each_its_own(), profile="mass")
    offered = {name for seen in endpoint.requests for name in seen.tools}
    assert offered == {"update_answer", "vote", "submit", "restart_orchestration"}
    assert not (tmp_path / "index").exists()


async def test_what_it_used_is_recorded_with_everything_else(asked, tmp_path):
    _, endpoint = await asked(each_its_own())
    calls = await model_calls(tmp_path, datetime(2020, 1, 1, tzinfo=UTC))
    assert len(calls) == len(endpoint.requests) and {call.role for call in calls} == {"draft"}
    assert len({call.flow_id for call in calls}) == 1 and calls[0].flow_id


async def test_the_budget_of_a_task_holds_for_it_and_what_was_written_before_is_not_lost(asked, monkeypatch):
    monkeypatch.setenv("ASSISTANT_LLM__BUDGET__FLOW__TOKENS", "1")
    printed, endpoint = await asked(each_its_own(), json=True)
    deliberation = Deliberation.model_validate_json(printed)
    assert len(endpoint.requests) == 1 and deliberation.text == "Answer number 0"
    assert all("for one task is used up" in why for why in deliberation.out.values()) and len(deliberation.out) == 3


async def test_a_second_model_stands_in_for_one_that_is_gone(asked, monkeypatch, tmp_path, capsys):
    with ScriptedEndpoint(each_its_own()) as second:
        monkeypatch.setenv("ASSISTANT_LLM__BASE_URL", unreachable_url())
        monkeypatch.setenv("ASSISTANT_LLM__RETRIES", "0")
        monkeypatch.setenv("ASSISTANT_LLM__SECOND__BASE_URL", second.url)
        monkeypatch.setenv("ASSISTANT_LLM__SECOND__API_KEY", second.key)
        assert await deliberate(tmp_path, TASK, Terms(), all_=False, json=True) == 0
    assert len(json.loads(capsys.readouterr().out)["votes"]) == 3


async def test_where_nobody_answers_it_ends_with_the_reasons_of_each(asked):
    with pytest.raises(DraftingError, match=r"no successful agents\. brief, warm, thorough: .* web page") as ended:
        await asked(bad.NOT_AN_API)
    assert ended.value.code == 4


async def test_what_a_model_writes_cannot_drive_the_terminal(asked):
    printed, _ = await asked(lambda seen: says("\x1b[2JAt [bold]the[/bold] station\x07"), strategy="single")
    assert "\x1b" not in printed and "\x07" not in printed and "[bold]the[/bold]" in printed


async def test_colours_are_for_terminals_only(asked):
    printed, _ = await asked(each_its_own())
    assert "\x1b[" not in printed


# --- by rules


async def test_without_a_model_rules_write_the_mail_and_it_says_so(by_rules):
    printed = await by_rules()
    assert "Hi Anna," in printed and "The parcel has arrived" in printed
    assert "Rules wrote and weighed these drafts" in " ".join(printed.split()) and "by rules, no language model" in printed


async def test_rules_deliberate_alike_each_time(by_rules):
    first, again = [json.loads(await by_rules(json=True)) for _ in range(2)]
    assert first == again and first["rules"] and len(first["votes"]) == 3


async def test_rules_may_be_fewer_or_one_alone(by_rules):
    assert len(json.loads(await by_rules(json=True, agents=2))["votes"]) == 2
    assert json.loads(await by_rules(json=True, strategy="single"))["winner"] == "brief"


@pytest.mark.parametrize(("number", "last"), [(5, "warm 2"), (MOST, "thorough 4")])
async def test_more_agents_by_rules_are_of_the_same_styles_and_vote_for_what_is_there(by_rules, number, last):
    deliberation = Deliberation.model_validate_json(await by_rules(json=True, agents=number))
    assert len(deliberation.votes) == number and deliberation.votes[-1].voter == last and not deliberation.out
    assert {answer.agent for answer in deliberation.answers} <= {"brief", "warm", "thorough"}


REPLIES = [
    ("Write a reply to Ms Weber: her lamp came two weeks late", "Dear Ms Weber,", "Her lamp came two weeks late."),
    ("Write a reply to Dr. Weber, saying that we accept", "Dear Dr. Weber,", "We accept."),
    ("write a reply to Anna saying that Friday works", "Hi Anna,", "Friday works."),
    ("write a reply to Anna saying that Friday works, think hard", "Hi Anna,", "Friday works."),
    ("answer Anna and Ben that Friday works", "Hi Anna and Ben,", "Friday works."),
    ("reply to the landlord: the boiler leaks", "Hello,", "The boiler leaks."),
    ("reply to the mail about Python saying yes", "Hello,", "Yes."),
    ("reply to anna@northwind.example: Friday works", "Hello,", "Friday works."),
    ("Write a reply to Anna about the lamp", "Hi Anna,", "I am writing about the lamp.\n\n[details]"),
    ("draft a reply to Anna's complaint, think hard", "Hi Anna,", "[your answer]"),
    ("write a reply", "Hello,", "[your answer]"),
    ("Write an answer to this mail:\nHi Alex, can you come? Best, Tom", "Hello,", "[your answer]"),
    ("Write an answer to the following mail: Hi Alex, can you come?", "Hello,", "[your answer]"),
]


@pytest.mark.parametrize(("task", "greeting", "said"), REPLIES, ids=[task for task, _, _ in REPLIES])
async def test_a_reply_by_rules_holds_who_is_answered_and_what_is_said_and_gaps_for_the_rest(by_rules, task, greeting, said):
    text = json.loads(await by_rules(task, json=True, strategy="single"))["text"]
    head, _, closing = text.rpartition("\n\n")
    assert head == f"Subject: Re: [subject]\n\n{greeting}\n\n{said}" and closing.startswith("Best regards")


async def test_what_a_text_announces_is_not_taken_for_a_mail_that_is_answered(by_rules):
    text = json.loads(await by_rules("write a mail to Anna saying we agree to the following terms: ten days", json=True))["text"]
    assert "We agree to the following terms: ten days." in text


async def test_several_write_a_reply_by_rules(by_rules):
    deliberation = Deliberation.model_validate_json(await by_rules(REPLIES[0][0], json=True))
    assert "Thank you for your mail." in deliberation.text and len(deliberation.votes) == 3


CANT = [
    ({"task": "What is the meaning of life?"}, "I only write mails"),
    ({"task": "write a mail to Anna"}, "I only write mails"),
    ({"strategy": "blackboard"}, "A blackboard needs a language model"),
    ({"task": "write a haiku"}, "I only write mails and replies"),
    ({"task": "Should we reply to Anna?"}, "I only write mails and replies"),
    ({"strategy": "single", "agents": 2}, "one agent writes alone"),
    ({"profile": "paper"}, "coordination has no profile paper; there are: mass, massgen"),
    ({"strategy": "blackboard", "profile": "mass"}, "blackboard has no profile mass; there are:"),
    ({"task": "  "}, "nothing in this task"),
]


@pytest.mark.parametrize(("given", "words"), CANT, ids=[words for _, words in CANT])
async def test_what_cant_be_done_is_one_sentence(by_rules, given, words):
    with pytest.raises(UserError, match=words):
        await by_rules(**given)


async def test_a_name_is_greeted_and_a_description_is_not(by_rules):
    assert "Hi Anna," in await by_rules()
    assert "landlord," not in await by_rules("write a mail to the landlord saying the boiler leaks")


async def test_a_task_may_come_from_a_pipe(by_rules, monkeypatch):
    monkeypatch.setattr(sys, "stdin", io.StringIO(MAIL))
    assert "The parcel has arrived" in await by_rules("-")


async def test_through_the_door_each_event_is_heard(tmp_path):
    heard: list[Told] = []
    async with open_assistant(tmp_path, recover=False) as a:
        deliberation = await a.deliberate(MAIL, on_told=heard.append)
    kinds = [told.kind for told in heard]
    assert kinds.index("answered") < kinds.index("voted") < kinds.index("selected") and deliberation.winner
