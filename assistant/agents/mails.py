"""Which mails: one selection for every operation on mail."""

from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta

from assistant.agents.base import Desk
from assistant.agents.headings import RECEIVED, mails_called, quoted
from assistant.agents.nearest import is_loose, nearest
from assistant.agents.people import names_to_addresses, of_result, respelt
from assistant.agents.picking import (
    as_counted,
    key,
    left_out_by_place,
    miscounted,
    names_something,
    nothing_left_out,
    only_ordered,
    ordered,
    referred,
    to_act_on,
)
from assistant.agents.report import MOST, Notes, Refusal, ask, not_found, too_many
from assistant.agents.sifting import sifted, sifts
from assistant.agents.threads import unanswered
from assistant.agents.words import contains, fold, listing, mail_label, resembles, tokens
from assistant.reasoning.calls import Person, Selection, TimeSpec, Window
from assistant.reasoning.offline.lexicon import lexicon
from integrations.types import ARCHIVE, DRAFTS, INBOX, OUTBOX, SENT, TRASH, ContactQuery, Mail, MailQuery, Value

PAGE, EVERY = 50, 1000
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


async def select_mails(selection: Selection, desk: Desk, notes: Notes, *, limit: int = PAGE, writing: bool = False) -> Mails:
    found = await _selected(selection, desk, notes, limit=limit, writing=writing)
    if not found.total and selection.words:
        found = await _in_other_words(selection, desk, notes, limit=limit, writing=writing) or found
    if (words := miscounted(selection, found.total)) and not (writing and found.total > selection.counted):
        notes.guess(words)
    return found


async def _in_other_words(selection: Selection, desk: Desk, notes: Notes, *, limit: int, writing: bool) -> Mails | None:
    """With another word for the same thing, which is said; for a write only where that fits a single mail."""
    for place, word in enumerate(selection.words):
        same = next((words for words in lexicon().alike if {fold(word), fold(word).removesuffix("s")} & words), frozenset())
        for other in sorted(same - {fold(word), fold(word).removesuffix("s")} - lexicon().small["stop"]):
            words = (*selection.words[:place], other, *selection.words[place + 1 :])
            found = await _selected(selection.model_copy(update={"words": words}), desk, notes, limit=limit, writing=writing)
            if found.total == 1 or (found.total and not writing):
                notes.guess(f"“{word}” taken for “{other}”")
                return found
    return None


async def _selected(selection: Selection, desk: Desk, notes: Notes, *, limit: int, writing: bool) -> Mails:
    heading = mails_called(selection, desk)
    if selection.order and any(_one_by_one(person) for person in selection.people):
        return await _of_each(selection, desk, notes, limit=limit)
    if selection.without:
        return await _all_but(selection, desk, notes, limit=limit, strict=writing)
    if selection.refs:
        items = tuple(m for m in _mails_of(selection, desk) if fits(m, selection, desk))
        items = await sifted(await _without_answered(items, selection, desk), selection, desk)
        chosen = _placed(items, selection)
        return Mails(items=chosen, total=len(chosen), heading=heading)
    found, total = await _search(selection, desk, notes, EVERY if sifts(selection) else _needed(selection, limit))
    if selection.asks:  # whoever was answered after asking again was answered
        found = await _without_answered(await sifted(found, selection, desk), selection, desk)
    else:
        found = await _without_answered(found, selection, desk)
        found = await sifted(found, selection, desk) if sifts(selection) else found
    if selection.unanswered or sifts(selection):
        total = len(found)
    if selection.order:
        found = _newest_first(found, selection)
        total = len(found)
    return Mails(items=found[:limit], total=total, heading=heading)


async def mails_or_nearest(selection: Selection, desk: Desk, notes: Notes, *, limit: int = PAGE, writing: bool = False) -> Mails:
    """The same; where nothing has all the words, what has the most of them, which is said. A write takes only a single one."""
    found = await select_mails(selection, desk, notes, limit=limit, writing=writing)
    if found.total or not is_loose(selection):
        return found

    async def look(word: str) -> tuple[Mail, ...]:
        alone = selection.model_copy(update={"words": (word,), "order": "", "number": 1, "places": ()})
        return (await _selected(alone, desk, Notes(), limit=limit, writing=writing)).items

    items, words = await nearest(selection.words, look)
    if not items or (writing and len(items) > 1 and not selection.order):
        return found
    notes.guess(words)
    items = tuple(sorted(items, key=lambda mail: mail.date, reverse=True))
    items = _newest_first(items, selection) if selection.order not in ("", "first", "oldest") else items
    return Mails(items=items[:limit], total=len(items), heading=found.heading)


async def mails_to_change(
    selection: Selection, desk: Desk, notes: Notes, *, newest: bool = False, received: bool = False
) -> tuple[Mail, ...]:
    """For a write: exactly what was meant, as it is now. With `newest`, several mails of one thread or of one person mean the
    newest of them, which is said as a guess. With `received`, the user's own mails are left out where a folder was not said."""
    found = await mails_or_nearest(selection, desk, notes, limit=MOST + 1, writing=True)
    items = found.items
    if selection.each and found.total > MOST:
        raise too_many(found.total, "mails")
    if received and selection.each and not (selection.refs or selection.folder or _of_mine(selection)):
        items = tuple(mail for mail in items if mail.folder not in (SENT, OUTBOX, DRAFTS))
    _of_one_person(items, selection, desk)
    items = tuple(as_counted(items, selection, desk, noun="mail", wording=found.heading))
    items = _by_subject(items, selection)
    if newest and len(items) > 1 and _any_would_do(items, selection, desk, found.heading):
        notes.guess(f"the newest of {len(items)}: {mail_label(items[0], desk.setting.now)}")
        items = items[:1]
    chosen = to_act_on(
        items, selection, desk, noun="mail", wording=found.heading, label=lambda mail: mail_label(mail, desk.setting.now)
    )
    return tuple([await desk.readers.mail.get(mail.ref) for mail in chosen]) if selection.refs else chosen


def _by_subject(items: tuple[Mail, ...], selection: Selection) -> tuple[Mail, ...]:
    """Where one mail is meant, what is in the subject of one says more than what is in the text of others."""
    if len(items) < 2 or not selection.words or selection.each or selection.order or selection.refs:
        return items
    named = tuple(mail for mail in items if resembles(selection.words, mail.subject))
    threads = {mail.thread or mail.id for mail in named}
    return named if len(named) == 1 or (len(threads) == 1 and len(named) > 1) else items


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


def _one_by_one(person: Person) -> bool:
    return fold(person.text).startswith(("each ", "every "))


async def _of_each(selection: Selection, desk: Desk, notes: Notes, *, limit: int) -> Mails:
    """ "the last mail from each member of …": so many from everybody."""
    (each,) = (person for person in selection.people if _one_by_one(person))
    others = tuple(person for person in selection.people if person is not each)
    found: list[Mail] = []
    for email in await names_to_addresses(each.text, desk):
        alone = selection.model_copy(update={"people": (*others, Person(email=email, role=each.role))})
        found += (await select_mails(alone, desk, notes, limit=limit)).items
    return Mails(items=tuple(found[:limit]), total=len(found), heading=mails_called(selection, desk))


async def _all_but(selection: Selection, desk: Desk, notes: Notes, *, limit: int, strict: bool) -> Mails:
    """Without what is to be left out. A write that would leave nothing out is not what was meant."""
    whole = selection.model_copy(update={"without": (), "order": "", "number": 1, "counted": 0})
    found = (await select_mails(whole, desk, notes, limit=EVERY)).items
    gone: set[str] = set()
    for one in selection.without if found else ():
        these = _at_place(found, one, selection) if only_ordered(one) else await _those(one, selection, desk)
        if not these & {key(mail) for mail in found}:
            if strict and names_something(one):
                raise nothing_left_out(mails_called(one, desk))
            notes.limit(f"none of them is to be left out: I found no {mails_called(one, desk)}")
        gone |= these
    left = tuple(mail for mail in found if key(mail) not in gone)
    if selection.order:
        oldest = selection.order in ("first", "oldest")
        left = _newest_first(left[::-1] if oldest else left, selection)
    return Mails(items=left[:limit], total=len(left), heading=mails_called(selection, desk))


def _at_place(found: tuple[Mail, ...], one: Selection, among: Selection) -> set[str]:
    """As it counts where nothing is left out: by its place in what was shown; else "first" is the oldest, and "second" is
    counted from the newest."""
    if among.refs:
        return {key(mail) for mail in _placed(found, one)}
    return left_out_by_place(found if one.order in ("nth", "nth_last") else found[::-1], one)


async def _those(one: Selection, among: Selection, desk: Desk) -> set[str]:
    """What is left out shares the time, the folder and the people that nothing else is said of."""
    shared = {name: getattr(among, name) for name in ("refs", "when", "folder", "people") if not getattr(one, name)}
    found = await select_mails(one.model_copy(update=shared), desk, Notes(), limit=EVERY)
    return {key(mail) for mail in found.items}


def _needed(selection: Selection, limit: int) -> int:
    if selection.unanswered:
        return MOST
    return min(max(selection.number, 1), limit) if selection.order else limit


def _newest_first(found: tuple[Mail, ...], selection: Selection) -> tuple[Mail, ...]:
    """Searches for "first" come oldest first already; "last" and "nth" count from the newest."""
    number = max(selection.number, 1)
    if selection.places:
        return ordered(found, selection) if min(selection.places) > 0 else ()
    return found[number - 1 : number] if selection.order in ("nth", "nth_last") else found[:number]


def _placed(items: tuple[Mail, ...], selection: Selection) -> tuple[Mail, ...]:
    """Among earlier results "the second" counts as they were shown, "the last" is the newest and "the oldest" goes by date."""
    if selection.order in ("last", "oldest"):
        in_time = sorted(items, key=lambda mail: mail.date, reverse=selection.order == "last")
        return tuple(in_time[: max(selection.number, 1)])
    return ordered(items, selection)


async def _search(selection: Selection, desk: Desk, notes: Notes, limit: int) -> tuple[tuple[Mail, ...], int]:
    windows = selection.when.windows if selection.when else ()
    query = await _query(selection, desk, MOST if windows else limit)
    found = await _page(query, windows, desk, notes)
    if not found[1] and selection.people:
        people = await _by_address(selection, desk)
        if people is not None:
            query = await _query(people, desk, MOST if windows else limit)
            found = await _page(query, windows, desk, notes)
    if not found[1] and (slip := respelt(selection, desk, notes)):
        query = await _query(slip, desk, limit)
        found = await _page(query, windows, desk, notes)
    if not found[1] and (loose := _loosened(query)):
        found = await _page(loose, windows, desk, notes)
        if found[1]:
            notes.guess(f"nothing has exactly {quoted(selection.words)}; these have the words in any order")
    for loose in _without_kind(query) if not found[1] else ():
        found = await _page(loose, windows, desk, notes)
        if found[1]:
            fits = f"these have {quoted(loose.words)}" if loose.words else "all else fits"
            notes.guess(f"nothing has {quoted(selection.words)}; {fits}")
            break
    return found


async def _page(query: MailQuery, windows: Sequence[Window], desk: Desk, notes: Notes) -> tuple[tuple[Mail, ...], int]:
    page = await desk.readers.mail.search(query)
    notes.skipped(page.skipped)
    if windows:
        kept = tuple(mail for mail in page.items if any(one.start <= mail.date < one.stop for one in windows))
        if page.total is not None and page.total > len(page.items):
            notes.limit(f"I looked through {len(page.items)} of {page.total} mails of that time")
        return kept, len(kept)
    return page.items, page.total if page.total is not None else len(page.items)


def _loosened(query: MailQuery) -> MailQuery | None:
    words = tuple(word for phrase in query.words for word in tokens(phrase) if len(word) > 2)
    return query.model_copy(update={"words": words}) if words and words != query.words else None


def _without_kind(query: MailQuery) -> Iterator[MailQuery]:
    """ "the order confirmation", "her list of things": a mail about the rest, whatever it calls itself."""
    known = lexicon().small["kinds"]
    kinds = [word for word in query.words if word.lower() in known or word.lower().removesuffix("s") in known]
    for dropped in dict.fromkeys((tuple(kinds[:1]), tuple(kinds))):
        kept = tuple(word for word in query.words if word not in dropped)
        if dropped and (kept or query.sender):
            yield query.model_copy(update={"words": kept})


async def _query(selection: Selection, desk: Desk, limit: int) -> MailQuery:
    since, before = window(selection.when)
    roles: dict[str, list[str]] = {"from": [], "to": [], "with": []}
    for person in selection.people:
        roles[person.role if person.role in roles else "with"] += _said(person, desk)
    roles["with"] += await _at_work(selection, desk)
    return MailQuery(
        words=selection.words,
        subject=selection.subject,
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
    if name == RECEIVED:
        return tuple(folder for folder in there if folder not in (SENT, DRAFTS, OUTBOX, TRASH))
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


def fits(mail: Mail, selection: Selection, desk: Desk) -> bool:
    """Whether an earlier result also fits the rest of the selection."""
    since, before = window(selection.when)
    windows = selection.when.windows if selection.when else ()
    text = f"{mail.subject} {mail.snippet} {mail.body} {mail.sender or ''}"
    checks = (
        since is None or mail.date >= since,
        before is None or mail.date < before,
        not windows or any(one.start <= mail.date < one.stop for one in windows),
        selection.unread is None or mail.unread == selection.unread,
        selection.flagged is None or mail.flagged == selection.flagged,
        selection.bulk is None or mail.bulk == selection.bulk,
        selection.has_attachment is None or bool(mail.attachments) == selection.has_attachment,
        contains(selection.words, text) or resembles(selection.words, text),
        contains(selection.subject, mail.subject) or resembles(selection.subject, mail.subject),
        all(_concerns(mail, person, _said(person, desk)) for person in selection.people),
    )
    return all(checks)


def _concerns(mail: Mail, person: Person, said: Sequence[str]) -> bool:
    sender = [mail.sender] if mail.sender else []
    among = {"from": sender, "to": list(mail.recipients)}.get(person.role, [*sender, *mail.recipients])
    return any(contains([name], str(address)) for name in said for address in among)


async def _without_answered(mails: tuple[Mail, ...], selection: Selection, desk: Desk) -> tuple[Mail, ...]:
    return await unanswered(mails, desk) if selection.unanswered else mails
