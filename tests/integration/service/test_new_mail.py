"""A mail that comes while somebody looks at the page is told there at once."""

import asyncio
from datetime import UTC, datetime
from pathlib import Path

from doubles.events import events_of
from doubles.imap import LETTER
from doubles.providers.standards import served
from doubles.service import serving
from servers import Servers

from assistant.bootstrap import open_database, settings_for
from integrations.registry import AccountConfig
from storage import accounts
from storage.session import Session

PATIENCE = 15.0


async def home_of(path: Path, *configs: AccountConfig) -> Path:
    """In which these accounts are connected."""
    database = open_database(settings_for(path))

    def connect(s: Session) -> None:
        for one in configs:
            accounts.add(s, **one.model_dump(), at=datetime.now(UTC))

    await database.write(connect)
    await database.close()
    return path


async def waits(servers: Servers) -> None:
    """The server was asked to tell of new mail."""
    while not any(line.endswith(b" IDLE") for line in servers.imap.lines):  # noqa: ASYNC110
        await asyncio.sleep(0.01)


async def test_new_mail_is_told_to_every_open_page(servers: Servers, tmp_path: Path) -> None:
    anna = servers.user("anna@home.example", name="Anna Berg")
    async with serving(await home_of(tmp_path, served("home", anna))) as service:
        me = await service.sign_in()
        async with asyncio.timeout(PATIENCE), me.stream("GET", "/api/live") as one, me.stream("GET", "/api/live") as other:
            pages = [events_of(one), events_of(other)]
            for page in pages:
                await anext(page)  # the counts
            await waits(servers)
            anna.mailbox.append(LETTER)
            for page in pages:
                told = await anext(page)
                assert (told.name, told.data) == ("mail", {"account": "home"})
        assert sum(line.endswith(b" IDLE") for line in servers.imap.lines) <= 2


async def test_nobody_waits_for_mail_while_nobody_looks(servers: Servers, tmp_path: Path) -> None:
    anna = servers.user("anna@home.example", name="Anna Berg")
    async with serving(await home_of(tmp_path, served("home", anna))) as service:
        me = await service.sign_in()
        assert not any(line.endswith(b" IDLE") for line in servers.imap.lines)
        async with asyncio.timeout(PATIENCE), me.stream("GET", "/api/live") as page:
            events = events_of(page)
            await anext(events)
            await waits(servers)


async def test_an_account_that_cannot_tell_disturbs_nobody(servers: Servers, tmp_path: Path) -> None:
    anna, ben = servers.user("anna@home.example"), servers.user("ben@home.example")
    servers.change_password(ben, "another")
    async with serving(await home_of(tmp_path, served("home", anna), served("work", ben))) as service:
        me = await service.sign_in()
        async with asyncio.timeout(PATIENCE), me.stream("GET", "/api/live") as page:
            events = events_of(page)
            await anext(events)
            await waits(servers)
            anna.mailbox.append(LETTER)
            assert (await anext(events)).data == {"account": "home"}
