"""What becomes of schedules where something is forgotten, thinned, or put back from a backup."""

from datetime import datetime
from pathlib import Path

import pytest
from doubles.living import Life

from assistant.bootstrap import LocalAccount
from assistant.errors import Unknown
from assistant.running.backups import CUT, back_up, restore
from assistant.running.keeping import RUNS
from assistant.timetable.rules import Cron, Once, Remind
from config.keeping import KeepSetting
from config.settings import Settings

DAILY, CALL = Cron(expression="0 8 * * *"), Remind(text="call Tom")


@pytest.fixture
def life(tmp_path: Path, account: LocalAccount) -> Life:
    return Life(tmp_path / "home", account)


async def test_a_forgotten_conversation_takes_its_schedules_with_it(life):
    async with life() as assistant:
        here = await assistant.schedules.add("Calls", CALL, DAILY, conversation="c")
        other = await assistant.schedules.add("Others", CALL, DAILY)
        life.passes(hours=1)
        await assistant.schedules.due()
        told = await assistant.forget(conversation="c")
        assert (told.schedules, told.under_way) == (1, ("scheduled: Calls",))
        assert len(await assistant.schedules.list()) == 2
        assert (await assistant.forget(conversation="c", really=True)).schedules == 1
        assert [one.id for one in await assistant.schedules.list()] == [other.id]
        with pytest.raises(Unknown):
            await assistant.schedules.history(here.id)


async def test_a_forgotten_person_is_in_no_schedule_and_no_run(life):
    async with life() as assistant:
        added = await assistant.schedules.add("Anna Berg's call", Remind(text="call Anna Berg"), DAILY)
        life.passes(hours=1)
        await assistant.schedules.due()
        assert (await assistant.forget(person="Anna Berg", really=True)).schedules == 1
        kept, (ran,) = await assistant.schedules.get(added.id), await assistant.schedules.history(added.id)
    assert "Anna" not in f"{kept.name} {kept.task} {ran.result}"
    assert kept.task == Remind(text="call [forgotten]")


async def test_old_runs_go_but_each_schedules_newest_stay_and_what_is_over_goes(life, tmp_path):
    settings = Settings(home=life.home, keep=KeepSetting(runs=30))
    async with life(settings=settings) as assistant:
        often = await assistant.schedules.add("Often", CALL, Cron(expression="0 * * * *"))
        once = await assistant.schedules.add("Once", CALL, Once(at=datetime(2026, 11, 23, 9, 0)))  # noqa: DTZ001
        life.passes(days=8)
        await assistant.schedules.due()
        assert (await assistant.keep()).runs == 0
        assert len(await assistant.schedules.history(once.id)) == 1
        life.passes(days=100)
        assert (await assistant.keep()).runs == 8 * 24 - RUNS
        assert len(await assistant.schedules.history(often.id, limit=1000)) == RUNS
        assert [one.id for one in await assistant.schedules.list()] == [often.id]


async def test_after_a_restore_nothing_runs_that_may_have_run_before(life, tmp_path):
    async with life() as assistant:
        daily = await assistant.schedules.add("Calls", CALL, DAILY)
        later = await assistant.schedules.add("Later", CALL, Cron(expression="0 8 * * 5"))
        await assistant.schedules.pause((await assistant.schedules.add("Paused", CALL, DAILY)).id)
        life.passes(days=1)
        assert await assistant.schedules.claiming.next()
    back_up(life.home, tmp_path / "backup", version="1", at=life.at)
    life.passes(days=2)
    put_back = await restore(life.home, tmp_path / "backup", replace=True, at=life.at)
    assert put_back.skipped == ("Calls",)
    async with life() as assistant:
        assert await assistant.schedules.due() == ()
        (cut,) = [slot for slot in await assistant.schedules.history(daily.id) if slot.status != "missed"]
        assert (cut.status, cut.result) == ("failed", CUT)
        assert (await assistant.schedules.get(later.id)).next > life.at
        life.passes(hours=2)
        assert [(slot.schedule, slot.stands_for) for slot in await assistant.schedules.due()] == [(daily.id, 0)]
