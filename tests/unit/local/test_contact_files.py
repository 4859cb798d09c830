"""What is particular to contacts in .vcf files, beside the contract of every address book."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import pytest
import vobject

from integrations.actions import CreateContact, DeleteContact, RestoreContact, UpdateContact
from integrations.errors import NotFound
from integrations.local.contacts import LocalContactReader
from integrations.local.contacts_writer import LocalContactWriter
from integrations.readers import ContactReader
from integrations.types import Contact, ContactQuery, ContactRef
from integrations.writers import ContactWriter

NOW = datetime(2026, 11, 18, 9, tzinfo=UTC)

SARAH = """BEGIN:VCARD
VERSION:3.0
UID:sarah-1
X-FIRST;X-P="a:b;c":kept as it is
FN:Sarah Öztürk
N:Öztürk;Sarah;;Dr.;
NICKNAME:Sal
item1.EMAIL;TYPE=WORK:Sarah@north.example
item1.X-ABLabel:Office
EMAIL;TYPE=HOME,pref:sarah@home.example
TEL;TYPE=CELL:+49 170 1234567
TEL;TYPE=WORK:030 / 55 66
ORG:North Ltd.;Accounting
TITLE:Finance Manager
CATEGORIES:Marketing Team,Friends
ADR;TYPE=HOME:;;Linden 1;Berlin;;10117;Germany
BDAY:19800321
NOTE:Likes tea\\, not coffee\\nsecond line
PHOTO;ENCODING=b;TYPE=JPEG:/9j/4AAQSkZJRgABAQEAYABgAAD/4QBoRXhpZgAASUkqAAgAAAAE
 ABoBBQABAAAAPgAAABsBBQABAAAARgAAACgBAwABAAAAAgAAADEBAgASAAA=
END:VCARD
"""
TOM = """BEGIN:VCARD
VERSION:4.0
UID:urn:uuid:tom-1
N:Smith;Tom;;;
FN:
EMAIL;PREF=2:tom@x.example
EMAIL;PREF=1:tom@y.example
END:VCARD
"""
DAVID = """BEGIN:VCARD
VERSION:2.1
UID:david-1
N:Smith;David
FN:David Smith
EMAIL;INTERNET:david@x.example
ORG:Acme
END:VCARD
"""
DAVIDSON = DAVID.replace("david", "davidson").replace("N:Smith;David\n", "").replace("David Smith", "Lee Davidson")
GROUP = """BEGIN:VCARD
VERSION:4.0
UID:group-1
KIND:group
FN:Project X
MEMBER:urn:uuid:tom-1
MEMBER:urn:uuid:SARAH-1
MEMBER:mailto:guest@far.example
MEMBER:urn:uuid:nobody
END:VCARD
"""


@dataclass
class ContactBox:
    """`put` files a card as another program would; `raw` is an item's text."""

    reader: ContactReader
    writer: ContactWriter
    put: Callable[[str], Awaitable[None]]
    raw: Callable[[ContactRef], Awaitable[str]]

    async def find(self, **query: object) -> list[str]:
        return [contact.name for contact in (await self.reader.search(ContactQuery.model_validate(query))).items]

    async def all(self) -> tuple[Contact, ...]:
        return (await self.reader.search(ContactQuery())).items

    async def only(self) -> Contact:
        (contact,) = await self.all()
        return contact


def local_box(root: Path) -> ContactBox:
    folder = root / "people"
    folder.mkdir(parents=True)
    count = iter(range(1000))

    async def put(card: str) -> None:
        (folder / f"card{next(count)}.vcf").write_bytes(card.replace("\n", "\r\n").encode())

    async def raw(ref: ContactRef) -> str:
        return (root / ref.id).read_bytes().decode()

    reader = LocalContactReader(root, account="acc")
    writer = LocalContactWriter(root, account="acc", clock=lambda: NOW)
    return ContactBox(reader, writer, put, raw)


@pytest.fixture
def contact_box(tmp_path: Path) -> ContactBox:
    return local_box(tmp_path / "contacts")


def create(**changes: object) -> CreateContact:
    given: dict[str, object] = {"account": "acc", "name": "Eva Klein", "emails": ("eva@x.example",)}
    return CreateContact.model_validate(given | changes)


def update(ref: ContactRef, **changes: object) -> UpdateContact:
    return UpdateContact.model_validate({"account": "acc", "contact": ref, **changes})


async def test_a_contact_is_read_with_all_that_it_says(contact_box: ContactBox) -> None:
    await contact_box.put(SARAH)
    contact = await contact_box.only()
    assert (contact.name, contact.nickname, contact.uid) == ("Sarah Öztürk", "Sal", "sarah-1")
    assert contact.emails == ("sarah@home.example", "sarah@north.example")
    assert contact.phones == ("+49 170 1234567", "030 / 55 66")
    assert (contact.company, contact.title) == ("North Ltd.", "Finance Manager")
    assert contact.groups == ("Marketing Team", "Friends")
    assert (contact.address, contact.birthday) == ("Linden 1, Berlin, 10117, Germany", "1980-03-21")
    assert contact.note == "Likes tea, not coffee\nsecond line"


async def test_a_name_given_in_parts_is_shown_as_it_is_spoken(contact_box: ContactBox) -> None:
    await contact_box.put(TOM)
    contact = await contact_box.only()
    assert contact.name == "Tom Smith"
    assert contact.emails == ("tom@y.example", "tom@x.example")


async def test_groups_are_the_group_cards_and_the_categories_with_their_members_addresses(contact_box: ContactBox) -> None:
    for card in (SARAH, TOM, DAVID, GROUP):
        await contact_box.put(card)
    groups = {group.name: [str(member) for member in group.members] for group in await contact_box.reader.groups()}
    assert groups == {
        "Friends": ["Sarah Öztürk <sarah@home.example>"],
        "Marketing Team": ["Sarah Öztürk <sarah@home.example>"],
        "Project X": ["Tom Smith <tom@y.example>", "Sarah Öztürk <sarah@home.example>", "guest@far.example"],
    }


async def test_apples_group_cards_are_understood(contact_box: ContactBox) -> None:
    await contact_box.put(SARAH)
    await contact_box.put(
        "BEGIN:VCARD\nVERSION:3.0\nUID:g\nFN:Choir\nX-ADDRESSBOOKSERVER-KIND:group\n"
        "X-ADDRESSBOOKSERVER-MEMBER:urn:uuid:sarah-1\nEND:VCARD\n"
    )
    assert [contact.name for contact in await contact_box.all()] == ["Sarah Öztürk"]
    assert "Choir" in (await contact_box.only()).groups


async def test_quoted_printable_and_old_character_sets_are_read(contact_box: ContactBox) -> None:
    await contact_box.put(
        "BEGIN:VCARD\nVERSION:2.1\nN;CHARSET=ISO-8859-1;ENCODING=QUOTED-PRINTABLE:M=FCller;J=F6rg\n"
        "NOTE;ENCODING=QUOTED-PRINTABLE;CHARSET=UTF-8:Gr=C3=BC=\n=C3=9Fe\nEMAIL:j@x.example\nEND:VCARD\n"
    )
    contact = await contact_box.only()
    assert (contact.name, contact.note) == ("Jörg Müller", "Grüße")


@pytest.mark.parametrize("broken", ["BEGIN:VCARD\nVERSION:3.0\nNOTE:nobody\nEND:VCARD\n", "not a card at all", "\x00\x01", ""])
async def test_a_malformed_card_is_skipped_with_a_reason_and_never_ends_the_listing(contact_box: ContactBox, broken: str) -> None:
    await contact_box.put(broken)
    await contact_box.put(SARAH)
    page = await contact_box.reader.search(ContactQuery())
    assert [contact.name for contact in page.items] == ["Sarah Öztürk"]
    assert len(page.skipped) == 1
    assert page.skipped[0].reason


async def test_a_contact_is_fetched_by_its_ref_and_a_missing_one_is_not_found(contact_box: ContactBox) -> None:
    await contact_box.put(SARAH)
    contact = await contact_box.only()
    assert await contact_box.reader.get(contact.ref) == contact
    for missing in ("people/none.vcf", "../../outside.vcf", contact.id + "#other"):
        with pytest.raises(NotFound):
            await contact_box.reader.get(ContactRef(account="acc", id=missing))


async def test_a_created_contact_has_the_key_as_its_uid_and_its_groups_in_order(contact_box: ContactBox) -> None:
    receipt = await contact_box.writer.execute(create(groups=("Marketing, EU", "Choir")), "abc123")
    contact = await contact_box.only()
    assert (contact.uid, contact.groups, receipt.etag) == ("abc123", ("Marketing, EU", "Choir"), contact.etag)


async def test_another_program_can_read_what_was_written(contact_box: ContactBox) -> None:
    receipt = await contact_box.writer.execute(create(name="Eva van Klein", company="A; B", groups=("Choir", "X, Y")), "abc123")
    card = vobject.readOne(await contact_box.raw(ContactRef(account="acc", id=receipt.id)))
    assert (card.version.value, card.fn.value, card.n.value.family, card.n.value.given) == (
        "3.0",
        "Eva van Klein",
        "Klein",
        "Eva van",
    )
    assert (card.email.value, card.org.value, card.categories.value) == ("eva@x.example", ["A; B"], ["Choir", "X, Y"])


async def test_an_update_changes_what_it_names_and_keeps_every_other_line(contact_box: ContactBox) -> None:
    await contact_box.put(SARAH)
    contact = await contact_box.only()
    before = (await contact_box.raw(contact.ref)).split("\r\n")
    await contact_box.writer.execute(update(contact.ref, title="Head of Finance"), "k1")
    after = (await contact_box.raw(contact.ref)).split("\r\n")
    assert [line for line in after if line in before] == [line for line in before if line != "TITLE:Finance Manager"]
    assert "TITLE:Head of Finance" in after


async def test_a_changed_address_takes_the_place_and_the_label_of_the_old_one(contact_box: ContactBox) -> None:
    await contact_box.put(SARAH)
    contact = await contact_box.only()
    await contact_box.writer.execute(update(contact.ref, emails=("sarah@home.example", "sarah@new.example")), "k1")
    text = await contact_box.raw(contact.ref)
    assert (await contact_box.only()).emails == ("sarah@home.example", "sarah@new.example")
    assert "item1.EMAIL;TYPE=WORK:sarah@new.example" in text
    assert "item1.X-ABLabel:Office" in text


async def test_a_dropped_address_takes_its_label_along(contact_box: ContactBox) -> None:
    await contact_box.put(SARAH)
    contact = await contact_box.only()
    await contact_box.writer.execute(update(contact.ref, emails=("sarah@home.example",)), "k1")
    assert "X-ABLabel" not in await contact_box.raw(contact.ref)


@pytest.mark.parametrize("card", [SARAH, TOM, DAVID])
@pytest.mark.parametrize(
    "changes",
    [
        {"name": "Zoë von Größe"},
        {"nickname": "Zö; x"},
        {"company": "Söhne; GmbH"},
        {"title": "Chefin, 食"},
        {"note": "eins\nzwei"},
        {"groups": ("A", "B, C")},
        {"phones": ("+1 555",)},
    ],
)
async def test_every_field_can_be_changed_in_a_card_of_any_version(
    contact_box: ContactBox, card: str, changes: dict[str, object]
) -> None:
    await contact_box.put(card)
    contact = await contact_box.only()
    receipt = await contact_box.writer.execute(update(contact.ref, **changes), "k1")
    after = await contact_box.only()
    assert after == contact.model_copy(update=changes | {"etag": receipt.etag})


# Etags, once only, and back again

Change = Callable[[ContactRef], UpdateContact | DeleteContact]
CHANGES: list[Change] = [
    lambda ref: update(ref, emails=("other@x.example",), groups=("Choir",)),
    lambda ref: DeleteContact(account="acc", contact=ref),
]


@pytest.mark.parametrize("change", CHANGES)
async def test_undo_brings_back_the_contact_as_it_was_and_can_itself_be_undone(contact_box: ContactBox, change: Change) -> None:
    await contact_box.put(SARAH)
    before = await contact_box.only()
    text = await contact_box.raw(before.ref)
    receipt = await contact_box.writer.execute(change(before.ref), "k1")
    changed = await contact_box.all()
    (undo,) = receipt.undo
    assert isinstance(undo, RestoreContact)
    assert await contact_box.writer.find(undo, "k2") is None
    back = await contact_box.writer.execute(undo, "k2")
    assert await contact_box.only() == before
    assert await contact_box.raw(before.ref) == text
    assert await contact_box.writer.find(undo, "k2") is not None
    await contact_box.writer.execute(back.undo[0], "k3")  # type: ignore[arg-type]
    assert await contact_box.all() == changed


async def test_cards_of_one_file_are_changed_each_by_itself(contact_box: ContactBox) -> None:
    await contact_box.put(SARAH + DAVID + TOM.replace("UID:urn:uuid:tom-1\n", ""))
    david, sarah, tom = await contact_box.all()
    removed = await contact_box.writer.execute(DeleteContact(account="acc", contact=david.ref), "k1")
    await contact_box.writer.execute(update(tom.ref, note="new"), "k2")
    # A card without a UID got one by the change, so that it is still found under its id.
    assert (await contact_box.reader.get(tom.ref)).note == "new"
    await contact_box.writer.execute(removed.undo[0], "k3")  # type: ignore[arg-type]
    assert {contact.name for contact in await contact_box.all()} == {"David Smith", "Sarah Öztürk", "Tom Smith"}
    assert await contact_box.reader.get(sarah.ref) == sarah
    assert await contact_box.reader.get(david.ref) == david
