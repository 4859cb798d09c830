"""Schedules through the one door: set up, changed, due, run at once, paused and removed."""

from datetime import UTC, datetime
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
from doubles.living import Life, told

from assistant.bootstrap import LocalAccount
from assistant.errors import FlowError, Unknown, UserError
from assistant.running.scheduled import RESULT
from assistant.scheduling.schedules import Schedule, Schedules
from assistant.timetable.rules import Ask, Calendar, Cron, GiveBriefing, Once, Remind
from risk.text import line

DAILY = Cron(expression="0 8 * * *")
CALL = Remind(text="call Tom")


def berlin(*at: int) -> datetime:
    return datetime(*at, tzinfo=ZoneInfo("Europe/Berlin"))  # type: ignore[misc,arg-type]


def wall(*at: int) -> datetime:
    return berlin(*at).replace(tzinfo=None)


@pytest.fixture
def life(tmp_path: Path, account: LocalAccount) -> Life:
    return Life(tmp_path / "home", account)


async def test_a_slot_runs_once_it_is_due(life: Life) -> None:
    async with life() as assistant:
        added = await assistant.schedules.add("Calls", CALL, DAILY)
        assert added.words == "every day at 08:00" and added.next == datetime(2026, 11, 23, 7, 0, tzinfo=UTC)
        assert await assistant.schedules.due() == ()
        life.passes(hours=1)
        (ran,) = await assistant.schedules.due()
        assert (ran.slot, ran.status, ran.stands_for) == ("2026-11-23T08:00", "done", 0) and ran.flow
        assert await assistant.schedules.due() == ()
        (said,) = await told(assistant, added.conversation)
        assert "call Tom" in said
        assert (await assistant.schedules.get(added.id)).next == datetime(2026, 11, 24, 7, 0, tzinfo=UTC)


async def test_what_was_missed_is_made_up_for_once_and_says_so(life: Life) -> None:
    async with life() as assistant:
        added = await assistant.schedules.add("Calls", CALL, DAILY)
    life.passes(days=3, hours=4)
    async with life() as assistant:
        (ran,) = await assistant.schedules.due()
        history = await assistant.schedules.history(added.id)
        assert [(one.slot, one.status) for one in history] == [
            ("2026-11-26T08:00", "done"),
            ("2026-11-25T08:00", "missed"),
            ("2026-11-24T08:00", "missed"),
            ("2026-11-23T08:00", "missed"),
        ]
        assert ran.stands_for == 3 and history[1].result == "Missed; made up for on Thursday 26 November at 11:00."
        (said,) = await told(assistant, added.conversation)
        assert said.startswith("This was due on Thursday 26 November at 08:00") and "3 earlier runs" in said


async def test_a_run_is_right_across_the_change_of_the_clocks(life):
    life.at = datetime(2027, 3, 27, 5, 0, tzinfo=UTC)
    async with life() as assistant:
        nightly = await assistant.schedules.add("Nightly", CALL, Cron(expression="30 2 * * *"))
        for _ in range(4 * 24):
            life.passes(hours=1)
            await assistant.schedules.due()
        ran = [(slot.slot, slot.status) for slot in reversed(await assistant.schedules.history(nightly.id))]
    assert ran == [(f"2027-03-{day}", "done") for day in ("28T03:00", "29T02:30", "30T02:30", "31T02:30")]


async def test_a_one_off_is_over_when_it_has_run_and_keeps_its_history(life):
    async with life() as assistant:
        added = await assistant.schedules.add("", CALL, Once(at=wall(2026, 11, 23, 9, 0)))
        assert (added.name, added.words) == ("reminder: call Tom", "on Monday 23 November at 09:00")
        life.passes(hours=2)
        await assistant.schedules.due()
        over = await assistant.schedules.get(added.id)
        assert over.next is None and over.paused is None
        life.passes(days=400)
        assert await assistant.schedules.due() == ()
        assert [slot.status for slot in await assistant.schedules.history(added.id)] == ["done"]


async def test_what_comes_while_it_is_paused_does_not_count(life):
    async with life() as assistant:
        added = await assistant.schedules.add("Calls", CALL, DAILY)
        assert (await assistant.schedules.pause(added.id)).next is None
        life.passes(days=3)
        assert await assistant.schedules.due() == ()
        resumed = await assistant.schedules.resume(added.id)
        assert resumed.paused is None and resumed.next == berlin(2026, 11, 26, 8, 0)
        assert await assistant.schedules.due() == ()
        life.passes(hours=1)
        assert [slot.stands_for for slot in await assistant.schedules.due()] == [0]


async def test_it_can_be_run_at_once_also_while_it_is_paused(life):
    async with life() as assistant:
        added = await assistant.schedules.add("Calls", CALL, DAILY)
        await assistant.schedules.pause(added.id)
        ran = await assistant.schedules.run(added.id)
        again = await assistant.schedules.run(added.id)
        assert ran.slot.startswith("now-2026-11-23T06:00") and ran.status == again.status == "done" and ran.slot != again.slot
        assert [one.slot for one in await assistant.schedules.history(added.id)] == [again.slot, ran.slot]
        assert len(await told(assistant, added.conversation)) == 2


async def test_each_run_at_once_shows_in_the_counts_though_it_has_ended_before_they_are_looked_at(life):
    async with life() as assistant:
        added = await assistant.schedules.add("Calls", CALL, DAILY)
        seen = [(await assistant.counts()).schedules]
        for _ in range(2):
            await assistant.schedules.run(added.id)
            seen.append((await assistant.counts()).schedules)
            assert (await assistant.counts()).schedules == seen[-1]
        assert len(set(seen)) == 3


async def test_a_run_at_once_takes_no_due_slots_place(life):
    async with life() as assistant:
        added = await assistant.schedules.add("Calls", CALL, DAILY)
        life.passes(minutes=59)
        await assistant.schedules.run(added.id)
        life.passes(minutes=1)
        assert [slot.slot for slot in await assistant.schedules.due()] == ["2026-11-23T08:00"]


async def test_another_rule_counts_from_now_on(life):
    async with life() as assistant:
        added = await assistant.schedules.add("Calls", CALL, DAILY)
        life.passes(hours=5)
        changed = await assistant.schedules.change(
            added.id, rule=Calendar(rrule="FREQ=WEEKLY;BYDAY=MO", start=wall(2026, 11, 23, 8, 0))
        )
        assert (changed.version, changed.next) == (2, berlin(2026, 11, 30, 8, 0))
        assert await assistant.schedules.due() == ()


async def test_a_change_of_what_was_changed_meanwhile_is_refused(life):
    async with life() as assistant:
        added = await assistant.schedules.add("Calls", CALL, DAILY)
        await assistant.schedules.change(added.id, version=1, name="Tom")
        with pytest.raises(FlowError, match="in the meantime"):
            await assistant.schedules.change(added.id, version=1, name="Anna")
        assert (await assistant.schedules.get(added.id)).name == "Tom"


async def test_removed_it_is_unknown_with_its_runs(life):
    async with life() as assistant:
        added = await assistant.schedules.add("Calls", CALL, DAILY)
        await assistant.schedules.run(added.id)
        await assistant.schedules.remove(added.id)
        assert await assistant.schedules.list() == ()
        for act in (assistant.schedules.get, assistant.schedules.history, assistant.schedules.run, assistant.schedules.remove):
            with pytest.raises(Unknown):
                await act(added.id)


@pytest.mark.parametrize(
    ("given", "complaint"),
    [
        ({"rule": Cron(expression="0 8 * *")}, "."),
        ({"rule": Once(at=wall(2026, 11, 22, 9, 0))}, "over already"),
        ({"zone": "Mars/Olympus"}, "no time zone"),
        ({"name": "x" * 101}, "100 characters"),
        ({"targets": ["pager"]}, "pager"),
        ({"task": Remind(text=" \n")}, "what is to be done"),
        ({"task": Ask(text="x" * 2001)}, "2000 characters"),
        ({"task": GiveBriefing(parts=())}, "the inbox, the day or the week"),
    ],
)
async def test_what_can_not_be_used_is_refused_in_words(life, given, complaint):
    async with life() as assistant:
        with pytest.raises(UserError, match=complaint):
            await assistant.schedules.add(**{"name": "n", "task": CALL, "rule": DAILY, **given})
        assert await assistant.schedules.list() == ()


async def test_set_up_twice_under_one_id_it_is_there_once_and_a_name_is_unique(life):
    async with life() as assistant:
        first = await assistant.schedules.add("Calls", CALL, DAILY, id="i1")
        assert await assistant.schedules.add("Calls", CALL, DAILY, id="i1") == first
        assert (await assistant.schedules.add("calls", CALL, DAILY)).name == "calls 2"


@pytest.mark.parametrize(
    ("words", "found"),
    [
        ("Morning briefing", "Morning briefing"),
        (("briefing", "week"), "Sunday"),
        (("reminder", "rents"), "Rent"),
        ("evening", "Sunday"),
        ("rent reminder", "Rent"),
        ("morning briefing", "Morning briefing"),
        (("briefing", "morning"), "Morning briefing"),
        (("week",), "Sunday"),
    ],
)
async def test_it_is_found_by_words_of_its_name_task_or_time(life, words, found):
    async with life() as assistant:
        for name, task, expression in (
            ("Morning briefing", GiveBriefing(), "0 8 * * 1-5"),
            ("Sunday", GiveBriefing(parts=("week",)), "0 18 * * 0"),
            ("Rent", Remind(text="pay the rent"), "0 9 1 * *"),
            ("News", Ask(text="show my newsletters"), "0 12 * * *"),
            ("My day", GiveBriefing(parts=("day",)), "0 9 * * *"),
        ):
            await assistant.schedules.add(name, task, Cron(expression=expression))
            life.passes(seconds=1)
        assert (await assistant.schedules.find(words)).name == found
        with pytest.raises(UserError, match=r"Morning briefing .*; Sunday"):
            await assistant.schedules.find("briefing")
        with pytest.raises(UserError, match=r"No schedule fits “taxes”; there are: Morning"):
            await assistant.schedules.find("taxes")


async def test_one_of_anothers_is_unknown(life):
    async with life() as assistant:
        added = await assistant.schedules.add("Calls", CALL, DAILY)
        others = type(assistant.schedules)(**{**vars(assistant.schedules), "user": "u-eva"})
        with pytest.raises(Unknown):
            await others.get(added.id)


async def test_a_briefing_is_told_in_the_history_by_what_matters_most_in_it(life):
    async with life() as assistant:
        added = await assistant.schedules.add("Brief", GiveBriefing(), DAILY)
        ran = await assistant.schedules.run(added.id)
        briefing = (await assistant.flow(ran.flow)).briefing
        assert ran.result == line(f"{briefing.title}. {briefing.lead}", RESULT)


async def test_one_that_is_removed_while_all_are_told_with_their_last_runs_does_no_harm(life):
    class Removing(Schedules):
        async def list(self) -> tuple[Schedule, ...]:
            found = await super().list()
            await self.remove(next(one for one in found if one.name == "Calls").id)
            return found

    async with life() as assistant:
        for name in ("Calls", "Taxes"):
            await assistant.schedules.run((await assistant.schedules.add(name, CALL, DAILY)).id)
        told = await Removing(**vars(assistant.schedules)).with_last_runs()
        assert {one.name: last and last.status for one, last in told} == {"Calls": None, "Taxes": "done"}
