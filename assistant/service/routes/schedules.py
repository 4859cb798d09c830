"""Schedules: what runs by itself, and how its runs went."""

from typing import Annotated

from fastapi import APIRouter, Header, Query
from pydantic import AfterValidator, Field, model_validator

from assistant.errors import UserError
from assistant.facade import Assistant
from assistant.reasoning.offline.planning.scheduling import read_schedule as read_words
from assistant.scheduling.schedules import LONGEST_NAME
from assistant.scheduling.values import Schedule, Slot
from assistant.service import schedules
from assistant.service.callers import Reading, Scheduling
from assistant.service.params import Id, Limit
from assistant.service.schedules import ScheduleView, Understood
from assistant.service.views import Items, items
from assistant.timetable.rules import Rule, Task
from assistant.values import CreateSchedule
from integrations.types import Value

router = APIRouter(prefix="/api/schedules", tags=["schedules"])

NOT_READ = "Say what to do and when, such as: every weekday at 8 summarise my inbox and my day."
Name = Annotated[str, Field(max_length=LONGEST_NAME, pattern=r"^[^\x00-\x1f\x7f]*$")]
Zone = Annotated[str, Field(max_length=80, description="An IANA name; empty: the user's.")]
Targets = Annotated[
    tuple[Annotated[str, Field(min_length=1, max_length=120)], ...],
    Field(max_length=20, description="`mail`, or names of targets; besides the conversation."),
]
GivenTask = Annotated[Task, AfterValidator(schedules.check_texts)]
GivenRule = Annotated[Rule, AfterValidator(schedules.check_rule)]


class NewSchedule(Value):
    """In words ("every weekday at 8 summarise my inbox"), or put together; an empty `name` is made of the task."""

    words: Annotated[str, Field(max_length=2000)] = ""
    name: Name = ""
    task: GivenTask | None = None
    rule: GivenRule | None = None
    targets: Targets = ()
    zone: Zone = ""

    @model_validator(mode="after")
    def _one_way(self) -> "NewSchedule":
        typed = self.task is not None and self.rule is not None
        if bool(self.words.strip()) == typed or (self.words.strip() and (self.task or self.rule)):
            raise ValueError("say it in words, or give a task and a rule")
        return self


class ChangedSchedule(Value):
    """What is left out stays as it is. `version` is that of the schedule as it was shown; without it whatever stands is changed."""

    version: Annotated[int, Field(ge=1, le=2**31 - 1)] | None = None
    name: Annotated[Name, Field(min_length=1)] | None = None
    task: GivenTask | None = None
    rule: GivenRule | None = None
    targets: Targets | None = None
    zone: Zone | None = None


@router.get("")
async def list_schedules(served: Reading) -> Items[ScheduleView]:
    """Each with its last run."""
    every = await served.assistant.schedules.with_last_runs()
    return items([schedules.view_of(one, last) for one, last in every])


@router.post("", status_code=201)
async def add_schedule(
    served: Scheduling, wanted: NewSchedule, idempotency_key: Annotated[str, Header(max_length=200)] = ""
) -> ScheduleView:
    """Its result always comes into a conversation of its own. With `Idempotency-Key` a repeated request adds nothing."""
    command = await _command(served.assistant, wanted)
    await schedules.check_targets(served.assistant, command.targets)
    made = await served.assistant.schedules.add(
        command.name,
        command.task,
        command.rule,
        targets=command.targets,
        zone=command.zone,
        by_program=not served.caller.session,
        id=schedules.id_of(served.caller.user, idempotency_key, wanted) if idempotency_key else "",
    )
    return await _view(served.assistant, made)


@router.post("/read")
async def read_schedule(served: Reading, wanted: NewSchedule) -> Understood:
    """What would be added, and when it would be due; nothing is."""
    command = await _command(served.assistant, wanted)
    now = served.assistant.clock()
    return await schedules.understood(served.assistant, command, now)


@router.get("/{id}")
async def show_schedule(served: Reading, id: Id) -> ScheduleView:
    """With its last run."""
    return await _view(served.assistant, await served.assistant.schedules.get(id))


@router.patch("/{id}")
async def change_schedule(served: Scheduling, id: Id, changed: ChangedSchedule) -> ScheduleView:
    """409 where it is of another version by now."""
    await schedules.check_targets(served.assistant, changed.targets or ())
    return await _view(served.assistant, await served.assistant.schedules.change(id, **dict(changed)))


@router.delete("/{id}")
async def remove_schedule(served: Scheduling, id: Id) -> dict[str, bool]:
    """With its history; its conversation stays."""
    await served.assistant.schedules.remove(id)
    return {"removed": True}


@router.post("/{id}/pause")
async def pause_schedule(served: Scheduling, id: Id) -> ScheduleView:
    """What falls due meanwhile is not made up for."""
    await served.assistant.schedules.pause(id)
    return await show_schedule(served, id)


@router.post("/{id}/resume")
async def resume_schedule(served: Scheduling, id: Id) -> ScheduleView:
    """From now on."""
    await served.assistant.schedules.resume(id)
    return await show_schedule(served, id)


@router.post("/{id}/run")
async def run_schedule(served: Scheduling, id: Id) -> Slot:
    """At once, besides its times; answered when it has come to its end."""
    return await served.assistant.schedules.run(id)


@router.get("/{id}/slots")
async def list_slots(served: Reading, id: Id, limit: Annotated[Limit, Query()] = 20) -> Items[Slot]:
    """Its runs, the newest first."""
    await served.assistant.schedules.get(id)
    return items(await served.assistant.schedules.history(id, limit))


async def _view(assistant: Assistant, schedule: Schedule) -> ScheduleView:
    return schedules.view_of(schedule, next(iter(await assistant.schedules.history(schedule.id, 1)), None))


async def _command(assistant: Assistant, wanted: NewSchedule) -> CreateSchedule:
    if wanted.task is not None and wanted.rule is not None:
        name = wanted.name.strip() or schedules.name_of(wanted.task)
        return CreateSchedule(name=name, task=wanted.task, rule=wanted.rule, targets=wanted.targets, zone=wanted.zone)
    desk = await assistant.dispatch.desk()
    found = read_words(wanted.words.strip(), desk.setting)
    if found is None or not isinstance(found.command, CreateSchedule):
        raise UserError((found and (found.asks or found.says)) or NOT_READ)
    return found.command
