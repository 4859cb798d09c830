"""An authorisation server on loopback: it asks nobody for consent, gives tokens, and tells Dovecot whose they are."""

import json
import secrets
from collections.abc import Mapping
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any
from urllib.parse import parse_qs, urlencode, urlsplit

from servers.dovecot import Dovecot

OAUTH = """
introspection_url = {url}/introspect?token=
introspection_mode = get
username_attribute = username
active_attribute = active
active_value = yes
timeout_msecs = 5000
"""
CHECKED = """
auth_mechanisms = plain login xoauth2 oauthbearer
passdb {{
  driver = oauth2
  mechanisms = xoauth2 oauthbearer
  args = {file}
}}
"""


@dataclass
class Tokens:
    """`email` is who consents. `access` are the tokens that are good, by whose they are; `asked` the forms that came to the token
    endpoint; `answers` are given there first, each a status and an object."""

    email: str
    life: int = 3600
    access: dict[str, str] = field(default_factory=dict)
    refresh: set[str] = field(default_factory=set)
    asked: list[Mapping[str, str]] = field(default_factory=list)
    answers: list[tuple[int, Any]] = field(default_factory=list)
    codes: dict[str, Mapping[str, str]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        tokens = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                where = urlsplit(self.path)
                told = {name: values[0] for name, values in parse_qs(where.query).items()}
                if where.path == "/authorize":
                    self._answer(302, {}, Location=tokens.consented(told))
                else:
                    self._answer(200, tokens.introspected(told.get("token", "")))

            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["Content-Length"])).decode()
                self._answer(*tokens.exchanged({name: values[0] for name, values in parse_qs(body).items()}))

            def _answer(self, status: int, told: Any, **headers: str) -> None:
                content = told if isinstance(told, bytes) else json.dumps(told).encode()
                self.send_response(status)
                for name, value in {"Content-Type": "application/json", "Content-Length": str(len(content)), **headers}.items():
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(content)

            def log_message(self, *_: Any) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._server.server_port}"
        Thread(target=self._server.serve_forever, args=(0.02,), daemon=True).start()

    def consented(self, told: Mapping[str, str]) -> str:
        code = secrets.token_urlsafe()
        self.codes[code] = told
        return f"{told['redirect_uri']}?{urlencode({'code': code, 'state': told['state']})}"

    def introspected(self, token: str) -> Any:
        return {"active": "yes", "username": self.access[token]} if token in self.access else {"active": "no"}

    def exchanged(self, form: Mapping[str, str]) -> tuple[int, Any]:
        self.asked.append(form)
        if self.answers:
            return self.answers.pop(0)
        good = form.get("code") in self.codes or form.get("refresh_token") in self.refresh
        return (200, self.granted()) if good else (400, {"error": "invalid_grant"})

    def granted(self) -> Any:
        """The refresh token of before ends with it."""
        access, refresh = secrets.token_urlsafe(), secrets.token_urlsafe()
        self.access[access], self.refresh = self.email, {refresh}
        return {"access_token": access, "refresh_token": refresh, "expires_in": self.life, "token_type": "Bearer"}

    def check_for(self, dovecot: Dovecot) -> None:
        """Before it is started."""
        file, config = dovecot.folder / "oauth2", dovecot.folder / "config"
        file.write_text(OAUTH.format(url=self.url))
        file.chmod(0o644)
        config.write_text(config.read_text() + CHECKED.format(file=file))

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()
