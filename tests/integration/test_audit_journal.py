"""What was asked, proposed, permitted, sent and answered stands in the audit journal, whatever happens on the way."""

import asyncio
from datetime import timedelta

import pytest
from doubles.crashes import ARCHIVE, MAIL, archived, doing, dying, event, killed, sent, shown
from doubles.thinking import ScriptedAgent, ScriptedReasoner, plan, step
from doubles.virtual_time import Time

from assistant.pipeline import auditing
from assistant.pipeline.execute import Executor
from assistant.running.history import NOTHING_DONE
from integrations.errors import IntegrationError, Unavailable
from integrations.local.mail_writer import LocalMailWriter
from storage import audit, outbox
from storage.errors import DiskFull


@pytest.fixture
def clock(clock) -> Time:
    return Time(clock())


@pytest.fixture(params=["sqlite", "postgres"])
def database(request, monkeypatch) -> None:
    """Where the journal stands."""
    if request.param == "postgres":
        monkeypatch.setenv("ASSISTANT_DATABASE_URL", request.getfixturevalue("postgres_url"))


async def kinds(a) -> list[str]:
    return [entry.kind for entry in await a.database.read(audit.page)]


async def told(a, place: int = 0) -> list[str]:
    return [line.text for line in (await a.audit())[place].lines]


async def whole(a) -> bool:
    return not (await a.verify_audit()).wrong


@pytest.mark.usefixtures("database")
async def test_an_approved_mail_is_told_from_the_words_that_asked_for_it_to_the_answer(scripted, account):
    async with scripted(*doing(MAIL, "mail Anna")) as a:
        preview = (await a.say("c", "go")).previews[0]
        (key,) = [o.key for o in (await a.say("c", "yes, send it")).outcomes]
        assert await kinds(a) == ["proposed", "approved", "started", "done"]
        (story,) = await a.audit(preview.id)
        assert (story.permit, story.conversation, story.level, story.reasons) == (preview.id, "c", preview.level, preview.reasons)
        assert (story.words, story.approved, story.result) == ("go", "by you: “yes, send it”", "done")
        asked, proposed, rated, approved, begun, answered = [line.text for line in story.lines]
        assert asked == "You asked: “go”." and proposed == "Proposed: mail Anna."
        assert rated == f"It is {preview.level} risk: {'; '.join(preview.reasons)}."
        assert preview.fingerprint[:15] in approved and approved.endswith("with the words “yes, send it”.")
        assert begun == f"Begun in the account local, under the key {key}."
        assert answered.startswith("The provider answered: done. Put into the Outbox")
        assert await a.audit(key[:8]) == await a.audit(story.flow) == (story,)
        assert await whole(a)


async def test_the_journal_holds_the_actions_themselves_and_which_fingerprint_was_approved(scripted, account):
    async with scripted(*doing(MAIL)) as a:
        preview = (await a.say("c", "go")).previews[0]
        await a.approve(preview.id, preview.fingerprint)
        proposed, approved, started, done = [audit.content_of(e) for e in await a.database.read(audit.page)]
    assert proposed["fingerprint"] == approved["fingerprint"] == preview.fingerprint
    assert proposed["actions"][0]["action"] == started["action"] and started["action"]["body"] == "hello"
    assert (proposed["door"], approved["door"]) == ("say", "approve") and done["receipt"]["id"]


@pytest.mark.usefixtures("database")
async def test_what_the_gate_permits_is_noted_with_its_reasons_and_its_undo(scripted, account, inbox):
    async with scripted(*doing(ARCHIVE, "archive it", "archive it")) as a:
        await a.say("c", "archive it")
        assert await kinds(a) == ["permitted", "started", "done"]
        assert (await told(a))[1].startswith(
            "No approval was needed for this: archive it (low risk, and you had asked for just this"
        )
        await a.undo("c")
        undone, done = await a.audit()
        assert undone.approved == "by you: “undo”" and undone.result == "done"
        assert "Taken back: You wanted it taken back: “undo”." in [line.text for line in done.lines]
        assert await whole(a)


async def test_a_preview_that_is_dropped_or_replaced_says_so(scripted, account):
    async with scripted(*doing(MAIL, "mail Anna")) as a:
        first = (await a.say("c", "go")).previews[0]
        changed = await a.revise(first.id, actions=[MAIL.model_copy(update={"subject": "Hello"})])
        await a.say("c", "no")
        assert await kinds(a) == ["proposed", "lapsed", "proposed", "cancelled"]
        dropped, replaced = await a.audit()
        assert (dropped.result, replaced.result) == ("cancelled", "replaced") and dropped.permit == changed.previews[0].id
        lines = [line.text for line in dropped.lines]
        assert lines[0] == "You asked: “go”." and "You wanted it changed: “Edited by hand”." in lines
        assert lines[-1] == "You dropped it with the words “no”; nothing was done."


async def test_what_changed_underneath_is_shown_again_and_what_is_gone_lapses(scripted, account, inbox):
    async with scripted(*doing(ARCHIVE, "archive it")) as a:
        await a.say("c", "go")
        mail = inbox / "cur" / "1.a.host:2,S"
        mail = mail.rename(mail.with_name("1.a.host:2,FS"))
        await a.say("c", "yes")
        fresh, stale = await a.audit()
        assert (fresh.result, stale.result) == ("open", "replaced")
        words = "When you approved it (“yes”), it had changed underneath or could not be done, so it was shown again."
        assert words in [line.text for line in fresh.lines] and fresh.words == "go"
        mail.unlink()
        await a.say("c", "yes")
        gone = (await a.audit())[0]
        assert gone.lines[-1].text == "What it was about was not there any more, so nothing was done."
        assert await kinds(a) == ["proposed", "lapsed", "proposed", "lapsed"] and await whole(a)


async def test_what_another_program_proposes_is_told_as_its_doing(scripted, account):
    async with scripted(*doing(MAIL)) as a:
        await a.propose("c", [MAIL], ["mail Anna"])
        assert (await told(a))[0] == "Another program proposed it: “mail Anna”."


async def test_a_question_about_what_was_done_is_answered_while_a_task_runs_and_the_task_rests(scripted):
    agent = ScriptedAgent("email", {})
    agent.gates["slow"] = asyncio.Event()
    started = asyncio.Event()
    agent.on_start = lambda instruction: started.set()
    async with scripted(ScriptedReasoner({"first": plan(step(1, "slow"), goal="the first thing")}), agent) as a:
        first = asyncio.create_task(a.say("c", "first"))
        await started.wait()
        told = await a.say("c", "what did you do today?")
        assert told.reply.splitlines() == [NOTHING_DONE, 'Previous task: "the first thing" was in progress.']
        assert (await first).status == "suspended"


# --- what the provider answers


@pytest.mark.parametrize(
    ("error", "found", "kind", "words"),
    [
        (IntegrationError("The mailbox is closed.", "local"), None, "failed", "It was refused, so it is not done."),
        (Unavailable("The line went dead.", "local"), None, "failed", "asked afterwards, the provider did not have it"),
        (Unavailable("The line went dead.", "local"), Unavailable("Still dead.", "local"), "unknown", "could not be settled"),
    ],
)
async def test_each_answer_is_noted(scripted, account, monkeypatch, error, found, kind, words):
    async def execute(*_):
        raise error

    async def find(*_):
        if isinstance(found, Exception):
            raise found

    async with scripted(*doing(MAIL, "mail Anna")) as a:
        await a.say("c", "go")
        monkeypatch.setattr(LocalMailWriter, "execute", execute)
        answer = find

        async def once_there(*args):
            """It is in reach before the write."""
            monkeypatch.setattr(LocalMailWriter, "find", answer)

        monkeypatch.setattr(LocalMailWriter, "find", once_there)
        await a.say("c", "approve")
        assert (await kinds(a))[:4] == ["proposed", "approved", "started", kind]
        assert any(words in line for one in await a.audit() for line in [x.text for x in one.lines])
        assert await whole(a)


@pytest.mark.usefixtures("database")
async def test_what_two_find_uncertain_at_once_is_noted_once(scripted, account, monkeypatch):
    async def lost(*_):
        raise Unavailable("The line is dead.", "local")

    await shown(scripted, doing(MAIL, "mail Anna"))
    async with scripted(*doing(MAIL, "mail Anna")) as a:
        await a.say("c", "approve")
        await a.database.write(lambda s: s.connection.execute("UPDATE outbox SET status = 'started'") and None)
        (row,) = await a.outgoing.outbox.rows()
        monkeypatch.setattr(LocalMailWriter, "find", lost)
        settling = (a.outgoing.outbox.executor.settle([row], alone=True) for _ in range(2))
        assert [one.status for found in await asyncio.gather(*settling) for one in found] == ["unknown", "unknown"]
        assert (await kinds(a)).count("unknown") == 1


@pytest.mark.parametrize(
    ("mine", "theirs", "told"), [("failed", "done", "done"), ("failed", "unknown", "failed"), ("done", "failed", "done")]
)
async def test_what_another_has_settled_meanwhile_is_told_as_it_is_but_for_a_receipt(
    scripted, account, clock, monkeypatch, mine, theirs, told
):
    execute = LocalMailWriter.execute
    async with scripted(*doing(MAIL, "mail Anna")) as a:
        await a.say("c", "go")

        async def meanwhile(self, action, key):
            (row,) = await a.outgoing.outbox.rows()
            assert await a.database.write(lambda s: outbox.finish(s, row.id, status=theirs, at=clock()))
            if mine == "failed":
                raise IntegrationError("It is there already.", "local")
            return await execute(self, action, key)

        monkeypatch.setattr(LocalMailWriter, "execute", meanwhile)
        assert [o.status for o in (await a.say("c", "approve")).outcomes] == [told]


# --- nothing is begun that could not be noted


async def test_a_write_that_can_not_be_noted_is_not_begun(scripted, account, monkeypatch):
    def full(*_, **__):
        raise DiskFull("The disk is full.")

    async with scripted(*doing(MAIL, "mail Anna")) as a:
        await a.say("c", "go")
        with monkeypatch.context() as patched:
            patched.setattr(auditing, "started", full)
            (outcome,) = (await a.say("c", "approve")).outcomes
            assert outcome.status == "pending" and not sent(account)
    async with scripted(*doing(MAIL)) as a:
        assert [o.status for o in a.recovered] == ["done"] and len(sent(account)) == 1
        assert await kinds(a) == ["proposed", "approved", "started", "done"]


async def test_an_approval_that_can_not_be_noted_is_none(scripted, account, monkeypatch):
    def full(*_, **__):
        raise DiskFull("The disk is full.")

    async with scripted(*doing(MAIL)) as a:
        preview = (await a.say("c", "go")).previews[0]
        with monkeypatch.context() as patched:
            patched.setattr(audit, "append", full)
            with pytest.raises(DiskFull):
                await a.approve(preview.id, preview.fingerprint)
        assert (await a.preview(preview.id)).status == "open" and not sent(account)


# --- crashes

PLACES = [("carry_out", False), ("_send", False), ("_write", False), ("_write", True), ("_finish", False), ("_finish", True)]


@pytest.mark.parametrize(("where", "after"), PLACES)
async def test_after_a_crash_the_chain_holds_and_tells_what_came_of_it(scripted, account, inbox, monkeypatch, where, after):
    await shown(scripted, doing(MAIL, "mail Anna"))
    revive = dying(monkeypatch, Executor, where, after=after)
    await killed(scripted, doing(MAIL), "approve")
    revive()
    async with scripted(*doing(MAIL)) as a:
        (story,) = await a.audit()
        assert story.result == "done" and len(sent(account)) == 1 and await whole(a)
        noted = await kinds(a)
        assert noted[:2] == ["proposed", "approved"] and noted[-1] == "done" and noted.count("done") == 1
        again = [line.text for line in story.lines if "once more" in line.text]
        assert bool(again) == (where == "_write" and not after) and noted.count("started") == 1 + len(again)
        if (where, after) in (("_write", True), ("_finish", False)):
            assert story.lines[-1].text.startswith("No answer came; asked afterwards, the provider had it: done.")


@pytest.mark.parametrize(("where", "after"), PLACES)
async def test_after_a_crash_in_a_low_write_its_permit_is_noted_once(scripted, account, inbox, monkeypatch, where, after):
    thinking = doing(ARCHIVE, "archive it", "archive it")
    revive = dying(monkeypatch, Executor, where, after=after)
    await killed(scripted, thinking, "archive it")
    revive()
    async with scripted(*thinking) as a:
        for head in await a.flows(resting=True):
            await a.resume(head.id)
        assert len(archived(account)) == 1 and await whole(a)
        noted = await kinds(a)
        assert noted[0] == "permitted" and noted.count("permitted") == noted.count("done") == 1


async def test_a_mail_that_waits_for_its_time_is_not_begun_and_taken_back_in_the_users_words(scripted, account, clock):
    later = MAIL.model_copy(update={"send_at": clock() + timedelta(days=1)})
    async with scripted(*doing(later, "mail Anna")) as a:
        await a.say("c", "go")
        await a.say("c", "approve")
        assert [one.result for one in await a.audit()] == ["not begun"]
        assert (await a.say("c", "did you send it?")).reply == "No, it has not gone out yet: mail Anna."
        await a.undo("c")
        taken = next(one for one in await a.audit() if one.approved)
        assert taken.result == "given up"
        assert taken.lines[-1].text == "It was taken back before it went out. You said: “undo”."
        assert await kinds(a) == ["proposed", "approved", "withdrawn", "proposed"] and await whole(a)


async def test_a_mail_that_has_waited_is_noted_when_it_goes_out(scripted, account, clock):
    later = MAIL.model_copy(update={"send_at": clock() + timedelta(days=1)})
    async with scripted(*doing(later, "mail Anna")) as a:
        await a.say("c", "go")
        await a.say("c", "approve")
        clock.now = later.send_at
        await a.release()
        assert await kinds(a) == ["proposed", "approved", "started", "done"] and len(sent(account)) == 1


async def test_events_are_told_under_their_key_too(scripted, account, clock):
    async with scripted(*doing(event(clock), "enter the dentist")) as a:
        await a.say("c", "go")
        (outcome,) = (await a.say("c", "approve")).outcomes
        (story,) = await a.audit(outcome.key)
        assert [(deed.key, deed.operation, deed.status) for deed in story.deeds] == [(outcome.key, "create_event", "done")]
