"""Which of the messages that were read the user has asked about, and what stands in them: code decides, by the user's own words."""

import re
from collections.abc import Iterable, Iterator, Mapping

from assistant.reasoning.llm.links import ADDRESS
from assistant.values import Failure, Partial, Report, Success
from integrations.types import Event, Mail
from risk.preview import Preview

MAILS = frozenset(
    "mail mails email emails e-mail e-mails message messages inbox unread newsletter newsletters thread threads conversation"
    " conversations correspondence wrote written write writes reply replies replied answered phishing spam sent attachment"
    " attachments nachricht nachrichten post posteingang schreibt geschrieben courriel courriels mensaje mensajes correo"
    " correos".split()
)
"""Words by which mails are asked about, whoever they are from."""
EVENTS = frozenset(
    "event events meeting meetings calendar agenda appointment appointments invitation invitations invited day today tomorrow week"
    " weekend month monday tuesday wednesday thursday friday saturday sunday morning afternoon evening schedule free busy call"
    " calls termin termine kalender heute morgen woche besprechung".split()
)
COMMON = MAILS.union(
    EVENTS,
    "about after all and any are before can could did does find for from get give had has have how into its latest"
    " last let link look me my need new next not now one our please read say says show some something summarise"
    " summarize sum tell than that the their them then there these they thing this those was were what when where"
    " which who why will with would you your update news info information help re fwd aw wg".split(),
)
"""Words that name nothing."""
WORD = re.compile(r"[^\W_]{3,}")


NAMING = re.compile(
    r"\b(?:[Ff]rom|[Bb]y|[Oo]f|[Ww]ith|[Aa]bout|[Vv]on|\u00dcber|\u00fcber|[Mm]it)\s+([^\W_]{3,})|([^\W_]{3,})['\u2019]s\b"
    r"|(?<=[a-z,] )([A-Z][^\W_]{2,})|([\w.+-]+@)"
)
"""How somebody or something is named, so that no other is meant."""


def asked_about(reports: Mapping[int, Report], said: str) -> dict[int, Report]:
    """The reports with those mails and events that the words name something of; where they name nothing, with those of the kind
    that they ask for."""
    words = frozenset(_words(said))
    named = ("".join(found).casefold() for found in NAMING.findall(said))
    kinds = frozenset() if any(name not in COMMON for name in named) else words
    return {n: report if isinstance(report, Failure) else _narrowed(report, words, kinds) for n, report in reports.items()}


def linkable(said: str, reports: Mapping[int, Report], previews: Iterable[Preview] = (), *, as_said: bool = True) -> str:
    """All whose links an answer may hold: the user's own words, what they asked about, and what a preview knows the origin of."""
    asked = reports if as_said else asked_about(reports, said)
    traced = (trace.text for preview in previews for item in preview.items for trace in item.traces if trace.known)
    return "\n".join((said, texts_of(asked.values()), *traced))


def texts_of(reports: Iterable[Report]) -> str:
    """What others wrote in all that was found, and nothing that anybody says of it."""
    found = [report.data for report in reports if not isinstance(report, Failure)]
    mails = (text for data in found for mail in data.mails for text in (*_head_of(mail), mail.snippet, mail.body))
    events = (text for data in found for event in data.events for text in (*_head_of_event(event), event.description))
    contacts = (
        text for data in found for one in data.contacts for text in (one.name, one.company, one.address, one.note, *one.emails)
    )
    addresses = (str(one) for data in found for one in data.addresses)
    return "\n".join(filter(None, (*mails, *events, *contacts, *addresses)))


def _narrowed(report: Success | Partial, words: frozenset[str], kinds: frozenset[str]) -> Report:
    """Contacts are the user's own."""
    data = report.data
    mails = tuple(one for one in data.mails if kinds & MAILS or _names(words, _head_of(one)))
    events = tuple(one for one in data.events if kinds & EVENTS or _names(words, _head_of_event(one)))
    whole = (mails, events) == (data.mails, data.events)
    kept = {"mails": mails, "events": events, "text": data.text if whole else ""}
    return report.model_copy(update={"data": data.model_copy(update=kept)})


def _names(words: frozenset[str], texts: Iterable[str]) -> bool:
    own = {word for text in texts for word in (*_words(text), *_parts(text))}
    return bool((words - COMMON) & own)


def _words(text: str) -> list[str]:
    """An address is one: it names nobody else at the same place."""
    return [*ADDRESS.findall(text.casefold()), *WORD.findall(ADDRESS.sub(" ", text.casefold()))]


def _parts(text: str) -> Iterator[str]:
    """By which an address may be named as well; not by what ends it."""
    for address in ADDRESS.findall(text.casefold()):
        yield from WORD.findall(address.rpartition(".")[0])


def _head_of(mail: Mail) -> Iterator[str]:
    yield mail.subject
    yield from (str(one) for one in (mail.sender, *mail.to, *mail.cc) if one)
    yield from (one.filename for one in mail.attachments)


def _head_of_event(event: Event) -> Iterator[str]:
    yield from (event.title, event.location)
    yield from (str(one.address) for one in event.attendees)
    if event.organizer:
        yield str(event.organizer)
