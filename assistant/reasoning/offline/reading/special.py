"""Operations that a verb and a noun alone do not tell: marks, folders, guests, rooms, lengths, times."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from assistant.reasoning.offline.lexicon import Form, lexicon
from assistant.reasoning.offline.reading.entities import Item
from assistant.reasoning.offline.reading.frames import lows, noun_of

PERSONS = ("person", "name", "address", "ref")
FOLDERS = {"Archive": "mail.archive", "Trash": "mail.trash", "INBOX": "mail.restore"}
NOT_A_TIME_TO_FIND = ("mail", "event", "occasion", "contact", "newsletter", "clash")


@dataclass(frozen=True)
class Around:
    """What stands behind a verb."""

    form: Form
    rest: Sequence[Item]
    words: Sequence[str]

    @property
    def times(self) -> list[Item]:
        return [item for item in self.rest if item.time is not None]

    @property
    def lengths(self) -> list[Item]:
        return [item for item in self.times if item.time is not None and item.time.kind == "duration"]

    @property
    def persons(self) -> bool:
        return any(item.kind in PERSONS for item in object_items(self.rest))

    @property
    def begins_with_person(self) -> bool:
        return bool(self.rest) and self.rest[0].kind in PERSONS

    def says(self, *words: str) -> bool:
        return any(word in words for word in self.words)

    def has_noun(self, *classes: str) -> bool:
        return has_noun(self.rest, classes)

    def leads_to(self, markers: Sequence[str], nouns: Sequence[str]) -> bool:
        """Whether a slot of these markers holds one of these nouns ("" for words the lexicon does not know)."""
        for at, word in enumerate(self.words):
            if word in markers and at + 1 < len(self.rest) and self.rest[at + 1].kind != "time":
                return noun_of(self.rest[at + 1 :])[0] in nouns
        return False

    @property
    def contacts(self) -> bool:
        return self.says("contacts", "contact", "address")


def special(form: Form, rest: Sequence[Item]) -> str:
    """The operation, or nothing where verb and noun decide."""
    rule = _RULES.get(form.verb)
    return rule(Around(form, rest, lows(rest))) if rule else ""


def refused(form: Form, rest: Sequence[Item]) -> bool:
    """Readings of a verb that need something which is not there: "call" a new name, "let" a "know", "update" a person."""
    words = lows(rest)
    if form.lemma in ("call", "name", "title"):
        return not any(item.kind == "quote" or item.low in ("it", "to", "as") for item in rest)
    if form.verb == "create" and form.lemma in ("make", "plan", "new"):
        known = has_noun(rest, ("event", "occasion", "invitation", "draft", "mail", "contact", "template", "slot"))
        return not known and not any(item.kind in ("quote", *PERSONS) for item in rest)
    if form.lemma == "let":
        return "know" not in words
    if form.verb == "tell" and form.lemma == "update":
        begins = bool(rest) and rest[0].kind in PERSONS
        return not begins or has_noun(rest, ("field", "contact", "event", "occasion")) or is_field(rest)
    return form.verb == "change" and owned_by_person(rest) and words[2] in ("last", "first", "family")


def _tell(a: Around) -> str:
    return "event.create" if a.form.lemma == "remind" and a.words[:1] in (["me"], ["us"]) else ""


def _mark(a: Around) -> str:
    tail = " ".join(a.words[-3:])
    if "unread" in tail or "not read" in tail:
        return "mail.mark_unread"
    if tail.endswith(("read", "seen")) or "as read" in " ".join(a.words):
        return "mail.mark_read"
    return "mail.flag" if any(word in ("flagged", "important", "starred", "flag") for word in a.words[-2:]) else ""


def _to_folder(a: Around) -> str:
    if a.times:
        return ""
    for at in range(1, len(a.rest)):
        match = lexicon().folders.at(a.words, at)
        if match is not None and a.words[at - 1] in ("to", "the", "into", "in", "my"):
            return FOLDERS.get(match[1], "")
    return ""


def _add(a: Around) -> str:
    if folder := _to_folder(a):
        return folder
    if a.persons and not a.contacts and not a.says("calendar") and a.leads_to(("to",), ("event", "occasion", "invitation", "")):
        return "event.invite"
    if a.contacts:
        return "contact.add"
    return "template.save" if a.says("template") and not a.times else ""


def _delete(a: Around) -> str:
    if a.begins_with_person and a.says("from") and not a.contacts:
        eventish = a.says("calendar", "meeting", "event", "invitation") or a.leads_to(("from",), ("event", "occasion", ""))
        return "event.uninvite" if eventish else ""
    if a.contacts and a.persons:
        return "contact.delete"
    if a.form.lemma == "clear" and a.times and all(item.time is not None or item.low in lexicon().small["stop"] for item in a.rest):
        return "event.cancel"
    timed = any(item.time is not None and item.time.has_time for item in a.times)
    return "event.cancel" if timed and not a.has_noun("mail", "newsletter", "draft") else ""


def _uninvite(a: Around) -> str:
    return "event.uninvite" if a.begins_with_person and a.says("from") and not a.contacts else ""


def _find(a: Around) -> str:
    if a.form.lemma == "get" and a.says("into", "to") and (folder := _to_folder(a)):
        return folder
    return "event.slots" if a.lengths and not a.has_noun(*NOT_A_TIME_TO_FIND) else ""


def _move(a: Around) -> str:
    for at, word in enumerate(a.words):
        place = word == "to" and at + 1 < len(a.rest) and a.rest[at + 1].kind != "time"
        if place and {"room", "office", "building"} & set(a.words[at + 1 :]):
            return "event.relocate"
    return _to_folder(a)


def _resize(a: Around) -> str:
    return "event.resize" if a.lengths and len(a.lengths) == len(a.times) else ""


def _change(a: Around) -> str:
    if a.says("name") and owned_by_person(a.rest):
        return "contact.update"
    if a.form.lemma == "set":
        return _mark(a)
    if {"title", "name", "subject"} & set(a.words[:3]) and a.says("of") and not _owner_is_person(a):
        return "event.rename"
    if a.says("room", "location", "venue", "place") and a.says("to"):
        return "event.relocate"
    if a.form.lemma != "update" and (resized := _resize(a)):
        return resized
    if not a.times:
        return ""
    if a.form.lemma == "make" and a.says("it", "that", "this"):
        return "event.move"
    told = any(item.kind in ("address", "phone") for item in a.rest) or a.has_noun("field", "contact", "name")
    return "event.move" if a.says("to") and not told else ""


_RULES: dict[str, Callable[[Around], str]] = {
    "tell": _tell, "mark": _mark, "add": _add, "delete": _delete, "uninvite": _uninvite, "find": _find, "check": _find,
    "move": _move, "resize": _resize, "change": _change,
}  # fmt: skip


def owned_by_person(rest: Sequence[Item]) -> bool:
    """ "Eva's name", but not "the name of the standup"."""
    person = len(rest) > 2 and rest[0].kind in ("person", "name") and rest[1].low == "'s"
    return person and not has_noun(rest, ("event", "occasion"))


def _owner_is_person(a: Around) -> bool:
    at = list(a.words).index("of")
    return at + 1 < len(a.rest) and a.rest[at + 1].kind in PERSONS


BESIDE_A_FIELD = frozenset("about from regarding of with that on sent".split())


def is_field(rest: Sequence[Item]) -> bool:
    """ "Sarah's email", "the email of Sarah": one possessor, a singular, and nothing behind it that describes a mail."""
    words = lows(rest)
    mail = ("email", "mail", "e-mail")
    for at in range(len(rest) - 1):
        owner = rest[at + 2].kind if at + 2 < len(rest) else ""
        if words[at] in mail and words[at + 1] in ("of", "for") and owner in ("person", "name"):
            return True
        if words[at + 1] == "'s" and rest[at].kind in ("person", "name", "word", "ref"):
            owned = words[at + 2 : at + 3]
            return bool(owned) and owned[0] in (*mail, "new") and not BESIDE_A_FIELD & set(words[at + 3 :])
    return False


def object_items(rest: Sequence[Item]) -> Sequence[Item]:
    words = lows(rest)
    stop = next((at for at in range(len(rest)) if rest[at].kind == "word" and lexicon().markers.at(words, at)), len(rest))
    return rest[:stop]


def has_noun(rest: Sequence[Item], classes: Sequence[str]) -> bool:
    words = lows(rest)
    return any((match := lexicon().nouns.at(words, at)) and match[1][0] in classes for at in range(len(rest)))
