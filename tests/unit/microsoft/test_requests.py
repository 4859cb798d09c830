"""What is sent to Graph, how often and where to, and what becomes of trouble."""

import asyncio
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier, BrokenBarrierError
from typing import Any

import pytest
from doubles.boxes.letters import letter
from doubles.graph import Call, GraphEmulator
from doubles.graph.faults import Fault
from doubles.graph.simple import (
    FOLDERS,
    MESSAGES,
    NEW_MESSAGE,
    OWNER,
    PROFILE,
    begun,
    made,
    messages,
    new_message,
    profile,
    sent,
)
from doubles.secrets import KeptSecrets

from integrations.common import retrying
from integrations.common.remote import Down
from integrations.errors import (
    AuthExpired,
    Conflict,
    IntegrationError,
    InvalidResponse,
    NotFound,
    RateLimited,
    ReadOnly,
    Unavailable,
)
from integrations.microsoft import transport
from integrations.microsoft.errors import Refused, TooComplex
from integrations.microsoft.graph import Graph
from integrations.microsoft.requests import Endpoint, Requests, asking, sending, with_prefer
from integrations.microsoft.uploads import PIECE, may_be_given, pieces

PASSING: list[Fault] = [
    "drop_before", "drop_after", "server_error", "unavailable", "too_many", "conflict", "precondition",
]  # fmt: skip
ERRORS: dict[Fault, type[IntegrationError]] = {
    "drop_before": Unavailable,
    "drop_after": Unavailable,
    "server_error": Unavailable,
    "unavailable": Unavailable,
    "too_many": RateLimited,
    "garbage": InvalidResponse,
    "not_found": NotFound,
    "conflict": Conflict,
    "precondition": Conflict,
    "forbidden": ReadOnly,
    "unauthorized": AuthExpired,
}


def foreign(client: Any) -> Any:
    return asking(client.me.with_url("https://graph.microsoft.com.evil.example/v1.0/me"))


# Trouble


@pytest.mark.parametrize("fault", PASSING)
async def test_a_read_is_sent_again_where_the_trouble_may_pass(graph: GraphEmulator, client: Graph, fault: Fault) -> None:
    graph.fail(fault, on=PROFILE, times=2, seconds=0)
    assert (await client.read(profile))["userPrincipalName"] == OWNER
    assert sent(graph, PROFILE) == 3


@pytest.mark.parametrize("fault", [fault for fault in ERRORS if fault not in ("conflict", "precondition")])
async def test_what_goes_wrong_at_graph_is_one_of_the_designs_errors(graph: GraphEmulator, client: Graph, fault: Fault) -> None:
    graph.fail(fault, on=PROFILE, times=9, seconds=0)
    with pytest.raises(ERRORS[fault]) as trouble:
        await client.read(profile)
    assert trouble.value.account == "home"
    assert sent(graph, PROFILE) <= retrying.ATTEMPTS


@pytest.mark.parametrize("fault", [fault for fault in ERRORS if fault != "unauthorized"])
async def test_a_write_is_sent_once_whatever_becomes_of_it(graph: GraphEmulator, client: Graph, fault: Fault) -> None:
    graph.fail(fault, on=NEW_MESSAGE, seconds=0)
    with pytest.raises(ERRORS[fault]):
        await client.write(new_message)
    assert sent(graph, NEW_MESSAGE) == 1
    assert made(graph) == (fault in ("drop_after", "garbage"))


async def test_a_write_whose_token_was_refused_is_done_once_with_a_new_one(graph: GraphEmulator, client: Graph) -> None:
    graph.expire(graph.account(OWNER))
    await client.write(new_message)
    assert (sent(graph, NEW_MESSAGE), made(graph)) == (2, 1)


async def test_an_answer_that_takes_too_long_is_not_waited_for(
    graph: GraphEmulator, secrets: KeptSecrets, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(transport, "ANSWER", 0.05)
    client = Graph("home", secrets=secrets, endpoint=graph.url)
    graph.fail("slow", on=NEW_MESSAGE, seconds=3600)
    with pytest.raises(Unavailable, match="in time"):
        await client.write(new_message)
    await client.close()


async def test_a_connection_that_was_closed_meanwhile_loses_nothing(graph: GraphEmulator, client: Graph) -> None:
    await client.read(profile)
    graph.hang_up()
    await client.write(new_message)
    assert made(graph) == 1
    graph.hang_up()
    assert await client.read(profile)


async def test_nobody_listening_is_an_account_out_of_reach(graph: GraphEmulator, client: Graph) -> None:
    await client.read(profile)
    with graph.down(), pytest.raises(Unavailable):
        await client.write(new_message)
    assert not made(graph)


@pytest.mark.parametrize(("fault", "error"), [("too_many", RateLimited), ("unavailable", Down)])
async def test_a_pause_too_long_is_told_instead_of_waited_for(
    graph: GraphEmulator, client: Graph, fault: Fault, error: type[RateLimited | Down]
) -> None:
    graph.fail(fault, on=PROFILE, times=9, seconds=3600)
    with pytest.raises(error) as trouble:
        await client.read(profile)
    assert trouble.value.retry_after == 3600
    assert sent(graph, PROFILE) == 1


async def test_a_missing_permission_is_named(graph: GraphEmulator) -> None:
    user = graph.account(OWNER, scopes=["Contacts.ReadWrite", "User.Read"])
    client = Graph("home", secrets=KeptSecrets(home=graph.secret(user)), endpoint=graph.url)
    with pytest.raises(AuthExpired, match=r"home was connected without leave for Outlook; connect it again"):
        await client.read(messages)
    await client.close()


async def test_what_graph_does_not_look_for_together_is_told_apart(graph: GraphEmulator, client: Graph) -> None:
    def both(client: Any) -> Any:
        return asking(client.me.messages, filter="isRead eq false", orderby=["receivedDateTime desc"])

    with pytest.raises(TooComplex) as trouble:
        await client.read(both)
    assert isinstance(trouble.value, Refused) and trouble.value.code == "InefficientFilter"
    graph.complaints.clear()


async def test_an_id_that_is_none_of_microsofts_is_nothing_that_is_there(client: Graph) -> None:
    with pytest.raises(NotFound):
        await client.read(lambda client: asking(client.me.messages.by_message_id("../../etc")))


async def test_a_slow_answer_holds_up_nobody_else(graph: GraphEmulator, client: Graph) -> None:
    graph.fail("slow", on=PROFILE, seconds=3600)
    slow = asyncio.create_task(client.read(profile))
    await begun(graph, PROFILE)
    assert await client.read(lambda client: asking(client.me.mail_folders))
    assert sent(graph, FOLDERS) == 1 and not slow.done()
    graph.hang_up()
    assert await slow


async def test_a_hundred_reads_at_once_all_get_their_answer(graph: GraphEmulator, client: Graph) -> None:
    box = graph.world.mail(OWNER)
    ids = [box.deliver(letter(subject=str(at))) for at in range(20)]
    builds = [lambda client, id=id: asking(client.me.messages.by_message_id(id), select=["subject"]) for id in ids * 5]
    answers = await asyncio.gather(*map(client.read, builds))
    assert [answer["id"] for answer in answers] == ids * 5


# Headers


async def test_ids_that_stay_are_asked_for_always_and_other_wishes_stand_beside(secrets: KeptSecrets) -> None:
    seen = list[dict[str, str]]()

    def noted(call: Call) -> dict[str, Any]:
        seen.append(dict(call.prefers))
        return {"value": []}

    with GraphEmulator(handlers={MESSAGES: noted}) as graph:
        client = Graph("home", secrets=KeptSecrets(home=graph.secret(graph.account(OWNER))), endpoint=graph.url)
        await client.read(messages)
        await client.read(messages, headers={"Prefer": "odata.maxpagesize=5"})
        await client.close()
    assert [wish.get("idtype") for wish in seen] == ["ImmutableId"] * 2
    assert seen[1]["odata.maxpagesize"] == "5"


def test_wishes_are_put_together_and_none_is_lost() -> None:
    headers = with_prefer({"prefer": "a=1", "accept": "x"}, {"Prefer": "b=2", "If-Match": '"7"'})
    assert headers == {"prefer": 'IdType="ImmutableId", a=1, b=2', "accept": "x", "if-match": '"7"'}


async def test_a_header_of_ones_own_goes_along(graph: GraphEmulator, client: Graph) -> None:
    id = graph.world.mail(OWNER).deliver(letter())
    with pytest.raises(Conflict):
        await client.write(
            lambda client: sending(client.me.messages.by_message_id(id), "PATCH", {"isRead": True}),
            headers={"If-Match": 'W/"other"'},
        )


async def test_an_answer_without_content_stands_for_an_empty_one(graph: GraphEmulator, client: Graph) -> None:
    id = graph.world.mail(OWNER).deliver(letter())
    deleted = await client.write(lambda client: client.me.messages.by_message_id(id).to_delete_request_information())
    assert deleted == {}


# Pages, and whom a token is shown to


@pytest.fixture
def three(graph: GraphEmulator) -> list[str]:
    box = graph.world.mail(OWNER)
    return [box.deliver(letter(subject=f"Mail {at}")) for at in range(5)]


async def test_all_pages_of_a_listing_are_read_or_as_many_as_are_wanted(client: Graph, three: list[str]) -> None:
    pages = await client.pages(messages)
    assert sorted(item["id"] for page in pages for item in page["value"]) == sorted(three)
    assert [len(page["value"]) for page in pages] == [2, 2, 1]
    assert len(await client.pages(messages, most=2)) == 2


async def test_a_link_to_a_stranger_gets_no_token_and_is_one_clear_error(
    graph: GraphEmulator, client: Graph, three: list[str]
) -> None:
    graph.fail("hostile_link", on=MESSAGES)
    with pytest.raises(InvalidResponse, match="named an address that is not its own; nothing was sent there"):
        await client.pages(messages)
    assert graph.hostile_requests == []


@pytest.mark.parametrize("link", [
    "https://graph.microsoft.com.evil.example/v1.0/me/messages?$skip=10",
    "https://graph.microsoft.com@evil.example/v1.0/me/messages",
    "https://evil.example/v1.0/me/messages#https://graph.microsoft.com/v1.0/",
    "http://graph.microsoft.com/v1.0/me/messages",
    "https://graph.microsoft.com:8443/v1.0/me/messages",
    "https://graph.microsoft.com/beta/me/messages",
    "https://graph.microsoft.com\\@evil.example/v1.0/me",
    "//evil.example/v1.0/me",
    "/v1.0/me/messages",
    "https://[graph.microsoft.com/v1.0/me",
    "https://graph.microsoft.com:x/v1.0/me",
    "",
])  # fmt: skip
def test_graph_is_at_its_own_address_only(link: str) -> None:
    assert not Endpoint().owns(link)


def test_graphs_own_links_are_followed_however_they_are_written() -> None:
    for link in ("https://graph.microsoft.com/v1.0/me/messages?$skiptoken=a@b%20c", "HTTPS://Graph.Microsoft.com:443/v1.0/me"):
        assert Endpoint().owns(link)


async def test_a_request_that_was_built_for_a_stranger_is_not_sent(client: Graph) -> None:
    with pytest.raises(InvalidResponse, match="not its own"):
        await client.read(foreign)
    with pytest.raises(InvalidResponse, match="not its own"):
        await client.write(foreign)


@pytest.mark.parametrize(("links", "pages"), [(["again"] * 9, 2), ([f"page{at}" for at in range(9)], 5)])
async def test_a_listing_without_an_end_is_given_up(monkeypatch: pytest.MonkeyPatch, links: list[str], pages: int) -> None:
    monkeypatch.setattr("integrations.microsoft.graph.PAGES", 5)
    following = iter(links)

    def endless(call: Call) -> dict[str, Any]:
        return {"value": [], "@odata.nextLink": f"{call.world.url}/v1.0/me/messages?$skip={next(following)}"}

    with GraphEmulator(handlers={MESSAGES: endless}) as graph:
        client = Graph("home", secrets=KeptSecrets(home=graph.secret(graph.account(OWNER))), endpoint=graph.url)
        with pytest.raises(InvalidResponse, match="no end"):
            await client.pages(messages)
        await client.close()
        assert sent(graph, MESSAGES) == pages


# Uploads


@pytest.mark.parametrize(("address", "own"), [
    ("https://outlook.office.com/api/v2.0/Users('x')/AttachmentSessions('y')?authtoken=z", True),
    ("https://outlook.office365.com/api/gv1.0/users('x')", True),
    ("https://attachments.outlook.live.com/upload", True),
    ("http://outlook.office.com/upload", False),
    ("https://office.com.evil.example/upload", False),
    ("https://evil-office.com/upload", False),
    ("https://outlook.office.com@evil.example/upload", False),
    ("", False),
])  # fmt: skip
def test_an_attachment_is_uploaded_to_microsoft_only(address: str, own: bool) -> None:
    assert may_be_given(address, Endpoint()) is own


async def test_a_strangers_address_for_an_upload_gets_nothing(graph: GraphEmulator, client: Graph) -> None:
    with pytest.raises(InvalidResponse, match="not its own"):
        await client.upload(f"{graph.hostile}/upload", b"secret")
    assert graph.hostile_requests == []


@pytest.fixture
def upload() -> Iterator[bytes]:
    yield bytes(range(256)) * (PIECE // 256) + b"the rest"


def test_the_pieces_of_an_upload_are_as_graph_takes_them_and_carry_no_token(upload: bytes) -> None:
    sent = list(pieces("https://outlook.office.com/x", upload))
    assert b"".join(piece.content or b"" for piece in sent) == upload
    assert [piece.headers["content-range"] for piece in sent] == [
        f"bytes 0-{PIECE - 1}/{PIECE + 8}",
        f"bytes {PIECE}-{PIECE + 7}/{PIECE + 8}",
    ]
    assert PIECE % (320 * 1024) == 0 and PIECE < 4 * 1024 * 1024
    assert not any("authorization" in piece.headers for piece in sent)


def test_requests_of_all_accounts_are_built_one_after_the_other() -> None:
    """The SDK imports what it needs as it builds, in circles, which end in errors where two threads do it at once."""
    both_building = Barrier(2)

    def build(client: Any) -> Any:
        with pytest.raises(BrokenBarrierError):
            both_building.wait(0.1)
        return asking(client.me)

    accounts = [Requests(Endpoint(f"https://{number}.example")) for number in range(2)]
    with ThreadPoolExecutor(2) as threads:
        urls = list(threads.map(lambda account: account.prepared(build).url, accounts))
    assert urls == [f"https://{number}.example/v1.0/me" for number in range(2)]
