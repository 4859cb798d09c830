"""All servers with two users, until Ctrl-C, for trying things out by hand."""

import logging
import threading

from servers.together import Servers, User

WELCOME = """
{name}: address {user.email}, password "{user.password}"
  mail      {imap} and {smtp}
  calendar  {caldav} (Radicale), {xandikos} (Xandikos)
  contacts  {carddav}
"""
HOW = """
The same over TLS, with certificates signed by {trusted}:
  {secure}

An account of the assistant:
  assistant accounts add imap --address {address} --imap {imap} --smtp {smtp} --caldav {caldav} --carddav {carddav}

Ctrl-C stops all of it, and nothing is kept.
"""


def start() -> None:
    logging.basicConfig(level=logging.WARNING)
    servers = Servers()
    try:
        anna = servers.user("anna@home.example", name="Anna Berg", password="anna")
        ben = servers.user("ben@home.example", name="Ben Cole", password="ben")
        for user in (anna, ben):
            print(WELCOME.format(name=user.name, user=user, xandikos=user.xandikos_settings["caldav"], **user.settings), end="")
        print(HOW.format(trusted=servers.trusted, secure=_secure(anna), address=anna.email, **anna.settings), end="", flush=True)
        threading.Event().wait()
    except KeyboardInterrupt:
        print()
    finally:
        servers.close()


def _secure(user: User) -> str:
    return ", ".join(dict.fromkeys(address for name, address in user.secure_settings.items() if name != "trusted"))
