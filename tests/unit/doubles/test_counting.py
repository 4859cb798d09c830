"""The crash bench sees what it is there to see."""

import json
from collections.abc import Awaitable, Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest
from doubles.killing.counting import Counting
from doubles.killing.notes import Notes, noted
from doubles.killing.verdict import Verdict
from doubles.providers.base import OWNER, ProviderDouble
from doubles.providers.local import Folders
from doubles.providers.log import LOG, log_effect, logged
from doubles.providers.remote import Remote
from doubles.providers.stock import stock_of
from doubles.writes import new_contact, new_mail

from assistant.bootstrap import open_assistant
from assistant.facade import Assistant
from storage import outbox

Tamper = Callable[[Assistant, Path, Notes], Awaitable[object]]


@pytest.fixture(scope="module")
def remote() -> Iterator[Remote]:
    with Remote() as provider:
        yield provider


async def counted(provider: ProviderDouble, folder: Path, tamper: Tamper) -> Verdict:
    """One mail and one contact were approved and done; then this happened to them."""
    root, notes = folder / "account", Notes(folder / "notes")
    root.mkdir()
    provider.stock(root, stock_of(1, owner=OWNER, now=datetime.now(UTC)))
    async with open_assistant(folder / "home", zone="UTC", accounts=[provider.config(root)]) as a:
        preview = (await a.propose("c", [await new_mail(a.readers), await new_contact(a.readers)])).previews[0]
        notes.note("approving", preview=preview.id, writes=2)
        for outcome in (await a.approve(preview.id, preview.fingerprint)).outcomes:
            notes.note("told", key=outcome.key, status=outcome.status)
        await tamper(a, root, notes)
        return await Counting(a, provider, root, noted(folder / "notes")).verdict()


async def nothing(a: Assistant, root: Path, notes: Notes) -> None: ...


async def doubles_an_effect(a: Assistant, root: Path, notes: Notes) -> None:
    log_effect(root / LOG, logged(root / LOG)[0]["key"], {})


async def acts_unasked(a: Assistant, root: Path, notes: Notes) -> None:
    log_effect(root / LOG, "another key", {})


async def loses_an_effect(a: Assistant, root: Path, notes: Notes) -> None:
    (root / LOG).write_text(json.dumps(logged(root / LOG)[0]) + "\n")


async def leaves_a_row_begun(a: Assistant, root: Path, notes: Notes) -> None:
    await a.database.write(lambda s: outbox.advance(s, 1, expect=("done",), to="started", at=a.clock()))


async def forgets_what_was_told(a: Assistant, root: Path, notes: Notes) -> None:
    notes.note("told", key="a key of nothing", status="done")


async def cannot_tell(a: Assistant, root: Path, notes: Notes) -> None:
    await a.database.write(lambda s: outbox.advance(s, 1, expect=("done",), to="unknown", at=a.clock()))


async def test_what_went_well_is_counted_as_done(remote, tmp_path):
    verdict = await counted(remote, tmp_path, nothing)
    assert (verdict.approved, verdict.done, verdict.sentences) == (2, 2, [])


@pytest.mark.parametrize(
    ("tamper", "number"),
    [
        (doubles_an_effect, "doubled"),
        (acts_unasked, "doubled"),
        (loses_an_effect, "lost"),
        (forgets_what_was_told, "lost"),
        (leaves_a_row_begun, "stuck"),
        (cannot_tell, "unknown"),
    ],
)
async def test_whatever_goes_wrong_is_counted_and_told(remote, tmp_path, tamper, number):
    verdict = await counted(remote, tmp_path, tamper)
    assert getattr(verdict, number) == 1 and verdict.sentences


async def test_where_nothing_is_logged_the_effects_are_seen_in_the_account(tmp_path):
    async def removes_the_mail(a: Assistant, root: Path, notes: Notes) -> None:
        next((root / "mail" / ".Outbox" / "cur").iterdir()).unlink()

    verdict = await counted(Folders(), tmp_path, removes_the_mail)
    assert (verdict.done, verdict.lost, verdict.falsely_told) == (2, 1, 1)
