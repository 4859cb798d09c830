"""Clauses that change an event but for its time: its name and place, whether it takes place, the answer to it."""

from collections.abc import Sequence

from assistant.reasoning.calls import Operation, TimeSpec
from assistant.reasoning.offline.lexicon import Form, lexicon
from assistant.reasoning.offline.reading.frames import Clause
from assistant.reasoning.offline.reading.nouns.gathered import topic_words
from assistant.reasoning.offline.reading.nouns.selecting import gather
from assistant.reasoning.offline.reading.parsed import Built, span_of, span_of_parts, verbatim
from assistant.reasoning.offline.reading.slots import CALENDAR_WORDS, Parts, Slot, cut, is_personal, lows, noun_of, without_nouns
from assistant.reasoning.offline.reading.text.dictation import told_along
from assistant.reasoning.offline.reading.text.items import Item
from assistant.reasoning.offline.reading.times.moments import merged


def rename(clause: Clause, form: Form, rest: Sequence[Item]) -> Built:
    """The new title stands behind the last "to" (or "as"), word for word."""
    built = Built("event.rename")
    at = max((n for n, item in enumerate(rest) if item.kind == "word" and item.low in ("to", "as", "into")), default=len(rest))
    quoted = next((n for n, item in enumerate(rest) if item.kind == "quote" and n > 0), None)
    if at == len(rest) and quoted is not None:
        at = quoted - 1
    elif form.lemma in ("call", "name", "title") and (spoken_of := _spoken_of(rest)):
        built.fields["select"] = gather(Parts([Slot("", tuple(rest[:spoken_of]))]), "event").selection()
        built.thing = span_of(rest[:spoken_of])
        return _renamed(built, verbatim(clause, rest[spoken_of:]))
    title = verbatim(clause, rest[at + 1 :])
    items = list(rest[: at + (1 if quoted == at + 1 and rest[at].low not in ("to", "as", "into") else 0)])
    words = lows(items)
    if "of" in words:
        items = items[words.index("of") + 1 :]
    parts = cut(clause.text, items, dictates=False)
    built.fields["select"] = gather(parts, "event").selection(merged(parts.times))
    built.thing = span_of_parts(parts.slots, parts.times)
    return _renamed(built, title)


def _spoken_of(rest: Sequence[Item]) -> int:
    """How many items "it", or "the event" of an earlier result, takes; 0 where something else stands first."""
    at = next((n for n, item in enumerate(rest[:3]) if item.low not in ("the", "event", "meeting")), 0)
    return at + 1 if rest[at : at + 1] and (rest[at].kind == "ref" or rest[at].low in ("it", "that", "this")) else 0


def _renamed(built: Built, title: str) -> Built:
    built.fields["title"] = title.strip("\"'“”")
    if not title:
        built.guesses.append("no new name was said")
    return built


def relocate(clause: Clause, form: Form, rest: Sequence[Item]) -> Built:
    built = Built("event.relocate")
    parts = cut(clause.text, rest, dictates=False)
    leads = ("to", "into", "in") if form.verb == "add" else ("to", "into")
    places = [slot for slot in parts.slots if slot.marker in leads]
    built.fields["location"] = verbatim(clause, [item for item in places[-1].items if item.low not in ("the",)]) if places else ""
    chosen = [without_nouns(slot, ("room", "location", "place", "venue")) for slot in parts.slots if slot not in places]
    built.fields["select"] = gather(Parts(chosen, parts.times), "event").selection(merged(parts.times))
    built.thing = span_of_parts(chosen, parts.times)
    return built


TOLD = frozenset({"event.cancel", "event.accept", "event.decline", "event.tentative"})


def change_selected(clause: Clause, rest: Sequence[Item], operation: Operation) -> Built:
    """Cancel, accept, decline: which events, and what is to be told with it."""
    if (idea := _answered_idea(clause, rest, operation)) is not None:
        return idea
    built = Built(operation)
    if operation in TOLD and (along := told_along(rest)) is not None:
        end, said = along
        built.fields["body"] = rest[said].text if rest[said].kind == "quote" else clause.text[rest[said].begin :].strip()
        rest = rest[:end]
    parts = cut(clause.text, rest, dictates=False)
    named = [Slot("", slot.items) if slot.marker in ("to", "for") and not is_personal(slot) else slot for slot in parts.slots]
    found = gather(Parts(named), "event")
    when = merged(parts.times)
    if operation == "event.cancel" and _a_stretch(when) and not found.select and not found.words and not _one_event(parts):
        found.select["each"] = True
    if (
        operation in ANSWERS
        and noun_of(parts.object)[0] == "invitation"
        and not (found.select or found.words or found.people or when)
    ):
        found.select["unanswered"] = True
    built.fields["select"] = found.selection(when)
    built.thing = span_of_parts(parts.slots, parts.times)
    return built


SAID: dict[str, str] = {
    "event.accept": "Yes, I am happy to accept.", "event.decline": "I am sorry, but I have to decline.",
    "event.tentative": "I am not sure yet; I will let you know.",
}  # fmt: skip


def _answered_idea(clause: Clause, rest: Sequence[Item], operation: Operation) -> Built | None:
    """ "Accept Lena's lunch idea": what a mail has put forward is answered by a mail."""
    words = lows(rest)
    at = next((n for n, word in enumerate(words) if word in lexicon().small["ideas"]), None)
    if at is None or operation not in SAID:
        return None
    parts = cut(clause.text, [item for n, item in enumerate(rest) if n != at], dictates=False)
    found = gather(Parts([Slot("", tuple(item for slot in parts.slots for item in slot.items))]), "mail")
    select = found.selection()
    people = tuple(person.model_copy(update={"role": "from"}) for person in select.people)
    if not people:
        return None
    dated = tuple(timed.spec.text.lower().removeprefix("about ").removeprefix("on ") for timed in parts.times)
    named = (*select.words, *dated)
    select = select.model_copy(update={"people": people, "words": named, "order": "last" if named else ""})
    built = Built("mail.reply", {"select": select, "body": SAID[operation]})
    built.thing = span_of_parts(parts.slots, parts.times)
    return built


ANSWERS = ("event.accept", "event.decline", "event.tentative")


def _a_stretch(when: TimeSpec | None) -> bool:
    return when is not None and when.kind in ("range", "point") and not (when.kind == "point" and when.has_time)


def _one_event(parts: Parts) -> bool:
    """A singular noun that one event goes by; "my calendar" and "my afternoon" hold all that is in them."""
    noun, plural, lemma, _, _ = noun_of(parts.object)
    return noun in ("event", "occasion", "invitation") and not plural and lemma not in CALENDAR_WORDS


AROUND_CLASH = frozenset("anything something any some there two which what of my our get gets do".split())


def _clash_at(items: Sequence[Item]) -> int:
    """Where the word for a clash stands; what is before it clashes."""
    words = lows(items)
    found = (n for n in range(len(words)) if (noun := lexicon().nouns.at(words, n)) and noun[1][0] == "clash")
    return next(found, 0)


def clashes(clause: Clause, rest: Sequence[Item]) -> Built:
    built = Built("event.clashes")
    parts = cut(clause.text, rest, dictates=False)
    built.fields["time"] = merged(parts.times)
    told = [item for item in rest[: _clash_at(rest)] if item.low not in AROUND_CLASH | lexicon().small["auxiliaries"]]
    joint = next((n for n, item in enumerate(told) if item.low == "and"), len(told))
    said = cut(clause.text, told[:joint], dictates=False).slots if topic_words(told[:joint]) else []
    meant = [slot if is_personal(slot) else Slot("", slot.items) for slot in parts.of("with", "about", "of", "to")]
    meant = [slot for slot in meant if topic_words(slot.items)] or list(said)
    if meant:
        built.fields["select"] = gather(Parts(meant), "event").selection()
    return built
