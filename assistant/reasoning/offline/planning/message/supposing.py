"""What a condition is said with: "only if" and "in case" are plain ifs, "as soon as" waits for what is to come, and "unless it is
flagged" speaks of the very thing that is acted on."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from assistant.reasoning.base import Setting
from assistant.reasoning.offline.lexicon import lexicon
from assistant.reasoning.offline.reading.entities import mark
from assistant.reasoning.offline.reading.grammar import domain_of, parse
from assistant.reasoning.offline.reading.slots import lows
from assistant.reasoning.offline.reading.text.dictation import dictation
from assistant.reasoning.offline.reading.text.items import Item

NOUNS = {"mail": "mail", "event": "meeting"}
IT = frozenset({"it", "that", "this"})
_ARTICLE = re.compile(r"^(?:the|my|our|a|an) ", re.IGNORECASE)
SAYING_OF = frozenset(
    "is are was were has have 's clashes clash overlaps overlap collides mentions contains starts begins ends".split()
)
LATER = frozenset({"possible", "you", "a", "in", "per", "again", "more"})
"""Behind "as soon as" and "once" no event that is waited for."""


_SUBJECT_HOLDS = re.compile(
    r"\b(?P<opens>if|unless|whether) (?:its|the) subject(?: line)?(?: of (?P<mail>(?:[^'\".,](?!\bif\b)|'s )+?))? "
    r"(?:contains|mentions|includes|has|holds) (?:the (?:word|words|phrase) )?(?P<words>'[^']+'|\"[^\"]+\"|\u201c[^\u201d]+\u201d)",
    re.IGNORECASE,
)
""" "If its subject contains 'X'": what the mail itself has in its subject."""


_WHEN_OVER = re.compile(
    r"(?:^|(?<=[.!?] ))(?:when|once|as soon as) (?P<event>(?:my|our|the) [^.,!?;'\"]+?) (?:is over|ends|is done|finishes),? "
    r"(?:i (?:want|need)|i['\u2019]d like|(?:please )?(?:book|schedule|set up)) (?P<new>(?:\d|an? |half )[^.!?;'\"]+)",
    re.IGNORECASE,
)
""" "When the review is over I need half an hour with Tom": right after it."""


def with_plain_ifs(text: str, setting: Setting) -> str:
    text = _WHEN_OVER.sub(lambda m: f"Book {m['new'].rstrip()} right after {m['event']}", text)
    text = _SUBJECT_HOLDS.sub(lambda m: f"{m['opens']} {m['mail'] or 'it'} has {m['words']} in its subject", text)
    items = mark(text, setting)
    words = lows(items)
    stop, _ = dictation(items)
    found: list[tuple[int, int, str]] = []
    end = 0
    for at in range(len(items) if stop is None else stop):
        match = lexicon().conditions.at(words, at) if at >= end else None
        before, after = words[at - 1 : at], words[at + match[0] : at + match[0] + 1] if match else []
        if match and after and after != ["of"] and before != ["just"]:
            end = at + match[0]
            found.append((items[at].begin, items[end - 1].end, match[1]))
    for begin, stops, plain in reversed(found):
        plain = f"{plain[:1].upper()}{plain[1:]}" if text[begin].isupper() else plain
        text = f"{text[:begin]}{plain}{text[stops:]}"
    return text


CLASHING = frozenset("clash clashes conflict conflicts overlap overlaps collide collides problem affect".split())
FITTING = frozenset("fit fits work works free".split())
SUPPOSED = frozenset({"move", "create", "change", "add", "meet", "resize"})


def supposed(text: str, items: Sequence[Item]) -> str | None:
    """ "If I moved the review to Friday at 2, would it clash with anything?": what is asked is only whether that time is free."""
    words = lows(items)
    if (missed := _missed(items, words)) is not None:
        return f"what do I have {missed.text}?"
    if (
        not text.rstrip().endswith("?")
        or not {"would", "will", "does", "do", "is"} & set(words)
        or not (CLASHING | FITTING) & set(words)
    ):
        return None
    opens = next((n for n in range(len(words) - 2) if words[n] == "if" and words[n + 1] in lexicon().small["me"]), None)
    verb = opens + 2 if opens is not None else 1 if words[0] == "would" else None
    forms = {form.verb for _, form in lexicon().verbs.all_at(words, verb) if not form.base or opens is not None} if verb else set()
    times = [item for item in items if item.time is not None and item.time.kind in ("point", "range")]
    asked = "busy" if CLASHING & set(words) else "free"
    return f"am I {asked} {times[-1].text}?" if forms & SUPPOSED and times else None


MISSING = frozenset("miss missing missed affected cancel skip".split())
AWAY = frozenset("off away out gone absent holiday leave vacation sick ill".split())


def _missed(items: Sequence[Item], words: Sequence[str]) -> Item | None:
    """ "What would I miss if I took Friday off?": the time that is asked about; None where something else is asked."""
    begins = (0, words.index(",") + 1 if "," in words else 0)
    wh = next((n for n in begins if words[n : n + 1] in (["what"], ["which"], ["whom"])), None)
    at = next((n for n in range(len(words) - 2) if words[n] == "if" and words[n + 1] in lexicon().small["me"]), None)
    if wh is None or at is None or not MISSING & set(words[wh:]):
        return None
    behind = items[at:] if at > wh else items[at:wh]
    times = [item for item in behind if item.time is not None and item.time.kind in ("point", "range")]
    return times[0] if len(times) == 1 and AWAY & {item.low for item in behind} else None


def waits(items: Sequence[Item]) -> bool:
    """ "When Tom writes, …", "… as soon as Anna answers": nothing that can be looked at now."""
    words = lows(items)
    table = lexicon().polite["waiting"]
    first = table.at(words, 0) if words else None
    if (
        first is not None
        and (words[0] != "when" or not _asks(words))
        and words[first[0] : first[0] + 1] not in ([], *([w] for w in LATER))
    ):
        return True
    stop, _ = dictation(items)
    for at in range(1, len(items) if stop is None else stop):
        match = table.at(words, at) if words[at] != "when" else None
        if match is not None and at + match[0] < len(items) and _subject(items[at + match[0]]):
            return True
    return False


def _asks(words: Sequence[str]) -> bool:
    return len(words) < 2 or words[1] in lexicon().small["auxiliaries"] | {"'s", "'re", "'d"} or "," not in words


def _subject(item: Item) -> bool:
    return item.kind in ("person", "name") or item.low in ("he", "she", "they", "somebody", "someone", "anybody", "anyone", "there")


def _subject_end(items: Sequence[Item]) -> int:
    """Where the thing ends that a condition begins with: "the invoice from Tom | has an attachment"; 0 where it is none."""
    words, small = lows(items), lexicon().small
    owned = len(items) > 1 and items[0].kind in ("person", "name") and words[1] == "'s"
    if not owned and words[0] not in small["articles"]:
        return 0
    return next((n for n in range(2, len(items)) if words[n] in SAYING_OF and (words[n] != "'s" or n > 2)), 0)


@dataclass(frozen=True, slots=True)
class OnIt:
    """A deed under a condition on what it is done to: what finds that thing ("" where it was shown), the condition and the deed."""

    find: str
    condition: str
    deed: str


def on_it(deed: str, condition: str, setting: Setting) -> OnIt | None:
    """ "archive the last mail from Anna", "it is flagged": None where it is not one single mail or event."""
    found = parse(deed, setting)
    call = found.call
    noun = NOUNS.get(domain_of(call.operation)) if call is not None else None
    if call is None or noun is None or call.select.each or found.thing is None:
        return None
    thing = deed[found.thing[0] : found.thing[1]].strip(" ,")
    said = f"that {noun} {condition.partition(' ')[2]}"
    if thing.lower() in IT:
        return OnIt("", said, deed)
    again = f"{deed[: found.thing[0]]}it{deed[found.thing[1] :]}"
    return OnIt(_finding(thing, noun), said, again)


def _finding(thing: str, noun: str) -> str:
    """The look-up of a thing, with a noun that says what it is."""
    words = thing.lower().split()
    if noun == "mail" or any(lexicon().nouns.at(words, at) for at in range(len(words))):
        return f"find {thing}{'' if noun == 'mail' else ' in my calendar'}"
    return f"find the {noun} {_ARTICLE.sub('', thing)} in my calendar"


def on_thing(deed: str, condition: Sequence[Item], text: str, setting: Setting) -> OnIt | None:
    """ "if the invoice from Tom has an attachment, forward it": the thing is found first, where it can't be looked at at once."""
    end = _subject_end(condition)
    call = parse(deed, setting).call
    noun = NOUNS.get(domain_of(call.operation)) if call is not None else None
    said = parse(f"check whether {text[condition[0].begin : condition[-1].end]}", setting).call
    readable = said is not None and said.operation not in ("mail.answer", "event.clashes", "mail.find")
    if not end or noun is None or readable or not IT & {item.low for item in mark(deed, setting)}:
        return None
    thing = text[condition[0].begin : condition[end - 1].end]
    return OnIt(_finding(thing, noun), f"that {noun} {text[condition[end].begin : condition[-1].end]}", deed)
