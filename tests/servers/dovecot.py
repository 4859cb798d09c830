"""A throw-away Dovecot: IMAP on loopback, with and without TLS, and LMTP on a socket in its folder."""

import grp
import json
import os
import pwd
import subprocess
import tempfile
from collections.abc import Mapping
from pathlib import Path

from servers import installed
from servers.certificates import Certificate
from servers.process import Process, free_port

CONFIG = """
base_dir = {folder}/run
state_dir = {folder}/state
log_path = {folder}/log
listen = 127.0.0.1
protocols = imap lmtp
default_internal_user = {user}
default_internal_group = {group}
default_login_user = {user}
first_valid_uid = 0
ssl = yes
ssl_cert = <{folder}/certificate.pem
ssl_key = <{folder}/key.pem
disable_plaintext_auth = no
auth_mechanisms = plain login
auth_failure_delay = 0
auth_username_format = %Lu
mail_location = maildir:~/Maildir
mail_fsync = never
mail_plugins = acl
plugin {{
  acl = vfile
}}
mail_max_userip_connections = 100
imap_id_log = *
passdb {{
  driver = dict
  args = {folder}/accounts
}}
userdb {{
  driver = dict
  args = {folder}/accounts
}}
namespace inbox {{
  inbox = yes
  separator = /
  mailbox Drafts {{
    special_use = \\Drafts
  }}
  mailbox Sent {{
    special_use = \\Sent
  }}
  mailbox Trash {{
    special_use = \\Trash
  }}
  mailbox Archive {{
    special_use = \\Archive
  }}
  mailbox Junk {{
    special_use = \\Junk
  }}
}}
namespace plain {{
  disabled = yes
  inbox = no
  separator = /
}}
service auth {{
  client_limit = 4096
}}
{limits}
service anvil {{
  chroot =
  unix_listener anvil-auth-penalty {{
    mode = 0
  }}
}}
service imap-login {{
  chroot =
  service_count = 0
  inet_listener imap {{
    port = {imap}
  }}
  inet_listener imaps {{
    port = {imaps}
    ssl = yes
  }}
}}
service imap {{
  service_count = 256
  process_min_avail = 1
}}
service lmtp {{
  unix_listener {folder}/lmtp {{
    mode = 0666
  }}
}}
"""

ACCOUNTS = """
uri = file:{folder}/users
key password {{
  key = passwords/%u
  format = json
}}
key settings {{
  key = settings/%u
  format = json
}}
passdb_objects = password
userdb_objects = settings
"""
ON, OFF = "namespace/plain", "namespace/inbox"
UNANNOUNCED = {f"{ON}/disabled": "no", f"{ON}/inbox": "yes", f"{OFF}/disabled": "yes", f"{OFF}/inbox": "no"}
"""Settings of a user whose server doesn't say which folders are for what; those of its names begin with "namespace/plain/"."""


class Dovecot(Process):
    def __init__(self, certificate: Certificate) -> None:
        program, self._as = installed.dovecot(), installed.unprivileged()
        self.folder = Path(tempfile.mkdtemp(prefix="dovecot-"))
        self.imap, self.imaps = free_port(), free_port()
        self.lmtp = str(self.folder / "lmtp")
        self._users: dict[str, tuple[str, dict[str, str]]] = {}
        self._lines: dict[str, str] = {}
        (self.folder / "certificate.pem").write_bytes(certificate.chain)
        (self.folder / "key.pem").write_bytes(certificate.key)
        (self.folder / "users").touch()
        self._write_config()
        super().__init__([program, "-F", "-c", str(self.folder / "config")], self.imap, self.folder, self._as)

    def _write_config(self) -> None:
        uid, gid = self._as.get("user", os.geteuid()), self._as.get("group", os.getegid())
        names = {"user": pwd.getpwuid(uid).pw_name, "group": grp.getgrgid(gid).gr_name}
        limits = "".join(f"remote {limited(most)} {{\n  mail_max_userip_connections = {most}\n}}\n" for most in range(1, 10))
        text = CONFIG.format(limits=limits, folder=self.folder, imap=self.imap, imaps=self.imaps, **names)
        (self.folder / "config").write_text(text)
        (self.folder / "accounts").write_text(ACCOUNTS.format(folder=self.folder))
        self._mine(self.folder, *self.folder.iterdir())

    def _mine(self, *paths: Path) -> None:
        for path in paths if self._as else ():
            os.chown(path, self._as["user"], self._as["group"])

    def put_user(self, name: str, password: str, home: str, settings: Mapping[str, str]) -> None:
        """A new one, or a known one in other circumstances. `settings`: of Dovecot's, for this user alone."""
        of = {"uid": str(self._as.get("user", os.geteuid())), "gid": str(self._as.get("group", os.getegid()))}
        self._set(name.lower(), password, {**of, "home": f"{self.folder}/mail/{home}", **settings})

    def change_password(self, name: str, password: str) -> None:
        self._set(name.lower(), password, self._users[name.lower()][1])

    def _set(self, name: str, password: str, settings: dict[str, str]) -> None:
        """Read anew for each sign-in, unlike Dovecot's files of users, which it looks at once a second."""
        self._users[name] = password, settings
        kept = {"passwords": {"password": "{PLAIN}" + password}, "settings": settings}
        self._lines[name] = "".join(f"shared/{key}/{name}\n{json.dumps(value)}\n" for key, value in kept.items())
        aside = self.folder / "users.new"
        aside.write_text("".join(self._lines.values()))
        self._mine(aside)
        aside.replace(self.folder / "users")

    def home(self, name: str) -> Path:
        return Path(self._users[name.lower()][1]["home"])

    def forbid(self, name: str, rights: str, folder: str = "") -> None:
        """This user has only these (RFC 4314) in the inbox or a folder of it."""
        path = self.home(name) / "Maildir" / folder / "dovecot-acl"
        path.write_text(f"owner {rights}\n")
        self._mine(path)

    def doveadm(self, *arguments: str) -> str:
        command = ["doveadm", "-c", str(self.folder / "config"), *arguments]
        return subprocess.run(command, check=True, capture_output=True, text=True, cwd=self.folder, **self._as).stdout

    def log(self) -> str:
        return (self.folder / "log").read_text() if (self.folder / "log").exists() else ""


def limited(connections: int) -> str:
    """The address of clients of which each user may have so many connections at a time, up to 9."""
    return f"127.0.1.{connections}"
