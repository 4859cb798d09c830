"""Clauses that write a new mail: told right away, or described by whom it goes to and what it holds."""

from collections.abc import Sequence
from dataclasses import replace

from assistant.reasoning.calls import Operation, Selection
from assistant.reasoning.offline.lexicon import Form, lexicon
from assistant.reasoning.offline.reading.clauses.addressing import (
    SUBJECTS,
    TALKING,
    as_copy,
    in_copy,
    indirect,
    recipients_in,
    with_copies,
)
from assistant.reasoning.offline.reading.clauses.contents import dictated_from, take_content, unasked
from assistant.reasoning.offline.reading.clauses.missives import missive
from assistant.reasoning.offline.reading.clauses.replying import reply
from assistant.reasoning.offline.reading.frames import Clause, states
from assistant.reasoning.offline.reading.nouns.persons import Named
from assistant.reasoning.offline.reading.parsed import Built
from assistant.reasoning.offline.reading.slots import Parts, cut, lows, noun_of
from assistant.reasoning.offline.reading.text import labels
from assistant.reasoning.offline.reading.text.items import Item
from assistant.reasoning.offline.reading.text.unmarked import told_that

EXPRESSED = {"thank": "thank you", "apologise": "I apologise", "congratulate": "congratulations", "wish": "I wish you"}
"""What a mail says to whoever is to be thanked, congratulated …"""
BY_MAIL = frozenset({"by", "via", "in", "a", "an", "mail", "email", "e-mail", "message", ",", ".", "!"})


def write(clause: Clause, form: Form, rest: Sequence[Item], operation: Operation) -> Built:
    """A new mail, sent or kept as a draft; "draft a reply to …" keeps an answer."""
    answer = next((n for n, item in enumerate(rest[:3]) if item.low in ("reply", "answer", "response")), None)
    if operation == "mail.draft" and answer is not None:
        built = reply(clause, form, rest[answer + 1 :], "mail.draft")
        built.fields["field"] = built.fields.get("field") or "reply"
        return built
    built = Built(operation)
    letter = labels.taken(clause.text, rest, dictated_from(clause, rest))
    clause, rest = replace(clause, text=letter.text), letter.items
    rest, apart = _apart(rest, dictated_from(clause, rest))
    built.fields.update(letter.said, apart=apart)
    direct, tail = indirect(rest, form)
    tail = tail[_announced(lows(tail)) if direct else 0 :]
    written = _by_mail(tail) if form.verb in TALKING else tail
    if form.verb in TALKING and not written:
        _spoken(clause, form, direct, tail, built)
    elif direct and len(written) > 1 and (written[0].low == "that" or _told(written)):
        built.fields["body"] = clause.text[written[written[0].low == "that"].begin :].strip()
        built.go_to(direct)
    else:
        _described(clause, direct, written, built)
    return built


def _described(clause: Clause, direct: Sequence[Named], tail: Sequence[Item], built: Built) -> None:
    """ "send a mail to Anna about lunch", "send the draft to Tom": whom it goes to and what it holds, by markers."""
    parts = _parts(clause, tail)
    recipients = [*direct, *(named for slot in parts.of("to", "with", "for") for named in recipients_in(slot))]
    take_content(clause, parts, built)
    refs = tuple(item.low for item in parts.object if item.kind == "ref")
    if not refs and (found := _found_before(tail, direct, recipients)):
        refs, built.fields["field"] = found
        recipients = recipients[len(direct) :]
    if refs:
        built.fields["select"] = Selection(refs=refs)
    elif built.operation == "mail.send" and any(item.low == "draft" for item in parts.object):
        built.fields["select"] = Selection(folder="Drafts", order="last")
    built.go_to(recipients)


def _parts(clause: Clause, tail: Sequence[Item]) -> Parts:
    parts = cut(clause.text, in_copy(tail), dictates=True, colon=True)
    said = next((n for n, item in enumerate(tail[:-1]) if n and item.low == "that"), 0)
    if said and not parts.body and told_that(tail, lows(tail), said):
        parts = cut(clause.text, in_copy(tail[:said]), dictates=False)
        parts.body = clause.text[tail[said + 1].begin :].strip()
    parts.slots = [as_copy(slot) for slot in with_copies(parts.slots)]
    return parts


def _told(tail: Sequence[Item]) -> bool:
    """ "write Paul my train is late": a whole sentence behind the reader's name, of something that is no mail."""
    words = lows(tail)
    verb = next((n for n, word in enumerate(words) if word in lexicon().small["auxiliaries"]), 0)
    early = 1 < verb < AT_FIRST and words[0] in lexicon().small["articles"]
    return early and states(tail) and noun_of(tail[:verb])[0] not in MAILISH


AT_FIRST = 5
"""Items within which a sentence comes to its verb."""
MAILISH = frozenset({"mail", "reply", "newsletter", "attachment", "draft", "template"})


def _found_before(tail: Sequence[Item], direct: Sequence[Named], people: Sequence[Named]) -> tuple[tuple[str, ...], str] | None:
    """ "send {1} to {2}", "send the titles of {1} to {2}": an earlier result that is sent, and which part of it."""
    if direct:
        refs = tuple(named.person.ref for named in direct)
        return (refs, "") if all(refs) and len(people) > len(direct) else None
    words = lows(tail)
    if len(tail) > 3 and words[0] == "the" and words[2] == "of" and tail[3].kind == "ref":
        return (tail[3].low,), words[1]
    return None


def _apart(items: Sequence[Item], stop: int | None) -> tuple[Sequence[Item], bool]:
    """Without "separately", "each of", "their own": what says that everybody gets a mail of their own."""
    words, kept, at = lows(items), list[Item](), 0
    while at < len(items):
        match = lexicon().people["apart"].at(words, at) if stop is None or at < stop else None
        if match is None:
            kept.append(items[at])
        at += match[0] if match else 1
    return kept, len(kept) < len(items)


def _announced(words: Sequence[str]) -> int:
    """How many words "a line", or "a message" before "that", takes."""
    length = missive(words, 0, ("mail",))
    that = words[length : length + 1] == ["that"] and words[length + 1 : length + 2] not in (
        ["says"],
        ["reads"],
        ["said"],
        ["tells"],
    )
    return length if that or missive(words, 0, ()) else 0


def _spoken(clause: Clause, form: Form, direct: list[Named], tail: Sequence[Item], built: Built) -> None:
    """ "tell Anna I'll be late", "ask Tom whether …", "thank Anna for …": what follows the person is the content."""
    built.go_to(direct)
    items = list(tail)
    while items and items[0].low in ("know", "that", ",", ":", "by", "via"):
        by_mail = items[0].low in ("by", "via") and len(items) > 1 and items[1].low in ("mail", "email", "e-mail", "message")
        if items[0].low in ("by", "via") and not by_mail:
            break
        items = items[2 if by_mail else 1 :]
    if not items:
        return
    content = clause.text[items[0].begin : items[-1].end].strip()
    low = items[0].low
    if items[0].kind == "quote" and all(item.low in BY_MAIL for item in items[1:]):
        built.fields["body"] = items[0].text
    elif form.verb == "ask":
        built.fields["about"] = f"ask {content}" if low in ("for", "about") else content
    elif form.verb == "thank":
        built.fields["about"] = f"thank you {content}"
    elif form.verb in EXPRESSED:
        built.fields["body"] = f"{EXPRESSED[form.verb]} {content}"
    elif low in ("about", "of", "on", "regarding") and len(items) > 1:
        built.fields["about"] = clause.text[items[1].begin : items[-1].end].strip()
    elif low == "to":
        built.fields["about"] = content
    elif low in SUBJECTS and len(direct) == 1:
        built.fields["about"] = f"that {content}"
    else:
        built.fields["body"] = unasked(clause, clause.text[items[0].begin :].strip())


def _by_mail(tail: Sequence[Item]) -> Sequence[Item]:
    """ "know with an email titled 'X' saying …": what the mail is like; nothing where words to tell follow at once."""
    words = lows(tail)
    at = int(words[:1] == ["know"])
    length = labels.by_mail(words, at)
    rest = tail[at + length :]
    return rest if length and rest and (lexicon().markers.at(words, at + length) or words[at + length] == ":") else ()
