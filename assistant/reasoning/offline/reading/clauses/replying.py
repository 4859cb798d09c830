"""Clauses that answer a mail."""

from collections.abc import Sequence

from assistant.reasoning.calls import Operation
from assistant.reasoning.offline.lexicon import Form, lexicon
from assistant.reasoning.offline.reading.clauses.contents import dictated_from, say, take_content
from assistant.reasoning.offline.reading.frames import Clause
from assistant.reasoning.offline.reading.nouns.askers import Askers, askers
from assistant.reasoning.offline.reading.nouns.selecting import gather
from assistant.reasoning.offline.reading.parsed import Built, span_of
from assistant.reasoning.offline.reading.slots import Parts, Slot, cut, lows
from assistant.reasoning.offline.reading.text import labels
from assistant.reasoning.offline.reading.text.items import PERSONAL, Item
from assistant.reasoning.offline.reading.text.unmarked import only_people, says_what_comes
from assistant.reasoning.offline.reading.times.moments import merged


def reply(clause: Clause, form: Form, rest: Sequence[Item], operation: Operation = "mail.reply") -> Built:
    """ "reply to the last mail from Anna with 'Got it'", "answer Anna that …", "reply to all"."""
    built = Built(operation)
    letter = labels.taken(clause.text, rest, dictated_from(clause, rest), ("body",))
    built.fields.update(letter.said)
    asking = askers(letter.items)
    items = _without(letter.items, asking) if asking else _without_all(letter.items, built)
    items, body_begin = _that_content(items)
    parts = cut(clause.text, items, dictates=True, colon=True)
    if body_begin is not None:
        parts.body = clause.text[body_begin:].strip()
    take_content(clause, Parts([slot for slot in parts.slots if slot.marker != ""], [], parts.body), built)
    if not built.fields.get("body"):
        _quoted_answer(parts, built)
    told = built.fields.get("about") and parts.body
    mailish = asking is not None or any(item.kind == "ref" for item in items) or _names_a_mail(parts) or bool(told)
    if lexicon().small["kinds"].intersection(lows(items)):
        parts.slots = [Slot("about", slot.items) if _topical(slot) else slot for slot in parts.slots]
        mailish = True
    if mailish and (parts.body or built.fields.get("body")):
        parts.slots = [_describing(slot) for slot in parts.slots]
        if any(slot.marker == "about" and slot.items for slot in parts.slots):
            built.fields.pop("subject", None)
    chosen = [_as_object(slot) for slot in parts.slots if selects(slot, mailish)]
    if mailish:
        built.fields.pop("about", None)
        if parts.body and not built.fields.get("body"):
            say(built, parts.body)
    found = gather(Parts(chosen, parts.times), "mail")
    if asking is not None:
        found.words.extend(asking.topic)
        found.select |= {"asks": asking.how, "each": asking.several, "unanswered": True}
    if not found.select.get("order") and not found.select.get("refs") and not found.select.get("each"):
        found.select["order"] = "last"
    built.fields["select"] = found.selection(merged(parts.times))
    described = letter.items[asking.begin : asking.end] if asking else ()
    built.thing = span_of([*described, *(item for slot in chosen for item in slot.items)])
    return built


def _without(items: Sequence[Item], asking: Askers) -> list[Item]:
    """ "everyone who asked for the report": it is their mails that are answered."""
    return [*items[: asking.begin], *items[asking.end :]]


def _topical(slot: Slot) -> bool:
    """ "the request for a site visit": what it is about, and not whom it is for."""
    return slot.marker == "for" and bool(slot.items) and not any(item.kind in PERSONAL for item in slot.items)


def _describing(slot: Slot) -> Slot:
    """ "the mail with the contract", "the mail titled …": beside dictated words these say which mail is answered."""
    by_word = slot.marker == "with" and not any(item.kind in ("quote", *PERSONAL) or item.low in ATTACHED for item in slot.items)
    return Slot("about", slot.items) if slot.items and (by_word or slot.marker in ("called", "subject")) else slot


ATTACHED = frozenset({"attachment", "attachments", "template"})


def _quoted_answer(parts: Parts, built: Built) -> None:
    """ "reply 'Got it' to …", "reply to it 'Got it'": what the answer says stands behind the verb, or behind what is answered."""
    for at, slot in enumerate(parts.slots[:2]):
        led = slot.marker == "to" and slot.items and slot.items[0].kind in ("ref", *PERSONAL)
        n = 0 if slot.marker == "" else 1 if led else None
        if n is not None and slot.items[n : n + 1] and slot.items[n].kind == "quote":
            built.fields["body"] = slot.items[n].text
            parts.slots[at] = Slot(slot.marker, (*slot.items[:n], *slot.items[n + 1 :]))
            return


def _without_all(rest: Sequence[Item], built: Built) -> list[Item]:
    """ "reply all", "reply to all", "reply to everyone": the answer goes to all."""
    words = lows(rest)
    for n, low in enumerate(words[:3]):
        follower = words[n + 1] if n + 1 < len(words) else ""
        if (
            low in ("all", "everyone", "everybody")
            and (n == 0 or words[n - 1] == "to")
            and lexicon().nouns.at(words, n + 1) is None
        ):
            if follower in ("the", "my", "mails", "emails", "of", "unread", "unanswered"):
                break
            built.fields["field"] = "all"
            return [*rest[: max(n - 1, 0)], *rest[n + 1 :]] if n and words[n - 1] == "to" else [*rest[:n], *rest[n + 1 :]]
    return list(rest)


def _that_content(items: list[Item]) -> tuple[list[Item], int | None]:
    """ "reply to Anna that I agree": what stands behind "that" is the content, unless it says which mail."""
    for at, item in enumerate(items):
        if item.kind != "word" or item.low != "that" or at + 1 >= len(items):
            continue
        if at > 1 and items[at - 2].low in ("tell", "telling", "let"):
            continue
        before = items[at - 1] if at else None
        if at and items[at - 1].low in SAYING:
            return items[: at - 1 - (items[at - 2].low == ",")], items[at + 1].begin
        if says_what_comes(items, at + 1):
            return items[:at], items[at + 1].begin
        if before is None or before.kind in PERSONAL or before.low in ("her", "him", "them", "back"):
            follower = lexicon().nouns.at(lows(items), at + 1)
            if (
                (follower is None or (at and only_people(items[:at])))
                and items[at + 1].kind in ("word", "person", "name", "time")
                and (at or items[at + 1].low in ("i", "we", "it", "the"))
            ):
                return items[:at], items[at + 1].begin
    return items, None


SAYING = frozenset({"saying", "stating", "adding", "writing", "explaining", "confirming", "announcing", "mentioning"})


def _names_a_mail(parts: Parts) -> bool:
    for slot in parts.slots:
        if slot.marker in ("", "to", "of", "on"):
            words = lows(slot.items)
            if any(
                (noun := lexicon().nouns.at(words, at)) and noun[1][0] in ("mail", "newsletter", "reply", "invitation")
                for at in range(len(words))
            ):
                return True
    return False


def selects(slot: Slot, mailish: bool) -> bool:
    if slot.marker == "with":
        return bool(slot.items) and slot.items[0].low in ("attachment", "attachments", "an")
    return slot.marker in ("", "to", "from", "in", "of") or (slot.marker in ("about", "on") and mailish)


def _as_object(slot: Slot) -> Slot:
    return Slot("", slot.items) if slot.marker == "to" else slot
