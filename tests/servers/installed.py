"""Where the programs are that these servers are made of."""

import os
import pwd
import shutil
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
VENV = HERE / "venv"
"""Of programs that are no part of the project's own environment."""
HOW = "python tests/servers install"


class NotInstalled(Exception):
    pass


def dovecot() -> str:
    return _found("Dovecot", shutil.which("dovecot", path=f"{os.environ.get('PATH', '')}:/usr/sbin:/usr/local/sbin"))


def radicale() -> str:
    """The Python that has it."""
    return _python_with("Radicale")


def xandikos() -> str:
    """The Python that has it."""
    return _python_with("Xandikos")


def _python_with(program: str) -> str:
    there = (VENV / "bin" / program.lower()).exists()
    return _found(program, str(VENV / "bin" / "python") if there else None)


def _found(name: str, path: str | None) -> str:
    if path is None:
        raise NotInstalled(f"no {name} is installed here: {HOW}")
    return path


def unprivileged() -> dict[str, Any]:
    """Whom a server runs as that root should not be; arguments of subprocess.Popen."""
    if os.geteuid() != 0:
        return {}
    entry = pwd.getpwnam("nobody")
    return {"user": entry.pw_uid, "group": entry.pw_gid, "extra_groups": []}
