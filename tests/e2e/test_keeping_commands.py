"""Keeping, forgetting, backup and restore as commands: separate processes, a real home."""

import json
import sys
from pathlib import Path

import pytest


@pytest.fixture
def run(home: Path, commands):
    def call(*arguments: str, status: int = 0) -> str:
        """What it says, where it ends with that status."""
        done = commands.run("--home", str(home), *arguments)
        assert done.returncode == status, done.stderr
        return done.stderr if status else done.stdout

    return call


def test_a_home_is_backed_up_and_put_back(run, home, tmp_path):
    file = str(tmp_path / "backup")
    run("ask", "what's on my calendar tomorrow?")
    assert "checked." in run("backup", file) and "there already" in run("backup", file, status=2)
    run("forget", "conversation", "chat", "--yes")
    assert "No task" in run("flows", "--all")
    assert "add --replace" in run("restore", file, status=2)
    assert "What lay there before is in" in run("restore", file, "--replace")
    assert "calendar tomorrow" in run("flows", "--all")
    assert "is no backup" in run("restore", sys.executable, "--replace", status=4)


def test_a_restore_tells_what_it_brings_back(run, tmp_path):
    file = str(tmp_path / "backup")
    run("ask", "send Sarah a mail in two days saying hello", status=10)
    run("approve", "--yes")
    run("tokens", "add", "phone", "--scopes", "read")
    run("backup", file)
    assert "Taken back" in run("outbox", "cancel", json.loads(run("outbox", "--json"))[0]["key"])
    told = run("restore", file, "--replace")
    assert "Scheduled again, as it was then: 1 write, also what you have taken back since" in told
    assert "What you have forgotten, dropped or taken back since then is there again" in told
    assert "1 token for programs ended with the restore" in told and "There are no tokens" in run("tokens", "list")
    assert [one["status"] for one in json.loads(run("outbox", "--json"))] == ["held"]


def test_what_is_forgotten_is_shown_first_and_asked_about(run):
    run("ask", "what's on my calendar tomorrow?", "-c", "work")
    assert "add --yes" in run("forget", "conversation", "work", status=2)
    assert "there are: work" in run("forget", "conversation", "play", status=2)
    assert json.loads(run("forget", "conversation", "work", "--yes", "--json"))["tasks"] == 1
    assert "Nobody called Nobody is known" in run("forget", "person", "Nobody", "--yes", status=2)


def test_keeping_goes_by_the_settings(run, home):
    home.mkdir()
    (home / "config.toml").write_text("[keep]\nmails = 0\nevents = 7\n")
    told = run("keep")
    assert "Texts of mails, kept for ever" in told and "Events of tasks, kept 7 days" in told and "kept 180 days" in told
    assert json.loads(run("keep", "--json")) == {"thinned": 0, "textless": 0, "events": 0, "runs": 0}
    (home / "config.toml").write_text("[keep]\nmails = -1\n")
    assert "keep.mails is not usable" in run("keep", status=2)


def test_data_on_a_server_are_backed_up_by_the_servers_own_tool(run, monkeypatch, tmp_path):
    monkeypatch.setenv("ASSISTANT_DATABASE_URL", "postgresql://somebody:secret@localhost/none")
    for command, tool in (("backup", "pg_dump"), ("restore", "pg_restore")):
        said = run(command, str(tmp_path / "file"), status=2)
        assert tool in said and "secret" not in said
