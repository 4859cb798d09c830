"""Connecting an account at any server that speaks the open standards, from a terminal."""

import json as jsonlib
import signal
import sys
from collections.abc import Callable, Mapping, Sequence
from getpass import getpass
from pathlib import Path
from typing import NamedTuple

from assistant.cli.connecting_by_consent import add, consented
from assistant.cli.failures import of_the_disk
from assistant.connecting import imap
from assistant.connecting.imap import KIND, NONE, Asked, Came, Connecting, Line
from assistant.connecting.kept import Kept, check_provider
from assistant.errors import AssistantError, UserError
from integrations.common.loopback import Loopback
from integrations.standards.discovery.discovery import WHICH, Found, Which
from integrations.standards.discovery.services import OAuth, service_of
from integrations.standards.oauth import Client, Consent

CALLED: Mapping[Which, str] = {"imap": "mail", "smtp": "sending", "caldav": "calendars", "carddav": "contacts"}
SOURCES = {"told": "", "known": "", "named": " (named by DNS)", "usual": " (guessed)"}
LONGEST_FILE = 10_000
ADDRESS = "Your mail address, with your name if you like (Eva Klein <eva@example.org>): "
AGAIN = "{} ({}) is connected already and will be connected again; another account needs a name of its own: --name NAME"
NO_TERMINAL = "Nobody can be asked for the password here; give it with --password-file FILE, or - for the standard input."
NOT_AGREED = "Whether the password may go to {} has to be said: --yes, or name the servers yourself."
NOWHERE = "No server is left to which your password may go; name your provider's, such as --imap imaps://mail.example.org"
NO_CLIENT = "Give the ID of a program that you have registered with the service: --client-id ID"
NO_OAUTH = "Where {} gives tokens is not known; name it with --oauth-authorize URL, --oauth-token URL and --scope SCOPE."


class Told(NamedTuple):
    """`servers` by kind: imap, smtp, caldav, carddav; `password_file` holds the password, "-" is the standard input; `yes` lets it
    go to servers of another domain."""

    address: str = ""
    servers: Mapping[str, str] = {}
    username: str = ""
    trusted: str = ""
    password_file: str = ""
    yes: bool = False
    json: bool = False


class Tokens(NamedTuple):
    """How tokens are got in place of a password; empty where the service is known."""

    client_id: str = ""
    secret_file: str = ""
    authorize: str = ""
    token: str = ""
    scope: str = ""
    browser: bool = True


async def add_imap(home: Path | None, name: str, told: Told, tokens: Tokens | None) -> int:
    """`tokens` where the service wants no password."""
    check_provider(KIND)
    return await add(home, lambda kept: _Adding(kept, name, told, tokens).run())


class _Adding:
    def __init__(self, kept: Kept, name: str, told: Told, tokens: Tokens | None) -> None:
        self._kept, self._name, self._told, self._tokens = kept, name, told, tokens

    async def run(self) -> None:
        connecting = await imap.begin(self._kept, self._name, await self._asked(), public=False)
        if not connecting.wanted:
            raise UserError(imap.NONE_WANTED)
        self._check(connecting, Found(service=service_of(connecting.domain)))
        given = self._given()
        if connecting.former:
            self._say(AGAIN.format(connecting.name, connecting.owner.email))
        self._say(f"Looking for the servers of {connecting.owner.email} …")
        found = await connecting.search()
        for line in _found(found):
            self._say(line)
        self._check(connecting, found)
        if found.service and found.service.instead:
            self._say(f"{found.service.instead}.")
        found = self._agreed(found)
        if not any(found.candidates.values()):
            raise UserError(
                f"No server of {connecting.domain} was found; name one, such as --imap imaps://mail.{connecting.domain}"
            )
        secret = given or await self._secret(connecting, found)
        self._say("Signing in …")
        self._tell(await connecting.finish(found, secret))

    async def _asked(self) -> Asked:
        told = self._told
        servers = {which: url for which in WHICH if (url := told.servers.get(which, "").strip())}
        asked = Asked(told.address, servers, told.username, _absolute(told.trusted))
        if asked.address or not self._asks or await self._kept.account(self._name):
            return asked
        address = ""
        while not address.strip():
            address = _typed(input, ADDRESS)
        return asked._replace(address=address)

    @property
    def _asks(self) -> bool:
        """Whether somebody is there who can be asked."""
        return sys.stdin.isatty() and not self._told.json and self._told.password_file != "-"

    def _given(self) -> str:
        """The secret, empty where it is asked for later. Before servers are looked for, which takes a while."""
        if self._tokens:
            return ""
        if self._told.password_file:
            return imap.password(_line_of(self._told.password_file))
        if not sys.stdin.isatty():
            raise UserError(NO_TERMINAL)
        return ""

    def _check(self, connecting: Connecting, found: Found) -> None:
        """Raises UserError where the service takes no password, and nobody has named another server, now or before."""
        service = found.service
        if service is None or not service.instead or service.password or self._tokens or connecting.former:
            return
        told = any(url.strip() not in ("", NONE) for url in self._told.servers.values())
        if not told and all(one.source != "named" for one in found.candidates.get("imap", ())):
            raise UserError(f"{service.instead}.")

    def _agreed(self, found: Found) -> Found:
        """Without the servers to which the password may not go."""
        hosts = found.elsewhere
        if not hosts or self._told.yes:
            return found
        if not self._asks:
            raise UserError(NOT_AGREED.format(", ".join(hosts)))
        print("Who answers for your network could have made up these names, which are not of your address's own domain:")
        print("".join(f"  {host}\n" for host in hosts), end="")
        answer = _typed(input, "Are they your provider's, so that your password may go there? [y/N] ")
        if answer.strip().lower() in ("y", "yes"):
            return found
        left = found.without(hosts)
        if not any(left.candidates.values()):
            raise UserError(NOWHERE)
        return left

    async def _secret(self, connecting: Connecting, found: Found) -> str:
        if self._tokens:
            return await self._by_tokens(connecting, found, self._tokens)
        return imap.password(self._password(connecting, found))

    def _password(self, connecting: Connecting, found: Found) -> str:
        if found.service and found.service.password:
            print(f"{found.service.name} takes {found.service.password}.")
        return _typed(getpass, f"Password for {connecting.owner.email} (it is not shown): ")

    async def _by_tokens(self, connecting: Connecting, found: Found, tokens: Tokens) -> str:
        known = found.service.oauth if found.service else None
        client = await self._client(tokens, known, connecting.domain)
        loopback = Loopback(known.loopback) if known else Loopback()
        return await consented(_ByConsent(connecting, client), loopback, "the service", browser=tokens.browser)

    async def _client(self, tokens: Tokens, known: OAuth | None, domain: str) -> Client:
        if not tokens.client_id:
            client = await imap.known_client(self._kept, self._name)
            if client is None:
                raise UserError(NO_CLIENT)
            return client
        authorize, token = tokens.authorize or (known.authorize if known else ""), tokens.token or (known.token if known else "")
        if not authorize or not token:
            raise UserError(NO_OAUTH.format(domain))
        scope = tokens.scope or (known.scope if known else "")
        secret = _line_of(tokens.secret_file) if tokens.secret_file else ""
        client = Client(authorize=authorize, token=token, client_id=tokens.client_id, client_secret=secret, scope=scope)
        client.check()
        return client

    def _say(self, line: str) -> None:
        if not self._told.json:
            print(line, flush=True)

    def _tell(self, came: Came) -> None:
        """Raises AssistantError where nothing was connected."""
        if self._told.json:
            told = came._asdict() | {"lines": [line._asdict() for line in came.lines]}
            print(jsonlib.dumps(told, indent=2))
        else:
            for line in _table(came.lines):
                print(line)
        if not came.connected:
            raise AssistantError(f"{came.says}{_helps(came.lines)}")
        self._say(came.says)
        for line in _not(came):
            self._say(line)


class _ByConsent:
    """As `consented` wants it."""

    def __init__(self, connecting: Connecting, client: Client) -> None:
        self.name, self._owner, self._client = connecting.name, connecting.owner.email, client

    async def consent(self, redirect: str, state: str) -> Consent:
        return Consent(self._client, redirect, state, self._owner)


def _typed(ask: Callable[[str], str], question: str) -> str:
    """Blocks: nothing else is under way, and Ctrl-C has to end it at once."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        return ask(question)
    except KeyboardInterrupt:
        print()  # what comes next begins a line of its own
        raise
    except EOFError as end:
        print()
        raise UserError("Nothing was typed, so nothing was connected.") from end
    finally:
        signal.signal(signal.SIGINT, before)


def _absolute(file: str) -> str:
    return str(Path(file).expanduser().absolute()) if file and file != NONE else file


def _line_of(file: str) -> str:
    """The first line of a file, "-" for the standard input."""
    try:
        if file == "-":
            text = sys.stdin.readline(LONGEST_FILE)
        else:
            with open(Path(file).expanduser(), encoding="utf-8") as opened:
                text = opened.readline(LONGEST_FILE)
    except OSError as gone:
        raise UserError(of_the_disk(gone)) from gone
    except UnicodeDecodeError as other:
        raise UserError(f"The file {file} is not a text in UTF-8.") from other
    return text.rstrip("\r\n")


def _found(found: Found) -> Sequence[str]:
    rows = []
    if found.service:
        rows.append(f"This is {found.service.name}.")
    for which in WHICH:
        for one in found.candidates.get(which, ())[:1]:
            rows.append(f"  {CALLED[which]:9}  {one.server}{SOURCES[one.source]}")
    return rows


def _table(lines: Sequence[Line]) -> Sequence[str]:
    width = max((len(line.server) for line in lines), default=0)
    rows = []
    for line in lines:
        mark = "yes" if line.works else "NO "
        says = line.says if line.works else line.says.rstrip(".")
        rows.append(f"  {mark}  {CALLED[line.which]:9}  {line.server:{width}}  {says}".rstrip())
        if line.helps:
            rows.append(f"       {'':9}  {'':{width}}  {line.helps}".rstrip())
    return rows


def _not(came: Came) -> Sequence[str]:
    """What the account can't be used for, with what would help."""
    missing = [line for line in came.lines if not line.works]
    return [_without(line) for line in missing]


def _without(line: Line) -> str:
    if line.stays:
        return f"For {CALLED[line.which]} the account keeps {line.stays}, though it is not known to work: {line.says.rstrip('.')}."
    again = f"connect it again with --{line.which} URL, or --{line.which} {NONE} where there shall be none."
    return f"Not for {CALLED[line.which]}: {line.says.rstrip('.')}; {again}"


def _helps(lines: Sequence[Line]) -> str:
    return "".join(f" {line.says.rstrip('.')}{f': {line.helps}' if line.helps else ''}." for line in lines[:1])
