"""Clauses that write mail: who gets it, what it says, which mail it answers or passes on."""

import re
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

from assistant.reasoning.calls import Operation, Selection
from assistant.reasoning.offline.lexicon import Form, lexicon
from assistant.reasoning.offline.reading.clauses.missives import in_copy, missive
from assistant.reasoning.offline.reading.entities import Item
from assistant.reasoning.offline.reading.frames import Clause, states
from assistant.reasoning.offline.reading.nouns.persons import Named, people_in
from assistant.reasoning.offline.reading.nouns.selecting import gather
from assistant.reasoning.offline.reading.parsed import Built, span_of
from assistant.reasoning.offline.reading.slots import Parts, Slot, Timed, cut, lows, noun_of
from assistant.reasoning.offline.reading.text import labels
from assistant.reasoning.offline.reading.text.dictation import dictation
from assistant.reasoning.offline.reading.text.unmarked import only_people, says_what_comes, told_that
from assistant.reasoning.offline.reading.times.moments import merged

PERSONAL = frozenset({"person", "name", "address", "ref"})
SUBJECTS = frozenset({"he", "she", "they"})
_POINTED = frozenset({"the", "this", "that", "these", "those", "my", "all"})
TALKING = frozenset({"tell", "ask", "thank", "apologise", "congratulate", "wish"})
EXPRESSED = {"thank": "thank you", "apologise": "I apologise", "congratulate": "congratulations", "wish": "I wish you"}
"""What a mail says to whoever is to be thanked, congratulated …"""
BY_MAIL = frozenset({"by", "via", "in", "a", "an", "mail", "email", "e-mail", "message", ",", ".", "!"})


def write(clause: Clause, form: Form, rest: Sequence[Item], operation: Operation) -> Built:
    """A new mail, sent or kept as a draft; "draft a reply to …" keeps an answer."""
    if operation == "mail.draft" and any(item.low in ("reply", "answer", "response") for item in rest[:3]):
        at = next(n for n, item in enumerate(rest) if item.low in ("reply", "answer", "response"))
        built = reply(clause, form, rest[at + 1 :], "mail.draft")
        built.fields["field"] = built.fields.get("field") or "reply"
        return built
    built = Built(operation)
    letter = labels.taken(clause.text, rest, _dictated_from(clause, rest))
    clause, rest = replace(clause, text=letter.text), letter.items
    rest, apart = _apart(rest, _dictated_from(clause, rest))
    built.fields.update(letter.said, apart=apart)
    direct, tail = indirect(rest, form)
    tail = tail[_announced(lows(tail)) if direct else 0 :]
    if form.verb in TALKING and not (written := _by_mail(tail)):
        _spoken(clause, form, direct, tail, built)
        return built
    tail = written if form.verb in TALKING else tail
    if direct and len(tail) > 1 and (tail[0].low == "that" or _told(tail)):
        built.fields["body"] = clause.text[tail[tail[0].low == "that"].begin :].strip()
        built.recipients.extend(direct)
        built.fields["to"] = tuple(named.person for named in direct)
        return built
    parts = cut(clause.text, in_copy(tail), dictates=True, colon=True)
    said = next((n for n, item in enumerate(tail[:-1]) if n and item.low == "that"), 0)
    if said and not parts.body and told_that(tail, lows(tail), said):
        parts = cut(clause.text, in_copy(tail[:said]), dictates=False)
        parts.body = clause.text[tail[said + 1].begin :].strip()
    parts.slots = [_in_copy(slot) for slot in _beside(parts.slots)]
    recipients = [*direct, *(named for slot in parts.of("to", "with", "for") for named in _recipients(slot))]
    _content(clause, parts, built)
    refs = tuple(item.low for item in parts.object if item.kind == "ref")
    if not refs and (found := _found_before(tail, direct, recipients)):
        refs, built.fields["field"] = found
        recipients = recipients[len(direct) :] if direct else recipients
    if refs:
        built.fields["select"] = Selection(refs=refs)
    if any(item.low in ("draft",) for item in parts.object) and not refs and operation == "mail.send":
        built.fields["select"] = Selection(folder="Drafts", order="last")
    built.recipients.extend(recipients)
    built.fields["to"] = tuple(named.person for named in recipients)
    if operation == "mail.send" and not parts.of("about") and any(timed.spec.has_time for timed in parts.times):
        built.guesses.append("it goes out as soon as you approve it: sending later is not possible yet")
    return built


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


def _dictated_from(clause: Clause, rest: Sequence[Item]) -> int | None:
    """Where in `rest`, the end of the clause, unquoted dictation begins."""
    stop, _ = dictation(clause.items)
    return None if stop is None else stop - (len(clause.items) - len(rest))


def indirect(items: Sequence[Item], form: Form) -> tuple[list[Named], Sequence[Item]]:
    """The people right behind the verb ("email Anna and Tom …", "tell my boss that …"), and what follows them."""
    small, lex = lexicon().small, lexicon()
    words = lows(items)
    end = 0
    while end < len(items):
        item = items[end]
        whom = item.low in small["pronouns_person"] and item.low not in SUBJECTS
        if item.kind in PERSONAL or item.low in (",", "and", "&") or whom:
            end += 1
            continue
        if _small_name(items, words, end, form):
            end += 1
            continue
        noun = lex.nouns.at(words, end)
        if item.low == "that" and end and items[end - 1].kind in PERSONAL:
            break
        articles = item.low in small["articles"] or item.low == "all"
        if articles and end and items[end - 1].kind in PERSONAL:
            break
        if not articles and not (noun is not None and noun[1][0] == "group"):
            break
        taken = 0 if missive(words, end, ("mail", "reply")) else _described(items, words, end + (1 if articles else 0))
        if not taken:
            break
        end = taken
    while end and items[end - 1].low in (",", "and", "&"):
        end -= 1
    if end < len(items) and words[end] == "'s":
        return [], items
    people = list(people_in(items[:end]))
    if form.lemma.endswith(" to"):
        return people, items[end:]
    return people, items[end:]


def _small_name(items: Sequence[Item], words: Sequence[str], at: int, form: Form) -> bool:
    """An unknown word in small letters where a person stands: "send olaf a mail", "tell olaf that …"."""
    item, lex = items[at], lexicon()
    if (
        item.kind != "word"
        or not item.text.isalpha()
        or item.low in lex.known
        or (at and items[at - 1].low not in (",", "and", "&"))
    ):
        return False
    after = words[at + 1] if at + 1 < len(items) else ""
    if form.verb in TALKING:
        return True
    if form.lemma in ("email", "e-mail", "mail", "message", "write", "contact", "forward"):
        return (
            not after or after in ("a", "an", "the", "and", ",", ":", "this", "that") or lex.markers.at(words, at + 1) is not None
        )
    return after in ("a", "an") and lex.nouns.at(words, at + 2) is not None


def _described(items: Sequence[Item], words: Sequence[str], at: int) -> int:
    """The end of "marketing team", "client", "board members" from `at`; 0 where the words are no person."""
    lex = lexicon()
    end = at
    everyone = words[at : at + 1] in (["everyone"], ["everybody"], ["people"])
    if everyone and words[at + 1 : at + 2] in (["in"], ["on"], ["of"], ["from"]):
        end = at + 2 + (1 if words[at + 2 : at + 3] in (["the"], ["my"], ["our"]) else 0)
        return end + 1 if items[end : end + 1] and items[end].kind == "person" else _described(items, words, end)
    while end < len(items) and (items[end].kind in ("word", "person", "name") and items[end].text):
        noun = lex.nouns.at(words, end)
        if noun is not None and noun[1][0] == "group":
            end += noun[0]
            return end + (1 if end < len(items) and words[end] in ("members", "member") else 0)
        if noun is not None or words[end] in lex.small["stop"] or lex.markers.at(words, end) is not None:
            return 0 if noun is not None and noun[1][0] not in ("contact",) else (end if end > at else 0)
        if lex.states.at(words, end) or lex.orders.at(words, end):
            return 0
        end += 1
    return end if end > at else 0


def _spoken(clause: Clause, form: Form, direct: list[Named], tail: Sequence[Item], built: Built) -> None:
    """ "tell Anna I'll be late", "ask Tom whether …", "thank Anna for …": what follows the person is the content."""
    built.recipients.extend(direct)
    built.fields["to"] = tuple(named.person for named in direct)
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
        built.fields["body"] = _unasked(clause, clause.text[items[0].begin :].strip())


def _beside(slots: Sequence[Slot]) -> list[Slot]:
    """ "with Omar in cc": what follows "in" says how "with" is meant."""
    joined: list[Slot] = []
    for slot in slots:
        if joined and joined[-1].marker == "with" and slot.marker in ("in", "cc", "bcc") and _copies([slot]):
            line = "bcc" if slot.marker == "bcc" or any(item.low == "bcc" for item in slot.items) else "cc"
            joined[-1] = Slot(line, joined[-1].items)
            continue
        if joined and joined[-1].marker == slot.marker and slot.marker in ("cc", "bcc") and _copies([slot]):
            continue
        joined.append(slot)
    return joined


def _copies(slots: Sequence[Slot]) -> bool:
    return all({item.low for item in slot.items if item.kind != "punct"} <= {"cc", "bcc", "copy"} for slot in slots)


def _by_mail(tail: Sequence[Item]) -> Sequence[Item]:
    """ "know with an email titled 'X' saying …": what the mail is like; nothing where words to tell follow at once."""
    words = lows(tail)
    at = int(words[:1] == ["know"])
    length = labels.by_mail(words, at)
    rest = tail[at + length :]
    return rest if length and rest and (lexicon().markers.at(words, at + length) or words[at + length] == ":") else ()


def _in_copy(slot: Slot) -> Slot:
    words = lows(slot.items)
    if slot.marker == "with" and words[-2:] in (["in", "cc"], ["in", "bcc"]):
        return Slot(words[-1], slot.items[:-2])
    return slot


def _recipients(slot: Slot) -> tuple[Named, ...]:
    if slot.marker in ("with", "for") and not any(item.kind in PERSONAL for item in slot.items):
        return ()
    if slot.marker == "to" and len(slot.items) == 1 and slot.items[0].low in ("me", "myself"):
        return ()
    return people_in(slot.items)


ASKED = re.compile(r"^\W*(?:hey |hi |ok |please )*(?:can|could|would|will) you\b", re.IGNORECASE)
QUESTION = re.compile(
    r"^(?:what|when|who|where|which|why|how|do|does|did|is|are|can|could|will|would|have|has|shall|should)\b", re.IGNORECASE
)


def _unasked(clause: Clause, body: str) -> str:
    """ "could you tell him that I'm late?": what is asked is the request, not what is to be said."""
    own = QUESTION.match(body) or body.count("?") > 1
    return body.rstrip("? ") if body.endswith("?") and not own and ASKED.match(clause.text) else body


def _content(clause: Clause, parts: Parts, built: Built) -> None:
    if parts.body:
        _say(built, _unasked(clause, parts.body))
    for slot in parts.slots:
        text = _verbatim(clause, slot)
        quote = next((item.text for item in slot.items if item.kind == "quote"), "")
        if slot.marker in ("called", "subject") and slot.items:
            built.fields.setdefault("subject", quote or text.strip(" ,:"))
        elif slot.marker == "about" and (topic := _topic(clause, slot, parts.times)):
            built.fields["about"] = topic if not built.fields.get("about") else f"{built.fields['about']}, {topic}"
        elif slot.marker in ("cc", "bcc"):
            people = people_in([item for item in slot.items if item.low != ":"])
            built.recipients.extend(people)
            built.fields[slot.marker] = tuple(named.person for named in people)
        elif slot.marker == "with" and quote:
            built.fields.setdefault("body", quote)
        elif (slot.marker in ("using", "with") and any(item.low == "template" for item in slot.items)) or (
            slot.marker == "using" and slot.items
        ):
            built.fields["template"] = _template_name(slot.items)
        elif slot.marker == "" and quote and "body" not in built.fields:
            built.fields["body"] = quote


def _say(built: Built, body: str) -> None:
    if body.startswith("ask ") and not built.fields.get("body"):
        asked = body.removeprefix("ask ")
        built.fields["about"] = asked if asked.startswith(("if ", "whether ", "to ")) else body
    else:
        built.fields["body"] = body


def _template_name(items: Sequence[Item]) -> str:
    kept = [item.text for item in items if item.kind in ("quote", "name", "person", "number", "word")]
    drop = {"template", "the", "my", "a", "called", "named", "reply", "our"}
    return " ".join(text for text in kept if text.lower() not in drop)


BEFORE_TIME = re.compile(r"(?:\s|,|'s|\u2019s|\b(?:on|at|in|for|from|this|the|around|about)\b)*", re.IGNORECASE)
ABOUT_TIME = re.compile(r"\b(?:about|regarding|concerning)\s+(?:the\s+)?$", re.IGNORECASE)


def _topic(clause: Clause, slot: Slot, times: Sequence[Timed]) -> str:
    """What a mail is about, with the time of that: "lunch tomorrow at 12", "Friday's review", "tomorrow"."""
    begin = slot.items[0].begin if slot.items else -1
    end = slot.items[-1].end if slot.items else -1
    for timed in times:
        follows = end >= 0 and timed.begin >= end and BEFORE_TIME.fullmatch(clause.text, end, timed.begin)
        leads = ABOUT_TIME.search(clause.text, 0, timed.begin) and (
            begin < 0 or (timed.end <= begin and BEFORE_TIME.fullmatch(clause.text, timed.end, begin))
        )
        begin = timed.begin if leads else begin
        end = timed.end if follows or (leads and end < 0) else end
    return clause.text[begin:end].strip() if begin >= 0 else ""


def _verbatim(clause: Clause, slot: Slot) -> str:
    return clause.text[slot.items[0].begin : slot.items[-1].end].strip() if slot.items else ""


def reply(clause: Clause, form: Form, rest: Sequence[Item], operation: Operation = "mail.reply") -> Built:
    """ "reply to the last mail from Anna with 'Got it'", "answer Anna that …", "reply to all"."""
    built = Built(operation)
    letter = labels.taken(clause.text, rest, _dictated_from(clause, rest), ("body",))
    built.fields.update(letter.said)
    items = _without_all(letter.items, built)
    items, body_begin = _that_content(items)
    parts = cut(clause.text, items, dictates=True, colon=True)
    if body_begin is not None:
        parts.body = clause.text[body_begin:].strip()
    _content(clause, Parts([slot for slot in parts.slots if slot.marker != ""], [], parts.body), built)
    if not built.fields.get("body") and parts.slots and parts.slots[0].marker == "":
        _quoted_answer(parts, built)
    mailish = any(item.kind == "ref" for item in items) or _names_a_mail(parts)
    if not mailish and built.fields.get("about") and parts.body:
        mailish = True
    if mailish and (parts.body or built.fields.get("body")):
        parts.slots = [_describing(slot) for slot in parts.slots]
        if any(slot.marker == "about" and slot.items for slot in parts.slots):
            built.fields.pop("subject", None)
    chosen = [_as_object(slot) for slot in parts.slots if _selects(slot, mailish)]
    if (mailish and not any(item.kind == "quote" for slot in parts.of("about") for item in slot.items)) or mailish:
        built.fields.pop("about", None)
        if parts.body and not built.fields.get("body"):
            _say(built, parts.body)
    found = gather(Parts(chosen, parts.times), "mail")
    if not found.select.get("order") and not found.select.get("refs") and not found.select.get("each"):
        found.select["order"] = "last"
    built.fields["select"] = found.selection(merged(parts.times))
    built.thing = span_of([item for slot in chosen for item in slot.items])
    return built


def _describing(slot: Slot) -> Slot:
    """ "the mail with the contract", "the mail titled …": beside dictated words these say which mail is answered."""
    by_word = slot.marker == "with" and not any(item.kind in ("quote", *PERSONAL) or item.low in ATTACHED for item in slot.items)
    return Slot("about", slot.items) if slot.items and (by_word or slot.marker in ("called", "subject")) else slot


ATTACHED = frozenset({"attachment", "attachments", "template"})


def _quoted_answer(parts: Parts, built: Built) -> None:
    """ "reply 'Got it' to …": the quote right behind the verb is what the answer says."""
    slot = parts.slots[0]
    if slot.items and slot.items[0].kind == "quote":
        built.fields["body"] = slot.items[0].text
        parts.slots[0] = Slot("", slot.items[1:])


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


def _selects(slot: Slot, mailish: bool) -> bool:
    if slot.marker == "with":
        return bool(slot.items) and slot.items[0].low in ("attachment", "attachments", "an")
    return slot.marker in ("", "to", "from", "in", "of") or (slot.marker in ("about", "on") and mailish)


def _as_object(slot: Slot) -> Slot:
    return Slot("", slot.items) if slot.marker == "to" else slot


def _names_mail(items: Sequence[Item]) -> bool:
    words = lows(items)
    stop = words.index("to") if "to" in words else len(words)
    return any((noun := lexicon().nouns.at(words, at)) and noun[1][0] in ("mail", "newsletter", "attachment") for at in range(stop))


def _recipients_first(slot: Slot) -> tuple[Slot, ...]:
    """ "forward to Priya all the emails …": the people end where the mails begin."""
    if slot.marker != "to" or not _names_mail([item for item in slot.items if item.low != "to"]):
        return (slot,)
    begins = lexicon().small["articles"] | lexicon().small["each"]
    at = next((n for n, item in enumerate(slot.items) if n and item.low in begins and item.kind == "word"), None)
    return (slot,) if at is None else (Slot("to", slot.items[:at]), Slot("", slot.items[at:]))


def _goes_to(items: Sequence[Item]) -> bool:
    """Whether somebody stands behind a "to"."""
    return any(item.low == "to" and after.kind in PERSONAL for item, after in pairwise(items))


def _sent_before(slots: Sequence[Slot]) -> list[Slot]:
    """ "The mail I sent to Eva": whom the mail went to, not where it goes now."""
    return [slot for before, slot in pairwise(slots) if slot.marker == "to" and lows(before.items)[-1:] in (["i"], ["we"])]


def forward(clause: Clause, form: Form, rest: Sequence[Item]) -> Built:
    built = Built("mail.forward")
    direct, tail = indirect(rest, form)
    if direct and rest[0].low in _POINTED and _goes_to(tail) and not _names_mail(tail):
        direct, tail = [], rest
    if direct and (not tail or (all(named.person.ref for named in direct) and not _names_mail(tail))):
        direct, tail = [], rest
    parts = cut(clause.text, tail, dictates=True, colon=True)
    parts.slots = [part for slot in parts.slots for part in _recipients_first(slot)]
    if form.lemma == "share":
        parts.slots = [Slot("to", slot.items) if slot.marker == "with" and _recipients(slot) else slot for slot in parts.slots]
    to_others = _sent_before(parts.slots)
    recipients = [*direct, *(named for slot in parts.of("to") if slot not in to_others for named in _recipients(slot))]
    _content(clause, Parts([slot for slot in parts.slots if slot.marker in ("cc", "bcc", "with", "using")], [], parts.body), built)
    chosen = [
        slot
        for slot in parts.slots
        if slot.marker in ("", "from", "about", "in", "on", "called", "subject", "of", "for")
        or (_selects(slot, True) and slot.marker == "with")
        or slot in to_others
    ]
    found = gather(Parts(chosen, parts.times), "mail")
    built.fields["select"] = found.selection(merged(parts.times))
    built.recipients[:0] = recipients
    built.fields["to"] = tuple(named.person for named in recipients)
    built.thing = span_of([item for slot in chosen for item in slot.items])
    return built
