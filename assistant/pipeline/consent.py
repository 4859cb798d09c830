"""Which of the user's words approve, refuse or mandate what. Pure code over the newest message; nothing that thinks is asked."""

import re
from itertools import pairwise

from assistant.values import Choice, Question

WORD = re.compile(r"[a-z]+(?:'[a-z]+)?", re.IGNORECASE)

APPROVING = frozenset("yes yep yeah yup ok okay sure approve approved confirm confirmed execute proceed agreed".split())
APPROVING_PAIRS = frozenset(
    [("go", "ahead"), ("do", "it"), ("send", "it"), ("send", "them"), ("do", "that"), ("do", "so"), ("looks", "good")]
)
AROUND_APPROVAL = frozenset(
    "please the proposed plan preview proposal it that this them go ahead do send so looks good great perfect fine now thanks thank"
    " you that's i with and all".split()
)
REFUSING = frozenset("no nope cancel discard drop reject abort don't dont nevermind stop".split())
REFUSING_PAIRS = frozenset([("never", "mind"), ("forget", "it"), ("do", "not")])
AROUND_REFUSAL = frozenset(
    "please the proposed plan preview proposal it that this them never mind forget do not send thanks thank you i want to".split()
)


def _words(text: str) -> list[str]:
    return [w.casefold() for w in WORD.findall(text.replace("\u2019", "'"))]


def _says(text: str, heads: frozenset[str], pairs: frozenset[tuple[str, str]], around: frozenset[str]) -> bool:
    """Whether the whole message consists of such words: one foreign word, digit or address makes it something else."""
    words = _words(text)
    if not words or re.search(r"[\d@]", text) or not set(words) <= heads | around:
        return False
    return any(w in heads for w in words) or any(pair in pairs for pair in pairwise(words))


def approves(text: str) -> bool:
    """ "Yes, send it", "approve", "Please execute the proposed plan"; not "yes, but at 5"."""
    return "?" not in text and _says(text, APPROVING, APPROVING_PAIRS, AROUND_APPROVAL)


def refuses(text: str) -> bool:
    """ "No", "cancel it", "don't send it"; not "cancel the meeting"."""
    return "?" not in text and _says(text, REFUSING, REFUSING_PAIRS, AROUND_REFUSAL)


OPERATION_WORDS = {
    "archive": ("archive", "file away"),
    "trash": ("trash", "delete", "bin", "remove", "throw away", "get rid of", "discard", "erase"),
    "restore": ("restore", "move back", "unarchive", "undelete"),
    "move": ("move", "put", "file"),
    "mark": ("mark", "flag", "unflag", "star", "unstar", "tick"),
    "draft": ("draft", "save a draft", "prepare"),
    "create_event": (
        "schedule", "book", "create", "add", "block", "put", "plan", "set up", "arrange", "make", "organise", "organize", "reserve",
        "enter", "remind", "note",
    ),
    "move_event": (
        "move", "reschedule", "shift", "push", "postpone", "bring forward", "pull", "delay", "extend", "shorten", "lengthen",
        "change", "make", "prolong", "swap",
    ),
    "update_event": ("rename", "change", "call", "retitle", "move", "set", "update", "name", "relocate"),
    "cancel_event": ("cancel", "delete", "remove", "drop", "call off", "clear", "scrap", "get rid of"),
}  # fmt: skip
"""The user's words under which a low write may run unasked, by the gate's operations. What is not here never runs unasked."""

DICTATED = re.compile(
    r"\"[^\"]*\"|\u201c[^\u201d]*\u201d|(?<!\w)'[^']*'(?!\w)|\u2018[^\u2019]*\u2019|"
    r"\b(?:saying|that says|which says|with the (?:text|words|message))\b.*|:\s.*",
    re.IGNORECASE | re.DOTALL,
)
NEGATED = re.compile(
    r"\b(?:don't|do not|never|without|not|didn't|shouldn't|should i|did i|have i|how (?:do|can|to))\b[^.,;!?]*", re.IGNORECASE
)


def mandate(text: str) -> frozenset[str]:
    """The operations that the user's own words of this turn name; what is quoted, dictated, negated or asked about names none."""
    own = NEGATED.sub(" ", DICTATED.sub(" ", text.replace("\u2019", "'"))).casefold()
    return frozenset(
        operation
        for operation, phrases in OPERATION_WORDS.items()
        if any(re.search(rf"\b{re.escape(phrase)}\b", own) for phrase in phrases)
    )


def chosen(question: Question, words: str) -> Choice | None:
    """The choice that these words name: by number, by id, or by being the only one whose label holds all of them."""
    said = words.strip().strip(".!").casefold()
    for number, choice in enumerate(question.choices, start=1):
        if said in {choice.id.casefold(), choice.value.casefold(), choice.label.casefold(), str(number), *_ordinals(number)}:
            return choice
    tokens = [t for t in re.findall(r"[\w@.+-]+", said) if t not in FILLER]
    if not tokens:
        return None
    fits = [c for c in question.choices if set(tokens) <= set(re.findall(r"[\w@.+-]+", f"{c.label} {c.value}".casefold()))]
    return fits[0] if len(fits) == 1 else None


ORDINALS = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth")
FILLER = frozenset(["the", "one", "i", "mean", "meant", "please", "to", "it", "is", "from", "at", "number", "option"])


def _ordinals(number: int) -> set[str]:
    if number > len(ORDINALS):
        return set()
    word = ORDINALS[number - 1]
    return {word, f"the {word}", f"the {word} one", f"number {number}"}
