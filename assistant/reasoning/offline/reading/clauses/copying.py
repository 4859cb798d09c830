"""Who gets a copy of a mail whose words come first: "tell Omar that it is moved and cc Lena", "…, with a copy to Lena"."""

from collections.abc import Sequence

from assistant.reasoning.calls import Call
from assistant.reasoning.offline.reading.entities import Item
from assistant.reasoning.offline.reading.nouns.persons import Named, people_in
from assistant.reasoning.offline.reading.slots import lows

WRITTEN = frozenset({"mail.send", "mail.draft", "mail.reply", "mail.forward"})
LEADS: tuple[tuple[str, ...], ...] = (
    ("with", "a", "copy", "to"), ("with", "copy", "to"), ("and", "copy", "in"), ("copy", "to"), ("copying", "in"), ("copying",),
    ("and", "cc"), ("and", "bcc"), ("and", "copy"), (",", "cc"), (",", "bcc"), (",", "copy"), ("put", "in", "cc"),
)  # fmt: skip
BEHIND = (["in"], ["in", "too"], ["too"], ["as", "well"], ["on", "it"], ["in", "on", "it"], ["please"])
PEOPLE = frozenset({"person", "name", "address", "ref"})

Copied = tuple[int, tuple[Named, ...], bool]
"""Where it begins among the items, who gets the copy, and whether nobody shall see that."""


def copied_to(items: Sequence[Item]) -> Copied | None:
    words = lows(items)
    end = next((len(items) - len(tail) for tail in BEHIND if words[-len(tail) :] == tail), len(items))
    begin = end
    while begin and (items[begin - 1].kind in PEOPLE or (words[begin - 1] in ("and", ",", "&") and begin < end)):
        begin -= 1
    while begin < end and items[begin].kind not in PEOPLE:
        begin += 1
    lead = next((one for one in LEADS if tuple(words[max(0, begin - len(one)) : begin]) == one), None)
    if begin == end or lead is None or begin - len(lead) < 2:
        return None
    at = begin - len(lead)
    at -= words[at - 1] in ("and", ",") and at > 2
    return at, people_in(items[begin:end], "any"), "bcc" in lead


def copied(call: Call, people: Sequence[Named], *, hidden: bool) -> Call | None:
    if call.operation not in WRITTEN:
        return None
    field = "bcc" if hidden else "cc"
    return call.model_copy(update={field: (*getattr(call, field), *(named.person for named in people))})
