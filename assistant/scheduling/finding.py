"""Which schedule the user means: by words of its name, its task or its time."""

import re
from collections.abc import Sequence

from assistant.errors import UserError
from assistant.scheduling.values import Schedule
from assistant.timetable.wording import task_in_words

KINDS = frozenset({"briefing", "reminder", "request"})
PARTS_OF_DAY = {"morning": range(4, 12), "afternoon": range(12, 17), "evening": range(17, 23)}


def found(every: Sequence[Schedule], words: str | Sequence[str]) -> Schedule:
    """The one with this id or name, else the one whose name has all words, else the one that they fit. Raises UserError, with the
    names, where there are none or several."""
    said = words if isinstance(words, str) else " ".join(words)
    current = [one for one in every if not one.is_over]
    meant = _named(every, current, said) or fitting(current, [said]) or fitting(every, [said])
    if len(meant) == 1:
        return meant[0]
    if not every:
        raise UserError("There are no schedules.")
    if not meant:
        raise UserError(f"No schedule fits “{said}”; there are: {names_of(every)}.")
    raise UserError(f"Several schedules fit{f' “{said}”' if said else ''}: {names_of(meant)}. Say which one you mean.")


def fitting(every: Sequence[Schedule], words: Sequence[str]) -> tuple[Schedule, ...]:
    """Those of which all words tell: of their name, their task or their time; else those where each begins such a word."""
    wanted = {stem for word in words for stem in _words(word)}
    told = [(one, _told(one)) for one in every]
    whole = tuple(one for one, words in told if wanted <= words)
    return whole or tuple(one for one, words in told if all(any(word.startswith(stem) for word in words) for stem in wanted))


def _named(every: Sequence[Schedule], current: Sequence[Schedule], said: str) -> tuple[Schedule, ...]:
    """The one with this id or name, or whose name alone holds all words, unless they only tell its kind."""
    exact = tuple(one for one in every if said.casefold().strip() in (one.id, one.name.casefold()))
    called = tuple(one for one in current if _words(said) <= _words(one.name))
    return exact or (called if len(called) == 1 and _words(said) - KINDS else ())


def names_of(found: Sequence[Schedule]) -> str:
    return "; ".join(f"{one.name} ({one.words})" for one in found)


def _told(schedule: Schedule) -> frozenset[str]:
    return _words(f"{schedule.name} {task_in_words(schedule.task)} {schedule.words} {_part_of_day(schedule)}")


def _words(text: str) -> frozenset[str]:
    """In small letters, a plural as its singular."""
    return frozenset(word.removesuffix("s") for word in re.findall(r"[\w:]+", text.casefold()))


def _part_of_day(schedule: Schedule) -> str:
    at = re.search(r"\b(\d\d):\d\d", schedule.words)
    hour = int(at[1]) if at else 0
    return next((name for name, hours in PARTS_OF_DAY.items() if at and hour in hours), "")
