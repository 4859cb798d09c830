"""One mail to an outgoing server (RFC 5321, 6409), step by step: to all of its recipients or to none, and its text once."""

import asyncio
import base64
import re
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, suppress
from typing import NamedTuple

from aiosmtplib import SMTP, SMTPAuthenticationError, SMTPException, SMTPResponse, SMTPResponseException, SMTPServerDisconnected

from integrations.common.addresses import normal_email, wire_email
from integrations.common.mime import read_message
from integrations.errors import InvalidResponse, Unavailable
from integrations.standards.credentials import Credentials, Login
from integrations.standards.dialling import dialled
from integrations.standards.endpoints import Endpoint, is_loopback, tls_context
from integrations.standards.sending.smtp_errors import CLOSING, Outgoing

CONNECTING, ANSWERING, OFFERING, WRITING, TAKING = 20.0, 30.0, 60.0, 60.0, 150.0
"""Seconds for: a connection, an answer, signing in or naming all the recipients, a piece of the text, and the server's word that it
has the whole of it."""
PIECE = 2**18
"""Bytes that are written at once, and encrypted at once."""
NAME = "[127.0.0.1]"
"""How we call ourselves: a server need not know what this machine is called."""
_BCC = re.compile(rb"^bcc[ \t]*:.*\r\n(?:[ \t].*\r\n)*", re.IGNORECASE | re.MULTILINE)


class Letter(NamedTuple):
    """What goes over the wire: addresses as they stand there, lines ending in CRLF."""

    sender: str
    recipients: tuple[str, ...]
    text: bytes

    @property
    def head(self) -> bytes:
        return self.text[: self.text.find(b"\r\n\r\n") + 2]


def with_crlf(raw: bytes) -> bytes:
    """No line end of another kind is left: servers don't agree on what one would mean."""
    text = raw.replace(b"\r\n", b"\n").replace(b"\r", b"\n").replace(b"\n", b"\r\n")
    return text if text.endswith(b"\r\n") else text + b"\r\n"


def letter_of(raw: bytes, sender: str, recipients: Sequence[str]) -> Letter:
    """Without its Bcc, as the bytes are looked at to make sure of. Raises InvalidResponse."""
    head, gap, body = with_crlf(raw).partition(b"\r\n\r\n")
    open_head = _BCC.sub(b"", head + b"\r\n")
    before, after = read_message(head + b"\r\n\r\n").headers, read_message(open_head + b"\r\n").headers
    if [one for one in before if one[0].strip() != "bcc"] != list(after):
        raise InvalidResponse("The mail was not sent: its blind copies could not be kept from the others.")
    text = open_head.removesuffix(b"\r\n") + gap + body
    if not gap or b"\0" in text:
        raise InvalidResponse("The mail was not sent: it is none, or holds a character that no mail may hold.")
    known = dict.fromkeys(map(normal_email, recipients))
    if not all(known) or not known:
        raise InvalidResponse("The mail was not sent: it is not clear to whom.")
    return Letter(wire_email(sender), tuple(map(wire_email, known)), text)


class Smtp:
    """An account's outgoing server. There is a connection for each mail."""

    def __init__(self, endpoint: Endpoint, credentials: Credentials, *, account: str, trusted: str = "") -> None:
        self._endpoint, self._credentials, self._trusted = endpoint, credentials, trusted
        self._server = Outgoing(account, endpoint.host)

    @asynccontextmanager
    async def line(self) -> AsyncIterator["Line"]:
        """Signed in. Until `Line.end` whatever is raised means that nothing was sent."""
        line = Line(await self._signed_in(), self._server)
        try:
            yield line
        finally:
            await line.hang_up()

    async def _signed_in(self) -> SMTP:
        with self._server.before_the_text():
            async with asyncio.timeout(OFFERING):
                return await self._credentials.using(str(self._endpoint), self._connected)

    async def _connected(self, login: Login) -> SMTP:
        security, host = self._endpoint.security, self._endpoint.host
        context = await asyncio.to_thread(tls_context, self._trusted) if security != "none" else None
        sock = await asyncio.to_thread(dialled, self._endpoint, CONNECTING) if self._endpoint.public else None
        client = SMTP(
            hostname=host,
            port=None if sock else self._endpoint.port,
            sock=sock,
            local_hostname=NAME,
            timeout=ANSWERING,
            use_tls=security == "tls",
            start_tls=False,
            tls_context=context,
        )
        try:
            await client.connect(timeout=CONNECTING)
            await client.ehlo()
            if security == "starttls":
                if not client.supports_extension("starttls"):
                    raise self._server.unencrypted()
                await client.starttls()
                await client.ehlo()
            await self._sign_in(client, login)
        except BaseException:
            client.close()
            raise
        return client

    async def _sign_in(self, client: SMTP, login: Login) -> None:
        """Once, in one way: a server may count what it has refused."""
        if not client.supports_extension("auth") and is_loopback(self._endpoint.host):
            return
        try:
            await self._present(client, login)
        except SMTPAuthenticationError as refused:
            if refused.code >= 500:
                raise self._server.unauthorized() from None
            raise self._server.not_signed_in() from None  # whose own words may hold what was presented

    async def _present(self, client: SMTP, login: Login) -> None:
        ways = client.server_auth_methods
        if login.token and "xoauth2" in ways:
            await client.auth_xoauth2(login.username, login.secret)
        elif login.token and "oauthbearer" in ways:
            await _bear(client, login)
        elif not login.token and "plain" in ways:
            await client.auth_plain(login.username, login.secret)
        elif not login.token and "login" in ways:
            await client.auth_login(login.username, login.secret)
        elif not login.token and "cram-md5" in ways:
            await client.auth_crammd5(login.username, login.secret)
        else:
            what = "tokens" if login.token else "a password"
            raise InvalidResponse(f"{self._endpoint.host} offers no way to sign in with {what}.", self._server.account)


class Line:
    """A connection that one mail goes over: it is offered, its text is written, and ended."""

    def __init__(self, client: SMTP, server: Outgoing) -> None:
        self._client, self._server = client, server
        self._reply: asyncio.Task[SMTPResponse] | None = None
        """The one that is to come, while there is a text without its end."""

    async def offer(self, letter: Letter) -> None:
        """Says from whom and to whom. Raises where only one of them is refused; nothing has been sent then."""
        with self._server.before_the_text():
            options = self._options(letter)
            async with asyncio.timeout(OFFERING):
                answer = await self._say("MAIL FROM:", letter.sender, *options)
                if not _good(answer):
                    raise self._server.refused(f"{self._server.host} takes no mail from {letter.sender}", answer)
                refused = await self._refused(letter)
                if refused:
                    raise self._server.refused_recipients(refused)

    async def _refused(self, letter: Letter) -> dict[str, SMTPResponse]:
        refused: dict[str, SMTPResponse] = {}
        for recipient in letter.recipients:
            try:
                answer = await self._say("RCPT TO:", recipient)
            except SMTPServerDisconnected:
                if not refused:
                    raise
                break  # it is tired of us, having said why
            if not _good(answer):
                refused[recipient] = answer
        return refused

    async def write(self, letter: Letter) -> None:
        """The text but for its end: without that it is no mail, whatever breaks off."""
        with self._server.before_the_text():
            answer = await self._client.execute_command(b"DATA")
            if answer.code != 354:
                raise self._server.refused(f"{self._server.host} does not take the mail", answer)
            text = await asyncio.to_thread(_stuffed, letter.text)
            protocol, transport = self._client.protocol, self._client.transport
            if protocol is None or not isinstance(transport, asyncio.WriteTransport):
                raise SMTPServerDisconnected("Connection lost")
            self._reply = asyncio.create_task(protocol.read_response())
            await asyncio.sleep(0)  # it listens before there is anything to be answered
            for start in range(0, len(text), PIECE):
                protocol.write(text[start : start + PIECE])
                async with asyncio.timeout(WRITING):
                    await self._drained(transport, self._reply)

    async def end(self) -> None:
        """Once. Unavailable (but not Unreached) or Unreadable where the text may or may not have been taken."""
        with self._server.before_the_text():
            reply = self._reply
            if reply is None or self._client.protocol is None:
                raise SMTPServerDisconnected("Connection lost")
            if reply.done():
                raise self._server.refused(f"{self._server.host} does not take the mail", await reply)
        answer = await self._ended(reply)
        self._reply = None
        if answer.code == CLOSING or answer.code // 100 not in (2, 4, 5):
            raise self._untold()
        if not _good(answer):
            raise self._server.refused(f"{self._server.host} did not take the mail", answer)

    async def hang_up(self) -> None:
        """Whatever becomes of the farewell, what was sent was sent; in the middle of a text there is none."""
        try:
            if self._reply is None:
                with suppress(SMTPException, OSError):
                    await self._client.quit(timeout=2.0)
        finally:
            self._client.close()
            await self._forget_reply()

    async def _forget_reply(self) -> None:
        if self._reply is not None:
            self._reply.cancel()
            await asyncio.gather(self._reply, return_exceptions=True)

    async def _drained(self, transport: asyncio.WriteTransport, reply: "asyncio.Task[SMTPResponse]") -> None:
        """Returns early where the server says something, or hangs up."""
        await asyncio.sleep(0)
        while transport.get_write_buffer_size() and not reply.done():
            await asyncio.wait({reply}, timeout=0.005)

    async def _ended(self, reply: "asyncio.Task[SMTPResponse]") -> SMTPResponse:
        try:
            if self._client.protocol is not None:
                self._client.protocol.write(b".\r\n")
            async with asyncio.timeout(TAKING):
                return await reply
        except SMTPResponseException as odd:
            raise self._server.unreadable() from odd
        except (SMTPException, OSError, RuntimeError) as lost:
            raise self._untold() from lost

    async def _say(self, command: str, address: str, *options: str) -> SMTPResponse:
        verb = f"{command}<{address}>"
        return await self._client.execute_command(verb.encode(), *map(str.encode, options))

    def _options(self, letter: Letter) -> list[str]:
        """What must be said of the mail beforehand. Raises InvalidResponse where the server is not up to it."""
        offers = self._client.esmtp_extensions
        largest = offers.get("size", "").strip()
        if largest.isdecimal() and 0 < int(largest) < len(letter.text):
            mebibytes = int(largest) / 2**20
            raise InvalidResponse(f"{self._server.host} takes no mail larger than {mebibytes:.1f} MB.", self._server.account)
        international = not (letter.head.isascii() and "".join((letter.sender, *letter.recipients)).isascii())
        if international and "smtputf8" not in offers:
            raise InvalidResponse(f"{self._server.host} can't write to addresses with such letters.", self._server.account)
        if not letter.text.isascii() and "8bitmime" not in offers:
            raise InvalidResponse(f"{self._server.host} takes no mail that holds such characters.", self._server.account)
        said = {
            f"SIZE={len(letter.text)}": "size" in offers,
            "BODY=8BITMIME": not letter.text.isascii(),
            "SMTPUTF8": international,
        }
        return [option for option, wanted in said.items() if wanted]

    def _untold(self) -> Unavailable:
        return Unavailable(f"{self._server.host} was cut off before it said whether it has taken the mail.", self._server.account)


async def sign_in(endpoint: Endpoint, credentials: Credentials, *, account: str, trusted: str = "") -> None:
    """Connects and signs in, and sends nothing."""
    async with Smtp(endpoint, credentials, account=account, trusted=trusted).line():
        pass


async def _bear(client: SMTP, login: Login) -> None:
    """RFC 7628, of which aiosmtplib does not know."""
    said = f"n,a={login.username.replace('=', '=3D').replace(',', '=2C')},\x01auth=Bearer {login.secret}\x01\x01"
    answer = await client.execute_command(b"AUTH", b"OAUTHBEARER", base64.b64encode(said.encode()))
    if answer.code == 334:
        answer = await client.execute_command(base64.b64encode(b"\x01"))
    if answer.code != 235:
        raise SMTPAuthenticationError(answer.code, answer.message)


def _stuffed(text: bytes) -> bytes:
    return (b"." if text.startswith(b".") else b"") + text.replace(b"\r\n.", b"\r\n..")


def _good(answer: SMTPResponse) -> bool:
    return answer.code // 100 == 2
