"""Opening the chat on a mailbox that was not read before."""

import mailbox
from pathlib import Path

import pytest

from assistant import LocalAccount, open_assistant
from assistant.cli import opening
from assistant.cli.text import console


def filled(root: Path, number: int) -> Path:
    box = mailbox.Maildir(root, create=True)
    for n in range(number):
        box.add(f"From: eva@example.org\r\nMessage-ID: <{n}@x>\r\nSubject: Letter {n}\r\n\r\nText.\r\n".encode())
    return root


async def test_it_hears_how_far_the_reading_is(tmp_path):
    heard: list[tuple[int, int]] = []
    account = LocalAccount(mail=filled(tmp_path / "mail", 1100), address="me@example.org")
    async with open_assistant(tmp_path / "home", accounts=[account], on_progress=lambda done, all: heard.append((done, all))):
        pass
    assert heard and heard[-1] == (1100, 1100)


@pytest.mark.parametrize(("seconds", "shown"), [(0.5, False), (1.5, True)])
def test_a_bar_appears_only_where_the_wait_is_worth_one(monkeypatch, seconds, shown):
    clock = iter((0.0, seconds))
    monkeypatch.setattr(opening.time, "monotonic", lambda: next(clock, seconds))
    waiting = opening.Waiting(console())
    waiting.hear(250, 1000)
    assert waiting.shown is shown
    waiting.end()
