"""What the rules of the matrix may ask: every fact and count by its name."""

from collections.abc import Mapping

FLAGS: Mapping[str, str] = {
    "reaches_others": "somebody other than the user hears of it",
    "unknown_recipient": "an address that neither the user wrote nor anything of theirs vouches for",
    "others_attend": "others are in the event, before or after, and it changes for them",
    "others_organise": "somebody else organises the event",
    "whole_series": "it changes every event of a series",
    "past": "the event is over",
    "undoable": "it can be taken back",
    "unseen": "what it changes, answers or forwards could not be looked at",
    "guarded_folder": "it files a mail where mail is sent from or kept as written by the user",
    "unsaid_address": "a contact gets an address that the user did not write",
    "shared_calendar": "others see the calendar that it writes to",
    "same_skeleton": "an address that looks exactly like a known one",
    "lookalike": "an address or name that could be taken for a known one",
    "lookalike_named": "the same, where the user gave just this address",
    "secret": "a security code, or a link that signs in or resets, that the user neither wrote nor spoke of would leave",
    "secret_asked": "the same, where the user spoke of a code or link, or of forwarding that mail",
    "foreign_link": "a link that carries data, from somebody else than those reached or from nowhere",
    "plain_link": "any other link from there",
    "foreign_detail": "an amount that stands nowhere, or a phone number or address from elsewhere",
    "repeats": "words of a mail or event that those reached have no part in, where the user spoke of neither",
    "reply_elsewhere": "an answer goes to a reply-to address at another domain than the sender's",
    "outsider": "an answer or forward reaches somebody at a domain that nobody in the thread has, whom the user did not name",
    "outsider_named": "the same, with earlier history, where the user named them",
    "to_list": "an answer goes to a mailing list",
    "was_bcc": "the user had only a blind copy and answers the others",
    "sent_and_deleted": "a mail goes out while one is deleted",
    "same_sent_and_deleted": "a mail is sent on and deleted, which the user did not ask for in one message",
    "from_message": "what a contact gets comes from a message",
    "name_clash": "a contact would be called like another, with other addresses",
    "hidden": "what is answered or forwarded holds what nobody sees, differs in its parts, or is not from whom it says",
    "invisible": "its own text has letters that nobody sees",
    "conflict": "something else is at that time",
    "outside_hours": "it is outside of the user's day or on a weekend, at a time the user did not name",
    "duplicate": "the same is there already, or was sent in the last day, or comes twice",
}
"""Facts about one action that are true or false. Those from `same_skeleton` on hold clauses that say what is wrong, and are true
where there is one: a reason can use them by name."""

PROVENANCE: frozenset[str] = frozenset(
    {
        "unknown_recipient",
        "unsaid_address",
        "shared_calendar",
        "same_skeleton",
        "lookalike",
        "lookalike_named",
        "secret",
        "secret_asked",
        "foreign_link",
        "plain_link",
        "foreign_detail",
        "repeats",
        "reply_elsewhere",
        "outsider",
        "outsider_named",
        "to_list",
        "was_bcc",
        "sent_and_deleted",
        "same_sent_and_deleted",
        "from_message",
        "name_clash",
        "hidden",
        "invisible",
    }
)
"""Those that come from where something in a proposal came from and whom it goes to."""

COUNTS: Mapping[str, str] = {
    "recipients": "different addresses that mail goes to",
    "sent": "mails sent",
    "deletions": "things deleted",
    "mails": "mails marked or moved",
    "events": "events created or changed",
    "contacts": "contacts created or changed",
    "drafts": "drafts saved",
    "invitees": "people invited to one event, the most of any",
    "answers": "invitations answered",
}
"""Numbers about the whole proposal."""
