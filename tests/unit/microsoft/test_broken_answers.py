"""Answers that are not as Graph promises: one clear error, or one thing left out and named, and never a secret in a log."""

import json
import logging
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import httpx
import pytest
from doubles.boxes.letters import letter
from doubles.emulating.wire import Answer, told
from doubles.graph import Call, GraphEmulator
from doubles.graph.calendar.asking import lunch, people
from doubles.graph.calls import Handler
from doubles.graph.devices import Devices
from doubles.graph.operations import OPERATIONS
from doubles.graph.simple import MESSAGES, OWNER
from doubles.secrets import KeptSecrets
from hypothesis import given
from hypothesis import strategies as st

from integrations.common.contentline import Malformed
from integrations.common.remote import retry_after
from integrations.errors import AuthExpired, InvalidResponse, Unavailable
from integrations.microsoft import answers, messages, oauth
from integrations.microsoft.events import Place, event_of
from integrations.microsoft.folders import Folders
from integrations.microsoft.graph import Graph
from integrations.microsoft.people import contact_of
from integrations.microsoft.registration import client_of
from integrations.microsoft.requests import Endpoint
from integrations.microsoft.uploads import may_be_given
from integrations.registry import Account, AccountConfig, open_account
from integrations.types import ContactQuery, EventQuery, MailQuery

CALENDARS = "GET /me/calendars"
BERLIN = ZoneInfo("Europe/Berlin")
NOON = datetime(2026, 11, 20, 12, tzinfo=UTC)
MAIL = {
    "id": "AAMk1",
    "parentFolderId": "inbox",
    "receivedDateTime": "2026-11-16T09:00:00Z",
    "subject": "Plan",
    "from": {"emailAddress": {"name": "Anna", "address": "anna@acme.example"}},
    "toRecipients": [{"emailAddress": {"address": OWNER}}],
    "flag": {"flagStatus": "flagged"},
    "categories": ["Red"],
    "body": {"contentType": "html", "content": "<p>Hello</p>"},
    "internetMessageHeaders": [{"name": "List-Id", "value": "x"}],
    "singleValueExtendedProperties": [{"id": "Integer 0x1081", "value": "102"}],
    "attachments": [{"id": "AAMk2", "name": "a.pdf", "contentType": "application/pdf", "size": 3}],
}
EVENT = {
    **lunch(attendees=people("anna@north.example")),
    "id": "AAMk3",
    "location": {"displayName": "Room 1"},
    "body": {"contentType": "html", "content": "<p>Hello</p>"},
    "organizer": {"emailAddress": {"address": OWNER, "name": "Me"}},
    "responseStatus": {"response": "organizer"},
    "recurrence": {
        "pattern": {"type": "weekly", "interval": 1, "daysOfWeek": ["friday"], "firstDayOfWeek": "monday"},
        "range": {"type": "numbered", "startDate": "2026-11-20", "numberOfOccurrences": 4},
    },
}
PERSON = {
    "id": "AAMk4",
    "displayName": "Eva Klein",
    "emailAddresses": [{"address": "eva@x.example"}],
    "businessPhones": ["1"],
    "homeAddress": {"city": "Berlin"},
    "categories": ["Friends"],
    "birthday": "1990-02-03T11:59:00Z",
    "personalNotes": "tall",
}
PLACE = Place("home", "AAMk5", OWNER, BERLIN)
SCALARS = st.none() | st.booleans() | st.integers() | st.floats() | st.text()
ANYTHING = st.recursive(
    SCALARS, lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text(max_size=3), inner, max_size=2)
)


def read_mail(item: Any) -> str:
    return messages.read(item).mail("home", Folders(), BERLIN, body=True).model_dump_json()


def read_event(item: Any) -> str:
    return event_of(item, PLACE).model_dump_json()


def read_contact(item: Any) -> str:
    return contact_of(item, "home").model_dump_json()


def places(value: Any, above: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """The ways to all that is in it."""
    within = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [way for at, one in within for way in ((*above, at), *places(one, (*above, at)))]


@pytest.mark.parametrize(("item", "read"), [(MAIL, read_mail), (EVENT, read_event), (PERSON, read_contact)])
@given(data=st.data())
def test_what_is_odd_in_a_thing_ends_only_the_reading_of_that_thing(
    item: dict[str, Any], read: Callable[[Any], str], data: st.DataObject
) -> None:
    assert read(item)
    odd = json.loads(json.dumps(item))
    *above, at = data.draw(st.sampled_from(places(item)))
    holder = odd
    for step in above:
        holder = holder[step]
    if data.draw(st.booleans()):
        holder[at] = data.draw(ANYTHING)
    else:
        del holder[at]
    try:
        assert read(odd)
    except (Malformed, InvalidResponse) as reason:
        assert str(reason)


# Whole answers


@asynccontextmanager
async def answering(handlers: Mapping[str, Handler]) -> AsyncIterator[Account]:
    """An account at a Graph that answers some questions so."""
    with GraphEmulator(handlers={**OPERATIONS.handlers, **handlers}) as graph:
        secrets = KeptSecrets(home=graph.secret(graph.account(OWNER)))
        config = AccountConfig(name="home", kind="microsoft", address=OWNER, settings={"endpoint": graph.url})
        account = open_account(config, zone=BERLIN, index=Path(), secrets=secrets)
        yield account
        await account.close()


ODD = [b"[]", b'"x"', b"nonsense", b"[" * 20_000, b"\xff\xfe", *(
    json.dumps(odd).encode() for odd in (
        {"value": None}, {"value": 5}, {"value": {"id": "x"}}, {"value": [None]}, {"value": ["x"]}, {"value": [{"id": 5}]},
        {"value": [], "@odata.nextLink": 5}, {"value": [], "@odata.nextLink": ["https://evil.example/"]},
    )
)]  # fmt: skip
READS: dict[str, Callable[[Account], Awaitable[object]]] = {
    MESSAGES: lambda account: account.readers.mail.search(MailQuery()),
    CALENDARS: lambda account: account.readers.calendar.events(EventQuery(start=NOON, end=NOON + timedelta(days=1))),
    "GET /me/contactFolders": lambda account: account.readers.contacts.search(ContactQuery()),
}


@pytest.mark.parametrize("asked", READS)
async def test_an_answer_that_is_none_of_graphs_is_one_clear_error(asked: str) -> None:
    now = [b""]
    async with answering({asked: lambda call: now[0]}) as account:
        for now[0] in ODD:
            with pytest.raises(InvalidResponse, match="can't be read"):
                await READS[asked](account)


async def test_a_calendar_that_is_odd_is_an_error_and_no_crash() -> None:
    async with answering({CALENDARS: lambda call: json.dumps({"value": [{"id": "x", "owner": 5}]}).encode()}) as account:
        with pytest.raises(InvalidResponse, match="can't be read") as trouble:
            await account.readers.calendar.calendars()
        assert trouble.value.account == "home"


async def test_an_unreadable_mail_is_named_beside_the_others() -> None:
    listed = json.dumps({"value": [MAIL | {"from": 5}, MAIL | {"id": "AAMk9"}]}).encode()
    async with answering({MESSAGES: lambda call: listed}) as account:
        page = await account.readers.mail.search(MailQuery())
    assert [mail.id for mail in page.items] == ["AAMk9"]
    assert [one.where for one in page.skipped] == ["message AAMk1"]


async def test_an_unreadable_contact_is_named_beside_the_others() -> None:
    listed = json.dumps({"value": [PERSON | {"emailAddresses": 5}, PERSON | {"id": "AAMk9"}]}).encode()
    async with answering({"GET /me/contacts/delta": lambda call: listed}) as account:
        page = await account.readers.contacts.search(ContactQuery())
    assert [contact.id for contact in page.items] == ["AAMk9"]
    assert [one.where for one in page.skipped] == ["AAMk4"]


async def test_an_unreadable_invitation_hides_no_other() -> None:
    waiting = {"organizer": people("anna@north.example")[0], "isOrganizer": False, "responseStatus": {"response": "notResponded"}}
    mine = EVENT | waiting | {"recurrence": None, "attendees": people(OWNER), "type": "singleInstance"}
    view = json.dumps({"value": [mine | {"start": {"dateTime": 5}}, mine | {"id": "AAMk9"}]}).encode()
    whole = json.dumps(mine | {"id": "AAMk9"}).encode()
    handlers = {"GET /me/calendars/{calendar}/calendarView": lambda call: view, "GET /me/events/{event}": lambda call: whole}
    async with answering(handlers) as odd:
        assert [event.id for event in await odd.readers.calendar.invitations(NOON - timedelta(days=1))] == ["AAMk9"]


async def test_who_is_told_of_in_an_unreadable_way_has_unknown_time() -> None:
    def partly(call: Call) -> bytes:
        taken = {"status": "busy", "start": {"dateTime": "2026-11-20T12:00:00"}, "end": {"dateTime": "2026-11-20T13:00:00"}}
        whole = {"scheduleId": "anna@north.example", "scheduleItems": [taken]}
        return json.dumps({"value": [whole, {"scheduleId": "tom@north.example", "scheduleItems": [taken | {"end": 5}]}]}).encode()

    async with answering({"POST /me/calendar/getSchedule": partly}) as account:
        emails = ["anna@north.example", "tom@north.example"]
        anna, tom = await account.readers.calendar.busy(emails, NOON, NOON + timedelta(hours=4))
    assert anna.times == ((NOON, NOON + timedelta(hours=1)),) and not anna.unknown
    assert tom.unknown


def test_half_a_character_at_the_end_of_a_text_that_was_cut_is_no_trouble() -> None:
    for cut in (rb'{"subject": "Hi \ud83d"}', b'{"subject": "Hi \xed\xa0\xbd"}', b'{"subject": "Hi \xf0\x9f"}'):
        assert str(answers.read(cut)["subject"]).encode().startswith(b"Hi ")
    assert answers.read(rb'{"subject": "Hi \ud83d\ude00"}') == {"subject": "Hi \N{GRINNING FACE}"}


@pytest.mark.parametrize("told", ["inf", "1e999", "x", "", "Fri, 31 Dec 9999 23:59:59 -2300", "Fri, 31 Dec 99999 23:59:59 GMT"])
def test_a_pause_that_is_no_time_is_none(told: str) -> None:
    assert retry_after(told) is None


# Where a token goes, and a mail


LINKS = st.lists(st.sampled_from([
    "https:", "http:", "//", "/", "\\", "@", ":", ".", "?", "#", ":443", "%2e", "\u3002", "\uff0f", "\t", "/v1.0/", "me",
    "evil.example", "graph.microsoft.com", "Graph.Microsoft.com", "outlook.office.com", ".office.com",
]), max_size=9).map("".join)  # fmt: skip


@given(LINKS | LINKS.map(lambda rest: f"https://graph.microsoft.com{rest}"))
def test_what_passes_for_graphs_address_is_sent_nowhere_else(link: str) -> None:
    if Endpoint().owns(link):
        sent = httpx.URL(link)
        assert (sent.scheme, sent.host, sent.port, sent.userinfo) == ("https", "graph.microsoft.com", None, b"")


@given(LINKS | LINKS.map(lambda rest: f"https://{rest}"))
def test_what_passes_for_the_address_of_an_upload_is_sent_to_microsoft_alone(address: str) -> None:
    if may_be_given(address, Endpoint()):
        sent = httpx.URL(address)
        assert (sent.scheme, sent.port, sent.userinfo) == ("https", None, b"")
        assert sent.host.endswith((".office.com", ".microsoft.com")) and sent.host.replace(".", "").replace("-", "").isalnum()


@pytest.mark.parametrize("address", [
    "https://evil.example\\.office.com/x", "https://evil.example .office.com/x", "https://evil.example%2f.office.com/x",
    "https://evil.example;.office.com/x", "https://.office.com/x", "https://outlook.office.com:8443/x",
])  # fmt: skip
def test_an_address_for_an_upload_that_could_be_read_in_two_ways_gets_nothing(address: str) -> None:
    assert not may_be_given(address, Endpoint())


async def test_a_link_longer_than_any_address_is_one_clear_error(client: Graph, graph: GraphEmulator) -> None:
    with pytest.raises(InvalidResponse, match="can't be read"):
        await client.follow(f"{graph.url}/v1.0/me/messages?$skiptoken={'x' * 70_000}")


# What signs in, and logs


@pytest.mark.parametrize("wrong", [{"client_id": None}, {"client_id": 5}, {"cache": {}}, {"cache": "[]"}, {"cache": "{"}])
async def test_a_damaged_secret_means_connecting_again(graph: GraphEmulator, wrong: dict[str, Any]) -> None:
    user = graph.account(OWNER)
    kept = json.loads(graph.secret(user))
    ended = json.loads(kept["cache"])
    for entry in ended["AccessToken"].values():
        entry["expires_on"] = "0"
    client = Graph("home", secrets=KeptSecrets(home=json.dumps({**kept, "cache": json.dumps(ended), **wrong})), endpoint=graph.url)
    with pytest.raises(AuthExpired, match="connect it again"):
        await client.read(lambda client: client.me.to_get_request_information())
    await client.close()


@pytest.mark.parametrize(
    "wrong", ["", "{", "[]", "5", "null", '{"cache": 5}', '{"cache": "[]"}', '{"cache": "{\\"RefreshToken\\": [5]}"}']
)
def test_a_damaged_secret_tells_of_no_permission(wrong: str) -> None:
    assert oauth.granted(wrong) is None
    assert not oauth.personal(wrong)


@pytest.mark.parametrize("where", ["javascript:alert(1)", "http://evil.example/", "https://x.example/\x1b[2J", 5, None])
async def test_a_place_for_a_code_that_cannot_be_shown_is_one_clear_error(
    graph: GraphEmulator, monkeypatch: pytest.MonkeyPatch, where: object
) -> None:
    def begun(self: Devices, scope: str) -> Answer:
        return told({"user_code": "ABC", "device_code": "x", "verification_uri": where, "expires_in": 900})

    monkeypatch.setattr(Devices, "begin", begun)
    with pytest.raises(InvalidResponse, match="no code to sign in with that can be shown"):
        await oauth.DeviceConsent(client_of(graph.client)).begin()


async def test_a_sign_in_that_would_be_renewed_elsewhere_is_not_sent_there(graph: GraphEmulator) -> None:
    kept = json.loads(graph.secret(graph.account(OWNER)))
    ended = json.dumps({**json.loads(kept["cache"]), "AccessToken": {}})
    secret = {**kept, "endpoint": "", "authority": "https://evil.example/common", "cache": ended}
    client = Graph("home", secrets=KeptSecrets(home=json.dumps(secret)), endpoint=graph.url)
    with pytest.raises(InvalidResponse, match="not known to be its own"):
        await client.read(lambda client: client.me.to_get_request_information())
    await client.close()


async def test_neither_what_is_searched_for_nor_an_upload_s_address_stands_in_a_log(
    graph: GraphEmulator, account: Account, client: Graph, caplog: pytest.LogCaptureFixture
) -> None:
    graph.world.mail(OWNER).deliver(letter(subject="Zebra", body="Giraffe"))
    with caplog.at_level(logging.DEBUG):
        assert (await account.readers.mail.search(MailQuery(words=("zebra",)))).items
        with pytest.raises((InvalidResponse, Unavailable)):
            await client.upload(f"{graph.url}/upload?authtoken=elephant", b"lion")
    told = caplog.text.lower()
    assert not [word for word in ("zebra", "giraffe", "elephant", "lion", OWNER) if word in told]
    graph.complaints.clear()
