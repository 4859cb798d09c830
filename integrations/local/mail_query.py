"""A MailQuery as SQL over the index."""

from collections.abc import Iterable
from dataclasses import dataclass

from integrations.common import fulltext
from integrations.common.addresses import normal_email
from integrations.local.mail_records import first_num
from integrations.local.mail_schema import BCC, CC, FROM, TO
from integrations.types import DRAFTS, OUTBOX, TRASH, MailQuery

LOWEST, HIGHEST = -(1 << 63), (1 << 63) - 1


@dataclass(frozen=True)
class Selection:
    """FROM and WHERE over `mail`, without the cursor; `page` is the cursor's condition."""

    source: str
    where: str
    parameters: tuple[object, ...]
    page: str
    order: str

    @property
    def count(self) -> str:
        return f"SELECT count(*) FROM {self.source} WHERE {self.where}"

    @property
    def numbers(self) -> str:
        return f"SELECT mail.num FROM {self.source} WHERE {self.where}{self.page} ORDER BY {self.order} LIMIT ?"


class _Where:
    def __init__(self) -> None:
        self.conditions: list[str] = []
        self.parameters: list[object] = []

    def add(self, condition: str, *parameters: object) -> None:
        self.conditions.append(condition)
        self.parameters.extend(parameters)


def address_condition(entry: str) -> tuple[str, str]:
    """(condition over `address`, parameter) for an address, or parts of a name or address."""
    email = normal_email(entry.strip().strip("<>"))
    if email:
        return "email = ?", email
    words = fulltext.match_parts(entry)
    if words:
        return "id IN (SELECT rowid FROM address_words WHERE address_words MATCH ?)", words
    return "name LIKE ? ESCAPE '\\'", fulltext.like_anywhere(entry)


def _people(where: _Where, entries: Iterable[str], roles: tuple[int, ...], span: tuple[int, int]) -> None:
    """The span is given here too, so that of somebody with very many mails only those within it are looked up."""
    conditions = [address_condition(entry) for entry in entries]
    if not conditions:
        return
    known = " OR ".join(condition for condition, _ in conditions)
    marks = ",".join(map(str, roles))
    where.add(
        f"mail.num IN (SELECT num FROM party WHERE role IN ({marks}) AND address IN (SELECT id FROM address WHERE {known}) "
        "AND num >= ? AND num < ?)",
        *(parameter for _, parameter in conditions),
        *span,
    )


def _text(where: _Where, query: MailQuery) -> bool:
    """Adds the conditions on text; True if the full-text index takes part."""
    terms = [("", word) for word in query.words] + [("subject", word) for word in query.subject]
    match = fulltext.match_all(terms)
    if match:
        where.add("search MATCH ?", match)
    for column, word in terms:
        if word.strip() and (fulltext.needs_scan(word) or not fulltext.is_indexed(word)):
            columns = (column,) if column else ("people", "subject", "body")
            found = " OR ".join(f"{name} LIKE ? ESCAPE '\\'" for name in columns)
            pattern = fulltext.like_anywhere(word.strip())
            where.add(f"EXISTS (SELECT 1 FROM content WHERE content.num = mail.num AND ({found}))", *[pattern] * len(columns))
    return bool(match)


def _state(where: _Where, query: MailQuery) -> None:
    where.add("NOT hidden")
    if query.folders:
        where.add(f"folder COLLATE NOCASE IN ({','.join('?' * len(query.folders))})", *query.folders)
    else:
        where.add("folder NOT IN (?, ?, ?)", TRASH, DRAFTS, OUTBOX)
    flags = {"unread": query.unread, "flagged": query.flagged, "attached": query.has_attachment, "bulk": query.bulk}
    for column, wanted in flags.items():
        if wanted is not None:
            where.add(column if wanted else f"NOT {column}")


def select(query: MailQuery) -> Selection:
    where = _Where()
    matched = _text(where, query)
    number = "search.rowid" if matched else "mail.num"
    span = (first_num(query.since) if query.since else LOWEST, first_num(query.before) if query.before else HIGHEST)
    if query.since is not None:
        where.add(f"{number} >= ?", span[0])
    if query.before is not None:
        where.add(f"{number} < ?", span[1])
    _people(where, query.sender, (FROM,), span)
    _people(where, query.recipient, (TO, CC, BCC), span)
    _people(where, query.with_person, (FROM, TO, CC, BCC), span)
    if query.thread:
        where.add("thread = coalesce((SELECT thread FROM reference WHERE message_id = ?), ?)", query.thread, query.thread)
    if query.message_id:
        where.add("message_id = ?", f"<{query.message_id.strip().strip('<>')}>")
    _state(where, query)
    source = "search JOIN mail ON mail.num = search.rowid" if matched else "mail"
    page = "" if query.cursor is None else f" AND {number} {'>' if query.oldest_first else '<'} {int(query.cursor)}"
    order = number if query.oldest_first else f"{number} DESC"
    return Selection(source, " AND ".join(where.conditions), tuple(where.parameters), page, order)
