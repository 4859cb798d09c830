"""Previews, questions and outcomes as text, for chat clients that show nothing else."""

from collections.abc import Iterable, Iterator

from assistant.facade import Turn
from assistant.reasoning.inert import inert
from assistant.reasoning.origins import HEADING, WARNING, kind_of, origin_of, person, reasons_of, text_of, unknown_first
from assistant.values import Outcome, Question
from risk.changes import Change, contents_of
from risk.preview import Item, Preview
from risk.tracing import Trace

ON_TEXT = ("Text", "Notes")
SIGN = "⚠"


def told(turn: Turn, page: str) -> str:
    """What was found or done, asked and proposed. `page` is the address of the service."""
    parts = [turn.said.strip()]
    if turn.question is not None and turn.question.choices:
        parts.append("\n".join(_choices(turn.question, turn.said)))
    parts += [card(preview, page) for preview in turn.previews]
    parts += [_waiting(outcome) for outcome in turn.outcomes if outcome.goes_out]
    return inert("\n\n".join(part for part in parts if part), known_to(turn, page))


def known_to(turn: Turn, page: str) -> str:
    """All whose links may be links in an answer, the service's own among them."""
    return "\n".join((turn.linkable, *(link(preview, page) for preview in turn.previews)))


def card(preview: Preview, page: str) -> str:
    """All that a person must know before approving, and where they can."""
    sample = " · sample account" if preview.sample else ""
    lines = [f"Preview · {preview.level} risk{sample} · nothing is done until you approve it"]
    lines += [f"- {SIGN} {WARNING}: {warning}" for warning in preview.warnings]
    lines += [f"- {reason}" for reason in reasons_of(preview)]
    if preview.through:
        lines.append(f"Through: {' and '.join(preview.through)}")
    lines += _changes("Different from what you saw", preview.differs)
    for number, item in enumerate(preview.items, start=1):
        lines += ["", *_item(item, f"{number}. " if len(preview.items) > 1 else "")]
    lines += ["", f"Approve or change it here: {link(preview, page)}"]
    return "\n".join(lines)


def link(preview: Preview, page: str) -> str:
    return f"{page.rstrip('/')}/#/preview/{preview.id}"


def _item(item: Item, number: str) -> Iterator[str]:
    yield f"{number}{item.says}"
    for one in item.recipients:
        warning = "" if one.known else f"{SIGN} "
        yield f"{one.line.capitalize()}: {person(one.address)} ({warning}{one.origin})"
    for field, value in contents_of(item.action).items():
        if value and field in ON_TEXT:
            yield f"{field}:"
            yield from (f"> {line}" for line in value.splitlines())
        elif value:
            yield f"{field}: {value}"
    yield from _changes("Changes", item.changes)
    if item.encloses:
        yield f"Goes along: {item.encloses.subject} (from {item.encloses.sender})"
    yield from (f"- {note}" for note in (*item.notes, *item.guesses))
    if item.traces:
        yield f"{HEADING}:"
        yield from (_traced(trace) for trace in unknown_first(item.traces))


def _traced(trace: Trace) -> str:
    return f"- {'' if trace.known else f'{SIGN} '}{kind_of(trace)} {text_of(trace)}: {origin_of(trace)}"


def _changes(heading: str, changes: Iterable[Change]) -> list[str]:
    rows = [f"- {change.field}: {change.before} → {change.after}" for change in changes]
    return [f"{heading}:", *rows] if rows else []


def _choices(question: Question, said: str) -> Iterator[str]:
    """Numbered as their ids are, unless the reply names them so already."""
    lines = [f"{choice.id}. {choice.label}" for choice in question.choices]
    if not all(line in said for line in lines):
        yield from lines
    yield "Answer with a number."


def _waiting(outcome: Outcome) -> str:
    return (
        f"{outcome.says or outcome.action.kind.replace('_', ' ')}: goes out {outcome.goes_out:%H:%M:%S}."
        if outcome.goes_out
        else ""
    )
