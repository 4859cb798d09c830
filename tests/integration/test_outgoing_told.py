"""What is told of held mails beside a chat, and by `assistant outbox …`."""

import asyncio
import io
import json
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta

import pytest
from doubles.crashes import MAIL, sent
from rich.console import Console

from assistant.bootstrap import open_assistant
from assistant.cli import opening, outgoing
from assistant.errors import FlowError, UserError
from assistant.pipeline.execute import Executor
from config.settings import Settings
from integrations.errors import Conflict, Unavailable
from integrations.local.provider import FolderAccount
from storage import accounts
from storage.database import Database

LATER = MAIL.model_copy(update={"send_at": datetime.now(UTC).replace(microsecond=0) + timedelta(days=400)})


@pytest.fixture
async def home(tmp_path, account, monkeypatch):
    """A home to which the folders are connected, as from which mail leaves."""
    monkeypatch.setattr(FolderAccount, "sends", True)
    monkeypatch.setenv("ASSISTANT_ZONE", "Europe/Berlin")
    monkeypatch.setenv("COLUMNS", "200")
    config = account.config()
    database = Database.open(tmp_path / "home" / "assistant.sqlite")
    columns = {"name": config.name, "kind": config.kind, "address": config.address, "settings": dict(config.settings)}
    await database.write(lambda s: accounts.add(s, **columns, at=datetime.now(UTC)))
    await database.close()
    return tmp_path / "home"


@pytest.fixture
def chatting(home):
    @asynccontextmanager
    async def enter(*, window: int = 10):
        out = Console(file=io.StringIO(), width=200)
        async with open_assistant(settings=Settings(home=home, undo_window=window), zone="Europe/Berlin", resident=True) as a:
            yield a, out

    return enter


async def approved(a, action=MAIL, says="mail Anna"):
    preview = (await a.propose("chat", [action], [says])).previews[0]
    return await a.approve(preview.id, preview.fingerprint)


async def told(out: Console, words: str) -> str:
    for _ in range(1000):
        if words in out.file.getvalue():
            break
        await asyncio.sleep(0.01)
    return out.file.getvalue()


async def test_the_chat_shows_when_it_has_gone_out(chatting, account):
    async with chatting(window=1) as (a, out), outgoing.announced(a, out):
        assert [o.status for o in (await approved(a)).outcomes] == ["held"]
        assert "✓ Gone out: mail Anna." in await told(out, "Gone out")
    assert len(sent(account)) == 1


async def test_the_chat_shows_what_could_not_go_out_with_its_preview(chatting, monkeypatch):
    async def refuses(*_):
        raise Conflict("The server refuses it.")

    async with chatting(window=1) as (a, out), outgoing.announced(a, out):
        await approved(a)
        monkeypatch.setattr(Executor, "_write", refuses)
        shown = await told(out, "fingerprint")
    assert "✗ Not done: mail Anna. The server refuses it." in shown


async def test_leaving_the_chat_sends_what_was_held_and_tells_what_stays(chatting, account):
    async with chatting(window=600) as (a, out):
        await approved(a)
        await approved(a, LATER, "mail Anna later")
        await outgoing.leave(a, out, "assistant --home x")
    shown = out.file.getvalue()
    assert "✓ Gone out: mail Anna." in shown and "Scheduled: 1 mail." in shown and "`assistant --home x outbox run`" in shown
    assert len(sent(account)) == 1


async def test_the_greeting_tells_what_fell_due_while_nothing_ran(chatting, home, account, monkeypatch):
    async with chatting() as (a, _):
        await approved(a)
    later = datetime.now(UTC) + timedelta(hours=1)
    out = Console(file=io.StringIO(), width=200)
    async with open_assistant(home, clock=lambda: later) as a:
        await opening.greet(a, out)
    assert "Due while no assistant was running. ✓ Gone out: mail Anna." in out.file.getvalue() and len(sent(account)) == 1


# --- the commands


@pytest.fixture
async def scheduled(home) -> str:
    """The key of a mail that is scheduled."""
    async with open_assistant(home) as a:
        return (await approved(a, LATER)).outcomes[0].key


async def test_the_outbox_is_listed(home, scheduled, capsys):
    assert await outgoing.listed(home, json=False) == 0
    assert f"{scheduled[:8]}" in (table := capsys.readouterr().out) and "held" in table and "mail Anna" in table
    assert await outgoing.listed(home, json=True) == 0
    (found,) = json.loads(capsys.readouterr().out)
    assert (found["key"], found["status"], found["says"]) == (scheduled, "held", "mail Anna")


async def test_checking_does_not_say_that_what_is_scheduled_has_gone_out(home, scheduled, capsys):
    assert await outgoing.checked(home, json=False) == 0
    assert capsys.readouterr().out == "Nothing is due, and nothing is uncertain.\n"


async def test_what_is_scheduled_is_cancelled_by_the_beginning_of_its_id(home, scheduled, capsys):
    assert await outgoing.cancelled(home, scheduled[:6], json=False) == 0
    assert "✓ Taken back: mail Anna." in capsys.readouterr().out
    assert await outgoing.listed(home, json=False) == 0 and capsys.readouterr().out == "Nothing waits to go out.\n"
    with pytest.raises(FlowError, match="Nothing waits to go out"):
        await outgoing.cancelled(home, scheduled[:6], json=False)


async def test_an_id_that_is_none_is_told(home, scheduled):
    with pytest.raises(UserError, match="There is no write zz"):
        await outgoing.cancelled(home, "zz", json=False)


async def _lost(*_):
    raise Unavailable("The connection is lost.")


@pytest.fixture
async def uncertain(home, account, monkeypatch):
    """A mail whose reply was lost."""
    async with open_assistant(home) as a:
        preview = (await a.propose("chat", [MAIL], ["mail Anna"])).previews[0]
        with monkeypatch.context() as broken:
            broken.setattr(Executor, "reach", lambda *_: asyncio.sleep(0))
            broken.setattr(Executor, "_write", _lost)
            broken.setattr(Executor, "_find", _lost)
            assert [o.status for o in (await a.approve(preview.id, preview.fingerprint)).outcomes] == ["unknown"]


async def test_checking_asks_again_about_what_is_uncertain(home, account, uncertain, capsys):
    assert await outgoing.checked(home, json=False) == 1
    told = capsys.readouterr().out
    assert "✗ Not sent: mail Anna." in told and "see `assistant previews`" in told and not sent(account)
    assert await outgoing.checked(home, json=False) == 0


async def test_what_stays_uncertain_is_told_once(home, uncertain, monkeypatch, capsys):
    monkeypatch.setattr(Executor, "_find", _lost)
    assert await outgoing.checked(home, json=False) == 1
    assert capsys.readouterr().out.count("mail Anna") == 1
    assert await outgoing.checked(home, json=True) == 1
    assert [one["status"] for one in json.loads(capsys.readouterr().out)] == ["unknown"]


async def test_staying_ends_when_all_has_gone_out(home, account, capsys):
    soon = MAIL.model_copy(update={"send_at": datetime.now(UTC) + timedelta(seconds=1)})
    async with open_assistant(home) as a:
        await approved(a, soon)
    assert await asyncio.wait_for(outgoing.stayed(home), 20) == 0
    assert "✓ Gone out: mail Anna." in capsys.readouterr().out and len(sent(account)) == 1
