"""Installs what the servers are made of: Dovecot by the system's packages, where that is allowed; Radicale and Xandikos into an
environment of their own, as their licence is not the project's. Needs nothing but Python."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

PACKAGES = ("dovecot-imapd", "dovecot-lmtpd")
PROGRAMS = ("radicale>=3.5,<4", "xandikos>=0.3")
VENV = Path(__file__).resolve().parent / "venv"
SBIN = ("/usr/sbin", "/usr/local/sbin")
LIBEXEC = ("/usr/lib", "/usr/libexec", "/usr/local/lib", "/usr/local/libexec")


def install() -> bool:
    """Whether all is there now; says what is not."""
    missing = [name for name, there in (("Dovecot", dovecot()), ("Radicale and Xandikos", calendar_servers())) if not there]
    if missing:
        print(f"{' and '.join(missing)} can't be installed here, so the tests that want them are skipped.")
    return not missing


def dovecot() -> bool:
    if _has_dovecot():
        return True
    first = _as_root()
    if first is None:
        return False
    quietly = [*first, "env", "DEBIAN_FRONTEND=noninteractive", "apt-get"]
    _succeeds([*quietly, "update"])
    _succeeds([*quietly, "install", "-y", "--no-install-recommends", "-o", "DPkg::Lock::Timeout=300", *PACKAGES])
    _stop_the_systems_own(first)
    return _has_dovecot()


def calendar_servers() -> bool:
    programs = [VENV / "bin" / name for name in ("radicale", "xandikos")]
    if all(program.exists() for program in programs):
        return True
    python = str(VENV / "bin" / "python")
    return (
        _succeeds([sys.executable, "-m", "venv", "--clear", str(VENV)])
        and _succeeds([python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *PROGRAMS])
        and all(program.exists() for program in programs)
    )


def _has_dovecot() -> bool:
    found = shutil.which("dovecot", path=os.pathsep.join((os.environ.get("PATH", ""), *SBIN)))
    return found is not None and any(Path(place, "dovecot", "lmtp").exists() for place in LIBEXEC)


def _as_root() -> list[str] | None:
    """What a command that only root may run begins with; None where there is no way, or nothing to run."""
    if shutil.which("apt-get") is None:
        return None
    if os.geteuid() == 0:
        return []
    return ["sudo", "-n"] if shutil.which("sudo") and _succeeds(["sudo", "-n", "true"]) else None


def _stop_the_systems_own(first: list[str]) -> None:
    """Nobody asked for a server of the whole machine's; Debian starts one with the package."""
    if shutil.which("systemctl"):
        _succeeds([*first, "systemctl", "disable", "--now", "dovecot"])


def _succeeds(command: list[str]) -> bool:
    """Its last words are told where not."""
    try:
        ended = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace")
    except OSError as error:
        print(error)
        return False
    if ended.returncode:
        print(*ended.stdout.splitlines()[-3:], sep="\n")
    return ended.returncode == 0
