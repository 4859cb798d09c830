"""Who owes an answer to whom: mails and invitations that wait for the user's, and whether somebody answered the user."""

from collections.abc import Sequence

from assistant.reasoning.calls import Operation, Selection
from assistant.reasoning.offline.lexicon import lexicon
from assistant.reasoning.offline.reading.nouns.gathered import topic_words
from assistant.reasoning.offline.reading.nouns.persons import Named, distinct, in_role, people_in
from assistant.reasoning.offline.reading.nouns.selecting import gather
from assistant.reasoning.offline.reading.parsed import Built
from assistant.reasoning.offline.reading.questions.choosing import parts_of, select, when_of, without_latest
from assistant.reasoning.offline.reading.questions.facts import EVENTS, Facts
from assistant.reasoning.offline.reading.slots import Parts
from assistant.reasoning.offline.reading.text.items import PERSONAL, Item
from assistant.reasoning.offline.reading.times.moments import merged

READING = frozenset({"read", "open", "opened", "seen", "looked"})
AROUND_UNDONE = frozenset({"many", "not", "yet", "still", "so", "far"})
OWING = ("have to", "need to", "must", "owe", "not")
FROM_ME = ("from me", "from us", "my answer", "my reply", "my response")
AWAITING = ("need", "needs", "require", "await", "want")
A_MAIL = frozenset({"mail", "email", "message", "mails", "emails", "me"})


def owes_answer(words: Sequence[str]) -> bool:
    """ "emails I still have to answer", "which haven't I answered", "who do I owe a reply", "waiting for a reply from me"."""
    lex, words = lexicon(), list(words)
    forms = {form.verb for at in range(len(words)) for _, form in lex.facts.all_at(words, at)}
    answers = "reply" in forms or any((noun := lex.nouns.at(words, at)) and noun[1][0] == "reply" for at in range(len(words)))
    if not answers:
        return False
    said = " ".join(words)
    mine = bool({"i", "we"} & set(words)) and any(f" {must} " in f" {said} " for must in OWING)
    return mine or ("waiting" in words and said.endswith(FROM_ME))


def _owed(facts: Facts) -> bool:
    return owes_answer([item.low for item in facts.clause.rest])


def left_undone(facts: Facts) -> Built | None:
    """ "which of Lena's mails have I not answered?", "how many mails from Omar haven't I read?"; None for any mail at all where
    an answer is owed."""
    if not facts.clause.negated:
        return None
    answers = _owed(facts)
    mine = facts.by_me or facts.we
    if not (facts.has("mail") or answers is False) or not (answers or (mine and facts.says(*READING))):
        return None
    done = AROUND_UNDONE if answers else AROUND_UNDONE | READING | {"at"}
    around = lexicon().small["me"] | lexicon().small["auxiliaries"] | done
    parts = parts_of(facts, [item for item in facts.items if item.low not in around and not lexicon().facts.at([item.low], 0)])
    found = gather(parts, "mail")
    if answers and not (found.people or found.words):
        return None
    if not answers and facts.has(*EVENTS):
        return None
    found.select["unanswered" if answers else "unread"] = True
    operation: Operation = "mail.count" if facts.clause.head == "how" else "mail.find"
    return Built(operation, {"select": found.selection(merged(parts.times))})


def open_invitations(facts: Facts) -> Built | None:
    """ "which invitations haven't I answered?" """
    if not facts.has(*EVENTS) or facts.has("mail", "newsletter") or not _owed(facts):
        return None
    return Built("event.find", {"select": Selection(when=when_of(facts), unanswered=True, each=True)})


def unanswered(facts: Facts) -> Built | None:
    """ "which mails do I still have to answer?", "who do I owe a reply?" """
    head = facts.clause.head
    asks = head in ("which", "what", "who", "whom") and not facts.subject
    if not asks or not owes_answer([head, *(item.low for item in facts.clause.rest)]):
        return None
    return Built("mail.unanswered", {"select": Selection(when=when_of(facts))})


def awaiting(facts: Facts) -> Built | None:
    """ "which mails need a reply?" """
    if not (facts.has("mail") and facts.has("reply") and facts.says(*AWAITING)):
        return None
    return select(facts, "mail.unanswered", "mail", without=(*AWAITING, "answer", "reply"))


def who_answered(facts: Facts) -> Built | None:
    """ "who answered?", "who have I not replied to?" """
    if facts.verb != "reply" and not facts.says("answered", "replied"):
        return None
    field = "" if facts.by_me or facts.we else "them"
    return Built("mail.unanswered", {"field": field, "select": Selection(when=when_of(facts))})


def open_mails(facts: Facts) -> Built:
    """ "is there anything from Felix that I still have to answer?", "do I owe anyone a reply?" """
    parts = parts_of(facts, facts.items)
    people = [named for slot in parts.of("from") for named in people_in(_before_clause(slot.items), "from")]
    people += people_in([item for slot in parts.of("", "to") for item in slot.items if item.kind in PERSONAL], "from")
    return Built("mail.unanswered", {"select": Selection(people=distinct(people), when=merged(parts.times))})


def _before_clause(items: Sequence[Item]) -> Sequence[Item]:
    """Up to "that I …", "which …"."""
    stop = next((n for n, item in enumerate(items) if item.low in ("that", "which", "i", "we")), len(items))
    return items[:stop]


def replied(facts: Facts) -> Built:
    """Whether somebody answered what the user sent; asked about the user: whether something of theirs is unanswered."""
    parts = parts_of(facts)
    if facts.by_me and facts.verb == "reply":
        people = [*people_in(parts.object, "from"), *(n for slot in parts.of("to", "from") for n in people_in(slot.items, "from"))]
        return Built("mail.unanswered", {"select": Selection(people=distinct(people), when=merged(parts.times))})
    people = in_role(facts.subject, "to")
    people += [named for slot in parts.of("from") for named in people_in(slot.items, "to")]
    addressed, words = _answered_mail(parts)
    latest = any(item.low in ("last", "latest") for item in facts.rest)
    chosen = Selection(
        refs=tuple(item.low for item in facts.items if item.kind == "ref"),
        people=distinct([*people, *addressed]),
        words=tuple(without_latest(words) if latest else words),
        when=merged(parts.times),
        order="last" if latest else "",
    )
    return Built("mail.check", {"question": "reply", "select": chosen})


def _answered_mail(parts: Parts) -> tuple[list[Named], list[str]]:
    """To whom the mail went that is or isn't answered, and what it was about."""
    people, words = list[Named](), list[str]()
    for slot in parts.of("to", "about", "on"):
        if slot.marker == "to" and slot.items and all(item.kind in PERSONAL or item.low in ("and", ",") for item in slot.items):
            people += people_in(slot.items, "to")
        else:
            words += [word for word in topic_words(slot.items) if word.lower() not in A_MAIL]
    return people, words
