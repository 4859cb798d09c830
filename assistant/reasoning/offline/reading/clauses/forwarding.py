"""Clauses that pass a mail on."""

from collections.abc import Sequence
from itertools import pairwise

from assistant.reasoning.offline.lexicon import Form, lexicon
from assistant.reasoning.offline.reading.clauses.addressing import indirect, recipients_in
from assistant.reasoning.offline.reading.clauses.contents import take_content
from assistant.reasoning.offline.reading.clauses.replying import selects
from assistant.reasoning.offline.reading.frames import Clause
from assistant.reasoning.offline.reading.nouns.selecting import gather
from assistant.reasoning.offline.reading.parsed import Built, span_of
from assistant.reasoning.offline.reading.slots import Parts, Slot, cut, lows
from assistant.reasoning.offline.reading.text.items import PERSONAL, Item
from assistant.reasoning.offline.reading.times.moments import merged


def forward(clause: Clause, form: Form, rest: Sequence[Item]) -> Built:
    built = Built("mail.forward")
    direct, tail = indirect(rest, form)
    if direct and rest[0].low in _POINTED and _goes_to(tail) and not _names_mail(tail):
        direct, tail = [], rest
    if direct and (not tail or (all(named.person.ref for named in direct) and not _names_mail(tail))):
        direct, tail = [], rest
    parts = cut(clause.text, tail, dictates=True, colon=True)
    parts.slots = [part for slot in parts.slots for part in _recipients_first(slot)]
    if form.lemma == "share":
        parts.slots = [Slot("to", slot.items) if slot.marker == "with" and recipients_in(slot) else slot for slot in parts.slots]
    to_others = _sent_before(parts.slots)
    recipients = [*direct, *(named for slot in parts.of("to") if slot not in to_others for named in recipients_in(slot))]
    take_content(
        clause, Parts([slot for slot in parts.slots if slot.marker in ("cc", "bcc", "with", "using")], [], parts.body), built
    )
    chosen = [
        slot
        for slot in parts.slots
        if slot.marker in ("", "from", "about", "in", "on", "called", "subject", "of", "for")
        or (selects(slot, True) and slot.marker == "with")
        or slot in to_others
    ]
    found = gather(Parts(chosen, parts.times), "mail")
    built.fields["select"] = found.selection(merged(parts.times))
    built.recipients[:0] = recipients
    built.fields["to"] = tuple(named.person for named in recipients)
    built.thing = span_of([item for slot in chosen for item in slot.items])
    return built


_POINTED = frozenset({"the", "this", "that", "these", "those", "my", "all"})


def _names_mail(items: Sequence[Item]) -> bool:
    words = lows(items)
    stop = words.index("to") if "to" in words else len(words)
    return any((noun := lexicon().nouns.at(words, at)) and noun[1][0] in ("mail", "newsletter", "attachment") for at in range(stop))


def _recipients_first(slot: Slot) -> tuple[Slot, ...]:
    """ "forward to Priya all the emails …": the people end where the mails begin."""
    if slot.marker != "to" or not _names_mail([item for item in slot.items if item.low != "to"]):
        return (slot,)
    begins = lexicon().small["articles"] | lexicon().small["each"]
    at = next((n for n, item in enumerate(slot.items) if n and item.low in begins and item.kind == "word"), None)
    return (slot,) if at is None else (Slot("to", slot.items[:at]), Slot("", slot.items[at:]))


def _goes_to(items: Sequence[Item]) -> bool:
    """Whether somebody stands behind a "to"."""
    return any(item.low == "to" and after.kind in PERSONAL for item, after in pairwise(items))


def _sent_before(slots: Sequence[Slot]) -> list[Slot]:
    """ "The mail I sent to Eva": whom the mail went to, not where it goes now."""
    return [slot for before, slot in pairwise(slots) if slot.marker == "to" and lows(before.items)[-1:] in (["i"], ["we"])]
