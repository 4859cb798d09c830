"""What a provider's own copy of a write has otherwise than was approved, in clauses for people.

Providers give a mail a Message-ID of theirs, wrap lines, drop blind copies from what they keep: that is no difference. Compared are
the people exactly, the subject and the texts by their words, attachments by name and size.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from typing import NamedTuple

from integrations.actions import CreateEvent, SaveDraft, SendMail, UpdateEvent
from integrations.common.headers import one_line
from integrations.common.invisible import visible
from integrations.common.mime import Parsed
from integrations.common.sanitising import text_of_html
from integrations.types import Address, Attachment, Event, Mail

MOST_NAMED = 5
LONGEST_SHOWN = 80
LONG, MOST_WORDS = 300_000, 10_000
"""Of a text of so many characters, which readers may cut, so many words are compared."""
_WORD = re.compile(r"[^\W_]+(?:[.,:@/-][^\W_]+)*")
_UNNAMED = re.compile(r"(?:part-[\d.]+|attachment|noname)(\.\w+)?", re.IGNORECASE)
_LINES = ("to", "cc", "bcc")


class Copy(NamedTuple):
    """A mail as somebody has it. `text` is None where it is not known."""

    to: Sequence[Address]
    cc: Sequence[Address]
    bcc: Sequence[Address]
    subject: str
    text: str | None
    attachments: Sequence[Attachment]


def copy_of(mail: Mail) -> Copy:
    return Copy(mail.to, mail.cc, mail.bcc, mail.subject, mail.body, mail.attachments)


def parsed_copy(mail: Parsed) -> Copy:
    return Copy(mail.to, mail.cc, mail.bcc, mail.subject, mail.text, mail.attachments)


def of_mail(action: SendMail | SaveDraft, copy: Copy, forwarded: Sequence[Attachment] = ()) -> tuple[str, ...]:
    """`forwarded` are the attachments of the mail that it forwards."""
    return (*_people(action, copy), *_subject(action, copy), *_text(action, copy), *_attachments(forwarded, copy.attachments))


def _people(action: SendMail | SaveDraft, copy: Copy) -> Iterator[str]:
    approved, there = _lines_of(action), _lines_of(copy)
    if added := [email for email in there if email not in approved]:
        yield f"it also {'went to' if isinstance(action, SendMail) else 'names'} {_named(added)}"
    seen = [email for email, lines in approved.items() if lines == {"bcc"} and there.get(email, lines) - lines]
    if seen:
        yield f"everybody sees that {_named(seen)} got it too"
    if missing := [email for email, lines in approved.items() if email not in there and lines != {"bcc"}]:
        yield f"it does not name {_named(missing)}"
    if moved := [email for email, lines in there.items() if email not in seen and lines - approved.get(email, lines)]:
        lines = sorted({line.capitalize() for email in moved for line in there[email]})
        yield f"{_named(moved)} got it in another way ({' and '.join(lines)})"


def _lines_of(mail: SendMail | SaveDraft | Copy) -> dict[str, set[str]]:
    found: dict[str, set[str]] = {}
    for line in _LINES:
        for address in getattr(mail, line):
            found.setdefault(address.email.lower(), set()).add(line)
    return found


def _subject(action: SendMail | SaveDraft, copy: Copy) -> Iterator[str]:
    if visible(copy.subject).split() != visible(action.subject).split():
        yield f"its subject is {_quoted(copy.subject)}"


def _text(action: SendMail | SaveDraft, copy: Copy) -> Iterator[str]:
    """What is forwarded follows on what was written."""
    if copy.text is None:
        return
    texts = [copy.text, action.body, text_of_html(action.html) if isinstance(action, SendMail) and action.html else action.body]
    most = MOST_WORDS if max(map(len, texts)) > LONG else None
    there, approved, html = (words_of(text)[:most] for text in texts)
    same = there[: len(approved)] == approved if action.forward_of else there in (approved, html)
    if not same:
        yield "its text is not the one that you approved"


def words_of(text: str) -> list[str]:
    return _WORD.findall(visible(text))


def _attachments(expected: Sequence[Attachment], there: Sequence[Attachment]) -> Iterator[str]:
    wanted, found = Counter(map(_name, expected)), Counter(map(_name, there))
    if added := list((found - wanted).elements()):
        yield f"it carries {_named(added)}, which was not approved"
    if missing := list((wanted - found).elements()):
        yield f"it lacks {_named(missing)}"
    sizes = {_name(one): one.size for one in expected if wanted[_name(one)] == 1}
    if other := [name for one in there if (name := _name(one)) in sizes and not _alike(one.size, sizes[name])]:
        yield f"{_named(other)} is not of the size that was approved"


def _name(attachment: Attachment) -> str:
    """Those without a name are called after their place."""
    unnamed = _UNNAMED.fullmatch(attachment.filename)
    return f"something unnamed ({attachment.content_type})" if unnamed else " ".join(attachment.filename.split())


def _alike(size: int, other: int) -> bool:
    """Providers reckon it before and after it was encoded, and with what is kept beside it."""
    return abs(size - other) <= max(4096, 0.4 * max(size, other))


def of_event(action: CreateEvent | UpdateEvent, event: Event, owner: str) -> tuple[str, ...]:
    """`event` as it stands after it was made or changed; `owner` is the account's address, who may be added to those invited."""
    return (*_event_texts(action, event), *_times(action, event), *_invited(action, event, owner.lower()))


def _event_texts(action: CreateEvent | UpdateEvent, event: Event) -> Iterator[str]:
    for field in ("title", "location", "description"):
        wanted, there = getattr(action, field), getattr(event, field)
        if wanted is None or "<" in wanted or words_of(wanted) == words_of(there):
            continue
        yield f"its {field} is {_quoted(there)}" if there.strip() else f"it has no {field}"


def _times(action: CreateEvent | UpdateEvent, event: Event) -> Iterator[str]:
    """Series begin with the first day that their rule has, so theirs are left alone."""
    if event.series and event.recurrence is None:
        return
    if action.all_day is not None and action.all_day != event.all_day:
        yield "it lasts all day" if event.all_day else "it does not last all day"
        return
    for side, wanted, there in (("begins", action.start, event.start), ("ends", action.end, event.end)):
        if wanted is not None and not event.all_day and wanted != there:
            yield f"it {side} {_moment(there)}"
    if event.all_day and action.start is not None and action.start.astimezone(event.start.tzinfo).date() != event.start.date():
        yield f"it is on {event.start:%-d %B %Y}"


def _invited(action: CreateEvent | UpdateEvent, event: Event, owner: str) -> Iterator[str]:
    there = {attendee.address.email.lower() for attendee in event.attendees} - {owner}
    if isinstance(action, CreateEvent):
        wanted = {address.email.lower() for address in action.attendees} - {owner}
        added, missing = there - wanted, wanted - there
    else:
        added = {email.lower() for email in action.remove_attendees} & there
        missing = {address.email.lower() for address in action.add_attendees} - {owner} - there
    if added:
        yield f"it also invites {_named(sorted(added))}"
    if missing:
        yield f"it does not invite {_named(sorted(missing))}"


def guests_beside(approved: Iterable[str], there: Iterable[str], owner: str) -> tuple[str, ...]:
    """Whom a change has invited beside those who were to be; addresses, of which empty ones are nobody's."""
    added = set(map(str.lower, there)) - set(map(str.lower, approved)) - {owner.lower(), ""}
    return (f"it also invites {_named(sorted(added))}",) if added else ()


def told(clauses: Iterable[str]) -> str:
    return "; ".join(dict.fromkeys(clauses))


def _moment(moment: datetime) -> str:
    return f"{moment:%-d %B %Y, %H:%M}"


def _named(names: Sequence[str]) -> str:
    shown = [one_line(visible(name))[:LONGEST_SHOWN] for name in names[:MOST_NAMED]]
    if len(names) > MOST_NAMED:
        return f"{', '.join(shown)} and {len(names) - MOST_NAMED} more"
    return " and ".join(filter(None, (", ".join(shown[:-1]), shown[-1])))


def _quoted(text: str) -> str:
    shown = " ".join(one_line(visible(text)).split())
    return f"“{shown[:LONGEST_SHOWN]}{'…' if len(shown) > LONGEST_SHOWN else ''}”" if shown else "empty"
