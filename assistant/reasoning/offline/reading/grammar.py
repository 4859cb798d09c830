"""One instruction in words into one Call."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import cast

from assistant.reasoning.base import Setting
from assistant.reasoning.calls import Operation, Reading, Selection
from assistant.reasoning.offline.criteria import LIGHT
from assistant.reasoning.offline.lexicon import Form, lexicon
from assistant.reasoning.offline.reading.clauses import (
    arranging,
    asking,
    cards,
    changes,
    composing,
    copying,
    facts,
    filing,
    guarding,
    holding,
    missives,
    replacing,
    revising,
    taking,
)
from assistant.reasoning.offline.reading.clauses.deeds import operation_for
from assistant.reasoning.offline.reading.clauses.facts import owes_answer
from assistant.reasoning.offline.reading.clauses.special import FLAGS, object_items, spare
from assistant.reasoning.offline.reading.coverage import accounted
from assistant.reasoning.offline.reading.entities import Item, mark
from assistant.reasoning.offline.reading.frames import Clause, clause, clause_of, unknown_verb
from assistant.reasoning.offline.reading.nouns import beside, excepting
from assistant.reasoning.offline.reading.nouns.persons import people_in
from assistant.reasoning.offline.reading.nouns.ranking import comparing, ranking
from assistant.reasoning.offline.reading.nouns.selecting import Domain, gather
from assistant.reasoning.offline.reading.parsed import Built, Parse, span_of
from assistant.reasoning.offline.reading.slots import cut, lows, noun_of
from assistant.reasoning.offline.reading.text.folding import folded
from assistant.reasoning.offline.reading.text.nonexistent import no_such_time
from assistant.reasoning.offline.reading.text.spelling import corrected, guessed, kept_as_said, without
from assistant.reasoning.offline.reading.times import openings, schedules, vacancy
from assistant.reasoning.offline.reading.times.moments import duration_of, merged
from assistant.values import AgentName

DOMAINS: dict[str, Domain] = {"mail": "mail", "event": "event", "contact": "contact", "template": "template"}


AGENT_OF: dict[str, AgentName] = {"mail": "email", "template": "email", "event": "calendar", "contact": "contacts"}


def read(text: str, setting: Setting, agent: AgentName | None = None) -> Reading:
    """A call, or none where the text is no instruction that the grammar knows. A negated, asked-about or unknown deed is none."""
    short = folded(text, setting)
    return Reading() if short.too_long else short.said(_read(short.text, setting, agent))


def _read(text: str, setting: Setting, agent: AgentName | None) -> Reading:
    right, slips = corrected(text, setting)
    if wrong := no_such_time(right, setting):
        return Reading(unread=(wrong,))
    reading = parse(right, setting, agent).reading
    if slips and (kept := kept_as_said(slips, reading.call)):
        reading = parse(without(text, slips, kept), setting, agent).reading
    if reading.call is None or not (meant := guessed(slips, reading.call.operation)):
        return reading
    return reading.model_copy(update={"guesses": (*reading.guesses, *meant), "certain": False})


@lru_cache(maxsize=64)
def parse(text: str, setting: Setting, agent: AgentName | None = None) -> Parse:
    return accounted(_parsed(text, setting, agent))


def _parsed(text: str, setting: Setting, agent: AgentName | None) -> Parse:
    if (scheduled := schedules.told(text, setting)) is not None:
        return Parse(Clause(text, mark(text, setting), "wh", head="when"), Reading(call=scheduled.call, certain=True))
    found = clause(text, setting)
    return (
        _held_back(text, found, setting, agent)
        or _copied(text, found, setting, agent)
        or _guarded(text, found, setting, agent)
        or _beside(text, found, agent)
        or _into_free_time(text, found, setting, agent)
        or _changes_of_one(text, found, setting, agent)
        or parse_clause(found, agent)
    )


def _guarded(text: str, found: Clause, setting: Setting, agent: AgentName | None) -> Parse | None:
    at = guarding.guarded_from(found.items) if found.mood == "do" else None
    inner = parse(text[: found.items[at].begin].rstrip(" ,"), setting, agent) if at else None
    if inner is None or inner.call is None or inner.call.operation not in guarding.PLACING:
        return None
    call = inner.call.model_copy(update={"guarded": True})
    return replace(inner, clause=found, reading=inner.reading.model_copy(update={"call": call}))


def _into_free_time(text: str, found: Clause, setting: Setting, agent: AgentName | None) -> Parse | None:
    """ "… to my first free slot on Friday": the same without these words, at that place."""
    place = vacancy.vacancy(text, found.items, setting) if found.mood == "do" and not found.negated else None
    if place is None:
        return None
    gone = found.items[place.begin : place.end]
    kept = tuple(item for item in found.items if item not in gone)
    apart = replace(found, items=kept, rest=tuple(item for item in found.rest if item not in gone))
    inner = parse_clause(vacancy.moved_if_there(apart), agent)
    call = vacancy.within(inner.call, place) if inner.call is not None else None
    return replace(inner, clause=found, reading=inner.reading.model_copy(update={"call": call})) if call is not None else None


def _beside(text: str, found: Clause, agent: AgentName | None) -> Parse | None:
    """ "… right after my last meeting": the same without these words, at that place."""
    asks = found.mood == "wh" and found.head in ("what", "which", "who")
    apart = beside.beside(text, found.items) if (found.mood in ("do", "fact") or asks) and not found.negated else None
    if apart is None:
        return None
    gone = found.items[apart.begin : apart.end]
    kept = tuple(item for item in found.items if item not in gone)
    if found.mood == "fact" and (asked := beside.asked(text, kept)) is not None:
        call = beside.placed(asked, apart)
        return Parse(found, Reading(call=call, certain=True), thing=apart.span)
    inner = parse_clause(replace(found, items=kept, rest=tuple(item for item in found.rest if item not in gone)), agent)
    if asks:
        call = beside.neighbour(inner.call, apart, lows(kept))
        return Parse(found, Reading(call=call, certain=True), thing=apart.span) if call is not None else None
    call = (beside.placed(inner.call, apart) or beside.picked(inner.call, apart)) if inner.call is not None else None
    if call is None:
        return None
    recipients = tuple(named for named in inner.recipients if not beside.same_people(named.person))
    thing = apart.span if call.operation in ("event.check", "event.free") else inner.thing
    picked = call.select.next_to is not None
    reading = Reading(call=call, certain=True) if picked else inner.reading.model_copy(update={"call": call})
    return replace(inner, clause=found, reading=reading, recipients=recipients, thing=thing)


def _held_back(text: str, found: Clause, setting: Setting, agent: AgentName | None) -> Parse | None:
    """ "write to Tom that …, but don't send it": a draft of what stands before."""
    at = holding.held_from(found.items) if found.mood == "do" and not found.negated else None
    inner = parse(text[: found.items[at].begin].rstrip(" ,.;"), setting, agent) if at else None
    call = holding.kept(inner.call) if inner is not None and inner.call is not None else None
    if inner is None or call is None:
        return None
    return replace(inner, clause=found, reading=inner.reading.model_copy(update={"call": call}))


def _copied(text: str, found: Clause, setting: Setting, agent: AgentName | None) -> Parse | None:
    """ "… that it is moved and cc Lena": the mail that stands before, with a copy."""
    tail = copying.copied_to(found.items) if found.mood == "do" and not found.negated else None
    inner = parse(text[: found.items[tail[0]].begin].rstrip(" ,"), setting, agent) if tail else None
    call = copying.copied(inner.call, tail[1], hidden=tail[2]) if tail and inner is not None and inner.call is not None else None
    if tail is None or inner is None or call is None:
        return None
    reading = inner.reading.model_copy(update={"call": call})
    return replace(inner, clause=found, reading=reading, recipients=(*inner.recipients, *tail[1]))


def _changes_of_one(text: str, found: Clause, setting: Setting, agent: AgentName | None) -> Parse | None:
    """ "rename the sync to Weekly and move it to 10": one call with both changes."""
    joints = changes.joints(found.items) if found.mood == "do" and not found.negated else []
    for at in joints if len(joints) <= changes.MOST else []:
        first = parse(text[found.items[0].begin : found.items[at - 1].end], setting, agent)
        second = parse(text[found.items[at + 1].begin : found.items[-1].end], setting, agent)
        if first.call is None or second.call is None or not changes.about_the_same(second.reading):
            continue
        call = changes.joined(first.call, second.call)
        if call is not None:
            reading = first.reading.model_copy(update={"call": call})
            guests = [
                replace(n, begin=n.begin + found.items[at + 1].begin, end=n.end + found.items[at + 1].begin)
                for n in second.recipients
            ]
            lead = found.items[0].begin
            own = [replace(n, begin=n.begin + lead, end=n.end + lead) for n in first.recipients]
            return replace(first, clause=found, reading=reading, recipients=(*own, *guests))
    return None


def parse_clause(found: Clause, agent: AgentName | None = None) -> Parse:
    of_proposal = any(item.kind == "ref" and item.low == "proposal" for item in found.items)
    if of_proposal or (excepted := excepting.split(found)) is None:
        return _parse_clause(found, agent)
    whole, left_out = excepted
    plain = _parse_clause(whole, agent)
    if plain.call is not None and plain.call.operation in ("event.slots", "event.free"):
        return _parse_clause(found, agent)
    return replace(excepting.without(plain, left_out), clause=found)


def _parse_clause(found: Clause, agent: AgentName | None) -> Parse:
    if not found.items:
        return Parse(found, Reading())
    if any(item.kind == "ref" and item.low == "proposal" for item in found.items):
        built = revising.revise(found, found.items)
        return built.parse(found) if built else Parse(found, _unread(found))
    if found.mood in ("things", "statement") and not found.negated and (told := filing.stated(found)):
        return told.parse(found)
    if found.mood in ("advice", "statement"):
        return Parse(found, _unread(found))
    if found.mood == "do":
        return _deed(found, agent)
    compared = comparing(found, agent) if found.mood in READERS else None
    built = compared or READERS.get(found.mood, _things)(found, agent)
    if built is None or (found.negated and found.mood == "things"):
        return Parse(found, _unread(found))
    return built.parse(found)


READERS: dict[str, Callable[[Clause, AgentName | None], Built | None]] = {"fact": facts.fact, "wh": asking.wh}


def _unread(found: Clause) -> Reading:
    return Reading(unread=tuple(item.text for item in found.items if item.kind == "word" and item.text))


def domain_of(operation: str) -> str:
    return operation.partition(".")[0]


def agent_of(operation: str) -> AgentName | None:
    return AGENT_OF.get(domain_of(operation))


def _deed(found: Clause, agent: AgentName | None) -> Parse:
    """An imperative: the first reading of its verb that has an operation for its object."""
    choices: list[tuple[float, int, str, Form, tuple[Item, ...], str]] = []
    for length, form in found.forms:
        rest = found.items[length:]
        operation, score, guess = operation_for(form, rest, agent)
        if operation:
            choices.append((score + 0.1 * length, -len(choices), operation, form, rest, guess))
    if not choices or found.negated:
        return Parse(found, _unread(found), verb=found.forms[0][1].verb)
    _, _, operation, form, rest, guess = max(choices)
    if found.may and operation in LIGHT:
        return Parse(replace(found, mood="advice"), _unread(found), verb=form.verb)
    built = _build(found, form, rest, operation)
    if guess:
        built.guesses.append(guess)
    _refuse_empty(built, rest)
    asks = found.may or (found.text.rstrip().endswith("?") and UNNAMED_ONES in built.guesses)
    if asks and NOTHING_NAMED & set(built.guesses):
        return Parse(replace(found, mood="advice"), _unread(found), verb=form.verb)
    return built.parse(found, form.verb)


NEED_A_THING = frozenset(
    (
        "mark_read mark_unread flag unflag archive trash restore cancel move rename resize relocate accept decline "
        "tentative forward invite uninvite"
    ).split()
)


UNNAMED_ONES = "which ones are meant was not said"
NOTHING_NAMED = frozenset({UNNAMED_ONES, "what is meant was not said"})


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
            built.guesses.append("what is meant was not said")


def _build(found: Clause, form: Form, rest: Sequence[Item], operation: str) -> Built:
    name = cast(Operation, operation)
    if name == "mail.send" and (answer := missives.as_answer(rest, lows(rest))) is not None:
        return composing.reply(found, form, answer)
    if name in ("mail.send", "mail.draft"):
        if form.verb == "send" and _passes_on(rest):
            return composing.forward(found, form, rest)
        return composing.write(found, form, rest, name)
    if name == "event.create" and (taken := taking.from_mail(found, form, rest)):
        return taken
    if name.startswith("template."):
        return filing.template(found, rest, name)
    if name == "event.replace":
        return replacing.replace_guests(found, form, rest)
    if name == "event.swap":
        return replacing.trade(found, rest)
    if name in ("event.invite", "event.uninvite"):
        return arranging.guests(found, form, rest, name)
    if name in ("contact.find", "contact.address", "contact.count"):
        built = filing.find(found, rest)
        if name == "contact.count":
            built.operation = name
        return built
    builders: dict[str, Callable[[], Built]] = {
        "mail.reply": lambda: composing.reply(found, form, rest),
        "mail.forward": lambda: composing.forward(found, form, rest),
        "event.create": lambda: arranging.create(found, form, rest),
        "event.move": lambda: arranging.move(found, form, rest),
        "event.rename": lambda: arranging.rename(found, form, rest),
        "event.resize": lambda: arranging.resize(found, form, rest),
        "event.relocate": lambda: arranging.relocate(found, form, rest),
        "event.cancel": lambda: arranging.change_selected(found, rest, name),
        "event.accept": lambda: arranging.change_selected(found, rest, name),
        "event.decline": lambda: arranging.change_selected(found, rest, name),
        "event.tentative": lambda: arranging.change_selected(found, rest, name),
        "event.slots": lambda: openings.slots(found, rest),
        "event.clashes": lambda: arranging.clashes(found, rest),
        "contact.update": lambda: cards.update(found, form, rest),
        "contact.add": lambda: filing.add(found, rest),
        "contact.group": lambda: filing.group(found, rest),
        "mail.check": lambda: _check_replies(found, rest),
        "mail.answer": lambda: _asked(found, rest),
    }
    if name in builders:
        return builders[name]()
    return _selected(found, form, rest, name)


def _passes_on(rest: Sequence[Item]) -> bool:
    """ "send Anna the mail from Tom": a definite mail that somebody wrote is passed on, not written."""
    words = lows(rest)
    at = next(
        (n for n, word in enumerate(words) if word in ("mail", "email", "message", "mails", "emails", "newsletter", "attachment")),
        None,
    )
    if at is None:
        return False
    if any(
        n + order[0] == at and words[n - 1] not in ("a", "an") for n in range(1, at) if (order := lexicon().orders.at(words, n))
    ):
        return True
    definite = at > 0 and (words[at - 1] in ("last", "latest", "first", "newest", "next") or words[at - 1] in ("the", "all", "'s"))
    behind = {"from", "sent", "wrote", "received"} & set(words[at:])
    return (definite and bool(behind)) or (at > 1 and words[at - 1] in ("last", "latest") and "from" in words)


def _selected(found: Clause, form: Form, rest: Sequence[Item], name: Operation) -> Built:
    """Operations that only need to know which things are meant."""
    if form.verb in ("find", "check", "read") and (ranked := ranking(found, rest, None)):
        return ranked
    built = Built(name)
    domain = DOMAINS[domain_of(name)]
    items = [item for item in rest if not (name.startswith("mail.mark") or name == "mail.flag") or not _as_what(rest, item)]
    items = [item for item in items if not (name in ("mail.archive", "mail.trash", "mail.restore") and _target_folder(items, item))]
    if name in ("mail.flag", "mail.unflag"):
        items = _without_flag(items)
    parts = cut(found.text, items, dictates=False)
    gathered = gather(parts, domain)
    if name == "mail.mark_unread" and "unread" in gathered.select:
        gathered.select.pop("unread")
    if name.startswith("contact.") and not gathered.people and gathered.words:
        gathered.people.extend(people_in(parts.object))
        gathered.words.clear()
    if name == "event.find" and any(item.low in ("invitation", "invitations", "invite", "invites") for item in rest):
        gathered.select["unanswered"] = True
    if name in ("event.find", "event.summarise") and duration_of(parts.times) is not None:
        built.fields["duration"] = duration_of(parts.times)
    if name == "mail.find" and gathered.select.get("order") and form.verb in ("read",):
        built.operation = "mail.read"
    if name == "mail.attention":
        gathered.words.clear()
    if name == "mail.find" and owes_answer(lows(rest)):
        return Built("mail.unanswered", {"select": Selection(when=merged(parts.times))})
    built.fields["select"] = gathered.selection(merged(parts.times))
    built.thing = arranging._thing(parts.slots, parts.times) or span_of(items)
    return built


def _without_flag(items: list[Item]) -> list[Item]:
    """What stands behind "the flag from", "a star on"; all where the verb says it alone."""
    at = next((n for n, item in enumerate(items[:3]) if item.low in FLAGS), None)
    if at is None:
        return items
    while at + 1 < len(items) and items[at + 1].low in ("from", "off", "of", "on", "to", "for"):
        at += 1
    return items[at + 1 :]


MARKS = frozenset({"read", "unread", "important", "flagged", "seen", "starred", "not"})


def _as_what(items: Sequence[Item], item: Item) -> bool:
    """ "as read": what the mails shall be marked as; "the unread mails" are which."""
    at = list(items).index(item)
    if item.low == "as":
        return True
    before = items[at - 1].low if at else ""
    behind = at + 1 == len(items) or items[at + 1].kind == "punct"
    return item.low in MARKS and (before in ("as", "not") or behind)


def _target_folder(items: Sequence[Item], item: Item) -> bool:
    at = list(items).index(item)
    before = items[at - 1].low if at else ""
    after = items[at + 1].low if at + 1 < len(items) else ""
    folder = ("trash", "bin", "archive", "inbox", "wastebasket")
    return (
        (item.low in folder and before in ("to", "the", "into", "in", "my"))
        or (item.low in ("to", "into", "in", "from") and after in folder)
        or (
            item.low in ("to", "into", "in", "from")
            and after in ("the", "my")
            and at + 2 < len(items)
            and items[at + 2].low in folder
        )
    )


def _asked(found: Clause, rest: Sequence[Item]) -> Built:
    """ "tell me the reference number of the permit": what it is."""
    return asking.wh(replace(found, head="what", rest=tuple(rest))) or Built("mail.answer", {"question": found.text.strip()})


def _check_replies(found: Clause, rest: Sequence[Item]) -> Built:
    """ "check for replies to yesterday's message"."""
    statement = clause_of(found.text, rest)
    return facts.replied(facts.Facts(statement, rest))


def _things(found: Clause, agent: AgentName | None) -> Built | None:
    """A noun phrase alone looks things up; with people, a length and no noun it asks for a meeting."""
    items = found.items
    if ranked := ranking(found, items, agent):
        return ranked
    if (plans := facts.plans(found)) is not None:
        return plans
    if _tells(items):
        return None
    noun, _, _, _, _ = noun_of(object_items(items) or items)
    noun = noun or noun_of(items)[0]
    persons = [item for item in items if item.kind in ("person", "name", "address", "ref")]
    lengths = [item for item in items if item.time is not None and item.time.kind == "duration"]
    if lengths and persons and noun in ("", "event", "occasion") and not _asks_help(items):
        return arranging.create(found, Form("create", "schedule", True), items)
    if agent is None and noun in ("event", "occasion") and _appoints(found):
        return arranging.create(found, Form("create", "schedule", True), items)
    if spare(items):
        return openings.slots(found, items)
    value = [item for item in items if item.kind in ("phone", "address")]
    if value and noun == "field" and items[-1] is value[-1] and any(item.kind in ("person", "name") for item in items):
        return cards.update(found, Form("change", "change", True), items)
    if noun == "reply" and lows(items)[0] in ("any", "no") and not found.negated:
        return facts.replied(facts.Facts(found, items[1:]))
    operation = lexicon().operations.get(("find", noun), "") if noun else ""
    if (
        not noun
        and items
        and all(item.kind == "time" or item.low in lexicon().small["stop"] for item in items)
        and agent == "calendar"
    ):
        operation = "event.find"
    if items[0].low in lexicon().small["free"] and any(item.kind == "time" for item in items) and not noun:
        return facts.fact(replace(found, rest=items), agent)
    if owes_answer(lows(items)) and noun not in ("event", "occasion", "invitation"):
        return facts.open_mails(facts.Facts(found, items))
    if not noun and any(item.low in ("unanswered",) for item in items):
        return Built("mail.unanswered")
    if not operation and _states_only(items):
        operation = "mail.find"
    if not operation:
        return None
    if operation == "mail.find" and any(item.low == "unanswered" for item in items):
        operation = "mail.unanswered"
    built = _build(found, Form("find", "find", True), items, operation)
    chosen = built.fields.get("select")
    if built.operation == "event.find" and chosen is not None and chosen.order == "next":
        built.operation = "event.next"
    return built


def _asks_help(items: Sequence[Item]) -> bool:
    """ "they need …, help them find …": more than who meets for how long."""
    words, lex = lows(items), lexicon()
    return any(
        items[at].kind == "word" and lex.nouns.at(words, at) is None and any(form.base for _, form in lex.verbs.all_at(words, at))
        for at in range(len(items))
    ) or bool({"need", "needs", "want", "wants", "help"} & set(words))


def _appoints(found: Clause) -> bool:
    """ "Lunch with Zoe on Tuesday from 12:30 to 13:30": a thing nobody calls "my" or "the", at one time of day to come."""
    lex, words = lexicon(), lows(found.items)
    specs = [item.time for item in found.items if item.time is not None and item.time.kind != "duration"]
    if len(specs) != 1 or found.text.rstrip().endswith("?") or found.now is None:
        return False
    (spec,) = specs
    ahead = spec.start is not None and spec.start > found.now
    dated = ahead and spec.kind in ("point", "range") and spec.has_date and spec.has_time
    if not dated or words[0] in ("free", "busy") or any(item.kind == "ref" for item in found.items):
        return False
    plural = any((noun := lex.nouns.at(words, at)) and noun[1][1] for at in range(len(words)))
    picked = any(word in lex.small["articles"] | lex.small["each"] | {"my", "our", "any", "'s"} for word in words)
    return not plural and not picked and not any(lex.orders.at(words, at) or lex.states.at(words, at) for at in range(len(words)))


def _tells(items: Sequence[Item]) -> bool:
    """A verb or question word inside, outside of "that …" and "I …": not just a noun phrase."""
    words, lex = lows(items), lexicon()
    if unknown_verb(items):
        return True
    for at, word in enumerate(words):
        if at and (word in ("that", "which", "who", "i", "we", "where") or items[at].kind == "person"):
            return False
        if (
            items[at].kind != "word"
            or lex.nouns.at(words, at)
            or lex.states.at(words, at)
            or lex.markers.at(words, at)
            or lex.folders.at(words, at)
        ):
            continue
        if (
            word in lex.small["wh"]
            or lex.facts.at(words, at)
            or (lex.verbs.at(words, at) and word not in ("new", "open", "set", "clear"))
        ):
            return True
    return False


def _states_only(items: Sequence[Item]) -> bool:
    words = lows(items)
    return any((match := lexicon().states.at(words, at)) and match[1][0] in ("unread", "flagged") for at in range(len(items)))
