"""Reading mail at the emulated Outlook: what the contract for every provider doesn't say."""

from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta
from email.message import EmailMessage
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from doubles.boxes.letters import MONDAY, letter
from doubles.graph import GraphEmulator
from doubles.graph.mail import searching
from doubles.graph.mail.mailbox import Mailbox
from doubles.secrets import KeptSecrets

from integrations.errors import InvalidResponse, NotFound
from integrations.microsoft import mail_listing, mail_search
from integrations.microsoft.errors import Refused, TooComplex
from integrations.microsoft.folders import FolderTree
from integrations.microsoft.graph import Graph
from integrations.microsoft.mail import MicrosoftMailReader
from integrations.microsoft.mail_listing import Pages
from integrations.microsoft.mail_query import Asked
from integrations.readers import MailReader
from integrations.registry import Account, AccountConfig, open_account
from integrations.types import ARCHIVE, INBOX, SENT, TRASH, Mail, MailQuery, MailRef

LISTING, DELTA = "GET /me/messages", "GET /me/mailFolders/{folder}/messages/delta"
PERSONAL = "me@outlook.example"
SEARCH_FOLDER = "#microsoft.graph.mailSearchFolder"


@pytest.fixture
def box(graph: GraphEmulator, account: Account) -> Mailbox:
    return graph.world.mail("me@home.example")


@pytest.fixture
def reader(account: Account) -> MailReader:
    return account.readers.mail


@pytest.fixture
async def personal(graph: GraphEmulator, tmp_path: Path) -> AsyncIterator[MailReader]:
    """Of an account that is no organisation's."""
    secrets = KeptSecrets(own=graph.secret(graph.account(PERSONAL, kind="personal")))
    settings = {"endpoint": graph.url, "personal": "yes"}
    config = AccountConfig(name="own", kind="microsoft", address=PERSONAL, settings=settings)
    opened = open_account(config, zone=ZoneInfo("Europe/Berlin"), index=tmp_path, secrets=secrets)
    yield opened.readers.mail
    await opened.close()


async def subjects(reader: MailReader, **fields: Any) -> list[str]:
    return [mail.subject for mail in (await reader.search(MailQuery(**fields))).items]


async def all_pages(reader: MailReader, **fields: Any) -> list[Mail]:
    page = await reader.search(MailQuery(**fields))
    mails = [*page.items]
    while page.next:
        page = await reader.search(MailQuery(**fields, cursor=page.next))
        mails += page.items
    return mails


def asked(graph: GraphEmulator, since: int = 0) -> list[str]:
    return [request.api for request in graph.requests[since:]]


# As they are written


def pictured() -> bytes:
    message = EmailMessage()
    message["From"], message["To"], message["Subject"] = "a@x.example", "me@home.example", "pictured"
    message.set_content("See below")
    message.add_alternative("<p>See <img src='cid:logo'> below<script>x()</script></p>", subtype="html")
    message.get_payload()[1].add_related(b"\x89PNG", "image", "png", cid="<logo>", disposition="inline")  # type: ignore[union-attr]
    message.add_attachment(b"%PDF", maintype="application", subtype="pdf", filename="plan.pdf")
    return message.as_bytes()


async def test_html_is_shown_as_text_and_its_pictures_are_no_attachments(reader: MailReader, box: Mailbox) -> None:
    mail = await reader.get(MailRef(account="home", id=box.deliver(pictured())))
    (attachment,) = mail.attachments
    assert (mail.body, attachment.filename) == ("See below", "plan.pdf")
    assert await reader.attachment(mail.ref, attachment.part) == b"%PDF"


async def test_a_mail_keeps_its_id_wherever_it_is_moved(reader: MailReader, box: Mailbox) -> None:
    box.deliver(letter(files={"a.pdf": b"%PDF"}))
    (listed,) = (await reader.search(MailQuery())).items
    box.file(listed.id, "Projects/2026")
    moved = await reader.get(listed.ref)
    assert (moved.id, moved.folder) == (listed.id, "Projects/2026")
    assert await reader.attachment(listed.ref, listed.attachments[0].part) == b"%PDF"


async def test_what_was_deleted_for_good_is_gone_even_where_it_can_be_recovered(reader: MailReader, box: Mailbox) -> None:
    box.recoverable = True
    deleted = box.deliver(letter())
    box.delete(box.messages[deleted])
    with pytest.raises(NotFound):
        await reader.get(MailRef(account="home", id=deleted))


@pytest.mark.parametrize("id", ["../../me", "AAMk' or 1 eq 1", "", "x"])
async def test_what_can_be_no_id_is_not_asked_for(graph: GraphEmulator, reader: MailReader, id: str) -> None:
    with pytest.raises(NotFound):
        await reader.get(MailRef(account="home", id=id))
    with pytest.raises(NotFound):
        await reader.attachment(MailRef(account="home", id=id), "1")
    assert await reader.thread(id) == () and await subjects(reader, thread=id or "x") == []
    assert not [request for request in graph.requests if "/messages" in request.path]


async def test_a_file_that_a_mail_only_links_to_is_said_to_lie_elsewhere(client: Graph, monkeypatch: pytest.MonkeyPatch) -> None:
    async def refused(*_: Any) -> bytes:
        raise Refused("Outlook refused the request (HTTP 405).", "home", "ErrorInvalidRequest")

    async def about(*_: Any) -> dict[str, Any]:
        return {"@odata.type": "#microsoft.graph.referenceAttachment", "id": "link"}

    monkeypatch.setattr(client, "content", refused)
    monkeypatch.setattr(client, "read", about)
    reader = MicrosoftMailReader(client, FolderTree(client), account="home", owner="me@home.example", zone=ZoneInfo("UTC"))
    with pytest.raises(InvalidResponse, match="lies elsewhere"):
        await reader.attachment(MailRef(account="home", id="A" * 20), "B" * 20)


# Folders


async def test_folders_come_and_go(reader: MailReader, box: Mailbox) -> None:
    box.file(box.deliver(letter()), "Projects/2026")
    assert {"Projects", "Projects/2026"} <= set(await reader.folders())
    assert await subjects(reader, folders=("projects/2026",)) == ["Hello"]
    box.remove_folder("Projects/2026")
    folders = await reader.folders()
    assert "Projects" in folders and "Projects/2026" not in folders


async def test_folders_are_read_anew_when_their_changes_are_forgotten(reader: MailReader, box: Mailbox) -> None:
    box.folder("Old")
    assert "Old" in await reader.folders()
    box.remove_folder("Old")
    box.folder("New")
    box.forget_changes()
    folders = await reader.folders()
    assert "New" in folders and "Old" not in folders


async def test_a_folder_is_known_by_its_name_whatever_is_asked_first(reader: MailReader, box: Mailbox) -> None:
    first = box.deliver(letter(), box.folder("Projects").id)
    mail = await reader.get(MailRef(account="home", id=first))
    box.file(first, "Attic")
    assert (mail.folder, (await reader.thread(mail.thread))[0].folder) == ("Projects", "Attic")


async def test_junk_is_searched_only_when_named(reader: MailReader, box: Mailbox) -> None:
    box.deliver(letter(subject="win"), "junkemail")
    assert await subjects(reader) == []
    assert await subjects(reader, folders=("junk",)) == ["win"]


async def test_what_lies_in_a_folder_in_the_trash_is_in_the_trash(reader: MailReader, box: Mailbox) -> None:
    below = box.folders.create("Old", box.folders.known("deleteditems").id)
    box.folder_journal.touch(below.id)
    box.deliver(letter(subject="old"), below.id)
    assert await subjects(reader) == [] and await subjects(reader, words=("old",)) == []
    assert await subjects(reader, folders=(f"{TRASH}/Old",)) == ["old"]


async def test_a_special_folder_that_is_kept_from_its_owner_hides_no_others(
    graph: GraphEmulator, reader: MailReader, box: Mailbox
) -> None:
    box.deliver(letter())
    graph.fail("forbidden", on="GET /me/mailFolders/{folder}", after=8)  # recoverable items, the last that is asked for
    assert await subjects(reader) == ["Hello"] and graph.faults_left == 0


async def test_a_kept_search_is_no_folder(client: Graph, monkeypatch: pytest.MonkeyPatch) -> None:
    listed = [{"id": "1", "displayName": "Plans"}, {"id": "2", "displayName": "Unread", "@odata.type": SEARCH_FOLDER}]

    async def everything(*_: Any, **__: Any) -> list[dict[str, Any]]:
        return [{"value": listed}]

    monkeypatch.setattr(client, "pages", everything)
    assert "Plans" in (known := (await FolderTree(client).current()).folders) and "Unread" not in known


# Requests


async def test_the_number_of_all_mails_in_a_folder_is_told_by_graph_at_once(
    graph: GraphEmulator, reader: MailReader, box: Mailbox
) -> None:
    for number in range(60):
        box.deliver(letter(date=MONDAY + timedelta(hours=number)), seen=number % 2 == 0)
        box.deliver(letter(subject="elsewhere"), "archive")
    assert (await reader.search(MailQuery(folders=(INBOX,), limit=10))).total == 60
    assert (await reader.search(MailQuery(folders=(INBOX,), unread=True, limit=10))).total == 30
    assert asked(graph).count("GET /me/mailFolders/{folder}/messages") == 2


async def test_what_is_found_is_read_one_by_one_where_graph_can_not_expand_a_search(
    graph: GraphEmulator, reader: MailReader, box: Mailbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(searching.ALONE, "$expand", ("SearchWithExpand", "$expand"))
    for number in range(30):
        box.deliver(letter(subject=f"plan {number}", files={"a.pdf": b"%PDF"}, date=MONDAY + timedelta(hours=number)))
    mails = await all_pages(reader, words=("plan",), limit=20)
    assert [mail.subject for mail in mails] == [f"plan {number}" for number in reversed(range(30))]
    assert all(mail.attachments for mail in mails)
    graph.complaints.clear()


async def test_a_search_takes_one_request_beside_that_for_the_folders(
    graph: GraphEmulator, reader: MailReader, box: Mailbox
) -> None:
    for number in range(20):
        box.deliver(letter(subject=str(number)))
    await reader.search(MailQuery())
    before = len(graph.requests)
    await reader.search(MailQuery(unread=True))
    assert asked(graph, before) == ["GET /me/mailFolders/delta", LISTING]


async def test_many_mails_take_few_requests(graph: GraphEmulator, reader: MailReader, box: Mailbox) -> None:
    for number in range(300):
        box.deliver(letter(date=MONDAY - timedelta(hours=8 * number)))
    page = await reader.search(MailQuery(limit=250))
    assert (len(page.items), page.total) == (250, 300)
    assert asked(graph).count(LISTING) <= 4
    before = len(graph.requests)
    page = await reader.search(MailQuery(words=("hello",), limit=150))
    assert (len(page.items), page.total) == (150, 300)
    assert asked(graph, before).count(LISTING) <= 4


async def test_where_graph_finds_it_too_much_together_less_is_asked(client: Graph, monkeypatch: pytest.MonkeyPatch) -> None:
    questions: list[Asked] = []

    async def refusing(self: Pages, question: Asked) -> dict[str, Any]:
        questions.append(question)
        if question.filter:
            raise TooComplex("The restriction or sort order is too complex for this operation.", "home", "InefficientFilter")
        return {"value": [{"id": "one"}]}

    monkeypatch.setattr(Pages, "_asked", refusing)
    pages = Pages(client, Asked(filter=("isRead eq false",), before=MONDAY), ("id",), size=10)
    assert await pages.more() == [{"id": "one"}]
    assert questions[1] == Asked(before=MONDAY)


# Paging


@pytest.mark.parametrize("fields", [{}, {"oldest_first": True}, {"words": ("hello",)}, {"words": ("hello",), "oldest_first": True}])
async def test_pages_lose_and_double_nothing_where_many_came_at_once(
    reader: MailReader, box: Mailbox, fields: dict[str, Any]
) -> None:
    """Within one second, of which Graph shows no more."""
    for number in range(90):
        box.deliver(letter(subject=f"hello {number}"))
    mails = await all_pages(reader, limit=35, **fields)
    assert sorted(int(mail.subject.split()[1]) for mail in mails) == list(range(90))


@pytest.mark.parametrize("oldest_first", [False, True])
async def test_pages_of_what_graph_can_not_tell_lose_nothing(reader: MailReader, box: Mailbox, oldest_first: bool) -> None:
    for number in range(130):
        headers = {"List-Id": "<x.y>"} if number % 3 else {}
        box.deliver(letter(subject=str(number), date=MONDAY + timedelta(hours=number // 7), **headers))
    mails = await all_pages(reader, bulk=False, limit=10, oldest_first=oldest_first)
    assert sorted(int(mail.subject) for mail in mails) == list(range(0, 130, 3))
    assert [mail.date for mail in mails] == sorted((mail.date for mail in mails), reverse=not oldest_first)


async def test_what_a_search_finds_comes_by_when_it_arrived_whatever_it_says(reader: MailReader, box: Mailbox) -> None:
    """Graph gives it by the Date that the sender wrote."""
    for number in range(40):
        forged = MONDAY - timedelta(days=(number * 17) % 40)
        box.deliver(letter(subject=f"plan {number}", date=forged), date=MONDAY + timedelta(days=number))
    mails = await all_pages(reader, subject=("plan",), limit=6)
    assert [int(mail.subject.split()[1]) for mail in mails] == list(reversed(range(40)))


async def test_a_search_that_graph_ends_too_early_is_gone_on_with(
    reader: MailReader, box: Mailbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(searching, "MOST_FOUND", 30)
    monkeypatch.setattr(mail_listing, "SURELY_FOUND", 30)
    for number in range(100):
        box.deliver(letter(subject=f"plan {number}", date=MONDAY + timedelta(hours=6 * number)))
    for oldest_first in (False, True):
        page = await reader.search(MailQuery(subject=("plan",), limit=70, oldest_first=oldest_first))
        numbers = [int(mail.subject.split()[1]) for mail in page.items]
        assert numbers == (list(range(70)) if oldest_first else list(range(99, 29, -1)))
        assert (page.total, page.skipped) == (100, ())


async def test_a_total_is_not_known_where_only_a_part_was_listed(
    reader: MailReader, box: Mailbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(mail_search, "STATES", 20)
    monkeypatch.setattr(mail_search, "MOST_COUNTED", 40)
    for number in range(130):
        box.deliver(letter(subject=str(number), date=MONDAY + timedelta(hours=number)))
    page = await reader.search(MailQuery(limit=5))
    assert (len(page.items), page.total) == (5, None)
    assert len(await all_pages(reader, limit=50)) == 130
    assert await subjects(reader, oldest_first=True, limit=2) == ["0", "1"]


async def test_what_must_be_looked_for_in_texts_is_looked_for_in_a_part_and_the_rest_is_told(
    reader: MailReader, box: Mailbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(mail_search, "MOST_SCANNED", 50)
    for number in range(120):
        box.deliver(letter(subject=str(number), body="🎉" if number in (3, 100) else "-", date=MONDAY + timedelta(hours=number)))
    page = await reader.search(MailQuery(words=("🎉",)))
    assert ([mail.subject for mail in page.items], page.total) == (["100"], None)
    assert "🎉" in page.skipped[0].reason
    assert [mail.subject for mail in await all_pages(reader, words=("🎉",))] == ["100", "3"]


async def test_one_page_looks_through_a_part_and_the_next_goes_on(
    reader: MailReader, box: Mailbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(mail_search, "MOST_LOOKED_AT", 100)
    for number in range(240):
        headers = {"List-Id": "<x.y>"} if number in (7, 230) else {}
        box.deliver(letter(subject=str(number), date=MONDAY + timedelta(hours=number), **headers))
    page = await reader.search(MailQuery(bulk=True))
    assert ([mail.subject for mail in page.items], page.total, len(page.skipped)) == (["230"], None, 1)
    assert [mail.subject for mail in await all_pages(reader, bulk=True)] == ["230", "7"]


# Personal accounts


@pytest.mark.parametrize(
    "fields",
    [
        {"words": ("yearly",)},
        {"subject": ("figure",)},
        {"subject": ("the figures",)},
        {"sender": ("Berg, Anna",)},
        {"sender": ("anna.berg@acme.example",)},
        {"recipient": ("tom",)},
        {"with_person": ("novak",)},
        {"words": ("yearly",), "recipient": ("tom",), "since": MONDAY},
    ],
    ids=str,
)
async def test_a_personal_account_finds_the_same(graph: GraphEmulator, personal: MailReader, fields: dict[str, Any]) -> None:
    """Though a search there knows no fields."""
    box = graph.world.mail(PERSONAL)
    box.deliver(letter(subject="The figures", to="Tom Novak <tom@acme.example>", body="The yearly budget."))
    box.deliver(
        letter(sender="Mia <mia@other.example>", subject="Budget", body="Berg, Anna: figures", date=MONDAY - timedelta(days=3))
    )
    assert await subjects(personal, **fields) == ["The figures"]


async def test_of_more_than_a_personal_account_tells_the_rest_is_said_to_be_missing(
    graph: GraphEmulator, personal: MailReader, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(searching, "MOST_FOUND", 30)
    monkeypatch.setattr(mail_listing, "SURELY_FOUND", 30)
    monkeypatch.setattr(mail_listing, "PROMISED", 30)
    box = graph.world.mail(PERSONAL)
    for number in range(40):
        box.deliver(letter(subject="plan", date=MONDAY + timedelta(hours=number)))
    page = await personal.search(MailQuery(words=("plan",), limit=100))
    assert (len(page.items), page.total, len(page.skipped)) == (30, None, 1)


# What can't be read


async def test_a_link_to_a_stranger_is_not_followed(graph: GraphEmulator, reader: MailReader, box: Mailbox) -> None:
    for number in range(60):
        box.deliver(letter(subject=str(number)))
    graph.fail("hostile_link", on=LISTING)
    with pytest.raises(InvalidResponse) as raised:
        await reader.search(MailQuery(limit=50))
    assert raised.value.account == "home" and len(str(raised.value).split(". ")) == 1
    assert graph.hostile_requests == []


async def test_a_link_to_a_stranger_in_what_has_changed_is_not_followed(
    graph: GraphEmulator, reader: MailReader, box: Mailbox
) -> None:
    box.deliver(letter())
    cursor = (await reader.changes()).cursor
    hostile = cursor.replace(':"/me', f':"{graph.hostile}/v1.0/me', 1)
    with pytest.raises(InvalidResponse):
        await reader.changes(hostile)
    assert hostile != cursor and graph.hostile_requests == []


async def test_a_listing_without_end_is_given_up(client: Graph, monkeypatch: pytest.MonkeyPatch) -> None:
    async def endless(*_: Any) -> dict[str, Any]:
        return {"value": [], "@odata.nextLink": f"{client.base}/me/messages"}

    monkeypatch.setattr(client, "read", endless)
    monkeypatch.setattr(client, "follow", endless)
    pages = Pages(client, Asked(), ("id",), size=10)
    with pytest.raises(InvalidResponse):
        while not pages.complete:
            await pages.more()


@pytest.mark.parametrize("fields", [{}, {"words": ("hello",)}])
async def test_a_mail_of_a_year_without_a_date_in_the_users_zone_is_named_and_ends_no_listing(
    reader: MailReader, box: Mailbox, fields: dict[str, Any]
) -> None:
    box.deliver(letter(subject="hello far"), date=datetime(9999, 12, 31, 23, 59, tzinfo=UTC))
    box.deliver(letter(subject="hello near"))
    page = await reader.search(MailQuery(**fields))
    assert ([mail.subject for mail in page.items], len(page.skipped)) == (["hello near"], 1)


# Threads and people


async def test_a_thread_shows_what_was_answered_and_leaves_out_drafts(reader: MailReader, box: Mailbox) -> None:
    asked_first = box.deliver(letter(id="<a@x.example>", subject="Plan"))
    answer: dict[str, Any] = {"In-Reply-To": "<a@x.example>", "References": "<a@x.example>", "subject": "Re: Plan"}
    box.deliver(letter(sender="me@home.example", date=MONDAY + timedelta(hours=1), **answer), "sentitems")
    box.deliver(letter(sender="me@home.example", date=MONDAY + timedelta(hours=2), **answer), "drafts")
    mail = await reader.get(MailRef(account="home", id=asked_first))
    thread = await reader.thread(mail.thread)
    assert [(one.subject, one.answered, one.folder) for one in thread] == [("Plan", True, INBOX), ("Re: Plan", False, SENT)]
    assert await subjects(reader, thread=mail.thread, folders=(SENT,)) == ["Re: Plan"]


async def test_words_are_looked_for_within_a_thread(reader: MailReader, box: Mailbox) -> None:
    for number in range(3):
        box.deliver(letter(id=f"<{number}@x.example>", body=f"number {number}", References="<0@x.example>"))
    box.deliver(letter(subject="elsewhere", body="number 1", date=MONDAY))
    thread = (await reader.search(MailQuery(words=("number 2",)))).items[0].thread
    assert await subjects(reader, thread=thread, words=("number 1",)) == ["Hello"]
    assert await subjects(reader, thread=thread, subject=("hello",)) == ["Hello"] * 3


async def test_nobody_becomes_known_by_junk(reader: MailReader, box: Mailbox) -> None:
    box.deliver(letter(sender="x@evil.example"), "junkemail")
    box.deliver(letter(to="anna@acme.example"), "sentitems")
    assert [(one.address.email, one.sent) for one in await reader.correspondents()] == [("anna@acme.example", 1)]


# Changes


async def test_a_mail_that_went_into_a_new_folder_has_changed_and_is_not_gone(reader: MailReader, box: Mailbox) -> None:
    moved = box.deliver(letter())
    cursor = (await reader.changes()).cursor
    box.file(moved, "New/Folder")
    told = await reader.changes(cursor)
    assert ([ref.id for ref in told.changed], told.gone, told.complete) == ([moved], (), True)


async def test_of_a_folder_that_is_gone_nothing_can_be_told_and_the_others_are_gone_on_with(
    graph: GraphEmulator, reader: MailReader, box: Mailbox
) -> None:
    box.file(box.deliver(letter()), "Old")
    cursor = (await reader.changes()).cursor
    box.remove_folder("Old")
    told = await reader.changes(cursor)
    assert (told.complete, told.changed) == (False, ())
    new = box.deliver(letter())
    told = await reader.changes(told.cursor)
    assert (told.complete, [ref.id for ref in told.changed]) == (True, [new])


async def test_changes_that_graph_has_forgotten_begin_anew(reader: MailReader, box: Mailbox) -> None:
    box.deliver(letter())
    cursor = (await reader.changes()).cursor
    box.forget_changes()
    told = await reader.changes(cursor)
    assert not told.complete
    assert (await reader.changes(told.cursor)).complete


async def test_changes_of_many_mails_come_in_pages(
    graph: GraphEmulator, reader: MailReader, box: Mailbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("integrations.microsoft.mail_changes._A_PAGE", {"Prefer": "odata.maxpagesize=20"})
    cursor = (await reader.changes()).cursor
    ids = {box.deliver(letter()) for _ in range(50)}
    before = len(graph.requests)
    assert {ref.id for ref in (await reader.changes(cursor)).changed} == ids
    assert asked(graph, before).count(DELTA) == len(await reader.folders()) + 2


async def test_what_was_archived_by_somebody_else_has_changed(reader: MailReader, box: Mailbox) -> None:
    archived = box.deliver(letter())
    cursor = (await reader.changes()).cursor
    box.file(archived, ARCHIVE)
    told = await reader.changes(cursor)
    assert ([ref.id for ref in told.changed], told.gone) == ([archived], ())
