"""The emulated contacts: what Exchange makes of them, what it refuses, and what changed since."""

from typing import Any
from urllib.parse import quote

import pytest
from doubles.emulating.raw import Reply
from doubles.given import GivenContact
from doubles.graph import GraphEmulator
from doubles.graph.client import service
from doubles.graph.contacts import AddressBook
from doubles.graph.contacts.putting import put_contact
from doubles.graph.ids import GONE
from doubles.graph.raw import ask, code

ME = "me@home.example"
SARAH = {"givenName": "Sarah", "surname": "Öztürk", "title": "Dr.", "emailAddresses": [{"address": "sarah@north.example"}]}
KEY = "String {00020329-0000-0000-C000-000000000046} Name Key"
ALL = "singleValueExtendedProperties"


@pytest.fixture
def book(graph: GraphEmulator) -> AddressBook:
    return graph.world.people(ME)


def test_a_contact_is_made_and_read_as_it_was_told(graph: GraphEmulator) -> None:
    made = ask(graph, "POST", "/me/contacts", {**SARAH, "mobilePhone": "+49 170 1", "categories": ["Rowers"]})
    assert made.status == 201
    read = ask(graph, "GET", f"/me/contacts/{made.json['id']}").json
    assert read == made.json
    assert (read["givenName"], read["categories"], read["homePhones"], read["nickName"]) == ("Sarah", ["Rowers"], [], None)
    assert read["emailAddresses"] == [{"name": "sarah@north.example", "address": "sarah@north.example"}]
    assert read["@odata.etag"] == f'W/"{read["changeKey"]}"'
    assert ALL not in read


@pytest.mark.parametrize(
    ("told", "name"),
    [
        (SARAH, "Dr. Sarah Öztürk"),
        ({**SARAH, "displayName": "Sarah"}, "Sarah"),
        ({"displayName": "Sarah"}, "Sarah"),
        ({"companyName": "North"}, None),
    ],
)
def test_a_name_is_put_together_of_its_parts(graph: GraphEmulator, told: dict[str, Any], name: str | None) -> None:
    assert ask(graph, "POST", "/me/contacts", told).json["displayName"] == name


def test_a_part_of_a_name_that_is_told_without_the_whole_makes_the_whole_anew(graph: GraphEmulator, book: AddressBook) -> None:
    place = f"/me/contacts/{book.put({**SARAH, 'displayName': 'My Sarah'})}"
    assert ask(graph, "PATCH", place, {"jobTitle": "Head"}).json["displayName"] == "My Sarah"
    assert ask(graph, "PATCH", place, {"surname": "Klein"}).json["displayName"] == "Dr. Sarah Klein"
    assert ask(graph, "PATCH", place, {"surname": "Groß", "displayName": "Sal"}).json["displayName"] == "Sal"


def test_a_birthday_is_a_day_and_notes_have_the_line_ends_of_windows(graph: GraphEmulator) -> None:
    told = {"displayName": "Eva", "birthday": "1980-03-21T00:00:00Z", "personalNotes": "one\ntwo\r\nthree"}
    read = ask(graph, "POST", "/me/contacts", told).json
    assert (read["birthday"], read["personalNotes"]) == ("1980-03-21T11:59:00Z", "one\r\ntwo\r\nthree")


def test_what_is_emptied_is_told_as_nothing(graph: GraphEmulator, book: AddressBook) -> None:
    place = f"/me/contacts/{put_contact(book, GivenContact('Eva', emails=('a@b.example',), title='Head', birthday='1980-03-21'))}"
    read = ask(graph, "PATCH", place, {"jobTitle": "", "birthday": None, "emailAddresses": []}).json
    assert (read["jobTitle"], read["birthday"], read["emailAddresses"]) == (None, None, [])


@pytest.mark.parametrize(
    "told",
    [
        {"emailAddresses": [{"address": f"{number}@x.example"} for number in range(4)]},
        {"businessPhones": ["1", "2", "3"]},
        {"homePhones": ["1", "2", "3"]},
        {"primaryEmailAddress": {"address": "a@b.example"}},
        {ALL: [{"id": "Key", "value": "1"}]},
    ],
)
def test_there_is_no_room_for_more(graph: GraphEmulator, told: dict[str, Any]) -> None:
    assert ask(graph, "POST", "/me/contacts", told).status == 400
    assert graph.complaints.pop()


@pytest.mark.parametrize(("verb", "body"), [("PATCH", {"jobTitle": "Head"}), ("DELETE", None)])
def test_a_change_of_another_version_is_refused(graph: GraphEmulator, book: AddressBook, verb: str, body: Any) -> None:
    contact = book.put(SARAH)
    stale = book.contacts[contact].etag
    book.change(contact, nickName="Sal")
    refused = ask(graph, verb, f"/me/contacts/{contact}", body, headers={"if-match": stale})
    assert (refused.status, code(refused)) == (412, "ErrorIrresolvableConflict")
    current = book.contacts[contact].etag
    assert ask(graph, verb, f"/me/contacts/{contact}", body, headers={"if-match": current}).status < 300
    assert book.contacts[contact].etag != current


def test_a_deleted_contact_lies_in_deleted_items_and_in_no_listing(graph: GraphEmulator, book: AddressBook) -> None:
    contact = book.put(SARAH)
    known = graph.world.mail(ME).folders.known
    for folder in ("deleteditems", "recoverableitemsdeletions"):
        assert ask(graph, "DELETE", f"/me/contacts/{contact}").status == 204
        assert listed(graph) == []
        assert ask(graph, "GET", f"/me/contacts/{contact}").json["parentFolderId"] == known(folder).id
    refused = ask(graph, "DELETE", f"/me/contacts/{contact}")
    assert (refused.status, code(refused)) == (403, "ErrorCannotDeleteObject")


def test_an_id_is_another_after_a_move_unless_the_immutable_one_was_asked_for(graph: GraphEmulator, book: AddressBook) -> None:
    contact = book.put(SARAH)
    plain = {"prefer": ""}
    before = ask(graph, "GET", f"/me/contacts/{contact}", headers=plain).json["id"]
    book.move(contact, book.add_folder("Friends"))
    assert ask(graph, "GET", f"/me/contacts/{before}", headers=plain).status == 404
    assert ask(graph, "GET", f"/me/contacts/{contact}", headers=plain).json["id"] not in (contact, before)
    assert ask(graph, "GET", f"/me/contacts/{contact}").json["id"] == contact


@pytest.mark.parametrize(
    ("wanted", "status", "reason"), [(GONE, 404, "ErrorItemNotFound"), ("a%2Fb", 400, "ErrorInvalidIdMalformed")]
)
def test_what_is_not_there_is_not_found(graph: GraphEmulator, wanted: str, status: int, reason: str) -> None:
    refused = ask(graph, "GET", f"/me/contacts/{wanted}")
    assert (refused.status, code(refused)) == (status, reason)


@pytest.mark.parametrize(
    ("written", "found"),
    [
        ("displayName eq 'eva klein'", ["Eva Klein"]),
        ("startswith(displayName,'e')", ["Eva Klein"]),
        ("emailAddresses/any(a:a/address eq 'tom@x.example')", ["Tom Groß"]),
        ("companyName eq 'Acme' and surname ne 'Klein'", ["Tom Groß"]),
        ("categories/any(c:c eq 'Rowers')", ["Eva Klein"]),
        (f"{ALL}/Any(ep: ep/id eq '{KEY}' and ep/value eq 'k1')", ["Tom Groß"]),
        (f"{ALL}/any(ep: ep/id eq '{KEY}' and ep/value eq 'k2')", []),
    ],
)
def test_contacts_are_filtered(graph: GraphEmulator, book: AddressBook, written: str, found: list[str]) -> None:
    put_contact(book, GivenContact("Eva Klein", emails=("eva@x.example",), company="Acme", groups=("Rowers",)))
    tom = put_contact(book, GivenContact("Tom Groß", emails=("tom@x.example",), company="Acme"))
    book.change(tom, **{ALL: [{"id": KEY, "value": "k1"}]})
    assert listed(graph, f"?$filter={quote(written)}") == found


@pytest.mark.parametrize(
    "query",
    [
        '$search="eva"',
        "$filter=contains(displayName,'eva')",
        "$filter=endswith(displayName,'eva')",
        "$filter=emailAddresses/any(a:startswith(a/address,'eva'))",
        "$filter=emailAddresses/any(a:a/address ne 'eva')",
        "$filter=emailAddresses/all(a:a/address eq 'eva')",
        "$filter=mobilePhone eq '1'",
        "$filter=personalNotes eq 'tea'",
        f"$filter={ALL}/any(ep: ep/value eq 'k1')",
        "$orderby=jobTitle",
        "$top=1001",
        "$select=name",
    ],
)
def test_contacts_are_not_searched_or_filtered_otherwise(graph: GraphEmulator, query: str) -> None:
    assert ask(graph, "GET", f"/me/contacts?{quote(query, safe='$=&')}").status == 400
    assert len(graph.complaints) == 1
    graph.complaints.clear()


def test_an_extended_property_is_kept_beside_others_and_shown_when_expanded(graph: GraphEmulator, book: AddressBook) -> None:
    contact = book.put({**SARAH, ALL: [{"id": KEY, "value": "k1"}]})
    other = KEY.replace("Key", "Other")
    place = f"/me/contacts/{contact}"
    assert ALL not in ask(graph, "PATCH", place, {ALL: [{"id": other, "value": "x"}]}).json
    expand = quote(f"{ALL}($filter=id eq '{KEY}')")
    shown = ask(graph, "GET", f"{place}?$select=id&$expand={expand}").json[ALL]
    assert shown == [{"id": KEY.replace("C000", "c000"), "value": "k1"}]
    assert len(book.contacts[contact].extended) == 2


def test_the_default_folder_is_listed_without_those_below_it(graph: GraphEmulator, book: AddressBook) -> None:
    below = ask(graph, "POST", "/me/contactFolders", {"displayName": "Friends"}).json
    deeper = ask(graph, "POST", f"/me/contactFolders/{below['id']}/childFolders", {"displayName": "Old"}).json
    book.put({"displayName": "Eva"})
    ask(graph, "POST", f"/me/contactFolders/{below['id']}/contacts", {"displayName": "Tom"})
    assert (listed(graph), listed(graph, folder=below["id"]), listed(graph, folder="contacts")) == (["Eva"], ["Tom"], ["Eva"])
    assert [one["displayName"] for one in ask(graph, "GET", "/me/contactFolders").json["value"]] == ["Friends"]
    assert below["parentFolderId"] == book.default
    children = ask(graph, "GET", f"/me/contactFolders/{below['id']}/childFolders").json["value"]
    assert [one["id"] for one in children] == [deeper["id"]]
    assert ask(graph, "POST", "/me/contactFolders", {"displayName": "Friends"}).status == 409


def test_what_changed_is_told_since_a_token(graph: GraphEmulator, book: AddressBook) -> None:
    eva, tom, lee = (book.put({"displayName": name}) for name in ("Eva", "Tom", "Lee"))
    pages = walked(graph, "/me/contacts/delta()?$select=displayName", size=2)
    assert [len(page["value"]) for page in pages] == [2, 1]
    friends = book.add_folder("Friends")
    book.change(eva, displayName="Eva K")
    book.remove(tom)
    book.move(lee, friends)
    (page,) = walked(graph, pages[-1]["@odata.deltaLink"])
    assert [(one["id"], one.get("displayName"), one.get("@removed")) for one in page["value"]] == [
        (eva, "Eva K", None),
        (tom, None, {"reason": "deleted"}),
        (lee, None, {"reason": "changed"}),
    ]
    (empty,) = walked(graph, page["@odata.deltaLink"])
    assert empty["value"] == []
    (moved,) = walked(graph, f"/me/contactFolders/{friends}/contacts/delta()")
    assert [one["id"] for one in moved["value"]] == [lee]


def test_a_token_that_is_too_old_is_no_good(graph: GraphEmulator, book: AddressBook) -> None:
    book.put(SARAH)
    (page,) = walked(graph, "/me/contacts/delta()")
    book.expire_sync_tokens()
    refused = ask(graph, "GET", page["@odata.deltaLink"])
    assert (refused.status, code(refused)) == (410, "SyncStateNotFound")
    assert len(walked(graph, "/me/contacts/delta()")) == 1


@pytest.mark.parametrize(
    "query", ["$filter=surname eq 'a'", "$orderby=surname", "$expand=extensions", "$search=a", "$deltatoken=nonsense"]
)
def test_changes_are_not_filtered(graph: GraphEmulator, query: str) -> None:
    assert ask(graph, "GET", f"/me/contacts/delta()?{quote(query, safe='$=&')}").status == 400
    assert graph.complaints.pop()


async def test_the_sdk_writes_and_reads_a_contact(graph: GraphEmulator) -> None:
    from msgraph.generated.models.contact import Contact
    from msgraph.generated.models.email_address import EmailAddress

    client = service(graph, graph.account(ME))
    given = Contact(given_name="Sarah", surname="Öztürk", email_addresses=[EmailAddress(name="S", address="sarah@x.example")])
    made = await client.me.contacts.post(given)
    read = await client.me.contacts.by_contact_id(made.id).get()
    assert (read.display_name, read.email_addresses[0].address) == ("Sarah Öztürk", "sarah@x.example")
    assert read.additional_data == {
        "@odata.context": read.additional_data["@odata.context"],
        "@odata.etag": f'W/"{read.change_key}"',
    }


def listed(graph: GraphEmulator, query: str = "", *, folder: str = "") -> list[str]:
    place = f"/me/contactFolders/{folder}/contacts" if folder else "/me/contacts"
    return [contact["displayName"] for contact in ask(graph, "GET", f"{place}{query}").json["value"]]


def walked(graph: GraphEmulator, target: str, size: int = 50) -> list[dict[str, Any]]:
    """All pages, up to the one with a deltaLink."""
    pages: list[dict[str, Any]] = []
    while target:
        answer: Reply = ask(graph, "GET", target, headers={"prefer": f'IdType="ImmutableId", odata.maxpagesize={size}'})
        pages.append(answer.json)
        target = pages[-1].get("@odata.nextLink", "")
    assert "@odata.deltaLink" in pages[-1]
    return pages
