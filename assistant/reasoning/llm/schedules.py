"""What a model takes for a wish about schedules, held against the user's own words: none stands that these do not say."""

import re
from typing import Annotated, Literal

from pydantic import Field

from assistant.reasoning.base import Request
from assistant.reasoning.llm.visible import FromModel
from assistant.reasoning.offline.planning.scheduling import scheduled_task
from assistant.reasoning.offline.planning.scheduling.managing import names_act
from assistant.values import CreateSchedule, ManageSchedule

WORD = re.compile(r"[^\W_]+")
SMALL = frozenset("a an the to of for in on at from with and me my i it is are".split())
"""Words that a wish may be put with and that say nothing of their own."""
ASKED = {
    "reminder": re.compile(r"\b(?:remind\w*|forget\w*|nudge|nag|ping|alert)\b", re.IGNORECASE),
    "briefing": re.compile(r"\b(?:brief\w*|summar\w*|sum up|recap|digest|overview|rundown)\b", re.IGNORECASE),
    "request": re.compile(
        r"\b(?:every|each|daily|weekly|monthly|hourly|regularly|always|once an?|\w+days)\b|\bfrom now on\b", re.IGNORECASE
    ),
}
"""What the user's message holds where such a task is asked for."""
NOT_READ = (
    "I did not set anything up: when it is to be done, and what, I can't read in your words for certain. "
    'Say it like "every Friday at 4 pm tell me who waits for an answer" or "remind me on Friday at 9 to call Tom".'
)
Said = Annotated[str, Field(max_length=1000)]


class Wish(FromModel):
    """The fields of a command about schedules; the other commands leave them empty."""

    when: Said = ""
    what: Said = ""
    task: Literal["reminder", "request", "briefing"] = "request"
    act: Literal["", "pause", "resume", "remove", "run"] = ""

    def created(self, request: Request) -> CreateSchedule | None:
        """None unless `when` stands so in the user's message and code reads it, and every word of `what` does."""
        said = " ".join(request.text.casefold().split())
        when = " ".join(self.when.casefold().split()).strip(" .,!?")
        if not when or when not in said or not _own(self.what, request.text) or not ASKED[self.task].search(request.text):
            return None
        return scheduled_task(self.task, when, self.what, request.setting)

    def managed(self, request: Request) -> ManageSchedule | None:
        words = tuple(word for word in WORD.findall(self.what) if word.casefold() not in SMALL)
        if not self.act or not words or not _own(self.what, request.text) or not names_act(self.act, request.text):
            return None
        return ManageSchedule(act=self.act, words=words)


def _own(words: str, text: str) -> bool:
    there = {word.casefold() for word in WORD.findall(text)} | SMALL
    return all(word.casefold() in there for word in WORD.findall(words))
