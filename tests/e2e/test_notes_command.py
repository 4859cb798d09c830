"""`assistant notes`: separate processes, a real home."""

import json

import pytest


@pytest.fixture
def run(home, commands):
    def call(*arguments: str, status: int = 0) -> str:
        """What it says, where it ends with that status."""
        done = commands.run("--home", str(home), *arguments)
        assert done.returncode == status, done.stderr
        return done.stderr if status else done.stdout

    return call


def test_notes_are_shown_and_forgotten(run):
    assert "I remember nothing yet" in run("notes")
    for text in ("I drink tea", "Tom is my boss", "I prefer short mails"):
        run("ask", f"remember that {text}")
    shown = run("notes")
    assert "I drink tea (you said so on" in shown and "Tom is my boss" in shown
    (first, *_) = json.loads(run("notes", "--json"))
    assert (first["number"], first["text"], first["said"]) == (1, "I drink tea", "remember that I drink tea")
    assert "There is no note 9; nothing was forgotten" in run("notes", "forget", "1", "9", status=2)
    assert run("notes", "forget", "1") == "Forgotten: I drink tea\n"
    assert "by its number, or --all" in run("notes", "forget", status=2)
    assert run("notes", "forget", "--all") == "Forgotten: 2 notes.\n"
    assert json.loads(run("notes", "--json")) == []
