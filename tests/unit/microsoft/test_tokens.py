"""The token that signs requests: renewed in time, stored at once, and shown to nobody."""

import asyncio
import json
import logging
import time
from collections.abc import Iterator
from typing import ClassVar
from unittest.mock import patch

import pytest
from doubles.graph import GraphEmulator
from doubles.graph.simple import OWNER, PROFILE, begun, made, new_message, profile
from doubles.secrets import KeptSecrets

from integrations.common import tokens
from integrations.errors import (
    AuthExpired,
    IntegrationError,
    InvalidResponse,
    Unavailable,
)
from integrations.microsoft.graph import Graph


def tokens_in(secret: str | None) -> tuple[str, str]:
    """The access token and the refresh token; empty where there is none."""
    cache = json.loads(json.loads(secret or "{}").get("cache") or "{}")
    access, refresh = (next(iter(cache.get(kind, {}).values()), {}) for kind in ("AccessToken", "RefreshToken"))
    return access.get("secret", ""), refresh.get("secret", "")


async def test_a_refused_token_is_renewed_once_and_saved_at_once(graph: GraphEmulator, client: Graph, secrets: KeptSecrets) -> None:
    user = graph.account(OWNER)
    graph.expire(user)
    await client.write(new_message)
    assert made(graph)
    ((account, secret),) = secrets.saved
    assert account == "home" and tokens_in(secret) == (user.token, user.refresh_token)
    assert json.loads(secret).keys() == {"client_id", "authority", "endpoint", "cache"}


async def test_a_token_that_cannot_be_stored_serves_and_is_stored_later() -> None:
    with GraphEmulator(rotate=True) as graph:
        user = graph.account(OWNER)
        secrets = KeptSecrets(home=graph.secret(user))
        client = Graph("home", secrets=secrets, endpoint=graph.url)
        with patch.object(secrets, "save", side_effect=OSError("disk full")):
            for _ in range(2):
                graph.expire(user)
                assert await client.read(profile)
        assert secrets.saved == []
        assert await client.read(profile)
        ((_, secret),) = secrets.saved
        assert tokens_in(secret)[1] == user.refresh_token
        await client.close()


async def test_of_two_processes_that_renew_at_once_both_go_on(monkeypatch: pytest.MonkeyPatch) -> None:
    class Slow(KeptSecrets):
        async def save(self, account: str, secret: str) -> None:
            await asyncio.sleep(0.05)
            await super().save(account, secret)

    monkeypatch.setattr(tokens, "PATIENCE", (0.05,) * 200)
    with GraphEmulator(rotate=True) as graph:
        user = graph.account(OWNER)
        secrets = Slow(home=graph.secret(user))
        clients = [Graph("home", secrets=secrets, endpoint=graph.url) for _ in range(2)]
        graph.expire(user)
        answers = await asyncio.gather(*(client.read(profile) for client in clients))
        assert [answer["userPrincipalName"] for answer in answers] == [OWNER, OWNER]
        assert tokens_in(await secrets.load("home"))[1] == user.refresh_token
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
            if tokens_in(secret)[1]:
                await stripped.wait()
            stripped.set()
            if self.kept[account] == self.seen:
                self.kept[account] = self.seen = secret

    monkeypatch.setattr(tokens, "PATIENCE", (0.0,))
    with GraphEmulator(rotate=True) as graph:
        user = graph.account(OWNER)
        Shared.kept["home"] = graph.secret(user)
        clients = [Graph("home", secrets=Shared(), endpoint=graph.url) for _ in range(2)]
        graph.expire(user)
        answers = await asyncio.gather(*(client.read(profile) for client in clients), return_exceptions=True)
        assert sorted(type(answer).__name__ for answer in answers) == ["Ended", "dict"]
        assert tokens_in(Shared.kept["home"])[1] == user.refresh_token
        for client in clients:
            await client.close()


async def test_a_secret_that_cannot_be_read_is_an_account_out_of_reach(graph: GraphEmulator, secrets: KeptSecrets) -> None:
    client = Graph("home", secrets=secrets, endpoint=graph.url)
    with (
        patch.object(secrets, "load", side_effect=PermissionError("secret.key")),
        pytest.raises(Unavailable, match="can't be read"),
    ):
        await client.write(new_message)
    await client.write(new_message)
    await client.close()


async def test_a_token_whose_time_is_over_is_renewed_before_it_is_refused(graph: GraphEmulator, secrets: KeptSecrets) -> None:
    kept = json.loads(await secrets.load("home") or "")
    cache = json.loads(kept["cache"])
    for entry in cache["AccessToken"].values():
        entry["expires_on"] = str(int(time.time()) + 60)
    await secrets.save("home", json.dumps({**kept, "cache": json.dumps(cache)}))
    graph.expire(graph.account(OWNER))
    client = Graph("home", secrets=secrets, endpoint=graph.url)
    await client.read(profile)
    assert [seen.status for seen in graph.requests if seen.api == PROFILE] == [200]
    await client.close()


async def test_many_at_once_ask_for_one_new_token(graph: GraphEmulator, client: Graph, secrets: KeptSecrets) -> None:
    graph.expire(graph.account(OWNER))
    await asyncio.gather(*(client.read(profile) for _ in range(16)))
    assert len(secrets.saved) == 1


async def test_a_token_that_another_process_has_renewed_is_taken_over(
    graph: GraphEmulator, client: Graph, secrets: KeptSecrets
) -> None:
    await client.read(profile)
    other = Graph("home", secrets=secrets, endpoint=graph.url)
    graph.expire(graph.account(OWNER))
    await other.read(profile)
    await client.read(profile)
    assert len(secrets.saved) == 1
    await other.close()


async def test_a_new_refresh_token_is_kept(secrets: KeptSecrets) -> None:
    with GraphEmulator(rotate=True) as graph:
        user = graph.account(OWNER)
        client = Graph("home", secrets=KeptSecrets(home=graph.secret(user)), endpoint=graph.url)
        for _ in range(2):
            graph.expire(user)
            assert await client.read(profile)
        await client.close()


async def test_a_renewal_is_saved_even_if_whoever_asked_gives_up(graph: GraphEmulator, client: Graph, secrets: KeptSecrets) -> None:
    graph.expire(graph.account(OWNER))
    graph.fail("slow", on="oauth.token", seconds=0.1)
    asking = asyncio.create_task(client.read(profile))
    await begun(graph, "oauth.token")
    asking.cancel()
    await client.close()
    assert len(secrets.saved) == 1


async def test_a_revoked_account_says_how_to_connect_it_and_works_once_that_is_done(
    graph: GraphEmulator, client: Graph, secrets: KeptSecrets
) -> None:
    user = graph.account(OWNER)
    await client.read(profile)
    graph.revoke(user)
    for _ in range(2):
        with pytest.raises(AuthExpired, match="assistant accounts add microsoft --name home"):
            await client.read(profile)
    kept = await secrets.load("home")
    assert tokens_in(kept) == ("", "") and json.loads(kept or "")["client_id"] == graph.authorisation.client_id
    graph.authorisation.issue(user, user.scopes)
    await secrets.save("home", graph.secret(user))
    assert await client.read(profile)


async def test_a_registration_that_microsoft_refuses_is_told_with_what_helps_and_the_tokens_are_kept(
    graph: GraphEmulator, client: Graph, secrets: KeptSecrets
) -> None:
    graph.expire(graph.account(OWNER))
    graph.authorisation.public = False
    with pytest.raises(
        AuthExpired, match=r"AADSTS7000218\): the registration allows no public client flows.*; then connect it again"
    ):
        await client.read(profile)
    assert secrets.saved == []


async def test_a_garbled_answer_to_a_renewal_is_told_as_such(graph: GraphEmulator, client: Graph) -> None:
    graph.expire(graph.account(OWNER))
    graph.fail("garbage", on="oauth.token")
    with pytest.raises(InvalidResponse, match="signing in"):
        await client.read(profile)


async def test_trouble_while_renewing_leaves_the_account_connected(
    graph: GraphEmulator, client: Graph, secrets: KeptSecrets
) -> None:
    graph.expire(graph.account(OWNER))
    graph.fail("drop_before", on="oauth.token")
    with pytest.raises(Unavailable):
        await client.write(new_message)
    assert secrets.saved == []
    await client.write(new_message)
    assert made(graph)


async def test_an_account_without_a_secret_must_be_connected(graph: GraphEmulator) -> None:
    client = Graph("home", secrets=KeptSecrets(), endpoint=graph.url)
    with pytest.raises(AuthExpired, match="not signed in"):
        await client.read(profile)
    await client.close()


@pytest.mark.parametrize("cache", ["", "[]", "no JSON", '{"AccessToken": [], "RefreshToken": {"x": 1}}'])
async def test_a_cache_that_holds_nothing_signs_nobody_in(graph: GraphEmulator, cache: str) -> None:
    secrets = KeptSecrets(home=json.dumps({**graph.client, "cache": cache}))
    client = Graph("home", secrets=secrets, endpoint=graph.url)
    with pytest.raises(AuthExpired, match="not signed in"):
        await client.read(profile)
    await client.close()


async def test_a_refusal_is_not_remembered(graph: GraphEmulator, client: Graph) -> None:
    graph.expire(graph.account(OWNER))
    graph.fail("unavailable", on="oauth.token")
    with pytest.raises(Unavailable):
        await client.write(new_message)
    assert await client.read(profile)


@pytest.fixture
def everything_logged(caplog: pytest.LogCaptureFixture) -> Iterator[pytest.LogCaptureFixture]:
    with caplog.at_level(logging.DEBUG):
        yield caplog


async def test_tokens_are_neither_in_errors_nor_in_the_log(
    graph: GraphEmulator, client: Graph, secrets: KeptSecrets, everything_logged: pytest.LogCaptureFixture
) -> None:
    user = graph.account(OWNER)
    secret = {user.token, user.refresh_token}
    told = []
    graph.fail("garbage", on=PROFILE)
    for prepare in (lambda: None, lambda: graph.expire(user), lambda: graph.revoke(user)):
        prepare()
        secret |= {user.token, user.refresh_token}
        try:
            await client.read(profile)
        except IntegrationError as error:
            told.append(f"{error!r} {error.__cause__!r}")
    secret |= {user.token, user.refresh_token}
    assert len(told) == 2
    assert not [token for token in secret if token in everything_logged.text + " ".join(told)]
