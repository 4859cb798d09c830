"""What the README shows works as it stands there."""

import asyncio
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from doubles.llm import ScriptedEndpoint
from doubles.places import SERVICES, Clock, connected
from typer.main import get_command

from assistant.bootstrap import endpoints_in_use, settings_for
from integrations.types import DRAFTS, SENT

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")


def blocks(language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", README, re.DOTALL)


@pytest.fixture
def example(tmp_path: Path):
    """Runs the example that mentions something in a folder of its own; what it prints."""

    def run(mentioned: str) -> str:
        (code,) = (block for block in blocks("python") if mentioned in block)
        done = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        return done.stdout

    return run


def test_the_example_of_a_mail_puts_one_into_the_outbox(example, tmp_path):
    for folder in ("Mail", "calendars", "contacts"):
        (tmp_path / folder).mkdir()
    assert "Done" in example("LocalAccount")
    assert len(list((tmp_path / "Mail" / ".Outbox").glob("[cn]*/*"))) == 1


def test_the_example_of_looking_finds_mails_and_events(example):
    mails, events = example("EventQuery").splitlines()
    assert int(mails.split()[0]) > 0 and "datetime" in events


def test_the_session_is_what_the_program_prints(home):
    session = next(block for block in re.findall(r"```\n(.*?)```", README, re.DOTALL) if block.startswith("$ assistant"))
    typed = [line.removeprefix("› ") for line in session.splitlines() if line.startswith("› ")]
    done = subprocess.run(
        [sys.executable, "-m", "assistant", "--home", str(home)],
        input="\n".join(typed),
        capture_output=True,
        text=True,
        check=True,
        env=os.environ | {"COLUMNS": "100"},
    )
    assert plain(done.stdout) == plain(session.removeprefix("$ assistant\n"))


@pytest.mark.parametrize("service", SERVICES)
async def test_the_session_goes_the_same_way_with_an_account_at_a_service(home, service):
    session = next(block for block in re.findall(r"```\n(.*?)```", README, re.DOTALL) if block.startswith("$ assistant"))
    typed = [line.removeprefix("› ") for line in session.splitlines() if line.startswith("› ")]
    zone = ZoneInfo("Europe/Berlin")
    with connected(service, home, Clock(datetime.now(zone), zone.key)) as place:
        await place.connect()
        done = await asyncio.to_thread(
            subprocess.run,
            [sys.executable, "-m", "assistant", "--home", str(home)],
            input="\n".join(typed),
            capture_output=True,
            text=True,
            check=True,
            env=os.environ | {"COLUMNS": "100", "ASSISTANT_UNDO_WINDOW": "0"},
        )
        assert "✓ Done: send a mail to David Smith." in done.stdout and "Outbox" not in done.stdout
        (sent,) = place.written(SENT)
        assert (str(sent["To"]), str(sent["Subject"])) == (
            "David Smith <david.smith@acme.example>",
            "Parcel has arrived, thank you",
        )
        assert not place.written(DRAFTS)


def test_the_test_of_a_model_is_what_the_program_prints(home):
    session = README[README.index("$ assistant models test\n") :].partition("```")[0]
    with ScriptedEndpoint(context=131_072) as endpoint:
        settings = {"ASSISTANT_LLM__BASE_URL": endpoint.url, "ASSISTANT_LLM__API_KEY": endpoint.key, "COLUMNS": "100"}
        command = [sys.executable, "-m", "assistant", "--home", str(home), "models", "test"]
        done = subprocess.run(command, capture_output=True, text=True, check=True, env=os.environ | settings)
    assert timeless(done.stdout) == timeless(session.removeprefix("$ assistant models test\n"))


def test_the_deliberation_is_what_the_program_prints(home):
    session = README[README.index("$ assistant deliberate") :].partition("```")[0]
    typed, printed = session.split("\n", 1)
    command = [sys.executable, "-m", "assistant", "--home", str(home), *shlex.split(typed)[2:]]
    done = subprocess.run(command, capture_output=True, text=True, check=True, env=os.environ | {"COLUMNS": "100"})
    assert timeless(done.stdout) == timeless(printed)


def test_the_settings_of_drafting_can_be_used(tmp_path):
    (shown,) = (block for block in blocks("toml") if "[drafting]" in block)
    (tmp_path / "config.toml").write_text(f'[llm]\napi_key = "sk-secret"\n{shown}', encoding="utf-8")
    assert [endpoint.model for endpoint in endpoints_in_use(settings_for(tmp_path))] == ["", "qwen3:32b", "gpt-5"]


def timeless(output: str) -> list[str]:
    """Without ports and seconds."""
    return [re.sub(r":\d{4,5}/|\d\.\d s", "#", line).rstrip() for line in output.strip().splitlines()]


def plain(output: str) -> list[str]:
    """Without what is random: the ids and fingerprints of previews."""
    return [re.sub(r"[0-9a-f]{12}-p1|v1:[0-9a-f]{11}", "#", line).rstrip() for line in output.strip().splitlines()]


def test_the_settings_of_models_can_be_used(tmp_path):
    (shown,) = (block for block in blocks("toml") if "[llm.budget]" in block)
    (tmp_path / "config.toml").write_text(shown.replace("sk-…", "sk-secret"), encoding="utf-8")
    models = [endpoint.model for endpoint in endpoints_in_use(settings_for(tmp_path))]
    assert models == ["qwen3", "qwen3:32b", "gpt-5-mini"]


def test_ci_runs_the_readmes_test_command():
    (command,) = (block.strip() for block in blocks("sh") if "pytest" in block)
    assert command in (ROOT / ".ci" / "run").read_text()


COMMANDS = (
    "ask answer previews approve revise cancel flows resume undo explain deliberate usage models accounts import doctor".split()
)


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_that_the_readme_names_exists(name):
    from assistant.cli.main import app

    commands = {command.name or command.callback.__name__ for command in app.registered_commands}
    names = commands | {group.name for group in app.registered_groups}
    assert name in names


def test_the_commands_without_json_are_those_that_the_readme_names():
    from assistant.cli.main import app

    (sentence,) = re.findall(r"`--json`,\s+which every command takes but (.*?);", README, re.DOTALL)
    assert set(without_json(get_command(app))) == set(re.findall(r"`([^`]+)`", " ".join(sentence.split())))


def without_json(command: Any, *path: str) -> Iterator[str]:
    for name, below in getattr(command, "commands", {}).items():
        yield from without_json(below, *path, name)
    if not hasattr(command, "commands") and all("--json" not in option.opts for option in command.params):
        yield " ".join(path)


@pytest.mark.usefixtures("thinker")
async def test_the_sessions_in_the_table_of_things_to_say_are_understood(sample):
    rows = [line for line in README.splitlines() if line.startswith(("| mail |", "| calendar |", "| contacts |"))]
    sayings = [s.strip() for row in rows for s in row.split("|")[2].split(" · ")]
    async with sample() as a:
        for saying in sayings:
            turn = await a.say("c", saying.replace("…", "soon").replace("number to soon", "number to +49 30 1234567"))
            intent = [e.data["request"] async for e in a.events("c", flow=turn.flow) if e.step == "3"]
            assert intent and intent[0] != "unknown", f"{saying}: {turn.reply}"


def row(name: str) -> list[str]:
    """The sayings of one row of the table of things to say."""
    (line,) = (line for line in README.splitlines() if line.startswith(f"| {name} |"))
    return [saying.strip() for saying in re.split(r" · |; ", line.split("|")[2])]


@pytest.mark.usefixtures("thinker")
async def test_what_is_said_together_looks_before_it_acts(sample):
    (saying,) = row("together")
    async with sample() as a:
        turn = await a.say("c", saying.replace("…", "let us meet on Monday"))
    kinds = {action.kind for preview in turn.previews for action in preview.actions}
    assert kinds in ({"create_event"}, {"send_mail"}), turn.reply


@pytest.mark.usefixtures("thinker")
async def test_a_preview_takes_every_change_that_the_table_names(sample):
    approve, cancel, *changes, undo = row("previews")
    async with sample() as a:
        turn = await a.say("c", "schedule a meeting with Tom, Sarah and David Chen on Friday at 3pm")
        for change in changes:
            before = turn.previews[0].fingerprint
            turn = await a.say("c", change)
            assert turn.previews and turn.previews[0].fingerprint != before, f"{change}: {turn.reply}"
        assert "Cancelled" in (await a.say("c", cancel)).reply
        await a.say("c", "create an event Dentist tomorrow at 8")
        assert "take back" in (await a.say("c", undo)).reply
        await a.say("c", "send a mail to Sarah saying hello")
        assert [o.status for o in (await a.say("c", approve)).outcomes] == ["done"]


@pytest.mark.usefixtures("thinker")
async def test_a_task_rests_is_gone_on_with_and_given_up_as_the_table_says(sample):
    _, resume, give_up = row("tasks")
    async with sample() as a:
        await a.say("c", "email David")
        interrupting = await a.say("c", "how many unread mails do I have?")
        assert "email David" in interrupting.reply
        resumed = await a.say("c", resume.replace("…", "email to David"))
        assert resumed.question and "David" in resumed.question.text
        given_up = await a.say("c", give_up.replace("…", "email to David"))
        assert not await a.flows(resting=True), given_up.reply
