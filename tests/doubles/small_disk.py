"""A home on a disk of its own that is really full at a chosen moment.

python -m doubles.small_disk ROOT, where ROOT/disk is a small file system: prints what came of each moment as JSON.
"""

import asyncio
import json
import subprocess
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from doubles.crashes import MAIL, doing, sent

from assistant.bootstrap import LocalAccount, open_assistant
from assistant.facade import Assistant
from assistant.pipeline.execute import Executor

NOW, DAY = datetime(2026, 11, 18, 10, 0, tzinfo=UTC), timedelta(days=1)
MOMENTS = ("start", "approval", "before the write", "after the write", "release", "read-only")
"""The last but one: while a mail is released that was held until then; the last: at the start, of a disk that is not full."""
MOUNT = "mount -t tmpfs -o size=16m none {root}/disk"


class Disk:
    """The file system of one home, and a mailbox on another."""

    def __init__(self, root: Path, name: str) -> None:
        self.home, self._filler = root / "disk" / name / "home", root / "disk" / "filler"
        folders = {kind: root / name / kind for kind in ("mail", "calendars", "contacts")}
        for folder in folders.values():
            folder.mkdir(parents=True)
        self.account = LocalAccount(**folders, address="me@example.org")
        self.now = NOW

    def fill(self) -> None:
        with self._filler.open("wb", buffering=0) as file:
            for size in (2**20, 2**16, 2**12, 1):
                try:
                    while True:
                        file.write(b"x" * size)
                except OSError:
                    continue

    def free(self) -> None:
        self.remount("rw")
        self._filler.unlink(missing_ok=True)

    def remount(self, how: str) -> None:
        subprocess.run(["mount", "-o", f"remount,{how}", self._filler.parent], check=True)

    @asynccontextmanager
    async def opened(self) -> AsyncIterator[Assistant]:
        later = self.home.parent.name == "release"
        reasoner, agent = doing(MAIL.model_copy(update={"send_at": NOW + DAY}) if later else MAIL, "mail Anna")
        agents: dict[Any, Any] = {"email": agent, "calendar": agent, "contacts": agent}
        where = open_assistant(
            self.home, clock=lambda: self.now, zone="UTC", accounts=[self.account], reasoner=reasoner, agents=agents
        )
        async with where as a:
            yield a


async def filled(disk: Disk, moment: str) -> dict[str, Any]:
    """What was said while the disk was full; the writes that were told of after there was room again, and the mails that lie in the
    Outbox at the end."""
    async with disk.opened() as a:
        preview = (await a.say("c", "go")).previews[0]
    written = Executor._write
    try:
        Executor._write = filling(written, disk.fill, moment)  # type: ignore[method-assign]
        said = await approve(disk, preview.id, preview.fingerprint, moment)
    finally:
        Executor._write = written  # type: ignore[method-assign]
        disk.free()
    meanwhile = len(sent(disk.account))
    async with disk.opened() as a:
        recovered = [outcome.status for outcome in (*a.recovered, *a.released)]
        still_open = [one.id for one in await a.open_previews()] == [preview.id]
        await a.say("c", "approve")
        running = [head.about for head in await a.flows() if head.status == "running"]
    return {
        "said": said,
        "meanwhile": meanwhile,
        "recovered": recovered,
        "still open": still_open,
        "running": running,
        "sent": len(sent(disk.account)),
    }


def filling(written: Callable[..., Any], fill: Callable[[], None], moment: str) -> Callable[..., Any]:
    async def write(*given: Any) -> Any:
        if moment == "before the write":
            fill()
        receipt = await written(*given)
        if moment == "after the write":
            fill()
        return receipt

    return write


async def approve(disk: Disk, preview: str, fingerprint: str, moment: str) -> str:
    try:
        if moment == "start":
            disk.fill()
        if moment == "read-only":
            disk.remount("ro")
        async with disk.opened() as a:
            if moment == "approval":
                disk.fill()
            turn = await a.approve(preview, fingerprint)
            if moment == "release":
                disk.fill()
                disk.now += 2 * DAY
                await a.release()
            return turn.reply
    except Exception as error:
        return str(error)


def on_a_small_disk(root: Path) -> dict[str, dict[str, Any]] | None:
    """By moment; None where this user may not have file systems of their own."""
    (root / "disk").mkdir()
    mount = MOUNT.format(root=root)
    try:
        in_a_namespace(mount)
    except (OSError, subprocess.CalledProcessError):
        return None
    return json.loads(in_a_namespace(f"{mount} && exec {sys.executable} -m doubles.small_disk {root}").splitlines()[-1])


def in_a_namespace(command: str) -> str:
    """Its output; CalledProcessError where it fails."""
    tests = Path(__file__).parents[1]
    return subprocess.run(["unshare", "-rm", "sh", "-c", command], stdout=subprocess.PIPE, text=True, cwd=tests, check=True).stdout


async def main(root: Path) -> None:
    print(json.dumps({moment: await filled(Disk(root, moment.replace(" ", "-")), moment) for moment in MOMENTS}))


if __name__ == "__main__":
    asyncio.run(main(Path(sys.argv[1])))
