"""What was done, and why: asked in the chat, with either reasoner, and on the command line."""

import json
import sqlite3
import sys
from pathlib import Path
from typing import NamedTuple

import pytest

from assistant.cli.main import app
from assistant.cli.process import guarded
from storage import audit

HASH = 64


@pytest.mark.usefixtures("thinker")
async def test_why_something_was_done_is_answered_from_the_journal(sample):
    async with sample() as a:
        assert (await a.say("c", "why did you do that?")).reply.startswith("I have done nothing in this conversation")
        await a.say("c", "send a mail to Sarah saying I'll be ten minutes late")
        await a.say("c", "approve")
        why = (await a.say("c", "why did you send that?")).reply.splitlines()
        assert why[0] == "10:00: You asked: “send a mail to Sarah saying I'll be ten minutes late”."
        assert any("medium risk" in line for line in why) and any("with the words “approve”" in line for line in why)
        assert any("under the key" in line for line in why) and "The provider answered: done." in why[-1]
        assert (await a.say("c", "who approved the mail to Sarah?")).reply.endswith("done. Approved by you: “approve”.")
        assert "done, 10:00" in (await a.say("c", "did you send the mail to Sarah?")).reply
        assert (await a.say("c", "did you send the mail to Marcus?")).reply == "The audit journal tells of nothing like that."
        assert (await a.say("other", "why did you do that?")).reply.startswith("I have done nothing in this conversation")


@pytest.mark.usefixtures("thinker")
async def test_what_was_done_today_is_listed_from_the_journal(sample):
    async with sample() as a:
        assert (await a.say("c", "what did you do today?")).reply == "I have done nothing, says the audit journal."
        await a.say("c", "archive the last mail from Sarah")
        await a.say("c", "send a mail to Tom saying hello")
        done = (await a.say("c", "what did you do today?")).reply.splitlines()
        assert len(done) == 1 and done[0].startswith("- 10:00: archive") and done[0].endswith("low risk, and asked for.")
        assert (await a.say("c", "what did you do yesterday?")).reply == "I have done nothing, says the audit journal."
        assert (await a.say("c", "what did you send today?")).reply == "I have done nothing, says the audit journal."


@pytest.mark.usefixtures("thinker")
async def test_why_a_proposal_must_be_approved_is_told_and_it_stays_approvable(sample):
    async with sample() as a:
        shown = (await a.say("c", "send a mail to Sarah saying hello")).previews[0]
        told = await a.say("c", "why do I have to approve this?")
        assert f"It is medium risk: {shown.reasons[0]}" in told.reply and [p.id for p in told.previews] == [shown.id]
        assert [o.status for o in (await a.say("c", "yes, send it")).outcomes] == ["done"]


async def test_reads_leave_the_journal_empty(sample):
    async with sample() as a:
        for words in ("what's on my calendar tomorrow?", "find mails from Marcus", "what can you do?"):
            await a.say("c", words)
        assert await a.database.read(audit.page) == ()


async def test_words_of_another_program_are_no_question_to_the_journal(sample):
    async with sample() as a:
        await a.say("c", "archive the last mail from Sarah")
        assert "You asked" not in (await a.say("c", "why did you do that?", own_words=False)).reply


# --- the command line


class Done(NamedTuple):
    status: int
    out: str
    error: str


@pytest.fixture
def run(home: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]):
    """The command, without a process of its own."""
    monkeypatch.setenv("COLUMNS", "240")

    def call(*arguments: str) -> Done:
        monkeypatch.setattr(sys, "argv", ["assistant", "--home", str(home), *arguments])
        status = guarded(app)
        return Done(status, *capsys.readouterr())

    return call


@pytest.fixture
async def acted(sample) -> str:
    """A mail was approved and a preview dropped; the id of the former's preview."""
    async with sample() as a:
        shown = (await a.say("c", "send a mail to Sarah saying hello")).previews[0]
        await a.say("c", "yes, send it")
        await a.say("c", "send a mail to Tom saying hello")
        await a.say("c", "no")
    return shown.id


def test_the_journal_is_listed_newest_first_and_narrowed(run, acted):
    listed = run("audit").out.splitlines()
    assert "Tom" in listed[1] and "cancelled" in listed[1] and "Sarah" in listed[2] and "“yes, send it”" in listed[2]
    (only,) = json.loads(run("audit", "--preview", acted, "--json").out)
    assert (only["permit"], only["approved"], only["deeds"][0]["status"]) == (acted, "by you: “yes, send it”", "done")
    assert json.loads(run("audit", "--since", "2026-11-19", "--json").out) == []
    assert len(json.loads(run("audit", "--since", "2026-11-18", "--json").out)) == 2
    nonsense = run("audit", "--since", "blue")
    assert nonsense.status == 2 and "is no time" in nonsense.error


def test_one_actions_story_is_shown_by_its_preview_or_its_key(run, acted):
    shown = run("audit", "show", acted)
    assert "You asked: “send a mail to Sarah saying hello”." in shown.out and "The provider answered: done." in shown.out
    (story,) = json.loads(run("audit", "show", acted, "--json").out)
    assert run("audit", "show", story["deeds"][0]["key"][:10]).out == shown.out


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("show", "nothing-so"), "knows no preview, key or task nothing-so"),
        (("show", ""), "Say which preview, key or task is meant."),
        (("--flow", "nothing-so"), "knows no preview, key or task nothing-so"),
        (("--flow", "a", "--preview", "b"), "Give --flow or --preview, not both."),
        (("verify", "--head", "foo"), "“foo” is no head of a journal; give all 64 digits"),
        (("verify", "--head", ""), "“” is no head of a journal"),
    ],
)
def test_what_the_journal_can_not_know_is_said(run, acted, arguments, says):
    done = run("audit", *arguments)
    assert done.status == 2 and says in done.error and not done.out


def test_what_is_known_may_have_nothing_since_a_time(run, acted):
    done = run("audit", "--preview", acted, "--since", "2026-11-19")
    assert done.status == 0 and "tells of nothing like that" in done.out


def test_verify_tells_the_head_that_can_be_noted_and_finds_what_was_changed(run, acted, home):
    whole = run("audit", "verify")
    count, head = json.loads(run("audit", "verify", "--json").out)["count"], whole.out.split()[-1]
    assert whole.status == 0 and f"{count} entries" in whole.out and len(head) == HASH
    assert run("audit", "verify", "--head", head).status == 0
    assert run("audit", "verify", "--head", "f" * HASH).status == 1
    with sqlite3.connect(home / "assistant.sqlite") as connection:
        connection.execute("UPDATE audit SET content = replace(content, 'Sarah', 'Sandra') WHERE seq = 2")
        connection.execute("UPDATE audit SET content = replace(content, 'Sarah', 'Sandra') WHERE seq = 1")
    connection.close()
    broken = run("audit", "verify")
    assert broken.status == 1 and broken.out.strip() == "The content of entry 1 of the journal was changed."
