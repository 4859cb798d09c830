"""Several people use one service, and none of them meets another's."""

import asyncio
import inspect
import re
from datetime import datetime, timedelta

import pytest
from doubles.cluster import until
from doubles.crashes import MAIL, Died, doing, dying, sent
from doubles.household import EVA, Two
from doubles.thinking import ScriptedAgent, ScriptedReasoner, plan, step

from assistant.errors import Unknown, UserError
from assistant.facade import Assistant
from assistant.household import Household
from assistant.pipeline.execute import Executor
from assistant.running.backups import back_up, restore
from assistant.running.forgetting.leaving import Leaving
from assistant.values import Choice, Question
from integrations.local.provider import FolderAccount
from storage import audit, flows, invitations, sessions, tokens, users
from storage.session import Session
from storage.tables import OWNER

WINDOW = timedelta(seconds=10)


class Time:
    """A clock that is set by hand."""

    def __init__(self, now):
        self.now = now

    def __call__(self):
        return self.now

    def pass_by(self, span):
        self.now += span


@pytest.fixture
def time(clock):
    return Time(clock())


@pytest.fixture
async def two(tmp_path, time):
    return await Two.moved_in(tmp_path, time)


@pytest.fixture
def leaves(monkeypatch):
    """The accounts' Outbox counts as one from which mail leaves."""
    monkeypatch.setattr(FolderAccount, "sends", True)


def sent_by(two: Two) -> dict[str, int]:
    return {user: len(sent(folder)) for user, folder in two.folders.items()}


async def approved(a: Assistant):
    await a.say("c", "go")
    return await a.say("c", "approve")


# --- side by side


async def test_each_writes_with_their_own_account_in_conversations_of_the_same_name(two):
    async with two.opened(*doing(MAIL, "mail Anna")) as household:
        eva, owner = await household.of(EVA), await household.of(OWNER)
        await asyncio.gather(eva.say("c", "go"), owner.say("c", "go"))
        assert [len(await one.open_previews()) for one in (eva, owner)] == [1, 1]
        turn = await eva.say("c", "approve")
        assert [o.status for o in turn.outcomes] == ["done"] and sent_by(two) == {OWNER: 0, EVA: 1}
        assert (await eva.say("c", "approve")).reply == "Nothing awaits your approval."
        assert len(await owner.open_previews()) == 1
        assert "From: u-eva@example.org" in sent(two.folders[EVA])[0]


async def test_an_assistant_is_opened_once_and_only_for_who_is_there(two):
    async with two.opened() as household:
        first, second = await asyncio.gather(household.of(EVA), household.of(EVA))
        assert first is second and set(household.opened) == {EVA}
        with pytest.raises(Unknown, match="no user nobody"):
            await household.of("nobody")


async def test_a_user_without_accounts_has_a_sample_of_their_own(tmp_path, time):
    two = Two(tmp_path / "home", time, {})
    async with two.opened() as household:
        await household.database.write(lambda s: users.add(s, EVA, name="Eva", at=time()))
        eva = await household.of(EVA)
        assert eva.accounts[0].sample and (two.home / "users" / EVA / "sample").is_dir()
        assert [folder.stat().st_mode & 0o777 for folder in (two.home / "users", two.home / "users" / EVA)] == [0o700, 0o700]
        assert not (two.home / "sample").exists()


async def test_what_one_has_done_is_told_to_nobody_else(two):
    async with two.opened(*doing(MAIL, "mail Anna")) as household:
        eva, owner = await household.of(EVA), await household.of(OWNER)
        await approved(eva)
        assert len(await eva.audit()) == 1 and await owner.audit() == ()
        asked = [(await one.say("c", "what have you done today?")).reply for one in (eva, owner)]
        assert "mail Anna" in asked[0] and asked[1] == "I have done nothing, says the audit journal."
        assert (await owner.verify_audit()).count == (await eva.verify_audit()).count > 0


async def test_the_templates_of_another_are_not_there(two):
    async with two.opened() as household:
        eva, owner = await household.of(EVA), await household.of(OWNER)
        await eva.say("c", 'save a template called "late" with the text: I am late.')
        if previews := await eva.open_previews():
            await eva.approve(previews[0].id, previews[0].fingerprint)
        told = [(await one.say("c", "list my templates")).reply for one in (eva, owner)]
        assert "I am late." in told[0] and told[1] == "You have no reply templates yet."


# --- another's ids are those of nothing

WHICH = Question(
    id="", text="Which?", trigger="interpretations", entity="it", choices=(Choice(id="1", label="this", value="this"),)
)


async def _ids(a: Assistant) -> dict[str, str]:
    """What there is of this user, by the name under which the facade asks for it."""
    turn = await approved(a)
    await a.say("c", "go")
    (preview,) = await a.open_previews()
    asking = await a.say("d", "ask")
    assert asking.question
    return {
        "preview": preview.id,
        "fingerprint": preview.fingerprint,
        "flow": turn.flow,
        "key": turn.outcomes[0].key,
        "question": asking.question.id,
        "conversation": "c",
    }


async def _all(found):
    return [one async for one in found]


ASKING = {
    "answer": lambda a, ids: a.answer(ids["question"], "1"),
    "approve": lambda a, ids: a.approve(ids["preview"], ids["fingerprint"]),
    "approve again": lambda a, ids: a.approve(ids["preview"], ids["fingerprint"], again=True),
    "revise": lambda a, ids: a.revise(ids["preview"], "make it short"),
    "cancel": lambda a, ids: a.cancel(ids["preview"]),
    "cancel a flow": lambda a, ids: a.cancel(ids["flow"]),
    "resume": lambda a, ids: a.resume(ids["flow"]),
    "undo": lambda a, ids: a.undo("c", ids["flow"]),
    "withdraw": lambda a, ids: a.withdraw(ids["key"]),
    "events": lambda a, ids: _all(a.events("c", flow=ids["flow"])),
    "preview": lambda a, ids: a.preview(ids["preview"]),
    "find_preview": lambda a, ids: a.find_preview(ids["preview"][:8]),
    "flow": lambda a, ids: a.flow(ids["flow"]),
    "at_rest": lambda a, ids: a.at_rest(ids["flow"]),
    "known": lambda a, ids: a.known(ids["conversation"]),
    "said": lambda a, ids: a.said(ids["conversation"]),
    "forget": lambda a, ids: a.forget(conversation=ids["conversation"]),
}
EMPTY = {
    "audit": lambda a, ids: a.audit(ids["flow"]),
    "audit of a key": lambda a, ids: a.audit(ids["key"]),
    "audit of a preview": lambda a, ids: a.audit(ids["preview"]),
    "open_previews": lambda a, ids: a.open_previews(ids["conversation"]),
    "flows": lambda a, ids: a.flows(ids["conversation"]),
    "suspend": lambda a, ids: a.suspend(ids["conversation"]),
    "outbox": lambda a, ids: a.outbox(),
    "questions": lambda a, ids: a.questions(),
    "is_known": lambda a, ids: a.is_known(ids["conversation"]),
}
OWN = {"say", "propose", "follow", "cursor"}
"""They begin a conversation where there is none of that name."""
NAMING = {"answer", "question", "target", "preview", "beginning", "flow", "key", "conversation"}
NOWHERE = {
    "preview": "0123456789ab-p1", "fingerprint": "v1:0", "flow": "0123456789ab", "key": "0123456789abcdef",
    "question": "0123456789ab-q1", "conversation": "nowhere",
}  # fmt: skip


def _without(words: str, ids: dict[str, str]) -> str:
    """The words without the id that they name."""
    return re.sub(r"\b[0-9a-f]{8,}(-\w+)?", "…", words.replace(f"conversation {ids['conversation']}", "conversation"))


@pytest.fixture
async def strangers(two, leaves):
    """The owner, who has nothing, and the ids of what Eva has."""
    reasoner, agent = doing(MAIL, "mail Anna")
    reasoner.plans["ask"] = plan(step(1, "x"), interpretations=WHICH)
    async with two.opened(reasoner, agent) as household:
        ids = await _ids(await household.of(EVA))
        yield await household.of(OWNER), ids


def test_every_method_that_takes_a_name_of_something_is_tried_with_anothers():
    methods = {name: inspect.signature(method) for name, method in inspect.getmembers(Assistant, inspect.isfunction)}
    taking = {name for name, signature in methods.items() if not name.startswith("_") and NAMING & set(signature.parameters)}
    assert taking - OWN <= {name.split()[0] for name in (*ASKING, *EMPTY)}


@pytest.mark.parametrize("name", ASKING)
async def test_what_is_anothers_is_unknown_in_the_words_for_what_does_not_exist(strangers, name):
    owner, ids = strangers
    with pytest.raises(UserError) as foreign:
        await ASKING[name](owner, ids)
    with pytest.raises(type(foreign.value)) as missing:
        await ASKING[name](owner, NOWHERE)
    assert isinstance(foreign.value, Unknown)
    assert _without(str(foreign.value), ids) == _without(str(missing.value), NOWHERE)


@pytest.mark.parametrize("name", EMPTY)
async def test_of_what_is_anothers_nothing_is_found(strangers, name):
    owner, ids = strangers
    assert not await EMPTY[name](owner, ids)


async def test_saying_something_in_a_conversation_named_like_anothers_begins_ones_own(strangers):
    owner, _ = strangers
    assert (await owner.say("c", "approve")).reply == "Nothing awaits your approval."
    assert [m.text for m in (await owner.said("c")).messages] == ["approve", "Nothing awaits your approval."]


# --- what a crash cut short, and what is due


async def test_after_a_crash_each_ones_writes_are_settled_through_their_own_account_once(two, monkeypatch):
    thinking = doing(MAIL, "mail Anna")
    async with two.opened(*thinking) as household:
        for user in two.folders:
            await (await household.of(user)).say("c", "go")
    revive = dying(monkeypatch, Executor, "_finish")
    with pytest.raises(Died):
        async with two.opened(*thinking) as household:
            mine, hers = await household.of(OWNER), await household.of(EVA)
            await asyncio.gather(mine.say("c", "approve"), hers.say("c", "approve"))
    revive()
    async with two.opened(*thinking) as household:
        assert set(household.opened) == {OWNER, EVA}, "nobody had to come by"
        for user in two.folders:
            a = await household.of(user)
            assert [o.status for o in a.recovered] == ["done"] and await a.outbox() == ()
    assert sent_by(two) == {OWNER: 1, EVA: 1}


async def test_a_mail_held_for_somebody_who_does_not_come_back_goes_out_when_it_is_due(two, leaves, time):
    async with two.opened(*doing(MAIL, "mail Anna")) as household:
        assert [o.status for o in (await approved(await household.of(EVA))).outcomes] == ["held"]
    async with two.opened(*doing(MAIL)) as household:
        await household.sweep(None, False)
        assert sent_by(two)[EVA] == 0 and not household.opened
        time.pass_by(WINDOW)
        await household.sweep(None, False)
        assert sent_by(two) == {OWNER: 0, EVA: 1}


async def test_somebody_whose_folders_are_away_keeps_nobody_else_waiting(two, leaves, time):
    async with two.opened(*doing(MAIL, "mail Anna")) as household:
        for user in two.folders:
            await approved(await household.of(user))
    time.pass_by(WINDOW)
    away = two.folders[EVA].mail.rename(two.folders[EVA].mail.with_name("away"))
    async with two.opened(*doing(MAIL)) as household:
        await household.sweep(None, False)
        assert sent_by(two)[OWNER] == 1
    away.rename(two.folders[EVA].mail)
    async with two.opened(*doing(MAIL)) as household:
        await household.sweep(None, True)
    assert sent_by(two) == {OWNER: 1, EVA: 1}


def _waiting() -> tuple[ScriptedReasoner, ScriptedAgent]:
    agent = ScriptedAgent("email", {})
    agent.gates["do"] = asyncio.Event()
    return ScriptedReasoner({"go": plan(step(1, "do"))}), agent


async def _running(household: Household, user: str) -> str:
    """The flow that runs."""
    (found,) = await household.database.read(lambda s: flows.list(s, user, statuses=("running",)))
    return found.id


async def _at_work(agent: ScriptedAgent, times: int = 1) -> None:
    async def works() -> bool:
        return len(agent.given) >= times

    await until(works)


async def _ended(a: Assistant, flow: str) -> str:
    async def rests() -> bool:
        return (await a.flow(flow)).status != "running"

    await until(rests)
    return (await a.flow(flow)).status


async def test_what_runs_when_the_service_ends_goes_on_when_it_is_back(two):
    reasoner, agent = _waiting()
    async with two.opened(reasoner, agent) as household:
        saying = asyncio.create_task((await household.of(EVA)).say("c", "go"))
        await _at_work(agent)
        flow = await _running(household, EVA)
    assert (await saying).status == "running"
    agent.gates["do"].set()
    async with two.opened(reasoner, agent) as household:
        assert await _ended(household.opened[EVA], flow) == "done"


# --- accounts or settings changed


async def test_what_runs_goes_on_when_the_accounts_are_opened_anew(two):
    reasoner, agent = _waiting()
    async with two.opened(reasoner, agent) as household:
        former = await household.of(EVA)
        saying = asyncio.create_task(former.say("c", "go"))
        await _at_work(agent)
        flow = await _running(household, EVA)
        fresh = await household.reopen(EVA)
        assert fresh is await household.of(EVA) and fresh is not former
        await _at_work(agent, 2)
        agent.gates["do"].set()
        turn = await saying
        assert (turn.flow, turn.status, turn.reply) == (flow, "done", "do: done"), "whoever waited hears of it"


async def test_a_held_mail_goes_out_once_through_the_account_opened_anew_and_is_told_to_who_listened(two, leaves, time):
    async with two.opened(*doing(MAIL, "mail Anna")) as household:
        former = await household.of(EVA)
        await approved(former)
        with former.went_out() as news:
            fresh = await household.reopen(EVA)
            time.pass_by(WINDOW)
            await fresh.release()
            assert news.get_nowait().outcome.status == "done"
        assert await former.release() == () and sent_by(two)[EVA] == 1


async def test_accounts_that_cannot_be_opened_leave_the_former_ones(two, monkeypatch):
    async with two.opened() as household:
        former = await household.of(EVA)

        def broken(*_, **__):
            raise UserError("No.")

        monkeypatch.setattr("assistant.opening.open_account", broken)
        with pytest.raises(UserError):
            await household.reopen(EVA)
        assert await household.of(EVA) is former


# --- backups


def let_in(s: Session, at: datetime) -> None:
    """Eva, by each way there is."""
    users.set_password(s, "a hash", user_id=EVA)
    sessions.add(s, "1", digest="s", user_id=EVA, at=at, expires=at + 9 * WINDOW)
    tokens.add(s, "1", digest="t", user_id=EVA, name="phone", scopes=["read"], at=at)
    invitations.add(s, "l", user_id=EVA, expires=at + 9 * WINDOW)


async def test_after_a_restore_nobodys_mail_goes_out_again_and_everybody_signs_in_anew(two, tmp_path, time):
    file = tmp_path / "backup"
    async with two.opened(*doing(MAIL, "mail Anna")) as household:
        eva = await household.of(EVA)
        await eva.say("c", "go")
        (preview,) = await eva.open_previews()
        await household.database.write(lambda s: let_in(s, time()))
        (two.home / "users" / EVA / "index").mkdir(parents=True, exist_ok=True)
        (two.home / "users" / EVA / "index" / "mail.sqlite").write_text("made again by itself")
        back_up(two.home, file, version="1", at=time())
        await eva.approve(preview.id, preview.fingerprint)
    time.pass_by(WINDOW)
    told = await restore(two.home, file, replace=True, at=time())
    assert (told.tokens, told.sign_ins) == (1, True)
    assert not (two.home / "users" / EVA / "index" / "mail.sqlite").exists()
    async with two.opened(*doing(MAIL)) as household:
        ways_in = sessions.list, tokens.list
        assert [await household.database.read(lambda s, listed=listed: listed(s, EVA)) for listed in ways_in] == [(), ()]
        assert await household.database.read(lambda s: invitations.get(s, "l", time())) is None
        turn = await (await household.of(EVA)).approve(preview.id, preview.fingerprint)
        assert [o.status for o in turn.outcomes] == ["done"] and sent_by(two) == {OWNER: 0, EVA: 1}


# --- leaving


async def test_of_a_user_who_is_removed_nothing_is_left_but_the_mailbox(two):
    async with two.opened(*doing(MAIL, "mail Anna")) as household:
        eva, owner = await household.of(EVA), await household.of(OWNER)
        await approved(owner)
        await approved(eva)
        gone = await household.remove(EVA)
        assert (gone.conversations, gone.writes, gone.accounts) == (1, 1, 1) and gone.journal
        assert EVA not in household.opened and len(sent(two.folders[EVA])) == 1
        with pytest.raises(Unknown):
            await household.of(EVA)
        assert (await household.database.read(audit.verify)).wrong == ""
        assert len(await owner.audit()) == 1 and len(await owner.flows()) == 2
    assert b"mail Anna" in (raw := (two.home / "assistant.sqlite").read_bytes()) and b"u-eva@" not in raw


async def test_the_owner_cannot_be_removed(two):
    async with two.opened() as household:
        with pytest.raises(UserError, match="owner"):
            await household.remove(OWNER)


async def test_an_assistant_is_closed_when_its_user_was_removed_elsewhere(two, time):
    async with two.opened() as household:
        await household.of(EVA)
        await household.database.write(lambda s: users.remove(s, EVA, time()))
        await household.sweep(None, False)
        assert not household.opened


async def test_whoever_comes_while_they_are_removed_opens_nothing(two, monkeypatch):
    begun, on = asyncio.Event(), asyncio.Event()
    run = Leaving.run

    async def slow(leaving: Leaving):
        begun.set()
        await on.wait()
        return await run(leaving)

    monkeypatch.setattr(Leaving, "run", slow)
    async with two.opened() as household:
        await household.of(EVA)
        removing = asyncio.create_task(household.remove(EVA))
        await begun.wait()
        coming = asyncio.create_task(household.of(EVA))
        await asyncio.wait({coming}, timeout=0.3)
        on.set()
        await removing
        with pytest.raises(Unknown):
            await coming
        assert EVA not in household.opened
