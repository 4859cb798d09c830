"""What a program may propose over MCP: each becomes a preview that the person approves on their own page, or leaves."""

from collections.abc import Callable
from typing import Annotated, Any, Literal

from pydantic import Field

from assistant.agents.composing import recipients_of_reply, titled
from assistant.errors import UserError
from assistant.facade import Turn
from assistant.reasoning.inert import inert
from assistant.service.doors import cards
from assistant.service.doors.reading import Account, Id, addresses
from assistant.service.doors.tools import Client, client
from assistant.service.params import Moment
from assistant.values import Question
from integrations.actions import (
    Action,
    AnswerInvitation,
    CancelEvent,
    CreateContact,
    CreateEvent,
    MarkMail,
    MoveMail,
    SaveDraft,
    SendMail,
    UpdateContact,
    UpdateEvent,
)
from integrations.types import ContactRef, Event, EventRef, Mail, MailRef, Value
from risk.preview import Preview

Text = Annotated[str, Field(max_length=200_000)]
People = Annotated[tuple[str, ...], Field(description='Addresses: "anna@example.org" or "Anna Berg <anna@example.org>".')]
Own = Annotated[str, Field(description="The account to write in; empty for the person's first.")]
Conversation = Annotated[str, Field(description="The conversation to go on in; empty for a new one.", max_length=200)]
Instance = Annotated[Moment | None, Field(description="`recurrence` of one event of a series; without it the whole series.")]
Comment = Annotated[str, Field(description="What is told with it, where the provider carries words.", max_length=2000)]
Draft = Annotated[bool, Field(description="Only keep it as a draft; nobody receives it.")]


class Proposed(Value):
    """`approve_at` are the pages on which the person approves these previews; `reply` tells what came of it where there is none;
    programs may render it, so its links, pictures and HTML are made harmless where they are none that were asked about."""

    conversation: str
    flow: str
    status: str
    reply: str
    question: Question | None = None
    previews: tuple[Preview, ...] = ()
    approve_at: tuple[str, ...] = ()


async def ask(
    words: Annotated[str, Field(description="A question or request in plain words.", min_length=1)], conversation: Conversation = ""
) -> Proposed:
    """Asks the assistant itself, which looks things up and proposes. Nothing that is said here approves anything."""
    asking, conversation = client(), await _in(conversation)
    return _told(asking, await asking.assistant.say(conversation, words, own_words=False))


async def propose_mail(
    to: People,
    subject: str,
    body: Text,
    cc: People = (),
    bcc: People = (),
    send_at: Annotated[Moment | None, Field(description="Not before then; empty for at once.")] = None,
    draft: Draft = False,
    account: Own = "",
    conversation: Conversation = "",
) -> Proposed:
    """Proposes a new mail."""
    mail = SendMail(
        account=_own(account),
        to=addresses(to),
        cc=addresses(cc),
        bcc=addresses(bcc),
        subject=subject,
        body=body,
        send_at=send_at,
    )
    return await _propose(_kept(mail) if draft else mail, conversation)


async def propose_reply(
    account: Account,
    id: Id,
    body: Text,
    everyone: Annotated[bool, Field(description="To all who are on the mail, not its sender alone.")] = False,
    draft: Draft = False,
    conversation: Conversation = "",
) -> Proposed:
    """Proposes an answer to a mail."""
    mail = await _mail(account, id)
    own = frozenset(one.address.lower() for one in client().assistant.accounts)
    to, cc = recipients_of_reply(mail, own, to_all=everyone)
    reply = SendMail(account=account, to=to, cc=cc, subject=titled("Re", mail.subject), body=body, reply_to=mail.ref)
    return await _propose(_kept(reply) if draft else reply, conversation)


async def propose_forward(
    account: Account, id: Id, to: People, body: Text = "", draft: Draft = False, conversation: Conversation = ""
) -> Proposed:
    """Proposes to send a mail on, with its text and attachments."""
    mail = await _mail(account, id)
    on = SendMail(account=account, to=addresses(to), subject=titled("Fwd", mail.subject), body=body, forward_of=mail.ref)
    return await _propose(_kept(on) if draft else on, conversation)


async def propose_filing(
    account: Account,
    id: Id,
    folder: Annotated[str, Field(description="Archive, Trash, INBOX or another; empty to leave it where it is.")] = "",
    seen: bool | None = None,
    flagged: bool | None = None,
    conversation: Conversation = "",
) -> Proposed:
    """Proposes to move a mail, or to mark it read, unread or flagged."""
    mail = await _mail(account, id)
    actions: list[Action] = []
    if seen is not None or flagged is not None:
        actions.append(MarkMail(account=account, mail=mail.ref, seen=seen, flagged=flagged))
    if folder:
        actions.append(MoveMail(account=account, mail=mail.ref, folder=folder))
    if len(actions) != 1:
        raise UserError("Give either a folder, or what to mark the mail as.")
    return await _propose(actions[0], conversation)


async def propose_event(
    title: str,
    start: Moment,
    end: Moment,
    attendees: People = (),
    location: str = "",
    description: Text = "",
    all_day: bool = False,
    rrule: Annotated[str, Field(description="To repeat it: FREQ=WEEKLY;COUNT=4")] = "",
    account: Own = "",
    calendar: Annotated[str, Field(description="Empty for the account's first.")] = "",
    conversation: Conversation = "",
) -> Proposed:
    """Proposes a new event; attendees are invited to it."""
    _in_order(start, end)
    event = CreateEvent(
        account=_own(account),
        calendar=calendar,
        title=title,
        start=start,
        end=end,
        all_day=all_day,
        attendees=addresses(attendees),
        location=location,
        description=description,
        rrule=rrule,
    )
    return await _propose(event, conversation)


async def propose_event_change(
    account: Account,
    calendar: str,
    id: Id,
    recurrence: Instance = None,
    title: str | None = None,
    start: Moment | None = None,
    end: Moment | None = None,
    location: str | None = None,
    description: Text | None = None,
    add_attendees: People = (),
    remove_attendees: Annotated[tuple[str, ...], Field(description="Addresses.")] = (),
    conversation: Conversation = "",
) -> Proposed:
    """Proposes to change an event; what is left out stays as it is, its length too where only the start is given."""
    event = await _event(account, calendar, id, recurrence)
    if start is not None and end is None:
        end = start + (event.end - event.start)
    if start is not None and end is not None:
        _in_order(start, end)
    change = UpdateEvent(
        account=account,
        event=event.ref,
        title=title,
        start=start,
        end=end,
        location=location,
        description=description,
        add_attendees=addresses(add_attendees),
        remove_attendees=tuple(one.email for one in addresses(remove_attendees)),
    )
    return await _propose(change, conversation)


async def propose_event_cancellation(
    account: Account, calendar: str, id: Id, recurrence: Instance = None, comment: Comment = "", conversation: Conversation = ""
) -> Proposed:
    """Proposes to cancel an event, of which its attendees hear."""
    event = await _event(account, calendar, id, recurrence)
    return await _propose(CancelEvent(account=account, event=event.ref, comment=comment), conversation)


async def propose_invitation_answer(
    account: Account,
    calendar: str,
    id: Id,
    answer: Literal["accepted", "declined", "tentative"],
    recurrence: Instance = None,
    comment: Comment = "",
    conversation: Conversation = "",
) -> Proposed:
    """Proposes an answer to an invitation."""
    event = await _event(account, calendar, id, recurrence)
    return await _propose(AnswerInvitation(account=account, event=event.ref, answer=answer, comment=comment), conversation)


async def propose_contact(
    name: Annotated[str, Field(min_length=1)],
    emails: tuple[str, ...] = (),
    phones: tuple[str, ...] = (),
    company: str = "",
    title: str = "",
    note: str = "",
    account: Own = "",
    conversation: Conversation = "",
) -> Proposed:
    """Proposes a new entry in the address book."""
    known = tuple(one.email for one in addresses(emails))
    card = CreateContact(account=_own(account), name=name, emails=known, phones=phones, company=company, title=title, note=note)
    return await _propose(card, conversation)


async def propose_contact_change(
    account: Account,
    id: Id,
    name: str | None = None,
    emails: Annotated[tuple[str, ...] | None, Field(description="All of them; those left out are removed.")] = None,
    phones: Annotated[tuple[str, ...] | None, Field(description="All of them; those left out are removed.")] = None,
    company: str | None = None,
    title: str | None = None,
    note: str | None = None,
    conversation: Conversation = "",
) -> Proposed:
    """Proposes to change an entry in the address book; what is left out stays as it is."""
    contact = await client().assistant.readers.contacts.get(ContactRef(account=account, id=id))
    change = UpdateContact(
        account=account,
        contact=contact.ref,
        name=name,
        emails=None if emails is None else tuple(one.email for one in addresses(emails)),
        phones=phones,
        company=company,
        title=title,
        note=note,
    )
    return await _propose(change, conversation)


PROPOSING: tuple[Callable[..., Any], ...] = (
    ask,
    propose_mail,
    propose_reply,
    propose_forward,
    propose_filing,
    propose_event,
    propose_event_change,
    propose_event_cancellation,
    propose_invitation_answer,
    propose_contact,
    propose_contact_change,
)


async def _propose(action: Action, conversation: str) -> Proposed:
    asking, conversation = client(), await _in(conversation)
    return _told(asking, await asking.assistant.propose(conversation, [action], by="program"))


async def _in(conversation: str) -> str:
    if not conversation:
        return await client().assistant.begin()
    await client().assistant.known(conversation)
    return conversation


def _told(asking: Client, turn: Turn) -> Proposed:
    page = asking.page.rstrip("/")
    known = cards.known_to(turn, page)
    return Proposed(
        conversation=turn.conversation,
        flow=turn.flow,
        status=turn.status,
        reply=inert(turn.reply, known),
        question=turn.question and _inert(turn.question, known),
        previews=turn.previews,
        approve_at=tuple(f"{page}/#/preview/{preview.id}" for preview in turn.previews) if page else (),
    )


def _inert(question: Question, known: str) -> Question:
    """What a choice stands for stays as it is: nobody is shown it."""
    choices = tuple(one.model_copy(update={"label": inert(one.label, known)}) for one in question.choices)
    return question.model_copy(update={"text": inert(question.text, known), "choices": choices})


def _own(account: str) -> str:
    return account or client().assistant.accounts[0].name


async def _mail(account: str, id: str) -> Mail:
    """As it stands now, so that what is proposed about it carries its present etag."""
    return await client().assistant.readers.mail.get(MailRef(account=account, id=id))


async def _event(account: str, calendar: str, id: str, recurrence: Moment | None) -> Event:
    return await client().assistant.readers.calendar.get(EventRef(account=account, calendar=calendar, id=id, recurrence=recurrence))


def _kept(mail: SendMail) -> SaveDraft:
    return SaveDraft.model_validate(mail.model_dump(exclude={"kind", "send_at", "html"}))


def _in_order(start: Moment, end: Moment) -> None:
    if end <= start:
        raise UserError("The end must come after the start.")
