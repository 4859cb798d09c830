"""A program that sends one mail, and may be killed meanwhile; it reads from stdin, as JSON, what to do."""

import asyncio
import json
import subprocess
import sys
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

from doubles.secrets import KeptSecrets

from integrations.actions import SendMail
from integrations.registry import AccountConfig, open_account

TESTS = Path(__file__).parents[2]


def started(config: AccountConfig, secret: str, index: Path, action: SendMail, key: str) -> "subprocess.Popen[str]":
    """Its stdout says "sent" once it has been sent."""
    program = subprocess.Popen(
        [sys.executable, "-m", "doubles.killing.sender"],
        cwd=TESTS,
        env={"PYTHONPATH": f"{TESTS}:{TESTS.parent}", "PATH": "/usr/bin:/bin"},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    given = {"config": config.model_dump_json(), "secret": secret, "index": str(index)}
    given |= {"action": action.model_dump_json(), "key": key}
    assert program.stdin
    program.stdin.write(json.dumps(given))
    program.stdin.close()
    program.stdin = None
    return program


async def send(given: dict[str, Any]) -> None:
    config = AccountConfig.model_validate_json(given["config"])
    secrets = KeptSecrets(**{config.name: given["secret"]})
    account = open_account(config, zone=ZoneInfo("Europe/Berlin"), index=Path(given["index"]), secrets=secrets)
    try:
        await account.writers.mail.execute(SendMail.model_validate_json(given["action"]), given["key"])
        print("sent")
    finally:
        await account.close()


if __name__ == "__main__":
    asyncio.run(send(json.loads(sys.stdin.read())))
