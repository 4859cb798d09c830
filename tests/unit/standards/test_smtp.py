"""What goes over the line to an outgoing server, and what its answers mean."""

import asyncio
import base64
import json
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, suppress

import pytest
from doubles.secrets import KeptSecrets
from servers import Servers, User

from integrations.common.remote import Unreached, came_to_nothing
from integrations.errors import AuthExpired, IntegrationError, InvalidResponse, RateLimited
from integrations.standards.credentials import Credentials, Login
from integrations.standards.endpoints import endpoint_of
from integrations.standards.sending import smtp as smtp_module
from integrations.standards.sending.smtp import Letter, Smtp, letter_of, sign_in, with_crlf

BEN = "ben@north.example"
MAIL = b"From: anna@home.example\nTo: ben@north.example\nSubject: Plan\n\nAll set.\n"
ANNA = Login("anna", "pass word")
PATIENT = 60
"""Seconds."""


# A server that says what a test wants


class Says:
    """Answers each command by its first word; "" hangs up; what it hears is kept."""

    def __init__(self, answers: dict[str, str], *, offers: Sequence[str] = ("AUTH PLAIN", "8BITMIME")) -> None:
        ehlo = "\r\n".join(["250-there", *(f"250-{offer}" for offer in offers), "250 HELP"])
        usual = dict.fromkeys(("MAIL", "RCPT", "RSET", "."), "250 ok")
        self.answers = {"EHLO": ehlo, "AUTH": "235 ok", "DATA": "354 go", "QUIT": "221 bye", **usual, **answers}
        self.heard = b""

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            writer.write(b"220 hello\r\n")
            while line := await reader.readline():
                self.heard += line
                await self._answer(line.decode("utf-8", "replace").split()[0].upper(), reader, writer)
        except (ConnectionError, asyncio.IncompleteReadError, IndexError):
            pass
        finally:
            writer.close()

    async def _answer(self, word: str, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        answer = self.answers.get(word, "500 what?")
        if not answer:
            raise ConnectionAbortedError
        writer.write(answer.encode() + b"\r\n")
        if word == "DATA" and answer.startswith("354"):
            self.heard += await reader.readuntil(b"\r\n.\r\n")
            await self._answer(".", reader, writer)


@asynccontextmanager
async def listening(says: Says, login: Login = ANNA) -> AsyncIterator[Smtp]:
    async with await asyncio.start_server(says.serve, "127.0.0.1", 0, limit=2**22) as server:
        yield smtp_at(server.sockets[0].getsockname()[1], login)


def smtp_at(port: int, login: Login = ANNA) -> Smtp:
    credentials = Credentials("acc", KeptSecrets(acc=json.dumps({"password": login.secret})), login.username)
    if login.token:
        credentials.current = lambda: _told(login)  # type: ignore[method-assign]
    return Smtp(endpoint_of(f"smtp://127.0.0.1:{port}", "smtp"), credentials, account="acc")


async def _told(login: Login) -> Login:
    return login


async def sent(smtp: Smtp, letter: Letter) -> None:
    async with asyncio.timeout(PATIENT), smtp.line() as line:
        await line.offer(letter)
        await line.write(letter)
        await line.end()


def letter(text: bytes = MAIL, *recipients: str) -> Letter:
    return letter_of(text, "anna@home.example", recipients or (BEN,))


async def failing(says: Says, one: Letter | None = None) -> IntegrationError:
    async with listening(says) as smtp:
        with pytest.raises(IntegrationError) as raised:
            await sent(smtp, one or letter())
    words = str(raised.value)
    assert raised.value.account == "acc" and "\n" not in words and len(words.split()) > 3 and "pass word" not in words
    return raised.value


@pytest.mark.parametrize("body", [b".\n", b"..\n.\n.x\n\n.", b"a\r.\rb\n.\r\n", b"xyz\n" * 90_000 + b"\n."], ids=range(4))
async def test_the_text_arrives_whole_whatever_its_dots(body: bytes) -> None:
    says = Says({})
    raw = MAIL + body
    async with listening(says) as smtp:
        await sent(smtp, letter(raw))
    text = says.heard.partition(b"DATA\r\n")[2].partition(b"\r\n.\r\n")[0] + b"\r\n"
    assert b"\r\n".join(line.removeprefix(b".") if line[:1] == b"." else line for line in text.split(b"\r\n")) == with_crlf(raw)


@pytest.mark.parametrize(
    ("answers", "error"),
    [
        ({"MAIL": "550 5.7.1 not you"}, InvalidResponse),
        ({"MAIL": "451 4.3.0 later"}, RateLimited),
        ({"MAIL": "421 4.3.2 closing"}, RateLimited),
        ({"MAIL": ""}, Unreached),
        ({"RCPT": ""}, Unreached),
        ({"RCPT": "550 5.1.1 nobody"}, InvalidResponse),
        ({"RCPT": "450 4.2.0 Greylisted"}, RateLimited),
        ({"DATA": ""}, Unreached),
        ({"DATA": "554 no"}, InvalidResponse),
        ({"DATA": "250 odd"}, IntegrationError),
        ({".": "554 5.6.0 spam"}, InvalidResponse),
        ({".": "452 4.3.1 full"}, RateLimited),
        ({"MAIL": "garbage"}, InvalidResponse),
        ({"EHLO": ""}, Unreached),
        ({"AUTH": "535 5.7.8 no"}, AuthExpired),
        ({"AUTH": "454 4.7.0 later"}, RateLimited),
        ({"AUTH": ""}, Unreached),
    ],
    ids=repr,
)
async def test_a_plain_no_means_that_nothing_was_sent(answers: dict[str, str], error: type[IntegrationError]) -> None:
    refused = await failing(Says(answers))
    assert isinstance(refused, error) and came_to_nothing(refused)


@pytest.mark.parametrize("answer", ["", "421 4.4.2 Timeout", "garbage", "999 x", "354 more", "250-" + "x" * 40_000], ids=range(6))
async def test_what_is_no_answer_to_the_text_leaves_it_open(answer: str) -> None:
    assert not came_to_nothing(await failing(Says({".": answer})))


async def test_a_line_that_breaks_before_the_end_of_a_long_text_has_sent_nothing() -> None:
    class Leaves(Says):
        async def _answer(self, word: str, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            if word == "DATA":
                writer.write(b"354 go\r\n")
                await reader.read(1000)
                writer.transport.abort()
                raise ConnectionAbortedError
            await super()._answer(word, reader, writer)

    lost = await failing(Leaves({}), letter(MAIL + (b"y" * 70 + b"\n") * 500_000))
    assert isinstance(lost, Unreached)


async def test_every_refused_recipient_is_named_with_the_servers_reason_and_no_one_gets_it() -> None:
    says = Says({"RCPT": "550-5.1.1 <b>No such\r\n550 5.1.1 user\x07 here"})
    refused = await failing(says, letter(MAIL, BEN, "tom@south.example"))
    assert str(refused) == (
        "127.0.0.1 takes no mail for ben@north.example: <b>No such user here; tom@south.example: <b>No such user here. "
        "So it was sent to nobody."
    )
    assert b"DATA" not in says.heard


async def test_a_long_winded_server_is_cut_short() -> None:
    reasons = "\r\n".join(["550-" + "x" * 900] * 20 + ["550 end"])
    assert len(str(await failing(Says({"MAIL": reasons})))) < 400


async def test_a_mail_that_is_too_large_is_not_begun() -> None:
    says = Says({}, offers=("AUTH PLAIN", "SIZE 1000"))
    refused = await failing(says, letter(MAIL + b"x" * 2000))
    assert "larger" in str(refused) and b"MAIL" not in says.heard


async def test_addresses_in_other_scripts_need_a_server_that_knows_them() -> None:
    refused = await failing(Says({}), letter(MAIL, "jürgen@north.example"))
    assert isinstance(refused, InvalidResponse)
    says = Says({}, offers=("AUTH PLAIN", "SMTPUTF8", "8BITMIME"))
    async with listening(says) as smtp:
        await sent(smtp, letter(MAIL, "jürgen@north.example"))
    assert "RCPT TO:<jürgen@north.example>".encode() in says.heard and b"SMTPUTF8" in says.heard


# Signing in


@pytest.mark.parametrize(
    ("offers", "token", "way"),
    [
        ("AUTH LOGIN PLAIN CRAM-MD5", False, b"AUTH PLAIN"),
        ("AUTH CRAM-MD5 LOGIN", False, b"AUTH LOGIN"),
        ("AUTH XOAUTH2 PLAIN OAUTHBEARER", True, b"AUTH XOAUTH2"),
        ("AUTH OAUTHBEARER PLAIN", True, b"AUTH OAUTHBEARER"),
    ],
)
async def test_it_signs_in_once_in_the_best_way_there_is(offers: str, token: bool, way: bytes) -> None:
    says = Says({"AUTH": "535 5.7.8 no"}, offers=(offers,))
    async with listening(says, Login("anna@home.example", "s3cr3t", token)) as smtp:
        with pytest.raises(IntegrationError):
            await sent(smtp, letter())
    assert [line[: len(way)] for line in says.heard.splitlines() if line.startswith(b"AUTH")] == [way]


async def test_a_password_is_not_given_away_as_a_token_nor_a_token_as_a_password() -> None:
    for offers, token in (("AUTH XOAUTH2", False), ("AUTH PLAIN LOGIN", True)):
        says = Says({}, offers=(offers,))
        async with listening(says, Login("anna", "s3cr3t", token)) as smtp:
            with pytest.raises(InvalidResponse, match="no way to sign in"):
                await sent(smtp, letter())
        assert b"AUTH" not in says.heard


async def signing_in(servers: Servers, user: User, settings: dict[str, str]) -> None:
    credentials = Credentials("acc", KeptSecrets(acc=user.secret), user.email)
    await sign_in(endpoint_of(settings["smtp"], "smtp"), credentials, account="acc", trusted=settings.get("trusted", ""))


@pytest.mark.parametrize("how", ["settings", "secure_settings", "starttls_settings"])
async def test_it_signs_in_over_every_kind_of_line(servers: Servers, how: str) -> None:
    user = servers.user("anna@home.example")
    await signing_in(servers, user, getattr(user, how))
    servers.change_password(user, "another")
    with pytest.raises(AuthExpired):
        await signing_in(servers, user, getattr(user, how))


async def test_nothing_secret_goes_to_a_server_with_somebody_elses_certificate(servers: Servers) -> None:
    user = servers.user("anna@home.example")
    with pytest.raises(Unreached, match="for another name"):
        await signing_in(servers, user, servers.wrong_name_settings(user))
    with pytest.raises(Unreached, match="certificate"):
        await signing_in(servers, user, {**user.starttls_settings, "trusted": ""})
    assert servers.smtp.commands["AUTH"] == 0


async def test_a_line_that_is_not_encrypted_as_asked_is_not_used() -> None:
    says = Says({})
    async with await asyncio.start_server(says.serve, "127.0.0.1", 0) as server:
        port = server.sockets[0].getsockname()[1]
        credentials = Credentials("acc", KeptSecrets(acc='{"password": "x"}'), "anna")
        with pytest.raises(Unreached, match="offers no encryption"):
            await sign_in(endpoint_of(f"smtp+starttls://127.0.0.1:{port}", "smtp"), credentials, account="acc")
    assert b"AUTH" not in says.heard


async def test_nobody_listening_is_said_so() -> None:
    async with await asyncio.start_server(lambda r, w: None, "127.0.0.1", 0) as server:
        port = server.sockets[0].getsockname()[1]
    with pytest.raises(Unreached):
        await sent(smtp_at(port), letter())


# Hostile and tired servers


@pytest.mark.parametrize("code", ["535", "454"])
async def test_no_word_of_a_server_that_says_what_it_was_given_is_passed_on(code: str) -> None:
    given = base64.b64encode(b"\0anna\0pass word").decode()
    refused = await failing(Says({"AUTH": f"{code} 5.7.0 not AUTH PLAIN {given}"}))
    assert given not in str(refused)


async def test_a_server_that_hangs_up_on_so_many_wrong_names_has_said_which() -> None:
    class Tired(Says):
        async def _answer(self, word: str, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            await super()._answer(word, reader, writer)
            if word == "RCPT":
                await writer.drain()
                raise ConnectionAbortedError

    refused = await failing(Tired({"RCPT": "550 5.1.1 nobody"}), letter(MAIL, BEN, "tom@south.example"))
    assert isinstance(refused, InvalidResponse) and BEN in str(refused)


@pytest.mark.parametrize("word", ["EHLO", "AUTH", "MAIL", "RCPT", "DATA", "."])
@pytest.mark.parametrize("flood", ["250-x\r\n" * 200_000 + "250 end", "2" * 1_200_000, "550 \x1b]0;owned\x07\x1b[2J\u202egnp.exe"])
async def test_no_answer_is_too_long_or_shows_what_it_should_not(word: str, flood: str) -> None:
    async with listening(Says({word: flood})) as smtp:
        try:
            await sent(smtp, letter())
        except IntegrationError as error:
            assert str(error).isprintable() and len(str(error)) < 500
            assert came_to_nothing(error) or word == "."


async def test_what_a_line_in_the_clear_says_after_the_change_to_encryption_counts_for_nothing(servers: Servers) -> None:
    """RFC 3207: somebody on the way might have put it there."""
    user = servers.user("anna@home.example")
    upstream = int(user.starttls_settings["smtp"].rpartition(":")[2])

    async def between(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        from_server, to_server = await asyncio.open_connection("127.0.0.1", upstream)

        async def down() -> None:
            while data := await from_server.read(65536):
                if data == b"220 Ready to start TLS\r\n":
                    data += b"250-evil\r\n250 AUTH LOGIN\r\n235 in\r\n"
                writer.write(data)

        task = asyncio.create_task(down())
        with suppress(ConnectionError):
            while data := await reader.read(65536):
                to_server.write(data)
        task.cancel()
        to_server.close()
        writer.close()

    async with await asyncio.start_server(between, "127.0.0.1", 0) as server:
        port = server.sockets[0].getsockname()[1]
        servers.change_password(user, "another")
        with pytest.raises(IntegrationError):
            await signing_in(servers, user, {**user.starttls_settings, "smtp": f"smtp+starttls://localhost:{port}"})


async def test_a_mark_that_fails_in_the_middle_of_a_text_ends_it_without_its_end() -> None:
    says = Says({})
    async with listening(says) as smtp:
        with pytest.raises(IntegrationError):
            async with smtp.line() as line:
                await line.offer(letter())
                await line.write(letter())
                raise Unreached("no mark", "acc")
    assert b"\r\n.\r\n" not in says.heard and b"QUIT" not in says.heard


async def test_a_server_that_says_no_in_the_middle_of_the_text_has_not_taken_it() -> None:
    class Interrupts(Says):
        async def _answer(self, word: str, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            if word == "DATA":
                writer.write(b"354 go\r\n")
                await reader.readuntil(b"All set.\r\n")
                writer.write(b"552 5.3.4 too big\r\n")
            else:
                await super()._answer(word, reader, writer)

    says = Interrupts({})
    async with listening(says) as smtp:
        with pytest.raises(InvalidResponse, match="too big"):
            async with smtp.line() as line:
                await line.offer(letter())
                await line.write(letter())
                assert line._reply is not None
                await asyncio.wait({line._reply})
                await line.end()
    assert b"\r\n.\r\n" not in says.heard


async def test_a_server_that_never_greets_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(smtp_module, "CONNECTING", 0.2)

    async def silent(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.read()
        writer.close()

    async with await asyncio.start_server(silent, "127.0.0.1", 0) as server:
        with pytest.raises(Unreached):
            await sent(smtp_at(server.sockets[0].getsockname()[1]), letter())
