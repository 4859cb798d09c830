"""How long the event loop is held up at a stretch while messages of Outlook are read, at the emulator in a process of its own.

python tests/benchmarks/graph_listing.py [--messages 200] [--most 20]

Lists the messages with their headers, reads them one by one, and beside it lets the SDK read the same page, typed. The SDK's
packages are loaded before. "nothing" tells how busy the machine is with other things. Fails where in the quietest of the rounds
reading holds up the loop for more than --most milliseconds.
"""

import argparse
import asyncio
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

sys.path.insert(0, str(Path(__file__).parents[1]))

from benchmarks.mailbox_of import OWNER, make_mailbox
from doubles.graph import GraphEmulator
from doubles.graph.mail.putting import deliver
from doubles.secrets import KeptSecrets
from rich.console import Console
from rich.table import Table

from integrations.readers import MailReader
from integrations.registry import AccountConfig, open_account
from integrations.types import SENT, Mail, MailQuery

TICK = 0.001
ROUNDS, AT_ONCE = 5, 20
Row = tuple[str, int, float, float, float]
"""What was done, with how many mails, milliseconds, and how long the loop was held up in the quietest round and in the worst."""


def serve(messages: int) -> None:
    """Until whoever began it closes the input."""
    with GraphEmulator() as graph, tempfile.TemporaryDirectory() as folder:
        box = graph.world.mail(OWNER)
        for path in sorted(make_mailbox(Path(folder), messages).rglob("cur/*")):
            deliver(box, path.read_bytes(), SENT if ".Sent" in path.parts else "INBOX")
        print(json.dumps({"url": graph.url, "secret": graph.secret(graph.account(OWNER))}), flush=True)
        sys.stdin.read()
        for complaint in graph.complaints:
            print(complaint, file=sys.stderr)


@contextmanager
def served(messages: int) -> Iterator[dict[str, str]]:
    command = [sys.executable, __file__, "--serve", "--messages", str(messages)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None and server.stdin is not None
        yield json.loads(server.stdout.readline())
        server.stdin.close()


async def held_up(work: Callable[[], Awaitable[int]]) -> tuple[int, float, float]:
    """What `work` gives, how long it took, and the longest time that nothing else could run; milliseconds."""
    longest = 0.0

    async def tick() -> None:
        nonlocal longest
        last = time.perf_counter()
        while True:
            await asyncio.sleep(TICK)
            now = time.perf_counter()
            longest, last = max(longest, now - last - TICK), now

    ticking = asyncio.create_task(tick())
    await asyncio.sleep(10 * TICK)
    longest, began = 0.0, time.perf_counter()
    number = await work()
    took = time.perf_counter() - began
    await asyncio.sleep(2 * TICK)
    ticking.cancel()
    return number, 1000 * took, 1000 * longest


async def listed(reader: MailReader, number: int) -> list[Mail]:
    return list((await reader.search(MailQuery(limit=number))).items)


async def typed(url: str, number: int) -> int:
    """As the SDK does it."""
    import httpx
    from kiota_abstractions.authentication import AnonymousAuthenticationProvider
    from msgraph.generated.models.message_collection_response import MessageCollectionResponse
    from msgraph.generated.models.o_data_errors.o_data_error import ODataError
    from msgraph.graph_request_adapter import GraphRequestAdapter
    from msgraph.graph_service_client import GraphServiceClient

    from integrations.microsoft.messages import EXPAND, WHOLE
    from integrations.microsoft.requests import asking

    address, token = url.split(" ")
    async with httpx.AsyncClient(headers={"authorization": f"Bearer {token}"}, timeout=60) as http:
        adapter = GraphRequestAdapter(AnonymousAuthenticationProvider(), http)
        adapter.base_url = f"{address}/v1.0"
        client: Any = GraphServiceClient(request_adapter=adapter)
        info = asking(client.me.messages, select=list(WHOLE), expand=list(EXPAND), top=number)
        info.path_parameters["baseurl"] = f"{address}/v1.0"
        info.url = info.url.replace("/users/me-token-to-replace", "/me", 1)
        answer: Any = await adapter.send_async(info, MessageCollectionResponse, {"4XX": ODataError})
    return len(answer.value)


async def measured(given: dict[str, str], number: int) -> list[Row]:
    config = AccountConfig(name="mail", kind="microsoft", address=OWNER, settings={"endpoint": given["url"]})
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        account = open_account(config, zone=ZoneInfo("UTC"), index=Path(folder), secrets=KeptSecrets(mail=given["secret"]))
        await account.prepare()
        reader = account.readers.mail
        first = await listed(reader, 1)

        async def listing() -> int:
            return len(await listed(reader, number))

        async def reading() -> int:
            mails = await listed(reader, number)
            for start in range(0, len(mails), AT_ONCE):
                await asyncio.gather(*(reader.get(mail.ref) for mail in mails[start : start + AT_ONCE]))
            return len(mails)

        async def nothing() -> int:
            await asyncio.sleep(0.5)
            return 0

        async def sdk() -> int:
            cache = json.loads(json.loads(given["secret"])["cache"])
            (access,) = cache["AccessToken"].values()
            return await typed(f"{given['url']} {access['secret']}", number)

        for name, work, rounds in (
            ("nothing", nothing, ROUNDS),
            ("listing", listing, ROUNDS),
            ("reading each", reading, ROUNDS),
            ("typed by the SDK", sdk, 2),
        ):
            measures = [await held_up(work) for _ in range(rounds)]
            stretches = [longest for *_, longest in measures]
            rows.append((name, measures[0][0], min(took for _, took, _ in measures), min(stretches), max(stretches)))
        assert first
        await account.close()
    return rows


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--messages", type=int, default=200)
    parser.add_argument("--most", type=float, default=20.0)
    parser.add_argument("--serve", action="store_true", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.serve:
        serve(given.messages)
        return 0
    with served(given.messages) as emulator:
        rows = asyncio.run(measured(emulator, given.messages))
    table = Table("what", "mails", "ms", "ms a mail", "loop held up, ms", "in the worst round")
    for name, mails, took, least, most in rows:
        table.add_row(name, str(mails), f"{took:.0f}", f"{took / max(mails, 1):.2f}", f"{least:.1f}", f"{most:.1f}")
    Console().print(table)
    ours = rows[1:3]
    whole = all(mails == given.messages for _, mails, *_ in ours)
    return 0 if whole and all(least <= given.most for *_, least, _ in ours) else 1


if __name__ == "__main__":
    sys.exit(main())
