"""An imperative into a call: which operation its verb and object tell, and the reader of what stands behind the verb."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import cast

from assistant.reasoning.calls import Operation, Selection
from assistant.reasoning.offline.criteria import LIGHT
from assistant.reasoning.offline.lexicon import Form, lexicon
from assistant.reasoning.offline.reading.clauses import (
    altering,
    arranging,
    cards,
    composing,
    filing,
    forwarding,
    guests,
    missives,
    moving,
    replying,
    taking,
)
from assistant.reasoning.offline.reading.clauses.around import FLAGS
from assistant.reasoning.offline.reading.clauses.deeds import operation_for
from assistant.reasoning.offline.reading.clauses.riders import PLACING
from assistant.reasoning.offline.reading.frames import Clause, clause_of
from assistant.reasoning.offline.reading.nouns.persons import people_in
from assistant.reasoning.offline.reading.nouns.selecting import gather
from assistant.reasoning.offline.reading.nouns.states import Domain
from assistant.reasoning.offline.reading.parsed import Built, Parse, span_of, span_of_parts, unread
from assistant.reasoning.offline.reading.questions import asking, content, guests_answers, owing
from assistant.reasoning.offline.reading.questions.facts import Facts
from assistant.reasoning.offline.reading.questions.ranking import ranking
from assistant.reasoning.offline.reading.slots import cut, lows
from assistant.reasoning.offline.reading.text.items import Item
from assistant.reasoning.offline.reading.times import openings
from assistant.reasoning.offline.reading.times.moments import duration_of, merged, uncertain
from assistant.values import AgentName

DOMAINS: dict[str, Domain] = {"mail": "mail", "event": "event", "contact": "contact", "template": "template"}
NEED_A_THING = frozenset(
    "mark_read mark_unread flag unflag archive trash restore cancel move rename resize relocate accept decline tentative forward "
    "invite uninvite".split()
)
UNNAMED_ONES = "which ones are meant was not said"
UNNAMED = "what is meant was not said"
MARKING = ("mail.mark_read", "mail.mark_unread", "mail.flag")
MARKS = frozenset({"read", "unread", "important", "flagged", "seen", "starred", "not"})
FILING = ("mail.archive", "mail.trash", "mail.restore")
FOLDERS = frozenset({"trash", "bin", "archive", "inbox", "wastebasket"})
INTO = frozenset({"to", "into", "in", "from"})
MAIL_WORDS = frozenset({"mail", "email", "message", "mails", "emails", "newsletter", "attachment"})
INVITATIONS = frozenset({"invitation", "invitations", "invite", "invites"})


def deed(found: Clause, agent: AgentName | None) -> Parse:
    """An imperative: the first reading of its verb that has an operation for its object."""
    choices: list[tuple[float, int, str, Form, tuple[Item, ...], str]] = []
    for length, form in found.forms:
        rest = found.items[length:]
        operation, score, guess = operation_for(form, rest, agent)
        if operation:
            choices.append((score + 0.1 * length, -len(choices), operation, form, rest, guess))
    if not choices or found.negated:
        return Parse(found, unread(found), verb=found.forms[0][1].verb)
    _, _, operation, form, rest, guess = max(choices)
    if found.may and operation in LIGHT:
        return Parse(replace(found, mood="advice"), unread(found), verb=form.verb)
    built = build(found, form, rest, operation)
    if guess:
        built.guesses.append(guess)
    _refuse_empty(built, rest)
    _one_of_times(built, rest)
    if built.operation in PLACING and not built.fields.get("slot"):
        built.guesses.extend(uncertain(rest))
    asks = found.may or (found.text.rstrip().endswith("?") and UNNAMED_ONES in built.guesses)
    if asks and {UNNAMED_ONES, UNNAMED} & set(built.guesses):
        return Parse(replace(found, mood="advice"), unread(found), verb=form.verb)
    return built.parse(found, form.verb)


def _one_of_times(built: Built, rest: Sequence[Item]) -> None:
    """ "Cancel my 9am or 10am": one of them is meant, not each."""
    select: Selection | None = built.fields.get("select")
    joined = (n for n in range(1, len(rest) - 1) if rest[n].low == "or" and rest[n].kind == "word")
    if select is not None and select.each and any(rest[n - 1].time and rest[n + 1].time for n in joined):
        plural = any((noun := lexicon().nouns.at(lows(rest), n)) and noun[1][1] for n in range(len(rest)))
        built.fields["select"] = select if plural else select.model_copy(update={"each": False})


def _refuse_empty(built: Built, rest: Sequence[Item]) -> None:
    """A change of something that was not named is a guess."""
    needs_thing = built.operation.startswith(("mail.", "event.")) and built.operation.split(".")[1] in NEED_A_THING
    select: Selection = built.fields.get("select") or Selection()
    select = select.model_copy(update={"counted": 0})
    if needs_thing and select == Selection(each=True) and not any(item.low in lexicon().small["each"] for item in rest):
        built.fields["select"] = Selection()
        built.guesses.append(UNNAMED_ONES)
    elif needs_thing and select == Selection():
        if any(item.low in lexicon().small["pronouns_thing"] for item in rest):
            built.fields["select"] = Selection(refs=("shown",))
            built.guesses.append("it is what was shown last")
        else:
            built.guesses.append(UNNAMED)


def build(found: Clause, form: Form, rest: Sequence[Item], operation: str) -> Built:
    """The call of an operation, from what stands behind the verb."""
    name = cast(Operation, operation)
    builder = BUILDERS.get(name, _selected)
    return builder(found, form, rest, name)


def _send(found: Clause, form: Form, rest: Sequence[Item], name: Operation) -> Built:
    if (answer := missives.as_answer(rest, lows(rest))) is not None:
        return replying.reply(found, form, answer)
    return _draft(found, form, rest, name)


def _draft(found: Clause, form: Form, rest: Sequence[Item], name: Operation) -> Built:
    if form.verb == "send" and _passes_on(rest):
        return forwarding.forward(found, form, rest)
    return composing.write(found, form, rest, name)


def _create(found: Clause, form: Form, rest: Sequence[Item], _: Operation) -> Built:
    return taking.from_mail(found, form, rest) or arranging.create(found, form, rest)


def _count_contacts(found: Clause, form: Form, rest: Sequence[Item], name: Operation) -> Built:
    return replace(filing.find(found, rest), operation=name)


def _asked(found: Clause, form: Form, rest: Sequence[Item], _: Operation) -> Built:
    """ "tell me the reference number of the permit": what it is."""
    if (asked := content.value(found, rest)) is not None:
        return asked
    return asking.wh(replace(found, head="what", rest=tuple(rest))) or Built("mail.answer", {"question": found.text.strip()})


def _check_replies(found: Clause, form: Form, rest: Sequence[Item], _: Operation) -> Built:
    """ "check for replies to yesterday's message"."""
    return owing.replied(Facts(clause_of(found.text, rest), rest))


Builder = Callable[[Clause, Form, Sequence[Item], Operation], Built]
BUILDERS: dict[str, Builder] = {
    "mail.send": _send,
    "mail.draft": _draft,
    "mail.reply": lambda found, form, rest, name: replying.reply(found, form, rest),
    "mail.forward": lambda found, form, rest, name: forwarding.forward(found, form, rest),
    "mail.check": _check_replies,
    "mail.answer": _asked,
    "event.create": _create,
    "event.move": lambda found, form, rest, name: moving.move(found, form, rest),
    "event.swap": lambda found, form, rest, name: moving.trade(found, rest),
    "event.resize": lambda found, form, rest, name: moving.resize(found, form, rest),
    "event.rename": lambda found, form, rest, name: altering.rename(found, form, rest),
    "event.relocate": lambda found, form, rest, name: altering.relocate(found, form, rest),
    "event.cancel": lambda found, form, rest, name: altering.change_selected(found, rest, name),
    "event.accept": lambda found, form, rest, name: altering.change_selected(found, rest, name),
    "event.decline": lambda found, form, rest, name: altering.change_selected(found, rest, name),
    "event.tentative": lambda found, form, rest, name: altering.change_selected(found, rest, name),
    "event.invite": guests.guests,
    "event.uninvite": guests.guests,
    "event.replace": lambda found, form, rest, name: guests.replace_guests(found, form, rest),
    "event.slots": lambda found, form, rest, name: openings.slots(found, rest),
    "event.clashes": lambda found, form, rest, name: altering.clashes(found, rest),
    "contact.find": lambda found, form, rest, name: filing.find(found, rest),
    "contact.address": lambda found, form, rest, name: filing.find(found, rest),
    "contact.count": _count_contacts,
    "contact.update": lambda found, form, rest, name: cards.update(found, form, rest),
    "contact.add": lambda found, form, rest, name: filing.add(found, rest),
    "contact.group": lambda found, form, rest, name: filing.group(found, rest),
    "template.list": lambda found, form, rest, name: filing.template(found, rest, name),
    "template.save": lambda found, form, rest, name: filing.template(found, rest, name),
    "template.delete": lambda found, form, rest, name: filing.template(found, rest, name),
}
"""Operations that need more than to know which things are meant."""


def _passes_on(rest: Sequence[Item]) -> bool:
    """ "send Anna the mail from Tom": a definite mail that somebody wrote is passed on, not written."""
    words = lows(rest)
    at = next((n for n, word in enumerate(words) if word in MAIL_WORDS), None)
    if not at:
        return False
    orders = ((n, order[0]) for n in range(1, at) if (order := lexicon().orders.at(words, n)))
    if any(n + length == at and words[n - 1] not in ("a", "an") for n, length in orders):
        return True
    before = words[at - 1]
    behind = {"from", "sent", "wrote", "received"} & set(words[at:])
    definite = before in ("last", "latest", "first", "newest", "next", "the", "all", "'s")
    return (definite and bool(behind)) or (at > 1 and before in ("last", "latest") and "from" in words)


def _selected(found: Clause, form: Form, rest: Sequence[Item], name: Operation) -> Built:
    """Operations that only need to know which things are meant."""
    if form.verb in ("find", "check", "read") and (ranked := ranking(found, rest, None)):
        return ranked
    items = _object(name, rest)
    if name == "event.find" and (answered := guests_answers.which(Facts(replace(found, head="which", rest=tuple(rest)), rest))):
        answered.thing = span_of(items)
        return answered
    parts = cut(found.text, items, dictates=False)
    when, length = merged(parts.times), duration_of(parts.times)
    if name == "mail.find" and owing.owes_answer(lows(rest)):
        return Built("mail.unanswered", {"select": Selection(when=when)})
    gathered = gather(parts, DOMAINS[name.partition(".")[0]])
    if name == "mail.mark_unread":
        gathered.select.pop("unread", None)
    if name.startswith("contact.") and not gathered.people and gathered.words:
        gathered.people.extend(people_in(parts.object))
        gathered.words.clear()
    if name == "event.find" and any(item.low in INVITATIONS for item in rest):
        gathered.select["unanswered"] = True
    if name == "mail.attention":
        gathered.words.clear()
    read = name == "mail.find" and gathered.select.get("order") and form.verb == "read"
    built = Built("mail.read" if read else name, {"select": gathered.selection(when)})
    if name in ("event.find", "event.summarise") and length is not None:
        built.fields["duration"] = length
    built.thing = span_of_parts(parts.slots, parts.times) or span_of(items)
    return built


def _object(name: Operation, rest: Sequence[Item]) -> list[Item]:
    """What shall be marked or filed, without the words that say as what or where."""
    items = list(rest)
    if name in MARKING:
        items = [item for at, item in enumerate(items) if not _as_what(items, at)]
    if name in FILING:
        items = [item for at, item in enumerate(items) if not _target_folder([one.low for one in items], at)]
    return _without_flag(items) if name in ("mail.flag", "mail.unflag") else items


def _without_flag(items: list[Item]) -> list[Item]:
    """What stands behind "the flag from", "a star on"; all where the verb says it alone."""
    at = next((n for n, item in enumerate(items[:3]) if item.low in FLAGS), None)
    if at is None:
        return items
    while at + 1 < len(items) and items[at + 1].low in ("from", "off", "of", "on", "to", "for"):
        at += 1
    return items[at + 1 :]


def _as_what(items: Sequence[Item], at: int) -> bool:
    """ "as read": what the mails shall be marked as; "the unread mails" are which."""
    if items[at].low == "as":
        return True
    before = items[at - 1].low if at else ""
    behind = at + 1 == len(items) or items[at + 1].kind == "punct"
    return items[at].low in MARKS and (before in ("as", "not") or behind)


def _target_folder(words: Sequence[str], at: int) -> bool:
    """ "to the trash"."""
    before = words[at - 1] if at else ""
    if words[at] in FOLDERS:
        return before in ("to", "the", "into", "in", "my")
    behind = words[at + 1 : at + 3]
    named = behind[1:] if behind[:1] in (["the"], ["my"]) else behind[:1]
    return words[at] in INTO and bool(FOLDERS & set(named))
