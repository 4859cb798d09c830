"""What the email agent finds out: mails, counts, answers, what is open."""

from collections.abc import Iterable, Sequence
from datetime import timedelta
from typing import TYPE_CHECKING

from assistant.agents.base import Desk
from assistant.agents.headings import mails_called
from assistant.agents.mails import RECENT, Mails, fits, mails_or_nearest, select_mails
from assistant.agents.people import by_address, names_to_addresses, of_result
from assistant.agents.picking import enough
from assistant.agents.report import MOST, Notes
from assistant.agents.threads import last_words
from assistant.agents.words import listing, period
from assistant.reasoning.calls import Call, Person, Selection, TimeSpec
from assistant.values import Data
from integrations.types import INBOX, ContactQuery, Mail, MailQuery

if TYPE_CHECKING:
    from assistant.attention import Ranked

MOST_READ = 10
MOST_SUMMARISED = 20
MOST_THREADS = 40
ATTENTION_DAYS = timedelta(days=14)
ATTENTION_SHOWN = 10
MOST_RANKED = 120
DOUBT = 2
"""The weight of marks from which on a mail is taken for phishing."""


def _as_data(found: Mails, items: Sequence[Mail]) -> Data:
    return Data(kind="mails", mails=tuple(items), total=found.total, heading=found.heading)


async def with_bodies(mails: Iterable[Mail], desk: Desk) -> tuple[Mail, ...]:
    return tuple([mail if mail.body else await desk.readers.mail.get(mail.ref) for mail in mails])


async def find(call: Call, desk: Desk, notes: Notes) -> Data:
    found = await mails_or_nearest(call.select, desk, notes)
    return _as_data(found, found.items)


async def read(call: Call, desk: Desk, notes: Notes) -> Data:
    found = await mails_or_nearest(call.select, desk, notes, limit=MOST_READ)
    return _as_data(found, await with_bodies(found.items, desk))


async def count(call: Call, desk: Desk, notes: Notes) -> Data:
    found = await select_mails(call.select, desk, notes)
    return Data(kind="count", count=found.total, total=found.total, mails=found.items[:MOST_READ], heading=found.heading)


async def summarise(call: Call, desk: Desk, notes: Notes) -> Data:
    found = await mails_or_nearest(call.select, desk, notes, limit=MOST_SUMMARISED)
    if not found.items:
        return _as_data(found, ())
    if found.total > len(found.items):
        notes.limit(f"only the newest {len(found.items)} of {found.total} are summarised")
    mails = await with_bodies(found.items, desk)
    text = await desk.reasoner.summarise(mails, desk.setting)
    return Data(kind="text", text=text, mails=mails, total=found.total, heading=f"summary of {found.heading}")


async def check(call: Call, desk: Desk, notes: Notes) -> Data:
    """With question "reply": whether what the user sent was answered; else whether there is such a mail."""
    if call.question == "reply":
        return await _check_reply(call.select, desk, notes)
    found = await select_mails(call.select, desk, notes)
    if call.fits is not None:
        wanted = call.fits.model_copy(update={"people": await by_address(call.fits.people, desk)})
        truth = any(fits(mail, wanted, desk) for mail in found.items)
        return _as_data(found, found.items).model_copy(update={"truth": truth})
    number = _counted(call.select, desk) or found.total
    return _as_data(found, found.items).model_copy(update={"truth": enough(number, call.bounds)})


def _counted(selection: Selection, desk: Desk) -> int:
    """How many an earlier step of the plan counted, of which it passes on only the first."""
    if selection != Selection(refs=selection.refs, each=selection.each):
        return 0
    return sum(desk.results[ref].total or 0 for ref in selection.refs if ref in desk.results)


async def _check_reply(selection: Selection, desk: Desk, notes: Notes) -> Data:
    sent = await _sent(selection, desk, notes)
    asked = await _known_as(selection.people, desk)
    heading = f"answers to {sent.heading}"
    if not sent.items:
        notes.guess("I found no such mail that you sent")
    answers: dict[str, Mail] = {}
    newest = {mail.thread: mail for mail in reversed(sent.items) if mail.thread}
    for thread in list(newest)[-MOST_THREADS:]:
        first = min(mail.date for mail in sent.items if mail.thread == thread)
        for mail in await desk.readers.mail.thread(thread):
            by_others = mail.sender and mail.sender.email not in desk.me
            if by_others and mail.date > first and _is_from(mail, asked):
                answers[mail.id] = mail
    mails = tuple(sorted(answers.values(), key=lambda mail: mail.date, reverse=True))
    shown = mails if len(mails) == 1 else tuple(mail.model_copy(update={"body": ""}) for mail in mails)
    return Data(kind="mails", mails=shown, total=len(mails), truth=bool(mails), heading=heading)


async def _known_as(people: Sequence[Person], desk: Desk) -> frozenset[str]:
    """The addresses of those whose answer is asked for; nobody known: anybody's answer counts."""
    emails = {person.email for person in people if person.email}
    for person in people:
        if person.ref:
            emails |= {address.email for address in of_result(person.ref, desk)}
        elif person.text:
            written = await desk.readers.mail.correspondents(person.text)
            emails |= {*await names_to_addresses(person.text, desk), *(c.address.email for c in written)}
    return frozenset(emails)


def _is_from(mail: Mail, emails: frozenset[str]) -> bool:
    return not emails or (mail.sender is not None and mail.sender.email in emails)


async def _sent(selection: Selection, desk: Desk, notes: Notes) -> Mails:
    """What the user sent; people in the selection are those it went to. Somebody unknown is left out, which is said."""
    to = tuple(person.model_copy(update={"role": "to"}) for person in selection.people)
    mine = Person(text="me", role="from")
    if selection.refs:
        return await select_mails(selection.model_copy(update={"people": ()}), desk, notes)
    asked = selection.model_copy(update={"people": (*to, mine)})
    found = await select_mails(asked, desk, notes)
    heading = f"your {mails_called(selection.model_copy(update={'people': to}), desk)}"
    if not found.items and to and (selection.words or selection.when):
        found = await select_mails(selection.model_copy(update={"people": (mine,)}), desk, notes)
        if found.items:
            notes.guess(f"nothing you sent went to {listing([p.text or p.email for p in to])}, so I looked at all you sent")
            heading = f"your {mails_called(selection.model_copy(update={'people': ()}), desk)}"
    return found.model_copy(update={"heading": heading})


async def unanswered(call: Call, desk: Desk, notes: Notes) -> Data:
    """What waits for the user's answer, or with field "them" what the user waits for; without a time the last 30 days."""
    select, heading = call.select, ""
    if select.when is None and not select.refs:
        heading = ", the last 30 days"
        select = _since(select, desk, RECENT)
    if call.field == "them":
        data = await _waiting_for(select, desk, notes)
        named = f"{_without_time(call.select, desk)} without an answer"
    else:
        select = select.model_copy(update={"unanswered": True})
        found = await select_mails(select, desk, notes, limit=MOST)
        waiting = await _awaiting(found.items, desk)
        data = Data(kind="mails", mails=waiting, total=len(waiting), heading=found.heading)
        named = mails_called(select.model_copy(update={"when": None}), desk)
        heading = heading or (f", {period(select.when, desk.setting.now)}" if select.when else "")
        if rest := len(found.items) - len(waiting):
            heading = f"{heading}, without {rest} that {'wait' if rest > 1 else 'waits'} for no answer"
    return data.model_copy(update={"heading": f"{named}{heading}"}) if heading else data


async def _awaiting(mails: Sequence[Mail], desk: Desk) -> tuple[Mail, ...]:
    """Those that somebody waits for an answer to: not what machines send, nor what looks like phishing. What comes back to the
    user's own mail is a person's, even where it asks for nothing."""
    from assistant.agents.composing import is_reply
    from assistant.attention import rank_mails

    ranked = rank_mails(mails, me=desk.me, known=await known_people(desk), answered={}, now=desk.setting.now)
    answers = {one.mail.id for one in ranked if is_reply(one.mail.subject) and not any("phishing" in why for why in one.reasons)}
    wanted = answers | {one.mail.id for one in ranked if one.score > 0 and one.reasons}
    return tuple(mail for mail in mails if mail.id in wanted)


def _without_time(selection: Selection, desk: Desk) -> str:
    to = tuple(person.model_copy(update={"role": "to"}) for person in selection.people)
    return f"your {mails_called(selection.model_copy(update={'when': None, 'people': to}), desk)}"


def _since(selection: Selection, desk: Desk, ago: timedelta) -> Selection:
    now = desk.setting.now
    spec = TimeSpec(kind="range", start=now - ago, stop=now + timedelta(minutes=1), has_date=True, has_time=True)
    return selection.model_copy(update={"when": spec})


async def _waiting_for(selection: Selection, desk: Desk, notes: Notes) -> Data:
    sent = await _sent(selection, desk, notes)
    if not sent.items:
        return Data(kind="mails", total=0, heading=f"{sent.heading} without an answer")
    since = min(mail.date for mail in sent.items)
    answered: dict[str, float] = {}
    for mail in (await desk.readers.mail.search(MailQuery(since=since, bulk=False, limit=1000))).items:
        if mail.sender and mail.sender.email not in desk.me:
            answered[mail.thread] = max(mail.date.timestamp(), answered.get(mail.thread, 0.0))
    open_threads: dict[str, Mail] = {}
    for mail in sent.items:
        to_others = any(address.email not in desk.me for address in mail.recipients)
        if to_others and answered.get(mail.thread, 0.0) <= mail.date.timestamp():
            open_threads.setdefault(mail.thread or mail.id, mail)
    mails = tuple(open_threads.values())
    return Data(kind="mails", mails=mails, total=len(mails), heading=f"{sent.heading} without an answer")


async def attention(call: Call, desk: Desk, notes: Notes) -> Data:
    """The mails of the last two weeks (or of the past time said) that matter most, each with its reasons."""
    first = (await ranked_mails(call.select, desk, notes))[:ATTENTION_SHOWN]
    return Data(
        kind="mails",
        mails=tuple(one.mail for one in first),
        reasons=tuple("; ".join(one.reasons) for one in first),
        total=len(first),
        heading="mails that need your attention",
    )


async def ranked_mails(select: Selection, desk: Desk, notes: Notes) -> "tuple[Ranked, ...]":
    """Those that need attention, what asks most first."""
    from assistant.agents.weighing import MOST_READ_AT_ONCE, ranked, without_text

    now = desk.setting.now
    still_on = select.when is None or select.when.stop is None or select.when.stop > now
    if still_on and not select.refs:  # what needs it "today" may have come before
        select = _since(select, desk, ATTENTION_DAYS).model_copy(update={"folder": select.folder or INBOX})
    found = await select_mails(select, desk, notes, limit=MOST_RANKED)
    theirs = [mail for mail in found.items if not (mail.sender and mail.sender.email in desk.me)]
    answered = await last_words(desk, min(mail.date for mail in theirs)) if theirs else {}
    ranking = await ranked(theirs, await known_people(desk), answered, desk, MOST_READ_AT_ONCE)
    return tuple(one.model_copy(update={"mail": without_text(one.mail)}) for one in ranking if one.score > 0)


async def known_people(desk: Desk) -> frozenset[str]:
    cards = (await desk.readers.contacts.search(ContactQuery())).items
    written = (c.address.email for c in await desk.readers.mail.correspondents() if c.sent)
    return frozenset(email for card in cards for email in card.emails) | frozenset(written)
