"""What is refused rather than guessed or done in part, and in which words."""

import re
from collections.abc import Sequence

from assistant.reasoning.base import Analysis, Intent
from assistant.reasoning.calls import Selection
from assistant.reasoning.offline import criteria
from assistant.reasoning.offline.lexicon import lexicon
from assistant.reasoning.offline.planning.analyses import context_of, spoken
from assistant.reasoning.offline.planning.message.pieces import Piece, polite_if
from assistant.reasoning.offline.planning.outline import Draft, Sentence, tidy
from assistant.reasoning.offline.reading.clauses.missives import later
from assistant.reasoning.offline.reading.clauses.riders import guarded_from
from assistant.reasoning.offline.reading.entities import mark
from assistant.reasoning.offline.reading.grammar import parse
from assistant.reasoning.offline.reading.parsed import Parse
from assistant.reasoning.offline.reading.slots import lows
from assistant.reasoning.offline.reading.text.dictation import dictation
from assistant.reasoning.offline.reading.text.tokens import Token, tokenise
from assistant.values import ContextBox

WAITS = "I can't wait for something to happen: I can only look and act now, so I have done nothing. Ask me again when it has."
UNCLEAR = (
    "I can't tell whether “{}” belongs to what the mail shall say or is for me to do, so I have done nothing. "
    "Put the words of the mail in quotation marks."
)
NO_MOMENT = "I can't tell when “{}” is, so I have done nothing. Tell me the day and the hour at which the mail shall go out."
NO_CHECK = "I can't find out whether {}, so I have done nothing."
HALF_READ = "I understood “{}” but for {}, so I have done nothing. Tell me in other words what that changes."
SEVERAL = "That sounds like more than one event. I have done nothing: say each of them in a sentence with its own time and people."
TOO_LONG = (
    "A message of {:,} characters is too long for me to read as requests, so I have done nothing. Say in a sentence "
    "or two what should be done; words that are to stand in a mail go behind a colon or into quotes, and may be long."
)
REFRAINS = "Understood: I do nothing of the kind. I only write or change what you ask for, and show it first."


def refused_as_said(piece: Piece, draft: Draft) -> bool:
    """What waits for something, may belong to a mail's words, or is a mail that shall go out when something else is."""
    why = ""
    if piece.role in ("waits", "unclear"):
        why = WAITS if piece.role == "waits" else UNCLEAR.format(tidy(piece.text))
    else:
        found = parse(piece.text, draft.setting)
        if found.call is not None and found.call.operation == "mail.send" and found.call.time is None:
            moment = later(found.clause.items, draft.setting.now)
            why = NO_MOMENT.format(moment) if moment else ""
    if why:
        draft.refuse(piece.text, why)
    return bool(why)


def refused_check(one: Sentence, draft: Draft) -> bool:
    """A condition that nothing which can be looked at tells."""
    call = one.found.call
    if one.piece.role != "check" or not (call is None or call.operation == "mail.answer" or _is_to_come(one.found)):
        return False
    draft.refuse(one.piece.text, NO_CHECK.format(tidy(one.piece.text).removeprefix("check whether ")))
    return True


PERFECT = frozenset({"'s", "has", "is", "was", "does"})


def _is_to_come(found: Parse) -> bool:
    """ "if I say so", "if Tom agrees": nothing that a mail which lies there already can tell."""
    if found.call is None or found.call.operation != "mail.check" or found.call.select.refs or found.call.fits is not None:
        return False
    items, words = found.clause.items, lows(found.clause.items)
    verbs = [n for n, word in enumerate(words) if word.endswith("s") and word not in PERFECT and not lexicon().nouns.at(words, n)]
    present = any(lexicon().facts.at(words, n) and n and items[n - 1].kind in ("person", "name") for n in verbs)
    return found.call.select == Selection(folder="Sent") or present


def refused_condition(one: Sentence, draft: Draft) -> bool:
    """A write in which a condition is left: one that could not be read is never passed over."""
    refused = criteria.writes(one.call.operation) and _has_condition(one.text, draft)
    if refused:
        draft.refuse(one.piece.text)
    return refused


def _has_condition(text: str, draft: Draft) -> bool:
    items = mark(text, draft.setting)
    stop, _ = dictation(items)
    words = lows(items[: stop if stop is not None else guarded_from(items)])
    openers = (n for n in range(1, len(words)) if lexicon().conditions.at(words, n))
    at = next((n for n in openers if words[n - 1] not in ("as", "ask", "know")), None)
    asks = {form.verb for n in range(min(len(words), 3)) for _, form in lexicon().verbs.all_at(words, n)} & {"ask", "tell"}
    polite = at is not None and (polite_if(words[at:]) or words[at + 1 : at + 2] == ["you"])
    return at is not None and not asks and not polite


def refused_half_read(one: Sentence, draft: Draft) -> bool:
    """A request in which some words found no place, unless it has to be asked about anyway."""
    unread = one.found.reading.unread
    if not unread or criteria.missing(one.call):
        return False
    draft.refuse(one.piece.text, draft.blocked or HALF_READ.format(tidy(one.piece.text), _quoted(unread)))
    return True


DAY_TOLD = re.compile(
    r"\bthe (?:very |same )?(?:day|morning|afternoon|evening|night|week|month) "
    r"(?:(?:right |just )?(?:before|after)|when|that|on which|"
    r"(?=(?:i|we|he|she|they|you|the|that|my|our|his|her|their)\b)) ?(?P<what>[^,.;!?]+)",
    re.IGNORECASE,
)
""" "The day before that form is due", "the day I get back": a day by what happens on it."""
UNKNOWN_DAY = "I don't know which day “{}” is, so I have done nothing. Tell me its date."


def refused_day(one: Sentence, draft: Draft) -> bool:
    """A new event on a day that is known only by what happens then: its hour alone would put it on another one."""
    if one.call.operation != "event.create" or one.call.time is not None or one.call.beside is not None:
        return False
    limit = dictation(one.found.clause.items)[0]
    text = one.text if limit is None else one.text[: one.found.clause.items[limit].begin]
    told = next((day for day in DAY_TOLD.finditer(text) if day["what"].strip()), None)
    if told is not None:
        draft.refuse(one.piece.text, draft.blocked or UNKNOWN_DAY.format(tidy(told[0].replace("{time}", ""))))
    return told is not None


MAKING = frozenset({"make", "book", "schedule", "create", "set", "block", "reserve", "plan", "arrange", "hold"})
"""What is there already is not made out of "it"."""


def refused_guess(one: Sentence, draft: Draft) -> bool:
    """A write whose kind of thing had to be guessed is not planned."""
    call, found = one.call, one.found
    if not criteria.writes(call.operation):
        return False
    makes = call.operation in ("contact.add", "event.create") and found.clause.items[0].low in MAKING
    made_of_shown = makes and call.beside is None and "{shown" in found.clause.text and not any(person.ref for person in call.to)
    if not made_of_shown and not any(guess.startswith("that ") for guess in found.reading.guesses):
        return False
    draft.refuse(one.piece.text, draft.blocked or (SEVERAL if "that one event is meant" in found.reading.guesses else ""))
    return True


def refused_branch(one: Sentence, draft: Draft) -> bool:
    """What hangs on a condition that nothing looks at, or on the other way out of two of them."""
    role = one.piece.role
    refused = role in ("if", "else") and (draft.check is None or (draft.both and role == "else"))
    if refused:
        draft.refuse(one.piece.text)
    return refused


def not_understood(draft: Draft) -> Analysis:
    """Nothing is done; how something is done, and what is only ruled out, are no misunderstandings."""
    request = draft.request
    clauses = [parse(part, draft.setting).clause for part in draft.failed]
    if clauses and all(clause.mood == "do" and clause.negated for clause in clauses):
        return spoken(request, REFRAINS, "nothing is to be done")
    if clauses and all(clause.mood == "advice" for clause in clauses):
        said = _advice(request.text, should=any(clause.head == "should" for clause in clauses))
        return spoken(request, said, "how something is done")
    said = draft.blocked or _not_understood(" ".join(draft.failed) or request.text, draft.understood)
    box = ContextBox(goal=request.text, progress=("The request was not understood",), blockers=tuple(draft.failed))
    return Analysis(context=context_of(request), intent=Intent(goal=request.text, request="unknown"), box=box, say=said)


def _advice(text: str, *, should: bool) -> str:
    """An answer to "how do I …?" and "should I …?"."""
    start = "That is for you to decide. If you want it, say so" if should else "Just tell me"
    return f"{start}, for example:\n{_nearest(text)}"


def _not_understood(text: str, understood: Sequence[str]) -> str:
    """What was understood, and the nearest things that can be done."""
    start = "I did not understand that."
    if understood:
        start = f"I understood {_quoted(understood)}, but not the rest, so I have done nothing."
    return f"{start} The nearest things that I can do:\n{_nearest(text)}"


def _quoted(parts: Sequence[str]) -> str:
    return ", ".join(f"“{part}”" for part in parts)


WORD = re.compile(r"[a-z']+")
DOMAINS = {
    "mail": "mail.", "newsletter": "mail.", "event": "event.", "occasion": "event.", "slot": "event.", "contact": "contact.",
    "field": "contact.",
}  # fmt: skip


def _nearest(text: str, count: int = 3) -> str:
    """A list of examples whose operation shares verbs, nouns or words with the text."""
    tokens = tokenise(text)
    hints = _hints(tokens)
    words = {token.low for token in tokens} - lexicon().small["stop"]
    scored = []
    for position, (operation, example) in enumerate(lexicon().examples.items()):
        share = len(words & set(WORD.findall(example.lower()))) + 2 * len(hints & {operation})
        share += sum(operation.startswith(hint) for hint in hints if hint.endswith("."))
        scored.append((-share, position, example))
    return "\n".join(f"- {example}" for _, _, example in sorted(scored)[:count])


def _hints(tokens: Sequence[Token]) -> set[str]:
    """Operations that some verb of the text belongs to, and domains that its nouns name."""
    lex, words = lexicon(), lows(tokens)
    verbs = {form.verb for at in range(len(words)) for _, form in lex.verbs.all_at(words, at)}
    nouns = {match[1][0] for at in range(len(words)) if (match := lex.nouns.at(words, at))}
    hints = {operation for (verb, noun), operation in lex.operations.items() if verb in verbs and (noun in nouns or not noun)}
    return hints | {DOMAINS[noun] for noun in nouns if noun in DOMAINS}
