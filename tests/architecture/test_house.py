"""The walls of the house, held by tools: types, style, and who may import whom."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


def run(*command: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, *command], cwd=ROOT, capture_output=True, text=True, check=False)


@pytest.mark.timeout(1800)  # all of it is read anew where nothing was kept
def test_types_hold_under_mypy_strict():
    done = run("-m", "mypy")
    assert done.returncode == 0, done.stdout


@pytest.mark.parametrize("command", [("check", "."), ("format", "--check", ".")])
def test_style_holds_under_ruff(command: tuple[str, ...]):
    done = run("-m", "ruff", *command)
    assert done.returncode == 0, done.stdout


def test_nobody_imports_what_is_not_theirs():
    done = run("-c", "from importlinter.cli import lint_imports_command; lint_imports_command()")
    assert done.returncode == 0, done.stdout


def test_help_loads_neither_the_database_nor_the_reasoner():
    heavy = "sqlalchemy sqlmodel pydantic icalendar vobject alembic openai apscheduler assistant.reasoning "
    heavy += "integrations.google googleapiclient google.auth google_auth_oauthlib httpx2 cryptography "
    heavy += "integrations.microsoft msgraph msal kiota_abstractions httpx requests"
    seen = run("-c", f"import sys, assistant.cli.main; print([m for m in '{heavy}'.split() if m in sys.modules])")
    assert seen.stdout.strip() == "[]"


def test_opening_the_assistant_loads_no_provider_that_has_no_account():
    foreign = "('integrations.local', 'integrations.google', 'google', 'integrations.microsoft', 'msgraph', 'msal', 'kiota')"
    code = f"import sys, assistant.bootstrap; print([m for m in sys.modules if m.startswith({foreign})])"
    assert run("-c", code).stdout.strip() == "[]"


def test_only_what_serves_loads_the_web_server():
    heavy = "fastapi starlette uvicorn mcp webauthn pwdlib prometheus_client"
    code = "import sys, assistant.household, assistant.cli.chat, assistant.cli.letting_in, assistant.cli.worker;"
    assert run("-c", f"{code} print([m for m in '{heavy}'.split() if m in sys.modules])").stdout.strip() == "[]"
