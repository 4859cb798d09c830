"""How an operation ends: what it noted on the way, what it refuses, what only the user can settle."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from assistant.values import Ambiguity, Choice, Data, Failure, Partial, Proposal, Report, Success, Trigger
from integrations.types import Contact, Event, Mail, Skipped

CLEAN, GUESSED, LIMITED, LEAST, UNSETTLED = 95, 5, 10, 70, 50
MOST = 200
"""More items than this are never acted on at once."""
MOST_CHOICES = 8


class Refusal(Exception):
    """What was asked can't be done; `kind` becomes the failure's type."""

    def __init__(self, kind: str, message: str, **context: Any) -> None:
        super().__init__(message)
        self.kind, self.context = kind, context


class AlreadySo(Exception):
    """What was asked for is so already with all of these, in a sentence; nothing is to be done, and nothing has failed."""

    def __init__(self, message: str, things: Iterable[Mail | Event | Contact]) -> None:
        super().__init__(message)
        self.things = tuple(things)


class Unsettled(Exception):
    """The user must choose before this can go on."""

    def __init__(self, ambiguity: Ambiguity) -> None:
        super().__init__(ambiguity.question)
        self.ambiguity = ambiguity


@dataclass
class Notes:
    """What an operation says beside its data. A guess lowers confidence, a limitation more so; a caution is a consequence that
    the user should know of (a collision, who else is concerned) and lowers nothing."""

    guesses: list[str] = field(default_factory=list)
    cautions: list[str] = field(default_factory=list)
    limitations: list[str] = field(default_factory=list)
    unread: list[str] = field(default_factory=list)
    """One clause for each account that could not be read."""

    def guess(self, words: str) -> None:
        _add(self.guesses, words)

    def caution(self, words: str) -> None:
        _add(self.cautions, words)

    def limit(self, words: str) -> None:
        _add(self.limitations, words)

    def skipped(self, items: Iterable[Skipped]) -> None:
        """One sentence for each account, folder and calendar, and one for all single items, that could not be read."""
        items = tuple(items)
        self.unreached(items)
        for item in items:
            if item.whole:
                self.limit(f"{item.where} could not be read ({item.reason.removesuffix('.')})")
        found = [item for item in items if not (item.account or item.whole)]
        if found:
            noun = "item" if len(found) == 1 else "items"
            self.limit(f"{len(found)} {noun} could not be read ({found[0].where}: {found[0].reason})")

    def unreached(self, items: Iterable[Skipped]) -> None:
        for item in items:
            if item.account:
                words = f"I couldn't read the account {item.where} ({item.reason.removesuffix('.')})"
                _add(self.unread, words)
                self.limit(words)

    def report(self, data: Data) -> Report:
        """Guesses and cautions stand on each proposal, so that the preview shows them; a result that only informs carries its
        guesses as limitations."""
        confidence = max(LEAST, CLEAN - GUESSED * len(self.guesses) - LIMITED * len(self.limitations))
        if data.proposals:
            marked = tuple(self._marked(proposal) for proposal in data.proposals)
            data, limits = data.model_copy(update={"proposals": marked}), tuple(self.limitations)
        else:
            limits = _distinct((*self.guesses, *self.cautions, *self.limitations))
        if limits:
            return Partial(data=data, limitations=limits, confidence=confidence)
        return Success(data=data, confidence=confidence)

    def _marked(self, proposal: Proposal) -> Proposal:
        said = {"guesses": _distinct((*proposal.guesses, *self.guesses)), "notes": _distinct((*proposal.notes, *self.cautions))}
        return proposal.model_copy(update=said)


def _add(lines: list[str], words: str) -> None:
    if words not in lines:
        lines.append(words)


def _distinct(lines: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(lines))


def refused(refusal: Refusal, notes: Notes) -> Failure:
    """What was not found may be where could not be looked."""
    message = " ".join((str(refusal), *(f"{words}." for words in notes.unread)))
    return Failure(type=refusal.kind, message=message, context=refusal.context)


def already_so(found: AlreadySo) -> Data:
    mails = tuple(one for one in found.things if isinstance(one, Mail))
    events = tuple(one for one in found.things if isinstance(one, Event))
    contacts = tuple(one for one in found.things if isinstance(one, Contact))
    return Data(kind="text", text=str(found), already=True, mails=mails, events=events, contacts=contacts)


def unsettled(open_question: Unsettled) -> Partial:
    """The question itself is no limitation: it is gone once answered."""
    return Partial(data=Data(ambiguity=open_question.ambiguity), limitations=(), confidence=UNSETTLED)


def ask(entity: str, question: str, choices: Iterable[tuple[str, str]] = (), trigger: Trigger = "ambiguous") -> Unsettled:
    """`choices` are (label, value); those beyond the eighth are left out, and the question says so."""
    offered = tuple(choices)
    if len(offered) > MOST_CHOICES:
        question = f"{question} (the first {MOST_CHOICES} of {len(offered)})"
    numbered = tuple(
        Choice(id=str(number), label=label, value=value) for number, (label, value) in enumerate(offered[:MOST_CHOICES], start=1)
    )
    return Unsettled(Ambiguity(entity=entity, question=question, trigger=trigger, choices=numbered))


def too_many(count: int, noun: str) -> Refusal:
    return Refusal(
        "too_many", f"That would be {count} {noun}; I act on at most {MOST} at once. Please narrow it down.", count=count
    )


def not_found(message: str, **context: Any) -> Refusal:
    return Refusal("not_found", message, **context)
