"""What of a model's plan the user's own words ask for: what code reads in both counts, never what the model says of it."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Literal

from assistant.reasoning.base import Request, Setting
from assistant.reasoning.calls import Call, Person, Reading, Selection
from assistant.reasoning.deeds import deed, instead_of, speaks_of
from assistant.reasoning.everyday import PLAIN, WORD
from assistant.reasoning.llm.differing import OTHERS, TIMES, differs, other_than_shown, sends_later
from assistant.reasoning.llm.visible import one_line, visible
from assistant.reasoning.offline.criteria import writes
from assistant.reasoning.offline.reading.grammar import read
from assistant.values import Data, Step

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
    condition and no oftener than there; and whether what it refers to is looked for there in the same way, too."""
    return not _unread(steps, own, setting)


def _unread(steps: Sequence[Step], own: Sequence[Step], setting: Setting) -> list[Step]:
    """The writing or doubtful steps of which that does not hold."""
    planned_by, own_by = ({step.id: step for step in all_} for all_ in (steps, own))
    left, unread = list(own), []
    for step in steps:
        if not may_write(step, setting):
            continue
        other = next((other for other in left if _same(step, other, setting)), None)
        inputs = _rests_on(step, planned_by)
        if other is not None:
            left.remove(other)
        if other is None or not all(n in own_by and _same(planned_by[n], own_by[n], setting) for n in inputs):
            unread.append(step)
    return unread


def as_said(steps: Sequence[Step], own: Sequence[Step] | Call, setting: Setting) -> bool:
    """Whether the plan is, step for step, what code reads in the message: `own` steps, or one look."""
    if isinstance(own, Call):
        return len(steps) == 1 and steps[0].when is None and _certain(steps[0], setting) == _bare(own)
    pairs = zip(steps, own, strict=False)
    return len(steps) == len(own) and all(one.id == other.id and _same(one, other, setting) for one, other in pairs)


def looks(own: Sequence[Step] | Call, setting: Setting) -> bool:
    """Whether code reads in the message, for certain, nothing but looks into what the user has; a question that a mail may answer
    need not be one."""
    calls = [own] if isinstance(own, Call) else [_certain(step, setting) for step in own]
    return bool(calls) and all(call and not writes(call.operation) and call.operation != "mail.answer" for call in calls)


def reads(own: Sequence[Step] | Call, setting: Setting) -> Literal["writes", "looks", ""]:
    """What code reads in the message: a write, for certain nothing but looks, or neither. A look that was read in passing, before
    the whole message was, counts for neither."""
    if isinstance(own, Call):
        return ""
    if any(step.criterion.expects == "proposal" for step in own):
        return "writes"
    return "looks" if looks(own, setting) else ""


def _same(step: Step, other: Step, setting: Setting) -> bool:
    """A look of which less is expected is the same; what code had to guess is not."""
    planned = _certain(step, setting)
    expected = step.criterion.expects in ("answer", other.criterion.expects)
    return planned is not None and planned == _certain(other, setting) and step.when == other.when and expected


def _certain(step: Step, setting: Setting) -> Call | None:
    reading = _reading(step, setting)
    return _bare(reading.call) if reading.certain and reading.call else None


def _bare(call: Call) -> Call:
    """A question is the same with or without its mark."""
    return call.model_copy(update={"question": call.question.rstrip(" ?.!")}) if call.question else call


def _rests_on(step: Step, steps: Mapping[int, Step]) -> Iterator[int]:
    """The steps without which it would be another, those that stand further back included; each stands before what needs it."""
    for n in step.needs:
        yield n
        yield from _rests_on(steps[n], steps)


def _with_inputs(step: Step, steps: Mapping[int, Step]) -> Iterator[Step]:
    """It, and the steps whose results it speaks of."""
    yield step
    for n in step.needs:
        if f"{{{n}}}" in step.instruction:
            yield from _with_inputs(steps[n], steps)


def doubted(step: Step, request: Request) -> Step:
    """With a guess where it dictates words that the user has not said."""
    if not may_write(step, request.setting):
        return step
    foreign = [words for words in _dictated(step, request) if not stands_in(words, _said(request))]
    if not foreign:
        return step
    guess = f"you agree to words that are not yours: “{one_line(foreign[0], SHOWN)}”"
    return step.model_copy(update={"guess": guess})


def warned(steps: Sequence[Step], own: Sequence[Step] | Call, request: Request) -> tuple[Step, ...]:
    """With a warning at each write that code does not read in the message, where it is of another kind than the message speaks of,
    or rests on words that stand nowhere in what the user said."""
    read_there = () if isinstance(own, Call) else own
    unread = {step.id for step in _unread(steps, read_there, request.setting)}
    calls = [(step, call) for step in read_there if (call := _whole(step, read_there, request.setting))]
    return tuple(_warned(step, steps, calls, request) if step.id in unread else step for step in steps)


def _whole(step: Step, steps: Sequence[Step], setting: Setting) -> Call | None:
    """Its call, with what earlier steps find for it in the place of the references."""
    call = _reading(step, setting).call
    if call is None:
        return None
    found = {str(one.id): there.select for one in steps if (there := _reading(one, setting).call)}
    select = found.get(call.select.refs[0], call.select) if len(call.select.refs) == 1 else call.select
    people = {side: _persons(getattr(call, side), found) for side in ("to", "cc", "bcc")}
    return call.model_copy(update={"select": select, **people})


def _persons(people: Iterable[Person], found: Mapping[str, Selection]) -> tuple[Person, ...]:
    return tuple(one for person in people for one in (found[person.ref].people if person.ref in found else (person,)))


def _warned(step: Step, steps: Sequence[Step], own: Sequence[tuple[Step, Call]], request: Request) -> Step:
    call = _whole(step, steps, request.setting)
    alike = [(said, one) for said, one in own if call and one.operation == call.operation]
    warnings = list[str]()
    if call is not None and writes(call.operation) and not alike and not speaks_of(request.text, call.operation):
        warnings.append(f"you did not ask for this in your message: it would {deed(call.operation)}")
    elif call is not None and (asked := instead_of(call.operation, (one.operation for _, one in own))):
        warnings.append(f"your message asks to {deed(asked)}, and this would {deed(call.operation)}")
    elif call is not None and sends_later(call, [one for _, one in own]):
        warnings.append(TIMES)
    elif step.guess:
        warnings.append(step.guess.replace("you agree to words that are not yours", "it has words that are not yours"))
    elif foreign := _foreign(_with_inputs(step, {one.id: one for one in steps}), request):
        warnings.append(f"your message says nothing of “{one_line(' '.join(foreign), SHOWN)}”")
    elif call is not None and (difference := differs(call, [one for _, one in alike])):
        warnings.append(difference)
    elif call is not None and other_than_shown(call, [one for _, one in alike], _lately(request)):
        warnings.append(OTHERS)
    elif alike and step.when is None and all(said.when for said, _ in alike):
        warnings.append("your message asks for it under a condition only")
    return step.model_copy(update={"warnings": tuple(warnings)})


def _lately(request: Request) -> Data | None:
    return request.shown[0].data if request.shown else None


def _foreign(steps: Iterable[Step], request: Request) -> list[str]:
    """What the instructions speak of that neither the user's words nor everyday ones hold. Times and numbers are put in many ways,
    so they are none of it."""
    said = {word.casefold() for word in WORD.findall(f"{_said(request)}\n{' '.join(request.setting.templates)}")}
    # Who is called by one name is known by the other, too.
    for name in request.setting.names:
        parts = {word.casefold() for word in WORD.findall(name)}
        said |= parts if parts & said else set()
    roots = {_root(word) for word in said}
    told = " ".join(step.instruction for step in steps)
    words = [word for word in WORD.findall(PLACE.sub(" ", told)) if not any(sign.isdigit() for sign in word)]
    return list(dict.fromkeys(word for word in words if not (word.casefold().removesuffix("'s") in PLAIN or _root(word) in roots)))


def _root(word: str) -> str:
    low = word.casefold().removesuffix("'s")
    return re.sub(r"(?:ing|ed|es|s|e)$", "", low) if len(low) > 3 else low


def _said(request: Request) -> str:
    return "\n".join((request.text, request.last, *(one for one in request.history if one.startswith("user: "))))


def _dictated(step: Step, request: Request) -> list[str]:
    call = _reading(step, request.setting).call
    return [call.body] if call and call.body else QUOTED.findall(step.instruction) if call is None else []


def stands_in(words: str, said: str) -> bool:
    """Whether they are said there, be it in other quotation marks, letters or lines; a {gap} may hold anything."""
    flat = _flat(said)
    return all(_flat(part) in flat for part in PLACE.split(words))


def _flat(text: str) -> str:
    return " ".join(visible(text).translate(QUOTES).split()).casefold().strip(" .!")


def _reading(step: Step, setting: Setting) -> Reading:
    return read(step.instruction, setting, step.agent)
