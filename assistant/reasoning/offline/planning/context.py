"""What the context adds to a request: the thing, the people and the day that it leaves out; else a place for the answer."""

import re
from collections.abc import Callable, Sequence
from dataclasses import replace

from assistant.reasoning.base import Missing, Request
from assistant.reasoning.calls import Call, Selection
from assistant.reasoning.offline.lexicon import lexicon
from assistant.reasoning.offline.planning.outline import Draft, Sentence
from assistant.reasoning.offline.planning.talk.dayward import asked_day, on_told_day
from assistant.reasoning.offline.reading.grammar import parse
from assistant.reasoning.offline.reading.parsed import Parse
from assistant.reasoning.offline.reading.slots import lows
from assistant.reasoning.offline.reading.text.tokens import tokenise

ASKED = frozenset({"when", "what", "how", "where", "which", "why", "by", "who", "whose", "whom"})
POINTING = frozenset({"it", "its", "that", "this"})


def of_shown_mail(one: Sentence, request: Request) -> Sentence:
    """ "When is it due?": a question about the one mail shown names it, unless something else can be read of the words."""
    data = request.shown[0].data if request.shown else None
    asks = one.found.clause.head in ASKED or (one.found.call is None and _asks_last(one.piece.text))
    if data is None or len(data.mails) != 1 or data.events or not asks:
        return one
    said, call = one.piece.text, one.found.call
    if not POINTING & set(lows(tokenise(said))) and not (call is None and _is_short(said)):
        return one
    elsewhere = call is not None and call.operation != "mail.answer" and not call.operation.startswith("event.")
    words = lows(tokenise(said))
    of_mails = any((noun := lexicon().nouns.at(words, at)) and noun[1][0] in ("mail", "newsletter") for at in range(len(words)))
    of_others = not of_mails and not {"ones", "unread"} & set(words)
    misread = {"mail.find": one.found.clause.head.startswith("who"), "mail.count": of_others}
    if elsewhere and not (call is not None and misread.get(call.operation)):
        return one
    text = f"{said.rstrip(' ?.!')} in the mail {{shown}}"
    again = parse(text, request.setting)
    return replace(one, text=text, found=again) if again.call is not None and again.call.operation == "mail.answer" else one


SHORT = 4
"""Words of a question that leaves out what it is about: "until when?", "and how much?"."""


def _is_short(said: str) -> bool:
    return len([token for token in tokenise(said) if token.kind == "word"]) <= SHORT


def _asks_last(said: str) -> bool:
    """ "due when?", "and costs how much?": the question word stands at the end."""
    words = [token.low for token in tokenise(said) if token.kind == "word"]
    return _is_short(said) and bool(lexicon().small["wh"] & set(words[-2:]))


def in_shown_mail(one: Sentence, request: Request) -> Sentence | None:
    """ "How soon would they deliver?": the same question, asked of the one mail shown; None where it can't be about that."""
    data, call = request.shown[0].data if request.shown else None, one.found.call
    if data is None or len(data.mails) != 1 or data.events or call is None or call.select.refs:
        return None
    bare = call.operation in ("event.find", "event.guests") and not (call.select.words or call.select.people or call.select.place)
    untimed = not any(item.time is not None for item in one.found.clause.items)
    elliptic = call.operation == "event.next" and not lexicon().small["auxiliaries"] & set(lows(one.found.clause.items))
    if call.operation != "mail.answer" and not elliptic and not (bare and untimed and _is_short(one.piece.text)):
        return None
    text = f"{one.piece.text.rstrip(' ?.!')} in the mail {{shown}}"
    again = parse(text, request.setting)
    return replace(one, text=text, found=again) if again.call is not None and again.call.operation == "mail.answer" else None


IN_OWN_WORDS = frozenset({"mail.answer", "mail.send", "mail.draft"})
"""What points at nothing there may stand in the words of a mail."""
PERSONS = frozenset({"her", "him", "them", "his", "their"})


def with_place(one: Sentence, draft: Draft) -> Sentence:
    """A pronoun that points at nothing: its place is kept for the answer."""
    call, found = one.call, one.found
    told = call.operation == "contact.update" and found.clause.mood != "do"
    unclear = one.unclear and not told and call.operation not in IN_OWN_WORDS
    if not unclear and not ("shown" in call.select.refs and not draft.request.shown):
        return one
    word = one.unclear[0] if one.unclear else "it"
    what = word.split()[-1]
    draft.missing.append(Missing(what=what, question=f"{'Who' if what in PERSONS else 'What'} do you mean by “{word}”?"))
    text = re.sub(rf"\b{re.escape(word)}\b", f"{{{what}}}", one.text, count=1, flags=re.IGNORECASE)
    end = found.end + len(what) + 2 - len(word)
    items = (*found.clause.items[:-1], replace(found.clause.items[-1], end=end))
    found = replace(found, clause=replace(found.clause, text=text, items=items), recipients=(), thing=None)
    return replace(one, text=text, found=found)


def in_context(one: Sentence, draft: Draft) -> Sentence:
    """The request with its day, and with the first of the ADDITIONS that it lacks."""
    one = _on_told_day(one, draft)
    call, found = one.call, one.found
    if (call.operation == "mail.reply" or _asks_how(call)) and _answers_nothing(call, found):
        return _answering(one, draft)
    addition = next((more for add in ADDITIONS if (more := add(call, one.text, draft))), "")
    if not addition:
        return one
    whole = (one.text.rstrip(" ?.!") if found.clause.mood == "fact" else one.text[found.begin : found.end]) + addition
    again = parse(whole, draft.setting)
    same = again.call is not None and again.call.operation == call.operation
    return replace(one, text=whole, found=again) if same else one


def _on_told_day(one: Sentence, draft: Draft) -> Sentence:
    """On the day that a statement or, for a new event, a question was about."""
    told = draft.memory.told
    if not told and one.call.operation == "event.create":
        told = asked_day(draft.memory, checked=draft.check is not None)
    text = on_told_day(one.text, one.found, told, draft.setting)
    again = parse(text, draft.setting) if text != one.text else None
    return replace(one, text=text, found=again) if again is not None and again.call is not None else one


def _answers_nothing(call: Call, found: Parse) -> bool:
    select = call.select
    placed = "{" in found.clause.text
    return not (placed or select.people or select.words or select.refs or select.when or select.each or found.thing)


def _asks_how(call: Call) -> bool:
    """ "What should I say?"."""
    return call.operation == "mail.draft" and bool(call.question)


def _answering(one: Sentence, draft: Draft) -> Sentence:
    """ "then reply saying …": to the mail that was spoken of or shown; where there is none, the place is kept for the answer."""
    text, found, memory = one.text, one.found, draft.memory
    mails = memory.shown is not None and bool(memory.shown.mails)
    thing = memory.thing if memory.thing and memory.noun in ("mail", "") else "the mail {shown}" if mails else ""
    memory.used_shown |= not memory.thing and mails
    if not thing:
        draft.missing.append(Missing(what="mail", question="Which mail shall I reply to?"))
        thing = "{mail}"
    if _asks_how(one.call):
        text = f"{text.rstrip(' ?.!')} to {thing}"
        return replace(one, text=text, found=parse(text, draft.setting))
    everyone = one.call.field == "all"
    verb_ends = found.clause.items[0].end
    rest = text[verb_ends:]
    rest = re.sub(r"^\s*(?:to )?(?:all|everyone|everybody)\b", "", rest, flags=re.IGNORECASE) if everyone else rest
    text = f"{text[:verb_ends]}{' all' if everyone else ''} to {thing}{rest}"
    return replace(one, text=text, found=parse(text, draft.setting))


def _times_found(call: Call, text: str, draft: Draft) -> str:
    """ "When am I free on Friday, and which of those would you take?": of the times that this message has found."""
    chooses = call.operation == "event.choose" and not call.select.refs
    found = [n for n, one in enumerate(draft.calls, 1) if chooses and one.operation == "event.slots"]
    return f" of {{{found[-1]}}}" if found else ""


INTO_EVENT = frozenset({"event.invite", "event.uninvite", "event.accept", "event.decline", "event.tentative"})


def _to_mail_spoken_of(call: Call, text: str, draft: Draft) -> str:
    """ "I wrote to Helen. Has she replied?": to that mail."""
    select, thing = call.select, draft.memory.thing
    asks = call.operation == "mail.check" and call.question == "reply" and not (select.words or select.when or select.refs)
    return f" to {thing}" if asks and thing.startswith("my mail ") else ""


def _event_spoken_of(call: Call, text: str, draft: Draft) -> str:
    memory, select = draft.memory, call.select
    if memory.noun not in ("event", "") or not memory.thing or memory.thing.startswith("{"):
        return ""
    if select.words or select.refs or select.when:
        return ""
    if call.operation == "event.replace":
        return f" in {memory.thing}"
    return f" to {memory.thing}" if call.operation in INTO_EVENT and not select.people else ""


def _event_shown(call: Call, text: str, draft: Draft) -> str:
    event = draft.memory.event_shown() if call.operation in INTO_EVENT and call.select == Selection() else ""
    link = {"event.invite": "to ", "event.uninvite": "from "}.get(call.operation, "")
    return f" {link}{event}" if event else ""


def _people_spoken_of(call: Call, text: str, draft: Draft) -> str:
    """Whom "our" includes, to whom a mail is to be passed on, and who is not met yet."""
    if call.operation == "event.next" and not call.select.people and draft.memory.person and " our " in f" {text.lower()} ":
        return f" with {draft.memory.person}"
    if call.operation == "mail.forward" and not call.to and draft.beneficiary:
        return f" to {draft.beneficiary}"
    return f" with {draft.company}" if call.operation == "event.create" and not call.to and draft.company else ""


COMING_DAYS = " for the next 7 days"
"""The period of "check my calendar" where none is said."""


def _coming_days(call: Call, text: str, draft: Draft) -> str:
    select = call.select
    narrowed = select.people or select.words or select.order or select.refs or select.unanswered or select.place or select.answer
    timed = select.when is not None or call.time is not None
    return COMING_DAYS if call.operation == "event.find" and not timed and not narrowed else ""


Addition = Callable[[Call, str, Draft], str]
ADDITIONS: Sequence[Addition] = (
    _to_mail_spoken_of, _times_found, _event_spoken_of, _event_shown, _people_spoken_of, _coming_days,
)  # fmt: skip
"""In this order: the words that the context adds behind a request, empty where it adds none."""
