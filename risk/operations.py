"""What an action does, in one word: the matrix has rules for these operations, and the user's words mandate them."""

from collections.abc import Mapping

from integrations.actions import Action, MarkMail, MoveMail, SaveDraft, SendMail, UpdateEvent
from integrations.types import ARCHIVE, INBOX, TRASH

OPERATIONS: Mapping[str, str] = {
    "send": "sends a new mail",
    "reply": "answers a mail",
    "forward": "forwards a mail",
    "draft": "saves a draft",
    "delete_draft": "deletes a draft",
    "mark": "marks a mail",
    "archive": "archives a mail",
    "trash": "moves a mail to the trash",
    "restore": "moves a mail back to the inbox",
    "move": "moves a mail to another folder",
    "create_event": "creates an event",
    "move_event": "changes the time of an event",
    "update_event": "changes the title, place or text of an event",
    "invite": "invites to an event",
    "uninvite": "takes people out of an event",
    "cancel_event": "cancels an event",
    "answer_invitation": "answers an invitation",
    "restore_event": "puts an event back",
    "create_contact": "adds a contact",
    "update_contact": "changes a contact",
    "delete_contact": "deletes a contact",
    "restore_contact": "puts a contact back",
    "save_template": "saves a reply template",
    "delete_template": "deletes a reply template",
}
"""Every operation, in words. `mark` covers read, unread, flagged and unflagged; `move_event` also a new length."""

DELETING = frozenset({"trash", "delete_draft", "cancel_event", "delete_contact", "delete_template"})
UNDOABLE = frozenset(OPERATIONS) - {"send", "reply", "forward", "answer_invitation", "delete_draft"}


def operations_of(action: Action) -> frozenset[str]:
    """All that the action does; only an update of an event can do several things at once."""
    if isinstance(action, UpdateEvent):
        return _of_update(action)
    return frozenset({operation_of(action)})


def operation_of(action: Action) -> str:
    """The one word for the action; for an update that does several things, the weightiest."""
    match action:
        case SendMail():
            return "reply" if action.reply_to else "forward" if action.forward_of else "send"
        case SaveDraft():
            return "draft"
        case MarkMail():
            return "mark"
        case MoveMail():
            return {TRASH: "trash", ARCHIVE: "archive", INBOX: "restore"}.get(action.folder, "move")
        case UpdateEvent():
            done = _of_update(action)
            return next(name for name in ("invite", "uninvite", "move_event", "update_event") if name in done)
    return action.kind


def _of_update(action: UpdateEvent) -> frozenset[str]:
    moved = any(value is not None for value in (action.start, action.end, action.all_day))
    edited = any(value is not None for value in (action.title, action.location, action.description))
    done = {
        "move_event": moved,
        "update_event": edited,
        "invite": bool(action.add_attendees),
        "uninvite": bool(action.remove_attendees),
    }
    return frozenset(name for name, does in done.items() if does) or frozenset({"update_event"})
