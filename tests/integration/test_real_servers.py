"""The servers that tests start, and the lines in front of them that tests cut."""

import imaplib
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest
from servers import NotInstalled, Servers, User, installed

TESTS = Path(__file__).resolve().parents[1]
RAW = b"Subject: {99}\r\n\r\nx1 LOGOUT\r\n* BYE {7}\r\n"
CARD = b"BEGIN:VCARD\r\nVERSION:3.0\r\nUID:eva\r\nFN:Eva\r\nN:;Eva;;;\r\nEND:VCARD\r\n"


@pytest.fixture
def anna(servers: Servers) -> User:
    return servers.user("anna@home.example")


@contextmanager
def connected(user: User) -> Iterator[imaplib.IMAP4]:
    imap = imaplib.IMAP4("127.0.0.1", user.servers.imap.port)
    imap.login(user.email, user.password)
    try:
        yield imap
    finally:
        imap.shutdown()


def put(user: User, **headers: str) -> httpx.Response:
    url = f"{user.settings['carddav']}{user.email}/contacts/eva.vcf"
    return httpx.put(url, content=CARD, auth=(user.email, user.password), headers={"Content-Type": "text/vcard", **headers})


def test_a_user_of_the_same_address_begins_anew(servers: Servers, anna: User) -> None:
    anna.mailbox.append(RAW)
    put(anna)
    again = servers.user(anna.email)
    assert again.mailbox.mails() == []
    assert put(again, **{"If-None-Match": "*"}).status_code == 201


def test_mails_pass_whatever_they_say(anna: User) -> None:
    with connected(anna) as imap:
        assert imap.append("INBOX", "", None, RAW)[0] == "OK"
        imap.select("INBOX")
        assert imap.fetch("1", "(BODY[])")[1][0][1] == RAW
        assert imap.noop()[0] == "OK"


@pytest.mark.parametrize(("when", "kept"), [("before", 0), ("after", 1)])
def test_a_command_is_lost_before_or_after_it_took_effect(servers: Servers, anna: User, when: str, kept: int) -> None:
    servers.imap.lose(rb"APPEND", when)
    with connected(anna) as imap, pytest.raises(imaplib.IMAP4.abort):
        imap.append("INBOX", "", None, RAW)
    assert len(anna.mailbox.mails()) == kept
    with connected(anna) as imap:
        assert imap.append("INBOX", "", None, RAW)[0] == "OK"


@pytest.mark.parametrize(("when", "kept"), [("before", 201), ("after", 412)])
def test_a_request_is_lost_before_or_after_it_took_effect(servers: Servers, anna: User, when: str, kept: int) -> None:
    servers.dav.lose("PUT", when)
    with pytest.raises(httpx.RemoteProtocolError):
        put(anna)
    assert put(anna, **{"If-None-Match": "*"}).status_code == kept


def test_a_reply_in_the_servers_place(servers: Servers, anna: User) -> None:
    servers.imap.instead(rb"SELECT", b"%t NO [LIMIT] Later\r\n")
    servers.dav.instead("PUT", 503, {"Retry-After": "7"})
    with connected(anna) as imap:
        assert imap.select("INBOX") == ("NO", [b"[LIMIT] Later"])
        assert imap.select("INBOX")[0] == "OK"
    assert (put(anna).headers.get("Retry-After"), put(anna).status_code) == ("7", 201)


def test_passwords_of_users_are_not_noted_down(servers: Servers, anna: User) -> None:
    with connected(anna):
        assert not any(anna.password.encode() in line for line in servers.imap.lines)


def test_a_limit_holds_for_further_connections(servers: Servers, anna: User) -> None:
    servers.imap.limit(1)
    with connected(anna), pytest.raises(imaplib.IMAP4.error, match="LIMIT"), connected(anna):
        pass


def test_nothing_is_left_behind_by_tests_that_are_killed(servers: Servers) -> None:
    program = "from servers import Servers; s = Servers(); print(s.dovecot.imap, s.dovecot.folder, flush=True); input()"
    environment = os.environ | {"PYTHONPATH": os.pathsep.join((str(TESTS), str(TESTS.parent)))}
    tests = subprocess.Popen([sys.executable, "-c", program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment)
    assert tests.stdin and tests.stdout
    port, folder = tests.stdout.readline().decode().split()
    tests.send_signal(signal.SIGKILL)
    tests.communicate()
    giving_up = time.monotonic() + 30
    while Path(folder).exists() or listens(int(port)):
        assert time.monotonic() < giving_up
        time.sleep(0.05)


def listens(port: int) -> bool:
    with socket.socket() as one:
        return one.connect_ex(("127.0.0.1", port)) == 0


def test_what_is_missing_is_told_in_one_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(installed, "VENV", tmp_path)
    servers = Servers()
    try:
        with pytest.raises(NotInstalled, match=r"^no Radicale is installed here: python tests/servers install$"):
            servers.radicale  # noqa: B018
    finally:
        servers.close()
