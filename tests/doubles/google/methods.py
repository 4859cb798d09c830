"""In which call of the APIs each kind of action takes effect."""

METHODS = {
    "send_mail": "gmail.users.drafts.send",
    "save_draft": "gmail.users.drafts.create",
    "delete_draft": "gmail.users.drafts.delete",
    "mark_mail": "gmail.users.messages.modify",
    "move_mail": "gmail.users.messages.modify",
    "create_event": "calendar.events.insert",
    "update_event": "calendar.events.patch",
    "cancel_event": "calendar.events.delete",
    "answer_invitation": "calendar.events.patch",
    "restore_event": "calendar.events.patch",
    "create_contact": "people.people.createContact",
    "update_contact": "people.people.updateContact",
    "delete_contact": "people.people.deleteContact",
    "restore_contact": "people.people.updateContact",
}
