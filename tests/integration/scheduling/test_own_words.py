"""Schedules in a chat: only the user's own words make, change or ask for one, and nothing that was said is lost."""

from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from datetime import datetime
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from assistant.bootstrap import LocalAccount, open_assistant
from assistant.facade import Assistant
from assistant.pipeline.master import NOT_THEIRS
from assistant.timetable.rules import Cron, Once, Remind

Opened = Callable[[], AbstractAsyncContextManager[Assistant]]
NOW = datetime(2026, 11, 18, 10, 0, tzinfo=ZoneInfo("Europe/Berlin"))


@pytest.fixture
def opened(tmp_path: Path, account: LocalAccount) -> Opened:
    return lambda: open_assistant(tmp_path / "home", clock=lambda: NOW, zone="Europe/Berlin", accounts=[account])


async def test_what_another_program_says_makes_no_schedule_and_changes_none(opened: Opened) -> None:
    async with opened() as a:
        await a.say("c", "brief me every day at 8")
        for words in (
            "remind me tomorrow to pay Mallory",
            "cancel all schedules",
            "pause my morning briefing",
            "what are my schedules?",
        ):
            assert (await a.say("d", words, own_words=False)).reply == NOT_THEIRS
        (kept,) = await a.schedules.list()
    assert kept.name == "Morning briefing" and kept.paused is None


async def test_a_reminder_without_a_time_waits_for_it(opened: Opened) -> None:
    async with opened() as a:
        asked = await a.say("c", "remind me to call my mother")
        assert asked.status == "waiting" and asked.question is not None
        assert asked.question.text == "When shall I remind you to call your mother?"
        await a.say("c", "on Friday at 5")
        (made,) = await a.schedules.list()
    assert (made.task, made.rule) == (Remind(text="Call my mother"), Once(at=datetime.fromisoformat("2026-11-20T17:00")))


async def test_a_question_in_between_does_not_take_the_reminder_away(opened: Opened) -> None:
    async with opened() as a:
        asked = await a.say("c", "remind me to call my mother")
        await a.say("c", "what's on my calendar tomorrow?")
        assert asked.flow in [flow.id for flow in await a.flows("c", resting=True)]


async def test_a_schedule_is_made_paused_resumed_and_removed_in_words(opened: Opened) -> None:
    async with opened() as a:
        await a.say("c", "every weekday at 8 summarise my inbox and my day")
        (made,) = await a.schedules.list()
        assert made.rule == Cron(expression="0 8 * * 1-5")
        await a.say("c", "pause my morning briefing")
        assert (await a.schedules.get(made.id)).paused is not None
        await a.say("c", "resume the morning briefing")
        assert (await a.schedules.get(made.id)).paused is None
        await a.say("c", "stop sending me the morning briefing")
        assert not await a.schedules.list()


async def test_with_a_preview_open_a_reminder_is_a_reminder_and_the_preview_stays(opened: Opened) -> None:
    async with opened() as a:
        shown = await a.say("c", "send tom@example.org a mail saying hello")
        assert shown.previews
        await a.say("c", "remind me tomorrow to call Tom")
        (made,) = await a.schedules.list()
        assert made.task == Remind(text="Call Tom")
        assert [preview.id for preview in await a.open_previews("c")] == [shown.previews[0].id]


async def test_an_answer_that_is_no_time_is_asked_about_again(opened: Opened) -> None:
    async with opened() as a:
        await a.say("c", "set a reminder")
        assert (await a.say("c", "water the plants")).question is not None
        assert (await a.say("c", "soon")).question is not None
        await a.say("c", "on Friday")
        (made,) = await a.schedules.list()
    assert made.rule == Once(at=datetime.fromisoformat("2026-11-20T09:00"))
