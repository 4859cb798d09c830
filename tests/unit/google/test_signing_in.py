"""What is secret in signing in goes to nobody else."""

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from integrations.errors import IntegrationError
from integrations.google.oauth import Client, Consent, revoke


class Moved:
    """A host that sends everybody on to another, which keeps what it gets."""

    def __init__(self) -> None:
        self.got: list[bytes] = []
        kept = self.got

        class Elsewhere(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                kept.append(self.rfile.read(int(self.headers["content-length"])))
                self.send_response(200)
                self.end_headers()

            def log_message(self, *_: object) -> None:
                pass

        class Here(Elsewhere):
            def do_POST(self) -> None:
                self.rfile.read(int(self.headers["content-length"]))
                self.send_response(307)
                self.send_header("location", f"http://localhost:{elsewhere.server_port}/")
                self.end_headers()

        elsewhere = ThreadingHTTPServer(("127.0.0.1", 0), Elsewhere)
        self.servers = (elsewhere, ThreadingHTTPServer(("127.0.0.1", 0), Here))
        for server in self.servers:
            threading.Thread(target=server.serve_forever, daemon=True).start()
        self.token_uri = f"http://127.0.0.1:{self.servers[1].server_port}/token"

    def close(self) -> None:
        for server in self.servers:
            server.shutdown()
            server.server_close()


@pytest.fixture
def moved(monkeypatch: pytest.MonkeyPatch) -> Iterator[Moved]:
    monkeypatch.setenv("OAUTHLIB_INSECURE_TRANSPORT", "1")  # for the loopback
    host = Moved()
    yield host
    host.close()


async def test_a_code_is_not_sent_on_to_another_host(moved: Moved) -> None:
    client = Client(client_id="id", client_secret="hidden", auth_uri="http://127.0.0.1:1/auth", token_uri=moved.token_uri)
    with pytest.raises(IntegrationError):
        await Consent(client, "http://127.0.0.1:1/", "mine").exchange("http://127.0.0.1:1/?code=given&state=mine")
    assert not moved.got and "hidden" not in repr(client)


async def test_a_token_that_is_taken_back_is_not_sent_on_either(moved: Moved) -> None:
    with pytest.raises(IntegrationError):
        await revoke(json.dumps({"refresh_token": "kept", "token_uri": moved.token_uri}))
    assert not moved.got
