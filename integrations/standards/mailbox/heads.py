"""The heads of mails: all but their text, of which they have the beginning. Each is read once; after that only its flags."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from zoneinfo import ZoneInfo

from integrations.common.mime import Parsed
from integrations.errors import InvalidResponse
from integrations.standards.imap.folders import Folder
from integrations.standards.imap.responses import Row
from integrations.standards.imap.session import Session
from integrations.standards.mailbox.ids import ANSWERED, FLAGGED, OWN_FIELDS, SEEN, belongs, etag, mail_id, seconds_of
from integrations.standards.mailbox.locating import header_in
from integrations.standards.mailbox.places import Places
from integrations.standards.mailbox.places import Seen as Place
from integrations.standards.mailbox.structure import Part, parsed, part_of
from integrations.types import Mail, Skipped

_FIELDS = (
    *OWN_FIELDS,
    *("SENDER", "REPLY-TO", "CC", "BCC", "IN-REPLY-TO", "REFERENCES", "LIST-ID", "LIST-UNSUBSCRIBE", "PRECEDENCE"),
    "AUTHENTICATION-RESULTS",
)
STATE = "UID FLAGS INTERNALDATE RFC822.SIZE"
_HEAD = f"{STATE} BODYSTRUCTURE BODY.PEEK[HEADER.FIELDS ({' '.join(_FIELDS)})]"
_BEGINNINGS = {b"text/plain": 3000, b"text/html": 16_000}
"""Bytes of a text that its first words are sought in: before those of HTML there may be much that nobody sees."""
_MOSTLY = f"BODY.PEEK[1]<0.{_BEGINNINGS[b'text/plain']}>"
_MOSTLY_IN = "BODY[1]<0>"
"""Where most mails have their first text, as it is asked for and told."""
_WHOLE = 200_000
"""Bytes of a text that are read to look for words."""


@dataclass(frozen=True)
class Head:
    """A mail as it is listed. `flags` in lower case; `seconds` since 1970 when the server took it in."""

    id: str
    folder: Folder
    uid: int
    flags: frozenset[str]
    moment: datetime
    parsed: Parsed

    @property
    def seconds(self) -> int:
        return seconds_of(self.moment)

    @property
    def place(self) -> tuple[int, str]:
        """Where it stands among all, oldest first, as cursors tell it."""
        return self.seconds * 1000, self.id

    @property
    def etag(self) -> str:
        return etag(self.folder.name, self.flags)

    def mail(self, account: str, zone: ZoneInfo, thread: str, *, body: bool = False) -> Mail:
        head = self.parsed
        return Mail(
            account=account,
            id=self.id,
            etag=self.etag,
            folder=self.folder.name,
            message_id=head.message_id,
            thread=thread or self.id,
            in_reply_to=head.in_reply_to,
            references=head.references,
            sender=head.sender,
            reply_to=head.reply_to,
            to=head.to,
            cc=head.cc,
            bcc=head.bcc,
            subject=head.subject,
            date=self.moment.astimezone(zone),
            snippet=head.snippet,
            body=head.text if body else "",
            attachments=head.attachments,
            unread=SEEN not in self.flags,
            flagged=FLAGGED in self.flags,
            answered=ANSWERED in self.flags,
            bulk=head.bulk,
            oddities=head.oddities,
        )


def read_heads(session: Session, places: Places, folder: Folder, uids: Sequence[int]) -> tuple[list[Head], list[Skipped]]:
    """Of those that are still there. Raises NotFound where the folder is gone."""
    validity = session.open(folder).uidvalidity
    ids = places.ids(folder.path, validity, uids)
    known = places.heads(list(ids.values()))
    warm = [uid for uid in uids if ids.get(uid) in known]
    heads = [head for row in _rows(session, warm, STATE) if (head := _known(row, folder, ids, known))]
    met = {head.uid for head in heads}
    missing = [uid for uid in uids if uid not in met]
    fresh, skipped = _read(session, places, folder, validity, missing)
    return heads + fresh, skipped


def _known(row: Row, folder: Folder, ids: Mapping[int, str], known: Mapping[str, Parsed]) -> Head | None:
    """None where it turns out to be another mail than the one that was seen there."""
    id = ids.get(row["UID"], "")
    if not _dated(row) or not belongs(id, row["INTERNALDATE"], row["RFC822.SIZE"]):
        return None
    return head_of(row, folder, id, known[id])


def head_of(row: Row, folder: Folder, id: str, parsed: Parsed) -> Head:
    """InvalidResponse where the date has none in every zone."""
    if not 1 < row["INTERNALDATE"].year < 9999:
        raise InvalidResponse("The server dates a mail in a year that is none.")
    flags = frozenset(map(str.lower, row.get("FLAGS", ())))
    return Head(id, folder, row["UID"], flags, row["INTERNALDATE"], parsed)


def _rows(session: Session, uids: Sequence[int], items: str) -> list[Row]:
    wanted = set(uids)
    return [row for row in session.fetch(uids, items).rows if row.get("UID") in wanted] if uids else []


def _dated(row: Row) -> bool:
    """A server may tell of flags without being asked, and of nothing else then."""
    return {"INTERNALDATE", "RFC822.SIZE"} <= row.keys()


# Read for the first time ---------------------------------------------------------------------------------------------


def _read(session: Session, places: Places, folder: Folder, validity: int, uids: Sequence[int]) -> tuple[list[Head], list[Skipped]]:
    rows = [row for row in _rows(session, uids, f"{_HEAD} {_MOSTLY}") if _dated(row)]
    built: dict[int, Part] = {}
    skipped = []
    for row in rows:
        try:
            built[row["UID"]] = part_of(row.get("BODYSTRUCTURE"))
        except InvalidResponse as error:
            skipped.append(_skipped(folder, row["UID"], error))
    texts = _beginnings(session, built, {row["UID"]: row.get(_MOSTLY_IN) or b"" for row in rows})
    each = [_put_together(row, folder, built[row["UID"]], texts.get(row["UID"], {})) for row in rows if row["UID"] in built]
    heads = [one for one in each if isinstance(one, Head)]
    skipped += [one for one in each if isinstance(one, Skipped)]
    places.learn(folder.path, validity, [Place(head.uid, head.seconds, head.id) for head in heads])
    places.keep_heads({head.id: head.parsed for head in heads})
    return heads, skipped


def _put_together(row: Row, folder: Folder, part: Part, texts: Mapping[str, bytes]) -> Head | Skipped:
    header = header_in(row)
    try:
        head = parsed(header, part, texts)
        if head.empty:
            raise InvalidResponse("the message is not a mail")
        kept = head.model_copy(update={"text": head.snippet, "headers": ()})
        return head_of(row, folder, mail_id(row["INTERNALDATE"], row["RFC822.SIZE"], header), kept)
    except InvalidResponse as error:
        return _skipped(folder, row["UID"], error)


def _skipped(folder: Folder, uid: int, error: InvalidResponse) -> Skipped:
    return Skipped(where=_where(folder, uid), reason=str(error))


def _where(folder: Folder, uid: int) -> str:
    return f"message {uid} in {folder.name}"


def _beginnings(session: Session, built: Mapping[int, Part], mostly: Mapping[int, bytes]) -> dict[int, dict[str, bytes]]:
    """The beginning of each mail's first text, by UID and part, where it is not what was read already; mails of one kind are asked
    for together."""
    alike: dict[tuple[str, int], list[int]] = {}
    texts: dict[int, dict[str, bytes]] = {}
    for uid, part in built.items():
        first = _first_text(part)
        if first and first.number == "1" and first.kind == b"text/plain":
            texts[uid] = {"1": mostly[uid]}
        elif first:
            alike.setdefault((first.number, _BEGINNINGS[first.kind]), []).append(uid)
    for (number, size), uids in alike.items():
        for row in _rows(session, uids, f"UID BODY.PEEK[{number}]<0.{size}>"):
            texts.setdefault(row["UID"], {})[number] = body_in(row)
    return texts


def _first_text(part: Part) -> Part | None:
    texts = [leaf for leaf in part.leaves if leaf.may_be_text]
    return min(texts, key=lambda leaf: leaf.kind != b"text/plain", default=None)


def body_in(row: Row) -> bytes:
    return next((value for key, value in row.items() if key.startswith("BODY[") and isinstance(value, bytes)), b"")


# Texts ---------------------------------------------------------------------------------------------------------------


def read_texts(places: Places, folder: Folder, heads: Iterable[Head], session: Session) -> dict[str, str]:
    """What their texts say, by id; of those that are gone meanwhile nothing."""
    wanted = {head.uid: head for head in heads}
    known = places.texts([head.id for head in wanted.values()])
    missing = {uid: head for uid, head in wanted.items() if head.id not in known}
    if missing:
        session.open(folder)
        fresh = {missing[uid].id: text for uid, text in _texts(session, list(missing)).items()}
        places.keep_texts(fresh)
        known |= fresh
    return known


def _texts(session: Session, uids: Sequence[int]) -> dict[int, str]:
    built: dict[int, Part] = {}
    for row in _rows(session, uids, "UID BODYSTRUCTURE"):
        try:
            built[row["UID"]] = part_of(row.get("BODYSTRUCTURE"))
        except InvalidResponse:
            continue
    alike: dict[str, list[int]] = {}
    for uid, part in built.items():
        numbers = [leaf.number for leaf in part.leaves if leaf.may_be_text]
        if numbers:
            alike.setdefault(" ".join(f"BODY.PEEK[{number}]<0.{_WHOLE}>" for number in numbers[:20]), []).append(uid)
    texts: dict[int, str] = dict.fromkeys(built, "")
    for items, some in alike.items():
        for row in _rows(session, some, f"UID {items}"):
            texts[row["UID"]] = _text(built[row["UID"]], row)
    return texts


def _text(part: Part, row: Row) -> str:
    bodies = {leaf.number: body for leaf in part.leaves if isinstance(body := row.get(f"BODY[{leaf.number}]<0>"), bytes)}
    try:
        return parsed(b"From: a@b.example", part, bodies).text
    except InvalidResponse:
        return ""
