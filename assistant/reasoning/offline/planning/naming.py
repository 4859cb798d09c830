"""A mail whose title is an event's own: "with the event's name as the title"."""

from assistant.reasoning.offline.planning.outline import Draft
from assistant.reasoning.offline.reading.entities import mark
from assistant.reasoning.offline.reading.parsed import Parse
from assistant.reasoning.offline.reading.slots import lows
from assistant.reasoning.offline.reading.text.labels import EVENT, event_name


def titled_by_event(found: Parse) -> bool:
    return found.call is not None and found.call.subject == EVENT


def with_event(instruction: str, draft: Draft) -> str | None:
    """The instruction with the step that finds the event in the place of "the event's name"; None where no step does."""
    number = next(
        (step.id for step in reversed(draft.steps) if step.agent == "calendar" and step.criterion.expects != "proposal"), 0
    )
    items = mark(instruction, draft.setting)
    words = lows(items)
    at = next((n for n in range(len(items)) if event_name(words, n)), None)
    if not number or at is None:
        return None
    begin, end = items[at].begin, items[at + event_name(words, at) - 1].end
    return f"{instruction[:begin]}{{{number}}}{instruction[end:]}"
