"""What a message can point at: who and what was spoken of in it, and what the conversation showed before."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from assistant.reasoning.base import Request
from assistant.reasoning.calls import Bounds
from assistant.reasoning.offline.lexicon import lexicon
from assistant.reasoning.offline.planning.talk.ones import One
from assistant.reasoning.offline.planning.talk.people import one_shown, turned_to
from assistant.reasoning.offline.reading.grammar import parse
from assistant.reasoning.offline.reading.text.items import Item
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
FIELDS = frozenset({"phone", "email", "company", "title", "note", "nickname"})
PLACES = frozenset({"first", "last", "second", "third", "fourth", "fifth"})


@dataclass
class Memory:
    """What the message has spoken of so far: the last person, and the last thing with the words or step that stand for it."""

    request: Request
    person: str = ""
    people: str = ""
    """Several that were named together, for "them"."""
    thing: str = ""
    noun: str = ""
    earlier_time: Callable[[], str] = str
    """How the last request put its time, asked for only where something points at it."""
    before: str = ""
    """Who was the last person before the sentence at hand."""
    wanted: str = ""
    """The kind of thing that the sentence at hand works on, where its verb tells: "mail" or "event"."""
    told: str = ""
    """The day that a statement was about."""
    limit: Bounds | None = None
    """How many of the thing there should be, for "if there are more"."""
    found: list[int] = field(default_factory=list)
    """The steps that found a mail or an event, of the kind that was spoken of last."""
    used_shown: bool = False
    of_talk: bool = False
    """Whether "her" or "him" is whoever was shown last."""
    unresolved: list[str] = field(default_factory=list)
    needs: list[int] = field(default_factory=list)
    _when: str | None = field(default=None, init=False)

    @property
    def when(self) -> str:
        """The last time spoken of, for "then" and "that day"."""
        if self._when is None:
            self._when = self.earlier_time()
        return self._when

    @when.setter
    def when(self, said: str) -> None:
        self._when = said

    @property
    def shown(self) -> Data | None:
        return self.request.shown[0].data if self.request.shown else None

    @cached_property
    def turned(self) -> list[str]:
        """Whom the last requests were about, where these have shown nothing."""
        return turned_to(self.request) if self.request.since else []

    def person_word(self, *, named: bool = False, subject: bool = False) -> str:
        """A name said before, in the message or else the talk; else the one person of what was shown, by address where there is
        one, as a subject by name."""
        if self.person:
            return self.person
        if turned := self.turned:
            return turned[0] if len(turned) == 1 else ""
        self.of_talk = True
        return one_shown(self.shown, self.request, named=named, subject=subject)

    def person_before(self) -> str:
        """The person who was spoken of or shown before those that this sentence has named."""
        named, self.person = self.person, self.before
        meant, self.person = self.person_word(), named
        return meant

    def thing_words(self, noun: str, ordinal: str = "", *, plural: bool = False) -> str:
        """The words for a thing that a pronoun points at; empty where nothing was spoken of or shown."""
        if self.thing.startswith("{") and ordinal:
            return f"the {ordinal} {noun or self.noun} of {self.thing}".replace("  ", " ")
        if self.thing and (not ordinal or _is_several(self.thing)):
            return _ordered(self.thing, noun, ordinal)
        if self.request.shown:
            self.used_shown = True
            ref, kind = self._place(noun, ordinal, single=not plural)
            if ordinal in PLACES and kind == "contact":
                return self._named(ref, ordinal)
            kind = f"{kind}s" if kind and (plural or " " in ordinal) else kind
            if ordinal:
                return f"the {ordinal} {kind} of {{{ref}}}".replace("  ", " ")
            return f"the {kind} {{{ref}}}" if kind else f"{{{ref}}}"
        return ""

    def both_words(self) -> str:
        """ "Both": the two that were shown together, else those that the last two answers showed one by one; else empty."""
        alone: list[str] = []
        for n, one in enumerate(self.request.shown):
            kind = kind_of(one.data)
            held = len(keys_of(one.data, kind)) if kind in ("mail", "event") else 0
            if n == 0 and held == 2:
                self.used_shown = True
                return f"the {kind}s {{shown}}"
            if held != 1 or kind != kind_of(self.request.shown[0].data):
                break
            alone.append(f"{{shown{n or ''}}}")
            if len(alone) == 2:
                self.used_shown = True
                return f"the {kind}s {alone[1]} and {alone[0]}"
        return ""

    def one_words(self, one: One) -> str:
        """ "The one about bridges": of the things spoken of in this message, else of those shown."""
        if self.thing.startswith("{"):
            return one.words(self.noun, self.thing)
        if self.thing and self.noun in ("event", "") and one.ahead:
            return one.named(self.thing)
        if self.thing or not self.request.shown:
            return self.thing or one.of_mails()
        self.used_shown = True
        ref, kind = self._place("")
        return one.words(kind, f"{{{ref}}}")

    def _place(self, noun: str, ordinal: str = "", *, single: bool = False) -> tuple[str, str]:
        """Where among what was shown such a thing is, and which kind of thing that is; the newest where it could be any, of
        which people alone are no "it"."""
        wanted = noun or self.wanted
        if not self.request.shown:
            return "shown", noun
        if ordinal and (listed := self._list_of()):
            return f"shown{listed}", kind_of(self.request.shown[listed].data)
        for n, one in enumerate(self.request.shown):
            if wanted and holds(one.data, wanted):
                return f"shown{n or ''}", wanted
        if single and not wanted and not ordinal:
            for n, one in enumerate(self.request.shown):
                if kind_of(one.data) in ("mail", "event") or one.data.contacts:
                    return f"shown{n or ''}", kind_of(one.data)
        return "shown", wanted or kind_of(self.request.shown[0].data)

    def field_shown(self, items: Sequence[Item], at: int) -> str:
        """ "Change it to …": the field of the one contact shown that the last request asked for or that the new value fits."""
        data, new = self.shown, next((item.kind for item in items[at:] if item.kind in ("phone", "address")), "")
        call = parse(self.request.last, self.request.setting).call if self.request.last else None
        field = {"phone": "phone number", "address": "email address"}.get(new, "")
        if data is None or len(data.contacts) != 1 or self.thing or not (field or (call is not None and call.field in FIELDS)):
            return ""
        self.used_shown = True
        return f"{data.contacts[0].name}'s {field or (call.field if call is not None else '')}"

    def event_shown(self) -> str:
        """The words for the one event that was shown last; empty where it was none or several."""
        ref, _ = self._place("event")
        data = self.request.shown[int(ref[5:] or 0)].data if self.request.shown else Data()
        self.used_shown |= len(data.events) == 1
        return f"the event {{{ref}}}" if len(data.events) == 1 else ""

    def guests_asked(self, words: Sequence[str]) -> bool:
        """ "Who else is coming?", where an event was shown last."""
        shown = self.shown
        asks = set(words) <= WHO_COMES and bool(
            set(words) & {"coming", "there", "attending", "invited", "going", "else", "joining"}
        )
        return asks and not self.thing and any(holds(one.data, "event") for one in self.request.shown) and shown is not None

    def recipients_asked(self, words: Sequence[str]) -> bool:
        """ "Who else got it?", where a mail was shown last: a mail that is read out says whom it went to."""
        asks = set(words) <= WHO_GOT and bool(set(words) & {"got", "get", "received", "copied", "cc", "go", "sent", "addressed"})
        return asks and not self.thing and self.shown is not None and len(self.shown.mails) == 1

    def _list_of(self) -> int:
        """Which of what was shown is the list that the one thing shown last was picked from; 0 where it was from none."""
        shown = self.request.shown
        kind = kind_of(shown[0].data)
        last = keys_of(shown[0].data, kind)
        if len(last) != 1:
            return 0
        return next((n for n, one in enumerate(shown) if n and len(there := keys_of(one.data, kind)) > 1 and last[0] in there), 0)

    def of_two(self, order: str) -> str:
        """ "The newer one": of two things that the message or else the conversation has found; empty where there are not two."""
        if len(self.found) > 1 or not self.request.shown:
            first, second = self.found[-2:] if len(self.found) > 1 else (0, 0)
            return f"the {order} {self.noun} of {{{first}}} and {{{second}}}" if first else ""
        data = self.request.shown[self._list_of()].data
        return self.thing_words("", order) if len(keys_of(data, kind_of(data))) == 2 else ""

    def rest_words(self) -> str:
        """ "The others": of the list that was shown, all but what was picked from it last."""
        picked = OF_LIST.fullmatch(self.thing)
        if (self.thing and not picked) or not self.request.shown:
            return ""
        listed = 0 if picked else self._list_of()
        data = self.request.shown[listed].data
        kind = kind_of(data)
        there, names = (
            keys_of(data, kind),
            ["first", *(name for name, _ in sorted(lexicon().nth.items(), key=lambda e: e[1]) if name.isalpha())],
        )
        if picked:
            gone = {names.index(picked[1])} if picked[1] in names else set()
        else:
            gone = {there.index(key) for key in keys_of(self.request.shown[0].data, kind) if listed and key in there}
        left = [names[n] for n in range(len(there)) if n not in gone and n < len(names)]
        if not gone or not left or len(there) > len(names):
            return ""
        self.used_shown = True
        return f"{' and '.join(f'the {name}' for name in left)} {kind} of {{shown{listed or ''}}}"

    def _named(self, ref: str, ordinal: str) -> str:
        """The person at that place in a list of people, by address where there is one."""
        data = self.request.shown[int(ref[5:] or 0)].data
        people = [c.emails[0] if c.emails else c.name for c in data.contacts] or [str(a.email) for a in data.addresses]
        at = len(people) - 1 if ordinal == "last" else lexicon().nth.get(ordinal, 1) - 1
        return people[at] if at < len(people) else ""


WHO_COMES = frozenset(
    "who else is 's are will be there coming attending invited going joining in to it that this also ? . been was were".split()
)


WHO_GOT = frozenset(
    "who else got get gets did it go to this that mail email message the was were is in on cc copied received has have also "
    "sent addressed too ? .".split()
)


def kind_of(data: Data) -> str:
    """What a result is about: "mail", "event" or "contact", by its kind, else by what it holds."""
    if found := NOUN_OF_KIND.get(data.kind, ""):
        return found
    return next((noun for noun in ("mail", "event", "contact") if holds(data, noun)), "")


def keys_of(data: Data, kind: str) -> list[tuple[str, ...]]:
    """What tells apart the things of a result."""
    if kind == "event":
        return [(event.account, event.id, str(event.recurrence or "")) for event in data.events]
    return [(one.account, one.id) for one in (data.mails if kind == "mail" else data.contacts)]


OF_LIST = re.compile(r"the (\w+) (?:mail|event|contact) of \{shown\}")


def holds(data: Data, noun: str) -> bool:
    held = {"mail": data.mails, "event": data.events or data.clashes, "contact": data.contacts or data.addresses}
    return bool(held.get(noun))


EVERYTHING = frozenset({"everything", "anything", "whatever"})


def _is_several(thing: str) -> bool:
    words = thing.lower().split()
    return words[0] in EVERYTHING or any((noun := lexicon().nouns.at(words, at)) and noun[1][1] for at in range(min(len(words), 4)))


def _ordered(thing: str, noun: str, ordinal: str) -> str:
    """ "Everything about the lease" as "all mails about the lease" or "the last mails about the lease"."""
    first, _, rest = thing.partition(" ")
    if first.lower() in EVERYTHING and (noun or ordinal):
        return f"{f'the {ordinal}' if ordinal else 'all'} {noun or 'mail'}s {rest}"
    bare = rest if first.lower() in lexicon().small["articles"] | lexicon().small["each"] else thing
    return f"the {ordinal} {bare}" if ordinal else thing
