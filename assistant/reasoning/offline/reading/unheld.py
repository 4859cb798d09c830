"""What one call can't hold, though each of its words was read: rules, each of which gives the items that it leaves over."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

from assistant.reasoning.calls import Call, Selection
from assistant.reasoning.offline.lexicon import lexicon
from assistant.reasoning.offline.reading.frames import DICTATES
from assistant.reasoning.offline.reading.nouns import excepting
from assistant.reasoning.offline.reading.nouns.persons import Named
from assistant.reasoning.offline.reading.slots import lows
from assistant.reasoning.offline.reading.text.items import NAMED, Item

LEAVING = frozenset({"except", "excepting", "excluding"})
ALL = frozenset({"everyone", "everybody", "all", "people", "guests", "group", "team", "participants", "attendees"})
DAYS = frozenset({"day", "days"})
COPIED = frozenset({"mail.send", "mail.forward", "mail.reply"})
FILES = frozenset({"attachment", "attachments", "file", "files", "pdf"})
NO_MESSAGE = frozenset({"why", "when", "where", "how", "what", "who", "it", "that", "this"})
"""With nothing but one of these, what a mail shall say has not been said."""
FAR_READER = 8
"""Items of a clause that names one more reader."""
ADDRESSED = frozenset({"address", "addresses", "email", "e-mail", "mail", "team", "group", "colleagues", "inbox"})
"""What stands for people when it is said to be theirs."""


@dataclass(frozen=True)
class Written:
    """A request that would write: its items up to what holds it back, the whole of them, and where its dictated words begin."""

    text: str
    items: Sequence[Item]
    whole: Sequence[Item]
    dictated: int | None
    call: Call
    recipients: Sequence[Named]

    @cached_property
    def words(self) -> list[str]:
        return lows(self.items)

    @cached_property
    def excepted(self) -> tuple[int, int, int] | None:
        return excepting.span(self.items)


def unheld(request: Written) -> Iterator[Item]:
    for rule in RULES:
        yield from rule(request)


def _choice_of_readers(r: Written) -> Iterator[Item]:
    """ "with Tom or Eva" where people are to get something."""
    readers = {said.casefold() for person in r.call.to for said in (person.text, person.email, person.ref) if said}
    for before, item, after in zip(r.items, r.items[1:], r.items[2:], strict=False):
        if item.low == "or" and {before.low, after.low} <= readers:
            yield item


def _unknown_day(r: Written) -> Iterator[Item]:
    """ "on the day of the fair": a day that no time gives."""
    for item, after in pairwise(r.items[1:]):
        if item.low in DAYS and item.kind == "word" and after.low == "of":
            yield item


def _name_in_number(r: Written) -> Iterator[Item]:
    numbers = " ".join(value for field, value in r.call.details if field.endswith("phone")).casefold()
    yield from (item for item in r.items if item.kind in NAMED and item.low in numbers)


def _of_recipients(r: Written) -> Iterator[Item]:
    """ "Tom's boss", "Tom's private address": somebody or some address that the name alone doesn't give."""
    for named in r.recipients:
        inside = [item for item in r.items if named.begin <= item.begin < named.end]
        at = next((n for n, item in enumerate(inside) if n and item.low == "'s" and inside[n - 1].kind in NAMED), len(inside))
        if not {item.low for item in inside[at + 1 :]} <= ADDRESSED:
            yield from inside[at + 1 :]
        manner = inside[-1] if len(inside) == 2 and inside[0].kind in NAMED else None
        if manner is not None and manner.kind == "word" and manner.text.islower() and manner.low not in lexicon().known:
            yield manner


def _part_of_a_mail(r: Written) -> Iterator[Item]:
    """ "only the attachment": a mail is forwarded as a whole."""
    if r.call.operation != "mail.forward":
        return
    for at, item in enumerate(r.items):
        if item.low in ("only", "just"):
            behind = next((other for other in r.items[at + 1 :] if other.low not in lexicon().small["articles"]), None)
            if behind is not None and behind.low in FILES:
                yield item


def _one_from_each(r: Written) -> Iterator[Item]:
    """ "the last mail from each of Tom and Eva"."""
    select = r.call.select
    if select.order and select.number == 1 and len(select.people) > 1:
        yield from (item for item, after in pairwise(r.items) if item.low in ("each", "both") and after.low == "of")


def _time_of_each(r: Written) -> Iterator[Item]:
    """ "from Tom in May or from Eva in June"."""
    kinds = ("p" if i.kind in NAMED else "t" if i.kind == "time" else "|" if i.low in ("or", "and") else "" for i in r.items)
    if len(r.call.select.people) > 1 and "pt|pt" in "".join(kinds):
        yield next(item for item in reversed(r.items) if item.kind == "time")


def _all_but_one_in_order(r: Written) -> Iterator[Item]:
    """ "the last three but not the second", "… but not the one before"."""
    select, excepted = r.call.select, r.excepted
    if excepted is None:
        return
    several = select.order and select.number > 1 and any(one.order for one in select.without)
    if several or r.words[excepted[1] : excepted[2]][-2:] in (["one", "before"], ["one", "after"]):
        yield from r.items[excepted[0] : excepted[2]]


def _two_moments(r: Written) -> Iterator[Item]:
    """ "the 3pm and the 4pm" where one thing is meant."""
    select = r.call.select
    moments = select.when.windows if select.when and not select.each else ()
    if len(moments) > 1 and all(moment.start == moment.stop for moment in moments):
        for a, b, c in zip(r.items, r.items[1:], r.items[2:], strict=False):
            if (a.kind, b.low, c.kind) == ("time", "and", "time"):
                yield c


def _copies(r: Written) -> Iterator[Item]:
    call = r.call
    if call.operation in COPIED and not (call.cc or call.bcc or call.select.addressed):
        yield from (item for item in r.items if item.low in ("cc", "bcc"))


def _subject_of_forward(r: Written) -> Iterator[Item]:
    """ "forward it to Tom with the subject …"."""
    if r.call.operation == "mail.forward":
        words = r.words
        named = {n for n in range(1, len(words)) if r.items[n].kind in NAMED and words[n - 1] == "to"}
        yield from (r.items[n] for n, word in enumerate(words) if word == "subject" and named & {n - 2, n - 3})


def _optional_guest(r: Written) -> Iterator[Item]:
    if r.call.operation == "event.create":
        yield from (after for before, after in pairwise(r.items) if after.low == "optional" and before.kind in NAMED | {"punct"})


def _free_target(r: Written) -> Iterator[Item]:
    """ "an hour later, to a free afternoon"."""
    if r.call.shift is not None:
        yield from (item for item in r.items if item.kind == "time" and item.low.startswith("free "))


def _whatever_is_there(r: Written) -> Iterator[Item]:
    """ "whatever is there", of which nothing else is said."""
    if r.call.select == Selection(each=True) and "there" in r.words:
        yield r.items[r.words.index("there")]


def _day_left_out(r: Written) -> Iterator[Item]:
    """ "every day except …" where no time was read."""
    excepted = r.excepted
    timeless = r.call.select.when is None and r.call.time is None
    if excepted and r.items[excepted[0] - 1].low in DAYS and timeless:
        yield from r.items[excepted[0] : excepted[2]]


def _no_message(r: Written) -> Iterator[Item]:
    """ "tell Tom why": what the mail shall say was not said."""
    items, call = r.whole, r.call
    empty = bool({call.body.casefold(), call.about.casefold()} & NO_MESSAGE)
    quoted = any(item.kind == "quote" for item in items)
    if items and not quoted and (empty or (items[0].low == "let" and call.body.endswith(" know"))):
        yield items[-1]


def _message_of_each(r: Written) -> Iterator[Item]:
    """ "tell Tom "yes" and Eva "no"."""
    quotes = [n for n, item in enumerate(r.whole) if item.kind == "quote"]
    if len(quotes) > 1 and '"' in r.call.body:
        yield from (item for item in r.whole[quotes[0] : quotes[-1]] if item.kind in NAMED)


def _within_dictated(r: Written) -> Iterator[Item]:
    """What can't belong to dictated words: "tell Tom on Friday that …", "… and tell Eva too", "… except Tom" where several are
    written to."""
    items, begin = r.whole, r.dictated
    if begin is None or begin >= len(items) or not r.call.body:
        return
    if items[begin].kind == "time" and begin + 1 < len(items) and items[begin + 1].low == "that":
        yield items[begin]
    left = _further_reader(items, begin, r.text)
    if left is None and _several_readers(r.call, items[:begin]):
        left = _reader_left_out(items, begin)
    yield from items[left:] if left is not None else ()


def _several_readers(call: Call, before: Sequence[Item]) -> bool:
    several = call.select.each or call.select.number > 1 or len(call.to) > 1
    return several or any(ALL & set(item.low.split()) for item in before)


def _reader_left_out(items: Sequence[Item], begin: int) -> int | None:
    for at in range(begin + 1, len(items) - 1):
        if items[at].low in LEAVING and (items[at - 1].low == "," or all(item.kind in NAMED for item in items[at + 1 :])):
            return at
    return None


def _further_reader(items: Sequence[Item], begin: int, text: str) -> int | None:
    """Where "and tell Tom too", "and let Tom know as well" closes what is dictated; not in what a reader is told "to" do."""
    words = lows(items)
    at = next((n for n in range(len(words) - 2, begin, -1) if words[n] == "and"), None)
    if at is None or words[begin] == "to" or len(words) - at > FAR_READER:
        return None
    verb = at + 1 + (words[at + 1] == "also")
    form = next((form for _, form in lexicon().verbs.all_at(words, verb) if form.base), None)
    besides = words[at + 1] == "also" or text.casefold().rstrip(" .!").endswith((" too", " also", " as well"))
    named = any(item.kind in NAMED for item in items[verb + 1 :])
    return at if named and besides and form is not None and form.verb in DICTATES else None


Rule = Callable[[Written], Iterator[Item]]
RULES: tuple[Rule, ...] = (
    _choice_of_readers,
    _unknown_day,
    _name_in_number,
    _of_recipients,
    _part_of_a_mail,
    _one_from_each,
    _time_of_each,
    _all_but_one_in_order,
    _two_moments,
    _copies,
    _subject_of_forward,
    _optional_guest,
    _free_target,
    _whatever_is_there,
    _no_message,
    _message_of_each,
    _within_dictated,
    _day_left_out,
)
"""In the order in which what they leave is named to the user."""
