"""Runs of schedules without an alarm: a test says when one is due."""

import asyncio

from assistant.facade import Assistant
from assistant.pipeline.state import FlowState
from assistant.running.scheduled import Run, ScheduledFlows
from assistant.timetable.rules import Ask, Task


def scheduled(assistant: Assistant) -> ScheduledFlows:
    """As wired, but that nothing is taken up of what other processes have left."""

    async def nobody(flow: str) -> asyncio.Task[FlowState] | None:
        return None

    dispatch = assistant.dispatch
    return ScheduledFlows(dispatch.begin, dispatch.turns, dispatch.recall, nobody, grace=0)


def due(task: Task | str, conversation: str = "c", *, slot: str = "2026-11-18T10:00", name: str = "Reports", late: str = "") -> Run:
    what = Ask(text=task) if isinstance(task, str) else task
    return Run(schedule="s1", slot=slot, name=name, conversation=conversation, task=what, late=late)


async def ran(assistant: Assistant, run: Run) -> FlowState:
    return await scheduled(assistant).begin(run, lambda s, flow: True)
