"""Which mails: one selection for every operation on mail."""

from collections.abc import Sequence
from datetime import datetime, timedelta

from assistant.agents.base import Desk
from assistant.agents.people import names_to_addresses, of_result
from assistant.agents.picking import key, ordered, referred, to_act_on
from assistant.agents.report import MOST, Notes, Refusal, ask, not_found, too_many
from assistant.agents.words import contains, fold, listing, mail_label, names, period, resembles, tokens
from assistant.reasoning.calls import Person, Selection, TimeSpec
from integrations.types import ARCHIVE, DRAFTS, INBOX, OUTBOX, SENT, TRASH, ContactQuery, Mail, MailQuery, Value

PAGE = 50
RECENT = timedelta(days=30)
FOLDERS = {
    "inbox": INBOX, "sent": SENT, "sent mail": SENT, "draft": DRAFTS, "drafts": DRAFTS, "outbox": OUTBOX, "archive": ARCHIVE,
    "archived": ARCHIVE, "trash": TRASH, "bin": TRASH, "deleted": TRASH, "deleted items": TRASH, "wastebasket": TRASH,
}  # fmt: skip


class Mails(Value):
    """What a selection found; `total` counts all matches, `items` may hold only the first."""

    items: tuple[Mail, ...]
    total: int
    heading: str


async def select_mails(selection: Selection, desk: Desk, notes: Notes, *, limit: int = PAGE) -> Mails:
    heading = describe(selection, desk)
    if selection.refs:
        items = tuple(m for m in _mails_of(selection, desk) if _fits(m, selection, desk))
        items = await _without_answered(items, selection, desk)
        chosen = _placed(items, selection)
        return Mails(items=chosen, total=len(chosen), heading=heading)
    found, total = await _search(selection, desk, notes, _needed(selection, limit))
    found = await _without_answered(found, selection, desk)
    if selection.unanswered:
        total = len(found)
    if selection.order:
        found = _newest_first(found, selection)
        total = len(found)
    return Mails(items=found[:limit], total=total, heading=heading)


async def mails_to_change(
    selection: Selection, desk: Desk, notes: Notes, *, newest: bool = False, received: bool = False
) -> tuple[Mail, ...]:
    """For a write: exactly what was meant, as it is now. With `newest`, several mails of one thread or of one person mean the
    newest of them, which is said as a guess. With `received`, the user's own mails are left out where a folder was not said."""
    found = await select_mails(selection, desk, notes, limit=MOST + 1)
    items = found.items
    if selection.each and found.total > MOST:
        raise too_many(found.total, "mails")
    if received and selection.each and not (selection.refs or selection.folder or _of_mine(selection)):
        items = tuple(mail for mail in items if mail.folder not in (SENT, OUTBOX, DRAFTS))
    _of_one_person(items, selection, desk)
    if newest and len(items) > 1 and _any_would_do(items, selection, desk, found.heading):
        notes.guess(f"the newest of {len(items)}: {mail_label(items[0], desk.setting.now)}")
        items = items[:1]
    chosen = to_act_on(
        items, selection, desk, noun="mail", wording=found.heading, label=lambda mail: mail_label(mail, desk.setting.now)
    )
    return tuple([await desk.readers.mail.get(mail.ref) for mail in chosen]) if selection.refs else chosen


def _of_mine(selection: Selection) -> bool:
    return any(person.role == "to" or fold(person.text) in ("me", "myself", "i") for person in selection.people)


def _of_one_person(items: Sequence[Mail], selection: Selection, desk: Desk) -> None:
    """A first name that several senders share is asked about before their mails are changed."""
    for person in selection.people:
        if person.role != "from" or person.email or person.ref or len(person.text.split()) > 1 or desk.settled(person.text):
            continue
        senders = {m.sender.email: m.sender for m in items if m.sender and contains([person.text], m.sender.name)}
        if len({sender.name for sender in senders.values()}) > 1 and len(senders) > 1:
            raise ask(person.text, f"Which {person.text} do you mean?", [(str(one), one.email) for one in senders.values()])


def _any_would_do(items: Sequence[Mail], selection: Selection, desk: Desk, wording: str) -> bool:
    if selection.each or selection.order or selection.refs or desk.settled(wording):
        return False
    one_thread = bool(items[0].thread) and len({mail.thread for mail in items}) == 1
    return one_thread or (bool(selection.people) and not selection.words and selection.when is None)


def _needed(selection: Selection, limit: int) -> int:
    if selection.unanswered:
        return MOST
    return min(max(selection.number, 1), limit) if selection.order else limit


def _newest_first(found: tuple[Mail, ...], selection: Selection) -> tuple[Mail, ...]:
    """Searches for "first" come oldest first already; "last" and "nth" count from the newest."""
    number = max(selection.number, 1)
    return found[number - 1 : number] if selection.order == "nth" else found[:number]


def _placed(items: tuple[Mail, ...], selection: Selection) -> tuple[Mail, ...]:
    """Among earlier results "the second" counts as they were shown, "the last" is the newest and "the oldest" goes by date."""
    if selection.order in ("last", "oldest"):
        in_time = sorted(items, key=lambda mail: mail.date, reverse=selection.order == "last")
        return tuple(in_time[: max(selection.number, 1)])
    return ordered(items, selection)


async def _search(selection: Selection, desk: Desk, notes: Notes, limit: int) -> tuple[tuple[Mail, ...], int]:
    query = await _query(selection, desk, limit)
    found = await _page(query, desk, notes)
    if not found[1] and selection.people:
        people = await _by_address(selection, desk)
        if people is not None:
            query = await _query(people, desk, limit)
            found = await _page(query, desk, notes)
    if not found[1] and (loose := _loosened(query)):
        found = await _page(loose, desk, notes)
        if found[1]:
            notes.guess(f"nothing has exactly {_quoted(selection.words)}; these have the words in any order")
    return found


async def _page(query: MailQuery, desk: Desk, notes: Notes) -> tuple[tuple[Mail, ...], int]:
    page = await desk.readers.mail.search(query)
    notes.skipped(page.skipped)
    return page.items, page.total if page.total is not None else len(page.items)


def _loosened(query: MailQuery) -> MailQuery | None:
    words = tuple(word for phrase in query.words for word in tokens(phrase) if len(word) > 2)
    return query.model_copy(update={"words": words}) if words and words != query.words else None


def _quoted(words: Sequence[str]) -> str:
    return listing([f'"{word}"' for word in words])


async def _query(selection: Selection, desk: Desk, limit: int) -> MailQuery:
    since, before = window(selection.when)
    roles: dict[str, list[str]] = {"from": [], "to": [], "with": []}
    for person in selection.people:
        roles[person.role if person.role in roles else "with"] += _said(person, desk)
    roles["with"] += await _at_work(selection, desk)
    return MailQuery(
        words=selection.words,
        sender=tuple(roles["from"]),
        recipient=tuple(roles["to"]),
        with_person=tuple(roles["with"]),
        since=since,
        before=before,
        folders=await _folders(selection.folder, desk),
        unread=selection.unread,
        flagged=selection.flagged,
        has_attachment=selection.has_attachment,
        bulk=False if selection.unanswered and selection.bulk is None else selection.bulk,
        oldest_first=selection.order in ("first", "oldest"),
        limit=limit,
    )


def _said(person: Person, desk: Desk) -> list[str]:
    """A person as a search can look for them: by address where it is known, else by name as said."""
    if person.email:
        return [person.email]
    if person.ref:
        return [address.email for address in of_result(person.ref, desk)]
    if fold(person.text) in ("me", "myself", "i"):
        return sorted(desk.me)
    chosen = desk.settled(person.text)
    return [chosen or person.text]


async def _at_work(selection: Selection, desk: Desk) -> list[str]:
    """Addresses of a company, a job title or a group."""
    if selection.group:
        members = await names_to_addresses(selection.group, desk)
        if not members:
            raise not_found(f"There is no group called {selection.group}.")
        return list(members)
    if not (selection.company or selection.title):
        return []
    cards = await desk.readers.contacts.search(ContactQuery(company=selection.company, title=selection.title))
    emails = [email for card in cards.items for email in card.emails]
    return [*emails, *([selection.company] if selection.company else [])] or [selection.title]


async def _by_address(selection: Selection, desk: Desk) -> Selection | None:
    """The same with nicknames, groups and companies put as addresses, if any of them is known."""
    people: list[Person] = []
    for person in selection.people:
        emails = await names_to_addresses(person.text, desk) if person.text and not person.email else ()
        people += [Person(email=email, role=person.role) for email in emails] or [person]
    return selection.model_copy(update={"people": tuple(people)}) if tuple(people) != selection.people else None


async def _folders(name: str, desk: Desk) -> tuple[str, ...]:
    if not name:
        return ()
    there = await desk.readers.mail.folders()
    wanted = FOLDERS.get(fold(name).removesuffix(" folder").strip(), name)
    match = next((folder for folder in there if fold(folder) == fold(wanted)), None)
    if match is None and wanted not in FOLDERS.values():
        raise not_found(f"There is no folder called {name}; there are {listing(there, 12)}.")
    return (match or wanted,)


def window(spec: TimeSpec | None) -> tuple[datetime | None, datetime | None]:
    """[since, before) of an understood time; a time of day alone stands for its hour."""
    if spec is None:
        return None, None
    if spec.kind == "point" and spec.start and spec.stop is None:
        return spec.start, spec.start + timedelta(hours=1)
    return spec.start, spec.stop


def _mails_of(selection: Selection, desk: Desk) -> tuple[Mail, ...]:
    data = referred(selection, desk)
    mails = data.mails or tuple(p.before for p in data.proposals if isinstance(p.before, Mail))
    if not mails and (data.events or data.contacts):
        raise Refusal("not_understood", "What I found before are no mails.")
    return tuple({key(mail): mail for mail in mails}.values())


def _fits(mail: Mail, selection: Selection, desk: Desk) -> bool:
    """Whether an earlier result also fits the rest of the selection."""
    since, before = window(selection.when)
    text = f"{mail.subject} {mail.snippet} {mail.body} {mail.sender or ''}"
    checks = (
        since is None or mail.date >= since,
        before is None or mail.date < before,
        selection.unread is None or mail.unread == selection.unread,
        selection.flagged is None or mail.flagged == selection.flagged,
        selection.bulk is None or mail.bulk == selection.bulk,
        selection.has_attachment is None or bool(mail.attachments) == selection.has_attachment,
        contains(selection.words, text) or resembles(selection.words, text),
        all(_concerns(mail, person, _said(person, desk)) for person in selection.people),
    )
    return all(checks)


def _concerns(mail: Mail, person: Person, said: Sequence[str]) -> bool:
    sender = [mail.sender] if mail.sender else []
    among = {"from": sender, "to": list(mail.recipients)}.get(person.role, [*sender, *mail.recipients])
    return any(contains([name], str(address)) for name in said for address in among)


async def _without_answered(mails: tuple[Mail, ...], selection: Selection, desk: Desk) -> tuple[Mail, ...]:
    return await unanswered(mails, desk) if selection.unanswered else mails


async def unanswered(mails: Sequence[Mail], desk: Desk) -> tuple[Mail, ...]:
    """The newest mail of each thread that came to the user and that the user has not answered since."""
    theirs = [m for m in mails if m.sender and m.sender.email not in desk.me and not m.answered]
    if not theirs:
        return ()
    last = await last_words(desk, min(mail.date for mail in theirs))
    open_threads: dict[str, Mail] = {}
    for mail in sorted(theirs, key=lambda m: m.date, reverse=True):
        if mail.thread not in last or last[mail.thread] < mail.date:
            open_threads.setdefault(mail.thread or mail.id, mail)
    return tuple(open_threads.values())


async def last_words(desk: Desk, since: datetime) -> dict[str, datetime]:
    """When the user last wrote in each thread."""
    query = MailQuery(sender=tuple(sorted(desk.me)), since=since, folders=(), limit=1000)
    waiting = MailQuery(sender=query.sender, since=since, folders=(OUTBOX,), limit=1000)
    last: dict[str, datetime] = {}
    for asked in (query, waiting):
        for mail in (await desk.readers.mail.search(asked)).items:
            if mail.thread and mail.sender and mail.sender.email in desk.me:
                last[mail.thread] = max(mail.date, last.get(mail.thread, mail.date))
    return last


def describe(selection: Selection, desk: Desk) -> str:
    """The selection in words, as understood."""
    one = bool(selection.order) and selection.number == 1
    states = [
        ("unread" if selection.unread else "read") if selection.unread is not None else "",
        "flagged" if selection.flagged else "",
        "unanswered" if selection.unanswered else "",
    ]
    parts = [*(state for state in states if state), "mail" if one else "mails"]
    for role, word in (("from", "from"), ("to", "to"), ("with", "with"), ("any", "with")):
        if names := [_name(p, desk) for p in selection.people if p.role == role]:
            parts.append(f"{word} {listing(names)}")
    parts += [f"with {part}" for part in (selection.company, selection.title, selection.group) if part]
    if selection.words:
        parts.append(f"about {_quoted(selection.words)}")
    if selection.has_attachment is not None:
        parts.append("with attachments" if selection.has_attachment else "without attachments")
    if selection.folder:
        parts.append(f"in {selection.folder}")
    words = " ".join(parts)
    return f"{words}, {period(selection.when, desk.setting.now)}" if selection.when else words


def _name(person: Person, desk: Desk) -> str:
    if person.ref:
        return names(of_result(person.ref, desk))
    return person.text or person.email
