"""The emulated People API, asked through Google's own client library."""

from collections.abc import Iterator
from typing import Any

import pytest
from doubles.google import GoogleEmulator
from doubles.google.client import service
from doubles.google.discovery import methods
from doubles.google.people import HANDLERS, AddressBook
from doubles.google.people.fields import in_group
from googleapiclient.errors import HttpError

ME = "me@home.example"
ALL = "names,emailAddresses,phoneNumbers,organizations,memberships,metadata,clientData,addresses,biographies,nicknames"
SARAH = {
    "names": [{"givenName": "Sarah", "familyName": "Öztürk", "honorificPrefix": "Dr."}],
    "emailAddresses": [{"value": "sarah@north.example", "type": "work"}, {"value": "sarah@home.example"}],
    "phoneNumbers": [{"value": "+49 170 1234567"}],
    "organizations": [{"name": "North Ltd.", "title": "Finance Manager"}],
}


@pytest.fixture
def google() -> Iterator[GoogleEmulator]:
    with GoogleEmulator() as google:
        google.account(ME, name="Mia Example")
        yield google


@pytest.fixture
def api(google: GoogleEmulator) -> Any:
    return service(google, "people", google.account(ME))


@pytest.fixture
def book(google: GoogleEmulator) -> AddressBook:
    return google.world.people(ME)


def refused(request: Any) -> tuple[int, str]:
    with pytest.raises(HttpError) as error:
        request.execute()
    return error.value.resp.status, error.value.reason


def get(api: Any, name: str, fields: str = ALL) -> dict[str, Any]:
    return api.people().get(resourceName=name, personFields=fields).execute()


def connections(api: Any, **params: Any) -> dict[str, Any]:
    return api.people().connections().list(resourceName="people/me", **{"personFields": "names"} | params).execute()


def search(api: Any, query: str, **params: Any) -> list[str]:
    found = api.people().searchContacts(query=query, readMask="names", **params).execute()
    return [result["person"]["resourceName"] for result in found.get("results", [])]


def person(name: str, **fields: Any) -> dict[str, Any]:
    return {"names": [{"unstructuredName": name}]} | fields


def test_every_handler_is_a_method_of_the_api() -> None:
    assert HANDLERS.keys() <= methods().keys()


def test_a_contact_comes_back_with_all_that_google_adds(google: GoogleEmulator, api: Any) -> None:
    made = api.people().createContact(body=SARAH, personFields=ALL).execute()
    assert made == get(api, made["resourceName"])
    (name,) = made["names"]
    assert (name["displayName"], name["displayNameLastFirst"], name["unstructuredName"]) == (
        "Dr. Sarah Öztürk",
        "Öztürk, Sarah",
        "Dr. Sarah Öztürk",
    )
    source = made["metadata"]["sources"][0]
    assert made["resourceName"] == f"people/c{int(source['id'], 16)}"
    assert source["type"] == "CONTACT" and source["etag"] and source["updateTime"] and source["etag"] != made["etag"]
    assert [bool(email["metadata"].get("primary")) for email in made["emailAddresses"]] == [True, False]
    assert made["phoneNumbers"][0]["canonicalForm"] == "+491701234567"
    assert made["memberships"][0]["contactGroupMembership"]["contactGroupId"] == "myContacts"
    assert google.complaints == []


def test_only_the_fields_asked_for_are_told(api: Any, book: AddressBook) -> None:
    assert set(get(api, book.put(SARAH), "emailAddresses")) == {"resourceName", "etag", "emailAddresses"}


def test_a_name_that_is_a_whole_is_taken_apart(api: Any, book: AddressBook) -> None:
    (name,) = get(api, book.put(person("Eva van Klein")), "names")["names"]
    assert (name["givenName"], name["familyName"], name["displayNameLastFirst"]) == ("Eva van", "Klein", "Klein, Eva van")


def test_an_address_is_told_as_a_whole_too(api: Any, book: AddressBook) -> None:
    home = {"streetAddress": "Linden 1", "postalCode": "10117", "city": "Berlin", "country": "Germany"}
    assert get(api, book.put(SARAH | {"addresses": [home]}))["addresses"][0]["formattedValue"] == "Linden 1\n10117 Berlin\nGermany"


def test_one_finds_oneself(api: Any) -> None:
    me = get(api, "people/me", "names,emailAddresses")
    assert (me["names"][0]["displayName"], me["emailAddresses"][0]["value"]) == ("Mia Example", ME)


def test_masks_are_required_and_checked(google: GoogleEmulator, api: Any, book: AddressBook) -> None:
    name = book.put(SARAH)
    requests = [
        api.people().get(resourceName=name),
        api.people().get(resourceName=name, personFields="names,shoeSize"),
        api.people().connections().list(resourceName="people/me"),
        api.people().connections().list(resourceName="people/me", personFields="names", pageSize=1001),
        api.people().connections().list(resourceName=name, personFields="names"),
        api.people().searchContacts(query="x"),
        api.people().updateContact(resourceName=name, body=get(api, name)),
        api.people().createContact(body={"names": [{"givenName": "A"}, {"givenName": "B"}]}),
        api.people().createContact(body={"memberships": [in_group("contactGroups/x")]}),
    ]
    assert [refused(request)[0] for request in requests] == [400] * len(requests)
    assert len(google.complaints) == len(requests)


def test_connections_are_paged_and_sorted(api: Any, book: AddressBook) -> None:
    for name in ("Tom Adams", "Eva Zander", "Bob Miller"):
        book.put(person(name))
    first = connections(api, pageSize=2, sortOrder="FIRST_NAME_ASCENDING")
    rest = connections(api, pageSize=2, sortOrder="FIRST_NAME_ASCENDING", pageToken=first["nextPageToken"])
    names = [one["names"][0]["displayName"] for page in (first, rest) for one in page["connections"]]
    assert names == ["Bob Miller", "Eva Zander", "Tom Adams"]
    assert (first["totalItems"], "nextPageToken" in rest, "nextSyncToken" in rest) == (3, False, False)


def test_a_sync_token_tells_what_changed_and_what_is_gone(google: GoogleEmulator, api: Any, book: AddressBook) -> None:
    sarah, tom = book.put(SARAH), book.put(person("Tom Adams"))
    token = connections(api, requestSyncToken=True)["nextSyncToken"]
    assert connections(api, syncToken=token).get("connections") == []
    book.change(tom, names=[{"givenName": "Thomas"}])
    book.remove(sarah)
    changed = connections(api, syncToken=token)["connections"]
    assert [(one["resourceName"], one.get("metadata", {}).get("deleted")) for one in changed] == [(tom, None), (sarah, True)]
    assert refused(api.people().connections().list(resourceName="people/me", personFields="nicknames", syncToken=token))[0] == 400
    assert len(google.complaints) == 1
    book.expire_sync_tokens()
    with pytest.raises(HttpError, match="EXPIRED_SYNC_TOKEN"):
        connections(api, syncToken=token)
    assert len(google.complaints) == 1


def test_listings_may_lag_behind_what_was_written(api: Any, book: AddressBook) -> None:
    tom = book.put(person("Tom Adams"))
    book.hold_back()
    token = connections(api, requestSyncToken=True)["nextSyncToken"]
    sarah = api.people().createContact(body=SARAH, personFields="names").execute()["resourceName"]
    book.change(tom, names=[{"givenName": "Thomas"}])
    assert connections(api, syncToken=token)["connections"] == []
    assert [one["resourceName"] for one in connections(api)["connections"]] == [tom]
    assert get(api, tom, "names")["names"][0]["displayName"] == "Thomas"
    book.catch_up()
    assert {one["resourceName"] for one in connections(api, syncToken=token)["connections"]} == {sarah, tom}


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("sarah", True),
        ("öztürk", True),
        ("Sarah Ö", True),
        ("arah", False),
        ("ozturk", False),
        ("sarah@north", True),
        ("north.example", False),
        ("+49 170", True),
        ("north ltd", True),
        ("manager", True),
        ("tea", False),
    ],
)
def test_a_search_finds_beginnings_only(api: Any, book: AddressBook, query: str, found: bool) -> None:
    book.put(SARAH | {"biographies": [{"value": "tea"}]})
    search(api, "")
    assert bool(search(api, query)) is found


def test_a_search_is_as_old_as_the_last_empty_one(api: Any, book: AddressBook) -> None:
    name = book.put(SARAH)
    assert search(api, "dr. sarah") == []
    assert search(api, "") == []
    assert search(api, "dr. sarah") == [name]
    book.change(name, names=[{"givenName": "Sally"}])
    assert (search(api, "dr. sarah"), search(api, "sally")) == ([name], [])
    search(api, "")
    assert (search(api, "dr. sarah"), search(api, "sally")) == ([], [name])


def test_a_search_has_ten_results_and_never_more_than_thirty(api: Any, book: AddressBook) -> None:
    for number in range(40):
        book.put(person(f"Tom {number}"))
    search(api, "")
    assert [len(search(api, "tom")), len(search(api, "tom", pageSize=100))] == [10, 30]


def test_an_update_replaces_the_fields_it_names_and_leaves_the_rest(api: Any, book: AddressBook) -> None:
    before = get(api, book.put(SARAH))
    body = {"etag": before["etag"], "organizations": [{"name": "South"}], "emailAddresses": []}
    after = api.people().updateContact(resourceName=before["resourceName"], updatePersonFields="organizations", body=body).execute()
    assert [item["name"] for item in after["organizations"]] == ["South"]
    assert len(after["emailAddresses"]) == 2
    assert after["etag"] != before["etag"]


def test_an_update_needs_the_etag_of_what_stands(google: GoogleEmulator, api: Any, book: AddressBook) -> None:
    name = book.put(SARAH)
    before = get(api, name)

    def update(**body: Any) -> Any:
        body |= {"nicknames": [{"value": "Sal"}]}
        return api.people().updateContact(resourceName=name, updatePersonFields="nicknames", body=body)

    book.change(name, biographies=[{"value": "changed meanwhile"}])
    for stale in ({"etag": before["etag"]}, {"metadata": before["metadata"]}):
        status, reason = refused(update(**stale))
        assert (status, "Clear local cache" in reason) == (400, True)
    assert google.complaints == []
    assert refused(update())[0] == 400
    assert len(google.complaints) == 1
    assert update(metadata=get(api, name)["metadata"]).execute()["nicknames"][0]["value"] == "Sal"


def test_a_contact_stays_in_one_group_at_least(api: Any, book: AddressBook) -> None:
    before = get(api, book.put(SARAH))
    body = {"etag": before["etag"], "memberships": []}
    request = api.people().updateContact(resourceName=before["resourceName"], updatePersonFields="memberships", body=body)
    assert refused(request)[0] == 400


def test_a_system_group_is_kept_and_never_joined(api: Any, book: AddressBook) -> None:
    friends = {"memberships": [in_group("contactGroups/friends")]}
    before = get(api, book.put(SARAH | friends))
    tom = get(api, book.put(person("Tom Adams")))

    def update(person: dict[str, Any]) -> Any:
        body = friends | {"etag": person["etag"]}
        return api.people().updateContact(resourceName=person["resourceName"], updatePersonFields="memberships", body=body)

    assert len(update(before).execute()["memberships"]) == 1
    assert refused(update(tom))[0] == 400
    assert refused(api.people().createContact(body=person("Eva Klein") | friends))[0] == 400


def test_a_deleted_contact_is_not_found(api: Any, book: AddressBook) -> None:
    name = book.put(SARAH)
    assert api.people().deleteContact(resourceName=name).execute() == {}
    for request in (
        api.people().get(resourceName=name, personFields="names"),
        api.people().deleteContact(resourceName=name),
        api.people().updateContact(resourceName=name, updatePersonFields="names", body={"etag": "x"}),
    ):
        assert refused(request)[0] == 404
    assert connections(api)["connections"] == []


def test_several_are_got_at_once_and_the_missing_one_is_told(api: Any, book: AddressBook) -> None:
    name = book.put(SARAH)
    found = api.people().getBatchGet(resourceNames=[name, "people/c1"], personFields="names").execute()["responses"]
    assert [(one["requestedResourceName"], one["httpStatusCode"], "person" in one) for one in found] == [
        (name, 200, True),
        ("people/c1", 404, False),
    ]


def test_groups_have_names_of_their_own_and_members(google: GoogleEmulator, api: Any, book: AddressBook) -> None:
    groups = api.contactGroups()
    choir = groups.create(body={"contactGroup": {"name": "Choir"}}).execute()
    assert (choir["groupType"], choir["formattedName"]) == ("USER_CONTACT_GROUP", "Choir")
    assert refused(groups.create(body={"contactGroup": {"name": "Choir"}}))[0] == 409
    sarah, tom = book.put(SARAH), book.put(person("Tom Adams"))
    name = choir["resourceName"]
    assert groups.members().modify(resourceName=name, body={"resourceNamesToAdd": [sarah, tom, "people/c1"]}).execute() == {
        "notFoundResourceNames": ["people/c1"]
    }
    found = groups.get(resourceName=name, maxMembers=10).execute()
    assert (found["memberCount"], found["memberResourceNames"]) == (2, [sarah, tom])
    kinds = {group["formattedName"]: group["groupType"] for group in groups.list().execute()["contactGroups"]}
    assert (kinds["Choir"], kinds["My Contacts"]) == ("USER_CONTACT_GROUP", "SYSTEM_CONTACT_GROUP")
    assert google.complaints == []


def test_the_last_group_of_a_contact_is_not_left(api: Any, book: AddressBook) -> None:
    members, name = api.contactGroups().members(), book.put(SARAH)
    leaving = members.modify(resourceName="contactGroups/myContacts", body={"resourceNamesToRemove": [name]})
    assert leaving.execute() == {"canNotRemoveLastContactGroupResourceNames": [name]}
    members.modify(resourceName="contactGroups/starred", body={"resourceNamesToAdd": [name]}).execute()
    assert leaving.execute() == {}
    assert refused(members.modify(resourceName="contactGroups/friends", body={"resourceNamesToAdd": [name]}))[0] == 400


def test_a_group_is_renamed_and_deleted_without_its_members(api: Any, book: AddressBook) -> None:
    groups, choir = api.contactGroups(), book.add_group("Choir")
    name = book.put(SARAH)
    api.contactGroups().members().modify(resourceName=choir, body={"resourceNamesToAdd": [name]}).execute()
    assert groups.update(resourceName=choir, body={"contactGroup": {"name": "Chorus"}}).execute()["name"] == "Chorus"
    groups.delete(resourceName=choir).execute()
    assert refused(groups.get(resourceName=choir))[0] == 404
    assert len(get(api, name)["memberships"]) == 1
    assert refused(groups.delete(resourceName="contactGroups/myContacts"))[0] == 400


def test_a_group_may_take_its_members_along(api: Any, book: AddressBook) -> None:
    choir = book.add_group("Choir")
    book.put(SARAH | {"memberships": [in_group(choir)]})
    api.contactGroups().delete(resourceName=choir, deleteContacts=True).execute()
    assert connections(api)["connections"] == []


def test_several_groups_are_got_at_once(api: Any, book: AddressBook) -> None:
    choir = book.add_group("Choir")
    sarah = book.put(SARAH | {"memberships": [in_group(choir)]})
    found = api.contactGroups().batchGet(resourceNames=[choir, "contactGroups/x"], maxMembers=5).execute()["responses"]
    assert found[0]["contactGroup"]["memberResourceNames"] == [sarah]
    assert found[1]["status"]["code"] == 5


def test_several_contacts_are_deleted_at_once_or_none(api: Any, book: AddressBook) -> None:
    names = [book.put(SARAH), book.put(person("Tom Adams"))]
    assert refused(api.people().batchDeleteContacts(body={"resourceNames": [*names, "people/c1"]}))[0] == 404
    assert connections(api)["totalItems"] == 2
    api.people().batchDeleteContacts(body={"resourceNames": names}).execute()
    assert connections(api)["totalItems"] == 0


def test_other_contacts_are_apart_until_they_are_copied(api: Any, book: AddressBook) -> None:
    other = book.add_other({"names": [{"givenName": "Zoe"}], "emailAddresses": [{"value": "zoe@x.example"}]})
    mask = "names,emailAddresses"
    listed = api.otherContacts().list(readMask=mask).execute()
    assert ([one["resourceName"] for one in listed["otherContacts"]], connections(api)["connections"]) == ([other], [])
    found = api.otherContacts().search(query="zoe", readMask=mask)
    assert found.execute() == {}
    api.otherContacts().search(query="", readMask=mask).execute()
    assert found.execute()["results"][0]["person"]["emailAddresses"][0]["value"] == "zoe@x.example"
    copied = api.otherContacts().copyOtherContactToMyContactsGroup(resourceName=other, body={"copyMask": mask}).execute()
    assert copied["resourceName"].startswith("people/c")
    assert len(connections(api)["connections"]) == 1
