"""New mails, replies and forwards, as proposals."""

import re
from collections.abc import Iterable, Sequence
from typing import Literal

from assistant.agents.base import Desk
from assistant.agents.mails import mails_to_change
from assistant.agents.people import addresses_of, left_out
from assistant.agents.picking import referred
from assistant.agents.report import Notes, Refusal, ask
from assistant.agents.sending import scheduled
from assistant.agents.telling import told
from assistant.agents.templates import filled, template_called
from assistant.agents.words import mail_label, names, others
from assistant.reasoning.calls import Call, Person
from assistant.values import Brief, Data, Proposal
from integrations.actions import SaveDraft, SendMail
from integrations.types import DRAFTS, Address, ContactQuery, Mail, MailQuery, Value

_PREFIXES = {
    "Re": re.compile(r"^\s*(?:re|aw)\s*(?:\[\d+\])?\s*:\s*", re.IGNORECASE),
    "Fwd": re.compile(r"^\s*(?:fwd?|wg)\s*:\s*", re.IGNORECASE),
}
EVENT = re.compile(r"^\{(\d+)\}$")
NO_REPLY = re.compile(r"^(?:no|do[-_.]?not)[-_.]?reply\b|^mailer-daemon$", re.IGNORECASE)


class Content(Value):
    """What a mail says: its subject and body where they were dictated, else a brief."""

    subject: str = ""
    body: str = ""
    brief: Brief | None = None


def titled(prefix: Literal["Re", "Fwd"], subject: str) -> str:
    """ "Re: …" or "Fwd: …" without doubling what is there."""
    while (shorter := _PREFIXES[prefix].sub("", subject)) != subject:
        subject = shorter
    return f"{prefix}: {subject.strip()}".strip()


def is_reply(subject: str) -> bool:
    return bool(_PREFIXES["Re"].match(subject))


async def send(call: Call, desk: Desk, notes: Notes) -> Data:
    if call.select.refs and not call.body and (ready := _written(call, desk)):
        return await _send_written(call, ready, desk, notes)
    if call.select.refs and not (call.body or call.about) and _only_mails(call, desk):
        return await forward(call, desk, notes)
    return _sent([await _new_mail(one, desk, notes) for one in await _apart(call, desk, notes)], call, desk, notes)


async def draft(call: Call, desk: Desk, notes: Notes) -> Data:
    if call.field == "reply":
        return _proposed([_as_draft(p) for p in await _replies(call, desk, notes)])
    return _proposed([_as_draft(await _new_mail(one, desk, notes)) for one in await _apart(call, desk, notes)])


async def _apart(call: Call, desk: Desk, notes: Notes) -> list[Call]:
    """The call itself, or one for each recipient where everybody gets a mail of their own."""
    if not call.apart:
        return [call]
    to = await addresses_of(call.to, desk, notes)
    return [call.model_copy(update={"to": (Person(email=one.email, text=one.name),)}) for one in to]


async def reply(call: Call, desk: Desk, notes: Notes) -> Data:
    return _sent(await _replies(call, desk, notes), call, desk, notes)


async def forward(call: Call, desk: Desk, notes: Notes) -> Data:
    to, cc, bcc = await _lines(call, desk, notes)
    if not (to or cc or bcc):
        raise Refusal("not_understood", "Tell me whom to forward it to.")
    proposals = []
    for mail in await mails_to_change(call.select, desk, notes):
        content = _content(call, "forward", to, desk, mail) if call.body or call.about or call.template else Content()
        action = SendMail(
            account=mail.account,
            to=to,
            cc=cc,
            bcc=bcc,
            subject=call.subject or titled("Fwd", mail.subject),
            body=content.body,
            forward_of=mail.ref,
        )
        says = f"forward {mail_label(mail, desk.setting.now)} to {names(to or cc or bcc)}"
        proposals.append(Proposal(action=action, says=says, brief=content.brief, before=mail))
    return _sent(proposals, call, desk, notes)


def _only_mails(call: Call, desk: Desk) -> bool:
    data = referred(call.select, desk)
    return data.kind == "mails" and bool(data.mails)


def _proposed(proposals: Sequence[Proposal]) -> Data:
    return Data(kind="proposals", proposals=tuple(proposals))


def _sent(proposals: Sequence[Proposal], call: Call, desk: Desk, notes: Notes) -> Data:
    return _proposed([scheduled(proposal, call, desk, notes) for proposal in proposals])


async def _lines(call: Call, desk: Desk, notes: Notes) -> tuple[tuple[Address, ...], tuple[Address, ...], tuple[Address, ...]]:
    """To, Cc and Bcc; nobody stands on two of them."""
    to = await addresses_of(_named(call), desk, notes)
    cc = tuple(a for a in await addresses_of(call.cc, desk, notes) if a.email not in {b.email for b in to})
    before = {a.email for a in to + cc}
    bcc = tuple(a for a in await addresses_of(call.bcc, desk, notes) if a.email not in before)
    gone = await left_out(call.to, (*to, *cc, *bcc), desk, notes)
    to, cc, bcc = (tuple(a for a in line if a.email not in gone) for line in (to, cc, bcc))
    return to, cc, bcc


def _named(call: Call) -> tuple[Person, ...]:
    return tuple(person for person in call.to if person.role != "except")


async def _new_mail(call: Call, desk: Desk, notes: Notes) -> Proposal:
    to, cc, bcc = await _lines(call, desk, notes)
    everybody = to + cc + bcc
    if not everybody and call.operation == "mail.send":
        raise Refusal("not_understood", "Tell me who the mail should go to.")
    call = call.model_copy(update={"subject": _title(call.subject, everybody, desk)})
    content = _content(call, "mail", to or everybody, desk)
    action = SendMail(account=await _account(desk, everybody), to=to, cc=cc, bcc=bcc, subject=content.subject, body=content.body)
    what = f'"{content.subject}"' if content.subject else "a mail"
    says = f"send {what} to {names(everybody)}" if everybody else f"write {what}"
    return Proposal(action=action, says=says, brief=content.brief)


def _title(subject: str, to: Sequence[Address], desk: Desk) -> str:
    """A subject as it was said; for a reference the title of the event found there that these people take part in."""
    if not (reference := EVENT.match(subject)):
        return subject
    events = desk.results[reference[1]].events if reference[1] in desk.results else ()
    emails = {one.email for one in to}
    theirs = [e for e in events if emails & {a.email for a in others(e, desk.me)}] if len(events) > 1 else events
    titles = {event.title for event in theirs}
    if len(titles) != 1:
        raise Refusal("not_understood", "I can't tell which event's name the mail shall have as its title.")
    return titles.pop()


async def _account(desk: Desk, to: Sequence[Address]) -> str:
    """Of several the one in which the latest mail with these people lies, else that which has them as contacts, else the first."""
    accounts = tuple(desk.addresses) or tuple(desk.readers.accounts)
    if not accounts:
        raise Refusal("refused", "There is no account to send from; add one first.")
    if len(accounts) > 1 and to:
        emails = tuple(one.email for one in to)
        mails = (await desk.readers.mail.search(MailQuery(with_person=emails, limit=1))).items
        known = [mail.account for mail in mails]
        known = known or [one.account for one in (await desk.readers.contacts.search(ContactQuery(email=emails[0], limit=1))).items]
        return next((account for account in known if account in accounts), accounts[0])
    return accounts[0]


def _content(call: Call, kind: str, to: Sequence[Address], desk: Desk, answering: Mail | None = None) -> Content:
    """Dictated words stay as they are. Without any, the user is asked what the mail shall say."""
    if call.body:
        return Content(subject=call.subject, body=call.body)
    if call.template:
        template = template_called(call.template, desk)
        return Content(subject=call.subject or filled(template.subject, to), body=filled(template.body, to))
    subject, body = told(referred(call.select, desk), desk, call.field) if call.select.refs and kind == "mail" else ("", "")
    if body:
        return Content(subject=call.subject or subject, body=body)
    about = call.about or call.subject
    unsaid = call.operation == "mail.draft" and answering is not None
    if not about and not unsaid:
        entity = f"what the {kind} to {names(to)} shall say"
        if said := desk.settled(entity):
            return Content(subject=call.subject, body=said)
        raise ask(entity, f"What should the {kind} to {names(to)} say?", trigger="preference")
    purpose = "reply" if kind == "reply" else "forward" if kind == "forward" else "mail"
    brief = Brief(kind=purpose, about=about, to=tuple(to), answering=answering, template=call.template, sides=bool(call.question))
    return Content(subject=call.subject, brief=brief)


async def _replies(call: Call, desk: Desk, notes: Notes) -> list[Proposal]:
    mails = await mails_to_change(call.select, desk, notes, newest=True)
    also = await addresses_of(_named(call), desk, notes), await addresses_of(call.cc, desk, notes)
    bcc = await addresses_of(call.bcc, desk, notes)
    return [await _answer(mail, call, (*also, bcc), desk, notes) for mail in mails]


async def _answer(
    found: Mail, call: Call, also: tuple[tuple[Address, ...], tuple[Address, ...], tuple[Address, ...]], desk: Desk, notes: Notes
) -> Proposal:
    mail = found if found.body else await desk.readers.mail.get(found.ref)
    to, cc = recipients_of_reply(mail, desk.me, to_all=call.field == "all")
    to = _joined(to, also[0])
    cc = tuple(a for a in _joined(cc, also[1]) if a not in to)
    gone = await left_out(call.to, (*to, *cc), desk, notes)
    to, cc = tuple(a for a in to if a.email not in gone), tuple(a for a in cc if a.email not in gone)
    if not to:
        raise Refusal("refused", f"{mail_label(mail, desk.setting.now)} names nobody who could be answered.")
    if any(NO_REPLY.match(address.email.partition("@")[0]) for address in to):
        notes.caution(f"{to[0].email} looks like an address that nobody reads")
    content = _content(call, "reply", to, desk, mail)
    action = SendMail(
        account=mail.account,
        to=to,
        cc=cc,
        bcc=also[2],
        subject=call.subject or titled("Re", mail.subject),
        body=content.body,
        reply_to=mail.ref,
    )
    everyone = " and all" if call.field == "all" and cc else ""
    says = f'reply to {names(to)}{everyone}: "{mail.subject or "(no subject)"}"'
    return Proposal(action=action, says=says, brief=content.brief, before=mail)


def recipients_of_reply(mail: Mail, me: frozenset[str], *, to_all: bool) -> tuple[tuple[Address, ...], tuple[Address, ...]]:
    """To and Cc. A mail of one's own is answered to those it went to; nobody is named twice, nor the user."""
    own = mail.sender is not None and mail.sender.email in me
    direct = mail.to if own else mail.reply_to or ((mail.sender,) if mail.sender else ())
    to = _joined((), (a for a in direct if a.email not in me))
    if not to and direct:
        to = _joined((), direct)
    if not to_all:
        return to, ()
    rest = (a for a in (*mail.to, *mail.cc) if a.email not in me)
    return to, tuple(a for a in _joined((), rest) if a.email not in {b.email for b in to})


def _joined(first: Iterable[Address], second: Iterable[Address]) -> tuple[Address, ...]:
    return tuple({a.email: a for a in (*first, *second)}.values())


def _as_draft(proposal: Proposal) -> Proposal:
    action = proposal.action
    assert isinstance(action, SendMail)
    content = action.model_dump(exclude={"kind", "send_at", "html"})
    verb, _, rest = proposal.says.partition(" ")
    says = f"draft a {verb} {rest}" if verb == "reply" else f"save as a draft: {proposal.says.removeprefix('send ')}"
    return proposal.model_copy(update={"action": SaveDraft.model_validate(content), "says": says})


def _written(call: Call, desk: Desk) -> list[Proposal]:
    """What an earlier step drafted, or a mail from Drafts, to be sent as it is."""
    data = referred(call.select, desk)
    drafted = [p for p in data.proposals if isinstance(p.action, SaveDraft | SendMail)]
    return drafted or [_from_draft(mail) for mail in data.mails if mail.folder == DRAFTS]


def _from_draft(mail: Mail) -> Proposal:
    action = SendMail(account=mail.account, to=mail.to, cc=mail.cc, bcc=mail.bcc, subject=mail.subject, body=mail.body)
    return Proposal(action=action, before=mail)


async def _send_written(call: Call, written: Sequence[Proposal], desk: Desk, notes: Notes) -> Data:
    to, cc, bcc = await _lines(call, desk, notes)
    proposals = []
    for proposal in written:
        if isinstance(proposal.before, Mail) and proposal.before.folder == DRAFTS:
            proposal = _from_draft(await desk.readers.mail.get(proposal.before.ref))
        assert isinstance(proposal.action, SaveDraft | SendMail)
        content = proposal.action.model_dump(exclude={"kind"})
        action = SendMail.model_validate(content)
        action = action.model_copy(update={"to": to or action.to, "cc": cc or action.cc, "bcc": bcc or action.bcc})
        if not (action.to or action.cc or action.bcc):
            raise Refusal("not_understood", "Tell me who the mail should go to.")
        says = f'send "{action.subject or "the draft"}" to {names(action.to or action.cc or action.bcc)}'
        proposals.append(proposal.model_copy(update={"action": action, "says": says}))
    return _sent(proposals, call, desk, notes)
