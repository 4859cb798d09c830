"""Contacts at real servers, beside the contract of every address book."""

from collections.abc import AsyncIterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import httpx
import pytest
from servers import Servers, User
from servers.http_proxy import HttpProxy

from integrations.actions import CreateContact, DeleteContact, RestoreContact, UpdateContact
from integrations.common.vcard import new_card
from integrations.errors import Conflict, InvalidResponse, NotFound, ReadOnly, Unavailable
from integrations.registry import Account
from integrations.standards.dav import addressbook
from integrations.standards.dav.addressbook import Stored
from integrations.standards.dav.dav_books import Collection
from integrations.types import Contact, ContactQuery, ContactRef

NOW = datetime(2026, 11, 18, 9, tzinfo=UTC)
KEY = "0a1b2c3d4e5f60718293a4b5c6d7e8f9"
EVA = CreateContact(account="acc", name="Eva Klein", emails=("eva@x.example",))
SARAH = """BEGIN:VCARD
VERSION:3.0
UID:sarah-1
FN:Sarah Öztürk
N:Öztürk;Sarah;;Dr.;
item1.EMAIL;TYPE=WORK:sarah@north.example
item1.X-ABLABEL:Office
TEL;TYPE=CELL:+49 170 1234567
NOTE:Likes tea\\, not coffee
PHOTO;ENCODING=b;TYPE=JPEG:/9j/4AAQSkZJRgABAQEAYABgAAD/4QBoRXhpZgAASUkqAAgAAAAE
 ABoBBQABAAAAPgAAABsBBQABAAAARgAAACgBAwABAAAAAgAAADEBAgASAAA=
X-CUSTOM;X-P=a:kept as it is
END:VCARD
"""
TOM = """BEGIN:VCARD
VERSION:4.0
UID:urn:uuid:4fbe8971-0bc3-424c-9c26-36c3e1eff6b1
FN:Tom Smith
EMAIL;PREF=2:tom@x.example
EMAIL;PREF=1:tom@y.example
END:VCARD
"""
GROUP = """BEGIN:VCARD
VERSION:4.0
UID:group-1
KIND:group
FN:Project X
MEMBER:urn:uuid:4fbe8971-0bc3-424c-9c26-36c3e1eff6b1
MEMBER:mailto:guest@far.example
END:VCARD
"""
APPLE_GROUP = """BEGIN:VCARD
VERSION:3.0
UID:group-2
N:Rowers;;;;
FN:Rowers
X-ADDRESSBOOKSERVER-KIND:group
X-ADDRESSBOOKSERVER-MEMBER:urn:uuid:sarah-1
END:VCARD
"""


@dataclass
class Box:
    """An account, and the same server as another program sees it."""

    account: Account
    user: User
    proxy: HttpProxy
    home: str

    async def ask(self, method: str, path: str, content: str = "", kind: str = "text/vcard") -> str:
        url = f"http://127.0.0.1:{self.proxy.port}{path}"
        async with httpx.AsyncClient(auth=(self.user.email, self.user.password)) as client:
            answer = await client.request(method, url, content=content.encode(), headers={"Content-Type": kind})
        answer.raise_for_status()
        return answer.text

    async def put(self, name: str, content: str) -> str:
        await self.ask("PUT", f"{self.home}{name}.vcf", content.replace("\n", "\r\n"))
        return f"{self.home}{name}.vcf"

    async def all(self) -> tuple[Contact, ...]:
        return (await self.account.readers.contacts.search(ContactQuery())).items

    async def only(self) -> Contact:
        (contact,) = await self.all()
        return contact


@pytest.fixture(params=["radicale", "xandikos"])
async def box(request: pytest.FixtureRequest, servers: Servers, tmp_path: Path) -> AsyncIterator[Box]:
    user = servers.user("anna@home.example")
    proxy = servers.dav if request.param == "radicale" else servers.xandikos_dav
    account = servers.open(user, tmp_path, carddav=f"http://127.0.0.1:{proxy.port}/")
    book = account._connection.address_book  # type: ignore[attr-defined]
    yield Box(account, user, proxy, (await book.collections())[0].path)
    await account.close()


def lines(content: str) -> set[str]:
    return {line.upper() for line in content.replace("\r\n ", "").splitlines() if not line.startswith(("REV", "PRODID"))}


async def test_a_change_keeps_photos_labels_and_what_it_does_not_know(box: Box) -> None:
    path = await box.put("sarah", SARAH)
    before = lines(await box.ask("GET", path))
    await box.account.writers.contacts.execute(UpdateContact(account="acc", contact=(await box.only()).ref, note="Coffee"), KEY)
    after = lines(await box.ask("GET", path))
    assert before - after == {"NOTE:LIKES TEA\\, NOT COFFEE"}
    assert after - before == {"NOTE:COFFEE"}


async def test_cards_of_the_newer_version_are_read_and_changed_as_such(box: Box) -> None:
    path = await box.put("tom", TOM)
    tom = await box.only()
    assert tom.emails == ("tom@y.example", "tom@x.example")
    change = UpdateContact(account="acc", contact=tom.ref, emails=("tom@y.example", "tom@z.example", "tom@x.example"))
    await box.account.writers.contacts.execute(change, KEY)
    assert set((await box.only()).emails) == set(change.emails or ())
    content = await box.ask("GET", path)
    assert "VERSION:4.0" in content and "INTERNET" not in content


async def test_groups_of_both_kinds_are_told_and_are_no_contacts(box: Box) -> None:
    for name, card in (("sarah", SARAH), ("tom", TOM), ("g1", GROUP), ("g2", APPLE_GROUP)):
        await box.put(name, card)
    groups = {group.name: [member.email for member in group.members] for group in await box.account.readers.contacts.groups()}
    assert groups == {"Project X": ["tom@y.example", "guest@far.example"], "Rowers": ["sarah@north.example"]}
    assert [(contact.name, contact.groups) for contact in await box.all()] == [
        ("Sarah Öztürk", ("Rowers",)),
        ("Tom Smith", ("Project X",)),
    ]


async def test_a_contact_brought_back_has_its_old_place(box: Box) -> None:
    path = await box.put("sarah", SARAH)
    contact = await box.only()
    receipt = await box.account.writers.contacts.execute(DeleteContact(account="acc", contact=contact.ref), KEY)
    await box.account.writers.contacts.execute(receipt.undo[0], "k2")  # type: ignore[arg-type]
    assert (await box.only()).id == path


async def test_what_is_made_in_place_of_a_deleted_contact_is_not_replaced_by_its_return(box: Box) -> None:
    await box.put("sarah", SARAH)
    contact = await box.only()
    receipt = await box.account.writers.contacts.execute(DeleteContact(account="acc", contact=contact.ref), KEY)
    await box.put("sarah", SARAH.replace("Likes tea", "Another one"))
    with pytest.raises(Conflict):
        await box.account.writers.contacts.execute(receipt.undo[0], "k2")  # type: ignore[arg-type]
    assert "Another one" in (await box.only()).note


async def test_a_contact_created_under_a_key_is_found_wherever_it_was_moved(box: Box) -> None:
    made = await box.account.writers.contacts.execute(EVA, KEY)
    content = await box.ask("GET", made.id)
    await box.ask("DELETE", made.id)
    path = await box.put("elsewhere", content.replace("\r\n", "\n"))
    found = await box.account.writers.contacts.find(EVA, KEY)
    assert found is not None and found.id == path


async def test_a_change_between_reading_and_writing_is_not_overwritten(box: Box, monkeypatch: pytest.MonkeyPatch) -> None:
    """Somebody is faster by the blink of an eye."""
    path = await box.put("sarah", SARAH)
    contact = await box.only()
    stored = addressbook.AddressBook.stored

    async def then_somebody_else(self: addressbook.AddressBook, id: str) -> Stored:
        found = await stored(self, id)
        monkeypatch.undo()
        await box.put("sarah", SARAH.replace("Likes tea", "Meanwhile"))
        return found

    monkeypatch.setattr(addressbook.AddressBook, "stored", then_somebody_else)
    with pytest.raises(Conflict):
        await box.account.writers.contacts.execute(UpdateContact(account="acc", contact=contact.ref, note="mine"), KEY)
    assert "Meanwhile" in await box.ask("GET", path)


async def test_an_undo_does_not_do_away_with_what_somebody_else_wrote_right_after(
    box: Box, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = await box.put("sarah", SARAH)
    contact = await box.only()
    put = addressbook.Dav.put

    async def and_then_somebody_else(self: addressbook.Dav, *given: str, **named: str) -> str:
        told = await put(self, *given, **named)  # type: ignore[arg-type]
        monkeypatch.undo()
        await box.put("sarah", SARAH.replace("Likes tea", "Meanwhile"))
        return told

    monkeypatch.setattr(addressbook.Dav, "put", and_then_somebody_else)
    receipt = await box.account.writers.contacts.execute(UpdateContact(account="acc", contact=contact.ref, note="mine"), KEY)
    with pytest.raises(Conflict):
        await box.account.writers.contacts.execute(receipt.undo[0], "k2")  # type: ignore[arg-type]
    assert "Meanwhile" in await box.ask("GET", path)


async def test_an_address_book_that_does_not_answer_does_not_pass_for_a_deletion(box: Box) -> None:
    await box.put("sarah", SARAH)
    deletion = DeleteContact(account="acc", contact=(await box.only()).ref)
    box.proxy.instead("REPORT", 404)
    with pytest.raises(Unavailable):
        await box.account.writers.contacts.find(deletion, KEY)
    assert await box.account.writers.contacts.find(deletion, KEY) is None


async def test_a_key_that_could_lead_elsewhere_leads_nowhere(box: Box) -> None:
    receipt = await box.account.writers.contacts.execute(EVA, "../../x y/ä\r\n")
    assert receipt.id.startswith(box.home) and "/" not in receipt.id.removeprefix(box.home)


async def test_a_book_that_cannot_be_written_says_so(servers: Servers, tmp_path: Path) -> None:
    user = servers.user("anna@home.example")
    servers.dav  # noqa: B018 - starts it
    home = servers.radicale.home(user.email)
    (home / "contacts" / "sarah.vcf").write_text(SARAH)
    (home / "contacts").rename(home / "readonly")
    account = servers.open(user, tmp_path)
    (contact,) = (await account.readers.contacts.search(ContactQuery())).items
    for action in (
        EVA,
        UpdateContact(account="acc", contact=contact.ref, note="x"),
        DeleteContact(account="acc", contact=contact.ref),
    ):
        with pytest.raises(ReadOnly):
            await account.writers.contacts.execute(action, KEY)
    await account.close()


async def test_a_card_that_is_no_card_is_never_put(box: Box) -> None:
    ref = ContactRef(account="acc", id=f"{box.home}x.vcf")
    for vcf in ("", "nonsense", SARAH + SARAH):
        with pytest.raises(InvalidResponse):
            await box.account.writers.contacts.execute(RestoreContact(account="acc", contact=ref, vcf=vcf), KEY)
    with pytest.raises(NotFound):
        gone = ref.model_copy(update={"etag": "x"})
        await box.account.writers.contacts.execute(RestoreContact(account="acc", contact=gone, vcf=SARAH), KEY)
    assert await box.all() == ()


@pytest.mark.parametrize("field", ["name", "nickname", "company", "title", "note"])
async def test_no_field_can_bring_lines_of_its_own(box: Box, field: str) -> None:
    await box.account.writers.contacts.execute(EVA.model_copy(update={field: "x\r\nEMAIL:evil@evil.example\r\nEND:VCARD"}), KEY)
    assert (await box.only()).emails == ("eva@x.example",)


async def test_where_a_server_takes_the_newer_version_only_it_gets_that(box: Box, monkeypatch: pytest.MonkeyPatch) -> None:
    listed = addressbook.list_books

    async def newer(*given: object) -> tuple[Collection, ...]:
        return tuple(one._replace(version="4.0") for one in await listed(*given))  # type: ignore[arg-type]

    monkeypatch.setattr(addressbook, "list_books", newer)
    receipt = await box.account.writers.contacts.execute(EVA, KEY)
    assert "VERSION:4.0" in await box.ask("GET", receipt.id)


def test_a_card_of_the_newer_version_says_nothing_that_only_the_older_knows() -> None:
    card = new_card(EVA.model_copy(update={"phones": ("+49 30 1",)}), uid="u", now=NOW, version="4.0")
    assert [line.text for line in card.lines if line.name in ("EMAIL", "REV", "VERSION")] == [
        "VERSION:4.0",
        "EMAIL:eva@x.example",
        "REV:20261118T090000Z",
    ]
