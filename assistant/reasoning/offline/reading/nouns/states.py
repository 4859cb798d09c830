"""Words that narrow a selection: states, folders, orders, how long and with how many."""

from collections.abc import Sequence
from datetime import timedelta
from typing import Any, Literal

from assistant.reasoning.calls import CROWD
from assistant.reasoning.offline.lexicon import lexicon
from assistant.reasoning.offline.reading.slots import exact_length
from assistant.reasoning.offline.reading.text.items import Item

Domain = Literal["mail", "event", "contact", "template"]
Order = Literal["first", "oldest", "last", "next", "nth", "nth_last"]
OF_EVENTS = frozenset({"all_day", "unanswered", "recurring", "answer", "guests", "host"})
OF_MAILS = frozenset({"unread", "flagged", "has_attachment", "unanswered", "bulk", "attached", "addressed", "known", "folder"})
ONLY_OF_MAILS = frozenset({"new", "open", "pending"})
MAILISH = frozenset({"mail", "newsletter"})


def state_at(items: Sequence[Item], words: Sequence[str], at: int, domain: Domain, select: dict[str, Any]) -> int:
    """Notes in `select` what the words at `at` narrow it to; how many items they take, 0 where they say nothing of the kind."""
    if at >= len(items) or items[at].kind not in ("word", "number", "name"):
        return 0
    if items[at].kind != "name":
        if domain == "event" and (length := _size(items, words, at, select)):
            return length
        if (order := order_at(items, words, at)) is not None:
            if "order" in select and (places := (*_places(select), *_places({"order": order[1], "number": order[2]}))):
                select["order"], select["number"], select["places"] = "nth", max(places), places
                return order[0]
            taken, select["order"], select["number"] = order
            return taken
        if length := _folder(items, words, at, domain, select):
            return length
    return named_state(words, at, domain, select) or _loose(words, at, domain, select)


def named_state(words: Sequence[str], at: int, domain: Domain, select: dict[str, Any]) -> int:
    """A state of the lexicon, where things of this domain can be in it."""
    for length, (state, setting) in lexicon().states.all_at(words, at):
        if not applies(state, domain) or (words[at] in ONLY_OF_MAILS and domain != "mail" and not _of_invitations(words, at)):
            continue
        select[state] = tuple(setting) if isinstance(setting, list) else setting
        if state == "bulk":
            select["each"] = words[at].endswith("s") or select.get("each", False)
        if state == "attached":
            select["has_attachment"] = True
        return length
    return 0


def _of_invitations(words: Sequence[str], at: int) -> bool:
    """ "Open invitations", "which invites are still pending?": to be answered."""
    nouns = (lexicon().nouns.at(words, n) for n in range(len(words)))
    return words[at] != "new" and any(noun is not None and noun[1][0] == "invitation" for noun in nouns)


def applies(state: str, domain: Domain) -> bool:
    return state in {"mail": OF_MAILS, "event": OF_EVENTS}.get(domain, frozenset())


def _loose(words: Sequence[str], at: int, domain: Domain, select: dict[str, Any]) -> int:
    if domain == "event" and words[at] in ("future", "series"):
        select["each"] = True
        return 1
    if words[at] in ("whole", "entire", "full"):
        return 1
    if domain == "mail" and words[at] == "read" and (noun := lexicon().nouns.at(words, at + 1)) and noun[1][0] in MAILISH:
        select["unread"] = False
        return 1
    return 0


def _folder(items: Sequence[Item], words: Sequence[str], at: int, domain: Domain, select: dict[str, Any]) -> int:
    """ "my sent mails", "in the archive"; not "the mail I sent" and not "sent me"."""
    match = lexicon().folders.at(words, at)
    if match is None or domain != "mail":
        return 0
    if words[at] in ("sent", "archive", "bin") and at + 1 < len(items) and words[at + 1] in lexicon().small["me"]:
        return 0
    select["folder"] = match[1]
    return match[0]


def _places(select: dict[str, Any]) -> tuple[int, ...]:
    """The places that an order stands for, counted from the end where they are below nothing."""
    if "places" in select:
        return tuple(select["places"])
    order, number = select["order"], select["number"]
    if order in ("first", "oldest", "next"):
        return tuple(range(1, number + 1))
    if order == "last":
        return tuple(range(-number, 0))
    return (number,) if order == "nth" else (-number,) if order == "nth_last" else ()


def order_at(items: Sequence[Item], words: Sequence[str], at: int) -> tuple[int, Order, int] | None:
    """How many items an order takes, its name and its number."""
    lex = lexicon()
    if (back := lex.from_the_end.at(words, at)) is not None:
        return back[0], "nth_last", back[1]
    count = lex.numbers.get(words[at]) or (int(words[at]) if words[at].isdigit() else 0)
    if count and at + 1 < len(items) and (later := lex.orders.at(words, at + 1)):
        return 1 + later[0], later[1], count
    if words[at] in lex.nth:
        return 1, "nth", lex.nth[words[at]]
    match = lex.orders.at(words, at)
    if match is None:
        return None
    length, name = match
    follower = words[at + length] if at + length < len(items) else ""
    number = lex.numbers.get(follower) or (int(follower) if follower.isdigit() else 0)
    if number and follower != "one":
        return length + 1, name, number
    return length, name, 1


MOST_COUNTED, NEAR = 12, 3
"""Higher numbers are parts of names, as are those that stand farther from the noun."""
COUNTED = frozenset({"mail", "newsletter", "reply", "draft", "event", "occasion", "invitation"})


def counted_at(items: Sequence[Item], words: Sequence[str], at: int, domain: Domain) -> int:
    """How many "the two unread mails", "both meetings" are; 0 where no number stands before a plural noun of mails or events."""
    lex = lexicon()
    both = words[at] == "both"
    number = 2 if both else lex.numbers.get(words[at]) or (int(words[at]) if words[at].isdigit() else 0)
    if domain not in ("mail", "event") or items[at].kind not in ("word", "number") or not 1 <= number <= MOST_COUNTED:
        return 0
    led = at == 0 or both or words[at - 1] in lex.small["articles"] | lex.small["each"] | {"'s"}
    if not led or words[at] == "one" or order_at(items, words, at) is not None:
        return 0
    for place in range(at + 1, min(at + 1 + NEAR, len(items))):
        noun = lex.nouns.at(words, place)
        if noun is not None and noun[1][0] in COUNTED:
            return number if noun[1][1] else 0
        if items[place].kind not in ("word", "name", "person") and words[place] != "'s":
            return 0
    return 0


OTHERS = frozenset({"people", "persons", "others", "guests", "participants", "attendees", "person", "guest", "colleagues"})
LEAST, MOST = timedelta(), timedelta(days=3650)


LASTING = frozenset(
    "last lasts lasting take takes taking run runs running is are 's that which who going goes go on for of they".split()
)
"""Words between an event and "more than an hour"."""
LONGER, SHORTER = frozenset({"longer", "more", "over", "above"}), frozenset({"shorter", "less", "under", "below"})


def compared_length(items: Sequence[Item], at: int) -> int:
    """How many items "longer than an hour", "that last over 90 minutes" take; 0 where none stands here."""
    end = at
    while end < len(items) and items[end].kind == "word" and items[end].low in LASTING:
        end += 1
    if end + 1 >= len(items) or items[end].low not in LONGER | SHORTER:
        return 0
    than = items[end + 1].low == "than"
    spec = items[end + 1 + than].time if end + 1 + than < len(items) else None
    plain = than or items[end].low not in ("longer", "more", "shorter", "less")
    return end + 2 + than - at if plain and spec is not None and spec.kind == "duration" and spec.duration is not None else 0


def _size(items: Sequence[Item], words: Sequence[str], at: int, select: dict[str, Any]) -> int:
    """ "longer than an hour"; "more than three people", "at least two others"."""
    if taken := compared_length(items, at) or exact_length(items, at):
        length = next(item.time.duration for item in reversed(items[at : at + taken]) if item.time is not None)
        assert length is not None
        said = set(words[at : at + taken])
        select["lasting"] = (length, MOST) if LONGER & said else (LEAST if SHORTER & said else length, length)
        return taken
    if (best := lexicon().superlatives.at(words, at)) is not None and best[1] in ("longest", "shortest"):
        select["order"], select["number"] = best[1], 1
        return best[0]
    opening = " ".join(words[at : at + 2])
    if opening not in ("more than", "less than", "fewer than", "at least", "at most") or at + 3 >= len(items):
        return 0
    number = lexicon().numbers.get(words[at + 2]) or (int(words[at + 2]) if words[at + 2].isdigit() else 0)
    other = words[at + 3] == "other"
    if not number or words[at + 3 + other : at + 4 + other] == [] or words[at + 3 + other] not in OTHERS:
        return 0
    select["guests"] = {
        "more than": (number + 1, CROWD), "at least": (number, CROWD), "at most": (0, number),
    }.get(opening, (0, number - 1))  # fmt: skip
    return 4 + other
