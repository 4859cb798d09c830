"""Programs that die in the middle, and a reasoner that wants to write one thing."""

from collections.abc import Callable
from datetime import timedelta

import pytest
from doubles.thinking import ScriptedAgent, ScriptedReasoner, plan, step

from assistant.bootstrap import LocalAccount
from assistant.values import Data, Proposal, Success
from integrations.actions import Action, CreateEvent, MoveMail, SendMail
from integrations.types import Address, MailRef

MAIL = SendMail(account="local", to=(Address(email="anna@example.org"),), subject="Hi", body="hello")
ARCHIVE = MoveMail(account="local", mail=MailRef(account="local", id="1.a.host", etag="INBOX:S"), folder="Archive")
REPLY = MAIL.model_copy(update={"reply_to": MailRef(account="local", id="1.a.host")})


class Died(BaseException):
    """The process ends here: nothing that handles errors sees it."""


def dying(monkeypatch: pytest.MonkeyPatch, where: type, name: str, *, after: bool = False, nth: int = 1) -> Callable[[], None]:
    """From the nth call of a method on, the program is dead, with that call's work done or not; calling the result revives it."""
    original = getattr(where, name)
    calls = 0

    async def died(self, *args, **options):
        nonlocal calls
        calls += 1
        if calls < nth:
            return await original(self, *args, **options)
        if after and calls == nth:
            await original(self, *args, **options)
        raise Died

    monkeypatch.setattr(where, name, died)
    return lambda: monkeypatch.setattr(where, name, original)


def sent(account: LocalAccount) -> list[str]:
    folder = account.mail / ".Outbox" / "cur"
    return sorted(path.read_text() for path in folder.iterdir()) if folder.is_dir() else []


def archived(account: LocalAccount) -> list[str]:
    folder = account.mail / ".Archive" / "cur"
    return [path.name for path in folder.iterdir()] if folder.is_dir() else []


def event(clock) -> CreateEvent:
    start = clock() + timedelta(days=1)
    return CreateEvent(account="local", title="Dentist", start=start, end=start + timedelta(hours=1))


def doing(action: Action, says: str = "do it", words: str = "go") -> tuple[ScriptedReasoner, ScriptedAgent]:
    report = Success(data=Data(kind="proposals", proposals=(Proposal(action=action, says=says),)))
    return ScriptedReasoner({words: plan(step(1, "do", expects="proposal"))}), ScriptedAgent("email", {"do": [report]})


async def shown(scripted, thinking):
    async with scripted(*thinking) as a:
        return (await a.say("c", "go")).previews[0]


async def killed(scripted, thinking, words: str) -> None:
    """The program dies while it deals with these words."""
    with pytest.raises(Died):
        async with scripted(*thinking) as a:
            await a.say("c", words)


async def only_flow(assistant, words: str):
    (head,) = [head for head in await assistant.flows("c") if head.about == words]
    return await assistant.flow(head.id)
