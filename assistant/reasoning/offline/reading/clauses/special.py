"""Operations that a verb and a noun alone do not tell: marks, folders, guests, rooms, lengths, times."""

from collections.abc import Callable, Sequence

from assistant.reasoning.offline.lexicon import Form, lexicon
from assistant.reasoning.offline.reading.clauses.around import (
    FLAGS,
    Around,
    has_noun,
    is_field,
    object_items,
    owned_by_person,
    spare,
)
from assistant.reasoning.offline.reading.clauses.cards import field_at, is_group_change
from assistant.reasoning.offline.reading.clauses.guests import replaces
from assistant.reasoning.offline.reading.clauses.missives import missive
from assistant.reasoning.offline.reading.clauses.moving import factor_of, trades
from assistant.reasoning.offline.reading.slots import lows
from assistant.reasoning.offline.reading.text.items import PERSONAL, Item
from assistant.reasoning.offline.reading.text.labels import label_at
from assistant.reasoning.offline.reading.times.sametime import without_same_time

REPLACING = ("replace", "reassign", "add", "invite")
FOLDERS = {"Archive": "mail.archive", "Trash": "mail.trash", "INBOX": "mail.restore"}
NOT_A_TIME_TO_FIND = ("mail", "event", "occasion", "contact", "newsletter", "clash")


def special(form: Form, rest: Sequence[Item]) -> str:
    """The operation, or nothing where verb and noun decide."""
    if form.verb in REPLACING and replaces(form, rest):
        return "event.replace"
    if trades(form, rest):
        return "event.swap"
    if form.verb == "change" and factor_of(form, rest) is not None:
        return "event.resize"
    rule = _RULES.get(form.verb)
    return rule(Around(form, rest, lows(rest))) if rule else ""


def refused(form: Form, rest: Sequence[Item]) -> bool:
    """Readings of a verb that need something which is not there: "call" a new name, "let" a "know", "update" a person."""
    around = Around(form, rest, lows(rest))
    return any(applies(form) and lacks(around) for applies, lacks in _LACKING)


def _no_new_name(a: Around) -> bool:
    return not any(item.kind in ("quote", "ref") or item.low in ("it", "to", "as") for item in a.rest)


def _no_missive(a: Around) -> bool:
    """ "drop the meeting", not "drop Tom a line"."""
    begins = bool(a.rest) and (a.rest[0].kind in PERSONAL or a.words[0] in lexicon().small["pronouns_person"])
    return not begins and not any(missive(a.words, at, ("mail", "reply")) for at in range(len(a.words)))


def _made_otherwise(a: Around) -> bool:
    """ "make the review longer", "make it an hour" change what is there."""
    pointed = a.words[:1] in (["the"], ["my"], ["our"], ["it"], ["that"], ["this"])
    return pointed or a.says("longer", "shorter", "long") or _lasts(a)


def _nothing_to_make(a: Around) -> bool:
    known = a.has_noun("event", "occasion", "invitation", "draft", "mail", "contact", "template", "slot")
    known = known or (a.form.lemma == "new" and any(item.time is not None and item.time.has_time for item in a.times))
    return not known and not any(item.kind in ("quote", *PERSONAL) for item in a.rest)


def _no_reader(a: Around) -> bool:
    """ "update Tom on …" tells him something; "update Tom's number" does not."""
    return not a.begins_with_person or a.has_noun("field", "contact", "event", "occasion") or is_field(a.rest)


_LACKING: tuple[tuple[Callable[[Form], bool], Callable[[Around], bool]], ...] = (
    (lambda form: form.verb == "send", lambda a: list(a.words[:2]) == ["a", "draft"]),
    (lambda form: form.verb == "send" and form.lemma in ("drop", "shoot"), _no_missive),
    (lambda form: form.verb == "convert", lambda a: "into" not in a.words),
    (lambda form: form.lemma in ("call", "name", "title"), _no_new_name),
    (lambda form: form.verb == "create" and form.lemma == "make", _made_otherwise),
    (lambda form: form.verb == "create" and form.lemma in ("make", "plan", "new"), _nothing_to_make),
    (
        lambda form: form.lemma == "give",
        lambda a: not any(missive(a.words, at, ("mail", "reply")) for at in range(1, len(a.words))),
    ),
    (
        lambda form: form.lemma == "confirm",
        lambda a: a.words[:1] in (["to"], ["for"]) and a.words[1:2] in (["me"], ["us"]),
    ),
    (lambda form: form.lemma == "let", lambda a: "know" not in a.words),
    (lambda form: form.verb == "tell" and form.lemma == "update", _no_reader),
    (lambda form: form.verb == "change", lambda a: owned_by_person(a.rest) and a.words[2] in ("last", "first", "family")),
)
"""For which readings what must be there, in words of what is lacking."""


def _tell(a: Around) -> str:
    if a.form.lemma == "update" and (has_noun(a.rest[:4], ("contact",)) or a.words[-1:] in (["entry"], ["record"], ["details"])):
        return "contact.update"
    return "event.create" if a.form.lemma == "remind" and a.words[:1] in (["me"], ["us"]) else ""


def _mark(a: Around) -> str:
    tail = " ".join(a.words[-3:])
    if "unread" in tail or "not read" in tail:
        return "mail.mark_unread"
    if tail.endswith(("read", "seen")) or "as read" in " ".join(a.words):
        return "mail.mark_read"
    return "mail.flag" if any(word in ("flagged", "important", "starred", "flag") for word in a.words[-2:]) else ""


def _to_folder(a: Around) -> str:
    if a.times and not a.has_noun("mail", "newsletter"):
        return ""
    for at in range(1, len(a.rest)):
        match = lexicon().folders.at(a.words, at)
        if match is not None and a.words[at - 1] in ("to", "the", "into", "in", "my"):
            return FOLDERS.get(match[1], "")
    return ""


def _of_a_flag(a: Around) -> bool:
    """ "remove the flag from …", "put a star on …": the object is the flag, the mail stands behind it."""
    return any(word in FLAGS for word in a.words[:3]) and not any(item.kind in PERSONAL for item in a.rest[:2])


def _on_a_card(a: Around) -> bool:
    """ "a second number for Tom", "Anna's birthday": a field, and whose it is."""
    field, begin, _ = field_at(a.rest[:5])
    if any(word in ("contact", "contacts") for word in a.words[: max(begin, 0)]):
        return False
    owned = any(
        a.rest[n].kind in ("person", "name", "ref") and (a.words[n - 1] in ("for", "to", "of") or a.words[n + 1 : n + 2] == ["'s"])
        for n in range(len(a.rest))
    )
    return owned and field in ("phone", "email", "note", "nickname", "company", "title", "address")


def _more_time(a: Around) -> bool:
    """ "add 15 minutes to the review", "take 15 minutes off the review"."""
    first = next((n for n, item in enumerate(a.rest) if item in a.lengths), None)
    small = {"another", "more", "extra", "an", "a", "additional"}
    if first is None or any(word not in small for word in a.words[:first]):
        return False
    behind = next((n for n in range(first + 1, len(a.rest)) if a.words[n] not in small), None)
    return (
        behind is not None
        and a.words[behind] in ("to", "off", "from")
        and a.leads_to(("to", "off", "from"), ("event", "occasion", ""))
    )


def _add(a: Around) -> str:
    if _of_a_flag(a):
        return "mail.flag"
    if a.says("birthday", "birthdays") and any(item.time is not None and item.time.has_date for item in a.times):
        return "event.create"
    if is_group_change(a.rest):
        return "contact.update"
    if folder := _to_folder(a):
        return folder
    if _on_a_card(a):
        return "contact.update"
    if a.says("room") and a.leads_to(("in", "into"), ("place",)) and not a.times:
        return "event.relocate"
    if a.persons and not a.contacts and not a.says("calendar") and a.leads_to(("to",), ("event", "occasion", "invitation", "")):
        return "event.invite"
    if _more_time(a):
        return "event.resize"
    if a.contacts:
        return "contact.add"
    if a.has_noun("mail") and a.leads_to(("to", "in", "into", "on"), ("event",)):
        return "event.create"
    return "template.save" if a.says("template") and not a.times else ""


def _delete(a: Around) -> str:
    if _of_a_flag(a):
        return "mail.unflag"
    ordered = any(lexicon().orders.at(a.words, n) or a.words[n] in lexicon().nth for n in range(len(a.words)))
    if is_group_change(a.rest) or (_on_a_card(a) and not ordered and a.words[-1:] and field_at(a.rest[-3:])[2] == len(a.rest[-3:])):
        return "contact.update"
    if _leaves_guests(a):
        return "event.uninvite"
    if a.begins_with_person and not owned_by_person(a.rest) and a.says("from") and not a.contacts:
        eventish = a.says("calendar", "meeting", "event", "invitation") or a.leads_to(("from",), ("event", "occasion", ""))
        return "event.uninvite" if eventish else ""
    if a.contacts and a.persons:
        return "contact.delete"
    if a.form.lemma == "clear" and a.times and all(item.time is not None or item.low in lexicon().small["stop"] for item in a.rest):
        return "event.cancel"
    timed = any(item.time is not None and item.time.has_time for item in a.times)
    return "event.cancel" if timed and not a.has_noun("mail", "newsletter", "draft") else ""


TITLING = frozenset({"under", "titled", "with", "as", ","})
"""Before a title that makes of an invitation one to something new."""
NEAR = 4
"""Words behind an article within which its noun stands."""


def _invite(a: Around) -> str:
    """ "invite Tom to lunch on Friday at 1": an occasion that nobody calls "the", at a time, is a new one."""
    leads = (n for n, word in enumerate(a.words[:-1]) if word in ("to", "for") and a.rest[n + 1].kind != "time")
    at = next(leads, None)
    if at is not None and any(label_at(a.rest, a.words, n) for n in range(at + 1, len(a.rest)) if a.words[n] in TITLING):
        return "event.create"
    timed = any(item.time is not None and item.time.has_time and item.time.has_date for item in a.times)
    timed = timed or (a.words[-1] in ("then", "there") and "a" in a.words)
    dated = any(item.time is not None and item.time.has_date for item in a.times)
    new = at is not None and a.words[at + 1] in ("a", "an") and dated
    if at is None or not (timed or new):
        return ""
    if a.words[at + 1] in ("a", "an"):
        ahead = (lexicon().nouns.at(a.words, n) for n in range(at + 2, min(at + 2 + NEAR, len(a.words))))
        return "event.create" if any(noun is not None and noun[1][0] in ("event", "occasion") for noun in ahead) else ""
    noun = lexicon().nouns.at(a.words, at + 1)
    return "event.create" if noun is not None and noun[1][0] == "occasion" and not noun[1][1] else ""


def _rename(a: Around) -> str:
    return "contact.update" if a.says("contact", "card") else ""


def _uninvite(a: Around) -> str:
    if is_group_change(a.rest):
        return "contact.update"
    named = any(item.kind in ("person", "name", "address") for item in object_items(a.rest))
    if not named and a.says("calendar", "diary", "agenda", "schedule"):
        return "event.cancel"
    if _of_a_flag(a):
        return "mail.unflag"
    return "event.uninvite" if _leaves_guests(a) or (a.begins_with_person and a.says("from") and not a.contacts) else ""


def _leaves_guests(a: Around) -> bool:
    """ "Take Tom off the list of guests", "remove Anna from Friday's review": whoever is named, and what of an event they leave."""
    named = a.begins_with_person or (a.words[:1] and a.words[0] in lexicon().small["pronouns_person"])
    if not named or a.contacts:
        return False
    listed = a.says("list", "lists") and a.says("guest", "guests", "attendee", "attendees", "participant", "participants")
    from_day = any(item.low.startswith("from ") and item.low.endswith(("'s", "\u2019s")) for item in a.times)
    return listed or (from_day and not a.has_noun("mail", "newsletter"))


def _find(a: Around) -> str:
    if a.form.lemma == "get" and a.says("into", "to") and (folder := _to_folder(a)):
        return folder
    free = spare(a.rest) or _length_alone(a) or not a.has_noun(*NOT_A_TIME_TO_FIND)
    return "event.slots" if a.lengths and free else ""


def _length_alone(a: Around) -> bool:
    """The object is a length, of no event: "an hour tomorrow between my meetings", not "a 30 minute meeting"."""
    return bool(a.rest) and a.rest[0] in a.lengths and not has_noun(a.rest[1:2], NOT_A_TIME_TO_FIND)


def _move(a: Around) -> str:
    if a.form.lemma == "relocate":
        return "event.relocate"
    for at, word in enumerate(a.words):
        place = word == "to" and at + 1 < len(a.rest) and a.rest[at + 1].kind != "time"
        if place and {"room", "office", "building"} & set(a.words[at + 1 :]):
            return "event.relocate"
    return _to_folder(a)


def _resize(a: Around) -> str:
    return "event.resize" if a.lengths and len(a.lengths) == len(a.times) else ""


def _lasts(a: Around) -> bool:
    """ "make the review last an hour", "make the review an hour": the length ends it, or stands right behind the verb."""
    kept, _ = without_same_time(a.rest)
    ends = bool(kept) and kept[-1] in a.lengths and lows(kept)[-2:-1] != ["by"]
    if a.form.lemma == "make" and ends and a.has_noun("event", "occasion"):
        return True
    return any(a.words[n] in ("last", "take") and a.rest[n + 1] in a.lengths for n in range(len(a.rest) - 1))


def _change(a: Around) -> str:
    if a.says("name") and owned_by_person(a.rest):
        return "contact.update"
    if a.lengths and (_lasts(a) or ((a.has_noun("length") or a.words[-1:] == ["long"]) and not a.persons)):
        return "event.resize"
    if a.form.lemma in ("set", "fix") and a.words[:1] in (["a"], ["an"], ["another"]) and a.has_noun("event", "occasion"):
        return "event.create"
    if a.form.lemma == "set":
        return _mark(a)
    if {"title", "name", "subject"} & set(a.words[:3]) and a.says("of") and not _owner_is_person(a):
        return "event.rename"
    if a.says("room", "location", "venue", "place") and a.says("to"):
        return "event.relocate"
    if a.form.lemma != "update" and (resized := _resize(a)):
        return resized
    if a.lengths and a.says("longer", "shorter", "long"):
        return "event.resize"
    if not a.times:
        return ""
    if a.form.lemma == "make" and a.says("it", "that", "this"):
        return "event.move"
    told = any(item.kind in ("address", "phone") for item in a.rest) or a.has_noun("field", "contact", "name")
    return "event.move" if a.says("to") and not told else ""


def _reply(a: Around) -> str:
    """ "get it back from the archive" restores."""
    back = a.form.lemma == "get back" and a.says("from")
    return "mail.restore" if back and any(lexicon().folders.at(a.words, at) for at in range(len(a.rest))) else ""


_RULES: dict[str, Callable[[Around], str]] = {
    "reply": _reply,
    "tell": _tell, "mark": _mark, "rename": _rename, "invite": _invite, "add": _add, "delete": _delete,
    "uninvite": _uninvite, "find": _find, "check": _find,
    "move": _move, "resize": _resize, "change": _change,
}  # fmt: skip


def _owner_is_person(a: Around) -> bool:
    at = list(a.words).index("of")
    return at + 1 < len(a.rest) and a.rest[at + 1].kind in PERSONAL
