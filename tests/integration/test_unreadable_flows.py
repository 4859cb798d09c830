"""A flow whose snapshot can't be read, damaged or of a newer version, stands in nobody else's way."""

import asyncio
from datetime import timedelta

import pytest
from doubles.crashes import MAIL, doing, sent

from assistant.bootstrap import open_assistant
from assistant.errors import Unreadable
from assistant.pipeline.state import FlowState
from assistant.running.cluster import ClusterRunner
from assistant.running.elsewhere import Elsewhere
from assistant.running.journal import FlowJournal, Stream
from assistant.running.lease import LEASE
from assistant.running.recovery import LONGEST, UNREAD
from storage import conversations, flows
from storage.database import Database
from storage.tables import OWNER

NEWER = """UPDATE flow SET snapshot = replace(snapshot, '"course":"', '"course":"newer ') WHERE conversation = '{}'"""
NOT_SENT = "UPDATE outbox SET status = 'pending', receipt = NULL"


@pytest.fixture(params=["sqlite", "postgres"])
def either(request, monkeypatch) -> None:
    """Once with a file in the home, once with a server."""
    url = request.getfixturevalue("postgres_url") if request.param == "postgres" else ""
    monkeypatch.setenv("ASSISTANT_DATABASE_URL", url)


async def changed(a, *statements: str) -> None:
    """The database as another program has left it."""
    for statement in statements:
        await a.database.write(lambda s, sql=statement: s.connection.execute(sql) and None)


async def run_by_another(a, clock, words: str, until: timedelta) -> None:
    """The flow runs, in a process that has a lease of it for so long."""
    (head,) = [head for head in await a.flows() if head.about == words]
    await changed(a, f"UPDATE flow SET status = 'running' WHERE id = '{head.id}'")
    assert await a.database.write(lambda s: flows.claim(s, head.id, "another", clock() + until, clock()))


@pytest.fixture
def later(tmp_path, account, clock):
    """Opens another assistant so much later."""

    def opened(by: timedelta):
        return open_assistant(tmp_path / "home", clock=lambda: clock() + by, zone="Europe/Berlin", accounts=[account])

    return opened


async def approved(a, account, conversation: str = "c") -> None:
    """A mail was approved, and the database says that it has not gone out."""
    preview = (await a.propose(conversation, [MAIL], ["mail Anna"])).previews[0]
    await a.approve(preview.id, preview.fingerprint)
    for mail in (account.mail / ".Outbox" / "cur").iterdir():
        mail.unlink()
    await changed(a, NOT_SENT)


async def test_the_writes_of_others_are_settled_and_its_conversation_goes_on(scripted, account):
    async with scripted(*doing(MAIL)) as a:
        await approved(a, account)
        await a.say("d", "go")
        await changed(a, NEWER.format("d"), "UPDATE flow SET status = 'running' WHERE conversation = 'd'")
    async with scripted(*doing(MAIL)) as a:
        assert [o.status for o in a.recovered] == ["done"] and len(sent(account)) == 1
        (head,) = await a.flows("d")
        assert head.status == "failed"
        assert '"newer ' in (await a.database.read(lambda s: flows.get(s, head.id))).snapshot
        said = await a.database.read(lambda s: conversations.messages(s, "d", 1))
        assert [message.text for message in said] == [UNREAD]
        with pytest.raises(Unreadable, match="another version of the program"):
            await a.flow(head.id)
        assert (await a.say("d", "go")).previews


@pytest.mark.usefixtures("either")
async def test_beside_others_it_is_left_for_a_while_to_whoever_can_read_it(scripted, clock, later):
    async with scripted(*doing(MAIL)) as a:
        await a.say("c", "go")
        await run_by_another(a, clock, "go", LEASE)
        await changed(a, NEWER.format("c"))
        for by, status in {2 * LEASE: "running", LONGEST: "running", LEASE + LONGEST: "failed"}.items():
            async with later(by) as other:
                (head,) = await other.flows("c")
                assert (head.status, head.owner) == (status, "another" if status == "running" else None)


@pytest.mark.usefixtures("either")
async def test_what_it_may_be_writing_is_left_to_it_while_it_runs(scripted, account, clock, later):
    async with scripted(*doing(MAIL)) as a:
        await approved(a, account)
        await run_by_another(a, clock, "approve", 3 * LEASE)
        await changed(a, NEWER.format("c"))
        async with later(2 * LEASE) as other:
            assert other.recovered == () and not sent(account)
        async with later(3 * LEASE + LONGEST) as other:
            assert [o.status for o in other.recovered] == ["done"]
    assert len(sent(account)) == 1


@pytest.mark.usefixtures("either")
async def test_one_that_has_ended_is_not_remembered_but_no_message_fails_of_it(scripted):
    async with scripted(*doing(MAIL)) as a:
        await a.say("c", "go")
        await changed(a, NEWER.format("c"))
    async with scripted(*doing(MAIL)) as a:
        assert (await a.say("c", "go")).previews


async def test_an_approved_write_goes_out_though_its_preview_can_not_be_read(scripted, account):
    async with scripted(*doing(MAIL)) as a:
        await approved(a, account)
        await changed(a, "UPDATE preview SET body = '{}'")
    async with scripted(*doing(MAIL)) as a:
        assert [o.status for o in a.recovered] == ["done"]


class Nobody:
    """A queue from which nobody takes anything."""

    async def put(self, flow: str, mark: str) -> None:
        pass


async def test_who_waits_for_another_flow_of_a_worker_is_still_told(tmp_path, clock):
    database = Database.open(tmp_path / "assistant.sqlite")
    stream = Stream()
    journal = FlowJournal(database, stream, clock, None)
    runner = ClusterRunner(Nobody(), database, stream, Elsewhere(OWNER, None, database, clock))
    made = [FlowState(id=f"f{n}", user=OWNER, conversation=f"c{n}", text="go", created=clock()) for n in range(2)]
    first, second = [await journal.create(state) for state in made]
    waiting = [runner.start(state) for state in (first, second)]
    await asyncio.sleep(0)
    await database.write(lambda s: flows.save(s, "f0", version=1, status="done", goal="", snapshot='{"newer": 1}', at=clock()))
    with pytest.raises(Unreadable):
        await asyncio.wait_for(waiting[0], 5)
    await journal.save(second.but(status="done", reply="hello"))
    assert (await asyncio.wait_for(waiting[1], 5)).reply == "hello"
    await runner.close()
    await database.close()
