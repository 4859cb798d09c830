"""Somebody who is introduced and then saved: "Bruno Keller is our new plumber, add him to my contacts. His mail's bruno@…"."""

import re
from collections.abc import Iterator, Sequence

from assistant.reasoning.base import Setting
from assistant.reasoning.offline.lexicon import lexicon
from assistant.reasoning.offline.reading.entities import mark
from assistant.reasoning.offline.reading.frames import strip_openers
from assistant.reasoning.offline.reading.slots import lows
from assistant.reasoning.offline.reading.text.items import Item

ENDS = frozenset({".", "?", ";", "!", ",", ":", "(", ")", "-", "\u2013", "\u2014"})
DATA = ("address", "phone")
NAMES = ("name", "person")
AT = frozenset({"at", "from", "of", "by", "with"})
INTRODUCING = frozenset({"meet", "reach", "call", "contact", "email", "e-mail", "mail", "phone", "write"})
"""Verbs that tell of somebody here: "meet Jan Ruiz", "you can reach him at …"."""
NO_CARD = frozenset("not no never if unless nobody without instead except until when once should would could might".split())
LONGEST = 70
"""Items of a message that may introduce somebody."""


TAG = re.compile(r",? (?:would|will|could|can) you(?: please)?\s*\?\s*$", re.IGNORECASE)


def introduced(text: str, setting: Setting) -> str:
    """The same as a request to add the contact; the text itself where somebody else, or something else, is spoken of as well."""
    if not any(sign in text for sign in "@+0123456789") or '"' in text:
        return text
    said = TAG.sub("", text)
    items = mark(said, setting)
    if (
        len(items) > LONGEST
        or not any(item.kind in DATA for item in items)
        or NO_CARD & {item.low for item in strip_openers(items, lexicon().polite["openers"])[0]}
    ):
        return text
    parts = list(_parts(items))
    saving = [part for part in parts if _saves(part)]
    told = [part for part in parts if part not in saving]
    asked = [part for part in told if said[part[-1].end :].lstrip().startswith("?")]
    if not saving or asked or not _of_contact(saving, told) or any(_asks(part) for part in told):
        return text
    who = [(item, _before(items, at)) for at, item in enumerate(items) if item.kind in NAMES]
    names = [item.text for item, before in who if before not in AT and (item.kind == "name" or " " in item.text)]
    companies = [item.text for item, before in who if before in AT]
    full = [name for name in names if " " in name] or names
    if len(full) == 2 and len(set(full)) == 2 and f"{full[0]}, {full[1]}" in said and not companies:
        full, companies = full[:1], full[1:]
    if len(set(full)) != 1 or len(companies) > 1 or full[0].lower() in {name.lower() for name in setting.names}:
        return text
    company = f" from {companies[0]}" if companies else ""
    data = ", ".join(item.text for item in items if item.kind in DATA)
    return f"Add a contact: {full[0]}{company}, {data}"


COMPANY = frozenset({"company", "employer", "firm", "organisation", "organization"})


def _before(items: Sequence[Item], at: int) -> str:
    """The word that leads to a name: "at" where a label says that it is a company's."""
    if at > 1 and items[at - 1].low in (":", "is") and items[at - 2].low in COMPANY:
        return "at"
    return items[at - 1].low if at else ""


def _parts(items: Sequence[Item]) -> Iterator[Sequence[Item]]:
    """Parted at each mark."""
    begin = 0
    for at, item in enumerate((*items, None)):
        if item is None or (item.kind == "punct" and item.low in ENDS):
            if at > begin:
                yield items[begin:at]
            begin = at + 1


def _saves(part: Sequence[Item]) -> bool:
    """ "add him to my contacts", "create a contact entry for Ada": a deed of nothing but words about saving."""
    asides = lexicon().asides
    bare = strip_openers(part, lexicon().polite["openers"])[0]
    words = lows(bare)
    if not words or words[0] not in asides["saving_contact"]:
        return False
    rest = [item for item in bare[1:] if item.kind not in (*DATA, *NAMES)]
    return all(word in asides["around_contact"] for item in rest for word in item.low.split())


def _of_contact(saving: Sequence[Sequence[Item]], told: Sequence[Sequence[Item]]) -> bool:
    """Whether a contact is what is saved: it is named so, or a person is pointed at."""
    words = {word for part in saving for item in part for word in item.low.split()}
    spoken = {word for part in told for item in part for word in item.low.split()}
    return bool(words & lexicon().asides["contact_nouns"] or words & {"him", "her", "them"} or (words & {"it", "that"} and spoken))


def _asks(part: Sequence[Item]) -> bool:
    """Whether it begins like another request."""
    bare = strip_openers(part, lexicon().polite["openers"])[0]
    words = lows(bare)
    forms = [form for _, form in lexicon().verbs.all_at(words, 0) if form.base] if words else []
    return bool(forms) and words[0] not in INTRODUCING and lexicon().nouns.at(words, 0) is None
