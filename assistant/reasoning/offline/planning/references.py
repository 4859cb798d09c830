"""What "it", "her", "that mail" and "the second one" stand for, put into the words of the instruction."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from assistant.reasoning.base import Request
from assistant.reasoning.offline.lexicon import lexicon
from assistant.reasoning.offline.reading.entities import Item, mark
from assistant.reasoning.offline.reading.frames import lows
from assistant.reasoning.offline.reading.sametime import same_time, weeks_ahead
from assistant.values import Data

NOUN_OF_KIND = {"mails": "mail", "events": "event", "contacts": "contact", "clashes": "event", "addresses": "contact"}
NOUN_OF_CLASS = {
    "mail": "mail",
    "newsletter": "mail",
    "event": "event",
    "occasion": "event",
    "invitation": "event",
    "contact": "contact",
}
PLURAL = frozenset({"them", "those", "these", "ones", "all of them", "both"})
THING_VERBS = frozenset(
    {"find", "read", "summarise", "forward", "mark", "flag", "unflag", "archive", "delete", "restore", "cancel", "move", "rename",
     "resize", "change", "accept", "decline", "tentative", "count"}
)  # fmt: skip


CLITICS = {"'ve": "has", "'re": "is", "'s": "has", "'ll": "will", "'d": "would"}


@dataclass
class Memory:
    """What the message has spoken of so far: the last person, and the last thing with the words or step that stand for it."""

    request: Request
    person: str = ""
    thing: str = ""
    noun: str = ""
    when: str = ""
    """The last time spoken of, for "then" and "that day"."""
    used_shown: bool = False
    unresolved: list[str] = field(default_factory=list)
    needs: list[int] = field(default_factory=list)

    @property
    def shown(self) -> Data | None:
        return self.request.shown[0].data if self.request.shown else None

    def person_word(self, *, named: bool = False) -> str:
        """A name said before; else the one person of what was shown, by address where there is one."""
        if self.person:
            return self.person
        data = self.shown
        if data is None:
            return ""
        if named and (names := _names(data)):
            return names[0] if len(names) == 1 else ""
        senders = {mail.sender.email for mail in data.mails[:1] if mail.sender}
        people = senders or {address.email for address in data.addresses} or {c.emails[0] for c in data.contacts if c.emails}
        if not people:
            people = {
                str(a.address.email)
                for event in data.events[:1]
                for a in event.attendees
                if a.address.email not in {own.email for own in self.request.setting.me}
            }
        return next(iter(people)) if len(people) == 1 else ""

    def thing_words(self, noun: str, ordinal: str = "", *, plural: bool = False) -> str:
        """The words for a thing that a pronoun points at; empty where nothing was spoken of or shown."""
        if self.thing.startswith("{") and ordinal:
            return f"the {ordinal} {noun or self.noun} of {self.thing}".replace("  ", " ")
        if self.thing and not ordinal:
            return self.thing
        if self.request.shown:
            self.used_shown = True
            kind = noun or NOUN_OF_KIND.get(self.shown.kind if self.shown else "", "")
            kind = f"{kind}s" if kind and (plural or " " in ordinal) else kind
            if ordinal:
                return f"the {ordinal} {kind} of {{shown}}".replace("  ", " ")
            return f"the {kind} {{shown}}" if kind else "{shown}"
        return ""


def _names(data: Data) -> list[str]:
    names = [mail.sender.name for mail in data.mails[:1] if mail.sender]
    names += [contact.name for contact in data.contacts] + [address.name for address in data.addresses if not data.contacts]
    return list(dict.fromkeys(name for name in names if name))


def resolve(text: str, memory: Memory) -> str:
    """`text` with its pronouns and demonstratives replaced; dictated and quoted words stay."""
    from assistant.reasoning.offline.reading.dictation import dictation

    items = mark(text, memory.request.setting)
    stop, _ = dictation(items)
    limit = stop if stop is not None else len(items)
    edits: list[tuple[int, int, str]] = []
    at = 0
    words = lows(items)
    while at < limit:
        taken, replacement = _at(items, words, at, memory)
        if replacement:
            edits.append((items[at].begin, items[at + taken - 1].end, replacement))
        if items[at].kind in ("person", "name") or items[at].kind == "address":
            memory.person = items[at].text
        at += max(taken, 1)
    edits.extend(_same_time(items, memory))
    for begin, end, replacement in sorted(edits, reverse=True):
        text = text[:begin] + replacement + text[end:]
    return text


def _same_time(items: Sequence[Item], memory: Memory) -> list[tuple[int, int, str]]:
    """A new event "at the same time": the time of the event that was spoken of. What is moved keeps its own."""
    found = same_time(items)
    words = lows(items)
    verbs = {form.verb for at in range(min(len(items), 4)) for _, form in lexicon().verbs.all_at(words, at)}
    if found is None or not verbs & {"create", "meet", "add"}:
        return []
    begin, end = found
    events = memory.shown.events if memory.shown is not None else ()
    if not events:
        memory.unresolved.append(" ".join(item.text for item in items[begin:end]))
        return []
    memory.used_shown = True
    now, start = memory.request.setting.now, events[0].start.astimezone(memory.request.setting.zone)
    date = next((item for item in items[end:] if item.time is not None), None)
    weeks = weeks_ahead(date.time, now) if date is not None else None
    if weeks is None or date is None:
        return [(items[begin].begin, items[end - 1].end, f"at {start:%H:%M}")]
    day = start + weeks
    return [(items[begin].begin, date.end, f"on {day:%A} {day.day} {day:%B} at {day:%H:%M}")]


def _at(items: Sequence[Item], words: Sequence[str], at: int, memory: Memory) -> tuple[int, str]:
    """How many items a pronoun at `at` takes, and what it is replaced by."""
    item = items[at]
    if item.kind == "time" and memory.when and item.low in THEN:
        return 1, memory.when
    if item.kind not in ("word", "number"):
        return 0, ""
    low, small = item.low, lexicon().small
    if (at_time := _then(items, words, at, memory)) is not None:
        return at_time
    if words[at : at + 2] in (["the", "ones"], ["the", "one"]) and memory.thing and not memory.thing.startswith("{"):
        return 2, memory.thing
    ordinal = _ordinal(items, words, at, memory)
    if ordinal is not None:
        taken, order = ordinal
        thing = memory.thing_words("", order)
        if not thing:
            memory.unresolved.append(f"the {order} one")
        return taken, thing
    if low in ("this", "that", "these", "those") and at + 1 < len(items):
        named = _demonstrative(items, words, at, memory)
        if named is not None:
            return named
    if low in small["possessives_person"] and at + 1 < len(items) and _noun_follows(items, words, at + 1):
        name = memory.person_word(named=True)
        if not name:
            memory.unresolved.append(low)
        return (1, f"{name}'s") if name else (0, "")
    if low in ("she", "he", "they", "her", "him", "them"):
        return _person_or_thing(items, words, at, memory)
    if low == "it" and at > 1 and words[at - 1] in ("call", "name", "title") and words[at - 2] in ("and", ","):
        return 0, ""
    if low in ("it", "this", "that", "those", "these", "both") and _stands_alone(items, words, at):
        thing = memory.thing_words("", plural=low in PLURAL)
        if not thing:
            memory.unresolved.append(low)
        return (1, thing) if thing else (0, "")
    return 0, ""


def _then(items: Sequence[Item], words: Sequence[str], at: int, memory: Memory) -> tuple[int, str] | None:
    """ "at that time", "on that day", "then" behind what is asked: the time spoken of before."""
    if not memory.when:
        return None
    for phrase in (("at", "that", "time"), ("on", "that", "day"), ("that", "day")):
        if tuple(words[at : at + len(phrase)]) == phrase:
            return len(phrase), memory.when
    ends = at + 1 == len(items) or items[at + 1].kind == "punct"
    timed = any(item.kind == "time" for item in items)
    return (1, memory.when) if words[at] == "then" and at and ends and not timed else None


def _ordinal(items: Sequence[Item], words: Sequence[str], at: int, memory: Memory) -> tuple[int, str] | None:
    """ "the second one", "the last two of them", "number 2"."""
    start = at + 1 if words[at] in ("the", "number") else at
    if start >= len(items) or (words[at] not in ("the", "number")):
        return None
    lex = lexicon()
    if words[at] == "number" and words[start].isdigit():
        nth = next((name for name, n in lex.nth.items() if n == int(words[start]) and name.isalpha()), "first")
        return 2, nth
    is_order = words[start] in lex.nth or lex.orders.at(words, start) is not None
    if not is_order:
        return None
    end = start + 1
    count = ""
    if end < len(items) and (words[end] in lex.numbers or words[end].isdigit()) and words[end] != "one":
        count = f" {words[end]}"
        end += 1
    if end < len(items) and words[end] in ("one", "ones"):
        end += 1
    elif end < len(items) and words[end] == "of" and end + 1 < len(items) and words[end + 1] in ("them", "those", "these"):
        end += 2
    elif _counted_noun(items, words, start, end, memory):
        end += 1
    elif end < len(items) and (items[end].kind != "punct" and words[end] not in ("and", "to", "as", "for", "with", "saying")):
        return None
    return end - at, f"{words[start]}{count}"


def _counted_noun(items: Sequence[Item], words: Sequence[str], start: int, end: int, memory: Memory) -> bool:
    """ "the second mail" counts in a list that was shown, when nothing else says which mail."""
    if memory.shown is None or words[start] not in lexicon().nth or end >= len(items):
        return False
    noun = lexicon().nouns.at(words, end)
    if noun is None or noun[0] != 1 or noun[1][0] != NOUN_OF_KIND.get(memory.shown.kind):
        return False
    follower = items[end + 1] if end + 1 < len(items) else None
    return follower is None or follower.kind == "punct" or follower.low in ("to", "as", "and", "saying", "with")


def _demonstrative(items: Sequence[Item], words: Sequence[str], at: int, memory: Memory) -> tuple[int, str] | None:
    """ "that mail", "this meeting", "these participants"; not "this week" nor "that" before a clause."""
    noun = lexicon().nouns.at(words, at + 1)
    if noun is not None and noun[1][0] in ("mail", "newsletter", "event", "occasion", "contact", "draft", "reply", "invitation"):
        if noun[1][0] == "mail" and _colon_ahead(words, at):
            return None
        taken = 1 + noun[0]
        kind = "event" if noun[1][0] in ("occasion", "invitation") else noun[1][0]
        if (
            noun[1][0] == "draft"
            and at + taken < len(items)
            and (more := lexicon().nouns.at(words, at + taken))
            and more[1][0] == "mail"
        ):
            taken += more[0]
        thing = memory.thing_words(kind, plural=noun[1][1])
        if not thing:
            memory.unresolved.append(f"{words[at]} {noun[1][2]}")
            return None
        return taken, thing
    if words[at + 1] in ("participants", "attendees", "guests", "people"):
        if memory.request.shown:
            memory.used_shown = True
            return 2, "{shown}"
        memory.unresolved.append(f"{words[at]} {words[at + 1]}")
    return None


def _colon_ahead(words: Sequence[str], at: int) -> bool:
    return ":" in words[at:]


def _noun_follows(items: Sequence[Item], words: Sequence[str], at: int) -> bool:
    while at < len(items):
        if lexicon().nouns.at(words, at) is not None:
            return True
        if words[at] in lexicon().fields:
            return True
        if (
            lexicon().orders.at(words, at) is None
            and lexicon().states.at(words, at) is None
            and words[at] not in ("new", "email", *lexicon().nth, *lexicon().numbers)
        ):
            return False
        at += 1
    return False


def _person_or_thing(items: Sequence[Item], words: Sequence[str], at: int, memory: Memory) -> tuple[int, str]:
    if any((marker := lexicon().markers.at(words, at - back)) and marker[0] > back for back in (1, 2) if at >= back):
        return 0, ""
    before = words[at - 1] if at else ""
    verb = lexicon().verbs.at(words, at - 1) if at else None
    follows_thing_verb = verb is not None and verb[1].verb in THING_VERBS and verb[0] == 1
    if (
        words[at] == "them"
        and (follows_thing_verb or before == "of")
        and (memory.thing or (memory.request.shown and not memory.person))
    ):
        thing = memory.thing_words("", plural=True)
        return (1, thing) if thing else (0, "")
    data = memory.shown
    if words[at] == "them" and not memory.person and data is not None and not data.mails and _several(data, memory):
        memory.used_shown = True
        return 1, "{shown}"
    if (
        not memory.person
        and data is not None
        and data.mails
        and before == "to"
        and words[0] in ("reply", "respond", "answer", "write")
    ):
        memory.used_shown = True
        return 1, "the mail {shown}"
    name = memory.person_word()
    if not name:
        if words[at] in ("her", "him", "them"):
            memory.unresolved.append(words[at])
        return 0, ""
    clitic = CLITICS.get(items[at + 1].text.lower().replace("\u2019", "'")) if at + 1 < len(items) else None
    return (2, f"{name} {clitic}") if clitic else (1, name)


def _several(data: Data, memory: Memory) -> bool:
    """Whether what was shown is about more than one person."""
    mine = {own.email for own in memory.request.setting.me}
    guests = {a.address.email for event in data.events for a in event.attendees} - mine
    return len(data.contacts) > 1 or len(data.addresses) > 1 or len(guests) > 1


THEN = frozenset({"that day", "on that day", "that time", "at that time", "then"})
FOLLOWERS = frozenset("to as for and with from on at back please up by saying into in".split())


def _stands_alone(items: Sequence[Item], words: Sequence[str], at: int) -> bool:
    """The pronoun is a whole object: nothing it could belong to follows."""
    if at == 0:
        return False
    follower = items[at + 1] if at + 1 < len(items) else None
    if words[at] == "it" and follower is not None and follower.low in ("is", "was", "'s", "will", "would"):
        return False
    if words[at] == "it":
        return not (
            at <= 1 and words[at - 1] in lexicon().small["auxiliaries"] and follower is not None and follower.kind == "word"
        )
    return follower is None or follower.kind in ("punct", "time", "person") or follower.low in FOLLOWERS
