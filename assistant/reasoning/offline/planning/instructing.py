"""The words of a step: the user's own, with references in the places of names."""

from collections.abc import Sequence

from assistant.reasoning.base import Setting
from assistant.reasoning.offline.lexicon import lexicon
from assistant.reasoning.offline.planning.outline import Draft
from assistant.reasoning.offline.reading.entities import mark
from assistant.reasoning.offline.reading.parsed import Parse
from assistant.reasoning.offline.reading.slots import lows
from assistant.reasoning.offline.reading.text.dictation import dictation
from assistant.reasoning.offline.reading.text.labels import EVENT, event_name


def instruction_of(text: str, found: Parse, edits: Sequence[tuple[int, int, str]]) -> str:
    """The user's own words without politeness, with references in the places of names."""
    end = len(text) if found.call is not None and found.call.body else found.end
    words = text
    for begin, stop, ref in sorted(edits, reverse=True):
        words = words[:begin] + ref + words[stop:]
        end += len(ref) - (stop - begin)
    instruction = words[found.begin : end].strip()
    if found.call is not None and found.call.body and not found.call.body.endswith("?"):
        instruction = instruction.rstrip("? ")
    if found.clause.mood == "fact" and not _asks(found):
        return f"Check whether {instruction}"
    call = found.call
    if found.clause.mood == "things" and call is not None and call.operation == "event.create" and not (call.to and call.duration):
        verb = "Add" if " with " in call.title else "Schedule"
        return f"{verb} {instruction[:1].lower()}{instruction[1:]}"
    return _capital(instruction)


def with_places(instruction: str, places: str, setting: Setting) -> str:
    """The places for what is still to be told: before a colon, else behind the words of the mail, which are quoted then."""
    items = mark(instruction, setting) if places else ()
    start, colon = dictation(items)
    if start is None or start >= len(items):
        return instruction + places
    if colon:
        before = instruction[: items[start - 1].begin].rstrip()
        return f"{before}{places}{instruction[items[start - 1].begin :]}"
    words = instruction[items[start].begin :]
    opening, closing = ('"', '"') if '"' not in words else ("\u201c", "\u201d")
    return f"{instruction[: items[start].begin]}{opening}{words}{closing}{places}"


def titled_by_event(found: Parse) -> bool:
    """ "With the event's name as the title": a mail whose subject is an event's own."""
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


def _asks(found: Parse) -> bool:
    return found.clause.head in lexicon().small["auxiliaries"]


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
