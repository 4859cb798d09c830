"""A message into an Analysis: steps 1 to 6 of the master's chart, by grammar."""

import re
from collections.abc import Sequence
from dataclasses import replace
from itertools import zip_longest

from assistant.reasoning.base import Analysis, Intent, Missing, Request, Setting
from assistant.reasoning.calls import Call
from assistant.reasoning.offline import criteria, talk
from assistant.reasoning.offline.entities import mark
from assistant.reasoning.offline.feedback import revision
from assistant.reasoning.offline.frames import cut, lows, strip_closers
from assistant.reasoning.offline.grammar import agent_of, parse
from assistant.reasoning.offline.lexicon import lexicon
from assistant.reasoning.offline.messages import Piece, pieces
from assistant.reasoning.offline.outline import (
    COMING_DAYS,
    NOUNS,
    REF,
    Draft,
    context_of,
    finished,
    is_group,
    lookups,
    note_entities,
    tidy,
)
from assistant.reasoning.offline.parsed import Parse
from assistant.reasoning.offline.references import Memory, resolve
from assistant.reasoning.offline.selecting import people_in
from assistant.values import ContextBox, Criterion, OwnCommand, Step, When


def analyse(request: Request) -> Analysis:
    said = talk.small_talk(request.text)
    if said:
        return _spoken(request, said, "talk", "small talk")
    if not request.proposal:
        command, answer = talk.command(request)
        if command is not None:
            return _command(request, command)
        if answer:
            return _spoken(request, answer, "talk", "a paused task")
    elif (revised := revision(request)) is not None:
        return revised
    draft = Draft(request, Memory(request))
    parts = pieces(request.text, request.setting)
    for piece, following in zip_longest(parts, parts[1:]):
        _read(_timed(piece, following, request.setting), draft)
    if request.proposal and not draft.steps:
        command, answer = talk.command(request)
        if command is not None:
            return _command(request, command)
        if answer:
            return _spoken(request, answer, "talk", "a paused task")
    if draft.failed or not (draft.steps or draft.missing):
        return _not_understood(draft)
    return finished(draft)


def _spoken(request: Request, said: str, kind: str, goal: str) -> Analysis:
    intent = Intent(goal=goal, request="talk" if kind == "talk" else "unknown")
    return Analysis(
        context=context_of(request), intent=intent, box=ContextBox(goal=goal, progress=("Intent determined",)), say=said
    )


def _command(request: Request, command: OwnCommand) -> Analysis:
    words = {
        "cancel_flow": "give up a paused task",
        "resume_flow": "go on with a paused task",
        "undo": "take back what was done last",
    }
    goal = words[command.kind]
    named = next((flow.goal or flow.about for flow in request.paused if flow.flow == getattr(command, "flow", "")), "")
    goal = f"{goal}: {named}" if named else goal
    box = ContextBox(goal=goal, progress=("Intent determined",))
    return Analysis(context=context_of(request), intent=Intent(goal=goal, request="command"), box=box, command=command)


def _not_understood(draft: Draft) -> Analysis:
    text = draft.request.text
    moods = {(clause.mood, clause.negated, clause.head) for clause in (parse(part, draft.setting).clause for part in draft.failed)}
    if moods and all(mood == "do" and negated for mood, negated, _ in moods):
        return _spoken(draft.request, talk.REFRAINS, "talk", "nothing is to be done")
    if moods and all(mood == "advice" for mood, _, _ in moods):
        return _spoken(
            draft.request, talk.advice(text, should=any(head == "should" for _, _, head in moods)), "talk", "how something is done"
        )
    said = talk.not_understood(" ".join(draft.failed) or text, draft.understood)
    box = ContextBox(goal=text, progress=("The request was not understood",), blockers=tuple(draft.failed))
    return Analysis(context=context_of(draft.request), intent=Intent(goal=text, request="unknown"), box=box, say=said)


def _timed(piece: Piece, following: Piece | None, setting: Setting) -> Piece:
    """ "… on Friday at 1 if I'm free": free at the time of what is to be done."""
    if piece.role != "check" or following is None:
        return piece
    check = parse(piece.text, setting).call
    if check is None or check.operation != "event.free" or check.time is not None:
        return piece
    deed = parse(following.text, setting).call
    if deed is None or deed.time is None:
        return piece
    return replace(piece, text=f"{piece.text} {deed.time.text}")


def _read(piece: Piece, draft: Draft) -> None:
    """One piece of the message: a step with the look-ups it needs, a constraint, or context."""
    before = len(draft.memory.unresolved)
    text = resolve(piece.text, draft.memory)
    if _states_need(text, draft):
        draft.notes.append(piece.text.rstrip(".!"))
        return
    found = parse(text, draft.setting)
    if found.call is None:
        _unread(piece, found, draft)
        return
    unclear = draft.memory.unresolved[before:]
    if (unclear and found.call.operation not in ("mail.answer", "mail.send", "mail.draft")) or (
        "shown" in found.call.select.refs and not draft.request.shown
    ):
        text, found = _with_place(text, found, unclear[0] if unclear else "it", draft)
    text, found = _completed(text, found, draft)
    if _must_not_guess(found):
        draft.failed.append(piece.text)
        return
    when = None
    if piece.role in ("if", "else"):
        if draft.check is None:
            draft.failed.append(piece.text)
            return
        step, negated = draft.check
        when = When(step=step, holds=(piece.role == "if") != negated)
    _add(text, found, when, draft)
    if piece.role == "check" or (piece.role == "plain" and found.call is not None and not criteria.writes(found.call.operation)):
        draft.check = (draft.steps[-1].id, piece.negated)


def _unread(piece: Piece, found: Parse, draft: Draft) -> None:
    """A negated deed is a constraint; a statement is context; anything else was not understood."""
    clause = found.clause
    if clause.mood == "do" and clause.negated and draft.steps:
        draft.constraints.append(piece.text.rstrip(".!"))
        return
    if _is_told(piece, found) and piece.role == "plain":
        _remember_people(piece.text, draft)
        draft.notes.append(piece.text.rstrip(".!"))
        return
    draft.failed.append(piece.text)


def _is_told(piece: Piece, found: Parse) -> bool:
    """A statement by its verb; or a whole sentence about "my train", "the weather", whose verb the lexicon lacks."""
    clause, said = found.clause, piece.text.rstrip()
    if clause.mood == "statement":
        return not said.endswith("?")
    subject = bool(clause.items) and clause.items[0].low in ("my", "our", "the", "his", "her", "their")
    return clause.mood == "things" and subject and len(clause.items) > 3 and said.endswith(".")


def _states_need(text: str, draft: Draft) -> bool:
    """ "Eva needs the mails from Tom": what "forward them" will be about, and for whom."""
    items = strip_closers(mark(text, draft.setting, "past"))
    words = lows(items)
    at = next((n for n, word in enumerate(words[:4]) if word in ("needs", "wants", "requested")), None)
    if not at or items[at - 1].kind not in ("person", "name", "word") or text.rstrip().endswith("?"):
        return False
    rest = items[at + 1 :]
    if not any(lexicon().nouns.at(lows(rest), n) for n in range(len(rest))):
        return False
    draft.memory.thing = text[rest[0].begin : rest[-1].end]
    draft.memory.person = draft.beneficiary = " ".join(named.person.text for named in people_in(items[:at]))
    return True


def _remember_people(text: str, draft: Draft) -> None:
    """Whom a statement is about: its subject, or whoever stands behind "from" or "with"."""
    items = strip_closers(mark(text, draft.setting, "past"))
    parts = cut(text, items, dictates=False)
    people = [named.person.text for slot in parts.of("from", "with", "to") for named in people_in(slot.items)]
    words = lows(items)
    verb = next((at for at, word in enumerate(words) if at and word in lexicon().small["auxiliaries"]), None)
    if verb is not None and words[0] not in lexicon().small["me"] and words[0] not in ("it", "there", "something"):
        people = [named.person.text for named in people_in(items[:verb])] or people
    if not people:
        return
    draft.memory.person = people[-1]
    met = any(match[1].verb == "meet" for at in range(len(words)) if (match := lexicon().facts.at(words, at)))
    draft.company = people[-1] if met and words[0] in lexicon().small["me"] else ""


def _completed(text: str, found: Parse, draft: Draft) -> tuple[str, Parse]:
    """Adds what the context says: whom to forward to, the period to look at."""
    call = found.call
    assert call is not None
    addition = ""
    if call.operation == "mail.forward" and not call.to and draft.beneficiary:
        addition = f" to {draft.beneficiary}"
    elif call.operation == "event.create" and not call.to and draft.company:
        addition = f" with {draft.company}"
    elif call.operation == "event.find" and call.select.when is None and call.time is None and not _narrowed(call):
        addition = f" {COMING_DAYS}"
    if not addition:
        return text, found
    text = text[found.begin : found.end] + addition
    return text, parse(text, draft.setting)


def _with_place(text: str, found: Parse, word: str, draft: Draft) -> tuple[str, Parse]:
    """A pronoun that points at nothing: its place is kept for the answer."""
    what = word.split()[-1]
    draft.missing.append(
        Missing(what=what, question=f"What do you mean by “{word}”?" if what not in PERSONS else f"Who do you mean by “{word}”?")
    )
    text = re.sub(rf"\b{re.escape(word)}\b", f"{{{what}}}", text, count=1, flags=re.IGNORECASE)
    end = found.end + len(what) + 2 - len(word)
    items = (*found.clause.items[:-1], replace(found.clause.items[-1], end=end))
    return text, replace(found, clause=replace(found.clause, text=text, items=items), recipients=(), thing=None)


PERSONS = frozenset({"her", "him", "them", "his", "their"})


def _narrowed(call: Call) -> bool:
    select = call.select
    return bool(select.people or select.words or select.order or select.refs or select.unanswered)


def _must_not_guess(found: Parse) -> bool:
    """A write whose kind of thing had to be guessed is not planned."""
    call = found.call
    return (
        call is not None and criteria.writes(call.operation) and any(guess.startswith("that ") for guess in found.reading.guesses)
    )


def _add(text: str, found: Parse, when: When | None, draft: Draft) -> None:
    call = found.call
    assert call is not None
    agent = agent_of(call.operation) or "email"
    edits = lookups(found.recipients, when, draft) if criteria.writes(call.operation) else []
    gaps = criteria.missing(call)
    draft.missing.extend(gaps)
    instruction = _instruction(text, found, edits) + criteria.places(call, gaps)
    needs = tuple(dict.fromkeys(int(ref) for ref in REF.findall(instruction)))
    _must_find(needs, when, draft)
    if when is not None and when.step not in needs:
        needs = (*needs, when.step)
    write = criteria.writes(call.operation)
    number = len(draft.steps) + 1
    step = Step(
        id=number, agent=agent, instruction=instruction, criterion=criteria.criterion(call), priority=_priority(call, write),
        needs=needs, when=when,
    )  # fmt: skip
    draft.steps.append(step)
    draft.calls.append(call)
    draft.goals.append(tidy(text[found.begin : found.end]))
    draft.understood.append(draft.goals[-1])
    draft.risks.extend(criteria.flags(call, groups=any(is_group(person, draft.setting) for person in call.to)))
    note_entities(call, draft)
    _remember(text, found, call, number, write, draft)


def _must_find(needs: tuple[int, ...], when: When | None, draft: Draft) -> None:
    """What a later step works with must be found, unless it is a check that the step hangs on."""
    for number in needs:
        step = draft.steps[number - 1]
        if step.criterion.expects == "answer" and (when is None or when.step != number):
            rule = Criterion(words=f"something is found to go on with: {step.instruction}", expects="items")
            draft.steps[number - 1] = step.model_copy(update={"criterion": rule})


def _priority(call: Call, write: bool) -> int:
    if write:
        return 6
    if call.operation in ("event.slots", "event.free"):
        return 5 if call.operation == "event.slots" else 3
    return 3 if call.operation in ("mail.check", "event.check", "contact.address", "contact.group") else 4


def _remember(text: str, found: Parse, call: Call, number: int, write: bool, draft: Draft) -> None:
    named = [person.text or person.email for person in (*call.select.people, *call.to) if not person.ref]
    draft.memory.person = next((name for name in reversed(named) if name), draft.memory.person)
    if not write:
        if call.operation not in ("event.free", "event.slots", "mail.answer"):
            draft.memory.thing = f"{{{number}}}"
            draft.memory.noun = NOUNS.get(call.operation.partition(".")[0], "")
        return
    if found.thing is not None and call.operation not in ("contact.update",):
        words = text[found.thing[0] : found.thing[1]].strip(" ,")
        if words and not words.startswith(("for ", "to ")):
            draft.memory.thing = words
    elif call.operation in ("mail.send", "mail.draft", "event.create"):
        draft.memory.thing = f"{{{number}}}"


def _instruction(text: str, found: Parse, edits: Sequence[tuple[int, int, str]]) -> str:
    """The user's own words without politeness, with references in the places of names."""
    end = len(text) if found.call is not None and found.call.body else found.end
    words = text
    for begin, stop, ref in sorted(edits, reverse=True):
        words = words[:begin] + ref + words[stop:]
        end += len(ref) - (stop - begin)
    instruction = words[found.begin : end].strip()
    if found.clause.mood == "fact" and not _asks(found):
        return f"Check whether {instruction}"
    return _capital(instruction)


def _asks(found: Parse) -> bool:
    return found.clause.head in lexicon().small["auxiliaries"]


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
