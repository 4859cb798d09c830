"""Puts a contact into an emulated account, as another program would."""

from typing import Any

from doubles.given import GivenContact
from doubles.graph.contacts.book import AddressBook


def put_contact(book: AddressBook, contact: GivenContact, folder: str = "") -> str:
    """Its id. Groups are categories."""
    return book.put(contact_resource(contact), folder)


def contact_resource(contact: GivenContact) -> dict[str, Any]:
    """With some of what Outlook knows of a contact and the assistant does not."""
    given, _, family = contact.name.rpartition(" ")
    mobile, *others = contact.phones or ("",)
    return {
        "givenName": given,
        "surname": family,
        "displayName": contact.name,
        "nickName": contact.nickname,
        "emailAddresses": [{"name": contact.name, "address": email} for email in contact.emails],
        "mobilePhone": mobile,
        "businessPhones": others[:2],
        "homePhones": others[2:],
        "companyName": contact.company,
        "jobTitle": contact.title,
        "department": "Accounting" if contact.company else "",
        "categories": list(contact.groups),
        "birthday": f"{contact.birthday}T11:59:00Z" if contact.birthday else None,
        "personalNotes": contact.note,
        "spouseName": "Chris",
        "businessHomePage": "https://north.example/",
        "homeAddress": {"city": "Berlin", "countryOrRegion": "Germany"},
    }
