"""contactGroups.*"""

from collections.abc import Sequence
from typing import Any

from doubles.google.calls import ApiError, Call
from doubles.google.paging import Paging
from doubles.google.people.book import JOINABLE, SYSTEM_GROUPS, AddressBook, Group, timestamp
from doubles.google.people.fields import groups_of, in_group, mask
from doubles.google.people.people import book_of

FIELDS = frozenset({"clientData", "groupType", "memberCount", "metadata", "name"})
DEFAULT = "groupType,memberCount,metadata,name"
Shown = dict[str, Any]


def list_(call: Call) -> Shown:
    wanted, book = _wanted(call), book_of(call)
    if call.params.get("syncToken"):
        raise ApiError(400, "expiredSyncToken", "Sync token is expired. Clear local cache and retry call without the sync token.")
    groups = [group for group in book.groups.values() if not group.deleted]
    page, following = Paging(call, size="pageSize").page(groups, default=30, most=1000)
    answer: Shown = {"contactGroups": [_shown(group, book, wanted) for group in page], "totalItems": len(groups)}
    return answer | ({"nextPageToken": following} if following else {"nextSyncToken": "groups"})


def get(call: Call) -> Shown:
    book = book_of(call)
    return _with_members(book, book.group(call.params["resourceName"]), call, _wanted(call))


def batch_get(call: Call) -> Shown:
    return {"responses": [_response(call, name) for name in call.params.get("resourceNames") or []]}


def create(call: Call) -> Shown:
    body, book = call.body or {}, book_of(call)
    given = body.get("contactGroup") or {}
    name = _free_name(book, given.get("name", ""))
    group = book.group(book.add_group(name))
    group.client_data = given.get("clientData")
    return _shown(group, book, _wanted(call, body.get("readGroupFields") or DEFAULT))


def update(call: Call) -> Shown:
    body, book = call.body or {}, book_of(call)
    group = _own(book, call.params["resourceName"])
    given, changed = body.get("contactGroup") or {}, (body.get("updateGroupFields") or "name").split(",")
    if given.get("etag") not in (None, "", _etag(group)):
        raise ApiError(400, "failedPrecondition", "Request contact group etag is different than the current one.")
    if "name" in changed and given.get("name") != group.name:
        group.name = _free_name(book, given.get("name", ""))
    if "clientData" in changed:
        group.client_data = given.get("clientData")
    group.version, group.updated = next(book.versions), book.world.now()
    return _shown(group, book, _wanted(call, body.get("readGroupFields") or DEFAULT))


def delete(call: Call) -> Shown:
    book = book_of(call)
    group = _own(book, call.params["resourceName"])
    for contact in book.members(group.resource_name):
        if call.params.get("deleteContacts"):
            book.remove(contact.resource_name)
        else:
            _leave(book, group.resource_name, contact.resource_name, last_too=True)
    group.deleted = True
    return {}


def modify(call: Call) -> Shown:
    """Whoever is in no other group can't be removed."""
    body, book = call.body or {}, book_of(call)
    group = book.group(call.params["resourceName"])
    joining, leaving = body.get("resourceNamesToAdd") or [], body.get("resourceNamesToRemove") or []
    if group.system and joining and group.resource_name not in JOINABLE:
        raise ApiError(400, "invalid", "Nobody can be added to this system group.")
    if len(joining) + len(leaving) > 1000:
        raise ApiError(400, "invalid", "At most 1000 memberships can be changed at once.")
    known = {contact.resource_name for contact in book.living()}
    stuck = [name for name in leaving if name in known and not _leave(book, group.resource_name, name)]
    for name in joining:
        if name in known:
            _join(book, group.resource_name, name)
    missing = [name for name in [*joining, *leaving] if name not in known]
    answer = {"notFoundResourceNames": missing, "canNotRemoveLastContactGroupResourceNames": stuck}
    return {name: names for name, names in answer.items() if names}


def _join(book: AddressBook, group: str, name: str) -> None:
    contact = book.contact(name)
    if group not in groups_of(contact.fields):
        book.replace(contact, {"memberships": [*contact.fields["memberships"], in_group(group)]})


def _leave(book: AddressBook, group: str, name: str, *, last_too: bool = False) -> bool:
    contact = book.contact(name)
    staying = [other for other in groups_of(contact.fields) if other != group]
    if not staying and not last_too:
        return False
    book.replace(contact, {"memberships": [in_group(other) for other in staying]})
    return True


def _free_name(book: AddressBook, name: str) -> str:
    if not name:
        raise ApiError(400, "invalid", "A contact group needs a name.")
    if any(group.name == name and not group.deleted for group in book.groups.values()):
        raise ApiError(409, "alreadyExists", "Contact group name already exists.")
    return name


def _own(book: AddressBook, resource_name: str) -> Group:
    group = book.group(resource_name)
    if group.system:
        raise ApiError(400, "invalid", "System groups can't be changed.")
    return group


def _wanted(call: Call, text: str | None = None) -> frozenset[str]:
    return mask("groupFields", text or call.params.get("groupFields") or DEFAULT, FIELDS)


def _response(call: Call, name: str) -> Shown:
    book = book_of(call)
    try:
        group = _with_members(book, book.group(name), call, _wanted(call))
    except ApiError as error:
        return {"requestedResourceName": name, "status": {"code": 5, "message": error.message}}
    return {"requestedResourceName": name, "contactGroup": group, "status": {}}


def _with_members(book: AddressBook, group: Group, call: Call, wanted: frozenset[str]) -> Shown:
    names = [contact.resource_name for contact in book.members(group.resource_name)][: call.params.get("maxMembers") or 0]
    return _shown(group, book, wanted, names)


def _shown(group: Group, book: AddressBook, wanted: frozenset[str], members: Sequence[str] = ()) -> Shown:
    count = len(book.members(group.resource_name))
    fields: Shown = {
        "groupType": "SYSTEM_CONTACT_GROUP" if group.system else "USER_CONTACT_GROUP",
        "metadata": {"updateTime": timestamp(group.updated)},
        "name": group.name,
        "clientData": group.client_data,
        "memberCount": count,
    }
    answer = {"resourceName": group.resource_name, "etag": _etag(group)}
    answer |= {name: content for name, content in fields.items() if name in wanted and content}
    if "name" in wanted:
        answer["formattedName"] = SYSTEM_GROUPS[group.name] if group.system else group.name
    return answer | ({"memberResourceNames": list(members)} if members else {})


def _etag(group: Group) -> str:
    return f"group{group.version:06d}"
