"""`assistant serve` as somebody starts and ends it: separate processes, real sockets. How it begins and ends is tried with an
interpreter of its own; where that makes no difference, the process is forked off one that has imported everything."""

import os
import re
import signal
import socket
import ssl
import subprocess
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from ipaddress import ip_address
from pathlib import Path
from urllib.parse import unquote, urlsplit

import httpx2
import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID
from doubles.command import Commands, Running

COMMAND = (sys.executable, "-m", "assistant")
PASSWORD = "four quiet green lamps"
Start = Callable[..., "AbstractContextManager[Started]"]


@dataclass
class Started:
    process: "subprocess.Popen[str] | Running"
    told: str

    @property
    def url(self) -> str:
        found = re.search(r"is at (\S+)/\n", self.told)
        assert found, self.told
        return found[1]

    @property
    def link(self) -> str:
        """What stands behind the link's #; empty where none was printed."""
        found = re.search(r"#/enter\?token=(\S+)", self.told)
        return found[1] if found else ""

    def end(self, how: signal.Signals = signal.SIGTERM) -> tuple[int, str]:
        """Exit status, and what was told meanwhile."""
        self.process.send_signal(how)
        rest = self.process.communicate(timeout=60)[0]
        return self.process.returncode, rest


@contextmanager
def reading(process: "subprocess.Popen[str] | Running") -> Iterator[Started]:
    assert process.stdout
    try:
        told = ""
        for line in process.stdout:
            told += line
            if line.startswith("Ctrl-C"):
                break
        yield Started(process, told)
    finally:
        if process.poll() is None:
            process.kill()
        process.communicate()


@contextmanager
def begun(home: Path) -> Iterator[Started]:
    """With an interpreter of its own."""
    command = [*COMMAND, *served(home)]
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    with reading(process) as service:
        yield service


def served(home: Path, *options: str) -> list[str]:
    return ["--home", str(home), "serve", "--port", "0", *options]


@pytest.fixture
def started(commands: Commands) -> Start:
    @contextmanager
    def start(home: Path, *options: str, environment: dict[str, str] | None = None) -> Iterator[Started]:
        process = commands.start(*served(home, *options), env=os.environ | (environment or {}), together=True)
        with reading(process) as service:
            yield service

    return start


@pytest.fixture
def refused(commands: Commands) -> Callable[..., tuple[int, str]]:
    def call(home: Path, *options: str, environment: dict[str, str] | None = None) -> tuple[int, str]:
        """Exit status and the one sentence."""
        done = commands.run("--home", str(home), "serve", *options, env=os.environ | (environment or {}))
        assert done.stdout == "" and done.stderr.count("\n") == 1 and "Traceback" not in done.stderr
        return done.returncode, done.stderr

    return call


def test_a_fresh_home_is_served_on_the_sample_to_whoever_has_the_link(home: Path):
    with begun(home) as service, httpx2.Client(base_url=service.url, timeout=60) as client:
        assert service.url.startswith("http://localhost:")
        entered = client.post("/api/first-run", json={"token": service.link, "name": "Eva", "password": PASSWORD})
        assert entered.status_code == 200
        assert client.get("/api/me").json()["sample"]
        assert client.get("/").status_code == 200


def test_the_link_is_printed_until_the_owner_can_sign_in_and_when_asked_for(home: Path, started: Start):
    with started(home) as first:
        assert first.link
    with started(home) as again, httpx2.Client(base_url=again.url, timeout=60) as client:
        assert again.link and again.link != first.link
        given = {"name": "Eva", "password": PASSWORD}
        assert client.post("/api/first-run", json={"token": first.link, **given}).status_code == 403
        assert client.post("/api/first-run", json={"token": again.link, **given}).status_code == 200
    with started(home) as later:
        assert not later.link
    with started(home, "--new-link") as lost, httpx2.Client(base_url=lost.url, timeout=60) as client:
        assert client.post("/api/first-run", json={"token": lost.link, "password": "another long one"}).status_code == 200


def test_the_page_is_opened_in_a_browser_if_one_likes(home: Path, started: Start, tmp_path: Path):
    browser, opened = tmp_path / "browser", tmp_path / "opened"
    browser.write_text(f'#!/bin/sh\necho "$1" > {opened}\n')
    browser.chmod(0o755)
    os.mkfifo(opened)  # reading it waits for the browser
    with started(home, "--open", environment={"BROWSER": f"{browser} %s"}) as service:
        shown = opened.read_text().strip()
        assert service.link not in shown  # everybody on the machine can read with what a program was started
        page = Path(unquote(urlsplit(shown).path))
        assert f"{service.url}/#/enter?token={service.link}" in page.read_text() and page.stat().st_mode & 0o777 == 0o600
        service.end()
        assert not page.exists()


@pytest.mark.parametrize(("how", "status"), [(signal.SIGTERM, 0), (signal.SIGINT, 130)])
def test_it_ends_at_once_and_closes_open_streams(home: Path, heeded_signals: None, how: signal.Signals, status: int):
    with begun(home) as service, httpx2.Client(base_url=service.url, timeout=60) as client:
        entered = client.post("/api/first-run", json={"token": service.link, "name": "Eva", "password": PASSWORD}).json()
        client.headers["X-CSRF-Token"] = entered["csrf"]
        conversation = client.post("/api/conversations", json={}).json()["id"]
        with client.stream("GET", f"/api/conversations/{conversation}/events") as stream:
            pieces = stream.iter_bytes()
            assert next(pieces)
            service.process.send_signal(how)
            assert list(pieces) is not None  # the stream comes to its end, and is not torn
        rest = service.process.communicate(timeout=60)[0]
    assert service.process.returncode == status
    assert rest == ""


@pytest.fixture
def silent() -> Iterator[dict[str, str]]:
    """A model that takes every question and answers none; the settings for it."""
    with socket.create_server(("127.0.0.1", 0)) as model:
        url = f"http://127.0.0.1:{model.getsockname()[1]}/v1"
        yield {"ASSISTANT_LLM__BASE_URL": url, "ASSISTANT_LLM__API_KEY": "k", "ASSISTANT_LLM__MODEL": "m"}


def test_whoever_still_waits_for_an_answer_is_told_and_the_task_can_be_gone_on_with(
    home: Path, started: Start, commands: Commands, silent: dict[str, str]
):
    with started(home, environment=silent) as service, httpx2.Client(base_url=service.url, timeout=60) as client:
        entered = client.post("/api/first-run", json={"token": service.link, "name": "Eva", "password": PASSWORD}).json()
        client.headers["X-CSRF-Token"] = entered["csrf"]
        conversation = client.post("/api/conversations", json={}).json()["id"]
        with ThreadPoolExecutor() as threads:
            path, given = f"/api/conversations/{conversation}/messages", {"text": "tell my boss in a sonnet that I am ill"}
            asked = threads.submit(client.post, path, json=given)
            while not client.get("/api/flows").json()["items"]:
                pass
            status, rest = service.end()
            answer = asked.result()
    assert (status, rest) == (0, "")
    assert answer.status_code == 503 and answer.headers["Retry-After"]
    assert "sonnet" in commands.run("--home", str(home), "flows", "--all").stdout


def test_what_a_session_said_is_there_after_a_restart(home: Path, started: Start):
    with started(home) as service, httpx2.Client(base_url=service.url, timeout=60) as client:
        entered = client.post("/api/first-run", json={"token": service.link, "name": "Eva", "password": PASSWORD}).json()
        client.headers["X-CSRF-Token"] = entered["csrf"]
        conversation = client.post("/api/conversations", json={}).json()["id"]
        client.post(f"/api/conversations/{conversation}/messages", json={"text": "how many unread mails do I have?"})
        cookies = dict(client.cookies)
        service.end()
    with (
        started(home, "--port", service.url.rpartition(":")[2]) as service,
        httpx2.Client(base_url=service.url, cookies=cookies, timeout=60) as client,
    ):
        items = client.get(f"/api/conversations/{conversation}/messages").json()["items"]
        assert [one["role"] for one in items] == ["user", "assistant"]


def test_a_port_in_use_is_told(home: Path, refused: Callable[..., tuple[int, str]]):
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = str(other.getsockname()[1])
        status, told = refused(home, "--port", port)
    assert status == 4 and f"Port {port}" in told and "--port" in told


def test_a_network_is_not_listened_on_without_tls(home: Path, refused: Callable[..., tuple[int, str]]):
    status, told = refused(home, "--host", "0.0.0.0", "--port", "0")
    assert status == 2 and "--tls-cert" in told and "--behind-proxy" in told and "--insecure-http" in told


def test_unless_one_says_so(home: Path, started: Start):
    with started(home, "--host", "0.0.0.0", "--insecure-http") as service:
        assert "Not encrypted" in service.told


def test_a_key_that_can_not_be_read_is_told(home: Path, refused: Callable[..., tuple[int, str]], tmp_path: Path):
    status, told = refused(home, "--tls-cert", str(tmp_path / "no.pem"), "--tls-key", str(tmp_path / "no.key"))
    assert status == 2 and "no.pem can't be read" in told


def test_a_public_address_that_is_none_is_told(home: Path, refused: Callable[..., tuple[int, str]]):
    status, told = refused(home, environment={"ASSISTANT_PUBLIC_URL": "assistant.example.org"})
    assert status == 2 and "public_url" in told


@pytest.fixture
def certificate(tmp_path: Path) -> tuple[Path, Path]:
    """A certificate for localhost, and its key."""
    key, name = ec.generate_private_key(ec.SECP256R1()), x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "localhost")])
    names = x509.SubjectAlternativeName([x509.DNSName("localhost"), x509.IPAddress(ip_address("127.0.0.1"))])
    now = datetime.now(UTC)
    builder = x509.CertificateBuilder(name, name, key.public_key(), x509.random_serial_number(), now, now + timedelta(days=1))
    made = builder.add_extension(names, critical=False).sign(key, hashes.SHA256())
    cert, private = tmp_path / "cert.pem", tmp_path / "key.pem"
    cert.write_bytes(made.public_bytes(serialization.Encoding.PEM))
    unsealed = (serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    private.write_bytes(key.private_bytes(*unsealed))
    return cert, private


def test_with_a_certificate_it_speaks_tls_and_its_cookie_is_bound_to_it(home: Path, started: Start, certificate: tuple[Path, Path]):
    cert, key = certificate
    trusting = ssl.create_default_context(cafile=str(cert))
    with started(home, "--tls-cert", str(cert), "--tls-key", str(key)) as service:
        assert service.url.startswith("https://localhost:")
        with httpx2.Client(base_url=service.url, verify=trusting, timeout=60) as client:
            entered = client.post("/api/first-run", json={"token": service.link, "name": "Eva", "password": PASSWORD})
            cookie = entered.headers["set-cookie"]
            assert cookie.startswith("__Host-assistant_session_") and "Secure" in cookie
            assert client.get("/api/me").status_code == 200


def test_behind_a_proxy_links_and_cookies_are_those_of_the_public_address(home: Path, started: Start):
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    there = {"ASSISTANT_PUBLIC_URL": "https://assistant.example.org"}
    with started(home, "--port", str(port), "--behind-proxy", environment=there) as service:
        assert service.url == "https://assistant.example.org" and service.link
        headers = {"Host": "assistant.example.org", "X-Forwarded-Proto": "https", "Origin": "https://assistant.example.org"}
        given = {"token": service.link, "name": "Eva", "password": PASSWORD}
        entered = httpx2.post(f"http://127.0.0.1:{port}/api/first-run", json=given, headers=headers, timeout=60)
        assert entered.status_code == 200
        assert entered.headers["set-cookie"].startswith("__Host-assistant_session=")
