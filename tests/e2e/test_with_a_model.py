"""The command line with a model named by nothing but two variables, against the scripted endpoint."""

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
    assert plain(named) == plain(session.removeprefix("$ assistant\n")) and "offline reasoner" not in output
    assert len(list((home / "sample" / "mail" / ".Outbox").glob("[cn]*/*"))) == 1


def test_without_a_model_the_chat_says_once_at_its_head_who_thinks(home: Path) -> None:
    head = chat(home, [])
    assert head.count("offline reasoner") == 1 and head.splitlines()[0].startswith("Personal assistant · offline reasoner")


def doctor(home: Path, **environment: str) -> str:
    command = [sys.executable, "-m", "assistant", "--home", str(home), "doctor"]
    given = os.environ | {"COLUMNS": "200"} | environment
    return subprocess.run(command, capture_output=True, text=True, check=False, env=given).stdout


def test_doctor_says_who_thinks(home: Path) -> None:
    assert doctor(home).count("offline reasoner") == 1
    assert MODEL in doctor(home, ASSISTANT_LLM__API_KEY="sk-none")


def test_an_endpoint_that_nobody_serves_leads_on_offline(home: Path) -> None:
    typed = ["what's on my calendar tomorrow?", "2"]
    output = chat(home, typed, base_url=unreachable_url(), api_key="sk-none", retries="0")
    assert "can't be reached. Your request is kept. How shall I go on?" in " ".join(output.split())
    assert "Go on offline" in output and "Traceback" not in output
