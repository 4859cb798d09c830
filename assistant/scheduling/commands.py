"""What the user's own words want of schedules, and what is answered."""

from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from zoneinfo import ZoneInfo

from assistant.errors import UserError
from assistant.pipeline.state import FlowState
from assistant.scheduling.finding import fitting, names_of
from assistant.scheduling.schedules import Schedule, Schedules
from assistant.timetable.moving import moved
from assistant.timetable.rules import Ask, GiveBriefing, Once, Remind, Task
from assistant.timetable.wording import task_in_words
from assistant.values import ChangeSchedule, CreateSchedule, ManageSchedule, OwnCommand, ShowSchedules
from storage.errors import Duplicate

NONE = "You have no schedules yet. Say, for instance: every weekday at 8 give me a briefing."

NAMELESS = "Which schedule do you mean? Say its name; “what are my schedules?” shows them."


@dataclass(frozen=True)
class Commands:
    schedules: Schedules

    async def carry_out(self, command: OwnCommand, state: FlowState) -> FlowState:
        """What can't be done is told in the reply. A command that is carried out anew after a crash does nothing twice."""
        try:
            match command:
                case CreateSchedule():
                    return state.but(reply=await self._created(command, state))
                case ShowSchedules():
                    return state.but(reply=await self._shown())
                case ManageSchedule():
                    return state.but(reply=await self._managed(command, state))
                case ChangeSchedule():
                    return state.but(reply=await self._changed(command, state))
        except UserError as wrong:
            return state.but(reply=str(wrong))
        raise TypeError(f"{command.kind} is no command for schedules.")

    async def _created(self, command: CreateSchedule, state: FlowState) -> str:
        schedule = await self.schedules.add(
            command.name,
            command.task,
            command.rule,
            conversation=state.conversation,
            targets=command.targets,
            zone=command.zone,
            id=state.id,
        )
        return understood(schedule, self._zone(schedule))

    async def _shown(self) -> str:
        every = await self.schedules.list()
        if not every:
            return NONE
        lines = [f"- {one.name}: {one.words}{self._status(one)}" for one in every if not one.is_over]
        over = len(every) - len(lines)
        return "\n".join(lines + ([f"{over} more {'is' if over == 1 else 'are'} over."] if over else []))

    async def _managed(self, command: ManageSchedule, state: FlowState) -> str:
        found = await self._meant(command)
        if not found:
            return NONE
        match command.act:
            case "pause":
                for one in found:
                    await self.schedules.pause(one.id)
                return f"Paused: {names_of(found)}. Say “resume” with a name, and it goes on."
            case "resume":
                resumed = [await self.schedules.resume(one.id) for one in found]
                return "Goes on: " + "; ".join(f"{one.name}{self._status(one)}" for one in resumed) + "."
            case "remove":
                for one in found:
                    await self.schedules.remove(one.id)
                return f"Removed: {names_of(found)}."
            case "run":
                for one in found:
                    with suppress(Duplicate):  # this command has begun it before
                        await self.schedules.start(one.id, state.created)
                here = all(one.conversation == state.conversation for one in found)
                return (
                    f"I begin with it now: {names_of(found)}. What comes of it is told {'here' if here else 'in its conversation'}."
                )

    async def _changed(self, command: ChangeSchedule, state: FlowState) -> str:
        one = await self.schedules.find(command.words) if command.words else await self._newest(state.conversation)
        rule = command.rule and moved(one.rule, command.rule, dated=command.dated, timed=command.timed)
        if command.rule is not None and rule is None:
            raise UserError(f"{one.name} comes {one.words}; say its new time in full, like “move it to every Friday at 9”.")
        if strange := [name for name in command.without if name not in one.targets]:
            raise UserError(f"{one.name} does not go {_by(strange[0])}.")
        targets = [name for name in dict.fromkeys((*one.targets, *command.targets)) if name not in command.without]
        changed = await self.schedules.change(one.id, rule=rule, targets=targets)
        here = "here" if changed.conversation == state.conversation else "in its conversation"
        stays = ", which stays paused" if changed.paused else ""
        return f"Changed: {changed.name}{stays}. {understood(changed, self._zone(changed), here)}"

    async def _newest(self, conversation: str) -> Schedule:
        of_this = [one for one in await self.schedules.list() if one.conversation == conversation and not one.is_over]
        if not of_this:
            raise UserError(NAMELESS)
        return max(of_this, key=lambda one: one.created)

    async def _meant(self, command: ManageSchedule) -> tuple[Schedule, ...]:
        every = [one for one in await self.schedules.list() if command.every and not one.is_over]
        if found := fitting(every, command.words):
            return found
        return () if command.every and not command.words else (await self.schedules.find(command.words),)

    def _status(self, schedule: Schedule) -> str:
        if schedule.paused:
            return ", paused"
        if schedule.next is None:
            return ", over"
        if isinstance(schedule.rule, Once):
            return ""
        return f", next {_on(schedule.next, self._zone(schedule))}"

    def _zone(self, schedule: Schedule) -> ZoneInfo:
        return ZoneInfo(schedule.zone) if schedule.zone else self.schedules.claiming.zone


def understood(schedule: Schedule, zone: ZoneInfo, here: str = "here") -> str:
    """ "Every weekday at 08:00 I will give you a briefing on your inbox and your day here. The next is on Monday 23 November …";
    `here`: its conversation in words."""
    *most, last = [here, *map(_by, schedule.targets)]
    where = f"{', '.join(most)} and {last}" if most else last
    said = f"{schedule.words[:1].upper()}{schedule.words[1:]} I will {_does(schedule.task, where)}"
    said += "" if said.endswith((".", "?", "!")) else "."
    if isinstance(schedule.rule, Once) or schedule.next is None:
        return said
    return f"{said} The next is {_on(schedule.next, zone)}."


def _by(target: str) -> str:
    return "by mail to yourself" if target == "mail" else f"to {target}"


def _does(task: Task, where: str) -> str:
    match task:
        case GiveBriefing():
            return f"give you a {task_in_words(task)} {where}"
        case Remind():
            return f"remind you {where}: {task.text}"
        case Ask():
            return f"do this and tell you {where}: {task.text}"


def _on(at: datetime, zone: ZoneInfo) -> str:
    there = at.astimezone(zone)
    return f"on {there:%A} {there.day} {there:%B} at {there:%H:%M}"
