"""Questions that a search for mails answers: which, how many, when, the latest, and what one of them says."""

from collections.abc import Sequence
from datetime import timedelta

from assistant.reasoning.calls import Selection
from assistant.reasoning.offline.lexicon import lexicon
from assistant.reasoning.offline.reading.nouns.gathered import topic_words
from assistant.reasoning.offline.reading.nouns.persons import distinct, in_role, people_in
from assistant.reasoning.offline.reading.nouns.selecting import gather
from assistant.reasoning.offline.reading.parsed import Built
from assistant.reasoning.offline.reading.questions.choosing import gathered, parts_of, select, update, when_of, wrote
from assistant.reasoning.offline.reading.questions.facts import EVENTS, MAILS, Facts, in_mail_state
from assistant.reasoning.offline.reading.questions.owing import open_mails
from assistant.reasoning.offline.reading.slots import lows
from assistant.reasoning.offline.reading.text.items import NAMED, Item
from assistant.reasoning.offline.reading.times.moments import merged

A_DAY = timedelta(hours=25)
FILED: dict[str, dict[str, object]] = {"archive": {"folder": "Archive"}, "delete": {"folder": "Trash"}, "flag": {"flagged": True}}
AROUND_FILED = frozenset({"did", "have", "has", "i", "we"})
AROUND_COUNT = frozenset("many much did do does have has i me there are is get got how times often".split())
MAIL_WORDS = frozenset({"email", "mail", "message", "emails", "mails", "messages"})
"""Nouns here, though they may be verbs, too."""
POSSESSING = frozenset({"have", "has", "had", "of"})


def filed_as(facts: Facts) -> Built | None:
    """ "which mails did I archive?", "what is in my trash?": by where they are now."""
    lex, words = lexicon(), facts.words
    verbs = [form.verb for at in range(len(words)) for _, form in lex.verbs.all_at(words, at) if not form.base or "did" in words]
    deed = next((FILED[verb] for verb in verbs if verb in FILED), None) if facts.has("mail") and facts.we else None
    if deed is not None:
        kept = [item for item in facts.items if not any(form.verb in FILED for _, form in lex.verbs.all_at([item.low], 0))]
        return update(select(facts.whole(kept, AROUND_FILED), "mail.find", "mail"), **deed)
    placed = next((match[1] for at in range(len(words)) if (match := lex.folders.at(words, at))), "")
    bare = [word for word in words if word not in lex.small["stop"] and not lex.folders.at([word], 0)]
    if not placed or bare or facts.nouns or not facts.says("in", "my", "the") or facts.clause.head != "what":
        return None
    return Built("mail.find", {"select": Selection(folder=placed, each=True)})


def how_many(facts: Facts) -> Built | None:
    """Mails counted by what was done with them ("did Tom send") or by what they are ("unread mails from Tom")."""
    asked = facts.has(*MAILS) or (not facts.nouns and in_mail_state(facts.words))
    if facts.verb not in ("send", "receive") and (not asked or facts.has(*EVENTS)):
        return None
    said = facts.words
    objects = [item for n, item in enumerate(facts.items) if item.low not in AROUND_COUNT or said[n - 1 : n + 1] == ["to", "me"]]
    parts = parts_of(facts, _without_predicate([item for item in objects if not _is_verb(item)]))
    parts.times[:] = [timed for timed in parts.times if timed.spec.start != facts.clause.now or timed.spec.stop is not None]
    found = gathered(parts)
    if facts.by_me and facts.verb == "send":
        found.people[:] = in_role(found.people, "to")
        if not found.people:
            found.select["folder"] = "Sent"
    if facts.by_me and facts.verb == "receive":
        found.select.setdefault("folder", "Received")
    return Built("mail.count", {"select": found.selection(merged(parts.times))})


def _without_predicate(items: Sequence[Item]) -> list[Item]:
    """ "mails are lying around unread in my inbox": what plain words say behind the noun, outside of any slot, is no topic."""
    lex, words, kept = lexicon(), lows(items), list[Item]()
    noun, slot = False, False
    for at, item in enumerate(items):
        noun = noun or ((match := lex.nouns.at(words, at)) is not None and match[1][0] in MAILS)
        slot = slot or lex.markers.at(words, at) is not None
        telling = item.kind != "word" or lex.nouns.at(words, at) or lex.states.at(words, at) or lex.folders.at(words, at)
        if slot or not noun or telling or lex.orders.at(words, at) or (at + 1 < len(words) and lex.states.at(words, at - 1)):
            kept.append(item)
    return kept


def _is_verb(item: Item) -> bool:
    match = lexicon().facts.at([item.low], 0) if item.kind == "word" else None
    return match is not None and match[1].verb in ("send", "receive", "have") and item.low not in MAIL_WORDS


def when_written(facts: Facts) -> Built | None:
    """ "when did Tom write about the lease?" """
    asked = facts.verb in ("send", "reply", "say") and not facts.has("event")
    return _last(wrote(facts, "mail.find")) if asked else None


def attention(facts: Facts) -> Built | None:
    """ "what needs my attention?" """
    if not facts.has("attention") or facts.has(*EVENTS):
        return None
    return Built("mail.attention", {"select": Selection(when=when_of(facts))})


DEALING = frozenset("answer reply respond read deal handle look open tackle address".split())


def to_begin_with(facts: Facts) -> Built | None:
    """ "Which of these mails should I answer first?": those that need the user most."""
    words = facts.words
    at = next((n for n, word in enumerate(words) if word in ("should", "shall", "must", "ought")), None)
    if facts.clause.head != "which" or at is None or facts.has(*EVENTS):
        return None
    if words[at + 1 : at + 2] not in (["i"], ["we"]) or not DEALING & set(words[at + 2 :]):
        return None
    found = gather(parts_of(facts, facts.items[:at]), "mail")
    for narrowing in ("order", "each"):
        found.select.pop(narrowing, None)
    found.words.clear()
    return Built("mail.attention", {"select": found.selection()})


def latest_from(facts: Facts) -> Built | None:
    """ "what's the latest from Claire?": the newest mail; "what's new?": the unread ones."""
    if facts.has(*EVENTS, *MAILS, "contact", "field"):
        return None
    if [word for word in facts.words if word not in ("'s", "is", "there", "anything")] == ["new"]:
        return Built("mail.find", {"select": Selection(unread=True, each=True)})
    people = [item for item in facts.rest if item.kind in NAMED]
    if not people or not facts.says("from") or not facts.says("latest", "newest"):
        return None
    return Built("mail.read", {"select": Selection(people=distinct(people_in(people, "from")), order="last")})


def in_a_state(facts: Facts) -> Built | None:
    """ "what's in the archive?", "what is unanswered?", "what came in today?": no noun says that it is mails."""
    if facts.nouns:
        return None
    if facts.begins("'s", "is") and any(lexicon().folders.at(facts.words, n) for n in range(len(facts.words))):
        return select(facts, "mail.find", "mail")
    if facts.says("unanswered"):
        return open_mails(facts)
    if in_mail_state(facts.words):
        return select(facts, "mail.find", "mail", without=("still", "yet"))
    return select(facts, "mail.find", "mail", without=("came", "arrived", "in", "up")) if facts.says("came", "arrived") else None


def told_in(facts: Facts) -> Built | None:
    """ "what does the latest mail from Helena say?": the mail that is spoken of."""
    before = facts.items[: len(facts.items) - len(facts.rest) - 1] if facts.verb == "say" else []
    if facts.verb == "say" and not facts.rest and (thing := _told_by_thing(before)):
        return Built("mail.read", {"select": Selection(words=thing, order="last")})
    spoken = Facts(facts.clause, [item for item in before if item.low not in lexicon().small["auxiliaries"]])
    if not spoken.has("mail", "newsletter") or facts.rest:
        return None
    built = select(spoken, "mail.read", "mail")
    built.operation = "mail.find" if built.fields["select"].each else "mail.read"
    return built


def _told_by_thing(before: Sequence[Item]) -> tuple[str, ...]:
    """ "what does the recipe say?": the words of a thing that is no mail by its name, and nobody."""
    items = [item for item in before if item.low not in lexicon().small["auxiliaries"]]
    known = any(lexicon().nouns.at([item.low], 0) for item in items)
    led = bool(items) and items[0].low in lexicon().small["articles"] and all(item.kind == "word" for item in items)
    return topic_words(items) if led and not known else ()


def what_i_sent(facts: Facts) -> Built | None:
    asked = facts.verb in ("send", "reply") and facts.by_me and not facts.has(*EVENTS, "field", "template")
    return wrote(facts, "mail.find") if asked else None


def what_was_said(facts: Facts) -> Built | None:
    """ "what did Tom say about the lease?": the last of those mails, or all where several are asked for."""
    others = facts.subject or (not facts.by_me and facts.has("mail"))
    if facts.verb not in ("say", "send") or not others:
        return None
    built = wrote(facts, "mail.read")
    chosen: Selection = built.fields["select"]
    if chosen.each or chosen.inside is not None or (not facts.subject and _several_asked(facts)):
        built.operation = "mail.find"
    elif _over_time(chosen):
        built.operation = "mail.find"
        update(built, each=True)
    else:
        _last(built)
    return built


def _several_asked(facts: Facts) -> bool:
    """ "which emails mention the form?": several are asked for, by what they say."""
    nouns = (lexicon().nouns.at(facts.words, n) for n in range(min(len(facts.words), 4)))
    return any(noun is not None and noun[1][0] == "mail" and noun[1][1] for noun in nouns)


def _over_time(chosen: Selection) -> bool:
    """ "what has she sent since Monday?": all that came in a stretch of time, where nothing else says which."""
    when = chosen.when
    if chosen.order or when is None or when.kind != "range" or when.start is None:
        return False
    return when.stop is None or when.stop - when.start > A_DAY


def _last(built: Built) -> Built:
    return built if built.fields["select"].order else update(built, order="last", number=1)


def which_mails(facts: Facts) -> Built | None:
    """ "which mails are about the lease?", "what is the last mail from Tom?": one that is picked out is read."""
    if not facts.has("mail", "newsletter", "draft", "reply") or facts.has("template"):
        return None
    if facts.verb == "have" and not facts.by_me:  # "which of my unread emails have an attachment?": what stands before selects too
        built = update(select(facts.whole(facts.items, POSSESSING), "mail.find", "mail"), each=False)
    else:
        built = select(facts, "mail.find", "mail")
    if built.fields["select"].order and not facts.says("which"):
        built.operation = "mail.read"
    return built


def who_wrote(facts: Facts) -> Built | None:
    if facts.verb not in ("send", "receive") and not facts.has(*MAILS):
        return None
    return wrote(facts, "mail.find") if facts.form else select(facts, "mail.find", "mail")
