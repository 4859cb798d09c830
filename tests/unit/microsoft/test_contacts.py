"""What is particular to contacts at Outlook, beside the contract of every address book."""

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from doubles.graph import Call, GraphEmulator
from doubles.graph.contacts import HANDLERS, AddressBook
from doubles.secrets import KeptSecrets

from integrations.actions import ContactAction, CreateContact, DeleteContact, RestoreContact, UpdateContact
from integrations.errors import Conflict, InvalidResponse, NotFound, Unavailable
from integrations.microsoft import contacts_writer
from integrations.registry import Account, AccountConfig, open_account
from integrations.types import Contact, ContactQuery, ContactRef

OWNER = "me@home.example"
LISTING, FOLDERS, CREATION = "GET /me/contacts/delta", "GET /me/contactFolders", "POST /me/contacts"
EVA: dict[str, Any] = {
    "givenName": "Eva",
    "surname": "Klein",
    "displayName": "Eva Klein",
    "emailAddresses": [{"name": "Eva at work", "address": "eva@work.example"}, {"name": "Eva", "address": "eva@home.example"}],
    "mobilePhone": "+49 170 1",
    "homePhones": ["+49 30 7"],
    "companyName": "Acme",
    "jobTitle": "Clerk",
    "department": "Sales",
    "spouseName": "Tom",
    "businessAddress": {"street": "Am Weg 1", "city": "Berlin", "postalCode": "10115", "countryOrRegion": "Germany"},
    "birthday": "1980-03-21T00:00:00Z",
    "yomiGivenName": "kept",
}


@pytest.fixture
def book(graph: GraphEmulator) -> AddressBook:
    """As other programs see it."""
    return graph.world.people(OWNER)


@pytest.fixture(autouse=True)
def not_at_work(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(contacts_writer, "AT_WORK", 0.0)


def opened(graph: GraphEmulator, folder: Path) -> Account:
    secrets = KeptSecrets(home=graph.secret(graph.account(OWNER)))
    config = AccountConfig(name="home", kind="microsoft", address=OWNER, settings={"endpoint": graph.url})
    return open_account(config, zone=ZoneInfo("Europe/Berlin"), index=folder, secrets=secrets)


async def everybody(account: Account) -> tuple[Contact, ...]:
    return (await account.readers.contacts.search(ContactQuery())).items


async def names(account: Account) -> list[str]:
    return [contact.name for contact in await everybody(account)]


async def only(account: Account) -> Contact:
    (contact,) = await everybody(account)
    return contact


def update(contact: Contact, **changes: object) -> UpdateContact:
    return UpdateContact.model_validate({"account": "home", "contact": contact.ref, **changes})


def create(name: str, **more: object) -> CreateContact:
    return CreateContact.model_validate({"account": "home", "name": name, **more})


def asked(graph: GraphEmulator, *operations: str) -> int:
    return sum(seen.api in operations for seen in graph.requests)


def living(book: AddressBook) -> list[dict[str, Any]]:
    return [contact.fields for folder in book.folders for contact in book.inside(folder)]


# Reading


async def test_a_second_search_asks_only_what_has_changed(graph: GraphEmulator, account: Account, book: AddressBook) -> None:
    ids = [book.put({"displayName": f"P{number}"}) for number in range(1200)]
    assert len(await everybody(account)) == 1200
    first = asked(graph, LISTING)
    book.change(ids[0], displayName="Zoë")
    book.remove(ids[1])
    found = await names(account)
    assert (len(found), found[-1], "P1" in found) == (1199, "Zoë", False)
    assert (first, asked(graph, LISTING)) == (3, 4)


async def test_many_searches_at_once_share_the_asking(graph: GraphEmulator, account: Account, book: AddressBook) -> None:
    book.put(EVA)
    found = await asyncio.gather(*(account.readers.contacts.search(ContactQuery(name="eva")) for _ in range(10)))
    assert [page.total for page in found] == [1] * 10
    assert asked(graph, LISTING) <= 2


async def test_all_are_listed_anew_when_outlook_has_forgotten_since_when(account: Account, book: AddressBook) -> None:
    eva = book.put(EVA)
    assert await names(account) == ["Eva Klein"]
    book.remove(eva)
    book.put({"displayName": "Tom"})
    book.expire_sync_tokens()
    assert await names(account) == ["Tom"]


async def test_contacts_of_all_folders_are_found_however_deep(account: Account, book: AddressBook) -> None:
    friends = book.add_folder("Friends")
    rowers = book.add_folder("Rowers", friends)
    book.put(EVA)
    book.put({"displayName": "Fred"}, friends)
    book.put({"displayName": "Rita"}, rowers)
    assert await names(account) == ["Eva Klein", "Fred", "Rita"]


async def test_a_contact_that_moves_to_another_folder_is_there_once_and_keeps_its_id(account: Account, book: AddressBook) -> None:
    eva = book.put(EVA)
    assert (await only(account)).id == eva
    book.move(eva, book.add_folder("Friends"))
    moved = await only(account)
    assert moved.id == eva
    assert await account.readers.contacts.get(moved.ref) == moved


async def test_contacts_of_a_folder_that_goes_go_with_it(account: Account, book: AddressBook) -> None:
    friends = book.add_folder("Friends")
    book.put(EVA)
    book.put({"displayName": "Fred"}, friends)
    assert await names(account) == ["Eva Klein", "Fred"]
    del book.folders[friends]
    assert await names(account) == ["Eva Klein"]


async def test_those_whom_outlook_itself_remembers_are_no_contacts(account: Account, book: AddressBook) -> None:
    book.put({"displayName": "Somebody written to"}, book.add_folder("Recipient Cache"))
    assert await names(account) == []


async def test_a_contact_among_the_deleted_things_is_gone(account: Account, book: AddressBook) -> None:
    eva = book.put(EVA)
    ref = (await only(account)).ref
    book.remove(eva)
    assert eva in book.contacts
    with pytest.raises(NotFound):
        await account.readers.contacts.get(ref)
    assert await account.writers.contacts.find(DeleteContact(account="home", contact=ref), "k1") is not None


async def test_somebody_without_a_name_is_called_by_what_there_is(account: Account, book: AddressBook) -> None:
    for person in (
        {"businessPhones": ["+49 30 1"]},
        {"emailAddresses": [{"address": "x@y.example"}]},
        {"companyName": "Acme"},
        {"nickName": "Zed"},
    ):
        book.put(person)
    assert await names(account) == ["+49 30 1", "Acme", "x@y.example", "Zed"]


async def test_who_has_nothing_to_be_called_by_is_told_as_skipped(account: Account, book: AddressBook) -> None:
    nameless = book.put({"spouseName": "Tom"})
    page = await account.readers.contacts.search(ContactQuery())
    assert (page.items, [skipped.where for skipped in page.skipped]) == ((), [nameless])


async def test_an_address_and_numbers_are_read_wherever_outlook_keeps_them(account: Account, book: AddressBook) -> None:
    book.put(EVA | {"businessPhones": ["+49 40 2", "+49 40 3"]})
    contact = await only(account)
    assert contact.address == "Am Weg 1, 10115 Berlin, Germany"
    assert contact.phones == ("+49 170 1", "+49 40 2", "+49 40 3", "+49 30 7")


@pytest.mark.parametrize(
    ("kept", "day"),
    [
        ("1980-03-21T00:00:00Z", "1980-03-21"),
        ("1980-03-21T11:59:00Z", "1980-03-21"),
        ("1980-03-20T23:00:00Z", "1980-03-21"),
        ("1980-03-21T05:00:00Z", "1980-03-21"),
        ("1604-02-29T11:59:00Z", "--02-29"),
        ("soon", ""),
    ],
)
def test_a_birthday_is_the_day_that_was_meant_wherever_it_was_written(kept: str, day: str) -> None:
    from integrations.microsoft.people import contact_of

    assert contact_of({"id": "1", "displayName": "Eva", "birthday": kept}, "home").birthday == day


async def test_categories_are_groups_whatever_their_case(account: Account, book: AddressBook) -> None:
    book.put(EVA | {"categories": ["Rowers", "Choir"]})
    book.put({"displayName": "Tom", "categories": ["rowers"]})
    told = {group.name: [member.email for member in group.members] for group in await account.readers.contacts.groups()}
    assert told == {"Choir": ["eva@work.example"], "Rowers": ["eva@work.example"]}


# Writing


async def test_numbers_that_stay_keep_their_kind_and_what_takes_a_place_has_its_kind(account: Account, book: AddressBook) -> None:
    id = book.put(EVA)
    await account.writers.contacts.execute(update(await only(account), phones=("+49 170 2", "+49 30 7")), "k1")
    fields = book.contacts[id].fields
    assert (fields["mobilePhone"], fields["homePhones"]) == ("+49 170 2", ["+49 30 7"])
    await account.writers.contacts.execute(update(await only(account), phones=("+49 30 7",)), "k2")
    assert (await only(account)).phones == ("+49 30 7",)
    assert "mobilePhone" not in book.contacts[id].fields


async def test_addresses_that_stay_keep_the_name_they_are_shown_with(account: Account, book: AddressBook) -> None:
    id = book.put(EVA)
    await account.writers.contacts.execute(update(await only(account), emails=("new@x.example", "eva@work.example")), "k1")
    held = [(entry["address"], entry["name"]) for entry in book.contacts[id].fields["emailAddresses"]]
    assert held == [("new@x.example", "new@x.example"), ("eva@work.example", "Eva at work")]


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"emails": tuple(f"e{number}@x.example" for number in range(4))}, "at most 3 mail addresses"),
        ({"phones": tuple(f"+49 30 {number}" for number in range(6))}, "at most 5 phone numbers"),
    ],
)
async def test_more_than_outlook_has_room_for_is_refused_before_anything_is_written(
    account: Account, book: AddressBook, changes: dict[str, object], said: str
) -> None:
    id = book.put(EVA)
    before = dict(book.contacts[id].fields)
    with pytest.raises(InvalidResponse, match=said):
        await account.writers.contacts.execute(update(await only(account), **changes), "k1")
    with pytest.raises(InvalidResponse, match=said):
        await account.writers.contacts.execute(create("Tom", **changes), "k2")
    assert living(book) == [before]


async def test_a_name_of_its_own_making_outlives_other_changes(account: Account, book: AddressBook) -> None:
    id = book.put(EVA | {"displayName": "Eva (rowing)"})
    await account.writers.contacts.execute(update(await only(account), title="Head", company="New"), "k1")
    fields = book.contacts[id].fields
    assert (fields["displayName"], fields["jobTitle"], fields["department"]) == ("Eva (rowing)", "Head", "Sales")


async def test_what_was_said_of_the_former_name_goes_with_it(account: Account, book: AddressBook) -> None:
    id = book.put(EVA | {"middleName": "Maria", "title": "Dr.", "fileAs": "Klein, Eva"})
    await account.writers.contacts.execute(update(await only(account), name="Evelyn Groß"), "k1")
    fields = book.contacts[id].fields
    assert (fields["givenName"], fields["surname"], fields["fileAs"]) == ("Evelyn", "Groß", "Groß, Evelyn")
    assert not {"middleName", "title", "yomiGivenName"} & fields.keys()


async def test_a_name_may_be_given_family_name_first(account: Account, book: AddressBook) -> None:
    made = await account.writers.contacts.execute(create("Klein, Eva"), "k1")
    fields = book.contacts[made.id].fields
    assert (fields["displayName"], fields["givenName"], fields["surname"]) == ("Eva Klein", "Eva", "Klein")


async def test_a_category_is_written_as_it_stands_already(account: Account, book: AddressBook) -> None:
    book.put({"displayName": "Tom", "categories": ["Rowers"]})
    action = create("Eva", groups=("rowers", "Choir"))
    made = await account.writers.contacts.execute(action, "k1")
    assert book.contacts[made.id].fields["categories"] == ["Rowers", "Choir"]
    change = UpdateContact(account="home", contact=ContactRef(account="home", id=made.id, etag=made.etag), groups=("ROWERS",))
    done = await account.writers.contacts.execute(change, "k2")
    assert book.contacts[made.id].fields["categories"] == ["Rowers"]
    found = await account.writers.contacts.find(change, "k2")
    assert found is not None and found.etag == done.etag


@pytest.mark.parametrize(
    "change",
    [lambda ref: UpdateContact(account="home", contact=ref, nickname="Ev"), lambda ref: DeleteContact(account="home", contact=ref)],
)
async def test_whoever_was_faster_is_not_overwritten(tmp_path: Path, change: Callable[[ContactRef], ContactAction]) -> None:
    reading = "GET /me/contacts/{contact}"

    def read_and_changed(call: Call) -> Any:
        answer = HANDLERS[reading](call)
        call.world.people(OWNER).change(call.path["contact"], nickName="Evi")
        return answer

    with GraphEmulator(handlers={**HANDLERS, reading: read_and_changed}) as graph:
        book = graph.world.people(OWNER)
        id = book.put(EVA)
        account = opened(graph, tmp_path)
        with pytest.raises(Conflict):
            await account.writers.contacts.execute(change(ContactRef(account="home", id=id)), "k1")
        assert [fields["nickName"] for fields in living(book)] == ["Evi"]
        await account.close()


async def test_a_deleted_contact_comes_back_into_its_folder_with_all_that_outlook_knew_of_it(
    account: Account, book: AddressBook
) -> None:
    friends = book.add_folder("Friends")
    id = book.put(EVA | {"categories": ["Rowers"]}, friends)
    before = dict(book.contacts[id].fields)
    deleted = await account.writers.contacts.execute(DeleteContact(account="home", contact=(await only(account)).ref), "k1")
    (undo,) = deleted.undo
    assert isinstance(undo, RestoreContact)
    assert "FN:Eva Klein" in undo.vcf
    back = await account.writers.contacts.execute(undo, "k2")
    again = await account.writers.contacts.execute(undo, "k2")
    found = await account.writers.contacts.find(undo, "k2")
    assert found is not None
    assert back.id == again.id == found.id != id
    assert (book.contacts[back.id].fields, book.contacts[back.id].folder) == (before, friends)
    assert await names(account) == ["Eva Klein"]


async def test_a_contact_whose_folder_is_gone_comes_back_into_the_default_one(account: Account, book: AddressBook) -> None:
    friends = book.add_folder("Friends")
    book.put(EVA, friends)
    deleted = await account.writers.contacts.execute(DeleteContact(account="home", contact=(await only(account)).ref), "k1")
    del book.folders[friends]
    (undo,) = deleted.undo
    assert isinstance(undo, RestoreContact)
    back = await account.writers.contacts.execute(undo, "k2")
    assert book.contacts[back.id].folder == book.default
    assert await account.writers.contacts.find(undo, "k2") is not None


# Once only


async def test_a_contact_is_found_by_its_key_though_it_looks_different_now(account: Account, book: AddressBook) -> None:
    made = await account.writers.contacts.execute(create("Eva"), "k1")
    book.change(made.id, displayName="Evelyn")
    found = await account.writers.contacts.find(create("Eva"), "k1")
    assert found is not None
    assert found.id == made.id
    assert await account.writers.contacts.find(create("Eva"), "k2") is None


async def test_a_key_with_a_quotation_mark_finds_what_was_made_under_it(account: Account) -> None:
    made = await account.writers.contacts.execute(create("Eva"), "it's")
    found = await account.writers.contacts.find(create("Eva"), "it's")
    assert found is not None
    assert found.id == made.id


async def test_a_creation_whose_answer_was_lost_is_found_by_another_program_and_not_repeated(
    graph: GraphEmulator, account: Account, book: AddressBook, tmp_path: Path
) -> None:
    graph.fail("drop_after", on=CREATION)
    with pytest.raises(Unavailable):
        await account.writers.contacts.execute(create("Eva"), "k1")
    restarted = opened(graph, tmp_path)
    found = await restarted.writers.contacts.find(create("Eva"), "k1")
    again = await restarted.writers.contacts.execute(create("Eva"), "k1")
    assert found is not None
    assert found.id == again.id
    assert [fields["displayName"] for fields in living(book)] == ["Eva"]
    await restarted.close()


async def test_a_creation_that_is_answered_with_503_is_not_sent_again(
    graph: GraphEmulator, account: Account, book: AddressBook
) -> None:
    graph.fail("unavailable", on=CREATION)
    with pytest.raises(Unavailable):
        await account.writers.contacts.execute(create("Eva"), "k1")
    assert asked(graph, CREATION) == 1
    assert living(book) == []


async def test_a_creation_still_at_work_when_its_connection_is_lost_is_waited_for(
    graph: GraphEmulator, account: Account, book: AddressBook, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def meanwhile(seconds: float) -> None:
        await account.writers.contacts.execute(create("Eva"), "k1")

    monkeypatch.setattr(contacts_writer, "wait", meanwhile)
    assert await account.writers.contacts.find(create("Eva"), "k1") is not None
