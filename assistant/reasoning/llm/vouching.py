"""What of a model's plan the user's own words ask for: what code reads in both counts, never what the model says of it."""

import re
from collections.abc import Iterator, Mapping, Sequence

from assistant.reasoning.base import Request, Setting
from assistant.reasoning.calls import Reading
from assistant.reasoning.llm.visible import one_line, visible
from assistant.reasoning.offline.criteria import writes
from assistant.reasoning.offline.reading.grammar import read
from assistant.values import Step

QUOTED = re.compile(r"[\"\u201c\u201e]([^\"\u201c\u201d\u201e]+)[\"\u201d\u201c]")
PLACE = re.compile(r"\{\w+\}")
QUOTES = str.maketrans({"\u2018": "'", "\u2019": "'", "\u201c": "'", "\u201d": "'", "\u201e": "'", '"': "'"})
SHOWN = 80
"""Characters of foreign words that are shown."""


def may_write(step: Step, setting: Setting) -> bool:
    """By the instruction itself, whatever the model calls it."""
    reading = _reading(step, setting)
    return reading.call is None or not reading.certain or writes(reading.call.operation)


def alike(steps: Sequence[Step], own: Sequence[Step], setting: Setting) -> bool:
    """Whether each step that writes, or that only a model can read, is one that code reads in the message (`own`), under the same
    condition; and whether what it refers to is looked for there in the same way, too."""

    def same(step: Step, other: Step) -> bool:
        planned, said = _reading(step, setting), _reading(other, setting)
        return planned.certain and planned.call is not None and planned.call == said.call and step.when == other.when

    planned_by, own_by = ({step.id: step for step in all_} for all_ in (steps, own))
    doubtful = [step for step in steps if may_write(step, setting)]
    inputs = {n for step in doubtful for n in _rests_on(step, planned_by)}
    return all(any(same(step, other) for other in own) for step in doubtful) and all(
        n in own_by and same(planned_by[n], own_by[n]) for n in inputs
    )


def _rests_on(step: Step, steps: Mapping[int, Step]) -> Iterator[int]:
    """The steps without which it would be another, those that stand further back included; each stands before what needs it."""
    for n in step.needs:
        yield n
        yield from _rests_on(steps[n], steps)


def doubted(step: Step, request: Request) -> Step:
    """With a guess where it dictates words that the user has not said."""
    if not may_write(step, request.setting):
        return step
    call = _reading(step, request.setting).call
    dictated = [call.body] if call and call.body else QUOTED.findall(step.instruction) if call is None else []
    said = "\n".join((request.text, request.last, *(one for one in request.history if one.startswith("user: "))))
    foreign = [words for words in dictated if not stands_in(words, said)]
    return (
        step.model_copy(update={"guess": f"you agree to words that are not yours: “{one_line(foreign[0], SHOWN)}”"})
        if foreign
        else step
    )


def stands_in(words: str, said: str) -> bool:
    """Whether they are said there, be it in other quotation marks, letters or lines; a {gap} may hold anything."""
    flat = _flat(said)
    return all(_flat(part) in flat for part in PLACE.split(words))


def _flat(text: str) -> str:
    return " ".join(visible(text).translate(QUOTES).split()).casefold().strip(" .!")


def _reading(step: Step, setting: Setting) -> Reading:
    return read(step.instruction, setting, step.agent)
