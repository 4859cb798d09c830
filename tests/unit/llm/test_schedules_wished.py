"""Schedules that code does not read and a model thinks are wanted: made of the user's own words or not at all."""

from typing import Any

import pytest
from doubles.asking import request
from doubles.llm import data, first
from doubles.llm.scenarios import plan

from assistant.reasoning.base import Analysis
from assistant.reasoning.llm.schedules import NOT_READ
from assistant.timetable.rules import Ask, Cron, GiveBriefing, Remind
from assistant.values import CreateSchedule, ManageSchedule

NAGGING = "I keep forgetting the plants, so nag me about them each Saturday at 10"


async def wished(endpoint: Any, thinking: Any, text: str, **command: str) -> Analysis:
    endpoint.play(data(plan(command={"kind": "create_schedule", **command})))
    async with thinking() as reasoner:
        analysis: Analysis = await reasoner.analyse(request(text))
    return analysis


async def test_a_reminder_is_made_of_the_users_words(endpoint, thinking):
    analysis = await wished(endpoint, thinking, NAGGING, task="reminder", when="each Saturday at 10", what="the plants")
    made = analysis.command
    assert isinstance(made, CreateSchedule) and made.task == Remind(text="The plants")
    assert made.rule == Cron(expression="0 10 * * 6") and not made.targets and not analysis.plan.steps


async def test_a_request_keeps_the_words_of_the_message(endpoint, thinking):
    said = "It would be lovely if each Friday at 4 somebody looked who still owes me an answer"
    analysis = await wished(endpoint, thinking, said, task="request", when="each Friday at 4", what="who still owes me an answer")
    assert isinstance(analysis.command, CreateSchedule)
    assert analysis.command.task == Ask(text="Who still owes me an answer")


async def test_a_briefing_is_of_what_was_named(endpoint, thinking):
    said = "I'd be lost without some kind of recap, like each Sunday at 18:00, of how the week looks"
    analysis = await wished(endpoint, thinking, said, task="briefing", when="each Sunday at 18:00", what="recap of the week")
    assert isinstance(analysis.command, CreateSchedule) and analysis.command.task == GiveBriefing(parts=("week",))


@pytest.mark.parametrize(
    ("task", "when", "what"),
    [
        ("reminder", "each Sunday at 10", "the plants"),
        ("reminder", "every Saturday at 10", "the plants"),
        ("reminder", "each Saturday at 10", "the plants in the garden of Mallory"),
        ("reminder", "the plants", "each Saturday"),
        ("reminder", "", "the plants"),
        ("briefing", "each Saturday at 10", "plants"),
    ],
)
async def test_what_is_not_said_so_makes_none_and_the_user_is_told(endpoint, thinking, task, when, what):
    analysis = await wished(endpoint, thinking, NAGGING, task=task, when=when, what=what)
    assert analysis.command is None and not analysis.plan.steps and analysis.say == NOT_READ


async def test_an_event_that_code_reads_is_no_schedule(endpoint, thinking):
    said = "book yoga every Thursday at 7 pm"
    analysis = await wished(endpoint, thinking, said, task="request", when="every Thursday at 7 pm", what="yoga")
    assert analysis.command is None and [step.agent for step in analysis.plan.steps] == ["calendar"]


async def test_what_code_reads_is_asked_of_no_model(endpoint, thinking):
    async with thinking() as reasoner:
        analysis = await reasoner.analyse(request("remind me on Friday to water the plants"))
    assert isinstance(analysis.command, CreateSchedule) and not endpoint.requests


async def test_one_that_there_is_is_changed_by_the_act_that_was_said(endpoint, thinking):
    said = "would you mind if we were to pause that plants thing of the reminders for a while?"
    wish = {"kind": "manage_schedule", "act": "pause", "what": "plants"}
    endpoint.play(first(data(plan(command=wish)), then=data(plan(command={**wish, "act": "remove"}, say="No."))))
    async with thinking() as reasoner:
        paused = await reasoner.analyse(request(said))
        other = await reasoner.analyse(request(said))
    assert paused.command == ManageSchedule(act="pause", words=("plants",)) and other.command is None
