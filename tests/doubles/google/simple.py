"""One question and one write at Gmail, for tests to which it is all the same what is asked and written."""

import asyncio
import time
from typing import Any

from doubles.google import GoogleEmulator

from integrations.google.google import Apis

OWNER = "me@home.example"


def profile(api: Apis) -> Any:
    return api.gmail.users().getProfile(userId="me")


def label(api: Apis, name: str) -> Any:
    body = {"name": name, "labelListVisibility": "labelShow", "messageListVisibility": "show"}
    return api.gmail.users().labels().create(userId="me", body=body)


def new_label(api: Apis) -> Any:
    return label(api, "Lists")


def made(google: GoogleEmulator) -> bool:
    return google.world.mail(OWNER).labels.named("Lists") is not None


async def begun(google: GoogleEmulator, api: str) -> None:
    """Waits until such a request has come."""

    def wait() -> None:
        while not sent(google, api):
            time.sleep(0.001)

    await asyncio.to_thread(wait)


def sent(google: GoogleEmulator, api: str) -> int:
    return sum(seen.api == api for seen in google.requests)
