"""The commands that talk to the one door. Each returns its exit status."""

import json as jsonlib
import shlex
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path

from assistant.bootstrap import open_assistant
from assistant.cli import render
from assistant.cli.text import counted
from assistant.errors import FlowError, UserError
from assistant.facade import Assistant, Turn
from risk.preview import Preview
from storage.tables import FlowHead

NEEDS_APPROVAL, NEEDS_ANSWER, FAILED, NOT_NOW = 10, 11, 1, 3
INTERNAL = {"user_id", "owner", "lease_until", "version", "interrupt"}
"""Of a flow: nothing that a script could use."""


def status_of(turn: Turn) -> int:
    if turn.status == "failed" or any(o.status in ("failed", "unknown") for o in turn.outcomes):
        return FAILED
    if turn.question:
        return NEEDS_ANSWER
    return NEEDS_APPROVAL if turn.previews else 0


def called(home: Path | None) -> str:
    """How the program is called again on this home."""
    return f"assistant --home {shlex.quote(str(home))}" if home else "assistant"


def show(turn: Turn, assistant: Assistant, home: Path | None, *, json: bool) -> int:
    if json:
        print(turn.model_dump_json(indent=2))
    else:
        out = render.console()
        out.print(render.turn(turn, assistant.clock(), command=called(home)))
        if any(outcome.status == "held" for outcome in turn.outcomes):
            out.print(render.stays(called(home)))
    return status_of(turn)


def the_one(target: str, ids: Iterable[str], what: str, plural: str) -> str:
    """The id that begins with `target`; without one, the only id there is."""
    ids = list(ids)
    fits = [id for id in ids if id.startswith(target)]
    if len(fits) == 1 or target in ids:
        return target if target in ids else fits[0]
    if not ids:
        raise FlowError(f"There are no {plural}.")
    if fits:
        several = f"Several {plural} begin with {target}" if target else f"There are several {plural}"
        raise UserError(f"{several}; say which: {', '.join(fits)}.")
    raise UserError(f"There is no {what} {target}; there are: {', '.join(ids)}.")


async def ask(home: Path | None, conversation: str, text: str, *, json: bool) -> int:
    async with open_assistant(home) as a:
        return show(await a.say(conversation, text), a, home, json=json)


async def answer(home: Path | None, question: str, words: str, *, json: bool) -> int:
    async with open_assistant(home) as a:
        if not question:
            waiting = [head for head in await a.flows(resting=True) if head.status == "waiting"]
            if not waiting:
                raise FlowError("No question is open.")
            newest = await a.flow(max(waiting, key=lambda head: head.updated).id)
            question = newest.question.id if newest.question else ""
        return show(await a.answer(question, words), a, home, json=json)


async def previews(home: Path | None, *, json: bool) -> int:
    async with open_assistant(home, recover=False) as a:
        found = await a.open_previews()
        if json:
            print(jsonlib.dumps([p.model_dump(mode="json") for p in found], indent=2))
        elif not found:
            print("Nothing awaits your approval.")
        else:
            render.console().print(*(render.Card(p, a.clock(), called(home)) for p in found))
    return 0


async def approve(home: Path | None, target: str, fingerprint: str, *, yes: bool, json: bool) -> int:
    async with open_assistant(home) as a:
        found = await _preview(a, target)
        if found.status == "open" and not yes and not fingerprint:
            _confirm(found, a, called(home))
        return show(await a.approve(found.id, fingerprint or found.fingerprint), a, home, json=json)


async def _preview(a: Assistant, target: str) -> Preview:
    """The open preview meant; one that is not open any more is looked up too, so that its state can be told."""
    found = {p.id: p for p in await a.open_previews()}
    if target and not any(id.startswith(target) for id in found):
        return await a.find_preview(target)
    return found[the_one(target, found, "preview", "open previews")]


def _confirm(found: Preview, a: Assistant, command: str) -> None:
    if not sys.stdin.isatty():
        raise UserError(f"Approve with --fingerprint {found.fingerprint}, or with --yes to approve it unseen.")
    render.console().print(render.Card(found, a.clock(), command))
    try:
        said = input("Approve exactly this? [y/N] ")
    except EOFError:
        said = ""
    if said.strip().casefold() not in ("y", "yes"):
        raise UserError("Nothing was done; the preview stays open.")


async def revise(home: Path | None, target: str, words: str, *, json: bool) -> int:
    async with open_assistant(home) as a:
        return show(await a.revise((await _preview(a, target)).id, words), a, home, json=json)


async def cancel(home: Path | None, target: str, *, json: bool) -> int:
    async with open_assistant(home) as a:
        heads = await a.flows(resting=True)
        ids = [p.id for p in await a.open_previews()] + [head.id for head in heads]
        if not any(id.startswith(target) for id in ids):
            ids += await _past(a, target)
        return show(await a.cancel(the_one(target, ids, "preview or task", "previews or tasks")), a, home, json=json)


async def _past(a: Assistant, target: str) -> list[str]:
    """Ids of what was there and can't be cancelled any more, which is then said."""
    try:
        return [(await a.find_preview(target)).id]
    except UserError:
        return [head.id for head in await a.flows() if head.id.startswith(target)]


async def flows(home: Path | None, *, all_: bool, json: bool) -> int:
    async with open_assistant(home, recover=False) as a:
        heads, open_ = await a.flows(resting=not all_), len(await a.open_previews())
        if json:
            print(jsonlib.dumps([head.model_dump(mode="json", exclude=INTERNAL) for head in heads], indent=2))
            return 0
        if heads:
            render.console().print(render.flow_table(heads))
        else:
            print("No task is waiting or suspended.")
        if open_ and not all_:
            print(f"Awaiting your approval: {counted(open_, 'preview')}; see `assistant previews`.")
    return 0


async def resume(home: Path | None, target: str, *, json: bool) -> int:
    async with open_assistant(home) as a:
        return show(await a.resume(_resting(target, await a.flows(resting=True), await a.flows())), a, home, json=json)


def _resting(target: str, resting: Sequence[FlowHead], every: Sequence[FlowHead]) -> str:
    """The task meant: by default the newest that rests. One that has ended is named too, so that its state can be told."""
    ids = [head.id for head in resting]
    if not target and ids:
        return ids[0]
    ended = [head.id for head in every if target and head.id.startswith(target)]
    if len(ended) == 1:
        return ended[0]
    return the_one(target, ids, "suspended task", "suspended tasks")


async def undo(home: Path | None, conversation: str, target: str, *, json: bool) -> int:
    async with open_assistant(home) as a:
        turn = await a.undo(conversation, target)
        status = show(turn, a, home, json=json)
    nothing = turn.status == "done" and not (turn.outcomes or turn.previews)
    return NOT_NOW if nothing else status
