"""How long it takes to list and search a large inbox at a real Dovecot, and how much goes over the line for it.

python tests/benchmarks/imap.py [--messages 20000] [--rounds 20] [--most-search 100] [--most-page 150]

"nothing known": for the first time ever; "new connection": by a process that has just started. Searches are for other people and
subjects each time: "heads known" where the mails were listed before, "of a few again" for four of them in turn, by one process.
The line is measured beside, over a connection that counts. Fails where the median of the searches by sender or subject, or of the
first page, is above what is allowed, or where more than a tenth of the mailbox was transferred.
"""

import argparse
import asyncio
import os
import statistics
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import NamedTuple

sys.path.insert(0, str(Path(__file__).parents[1]))

from benchmarks.mailbox_of import OWNER, make_mailbox
from rich.console import Console
from rich.table import Table
from servers import Servers, User

from integrations.readers import MailReader
from integrations.types import INBOX, Mail, MailQuery, Page

INBOX_ONLY = (INBOX,)
ATTACHED = "\n".join(["x" * 76] * 500)
"""In place of what a tenth of the mails has attached."""
TOPICS = "budget roadmap invoice contract release hiring workshop travel pricing migration survey audit launch lease".split()
KINDS = "update review question draft numbers plan notes decision agenda".split()
FEW = 4
TICK = 0.002
LINE_END = b"\n"
HEADS = "(UID FLAGS INTERNALDATE RFC822.SIZE BODYSTRUCTURE BODY.PEEK[HEADER.FIELDS (DATE FROM TO CC SUBJECT MESSAGE-ID)])"
"""What mail programs ask for."""
Ask = Callable[[MailReader, int], Awaitable[object]]


class Row(NamedTuple):
    """`commands` and bytes `transferred` of one time over the line."""

    name: str
    took: "Took"
    commands: int
    transferred: int

    @property
    def median(self) -> float:
        return statistics.median(self.took.times)


class Took(NamedTuple):
    """Milliseconds: of each time, how long the loop was held up at most, and what the server's processors and ours worked for one
    time on average."""

    times: list[float]
    stall: float
    server: float
    ours: float


class Line:
    """Counts what passes."""

    def __init__(self, servers: Servers) -> None:
        self._upstream = servers.dovecot.imap
        self.commands = self.transferred = 0
        self.port = servers._background.listen(self._serve)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        from_server, to_server = await asyncio.open_connection("127.0.0.1", self._upstream)
        await asyncio.gather(self._passed(reader, to_server, True), self._passed(from_server, writer, False))

    async def _passed(self, source: asyncio.StreamReader, target: asyncio.StreamWriter, up: bool) -> None:
        while data := await source.read(1 << 16):
            self.transferred += len(data)
            self.commands += data.count(b"\r\n") if up else 0
            target.write(data)
        target.close()


def fill(servers: Servers, user: User, messages: int) -> int:
    """All in the inbox, in files as Dovecot makes them, and listed once by another program; the bytes that they have."""
    with user.mailbox as imap:
        imap.select()  # makes it
        maildir = servers.dovecot.home(user.email) / "Maildir"
    owner, size = maildir.stat(), 0
    with tempfile.TemporaryDirectory(dir=maildir.parent) as folder:
        for path in make_mailbox(Path(folder), messages).rglob("cur/*"):
            raw = path.read_bytes().replace(b"%PDF-1.4", ATTACHED.encode())
            sizes = f",S={len(raw)},W={len(raw) + raw.count(LINE_END)}:2,"
            made, arrived = maildir / "cur" / path.name.replace(":2,", sizes), int(path.name.partition(".")[0])
            made.write_bytes(raw)
            os.utime(made, (arrived, arrived))
            os.chown(made, owner.st_uid, owner.st_gid)
            size += len(raw)
    with user.mailbox as imap:
        imap.select(readonly=True)
        imap.uid("FETCH", "1:*", HEADS)
    return size


def worked(servers: Servers) -> float:
    """Milliseconds that all of the server's processes have worked, as far as Linux tells."""
    master, ticks = servers.dovecot._running, 0
    assert master
    for path in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):
            _, _, _, session, *told = path.read_text().rpartition(")")[2].split()
            if session == str(master.pid):
                ticks += sum(map(int, told[7:11] if path.parent.name == session else told[7:9]))
    return 1000 * ticks / os.sysconf("SC_CLK_TCK")


@contextmanager
def watched() -> Iterator[list[float]]:
    """The loop's longest stall, in milliseconds, when it is over."""
    stalls = [0.0]

    async def tick() -> None:
        while True:
            began = time.perf_counter()
            await asyncio.sleep(TICK)
            stalls[0] = max(stalls[0], 1000 * (time.perf_counter() - began - TICK))

    task = asyncio.create_task(tick())
    try:
        yield stalls
    finally:
        task.cancel()


class Bench:
    def __init__(self, servers: Servers, user: User, line: Line, index: Path, rounds: int) -> None:
        self._servers, self._user, self._line, self._index, self._rounds = servers, user, line, index, rounds
        self.rows: list[Row] = []

    @asynccontextmanager
    async def opened(self, index: Path, *, port: int = 0) -> AsyncIterator[MailReader]:
        settings = {"imap": f"imap://127.0.0.1:{port or self._servers.dovecot.imap}"}
        account = self._servers.open(self._user, index, **settings)
        try:
            yield account.readers.mail
        finally:
            await account.close()

    async def kept(self, name: str, ask: Ask, rounds: int = 0, first: int = 0) -> None:
        """Over connections that are there already."""
        async with self.opened(self._index) as mail:
            await mail.search(MailQuery(folders=INBOX_ONLY, limit=1))
            took = await self._timed([partial(ask, mail, at) for at in range(first, first + (rounds or self._rounds))])
        async with self.opened(self._index, port=self._line.port) as mail:
            await mail.search(MailQuery(folders=INBOX_ONLY, limit=1))
            self.rows.append(Row(name, took, *await self._counted(lambda: ask(mail, first))))

    async def new(self, name: str, ask: Ask, *, index: Callable[[], Path]) -> None:
        """By a process that has just started, as far as the account goes."""

        async def once(port: int = 0) -> None:
            async with self.opened(index(), port=port) as mail:
                await ask(mail, 0)

        took = await self._timed([once] * max(3, self._rounds // 3))
        self.rows.append(Row(name, took, *await self._counted(lambda: once(self._line.port))))

    async def _timed(self, works: list[Callable[[], Awaitable[object]]]) -> Took:
        times = []
        server, ours = worked(self._servers), time.process_time()
        with watched() as stalls:
            for work in works:
                began = time.perf_counter()
                await work()
                times.append(1000 * (time.perf_counter() - began))
        server, ours = worked(self._servers) - server, 1000 * (time.process_time() - ours)
        return Took(times, stalls[0], server / len(works), ours / len(works))

    async def _counted(self, work: Callable[[], Awaitable[object]]) -> tuple[int, int]:
        commands, transferred = self._line.commands, self._line.transferred
        await work()
        return self._line.commands - commands, self._line.transferred - transferred


def page(mail: MailReader, _: int) -> Awaitable[Page[Mail]]:
    return mail.search(MailQuery(folders=INBOX_ONLY))


async def people(bench: Bench) -> list[str]:
    """Who wrote the newest mails, by name and by address in turn."""
    async with bench.opened(bench._index) as mail:
        newest = await mail.search(MailQuery(folders=INBOX_ONLY, limit=500))
    senders = dict.fromkeys(one.sender for one in newest.items if one.sender and one.sender.email != OWNER)
    return [one.email if at % 2 else one.name for at, one in enumerate(senders)]


async def measure(bench: Bench, folder: Path) -> None:
    fresh = iter(folder / str(number) for number in range(1000))
    await bench.new("first page, nothing known", page, index=lambda: next(fresh))
    await bench.new("first page, new connection", page, index=lambda: bench._index)
    await bench.kept("first page", page)
    names = await people(bench)

    def sender(mail: MailReader, at: int) -> Awaitable[Page[Mail]]:
        return mail.search(MailQuery(folders=INBOX_ONLY, sender=(names[at % len(names)],)))

    def subject(mail: MailReader, at: int) -> Awaitable[Page[Mail]]:
        words = (f"{TOPICS[at % len(TOPICS)]} {KINDS[at % len(KINDS)]}",)
        return mail.search(MailQuery(folders=INBOX_ONLY, subject=words))

    for name, ask in (("by sender", sender), ("by subject", subject)):
        await ask_once(bench, ask)
        await bench.kept(f"{name}, another each time", ask)
        await bench.kept(f"{name}, heads known", ask)
        await bench.kept(f"{name}, of a few again", lambda mail, at, ask=ask: ask(mail, at % FEW))  # type: ignore[misc]
    unread = MailQuery(folders=INBOX_ONLY, unread=True)
    await bench.kept("unread", lambda mail, _: mail.search(unread))
    words = [MailQuery(folders=INBOX_ONLY, words=(topic,)) for topic in TOPICS]
    await bench.kept("words in the text", lambda mail, at: mail.search(words[at]), rounds=5)


async def ask_once(bench: Bench, ask: Ask) -> None:
    """Dovecot puts what it searches by into its cache when it is first searched for."""
    async with bench.opened(bench._index) as mail:
        await ask(mail, -1)


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--messages", type=int, default=20_000)
    parser.add_argument("--rounds", type=int, default=20)
    parser.add_argument("--most-search", type=float, default=100.0)
    parser.add_argument("--most-page", type=float, default=150.0)
    given = parser.parse_args()
    servers = Servers()
    try:
        user = servers.user(OWNER)
        size = fill(servers, user, given.messages)
        with tempfile.TemporaryDirectory() as folder:
            bench = Bench(servers, user, Line(servers), Path(folder) / "index", given.rounds)
            asyncio.run(measure(bench, Path(folder)))
    finally:
        servers.close()
    table = Table("", "median ms", "worst ms", "server's CPU ms", "our CPU ms", "loop held up ms", "commands", "bytes")
    for row in bench.rows:
        took = row.took
        milliseconds = (f"{value:.0f}" for value in (row.median, max(took.times), took.server, took.ours, took.stall))
        table.add_row(row.name, *milliseconds, str(row.commands), f"{row.transferred:,}")
    Console().print(table)
    print(f"The inbox has {given.messages} messages of {size:,} bytes in all.")
    allowed = {"first page": given.most_page, "by": given.most_search}
    slow = [row.name for row in bench.rows for key, most in allowed.items() if row.name.startswith(key) and row.median > most]
    heavy = [row.name for row in bench.rows if row.transferred > size / 10]
    print("\n".join([*(f"too slow: {name}" for name in slow), *(f"too much: {name}" for name in heavy)]))
    return 1 if slow or heavy else 0


if __name__ == "__main__":
    sys.exit(main())
