"""What is sent to Google, how often, and what becomes of trouble."""

import asyncio
from typing import Any

import pytest
from doubles.google import GoogleEmulator
from doubles.google.calls import Call
from doubles.google.faults import Fault
from doubles.google.simple import OWNER, begun, label, made, new_label, profile, sent
from doubles.secrets import KeptSecrets

from integrations.common import retrying
from integrations.common.remote import Down, Unreached
from integrations.errors import (
    AuthExpired,
    Conflict,
    IntegrationError,
    InvalidResponse,
    NotFound,
    RateLimited,
    Unavailable,
)
from integrations.google import transport
from integrations.google.google import Apis, Google

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


def gone(api: Apis) -> Any:
    return api.gmail.users().messages().get(userId="me", id="abc123")


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
    google.fail("slow", on="gmail.users.labels.create", seconds=3600)
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


def test_where_nobody_listens_that_is_told_soon() -> None:
    assert retrying.pause_before_another(1, Unreached("down")) is not None
    assert retrying.pause_before_another(2, Unreached("down")) is None


@pytest.mark.parametrize(("fault", "error"), [("too_many", RateLimited), ("unavailable", Down)])
async def test_a_pause_too_long_is_told_instead_of_waited_for(
    google: GoogleEmulator, client: Google, fault: Fault, error: type[RateLimited | Down]
) -> None:
    google.fail(fault, on="gmail.users.getProfile", times=9, seconds=3600)
    with pytest.raises(error) as trouble:
        await client.read(profile)
    assert trouble.value.retry_after == 3600
    assert sent(google, "gmail.users.getProfile") == 1


async def test_a_question_too_long_for_an_address_is_asked_all_the_same(google: GoogleEmulator, client: Google) -> None:
    words = " ".join(f"word{number}" for number in range(500))
    answer = await client.read(lambda api: api.gmail.users().messages().list(userId="me", q=f"{{{words}}}"))
    assert answer["resultSizeEstimate"] == 0
    assert [(seen.method, seen.api) for seen in google.requests] == [("GET", "gmail.users.messages.list")]


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
    google.fail("slow", on="gmail.users.getProfile", seconds=3600)
    slow = asyncio.create_task(client.read(profile))
    await begun(google, "gmail.users.getProfile")
    assert await client.read(lambda api: api.gmail.users().labels().list(userId="me"))
    assert not slow.done()
    google.hang_up()
    assert await slow


async def test_a_hundred_reads_over_sixteen_threads_all_get_their_answer(google: GoogleEmulator, client: Google) -> None:
    names = [(await client.write(lambda api, at=at: label(api, f"L{at}")))["id"] for at in range(20)]
    builds = [lambda api, id=id: api.gmail.users().labels().get(userId="me", id=id) for id in names * 5]
    answers = await asyncio.gather(*map(client.read, builds))
    assert [answer["id"] for answer in answers] == names * 5
