"""Which permission an operation needs."""

import re

SCOPES = frozenset(["Mail.ReadWrite", "Mail.Send", "Calendars.ReadWrite", "Contacts.ReadWrite", "User.Read"])
"""What an account has unless told otherwise."""
KNOWN = SCOPES | frozenset(
    (
        "Mail.Read Mail.ReadBasic Calendars.Read Calendars.ReadBasic Calendars.Read.Shared Calendars.ReadWrite.Shared "
        "Contacts.Read MailboxSettings.Read MailboxSettings.ReadWrite User.ReadBasic.All People.Read"
    ).split()
)
NEEDED = (
    (r"GET /me", {"User.Read"}),
    (r"POST /me/(messages/\{\w+\}/send|sendMail)", {"Mail.Send"}),
    (r"GET /me/(messages|mailFolders).*", {"Mail.Read", "Mail.ReadWrite"}),
    (r"\w+ /me/(messages|mailFolders).*", {"Mail.ReadWrite"}),
    (r"GET /me/contact.*", {"Contacts.Read", "Contacts.ReadWrite"}),
    (r"\w+ /me/contact.*", {"Contacts.ReadWrite"}),
    (r"POST /me/calendar/getSchedule", {"Calendars.Read", "Calendars.ReadWrite", "Calendars.ReadBasic"}),
    (r"POST /me/findMeetingTimes", {"Calendars.Read.Shared", "Calendars.ReadWrite.Shared"}),
    (r"GET /me/(calendar|event).*", {"Calendars.Read", "Calendars.ReadWrite"}),
    (r"\w+ /me/(calendar|event).*", {"Calendars.ReadWrite"}),
    (r"GET /me/(mailboxSettings|outlook).*", {"MailboxSettings.Read", "MailboxSettings.ReadWrite"}),
    (r"\w+ /me/(mailboxSettings|outlook).*", {"MailboxSettings.ReadWrite"}),
)
"""Any of them will do; the first that fits counts."""


def needed(operation: str) -> frozenset[str]:
    """Empty where none is needed."""
    return next((frozenset(scopes) for pattern, scopes in NEEDED if re.fullmatch(pattern, operation)), frozenset())
