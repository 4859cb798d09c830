"""Words that look like times and are none, hidden before times are looked for."""

import itertools
from collections.abc import Sequence

from assistant.reasoning.offline.lexicon import lexicon
from assistant.reasoning.offline.reading.text.items import OPAQUE, is_hour, names_hour
from assistant.reasoning.offline.reading.text.tokens import Token


def masked(text: str, tokens: tuple[Token, ...]) -> tuple[str, dict[int, int]]:
    """The text of the same length in which only times look like times; for each number that was given an "at", where that begins
    and where the number does."""
    for mask in _MASKS:
        text = mask(text, tokens)
    return _hours_moved_to(text, tokens)


def _hidden(text: str, begin: int, end: int) -> str:
    return text[:begin] + OPAQUE * (end - begin) + text[end:]


def _without_entities(text: str, tokens: tuple[Token, ...]) -> str:
    for token in tokens:
        if token.kind in ("quote", "ref", "address", "phone"):
            text = _hidden(text, token.begin, token.end)
    return text


def _without_left_out_apostrophe(text: str, tokens: tuple[Token, ...]) -> str:
    """ "todays meeting": the s that was split off is no letter of the day."""
    for token in tokens:
        if token.low == "'s" and not token.text:
            text = f"{text[: token.begin]} {text[token.end :]}"
    return text


def _without_owned_order(text: str, tokens: tuple[Token, ...]) -> str:
    """The "second" of "Tom's second meeting" is no length."""
    for owner, order in itertools.pairwise(tokens):
        if owner.low == "'s" and (order.low in lexicon().nth or order.low in ("first", "1st")):
            text = _hidden(text, order.begin, order.end)
    return text


def _without_conjunction(text: str, tokens: tuple[Token, ...]) -> str:
    """In "tell Tom that Friday is fine" no Friday is pointed at: such a "that" is hidden."""
    small = lexicon().small
    for before, token in itertools.pairwise(tokens):
        if token.low != "that" or before.low in small["pointing"]:
            continue
        lead = [one.low for one in tokens[: tokens.index(token)]]
        lead = [*lead[:3], *lead[-4:]] if {"reply", "answer", "respond"} & set(lead[:3]) else lead[-4:]
        if before.low in small["missives"] | CONTENTS or TELLING & set(lead[:-1]):
            text = _hidden(text, token.begin, token.end)
    return text


CONTENTS = frozenset({"reply", "answer", "mail", "email", "message", "know", "say", "saying"})
TELLING = frozenset({"tell", "email", "write", "inform", "remind", "let", "answer", "reply", "message", "notify"})
PUT_IN = frozenset({"put", "pencil", "squeeze", "fit", "slot", "pop"})
"""Behind these "in an hour" is an hour put in."""


def _without_particle(text: str, tokens: tuple[Token, ...]) -> str:
    for verb, particle in itertools.pairwise(tokens):
        if particle.low == "in" and verb.low in PUT_IN:
            text = _hidden(text, particle.begin, particle.end)
    return text


def _without_pronoun_one(text: str, tokens: tuple[Token, ...]) -> str:
    """ "The Friday one", "that 3 pm one" begin at no hour of one."""
    for at in range(2, len(tokens)):
        before, behind = tokens[max(at - 4, 0) : at], tokens[at + 1 : at + 2]
        hour = before[-1].low in TO_THE_HOUR or before[-1].kind == "punct" or any(one.low in OF_THE_CLOCK for one in behind)
        placed = before[-1].low in lexicon().nth or lexicon().orders.at([before[-1].low], 0) is not None
        if tokens[at].low in ("one", "ones") and not hour and not placed and any(token.low in POINTED_AT for token in before[:-1]):
            text = _hidden(text, tokens[at].begin, tokens[at].end)
    return text


TO_THE_HOUR = frozenset("at by until till from to past after before around about half quarter between and or".split())
OF_THE_CLOCK = frozenset({"o'clock", "am", "pm", "a.m", "p.m", "thirty", "fifteen"})
POINTED_AT = frozenset({"the", "that", "this", "those", "these", "my", "our", "other", "another", "which", "each", "every"})


def _without_verb_last(text: str, tokens: tuple[Token, ...]) -> str:
    for before, token in itertools.pairwise(tokens):
        if token.low == "last" and _lasts(tokens, before):
            text = _hidden(text, token.begin, token.end)
    return text


def _lasts(tokens: Sequence[Token], before: Token) -> bool:
    """Whether "last 30 minutes" is how long something is to be, as in "make it last …", "which should last …"."""
    made = tokens[0].low == "make" or any(one.low == "make" for one in tokens[:5])
    joined = before.low in ("and", ",") and any(one.low in OBLIGING and one.begin < before.begin for one in tokens)
    return before.low in MODALS or before.low in ("it", "them") or joined or (made and before.low not in ARTICLES)


MODALS = frozenset("should must shall to will would can could only may does that which not".split())
OBLIGING = frozenset({"should", "must", "shall", "ought", "needs", "has"})
"""Behind these a second verb may be joined: "it should start at 11 and last 30 minutes"."""
ARTICLES = frozenset({"the", "in", "for", "within", "over", "during", "of", "from", "since", "my", "and"})
"""Before "last" these lead to a time that is over."""
NEW_TIME = frozenset({"for", "until", "till"})
RESIZING = frozenset({"extend", "prolong", "lengthen", "shorten", "stretch", "cut"})
"""Verbs behind which "until 5" is the new end."""
PUTTING_OFF = frozenset({"move", "reschedule", "shift", "postpone", "push", "delay", "bring", "pull", "rebook", "off"})
"""Verbs behind which "until Monday" and "for Friday at 9" are the new time, no stretch of it."""


def _without_joints(text: str, tokens: tuple[Token, ...]) -> str:
    """In "move my 3pm to 4pm" the two times are no range: the first "to" is hidden, and a "from" before it."""
    if tokens and tokens[0].low in RESIZING:
        text = _without_words(text, tokens, frozenset({"until", "till"}))
    proposal = any(token.kind == "ref" and token.low == "proposal" for token in tokens)
    if not proposal and not _moves(tokens[:6], tokens):
        return text
    for day, after, then in zip(tokens, tokens[1:], (*tokens[2:], None), strict=False):
        if (day.low, after.low) == ("day", "after") and (then is None or then.low != "tomorrow"):
            text = _hidden(text, day.begin, after.end)
    text = _without_words(text, tokens, frozenset({"later", "earlier"}))
    if any(token.low in PUTTING_OFF for token in tokens[:6]):
        text = _without_words(text, tokens, NEW_TIME)
    for token in tokens:
        if token.kind == "word" and token.low in ("from", "to"):
            text = _hidden(text, token.begin, token.end)
            if token.low == "to":
                break
    return text


PARTICLES = frozenset({"off", "back", "forward", "up"})
POINTED = frozenset({"it", "that", "this", "them", "the", "my", "our"})
"""What is there already, and may be put elsewhere."""


def _moves(beginning: Sequence[Token], tokens: Sequence[Token]) -> bool:
    """Whether a verb at the beginning may move something: "put lunch in … from 12 to 1" is nothing moved."""
    movers = [at for at, token in enumerate(beginning) if token.low in lexicon().small["movers"]]
    puts = movers and all(tokens[at].low == "put" and at + 1 < len(tokens) for at in movers)
    return bool(movers) and not (
        puts
        and not PARTICLES & {token.low for token in tokens if token.kind == "word"}
        and not any(tokens[at + 1].low in POINTED for at in movers)
    )


def _without_words(text: str, tokens: tuple[Token, ...], words: frozenset[str]) -> str:
    for token in tokens:
        if token.low in words:
            text = _hidden(text, token.begin, token.end)
    return text


def _hours_moved_to(text: str, tokens: tuple[Token, ...]) -> tuple[str, dict[int, int]]:
    """In "move it from 9 to 10" the numbers are times: their "from" and "to" are read as "at". The text with that, and for each
    where such an "at" begins where its number does."""
    small = lexicon().small
    begins: dict[int, int] = {}
    if not _moves(tokens[:8], tokens) or any(token.low in small["numbered"] for token in tokens):
        return text, begins
    for token, number, after in zip(tokens, tokens[1:], (*tokens[2:], None), strict=False):
        ends = (
            after is None
            or after.kind == "punct"
            or after.low in ("and", "then", "on", "if", "unless", "or", "but")
            or _polite(tokens, after)
        )
        puts_off = token.low in ("till", "until") and any(one.low in PUTTING_OFF for one in tokens[:6])
        if (token.low == "to" or puts_off) and names_hour(number) and (ends or _names_a_day(after)):
            before = OPAQUE if token.begin else ""
            at = "at".ljust(token.end - token.begin)
            text = f"{text[: token.begin - len(before)]}{before}{at}{text[token.end :]}"
            begins[token.begin] = number.begin
        elif token.low == "from" and is_hour(number) and after is not None and after.low == "to":
            text = f"{text[: token.begin]}  at{text[token.end :]}"
            begins[token.end - 2] = number.begin
    return text, begins


def _polite(tokens: tuple[Token, ...], token: Token) -> bool:
    """Whether only politeness begins at `token`."""
    return lexicon().polite["closers"].at([one.low for one in tokens], tokens.index(token)) is not None


def _names_a_day(token: Token | None) -> bool:
    return token is not None and token.low in lexicon().small["days"]


_MASKS = (
    _without_entities,
    _without_left_out_apostrophe,
    _without_owned_order,
    _without_conjunction,
    _without_joints,
    _without_particle,
    _without_pronoun_one,
    _without_verb_last,
)
