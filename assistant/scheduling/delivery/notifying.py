"""Sending a note through Apprise, and telling from what it logs whether a note that did not go through may have arrived.

An address holds a secret, and Apprise's log may repeat it: neither is ever shown, logged or put into an error.
"""

import asyncio
import logging
import re
import threading
from collections.abc import Sequence
from contextlib import suppress
from functools import cache
from importlib.util import find_spec
from typing import TYPE_CHECKING, Literal, NamedTuple
from urllib.parse import parse_qs, urlsplit

from assistant.errors import UserError

if TYPE_CHECKING:
    from apprise import Apprise
    from apprise.plugins.base import NotifyBase

LONGEST = 60.0
"""Seconds of an attempt; what takes longer is given up, and may have arrived."""
LONGEST_NOTE = 4000
"""Characters of a note; many services take less."""
MISSING = "Services other than mail need a further package; in the project's folder: pip install -e '.[notify]'"
UNUSABLE = (
    "This address can't be used: it must be one that Apprise knows, such as ntfys://topic or slack://token-a/token-b/token-c."
)
NAMES_A_FILE = "This address names a file on the server, which is not allowed; leave that part out."
NAMES_A_SERVER = (
    "This address names a server, which only the owner of this service may set, since it is reached from within their network; "
    "use a service with a place of its own, such as ntfy, Slack or Telegram."
)
AT_HOME = frozenset({"cloud", "official"})
"""Modes of services that can also be run by oneself, in which they are reached at their makers'."""
OF_THE_SERVER = frozenset({"blink1", "dbus", "glib", "gnome", "kde", "macosx", "qt", "syslog", "windows"})
"""What would be shown on the server's own screen, or lie in its log."""
FILES = frozenset({"keyfile", "subfile", "pgppub", "pgpprv"})
"""Arguments that are paths, beside those that Apprise opens as attachments."""
THREAD = "assistant-note"

_STATUS = re.compile(r"\berror=(\d{3})\b")
_NEVER_REACHED = re.compile(
    r"NewConnectionError|NameResolutionError|ConnectTimeout|SSLCertVerificationError|InvalidURL|InvalidHeader"
    r"|Connection refused|Name or service not known|No address associated|Network is unreachable|No route to host"
)
_ARRIVED = re.compile(r"^Sent\b")
_TROUBLE = re.compile(r"^Socket Exception|Exception:")


class Sent(NamedTuple):
    """`failed`: it has certainly not arrived. `error` is the rest of a sentence that begins with the target's name."""

    status: Literal["done", "failed", "unknown"]
    error: str = ""


def installed() -> bool:
    return find_spec("apprise") is not None


def check(address: str, *, anywhere: bool = True) -> str:
    """What may be shown of an address. Raises UserError where nothing can be sent there; not `anywhere`: also where it names a
    server, rather than a service at its maker's."""
    if not installed():
        raise UserError(MISSING)
    service = _service(address)
    if service is None or _scheme(address) in OF_THE_SERVER:
        raise UserError(UNUSABLE)
    if _names_a_file(service, address):
        raise UserError(NAMES_A_FILE)
    if not anywhere and "host" in service.template_tokens and getattr(service, "mode", "") not in AT_HOME:
        raise UserError(NAMES_A_SERVER)
    return _shown(service, address)


async def send(address: str, title: str, body: str, *, link: str = "", longest: float = LONGEST) -> Sent:
    """One attempt. `link` is where the whole of a text can be read that is too long for the service. Never raises."""
    if not installed():
        return Sent("failed", f"can't be used: {MISSING}")
    outcome: asyncio.Future[Sent] = asyncio.get_running_loop().create_future()
    # A thread of its own, since nothing can end one that hangs, and the program's end must not wait for it.
    threading.Thread(
        target=_attempt, args=(outcome, outcome.get_loop(), address, title, body, link), name=THREAD, daemon=True
    ).start()
    try:
        return await asyncio.wait_for(outcome, longest)
    except TimeoutError:
        return Sent("unknown", "gave no answer in time")


def _attempt(
    outcome: "asyncio.Future[Sent]", loop: asyncio.AbstractEventLoop, address: str, title: str, body: str, link: str
) -> None:
    try:
        sent = _sent(address, title, body, link)
    except Exception as error:
        sent = Sent("unknown", f"could not be used ({type(error).__name__})")  # its words may hold the address

    def settle() -> None:
        if not outcome.done():
            outcome.set_result(sent)

    with suppress(RuntimeError):  # where the loop is closed nobody waits any more
        loop.call_soon_threadsafe(settle)


def _sent(address: str, title: str, body: str, link: str) -> Sent:
    sender, service = _sender(), _service(address)
    if service is None or not sender.add(service):
        return Sent("failed", "is not usable any more: remove it, and add its address again")
    service.retry = 0  # by itself it would repeat also what may have arrived
    with _Overheard() as heard:
        result = sender.notify(fitting(body, int(service.body_maxlen), link), title=title, notify_type="info", body_format="text")
    return Sent("done") if result and not service.optional else judged(heard.messages, came_through=bool(result))


def fitting(body: str, room: int, link: str = "") -> str:
    """Cut at a line's end, saying so."""
    room = min(room, LONGEST_NOTE)
    if len(body) <= room:
        return body
    end = f"\n\u2026 {link}".rstrip()
    kept = body[: max(room - len(end), 0)]
    return f"{kept[: kept.rfind(chr(10))] if chr(10) in kept else kept}{end}"


def judged(messages: Sequence[str], *, came_through: bool = False) -> Sent:
    """What Apprise's log tells of an attempt. Only where each request of it was refused, or reached nobody, it has certainly not
    arrived."""
    if any(_ARRIVED.match(message) for message in messages):
        return Sent("done") if came_through else Sent("unknown", "took only a part of it")
    codes = [int(code) for message in messages for code in _STATUS.findall(message)]
    troubles = [message for message in messages if _TROUBLE.search(message)]
    lost = [trouble for trouble in troubles if not _NEVER_REACHED.search(trouble)]
    if lost or any(code >= 500 for code in codes):
        told = f" (error {max(codes)})" if codes else ""
        return Sent("unknown", f"broke off in the middle{told}" if lost else f"answered with an error of its own{told}")
    if codes:
        return Sent("failed", f"refused it (error {max(codes)})")
    return Sent("failed", "could not be reached") if troubles else Sent("unknown", "did not say whether it took it")


# --- Apprise


@cache
def _sender_kind() -> "type[Apprise]":
    """Imported where it is first needed; its log is kept out of ours."""
    from apprise import Apprise

    log = logging.getLogger("apprise")
    log.setLevel(logging.DEBUG)  # what came of a request it tells on this level only
    log.propagate = False
    log.addHandler(logging.NullHandler())
    for name in ("urllib3.connectionpool", "urllib3.util.retry"):
        logging.getLogger(name).addFilter(lambda record: record.threadName != THREAD)
    return Apprise


def _sender() -> "Apprise":
    from apprise import AppriseAsset

    kind = _sender_kind()
    return kind(
        asset=AppriseAsset(app_id="Assistant", app_desc="Personal assistant", app_url="", async_mode=False, service_timeout=0)
    )


def _service(address: str) -> "NotifyBase | None":
    """None where it is no single address that Apprise knows."""
    sender = _sender()
    try:
        return sender[0] if sender.add(address.strip()) and len(sender) == 1 else None
    except Exception:  # whatever an odd address raises: its words may hold it
        return None


def _names_a_file(service: "NotifyBase", address: str) -> bool:
    from apprise import AppriseAttachment

    attached = any(isinstance(part, AppriseAttachment) and len(part) for part in vars(service).values())
    return attached or bool(FILES & {name.lower() for name in parse_qs(urlsplit(address).query, keep_blank_values=True)})


def _scheme(address: str) -> str:
    return address.strip().partition(":")[0].lower()


def _shown(service: "NotifyBase", address: str) -> str:
    """The scheme, and the host where the service has one: at many others that place holds a part of the secret."""
    is_page = _scheme(address) in ("http", "https")
    host = urlsplit(address.strip()).hostname if is_page else service.host if "host" in service.template_tokens else ""
    named = isinstance(host, str) and (host == "localhost" or "." in host or ":" in host)
    return f"{_scheme(address)}://{host}" if named else f"{_scheme(address)}://\u2026"


class _Overheard(logging.Handler):
    """What Apprise logs in this thread."""

    def __init__(self) -> None:
        super().__init__(logging.DEBUG)
        self.messages: list[str] = []
        self._thread = threading.get_ident()

    def emit(self, record: logging.LogRecord) -> None:
        if record.thread == self._thread:
            self.messages.append(record.getMessage())

    def __enter__(self) -> "_Overheard":
        logging.getLogger("apprise").addHandler(self)
        return self

    def __exit__(self, *_: object) -> None:
        logging.getLogger("apprise").removeHandler(self)
