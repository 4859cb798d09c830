"""Where the links, codes, amounts, phone numbers and addresses in an action's text came from."""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Literal, NamedTuple

from integrations.actions import Action, CreateContact, UpdateEvent
from integrations.types import SENT, Event, Mail, Value
from risk.codes import codes_in
from risk.evidence import Evidence, answered, contact_before, event_before, forwarded
from risk.figures import amounts_in
from risk.leaking import APART, codes_beside_links, leaked, spelt_out, torn
from risk.links import links_in
from risk.pieces import Kind, Piece, Words, names_of, pieces_of, texts_of
from risk.provenance import people_of, reached, who
from risk.secret_links import secret_links_in
from risk.text import line, normal_address
from risk.wishes import DETAILS, speaks_of

__all__ = ["Kind", "Source", "Trace", "amounts_in", "codes_in", "links_in", "secret_links_in", "traces_of"]

Source = Literal["own_words", "earlier_words", "contacts", "thread", "event", "template", "message", "event_text", "nowhere"]

OWN_WORDS = ("own_words", "earlier_words")
OTHERS_WORDS = ("thread", "event", "message", "event_text")

LONGEST = 500
"""Characters of a piece that are told."""
MOST = 300
"""Pieces of one action whose source is looked for."""
QUOTED = re.compile(
    r"^(?:-{2,} ?(?:Original|Forwarded|Urspr|Weitergeleitet)|Begin forwarded|_{10}|(?:On|Am) .{5,200}(?:wrote|schrieb).{0,80}:$)",
    re.MULTILINE,
)
"""Where somebody else's words begin in a mail."""


class Trace(Value):
    """One such piece of an action's text. `text` as it stands there, an ellipsis between the parts of a torn code; `by` says in
    words whose message or event it came from; `known`: the user wrote it, or saved it, or those whom the action reaches wrote it
    themselves.

    A "secret_link" is one that resets a password, confirms an address or signs in. What a forward encloses is traced only for
    these and for codes.
    """

    kind: Kind
    text: str
    source: Source
    by: str = ""
    known: bool = True


class _Voice(NamedTuple):
    """A text that could be where a piece came from. `vouches`: what stands there is known; `for_secrets`: codes are as well."""

    source: Source
    text: str
    by: str = ""
    vouches: bool = True
    for_secrets: bool = True


def traces_of(action: Action, evidence: Evidence, beside: Sequence[str] = ()) -> tuple[Trace, ...]:
    """Each piece once, in the order of the text, the strongest source first. `beside`: texts that would go out along with it."""
    pieces = dict.fromkeys(piece for piece in pieces_of(action) if not _stands_there(piece, action, evidence))
    texts = (*texts_of(action), *names_of(action))
    enclosed = _enclosed(action, evidence)
    if not pieces and not texts and not enclosed:
        return ()
    others = frozenset(person.address.email for person in reached(action, evidence)) - evidence.own
    voices = tuple(_voices(action, evidence, others))
    leaks = {voice: _leaks(texts, beside, voice) for voice in voices if voice.source in OTHERS_WORDS}
    pieces |= dict.fromkeys(piece for found in leaks.values() for piece in found)
    sources = _sources(tuple(pieces), voices, leaks, action, evidence)
    found = [sources.get(piece) or _of_sender(piece, action, evidence) or _from_nowhere(piece) for piece in pieces]
    found += [_of_voice(piece, voice) for voice in enclosed for piece in _secrets(voice.text)]
    return tuple({(trace.kind, trace.text): trace for trace in reversed(found)}.values())[::-1]


def _leaks(texts: Sequence[str], beside: Sequence[str], voice: _Voice) -> tuple[Piece, ...]:
    return (*(piece for text in texts for piece in leaked(text, voice.text)), *torn(texts, beside, voice.text))


def _sources(
    pieces: Sequence[Piece],
    voices: Sequence[_Voice],
    leaks: Mapping[_Voice, Sequence[Piece]],
    action: Action,
    evidence: Evidence,
) -> Mapping[Piece, Trace]:
    """Of the first `MOST` pieces; what more there is counts as from nowhere."""
    cards = _cards(action, evidence)
    found = {piece: saved for piece in pieces[:MOST] if (saved := _saved(piece, cards, action, evidence))}
    for voice in voices:
        words = Words(voice.text)
        for piece in pieces[:MOST]:
            if piece not in found and (words.holds(piece) or piece in leaks.get(voice, ()) or _is_spelt(piece, voice)):
                found[piece] = _of_voice(piece, voice, evidence)
    return found


def _is_spelt(piece: Piece, voice: _Voice) -> bool:
    """The user may group the digits of a code otherwise."""
    if piece.kind != "code" or voice.source not in OWN_WORDS:
        return False
    words = Words(voice.text)
    parts = piece.text.split(APART) if APART in piece.text else []
    return spelt_out(piece.text, voice.text) != "" or (parts != [] and all(words.holds(Piece("code", part)) for part in parts))


def _of_sender(piece: Piece, action: Action, evidence: Evidence) -> Trace | None:
    """An address that nobody wrote down, but that a mail came from. Known where somebody is saved as they call themselves."""
    if piece.kind != "address":
        return None
    email = normal_address(piece.text)
    mails = (*evidence.mails.values(), *evidence.read.values())
    sender = next((mail.sender for mail in mails if mail.sender and mail.sender.email == email), None)
    if sender is None:
        return None
    same = isinstance(action, CreateContact) and line(action.name).casefold() == line(sender.name).casefold() != ""
    return Trace(kind=piece.kind, text=piece.text[:LONGEST], source="message", by=who(sender), known=same)


def _from_nowhere(piece: Piece) -> Trace:
    return Trace(kind=piece.kind, text=piece.text[:LONGEST], source="nowhere", known=False)


def _of_voice(piece: Piece, voice: _Voice, evidence: Evidence | None = None) -> Trace:
    known = voice.for_secrets if piece.kind in ("code", "secret_link") else voice.vouches
    if evidence and piece.field and piece.kind == "address" and voice.source in OWN_WORDS:
        known = normal_address(piece.text) in evidence.named  # to speak of an address is not to save it
    return Trace(kind=piece.kind, text=piece.text[:LONGEST], source=voice.source, by=voice.by, known=known)


def _cards(action: Action, evidence: Evidence) -> tuple[Words, ...]:
    """The phone numbers and notes of the card that is changed, and the numbers of others where the user speaks of such."""
    before, asked = contact_before(action, evidence), speaks_of(DETAILS, evidence)
    phones = [phone for card in evidence.contact_cards.values() if asked or card == before for phone in card.phones]
    return tuple(map(Words, (*phones, before.note) if before else phones))


def _saved(piece: Piece, cards: Sequence[Words], action: Action, evidence: Evidence) -> Trace | None:
    """What the user has of their own: their address, and what stands in the address book."""
    trace = Trace(kind=piece.kind, text=piece.text[:LONGEST], source="contacts")
    if piece.kind == "address":
        email = normal_address(piece.text)
        saved = email in evidence.own or email in evidence.contacts or any(email in members for members in evidence.groups.values())
        # Who is spoken of in the user's words comes from there; a contact's own address is asked for below.
        return trace if saved and not _changes_address(piece, action, evidence) else None
    return trace if any(words.holds(piece) for words in cards) else None


def _stands_there(piece: Piece, action: Action, evidence: Evidence) -> bool:
    """What the card has already, and keeps, is no news."""
    before = contact_before(action, evidence)
    return piece.field and before is not None and piece.text in (*before.emails, *before.phones)


def _changes_address(piece: Piece, action: Action, evidence: Evidence) -> bool:
    """Somebody else's saved address on a contact's card leads mail astray as well."""
    before = contact_before(action, evidence)
    return piece.field and before is not None and piece.text.lower() not in {email.lower() for email in before.emails}


def _secrets(text: str) -> Iterator[Piece]:
    yield from (Piece("secret_link", link) for link in secret_links_in(text))
    yield from (Piece("code", code) for code in codes_beside_links(text))


def _enclosed(action: Action, evidence: Evidence) -> tuple[_Voice, ...]:
    """What goes out besides the action's own text: the mail that is forwarded, the event's text to those newly invited."""
    others = frozenset(person.address.email for person in reached(action, evidence)) - evidence.own
    if mail := forwarded(action, evidence):
        return (_of_mail(mail, "message", others, evidence),)
    event = event_before(action, evidence)
    if event and isinstance(action, UpdateEvent) and action.add_attendees:
        return (_of_event(event, others, evidence),)
    return ()


def _voices(action: Action, evidence: Evidence, others: frozenset[str]) -> Iterator[_Voice]:
    """The strongest first."""
    yield _Voice("own_words", evidence.words)
    yield from (_Voice("earlier_words", said) for said in evidence.said)
    event = event_before(action, evidence)
    mail = answered(action, evidence)
    thread = (mail, *evidence.threads.get(mail.thread, ())) if mail else ()
    rest = (*evidence.mails.values(), *evidence.read.values(), *evidence.lately)
    mails = [_of_mail(one, "thread", others, evidence) for one in thread]
    mails += [_of_mail(one, "message", others, evidence) for one in rest]
    sent = [_of_sent(one, others) for one in (*thread, *rest) if _is_sent(one, evidence)]
    events = ([event] if event else []) + [*evidence.events.values(), *evidence.read_events.values(), *evidence.around]
    told = [_of_event(one, others, evidence) for one in events]
    yield from (voice for voice in (*mails, *told) if voice.source in ("thread", "event") and voice.vouches)
    yield from (_Voice("template", text, f"“{line(name)}”") for name, text in evidence.templates.items())
    yield from sorted((*sent, *mails, *told), key=lambda voice: not voice.vouches)


def _of_mail(mail: Mail, source: Source, others: frozenset[str], evidence: Evidence) -> _Voice:
    """Whoever took part in a mail knows what it says, and whoever wrote it chose where answers to it go."""
    people = people_of(mail) | {person.email for person in mail.reply_to}
    shared = bool(others) and others <= people
    text = f"{mail.subject}\n{mail.body or mail.snippet}"
    return _Voice(source if shared else "message", text, who(mail.sender), shared, shared)


def _is_sent(mail: Mail, evidence: Evidence) -> bool:
    return mail.sender is not None and mail.sender.email in evidence.own and mail.folder == SENT


def _of_sent(mail: Mail, others: frozenset[str]) -> _Voice:
    """What the user has written is their own, but not what they quoted."""
    text = mail.body or mail.snippet
    quoted = QUOTED.search(text)
    lines = text[: quoted.start() if quoted else len(text)].splitlines()
    own = "\n".join(said for said in lines if not said.lstrip().startswith(">"))
    return _Voice("message", own, who(mail.sender), True, not others or others <= people_of(mail))


def _of_event(event: Event, others: frozenset[str], evidence: Evidence) -> _Voice:
    """An event's text is its organiser's; without one it is the user's own, which says nothing of who else may read it."""
    people = {attendee.address.email for attendee in event.attendees} | ({event.organizer.email} if event.organizer else set())
    own = event.organizer.email in evidence.own if event.organizer else not event.attendees
    shared = bool(others) and others <= people
    by = f"“{line(event.title)}”" + (f" by {who(event.organizer)}" if event.organizer and not own else "")
    source: Source = "event" if shared or own else "event_text"
    text = f"{event.title}\n{event.location}\n{event.description}"
    return _Voice(source, text, by, shared or own, shared or (own and not others))
