"""A program that sends one mail, and may be killed meanwhile; it reads from stdin, as JSON, what to do. It is forked off one that
has imported all it needs."""

import asyncio
import atexit
import json
import sys
from functools import cache
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

from doubles.command import Commands, Running
from doubles.secrets import KeptSecrets

from integrations.actions import SendMail
from integrations.registry import AccountConfig, open_account

IMPORTED = "doubles.killing.sender integrations.standards.provider integrations.standards.mail_writer aiosmtplib"
PROGRAM = """
import importlib, sys
for name in sys.argv[2].split():
    importlib.import_module(name)
from doubles.command import ends, forked
forked(int(sys.argv[1]))
from doubles.killing.sender import main
main()
ends(0)
"""


@cache
def _programs() -> Commands:
    made = Commands(PROGRAM, IMPORTED)
    atexit.register(made.close)
    return made


def started(config: AccountConfig, secret: str, index: Path, action: SendMail, key: str) -> Running:
    """Its stdout says "sent" once it has been sent."""
    program = _programs().start(env={"PATH": "/usr/bin:/bin"})
    given = {"config": config.model_dump_json(), "secret": secret, "index": str(index)}
    given |= {"action": action.model_dump_json(), "key": key}
    program.stdin.write(json.dumps(given))
    program.stdin.close()
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


def main() -> None:
    asyncio.run(send(json.loads(sys.stdin.read())))
