"""A message into an Analysis: steps 1 to 6 of the master's chart, by grammar."""

import re
from collections.abc import Callable, Sequence

from assistant.reasoning.base import Analysis, Request
from assistant.reasoning.offline.planning.analyses import commanded, finished, spoken
from assistant.reasoning.offline.planning.commands import command, keeps, shows_again
from assistant.reasoning.offline.planning.effort import cut_from_dictated, without_effort
from assistant.reasoning.offline.planning.interpreting import interpret
from assistant.reasoning.offline.planning.mailbox_settings import not_offered
from assistant.reasoning.offline.planning.message.conditions import sharing_times
from assistant.reasoning.offline.planning.message.messages import instructs, pieces
from assistant.reasoning.offline.planning.outline import Draft
from assistant.reasoning.offline.planning.refusals import TOO_LONG, not_understood
from assistant.reasoning.offline.planning.scheduling.analysed import scheduled
from assistant.reasoning.offline.planning.smalltalk import small_talk
from assistant.reasoning.offline.planning.steps import add
from assistant.reasoning.offline.planning.talk.doubted import doubted
from assistant.reasoning.offline.planning.talk.feedback import revision
from assistant.reasoning.offline.planning.talk.instead import in_place, let_be
from assistant.reasoning.offline.planning.talk.leaning import leaning
from assistant.reasoning.offline.planning.talk.made import of_made
from assistant.reasoning.offline.planning.talk.memory import Memory
from assistant.reasoning.offline.planning.talk.offered import taken_up_whole
from assistant.reasoning.offline.planning.talk.retiming import last_words
from assistant.reasoning.offline.reading.grammar import parse
from assistant.reasoning.offline.reading.text.folding import folded
from assistant.reasoning.offline.reading.text.nonexistent import no_such_time
from assistant.reasoning.offline.reading.text.spelling import Correction, corrected, kept_as_said, respelt
from assistant.reasoning.offline.reading.times.schedules import told
from assistant.values import Plan, Step


def analyse(request: Request) -> Analysis:
    short = folded(request.text, request.setting, lambda sentence: instructs(sentence, request.setting))
    if short.too_long:
        return spoken(request, TOO_LONG.format(len(request.text)), "a long message", understood=False)
    analysis = _put_right(request.model_copy(update={"text": short.text}))
    if not short.parts:
        return analysis
    steps = [step.model_copy(update={"instruction": short.unfolded(step.instruction)}) for step in analysis.plan.steps]
    return short.shortened(analysis).model_copy(update={"plan": Plan(steps=tuple(steps))})


def _put_right(request: Request) -> Analysis:
    """The message without its slips of the pen, each of which is noted."""
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


STAND = "Your words stand as you gave them, so no other versions of them were written."
NOTHING_TO_THINK_ABOUT = "There is nothing written yet to think about. Tell me what to draft, for example a reply to a mail."


def _analysed(request: Request) -> Analysis:
    """By the first of the WHOLE readings that the message allows, else piece by piece. How much thought is wanted for it changes
    nothing of what it is."""
    if (plain := without_effort(request.text)) != request.text:
        if not plain:
            return spoken(request, NOTHING_TO_THINK_ABOUT, "more thought", understood=False)
        cut = cut_from_dictated(request.text)
        return _of_dictated(_read_whole(request.model_copy(update={"text": plain})), cut, request)
    return _read_whole(request)


def _read_whole(request: Request) -> Analysis:
    whole = (read(request) for read in WHOLE)
    return next((analysis for analysis in whole if analysis is not None), None) or _planned(request)


def _of_dictated(analysis: Analysis, cut: str, request: Request) -> Analysis:
    """With what a wish for thought means where the words of a mail are given: they stand, and what was cut off them is a guess."""
    calls = [parse(step.instruction, request.setting, step.agent).call for step in analysis.plan.steps]
    if not any(call is not None and call.body for call in calls):
        return analysis
    guess = f"“{cut}” is said to me and not to be written" if cut else ""
    steps = tuple(step.model_copy(update={"guess": step.guess or guess}) for step in analysis.plan.steps)
    return analysis.model_copy(update={"plan": Plan(steps=steps), "limitations": (*analysis.limitations, STAND)})


def _planned(request: Request) -> Analysis:
    draft = Draft(request, Memory(request, earlier_time=lambda: last_words(request)))
    for piece in sharing_times(pieces(request.text, request.setting), request.setting):
        interpret(piece, draft)
    if request.proposal and not draft.steps and (meant := _to_the_assistant(request)) is not None:
        return meant
    if not draft.steps and not draft.missing:
        draft.failed += draft.refrained
    if draft.failed or not (draft.steps or draft.missing):
        return not_understood(draft)
    doubt = doubted(draft.steps, request, somebody=draft.memory.of_talk or draft.memory.used_shown)
    return finished(draft).model_copy(update={"interpretations": doubt})


def _small_talk(request: Request) -> Analysis | None:
    said = small_talk(request.text)
    return spoken(request, said, "small talk") if said else None


def _of_mailbox(request: Request) -> Analysis | None:
    said = not_offered(request.text)
    return spoken(request, said, "a setting of the mailbox") if said else None


def _at_no_time(request: Request) -> Analysis | None:
    """A time that the calendar or the clock lacks: 31 June, 25:00."""
    wrong = no_such_time(request.text, request.setting)
    said = f"{wrong} Tell me which one you mean."
    return spoken(request, said, "a time that doesn't exist", understood=False) if wrong else None


NEVER_ALL_FREE = "With the busy times that you told me, nothing is left of that time. Shall I look at another day, or longer hours?"


def _around_told(request: Request) -> Analysis | None:
    """A time asked for around busy times that the message tells: the whole message is one instruction."""
    scheduled = told(request.text, request.setting)
    if scheduled is None:
        return None
    if scheduled.call is None:
        return spoken(request, NEVER_ALL_FREE, "a time that suits all")
    draft = Draft(request, Memory(request))
    add(request.text, parse(request.text, request.setting), None, draft)
    return finished(draft)


def _to_the_assistant(request: Request) -> Analysis | None:
    meant, answer = command(request)
    if meant is not None:
        return commanded(request, meant)
    return spoken(request, answer, "a paused task") if answer else None


def _about_proposal(request: Request) -> Analysis | None:
    """What keeps, shows again or changes the open proposal; commands of other kinds where there is none."""
    if not request.proposal:
        return _to_the_assistant(request)
    alone = request.model_copy(update={"paused": ()})
    if (rest := let_be(request)) and (again := _anew(alone, rest)).intent.request in ("write", "both"):
        return again.model_copy(update={"instead": True})
    if (kept := keeps(request)) is not None:
        return commanded(request, kept)
    if shows_again(request):
        said = "Here it is once more; nothing has been done yet."
        return spoken(request, said, "show the proposal again").model_copy(update={"instead": True})
    return revision(request)


def _leaning(request: Request) -> Analysis | None:
    """What is said in whole words by leaning on the last request: "and on Thursday?"."""
    meant = leaning(request)
    if meant is None:
        return None
    return _anew(request, meant.text).model_copy(update={"instead": meant.corrects and bool(request.proposal)})


def _in_place(request: Request) -> Analysis | None:
    """A request in the place of the one whose proposal is open."""
    text = in_place(request)
    if not text:
        return None
    again = _anew(request, text)
    return again.model_copy(update={"instead": bool(again.plan.steps)})


def _choosing(request: Request) -> Analysis | None:
    """Which of the times that were shown is best: that takes none of them yet."""
    if not request.shown or not request.shown[0].data.slots:
        return None
    found = parse(request.text, request.setting)
    if found.call is None or found.call.operation != "event.choose":
        return None
    draft = Draft(request, Memory(request))
    add(request.text, found, None, draft)
    return finished(draft)


def _taken_up(request: Request) -> Analysis | None:
    """One of the times that were shown."""
    text = taken_up_whole(request)
    return _anew(request, text) if text else None


def _of_made(request: Request) -> Analysis | None:
    """What changes the event that was made last."""
    text = of_made(request)
    return _anew(request, text) if text else None


def _anew(request: Request, text: str) -> Analysis:
    return _analysed(request.model_copy(update={"text": text, "proposal": (), "last": ""}))


WHOLE: Sequence[Callable[[Request], Analysis | None]] = (
    _small_talk, _of_mailbox, _at_no_time, scheduled, _around_told, _about_proposal, _choosing, _taken_up, _leaning, _in_place,
    _of_made,
)  # fmt: skip
"""In this order: what a whole message may be before it is taken apart."""
