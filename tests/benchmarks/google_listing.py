"""How many requests and how long it takes to list a thousand messages of Gmail with their headers, at the emulator.

python tests/benchmarks/google_listing.py [--messages 1000] [--page 1000] [--most 15]

The emulator's own work is in the milliseconds. Fails where requests and batches together are more than --most.
"""

import argparse
import asyncio
import sys
import tempfile
import time
from pathlib import Path
from zoneinfo import ZoneInfo

sys.path.insert(0, str(Path(__file__).parents[1]))

from benchmarks.mailbox_of import OWNER, make_mailbox
from doubles.google import GoogleEmulator
from doubles.google.gmail import Mailbox
from doubles.secrets import KeptSecrets
from rich.console import Console
from rich.table import Table

from integrations.readers import MailReader
from integrations.registry import AccountConfig, open_account
from integrations.types import Mail, MailQuery


def fill(box: Mailbox, messages: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        for path in sorted(make_mailbox(Path(folder), messages).rglob("cur/*")):
            box.deliver(path.read_bytes(), labels=("SENT",) if ".Sent" in path.parts else ("INBOX",))


async def listed(reader: MailReader, page: int) -> list[Mail]:
    query, mails = MailQuery(limit=page), []
    while True:
        found = await reader.search(query)
        mails += found.items
        if found.next is None:
            return mails
        query = query.model_copy(update={"cursor": found.next})


async def measured(google: GoogleEmulator, page: int) -> list[tuple[str, int, int, int, float]]:
    """For the first listing and for one after it: name, mails, requests, batches, milliseconds."""
    user = google.account(OWNER)
    config = AccountConfig(name="mail", kind="google", address=OWNER, settings={"endpoint": google.url})
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        account = open_account(config, zone=ZoneInfo("UTC"), index=Path(folder), secrets=KeptSecrets(mail=google.secret(user)))
        for name in ("first", "again"):
            google.requests.clear()
            began = time.perf_counter()
            mails = await listed(account.readers.mail, page)
            took = 1000 * (time.perf_counter() - began)
            whole = [seen.api for seen in google.requests if not seen.batched]
            assert all(mail.subject and mail.sender for mail in mails)
            rows.append((name, len(mails), len(whole) - whole.count("batch"), whole.count("batch"), took))
        await account.close()
    return rows


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--messages", type=int, default=1000)
    parser.add_argument("--page", type=int, default=1000)
    parser.add_argument("--most", type=int, default=15)
    given = parser.parse_args()
    with GoogleEmulator() as google:
        fill(google.world.mail(OWNER), given.messages)
        rows = asyncio.run(measured(google, given.page))
    table = Table("listing", "mails", "requests", "batches", "ms")
    for name, mails, requests, batches, took in rows:
        table.add_row(name, str(mails), str(requests), str(batches), f"{took:.0f}")
    Console().print(table)
    for complaint in google.complaints:
        print(complaint)
    whole = all(mails == given.messages for _, mails, *_ in rows)
    few = all(requests + batches <= given.most for _, _, requests, batches, _ in rows)
    return 0 if whole and few and not google.complaints else 1


if __name__ == "__main__":
    sys.exit(main())
