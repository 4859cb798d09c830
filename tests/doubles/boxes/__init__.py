"""The accounts that the contract suites run against: each as its provider is used (`reader`, `writer`), and as somebody else's
program sees it. A further provider is a module here with its boxes, and its name in `BOXES`; its SDK is imported with it.
"""

from contextlib import AbstractAsyncContextManager
from importlib import import_module
from pathlib import Path

from doubles.boxes.base import NAME, Boxes

BOXES = {
    "local": "doubles.boxes.local",
    "google": "doubles.boxes.google",
    "microsoft": "doubles.boxes.microsoft",
    "imap": "doubles.boxes.standards",
}

CALENDARS = {"xandikos": "doubles.boxes.xandikos"}
"""Further ones, for the contracts of calendars."""


def opened(provider: str, root: Path, name: str = NAME) -> AbstractAsyncContextManager[Boxes]:
    """An empty account of this provider, whose things lie in `root` if anywhere on this machine."""
    boxes: AbstractAsyncContextManager[Boxes] = import_module({**BOXES, **CALENDARS}[provider]).opened(root, name)
    return boxes
