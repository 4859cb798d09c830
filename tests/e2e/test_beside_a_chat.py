"""A command beside a running chat, on one home and in its conversation."""

import subprocess
import sys
from pathlib import Path

from assistant.bootstrap import open_assistant

COMMAND = (sys.executable, "-m", "assistant", "--home")


async def test_a_preview_that_the_chat_and_a_command_approve_at_once_is_carried_out_once(home: Path):
    with subprocess.Popen([*COMMAND, str(home)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as chat:
        assert chat.stdin and chat.stdout
        chat.stdin.write("send a mail to zoe@example.org saying I'll be late\n")
        chat.stdin.flush()
        next(line for line in chat.stdout if "approve" in line)
        async with open_assistant(home, recover=False) as a:
            (preview,) = await a.open_previews()
        racing = subprocess.Popen([*COMMAND, str(home), "approve", preview.id, "--yes"])
        told, _ = chat.communicate("approve\n")
        assert chat.returncode == 0 and (racing.wait(60) == 0 or "✓ Done" in told)
    assert len(list((home / "sample" / "mail" / ".Outbox" / "cur").iterdir())) == 1
    async with open_assistant(home, recover=False) as a:
        flows = await a.flows()
    assert len(flows) >= 2 and not [flow for flow in flows if flow.status == "running"]
