"""What every address book finds, tells and does with the writes it is given."""

from collections.abc import Callable

import pytest
from doubles.boxes.base import NAME, ContactBox
from doubles.given import GivenContact

from integrations.actions import ContactAction, CreateContact, DeleteContact, RestoreContact, UpdateContact
from integrations.errors import Conflict, InvalidResponse, NotFound, Unavailable
from integrations.types import Contact, ContactQuery, ContactRef

KEY = "0a1b2c3d4e5f60718293a4b5c6d7e8f9"
SARAH = GivenContact(
    name="Sarah Öztürk",
    nickname="Sal",
    emails=("sarah@home.example", "sarah@north.example"),
    phones=("+49 170 1234567", "030 / 55 66"),
    company="North Ltd.",
    title="Finance Manager",
    groups=("Marketing Team", "Rowers"),
    birthday="1980-03-21",
    note="Likes tea, not coffee\nsecond line Berlin",
)
TOM = GivenContact(name="Tom Smith", emails=("tom@y.example", "tom@x.example"))
DAVID = GivenContact(name="David Smith", emails=("david@x.example",), company="Acme", groups=("Rowers",))
DAVIDSON = GivenContact(name="Lee Davidson", emails=("davidson@x.example",), company="Acme")


def create(**changes: object) -> CreateContact:
    given: dict[str, object] = {"account": NAME, "name": "Eva Klein", "emails": ("eva@x.example",)}
    return CreateContact.model_validate(given | changes)


def update(ref: ContactRef, **changes: object) -> UpdateContact:
    return UpdateContact.model_validate({"account": NAME, "contact": ref, **changes})


def lasting(*contacts: Contact) -> list[Contact]:
    """What comes back when a contact does: not everywhere its id, and never its etag."""
    return [contact.model_copy(update={"id": "", "uid": "", "etag": ""}) for contact in contacts]


# Reading


async def test_a_contact_is_read_with_all_that_it_says(contact_box: ContactBox) -> None:
    contact_box.file(SARAH)
    contact = await contact_box.only()
    for field in ("name", "nickname", "emails", "phones", "company", "title", "birthday", "note"):
        assert getattr(contact, field) == getattr(SARAH, field), field
    assert sorted(contact.groups) == sorted(SARAH.groups)
    assert contact.uid


async def test_what_nobody_sees_of_a_contact_is_gone_and_noted(contact_box: ContactBox) -> None:
    tags = "".join(chr(0xE0000 + ord(letter)) for letter in "obey")
    contact_box.file(GivenContact(name=f"Tom{tags} Smith", emails=("tom@x.example",), note="Likes \u202etea"))
    contact = await contact_box.only()
    assert (contact.name, contact.note) == ("Tom Smith", "Likes tea")
    assert {(odd.kind, odd.where) for odd in contact.oddities} == {("invisible", "name"), ("bidi", "note")}


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ({}, ["David Smith", "Lee Davidson", "Sarah Öztürk", "Tom Smith"]),
        ({"name": "david"}, ["David Smith"]),
        ({"name": "dav"}, ["David Smith", "Lee Davidson"]),
        ({"name": "smith"}, ["David Smith", "Tom Smith"]),
        ({"name": "Smith, Tom"}, ["Tom Smith"]),
        ({"name": "ozturk"}, ["Sarah Öztürk"]),
        ({"name": "ÖZTÜRK sarah"}, ["Sarah Öztürk"]),
        ({"name": "sal"}, ["Sarah Öztürk"]),
        ({"name": "sarah@NORTH.example"}, ["Sarah Öztürk"]),
        ({"name": "sarah@elsewhere.example"}, []),
        ({"name": "arah"}, []),
        ({"email": "NORTH.ex"}, ["Sarah Öztürk"]),
        ({"company": "acme"}, ["David Smith", "Lee Davidson"]),
        ({"company": "acme", "name": "lee"}, ["Lee Davidson"]),
        ({"title": "manager"}, ["Sarah Öztürk"]),
        ({"group": "marketing"}, ["Sarah Öztürk"]),
        ({"group": "ROWERS"}, ["David Smith", "Sarah Öztürk"]),
        ({"company": "acme", "group": "rowers", "email": "david@"}, ["David Smith"]),
        ({"phone": "0170 1234567"}, ["Sarah Öztürk"]),
        ({"phone": "none"}, []),
        ({"words": ("tea", "berlin")}, ["Sarah Öztürk"]),
        ({"words": ("tea", "paris")}, []),
    ],
)
async def test_contacts_are_found_without_regard_to_case_and_accents(
    contact_box: ContactBox, query: dict[str, object], found: list[str]
) -> None:
    for card in (SARAH, TOM, DAVID, DAVIDSON):
        contact_box.file(card)
    assert await contact_box.find(**query) == found


async def test_the_limit_keeps_the_first_and_total_counts_all(contact_box: ContactBox) -> None:
    for card in (SARAH, TOM, DAVID):
        contact_box.file(card)
    page = await contact_box.reader.search(ContactQuery(limit=2))
    assert ([contact.name for contact in page.items], page.total) == (["David Smith", "Sarah Öztürk"], 3)


async def test_all_of_many_contacts_are_listed_once_each(contact_box: ContactBox) -> None:
    people = [f"Person {number:04}" for number in range(1203)]
    for name in people:
        contact_box.file(GivenContact(name=name))
    assert await contact_box.find() == people


async def test_groups_are_told_with_their_members_addresses(contact_box: ContactBox) -> None:
    for person in (SARAH, TOM, DAVID):
        contact_box.file(person)
    groups = {group.name: sorted(str(member) for member in group.members) for group in await contact_box.reader.groups()}
    assert groups == {
        "Marketing Team": ["Sarah Öztürk <sarah@home.example>"],
        "Rowers": ["David Smith <david@x.example>", "Sarah Öztürk <sarah@home.example>"],
    }


async def test_a_contact_is_fetched_by_its_ref_and_a_missing_one_is_not_found(contact_box: ContactBox) -> None:
    contact_box.file(SARAH)
    contact = await contact_box.only()
    assert await contact_box.reader.get(contact.ref) == contact
    for missing in (contact_box.gone, "../../outside.vcf"):
        with pytest.raises(NotFound):
            await contact_box.reader.get(ContactRef(account=NAME, id=missing))


async def test_what_somebody_else_files_is_found_the_next_time(contact_box: ContactBox) -> None:
    contact_box.file(SARAH)
    assert await contact_box.find() == ["Sarah Öztürk"]
    contact_box.file(TOM)
    assert await contact_box.find(name="tom") == ["Tom Smith"]


# Creating


async def test_a_created_contact_is_there_as_asked(contact_box: ContactBox) -> None:
    action = create(
        name="Évà Klein-Groß 食",
        nickname="Evi",
        emails=("eva@x.example", "e.klein@work.example"),
        phones=("+49 30 123", "0170; 55"),
        company="Klein & Groß; Söhne, GmbH",
        title="Head, of\\ things",
        groups=("Choir", "Marketing, EU"),
        note="Line one\nLine two; " + "ö" * 100,
    )
    receipt = await contact_box.writer.execute(action, "abc123")
    contact = await contact_box.only()
    for field in ("name", "nickname", "emails", "phones", "company", "title", "note"):
        assert getattr(contact, field) == getattr(action, field), field
    assert sorted(contact.groups) == sorted(action.groups)
    assert (receipt.id, receipt.etag) == (contact.id, contact.etag)


async def test_creating_twice_under_one_key_makes_one_contact(contact_box: ContactBox) -> None:
    first = await contact_box.writer.execute(create(), "abc123")
    again = await contact_box.writer.execute(create(), "abc123")
    assert first == again
    assert len(await contact_box.all()) == 1


async def test_a_field_cannot_smuggle_in_further_ones(contact_box: ContactBox) -> None:
    await contact_box.writer.execute(create(name="x\r\nEMAIL:evil@evil.example", note="END:VCARD\r\nBEGIN:VCARD\r\nFN:y"), "k1")
    assert (await contact_box.only()).emails == ("eva@x.example",)


async def test_what_is_no_address_is_refused(contact_box: ContactBox) -> None:
    with pytest.raises(InvalidResponse):
        await contact_box.writer.execute(create(emails=("eva at example",)), "k1")
    assert await contact_box.all() == ()


# Changing


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
        {"emails": ("new@one.example", "sarah@north.example", "sarah@home.example")},
    ],
    ids=str,
)
@pytest.mark.parametrize("person", [SARAH, TOM, DAVID], ids=lambda person: person.name)
async def test_an_update_changes_what_it_names_and_leaves_everything_else_alone(
    contact_box: ContactBox, person: GivenContact, changes: dict[str, object]
) -> None:
    contact_box.file(person)
    contact = await contact_box.only()
    before = contact_box.state(contact.id)
    receipt = await contact_box.writer.execute(update(contact.ref, **changes), "k1")
    after = contact_box.state(contact.id)
    assert await contact_box.only() == contact.model_copy(update=changes | {"etag": receipt.etag})
    changed = {name for name in before.keys() | after.keys() if before.get(name) != after.get(name)}
    assert changed <= contact_box.parts(*changes), changed


async def test_an_emptied_field_is_gone(contact_box: ContactBox) -> None:
    contact_box.file(SARAH)
    contact = await contact_box.only()
    await contact_box.writer.execute(update(contact.ref, title="", company="", note="", groups=()), "k1")
    after = await contact_box.only()
    assert (after.title, after.company, after.note, after.groups) == ("", "", "", ())


async def test_a_deleted_contact_is_gone(contact_box: ContactBox) -> None:
    contact_box.file(SARAH)
    contact = await contact_box.only()
    receipt = await contact_box.writer.execute(DeleteContact(account=NAME, contact=contact.ref), "k1")
    assert await contact_box.all() == ()
    assert (receipt.id, receipt.etag) == ("", "")


# Etags, once only, and back again

Change = Callable[[ContactRef], UpdateContact | DeleteContact]
CHANGES: list[Change] = [
    lambda ref: update(ref, emails=("other@x.example",), groups=("Choir",)),
    lambda ref: DeleteContact(account=NAME, contact=ref),
]


@pytest.mark.parametrize("change", CHANGES)
async def test_a_stale_etag_is_refused(contact_box: ContactBox, change: Change) -> None:
    contact_box.file(SARAH)
    read = await contact_box.only()
    await contact_box.writer.execute(update(read.ref, note="meanwhile"), "other")
    between = await contact_box.only()
    with pytest.raises(Conflict) as refused:
        await contact_box.writer.execute(change(read.ref), "k1")
    assert refused.value.account == NAME
    assert await contact_box.only() == between


async def test_what_somebody_else_has_changed_is_not_overwritten(contact_box: ContactBox) -> None:
    contact_box.file(SARAH)
    contact = await contact_box.only()
    contact_box.annotate(contact.id, "meanwhile")
    with pytest.raises(Conflict):
        await contact_box.writer.execute(update(contact.ref, note="mine"), "k1")
    assert (await contact_box.only()).note == "meanwhile"


@pytest.mark.parametrize("change", CHANGES)
async def test_an_empty_etag_is_not_checked_and_a_missing_contact_is_not_found(contact_box: ContactBox, change: Change) -> None:
    contact_box.file(SARAH)
    ref = (await contact_box.only()).ref.model_copy(update={"etag": ""})
    await contact_box.writer.execute(change(ref), "k1")
    with pytest.raises(NotFound):
        await contact_box.writer.execute(change(ref.model_copy(update={"id": contact_box.gone})), "k2")


@pytest.mark.parametrize("change", CHANGES)
async def test_find_tells_whether_a_change_took_effect(contact_box: ContactBox, change: Change) -> None:
    contact_box.file(SARAH)
    action = change((await contact_box.only()).ref)
    await contact_box.never_happened(action, "k1")
    done = await contact_box.writer.execute(action, "k1")
    found = await contact_box.writer.find(action, "k1")
    assert found is not None
    assert (found.id, found.etag) == (done.id, done.etag)


async def test_find_tells_whether_a_contact_was_created(contact_box: ContactBox) -> None:
    await contact_box.never_happened(create(), "k1")
    receipt = await contact_box.writer.execute(create(), "k1")
    assert await contact_box.writer.find(create(), "k1") == receipt
    await contact_box.never_happened(create(), "k2")


@pytest.mark.parametrize("change", CHANGES)
async def test_undo_brings_back_the_contact_as_it_was_and_can_itself_be_undone(contact_box: ContactBox, change: Change) -> None:
    contact_box.file(SARAH)
    before = await contact_box.only()
    state = contact_box.state(before.id)
    receipt = await contact_box.writer.execute(change(before.ref), "k1")
    changed = await contact_box.all()
    (undo,) = receipt.undo
    assert isinstance(undo, RestoreContact)
    await contact_box.never_happened(undo, "k2")
    back = await contact_box.writer.execute(undo, "k2")
    restored = await contact_box.only()
    assert lasting(restored) == lasting(before)
    assert contact_box.state(restored.id) == state
    assert await contact_box.writer.find(undo, "k2") is not None
    await contact_box.writer.execute(back.undo[0], "k3")  # type: ignore[arg-type]
    assert lasting(*await contact_box.all()) == lasting(*changed)


async def test_undoing_a_creation_removes_the_contact(contact_box: ContactBox) -> None:
    receipt = await contact_box.writer.execute(create(), "k1")
    await contact_box.writer.execute(receipt.undo[0], "k2")  # type: ignore[arg-type]
    assert await contact_box.all() == ()


async def test_undo_is_refused_when_the_contact_was_changed_since(contact_box: ContactBox) -> None:
    contact_box.file(SARAH)
    receipt = await contact_box.writer.execute(update((await contact_box.only()).ref, note="A"), "k1")
    await contact_box.writer.execute(update((await contact_box.only()).ref, note="B"), "k2")
    with pytest.raises(Conflict):
        await contact_box.writer.execute(receipt.undo[0], "k3")  # type: ignore[arg-type]
    assert (await contact_box.only()).note == "B"


# Replies that were lost


async def actions(contact_box: ContactBox) -> dict[str, ContactAction]:
    """One of every kind, on contacts that are there."""
    contact_box.file(SARAH)
    contact_box.file(TOM)
    sarah, tom = await contact_box.all()
    undo = (await contact_box.writer.execute(update(tom.ref, note="new"), KEY[::-1])).undo[0]
    assert isinstance(undo, RestoreContact)
    return {"create": create(), "update": update(sarah.ref, title="Head"), "delete": CHANGES[1](sarah.ref), "restore": undo}


KINDS = ["create", "update", "delete", "restore"]


@pytest.mark.parametrize("kind", KINDS)
async def test_a_write_whose_reply_is_lost_took_effect_once_and_is_found(contact_box: ContactBox, kind: str) -> None:
    contact_box.needs("connection")
    action = (await actions(contact_box))[kind]
    before = lasting(*await contact_box.all())
    contact_box.lose(action, "after")
    with pytest.raises(Unavailable):
        await contact_box.writer.execute(action, KEY)
    once = lasting(*await contact_box.all())
    assert once != before
    receipt = await contact_box.writer.find(action, KEY)
    assert receipt is not None and (receipt.key, receipt.action) == (KEY, action.kind)
    assert lasting(*await contact_box.all()) == once


@pytest.mark.parametrize("kind", KINDS)
async def test_a_write_that_never_arrived_is_not_found_and_can_be_done_again(contact_box: ContactBox, kind: str) -> None:
    contact_box.needs("connection")
    action = (await actions(contact_box))[kind]
    before = lasting(*await contact_box.all())
    contact_box.lose(action, "before")
    with pytest.raises(Unavailable):
        await contact_box.writer.execute(action, KEY)
    await contact_box.never_happened(action, KEY)
    assert lasting(*await contact_box.all()) == before
    await contact_box.writer.execute(action, KEY)
    assert await contact_box.writer.find(action, KEY) is not None
    assert lasting(*await contact_box.all()) != before
