"""What "it", "her", "that mail" and "the second one" stand for, put into the words of the instruction."""

import re
from collections.abc import Sequence

from assistant.reasoning.offline.lexicon import lexicon
from assistant.reasoning.offline.planning.talk.attendants import attendants, people_there
from assistant.reasoning.offline.planning.talk.memory import NOUN_OF_KIND, Memory, kind_of
from assistant.reasoning.offline.planning.talk.ones import compared_at, named_alike, new_one, one_at, others_at
from assistant.reasoning.offline.planning.talk.retiming import behind_shown, counted_from_last
from assistant.reasoning.offline.planning.talk.thatday import (
    SAME_DAY,
    THAT_DAY,
    day_of,
    hour_of,
    on_that_day,
    period_at,
    period_of,
    with_day,
)
from assistant.reasoning.offline.reading.clauses.replacing import PLACE
from assistant.reasoning.offline.reading.entities import PUTTING_OFF, Item, joined, mark, named
from assistant.reasoning.offline.reading.frames import strip_closers, strip_openers
from assistant.reasoning.offline.reading.grammar import parse
from assistant.reasoning.offline.reading.nouns import excepting
from assistant.reasoning.offline.reading.nouns.selecting import OVERLAPS
from assistant.reasoning.offline.reading.slots import lows
from assistant.reasoning.offline.reading.times.sametime import same_time, weeks_ahead
from assistant.values import Data

PLURAL = frozenset({"them", "those", "these", "ones", "all of them", "both"})
THING_VERBS = frozenset(
    {"find", "read", "summarise", "forward", "mark", "flag", "unflag", "archive", "delete", "restore", "cancel", "move", "rename",
     "resize", "change", "accept", "decline", "tentative", "count"}
)  # fmt: skip


CLITICS = {"'ve": "has", "'re": "is", "'s": "has", "'ll": "will", "'d": "would"}


WORKS_ON = {"event": frozenset({"make", "move", "resize", "accept", "decline", "tentative", "cancel", "invite", "uninvite"}),
            "mail": frozenset({"archive", "forward", "reply", "flag", "unflag", "mark"})}  # fmt: skip


def _wanted(items: Sequence[Item], words: Sequence[str]) -> str:
    """What the verb that opens the sentence works on."""
    stripped, _ = strip_openers(items, lexicon().polite["openers"])
    verbs = {form.verb for _, form in lexicon().verbs.all_at(words, len(items) - len(stripped))} if stripped else set()
    return next((noun for noun, of_noun in WORKS_ON.items() if verbs & of_noun), "")


def resolve(text: str, memory: Memory) -> str:
    """`text` with its pronouns and demonstratives replaced; dictated and quoted words stay."""
    from assistant.reasoning.offline.reading.text.dictation import dictation

    text = _at_that_time(text, memory)
    items = mark(text, memory.request.setting)
    stop, _ = dictation(items)
    if stop is None and (rest := _without_then(text, items)):
        text, items = rest, mark(rest, memory.request.setting)
    dated = _on_that_day(text, items[stop].begin if stop is not None else len(text), memory)
    if dated != text:
        text, items = dated, mark(dated, memory.request.setting)
        stop, _ = dictation(items)
    limit = stop if stop is not None else len(strip_closers(items))
    edits: list[tuple[int, int, str]] = []
    at = len(items) - len(strip_openers(items, lexicon().polite["openers"])[0])
    words = lows(items)
    memory.wanted, memory.before = _wanted(items, words), memory.person
    left_out, kept = excepting.span(items), same_time(items)
    while at < limit:
        if kept is not None and kept[0] <= at < kept[1]:
            at += 1
            continue
        if left_out is not None and left_out[1] <= at < left_out[2] and _of_what_is_named(items, words, at):
            at += 1
            continue
        taken, replacement = _at(items, words, at, memory)
        if replacement:
            edits.append((items[at].begin, items[at + taken - 1].end, replacement))
        if items[at].kind in ("person", "name") or items[at].kind == "address":
            memory.people = _together(items, at, memory)
            memory.person = items[at].text
        at += max(taken, 1)
    edits.extend([] if kept is not None and _moves(text, memory) else _same_time(items, memory))
    for begin, end, replacement in sorted(edits, reverse=True):
        text = text[:begin] + replacement + text[end:]
    return text


def _without_then(text: str, items: Sequence[Item]) -> str:
    """ "Book it at 4 then": behind an hour it only leads on from what was said; empty where nothing is to be left out."""
    last = next((n for n in range(len(items) - 1, 0, -1) if items[n].kind != "punct"), 0)
    before = next((item.time for item in reversed(items[:last]) if item.kind != "punct"), None)
    hour = before is not None and before.has_time and before.kind in ("point", "range")
    return f"{text[: items[last].begin].rstrip(' ,')}{text[items[last].end :]}" if hour and items[last].low == "then" else ""


def _of_what_is_named(items: Sequence[Item], words: Sequence[str], at: int) -> bool:
    """ "except the last one", "except those from Anna": they are some of what the sentence has named."""
    return items[at].kind in ("word", "number") and (words[at] in ("the", "one", "ones", "those", "that", "this"))


def _at_that_time(text: str, memory: Memory) -> str:
    """ "the people I meet that day": the time spoken of before, also inside of what describes people."""
    low = text.lower()
    if not any(said in low for said in THEN) or not memory.when:
        return text
    items = named(text, memory.request.setting)
    for item in reversed([item for item in items if item.kind == "time" and item.low in THEN]):
        text = f"{text[: item.begin]}{memory.when}{text[item.end :]}"
    return text


def _moves(text: str, memory: Memory) -> bool:
    call = parse(text, memory.request.setting).call
    return call is not None and call.operation in ("event.move", "event.resize")


def _on_that_day(text: str, limit: int, memory: Memory) -> str:
    """ "at 3 on that day", "that morning": the day spoken of before; what is moved without one stays on its own."""
    if not any(f" {said} " in f" {text.lower()} " for said in ("that", "same")) or not THAT_DAY.search(text, 0, limit):
        return text
    dated, unclear = on_that_day(text, limit, memory.when, memory.request.setting)
    if unclear and "same" in unclear.lower() and _moves(text, memory):
        return THAT_DAY.sub("", text, count=1)
    if unclear:
        memory.unresolved.append(unclear)
    return dated


def _same_time(items: Sequence[Item], memory: Memory) -> list[tuple[int, int, str]]:
    """A new event "at the same time": the time of the event that was spoken of. What is moved keeps its own."""
    found = same_time(items)
    words = lows(items)
    verbs = {form.verb for at in range(min(len(items), 4)) for _, form in lexicon().verbs.all_at(words, at) if form.base}
    if found is None or "move" in verbs or not verbs & {"create", "meet", "add"}:
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
    if item.kind == "time" and item.low in THEN and memory.when:
        return 1, day_of(memory.when, memory.request.setting) if "day" in item.low else memory.when
    ends_same = item.kind == "time" and item.low.endswith(" day") and memory.when
    if ends_same and (told := with_day(item.text, memory.when, memory.request.setting)):
        return 1, told
    if (period := _period(items, at, memory)) is not None:
        return period
    if item.low == "that" and at and words[at - 1] == "than" and (hour := hour_of(memory.when, memory.request.setting)):
        return 1, hour
    if item.kind == "time" and item.low.removeprefix("the ") in lexicon().nth and at > 1 and words[at - 1] in ("and", ","):
        return 1, memory.thing_words("", item.low.removeprefix("the ")) if memory.shown is not None else ""
    if item.kind == "time" and not set(words[:at]) & lexicon().small["movers"]:
        return 1, counted_from_last(item.low, memory.request)
    if item.kind not in ("word", "number"):
        return 0, ""
    if (after := behind_shown(words, at, memory.request)) is not None:
        return after
    low, small = item.low, lexicon().small
    taken, order = compared_at(words, at)
    if taken:
        meant = memory.of_two(order)
        if not meant:
            memory.unresolved.append(" ".join(words[at : at + taken]))
        return (taken, meant) if meant else (0, "")
    if (at_time := _then(items, words, at, memory)) is not None:
        return at_time
    if low in ("it", "that", "this", "them") and at and (interval := _overlapped(words, at, memory)):
        return 1, interval
    if low == "who" and memory.guests_asked(words):
        return len(items) - at, f"who is in {memory.thing_words('event')}"
    if low == "who" and memory.recipients_asked(words):
        return len(items) - at, f"read {memory.thing_words('mail')}"
    if (others := others_at(items, words, at)) and (rest := memory.rest_words()):
        return others, rest
    ordinal = _ordinal(items, words, at, memory)
    if ordinal is not None:
        taken, order = ordinal
        thing = memory.thing_words("", order)
        behind = items[at + taken] if at + taken < len(items) else None
        narrowed = behind is not None and (behind.kind == "time" or lexicon().markers.at(words, at + taken) is not None)
        if not thing and memory.thing and memory.noun and narrowed:
            thing = f"the {order} {memory.noun}"
        if not thing:
            memory.unresolved.append(f"the {order} one")
        return taken, thing
    if low == "the" and words[at + 1 : at + 2] and words[at + 1] in BEYOND and words[at + 2 : at + 3] in (["one"], ["ones"]):
        memory.unresolved.append(f"the {words[at + 1]} {words[at + 2]}")
        return 3, ""
    if fresh := new_one(words, at):
        return fresh, _new_one(memory)
    if (one := one_at(items, words, at)) is not None:
        thing = memory.one_words(one)
        if not thing:
            memory.unresolved.append(" ".join(item.text for item in items[at : at + one.taken]))
        return (one.taken, thing) if thing else (0, "")
    if (there := attendants(items, words, at, memory.thing, memory.noun)) is not None:
        return there
    if (people := _people_of(words, at, memory)) is not None:
        return people
    if low in ("it", "that") and at and words[at - 1] in lexicon().small["corrects"] and (field := memory.field_shown(items, at)):
        return 1, field
    if low in ("this", "that", "these", "those") and at + 1 < len(items):
        named = _demonstrative(items, words, at, memory)
        if named is not None:
            return named
    if low == "our" and memory.person and (taken := _ours(items, words, at)):
        return taken, f"{' '.join(item.text for item in items[at : at + taken])} with {memory.before or memory.person}"
    if low == "the" and memory.thing and not memory.thing.startswith("{") and (length := _series(items, words, at)):
        return length, f"the whole {ARTICLE.sub('', memory.thing)} series"
    if low == "their" and any((noun := lexicon().nouns.at(words, n)) and noun[1][0] == "contact" for n in range(at)):
        return 0, ""
    if low in small["possessives_person"] and at + 1 < len(items) and _noun_follows(items, words, at + 1):
        name = memory.before if words[at + 1] in PLACE and memory.before else memory.person_word(named=True)
        if not name:
            memory.unresolved.append(low)
        return (1, f"{name}'s") if name else (0, "")
    if low in small["possessives_person"] and (length := _ordered_ones(items, words, at + 1)):
        name, kind = memory.person_word(named=True), kind_of(memory.shown) if memory.shown is not None else "mail"
        if not name:
            memory.unresolved.append(low)
        order = " ".join(words[at + 1 : at + 1 + length]).removesuffix(" one")
        return 1 + length, f"{name}'s {order} {kind or 'mail'}" if name else ""
    if low == "both" and _stands_alone(items, words, at) and not memory.thing:
        both = memory.both_words()
        if not both:
            memory.unresolved.append(low)
        return (1, both) if both else (0, "")
    if low == "its" and (owned := _its(items, words, at, memory)) is not None:
        return owned
    if low in ("she", "he", "they", "her", "him", "them"):
        return _person_or_thing(items, words, at, memory)
    if (
        low == "it"
        and at > 1
        and words[at - 1] in ("fit", "fits", "holds", "takes")
        and words[at - 2] in ("that", "which", "to", "can")
    ):
        return 0, ""
    naming = low in ("it", "that", "this") and at > 0 and words[at - 1] in ("call", "name", "title")
    opens = naming and not strip_openers(items[: at - 1], lexicon().polite["openers"])[0]
    if naming and not opens and at > 1 and words[at - 2] in ("and", ","):
        return 0, ""
    if opens or (low in ("it", "this", "that", "those", "these", "both") and _stands_alone(items, words, at)):
        thing = memory.thing_words("", plural=low in PLURAL)
        if not thing:
            memory.unresolved.append(low)
        return (1, thing) if thing else (0, "")
    return 0, ""


def _ordered_ones(items: Sequence[Item], words: Sequence[str], at: int) -> int:
    """How many items "latest", "last one" take where nothing more is named."""
    order = lexicon().orders.at(words, at)
    if order is None:
        return 0
    end = at + order[0] + (words[at + order[0] : at + order[0] + 1] == ["one"])
    return end - at if end >= len(items) or items[end].kind == "punct" or lexicon().markers.at(words, end) is not None else 0


def _new_one(memory: Memory) -> str:
    """ "Book another one with Tom": an event of the same name, or any where none has been named."""
    if memory.thing and not memory.thing.startswith("{") and memory.noun in ("event", ""):
        return named_alike(memory.thing, mark(memory.thing, memory.request.setting)) or "a meeting"
    events = memory.shown.events if memory.shown is not None and not memory.thing else ()
    if len(events) == 1 and '"' not in events[0].title:
        memory.used_shown = True
        return f'an event called "{events[0].title}"'
    return "a meeting"


def _its(items: Sequence[Item], words: Sequence[str], at: int, memory: Memory) -> tuple[int, str] | None:
    """ "its reference number": that of the thing which was spoken of."""
    end = at + 1
    while end < len(items) and items[end].kind in ("word", "name", "number"):
        if lexicon().markers.at(words, end) or words[end] in LINKS:
            break
        end += 1
    thing = memory.thing_words("") if end > at + 1 else ""
    return (end - at, f"the {joined(items[at + 1 : end])} of {thing}") if thing else None


LINKS = frozenset({"and", "or", "but", "is", "was", "are", "then"})


ARTICLE = re.compile(r"^(?:the|my|our|that|this) ", re.IGNORECASE)


def whole_series(words: Sequence[str], last: int) -> bool:
    """Whether "the (whole) series" ends there."""
    while last > 0 and words[last] in (".", "!", "?", "please"):
        last -= 1
    article = last - 2 if words[last - 1 : last] in (["whole"], ["entire"]) else last - 1
    return words[last] == "series" and words[max(article, 0)] == "the"


def _series(items: Sequence[Item], words: Sequence[str], at: int) -> int:
    """How many items "the series", "the whole series" takes, which is that of the event spoken of."""
    end = at + 1 + (words[at + 1 : at + 2] in (["whole"], ["entire"]))
    ends = end + 1 >= len(items) or items[end + 1].kind == "punct"
    return end + 1 - at if words[end : end + 1] == ["series"] and ends else 0


def _ours(items: Sequence[Item], words: Sequence[str], at: int) -> int:
    """How many items "our next meeting" has, which is with whoever was spoken of; 0 where it names its people or is called
    something."""
    end = at + 1
    while end < len(items) and (
        lexicon().orders.at(words, end) or words[end] in lexicon().nth or words[end] in ("future", "upcoming")
    ):
        end += 1
    noun = lexicon().nouns.at(words, end)
    if noun is None or noun[1][0] != "event":
        return 0
    end += noun[0]
    return 0 if words[end : end + 1] in (["with"], ["about"], ["called"]) else end - at


BEYOND = frozenset({"later", "earlier", "subsequent", "previous", "remaining"})
"""What is beyond a thing that was spoken of is not that thing."""


def _overlapped(words: Sequence[str], at: int, memory: Memory) -> str:
    """ "What collides with it": the hours that were told with what "it" is, unless its words hold them."""
    verb = at - 2 if words[at - 1] in ("with", "into") else at - 1
    if verb < 0 or words[verb] not in OVERLAPS or memory.when in memory.thing:
        return ""
    return memory.when if hour_of(memory.when, memory.request.setting) else ""


def _period(items: Sequence[Item], at: int, memory: Memory) -> tuple[int, str] | None:
    """ "On those days", "in that period": the time told before; where none was, it is asked for."""
    found = period_at(items, at)
    if found is None:
        return None
    taken, unit = found
    if not memory.when:
        memory.unresolved.append(" ".join(item.text for item in items[at : at + taken]))
        return taken, ""
    told = period_of(memory.when, unit, memory.request.setting)
    return taken, told.removeprefix("on ") if items[at].low.endswith("'s") else told


def _then(items: Sequence[Item], words: Sequence[str], at: int, memory: Memory) -> tuple[int, str] | None:
    """ "at that time", "on that day", "then" behind what is asked: the time spoken of before."""
    if POINTING.isdisjoint(words[at : at + 4]) or not memory.when:
        return None
    if tuple(words[at : at + 3]) == ("at", "that", "time"):
        return 3, memory.when
    for phrase in SAME_DAY:
        if tuple(words[at : at + len(phrase)]) == phrase:
            return len(phrase), day_of(memory.when, memory.request.setting)
    ends = at + 1 == len(items) or items[at + 1].kind == "punct"
    timed = any(item.kind == "time" for item in items)
    moves = bool(set(words[: min(at, 4)]) & PUTTING_OFF)
    if not at or not ends or timed or words[at] not in (("then", "there") if moves or memory.wanted == "" else ("then",)):
        return None
    return 1, f"to {memory.when}" if moves and words[at - 1] != "to" else memory.when


def _ordinal(items: Sequence[Item], words: Sequence[str], at: int, memory: Memory) -> tuple[int, str] | None:
    """ "the second one", "the last two of them", "number 2"."""
    start = at + 1 if words[at] in ("the", "number") else at
    if start >= len(items) or (words[at] not in ("the", "number")):
        return None
    lex = lexicon()
    if words[at] == "number" and words[start].isdigit():
        nth = next((name for name, n in lex.nth.items() if n == int(words[start]) and name.isalpha()), "first")
        return 2, nth
    order = (1, "nth") if words[start] in lex.nth else lex.orders.at(words, start)
    if order is None:
        return None
    end = start + order[0]
    said = " ".join(words[start:end])
    count = ""
    if end < len(items) and (words[end] in lex.numbers or words[end].isdigit()) and words[end] != "one":
        count = f" {words[end]}"
        end += 1
    if end < len(items) and words[end] in ("one", "ones"):
        end += 1
    elif end < len(items) and words[end] == "of" and end + 1 < len(items) and words[end + 1] in ("them", "those", "these"):
        end += 2
        end += (noun := lex.nouns.at(words, end)) is not None and noun[0]
    elif _counted_noun(items, words, start, end, memory):
        end += 1
    elif _names_more(words, end) or (
        end < len(items) and (items[end].kind != "punct" and words[end] not in ("and", "to", "as", "for", "with", "saying"))
    ):
        return None
    return end - at, f"{said}{count}"


def _names_more(words: Sequence[str], at: int) -> bool:
    """ "The second and third mail from Tom": the noun stands behind the last of the places."""
    if words[at : at + 1] not in (["and"], [","]) or at + 2 >= len(words):
        return False
    after = at + 2 if words[at + 1] == "the" else at + 1
    is_order = words[after : after + 1] and (words[after] in lexicon().nth or lexicon().orders.at(words, after) is not None)
    return bool(is_order) and lexicon().nouns.at(words, after + 1) is not None


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
        return taken, f"the {kind} {thing}" if thing.startswith("{") and words[:1] == ["check"] else thing
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


def _together(items: Sequence[Item], at: int, memory: Memory) -> str:
    """ "Anna and Tom": both of them; "" where nobody is named beside."""
    beside = at > 1 and items[at - 1].low in ("and", ",", "&") and items[at - 2].kind in ("person", "name")
    return f"{memory.people or memory.person} and {items[at].text}" if beside else ""


def _person_or_thing(items: Sequence[Item], words: Sequence[str], at: int, memory: Memory) -> tuple[int, str]:
    if any((marker := lexicon().markers.at(words, at - back)) and marker[0] > back for back in (1, 2) if at >= back):
        return 0, ""
    before = words[at - 1] if at else ""
    verb = lexicon().verbs.at(words, at - 1) if at else None
    follows_thing_verb = (
        verb is not None and verb[1].verb in THING_VERBS and verb[0] == 1 and words[at + 1 : at + 2] not in (["off"], ["out"])
    )
    if (
        words[at] == "them"
        and (follows_thing_verb or before == "of")
        and (memory.thing or (memory.request.shown and not memory.person))
    ):
        thing = memory.thing_words("", plural=True)
        return (1, thing) if thing else (0, "")
    if words[at] in ("them", "him", "her") and not memory.person and (there := people_there(memory.thing, memory.noun)):
        return 1, there
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
    if words[at] in ("them", "they") and memory.people:
        return 1, memory.people
    subject = words[at] in ("he", "she")
    another = at > 0 and (_joined_to_another(items, at) or tuple(words[max(at - 2, 0) : at]) in IN_PLACE_OF)
    name = memory.person_before() if another else memory.person_word(subject=subject)
    if not name and words[at] in ("her", "him", "them") and memory.noun == "mail" and memory.thing.startswith("{"):
        answers = before == "to" and words[0] in ("reply", "respond", "answer", "write")
        return 1, f"the mail {memory.thing}" if answers else memory.thing
    if not name:
        if words[at] in ("her", "him", "them"):
            memory.unresolved.append(words[at])
        return 0, ""
    clitic = CLITICS.get(items[at + 1].text.lower().replace("\u2019", "'")) if at + 1 < len(items) else None
    return (2, f"{name} {clitic}") if clitic else (1, name)


IN_PLACE_OF = frozenset({("instead", "of"), ("place", "of")})


def _joined_to_another(items: Sequence[Item], at: int) -> bool:
    """ "To Omar and her": she is somebody else."""
    return at > 1 and items[at - 1].low in ("and", ",") and items[at - 2].kind in ("person", "name", "address")


def _people_of(words: Sequence[str], at: int, memory: Memory) -> tuple[int, str] | None:
    """ "Everyone in it", "both", where people or an event with guests were shown."""
    data = memory.shown
    if data is None or memory.thing:
        return None
    if words[at] in EVERYONE and words[at + 1 : at + 2] and words[at + 1] in ("in", "of", "at", "on") and data.events:
        pointing = words[at + 2 : at + 3] in (["it"], ["that"], ["this"])
        if pointing and not memory.thing:
            memory.used_shown = True
            named = words[at + 3 : at + 4] in (["meeting"], ["event"], ["one"], ["call"])
            return 3 + named, "{shown}"
    if words[at] == "both" and kind_of(data) == "contact" and max(len(data.contacts), len(data.addresses)) == 2:
        memory.used_shown = True
        return 1, "{shown}"
    if words[at] in ("her", "him") and at and words[at - 1] in ("delete", "remove") and len(data.contacts) == 1:
        memory.used_shown = True
        return 1, f"the contact {data.contacts[0].name}"
    return None


EVERYONE = frozenset("everyone everybody people guests attendees participants all".split())


def _several(data: Data, memory: Memory) -> bool:
    """Whether what was shown is about more than one person."""
    mine = {own.email for own in memory.request.setting.me}
    guests = {a.address.email for event in data.events for a in event.attendees} - mine
    return len(data.contacts) > 1 or len(data.addresses) > 1 or len(guests) > 1


POINTING = frozenset({"that", "same", "then", "there"})
THEN = frozenset({"that day", "on that day", "the same day", "on the same day", "same day", "that time", "at that time", "then"})
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
    if words[at] == "that" and _relative(items, words, at):
        return False
    return follower is None or follower.kind in ("punct", "time", "person") or follower.low in FOLLOWERS


def _relative(items: Sequence[Item], words: Sequence[str], at: int) -> bool:
    """ "the mail that Jonas sent": a thing before it, somebody and what they did behind it."""
    thing = items[at - 1].kind in ("word", "name") and words[at - 1] not in TOLD
    did = at + 2 < len(items) and (lexicon().facts.at(words, at + 2) or lexicon().verbs.at(words, at + 2))
    return thing and bool(did) and items[at + 1].kind in ("person", "name")


TOLD = frozenset("tell say know saying says me him her them sure to".split())
