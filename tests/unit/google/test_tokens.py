"""The token that signs requests: renewed in time, stored at once, and shown to nobody."""

import asyncio
import json
import logging
from collections.abc import Iterator
from typing import ClassVar
from unittest.mock import patch

import pytest
from doubles.google import GoogleEmulator
from doubles.google.simple import OWNER, begun, made, new_label, profile
from doubles.secrets import KeptSecrets

from integrations.common import tokens
from integrations.errors import (
    AuthExpired,
    IntegrationError,
    InvalidResponse,
    Unavailable,
)
from integrations.google.google import Google


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


async def test_of_two_processes_that_renew_at_once_both_go_on(monkeypatch: pytest.MonkeyPatch) -> None:
    class Slow(KeptSecrets):
        async def save(self, account: str, secret: str) -> None:
            await asyncio.sleep(0.05)
            await super().save(account, secret)

    monkeypatch.setattr(tokens, "PATIENCE", (0.05,) * 200)
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


async def test_a_garbled_answer_to_a_renewal_is_told_as_such(google: GoogleEmulator, client: Google) -> None:
    google.expire(google.account(OWNER))
    google.fail("garbage", on="oauth.token")
    with pytest.raises(InvalidResponse, match="signing in"):
        await client.read(profile)


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


async def test_an_account_without_a_secret_must_be_connected(google: GoogleEmulator) -> None:
    client = Google("home", secrets=KeptSecrets(), endpoint=google.url)
    with pytest.raises(AuthExpired, match="not signed in"):
        await client.read(profile)
    await client.close()


async def test_a_batch_renews_a_refused_token_too(google: GoogleEmulator, client: Google, secrets: KeptSecrets) -> None:
    await client.read(profile)
    google.expire(google.account(OWNER))
    answers = await client.batch([profile, profile])
    assert [answer["emailAddress"] for answer in answers if isinstance(answer, dict)] == [OWNER, OWNER]
    assert len(secrets.saved) == 1


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
