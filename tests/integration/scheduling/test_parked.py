"""A schedule that answers everyone who asked for the report: it proposes, waits for its approval, and then sends each mail once."""

import asyncio
import email
import json
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from datetime import datetime, timedelta
from pathlib import Path

import pytest
from doubles.crashes import ARCHIVE, MAIL, Died, archived, doing, dying, sent
from doubles.report import ASKERS, REQUEST, answering, fill
from doubles.scheduled import due, ran
from doubles.service import serving
from doubles.virtual_time import Time

from assistant.bootstrap import LocalAccount, open_assistant
from assistant.cli import commands
from assistant.errors import FlowError
from assistant.facade import Assistant
from assistant.pipeline.execute import Executor
from integrations.actions import SaveDraft, SendMail
from risk.preview import Preview
from storage import accounts, settings
from storage.database import Database

DRAFT = SaveDraft(account="local", to=MAIL.to, subject="Hi", body="hello")
Opened = Callable[[], AbstractAsyncContextManager[Assistant]]


@pytest.fixture
def time(clock: Callable[[], datetime]) -> Time:
    return Time(clock())


@pytest.fixture
def opened(tmp_path: Path, account: LocalAccount, time: Time) -> Opened:
    fill(account.mail, time())
    return lambda: open_assistant(tmp_path / "home", clock=time, zone="Europe/Berlin", accounts=[account])


@pytest.fixture
async def parked(opened: Opened, time: Time) -> Preview:
    """What the schedule has proposed the next morning, by a process that has ended since."""
    async with opened() as a:
        await answering(a)
    time.now += timedelta(days=1)
    async with opened() as a:
        (slot,) = await a.schedules.due()
        assert slot.status == "done" and slot.result.startswith("It waits for your approval: reply to ")
        (preview,) = await a.open_previews()
    return preview


def recipients(preview: Preview) -> list[str]:
    mails = [action for action in preview.actions if isinstance(action, SendMail)]
    return sorted(person.email for mail in mails for person in (*mail.to, *mail.cc, *mail.bcc))


def answered(account: LocalAccount) -> list[str]:
    return sorted(email.message_from_string(text)["To"].rpartition("<")[2].strip(">") for text in sent(account))


def test_it_is_one_preview_of_high_risk_with_every_recipient(parked: Preview, account: LocalAccount) -> None:
    assert parked.level == "high" and "mail would go to 12 recipients, more than 10" in parked.reasons
    assert recipients(parked) == sorted(ASKERS)
    assert sent(account) == []


def test_what_is_hidden_in_a_mail_adds_nobody(parked: Preview) -> None:
    assert "thief@evil.example" not in parked.model_dump_json(exclude={"items": {"__all__": {"encloses"}}})


async def test_approved_after_a_restart_each_mail_is_sent_once(parked: Preview, opened: Opened, account: LocalAccount) -> None:
    async with opened() as a:
        turn = await a.approve(parked.id, parked.fingerprint)
        assert {outcome.status for outcome in turn.outcomes} == {"done"}
        assert (await a.flow(parked.flow)).status == "done" and await a.open_previews() == ()
    assert answered(account) == sorted(ASKERS)


@pytest.mark.parametrize(
    ("where", "after", "nth"),
    [
        ("carry_out", False, 1),
        ("_send", False, 5),
        ("_write", False, 5),
        ("_write", True, 5),
        ("_finish", False, 12),
        ("_finish", True, 1),
    ],
)
async def test_a_crash_in_the_middle_of_the_approval_sends_none_twice(
    parked: Preview, opened: Opened, account: LocalAccount, monkeypatch: pytest.MonkeyPatch, where: str, after: bool, nth: int
) -> None:
    revive = dying(monkeypatch, Executor, where, after=after, nth=nth)
    with pytest.raises(Died):
        async with opened() as a:
            await a.approve(parked.id, parked.fingerprint)
    revive()
    async with opened() as a:
        assert (await a.preview(parked.id)).status == "approved" and (await a.flow(parked.flow)).status == "done"
        assert await a.outbox() == ()
    assert answered(account) == sorted(ASKERS)


async def test_approving_it_twice_sends_it_once(parked: Preview, opened: Opened, account: LocalAccount) -> None:
    async with opened() as a, opened() as b:
        first, second = await asyncio.gather(
            a.approve(parked.id, parked.fingerprint), b.approve(parked.id, parked.fingerprint), return_exceptions=True
        )
    assert sorted(isinstance(one, FlowError) or one.status == "failed" for one in (first, second)) == [False, True]
    assert answered(account) == sorted(ASKERS)


async def test_who_was_answered_is_not_answered_again_the_next_day(
    parked: Preview, opened: Opened, account: LocalAccount, time: Time
) -> None:
    async with opened() as a:
        await a.approve(parked.id, parked.fingerprint)
    time.now += timedelta(days=1)
    async with opened() as a:
        (slot,) = await a.schedules.due()
        assert await a.open_previews() == () and slot.status == "done"


async def test_nobody_answers_for_days_and_one_preview_is_left(parked: Preview, opened: Opened, time: Time) -> None:
    for _ in range(3):
        time.now += timedelta(days=1)
        async with opened() as a:
            await a.schedules.due()
    async with opened() as a:
        (preview,) = await a.open_previews()
        assert recipients(preview) == sorted(ASKERS)
        assert [head.status for head in await a.flows(preview.conversation)] == ["parked", "done", "done", "done"]


async def test_what_the_reply_shall_say_is_proposed_where_it_was_not_said(opened: Opened, time: Time) -> None:
    async with opened() as a:
        schedule = await answering(a, "reply to everyone who asked for the report")
        slot = await a.schedules.run(schedule.id)
        (preview,) = await a.open_previews()
        assert slot.status == "done" and recipients(preview) == sorted(ASKERS)
        assert {action.body for action in preview.actions} == {"Thank you for your mail. I will come back to you about it."}
        assert "you had not said what the reply shall say" in preview.items[0].guesses


# --- what holds for anything holds for what a schedule proposed


async def test_nobody_outside_the_users_list_is_even_proposed(opened: Opened, account: LocalAccount) -> None:
    async with opened() as a:
        await a.database.write(lambda s: settings.put(s, "recipients", json.dumps(["@north.example"])))
        slot = await a.schedules.run((await answering(a)).id)
        assert await a.open_previews() == () and "not on your list of recipients" in slot.result
    assert sent(account) == []


async def test_somebody_taken_off_the_list_afterwards_keeps_it_from_being_sent(
    parked: Preview, opened: Opened, account: LocalAccount
) -> None:
    async with opened() as a:
        await a.database.write(lambda s: settings.put(s, "recipients", json.dumps(["@north.example"])))
        turn = await a.approve(parked.id, parked.fingerprint)
        assert "not on your list of recipients" in turn.reply
        assert (await a.flow(parked.flow)).status == "parked"
    assert sent(account) == []


@pytest.mark.parametrize("action", [ARCHIVE, MAIL, DRAFT], ids=lambda action: action.kind)
async def test_whatever_thinks_in_its_place_can_only_propose(scripted, inbox, account, action) -> None:
    async with scripted(*doing(action, words="archive the mail from x")) as a:
        state = await ran(a, due("archive the mail from x"))
        assert (state.status, state.outcomes, len(state.previews)) == ("parked", (), 1)
    assert sent(account) == [] and archived(account) == []


async def test_it_can_command_nothing(opened: Opened) -> None:
    async with opened() as a:
        state = await ran(a, due("undo"))
        assert state.outcomes == () and state.previews == ()
        await ran(a, due("every day at 9 remind me to stretch"))
        assert await a.schedules.list() == ()


async def test_why_it_was_done_tells_of_the_schedule(parked: Preview, opened: Opened) -> None:
    async with opened() as a:
        await a.approve(parked.id, parked.fingerprint)
        told = await a.say(parked.conversation, "why did you send that?")
    assert "The schedule “Answer them” asked:" in told.reply and "You approved exactly this" in told.reply


async def test_it_waits_for_its_approval_on_the_page_while_the_service_is_restarted(
    tmp_path: Path, account: LocalAccount, time: Time
) -> None:
    fill(account.mail, time())
    home, options = tmp_path / "home", {"clock": time, "zone": "Europe/Berlin"}
    database = Database.open(home / "assistant.sqlite")
    config = account.config()
    await database.write(
        lambda s: accounts.add(s, name="local", kind="local", address=config.address, settings=config.settings, at=time())
    )
    await database.close()
    wanted = {"name": "Answer them", "task": {"kind": "ask", "text": REQUEST}, "rule": {"kind": "cron", "expression": "0 8 * * *"}}
    async with serving(home, **options) as service:
        person = await service.sign_in()
        schedule = (await person.post("/api/schedules", json=wanted)).json()
        assert (await person.post(f"/api/schedules/{schedule['id']}/run")).is_success
    async with serving(home, **options) as service:
        person = await service.sign_in()
        (slot,) = (await person.get(f"/api/schedules/{schedule['id']}/slots")).json()["items"]
        (preview,) = (await person.get("/api/previews")).json()["items"]
        assert slot["flow"] == preview["flow"] and slot["result"].startswith("It waits for your approval")
        assert (await person.get("/api/flows?resting=true")).json()["items"] == []
        turn = (await person.post(f"/api/previews/{preview['id']}/approve", json={"fingerprint": preview["fingerprint"]})).json()
        assert {outcome["status"] for outcome in turn["outcomes"]} == {"done"}
        assert (await person.get(f"/api/flows/{preview['flow']}")).json()["status"] == "done"
    assert answered(account) == sorted(ASKERS)


# --- as time goes by


async def test_what_waits_for_its_approval_is_kept_whole_and_can_still_be_approved(
    parked: Preview, opened: Opened, account: LocalAccount, time: Time
) -> None:
    time.now += timedelta(days=400)
    async with opened() as a:
        (schedule,) = await a.schedules.list()
        await a.schedules.remove(schedule.id)
        await a.keep()
        again = await a.approve(parked.id, parked.fingerprint)
        (fresh,) = again.previews
        assert (await a.flow(parked.flow)).status == "parked" and recipients(fresh) == sorted(ASKERS)
        await a.approve(fresh.id, fresh.fingerprint)
        assert (await a.flow(parked.flow)).status == "done"
    assert answered(account) == sorted(ASKERS)


async def test_what_is_settled_is_made_smaller_and_still_tells_whose_it_was(parked: Preview, opened: Opened, time: Time) -> None:
    async with opened() as a:
        await a.cancel(parked.id)
        time.now += timedelta(days=400)
        await a.keep()
        state = await a.dispatch.recall.load(parked.flow)
        assert state.steps == () and state.slot and state.schedule == "Answer them" and state.background


async def test_forgetting_the_conversation_tells_it_once_and_drops_it(parked: Preview, opened: Opened) -> None:
    async with opened() as a:
        told = await a.forget(conversation=parked.conversation)
        assert any(line.startswith("awaiting approval: ") for line in told.under_way)
        assert not any(line.startswith("parked") for line in told.under_way)
        await a.forget(conversation=parked.conversation, really=True)
        assert await a.open_previews() == () and await a.flows(parked.conversation) == ()


async def test_forgetting_somebody_who_asked_settles_it(parked: Preview, opened: Opened) -> None:
    async with opened() as a:
        await a.forget(person=ASKERS[0], really=True)
        assert await a.open_previews() == () and (await a.flow(parked.flow)).status == "cancelled"


async def test_on_the_command_line_it_is_told_by_its_preview(
    parked: Preview, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    await commands.flows(tmp_path / "home", all_=False, json=False)
    told = capsys.readouterr().out
    assert told == "No task is waiting or suspended.\nAwaiting your approval: 1 preview; see `assistant previews`.\n"
