"""Where an imported mail belongs and how it is flagged, from what its old home wrote about it."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from email.header import decode_header, make_header
from pathlib import PurePosixPath

from integrations.types import ARCHIVE, DRAFTS, INBOX, SENT, TRASH

SPAM = "Spam"

_FOLDERS = {
    INBOX: "inbox posteingang réception boîte_de_réception recibidos bandeja_de_entrada",
    SENT: "sent sent_mail sent_items sent_messages gesendet envoyés messages_envoyés enviados",
    DRAFTS: "draft drafts entwürfe brouillons borradores",
    TRASH: "trash bin deleted deleted_items deleted_messages papierkorb corbeille papelera",
    SPAM: "spam junk junk_e-mail bulk_mail",
    ARCHIVE: "archive archived archiv archives archivé archiviert archivados archivado all_mail",
}
_FOLDER_OF = {word.replace("_", " "): folder for folder, words in _FOLDERS.items() for word in words.split()}
_UNREAD = {"unread", "ungelesen", "non lu", "non lus", "no leídos", "no leído"}
_STARRED = {"starred", "markiert", "suivi", "suivis", "destacados", "destacado"}
_MOZILLA = {0x0001: "S", 0x0002: "R", 0x0004: "F", 0x0008: "T", 0x1000: "P"}
_STATUS = {"A": "R", "F": "F", "T": "D", "D": "T"}


@dataclass(frozen=True)
class Placement:
    """`flags` are Maildir's letters, sorted."""

    folder: str
    flags: str


def place(headers: Mapping[str, str], path: PurePosixPath) -> Placement:
    """`headers` by lower-cased name; `path` is that of the file the mail was in."""
    if labels := _labels(headers.get("x-gmail-labels", "")):
        return _by_labels(labels)
    folder = _folder_of(path)
    flags = _maildir_flags(path)
    if flags is None:
        flags = _status_flags(headers)
    if "T" in flags:
        # Only marked for removal where it came from; here it waits in the Trash, where it can be seen.
        folder, flags = TRASH, flags - {"T"}
    if folder == DRAFTS or "D" in flags:
        folder, flags = DRAFTS, flags | {"D"}
    return Placement(folder, "".join(sorted(flags)))


def _labels(header: str) -> frozenset[str]:
    try:
        text = str(make_header(decode_header(header)))
    except (ValueError, LookupError):
        text = header
    return frozenset(label for part in text.split(",") if (label := " ".join(part.lower().split()).strip('"')))


def _by_labels(labels: frozenset[str]) -> Placement:
    flags = set() if labels & _UNREAD else {"S"}
    if labels & _STARRED:
        flags.add("F")
    found = {_FOLDER_OF[label] for label in labels if label in _FOLDER_OF}
    folder = next((folder for folder in (TRASH, SPAM, DRAFTS, INBOX, SENT) if folder in found), ARCHIVE)
    if folder == DRAFTS:
        flags.add("D")
    return Placement(folder, "".join(sorted(flags)))


def _folder_of(path: PurePosixPath) -> str:
    if path.parent.name in ("cur", "new"):
        name = path.parent.parent.name
        return _special(name.removeprefix(".")) if name.startswith(".") else INBOX
    return _special(path.name.removesuffix(".mbox"), otherwise=INBOX)


def _special(name: str, otherwise: str = "") -> str:
    return _FOLDER_OF.get(" ".join(re.split(r"[\s_]+", name.lower())), otherwise or name.replace(".", "/"))


def _maildir_flags(path: PurePosixPath) -> set[str] | None:
    if path.parent.name not in ("cur", "new"):
        return None
    return set(path.name.rpartition(":2,")[2]) & set("DFPRST") if ":2," in path.name else set()


def _status_flags(headers: Mapping[str, str]) -> set[str]:
    """Delivered mail whose old home says nothing counts as read."""
    mozilla = headers.get("x-mozilla-status", "")
    if re.fullmatch(r"[0-9A-Fa-f]{4}", mozilla.strip()):
        return {flag for bit, flag in _MOZILLA.items() if int(mozilla, 16) & bit}
    status, marks = headers.get("status", ""), headers.get("x-status", "")
    flags = {flag for letter, flag in _STATUS.items() if letter in marks}
    if "status" not in headers or "R" in status:
        flags.add("S")
    return flags
