"""`assistant explain`: how a sentence is read, without doing anything."""

from collections.abc import Iterator
from pathlib import Path

from rich.markup import escape

from assistant.bootstrap import open_assistant
from assistant.cli import render
from assistant.reasoning.offline.explaining import Explanation, Line, StepRead, explain


async def show(home: Path | None, text: str, *, json: bool) -> int:
    async with open_assistant(home, recover=False) as a:
        found = explain(text, (await a.dispatch.desk()).setting)
    if json:
        print(found.model_dump_json(indent=2))
    else:
        render.console().print("\n".join(lines(found)))
    return 0 if found.steps or found.says else 1


def lines(found: Explanation) -> Iterator[str]:
    if found.respelt:
        yield f"[bold]Spelling[/]   {escape(', '.join(found.respelt))}"
    yield f"[bold]Tokens[/]     {escape(' · '.join(token.text for token in found.tokens if token.text))}"
    yield from _block("Entities", found.entities)
    yield from _block("Clauses", found.clauses)
    for step in found.steps:
        yield from _step(step)
    if found.missing:
        yield f"[bold]Asks[/]       {escape(' '.join(found.missing))}"
    if found.unread:
        yield f"[bold]Unread[/]     {escape(' '.join(found.unread))}"
    if found.says:
        yield f"[bold]Answers[/]    {escape(found.says)}"


def _block(title: str, rows: tuple[Line, ...]) -> Iterator[str]:
    for number, row in enumerate(rows):
        head = f"[bold]{title}[/]" + " " * (11 - len(title)) if number == 0 else " " * 11
        meaning = f" → {row.meaning}" if row.meaning else ""
        yield f"{head}{escape(row.text)}  [dim]{escape(row.kind)}[/]{escape(meaning)}"


def _step(step: StepRead) -> Iterator[str]:
    condition = f"  [dim]{escape(step.condition)}[/]" if step.condition else ""
    yield f"[bold]Step {step.id}[/]     {step.agent}: {escape(step.instruction)}{condition}"
    yield f"           = {step.operation or 'not read'}"
    for line in step.details:
        yield f"             [dim]{line.kind}[/] {escape(line.text)}: {escape(line.meaning)}"
    for guess in step.guesses:
        yield f"             [dim]guesses[/] {escape(guess)}"
