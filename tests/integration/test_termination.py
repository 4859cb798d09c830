"""SIGTERM, or the end of its terminal, ends any assistant within seconds: a write in hand is finished and told, whatever else
runs rests."""

import asyncio
import os
import re
import signal
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest
from doubles.terminations import FOLDERS, START, account_at
from doubles.thinking import ScriptedAgent, ScriptedReasoner, plan, step

from assistant.bootstrap import open_assistant
from assistant.cli import process

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="signals forked processes")
TESTS = Path(__file__).parents[1]


class Terminated:
    """`ends`: exit status and seconds of each process; `noted`: what each wrote down."""

    def __init__(self, base: Path, times: int, delay: float, grace: float, ending: str = "SIGTERM") -> None:
        self.home, self.root, notes = base / "home", base / "account", base / "notes"
        notes.touch()
        for name in FOLDERS:
            (self.root / name).mkdir(parents=True)
        arguments = map(str, (self.home, self.root, notes, times, delay, grace, 7, ending))
        done = subprocess.run(
            [sys.executable, "-m", "doubles.terminations", *arguments], cwd=TESTS, capture_output=True, text=True, timeout=120
        )
        assert done.returncode == 0 and not done.stderr, done.stderr
        self.ends = [(int(status), float(seconds)) for status, seconds in map(str.split, done.stdout.splitlines())]
        self.noted = [line.split() for line in notes.read_text().splitlines()]

    def effects(self) -> Counter[str]:
        files = [*(self.root / "mail" / ".Outbox" / "cur").glob("*"), *(self.root / "calendars").rglob("*.ics")]
        return Counter(name for file in files for name in re.findall(r"^(?:Subject: |SUMMARY:)(write-\S+)", file.read_text(), re.M))

    def opened(self):
        return open_assistant(self.home, clock=lambda: START, zone="UTC", accounts=[account_at(self.root)])


@pytest.mark.parametrize("ending", ["SIGTERM", "SIGHUP"])
async def test_a_write_in_hand_is_finished_and_nothing_is_left_to_recover(tmp_path, heeded_signals, ending):
    ended = Terminated(tmp_path, times=4, delay=0.1, grace=8.0, ending=ending)
    assert {status for status, _ in ended.ends} == {process.TERMINATED}
    approved = {name: preview for word, name, preview in ended.noted if word == "approving"}
    async with ended.opened() as a:
        assert a.recovered == () and not a.going_on
        assert not [head for head in await a.flows() if head.status == "running"]
        assert {(await a.preview(preview)).status for preview in approved.values()} <= {"approved", "open"}
        carried_out = {name for name, preview in approved.items() if (await a.preview(preview)).status == "approved"}
    assert carried_out and ended.effects() == Counter(carried_out)


async def test_a_write_that_takes_too_long_is_left_and_found_out_at_the_next_start(tmp_path):
    ended = Terminated(tmp_path, times=1, delay=60, grace=0.2)
    ((status, seconds),) = ended.ends
    assert status == process.TERMINATED and seconds < 10
    assert not ended.effects()
    async with ended.opened() as a:
        assert [outcome.status for outcome in a.recovered] == ["done"]
    assert ended.effects() == Counter(["write-0-0"])


def test_who_was_started_to_outlive_its_terminal_does(tmp_path):
    came = tmp_path / "came"

    async def work() -> int:
        os.kill(os.getpid(), signal.SIGHUP)
        for _ in range(10):  # the loop hears of a signal a turn later
            await asyncio.sleep(0)
        came.touch()
        return 0

    child = os.fork()
    if child == 0:
        signal.signal(signal.SIGHUP, signal.SIG_IGN)
        os._exit(process.run(work()))
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0 and came.exists()


def looking() -> tuple[ScriptedReasoner, ScriptedAgent]:
    return ScriptedReasoner({"go": plan(step(1, "look"))}), ScriptedAgent("email", {})


def test_a_task_that_waits_for_somebody_is_suspended_and_can_be_resumed(scripted):
    async def asked(waiting: int) -> int:
        reasoner, agent = looking()
        agent.gates["look"] = asyncio.Event()
        agent.on_start = lambda _: os.write(waiting, b"!")
        async with scripted(reasoner, agent) as a:
            await a.say("c", "go")
        return 0

    async def resumed() -> tuple[str, str]:
        async with scripted(*looking()) as a:
            (head,) = await a.flows()
            return head.status, (await a.resume(head.id)).status

    heard, waiting = os.pipe()
    child = os.fork()
    if child == 0:
        os._exit(process.run(asked(waiting)))
    os.read(heard, 1)
    os.kill(child, signal.SIGTERM)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == process.TERMINATED
    assert asyncio.run(resumed()) == ("suspended", "done")
