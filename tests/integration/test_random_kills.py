"""Whenever the program is killed, every approved write is there exactly once or still awaits approval."""

import asyncio
import os
import re
import sys
from collections import Counter
from pathlib import Path

import pytest
from doubles.kills import START, account_at

from assistant.bootstrap import open_assistant
from assistant.facade import Assistant

KILLS = 20
TESTS = Path(__file__).parents[1]


def effects(root: Path) -> Counter[str]:
    """What lies in the outbox and in the calendar, by name."""
    files = [*(root / "mail" / ".Outbox" / "cur").glob("*"), *(root / "calendars").rglob("*.ics")]
    return Counter(name for file in files for name in re.findall(r"^(?:Subject: |SUMMARY:)(write-\S+)", file.read_text(), re.M))


async def opened_once_more(home: Path, root: Path, approved: dict[str, str]) -> dict[str, str]:
    """The status of each preview after the last recovery."""
    async with open_assistant(home, clock=lambda: START, zone="UTC", accounts=[account_at(root)]) as a:
        assert not [head for head in await a.flows() if head.status == "running"]
        return {name: await status(a, preview) for name, preview in approved.items()}


async def status(a: Assistant, preview: str) -> str:
    return (await a.preview(preview)).status


@pytest.mark.skipif(not hasattr(os, "fork"), reason="kills forked processes")
async def test_every_approval_has_one_effect_whenever_the_program_is_killed(tmp_path: Path):
    home, root, notes = tmp_path / "home", tmp_path / "account", tmp_path / "notes"
    for folder in ("mail", "calendars", "contacts"):
        (root / folder).mkdir(parents=True)
    command = [sys.executable, "-m", "doubles.kills", str(home), str(root), str(notes), str(KILLS), "1"]
    killing = await asyncio.create_subprocess_exec(*command, cwd=TESTS)
    assert await asyncio.wait_for(killing.wait(), 120) == 0
    noted = [line.split() for line in notes.read_text().splitlines()]
    approved = {name: preview for word, name, preview in noted if word == "approving"}
    told_done = {name for word, name, _ in noted if word == "done"}

    previews = await opened_once_more(home, root, approved)
    found = effects(root)
    assert told_done and set(found.values()) == {1}
    assert told_done <= set(found) <= set(approved)
    assert {name for name, status in previews.items() if status == "approved"} == set(found)
    assert set(previews.values()) <= {"approved", "open"}
