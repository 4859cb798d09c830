"""Forgetting a conversation or a person: nothing of them is left in the home but hashes, and nothing goes out for them."""

from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from unittest.mock import AsyncMock

import psycopg
import pytest
from doubles.crashes import MAIL, doing, sent
from doubles.thinking import ScriptedAgent, ScriptedReasoner, plan, step

from assistant.errors import FlowError, UserError
from assistant.pipeline.execute import Executor
from assistant.running.forgetting import typed
from assistant.running.forgetting.dropping import Drop
from assistant.values import Data, Success
from integrations.actions import SaveTemplate, SendMail
from integrations.errors import Unavailable
from integrations.types import Address, Mail
from storage import audit, conversations, outbox
from storage.errors import DiskFull
from storage.tables import METADATA

HELENA = Address(email="helena.fischer@example.org", name="Helena Fischer")
TO_HELENA = SendMail(account="local", to=(HELENA,), subject="Lunch with Helena", body="Hi,\nHelena Fischer told me of the ostrich.")
TRACES = ("elena", "ischer", "ostrich")
WILL = Address(email="will@example.org", name="Will Smith")
TO_WILL = SendMail(account="local", to=(WILL,), subject="Lunch", body="Hi Will,\nwill you come?")
RAIN = MAIL.model_copy(update={"subject": "Plans", "body": "It will rain on Monday. Will you come? Will-o'-the-wisp."})


@pytest.fixture(autouse=True, params=["sqlite", "postgres"])
def url(request, monkeypatch) -> str:
    """Of the server that keeps the data, empty for a file in the home."""
    found = request.getfixturevalue("postgres_url") if request.param == "postgres" else ""
    monkeypatch.setenv("ASSISTANT_DATABASE_URL", found)
    return found


@pytest.fixture
def traces(tmp_path, url) -> Callable[[], set[str]]:
    """The files and tables in which any of the words can be read, without regard to case; but the mailbox's own index."""

    def found(words: tuple[str, ...] = TRACES) -> set[str]:
        files = [path for path in (tmp_path / "home").rglob("*") if path.is_file() and path.parent.name != "index"]
        texts = {path.name: path.read_bytes().lower() for path in files} | tables()
        return {name for name, text in texts.items() if any(word.encode() in text for word in words)}

    def tables() -> dict[str, bytes]:
        if not url:
            return {}
        with psycopg.connect(url) as connection:
            rows = {name: connection.execute(f'SELECT t::text FROM "{name}" t').fetchall() for name in METADATA.tables}
        return {name: str(found).lower().encode() for name, found in rows.items()}

    return found


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return tmp_path / "home"


async def written(scripted, action=TO_HELENA, conversation="c", says="write to Helena Fischer") -> None:
    async with scripted(*doing(action)) as a:
        preview = (await a.propose(conversation, [action], [says])).previews[0]
        assert [o.status for o in (await a.approve(preview.id, preview.fingerprint)).outcomes] == ["done"]


def finding(clock):
    """Thinks of a mail of Helena's when asked about her."""
    mail = Mail(account="local", id="1", etag="", folder="INBOX", sender=HELENA, date=clock(), body="The ostrich is mine.")
    report = Success(data=Data(kind="mails", mails=(mail,)))
    thinking = ScriptedReasoner({"what did Helena write?": plan(step(1, "find mail of Helena"))})
    return thinking, ScriptedAgent("email", {"find mail of Helena": [report]})


async def settled(a) -> bool:
    return (await a.database.read(audit.verify)).wrong == ""


# --- a person


async def test_nothing_of_a_person_is_left_in_the_home(scripted, home, clock, traces):
    await written(scripted)
    async with scripted(*finding(clock)) as a:
        await a.say("c", "what did Helena write?")
        template = SaveTemplate(name="for Helena", body="Dear Ms Fischer, …")
        preview = (await a.propose("c", [template])).previews[0]
        await a.approve(preview.id, preview.fingerprint)
    (home / typed.NAME).write_text("\n# 2026-11-18 10:00:00\n+what did Helena write?\n\n# 2026-11-18 10:01:00\n+hello\n")
    assert traces()
    async with scripted(*doing(MAIL)) as a:
        removal = await a.forget(person="helena.fischer@example.org", really=True)
        assert set(removal.words) >= {HELENA.email, "Helena Fischer", "Helena", "Fischer"}
        assert traces() == set()
        assert all((removal.messages, removal.tasks, removal.previews, removal.writes, removal.templates, removal.typed))
        assert removal.journal and await settled(a)
        assert all([await a.flow(head.id) for head in await a.flows()])
    assert traces() == set()
    assert "hello" in (home / typed.NAME).read_text()


async def test_what_would_be_removed_is_told_first_and_nothing_is_touched(scripted, home):
    await written(scripted)
    async with scripted(*doing(MAIL)) as a:
        told = await a.forget(person="Helena")
        assert told.about == "Helena Fischer, <helena.fischer@example.org>" and told.writes == 1
        assert await a.forget(person="Helena") == told
        assert (await a.forget(person="Helena", really=True)) == told
        with pytest.raises(UserError, match="Nobody called Helena is known"):
            await a.forget(person="Helena")


async def test_what_awaits_approval_for_a_person_is_told_and_dropped(scripted):
    async with scripted(*doing(TO_HELENA)) as a:
        preview = (await a.propose("c", [TO_HELENA, MAIL], ["write to Helena", "write to Anna"])).previews[0]
        other = (await a.propose("d", [MAIL], ["write to Anna"])).previews[0]
        removal = await a.forget(person="Helena", really=True)
        assert removal.under_way == ("awaiting approval: write to Helena; write to Anna",)
        with pytest.raises(FlowError, match="cancelled"):
            await a.approve(preview.id, preview.fingerprint)
        assert [one.id for one in await a.open_previews()] == [other.id]


async def test_what_was_approved_and_waits_does_not_go_out_after_its_person_was_forgotten(scripted, account, clock):
    async with scripted(*doing(TO_HELENA)) as a:
        later = TO_HELENA.model_copy(update={"send_at": clock() + timedelta(days=1)})
        preview = (await a.propose("c", [later], ["write to Helena"])).previews[0]
        assert [o.status for o in (await a.approve(preview.id, preview.fingerprint)).outcomes] == ["held"]
        removal = await a.forget(person="Helena", really=True)
        assert removal.under_way == ("approved, but not gone out: it sends a new mail",)
        assert await a.outgoing.release(at_once=lambda held: held) == ()
        assert await a.outbox() == () and await settled(a)
    assert sent(account) == []


async def test_what_is_uncertain_about_a_forgotten_person_is_not_asked_about_again(scripted, monkeypatch):
    async def lost(*_):
        raise Unavailable("The connection was lost.")

    async with scripted(*doing(TO_HELENA)) as a:
        preview = (await a.propose("c", [TO_HELENA], ["write to Helena"])).previews[0]
        with monkeypatch.context() as broken:
            broken.setattr(Executor, "reach", AsyncMock())
            broken.setattr(Executor, "_write", lost)
            broken.setattr(Executor, "_find", lost)
            assert [o.status for o in (await a.approve(preview.id, preview.fingerprint)).outcomes] == ["unknown"]
        removal = await a.forget(person="Helena", really=True)
        assert removal.under_way == ("not certain whether it happened: it sends a new mail",)
    async with scripted(*doing(MAIL)) as a:
        assert a.recovered == () and await a.open_previews() == () and await settled(a)


async def test_what_was_done_for_a_forgotten_person_is_not_taken_back(scripted, account, clock):
    """An undo would write the name again."""
    await written(scripted)
    async with scripted(*doing(MAIL)) as a:
        await a.forget(person="Helena", really=True)
        turn = await a.undo("c")
        assert not turn.outcomes and not turn.previews
    assert len(sent(account)) == 1


async def test_a_conversation_that_is_called_like_a_person_stays_and_is_told(scripted):
    await written(scripted, conversation="Helena")
    async with scripted(*doing(MAIL)) as a:
        assert (await a.forget(person="Helena", really=True)).named == ("Helena",)
        assert (await a.say("Helena", "go")).previews
        assert {(await a.dispatch.recall.load(head.id)).conversation for head in await a.flows("Helena")} == {"Helena"}


async def test_others_stay_as_they_were(scripted):
    await written(scripted)
    await written(scripted, MAIL.model_copy(update={"subject": "About Hel"}), "d", "write to Anna")
    async with scripted(*doing(MAIL)) as a:
        before = [await a.flow(head.id) for head in await a.flows("d")]
        await a.forget(person="Helena", really=True)
        assert before and before == [await a.flow(head.id) for head in await a.flows("d")]


async def test_one_of_several_must_be_named_and_nobody_forgets_themselves(scripted):
    await written(scripted)
    braun = Address(email="helena@braun.example", name="Helena Braun")
    await written(scripted, TO_HELENA.model_copy(update={"to": (braun,), "subject": "x", "body": "y"}))
    async with scripted(*doing(MAIL)) as a:
        with pytest.raises(UserError, match=r"Several people are called helena; give an address: Helena .*; Helena "):
            await a.forget(person="helena")
        assert "Helena" not in (await a.forget(person="helena@braun.example")).words
        with pytest.raises(UserError, match="yourself"):
            await a.forget(person="me@example.org")


# --- a person called like a word


async def test_an_address_and_a_whole_name_are_gone_everywhere(scripted, home, traces):
    await written(scripted, TO_WILL, says="write to will smith")
    (home / typed.NAME).write_text("\n# 1\n+mail WILL SMITH, and ask him what will be\n\n# 2\n+what will be?\n")
    await written(
        scripted, MAIL.model_copy(update={"subject": "Will  Smith", "body": "Call WILL@example.org"}), "d", "write to Anna"
    )
    async with scripted(*doing(MAIL)) as a:
        await a.propose("e", [MAIL.model_copy(update={"body": "Smith, Will, told me."})], ["write to Anna"])
        await a.forget(person="will@example.org", really=True)
        assert traces(("will@example", "will smith", "will  smith", "smith, will", "smith")) == set()
        assert await a.open_previews() == () and await settled(a)
    assert "+what will be?" in (home / typed.NAME).read_text()


async def test_what_has_a_word_that_is_spelt_like_a_part_of_a_name_stays_as_it_was(scripted, account, clock, home):
    (home / typed.NAME).parent.mkdir(exist_ok=True)
    await written(scripted, TO_WILL, says="write to Will Smith")
    later = RAIN.model_copy(update={"send_at": clock() + timedelta(days=1)})
    thinking = doing(RAIN, words="write to Anna: what will the weather be? Will it rain?")
    async with scripted(*thinking) as a:
        shown = (await a.say("d", "write to Anna: what will the weather be? Will it rain?")).previews[0]
        preview = (await a.propose("e", [later], ["tell Anna that it will rain"])).previews[0]
        await a.approve(preview.id, preview.fingerprint)
        kept = [await a.flow(head.id) for name in "de" for head in await a.flows(name)]
        entries = [entry for entry in await a.database.read(audit.page) if entry.preview_id in (shown.id, preview.id)]
        removal = await a.forget(person="will@example.org", really=True)
        assert removal.under_way == ()
        assert kept == [await a.flow(head.id) for name in "de" for head in await a.flows(name)]
        assert [one.id for one in await a.open_previews()] == [shown.id]
        assert [o.status for o in await a.outbox()] == ["held"]
        assert [e for e in await a.database.read(audit.page) if e.preview_id in (shown.id, preview.id)] == entries
        assert any("Will it rain" in said.text for said in await a.database.read(lambda s: conversations.messages(s, "d")))


async def test_what_is_under_way_is_not_given_up_for_a_part_of_a_name(scripted, account, clock):
    await written(scripted, TO_WILL, says="write to Will Smith")
    about_will = RAIN.model_copy(update={"body": "I asked Will.", "send_at": clock() + timedelta(days=1)})
    async with scripted(*doing(MAIL)) as a:
        preview = (await a.propose("d", [about_will], ["tell Anna of Will"])).previews[0]
        other = (await a.propose("e", [about_will], ["tell Anna of Will"])).previews[0]
        await a.approve(preview.id, preview.fingerprint)
        assert (await a.forget(person="will@example.org", really=True)).under_way == ()
        assert [one.id for one in await a.open_previews()] == [other.id]
        assert [o.action.body for o in await a.outbox()] == ["I asked Will."]
        assert (await a.approve(other.id, other.fingerprint)).outcomes[0].status == "held"
        story = [audit.content_of(entry) for entry in await a.database.read(audit.page) if entry.preview_id == preview.id]
        assert story and all(story) and await settled(a)


async def test_what_was_said_of_a_person_in_small_letters_goes_with_what_was_done(scripted, home, traces):
    await written(scripted, says="write to helena")
    (home / typed.NAME).write_text("\n# 1\n+mail helena\n\n# 2\n+hello\n")
    action = TO_HELENA.model_copy(update={"subject": "Lunch", "body": ""})
    async with scripted(*doing(action, "write to helena", words="mail helena")) as a:
        preview = (await a.say("d", "mail helena")).previews[0]
        await a.approve(preview.id, preview.fingerprint)
        await a.forget(person="Helena", really=True)
        assert traces() == set()


async def test_a_word_that_names_nobody_known_is_not_looked_for(scripted):
    async with scripted(*doing(MAIL)) as a:
        await a.say("c", "go")
        with pytest.raises(UserError, match="Nobody called a is known; give an address or a full name"):
            await a.forget(person="a", really=True)
        assert len(await a.open_previews()) == 1


# --- a conversation


async def test_nothing_of_a_conversation_is_left_and_the_others_stay(scripted, traces):
    await written(scripted, conversation="private")
    async with scripted(*doing(MAIL)) as a:
        await a.say("c", "go")
        await a.propose("private", [TO_HELENA], ["write to Helena Fischer"])
        removal = await a.forget(conversation="private", really=True)
        assert removal.under_way == ("awaiting approval: write to Helena Fischer",)
        assert traces() == set()
        assert await a.flows("private") == () and [head.about for head in await a.flows()] == ["go"]
        assert removal.journal and await settled(a)
        with pytest.raises(UserError, match="no conversation private; there are: c"):
            await a.forget(conversation="private")
        assert (await a.say("private", "go")).previews


async def test_a_write_that_begins_while_its_conversation_is_forgotten_stays_until_it_has_ended(scripted, clock, monkeypatch):
    async with scripted(*doing(MAIL)) as a:
        later = MAIL.model_copy(update={"send_at": clock() + timedelta(days=1)})
        preview = (await a.propose("c", [later], ["write to Anna"])).previews[0]
        await a.approve(preview.id, preview.fingerprint)
        (row,) = await a.outgoing.outbox.rows()
        drop = Drop.run

        async def begun(self: Drop):
            """In another process, after it was looked whether anything is."""
            await a.database.write(lambda s: outbox.advance(s, row.id, expect=("held",), to="started", at=clock()))
            return await drop(self)

        with monkeypatch.context() as patched:
            patched.setattr(Drop, "run", begun)
            with pytest.raises(FlowError, match="forget it once more"):
                await a.forget(conversation="c", really=True)
        assert await a.database.write(lambda s: outbox.finish(s, row.id, status="done", at=clock()))
        await a.forget(conversation="c", really=True)
        assert await a.database.read(lambda s: outbox.get(s, row.id)) is None and await settled(a)


async def test_the_count_of_a_conversation_is_what_is_removed(scripted):
    await written(scripted)
    async with scripted(*doing(MAIL)) as a:
        told = await a.forget(conversation="c")
        assert (told.tasks, told.previews, told.writes) == (2, 1, 1) and told.messages
        assert await a.forget(conversation="c", really=True) == told


async def test_traces_that_could_not_be_removed_are_told(scripted, monkeypatch, url):
    await written(scripted)
    async with scripted(*doing(MAIL)) as a:
        monkeypatch.setattr(a.database, "compact", AsyncMock(side_effect=DiskFull("The disk is full.")))
        then = "have its server run: VACUUM FULL conversation, message, .*" if url else "run: assistant keep"
        with pytest.raises(FlowError, match=rf"^It is forgotten, but .*: The disk is full\. Then {then}\.$"):
            await a.forget(person="Helena", really=True)
        with pytest.raises(UserError, match="Nobody called Helena is known"):
            await a.forget(person="Helena")


async def test_neither_or_both_is_no_request(scripted):
    async with scripted(*doing(MAIL)) as a:
        for wrong in ({}, {"conversation": "c", "person": "Helena"}):
            with pytest.raises(UserError, match="which conversation to forget, or which person"):
                await a.forget(**wrong)
