"""The requests about contacts and their folders."""

from typing import Any

from doubles.graph.calls import Call, GraphError, Handler, not_found
from doubles.graph.contacts.book import AddressBook, Contact, Folder
from doubles.graph.deltas import delta_page
from doubles.graph.expressions import Compare, Constant, Function, Lambda, Path, walk
from doubles.graph.odata import Asked, asked, only_filtered
from doubles.graph.paging import listed

PROPERTY = "singleValueExtendedProperties"
FILTERED = (
    "birthday categories companyName createdDateTime department displayName emailAddresses fileAs givenName jobTitle "
    "lastModifiedDateTime middleName nickName parentFolderId singleValueExtendedProperties surname"
).split()
ORDERED = ("companyName", "createdDateTime", "displayName", "fileAs", "givenName", "lastModifiedDateTime", "surname")


def book_of(call: Call) -> AddressBook:
    return call.world.people(call.user.email)


def listing(call: Call) -> dict[str, Any]:
    """Of one folder, the default one unless another is named."""
    book = book_of(call)
    folder, wanted = _folder(call), asked(call)
    _check(call, wanted)
    items = [contact.shown(immutable=call.immutable) for contact in book.inside(folder.id)]
    return listed(call, items, context=_context(call), wanted=wanted)


def get(call: Call) -> dict[str, Any]:
    return _told(call, _contact(call))


def create(call: Call) -> tuple[int, dict[str, Any]]:
    book = book_of(call)
    return 201, _told(call, book.contact(book.put(call.body or {}, _folder(call).id)))


def update(call: Call) -> dict[str, Any]:
    contact = _contact(call)
    call.check_match(contact.etag)
    book_of(call).change(contact.id, **(call.body or {}))
    return _told(call, contact)


def delete(call: Call) -> None:
    contact = _contact(call)
    call.check_match(contact.etag)
    book_of(call).remove(contact.id)


def delta(call: Call) -> dict[str, Any]:
    if refused := set(call.query) & {"$filter", "$orderby", "$top"}:
        raise GraphError(400, "ErrorInvalidUrlQuery", f"{sorted(refused)} are not supported with change tracking over contacts.")
    book = book_of(call)

    def render(item: str) -> dict[str, Any]:
        return book.contact(item).shown(immutable=call.immutable)

    return delta_page(call, _folder(call).journal, render, context="Collection(contact)")


def folders(call: Call) -> dict[str, Any]:
    """Those below the default one, or below the one that is named."""
    book = book_of(call)
    return listed(call, [_folder_shown(one) for one in book.children(_folder(call).id)], context=_context(call, "contactFolders"))


def folder(call: Call) -> dict[str, Any]:
    return asked(call).shown(_folder_shown(_folder(call)))


def create_folder(call: Call) -> tuple[int, dict[str, Any]]:
    book, name = book_of(call), str((call.body or {}).get("displayName") or "")
    parent = _folder(call)
    if not name:
        raise GraphError(400, "ErrorInvalidArgument", "A folder has a displayName.")
    if any(one.name == name for one in book.children(parent.id)):
        raise GraphError(409, "ErrorFolderExists", "A folder with the specified name already exists.")
    return 201, _folder_shown(book.folders[book.add_folder(name, parent.id)])


def _folder(call: Call) -> Folder:
    return book_of(call).folder(call.path.get("folder", "contacts"))


def _contact(call: Call) -> Contact:
    found = book_of(call).contact(call.path["contact"])
    if "folder" in call.path and found.folder != _folder(call).id:
        raise not_found()
    return found


def _told(call: Call, contact: Contact) -> dict[str, Any]:
    return {
        "@odata.context": f"{call.world.url}/v1.0/$metadata#{_context(call)}/$entity",
        **asked(call).shown(contact.shown(immutable=call.immutable)),
    }


def _folder_shown(folder: Folder) -> dict[str, Any]:
    return {"id": folder.id, "displayName": folder.name, "parentFolderId": folder.parent or folder.id}


def _context(call: Call, what: str = "contacts") -> str:
    return f"users('{call.user.email}')/{what}"


def _check(call: Call, wanted: Asked) -> None:
    """GraphError where Exchange does not search, filter or order contacts so: there is no $search at all, and of functions only
    startswith; inside of a collection only eq."""
    if "$search" in call.query:
        raise GraphError(400, "ErrorInvalidUrlQuery", "The query parameter '$search' is not supported with this resource.")
    only_filtered(wanted, FILTERED)
    if others := [str(one.path) for one in wanted.order if str(one.path) not in ORDERED]:
        raise GraphError(400, "ErrorInvalidProperty", f"The property '{others[0]}' does not support sorting.")
    for one in walk(wanted.filter) if wanted.filter else ():
        if isinstance(one, Function) and one.name != "startswith":
            raise _complex()
        if isinstance(one, Lambda):
            _check_lambda(one)


def _check_lambda(held: Lambda) -> None:
    inside = list(walk(held.condition)) if held.condition else []
    beyond = any(isinstance(one, Function) or (isinstance(one, Compare) and one.operator != "eq") for one in inside)
    if held.kind == "all" or beyond:
        raise _complex()
    if str(held.over) == PROPERTY and not any(_names_one(one) for one in inside):
        raise GraphError(400, "ErrorInvalidUrlQueryFilter", "A filter for an extended property names its id.")


def _names_one(one: object) -> bool:
    left = one.left if isinstance(one, Compare) else None
    return isinstance(left, Path) and left.parts[-1] == "id" and isinstance(getattr(one, "right", None), Constant)


def _complex() -> GraphError:
    return GraphError(400, "ErrorInvalidUrlQueryFilter", "The query filter contains one or more invalid nodes.")


MODEL = "msgraph.generated.models.contact.Contact"
FOLDER = "msgraph.generated.models.contact_folder.ContactFolder"
PLACES = ("/me/contacts", "/me/contactFolders/{folder}/contacts")
HANDLERS: dict[str, Handler] = {
    **{f"GET {place}": listing for place in PLACES},
    **{f"POST {place}": create for place in PLACES},
    **{f"GET {place}/delta": delta for place in PLACES},
    **{f"GET {place}/{{contact}}": get for place in PLACES},
    **{f"PATCH {place}/{{contact}}": update for place in PLACES},
    **{f"DELETE {place}/{{contact}}": delete for place in PLACES},
    "GET /me/contactFolders": folders,
    "POST /me/contactFolders": create_folder,
    "GET /me/contactFolders/{folder}": folder,
    "GET /me/contactFolders/{folder}/childFolders": folders,
    "POST /me/contactFolders/{folder}/childFolders": create_folder,
}
ANSWERS = {name: FOLDER if name.endswith(("Folders", "{folder}")) else MODEL for name in HANDLERS}
MODELS = {name: model for name, model in ANSWERS.items() if name.startswith(("POST", "PATCH"))}
