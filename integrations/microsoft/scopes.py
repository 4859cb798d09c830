"""What the assistant asks for at Microsoft."""

from collections.abc import Iterable

SCOPES = {
    "Mail.ReadWrite": "read, write and file your mail",
    "Mail.Send": "send mail that you approved",
    "Calendars.ReadWrite": "read and change your calendars",
    "Contacts.ReadWrite": "read and change your contacts",
    "User.Read": "see your name and your address",
}
"""The least that covers what an account is for, with what each allows."""
GRAPH = "https://graph.microsoft.com/"


def short(scopes: Iterable[str]) -> frozenset[str]:
    """In small letters, without Graph's address, which Microsoft's answers have or have not."""
    return frozenset(scope.lower().removeprefix(GRAPH) for scope in scopes)
