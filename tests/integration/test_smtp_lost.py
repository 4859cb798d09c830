"""A mail whose way is broken off at each of its steps: it comes at most once, and what became of it is known, or said not to be."""

import asyncio
from collections.abc import AsyncIterator, Callable
from concurrent.futures import Future
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from doubles.command import Running
from doubles.killing.sender import started
from servers import Servers, User
from servers.imap_proxy import Rule
from servers.smtp_steps import STEPS, Step

from integrations.actions import Receipt, SendMail
from integrations.errors import IntegrationError, InvalidResponse, RateLimited, Unavailable, Unknowable
from integrations.registry import Account
from integrations.standards.sending import filing
from integrations.types import Address, MailRef

KEY = "0a1b2c3d4e5f60718293a4b5c6d7e8f9"
SURE = STEPS[: STEPS.index("in the text")]
"""Whoever breaks it off there knows that nothing was sent."""


@dataclass
class Post:
    """From Anna to Ben."""

    servers: Servers
    anna: User
    ben: User
    index: Path
    settings: dict[str, str]

    def mail(self, **fields: Any) -> SendMail:
        return SendMail(
            **{"account": "acc", "to": (Address(email=self.ben.email),), "subject": "Plan", "body": "All set.\n.\n..x", **fields}
        )

    @asynccontextmanager
    async def account(self) -> AsyncIterator[Account]:
        account = self.servers.open(self.anna, self.index, **self.settings)
        try:
            yield account
        finally:
            await account.close()

    def arrived(self) -> int:
        return len(self.ben.mailbox.mails())

    def lies(self) -> tuple[int, int]:
        """In Sent and in Drafts."""
        return len(self.anna.mailbox.mails("Sent")), len(self.anna.mailbox.mails("Drafts"))


@pytest.fixture(params=["filed here", "filed by the server"])
def post(request: pytest.FixtureRequest, servers: Servers, tmp_path: Path) -> Post:
    anna = servers.user("anna@home.example", name="Anna Berg")
    ben = servers.user("ben@home.example")
    anna.files_sent = request.param == "filed by the server"
    settings = {"smtp": f"smtp://127.0.0.1:{servers.smtp_steps.port}", "files_sent": ""}
    return Post(servers, anna, ben, tmp_path, settings)


async def asked(account: Account, action: SendMail) -> Receipt | Unknowable | None:
    try:
        return await account.writers.mail.find(action, KEY)
    except Unknowable as unknown:
        return unknown


async def settles(post: Post, account: Account, action: SendMail, *, known: bool) -> None:
    """What is told of it is true, and at the end there is one mail where it is told that there is one. `known`: it must be told."""
    told = await asked(account, action)
    assert await asked(account, action) == told or isinstance(told, Unknowable)
    assert not (known and isinstance(told, Unknowable))
    sent, drafted = post.lies()
    match told:
        case Receipt():
            assert (post.arrived(), sent, drafted) == (1, 1, 0)
            assert (await account.readers.mail.get(MailRef(account="acc", id=told.id))).folder == "Sent"
        case None:
            assert (post.arrived(), sent, drafted) == (0, 0, 0)
            await account.writers.mail.execute(action, KEY)
            assert (post.arrived(), *post.lies()) == (1, 1, 0)
        case _:
            assert (sent, drafted) == (0, 1) and "Drafts" in str(told)
            with pytest.raises(Unknowable):
                await account.writers.mail.execute(action, KEY)
    assert post.arrived() <= 1


# The connection ends


@pytest.mark.parametrize("step", STEPS)
async def test_a_line_that_is_lost_at_any_step_sends_at_most_once_and_is_settled_by_asking(post: Post, step: Step) -> None:
    post.servers.smtp_steps.at(step)
    action = post.mail()
    async with post.account() as account:
        if step == "after the reply":
            await account.writers.mail.execute(action, KEY)
        else:
            with pytest.raises(Unavailable):
                await account.writers.mail.execute(action, KEY)
        known = step in (*SURE, "after the reply") or (post.anna.files_sent and step == "before the reply")
        await settles(post, account, action, known=known)


@pytest.mark.parametrize("step", STEPS)
async def test_another_program_that_asks_is_told_no_less_than_the_truth(post: Post, step: Step) -> None:
    post.servers.smtp_steps.at(step)
    action = post.mail()
    async with post.account() as account:
        with suppress(Unavailable):
            await account.writers.mail.execute(action, KEY)
    post.index = post.index / "another"
    async with post.account() as account:
        await settles(post, account, action, known=step in (*SURE, "after the reply"))


# The program ends


def run_and_kill(post: Post, arm: Callable[[Callable[[], object]], None], action: SendMail) -> None:
    """`arm` is given what kills the program."""
    config = post.servers.open(post.anna, post.index, **post.settings).config
    ready: Future[Running] = Future()
    arm(lambda: ready.result().kill())
    program = started(config, post.anna.secret, post.index, action, KEY)
    ready.set_result(program)
    said, complaint = program.communicate(timeout=60)
    program.close()
    assert program.returncode == -9 and "sent" not in said, complaint


@pytest.mark.parametrize("step", STEPS)
async def test_a_program_that_is_killed_at_any_step_has_sent_at_most_once(post: Post, step: Step) -> None:
    action = post.mail()
    await asyncio.to_thread(run_and_kill, post, lambda kill: post.servers.smtp_steps.at(step, kill), action)
    known = step in SURE or (post.anna.files_sent and step in STEPS[-2:])
    async with post.account() as account:
        await settles(post, account, action, known=known)


@pytest.mark.parametrize("command", [rb"APPEND", rb"UID STORE .*SubmitPending", rb"UID MOVE|UID EXPUNGE"])
@pytest.mark.parametrize("when", ["before", "after"])
async def test_a_program_that_is_killed_beside_its_draft_has_sent_at_most_once(
    post: Post, monkeypatch: pytest.MonkeyPatch, command: bytes, when: Any
) -> None:
    imap, action = post.servers.imap, post.mail()

    def arm(kill: Callable[[], object]) -> None:
        imap.lose(command, when)
        heard = imap.heard

        def killing(line: bytes) -> Rule | None:
            rule = heard(line)
            if rule:
                kill()
            return rule

        monkeypatch.setattr(imap, "heard", killing)

    await asyncio.to_thread(run_and_kill, post, arm, action)
    monkeypatch.undo()
    async with post.account() as account:
        await settles(post, account, action, known=b"STORE" not in command or when == "before")


# The mailbox is out of reach while a mail leaves


@pytest.mark.parametrize("command", [rb"APPEND", rb"UID STORE .*SubmitPending", rb"UID MOVE|UID EXPUNGE"])
@pytest.mark.parametrize("when", ["before", "after"])
async def test_a_lost_line_to_the_mailbox_loses_and_doubles_nothing(post: Post, command: bytes, when: Any) -> None:
    post.servers.imap.lose(command, when)
    action = post.mail()
    async with post.account() as account:
        try:
            receipt = await account.writers.mail.execute(action, KEY)
        except Unavailable:
            receipt = None
        assert (receipt is None) == (b"MOVE" not in command)
        await settles(post, account, action, known=True)


async def test_a_mail_that_left_while_the_mailbox_went_away_is_said_to_be_sent_and_is_filed_when_asked(
    post: Post, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(filing, "ATTEMPTS", (0.0,))
    action = post.mail()
    async with post.account() as account:
        post.servers.smtp_steps.at("after the reply", post.servers.imap.refuse)
        receipt = await account.writers.mail.execute(action, KEY)
        assert (receipt.id, "sent" in receipt.note) == ("", True)
        post.servers.imap.refuse(False)
        told = await asked(account, action)
        if not isinstance(told, Unknowable):
            await settles(post, account, action, known=True)
        assert post.arrived() == 1


async def test_whoever_gives_up_waiting_does_not_break_it_off(post: Post) -> None:
    action = post.mail()
    async with post.account() as account:
        leaving, loop = asyncio.Event(), asyncio.get_running_loop()
        post.servers.smtp_steps.at("before DATA", lambda: loop.call_soon_threadsafe(leaving.set), cuts=False)
        waiting = asyncio.create_task(account.writers.mail.execute(action, KEY))
        await leaving.wait()
        waiting.cancel()
        with pytest.raises(asyncio.CancelledError):
            await waiting
        assert isinstance(await asked(account, action), Receipt)
        assert (post.arrived(), *post.lies()) == (1, 1, 0)


# What the outgoing server says no to


@pytest.mark.parametrize("at", ["MAIL", "RCPT", "DATA"])
@pytest.mark.parametrize(("reply", "error"), [("451 4.3.0 Come back later", RateLimited), ("550 5.7.1 No\r\n", InvalidResponse)])
async def test_a_refusal_leaves_nothing_behind(post: Post, at: Any, reply: str, error: type[IntegrationError]) -> None:
    post.servers.smtp.answer(at, reply.strip())
    action = post.mail()
    async with post.account() as account:
        with pytest.raises(error):
            await account.writers.mail.execute(action, KEY)
        assert (post.arrived(), *post.lies()) == (0, 0, 0)
        assert await account.writers.mail.find(action, KEY) is None


async def test_one_refused_recipient_means_that_nobody_gets_it_and_is_named(post: Post) -> None:
    action = post.mail(cc=(Address(email="nobody@home.example"),))
    async with post.account() as account:
        with pytest.raises(InvalidResponse, match=r"nobody@home\.example.*sent to nobody"):
            await account.writers.mail.execute(action, KEY)
        assert (post.arrived(), *post.lies(), post.servers.smtp.taken) == (0, 0, 0, [])


async def test_a_server_that_closes_down_after_the_text_has_not_said_no(post: Post) -> None:
    post.anna.files_sent = False
    post.servers.smtp.answer("DATA", "421 4.4.2 Timeout")
    action = post.mail()
    async with post.account() as account:
        with pytest.raises(Unavailable):
            await account.writers.mail.execute(action, KEY)
        assert isinstance(await asked(account, action), Unknowable)


# Somebody else has a hand in it


async def test_a_draft_that_somebody_threw_away_before_its_text_went_out_is_not_sent(post: Post) -> None:
    def remove() -> None:
        post.anna.mailbox.remove("Drafts", "1")

    post.servers.smtp_steps.at("before RCPT", remove, cuts=False)
    action = post.mail()
    async with post.account() as account:
        with pytest.raises(Unavailable):
            await account.writers.mail.execute(action, KEY)
        assert await asked(account, action) is None
    assert post.arrived() == 0


async def test_a_marked_draft_in_trash_is_no_proof_of_anything(post: Post) -> None:
    post.servers.smtp_steps.at("in the text")
    action = post.mail()
    async with post.account() as account:
        with pytest.raises(Unavailable):
            await account.writers.mail.execute(action, KEY)
        with post.anna.mailbox as imap:
            imap.create("Trash")
        post.anna.mailbox.move("Drafts", "1", "Trash")
        assert isinstance(await asked(account, action), Unknowable)
        post.anna.mailbox.remove("Trash", "1")
        assert isinstance(await asked(account, action), Unknowable)


async def test_a_mail_to_oneself_that_has_come_in_was_sent(post: Post) -> None:
    post.servers.smtp_steps.at("before the reply")
    action = post.mail(to=(Address(email=post.anna.email),))
    async with post.account() as account:
        with pytest.raises(Unavailable):
            await account.writers.mail.execute(action, KEY)
        assert isinstance(await asked(account, action), Receipt)
        assert post.lies() == (1, 0)
        assert len(post.anna.mailbox.mails()) == 1
