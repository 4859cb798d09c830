"""Outlook's mail: a mailbox per user, and what Graph does with it."""

from doubles.graph.calls import Handler
from doubles.graph.mail import attaching, foldering, messages, sending
from doubles.graph.mail.mailbox import Mailbox

HANDLERS: dict[str, Handler] = foldering.HANDLERS | messages.HANDLERS | attaching.HANDLERS | sending.HANDLERS
MODELS: dict[str, str] = foldering.MODELS | messages.MODELS | attaching.MODELS | sending.MODELS
ANSWERS: dict[str, str] = foldering.ANSWERS | messages.ANSWERS | attaching.ANSWERS | sending.ANSWERS

__all__ = ["ANSWERS", "HANDLERS", "MODELS", "Mailbox"]
