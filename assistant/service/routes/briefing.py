"""A briefing at once, outside of any conversation."""

from typing import Annotated

from fastapi import APIRouter, Query

from assistant.service.briefings import BriefingView, briefing_of
from assistant.service.callers import Reading
from assistant.timetable.rules import Part

router = APIRouter(prefix="/api/briefing", tags=["briefing"])

KNOWN: tuple[Part, ...] = ("inbox", "day", "week")
Parts = Annotated[
    str,
    Query(
        max_length=40,
        pattern=r"^(inbox|day|week)(,(inbox|day|week))*$",
        description="Of inbox, day and week, with commas between.",
    ),
]


@router.get("")
async def show_briefing(served: Reading, parts: Parts = "inbox,day") -> BriefingView:
    """What needs an answer, and what the day or week holds, as of now."""
    wanted = tuple(one for one in KNOWN if one in parts.split(","))
    return briefing_of(await served.assistant.briefing(wanted))
