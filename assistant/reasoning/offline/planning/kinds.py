"""What nothing in the words says the kind of ("when is the dentist?", "delete the flea market"): an event first, else a mail."""

from assistant.reasoning.base import Setting
from assistant.reasoning.offline.lexicon import lexicon
from assistant.reasoning.offline.planning.context import in_shown_mail
from assistant.reasoning.offline.planning.outline import Draft, Sentence
from assistant.reasoning.offline.planning.steps import add
from assistant.reasoning.offline.reading.grammar import parse
from assistant.reasoning.offline.reading.parsed import Parse
from assistant.reasoning.offline.reading.slots import lows
from assistant.values import When

ASKED = frozenset({"when", "where", "what", "which", "how", "who"})
VAGUE = frozenset({"thing", "things", "stuff", "that", "which", "what", "whatever", "something", "anything"})
"""With these nothing certain is named that could be deleted."""
OF_EVENTS = frozenset({"event.next", "event.guests", "event.find"})


def of_either_kind(one: Sentence, draft: Draft) -> bool:
    """Plans for an event first and for a mail where there is no such event, if nothing says which is meant."""
    if one.piece.role != "plain" or one.piece.also:
        return False
    if (shown := in_shown_mail(one, draft.request)) is not None:
        add(shown.text, shown.found, None, draft)
        unless = When(step=draft.steps[-1].id, holds=False)
        if (event := _as_event(one.text, one.found, draft.setting)) is not None:
            add(one.text, event, unless, draft)
            unless = When(step=draft.steps[-1].id, holds=False)
        add(one.text, one.found, unless, draft)
        return True
    if (event := _as_event(one.text, one.found, draft.setting)) is not None:
        add(one.text, event, None, draft)
        add(one.text, one.found, When(step=draft.steps[-1].id, holds=False), draft)
        return True
    if (meant := _either(one.text, one.found, draft.setting)) is None:
        return False
    query, deed = meant
    add(query, parse(query, draft.setting, "calendar"), None, draft)
    look = draft.steps[-1].id
    add(deed, parse(deed, draft.setting, "calendar"), When(step=look, holds=True), draft)
    add(one.text, one.found, When(step=look, holds=False), draft)
    return True


def _as_event(text: str, found: Parse, setting: Setting) -> Parse | None:
    """A question that only mail seemed to answer, as one about an event; None where it can't be."""
    call, head = found.call, found.clause.head
    if call is None or call.operation != "mail.answer" or head not in ASKED or call.select.people or call.select.refs:
        return None
    again = parse(text, setting, "calendar")
    if again.call is None or again.call.operation not in OF_EVENTS:
        return None
    named = again.call.select.words or again.call.select.place
    return again if named else None


def _either(text: str, found: Parse, setting: Setting) -> tuple[str, str] | None:
    """A deletion whose thing has no kind: the question for such an event, and the words that cancel it."""
    call, clause = found.call, found.clause
    if call is None or call.operation != "mail.trash" or not found.reading.guesses or not (call.select.words or call.select.people):
        return None
    length = next((n for n, form in clause.forms if form.verb == "delete"), 0)
    thing = text[clause.items[length].begin : found.end] if 0 < length < len(clause.items) else ""
    words = lows(clause.items[length:])
    if (
        not thing
        or call.select.each
        or VAGUE & set(thing.lower().split())
        or any(lexicon().nouns.at(words, at) for at in range(len(words)) if words[at] in ("contact", "card", "template"))
    ):
        return None
    query, deed = f"Find the event {thing}", f"Cancel {thing}"
    asked, done = parse(query, setting, "calendar").call, parse(deed, setting, "calendar").call
    if asked is None or done is None or asked.operation != "event.find" or done.operation != "event.cancel":
        return None
    return (query, deed) if asked.select == done.select.model_copy(update={"each": asked.select.each}) else None
