"""What people.searchContacts finds: values, and words inside of them, that begin with the query."""

from collections.abc import Iterator

from doubles.google.people.fields import Person

SEARCHED = {
    "names": ("displayName", "displayNameLastFirst"),
    "nicknames": ("value",),
    "emailAddresses": ("value",),
    "phoneNumbers": ("value", "canonicalForm"),
    "organizations": ("name", "title"),
}


def matches(fields: Person, text: str) -> bool:
    wanted = " ".join(text.casefold().split())
    return any(phrase.startswith(wanted) for value in _values(fields) for phrase in _phrases(value.casefold()))


def _values(fields: Person) -> Iterator[str]:
    for field, parts in SEARCHED.items():
        for item in fields.get(field, ()):
            yield from (item[part] for part in parts if item.get(part))


def _phrases(value: str) -> Iterator[str]:
    """From each of its words to the end."""
    words = value.split()
    return (" ".join(words[at:]) for at in range(len(words)))
