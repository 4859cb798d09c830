"""What is sent to Google, how often, and what becomes of trouble."""

import asyncio
import json
import logging
import time
from collections.abc import AsyncIterator, Iterator
from typing import Any, ClassVar
from unittest.mock import patch

import pytest
from doubles.google import GoogleEmulator
from doubles.google.calls import Call
from doubles.google.faults import Fault
from doubles.secrets import KeptSecrets

from integrations.errors import (
    AuthExpired,
    Conflict,
    IntegrationError,
    InvalidResponse,
    NotFound,
    RateLimited,
    Unavailable,
)
from integrations.google import retrying, tokens, transport
from integrations.google.errors import Down
from integrations.google.google import Apis, Google

OWNER = "me@home.example"
PASSING: list[Fault] = [
    "drop_before", "drop_after", "server_error", "unavailable", "too_many", "quota", "user_quota",
]  # fmt: skip
ERRORS: dict[Fault, type[IntegrationError]] = {
    "drop_before": Unavailable,
    "drop_after": Unavailable,
    "server_error": Unavailable,
    "unavailable": Unavailable,
    "too_many": RateLimited,
    "quota": RateLimited,
    "user_quota": RateLimited,
    "garbage": InvalidResponse,
    "not_found": NotFound,
    "conflict": Conflict,
    "precondition": Conflict,
    "not_enabled": AuthExpired,
    "unauthorized": AuthExpired,
}


@pytest.fixture(autouse=True)
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(retrying, "PAUSE", 0.0)
    monkeypatch.setattr(tokens, "PATIENCE", (0.0, 0.1, 0.1))


@pytest.fixture
def secrets(google: GoogleEmulator) -> KeptSecrets:
    return KeptSecrets(home=google.secret(google.account(OWNER, name="Me")))


@pytest.fixture
async def client(google: GoogleEmulator, secrets: KeptSecrets) -> AsyncIterator[Google]:
    client = Google("home", secrets=secrets, endpoint=google.url)
    yield client
    await client.close()


def profile(api: Apis) -> Any:
    return api.gmail.users().getProfile(userId="me")


def label(api: Apis, name: str) -> Any:
    body = {"name": name, "labelListVisibility": "labelShow", "messageListVisibility": "show"}
    return api.gmail.users().labels().create(userId="me", body=body)


def new_label(api: Apis) -> Any:
    return label(api, "Lists")


def gone(api: Apis) -> Any:
    return api.gmail.users().messages().get(userId="me", id="abc123")


def made(google: GoogleEmulator) -> bool:
    return google.world.mail(OWNER).labels.named("Lists") is not None


async def begun(google: GoogleEmulator, api: str) -> None:
    """Waits until such a request has come."""

    def wait() -> None:
        while not sent(google, api):
            time.sleep(0.001)

    await asyncio.to_thread(wait)


def sent(google: GoogleEmulator, api: str) -> int:
    return sum(seen.api == api for seen in google.requests)


@pytest.mark.parametrize("fault", PASSING)
async def test_a_read_is_sent_again_where_the_trouble_may_pass(google: GoogleEmulator, client: Google, fault: Fault) -> None:
    google.fail(fault, on="gmail.users.getProfile", times=2, seconds=0)
    assert (await client.read(profile))["emailAddress"] == OWNER
    assert sent(google, "gmail.users.getProfile") == 3


@pytest.mark.parametrize("fault", ERRORS)
async def test_what_goes_wrong_at_google_is_one_of_the_designs_errors(google: GoogleEmulator, client: Google, fault: Fault) -> None:
    google.fail(fault, on="gmail.users.getProfile", times=9, seconds=0)
    with pytest.raises(ERRORS[fault]) as trouble:
        await client.read(profile)
    assert trouble.value.account == "home"
    assert sent(google, "gmail.users.getProfile") <= retrying.ATTEMPTS


@pytest.mark.parametrize("fault", [fault for fault in ERRORS if fault != "unauthorized"])
async def test_a_write_is_sent_once_whatever_becomes_of_it(google: GoogleEmulator, client: Google, fault: Fault) -> None:
    google.fail(fault, on="gmail.users.labels.create", seconds=0)
    with pytest.raises(ERRORS[fault]):
        await client.write(new_label)
    assert sent(google, "gmail.users.labels.create") == 1
    assert made(google) == (fault in ("drop_after", "garbage"))


async def test_an_answer_that_takes_too_long_is_not_waited_for(
    google: GoogleEmulator, secrets: KeptSecrets, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(transport, "ANSWER", 0.05)
    client = Google("home", secrets=secrets, endpoint=google.url)
    google.fail("slow", on="gmail.users.labels.create", seconds=0.3)
    with pytest.raises(Unavailable, match="in time"):
        await client.write(new_label)
    await client.close()


async def test_a_connection_that_was_closed_meanwhile_loses_nothing(google: GoogleEmulator, client: Google) -> None:
    await client.read(profile)
    google.hang_up()
    await client.write(new_label)
    assert made(google)
    google.hang_up()
    assert await client.read(profile)


async def test_nobody_listening_is_an_account_out_of_reach(google: GoogleEmulator, client: Google) -> None:
    await client.read(profile)
    with google.down(), pytest.raises(Unavailable):
        await client.write(new_label)
    assert not made(google)


async def test_a_header_of_ones_own_goes_along(google: GoogleEmulator, client: Google) -> None:
    id = google.world.calendars.primary(OWNER).put(
        {"summary": "Lunch", "start": {"date": "2026-11-20"}, "end": {"date": "2026-11-21"}}
    )
    with pytest.raises(Conflict):
        await client.write(
            lambda api: api.calendar.events().patch(calendarId="primary", eventId=id, body={"summary": "Dinner"}),
            headers={"If-Match": '"123"'},
        )


def test_pauses_grow_and_last_as_long_as_google_asks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(retrying, "PAUSE", 1.0)
    first, second = (retrying.pause_before_another(attempt, Unavailable("down")) for attempt in (1, 3))
    assert first is not None
    assert 1.0 <= first <= 1.5
    assert second is not None
    assert 4.0 <= second <= 6.0
    asked = retrying.pause_before_another(1, RateLimited("slowly", retry_after=7.0))
    assert asked is not None
    assert asked >= 7.0
    assert retrying.pause_before_another(retrying.ATTEMPTS, Unavailable("down")) is None


@pytest.mark.parametrize(("fault", "error"), [("too_many", RateLimited), ("unavailable", Down)])
async def test_a_pause_too_long_is_told_instead_of_waited_for(
    google: GoogleEmulator, client: Google, fault: Fault, error: type[RateLimited | Down]
) -> None:
    google.fail(fault, on="gmail.users.getProfile", times=9, seconds=3600)
    with pytest.raises(error) as trouble:
        await client.read(profile)
    assert trouble.value.retry_after == 3600
    assert sent(google, "gmail.users.getProfile") == 1


async def test_a_refused_token_is_renewed_once_and_saved_at_once(
    google: GoogleEmulator, client: Google, secrets: KeptSecrets
) -> None:
    user = google.account(OWNER)
    google.expire(user)
    await client.write(new_label)
    assert made(google)
    ((account, secret),) = secrets.saved
    assert (account, json.loads(secret)["token"]) == ("home", user.token)
    assert json.loads(secret).keys() >= {"refresh_token", "client_id", "client_secret", "token_uri", "scopes", "expiry"}


async def test_a_token_that_cannot_be_stored_serves_and_is_stored_later() -> None:
    with GoogleEmulator(rotate=True) as google:
        user = google.account(OWNER)
        secrets = KeptSecrets(home=google.secret(user))
        client = Google("home", secrets=secrets, endpoint=google.url)
        with patch.object(secrets, "save", side_effect=OSError("disk full")):
            for _ in range(2):
                google.expire(user)
                assert await client.read(profile)
        assert secrets.saved == []
        assert await client.read(profile)
        ((_, secret),) = secrets.saved
        assert json.loads(secret)["refresh_token"] == user.refresh_token
        await client.close()


async def test_of_two_processes_that_renew_at_once_both_go_on() -> None:
    class Slow(KeptSecrets):
        async def save(self, account: str, secret: str) -> None:
            await asyncio.sleep(0.05)
            await super().save(account, secret)

    with GoogleEmulator(rotate=True) as google:
        user = google.account(OWNER)
        secrets = Slow(home=google.secret(user))
        clients = [Google("home", secrets=secrets, endpoint=google.url) for _ in range(2)]
        google.expire(user)
        answers = await asyncio.gather(*(client.read(profile) for client in clients))
        assert [answer["emailAddress"] for answer in answers] == [OWNER, OWNER]
        assert json.loads(await secrets.load("home") or "")["refresh_token"] == user.refresh_token
        for client in clients:
            await client.close()


async def test_a_renewed_token_is_stored_though_another_process_was_refused_meanwhile(monkeypatch: pytest.MonkeyPatch) -> None:
    stripped = asyncio.Event()

    class Shared(KeptSecrets):
        """Stores only in the place of what was loaded; what was given only after what signs in no more."""

        kept: ClassVar[dict[str, str]] = {}

        async def load(self, account: str) -> str | None:
            self.seen = self.kept[account]
            return self.seen

        async def save(self, account: str, secret: str) -> None:
            if "refresh_token" in secret:
                await stripped.wait()
            stripped.set()
            if self.kept[account] == self.seen:
                self.kept[account] = self.seen = secret

    monkeypatch.setattr(tokens, "PATIENCE", (0.0,))
    with GoogleEmulator(rotate=True) as google:
        user = google.account(OWNER)
        Shared.kept["home"] = google.secret(user)
        clients = [Google("home", secrets=Shared(), endpoint=google.url) for _ in range(2)]
        google.expire(user)
        answers = await asyncio.gather(*(client.read(profile) for client in clients), return_exceptions=True)
        assert sorted(type(answer).__name__ for answer in answers) == ["Ended", "dict"]
        assert json.loads(Shared.kept["home"])["refresh_token"] == user.refresh_token
        for client in clients:
            await client.close()


async def test_a_secret_that_cannot_be_read_is_an_account_out_of_reach(google: GoogleEmulator, secrets: KeptSecrets) -> None:
    client = Google("home", secrets=secrets, endpoint=google.url)
    with (
        patch.object(secrets, "load", side_effect=PermissionError("secret.key")),
        pytest.raises(Unavailable, match="can't be read"),
    ):
        await client.write(new_label)
    await client.write(new_label)
    await client.close()


async def test_a_token_whose_time_is_over_is_renewed_before_it_is_refused(google: GoogleEmulator, secrets: KeptSecrets) -> None:
    kept = json.loads(await secrets.load("home") or "")
    await secrets.save("home", json.dumps({**kept, "expiry": "2026-01-01T00:00:00Z"}))
    google.expire(google.account(OWNER))
    client = Google("home", secrets=secrets, endpoint=google.url)
    await client.read(profile)
    assert [seen.status for seen in google.requests if seen.api == "gmail.users.getProfile"] == [200]
    await client.close()


async def test_many_at_once_ask_for_one_new_token(google: GoogleEmulator, client: Google, secrets: KeptSecrets) -> None:
    google.expire(google.account(OWNER))
    await asyncio.gather(*(client.read(profile) for _ in range(16)))
    assert len(secrets.saved) == 1


async def test_a_token_that_another_process_has_renewed_is_taken_over(
    google: GoogleEmulator, client: Google, secrets: KeptSecrets
) -> None:
    await client.read(profile)
    other = Google("home", secrets=secrets, endpoint=google.url)
    google.expire(google.account(OWNER))
    await other.read(profile)
    await client.read(profile)
    assert len(secrets.saved) == 1
    await other.close()


async def test_a_new_refresh_token_is_kept(secrets: KeptSecrets) -> None:
    with GoogleEmulator(rotate=True) as google:
        user = google.account(OWNER)
        client = Google("home", secrets=KeptSecrets(home=google.secret(user)), endpoint=google.url)
        for _ in range(2):
            google.expire(user)
            assert await client.read(profile)
        await client.close()


async def test_a_renewal_is_saved_even_if_whoever_asked_gives_up(
    google: GoogleEmulator, client: Google, secrets: KeptSecrets
) -> None:
    google.expire(google.account(OWNER))
    google.fail("slow", on="oauth.token", seconds=0.1)
    asking = asyncio.create_task(client.read(profile))
    await begun(google, "oauth.token")
    asking.cancel()
    await client.close()
    assert len(secrets.saved) == 1


async def test_a_revoked_account_says_how_to_connect_it_and_works_once_that_is_done(
    google: GoogleEmulator, client: Google, secrets: KeptSecrets
) -> None:
    user = google.account(OWNER)
    await client.read(profile)
    google.revoke(user)
    for _ in range(2):
        with pytest.raises(AuthExpired, match="assistant accounts add google --name home"):
            await client.read(profile)
    kept = json.loads(await secrets.load("home") or "")
    assert kept.keys() & {"token", "refresh_token", "client_id"} == {"client_id"}
    google.authorisation.issue(user, user.scopes)
    await secrets.save("home", google.secret(user))
    assert await client.read(profile)


async def test_a_client_that_google_refuses_is_told_and_the_tokens_are_kept(google: GoogleEmulator, secrets: KeptSecrets) -> None:
    google.expire(google.account(OWNER))
    google.authorisation.client_secret = "another"
    client = Google("home", secrets=secrets, endpoint=google.url)
    with pytest.raises(AuthExpired, match=r"invalid_client.*connect it again"):
        await client.read(profile)
    assert secrets.saved == []
    await client.close()


async def test_trouble_while_renewing_leaves_the_account_connected(
    google: GoogleEmulator, client: Google, secrets: KeptSecrets
) -> None:
    google.expire(google.account(OWNER))
    google.fail("drop_before", on="oauth.token")
    with pytest.raises(Unavailable):
        await client.write(new_label)
    assert secrets.saved == []
    await client.write(new_label)
    assert made(google)


async def test_a_question_too_long_for_an_address_is_asked_all_the_same(google: GoogleEmulator, client: Google) -> None:
    words = " ".join(f"word{number}" for number in range(500))
    answer = await client.read(lambda api: api.gmail.users().messages().list(userId="me", q=f"{{{words}}}"))
    assert answer["resultSizeEstimate"] == 0
    assert [(seen.method, seen.api) for seen in google.requests] == [("GET", "gmail.users.messages.list")]


async def test_an_account_without_a_secret_must_be_connected(google: GoogleEmulator) -> None:
    client = Google("home", secrets=KeptSecrets(), endpoint=google.url)
    with pytest.raises(AuthExpired, match="not signed in"):
        await client.read(profile)
    await client.close()


async def test_a_missing_permission_is_named(google: GoogleEmulator) -> None:
    user = google.account(OWNER, scopes=["https://www.googleapis.com/auth/contacts"])
    client = Google("home", secrets=KeptSecrets(home=google.secret(user)), endpoint=google.url)
    with pytest.raises(AuthExpired, match=r"without leave for Gmail; connect it again.* tick all"):
        await client.read(profile)
    await client.close()


async def test_an_api_that_is_not_enabled_is_named_and_where_to_enable_it(google: GoogleEmulator, client: Google) -> None:
    google.fail("not_enabled", on="gmail.users.getProfile")
    with pytest.raises(AuthExpired, match=r"Gmail API is not enabled.*console\.cloud\.google\.com/apis/library/gmail"):
        await client.read(profile)


async def test_a_batch_answers_in_order_and_tells_what_went_wrong_with_which(google: GoogleEmulator, client: Google) -> None:
    box = google.world.mail(OWNER)
    ids = [box.deliver(f"From: a@b.example\nSubject: {at}\n\nHi".encode()) for at in range(120)]
    builds = [lambda api, id=id: api.gmail.users().messages().get(userId="me", id=id, format="minimal") for id in ids]
    answers = await client.batch([*builds[:60], gone, *builds[60:]])
    refused = answers.pop(60)
    assert isinstance(refused, NotFound)
    assert [answer["id"] for answer in answers if isinstance(answer, dict)] == ids
    assert sent(google, "batch") == 2


async def test_of_a_batch_only_what_failed_is_asked_for_again(google: GoogleEmulator, client: Google) -> None:
    google.fail("too_many", on="gmail.users.getProfile", times=2, seconds=0, after=1)
    answers = await client.batch([profile] * 4)
    assert all(isinstance(answer, dict) for answer in answers)
    assert (sent(google, "batch"), sent(google, "gmail.users.getProfile")) == (2, 6)


async def test_a_batch_renews_a_refused_token_too(google: GoogleEmulator, client: Google, secrets: KeptSecrets) -> None:
    await client.read(profile)
    google.expire(google.account(OWNER))
    answers = await client.batch([profile, profile])
    assert [answer["emailAddress"] for answer in answers if isinstance(answer, dict)] == [OWNER, OWNER]
    assert len(secrets.saved) == 1


async def test_what_is_garbled_in_a_batch_is_an_error_of_its_own(google: GoogleEmulator, client: Google) -> None:
    google.fail("garbage", on="gmail.users.getProfile")
    assert any(isinstance(answer, InvalidResponse) for answer in await client.batch([profile, profile]))


@pytest.mark.parametrize(("tokens", "pages"), [(["again"] * 9, 2), ([f"page {at}" for at in range(9)], 5)])
async def test_a_listing_without_an_end_is_given_up(monkeypatch: pytest.MonkeyPatch, tokens: list[str], pages: int) -> None:
    monkeypatch.setattr("integrations.google.google.PAGES", 5)
    following = iter(tokens)

    def endless(call: Call) -> dict[str, Any]:
        return {"messages": [], "nextPageToken": next(following)}

    with GoogleEmulator(handlers={"gmail.users.messages.list": endless}) as google:
        client = Google("home", secrets=KeptSecrets(home=google.secret(google.account(OWNER))), endpoint=google.url)
        with pytest.raises(InvalidResponse, match="no end"):
            await client.pages(lambda api, token: api.gmail.users().messages().list(userId="me", pageToken=token))
        await client.close()
        assert len(google.requests) == pages


async def test_a_slow_answer_holds_up_nobody_else(google: GoogleEmulator, client: Google) -> None:
    google.fail("slow", on="gmail.users.getProfile", seconds=0.2)
    slow = asyncio.create_task(client.read(profile))
    await begun(google, "gmail.users.getProfile")
    assert await client.read(lambda api: api.gmail.users().labels().list(userId="me"))
    assert not slow.done()
    await slow


async def test_a_hundred_reads_over_sixteen_threads_all_get_their_answer(google: GoogleEmulator, client: Google) -> None:
    names = [(await client.write(lambda api, at=at: label(api, f"L{at}")))["id"] for at in range(20)]
    builds = [lambda api, id=id: api.gmail.users().labels().get(userId="me", id=id) for id in names * 5]
    answers = await asyncio.gather(*map(client.read, builds))
    assert [answer["id"] for answer in answers] == names * 5


@pytest.fixture
def everything_logged(caplog: pytest.LogCaptureFixture) -> Iterator[pytest.LogCaptureFixture]:
    with caplog.at_level(logging.DEBUG):
        yield caplog


async def test_tokens_are_neither_in_errors_nor_in_the_log(
    google: GoogleEmulator, client: Google, secrets: KeptSecrets, everything_logged: pytest.LogCaptureFixture
) -> None:
    user = google.account(OWNER)
    secret = {user.token, user.refresh_token}
    told = []
    google.fail("garbage", on="gmail.users.getProfile")
    for prepare in (lambda: None, lambda: google.expire(user), lambda: google.revoke(user)):
        prepare()
        secret |= {user.token, user.refresh_token}
        try:
            await client.read(profile)
        except IntegrationError as error:
            told.append(f"{error!r} {error.__cause__!r}")
    secret |= {user.token, user.refresh_token}
    assert len(told) == 2
    assert not [token for token in secret if token in everything_logged.text + " ".join(told)]
