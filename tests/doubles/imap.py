"""The IMAP side of an account at the tests' servers, without the rest of it."""

from doubles.secrets import KeptSecrets
from servers import User

from integrations.standards.credentials import Credentials
from integrations.standards.endpoints import endpoint_of
from integrations.standards.imap.imap import Imap
from integrations.standards.imap.session import Session
from integrations.types import INBOX

LETTER = (
    b"From: Tom <tom@north.example>\r\nTo: anna@home.example\r\nSubject: Lunch\r\nMessage-ID: <lunch@north.example>\r\n"
    b"\r\nAt noon?\r\n"
)


def imap_of(user: User, address: str = "", *, trusted: str = "") -> Imap:
    """`address`: of another server than the user's own."""
    endpoint = endpoint_of(address or user.settings["imap"], "imap")
    return Imap("acc", endpoint, Credentials("acc", KeptSecrets(acc=user.secret), user.email), trusted=trusted)


def inbox(session: Session) -> list[int]:
    session.open(session.folders().special(INBOX))
    return session.search("ALL")


def add(session: Session, raw: bytes = LETTER, folder: str = INBOX) -> int | None:
    return session.append(session.folders().special(folder), raw, [], None)
