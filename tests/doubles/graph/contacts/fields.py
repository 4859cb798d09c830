"""What a contact may say, and what Exchange makes of it."""

import re
from collections.abc import Mapping
from typing import Any

from doubles.graph.calls import GraphError
from doubles.graph.extended import normal

TEXTS = (
    "assistantName businessHomePage companyName department displayName fileAs generation givenName initials jobTitle manager "
    "middleName mobilePhone nickName officeLocation personalNotes profession spouseName surname title yomiCompanyName "
    "yomiGivenName yomiSurname"
).split()
LISTS = ("businessPhones", "categories", "children", "emailAddresses", "homePhones", "imAddresses")
ADDRESSES = ("businessAddress", "homeAddress", "otherAddress")
EMPTY: Mapping[str, Any] = {
    **dict.fromkeys(TEXTS),
    **{name: [] for name in LISTS},
    **{name: {} for name in ADDRESSES},
    "birthday": None,
}
"""How what is not there is told."""
MADE_UP = ("id", "@odata.etag", "@odata.type", "changeKey", "createdDateTime", "lastModifiedDateTime", "parentFolderId")
PRIMARY = ("primaryEmailAddress", "secondaryEmailAddress", "tertiaryEmailAddress")
MOST = {"emailAddresses": 3, "businessPhones": 2, "homePhones": 2, "imAddresses": 3}
NAME = ("title", "givenName", "middleName", "surname", "generation")
"""What a displayName is put together of, in this order."""


def taken(fields: Mapping[str, Any]) -> dict[str, Any]:
    """As it is stored. GraphError where there is no room for it."""
    for name, most in MOST.items():
        if len(fields.get(name) or ()) > most:
            raise GraphError(400, "ErrorInvalidArgument", f"The property '{name}' holds at most {most} entries.")
    if unstored := set(PRIMARY) & set(fields):
        raise GraphError(400, "ErrorInvalidArgument", f"{sorted(unstored)} are set by emailAddresses.")
    return {name: _stored(name, value) for name, value in fields.items() if name not in MADE_UP}


def named(fields: dict[str, Any], *, told: Mapping[str, Any]) -> dict[str, Any]:
    """With the displayName and fileAs that Exchange makes of the parts of a name."""
    if "displayName" not in told and set(told) & set(NAME):
        fields["displayName"] = " ".join(fields[part] for part in NAME if fields.get(part))
    if "fileAs" not in told and (set(told) & {*NAME, "displayName"} or not fields.get("fileAs")):
        whole = ", ".join(filter(None, (fields.get("surname"), _given(fields))))
        fields["fileAs"] = whole or fields.get("displayName") or fields.get("companyName")
    return fields


def _given(fields: Mapping[str, Any]) -> str:
    return " ".join(fields[part] for part in ("givenName", "middleName") if fields.get(part))


def _stored(name: str, value: Any) -> Any:
    """A birthday is a day, held at noon; notes have the line ends of Windows; an address without a name is named by itself."""
    match name, value:
        case "birthday", str():
            return f"{value[:10]}T11:59:00Z"
        case "personalNotes", str():
            return re.sub(r"\r?\n", "\r\n", value)
        case "emailAddresses", list():
            return [{"name": one.get("name") or one.get("address"), "address": one.get("address")} for one in value]
        case "singleValueExtendedProperties", list():
            return [{"id": normal(one["id"]), "value": one.get("value")} for one in value]
        case _:
            return value
