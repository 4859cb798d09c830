"""Every kind of secret is planted, the service is used and made to fail, and then all that it wrote and said is searched."""

import asyncio
import json
import os
import stat
import zipfile
from base64 import b64encode
from collections.abc import AsyncIterator, Iterator
from contextlib import AsyncExitStack, asynccontextmanager
from datetime import UTC, datetime
from pathlib import Path
from urllib.parse import quote

import httpx2
import pytest
from doubles.delivering import note_service
from doubles.google import GoogleEmulator
from doubles.google import faults as google_faults
from doubles.graph import GraphEmulator
from doubles.graph import faults as graph_faults
from doubles.llm import Failure, ScriptedEndpoint
from doubles.places import browser_that_consents
from doubles.service import Running, serving

from assistant.bootstrap import open_assistant
from assistant.cli.connecting_google import add_google
from assistant.cli.connecting_microsoft import add_microsoft
from assistant.cli.doctor import doctor
from assistant.errors import AssistantError
from assistant.running.backups import back_up
from config.settings import LlmSettings, Settings
from integrations.errors import IntegrationError
from storage.sealing import KEY_FILE

ME = "me@home.example"
WRONG, RIGHT, CHANGED = "canary-wrong-4b1d", "canary-right-77ae", "canary-changed-90cc"
WRONG_SIGN_IN = "canary-wrong-sign-in-9"
MODEL_KEY = "sk-canary-model-5512"
TARGET = "canary-target-6d2e"
PATHS = (
    *("/api/accounts", "/api/targets", "/api/audit", "/api/audit/verify", "/api/today", "/api/settings", "/api/me", "/api/outbox"),
    *("/api/usage", "/api/health", "/metrics", "/api/metrics", "/api/briefing", "/api/schedules", "/api/sessions", "/api/tokens"),
)


@pytest.fixture
def permissive() -> Iterator[None]:
    before = os.umask(0o022)
    yield
    os.umask(before)


def forms(secret: str) -> set[str]:
    """As it could stand somewhere: as it is, as a header or a URL carries it, and as passwords go over the wire."""
    raw = secret.encode()
    wires = (raw, b"\0" + ME.encode() + b"\0" + raw, f"{ME}:{secret}".encode(), f"{TARGET}:{secret}".encode())
    return {secret, quote(secret, safe=""), *(b64encode(wire).decode().rstrip("=") for wire in wires)}


def everything_in(folder: Path) -> Iterator[tuple[str, bytes]]:
    for path in folder.rglob("*"):
        if path.is_file() and path.name != KEY_FILE:
            yield str(path), path.read_bytes()
            if zipfile.is_zipfile(path):
                with zipfile.ZipFile(path) as archive:
                    yield from ((f"{path}/{name}", archive.read(name)) for name in archive.namelist())


@asynccontextmanager
async def echoing() -> AsyncIterator[int]:
    """A mail server that refuses everybody, and repeats in its refusal what it was given."""

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(b"* OK [CAPABILITY IMAP4rev1 AUTH=PLAIN SASL-IR] ready\r\n")
        while line := await reader.readline():
            tag, _, rest = line.strip().partition(b" ")
            if rest.upper().startswith(b"CAPABILITY"):
                writer.write(b"* CAPABILITY IMAP4rev1 AUTH=PLAIN SASL-IR\r\n" + tag + b" OK done\r\n")
            elif rest.upper().startswith(b"LOGOUT"):
                writer.write(b"* BYE\r\n" + tag + b" OK bye\r\n")
                break
            else:
                writer.write(tag + b" NO [AUTHENTICATIONFAILED] no such sign-in: " + rest + b"\r\n")
        writer.close()

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    async with server:
        yield server.sockets[0].getsockname()[1]


class Heard:
    """All that the service answered, but where it hands out a new secret, once and on purpose."""

    def __init__(self) -> None:
        self.texts: list[str] = []

    async def hear(self, response: httpx2.Response) -> None:
        if "text/event-stream" not in response.headers.get("content-type", ""):
            await response.aread()
            self.texts.append(f"{response.headers} {response.text}")

    def listen(self, client: httpx2.AsyncClient) -> httpx2.AsyncClient:
        client.event_hooks["response"].append(self.hear)
        return client


async def streamed(client: httpx2.AsyncClient, here: str) -> str:
    """What a browser hears that follows a conversation from its beginning."""
    lines: list[str] = []
    async with client.stream("GET", f"{here}/events") as response:
        async for line in response.aiter_lines():
            lines.append(line)
            if "caught_up" in line:
                return "\n".join(lines)
    return "\n".join(lines)


async def attempted(what: list[str], work: object) -> None:
    """What goes wrong is kept in words, as whoever called would see it."""
    try:
        what.append(repr(await work))  # type: ignore[misc]
    except (AssistantError, IntegrationError, OSError) as error:
        while error:
            what.append(repr(error))
            error = error.__cause__ or error.__context__  # type: ignore[assignment]


async def used(service: Running, heard: Heard, owner: httpx2.AsyncClient, port: int, notes: object) -> list[str]:
    """A day with the service, in which much goes wrong. What is heard by following."""
    stranger = heard.listen(service.client())
    await stranger.post("/api/sign-in", json={"name": "Eva", "password": WRONG_SIGN_IN})
    await stranger.post("/api/sign-in", json={"name": "Eva", "password": [WRONG_SIGN_IN]})
    servers = {"imap": f"imap://127.0.0.1:{port}", "smtp": f"smtp://127.0.0.1:{port}", "caldav": f"http://127.0.0.1:{port}/",
               "carddav": f"http://127.0.0.1:{port}/"}  # fmt: skip
    for password in (WRONG, CHANGED):
        await owner.post("/api/accounts/imap", json={"name": "mail", "address": ME, "servers": servers, "password": password})
    await owner.post("/api/accounts/imap", json={"name": "mail", "address": ME, "servers": servers, "password": [RIGHT]})
    address = f"json://{TARGET}:{TARGET}@127.0.0.1:{notes.port}/{TARGET}"  # type: ignore[attr-defined]
    await owner.post("/api/targets", json={"name": "phone", "address": address})
    await owner.post("/api/targets", json={"name": "broken", "address": f"nonsense://{TARGET}"})
    assistant = await service.household.of("owner")
    words: list[str] = []
    await attempted(words, assistant.targets.try_("phone"))
    here = f"/api/conversations/{(await owner.post('/api/conversations', json={})).json()['id']}"
    for text in (
        "what's new in my mail?",
        "go on offline",
        "what's on today?",
        "send a mail to zoe@example.org saying hello",
        "approve",
    ):
        await owner.post(f"{here}/messages", json={"text": text})
    for path in PATHS:
        await owner.get(path)
    words.append(await streamed(owner, here))
    return words


async def test_no_secret_stands_in_clear_in_any_file_log_stream_answer_or_error(
    tmp_path: Path,
    permissive: None,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    capfd: pytest.CaptureFixture[str],
) -> None:
    caplog.set_level("DEBUG")
    home, heard, words = tmp_path / "home", Heard(), list[str]()
    async with AsyncExitStack() as stack:
        google, graph = stack.enter_context(GoogleEmulator()), stack.enter_context(GraphEmulator())
        endpoint = stack.enter_context(ScriptedEndpoint(key=MODEL_KEY))
        notes, port = stack.enter_context(note_service()), await stack.enter_async_context(echoing())
        endpoint.play(Failure(401, f"Incorrect API key provided: {MODEL_KEY}."))
        notes.answers = [403]
        at_google, at_microsoft = google.account(ME, name="Eva Klein"), graph.account("eva@work.example", name="Eva Klein")
        file = tmp_path / "client.json"
        file.write_text(json.dumps(google.client))
        with browser_that_consents():
            assert await add_google(home, "google", file, browser=True) == 0
            assert await add_microsoft(home, "microsoft", graph.client) == 0
        file.unlink()
        tokens = {at_google.token, at_google.refresh_token, google.authorisation.client_secret, at_microsoft.token,
                  at_microsoft.refresh_token}  # fmt: skip
        told = f"The request with {' '.join(sorted(tokens))} failed."
        monkeypatch.setitem(google_faults.ERRORS, "server_error", (500, "backendError", told))
        monkeypatch.setitem(google_faults.ERRORS, "not_found", (404, "notFound", told))
        monkeypatch.setitem(graph_faults.ERRORS, "server_error", (500, "ErrorInternalServerError", told))
        monkeypatch.setitem(graph_faults.ERRORS, "not_found", (404, "ErrorItemNotFound", told))
        settings = Settings(home=home, llm=LlmSettings(base_url=endpoint.url, api_key=MODEL_KEY, model="scripted", retries=0))
        async with serving(home, settings=settings) as service:
            session = await service.session()
            owner = heard.listen(await service.sign_in())
            bearer = await service.token(scopes=("read", "propose"))
            await heard.listen(service.client(Authorization=f"Bearer {bearer}")).get("/api/me")
            for emulator in (google, graph):
                emulator.fail("server_error", times=3, after=2)
                emulator.fail("not_found", times=2, after=5)
            words += await used(service, heard, owner, port, notes)
            cookie = owner.cookies[service.cookie]
        await attempted(words, doctor(home, json=True))
        await attempted(words, asyncio.to_thread(back_up, home, tmp_path / "backup.zip", version="1", at=datetime.now(UTC)))
        async with open_assistant(settings=settings) as assistant:
            await attempted(words, assistant.say("c", "what's new in my mail?"))
            words.append(repr(await assistant.briefing()))
            words.append(repr(await assistant.audit("", limit=100)))
    key = (home / KEY_FILE).read_text(encoding="ascii").strip()
    noted = [
        record for record in caplog.records if not record.name.startswith(("httpx2", "httpcore2"))
    ]  # of the test's own clients
    logs = "".join(f"{record.getMessage()} {record.exc_text or ''}" for record in noted)
    said = {
        "logs": logs,
        "screen": "".join(capfd.readouterr()),
        "errors, events, audit": "\n".join(words),
        "answers": "\n".join(heard.texts),
    }
    secrets = {WRONG, RIGHT, CHANGED, WRONG_SIGN_IN, MODEL_KEY, TARGET, session, bearer, cookie, key, *tokens}
    assert all(len(secret) >= 8 for secret in secrets)
    kept = dict(everything_in(tmp_path))
    assert {"assistant.sqlite", "backup.zip"} <= {Path(name).name for name in kept} and len(heard.texts) > 20
    found = [
        f"{secret[:12]}… in {where}" for secret in secrets for form in forms(secret) for where, text in said.items() if form in text
    ]
    found += [
        f"{secret[:12]}… in {where}"
        for secret in secrets
        for form in forms(secret)
        for where, raw in kept.items()
        if form.encode() in raw
    ]
    assert found == []


def open_to_others(folder: Path) -> list[str]:
    return [
        f"{stat.S_IMODE(path.lstat().st_mode):o} {path.relative_to(folder.parent)}"
        for path in (folder, *folder.rglob("*"))
        if not path.is_symlink() and stat.S_IMODE(path.lstat().st_mode) & 0o077
    ]


async def test_what_is_kept_is_open_to_nobody_else(tmp_path: Path, permissive: None) -> None:
    home = tmp_path / "home"
    async with serving(home) as service:
        owner = await service.sign_in()
        here = f"/api/conversations/{(await owner.post('/api/conversations', json={})).json()['id']}"
        for text in ("what's new in my mail?", "send Tom a mail saying hello", "approve", "flag the last mail from Sarah"):
            await owner.post(f"{here}/messages", json={"text": text})
        await owner.post("/api/targets", json={"name": "phone", "address": "json://127.0.0.1:1/"})
    back_up(home, tmp_path / "backup.zip", version="1", at=datetime.now(UTC))
    assert open_to_others(home) == []
    assert stat.S_IMODE((tmp_path / "backup.zip").stat().st_mode) & 0o077 == 0
