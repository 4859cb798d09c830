"""Instructions as people read them: names in the place of references."""

import re
from collections.abc import Callable, Iterable, Mapping

from assistant.values import Data
from integrations.types import Mail

MOST_NAMED, LONGEST = 3, 60
NOUN = r"(?:mail|event|contact|draft)"
PLACE = re.compile(rf"(?P<of>\bof )?(?P<noun>\b{NOUN}(?P<several>s)? )?\{{(?P<ref>\w+)\}}", re.IGNORECASE)


def itself(ref: str) -> str:
    """For the result of a step, and for what the user is still to say."""
    return "it" if ref.isdigit() else "…"


def named(words: str, results: Mapping[str, Data], unfound: Callable[[str], str] = itself) -> str:
    """`results` by reference; `unfound` says what a reference to nobody is called."""

    def put(found: re.Match[str]) -> str:
        of, noun, ref = found["of"] or "", found["noun"] or "", found["ref"].lower()
        data = results.get(ref)
        if ref.startswith(("shown", "line")):
            # "The second mail of “Lunch”" would be no mail at all.
            names = "" if of and not noun else _listed(_names(data, noun)) if data else ""
            shown = f"that {'were' if found['several'] else 'was'} shown" if noun else "what was shown"
            return f"{of}{noun}{names or shown}"
        people = _listed(_people(data)) if data else ""
        return f"{of}{noun}{people or ('the proposal' if ref == 'proposal' else unfound(ref))}"

    return PLACE.sub(put, words)


def _names(data: Data, noun: str) -> list[str]:
    """Of the things that the noun is for; without one of those the result is of."""
    mails = [_mail(mail) for mail in data.mails]
    events = [_quoted(event.title, "(no title)") for event in data.events]
    people = _people(data)
    by_kind = {"mail": mails, "draft": mails, "event": events, "contact": people}
    if noun:
        return by_kind[noun.strip().lower().removesuffix("s")]
    return by_kind.get(data.kind.removesuffix("s")) or mails or events or people


def _people(data: Data) -> list[str]:
    addresses = [_line(address.name or str(address.email)) for address in data.addresses]
    return addresses or [_line(contact.name) for contact in data.contacts]


def _mail(mail: Mail) -> str:
    sender = f" from {_line(mail.sender.name or str(mail.sender.email))}" if mail.sender else ""
    return f"{_quoted(mail.subject, '(no subject)')}{sender}"


def _quoted(text: str, nothing: str) -> str:
    return f"“{line}”" if (line := _line(text)) else nothing


def _line(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= LONGEST else f"{line[: LONGEST - 1].rstrip()}…"


def _listed(names: Iterable[str]) -> str:
    every = list(dict.fromkeys(names))
    said = every[:MOST_NAMED]
    if len(every) > MOST_NAMED:
        said.append(f"{len(every) - MOST_NAMED} more")
    return " and ".join(filter(None, (", ".join(said[:-1]), *said[-1:])))
