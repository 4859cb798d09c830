"""`assistant serve`: the service, until it is told to end."""

import os
import webbrowser
from datetime import UTC, datetime
from html import escape
from pathlib import Path
from threading import Thread

from assistant.hosting import open_household
from assistant.service.entering import links
from assistant.service.listening import Listening
from assistant.service.serving import Service, serve, server_of, service_of
from storage.tables import OWNER

LEADING = "enter.html"
CAREFUL = "Not encrypted: whoever is on this network can read along."


async def run_service(home: Path | None, listening: Listening, *, new_link: bool, browser: bool) -> int:
    listening.check()
    async with open_household(home) as household:
        sockets, public_url = listening.sockets(), household.settings.public_url
        try:
            service = service_of(household, listening, public_url=public_url)
            address = public_url or listening.url(sockets[0].getsockname()[1])
            link = await _link(service, address, new_link=new_link)
            _tell(listening, address, link)
            if browser:
                shown = _leading_to(link, household.home / LEADING) if link else address
                # In a thread of its own, since some programs come back only when they are closed.
                Thread(target=webbrowser.open, args=[shown], daemon=True).start()
            await serve(service, server_of(service, listening), sockets)
        finally:
            (household.home / LEADING).unlink(missing_ok=True)
            for one in sockets:
                one.close()
    return 0


async def _link(service: Service, address: str, *, new_link: bool) -> str:
    """The owner's way in, where they have none or want another; else empty."""
    database = service.entrance.database
    if not new_link and not await links.is_first_run(database):
        return ""
    return links.link(address, await links.make(database, OWNER, datetime.now(UTC)))


def _leading_to(link: str, file: Path) -> str:
    """The address of a page that leads there, which is the user's alone to read. Whatever a program is started with, everybody on
    the machine can read."""
    file.unlink(missing_ok=True)
    with os.fdopen(os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="utf-8") as page:
        page.write(f'<!doctype html><meta charset="utf-8"><meta http-equiv="refresh" content="0; url={escape(link)}">')
    return file.absolute().as_uri()


def _tell(listening: Listening, address: str, link: str) -> None:
    print(f"The assistant is at {address.rstrip('/')}/", flush=True)
    if link:
        print(f"Enter with this link, which works once: {link}", flush=True)
    if listening.insecure_http and not (listening.is_loopback or listening.secure):
        print(CAREFUL, flush=True)
    print("Ctrl-C or SIGTERM ends it.", flush=True)
