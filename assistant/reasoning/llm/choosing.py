"""From a sub-agent's instruction to one call of a tool: what a model may choose, and what of it is taken."""

from collections.abc import Iterator

from assistant.llm.messages import Completion
from assistant.reasoning.base import Instruction
from assistant.reasoning.calls import Reading
from assistant.reasoning.llm.honesty import invented
from assistant.reasoning.llm.tools import TOOLS, NotPossible
from assistant.reasoning.llm.vouching import stands_in

DICTATED = frozenset({"body", "value"})
"""Arguments that are written down as they are."""


def chosen(completion: Completion, instruction: Instruction) -> Reading:
    """Raises ValueError with a reason for the model."""
    if completion.finish == "length":
        raise ValueError("the answer broke off")
    if len(completion.calls) != 1:
        raise ValueError("call exactly one tool")
    given = completion.calls[0]
    kind = TOOLS[instruction.agent].get(given.name)
    if kind is None:
        raise ValueError(f"there is no tool {given.name}; there are: {', '.join(TOOLS[instruction.agent])}")
    arguments = kind.model_validate_json(given.arguments or "{}")
    if isinstance(arguments, NotPossible):
        return Reading(unread=(arguments.why,))
    texts = list(_texts(arguments.model_dump()))
    if wrong := invented("\n".join(text for _, text in texts), instruction.text):
        raise ValueError(f"{'; '.join(wrong)}: take over only what the instruction says")
    if foreign := [name for name, text in texts if name in DICTATED and not stands_in(text, instruction.text)]:
        raise ValueError(f"`{foreign[0]}` holds words that the instruction does not have; leave it out, or copy them")
    return Reading(call=arguments.call(instruction.setting), certain=True)


def _texts(value: object, name: str = "") -> Iterator[tuple[str, str]]:
    """Each text with the argument that holds it."""
    if isinstance(value, str):
        yield name, value
    elif isinstance(value, dict):
        for key, inner in value.items():
            yield from _texts(inner, key)
    elif isinstance(value, list):
        for inner in value:
            yield from _texts(inner, name)
