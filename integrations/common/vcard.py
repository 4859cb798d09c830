"""Reading and changing vCards 2.1, 3.0 and 4.0. What is not named by a change keeps every letter."""

import binascii
import hashlib
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import UTC, datetime

from integrations.actions import CreateContact, UpdateContact
from integrations.common.contentline import (
    Block,
    Line,
    Malformed,
    decode,
    escape,
    lines_of,
    made,
    param,
    parse,
    prop,
    render,
    split,
    unescape,
)
from integrations.common.contentline import line as content_line
from integrations.common.fields import Texts
from integrations.common.people import email_address
from integrations.errors import InvalidResponse
from integrations.types import ContactRef, Oddity

COMPACT_DATE = re.compile(r"(\d{4})(\d{2})(\d{2})(?:T.*)?")
ADDRESS_ORDER = (2, 1, 0, 3, 4, 5, 6)  # street first; the standard puts post box and extension before it
TRANSFER = ("ENCODING", "CHARSET")


@dataclass(frozen=True)
class Card:
    """A vCard's fields as people know them. `members` are the UIDs and addresses of a group's members."""

    uid: str
    name: str
    nickname: str = ""
    emails: tuple[str, ...] = ()
    phones: tuple[str, ...] = ()
    company: str = ""
    title: str = ""
    categories: tuple[str, ...] = ()
    address: str = ""
    birthday: str = ""
    note: str = ""
    group: bool = False
    members: tuple[str, ...] = ()
    oddities: tuple[Oddity, ...] = ()


class CardFile:
    """The text of a file of cards, which may be changed."""

    def __init__(self, content: bytes) -> None:
        text = decode(content)
        self._end = "\r\n" if "\r\n" in text or "\n" not in text else "\n"
        self._root = Block("", made(""), parse(text))

    @property
    def cards(self) -> tuple[Block, ...]:
        return tuple(block for block in self._root.blocks if block.name == "VCARD")

    @property
    def content(self) -> bytes:
        return render(self._root.body, self._end).encode()

    def put(self, card: Block) -> None:
        """In place of the card with its UID, or at the end."""
        uid = uid_of(card)
        for at, entry in enumerate(self._root.body):
            if isinstance(entry, Block) and entry.name == "VCARD" and uid_of(entry) == uid:
                self._root.body[at] = card
                return
        self._root.body.append(card)

    def remove(self, card: Block) -> None:
        self._root.body = [entry for entry in self._root.body if entry is not card]


def etag_of(card: Block) -> str:
    return hashlib.sha256(render([card], "\n").encode("utf-8", "replace")).hexdigest()[:32]


def uid_of(card: Block) -> str:
    """Its UID without "urn:uuid:"; without one, a name from its content."""
    return plain_uid(card.value("UID")) or f"without-uid-{etag_of(card)[:16]}"


def plain_uid(uid: str) -> str:
    return uid[9:] if uid[:9].lower() == "urn:uuid:" else uid


def read_card(card: Block) -> Card:
    """Malformed where it says neither who it is about nor how to reach them."""
    texts = Texts()
    written = (email_address(text(line)) for line in texts.most(_preferred(card.all("EMAIL")), "emails"))
    emails = texts.most(dict.fromkeys(filter(None, written)), "emails")
    company = texts.word(next((part for line in card.all("ORG") if (part := next(filter(None, _split(line)), ""))), ""), "company")
    nicknames = (part for line in card.all("NICKNAME") for part in _split(line, ",") if part)
    nickname = texts.called(next(nicknames, ""), emails)
    name = texts.called(_name(card), emails) or nickname or company or next(iter(emails), "")
    if not name:
        raise Malformed("it has neither a name nor an address")
    kind = card.value("KIND") or card.value("X-ADDRESSBOOKSERVER-KIND")
    title = next((found for name in ("TITLE", "ROLE") for line in card.all(name) if (found := text(line))), "")
    return Card(
        uid=uid_of(card),
        name=name,
        nickname=nickname,
        emails=emails,
        phones=texts.words(map(_phone, texts.most(_preferred(card.all("TEL")), "phones")), "phones"),
        company=company,
        title=texts.word(title, "title"),
        categories=texts.words((part for line in card.all("CATEGORIES") for part in _split(line, ",")), "groups"),
        address=texts.word(next((found for line in card.all("ADR") if (found := _address(line))), ""), "address"),
        birthday=texts.word(_birthday(card), "birthday"),
        note=texts.lines("\n".join(filter(None, map(text, texts.most(card.all("NOTE"), "note")))), "note"),
        group=kind.lower() == "group",
        members=tuple(_member(line) for line in card.all("MEMBER", "X-ADDRESSBOOKSERVER-MEMBER")),
        oddities=texts.found,
    )


def text(line: Line) -> str:
    """A property's value as text, whatever its encoding."""
    return unescape(_raw(line)).replace("\r\n", "\n").strip()


def new_card(action: CreateContact, *, uid: str, now: datetime, version: str = "3.0") -> Block:
    card = Block("VCARD", made("BEGIN:VCARD"), [prop("VERSION", version), prop("UID", uid)], made("END:VCARD"))
    given = {field: value for field, value in action if value and field not in ("kind", "account")}
    given["name"] = action.name or action.company or next(iter(action.emails), "")
    contact = ContactRef(account=action.account, id=uid)
    update_card(card, UpdateContact(account=action.account, contact=contact, **given), now=now)
    return card


def update_card(card: Block, action: UpdateContact, *, now: datetime) -> None:
    """Rewrites the fields that are named; a list keeps the lines of the values that stay. InvalidResponse for a false email."""
    for email in action.emails or ():
        if not email_address(email):
            raise InvalidResponse(f"{email} is not a mail address.", action.account)
    if not card.get("UID"):
        card.add(prop("UID", uid_of(card)))
    if card.end is None:
        card.end = made("END:VCARD")
    if action.name is not None:
        _set(card, "FN", action.name)
        card.set("N", _structured(card, "N", name_parts(action.name)))
    newer = card.value("VERSION") == "4.0"
    if action.emails is not None:
        _set_list(card, "EMAIL", action.emails, email_address, TYPE="" if newer else "INTERNET")
    if action.phones is not None:
        _set_list(card, "TEL", action.phones, _digits, TYPE="VOICE")
    if action.company is not None:
        card.set("ORG", *([_structured(card, "ORG", [action.company])] if action.company else []))
    if action.title is not None:
        _set(card, "TITLE" if card.get("TITLE") or not card.get("ROLE") else "ROLE", action.title)
    if action.nickname is not None:
        _set(card, "NICKNAME", action.nickname)
    if action.note is not None:
        _set(card, "NOTE", action.note)
    if action.groups is not None:
        card.set("CATEGORIES", *([prop("CATEGORIES", ",".join(map(escape, action.groups)))] if action.groups else []))
    card.set("REV", prop("REV", format(now.astimezone(UTC), "%Y%m%dT%H%M%SZ" if newer else "%Y-%m-%dT%H:%M:%SZ")))


def name_parts(name: str) -> list[str]:
    """Family and given name, as N has them, from a name as it is spoken or as "Last, First"."""
    family, comma, given = name.partition(",")
    if not comma:
        given, _, family = name.strip().rpartition(" ")
    if not family.strip() or not given.strip():
        return ["", name.strip().strip(","), "", "", ""]
    return [family.strip(), given.strip(), "", "", ""]


def _name(card: Block) -> str:
    shown = next((found for line in card.all("FN") if (found := " ".join(text(line).split()))), "")
    for line in card.all("N"):
        family, given, additional, prefix, suffix = (_split(line) + [""] * 5)[:5]
        if shown and shown != f"{family}, {given}":
            return shown
        spoken = " ".join(" ".join((given, additional) if given else (prefix, additional)).split() + family.split())
        if spoken:
            return f"{spoken} {suffix}".strip() if suffix and not given else spoken
    return shown


def _raw(line: Line) -> str:
    params = line.params
    encoding = params.get("ENCODING", "").upper()
    if encoding != "QUOTED-PRINTABLE":
        return line.value
    content = binascii.a2b_qp(line.value)
    for charset in (params.get("CHARSET", "utf-8"), "utf-8", "cp1252"):
        try:
            return content.decode(charset)
        except (LookupError, UnicodeDecodeError):
            continue
    return content.decode("latin-1")


def _split(line: Line, separator: str = ";") -> list[str]:
    return [" ".join(part.split()) for part in split(_raw(line), separator)]


def _preferred(lines: Iterable[Line]) -> list[Line]:
    """The preferred one first: vCard 3.0 marks it TYPE=pref, 4.0 numbers them from PREF=1."""
    return sorted(lines, key=_preference)


def _preference(line: Line) -> int:
    params = line.params
    number = params.get("PREF", "")
    if number.isdigit():
        return int(number)
    return 1 if "PREF" in params.get("TYPE", "").upper().split(",") else 101


def _phone(line: Line) -> str:
    value = " ".join(text(line).split())
    return value[4:] if value[:4].lower() == "tel:" else value


def _digits(phone: str) -> str:
    return re.sub(r"[^\d+*#]", "", phone) or phone


def _address(line: Line) -> str:
    parts = _split(line) + [""] * 7
    return ", ".join(part for place in ADDRESS_ORDER if (part := parts[place]))


def _birthday(card: Block) -> str:
    value = next((found for line in card.all("BDAY") if (found := text(line))), "")
    match = COMPACT_DATE.fullmatch(value)
    return f"{match[1]}-{match[2]}-{match[3]}" if match else value


def _member(line: Line) -> str:
    value = line.value.strip()
    return email_address(value) if value[:7].lower() == "mailto:" else plain_uid(value)


def _set(card: Block, name: str, value: str) -> None:
    present = card.get(name)
    kept = {key: text for key, text in present.params.items() if key in ("LANGUAGE", "ALTID", "PREF")} if present else {}
    value = lines_of(value)
    card.set(name, *([_line(card, name, escape(value), value, kept)] if value else []))


def _structured(card: Block, name: str, parts: list[str]) -> Line:
    parts = list(map(lines_of, parts))
    return _line(card, name, ";".join(map(escape, parts)), ";".join(part.replace(";", "\\;") for part in parts), {})


def _line(card: Block, name: str, escaped: str, value: str, params: dict[str, str]) -> Line:
    """A text property in the card's own version: 2.1 knows no escapes and names its character set."""
    if card.value("VERSION") != "2.1":
        return prop(name, escaped, **params)
    if value.isascii() and "\n" not in value:
        return prop(name, value, **params)
    quoted = binascii.b2a_qp(value.encode(), istext=False).decode().replace("=\n", "").replace("\n", "=0A")
    whole = f"{name};CHARSET=UTF-8;ENCODING=QUOTED-PRINTABLE:{quoted}"
    return content_line(whole, whole)


def _set_list(card: Block, name: str, values: tuple[str, ...], same: Callable[[str], str], **params: str) -> None:
    """One line for each value. Lines of values that stay are kept; a value that takes another's place takes its parameters too."""
    present = card.all(name)
    staying = {same(text(line)): line for line in present}
    wanted = [value for value in dict.fromkeys(map(lines_of, values)) if value.strip()]
    leaving = [line for key, line in staying.items() if key not in {same(value) for value in wanted}]
    new = [value for value in wanted if same(value) not in staying]
    heirs = dict(zip(new, leaving, strict=False)) if len(new) == len(leaving) else {}
    gone = {line.group for line in leaving if line.group} - {line.group for line in heirs.values()}
    lines = [staying.get(same(value)) or _successor(heirs.get(value), name, value, params) for value in wanted]
    if _preferred(lines) != lines:
        lines = [_unpreferred(line) for line in lines]
    card.set(name, *lines)
    card.change(lambda line: None if line.group in gone and line.name.startswith("X-AB") else line)


def _successor(heir: Line | None, name: str, value: str, params: dict[str, str]) -> Line:
    if heir is None:
        return prop(name, escape(value), **params)
    kept = {key: found for key, found in heir.params.items() if key not in (*TRANSFER, "VALUE")}
    head = f"{heir.group}.{name}" if heir.group else name
    return made(head + "".join(f";{key}={_types(found)}" for key, found in kept.items()) + f":{escape(value)}")


def _types(value: str) -> str:
    return ",".join(map(param, value.split(",")))


def _unpreferred(line: Line) -> Line:
    kept = {key: value for key, value in line.params.items() if key != "PREF"}
    if "TYPE" in kept:
        kept["TYPE"] = ",".join(kind for kind in kept["TYPE"].split(",") if kind.upper() != "PREF")
    head = f"{line.group}.{line.name}" if line.group else line.name
    return made(head + "".join(f";{key}={_types(value)}" for key, value in kept.items() if value) + f":{line.value}")
