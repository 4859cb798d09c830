"""Which thing "it", "that mail", "the second one", "its number" and "the series" are."""

import re
from collections.abc import Sequence

from assistant.reasoning.offline.lexicon import lexicon
from assistant.reasoning.offline.planning.talk.memory import NOUN_OF_KIND, Memory
from assistant.reasoning.offline.planning.talk.ones import compared_at, named_alike, new_one, one_at, others_at
from assistant.reasoning.offline.reading.entities import mark
from assistant.reasoning.offline.reading.frames import strip_openers
from assistant.reasoning.offline.reading.text.items import PERSONAL, Item, text_of

PLURAL = frozenset({"them", "those", "these", "ones", "all of them", "both"})
BEYOND = frozenset({"later", "earlier", "subsequent", "previous", "remaining"})
"""What is beyond a thing that was spoken of is not that thing."""
LINKS = frozenset({"and", "or", "but", "is", "was", "are", "then"})
ARTICLE = re.compile(r"^(?:the|my|our|that|this) ", re.IGNORECASE)
FOLLOWERS = frozenset("to as for and with from on at back please up by saying into in".split())
TOLD = frozenset("tell say know saying says me him her them sure to".split())
FITTING = frozenset({"fit", "fits", "holds", "takes"})


def of_two(items: Sequence[Item], words: Sequence[str], at: int, memory: Memory) -> tuple[int, str] | None:
    """ "The newer one" of two."""
    taken, order = compared_at(words, at)
    if not taken:
        return None
    meant = memory.of_two(order)
    if not meant:
        memory.unresolved.append(" ".join(words[at : at + taken]))
    return (taken, meant) if meant else (0, "")


def more_of_it(items: Sequence[Item], words: Sequence[str], at: int, memory: Memory) -> tuple[int, str] | None:
    """ "Who else is coming?", "who else got it?" of the event or the mail shown."""
    if words[at] == "who" and memory.guests_asked(words):
        return len(items) - at, f"who is in {memory.thing_words('event')}"
    if words[at] == "who" and memory.recipients_asked(words):
        return len(items) - at, f"read {memory.thing_words('mail')}"
    return None


CLASHING = frozenset(
    "overlap overlaps overlapping clash clashes clashing collide collides conflict conflicts conflicting coincide".split()
)
THEY_CLASH = CLASHING | frozenset(
    """do does do n't not those these they the two three both all of them it each other one another with there an any a between is
    are be at same time now so and right in any way actually really then , ? .""".split()
)
SEVERAL = frozenset({"they", "those", "these", "them", "two", "three", "both"})


def each_other(items: Sequence[Item], words: Sequence[str], at: int, memory: Memory) -> tuple[int, str] | None:
    """ "Do those two overlap?", "are they at the same time?" of the events shown last."""
    said = {part for word in words for part in word.split()}
    place = next((n for n, shown in enumerate(memory.request.shown) if len(shown.data.events) > 1), None)
    asks = CLASHING & said or {"same", "time"} <= said
    if not asks or memory.thing or place is None or not (SEVERAL & said and said <= THEY_CLASH):
        return None
    memory.used_shown = True
    return len(items) - at, f"do the events {{shown{place or ''}}} overlap?"


HOW_MANY = re.compile(r"\W*(?:(?:and|so|now|ok|okay|then|but|right|well)\b\W*)*how many\b", re.IGNORECASE)
LEFT_OVER = re.compile(
    r"\b(?:(?:does|do|will|would) (?:that|this|it|which) (?:leave|make)(?: (?:me|us))?(?: with)?"
    r"|(?:are|is|have i got|do i have|have i) (?:still )?(?:left(?: over)?|remaining|to go)|(?:will |still )?(?:remain|be left))\b",
    re.IGNORECASE,
)


UNREAD_ONES = re.compile(r"\bunread ones\b", re.IGNORECASE)
"""All that are left, not those of a list that was shown."""


def left_over(text: str) -> str:
    """ "How many does that leave?", "how many are left?": how many there are."""
    if not HOW_MANY.match(text):
        return text
    plain = LEFT_OVER.sub("are there", text, count=1)
    return UNREAD_ONES.sub("unread mails", plain) if plain != text else text


def others(items: Sequence[Item], words: Sequence[str], at: int, memory: Memory) -> tuple[int, str] | None:
    """ "The others" of a list."""
    taken = others_at(items, words, at)
    rest = memory.rest_words() if taken else ""
    return (taken, rest) if rest else None


def placed(items: Sequence[Item], words: Sequence[str], at: int, memory: Memory) -> tuple[int, str] | None:
    """ "The second one", "the last two of them", "number 2" of what was spoken of or shown."""
    ordinal = _ordinal(items, words, at, memory)
    if ordinal is None:
        return None
    taken, order = ordinal
    thing = memory.thing_words("", order)
    behind = items[at + taken] if at + taken < len(items) else None
    narrowed = behind is not None and (behind.kind == "time" or lexicon().markers.at(words, at + taken) is not None)
    if not thing and memory.thing and memory.noun and narrowed:
        thing = f"the {order} {memory.noun}"
    if not thing:
        memory.unresolved.append(f"the {order} one")
    return taken, thing


def beyond(items: Sequence[Item], words: Sequence[str], at: int, memory: Memory) -> tuple[int, str] | None:
    """ "The later ones": of these nothing is known."""
    if words[at] != "the" or words[at + 1 : at + 2] == [] or words[at + 1] not in BEYOND:
        return None
    if words[at + 2 : at + 3] not in (["one"], ["ones"]):
        return None
    memory.unresolved.append(f"the {words[at + 1]} {words[at + 2]}")
    return 3, ""


def one_described(items: Sequence[Item], words: Sequence[str], at: int, memory: Memory) -> tuple[int, str] | None:
    """ "Another one with Tom" is new; "the one about bridges" is among those spoken of."""
    if fresh := new_one(words, at):
        return fresh, _new_one(memory)
    if (one := one_at(items, words, at)) is None:
        return None
    thing = memory.one_words(one)
    if not thing:
        memory.unresolved.append(" ".join(item.text for item in items[at : at + one.taken]))
    return (one.taken, thing) if thing else (0, "")


def field_changed(items: Sequence[Item], words: Sequence[str], at: int, memory: Memory) -> tuple[int, str] | None:
    """ "Change it to 555 0199": the field that was asked for."""
    pointed = words[at] in ("it", "that") and at and words[at - 1] in lexicon().small["corrects"]
    field = memory.field_shown(items, at) if pointed else ""
    return (1, field) if field else None


def ours(items: Sequence[Item], words: Sequence[str], at: int, memory: Memory) -> tuple[int, str] | None:
    """ "Our next meeting": with whoever was spoken of."""
    taken = _ours(items, words, at) if words[at] == "our" and memory.person else 0
    said = " ".join(item.text for item in items[at : at + taken])
    return (taken, f"{said} with {memory.before or memory.person}") if taken else None


def series(items: Sequence[Item], words: Sequence[str], at: int, memory: Memory) -> tuple[int, str] | None:
    """ "The (whole) series" of the event spoken of."""
    named = words[at] == "the" and memory.thing and not memory.thing.startswith("{")
    length = _series(items, words, at) if named else 0
    return (length, f"the whole {ARTICLE.sub('', memory.thing)} series") if length else None


def both(items: Sequence[Item], words: Sequence[str], at: int, memory: Memory) -> tuple[int, str] | None:
    named = at + 1 < len(items) and items[at + 1].kind in PERSONAL
    if words[at] == "both" and named:
        return 0, ""
    if words[at] != "both" or memory.thing or not _stands_alone(items, words, at):
        return None
    two = memory.both_words()
    if not two:
        memory.unresolved.append("both")
    return (1, two) if two else (0, "")


def original(items: Sequence[Item], words: Sequence[str], at: int, memory: Memory) -> tuple[int, str] | None:
    """ "Forward it and delete the original": the mail that was spoken of."""
    if words[at] != "the" or words[at + 1 : at + 2] != ["original"] or memory.noun != "mail" or not memory.thing:
        return None
    named = words[at + 2 : at + 3] in (["mail"], ["email"], ["message"], ["one"])
    ends = at + 2 + named >= len(items) or words[at + 2 + named] in FOLLOWERS or items[at + 2 + named].kind == "punct"
    return (2 + named, memory.thing_words("")) if ends else None


def pronoun(items: Sequence[Item], words: Sequence[str], at: int, memory: Memory) -> tuple[int, str] | None:
    """ "It", "those" where they are a whole object."""
    low = words[at]
    if low == "it" and at > 1 and words[at - 1] in FITTING and words[at - 2] in ("that", "which", "to", "can"):
        return None
    naming = low in ("it", "that", "this") and at > 0 and words[at - 1] in ("call", "name", "title")
    opens = naming and not strip_openers(items[: at - 1], lexicon().polite["openers"])[0]
    if naming and not opens and at > 1 and words[at - 2] in ("and", ","):
        return None
    pointing = low in ("it", "this", "that", "those", "these", "both")
    if not opens and not (pointing and _stands_alone(items, words, at)):
        return None
    thing = memory.thing_words("", plural=low in PLURAL)
    if not thing:
        memory.unresolved.append(low)
    return (1, thing) if thing else (0, "")


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


def _new_one(memory: Memory) -> str:
    """ "Book another one with Tom": an event of the same name, or any where none has been named."""
    if memory.thing and not memory.thing.startswith("{") and memory.noun in ("event", ""):
        return named_alike(memory.thing, mark(memory.thing, memory.request.setting)) or "a meeting"
    events = memory.shown.events if memory.shown is not None and not memory.thing else ()
    if len(events) == 1 and '"' not in events[0].title:
        memory.used_shown = True
        return f'an event called "{events[0].title}"'
    return "a meeting"


def demonstrative(items: Sequence[Item], words: Sequence[str], at: int, memory: Memory) -> tuple[int, str] | None:
    """ "that mail", "this meeting", "these participants"; not "this week" nor "that" before a clause."""
    if words[at] not in ("this", "that", "these", "those") or at + 1 >= len(items):
        return None
    noun = lexicon().nouns.at(words, at + 1)
    if noun is not None and noun[1][0] in ("mail", "newsletter", "event", "occasion", "contact", "draft", "reply", "invitation"):
        if noun[1][0] == "mail" and ":" in words[at:]:
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
    if noun is None and words[at + 1] in lexicon().small["raised"] and (thing := _mail_at_hand(memory)):
        return 2, thing
    if words[at + 1] in ("participants", "attendees", "guests", "people"):
        if memory.request.shown:
            memory.used_shown = True
            return 2, "{shown}"
        memory.unresolved.append(f"{words[at]} {words[at + 1]}")
    return None


def _mail_at_hand(memory: Memory) -> str:
    """What "this complaint" calls so: the one mail that was shown, or that the message has found."""
    data = memory.shown
    if memory.thing:
        return memory.thing_words("mail") if memory.noun == "mail" else ""
    return memory.thing_words("mail") if data is not None and len(data.mails) == 1 else ""


OF_EVENT = frozenset({"place", "length"})
"""What only an event has: "its venue", "its length"."""


def its(items: Sequence[Item], words: Sequence[str], at: int, memory: Memory) -> tuple[int, str] | None:
    """ "its reference number": that of the thing which was spoken of."""
    if words[at] != "its":
        return None
    end = at + 1
    while end < len(items) and items[end].kind in ("word", "name", "number"):
        if lexicon().markers.at(words, end) or words[end] in LINKS:
            break
        end += 1
    noun = lexicon().nouns.at(words, at + 1)
    thing = memory.thing_words("event" if noun is not None and noun[1][0] in OF_EVENT else "") if end > at + 1 else ""
    return (end - at, f"the {text_of(items[at + 1 : end])} of {thing}") if thing else None


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
    return follower is None or follower.kind in ("punct", "time", "person") or follower.low in FOLLOWERS or _clashes(words, at)


def _clashes(words: Sequence[str], at: int) -> bool:
    """ "Does that overlap with anything?"; not "everything that overlaps with it"."""
    return words[at - 1] in ("do", "does", "did") and words[at + 1] in CLASHING


def _relative(items: Sequence[Item], words: Sequence[str], at: int) -> bool:
    """ "the mail that Jonas sent": a thing before it, somebody and what they did behind it."""
    thing = items[at - 1].kind in ("word", "name") and words[at - 1] not in TOLD
    known = at + 2 < len(items) and (lexicon().facts.at(words, at + 2) or lexicon().verbs.at(words, at + 2))
    did = known or (at + 2 < len(items) and words[at + 2].endswith("ed"))
    return thing and bool(did) and items[at + 1].kind in ("person", "name")


def whole_series(words: Sequence[str], last: int) -> bool:
    """Whether "the (whole) series" ends there."""
    while last > 0 and words[last] in (".", "!", "?", "please"):
        last -= 1
    article = last - 2 if words[last - 1 : last] in (["whole"], ["entire"]) else last - 1
    return words[last] == "series" and words[max(article, 0)] == "the"
