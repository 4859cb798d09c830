"""The course of a briefing: look, see what matters most, tell it."""

from dataclasses import dataclass

from assistant.agents.base import Desk
from assistant.briefing.facts import Briefing, Wanted
from assistant.briefing.lead import led
from assistant.briefing.text import plain
from assistant.pipeline.state import FlowState
from assistant.running.journal import FlowJournal
from assistant.timetable.rules import MORNING, Part

PARTS: dict[Part, str] = {"inbox": "your inbox", "day": "your day", "week": "your week"}


@dataclass(frozen=True)
class GivingBriefing:
    journal: FlowJournal

    async def __call__(self, state: FlowState, desk: Desk) -> FlowState:
        """The flow at its end, not saved yet."""
        wanted = state.brief or Wanted(parts=MORNING)
        looks = f"Looks through {' and '.join(PARTS[part] for part in wanted.parts)}."
        state = self.journal.tell(state, "9", looks, parts=list(wanted.parts))
        found = await gathered(desk, wanted)
        lines = sum(len(section.lines) for section in found.sections)
        state = self.journal.tell(state, "10", f"{found.title}: {lines} line{'' if lines == 1 else 's'} to tell.", lines=lines)
        briefing = await led(found, desk)
        state = self.journal.tell(state, "11", f"Above all: {briefing.lead}" if briefing.lead else "Nothing stands out.")
        reply = "\n\n".join(filter(None, (state.late, plain(briefing))))
        limits = tuple(one.trouble for one in briefing.looked if one.trouble)
        return state.but(status="done", confidence=100, briefing=briefing, reply=reply, limitations=limits)


async def gathered(desk: Desk, wanted: Wanted, *, explain: bool = False) -> Briefing:
    """Without its lead. What gathers is imported when it is first wanted."""
    from assistant.briefing.gathering import gather

    return await gather(desk, wanted, explain=explain) if explain else await gather(desk, wanted)
