"""Which line of a briefing "number 3", "the second", "reply to 4" and "decline it" mean: plain code, whoever thinks."""

import re
from collections.abc import Callable, Sequence
from itertools import takewhile

from assistant.reasoning.base import Analysis, Request
from assistant.reasoning.lines import briefed, counted_on, reference
from assistant.reasoning.offline.planning.analyses import spoken
from assistant.reasoning.offline.planning.talk.listed import Pointed, in_list, numbers_of, undictated
from assistant.reasoning.offline.planning.talk.numerals import (
    ALONE,
    ANSWERS_EVENT,
    CHANGES_EVENT,
    IT,
    NOUNS,
    NTH,
    NUMBERS,
    OPENERS,
    ORDINALS,
    QUOTES,
    REFERENCE,
    TELLS,
    TO_SOMEWHERE,
    WITH,
    WITH_MAIL,
    WONDERS,
)
from assistant.reasoning.offline.reading.grammar import parse
from assistant.values import Choice, Numbered, Plan, Question, Shown, Step

HARMLESS = frozenset(
    {"mail.archive", "mail.trash", "mail.delete", "mail.read", "mail.find", "mail.summarise", "mail.check", "mail.answer"}
)
"""What the number of a line that looks like phishing is good for: putting it away, and reading it."""
MADE_ANEW = frozenset({"mail.send", "mail.draft", "event.create", "contact.create"})
"""What is made so of the user's words alone, and of no line itself."""
MOST_ASKED = 8


class _Lacks(Exception):
    """No line has this number."""


def pointed(request: Request) -> Pointed:
    lines = counted_on(request.shown)
    if not lines:
        return in_list(request)
    head, rest = undictated(request.text)
    if (asked := WONDERS.match(head)) and (answer := _why(int(asked["number"]), lines)):
        return Pointed(request, spoken(request, answer, "a line of the briefing"))
    head = f"open {head.strip()}" if ALONE.fullmatch(head) and not rest else head
    try:
        said = _as_reply(NUMBERS.sub(lambda found: _referred(found, head, lines, _words), head))
    except _Lacks as lacking:
        last = max(line.number for line in lines)
        words = f"There is no {lacking} in the briefing; its lines are numbered from 1 to {last}."
        return Pointed(request, spoken(request, words, "a line of the briefing", understood=False))
    opened = OPENERS.match(head)
    it = IT.match(head, opened.end() if opened else 0) if said == head else None
    if it and not (it["noun"] and _described(request.text, it.end("does"), it.end())) and not _shown_since(it, request.shown):
        return _it(it, head, rest, lines, request)
    return Pointed(request.model_copy(update={"text": said + rest}))


def named(words: str, shown: Sequence[Shown]) -> str:
    """With names in the place of references: for people, and for what is told later, when the briefing is gone."""
    names = {f"{{{reference(line)}}}": _name(line) for line in briefed(shown)}
    return REFERENCE.sub(lambda found: names.get(found[0], found[0]), words)


def settled(analysis: Analysis, request: Request) -> Analysis:
    """With names in the place of references where people read them. What is planned with a line that looks like phishing is not
    done, unless it is put away or only read."""
    if not any(REFERENCE.search(step.instruction) for step in analysis.plan.steps):
        return analysis
    return _readable(_written_out(_kept_shut(analysis, request), request), request)


def _written_out(analysis: Analysis, request: Request) -> Analysis:
    """What is to be written to others names what it speaks of."""

    def written(step: Step) -> Step:
        call = parse(step.instruction, request.setting, step.agent).call if REFERENCE.search(step.instruction) else None
        words = "" if call is None else step.instruction if call.operation in MADE_ANEW else call.body
        instruction = step.instruction.replace(words, named(words, request.shown)) if words else step.instruction
        return step.model_copy(update={"instruction": instruction})

    return analysis.model_copy(update={"plan": Plan(steps=tuple(map(written, analysis.plan.steps)))})


def _readable(analysis: Analysis, request: Request) -> Analysis:
    goal, shown = analysis.intent.goal, request.shown
    if not REFERENCE.search(goal):
        return analysis
    intent = analysis.intent.model_copy(update={"goal": named(goal, shown)})
    box = analysis.box.model_copy(update={"goal": named(analysis.box.goal, shown), "next": named(analysis.box.next, shown)})
    return analysis.model_copy(update={"intent": intent, "box": box, "words": named(analysis.words, shown)})


def _kept_shut(analysis: Analysis, request: Request) -> Analysis:
    shut = {f"{{{reference(line)}}}": line for line in briefed(request.shown) if line.shut}
    for step in analysis.plan.steps:
        line = next((line for place, line in shut.items() if place in step.instruction), None)
        call = parse(step.instruction, request.setting, step.agent).call if line else None
        if line is not None and (call is None or call.operation not in HARMLESS):
            words = f"Number {line.number} looks like phishing, so by its number I only archive or delete it."
            return spoken(request, words, "a mail that looks like phishing", understood=False)
    return analysis


def _why(number: int, lines: Sequence[Numbered]) -> str:
    """The line with its reasons; empty where there is none of that number."""
    return next((f"{line.number}. {line.text}" for line in lines if line.number == number), "")


def _as_reply(text: str) -> str:
    """To tell a mail something, or to answer it with something, is to reply."""
    return WITH.sub(r"\1 saying ", TELLS.sub("reply to ", text))


# --- numbers and places


def _referred(found: re.Match[str], head: str, lines: Sequence[Numbered], put: Callable[[Sequence[Numbered]], str]) -> str:
    if found["nth"]:
        return _placed(found, head, lines, put)
    numbers = numbers_of(found["of"] or found["bare"])
    by_number = {line.number: line for line in lines}
    if lacking := [number for number in numbers if number not in by_number]:
        raise _Lacks(f"number {lacking[0]}")
    return (found["does"] or "") + put([by_number[number] for number in numbers])


def _placed(found: re.Match[str], head: str, lines: Sequence[Numbered], put: Callable[[Sequence[Numbered]], str]) -> str:
    words, noun = re.findall(NTH, found["nth"].lower()), (found["noun"] or "").lower()
    newest = "last" in words and NOUNS.get(noun)
    if newest or not _begins(found.start(), head) or (noun and _described(head, found.end("does"), found.end())):
        return found[0]
    return found["does"] + put([_at(word, NOUNS.get(noun, ""), lines) for word in words])


def _begins(at: int, head: str) -> bool:
    """Whether nothing was spoken of before it but other numbers."""
    begin = opened.end() if (opened := OPENERS.match(head)) else 0
    return at <= begin or NUMBERS.match(head, begin) is not None


def _described(head: str, begin: int, end: int) -> bool:
    """ "The invitation to the workshop": what stands behind it tells which one."""
    behind = head[end:].lstrip().lower()
    return behind.startswith(("that ", *QUOTES)) or (behind.startswith("to ") and not TO_SOMEWHERE.search(head[:begin]))


def _at(word: str, kind: str, lines: Sequence[Numbered]) -> Numbered:
    """By its number; where another kind of thing has that, the one at that place among its kind."""
    alike = [line for line in lines if _is(line, kind)]
    if word == "last":
        return (alike or list(lines))[-1]
    number = int(word[:-2]) if word[0].isdigit() else ORDINALS.index(word) + 1
    fitting = [line for line in alike if line.number == number] if kind != "invites" else []
    fitting = fitting or alike[number - 1 : number]
    if not fitting:
        raise _Lacks(f"{word} {'one' if kind in ('', 'invites') else kind}")
    return fitting[0]


def _is(line: Numbered, kind: str) -> bool:
    wanted = {"": True, "mail": line.mail is not None, "event": line.event is not None, "invites": line.invites}
    return wanted[kind]


def _words(lines: Sequence[Numbered]) -> str:
    places = [f"{{{reference(line)}}}" for line in lines]
    if len({line.mail is None for line in lines}) == 1:
        noun = "event" if lines[0].mail is None else "mail"
        return f"the {noun}{'s' * (len(lines) > 1)} {_and(places)}"
    return _and([f"the {'event' if line.mail is None else 'mail'} {place}" for line, place in zip(lines, places, strict=True)])


def _name(line: Numbered) -> str:
    if line.mail is None:
        return f"“{line.event.title}”" if line.event else line.text
    sender = line.mail.sender
    return f"“{line.mail.subject}”" + (f" from {sender.name or sender.email}" if sender else "")


def _and(words: Sequence[str]) -> str:
    return " and ".join(filter(None, (", ".join(words[:-1]), words[-1])))


# --- "it"


def _it(it: re.Match[str], head: str, rest: str, lines: Sequence[Numbered], request: Request) -> Pointed:
    fitting = list({line.number: line for line in lines if _fits(line, it["does"], (it["noun"] or "").lower())}.values())
    if not fitting:
        return Pointed(request)

    def put(words: str) -> str:
        return head[: it.start("it")] + words + head[it.end("it") :] + rest

    if len(fitting) == 1:
        return Pointed(request.model_copy(update={"text": put(_words(fitting))}))
    choices = tuple(
        Choice(id=str(n), label=f"{line.number}. {line.text}", value=put(f"number {line.number}"))
        for n, line in enumerate(fitting[:MOST_ASKED], start=1)
    )
    text = f"Which one do you mean by “{it['it']}”? You can also say its number."
    question = Question(id="which", text=text, trigger="interpretations", entity=f"which “{it['it']}” is", choices=choices)
    asked = spoken(request, "", "a line of the briefing", understood=False)
    return Pointed(request, asked.model_copy(update={"interpretations": question}))


def _shown_since(it: re.Match[str], shown: Sequence[Shown]) -> bool:
    """Whether something that "it" can mean was shown after the briefing."""
    data = [one.data for one in takewhile(lambda one: not one.lines, shown)]
    if ANSWERS_EVENT.match(it["does"]) or CHANGES_EVENT.match(it["does"]):
        return any(one.events for one in data)
    return bool(data)


def _fits(line: Numbered, does: str, noun: str) -> bool:
    if noun.startswith("phishing"):
        return line.shut
    if line.shut:
        return False
    if noun in ("invitation", "invite") or ANSWERS_EVENT.match(does):
        return line.invites
    if noun in ("meeting", "event") or CHANGES_EVENT.match(does):
        return line.event is not None
    if noun or WITH_MAIL.match(does):
        return line.mail is not None
    return True
