"""The commands that talk to the one door. Each returns its exit status."""

import json as jsonlib
import sys
from collections.abc import Iterable
from pathlib import Path

from assistant.bootstrap import open_assistant
from assistant.cli import render
from assistant.errors import UserError
from assistant.facade import Assistant, Turn
from risk.preview import Preview

NEEDS_APPROVAL, NEEDS_ANSWER, FAILED = 10, 11, 1


def status_of(turn: Turn) -> int:
    if turn.question:
        return NEEDS_ANSWER
    if turn.previews:
        return NEEDS_APPROVAL
    bad = turn.status == "failed" or any(o.status in ("failed", "unknown") for o in turn.outcomes)
    return FAILED if bad else 0


def show(turn: Turn, assistant: Assistant, *, json: bool) -> int:
    if json:
        print(turn.model_dump_json(indent=2))
    else:
        render.console().print(render.turn(turn, assistant.clock()))
    return status_of(turn)


def the_one(target: str, ids: Iterable[str], what: str, plural: str) -> str:
    """The id that begins with `target`; without one, the only id there is."""
    ids = list(ids)
    fits = [id for id in ids if id.startswith(target)]
    if len(fits) == 1 or target in ids:
        return target if target in ids else fits[0]
    if not ids:
        raise UserError(f"There are no {plural}.")
    if fits:
        several = f"Several {plural} begin with {target}" if target else f"There are several {plural}"
        raise UserError(f"{several}; say which: {', '.join(fits)}.")
    raise UserError(f"There is no {what} {target}; there are: {', '.join(ids)}.")


async def ask(home: Path | None, conversation: str, text: str, *, json: bool) -> int:
    async with open_assistant(home) as a:
        return show(await a.say(conversation, text), a, json=json)


async def answer(home: Path | None, question: str, words: str, *, json: bool) -> int:
    async with open_assistant(home) as a:
        if not question:
            waiting = [head for head in await a.flows(resting=True) if head.status == "waiting"]
            if not waiting:
                raise UserError("No question is open.")
            newest = await a.flow(max(waiting, key=lambda head: head.updated).id)
            question = newest.question.id if newest.question else ""
        return show(await a.answer(question, words), a, json=json)


async def previews(home: Path | None, *, json: bool) -> int:
    async with open_assistant(home) as a:
        found = await a.open_previews()
        if json:
            print(jsonlib.dumps([p.model_dump(mode="json") for p in found], indent=2))
        elif not found:
            print("Nothing awaits your approval.")
        else:
            render.console().print(*(render.preview(p, a.clock()) for p in found))
    return 0


async def approve(home: Path | None, target: str, fingerprint: str, *, yes: bool, json: bool) -> int:
    async with open_assistant(home) as a:
        found = await _preview(a, target)
        if not yes and not fingerprint:
            _confirm(found, a)
        return show(await a.approve(found.id, fingerprint or found.fingerprint), a, json=json)


async def _preview(a: Assistant, target: str) -> Preview:
    """The open preview meant; one that is not open any more is looked up too, so that its state can be told."""
    found = {p.id: p for p in await a.open_previews()}
    if target and not any(id.startswith(target) for id in found):
        return await a.preview(target)
    return found[the_one(target, found, "preview", "previews")]


def _confirm(found: Preview, a: Assistant) -> None:
    if not sys.stdin.isatty():
        raise UserError(f"Approve with --fingerprint {found.fingerprint}, or with --yes to approve it unseen.")
    render.console().print(render.preview(found, a.clock()))
    said = input("Approve exactly this? [y/N] ")
    if said.strip().casefold() not in ("y", "yes"):
        raise UserError("Nothing was done; the preview stays open.")


async def revise(home: Path | None, target: str, words: str, *, json: bool) -> int:
    async with open_assistant(home) as a:
        return show(await a.revise((await _preview(a, target)).id, words), a, json=json)


async def cancel(home: Path | None, target: str, *, json: bool) -> int:
    async with open_assistant(home) as a:
        ids = [p.id for p in await a.open_previews()] + [head.id for head in await a.flows(resting=True)]
        return show(await a.cancel(the_one(target, ids, "preview or task", "previews or tasks")), a, json=json)


async def flows(home: Path | None, *, all_: bool, json: bool) -> int:
    async with open_assistant(home) as a:
        heads = await a.flows(resting=not all_)
        if json:
            print(jsonlib.dumps([head.model_dump(mode="json") for head in heads], indent=2))
        elif not heads:
            print("No task is waiting or suspended.")
        else:
            render.console().print(render.flow_table(heads))
    return 0


async def resume(home: Path | None, target: str, *, json: bool) -> int:
    async with open_assistant(home) as a:
        heads = await a.flows(resting=True)
        ids = [head.id for head in heads]
        chosen = the_one(target, ids, "suspended task", "suspended tasks") if target or not ids else ids[0]
        return show(await a.resume(chosen), a, json=json)


async def undo(home: Path | None, conversation: str, target: str, *, json: bool) -> int:
    async with open_assistant(home) as a:
        return show(await a.undo(conversation, target), a, json=json)
