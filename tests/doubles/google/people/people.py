"""people.* and otherContacts.*"""

import re
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from doubles.google.calls import ApiError, Call
from doubles.google.paging import Paging
from doubles.google.people.book import JOINABLE, AddressBook, Contact
from doubles.google.people.fields import OF_OTHERS, WRITABLE, Person, asked_for, groups_of, mask, shown
from doubles.google.people.matching import matches

LARGEST_PAGE, LARGEST_SEARCH, LARGEST_BATCH = 1000, 30, 200
ORDERS: dict[str, tuple[Callable[[Contact], Any], bool]] = {
    "LAST_MODIFIED_ASCENDING": (lambda contact: contact.version, False),
    "LAST_MODIFIED_DESCENDING": (lambda contact: contact.version, True),
    "FIRST_NAME_ASCENDING": (lambda contact: _named(contact, "displayName"), False),
    "LAST_NAME_ASCENDING": (lambda contact: _named(contact, "displayNameLastFirst"), False),
}


def book_of(call: Call) -> AddressBook:
    return call.world.people(call.user.email)


def get(call: Call) -> Person:
    return _person(call, call.params["resourceName"], asked_for(call, "personFields"))


def batch_get(call: Call) -> Person:
    wanted = asked_for(call, "personFields")
    names = call.params.get("resourceNames") or []
    if not 0 < len(names) <= LARGEST_BATCH:
        raise ApiError(400, "invalid", f"Between 1 and {LARGEST_BATCH} resource names can be asked for.")
    return {"responses": [_response(call, name, wanted) for name in names]}


def connections(call: Call) -> Person:
    if call.params["resourceName"] != "people/me":
        raise ApiError(400, "invalid", "Only the connections of people/me can be listed.")
    version, contacts = book_of(call).listed()
    total = sum(not contact.deleted for contact in contacts.values())
    answer = _listing(call, contacts.values(), version, asked_for(call, "personFields"), "connections")
    return answer | {"totalPeople": total, "totalItems": total}


def others(call: Call) -> Person:
    book = book_of(call)
    answer = _listing(call, book.others.values(), next(book.versions), asked_for(call, "readMask", OF_OTHERS), "otherContacts")
    return answer | {"totalSize": len(book.others)}


def search(call: Call) -> Person:
    """Answers from what was known at the last empty query."""
    wanted, text = asked_for(call, "readMask"), call.params.get("query") or ""
    if not text:
        book_of(call).warm_up()
    return _found(call, book_of(call).searchable.values(), wanted, text)


def search_others(call: Call) -> Person:
    wanted, text = asked_for(call, "readMask", OF_OTHERS), call.params.get("query") or ""
    if not text:
        book_of(call).warm_up_others()
    return _found(call, book_of(call).searchable_others.values(), wanted, text)


def create(call: Call) -> Person:
    wanted = asked_for(call, "personFields", required=False)
    body = call.body or {}
    _check_memberships(book_of(call), body)
    return book_of(call).add(body).shown(wanted)


def update(call: Call) -> Person:
    body, contact = call.body or {}, book_of(call).contact(call.params["resourceName"])
    changed = asked_for(call, "updatePersonFields", WRITABLE)
    wanted = asked_for(call, "personFields", required=False)
    _check_etag(body, contact)
    changes = {name: body.get(name) or [] for name in changed}
    if "memberships" in changed and not groups_of(changes):
        raise ApiError(400, "invalid", "A contact stays in one contact group at least.")
    _check_memberships(book_of(call), changes, groups_of(contact.fields))
    book_of(call).replace(contact, changes)
    return contact.shown(wanted)


def delete(call: Call) -> Person:
    book_of(call).contact(call.params["resourceName"])
    book_of(call).remove(call.params["resourceName"])
    return {}


def batch_delete(call: Call) -> Person:
    names = (call.body or {}).get("resourceNames", [])
    for name in names:
        book_of(call).contact(name)
    for name in names:
        book_of(call).remove(name)
    return {}


def copy_other(call: Call) -> Person:
    body, book = call.body or {}, book_of(call)
    other = book.others.get(call.params["resourceName"])
    if other is None:
        raise ApiError(404, "notFound", "Requested entity was not found.")
    copied = mask("copyMask", body.get("copyMask"), OF_OTHERS)
    wanted = mask("readMask", body["readMask"]) if body.get("readMask") else copied | {"metadata", "memberships"}
    return book.add({name: items for name, items in other.fields.items() if name in copied}).shown(wanted)


def _person(call: Call, name: str, wanted: frozenset[str]) -> Person:
    if name != "people/me":
        return book_of(call).contact(name).shown(wanted)
    profile: Person = {"emailAddresses": [{"value": call.user.email}]}
    if call.user.name:
        profile["names"] = [{"displayName": call.user.name, "unstructuredName": call.user.name}]
    source = {"type": "PROFILE", "id": "1", "etag": "#profile"}
    metadata = {"metadata": {"sources": [source]}} if "metadata" in wanted else {}
    return {"resourceName": "people/me", "etag": "%profile"} | metadata | shown(profile, wanted, source)


def _response(call: Call, name: str, wanted: frozenset[str]) -> Person:
    try:
        person = _person(call, name, wanted)
    except ApiError as error:
        return {"requestedResourceName": name, "httpStatusCode": error.status, "status": {"code": 5, "message": error.message}}
    return {"requestedResourceName": name, "httpStatusCode": 200, "person": person, "status": {}}


def _listing(call: Call, all: Iterable[Contact], version: int, wanted: frozenset[str], name: str) -> Person:
    since = _synced_until(call)
    by, backwards = ORDERS[call.params.get("sortOrder") or "LAST_MODIFIED_ASCENDING"]
    found = sorted((one for one in all if (not one.deleted if since is None else one.version > since)), key=by, reverse=backwards)
    page, following = Paging(call, size="pageSize").page(found, default=100, most=_size(call))
    answer: Person = {name: [contact.shown(wanted) for contact in page]}
    if following:
        return answer | {"nextPageToken": following}
    if call.params.get("requestSyncToken"):
        answer["nextSyncToken"] = f"sync-{version}-{'.'.join(sorted(wanted))}"
    return answer


def _size(call: Call) -> int:
    if not 0 <= (call.params.get("pageSize") or 0) <= LARGEST_PAGE:
        raise ApiError(400, "invalid", f"A page has between 1 and {LARGEST_PAGE} people.")
    return LARGEST_PAGE


def _synced_until(call: Call) -> int | None:
    token = call.params.get("syncToken")
    if not token:
        return None
    match = re.fullmatch(r"sync-(\d+)-(.*)", token)
    fields = call.params.get("personFields") or call.params.get("readMask") or ""
    if match is None or match[2] != ".".join(sorted(fields.split(","))):
        raise ApiError(400, "invalid", "Sync token does not belong to this request.")
    if int(match[1]) < book_of(call).oldest_sync:
        raise ApiError(400, "expiredSyncToken", "Sync token is expired. Clear local cache and retry call without the sync token.")
    return int(match[1])


def _found(call: Call, all: Iterable[Contact], wanted: frozenset[str], text: str) -> Person:
    size = min(call.params.get("pageSize") or 10, LARGEST_SEARCH)
    found = [contact for contact in all if text and matches(contact.fields, text)][:size]
    return {"results": [{"person": contact.shown(wanted)} for contact in found]} if found else {}


def _check_etag(body: Person, contact: Contact) -> None:
    """The person's etag, or the one of its contact source."""
    sources = [source for source in body.get("metadata", {}).get("sources", []) if source.get("type") == "CONTACT"]
    given = [etag for etag in (body.get("etag"), *(source.get("etag") for source in sources)) if etag]
    if not given:
        raise ApiError(400, "invalid", "Request must set person.etag or the etag of the source that is being updated.")
    if any(etag not in (contact.etag, contact.source["etag"]) for etag in given):
        message = "Request person.etag is different than the current person.etag. Clear local cache and get the latest person."
        raise ApiError(400, "failedPrecondition", message)


def _check_memberships(book: AddressBook, fields: Person, held: Sequence[str] = ()) -> None:
    """Nobody is put into a system group but "my contacts" and the starred ones; whoever is in one may stay."""
    for name in groups_of(fields):
        if name not in held and name not in JOINABLE and name in book.groups and book.groups[name].system:
            raise ApiError(400, "invalid", f"Nobody can be added to {name}.")


def _named(contact: Contact, which: str) -> str:
    return next((str(name.get(which, "")) for name in contact.fields.get("names", ())), "").casefold()
