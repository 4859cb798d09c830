"""Where what an action says came from, in words for every screen."""

from collections.abc import Sequence

from integrations.types import Address
from risk.preview import Preview
from risk.text import line, shown_address
from risk.tracing import Trace

HEADING = "Where it comes from"
WARNING = "Warning"
NOT_AS_APPROVED = "Not as approved"
KINDS = {
    "link": "link",
    "secret_link": "sign-in link",
    "code": "code",
    "amount": "amount",
    "phone": "phone number",
    "address": "address",
    "bank_account": "bank account",
    "card_number": "card number",
}
SOURCES = {
    "own_words": "you wrote it",
    "earlier_words": "you wrote it earlier",
    "contacts": "your contacts",
    "thread": "from this exchange",
    "event": "in the event",
    "template": "your template",
    "message": "from the mail by",
    "event_text": "from the text of the event",
    "nowhere": "stands in no message and not in what you wrote",
}
BY = {"thread": "from this exchange, by"}
"""Where it is known whose."""
UNKNOWN = {"message": "from a mail", "event": "in an event", "event_text": "from the text of an event"}
"""Where it is not."""


def kind_of(trace: Trace) -> str:
    return KINDS.get(trace.kind, trace.kind.replace("_", " "))


def origin_of(trace: Trace) -> str:
    """ "from the mail by Sarah Lindqvist <sarah@northwind.example>" """
    words = SOURCES.get(trace.source, trace.source.replace("_", " "))
    if not trace.by:
        return UNKNOWN.get(trace.source, words)
    return words if trace.source in ("own_words", "earlier_words", "nowhere") else f"{BY.get(trace.source, words)} {line(trace.by)}"


def text_of(trace: Trace) -> str:
    return shown_address(trace.text) if trace.kind == "address" else trace.text


def unknown_first(traces: Sequence[Trace]) -> tuple[Trace, ...]:
    return tuple(sorted(traces, key=lambda trace: trace.known))


def reasons_of(preview: Preview) -> tuple[str, ...]:
    """Those that are no warnings, which stand by themselves."""
    return tuple(reason for reason in preview.reasons if reason not in preview.warnings)


def person(address: Address) -> str:
    """An address that is not plain in ASCII shows how it goes out."""
    shown = shown_address(address.email)
    return f"{address.name} <{shown}>" if address.name else shown
