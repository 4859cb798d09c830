"""What would leave with a text that should not: codes, links that carry data, figures out of nowhere, letters that nobody sees."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from urllib.parse import parse_qsl, unquote, urlsplit

from integrations.actions import Action, AnswerInvitation, CancelEvent, CreateContact, SaveDraft, SendMail, UpdateContact
from integrations.types import Event, Mail, Oddity
from risk.evidence import Evidence, answered, event_before, forwarded
from risk.repeating import repeats
from risk.text import line
from risk.tracing import Trace, traces_of
from risk.wishes import ACCOUNTS, DETAILS, FORWARDS, LINKS, SECRETS, SENDS, says, speaks_of, speaks_of_mail

Phrases = tuple[str, ...]

LONG_VALUE, LONG_QUERY, LONG_PART = 16, 60, 24
"""Characters from which a link's value, its whole query, or a part of its path or host can carry something out."""
WORDS = re.compile(r"[a-z]+(?:[-_.][a-z0-9]{1,20})+", re.IGNORECASE)
"""As in the address of an article: its title."""

FLAG = re.compile("\U0001f3f4[\U000e0061-\U000e007a]{2,6}\U000e007f")
UNSEEN = re.compile(
    "[\u200b\u2060-\u2064\ufeff\U000e0000-\U000e007f\u3164\uffa0\u115f\u1160]|[\ufe00-\ufe0f\U000e0100-\U000e01ef]{2,}"
)
TURNS = re.compile("[\u202a-\u202e\u2066-\u2069]")
RIGHT_TO_LEFT = re.compile("[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]")

ODDITIES = {
    "forged": "does not come from where its sender says, as the server that received it found",
    "unclear": "does not say clearly who sent it",
    "double_header": "names its sender, its subject or its recipients twice",
    "hidden_text": "has text in it that nobody can see",
    "bidi": "turns letters round, so that it shows otherwise than it reads",
    "invisible": "has letters in it that nobody can see",
    "parts_differ": "says one thing as plain text and another when shown in full",
}
NOWHERE = "stands in no message and not in what you wrote"
FEW = 8
"""So many invisible letters come from honest programs too."""


def contents(action: Action, evidence: Evidence, goes_out: bool, beside: Sequence[str] = ()) -> Mapping[str, Phrases]:
    """By the name of the fact, a clause for each that holds. `goes_out`: others may read it, and `beside`
    goes out with it."""
    hidden = tuple(_hidden(action, evidence))
    invisible = tuple(_invisible(action))
    if not goes_out or isinstance(action, CreateContact | UpdateContact):
        return {"hidden": hidden, "invisible": invisible}
    foreign = [trace for trace in traces_of(action, evidence, beside) if not trace.known]
    secrets = [trace for trace in foreign if trace.kind in ("code", "secret_link")]
    asked = [trace for trace in secrets if _is_asked_for(trace, action, evidence)]
    links = [trace for trace in foreign if trace.kind == "link"]
    carrying = [trace for trace in links if _leads_out(trace, evidence)]
    return {
        "hidden": hidden,
        "invisible": invisible,
        "secret": tuple(_says_secret(trace) for trace in secrets if trace not in asked),
        "secret_asked": tuple(_says_secret(trace) for trace in asked),
        "foreign_link": tuple(f"the link {line(trace.text)} carries data, and {whence(trace)}" for trace in carrying),
        "plain_link": tuple(f"the link {line(trace.text)} {whence(trace)}" for trace in links if trace not in carrying),
        "repeats": tuple(repeats(action, evidence)),
        "foreign_detail": tuple(
            f"{_what_kind(trace)}{line(trace.text)} {whence(trace)}" for trace in foreign if _is_odd(trace, evidence)
        ),
    }


def whence(trace: Trace) -> str:
    """ "stands in a mail by …": the predicate of a clause about a piece of the text."""
    match trace.source:
        case "nowhere":
            return NOWHERE
        case "own_words" | "earlier_words":
            return "is only spoken of in what you wrote"
        case "event_text":
            return f"comes from the text of the event {trace.by}" if trace.by else "comes from the text of an event"
    return f"comes from a mail by {trace.by}" if trace.by else "comes from a mail by somebody else"


# --- codes and links that open something


def _is_asked_for(trace: Trace, action: Action, evidence: Evidence) -> bool:
    """Whether the user may have meant it to go: then it is shown instead of refused.

    What is written by hand comes with no words at all, and a code that stands nowhere is then the writer's own.
    """
    if speaks_of(SECRETS, evidence) or (not evidence.words and trace.source == "nowhere"):
        return True
    mail = forwarded(action, evidence)
    return mail is not None and (says(FORWARDS, evidence) or (says(SENDS, evidence) and speaks_of_mail(mail, evidence)))


def _says_secret(trace: Trace) -> str:
    what = "looks like a security code" if trace.kind == "code" else "is a link that signs in or sets a new password"
    return f"“{line(trace.text)}” {what}, and {whence(trace)}"


def _leads_out(trace: Trace, evidence: Evidence) -> bool:
    """A link that the user speaks of and that stands so in a message was not built to carry anything."""
    if trace.source != "nowhere" and speaks_of(LINKS, evidence):
        return False
    return carries_data(trace.text, built=trace.source == "nowhere")


def carries_data(link: str, *, built: bool) -> bool:
    """Whether what is long in it could hold what should not leave. `built`: nobody wrote it so, so that mere words count too."""
    try:
        parts = urlsplit(link if "://" in link else f"//{link}")
        host = parts.hostname or ""
    except ValueError:
        return True
    if "@" in parts.netloc or len(parts.query) + len(parts.fragment) > LONG_QUERY:
        return True
    if any(len(value) >= LONG_VALUE for _, value in parse_qsl(parts.query, keep_blank_values=True)):
        return True
    pieces = (*unquote(parts.path).split("/"), *host.split("."), parts.fragment)
    long = [piece for piece in pieces if len(piece) >= LONG_PART]
    return any(built or not WORDS.fullmatch(piece) for piece in long)


def _is_odd(trace: Trace, evidence: Evidence) -> bool:
    """An amount or an account that nobody wrote; a number, an address or an account where the user did not speak of any: what they
    ask to be looked up may come from their contacts."""
    if trace.kind == "amount":
        return trace.source == "nowhere"
    if trace.kind in ("bank_account", "card_number"):
        return trace.source == "nowhere" or not speaks_of(ACCOUNTS, evidence)
    return trace.kind in ("phone", "address") and not speaks_of(DETAILS, evidence)


def _what_kind(trace: Trace) -> str:
    return {"bank_account": "the bank account ", "card_number": "the card number "}.get(trace.kind, "")


# --- what nobody sees


def _hidden(action: Action, evidence: Evidence) -> Iterator[str]:
    if not isinstance(action, SendMail | SaveDraft | AnswerInvitation):
        return
    for thing in (answered(action, evidence), forwarded(action, evidence), event_before(action, evidence)):
        if thing is not None:
            told = dict.fromkeys(ODDITIES[odd.kind] for odd in thing.oddities if _matters(odd))
            if told:
                yield f"{_what(thing)} {'; it also '.join(told)}"


def _matters(odd: Oddity) -> bool:
    return odd.kind in ODDITIES and (odd.kind != "invisible" or odd.count >= FEW)


def _what(thing: Mail | Event) -> str:
    if isinstance(thing, Event):
        return f"the event “{line(thing.title)}”"
    return f"the mail “{line(thing.subject)}” from {line(str(thing.sender or 'an unknown sender'))}"


def _invisible(action: Action) -> Iterator[str]:
    for name, text in _texts(action):
        plain = FLAG.sub("", text)
        if UNSEEN.search(plain) or (TURNS.search(plain) and not RIGHT_TO_LEFT.search(plain)):
            yield f"its {name} has letters in it that nobody can see"


TEXTS = ("subject", "body", "title", "location", "description", "comment", "name", "nickname", "note", "company")


def _texts(action: Action) -> Iterable[tuple[str, str]]:
    if isinstance(action, CancelEvent) and not action.comment:
        return ()
    found = ((name, getattr(action, name, None)) for name in TEXTS)
    return ((name, text) for name, text in found if isinstance(text, str) and text)
