"""How a sentence is read: as one call, and as the steps of a plan."""

from assistant.reasoning.base import Request, Setting
from assistant.reasoning.calls import Call
from assistant.reasoning.offline.planning.planner import analyse
from assistant.reasoning.offline.reading.grammar import read


def call(text: str, setting: Setting) -> Call:
    found = read(text, setting).call
    assert found is not None
    return found


def steps(text: str, setting: Setting) -> list[str]:
    return [step.instruction for step in analyse(Request(text=text, setting=setting)).plan.steps]
