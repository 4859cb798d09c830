"""A question or statement taken apart: its subject, its verb, the nouns that occur; and readers that are tried on it in order."""

from collections.abc import Callable, Sequence
from typing import Literal

from assistant.reasoning.offline.lexicon import Form, lexicon
from assistant.reasoning.offline.reading.frames import Clause
from assistant.reasoning.offline.reading.nouns.persons import Named, people_in
from assistant.reasoning.offline.reading.parsed import Built
from assistant.reasoning.offline.reading.slots import lows
from assistant.reasoning.offline.reading.text.items import PERSONAL, Item

EVENTS = frozenset({"event", "occasion", "invitation"})
MAILS = frozenset({"mail", "newsletter", "reply", "draft", "attachment"})
NEGATING = frozenset({"not", "never"})
NOBODY = frozenset({"there", "anyone", "anybody", "someone", "somebody", "everyone", "nobody", "who", "that", "what", "which"})
AROUND_SUBJECT = frozenset("there already ever not yet last first also just".split())
BETWEEN = frozenset("ever already also just not yet still really actually even recently once".split())
"""What may stand between a subject and its verb."""
STATES = frozenset({"unread", "flagged", "has_attachment"})
DEEDS = frozenset({"delete", "cancel", "archive", "move", "rename", "restore", "uninvite", "unflag"})
"""Verbs that no mail or calendar tells about: whether something was deleted is not known here."""


class Facts:
    """`rest` is what stands behind the verb, `items` all but a "not" that turns the sentence round; `agent` is who was asked."""

    def __init__(self, clause: Clause, items: Sequence[Item], agent: str | None = None) -> None:
        self.clause, self.agent = clause, agent
        self.items = [item for at, item in enumerate(items) if not _negates(item, items[at + 1 : at + 2]) or _of_state(items, at)]
        self.words = lows(self.items)
        self.nouns = [match[1][0] for n in range(len(self.words)) if (match := lexicon().nouns.at(self.words, n))]
        self.form, begin, end = _main_verb(self.items)
        self.verb = self.form.verb if self.form else ""
        subject = _without_auxiliaries(self.items[:begin]) if self.form else ()
        self.thing, subject = _related(subject)
        if any(item.kind in PERSONAL for item in subject):
            subject = tuple(item for item in subject if item.kind != "word" or not lexicon().nouns.at([item.low], 0))
        arriving = self._arriving(begin)
        if arriving:
            subject = ()
        self.by_me = any(item.low in lexicon().small["me"] for item in subject)
        self.beside_me = people_in([item for item in subject if item.kind in PERSONAL], "with") if self.by_me else ()
        self.subject: tuple[Named, ...] = () if self.by_me else _somebody(subject)
        behind = tuple(self.items[end:]) if self.form else _without_auxiliaries(self.items)
        self.rest = (*(arriving or self._fronted()), *behind)

    def whole(self, items: Sequence[Item], around: frozenset[str] = frozenset()) -> "Facts":
        """Other items of the same sentence, read as one noun phrase without the words `around`."""
        facts = Facts(self.clause, items, self.agent)
        facts.rest, facts.subject = tuple(item for item in facts.items if item.low not in around), ()
        return facts

    @property
    def times(self) -> bool:
        return any(item.kind == "time" for item in self.items)

    @property
    def we(self) -> bool:
        """Whether the user, or a group that includes the user, is spoken of as acting."""
        return self.says("i", "we")

    @property
    def personal(self) -> list[Item]:
        """The items that name people, with what joins them."""
        return [item for item in self.items if item.kind in PERSONAL or item.low in ("and", ",")]

    def has(self, *classes: str) -> bool:
        return any(noun in classes for noun in self.nouns)

    def says(self, *words: str) -> bool:
        return any(word in self.words for word in words)

    def begins(self, *words: str) -> bool:
        return bool(self.words) and self.words[0] in words

    def _arriving(self, begin: int) -> tuple[Item, ...]:
        """The subject of "which of yesterday's mails were sent by colleagues?", "which unread mails came from Tom?": the mails."""
        before = self.items[:begin]
        words = lows(before)
        passive = self.verb == "send" and bool({"were", "was", "been", "is", "are"} & set(words[-2:]))
        came = self.form is not None and self.form.lemma == "come"
        if self.clause.head not in ("which", "what") or not (passive or came) or not self.has("mail", "newsletter"):
            return ()
        told = any((noun := lexicon().nouns.at(words, n)) and noun[1][0] in MAILS for n in range(len(words)))
        return tuple(item for item in before if item.low not in lexicon().small["auxiliaries"]) if told else ()

    def _fronted(self) -> tuple[Item, ...]:
        """What stands before "do I have": "how many meetings with Omar do I have", "which mails from her have I got"."""
        if self.verb != "have" or not self.by_me:
            return ()
        small, words = lexicon().small, self.words
        at = next((n for n in range(1, len(words)) if words[n] in small["me"] and words[n - 1] in small["auxiliaries"]), 1)
        return tuple(item for item in self.items[: at - 1] if item.low not in ("many", "much"))


Read = Built | Literal[False] | None
"""None: the next reader may try; False: nobody can read it."""
Reader = Callable[[Facts], Read]


def first(readers: Sequence[Reader], facts: Facts) -> Built | None:
    """What the first reader makes of it that takes it on."""
    for reader in readers:
        if (built := reader(facts)) is not None:
            return built or None
    return None


def in_mail_state(words: Sequence[str]) -> bool:
    """ "unread", "flagged": what only a mail can be."""
    states = (lexicon().states.at(list(words), at) for at in range(len(words)))
    return any(match is not None and match[1][0] in STATES and match[1][1] for match in states)


def tells_of_deed(items: Sequence[Item]) -> bool:
    """Whether a sentence speaks of deleting, moving … rather than of mails and events."""
    lex, words = lexicon(), lows(items)
    for at, item in enumerate(items):
        if item.kind != "word" or words[at] == "clear" or lex.nouns.at(words, at) is not None:
            continue
        forms = [form for _, form in lex.verbs.all_at(words, at)]
        if forms and all(form.verb in DEEDS or form.lemma in ("drop", "put off") for form in forms):
            return True
    return False


def _negates(item: Item, after: Sequence[Item]) -> bool:
    """A "not" that turns the whole sentence round; before a time it only leaves that out."""
    leaves_out = bool(after) and after[0].kind == "time"
    return item.kind == "word" and item.low in NEGATING and not leaves_out


def _of_state(items: Sequence[Item], at: int) -> bool:
    """The "not" of "anything that I have not opened", "from people I do not know" turns no sentence round."""
    words, states = lows(items), lexicon().states
    return any(size > back for back in range(1, min(at, 5) + 1) for size, _ in states.all_at(words, at - back))


def _without_auxiliaries(items: Sequence[Item]) -> tuple[Item, ...]:
    small = lexicon().small
    return tuple(item for at, item in enumerate(items) if item.low not in small["auxiliaries"] or _of_state(items, at))


def _related(subject: tuple[Item, ...]) -> tuple[tuple[Item, ...], tuple[Item, ...]]:
    """ "the very first email | Tom": the mail that somebody sent, and who did; nothing before those who do something else."""
    words = lows(subject)
    for at in range(len(subject) - 1, 0, -1):
        noun = lexicon().nouns.at(words, at - 1)
        if noun is not None and noun[1][0] in MAILS and subject[at].kind in PERSONAL and words[0] not in NOBODY:
            return subject[:at], subject[at:]
    return (), subject


def _somebody(subject: Sequence[Item]) -> tuple[Named, ...]:
    """The people that a subject names; none where it is a thing ("the meeting") or nobody in particular."""
    if not subject or subject[0].low in NOBODY:
        return ()
    people = people_in([item for item in subject if item.low not in AROUND_SUBJECT])
    stop = lexicon().small["stop"]
    people = tuple(named for named in people if named.person.ref or not set(named.person.text.lower().split()) <= stop)
    words = (word for named in people for word in named.person.text.split())
    return () if all(lexicon().nouns.at([word.lower()], 0) for word in words) else people


def _main_verb(items: Sequence[Item]) -> tuple[Form | None, int, int]:
    """The last auxiliary-free verb before its objects: "has Anna *sent*", "do I *have*", "Anna *replied*"."""
    words = lows(items)
    fallback: tuple[Form | None, int, int] = (None, len(items), len(items))
    for at, item in enumerate(items):
        if item.kind != "word":
            continue
        match = lexicon().facts.at(words, at)
        if match is None:
            continue
        length, form = match
        if item.low == "meeting" and not _acts(items, at):
            continue
        if lexicon().nouns.at(words, at) is not None and not _acts(items, at):
            continue
        if form.verb == "have" and not _possesses(items, at):
            if fallback[0] is None and at > 0:
                fallback = (form, at, at + length)
            continue
        return form, at, at + length
    if fallback[0] is not None:
        return fallback
    return None, len(items), len(items)


def _acts(items: Sequence[Item], at: int) -> bool:
    """ "did I email Anna" but not "is there a mail from Anna"."""
    while at and items[at - 1].low in BETWEEN:
        at -= 1
    before = items[at - 1] if at else None
    if before is not None and before.low == "last":
        return at > 1 and (items[at - 2].kind == "person" or items[at - 2].low in lexicon().small["me"])
    if before is not None and at > 1 and _describes(items, at - 2):
        return False
    return before is not None and (
        before.kind in ("person", "name", "ref") or before.low in lexicon().small["me"] | {"they", "she", "he", "to", "anyone"}
    )


def _describes(items: Sequence[Item], at: int) -> bool:
    """ "the studio meeting", "my next studio meeting": what stands before the name makes it part of a noun phrase."""
    words = lows(items)
    return words[at] in lexicon().small["articles"] or lexicon().orders.at(words, at) is not None


def _possesses(items: Sequence[Item], at: int) -> bool:
    """ "have" is the main verb when a noun phrase follows and a subject stands before."""
    if at == 0 or at + 1 >= len(items):
        return False
    after = items[at + 1]
    words = lows(items)
    return (
        after.kind not in ("person",)
        and lexicon().facts.at(words, at + 1) is None
        and after.low not in ("not", "been", "already", "ever", "yet")
    )
