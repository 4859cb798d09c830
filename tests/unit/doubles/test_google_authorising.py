"""The emulated authorisation server gives tokens to those who may have them, and to nobody else."""

import base64
import hashlib
import json
import subprocess
import sys
from collections.abc import Iterator
from http.client import HTTPConnection
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, urlencode, urlsplit

import pytest
from doubles.google import GoogleEmulator
from doubles.google.oauth import Consent
from doubles.google.raw import Reply, ask
from google.auth.exceptions import RefreshError
from google.auth.transport.requests import Request
from google.oauth2.credentials import Credentials
from google_auth_oauthlib.flow import Flow

MAIL = "https://www.googleapis.com/auth/gmail.modify"
CONTACTS = "https://www.googleapis.com/auth/contacts"
REDIRECT = "http://127.0.0.1:8123/"
VERIFIER = "v" * 50
CHALLENGE = base64.urlsafe_b64encode(hashlib.sha256(VERIFIER.encode()).digest()).decode().rstrip("=")
PROFILE = "/gmail/v1/users/me/profile"


@pytest.fixture
def google() -> Iterator[GoogleEmulator]:
    with GoogleEmulator(handlers={"gmail.users.getProfile": lambda call: {"emailAddress": call.user.email}}) as google:
        yield google


def test_the_flow_of_the_client_library_ends_with_tokens(google: GoogleEmulator, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OAUTHLIB_INSECURE_TRANSPORT", "1")
    flow = Flow.from_client_config(google.client, [MAIL, CONTACTS], redirect_uri=REDIRECT, autogenerate_code_verifier=True)
    address, state = flow.authorization_url(access_type="offline", login_hint="you@home.example")
    back = sent_on(ask(google, "GET", address.removeprefix(google.url)))
    assert back["state"] == state
    flow.fetch_token(code=back["code"])
    assert flow.credentials.refresh_token
    assert profile(google, flow.credentials.token).json == {"emailAddress": "you@home.example"}
    assert google.complaints == []


@pytest.mark.parametrize(
    ("changed", "status", "error"),
    [
        ({"client_id": "another"}, 401, "invalid_client"),
        ({"redirect_uri": "https://elsewhere.example/"}, 400, "redirect_uri_mismatch"),
        ({"response_type": "token"}, 400, "invalid_request"),
        ({"code_challenge_method": "plain"}, 400, "invalid_request"),
        ({"scope": "https://www.googleapis.com/auth/everything"}, 400, "invalid_scope"),
        ({"scope": ""}, 400, "invalid_scope"),
    ],
)
def test_a_wrong_question_for_consent_leads_nowhere(
    google: GoogleEmulator, changed: dict[str, str], status: int, error: str
) -> None:
    answer = consent(google, **changed)
    assert (answer.status, answer.json["error"]) == (status, error)


def test_who_denies_sends_no_code(google: GoogleEmulator) -> None:
    google.authorisation.consent = Consent(deny=True)
    assert sent_on(consent(google, state="s")) == {"error": "access_denied", "state": "s"}


def test_fewer_scopes_may_be_granted_than_asked_for(google: GoogleEmulator) -> None:
    google.authorisation.consent = Consent(email="me@home.example", only=[CONTACTS])
    told = exchange(google, sent_on(consent(google))["code"]).json
    assert told["scope"] == CONTACTS
    refused = profile(google, told["access_token"])
    assert (refused.status, refused.reason) == (403, "insufficientPermissions")


@pytest.mark.parametrize(
    ("changed", "error"),
    [
        ({"code_verifier": "w" * 50}, "invalid_grant"),
        ({"code_verifier": ""}, "invalid_grant"),
        ({"redirect_uri": "http://localhost:1/"}, "redirect_uri_mismatch"),
        ({"client_secret": "guessed"}, "invalid_client"),
        ({"grant_type": "password"}, "unsupported_grant_type"),
    ],
)
def test_a_code_is_for_who_asked_for_it(google: GoogleEmulator, changed: dict[str, str], error: str) -> None:
    code = sent_on(consent(google))["code"]
    assert exchange(google, code, **changed).json["error"] == error


def test_a_code_is_good_once(google: GoogleEmulator) -> None:
    code = sent_on(consent(google))["code"]
    assert exchange(google, code).status == 200
    assert exchange(google, code).json["error"] == "invalid_grant"


def test_a_refresh_token_comes_with_the_first_consent_and_when_asked_again(google: GoogleEmulator) -> None:
    asked: list[dict[str, str]] = [{}, {}, {"prompt": "consent"}, {"prompt": "consent", "access_type": "online"}]
    answers = [exchange(google, sent_on(consent(google, **one))["code"]).json for one in asked]
    assert ["refresh_token" in answer for answer in answers] == [True, False, True, False]


def test_an_expired_token_is_refreshed(google: GoogleEmulator) -> None:
    user = google.account("me@home.example")
    old = user.token
    google.expire(user)
    assert profile(google, old).status == 401
    credentials = kept(google)
    credentials.refresh(Request())
    assert (credentials.token, credentials.token != old) == (user.token, True)
    assert profile(google, credentials.token).status == 200


def test_a_token_lives_as_long_as_was_told() -> None:
    with GoogleEmulator(lifetime=0) as google:
        user = google.account("me@home.example")
        assert profile(google, user.token).status == 401
        assert refresh(google, user.refresh_token).json["expires_in"] == 0


def test_who_takes_permission_back_ends_every_token(google: GoogleEmulator) -> None:
    user = google.account("me@home.example")
    google.revoke(user)
    assert profile(google, user.token).status == 401
    with pytest.raises(RefreshError, match="invalid_grant"):
        kept(google).refresh(Request())


def test_a_revoked_token_takes_the_grant_with_it(google: GoogleEmulator) -> None:
    user, other = google.account("me@home.example"), google.account("you@home.example")
    assert form(google, "/revoke", token=user.refresh_token).status == 200
    assert form(google, "/revoke", token=user.token).json["error"] == "invalid_token"
    assert [profile(google, one.token).status for one in (user, other)] == [401, 200]


def test_a_refresh_token_may_be_good_once() -> None:
    with GoogleEmulator(rotate=True) as google:
        first = google.account("me@home.example").refresh_token
        second = refresh(google, first).json["refresh_token"]
        assert [refresh(google, token).status for token in (first, second)] == [400, 200]


def test_the_authorisation_server_fails_when_told_to(google: GoogleEmulator) -> None:
    user = google.account("me@home.example")
    google.fail("unavailable", on="oauth.token")
    assert [profile(google, user.token).status, refresh(google, user.refresh_token).status] == [200, 503]
    assert [seen.api for seen in google.requests] == ["gmail.users.getProfile", "oauth.token"]


def test_it_runs_by_hand() -> None:
    command = [sys.executable, "-m", "doubles.google", "--user", "you@home.example"]
    with subprocess.Popen(command, cwd=Path(__file__).parents[2], stdout=subprocess.PIPE, text=True) as running:
        assert running.stdout is not None
        url = running.stdout.readline().strip()
        printed = "".join(iter(running.stdout.readline, "}\n")) + "}"
        refused = HTTPConnection(url.removeprefix("http://"), timeout=10)
        refused.request("GET", PROFILE)
        assert refused.getresponse().status == 401
        refused.close()
        running.terminate()
    assert json.loads(printed)["installed"]["token_uri"] == f"{url}/token"


def consent(google: GoogleEmulator, **changed: str) -> Reply:
    asked = {
        "client_id": google.authorisation.client_id,
        "redirect_uri": REDIRECT,
        "response_type": "code",
        "scope": f"{MAIL} {CONTACTS}",
        "code_challenge": CHALLENGE,
        "code_challenge_method": "S256",
        "access_type": "offline",
    }
    return ask(google, "GET", f"/o/oauth2/v2/auth?{urlencode(asked | changed)}")


def sent_on(answer: Reply) -> dict[str, str]:
    assert answer.status == 302
    assert answer.headers["location"].startswith(REDIRECT)
    return dict(parse_qsl(urlsplit(answer.headers["location"]).query))


def exchange(google: GoogleEmulator, code: str, **changed: str) -> Reply:
    given = {"grant_type": "authorization_code", "code": code, "redirect_uri": REDIRECT, "code_verifier": VERIFIER}
    return form(google, "/token", **client(google) | given | changed)


def refresh(google: GoogleEmulator, token: str) -> Reply:
    return form(google, "/token", **client(google), grant_type="refresh_token", refresh_token=token)


def client(google: GoogleEmulator) -> dict[str, str]:
    return {"client_id": google.authorisation.client_id, "client_secret": google.authorisation.client_secret}


def form(google: GoogleEmulator, path: str, **fields: str) -> Reply:
    return ask(google, "POST", path, urlencode(fields).encode(), kind="application/x-www-form-urlencoded")


def profile(google: GoogleEmulator, token: str) -> Reply:
    return ask(google, "GET", PROFILE, token=token)


def kept(google: GoogleEmulator) -> Any:
    known = json.loads(google.secret(next(iter(google.world.users.values()))))
    return Credentials(None, **{name: known[name] for name in ("refresh_token", "token_uri", "client_id", "client_secret")})
