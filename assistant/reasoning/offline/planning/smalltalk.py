"""Small talk, help, commands about tasks, and honest words for what was not understood."""

import re
from collections.abc import Sequence

from assistant.reasoning.base import Request
from assistant.reasoning.offline.lexicon import Phrases, lexicon
from assistant.reasoning.offline.reading.slots import lows
from assistant.reasoning.offline.reading.text.tokens import Token, tokenise
from assistant.values import CancelFlow, OwnCommand, Paused, ResumeFlow, Undo

NAME = "I am the offline reasoner: I understand plain requests about mail, calendar and contacts, without a language model."
ANSWERS = {
    "hello": f"Hello. {NAME} What can I do for you?",
    "thanks": "You're welcome.",
    "bye": "Goodbye.",
}
HELP = (
    "mail.find", "mail.summarise", "mail.attention", "mail.send", "mail.reply", "mail.archive", "event.find", "event.free",
    "event.slots", "event.create", "event.move", "contact.find", "contact.group", "template.save",
)  # fmt: skip
WORD = re.compile(r"[a-z']+")
DROP = frozenset("the my a an of on with about for to it that this please task flow request job one work and in i you me".split())


def small_talk(text: str) -> str:
    """The answer where the whole message is small talk or asks for help; else empty."""
    words = [token.low for token in tokenise(text) if token.kind == "word"]
    rest, kinds = list(words), []
    while rest:
        match = lexicon().talk.at(rest, 0)
        if match is None:
            if rest[0] in ("there", "please", "so", "assistant", "you", "very", "much", "for", "that", "me", "all"):
                rest = rest[1:]
                continue
            return ""
        kinds.append(match[1])
        rest = rest[match[0] :]
    if not kinds:
        return ""
    return help_text() if "help" in kinds else ANSWERS[kinds[-1]]


REFRAINS = "Understood: I do nothing of the kind. I only write or change what you ask for, and show it first."


def advice(text: str, *, should: bool) -> str:
    """An answer to "how do I …?" and "should I …?"."""
    start = "That is for you to decide. If you want it, say so" if should else "Just tell me"
    return f"{start}, for example:\n" + "\n".join(f"- {example}" for example in nearest(text))


def help_text() -> str:
    examples = lexicon().examples
    lines = "\n".join(f"- {examples[name]}" for name in HELP)
    return f"{NAME} For example:\n{lines}\nBefore anything is sent or changed for others you see a preview and approve it."


def command(request: Request) -> tuple[OwnCommand | None, str]:
    """A command to the assistant itself, and what to say where it has nothing to work on."""
    tokens = [token for token in tokenise(request.text) if token.kind not in ("punct",) or token.low == ","]
    words = [word for word in lows(tokens) if word not in (",",)]
    words = _without_lead(words)
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
    words = [token.low for token in tokenise(request.text) if token.kind == "word"]
    while words and words[0] in REFUSALS:
        words = words[1:]
    preview = next((flow for flow in request.paused if flow.status == "preview"), None)
    kept = _whole(lexicon().commands["keep"], words, ("please", "then", "as", "is", "it", "they", "are")) if words else False
    return CancelFlow(flow=preview.flow) if preview and kept else None


def shows_again(request: Request) -> bool:
    """ "Read it to me", "what does it say?": the open proposal is shown once more."""
    words = _without_lead([token.low for token in tokenise(request.text) if token.kind == "word"])
    return bool(words) and _whole(lexicon().commands["show"], words, AGAIN)


AGAIN = (
    "to",
    "me",
    "again",
    "out",
    "aloud",
    "back",
    "first",
    "please",
    "once",
    "more",
    "now",
    "before",
    "you",
    "send",
    "it",
    "i",
    "approve",
)
REFUSALS = frozenset("no nope oh wait hm hmm actually sorry and please then".split())
LEADS = frozenset("please ok okay actually now and can could you well then so just let us yes".split())


def _without_lead(words: list[str]) -> list[str]:
    lead = LEADS
    while words and words[0] in lead:
        words = words[1:]
    return words


def _whole(phrases: Phrases, words: Sequence[str], around: Sequence[str]) -> bool:
    match = phrases.at(list(words), 0)
    return match is not None and all(word in around for word in words[match[0] :])


def _about_task(request: Request, rest: Sequence[str], *, cancel: bool, explicit: bool) -> tuple[OwnCommand | None, str]:
    """The paused flow that the words are about; the newest where they name none."""
    wanted = {
        word
        for word in rest
        if word not in DROP and word not in ("scheduling", "anymore", "now", "instead", "do", "not", "need", "mind")
    }
    chosen = best(request.paused, wanted)
    if chosen is None:
        if wanted and not explicit:
            return None, ""
        if not wanted or not request.paused:
            return None, f"There is no paused task to {'give up' if cancel else 'go on with'}." if explicit or not wanted else ""
        names = "; ".join(flow.goal or flow.about for flow in request.paused)
        return None, f"I have no paused task about {' '.join(sorted(wanted))}. Paused: {names}."
    return (CancelFlow(flow=chosen.flow) if cancel else ResumeFlow(flow=chosen.flow)), ""


def best(paused: Sequence[Paused], wanted: set[str]) -> Paused | None:
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


def too_long(text: str) -> str:
    return (
        f"A message of {len(text):,} characters is too long for me to read as requests, so I have done nothing. Say in a sentence "
        "or two what should be done; words that are to stand in a mail go behind a colon or into quotes, and may be long."
    )


def not_understood(text: str, understood: Sequence[str] = ()) -> str:
    """What was understood, and the nearest things that can be done."""
    start = "I did not understand that."
    if understood:
        start = f"I understood {_quoted(understood)}, but not the rest, so I have done nothing."
    near = nearest(text)
    return f"{start} The nearest things that I can do:\n" + "\n".join(f"- {example}" for example in near)


def half_understood(text: str, unread: Sequence[str]) -> str:
    """What found no place in a request that is understood without it."""
    return f"I understood “{text}” but for {_quoted(unread)}, so I have done nothing. Tell me in other words what that changes."


def _quoted(parts: Sequence[str]) -> str:
    return ", ".join(f"“{part}”" for part in parts)


def nearest(text: str, count: int = 3) -> list[str]:
    """Examples whose operation shares verbs, nouns or words with the text."""
    tokens = tokenise(text)
    hints = _hints(tokens)
    words = {token.low for token in tokens} - lexicon().small["stop"]
    scored = []
    for position, (operation, example) in enumerate(lexicon().examples.items()):
        share = len(words & set(WORD.findall(example.lower()))) + 2 * len(hints & {operation})
        share += sum(operation.startswith(hint) for hint in hints if hint.endswith("."))
        scored.append((-share, position, example))
    return [example for _, _, example in sorted(scored)[:count]]


def _hints(tokens: Sequence[Token]) -> set[str]:
    """Operations that some verb of the text belongs to, and domains that its nouns name."""
    lex, words = lexicon(), lows(tokens)
    verbs = {form.verb for at in range(len(words)) for _, form in lex.verbs.all_at(words, at)}
    nouns = {match[1][0] for at in range(len(words)) if (match := lex.nouns.at(words, at))}
    hints = {operation for (verb, noun), operation in lex.operations.items() if verb in verbs and (noun in nouns or not noun)}
    domains = {
        "mail": "mail.",
        "newsletter": "mail.",
        "event": "event.",
        "occasion": "event.",
        "contact": "contact.",
        "field": "contact.",
        "slot": "event.",
    }
    return hints | {domains[noun] for noun in nouns if noun in domains}
