"""The command line with a model named by nothing but two variables, against the scripted endpoint."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from urllib.parse import urlsplit

from doubles.llm import ScriptedEndpoint, data, unreachable_url
from doubles.llm.scenarios import by_question, plan, question_of

README = (Path(__file__).parents[2] / "README.md").read_text(encoding="utf-8")
MODEL = "gpt-5-mini"
OFFLINE = "No language model is configured: I work offline, by rules. `assistant models` tells how to add one."
EMAIL_DAVID = plan(
    {"agent": "contacts", "instruction": "Find David's email address", "expects": "one"},
    {"instruction": 'Email {1} saying "{message}"', "expects": "proposal", "needs": [1]},
    request="write",
    output="draft_proposal",
    missing=[{"what": "message", "question": "What should the mail to David say?"}],
)
DRAFT = {"subject": "Parcel has arrived, thank you", "body": "The parcel has arrived, thank you.", "gaps": []}
ANSWERS = by_question({"analyse": data(EMAIL_DAVID), "draft": data(DRAFT)}, lambda seen: data({}))


def chat(home: Path, typed: list[str], **llm: str) -> str:
    variables = {f"ASSISTANT_LLM__{name.upper()}": value for name, value in llm.items()}
    done = subprocess.run(
        [sys.executable, "-m", "assistant", "--home", str(home)],
        input="\n".join(typed),
        capture_output=True,
        text=True,
        check=True,
        timeout=120,
        env=os.environ | {"COLUMNS": "100"} | variables,
    )
    return done.stdout


def plain(output: str) -> list[str]:
    """Without what is random: the ids and fingerprints of previews."""
    return [re.sub(r"[0-9a-f]{12}-p1|v1:[0-9a-f]{11}", "#", line).rstrip() for line in output.strip().splitlines()]


def test_the_readmes_session_runs_alike_with_a_model(home: Path) -> None:
    session = next(block for block in re.findall(r"```\n(.*?)```", README, re.DOTALL) if block.startswith("$ assistant"))
    typed = [line.removeprefix("› ") for line in session.splitlines() if line.startswith("› ")]
    with ScriptedEndpoint(ANSWERS, models=(MODEL,)) as endpoint:
        output = chat(home, typed, base_url=endpoint.url, api_key=endpoint.key)
        assert not endpoint.complaints and [question_of(seen) for seen in endpoint.requests] == ["analyse"]
    named = re.sub(rf"{MODEL}|{urlsplit(endpoint.url).netloc}", "offline reasoner", output)
    told = session.removeprefix("$ assistant\n").replace(f"{OFFLINE}\n", "")
    assert plain(named) == plain(told) and "offline reasoner" not in output
    assert len(list((home / "sample" / "mail" / ".Outbox").glob("[cn]*/*"))) == 1


def test_without_a_model_the_chat_says_at_its_head_who_thinks_and_once_for_all_how_to_add_one(home: Path) -> None:
    head, again = chat(home, []), chat(home, [])
    for said in (head, again):
        assert said.count("offline reasoner") == 1 and said.splitlines()[0].startswith("Personal assistant · offline reasoner")
    assert head.splitlines()[1] == OFFLINE and OFFLINE not in again


def test_with_a_model_the_chat_names_it_at_its_head(home: Path) -> None:
    head = chat(home, [], api_key="sk-none", model="gpt-5-nano")
    assert head.splitlines()[0].startswith("Personal assistant · gpt-5-nano ·") and OFFLINE not in head


def doctor(home: Path, **environment: str) -> str:
    command = [sys.executable, "-m", "assistant", "--home", str(home), "doctor"]
    given = os.environ | {"COLUMNS": "200"} | environment
    return subprocess.run(command, capture_output=True, text=True, check=False, env=given).stdout


def test_doctor_says_who_thinks(home: Path) -> None:
    assert doctor(home).count("offline reasoner") == 1
    with_model = doctor(home, ASSISTANT_LLM__API_KEY="sk-none")
    assert f"{MODEL} at OpenAI: configured, not tested; `assistant models test` tries it" in with_model
    assert "sk-none" not in with_model and "offline reasoner" not in with_model


def test_an_endpoint_that_nobody_serves_leads_on_offline(home: Path) -> None:
    typed = ["what's on my calendar tomorrow?", "2"]
    output = chat(home, typed, base_url=unreachable_url(), api_key="sk-none", retries="0")
    said = " ".join(output.split())
    assert "can't be reached" in said and "Your request is kept. How shall I go on?" in said
    assert "Go on offline" in output and "Traceback" not in output


def command(home: Path, *words: str, **llm: str) -> str:
    variables = {f"ASSISTANT_LLM__{name.upper()}": value for name, value in llm.items()}
    called = [sys.executable, "-m", "assistant", "--home", str(home), *words]
    return subprocess.run(called, capture_output=True, text=True, check=True, env=os.environ | variables).stdout


def test_what_trying_a_model_costs_is_part_of_the_usage(home: Path) -> None:
    with ScriptedEndpoint() as endpoint:
        command(home, "models", "test", base_url=endpoint.url, api_key=endpoint.key)
    (line,) = json.loads(command(home, "usage", "--json"))
    counted = endpoint.counters
    assert (line["model"], line["prompt"], line["completion"]) == ("scripted", counted.prompt, counted.completion)
    assert line["calls"] == len(endpoint.requests) > 0
