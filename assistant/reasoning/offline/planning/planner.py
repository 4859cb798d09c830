"""A message into an Analysis: steps 1 to 6 of the master's chart, by grammar."""

import re
from collections.abc import Sequence
from dataclasses import replace

from assistant.reasoning.base import Analysis, Intent, Missing, Request
from assistant.reasoning.calls import Call, Selection
from assistant.reasoning.offline import criteria
from assistant.reasoning.offline.lexicon import lexicon
from assistant.reasoning.offline.planning import smalltalk
from assistant.reasoning.offline.planning.continuing import goes_on
from assistant.reasoning.offline.planning.counted import counted, limited
from assistant.reasoning.offline.planning.elapsed import since_last
from assistant.reasoning.offline.planning.instructing import instruction_of, with_places
from assistant.reasoning.offline.planning.kinds import as_event, either
from assistant.reasoning.offline.planning.message.branching import polite_if
from assistant.reasoning.offline.planning.message.conditions import sharing_times
from assistant.reasoning.offline.planning.message.messages import instructs, pieces
from assistant.reasoning.offline.planning.message.pieces import Piece
from assistant.reasoning.offline.planning.message.telling import event_in, is_told, remember, states_aim, states_done, states_need
from assistant.reasoning.offline.planning.naming import titled_by_event, with_event
from assistant.reasoning.offline.planning.outline import (
    COMING_DAYS,
    NOUNS,
    REF,
    Draft,
    context_of,
    finished,
    is_group,
    lookups,
    lookups_within,
    note_entities,
    tidy,
)
from assistant.reasoning.offline.planning.questions import of_shown_mail
from assistant.reasoning.offline.planning.refraining import contrasted, refrain
from assistant.reasoning.offline.planning.sharing import Shared, by_deed, shared
from assistant.reasoning.offline.planning.talk.attendants import with_us
from assistant.reasoning.offline.planning.talk.dayward import asked_day, on_told_day
from assistant.reasoning.offline.planning.talk.feedback import revision
from assistant.reasoning.offline.planning.talk.instead import in_place
from assistant.reasoning.offline.planning.talk.leaning import leaning
from assistant.reasoning.offline.planning.talk.memory import Memory
from assistant.reasoning.offline.planning.talk.offered import in_the_way, taken_up
from assistant.reasoning.offline.planning.talk.references import resolve
from assistant.reasoning.offline.planning.talk.retiming import last_time, last_words
from assistant.reasoning.offline.planning.talk.thatday import day_asked_about
from assistant.reasoning.offline.reading.clauses.changes import of_one_event
from assistant.reasoning.offline.reading.clauses.guarding import guarded_from
from assistant.reasoning.offline.reading.clauses.missives import later
from assistant.reasoning.offline.reading.entities import mark
from assistant.reasoning.offline.reading.frames import strip_closers
from assistant.reasoning.offline.reading.grammar import agent_of, parse
from assistant.reasoning.offline.reading.parsed import Parse
from assistant.reasoning.offline.reading.resting import rest_from
from assistant.reasoning.offline.reading.slots import lows
from assistant.reasoning.offline.reading.text.dictation import dictation
from assistant.reasoning.offline.reading.text.folding import folded
from assistant.reasoning.offline.reading.text.nonexistent import no_such_time
from assistant.reasoning.offline.reading.text.spelling import Correction, corrected, kept_as_said, respelt
from assistant.reasoning.offline.reading.times.schedules import Told, told
from assistant.values import ContextBox, Criterion, OwnCommand, Plan, Step, When


def analyse(request: Request) -> Analysis:
    short = folded(request.text, request.setting, lambda sentence: instructs(sentence, request.setting))
    if short.too_long:
        return _spoken(request, smalltalk.too_long(request.text), "unknown", "a long message")
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
    kept = kept_as_said(slips, parse(step.instruction, request.setting, step.agent).call)
    words = step.instruction
    for one in kept:
        words = re.sub(rf"\b{re.escape(one.right)}\b", re.escape(one.wrong), words, count=1, flags=re.IGNORECASE)
    return step.model_copy(update={"instruction": respelt(words, slips)})


def _analysed(request: Request) -> Analysis:
    said = smalltalk.small_talk(request.text)
    if said:
        return _spoken(request, said, "talk", "small talk")
    if wrong := no_such_time(request.text, request.setting):
        return _spoken(request, f"{wrong} Tell me which one you mean.", "unknown", "a time that doesn't exist")
    if (scheduled := told(request.text, request.setting)) is not None:
        return _around_told(request, scheduled)
    if not request.proposal:
        command, answer = smalltalk.command(request)
        if command is not None:
            return _command(request, command)
        if answer:
            return _spoken(request, answer, "talk", "a paused task")
    elif (command := smalltalk.keeps(request)) is not None:
        return _command(request, command)
    elif smalltalk.shows_again(request):
        return _spoken(request, "Here it is once more; nothing has been done yet.", "talk", "show the proposal again").model_copy(
            update={"instead": True}
        )
    elif (revised := revision(request)) is not None:
        return revised
    if (meant := leaning(request)) is not None:
        again = _analysed(request.model_copy(update={"text": meant.text, "proposal": (), "last": ""}))
        return again.model_copy(update={"instead": meant.corrects and bool(request.proposal)})
    if text := in_place(request):
        again = _analysed(request.model_copy(update={"text": text, "proposal": (), "last": ""}))
        return again.model_copy(update={"instead": bool(again.plan.steps)})
    draft = Draft(request, Memory(request, earlier_time=lambda: last_words(request)))
    for piece in sharing_times(pieces(request.text, request.setting), request.setting):
        _read(piece, draft)
    if request.proposal and not draft.steps:
        command, answer = smalltalk.command(request)
        if command is not None:
            return _command(request, command)
        if answer:
            return _spoken(request, answer, "talk", "a paused task")
    if not draft.steps and not draft.missing:
        draft.failed += draft.refrained
    if draft.failed or not (draft.steps or draft.missing):
        return _not_understood(draft)
    return finished(draft)


NEVER_ALL_FREE = "With the busy times that you told me, nothing is left of that time. Shall I look at another day, or longer hours?"


def _around_told(request: Request, scheduled: Told) -> Analysis:
    """A time asked for around busy times that the message tells: the whole message is one instruction."""
    if scheduled.call is None:
        return _spoken(request, NEVER_ALL_FREE, "talk", "a time that suits all")
    draft = Draft(request, Memory(request))
    _add(request.text, parse(request.text, request.setting), None, draft)
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
        return _spoken(draft.request, smalltalk.REFRAINS, "talk", "nothing is to be done")
    if moods and all(mood == "advice" for mood, _, _ in moods):
        return _spoken(
            draft.request,
            smalltalk.advice(text, should=any(head == "should" for _, _, head in moods)),
            "talk",
            "how something is done",
        )
    said = draft.blocked or smalltalk.not_understood(" ".join(draft.failed) or text, draft.understood)
    box = ContextBox(goal=text, progress=("The request was not understood",), blockers=tuple(draft.failed))
    return Analysis(context=context_of(draft.request), intent=Intent(goal=text, request="unknown"), box=box, say=said)


WAITS = "I can't wait for something to happen: I can only look and act now, so I have done nothing. Ask me again when it has."

UNCLEAR = (
    "I can't tell whether “{}” belongs to what the mail shall say or is for me to do, so I have done nothing. "
    "Put the words of the mail in quotation marks."
)
SEVERAL = "That sounds like more than one event. I have done nothing: say each of them in a sentence with its own time and people."
SENDS_NOW = (
    "I can't send a mail later: it goes out when you approve it. I have done nothing about “{}”; ask me again when it is time."
)


def _read(piece: Piece, draft: Draft) -> None:
    """One piece of the message: a step with the look-ups it needs, a constraint, or context."""
    if piece.role == "check":
        draft.memory.person = draft.memory.person or _first_person(draft.request)
        said_since = since_last(piece.text, draft.memory, draft.setting)
        said_since = with_us(said_since, draft.memory.person, parse(said_since, draft.setting).call)
        piece = replace(piece, text=counted(said_since, draft.memory, draft.setting))
    if piece.role == "told":
        draft.notes.append(piece.text.rstrip(".!"))
        return
    if piece.role in ("waits", "unclear"):
        draft.failed.append(piece.text)
        draft.blocked = WAITS if piece.role == "waits" else UNCLEAR.format(tidy(piece.text))
        return
    if piece.role == "plain" and limited(piece.text, draft.memory, draft.setting):
        draft.notes.append(piece.text.rstrip(".!"))
        return
    sending = parse(piece.text, draft.setting)
    if (
        sending.call is not None
        and sending.call.operation == "mail.send"
        and (moment := later(sending.clause.items, draft.setting.now))
    ):
        draft.failed.append(piece.text)
        draft.blocked = SENDS_NOW.format(moment)
        return
    before = len(draft.memory.unresolved)
    if goes_on(piece, draft):
        return
    if piece.role != "check" and (someone := by_deed(piece.text, draft.setting)):
        who, rest = someone
        _read(replace(piece, text=who), draft)
        piece = replace(piece, text=f"{rest}{{{draft.steps[-1].id}}}") if draft.steps else piece
    found_first = shared(piece.text, draft.setting, _mails_found(draft)) if piece.role != "check" else None
    if found_first is not None and (found_first.query or _has_found(draft)):
        _look_up_and_send(piece, found_first, draft)
        return
    said = ("" if draft.steps else taken_up(piece.text, draft.request) or in_the_way(piece.text, draft.request)) or piece.text
    text = said if of_one_event(parse(said, draft.setting)) else resolve(said, draft.memory)
    if piece.role == "plain" and any(states(text, draft) for states in (states_need, states_done, states_aim)):
        draft.notes.append(piece.text.rstrip(".!"))
        return
    found = parse(text, draft.setting)
    if (asked := of_shown_mail(piece.text, found, draft.request)) is not None:
        text, found = asked
    if piece.role == "check" and (found.call is None or found.call.operation == "mail.answer" or _has_yet_to_be_said(found)):
        draft.failed.append(piece.text)
        draft.blocked = f"I can't find out whether {tidy(piece.text).removeprefix('check whether ')}, so I have done nothing."
        return
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
    draft.company = _unmet(piece, text, draft) or draft.company
    text, found = _completed(text, found, draft)
    if found.reading.unread and found.call is not None and not criteria.missing(found.call):
        draft.failed.append(piece.text)
        draft.blocked = draft.blocked or smalltalk.half_understood(tidy(piece.text), found.reading.unread)
        return
    if piece.role == "plain" and not piece.also and _of_either_kind(text, found, draft):
        return
    if _must_not_guess(found):
        draft.failed.append(piece.text)
        draft.blocked = draft.blocked or (SEVERAL if "that one event is meant" in found.reading.guesses else "")
        return
    if piece.role == "plain" and found.call is not None and found.call in draft.calls and criteria.writes(found.call.operation):
        return  # said twice: "it has to be cancelled. Cancel it"
    when = None
    if piece.also and draft.check is not None:
        when = When(step=draft.check[0], holds=not draft.check[1])
    if piece.role in ("if", "else"):
        if draft.check is None or (draft.both and piece.role == "else"):
            draft.failed.append(piece.text)
            return
        step, negated = draft.check
        when = When(step=step, holds=(piece.role == "if") != negated)
    thing, noun = draft.memory.thing, draft.memory.noun
    _add(text, found, when, draft)
    if piece.of_it:
        draft.memory.thing, draft.memory.noun = thing, noun
    if piece.role == "check" or (piece.role == "plain" and found.call is not None and not criteria.writes(found.call.operation)):
        draft.check = (draft.steps[-1].id, piece.negated)
    draft.both = piece.also or (draft.both and piece.role != "check")


ALONE = frozenset({"myself", "alone", "block", "reserve", "hold", "keep", "focus", "prepare", "remind", "me"})


def _unmet(piece: Piece, text: str, draft: Draft) -> str:
    """Whom "if not, schedule half an hour …" is with: those whom the user has no meeting with, or had none for long."""
    if piece.role not in ("if", "else") or draft.check is None or ALONE & set(text.lower().replace(",", " ").split()):
        return ""
    number, negated = draft.check
    step = draft.steps[number - 1]
    asked = parse(step.instruction, draft.setting, step.agent).call
    if asked is None or not asked.operation.startswith("event.") or asked.select.words:
        return ""
    if asked.select.when is None and asked.fits is None:
        return ""
    long_ago = asked.fits is not None and asked.fits.when is not None and asked.fits.when.start is None
    if ((piece.role == "if") != negated) != long_ago:
        return ""
    return " and ".join(person.text or person.email or f"{{{person.ref}}}" for person in asked.select.people)


def _of_either_kind(text: str, found: Parse, draft: Draft) -> bool:
    """Plans for an event first and for a mail where there is no such event, if nothing says which is meant."""
    if (event := as_event(text, found, draft.setting)) is not None:
        _add(text, event, None, draft)
        _add(text, found, When(step=draft.steps[-1].id, holds=False), draft)
        return True
    if (meant := either(text, found, draft.setting)) is None:
        return False
    query, deed = meant
    _add(query, parse(query, draft.setting, "calendar"), None, draft)
    look = draft.steps[-1].id
    _add(deed, parse(deed, draft.setting, "calendar"), When(step=look, holds=True), draft)
    _add(text, found, When(step=look, holds=False), draft)
    return True


def _has_found(draft: Draft) -> bool:
    """Whether the last step is one whose result can be sent on."""
    return bool(draft.calls) and not criteria.writes(draft.calls[-1].operation)


def _mails_found(draft: Draft) -> str:
    """The reference to the mails that the last step looks up; empty where it does something else."""
    looks = draft.calls and draft.calls[-1].operation in ("mail.find", "mail.read", "mail.summarise")
    return f"{{{draft.steps[-1].id}}}" if looks else ""


def _look_up_and_send(piece: Piece, what: Shared, draft: Draft) -> None:
    before = len(draft.steps)
    if what.query:
        _read(replace(piece, text=what.query), draft)
    if len(draft.steps) > (before if what.query else 0) and not draft.failed:
        _read(replace(piece, text=what.sending(draft.steps[-1].id)), draft)


def _has_open_condition(text: str, draft: Draft) -> bool:
    """Whether a condition is left in a deed: one that could not be read is never passed over."""
    items = mark(text, draft.setting)
    stop, _ = dictation(items)
    words = lows(items[: stop if stop is not None else guarded_from(items)])
    openers = (n for n in range(1, len(words)) if lexicon().conditions.at(words, n))
    at = next((n for n in openers if words[n - 1] not in ("as", "ask", "know")), None)
    asks = {form.verb for n in range(min(len(words), 3)) for _, form in lexicon().verbs.all_at(words, n)} & {"ask", "tell"}
    polite = at is not None and (polite_if(words[at:]) or words[at + 1 : at + 2] == ["you"])
    return at is not None and not asks and not polite


def _has_yet_to_be_said(found: Parse) -> bool:
    """ "if I say so", "if Tom agrees": nothing that a mail which lies there already can tell."""
    if found.call is None or found.call.operation != "mail.check" or found.call.select.refs:
        return False
    words = lows(found.clause.items)
    verbs = [n for n, word in enumerate(words) if word.endswith("s") and word not in PERFECT and not lexicon().nouns.at(words, n)]
    items = found.clause.items
    present = any(lexicon().facts.at(words, n) and n and items[n - 1].kind in ("person", "name") for n in verbs)
    return found.call.select == Selection(folder="Sent") or present


PERFECT = frozenset({"'s", "has", "is", "was", "does"})


def _first_person(request: Request) -> str:
    """Whom "he" means in "send Tom a mail if he hasn't replied": a condition is looked at before what stands in front of it."""
    return next((item.text for item in mark(request.text, request.setting) if item.kind == "person"), "")


def _unread(piece: Piece, found: Parse, draft: Draft) -> None:
    """A negated deed is a constraint; a statement is context; anything else was not understood."""
    clause = found.clause
    only_rest = rest_from(strip_closers(mark(piece.text, draft.setting))) == 0
    if draft.steps and (only_rest or (clause.mood == "do" and clause.negated)):
        draft.constraints.append(piece.text.rstrip(".!"))
        return
    if clause.mood == "do" and clause.negated and piece.role == "plain" and contrasted(piece.text, draft.request.text):
        refrain(piece.text, draft)
        return
    if is_told(piece, found) and piece.role == "plain":
        remember(piece.text, draft)
        draft.notes.append(piece.text.rstrip(".!"))
        return
    draft.failed.append(piece.text)


def _completed(text: str, found: Parse, draft: Draft) -> tuple[str, Parse]:
    """Adds what the context says: whom to forward to, the period to look at."""
    told = draft.memory.told
    if not told and found.call is not None and found.call.operation == "event.create":
        told = asked_day(draft.memory, checked=draft.check is not None)
    dated = on_told_day(text, found, told, draft.setting)
    if dated != text and (again := parse(dated, draft.setting)).call is not None:
        text, found = dated, again
    dated = _on_asked_day(text, found, draft)
    if dated != text and (again := parse(dated, draft.setting)).call is not None:
        text, found = dated, again
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
    topic = draft.memory.thing if draft.memory.noun in ("event", "") and not draft.memory.thing.startswith("{") else ""
    if (
        topic
        and call.operation in INTO_EVENT
        and not (call.select.words or call.select.people or call.select.refs or call.select.when)
    ):
        addition = f" to {topic}"
    elif topic and call.operation == "event.replace" and not (call.select.words or call.select.refs or call.select.when):
        addition = f" in {topic}"
    elif call.operation in INTO_EVENT and call.select == Selection() and (event := draft.memory.event_shown()):
        addition = f" to {event}" if call.operation == "event.invite" else f" {event}"
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


def _on_asked_day(text: str, found: Parse, draft: Draft) -> str:
    """A new event with only an hour, behind a question about one day to come ("am I free on Friday?"), is on that day."""
    call = found.call
    if call is None or call.operation != "event.create" or call.time is None or call.time.has_date or not call.time.has_time:
        return text
    asked = next((one for one in reversed(draft.calls)), None)
    if asked is None:
        last = parse(draft.request.last, draft.setting).call if draft.request.last else None
        asked, spec = last, last_time(draft.request)
    else:
        spec = asked.time or asked.select.when
    if asked is None or asked.operation not in ASKS_OF_TIME or not (day := day_asked_about(spec, draft.setting)):
        return text
    item = next((item for item in found.clause.items if item.time is not None and item.time.text == call.time.text), None)
    return f"{text[: item.end]} {day}{text[item.end :]}" if item is not None and text[item.begin : item.end] == item.text else text


ASKS_OF_TIME = ("event.free", "event.find", "event.check", "event.slots", "event.clashes", "event.count", "event.summarise")


INTO_EVENT = ("event.invite", "event.uninvite", "event.accept", "event.decline", "event.tentative")


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
    return bool(select.people or select.words or select.order or select.refs or select.unanswered or select.place or select.answer)


MAKING = frozenset({"make", "book", "schedule", "create", "set"})
"""What is there already is not made out of "it"."""


def _must_not_guess(found: Parse) -> bool:
    """A write whose kind of thing had to be guessed is not planned."""
    call = found.call
    if call is None or not criteria.writes(call.operation):
        return False
    makes = call.operation in ("contact.add", "event.create") and found.clause.items[0].low in MAKING
    made_of_shown = makes and "{shown" in found.clause.text and not any(person.ref for person in call.to)
    return made_of_shown or any(guess.startswith("that ") for guess in found.reading.guesses)


def _add(text: str, found: Parse, when: When | None, draft: Draft) -> None:
    call = found.call
    assert call is not None
    agent = agent_of(call.operation) or "email"
    edits = lookups(found.recipients, when, draft) if criteria.writes(call.operation) else []
    edits += lookups_within(found, when, draft)
    gaps = criteria.missing(call)
    draft.missing.extend(gaps)
    instruction = with_places(instruction_of(text, found, edits), criteria.places(call, gaps), draft.setting)
    if titled_by_event(found):
        named = with_event(instruction, draft)
        if named is None:
            draft.failed.append(text)
            return
        instruction = named
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


def _only_named(words: str, call: Call) -> bool:
    """ "Reply to Tom": the mail is named by nothing but its author."""
    said = (*(person.text for person in call.select.people), *call.select.words)
    return call.operation == "mail.reply" and call.select.order == "last" and [words.casefold()] == [one.casefold() for one in said]


def _remember(text: str, found: Parse, call: Call, number: int, write: bool, draft: Draft) -> None:
    named = [person.text or person.email for person in (*call.select.people, *call.to) if not person.ref]
    before = "" if draft.memory.person in (*call.select.words, call.title) else draft.memory.person
    draft.memory.person = next((name for name in reversed(named) if name), before)
    times = [spec.text for spec in (call.time, call.select.when) if spec is not None and spec.text and spec.has_date]
    if times:
        draft.memory.when = times[0]
    if call.beside is not None and not write and found.thing is not None:
        draft.memory.thing, draft.memory.noun = text[found.thing[0] : found.thing[1]], "event"
        return
    if not write:
        if call.operation not in ("event.free", "event.slots", "mail.answer"):
            draft.memory.thing = f"{{{number}}}"
            noun = NOUNS.get(call.operation.partition(".")[0], "")
            draft.memory.found = [*(draft.memory.found if noun == draft.memory.noun else []), number]
            draft.memory.noun = noun
        return
    if found.thing is not None and call.operation not in ("contact.update",):
        words = text[found.thing[0] : found.thing[1]].strip(" ,")
        if words and not words.startswith(("for ", "to ")):
            draft.memory.thing = f"the last mail from {words}" if _only_named(words, call) else words
            draft.memory.noun = NOUNS.get(call.operation.partition(".")[0], "")
    elif call.operation == "mail.send" and (event := event_in(call.body, draft.memory.person, draft.setting)):
        draft.memory.thing, draft.memory.noun = event, "event"
    elif call.operation in ("mail.send", "mail.draft", "event.create"):
        draft.memory.thing = f"{{{number}}}"
