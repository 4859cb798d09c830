"""What the README shows works as it stands there."""

import re
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")


def blocks(language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", README, re.DOTALL)


def test_the_python_example_runs_and_puts_one_mail_into_the_outbox(tmp_path, monkeypatch):
    import subprocess

    (example,) = blocks("python")
    for folder in ("Mail", "calendars", "contacts"):
        (tmp_path / folder).mkdir()
    done = subprocess.run([sys.executable, "-c", example], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "Done" in done.stdout and len(list((tmp_path / "Mail" / ".Outbox").glob("[cn]*/*"))) == 1


def test_ci_runs_the_readmes_test_command():
    (command,) = (block.strip() for block in blocks("sh") if "pytest" in block)
    assert command in (ROOT / ".ci" / "run").read_text()


COMMANDS = "ask answer previews approve revise cancel flows resume undo accounts import doctor".split()


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_that_the_readme_names_exists(name):
    from assistant.cli.main import app

    commands = {command.name or command.callback.__name__ for command in app.registered_commands}
    names = commands | {group.name for group in app.registered_groups}
    assert name in names


async def test_the_sessions_in_the_table_of_things_to_say_are_understood(sample):
    rows = [line for line in README.splitlines() if line.startswith(("| mail |", "| calendar |", "| contacts |"))]
    sayings = [s.strip() for row in rows for s in row.split("|")[2].split(" · ")]
    async with sample() as a:
        for saying in sayings:
            turn = await a.say("c", saying.replace("…", "soon").replace("number to soon", "number to +49 30 1234567"))
            intent = [e.data["request"] async for e in a.events("c", flow=turn.flow) if e.step == "3"]
            assert intent and intent[0] != "unknown", f"{saying}: {turn.reply}"
