"""Commands to the assistant itself: to undo, to give up or go on with a task, to keep or show again what is proposed."""

import re
from collections.abc import Container, Sequence
from itertools import dropwhile

from assistant.reasoning.base import Request
from assistant.reasoning.offline.lexicon import Phrases, lexicon
from assistant.reasoning.offline.planning.outbox import outbox_command
from assistant.reasoning.offline.planning.remembering import note_command
from assistant.reasoning.offline.planning.scheduling import read_schedule
from assistant.reasoning.offline.planning.talk.instead import dropped
from assistant.reasoning.offline.reading.slots import lows
from assistant.reasoning.offline.reading.text.tokens import tokenise
from assistant.values import CancelFlow, OwnCommand, Paused, ResumeFlow, Undo

WORD = re.compile(r"[a-z']+")
DROP = frozenset(
    (
        "the my a an of on with about for to it that this please task flow request job one work and in i you me "
        "scheduling anymore now instead do not need mind"
    ).split()
)
"""Words that name no task."""
AGAIN = frozenset("to me again out aloud back first please once more now before you send it i approve".split())
REFUSALS = frozenset("no nope oh wait hm hmm actually sorry and please then".split())
LEADS = frozenset("please ok okay actually now and can could you well then so just let us yes".split())


def command(request: Request) -> tuple[OwnCommand | None, str]:
    """A command to the assistant itself, and what to say where it has nothing to work on."""
    if (about_outbox := outbox_command(request.text)) is not None:
        return about_outbox, ""
    if (of_notes := note_command(request)) is not None:
        return of_notes, ""
    if (schedule := read_schedule(request.text, request.setting)) is not None:
        return schedule.command, schedule.asks or schedule.says
    tokens = [token for token in tokenise(request.text) if token.kind != "punct"]
    words = _without_lead(lows(tokens))
    if not words:
        return None, ""
    commands = lexicon().commands
    if _whole(commands["undo"], words, ("please", "again", "last", "change", "the", "action", "now")):
        return Undo(), ""
    if opening := commands["cancel"].at(words, 0):
        return _about_task(request, words[opening[0] :], cancel=True, explicit=words[0] in ("never", "nevermind", "forget"))
    if words[0] in ("cancel", "end", "kill", "quit") and {"task", "flow", "job"} & set(words) and request.paused:
        return _about_task(request, words[1:], cancel=True, explicit=True)
    if opening := commands["resume"].at(words, 0):
        return _about_task(request, words[opening[0] :], cancel=False, explicit=words[0] in ("resume", "continue"))
    return None, ""


def keeps(request: Request) -> OwnCommand | None:
    """ "No, keep it": the open proposal is given up, and nothing changes."""
    words = list(dropwhile(REFUSALS.__contains__, _words(request.text)))
    preview = next((flow for flow in request.paused if flow.status == "preview"), None)
    kept = _whole(lexicon().commands["keep"], words, ("please", "then", "as", "is", "it", "they", "are")) if words else False
    return CancelFlow(flow=preview.flow) if preview and (kept or dropped(request.text)) else None


def shows_again(request: Request) -> bool:
    """ "Read it to me", "what does it say?": the open proposal is shown once more."""
    words = _without_lead(_words(request.text))
    return bool(words) and _whole(lexicon().commands["show"], words, AGAIN)


def _words(text: str) -> list[str]:
    return [token.low for token in tokenise(text) if token.kind == "word"]


def _without_lead(words: list[str]) -> list[str]:
    return list(dropwhile(LEADS.__contains__, words))


def _whole(phrases: Phrases, words: Sequence[str], around: Container[str]) -> bool:
    match = phrases.at(list(words), 0)
    return match is not None and all(word in around for word in words[match[0] :])


def _about_task(request: Request, rest: Sequence[str], *, cancel: bool, explicit: bool) -> tuple[OwnCommand | None, str]:
    """The paused flow that the words are about; the newest where they name none."""
    wanted = set(rest) - DROP
    chosen = _best(request.paused, wanted)
    if chosen is None:
        if wanted and not explicit:
            return None, ""
        if not wanted or not request.paused:
            return None, f"There is no paused task to {'give up' if cancel else 'go on with'}." if explicit or not wanted else ""
        names = "; ".join(flow.goal or flow.about for flow in request.paused)
        return None, f"I have no paused task about {' '.join(sorted(wanted))}. Paused: {names}."
    return (CancelFlow(flow=chosen.flow) if cancel else ResumeFlow(flow=chosen.flow)), ""


def _best(paused: Sequence[Paused], wanted: set[str]) -> Paused | None:
    if not paused:
        return None
    if not wanted:
        return paused[0]
    scored = [(len(wanted & _stems(flow.about + " " + flow.goal, wanted)), -n, flow) for n, flow in enumerate(paused)]
    score, _, flow = max(scored, key=lambda entry: entry[:2])
    return flow if score else None


def _stems(text: str, wanted: set[str]) -> set[str]:
    words = set(WORD.findall(text.lower()))
    return {want for want in wanted if any(word == want or (len(want) > 4 and word[:5] == want[:5]) for word in words)}
