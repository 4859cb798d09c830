"""Real servers that tests start: Dovecot, an SMTP server in front of it, Radicale and Xandikos; on loopback, without root.

servers = Servers()
anna = servers.user("anna@home.example", name="Anna Berg")
account = servers.open(anna, index)
"""

from servers.installed import NotInstalled
from servers.together import Servers, User, shared

__all__ = ["NotInstalled", "Servers", "User", "shared"]
