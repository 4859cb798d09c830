"""A message into an Analysis: steps 1 to 6 of the master's chart, by grammar."""

import re
from collections.abc import Sequence
from dataclasses import replace

from assistant.reasoning.base import Analysis, Intent, Missing, Request
from assistant.reasoning.calls import Call
from assistant.reasoning.offline import criteria
from assistant.reasoning.offline.lexicon import lexicon
from assistant.reasoning.offline.planning import talk
from assistant.reasoning.offline.planning.conditions import sharing_times
from assistant.reasoning.offline.planning.continuing import goes_on
from assistant.reasoning.offline.planning.feedback import revision
from assistant.reasoning.offline.planning.instructing import instruction_of, with_places
from assistant.reasoning.offline.planning.messages import instructs, pieces
from assistant.reasoning.offline.planning.outline import (
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
from assistant.reasoning.offline.planning.pieces import Piece
from assistant.reasoning.offline.planning.references import Memory, resolve
from assistant.reasoning.offline.planning.telling import is_told, remember, states_need
from assistant.reasoning.offline.reading.changes import of_one_event
from assistant.reasoning.offline.reading.dictation import dictation
from assistant.reasoning.offline.reading.entities import mark
from assistant.reasoning.offline.reading.folding import folded
from assistant.reasoning.offline.reading.frames import lows
from assistant.reasoning.offline.reading.grammar import agent_of, parse
from assistant.reasoning.offline.reading.parsed import Parse
from assistant.reasoning.offline.reading.spelling import Correction, corrected, respelt
from assistant.values import ContextBox, Criterion, OwnCommand, Plan, Step, When


def analyse(request: Request) -> Analysis:
    short = folded(request.text, request.setting, lambda sentence: instructs(sentence, request.setting))
    if short.too_long:
        return _spoken(request, talk.too_long(request.text), "unknown", "a long message")
    analysis = _put_right(request.model_copy(update={"text": short.text}))
    if not short.parts:
        return analysis
    steps = [step.model_copy(update={"instruction": short.unfolded(step.instruction)}) for step in analysis.plan.steps]
    return short.shortened(analysis).model_copy(update={"plan": Plan(steps=tuple(steps))})


def _put_right(request: Request) -> Analysis:
    right, slips = corrected(request.text, request.setting)
    if not slips:
        return _analysed(request)
    analysis = _analysed(request.model_copy(update={"text": right}))
    steps = tuple(_as_written(step, slips, request) for step in analysis.plan.steps)
    read_as = tuple(f"“{one.wrong}” read as “{one.right}”" for one in slips)
    box = analysis.box.model_copy(update={"notes": (*analysis.box.notes, *read_as)})
    return analysis.model_copy(update={"plan": Plan(steps=steps), "box": box})


def _as_written(step: Step, slips: Sequence[Correction], request: Request) -> Step:
    """A write keeps the misspelt word of its verb, so that the guess is said where it is proposed."""
    if step.criterion.expects != "proposal":
        return step
    return step.model_copy(update={"instruction": respelt(step.instruction, slips)})


def _analysed(request: Request) -> Analysis:
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
    for piece in sharing_times(pieces(request.text, request.setting), request.setting):
        _read(piece, draft)
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


def _read(piece: Piece, draft: Draft) -> None:
    """One piece of the message: a step with the look-ups it needs, a constraint, or context."""
    if piece.role == "check" and not draft.memory.person:
        draft.memory.person = _first_person(draft.request)
    before = len(draft.memory.unresolved)
    if goes_on(piece, draft):
        return
    text = piece.text if of_one_event(parse(piece.text, draft.setting)) else resolve(piece.text, draft.memory)
    if states_need(text, draft):
        draft.notes.append(piece.text.rstrip(".!"))
        return
    found = parse(text, draft.setting)
    if found.call is None:
        _unread(piece, found, draft)
        return
    unclear = draft.memory.unresolved[before:]
    told = found.call.operation == "contact.update" and found.clause.mood != "do"
    if (unclear and not told and found.call.operation not in ("mail.answer", "mail.send", "mail.draft")) or (
        "shown" in found.call.select.refs and not draft.request.shown
    ):
        text, found = _with_place(text, found, unclear[0] if unclear else "it", draft)
    if found.call is None or (criteria.writes(found.call.operation) and _has_open_condition(text, draft)):
        draft.failed.append(piece.text)
        return
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


def _has_open_condition(text: str, draft: Draft) -> bool:
    """Whether a condition is left in a deed: one that could not be read is never passed over."""
    items = mark(text, draft.setting)
    stop, _ = dictation(items)
    words = lows(items[:stop])
    at = next(
        (n for n, word in enumerate(words) if n and word in ("if", "unless") and words[n - 1] not in ("as", "ask", "know")), None
    )
    asks = {form.verb for n in range(min(len(words), 3)) for _, form in lexicon().verbs.all_at(words, n)} & {"ask", "tell"}
    polite = at is not None and words[at + 1 : at + 2] in (["possible"], ["needed"], ["necessary"], ["any"], ["you"])
    return at is not None and not asks and not polite


def _first_person(request: Request) -> str:
    """Whom "he" means in "send Tom a mail if he hasn't replied": a condition is looked at before what stands in front of it."""
    return next((item.text for item in mark(request.text, request.setting) if item.kind == "person"), "")


def _unread(piece: Piece, found: Parse, draft: Draft) -> None:
    """A negated deed is a constraint; a statement is context; anything else was not understood."""
    clause = found.clause
    if clause.mood == "do" and clause.negated and draft.steps:
        draft.constraints.append(piece.text.rstrip(".!"))
        return
    if is_told(piece, found) and piece.role == "plain":
        remember(piece.text, draft)
        draft.notes.append(piece.text.rstrip(".!"))
        return
    draft.failed.append(piece.text)


def _completed(text: str, found: Parse, draft: Draft) -> tuple[str, Parse]:
    """Adds what the context says: whom to forward to, the period to look at."""
    call = found.call
    assert call is not None
    addition = ""
    if (
        call.operation == "mail.check"
        and call.question == "reply"
        and not (call.select.words or call.select.when or call.select.refs)
    ):
        thing = draft.memory.thing
        addition = f" to {thing}" if thing.startswith("my mail ") else ""
    if call.operation == "mail.reply" and _answers_nothing(call, found):
        return _answering(text, found, draft)
    topic = draft.memory.thing if draft.memory.noun == "event" and not draft.memory.thing.startswith("{") else ""
    if (
        topic
        and call.operation in INTO_EVENT
        and not (call.select.words or call.select.people or call.select.refs or call.select.when)
    ):
        addition = f" to {topic}"
    elif call.operation == "event.next" and not call.select.people and draft.memory.person and " our " in f" {text.lower()} ":
        addition = f" with {draft.memory.person}"
    elif call.operation == "mail.forward" and not call.to and draft.beneficiary:
        addition = f" to {draft.beneficiary}"
    elif call.operation == "event.create" and not call.to and draft.company:
        addition = f" with {draft.company}"
    elif call.operation == "event.find" and call.select.when is None and call.time is None and not _narrowed(call):
        addition = f" {COMING_DAYS}"
    if not addition:
        return text, found
    whole = (text.rstrip(" ?.!") if found.clause.mood == "fact" else text[found.begin : found.end]) + addition
    again = parse(whole, draft.setting)
    return (whole, again) if again.call is not None and again.call.operation == call.operation else (text, found)


INTO_EVENT = ("event.invite", "event.accept", "event.decline", "event.tentative")


def _answers_nothing(call: Call, found: Parse) -> bool:
    select = call.select
    placed = "{" in found.clause.text
    return not (placed or select.people or select.words or select.refs or select.when or select.each or found.thing)


def _answering(text: str, found: Parse, draft: Draft) -> tuple[str, Parse]:
    """ "then reply saying …": to the mail that was spoken of or shown; where there is none, the place is kept for the answer."""
    memory = draft.memory
    mails = memory.shown is not None and bool(memory.shown.mails)
    thing = memory.thing if memory.thing and memory.noun in ("mail", "") else "the mail {shown}" if mails else ""
    memory.used_shown |= not memory.thing and mails
    if not thing:
        draft.missing.append(Missing(what="mail", question="Which mail shall I reply to?"))
        thing = "{mail}"
    verb = found.clause.items[0]
    everyone = " to all" if found.call is not None and found.call.field == "all" else ""
    rest = text[verb.end :]
    rest = re.sub(r"^\s*(?:to )?(?:all|everyone|everybody)\b", "", rest, flags=re.IGNORECASE) if everyone else rest
    text = f"{text[: verb.end]}{everyone} to {thing}{rest}" if not everyone else f"{text[: verb.end]} all to {thing}{rest}"
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
    instruction = with_places(instruction_of(text, found, edits), criteria.places(call, gaps), draft.setting)
    needs = tuple(dict.fromkeys(n for ref in REF.findall(instruction) if 0 < (n := int(ref)) <= len(draft.steps)))
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
    times = [spec.text for spec in (call.time, call.select.when) if spec is not None and spec.text and spec.has_date]
    draft.memory.when = times[0] if times else draft.memory.when
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
