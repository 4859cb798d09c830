"""A command beside a running chat, on one home and in its conversation."""

import asyncio
import subprocess
import sys
from pathlib import Path

from assistant.bootstrap import open_assistant
from risk.preview import Preview
from storage.tables import FlowHead

COMMAND = (sys.executable, "-m", "assistant", "--home")


async def stored(home: Path) -> tuple[tuple[Preview, ...], tuple[FlowHead, ...]]:
    async with open_assistant(home, recover=False) as a:
        return await a.open_previews(), await a.flows()


def test_a_preview_that_the_chat_and_a_command_approve_at_once_is_carried_out_once(home: Path):
    with subprocess.Popen([*COMMAND, str(home)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as chat:
        assert chat.stdin and chat.stdout
        chat.stdin.write("send a mail to zoe@example.org saying I'll be late\n")
        chat.stdin.flush()
        next(line for line in chat.stdout if "approve" in line)
        (preview,), _ = asyncio.run(stored(home))
        racing = subprocess.Popen([*COMMAND, str(home), "approve", preview.id, "--yes"])
        told, _ = chat.communicate("approve\n")
        assert chat.returncode == 0 and (racing.wait(60) == 0 or "✓ Done" in told)
    assert len(list((home / "sample" / "mail" / ".Outbox" / "cur").iterdir())) == 1
    previews, flows = asyncio.run(stored(home))
    assert not previews and not [flow for flow in flows if flow.status == "running"]
