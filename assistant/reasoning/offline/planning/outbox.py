"""What is asked and wanted of mails that are scheduled: "what is scheduled to go out?", "cancel the scheduled mail to Anna"."""

import re

from assistant.values import OwnCommand, ShowOutbox, Withdraw

MAILS = frozenset("mail mails email emails e-mail e-mails message messages reply replies answer answers forward forwards".split())
HELD = frozenset("scheduled queued held waiting delayed postponed due".split())
OWED = frozenset({"waiting", "due"})
"""Alone these are said of answers that somebody waits for."""
EVERY = frozenset({"all", "every", "both"})
LEAVING = frozenset("go going goes be being get sent out leave leaves".split())
ASKING = frozenset(
    "what 's which is are there any anything something do does have has i my the all show tell me list please can could you ok so "
    "and of that still yet now to later back currently about ones".split()
)
STOPPING = re.compile(
    r"(?:(?:please|ok|okay|no|so|actually|can you|could you|i(?:'d| would) like(?: you)? to|i want(?: you)? to),? )*"
    r"(?:cancel|stop|drop|delete|discard|scrap|abort|withdraw|recall|call off|take back|hold back|(?:don't|do not) send) "
    r"(?P<which>.+)",
    re.IGNORECASE,
)
WORD = re.compile(r"'s\b|[\w@.+-]+(?:'(?!s\b)\w+)?")
BESIDE = ASKING | LEAVING | frozenset("a an to was were it with from please in on at one after regarding concerning we".split())


def outbox_command(text: str) -> OwnCommand | None:
    said = " ".join(text.replace("\u2019", "'").split()).strip(" .!?")
    stopping = STOPPING.fullmatch(said)
    words = [word.strip(".-") for word in WORD.findall(stopping["which"] if stopping else said)]
    low = {word.lower() for word in words}
    if stopping and low & (HELD - OWED) and low & MAILS:
        names = tuple(word for word in words if word.lower() not in BESIDE | MAILS | HELD | EVERY)
        return Withdraw(words=names, every=bool(low & EVERY))
    leaves = bool(low & {"out", "sent"} or (low & MAILS and low & HELD - OWED))
    asks = not stopping and low & HELD and leaves and low <= ASKING | LEAVING | MAILS | HELD
    return ShowOutbox() if asks else None
