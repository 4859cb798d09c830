"""What is particular to contacts at Google, beside the contract of every address book."""

import asyncio
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from doubles.google import GoogleEmulator
from doubles.google.calls import Call
from doubles.google.people import HANDLERS, AddressBook
from doubles.secrets import KeptSecrets

from integrations.actions import CreateContact, DeleteContact, RestoreContact, UpdateContact
from integrations.errors import Conflict, NotFound, RateLimited, ReadOnly, Unavailable, Unknowable
from integrations.registry import Account, AccountConfig, open_account
from integrations.types import EVERYBODY, Contact, ContactQuery, ContactRef

OWNER = "me@home.example"
LISTING, GROUPS = "people.people.connections.list", "people.contactGroups.list"
EVA: dict[str, Any] = {
    "names": [{"givenName": "Eva", "familyName": "Klein"}],
    "emailAddresses": [{"value": "eva@work.example", "type": "work"}, {"value": "eva@home.example", "type": "home"}],
    "phoneNumbers": [{"value": "+49 170 1", "type": "mobile"}],
    "organizations": [{"name": "Acme", "title": "Clerk", "department": "Sales"}, {"name": "Old Ltd.", "current": False}],
    "relations": [{"person": "Tom", "type": "brother"}],
    "urls": [{"value": "https://eva.example"}],
    "userDefined": [{"key": "shoe size", "value": "39"}],
    "clientData": [{"key": "another program", "value": "7"}],
}


@pytest.fixture
def book(google: GoogleEmulator) -> AddressBook:
    """As other programs see it."""
    return google.world.people(OWNER)


def opened(google: GoogleEmulator, folder: Path) -> Account:
    secrets = KeptSecrets(home=google.secret(google.account(OWNER)))
    config = AccountConfig(name="home", kind="google", address=OWNER, settings={"endpoint": google.url})
    return open_account(config, zone=ZoneInfo("Europe/Berlin"), index=folder, secrets=secrets)


async def everybody(account: Account) -> tuple[Contact, ...]:
    return (await account.readers.contacts.search(ContactQuery(limit=EVERYBODY))).items


async def only(account: Account) -> Contact:
    (contact,) = await everybody(account)
    return contact


def update(contact: Contact, **changes: object) -> UpdateContact:
    return UpdateContact.model_validate({"account": "home", "contact": contact.ref, **changes})


def create(name: str, **more: object) -> CreateContact:
    return CreateContact.model_validate({"account": "home", "name": name, **more})


def stored(book: AddressBook, id: str, field: str) -> list[dict[str, Any]]:
    return book.contacts[id].fields.get(field, [])


def kept_in(*groups: str) -> dict[str, Any]:
    return {"memberships": [{"contactGroupMembership": {"contactGroupResourceName": group}} for group in groups]}


def kinds(book: AddressBook, id: str, field: str) -> list[tuple[str, str]]:
    return [(entry["value"], entry.get("type", "")) for entry in stored(book, id, field)]


def asked(google: GoogleEmulator, *apis: str) -> int:
    return sum(seen.api in apis for seen in google.requests)


# Reading


async def test_a_second_search_asks_only_what_has_changed(google: GoogleEmulator, account: Account, book: AddressBook) -> None:
    for number in range(1500):
        book.put({"names": [{"givenName": f"P{number}"}]})
    assert len(await everybody(account)) == 1500
    assert asked(google, LISTING, GROUPS) == 3
    changed, removed = list(book.contacts)[:2]
    book.change(changed, names=[{"givenName": "Zoë"}])
    book.remove(removed)
    names = [contact.name for contact in await everybody(account)]
    assert (len(names), names[-1], "P1" in names) == (1499, "Zoë", False)
    assert asked(google, LISTING, GROUPS) == 5


async def test_many_searches_at_once_share_the_asking(google: GoogleEmulator, account: Account, book: AddressBook) -> None:
    book.put(EVA)
    found = await asyncio.gather(*(account.readers.contacts.search(ContactQuery(name="eva")) for _ in range(10)))
    assert [page.total for page in found] == [1] * 10
    assert asked(google, LISTING) <= 2


async def test_all_are_listed_anew_when_google_has_forgotten_since_when(account: Account, book: AddressBook) -> None:
    eva = book.put(EVA)
    assert await everybody(account)
    book.remove(eva)
    book.put({"names": [{"givenName": "Tom"}]})
    book.expire_sync_tokens()
    assert (await only(account)).name == "Tom"


async def test_a_listing_that_lags_behind_hides_nothing_that_was_written_here(tmp_path: Path) -> None:
    lagging: list[dict[str, Any]] = []

    def listing(call: Call) -> Any:
        answer = HANDLERS[LISTING](call)
        return lagging[0] | {"nextSyncToken": answer["nextSyncToken"]} if lagging else answer

    with GoogleEmulator(handlers={**HANDLERS, LISTING: listing}) as google:
        google.world.people(OWNER).put(EVA)
        google.world.people(OWNER).put({"names": [{"givenName": "Tom"}]})
        account = opened(google, tmp_path)
        eva, tom = await everybody(account)
        shown = [contact.shown(frozenset({"names", "metadata"})) for contact in google.world.people(OWNER).contacts.values()]
        lagging.append({"connections": shown})
        await account.writers.contacts.execute(update(eva, name="Eva Groß"), "k1")
        await account.writers.contacts.execute(DeleteContact(account="home", contact=tom.ref), "k2")
        assert [contact.name for contact in await everybody(account)] == ["Eva Groß"]
        await account.close()


async def test_somebody_without_a_name_is_called_by_what_there_is(account: Account, book: AddressBook) -> None:
    for person in (
        {"phoneNumbers": [{"value": "+49 30 1"}]},
        {"emailAddresses": [{"value": "x@y.example"}]},
        {"organizations": [{"name": "Acme"}]},
        {"nicknames": [{"value": "Zed"}]},
    ):
        book.put(person)
    assert [contact.name for contact in await everybody(account)] == ["+49 30 1", "Acme", "x@y.example", "Zed"]


async def test_who_has_nothing_to_be_called_by_is_told_as_skipped(account: Account, book: AddressBook) -> None:
    nameless = book.put({"userDefined": [{"key": "shoe size", "value": "39"}]})
    page = await account.readers.contacts.search(ContactQuery())
    assert (page.items, [skipped.where for skipped in page.skipped]) == ((), [nameless])


async def test_addresses_and_birthdays_are_read_as_people_write_them(account: Account, book: AddressBook) -> None:
    address = {"streetAddress": "Am Weg 1", "postalCode": "10115", "city": "Berlin", "country": "Germany"}
    book.put(EVA | {"addresses": [address], "birthdays": [{"date": {"month": 3, "day": 9}}]})
    contact = await only(account)
    assert (contact.address, contact.birthday) == ("Am Weg 1, 10115 Berlin, Germany", "--03-09")


async def test_groups_of_google_are_shown_where_people_have_sorted_by_them(account: Account, book: AddressBook) -> None:
    rowers = book.add_group("Rowers")
    book.add_group("Empty")
    book.put(EVA | kept_in("contactGroups/myContacts", "contactGroups/starred", "contactGroups/family", rowers))
    assert (await only(account)).groups == ("Family", "Rowers")
    told = {group.name: [member.email for member in group.members] for group in await account.readers.contacts.groups()}
    assert told == {"Family": ["eva@work.example"], "Rowers": ["eva@work.example"], "Empty": []}


async def test_a_contact_read_by_itself_names_groups_made_since_the_last_look(account: Account, book: AddressBook) -> None:
    id = book.put(EVA)
    ref = (await only(account)).ref
    book.change(id, **kept_in("contactGroups/myContacts", book.add_group("Rowers")))
    assert (await account.readers.contacts.get(ref)).groups == ("Rowers",)


async def test_neither_the_owner_nor_mere_correspondents_are_contacts(account: Account, book: AddressBook) -> None:
    other = book.add_other({"names": [{"givenName": "Olga"}]})
    assert await everybody(account) == ()
    for id in ("people/me", other):
        with pytest.raises(NotFound):
            await account.readers.contacts.get(ContactRef(account="home", id=id))


# Writing


async def test_what_stays_keeps_its_kind_and_what_takes_its_place_has_it(account: Account, book: AddressBook) -> None:
    id = book.put(EVA)
    emails, phones = ("new@work.example", "eva@home.example"), ("+49 170 1", "+49 30 2")
    await account.writers.contacts.execute(update(await only(account), emails=emails, phones=phones), "k1")
    assert kinds(book, id, "emailAddresses") == [("new@work.example", "work"), ("eva@home.example", "home")]
    assert kinds(book, id, "phoneNumbers") == [("+49 170 1", "mobile"), ("+49 30 2", "")]


async def test_another_title_leaves_the_rest_of_the_job_and_former_jobs_alone(account: Account, book: AddressBook) -> None:
    id = book.put(EVA)
    await account.writers.contacts.execute(update(await only(account), title="Head"), "k1")
    job, former = stored(book, id, "organizations")
    assert (job["name"], job["title"], job["department"], former["name"]) == ("Acme", "Head", "Sales", "Old Ltd.")


async def test_other_groups_leave_alone_where_a_contact_is_kept(account: Account, book: AddressBook) -> None:
    rowers = book.add_group("Rowers")
    id = book.put(EVA | kept_in("contactGroups/starred", "contactGroups/family", rowers))
    await account.writers.contacts.execute(update(await only(account), groups=("choir", "family")), "k1")
    contact = await only(account)
    assert contact.groups == ("choir", "Family")
    assert "contactGroups/starred" in str(stored(book, id, "memberships"))


async def test_a_group_is_found_whatever_its_case_and_made_only_where_there_is_none(account: Account, book: AddressBook) -> None:
    book.add_group("Rowers")
    await account.writers.contacts.execute(create("Eva", groups=("rowers", "Choir")), "k1")
    await account.writers.contacts.execute(create("Tom", groups=("Choir",)), "k2")
    own = [group.name for group in book.groups.values() if not group.system]
    assert own == ["Rowers", "Choir"]


async def test_a_group_that_google_keeps_to_itself_is_refused(account: Account, book: AddressBook) -> None:
    book.put(EVA)
    with pytest.raises(ReadOnly, match="friends"):
        await account.writers.contacts.execute(update(await only(account), groups=("friends",)), "k1")


async def test_whoever_was_faster_is_not_overwritten(tmp_path: Path) -> None:
    def read_and_changed(call: Call) -> Any:
        answer = HANDLERS["people.people.get"](call)
        call.world.people(OWNER).change(call.params["resourceName"], nicknames=[{"value": "Evi"}])
        return answer

    with GoogleEmulator(handlers={**HANDLERS, "people.people.get": read_and_changed}) as google:
        id = google.world.people(OWNER).put(EVA)
        account = opened(google, tmp_path)
        with pytest.raises(Conflict):
            await account.writers.contacts.execute(update(await only(account), nickname="Ev"), "k1")
        assert stored(google.world.people(OWNER), id, "nicknames") == [{"value": "Evi"}]
        await account.close()


async def test_a_deleted_contact_comes_back_with_all_that_google_knew_of_it(account: Account, book: AddressBook) -> None:
    rowers = book.add_group("Rowers")
    memberships = [
        {"contactGroupMembership": {"contactGroupResourceName": group}} for group in ("contactGroups/myContacts", rowers)
    ]
    id = book.put(EVA | {"memberships": memberships})
    before = book.contacts[id].fields
    deleted = await account.writers.contacts.execute(DeleteContact(account="home", contact=(await only(account)).ref), "k1")
    (undo,) = deleted.undo
    assert isinstance(undo, RestoreContact)
    assert "FN:Eva Klein" in undo.vcf
    back = await account.writers.contacts.execute(undo, "k2")
    again = await account.writers.contacts.execute(undo, "k2")
    assert back.id == again.id != id
    after = book.contacts[back.id].fields
    assert EVA["clientData"][0] in after["clientData"]
    assert {**after, "clientData": before["clientData"]} == before


async def test_a_contact_comes_back_though_its_group_is_gone(account: Account, book: AddressBook) -> None:
    await account.writers.contacts.execute(create("Eva", groups=("Choir",)), "k1")
    eva = await only(account)
    deleted = await account.writers.contacts.execute(DeleteContact(account="home", contact=eva.ref), "k2")
    (choir,) = [group for group in book.groups.values() if group.name == "Choir"]
    choir.deleted = True
    (undo,) = deleted.undo
    assert isinstance(undo, RestoreContact)
    await account.writers.contacts.execute(undo, "k3")
    assert ((await only(account)).name, (await only(account)).groups) == ("Eva", ())


async def test_a_contact_made_just_before_a_crash_is_found_by_its_key_though_it_looks_different_now(
    account: Account, book: AddressBook
) -> None:
    made = await account.writers.contacts.execute(create("Eva"), "k1")
    book.change(made.id, names=[{"givenName": "Evelyn"}])
    found = await account.writers.contacts.find(create("Eva"), "k1")
    assert found is not None
    assert found.id == made.id


async def test_whether_a_contact_was_made_is_unknowable_while_listings_lag_and_then_found(
    google: GoogleEmulator, account: Account, book: AddressBook, tmp_path: Path
) -> None:
    book.hold_back()
    google.fail("drop_after", on="people.people.createContact")
    with pytest.raises(Unavailable):
        await account.writers.contacts.execute(create("Eva"), "k1")
    restarted = opened(google, tmp_path)
    for writer in (account.writers.contacts, restarted.writers.contacts):
        with pytest.raises(Unknowable):
            await writer.find(create("Eva"), "k1")
    book.catch_up()
    for writer in (account.writers.contacts, restarted.writers.contacts):
        assert await writer.find(create("Eva"), "k1") is not None
    await restarted.close()


async def test_a_contact_made_here_is_found_though_listings_lag(account: Account, book: AddressBook) -> None:
    book.hold_back()
    made = await account.writers.contacts.execute(create("Eva"), "k1")
    assert await account.writers.contacts.find(create("Eva"), "k1") == made


async def test_a_creation_that_was_refused_or_never_sent_certainly_came_to_nothing(
    google: GoogleEmulator, account: Account
) -> None:
    google.fail("too_many", on="people.people.createContact")
    with pytest.raises(RateLimited):
        await account.writers.contacts.execute(create("Eva"), "k1")
    with google.down(), pytest.raises(Unavailable):
        await account.writers.contacts.execute(create("Tom"), "k2")
    for name, key in (("Eva", "k1"), ("Tom", "k2")):
        assert await account.writers.contacts.find(create(name), key) is None


async def test_a_second_attempt_that_came_to_nothing_does_not_vouch_for_the_first(google: GoogleEmulator, account: Account) -> None:
    for fault in ("drop_before", "too_many"):
        google.fail(fault, on="people.people.createContact")
        with pytest.raises((Unavailable, RateLimited)):
            await account.writers.contacts.execute(create("Eva"), "k1")
    with pytest.raises(Unknowable):
        await account.writers.contacts.find(create("Eva"), "k1")


async def test_what_was_written_here_outlives_a_listing_anew_that_lags(account: Account, book: AddressBook) -> None:
    assert await everybody(account) == ()
    book.hold_back()
    made = await account.writers.contacts.execute(create("Eva"), "k1")
    book.expire_sync_tokens()
    assert (await only(account)).id == made.id
    assert (await account.writers.contacts.execute(create("Eva"), "k1")).id == made.id
    book.catch_up()
    assert (await only(account)).id == made.id
    book.remove(made.id)
    assert await everybody(account) == ()
