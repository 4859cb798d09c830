"""Which fields a person has, and what Google makes of the ones it is given."""

from copy import deepcopy
from typing import Any

from doubles.google.calls import ApiError, Call

Person = dict[str, Any]
FIELDS = frozenset(
    "addresses ageRanges biographies birthdays calendarUrls clientData coverPhotos emailAddresses events externalIds genders "
    "imClients interests locales locations memberships metadata miscKeywords names nicknames occupations organizations "
    "phoneNumbers photos relations sipAddresses skills urls userDefined".split()
)
WRITABLE = FIELDS - {"ageRanges", "coverPhotos", "metadata", "photos", "skills"}
SINGLETONS = ("biographies", "birthdays", "genders", "names")
OF_OTHERS = frozenset({"emailAddresses", "metadata", "names", "phoneNumbers", "photos"})
"""What "other contacts" have."""
NAME_PARTS = ("honorificPrefix", "givenName", "middleName", "familyName", "honorificSuffix")


def asked_for(call: Call, name: str, allowed: frozenset[str] = FIELDS, *, required: bool = True) -> frozenset[str]:
    """The fields that a parameter names; all allowed ones where it is missing and may be."""
    text = call.params.get(name)
    return allowed if not text and not required else mask(name, text, allowed)


def mask(name: str, text: str | None, allowed: frozenset[str] = FIELDS) -> frozenset[str]:
    """400 where it is missing or names what there is not."""
    if not text:
        raise ApiError(400, "invalid", f"{name} mask is required. Please specify one or more valid paths.")
    named = frozenset(text.split(","))
    if unknown := sorted(named - allowed):
        raise ApiError(400, "invalid", f'Invalid {name} mask path: "{unknown[0]}".')
    return named


def checked(person: Person) -> Person:
    """The writable fields, completed as Google completes them."""
    for name in SINGLETONS:
        if len(person.get(name) or ()) > 1:
            raise ApiError(400, "invalid", f"A contact has at most one of {name}.")
    fields = {name: deepcopy(person[name]) for name in WRITABLE if person.get(name)}
    for items in fields.values():
        for item in items:
            item.pop("metadata", None)
    for name in fields.get("names", ()):
        _complete_name(name)
    for address in fields.get("addresses", ()):
        address.setdefault("formattedValue", _formatted_address(address))
    for phone in fields.get("phoneNumbers", ()):
        if phone.get("value", "").startswith("+"):
            phone["canonicalForm"] = "+" + "".join(filter(str.isdigit, phone["value"]))
    for membership in fields.get("memberships", ()):
        _complete_membership(membership)
    return fields


def _complete_name(name: Person) -> None:
    """Parts win over the whole; a whole alone is taken apart."""
    if not any(name.get(part) for part in NAME_PARTS):
        words = name.get("unstructuredName", "").split()
        name |= {"givenName": " ".join(words[:-1]), "familyName": words[-1]} if len(words) > 1 else {"givenName": " ".join(words)}
    before_suffix = " ".join(name[part] for part in NAME_PARTS[:-1] if name.get(part))
    suffix = name.get("honorificSuffix")
    name["displayName"] = f"{before_suffix}, {suffix}" if suffix else before_suffix
    given = " ".join(name[part] for part in ("givenName", "middleName") if name.get(part))
    name["displayNameLastFirst"] = ", ".join(part for part in (name.get("familyName"), given) if part)
    name["unstructuredName"] = name["displayName"]


def _formatted_address(address: Person) -> str:
    town = " ".join(address[part] for part in ("postalCode", "city") if address.get(part))
    lines = [address.get("streetAddress"), address.get("extendedAddress"), address.get("poBox"), town, address.get("region")]
    return "\n".join(line for line in (*lines, address.get("country")) if line)


def _complete_membership(membership: Person) -> None:
    group = membership.get("contactGroupMembership", {})
    name = group.get("contactGroupResourceName", "")
    if not name.startswith("contactGroups/"):
        raise ApiError(400, "invalid", "A membership names a contact group.")
    group["contactGroupId"] = name.removeprefix("contactGroups/")


def in_group(group: str) -> Person:
    membership = {"contactGroupMembership": {"contactGroupResourceName": group}}
    _complete_membership(membership)
    return membership


def groups_of(fields: Person) -> list[str]:
    return [membership["contactGroupMembership"]["contactGroupResourceName"] for membership in fields.get("memberships", ())]


def shown(fields: Person, wanted: frozenset[str], source: Person) -> Person:
    """The fields wanted, each item with where it is from; the first of each is the primary one."""
    origin = {"source": {"type": source["type"], "id": source["id"]}}
    first = origin | {"primary": True, "sourcePrimary": True}
    return {
        name: [deepcopy(item) | {"metadata": origin if at else first} for at, item in enumerate(items)]
        for name, items in fields.items()
        if name in wanted
    }
