"""Previews and turns made by hand, and what a person would see of them."""

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import pytest
from rich.console import RenderableType

from assistant.cli.text import console
from integrations.actions import SendMail
from integrations.types import Address
from risk.preview import Item, Preview, Recipient

NOW = datetime(2026, 11, 18, 9, 0, tzinfo=UTC)
ANNA = Address(name="Anna Berg", email="anna.berg@northwind.example")


@pytest.fixture
def seen() -> Callable[..., str]:
    """What stands on a screen of so many columns."""

    def show(renderable: RenderableType, columns: int = 80) -> str:
        out = console()
        out.width = columns
        with out.capture() as shown:
            out.print(renderable)
        return shown.get()

    return show


@pytest.fixture
def preview() -> Callable[..., Preview]:
    def make(*items: Item, **fields: Any) -> Preview:
        mail = SendMail(account="home", to=(ANNA,), subject="Keys", body="They are on the table.")
        to = Recipient(address=ANNA, line="to", origin="your contacts", known=True)
        given = {
            "id": "0123456789ab-p1",
            "flow": "0123456789ab",
            "conversation": "c",
            "fingerprint": "v1:" + "0" * 64,
            "level": "medium",
            "reasons": ("it sends a mail to Anna Berg",),
            "items": items or (Item(action=mail, says="send a mail to Anna Berg", recipients=(to,)),),
            "created": NOW,
            "expires": NOW.replace(day=25),
        }
        return Preview(**(given | fields))

    return make
