"""What a person is told of what reading removed from a mail, an event or a contact, or found strange about it."""

from collections.abc import Iterable, Sequence

from integrations.types import Contact, Event, Mail, Oddity

_WORDS = {
    "forged": "The server that received {what} found that it does not come from where its sender says.",
    "unclear": "Who sent {what} can't be told: its sender line names nobody, or several at once.",
    "unseen": "Text that you could not have seen was removed from {what}.",
    "parts_differ": "The plain text of {what} says something else than its formatted text; you read the plain text.",
    "double_header": "The head of {what} names its subject, its sender or its recipients twice; you read the first.",
    "size": "Only a part of {what} could be read, since it is too large.",
    "charset": "Some letters of {what} could not be read.",
}

_GROUPS: dict[str, str] = {
    **dict.fromkeys(("hidden_text", "invisible", "bidi"), "unseen"),
    **dict.fromkeys(("too_deep", "too_many", "cut"), "size"),
}


def told(oddities: Iterable[Oddity], what: str = "this mail") -> str:
    """In a sentence or two; empty where there is nothing to tell."""
    return " ".join(_WORDS[kind].format(what=what) for kind in _kinds(oddities))


def told_of(things: Sequence[Mail | Event | Contact], noun: str = "mail") -> str:
    """Of several, each sentence once."""
    if len(things) == 1:
        return told(things[0].oddities, f"this {noun}")
    odd = [frozenset(_kinds(thing.oddities)) for thing in things]
    counts = {kind: sum(kind in kinds for kinds in odd) for kind in _WORDS}
    return " ".join(
        words.format(what=f"{counts[kind]} of these {noun}s" if counts[kind] > 1 else f"one of these {noun}s")
        for kind, words in _WORDS.items()
        if counts[kind]
    )


def _kinds(oddities: Iterable[Oddity]) -> list[str]:
    """Those that are told of, in the order of the words."""
    found = {_GROUPS.get(one.kind, one.kind) for one in oddities}
    return [kind for kind in _WORDS if kind in found]
