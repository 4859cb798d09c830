"""In which request to Graph each kind of action takes effect."""

from collections.abc import Mapping

METHODS: Mapping[str, str] = {
    "send_mail": "POST /me/messages/{message}/send",
    "save_draft": "POST /me/messages",
    "delete_draft": "DELETE /me/messages/{message}",
    "mark_mail": "PATCH /me/messages/{message}",
    "move_mail": "POST /me/messages/{message}/move",
    "create_event": "POST /me/calendars/{calendar}/events",
    "update_event": "PATCH /me/events/{event}",
    "cancel_event": "DELETE /me/events/{event}",
    "answer_invitation": "POST /me/events/{event}/accept",
    "restore_event": "PATCH /me/events/{event}",
    "create_contact": "POST /me/contacts",
    "update_contact": "PATCH /me/contacts/{contact}",
    "delete_contact": "DELETE /me/contacts/{contact}",
    "restore_contact": "PATCH /me/contacts/{contact}",
}
ANSWERS: Mapping[str, str] = {
    "accepted": "POST /me/events/{event}/accept",
    "declined": "POST /me/events/{event}/decline",
    "tentative": "POST /me/events/{event}/tentativelyAccept",
}
"""By the answer to an invitation."""
