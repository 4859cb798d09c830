"""What the user says of schedules, and what is answered."""

from pathlib import Path

import pytest
from doubles.living import Life, told

from assistant.bootstrap import LocalAccount
from assistant.pipeline.state import FlowState
from assistant.scheduling.commands import Commands
from assistant.timetable.rules import Cron, GiveBriefing, Remind
from assistant.values import CreateSchedule, ManageSchedule


@pytest.fixture
def life(tmp_path: Path, account: LocalAccount) -> Life:
    return Life(tmp_path / "home", account)


async def said(assistant, words):
    return (await assistant.say("c", words)).reply


async def test_what_is_wanted_again_and_again_is_set_up_and_read_back(life):
    async with life() as assistant:
        reply = await said(assistant, "every weekday at 8 summarise my inbox and my day")
        (added,) = await assistant.schedules.list()
        assert (added.task, added.conversation, added.by_program) == (GiveBriefing(), "c", False)
        assert reply == (
            "Every weekday at 08:00 I will give you a briefing on your inbox and your day here. "
            "The next is on Monday 23 November at 08:00."
        )


async def test_a_reminder_comes_into_the_conversation_in_which_it_was_wanted(life):
    async with life() as assistant:
        reply = await said(assistant, "remind me to call Tom on Friday at 10")
        assert reply.casefold() == "on friday 27 november at 10:00 i will remind you here: call tom."
        life.passes(days=4, hours=4)
        await assistant.schedules.due()
        assert (await told(assistant, "c"))[-1].casefold().endswith("reminder: call tom")


async def test_they_are_listed_paused_resumed_run_and_removed_in_words(life):
    async with life() as assistant:
        assert "no schedules yet" in await said(assistant, "show my schedules")
        await said(assistant, "every weekday at 8 summarise my inbox and my day")
        await said(assistant, "remind me to call Tom on Friday at 10")
        listed = await said(assistant, "show my schedules")
        assert "every weekday at 08:00, next on Monday 23 November at 08:00" in listed and "call Tom" in listed
        assert (await said(assistant, "pause the briefing")).startswith("Paused: ")
        assert "paused" in await said(assistant, "show my schedules")
        assert (await said(assistant, "resume the briefing")).startswith("Goes on: ")
        assert (await said(assistant, "remove the reminder to call Tom")).startswith("Removed: ")
        assert len(await assistant.schedules.list()) == 1


async def test_what_is_wanted_now_comes_to_its_end_though_the_program_ends_with_the_answer(life):
    async with life() as assistant:
        await said(assistant, "every day at 8 remind me to call Tom")
        assert (await said(assistant, "run the reminder now")).startswith("I begin with it now: ")
    async with life() as assistant:
        assert (await told(assistant, "c"))[-1].casefold() == "reminder: call tom"


async def test_what_could_be_several_is_asked_for_with_their_names_and_nothing_is_done(life):
    async with life() as assistant:
        for name in ("Rent", "Taxes"):
            await assistant.schedules.add(name, Remind(text=f"pay the {name.lower()}"), Cron(expression="0 9 1 * *"))
            life.passes(seconds=1)
        reply = await said(assistant, "pause the reminder")
        assert reply.startswith("Several schedules fit") and "Rent" in reply and "Taxes" in reply
        assert not any(one.paused for one in await assistant.schedules.list())


async def test_all_of_a_kind_never_means_others_where_there_are_none(life):
    async with life() as assistant:
        await assistant.schedules.add("Rent", Remind(text="pay the rent"), Cron(expression="0 9 1 * *"))
        await carried_out(assistant, ManageSchedule(act="remove", words=("briefing",), every=True))
        assert len(await assistant.schedules.list()) == 1
        await carried_out(assistant, ManageSchedule(act="remove", words=("reminder",), every=True))
        assert await assistant.schedules.list() == ()


async def test_a_command_that_is_carried_out_anew_after_a_crash_does_it_once(life):
    create = CreateSchedule(name="Calls", task=Remind(text="call Tom"), rule=Cron(expression="0 8 * * *"))
    async with life() as assistant:
        first = await carried_out(assistant, create)
        assert (await carried_out(assistant, create)).reply == first.reply
        (added,) = await assistant.schedules.list()
        for _ in range(2):
            await carried_out(assistant, ManageSchedule(act="run", words=("calls",)))
        await assistant.schedules.tending.all()
        assert len(await assistant.schedules.history(added.id)) == 1


async def carried_out(assistant, command):
    state = FlowState(id="f1", user=assistant.user, conversation="c", text="x", created=assistant.clock())
    return await Commands(assistant.schedules).carry_out(command, state)
