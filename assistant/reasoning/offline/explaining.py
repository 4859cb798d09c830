"""How a message was read, layer by layer: tokens, entities, clauses, and the plan with its calls."""

from assistant.reasoning.base import Analysis, Request, Setting
from assistant.reasoning.calls import Call, TimeSpec
from assistant.reasoning.offline.dates import say
from assistant.reasoning.offline.planning.message.messages import pieces
from assistant.reasoning.offline.planning.message.pieces import Piece
from assistant.reasoning.offline.planning.planner import analyse
from assistant.reasoning.offline.reading.entities import mark
from assistant.reasoning.offline.reading.grammar import parse, read
from assistant.reasoning.offline.reading.slots import cut
from assistant.reasoning.offline.reading.text.items import Item
from assistant.reasoning.offline.reading.text.spelling import corrected
from assistant.reasoning.offline.reading.text.tokens import tokenise
from assistant.values import CreateSchedule, OwnCommand
from integrations.types import Value

ENTITIES = ("time", "person", "name", "address", "quote", "phone", "ref")


class Line(Value):
    """One thing that was read: the words, what they are, and what they mean."""

    text: str
    kind: str
    meaning: str = ""


class StepRead(Value):
    id: int
    agent: str
    instruction: str
    condition: str = ""
    operation: str = ""
    details: tuple[Line, ...] = ()
    guesses: tuple[str, ...] = ()


class Explanation(Value):
    """`unread` are words that found no place; `says` is what would be answered where nothing is planned."""

    text: str
    respelt: tuple[str, ...] = ()
    tokens: tuple[Line, ...] = ()
    entities: tuple[Line, ...] = ()
    clauses: tuple[Line, ...] = ()
    steps: tuple[StepRead, ...] = ()
    missing: tuple[str, ...] = ()
    unread: tuple[str, ...] = ()
    says: str = ""


def explain(text: str, setting: Setting) -> Explanation:
    right, slips = corrected(text, setting)
    analysis = analyse(Request(text=text, setting=setting))
    clauses = pieces(right, setting)
    unread = [word for piece in clauses for word in parse(piece.text, setting).reading.unread]
    return Explanation(
        text=text,
        respelt=tuple(f"{one.wrong} → {one.right}" for one in slips),
        tokens=tuple(Line(text=token.text, kind=token.kind, meaning=token.low) for token in tokenise(right)),
        entities=tuple(_entity(item, setting) for item in mark(right, setting) if item.kind in ENTITIES),
        clauses=tuple(_clause(piece, setting) for piece in clauses),
        steps=_steps(analysis, setting),
        missing=tuple(gap.question for gap in analysis.missing),
        unread=tuple(unread),
        says=analysis.say or (_commanded(analysis.command) if analysis.command else ""),
    )


def _commanded(command: OwnCommand) -> str:
    if not isinstance(command, CreateSchedule):
        return f"a command: {command.kind}"
    from assistant.timetable.wording import in_words, task_in_words

    to = f", to {' and '.join(command.targets)}" if command.targets else ""
    return f"a schedule, {in_words(command.rule, command.zone)}: {task_in_words(command.task)}{to}"


def _entity(item: Item, setting: Setting) -> Line:
    meaning = say(item.time, setting.now) if item.time is not None else ""
    return Line(text=item.text, kind="unknown name" if item.kind == "name" else item.kind, meaning=meaning)


def _clause(piece: Piece, setting: Setting) -> Line:
    """The frame of a clause: its mood, its verb, and the slots that its words fall into."""
    found = parse(piece.text, setting)
    role = {"plain": "", "check": "condition, ", "if": "if it holds, ", "else": "else, ", "waits": "waits, ", "told": "told, "}[
        piece.role
    ]
    negated = ", negated" if piece.negated or found.clause.negated else ""
    verb = f" “{found.verb}”" if found.verb else ""
    slots = cut(piece.text, found.clause.rest, dictates=True).slots
    parts = [f"{slot.marker or 'object'}: {' '.join(item.text for item in slot.items)}" for slot in slots if slot.items]
    return Line(text=piece.text, kind=f"{role}{found.clause.mood}{verb}{negated}", meaning="; ".join(parts))


def _steps(analysis: Analysis, setting: Setting) -> tuple[StepRead, ...]:
    found = []
    for step in analysis.plan.steps:
        reading = read(step.instruction, setting, step.agent)
        condition = f"only if step {step.when.step} {'holds' if step.when.holds else 'does not hold'}" if step.when else ""
        found.append(
            StepRead(
                id=step.id, agent=step.agent, instruction=step.instruction, condition=condition, guesses=reading.guesses,
                operation=reading.call.operation if reading.call else "",
                details=_details(reading.call, setting) if reading.call else (),
            )
        )  # fmt: skip
    return tuple(found)


def _details(call: Call, setting: Setting) -> tuple[Line, ...]:
    lines = []
    for source, kind in ((call.select, "selects"), (call, "sets")):
        for name, field in type(source).model_fields.items():
            value = getattr(source, name)
            if name not in ("operation", "select") and value != field.default:
                lines.append(Line(text=name.replace("_", " "), kind=kind, meaning=_value(value, setting)))
    return tuple(lines)


def _value(value: object, setting: Setting) -> str:
    if isinstance(value, TimeSpec):
        return say(value, setting.now)
    if isinstance(value, tuple):
        return ", ".join(_value(one, setting) for one in value)
    if isinstance(value, Value):
        named = getattr(value, "text", "") or getattr(value, "email", "") or f"result {getattr(value, 'ref', '')}"
        role = getattr(value, "role", "any")
        return named if role == "any" else f"{role} {named}"
    return {True: "yes", False: "no"}.get(value, str(value)) if isinstance(value, bool) else str(value)
