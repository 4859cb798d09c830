"""The emulated authorisation server gives tokens to those who may have them, and to nobody else."""

import base64
import hashlib
import json
from collections.abc import Iterator
from typing import Any
from urllib.parse import parse_qsl, urlencode, urlsplit

import pytest
from doubles.emulating.raw import Reply, send
from doubles.graph import GraphEmulator
from doubles.graph.calls import Kind
from doubles.graph.client import application
from doubles.graph.oauth import Consent
from doubles.graph.raw import ask, code
from doubles.graph.tokens import PERSONAL, TENANT

MAIL, CONTACTS, USER = "Mail.ReadWrite", "Contacts.ReadWrite", "User.Read"
REDIRECT = "http://localhost:8123"
VERIFIER = "v" * 50
CHALLENGE = base64.urlsafe_b64encode(hashlib.sha256(VERIFIER.encode()).digest()).decode().rstrip("=")
PLACE = "/common/oauth2/v2.0"

pytestmark = pytest.mark.filterwarnings("ignore:response_mode")


@pytest.fixture
def graph() -> Iterator[GraphEmulator]:
    with GraphEmulator() as graph:
        yield graph


@pytest.mark.parametrize("kind", ["work", "personal"])
def test_the_flow_of_msal_ends_with_tokens(graph: GraphEmulator, kind: Kind) -> None:
    graph.account("you@home.example", name="Yu", kind=kind)
    msal = application(graph)
    flow = msal.initiate_auth_code_flow([MAIL, USER], redirect_uri=REDIRECT, login_hint="you@home.example")
    told = msal.acquire_token_by_auth_code_flow(flow, sent_on(browse(graph, flow["auth_uri"])))
    assert (told["scope"], profile(graph, told)) == (f"{MAIL} {USER}", "you@home.example")
    assert told["id_token_claims"]["tid"] == (PERSONAL if kind == "personal" else TENANT)
    (account,) = msal.get_accounts()
    assert account["username"] == "you@home.example"
    assert msal.acquire_token_silent([MAIL], account)["access_token"] == told["access_token"]
    assert graph.complaints == []


def test_the_secret_of_an_account_is_a_cache_that_msal_goes_on_with(graph: GraphEmulator) -> None:
    user = graph.account("me@home.example")
    kept = json.loads(graph.secret(user))
    assert {name: kept[name] for name in ("client_id", "authority", "endpoint")} == graph.client
    msal = application(graph, kept["cache"])
    (account,) = msal.get_accounts()
    assert msal.acquire_token_silent([MAIL], account)["access_token"] == user.token
    old = user.refresh_token
    assert msal.acquire_token_silent([MAIL], account, force_refresh=True)["access_token"] == user.token
    assert user.refresh_token != old
    assert ask(graph, "GET", "/me").status == 200


def test_an_expired_token_is_refused_and_refreshing_helps(graph: GraphEmulator) -> None:
    user = graph.account("me@home.example")
    graph.expire(user)
    refused = ask(graph, "GET", "/me")
    assert (refused.status, code(refused)) == (401, "InvalidAuthenticationToken")
    assert refused.headers["www-authenticate"].startswith("Bearer ")
    assert refresh(graph, user.refresh_token).status == 200
    assert ask(graph, "GET", "/me").status == 200


def test_what_was_revoked_is_refreshed_no_more(graph: GraphEmulator) -> None:
    user = graph.account("me@home.example")
    graph.revoke(user)
    assert ask(graph, "GET", "/me").status == 401
    refused = refresh(graph, user.refresh_token).json
    assert (refused["error"], refused["error_codes"], refused["suberror"]) == ("invalid_grant", [700082], "bad_token")
    assert refused["error_description"].startswith("AADSTS700082: ")


@pytest.mark.parametrize(("rotate", "again"), [(False, 200), (True, 400)])
def test_a_refresh_token_that_was_used_may_end(rotate: bool, again: int) -> None:
    with GraphEmulator(rotate=rotate) as graph:
        old = graph.account("me@home.example").refresh_token
        assert [refresh(graph, old).status, refresh(graph, old).status] == [200, again]


def test_an_access_token_lives_as_long_as_it_is_told_to() -> None:
    with GraphEmulator(lifetime=0) as graph:
        graph.account("me@home.example")
        assert ask(graph, "GET", "/me").status == 401


def test_a_refresh_gives_no_scope_that_was_not_granted(graph: GraphEmulator) -> None:
    user = graph.account("me@home.example", scopes=[USER])
    refused = refresh(graph, user.refresh_token, scope=MAIL).json
    assert (refused["error"], refused["suberror"]) == ("invalid_grant", "consent_required")


def test_who_lacks_a_scope_is_refused(graph: GraphEmulator) -> None:
    graph.account("me@home.example", scopes=[USER])
    refused = ask(graph, "GET", "/me/contacts")
    assert (refused.status, code(refused)) == (403, "ErrorAccessDenied")
    assert ask(graph, "GET", "/me").status == 200


def test_discovery_names_addresses_of_microsoft_alone(graph: GraphEmulator) -> None:
    told = send(graph.port, "GET", "/common/v2.0/.well-known/openid-configuration", headers={}).json
    assert told["token_endpoint"] == "https://login.microsoftonline.com/common/oauth2/v2.0/token"
    assert told["device_authorization_endpoint"] == "https://login.microsoftonline.com/common/oauth2/v2.0/devicecode"


@pytest.mark.parametrize(
    ("changed", "number"),
    [
        ({"client_id": "another"}, 700016),
        ({"redirect_uri": "https://elsewhere.example/"}, 50011),
        ({"redirect_uri": "http://127.0.0.1:8123"}, 50011),
        ({"redirect_uri": "http://localhost:8123/other"}, 50011),
        ({"response_type": "token"}, 900144),
        ({"code_challenge_method": "plain"}, 9002325),
        ({"scope": "Everything.Read"}, 70011),
        ({"scope": ""}, 70011),
    ],
)
def test_a_wrong_question_for_consent_leads_nowhere(graph: GraphEmulator, changed: dict[str, str], number: int) -> None:
    answer = consent(graph, **changed)
    assert (answer.status, answer.json["error_codes"]) == (400, [number])


def test_a_redirect_that_is_registered_will_do(graph: GraphEmulator) -> None:
    graph.authorisation.redirects.add("https://elsewhere.example/")
    assert consent(graph, redirect_uri="https://elsewhere.example/").status == 302


@pytest.mark.parametrize(
    ("tenant", "work", "personal"),
    [("common", 302, 302), ("organizations", 302, 400), ("consumers", 400, 302), (TENANT, 302, 400), (PERSONAL, 400, 302)],
)
def test_an_account_signs_in_where_it_belongs(graph: GraphEmulator, tenant: str, work: int, personal: int) -> None:
    graph.account("work@home.example")
    graph.account("mine@home.example", kind="personal")
    hints = ("work@home.example", "mine@home.example")
    assert [consent(graph, tenant, login_hint=hint).status for hint in hints] == [work, personal]
    assert graph.complaints == []


def test_who_denies_sends_no_code(graph: GraphEmulator) -> None:
    graph.authorisation.consent = Consent(deny=True)
    back = sent_on(consent(graph, state="s"))
    assert (back["error"], back["state"], "code" in back) == ("access_denied", "s", False)


def test_an_administrator_may_have_to_consent(graph: GraphEmulator) -> None:
    graph.authorisation.refusing = "AADSTS90094: The grant requires admin permission."
    assert sent_on(consent(graph))["error_description"] == graph.authorisation.refusing


def test_fewer_scopes_may_be_granted_than_asked_for(graph: GraphEmulator) -> None:
    graph.authorisation.consent = Consent(email="other@home.example", only=[CONTACTS])
    told = exchange(graph, sent_on(consent(graph))["code"]).json
    assert told["scope"] == CONTACTS
    assert ask(graph, "GET", "/me/contacts", token=told["access_token"]).status == 200
    assert ask(graph, "GET", "/me", token=told["access_token"]).status == 403


@pytest.mark.parametrize(
    ("changed", "error"),
    [
        ({"code_verifier": "w" * 50}, "invalid_grant"),
        ({"code_verifier": ""}, "invalid_grant"),
        ({"redirect_uri": "http://localhost:1"}, "invalid_request"),
        ({"client_secret": "guessed"}, "invalid_client"),
        ({"client_id": "another"}, "unauthorized_client"),
        ({"grant_type": "password"}, "unsupported_grant_type"),
    ],
)
def test_a_code_is_for_who_asked_for_it(graph: GraphEmulator, changed: dict[str, str], error: str) -> None:
    assert exchange(graph, sent_on(consent(graph))["code"], **changed).json["error"] == error


def test_a_code_is_good_once(graph: GraphEmulator) -> None:
    given = sent_on(consent(graph))["code"]
    assert exchange(graph, given).status == 200
    assert exchange(graph, given).json["error"] == "invalid_grant"


def test_a_refresh_token_comes_with_offline_access_only(graph: GraphEmulator) -> None:
    told = [exchange(graph, sent_on(consent(graph, scope=scope))["code"]).json for scope in (MAIL, f"{MAIL} offline_access")]
    assert ["refresh_token" in one for one in told] == [False, True]


def test_an_application_that_is_not_public_proves_itself(graph: GraphEmulator) -> None:
    graph.authorisation.public, graph.authorisation.client_secret = False, "known"
    refused = exchange(graph, sent_on(consent(graph))["code"])
    assert (refused.status, refused.json["error_codes"]) == (401, [7000218])
    assert exchange(graph, sent_on(consent(graph))["code"], client_secret="known").status == 200


def test_the_device_flow_of_msal_waits_for_whoever_enters_the_code(graph: GraphEmulator) -> None:
    msal = application(graph)
    flow = msal.initiate_device_flow([MAIL, USER])
    assert flow["user_code"] in flow["message"]
    assert device(graph, flow["device_code"]) == "authorization_pending"
    graph.authorisation.approve(flow["user_code"], "you@home.example")
    told = msal.acquire_token_by_device_flow(flow)
    assert profile(graph, told) == "you@home.example"
    assert graph.complaints == []


def test_a_device_is_refused_when_its_code_lapsed_or_was_declined(graph: GraphEmulator) -> None:
    lapsed, declined, hasty = (application(graph).initiate_device_flow([MAIL]) for _ in range(3))
    graph.authorisation.lapse(lapsed["user_code"])
    graph.authorisation.decline(declined["user_code"])
    assert device(graph, lapsed["device_code"]) == "expired_token"
    assert device(graph, declined["device_code"]) == "authorization_declined"
    assert device(graph, "unknown") == "bad_verification_code"
    graph.authorisation.devices.interval, graph.authorisation.devices.hasty = 3600, True
    assert [device(graph, hasty["device_code"]) for _ in range(2)] == ["authorization_pending", "slow_down"]


def test_the_authorisation_server_fails_when_told_to(graph: GraphEmulator) -> None:
    user = graph.account("me@home.example")
    graph.fail("unavailable", on="oauth.token")
    assert [refresh(graph, user.refresh_token).status for _ in range(2)] == [503, 200]


def test_a_personal_account_tells_its_address_as_its_name_alone(graph: GraphEmulator) -> None:
    graph.account("you@home.example", kind="personal")
    read = ask(graph, "GET", "/me").json
    assert (read["mail"], read["userPrincipalName"], len(read["id"])) == (None, "you@home.example", 16)


def profile(graph: GraphEmulator, told: dict[str, Any]) -> str:
    return str(ask(graph, "GET", "/me", token=told["access_token"]).json["userPrincipalName"])


def browse(graph: GraphEmulator, address: str) -> Reply:
    where = urlsplit(address)
    return send(graph.port, "GET", f"{where.path}?{where.query}", headers={})


def sent_on(answer: Reply) -> dict[str, str]:
    assert answer.status == 302
    return dict(parse_qsl(urlsplit(answer.headers["location"]).query))


def consent(graph: GraphEmulator, tenant: str = "common", **changed: str) -> Reply:
    asked = {
        "client_id": graph.client["client_id"],
        "redirect_uri": REDIRECT,
        "response_type": "code",
        "scope": f"{MAIL} {CONTACTS} openid profile offline_access",
        "code_challenge": CHALLENGE,
        "code_challenge_method": "S256",
    }
    return send(graph.port, "GET", f"/{tenant}/oauth2/v2.0/authorize?{urlencode(asked | changed)}", headers={})


def exchange(graph: GraphEmulator, given: str, **changed: str) -> Reply:
    form = {"grant_type": "authorization_code", "code": given, "redirect_uri": REDIRECT, "code_verifier": VERIFIER}
    return token(graph, form | changed)


def refresh(graph: GraphEmulator, given: str, scope: str = USER) -> Reply:
    return token(graph, {"grant_type": "refresh_token", "refresh_token": given, "scope": scope})


def device(graph: GraphEmulator, given: str) -> str:
    form = {"grant_type": "urn:ietf:params:oauth:grant-type:device_code", "device_code": given}
    return str(token(graph, form).json["error"])


def token(graph: GraphEmulator, form: dict[str, Any]) -> Reply:
    body = urlencode({"client_id": graph.client["client_id"], **form}).encode()
    return send(graph.port, "POST", f"{PLACE}/token", body, headers={"content-type": "application/x-www-form-urlencoded"})
