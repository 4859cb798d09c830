"""Kills a program at random moments of flows of several steps, starts it again and goes on with what it left.

python -m doubles.killing.flows FOLDER KILLS SEED [resident] prints one line of JSON for each kill.
"""

import asyncio
import json
import os
import signal
import sys
import time
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from random import Random

from doubles.killing.counting import under_way
from doubles.killing.notes import Notes, noted
from doubles.providers.base import ACCOUNT, OWNER
from doubles.providers.remote import Remote
from doubles.providers.stock import stock_of
from doubles.thinking import ScriptedAgent, ScriptedReasoner, plan, step

from assistant.agents.base import Desk
from assistant.bootstrap import open_assistant
from assistant.facade import Assistant
from assistant.values import Data, Proposal, Report, Success
from integrations.actions import MoveMail
from integrations.types import ARCHIVE, MailQuery

WORDS = "archive it"
READING = ("one", "two", "three")
TAKES = 0.008
"""Seconds for each step."""


class SlowAgent(ScriptedAgent):
    """Notes each step that it carries out; the last proposes to archive the newest mail."""

    def __init__(self, notes: Notes) -> None:
        super().__init__("email", {})
        self._notes = notes

    async def run(self, instruction: str, desk: Desk) -> Report:
        self._notes.note(instruction)
        await asyncio.sleep(TAKES)
        if instruction in READING:
            return Success(data=Data(kind="text", text=f"{instruction}: done"))
        mail = (await desk.readers.mail.search(MailQuery(folders=("INBOX",), limit=1))).items[0]
        action = MoveMail(account=ACCOUNT, mail=mail.ref, folder=ARCHIVE)
        return Success(data=Data(kind="proposals", proposals=(Proposal(action=action, says=WORDS),)))


@dataclass(frozen=True)
class Place:
    """`resident`: the programs are such as stay open, which go on by themselves with what they find."""

    folder: Path
    provider: Remote
    resident: bool

    @property
    def root(self) -> Path:
        return self.folder / "account"

    def opened(self, *, recover: bool = True) -> AbstractAsyncContextManager[Assistant]:
        steps = [step(n, words, needs=(n - 1,) if n > 1 else ()) for n, words in enumerate(READING, start=1)]
        last = step(len(steps) + 1, WORDS, needs=(len(steps),), expects="proposal")
        agent = SlowAgent(Notes(self.folder / "notes"))
        return open_assistant(
            self.folder / "home",
            zone="UTC",
            accounts=[self.provider.config(self.root)],
            reasoner=ScriptedReasoner({WORDS: plan(*steps, last)}),
            agents={"email": agent, "calendar": agent, "contacts": agent},
            recover=recover,
            resident=self.resident and recover,
        )

    async def say(self, conversation: str) -> None:
        async with self.opened() as a:
            await a.say(conversation, WORDS)

    async def finished(self, conversation: str) -> list[str] | None:
        """The steps of which the killed flow has stored a report; None where there is no flow."""
        async with self.opened(recover=False) as a:
            heads = await a.flows(conversation)
            flow = await a.flow(heads[0].id) if heads else None
        return [one.instruction for one in flow.steps if one.id in flow.reports] if flow else None

    async def go_on(self, conversation: str) -> dict[str, object]:
        """What the next program finds, and what comes of going on. `again`: finished steps that were carried out once more."""
        finished = await self.finished(conversation)
        if finished is None:
            return {"found": "nothing"}
        before = noted(self.folder / "notes").counts
        async with self.opened() as a:
            await asyncio.gather(*a.going_on.values())
            stuck = (await under_way(a)).flows
            found = await a.flow((await a.flows(conversation))[0].id)
            ended = await a.resume(found.flow) if found.status == "suspended" else found
        after = noted(self.folder / "notes").counts
        again = [words for words in finished if after[words] > before[words]]
        return {"found": found.status, "ended": ended.status, "stuck": stuck, "finished": finished, "again": again}

    def archived(self) -> int:
        return sum(asyncio.run(self.provider.effects(self.root, [])).values())


def main() -> None:
    folder, kills, moments = Path(sys.argv[1]), int(sys.argv[2]), Random(sys.argv[3])
    (folder / "account").mkdir()
    with Remote() as provider:
        place = Place(folder, provider, resident=sys.argv[4:] == ["resident"])
        provider.stock(place.root, stock_of(kills + 2, owner=OWNER, now=datetime.now(UTC)))
        asyncio.run(place.say("first"))  # what is imported late is there from now on
        began = time.monotonic()
        asyncio.run(place.say("second"))
        took = time.monotonic() - began
        for life in range(kills):
            before = place.archived()
            child = os.fork()
            if child == 0:
                asyncio.run(place.say(str(life)))
                os._exit(0)
            time.sleep(moments.uniform(0, took))
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)
            came = asyncio.run(place.go_on(str(life)))
            print(json.dumps({**came, "archived": place.archived() - before}), flush=True)


if __name__ == "__main__":
    main()
