"""A question about the one mail that was shown: "when is it due?"."""

from assistant.reasoning.base import Request
from assistant.reasoning.offline.reading.grammar import parse
from assistant.reasoning.offline.reading.parsed import Parse
from assistant.reasoning.offline.reading.slots import lows
from assistant.reasoning.offline.reading.text.tokens import tokenise

ASKED = frozenset({"when", "what", "how", "where", "which", "why", "by"})
POINTING = frozenset({"it", "its", "that", "this"})


def of_shown_mail(said: str, found: Parse, request: Request) -> tuple[str, Parse] | None:
    """The question with the mail that is to answer it; None where no mail was shown, or something else can be read of the words."""
    data = request.shown[0].data if request.shown else None
    if data is None or len(data.mails) != 1 or data.events or found.clause.head not in ASKED:
        return None
    if not POINTING & set(lows(tokenise(said))):
        return None
    call = found.call
    if call is not None and call.operation != "mail.answer" and not call.operation.startswith("event."):
        return None
    text = f"{said.rstrip(' ?.!')} in the mail {{shown}}"
    again = parse(text, request.setting)
    return (text, again) if again.call is not None and again.call.operation == "mail.answer" else None
