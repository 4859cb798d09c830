"""Gmail: a mailbox per user, and what the API does with it."""

from doubles.google.calls import Handler
from doubles.google.gmail import account, drafts, messages, threads
from doubles.google.gmail.mailbox import Mailbox

HANDLERS: dict[str, Handler] = messages.HANDLERS | threads.HANDLERS | drafts.HANDLERS | account.HANDLERS

__all__ = ["HANDLERS", "Mailbox"]
