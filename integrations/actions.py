"""Writes as values. Agents, models and rules can only propose them; `assistant.pipeline.execute` alone carries them out.

Every action names its `account`; every change names what it changes with the etag it was read at.
"""

from typing import Annotated, Literal

from pydantic import AwareDatetime, Field

from integrations.types import Address, ContactRef, EventRef, MailRef, Value


class SendMail(Value):
    """A new mail, a reply (`reply_to`) or a forward (`forward_of`, whose text and attachments the writer appends). `send_at`: not
    before then; writers take no notice of it, since the outbox holds it until its time has come. `html` shows the same as `body`,
    better; only what the assistant sends to the user has it, and says in its head that a program has sent it."""

    kind: Literal["send_mail"] = "send_mail"
    account: str
    to: tuple[Address, ...] = ()
    cc: tuple[Address, ...] = ()
    bcc: tuple[Address, ...] = ()
    subject: str = ""
    body: str = ""
    html: str = ""
    reply_to: MailRef | None = None
    forward_of: MailRef | None = None
    send_at: AwareDatetime | None = None


class SaveDraft(Value):
    """The same content as SendMail, kept in Drafts."""

    kind: Literal["save_draft"] = "save_draft"
    account: str
    to: tuple[Address, ...] = ()
    cc: tuple[Address, ...] = ()
    bcc: tuple[Address, ...] = ()
    subject: str = ""
    body: str = ""
    reply_to: MailRef | None = None
    forward_of: MailRef | None = None


class DeleteDraft(Value):
    kind: Literal["delete_draft"] = "delete_draft"
    account: str
    mail: MailRef


class MarkMail(Value):
    kind: Literal["mark_mail"] = "mark_mail"
    account: str
    mail: MailRef
    seen: bool | None = None
    flagged: bool | None = None


class MoveMail(Value):
    """To Archive, Trash, INBOX or another folder. Moving to Trash is how mail is deleted here."""

    kind: Literal["move_mail"] = "move_mail"
    account: str
    mail: MailRef
    folder: str


class CreateEvent(Value):
    """`calendar` empty: the account's first writable one. `attendees` are invited. `rrule` without the RRULE: prefix."""

    kind: Literal["create_event"] = "create_event"
    account: str
    calendar: str = ""
    title: str
    start: AwareDatetime
    end: AwareDatetime
    all_day: bool = False
    attendees: tuple[Address, ...] = ()
    location: str = ""
    description: str = ""
    rrule: str = ""


class UpdateEvent(Value):
    """Fields that are None stay as they are; attendees are changed only by adding and removing."""

    kind: Literal["update_event"] = "update_event"
    account: str
    event: EventRef
    title: str | None = None
    start: AwareDatetime | None = None
    end: AwareDatetime | None = None
    all_day: bool | None = None
    location: str | None = None
    description: str | None = None
    add_attendees: tuple[Address, ...] = ()
    remove_attendees: tuple[str, ...] = ()


class CancelEvent(Value):
    """Removes one instance, or the series when `event.recurrence` is None. `comment` is told to those invited, where the provider
    carries one; the receipt says where it doesn't. A guest removes but the own copy: nobody is told of that, nor a comment."""

    kind: Literal["cancel_event"] = "cancel_event"
    account: str
    event: EventRef
    comment: str = ""


class AnswerInvitation(Value):
    """`comment` is told to the organiser, as that of CancelEvent is told."""

    kind: Literal["answer_invitation"] = "answer_invitation"
    account: str
    event: EventRef
    answer: Literal["accepted", "declined", "tentative"]
    comment: str = ""


class CreateContact(Value):
    kind: Literal["create_contact"] = "create_contact"
    account: str
    name: str
    nickname: str = ""
    emails: tuple[str, ...] = ()
    phones: tuple[str, ...] = ()
    company: str = ""
    title: str = ""
    groups: tuple[str, ...] = ()
    note: str = ""


class UpdateContact(Value):
    """Fields that are None stay as they are; a tuple given replaces the whole list."""

    kind: Literal["update_contact"] = "update_contact"
    account: str
    contact: ContactRef
    name: str | None = None
    nickname: str | None = None
    emails: tuple[str, ...] | None = None
    phones: tuple[str, ...] | None = None
    company: str | None = None
    title: str | None = None
    groups: tuple[str, ...] | None = None
    note: str | None = None


class DeleteContact(Value):
    kind: Literal["delete_contact"] = "delete_contact"
    account: str
    contact: ContactRef


class SaveTemplate(Value):
    """A reply template is the user's own; `account` stays empty. An existing one of that name is replaced."""

    kind: Literal["save_template"] = "save_template"
    account: Literal[""] = ""
    name: str
    body: str
    subject: str = ""


class DeleteTemplate(Value):
    kind: Literal["delete_template"] = "delete_template"
    account: Literal[""] = ""
    name: str


class RestoreEvent(Value):
    """Puts an event back as its calendar object read before a change or a removal; only an undo makes one. What `ics` holds is its
    provider's own, but for the ATTENDEE lines of a VEVENT, which name those who will hear of it.
    `event.etag` is the etag left by what is undone, empty where the event is gone."""

    kind: Literal["restore_event"] = "restore_event"
    account: str
    event: EventRef
    ics: str


class RestoreContact(Value):
    """As RestoreEvent, for a contact's vCard."""

    kind: Literal["restore_contact"] = "restore_contact"
    account: str
    contact: ContactRef
    vcf: str


MailAction = SendMail | SaveDraft | DeleteDraft | MarkMail | MoveMail
CalendarAction = CreateEvent | UpdateEvent | CancelEvent | AnswerInvitation | RestoreEvent
ContactAction = CreateContact | UpdateContact | DeleteContact | RestoreContact
TemplateAction = SaveTemplate | DeleteTemplate
Action = Annotated[MailAction | CalendarAction | ContactAction | TemplateAction, Field(discriminator="kind")]


class Receipt(Value):
    """What the provider answered. `id` and `etag` are of what now exists; `changed` are other things as they stand now, where the
    write has changed them along the way (the mail that was answered); `undo` are the actions that take it back (empty: it
    cannot be); `note` is said to the user ("put into the Outbox: this account has no SMTP server"); `differs` tells in words what
    the provider's own copy of a sent mail has otherwise than was approved ("it also went to x@y.example"), empty where nothing or
    where there is no copy to look at."""

    action: str
    account: str
    key: str
    id: str = ""
    etag: str = ""
    changed: tuple[MailRef, ...] = ()
    note: str = ""
    differs: str = ""
    undo: tuple[Action, ...] = ()
