"""What matters most, in one or two sentences: by code, or in a model's words where nothing in them is anybody else's."""

import re
import tomllib
from collections.abc import Iterator
from functools import cache
from importlib.resources import files

from assistant.agents.base import Desk
from assistant.briefing.facts import Briefing, Line, SectionKind
from assistant.briefing.text import plain
from assistant.briefing.wording import INNER, quoted, seen
from assistant.errors import ModelError
from assistant.reasoning.base import Account
from assistant.values import ContextBox, Criterion, Data, Step, Success
from integrations.types import Address

QUOTED = 80
"""Characters of a subject or a title that the lead quotes."""
LONGEST, SENTENCES = 320, 2
NUMBERS = ("No", "One", "Two", "Three", "Four", "Five", "Six", "Seven", "Eight", "Nine", "Ten")
QUOTE = re.compile('[“"]([^“”"]*)[”"]')
WORD = re.compile(r"[^\W\d_]+(?:['\u2019][^\W\d_]+)?")
END = re.compile(r"[.!?](?=\s|$)")
FOREIGN = re.compile(r"[\n\[\]<>`*_#|]|://|@|\bwww\.", re.IGNORECASE)
"""Lines, links, addresses and formatting have no place in a lead."""
DENIAL = re.compile(
    r"\b(?:no|not|none|nothing|nobody|neither|nor|never|without|free|empty|quiet|clear|calm|done)\b|n['\u2019]t\b", re.IGNORECASE
)
"""What is denied may be just what the facts hold."""
WHEN = re.compile(
    r"\b(?:\d\d?:\d\d|today|tomorrow|tonight|yesterday|overdue|(?:mon|tues|wednes|thurs|fri|satur|sun)day"
    r"|january|february|march|april|may|june|july|august|september|october|november|december)\b",
    re.IGNORECASE,
)
COUNT = re.compile(rf"\b(?:{'|'.join(NUMBERS[1:])}|both|several|many|few|(?<!:)\d+(?!\d*:\d))\b", re.IGNORECASE)
ENDINGS = ("'s", "n't", "'re", "'ve", "'ll", "ing", "es", "ed", "s", "d")


async def led(briefing: Briefing, desk: Desk) -> Briefing:
    """With its lead. A model that can't be had, or whose words are not all vouched for, leaves it to code."""
    own = by_code(briefing)
    try:
        said = " ".join((await desk.reasoner.reply(_asked(briefing, own, desk))).split())
    except ModelError:
        said = own
    return briefing.model_copy(update={"lead": said if said == own or vouched(said, briefing) else own})


def _asked(briefing: Briefing, own: str, desk: Desk) -> Account:
    """What looks like phishing is not told to whoever words it."""
    facts = plain(_without_phishing(briefing))
    step = Step(id=1, agent="email", instruction="the briefing", criterion=Criterion(words="what matters most is said"))
    report = Success(data=Data(kind="text", text=facts), confidence=100)
    return Account(text="", box=ContextBox(), steps=(step,), reports={1: report}, setting=desk.setting, lead=own)


def _without_phishing(briefing: Briefing) -> Briefing:
    known = tuple(section for section in briefing.sections if section.kind != "phishing")
    return briefing.model_copy(update={"sections": known, "lead": ""})


def by_code(briefing: Briefing) -> str:
    return " ".join(filter(None, (_inbox(briefing), _calendar(briefing))))


def _inbox(briefing: Briefing) -> str:
    if "inbox" not in briefing.parts:
        return ""
    lines = tuple(_lines(briefing, "answer"))
    if not lines:
        failed, still = any(one.trouble for one in briefing.looked), any(line.mail for line in _lines(briefing, "open"))
        return f"Nothing {'new ' if still else ''}{'that could be read ' if failed else ''}needs an answer."
    all_in_all = len(lines) + sum(section.more for section in briefing.sections if section.kind == "answer")
    what = "One mail needs an answer" if all_in_all == 1 else f"{_number(all_in_all)} mails need an answer"
    first = _first(briefing) or lines[0]
    why = f" ({', '.join(map(seen, first.reasons[:2]))})" if first.reasons else ""
    return f"{what}{':' if all_in_all == 1 else ', above all'} {_named(first)}{why}."


def _calendar(briefing: Briefing) -> str:
    if not {"day", "week"} & set(briefing.parts):
        return ""
    conflicts, agenda = tuple(_lines(briefing, "conflicts")), tuple(_lines(briefing, "agenda"))
    if conflicts:
        what = "One conflict" if len(conflicts) == 1 else f"{_number(len(conflicts))} conflicts, the first"
        return f"{what}: {seen(conflicts[0].text).rstrip('.')}."
    whole = "week" if "week" in briefing.parts else "day"
    timed = [line.event for line in agenda if line.event is not None and not line.event.all_day]
    if not timed:
        return f"Your {whole} holds {'no meetings' if agenda else 'nothing yet'}."
    first = min(timed, key=lambda event: event.start)
    start = first.start.astimezone(briefing.at.tzinfo)
    when = f"{start:%H:%M}" if whole == "day" else f"{start:%H:%M} on {start:%A}"
    if len(timed) == 1:
        return f"Your {whole} holds one event, {quoted(first.title, QUOTED)} at {when}."
    return f"Your {whole} holds {_number(len(timed)).lower()} events, the first at {when}: {quoted(first.title, QUOTED)}."


def _number(count: int) -> str:
    return NUMBERS[count] if count < len(NUMBERS) else f"{count}"


def _first(briefing: Briefing) -> Line | None:
    """What asks most for an answer."""
    return max(_lines(briefing, "answer"), key=lambda line: line.score, default=None)


def _named(line: Line) -> str:
    if line.mail is None:
        return seen(line.text)
    sender = line.mail.sender
    # A name that is a sentence would speak as the briefing does.
    who = (sender.name if PERSON.fullmatch(sender.name) else sender.email) if sender else ""
    subject = quoted(line.mail.subject or "(no subject)", QUOTED)
    return f"{seen(who, QUOTED)}'s {subject}" if who else subject


def _lines(briefing: Briefing, *kinds: SectionKind) -> Iterator[Line]:
    return (line for section in briefing.sections if section.kind in kinds for line in section.lines)


# --- what a model has written


def vouched(lead: str, briefing: Briefing) -> bool:
    """Whether it is a short lead that says nothing in words of its own: others' words stand in quotes as they wrote them, people
    under their names, all the rest is ordinary, and what is counted, dated, denied and named first is as code has it."""
    if not lead or len(lead) > LONGEST or FOREIGN.search(lead):
        return False
    quotes, titles = QUOTE.findall(lead), tuple(map(_folded, _titles(briefing)))
    if not all(any(_folded(quote) in (title, title[:QUOTED].rstrip()) for title in titles) for quote in quotes):
        return False
    rest = QUOTE.sub(" ", lead)
    if len(END.findall(rest)) > SENTENCES or not _as_by_code(lead, rest, briefing):
        return False
    for name in sorted(_names(briefing), key=len, reverse=True):
        rest = re.sub(rf"\b{re.escape(name)}\b(?:['\u2019]s)?", " ", rest)
    return all(map(_is_ordinary, WORD.findall(rest)))


def _as_by_code(lead: str, rest: str, briefing: Briefing) -> bool:
    """`rest` is the lead without its quotes."""
    own, facts = by_code(briefing), plain(_without_phishing(briefing))
    said_by_code = {_folded(part) for part in END.split(own)}
    denied = [part for part in END.split(lead) if DENIAL.search(QUOTE.sub(" ", part))]
    return (
        all(_folded(part) in said_by_code for part in denied)
        and _found(COUNT, rest) <= _found(COUNT, QUOTE.sub(" ", own))
        and _found(WHEN, rest) <= _found(WHEN, facts)
        and _names_the_first(lead, briefing)
    )


def _names_the_first(lead: str, briefing: Briefing) -> bool:
    """Who or what asks most is not kept quiet."""
    first = _first(briefing)
    if first is None or first.mail is None:
        return True
    sender = first.mail.sender
    named = [first.mail.subject[:QUOTED], *((sender.name, sender.name.split(" ")[0], sender.email) if sender else ())]
    return any(_folded(name) in lead.casefold() for name in named if name.strip())


def _found(pattern: re.Pattern[str], text: str) -> frozenset[str]:
    return frozenset(word.casefold() for word in pattern.findall(text))


def _folded(text: str) -> str:
    return INNER.sub("'", seen(text)).casefold().rstrip(".,!?… ")


def _titles(briefing: Briefing) -> Iterator[str]:
    for line in _told(briefing):
        yield from (thing for thing in (line.mail and line.mail.subject, line.event and line.event.title) if thing)


def _told(briefing: Briefing) -> Iterator[Line]:
    return (line for section in briefing.sections if section.kind != "phishing" for line in section.lines)


def _names(briefing: Briefing) -> frozenset[str]:
    """Whole names, and first names, of who wrote or takes part; only what looks like one. And the accounts' names."""
    people = [person for line in _told(briefing) for person in _people(line)]
    names = {person.name for person in people if NAME.fullmatch(person.name)}
    return frozenset(names | {name.split()[0] for name in names} | {one.account for one in briefing.looked})


_CAPITAL = r"[A-ZÀ-ÖØ-Þ][^\W\d_]*(?:[.'\u2019-][^\W\d_]+)*\.?"
NAME = re.compile(rf"{_CAPITAL}(?: {_CAPITAL}){{0,2}}")
_PART = r"(?:[^\W\d_]{1,3}\.|[^\W\d_]+(?:['\u2019-][^\W\d_]+)*)"
PERSON = re.compile(rf"{_PART}(?: {_PART}){{0,3}}")
"""As people and companies of all countries are called; no sentence."""


def _people(line: Line) -> tuple[Address, ...]:
    sender = (line.mail.sender,) if line.mail is not None and line.mail.sender else ()
    return (*sender, *(attendee.address for attendee in (line.event.attendees if line.event is not None else ())))


@cache
def _ordinary() -> frozenset[str]:
    return frozenset(tomllib.loads(files(__package__).joinpath("lead_words.toml").read_text("utf-8"))["words"].split())


def _is_ordinary(word: str) -> bool:
    low = word.lower().replace("\u2019", "'")
    return low in _ordinary() or any(low.endswith(end) and low.removesuffix(end) in _ordinary() for end in ENDINGS)
