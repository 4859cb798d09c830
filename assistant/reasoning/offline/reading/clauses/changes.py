"""Several changes of one event in one request: "rename the sync to Weekly and move it to 10" is one change."""

from collections.abc import Sequence

from assistant.reasoning.calls import Call, Reading, Selection
from assistant.reasoning.offline.lexicon import lexicon
from assistant.reasoning.offline.reading.parsed import Parse
from assistant.reasoning.offline.reading.slots import lows
from assistant.reasoning.offline.reading.text.items import Item

UPDATES = ("event.uninvite", "event.resize", "event.move", "event.rename", "event.relocate", "event.invite")
"""Changes of what an event is, those first that the joined call goes by."""
FIELDS = ("title", "time", "duration", "shift", "location", "to")
MOST = 3
"""So many changes may be joined to one of a single event."""
POINTING = frozenset({"it", "that", "this", "them"})


def joints(items: Sequence[Item]) -> list[int]:
    """Where "and" or a comma may join a change of "it" to the change before."""
    words, found = lows(items), list[int]()
    for at in range(2, len(items) - 1):
        if words[at] in ("and", ",", "then") and words[at - 1] not in ("and", ",") and POINTING & set(words[at + 1 :]):
            after = at + 2 if words[at] == "," and words[at + 1] in ("and", "then") else at + 1
            if any(form.base for _, form in lexicon().verbs.all_at(words, after)):
                found.append(at)
    return found


def about_the_same(reading: Reading) -> bool:
    """Whether a change is of "it", or of nothing that it names itself."""
    call = reading.call
    return call is not None and call.operation in UPDATES and call.select in (Selection(), Selection(refs=("shown",)))


def of_one_event(found: Parse) -> bool:
    """Whether a clause names an event and changes "it" further: the pronoun points at no other thing."""
    call = found.call
    return (
        call is not None
        and call.operation in UPDATES
        and call.select.refs != ("shown",)
        and bool(joints(found.clause.items))
        and sum(getattr(call, name) not in (None, "", ()) for name in FIELDS) > 1
    )


def joined(first: Call, second: Call) -> Call | None:
    """Both changes as one call over the first one's selection; None where they contradict each other."""
    operations = {first.operation, second.operation}
    if not operations <= set(UPDATES):
        return None
    set_by_second = {name: value for name in FIELDS if (value := getattr(second, name)) not in (None, "", ())}
    if not set_by_second or any(getattr(first, name) not in (None, "", ()) for name in set_by_second):
        return None
    lengthened = "event.resize" in operations and not (first.duration or second.duration)
    if lengthened and "event.move" in operations:
        return None
    chosen = next(name for name in UPDATES if name in operations)
    if chosen == "event.resize" and "event.move" in operations:
        chosen = "event.move"
    return first.model_copy(update={**set_by_second, "operation": chosen})
