"""Which of the user's words approve, refuse or mandate what. Pure code over the newest message; nothing that thinks is asked."""

import re
from itertools import pairwise

from assistant.values import Choice, Question

PLAIN = re.compile(r"[A-Za-z' ,.!-]+")
"""A message with any other character (a digit, an address, another script, an emoji) says more than a bare yes or no."""

APPROVING = frozenset("yes yep yeah yup approve approved confirm confirmed execute proceed".split())
APPROVING_PAIRS = frozenset([("go", "ahead"), ("do", "it"), ("send", "it"), ("send", "them"), ("do", "that"), ("do", "so")])
AGREEING = frozenset("ok okay sure fine good great perfect agreed alright".split())
AROUND_APPROVAL = AGREEING | frozenset(
    "please the proposed plan preview proposal it that this them go ahead do send so looks now anyway thanks thank you".split()
)
SENDING = AGREEING | frozenset("send now please off then".split())
REFUSING = frozenset("no nope cancel discard drop reject abort don't dont nevermind stop neither none".split())
REFUSING_PAIRS = frozenset([("never", "mind"), ("forget", "it"), ("forget", "that"), ("do", "not")])
NONE_OF_THEM = frozenset([("none", "of", "them"), ("none", "of", "these"), ("none", "of", "those"), ("neither", "of", "them")])
ALL = frozenset("all everything both previews proposals".split())
AROUND_REFUSAL = frozenset(
    "please the proposed plan preview proposal it that this them never mind forget do not send thanks thank you i want to".split()
)


def _words(text: str) -> tuple[str, ...]:
    """The words of a plain message; none where it holds anything else."""
    text = text.strip().replace("\u2019", "'")
    return tuple(re.findall(r"[a-z']+", text.casefold())) if PLAIN.fullmatch(text) else ()


def _says(words: tuple[str, ...], heads: frozenset[str], pairs: frozenset[tuple[str, str]], around: frozenset[str]) -> bool:
    """Whether the message consists of such words and one of them decides; one foreign word makes it something else."""
    if not words or not set(words) <= heads | around:
        return False
    return any(w in heads for w in words) or any(pair in pairs for pair in pairwise(words))


def approves(text: str) -> bool:
    """ "Yes, send it", "approve", "Please execute the proposed plan", "great, send"; not "ok" alone, nor "yes, but at 5"."""
    words = _words(text)
    return _says(words, APPROVING, APPROVING_PAIRS, AROUND_APPROVAL) or _agrees_to_send(words)


def _agrees_to_send(words: tuple[str, ...]) -> bool:
    """ "Great, send", "fine, book it"; not "send" or "book it" alone, which may be the beginning of a request."""
    books = ("book", "it") in pairwise(words)
    said = set(words) - {"book", "it"} if books else set(words)
    return (books or "send" in words) and bool(AGREEING & said) and said <= SENDING


def hastens(text: str) -> bool:
    """ "Send it now": of what has a time of its own, that is another time and no approval."""
    return bool({"now", "immediately"} & set(_words(text)))


def agrees(text: str) -> bool:
    """ "Ok", "sure": perhaps an approval, perhaps mere politeness, so it is asked about."""
    words = _words(text)
    return bool(words) and not approves(text) and set(words) <= AGREEING


def refuses(text: str) -> bool:
    """ "No", "cancel it", "don't send it"; not "cancel the meeting"."""
    words = _words(text)
    return words in NONE_OF_THEM or _says(words, REFUSING, REFUSING_PAIRS, AROUND_REFUSAL)


UNDOING = frozenset({"undo", "unsend", "revert"})
AROUND_UNDOING = frozenset("please it that this the last mail thing change take get oh no wait stop now back i want to".split())


def undoes(text: str) -> bool:
    """ "Undo", "undo that, please", "take it back": what must not wait for anybody to think about it."""
    words = _words(text)
    if not words or not set(words) <= UNDOING | AROUND_UNDOING:
        return False
    return bool(UNDOING & set(words)) or ("take" in words and "back" in words)


LEADING = (
    r"(?:oh|ah|no|nah|nope|actually|h+m+|um|er|ok|okay|well|wait|sorry|please|just|you know what|come to think of it"
    r"|on second thoughts?|i(?:'ve| have)? changed my mind)"
)
GIVING_UP = re.compile(
    rf"(?:{LEADING}\b[\s,.!-]*)*"
    r"(?:(?:leave|drop|scrap|skip|scratch|ditch|forget)(?: about)? (?:it|that|this|the whole thing)"
    r"(?: (?:be|alone|for now|then|after all))?|never ?mind(?: (?:it|that|then))?|do(?:n't| not) bother"
    r"|let (?:it|that) (?:be|go|drop)|let's (?:not|leave (?:it|that))|better not|rather not"
    r"|no need(?: (?:after all|any ?more|for (?:it|that)))?|do(?:n't| not) (?:send|do) (?:it|that)(?: (?:after all|any ?more))?"
    r"|i(?:'ve| have)? changed my mind)(?P<rest>(?:[\s]*[,.;!-]+|\s+(?:because|as|since|and|for)\b|\s*$).*)",
    re.DOTALL,
)
CLAUSES = re.compile(r"\s*[,.;!-]+\s*|\s+(?:and|but)\s+")
TELLING = re.compile(
    rf"(?:(?:{LEADING}|because|as|since|and|for|then)\s+)*(?:(?:i|we|he|she|they|it|that|there|nobody|everyone)(?:'\w+)?\b.*"
    r"|(?:thanks|thank you|please|after all|then|sorry|no need)\b.*|[a-z]+ (?:is|has|was|knows|already)\b.*|)"
)
WISHING = re.compile(
    r"\b(?:want|wants|(?<!no )need|needs|prefer|prefers|mean|meant|should|must|would like|'d like|'d rather|'d better|had better"
    r"|let's"
    r"|(?:i|we)(?:'ll| will) (?:take|have|go (?:with|for)|make it|say|do it at)|make|rather than|instead of|please (?!$))\b"
)


def gives_up(text: str) -> bool:
    """ "Leave it, I'll ring him instead", "never mind, she knows": a refusal with what is told beside it; not where a clause wishes
    for something else."""
    said = text.strip(" .!").replace("\u2019", "'").casefold()
    found = GIVING_UP.fullmatch(said) if PLAIN.fullmatch(text.strip().replace("\u2019", "'")) else None
    if found is None or WISHING.search(found["rest"]):
        return False
    return all(TELLING.fullmatch(clause.strip()) for clause in CLAUSES.split(found["rest"]))


def points(text: str) -> bool:
    """Whether it speaks of something ("cancel it"), which need not be a preview."""
    return bool(set(_words(text)) & {"it", "that", "this", "them", "both"})


def refuses_all(text: str) -> bool:
    """ "Cancel all", "discard everything", "drop all previews"."""
    words = _words(text)
    return bool(set(words) & ALL) and _says(words, REFUSING, frozenset(), AROUND_REFUSAL | ALL)


OPERATION_WORDS = {
    "archive": ("archive", "file away"),
    "trash": ("trash", "delete", "bin", "remove", "throw away", "get rid of", "discard", "erase", "toss", "throw out"),
    "restore": ("restore", "move back", "put back", "unarchive", "undelete", "recover"),
    "move": ("move", "put", "file"),
    "mark": ("mark", "flag", "unflag", "star", "unstar", "tick"),
    "draft": ("draft", "save a draft", "prepare"),
    "create_event": (
        "schedule", "book", "create", "add", "block", "put", "set up", "arrange", "organise", "organize", "reserve", "enter",
        "remind", "new event", "new meeting", "new appointment", "make a", "make an", "plan a", "plan an", "plan the", "plan my",
        "set a", "set an", "set another",
    ),
    "move_event": (
        "move", "reschedule", "shift", "push", "postpone", "bring forward", "pull", "delay", "extend", "shorten", "lengthen",
        "change", "make", "prolong", "swap", "put off", "put back", "bring", "cut", "trim",
    ),
    "update_event": ("rename", "change", "call", "retitle", "move", "set", "update", "name", "relocate"),
    "cancel_event": ("cancel", "delete", "remove", "drop", "call off", "clear", "scrap", "get rid of"),
}  # fmt: skip
"""The user's words under which a low write may run unasked, by the gate's operations. What is not here never runs unasked."""

COMMAND_WORDS = {
    "undo": (
        r"undo|undone|revert|reverse|unsend|roll(?:ed)? back|restore|mistake|oops",
        r"(?:take|took|taken|put|bring|change|move|set|get)\b.*\bback",
    ),
    "cancel_flow": (
        r"never ?mind|forget|stop|abandon|drop|scratch|abort|cancel|end|kill|quit|leave|keep|discard|give up|call off|skip",
        r"done with|change of plans?|no|nope|not|don't",
    ),
    "show_outbox": (r"scheduled|queued|waiting|held|outbox|pending", r"go(?:es|ing)? out\b|be(?:ing)? sent|sent later"),
    "withdraw": (r"cancel|stop|drop|delete|discard|scrap|abort|withdraw|recall|don't|do not|call off|take back|hold back",),
    "create_schedule": (
        r"remind(?:ers?|ed|ing)?|brief(?:ings?)?|every|each|daily|weekly|monthly|yearly|hourly|(?:week|mon|tues|wednes|thurs|fri"
        r"|satur|sun)days|summar\w*|sum up|recap|digest|rundown|overview|forget|from now on|regularly|recurring|nudge|ping|alert",
    ),
    "show_schedules": (r"schedules?|scheduled|reminders?|briefings?|recurring|remind(?:ing)? me|brief me",),
    "manage_schedule": (
        r"(?:pause|suspend|resume|unpause|restart|stop|cancel|delete|remove|end|drop|discard|scrap|run|execute|trigger|fire|put|hold"
        r"|halt|mute|unmute|silence|turn|switch|disable|enable|re-?enable|get rid of|call off|don't|do not|no longer|no more|never"
        r"|reactivate|continue|quit|clear|forget)\b.*\b(?:remind\w*|brief\w*|schedul\w*|summar\w*|digest|recap|overview|rundown)",
    ),
    "change_schedule": (
        r"(?:move|change|reschedule|postpone|shift|put|push|set|switch|make|snooze|have|let|bring|send|give|deliver|mail|e-?mail|get"
        r"|tell|stop|don't|do not|no longer|never|brief me|remind me)\b",
    ),
    "remember": (
        r"remember\w*|memori[sz]e|in mind|note|notes|forget|from now on|(?:in|for)(?: the)? future|for (?:the|your|my) records?",
    ),
    "show_notes": (r"remember\w*|notes?|know about me|(?:told|asked) you|preferences?",),
    "forget_note": (r"notes?|remember\w*|forget (?:that|what|about|everything|all)",),
    "show_briefing": (r"brief(?:ings?|ed)?|summar\w*|digest|recap|rundown|overview|catch me up|up to speed",),
    "resume_flow": (
        r"resume|continue|go(?:ing)? (?:on|ahead|back)|carry on|pick up|proceed|keep going|return to|finish|again|back to|take up",
        r"(?:get|go|come)\b.*\bback to|where were we|get on with",
    ),
}
"""Words of the user without which the assistant does nothing of the kind to itself, by the commands' names."""


def commands(text: str, kind: str) -> bool:
    """Whether the user's own words can mean such a command."""
    own = DICTATED.sub(" ", text.replace("\u2019", "'"))
    return re.search(rf"\b(?:{'|'.join(COMMAND_WORDS[kind])})\b", own, re.IGNORECASE) is not None


DICTATED = re.compile(
    r"\"[^\"]*\"|\u201c[^\u201d]*\u201d|(?<!\w)'[^']*'(?!\w)|\u2018[^\u2019]*\u2019|"
    r"\b(?:saying|that says|which says|with the (?:text|words|message))\b.*|:\s.*",
    re.IGNORECASE | re.DOTALL,
)
NEGATED = re.compile(
    r"\b(?:don't|do not|never|without|not|didn't|shouldn't|should i|did i|have i|how (?:do|can|to))\b[^.,;!?]*", re.IGNORECASE
)


_NAMING = {operation: re.compile(rf"\b(?:{'|'.join(map(re.escape, phrases))})\b") for operation, phrases in OPERATION_WORDS.items()}


def mandate(text: str) -> frozenset[str]:
    """The operations that the user's own words of this turn name; what is quoted, dictated, negated or asked about names none."""
    own = NEGATED.sub(" ", DICTATED.sub(" ", text.replace("\u2019", "'"))).casefold()
    return frozenset(operation for operation, naming in _NAMING.items() if naming.search(own))


def named(question: Question, words: str) -> Choice | None:
    """The choice that these words name exactly: by number, id, value or label."""
    said = words.strip().strip(".!").casefold()
    for number, choice in enumerate(question.choices, start=1):
        if said in {choice.id.casefold(), choice.value.casefold(), choice.label.casefold(), str(number), *_ordinals(number)}:
            return choice
    if len(question.choices) == 1 and question.trigger == "ambiguous" and said in MEANT:
        return question.choices[0]
    return None


MEANT = frozenset(
    ["yes", "yes please", "yes, please", "yeah", "yep", "yup", "right", "correct", "exactly", "that's right", "i do", "yes i do"]
)
"""Answers to "do you mean …?" with one choice."""


def chosen(question: Question, words: str) -> Choice | None:
    """The choice named, or the only one whose label holds all of the words."""
    if choice := named(question, words):
        return choice
    if question.choices and question.trigger in ("ambiguous", "preference") and leaves_it(words):
        return question.choices[0]
    tokens = [t for t in re.findall(r"[\w@.+-]+", words.casefold().strip(" .!")) if t not in FILLER]
    if not tokens:
        return None
    fits = [c for c in question.choices if set(tokens) <= set(re.findall(r"[\w@.+-]+", f"{c.label} {c.value}".casefold()))]
    return fits[0] if len(fits) == 1 else None


def adds_more(words: str) -> bool:
    """Whether a message could be an answer with a change behind it."""
    return any(BESIDES.match(words[joint.end() :]) for joint in JOINT.finditer(words))


def chosen_and_more(question: Question, words: str) -> tuple[str, str] | None:
    """ "Kern, and cc Anna": the words that name a choice, and what is wanted besides; None where it is not just that."""
    if question.trigger not in ("ambiguous", "preference") or not question.choices or chosen(question, words):
        return None
    for joint in JOINT.finditer(words):
        head, rest = words[: joint.start()], words[joint.end() :]
        if chosen(question, head) and not leaves_it(head):
            return (head, rest) if BESIDES.match(rest) else None
    return None


JOINT = re.compile(r"\s*[,.;]\s*(?:(?:and|but)\s+)?|\s+(?:and|but)\s+", re.IGNORECASE)
BESIDES = re.compile(
    r"(?:(?:please|also|then)\s+)*(?:cc|bcc|copy|invite|add|make|move|put|change|set|call|say|include|remove|drop|with)\b\s*\S",
    re.IGNORECASE,
)
"""How a change of what is about to be proposed begins."""


INDIFFERENT = re.compile(
    r"(?:it |that )?(?:doesn'?t|does not) (?:really )?matter(?: (?:which|to me|which one))?"
    r"|you(?: can| may)? (?:choose|decide|pick)(?: one)?|(?:i )?(?:don'?t|do not) (?:mind|care)(?: which(?: one)?)?"
    r"|(?:either|any)(?: one| of them| is fine| will do| works)?|whichever|no preference|up to you"
)


def leaves_it(words: str) -> bool:
    """ "You choose", "it doesn't matter": the first choice will do."""
    return INDIFFERENT.fullmatch(words.strip(" .!").replace("\u2019", "'").casefold()) is not None


ORDINALS = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth")
FILLER = frozenset(["the", "one", "i", "mean", "meant", "please", "to", "it", "is", "from", "at", "number", "option"])


def _ordinals(number: int) -> set[str]:
    if number > len(ORDINALS):
        return set()
    word = ORDINALS[number - 1]
    return {word, f"the {word}", f"the {word} one", f"number {number}"}
