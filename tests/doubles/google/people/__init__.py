"""The emulated People API. Somebody else's side: `world.people(email)`."""

from doubles.google.calls import Handler
from doubles.google.people import groups, people
from doubles.google.people.book import AddressBook, Contact

__all__ = ["HANDLERS", "AddressBook", "Contact"]

HANDLERS: dict[str, Handler] = {
    "people.people.get": people.get,
    "people.people.getBatchGet": people.batch_get,
    "people.people.connections.list": people.connections,
    "people.people.searchContacts": people.search,
    "people.people.createContact": people.create,
    "people.people.updateContact": people.update,
    "people.people.deleteContact": people.delete,
    "people.people.batchDeleteContacts": people.batch_delete,
    "people.otherContacts.list": people.others,
    "people.otherContacts.search": people.search_others,
    "people.otherContacts.copyOtherContactToMyContactsGroup": people.copy_other,
    "people.contactGroups.list": groups.list_,
    "people.contactGroups.get": groups.get,
    "people.contactGroups.batchGet": groups.batch_get,
    "people.contactGroups.create": groups.create,
    "people.contactGroups.update": groups.update,
    "people.contactGroups.delete": groups.delete,
    "people.contactGroups.members.modify": groups.modify,
}
