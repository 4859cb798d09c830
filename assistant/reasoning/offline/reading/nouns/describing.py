"""People who are described: "Ms Weiss", "Daniel from City Planning", "everyone at Acme", "all managers", "the guests of the
review". Each description becomes one item, so that it can stand wherever a name can."""

from collections.abc import Callable, Sequence
from dataclasses import replace

from assistant.reasoning.base import Setting
from assistant.reasoning.offline.lexicon import lexicon
from assistant.reasoning.offline.reading.nouns.attending import attendance
from assistant.reasoning.offline.reading.nouns.authors import authorship
from assistant.reasoning.offline.reading.text.items import Item, as_written, text_of

LONGEST = 6
"""Words of a company's name or of a job."""


def with_descriptions(items: Sequence[Item], setting: Setting) -> tuple[Item, ...]:
    result: list[Item] = []
    words = _lows(items)
    at = 0
    while at < len(items):
        as_one = "as" in words[max(at - 2, 0) : at]
        length = 0 if as_one else next((taken for rule in RULES if (taken := rule(items, words, at, setting))), 0)
        if length:
            result.append(_person(items[at : at + length]))
        else:
            result.append(items[at])
        at += length or 1
    return tuple(result)


def _person(span: Sequence[Item]) -> Item:
    text = text_of([replace(item, text=as_written(item)) for n, item in enumerate(span) if not n or item.low != "the"])
    return replace(span[0], kind="person", text=text, low=text.lower(), end=span[-1].end)


def _titled(items: Sequence[Item], words: Sequence[str], at: int, setting: Setting) -> int:
    """ "Mr Brandt", "dr. weiss": a form of address belongs to the name behind it."""
    if items[at].kind not in ("word", "name") or items[at].low.rstrip(".") not in lexicon().small["honorifics"]:
        return 0
    named = items[at + 1 : at + 2] and items[at + 1].kind in ("person", "name")
    return 2 if named else 0


def _of_company(items: Sequence[Item], words: Sequence[str], at: int, setting: Setting) -> int:
    """ "Daniel from City Planning", "everyone at Acme", "all my contacts at Acme", "the clerk at City Planning"."""
    head, everyone = _head(items, words, at, setting)
    place = at + head
    if not head or place + 1 >= len(items):
        return 0
    length = lexicon().people["working"].at(words, place)
    if length is None or (items[place].low == "in" and not everyone):
        return 0
    begin = place + length[0]
    begin += begin < len(items) and items[begin].low == "the"
    company = phrase_at(items, begin, setting.companies)
    if not company and everyone and (group := phrase_at(items, begin, frozenset(name.lower() for name in setting.groups))):
        named = begin + group
        return named - at + (words[named : named + 1] in (["group"], ["team"]))
    if not company:
        return 0
    if items[place].low == "at" and items[at].kind in ("person", "name") and not _shared(items[at].low, setting):
        return 0
    return begin + company - at


def _head(items: Sequence[Item], words: Sequence[str], at: int, setting: Setting) -> tuple[int, bool]:
    """How many items name the person or people before "at Acme", and whether they are all who are there."""
    if items[at].kind in ("person", "name"):
        return 1, False
    if (everyone := lexicon().people["everyone"].at(words, at)) is not None:
        cards = any("contact" in word for word in words[at : at + everyone[0]])
        spoken_to = at > 0 and words[at - 1] in lexicon().small["person_cues"]
        return (everyone[0], True) if spoken_to or not cards else (0, False)
    start = at + (words[at] in lexicon().small["articles"] or words[at] in lexicon().small["each"])
    job = phrase_at(items, start, setting.jobs) or _job(items, start) if start > at else 0
    return (start - at + job, False) if job else (0, False)


def _shared(name: str, setting: Setting) -> bool:
    """Whether several people are called so: where somebody alone is, "at" is where to meet them."""
    return sum(name in known.lower().split() for known in setting.names) > 1


def _all_of_a_job(items: Sequence[Item], words: Sequence[str], at: int, setting: Setting) -> int:
    """ "all managers", "every site manager"."""
    if words[at] not in ("all", "every", "each"):
        return 0
    start = at + 1
    start += words[start : start + 1] in (["the"], ["my"], ["our"])
    length = phrase_at(items, start, setting.jobs) or _job(items, start)
    return start - at + length if length and (words[at] != "all" or words[start + length - 1].endswith("s")) else 0


def _one_of_a_job(items: Sequence[Item], words: Sequence[str], at: int, setting: Setting) -> int:
    """ "to the site manager", "the site manager's number": what a card says, where somebody is spoken to or of."""
    if words[at] not in ("the", "my", "our"):
        return 0
    length = phrase_at(items, at + 1, setting.jobs)
    behind = words[at + 1 + length] if length and at + 1 + length < len(items) else ""
    of_field = at > 1 and words[at - 1] == "of" and words[at - 2] in lexicon().fields
    if behind != "'s" and not (at and words[at - 1] in lexicon().small["person_cues"]) and not of_field:
        return 0
    return 0 if not length or (behind and lexicon().nouns.at(words, at + 1 + length)) else 1 + length


def _job(items: Sequence[Item], at: int) -> int:
    jobs = lexicon().small["jobs"]
    low = items[at].low if at < len(items) and items[at].kind in ("word", "name") else ""
    return 1 if low in jobs or low.removesuffix("s") in jobs else 0


def _guests(items: Sequence[Item], words: Sequence[str], at: int, setting: Setting) -> int:
    """ "the guests of tomorrow's review", "everyone who is coming to the lunch with Tom"."""
    lex = lexicon()
    match = lex.people["guests"].at(words, at) or lex.people["host"].at(words, at)
    if match is None or (at and words[at - 1] in ("is", "are", "was", "were", "'s", "as")):
        return 0
    begin = end = at + match[0]
    while end < len(items) and items[end].kind not in ("punct", "quote") and not _leaves(words, end):
        end += 1
    nouns = [noun[1][0] for n in range(begin, end) if (noun := lex.nouns.at(words, n))]
    return end - at if nouns[-1:] and nouns[-1] in EVENTS else 0


def _leaves(words: Sequence[str], at: int) -> bool:
    marker = lexicon().markers.at(words, at)
    return words[at] in ("that", "if", "whether", "and") or (marker is not None and marker[1] not in ("with", "on", "at", "in"))


def guests_of(text: str) -> tuple[str, bool] | None:
    """The words for the event whose guests a description means, and whether it means its host alone."""
    words = text.lower().split()
    for kind in ("host", "guests"):
        match = lexicon().people[kind].at(words, 0)
        if match and any(
            (noun := lexicon().nouns.at(_plain(words), n)) and noun[1][0] in EVENTS for n in range(match[0], len(words))
        ):
            return " ".join(text.split()[match[0] :]), kind == "host"
    return None


def is_everyone(text: str, setting: Setting) -> bool:
    """Whether a description is of all people of a company or a job."""
    words = text.lower().split()
    if (
        words
        and words[0] in ("all", "every", "each")
        and (" ".join(words[1:]).removesuffix("s") in setting.jobs or words[-1].removesuffix("s") in lexicon().small["jobs"])
    ):
        return True
    everyone = lexicon().people["everyone"].at(words, 0)
    place = everyone[0] if everyone else 0
    joint = lexicon().people["working"].at(words, place) if place and place < len(words) else None
    return joint is not None and " ".join(words[place + joint[0] :]).removeprefix("the ") in setting.companies


EVENTS = ("event", "occasion")


def _plain(words: Sequence[str]) -> list[str]:
    return [word.removesuffix("'s").removesuffix("\u2019s") for word in words]


def phrase_at(items: Sequence[Item], at: int, known: frozenset[str]) -> int:
    """How many items from `at` are one of these phrases; the last word may be a plural."""
    for length in range(min(LONGEST, len(items) - at), 0, -1):
        span = items[at : at + length]
        if all(item.kind in ("word", "name", "person", "number", "punct") for item in span):
            text = text_of(span).lower()
            if text in known or (text.endswith("s") and text[:-1] in known):
                return length
    return 0


def _lows(items: Sequence[Item]) -> list[str]:
    return [item.low if item.kind in ("word", "number", "punct", "name") else "\0" for item in items]


def _attending(items: Sequence[Item], words: Sequence[str], at: int, setting: Setting) -> int:
    found = attendance(items, words, at) or authorship(items, words, at, setting.now)
    return found.length if found is not None else 0


RULES: tuple[Callable[[Sequence[Item], Sequence[str], int, Setting], int], ...] = (
    _titled,
    _attending,
    _of_company,
    _guests,
    _all_of_a_job,
    _one_of_a_job,
)
"""Each says how many items from a place are a description, 0 where none begins there; the first that knows one decides."""
