"""People who are described instead of named: what a description says about their cards."""

from assistant.agents.base import Desk
from assistant.agents.words import fold, tokens
from assistant.reasoning.offline.lexicon import lexicon
from integrations.types import Contact, ContactQuery, Value

MOST = 5000


class Description(Value):
    """What is said of somebody: `name` without a form of address, `company`, `job`. `all`: everyone it fits is meant."""

    name: str = ""
    company: str = ""
    job: str = ""
    all: bool = False


def described(text: str) -> Description | None:
    """What "Ms Weiss", "Daniel from City Planning", "everyone at Acme", "the clerk at City Planning" and "all managers" say; None
    for a plain name."""
    words = text.split()
    if not words:
        return None
    lows = [fold(word).rstrip(".,") for word in words]
    people = lexicon().people
    if len(words) > 1 and lows[0] in lexicon().small["honorifics"]:
        rest = described(" ".join(words[1:]))
        return rest or Description(name=" ".join(words[1:]))
    at = next((n for n in range(1, len(words) - 1) if people["working"].at(lows, n)), None)
    head, company = words[:at], ""
    if at is not None and (joint := people["working"].at(lows, at)):
        company = " ".join(words[at + joint[0] :]).removeprefix("the ")
    everyone = people["everyone"].at(lows, 0)
    if company and everyone is not None and everyone[0] == len(head):
        return Description(company=company, all=True)
    if lows[0] in ("all", "every", "each") and len(head) > 1:
        job = [word for word in lows[1 : len(head)] if word not in ("the", "my", "our", "of")]
        return Description(job=_singular(" ".join(job)), company=company, all=True)
    if lows[0] in lexicon().small["articles"] and len(head) > 1:
        return Description(job=" ".join(lows[1 : len(head)]), company=company)
    return Description(name=" ".join(head), company=company) if company else None


def _singular(job: str) -> str:
    return job.removesuffix("s")


def fits(card: Contact, who: Description) -> bool:
    """Company and job as words of the card, "Acme" also where it stands in the address alone."""
    return (not who.company or _has(who.company, _company(card))) and (not who.job or _has(who.job, card.title))


def _company(card: Contact) -> str:
    return f"{card.company} {' '.join(email.partition('@')[2] for email in card.emails)}"


def _has(words: str, text: str) -> bool:
    return set(tokens(words)) <= set(tokens(text))


async def cards_of(who: Description, desk: Desk) -> list[Contact]:
    """Everyone that a company or a job fits, by name; the user is left out."""
    everybody = (await desk.readers.contacts.search(ContactQuery(limit=MOST))).items
    return [card for card in everybody if fits(card, who) and not desk.me & set(card.emails)]
