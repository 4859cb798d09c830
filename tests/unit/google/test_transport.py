"""Connections: which are kept, and that nothing goes over one a second time."""

import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import httpx2
import pytest
from doubles.secrets import KeptSecrets

from integrations.google.google import Google
from integrations.google.transport import Signed, Transport


class Server(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.connections, self.requests, self.mute = 0, 0, False
        self.elsewhere = ""
        self.headers: list[dict[str, str]] = []

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}/"


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: Server

    def setup(self) -> None:
        super().setup()
        self.server.connections += 1

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers.get("content-length", 0)))
        self.server.requests += 1
        self.server.headers.append({name.lower(): value for name, value in self.headers.items()})
        if self.server.mute:
            self.close_connection = True
            return
        if self.server.elsewhere:
            self.send_response(307)
            self.send_header("Location", self.server.elsewhere)
        else:
            self.send_response(201, "Made")
        self.send_header("Content-Length", "2")
        self.send_header("ETag", '"7"')
        self.end_headers()
        self.wfile.write(b"{}")

    do_GET = do_POST

    def log_message(self, *_: object) -> None: ...


@pytest.fixture
def server() -> Iterator[Server]:
    with Server() as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        yield server
        server.shutdown()
        thread.join()


@pytest.mark.parametrize(("keep_alive", "connections"), [(True, 1), (False, 3)])
def test_connections_are_kept_for_reads_and_new_for_each_write(server: Server, keep_alive: bool, connections: int) -> None:
    transport = Transport(keep_alive=keep_alive)
    for _ in range(3):
        transport.request(server.url, "POST", b"{}")
    transport.close()
    assert server.connections == connections


async def test_an_account_reads_over_kept_connections_and_writes_over_new_ones(server: Server) -> None:
    google = Google("home", secrets=KeptSecrets(home='{"token": "any"}'), endpoint=server.url)
    for send, connections in ((google.read, 1), (google.write, 3)):
        for _ in range(2):
            await send(lambda api: api.gmail.users().messages().trash(userId="me", id="1"))
        assert server.connections == connections
    await google.close()


@pytest.mark.parametrize("keep_alive", [True, False])
def test_a_request_whose_connection_drops_is_sent_once(server: Server, keep_alive: bool) -> None:
    transport = Transport(keep_alive=keep_alive)
    transport.request(server.url)
    server.mute = True
    with pytest.raises(httpx2.TransportError):
        transport.request(server.url, "POST", b"{}")
    transport.close()
    assert server.requests == 2


def test_a_token_follows_no_redirect(server: Server) -> None:
    transport = Transport(keep_alive=True)
    server.elsewhere = f"{server.url}elsewhere"
    response, _ = Signed(transport, "very-secret").request(server.url)
    transport.close()
    assert (response.status, server.requests) == (307, 1)


def test_an_answer_is_as_the_client_library_wants_it(server: Server) -> None:
    transport = Transport(keep_alive=True)
    response, content = transport.request(server.url)
    transport.close()
    assert (response.status, response.reason, response["etag"], content) == (201, "Made", '"7"', b"{}")


def test_every_request_is_signed_and_the_token_is_not_shown(server: Server) -> None:
    transport = Transport(keep_alive=True)
    signed = Signed(transport, "very-secret", {"If-Match": '"7"'})
    signed.request(server.url, "POST", b"{}", {"content-type": "application/json"})
    transport.close()
    (headers,) = server.headers
    assert headers["authorization"] == "Bearer very-secret"
    assert (headers["if-match"], headers["content-type"]) == ('"7"', "application/json")
    assert "very-secret" not in repr(signed)
