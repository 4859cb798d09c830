"""The one parser of mail addresses: strict about where an address begins and ends, so that nobody can pass for another."""

import re
import unicodedata
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import islice

from integrations.common.headers import decode_header, is_one_line
from integrations.common.invisible import visible
from integrations.types import Address

_TOKEN = re.compile(
    r"""(?P<word>=\?[^?\s]+\?[bBqQ]\?[^?\s]*\?=)
      | (?P<angle><[^<>]*>)
      | (?P<space>[ \t\r\n]+)
      | (?P<text>(?:(?!=\?)[^\x00-\x20\x7f-\x9f\u2028\u2029,;:()<>"\\])+|=)""",
    re.VERBOSE | re.DOTALL,
)
_BREAK = re.compile(r"\r(?!\n)|\n(?![ \t])")
"""An end of a line that no folding explains: what follows is another header."""
_LOCAL = re.compile(r"[\w!#$%&'*+/=?^`{|}~.-]{1,64}")
_LABEL = re.compile(r"[^\W_](?:[\w-]{0,61}[^\W_])?")
_FILLERS = re.compile("[\u115f\u1160\u3164\uffa0]")
"""Letters by name that nobody sees."""
_ADDRESS_IN_NAME = re.compile(r"(?<![\w.+-])[\w.+-]++(?:@[\w.-]+\w|\s{0,9}@\s{0,9}[\w-]+\.\w+)")
_LONGEST_NAME = 200
_LONGEST_WRITTEN = 8000
"""Characters of a name as it is on the wire that are looked at."""
MOST_ADDRESSES = 2000
"""In one header."""
_SHORT = 2000
"""Characters of a header that is remembered."""


@dataclass
class _Entry:
    """What stands between two commas. `grouped`: within a group, such as "Team: a@x.example;"."""

    before: list[str] = field(default_factory=list)
    angle: str | None = None
    comments: list[str] = field(default_factory=list)
    spaced: bool = False
    broken: bool = False
    grouped: bool = False

    @property
    def empty(self) -> bool:
        return not self.before and self.angle is None and not self.broken

    @property
    def names_group(self) -> bool:
        """Whether a colon after it begins a group."""
        return bool(self.before) and self.angle is None and not (self.broken or self.grouped or any(map(_bare_at, self.before)))

    def add(self, kind: str, token: str) -> None:
        if kind == "space":
            self.spaced = True
        elif kind == "comment":
            self.comments.append(token[1:-1])
            self.spaced = True
        elif kind == "angle":
            self.broken |= self.angle is not None
            self.angle = token[1:-1].strip()
        elif kind == "special" or self.angle is not None:
            self.broken = True
        else:
            self.before.append(" " + token if self.spaced and self.before else token)
            self.spaced = False


def _bare_at(token: str) -> bool:
    """Whether it holds an "@" that is neither quoted nor encoded, and so belongs to an address; "Anna @ Acme" is a name."""
    return "@" in token.strip()[1:] and not token.lstrip().startswith(('"', "=?"))


def _comment_end(header: str, start: int) -> int:
    """Index after the comment that opens at `start`, or -1."""
    depth, position = 0, start
    while position < len(header):
        character = header[position]
        if character == "\\":
            position += 1
        depth += (character == "(") - (character == ")")
        position += 1
        if depth == 0:
            return position
    return -1


def _quote_end(header: str, start: int) -> int:
    """Index after the quoted string that opens at `start`, or -1."""
    position = start + 1
    while position < len(header):
        if header[position] == '"':
            return position + 1
        position += 2 if header[position] == "\\" else 1
    return -1


def _next(header: str, position: int) -> tuple[str, str]:
    """The kind of what stands there, and its text; an empty text for what is opened and never closed."""
    opening = header[position]
    if opening in '("':
        end = _comment_end(header, position) if opening == "(" else _quote_end(header, position)
        return "comment" if opening == "(" else "text", header[position : max(end, position)]
    found = _TOKEN.match(header, position)
    return (found.lastgroup or "special", found[0]) if found else ("special", opening)


def _entries(header: str) -> Iterator[_Entry]:
    """What is never closed spoils everything after it, and a group that isn't, its members."""
    entry, group, position = _Entry(), list[_Entry](), 0
    while position < len(header):
        kind, token = _next(header, position)
        if not token:
            yield _Entry(broken=True)
            return
        position += len(token)
        if token == "," and not entry.grouped:
            yield entry
            entry = _Entry()
        elif token == ",":
            group.append(entry)
            entry = _Entry(grouped=True)
        elif token == ":" and entry.names_group:
            entry, group = _Entry(grouped=True), []
        elif token == ";" and entry.grouped:
            yield from (*group, entry)
            entry = _Entry(angle="")  # nothing but a comma may follow
        else:
            entry.add(kind, token)
    yield _Entry(broken=True) if entry.grouped else entry


def _unquoted(token: str) -> str:
    lead = " " if token.startswith(" ") else ""
    text = token.strip()
    return lead + re.sub(r"\\(.)", r"\1", text[1:-1]) if text.startswith('"') and text.endswith('"') and len(text) > 1 else token


def shows_another(name: str, emails: Collection[str]) -> bool:
    """Whether a name holds an address that is none of these."""
    shown = _ADDRESS_IN_NAME.findall(unicodedata.normalize("NFKC", name).lower())
    return any(address not in emails for address in shown)


def _name(entry: _Entry) -> str:
    written = "".join(map(_unquoted, entry.before)) if entry.angle is not None else ""
    return decode_header((written or " ".join(entry.comments))[:_LONGEST_WRITTEN])


def named(name: str, email: str) -> Address:
    """Of a valid address and a name that comes decoded; without the name where it shows another address than the true one, or only
    this one again."""
    name = " ".join(visible(name).split()).strip("'\"")
    if name.lower() == email or shows_another(name, (email,)):
        return Address(email=email)
    return Address(email=email, name=name if len(name) <= _LONGEST_NAME else visible(name[:_LONGEST_NAME]).strip())


def _label(text: str) -> str:
    """A domain label as people write it (`xn--mnchen-3ya` is `münchen`); as it is where it stands for none, or for another's:
    `xn--bank-` is not `bank`."""
    if not text.startswith("xn--"):
        return text
    try:
        label = text[4:].encode("ascii").decode("punycode")
        written = label.encode("punycode").decode("ascii")
    except ValueError:
        return text
    plain = not label.isascii() and written == text[4:] and unicodedata.normalize("NFKC", label).lower() == label
    return label if plain and _LABEL.fullmatch(label) else text


@lru_cache(maxsize=8192)
def normal_email(text: str) -> str:
    """Lower-cased, domain in Unicode; empty if `text` is no bare address."""
    local, at, domain = unicodedata.normalize("NFC", text).lower().rpartition("@")
    if local.startswith('"') and local.endswith('"') and len(local) > 2:
        local = local[1:-1]
    labels = [_label(label) for label in domain.split(".")]
    valid = at and _LOCAL.fullmatch(local) and all(map(_LABEL.fullmatch, labels)) and len(domain) <= 253
    if not valid or unicodedata.normalize("NFKC", domain) != domain:
        return ""
    if "=?" in local or labels[-1].isdigit() or _FILLERS.search(text):  # encoded, the number of a machine, or not all to be seen
        return ""
    return f"{local}@{'.'.join(labels)}"


def unwritable(address: Address) -> str:
    """Why it may stand in nothing that is written, as a clause; empty where it may."""
    if normal_email(address.email) != address.email:
        return "is no mail address"
    return "" if is_one_line(address.name) and visible(address.name) == address.name else "has a name with hidden characters in it"


def wire_email(email: str) -> str:
    """For a header or an SMTP server: the domain in punycode, the local part quoted where it must be."""
    local, _, domain = email.rpartition("@")
    labels = [label if label.isascii() else "xn--" + label.encode("punycode").decode() for label in domain.split(".")]
    quoted = f'"{local}"' if ".." in local or local[:1] == "." or local[-1:] == "." else local
    return f"{quoted}@{'.'.join(labels)}"


def _email(entry: _Entry) -> str:
    if entry.broken:
        return ""
    if entry.angle is None:
        return normal_email("".join(entry.before).strip())
    email = normal_email(entry.angle)
    shown = (token.strip(" '") for token in entry.before if _bare_at(token))
    return email if all(normal_email(one) == email for one in shown) else ""


def parse_addresses(header: str) -> tuple[Address, ...]:
    """Every valid address of a header value as it is on the wire (names are decoded here), but no more than MOST_ADDRESSES; the
    rest is left out."""
    return _short(header) if len(header) <= _SHORT else _addresses(header)


@lru_cache(maxsize=4096)
def _short(header: str) -> tuple[Address, ...]:
    return _addresses(header)


def _addresses(header: str) -> tuple[Address, ...]:
    if _BREAK.search(header):
        return ()
    found = ((entry, _email(entry)) for entry in islice(_entries(header), 2 * MOST_ADDRESSES))
    return tuple(islice((named(_name(entry), email) for entry, email in found if email), MOST_ADDRESSES))


def parse_address(text: str) -> Address | None:
    """The one address that `text` is, with or without a name; None where it is not exactly one, or shows two."""
    entries = [entry for entry in _entries(text) if not entry.empty or entry.grouped]
    if len(entries) != 1 or entries[0].grouped or _BREAK.search(text):
        return None
    email, name = _email(entries[0]), _name(entries[0])
    return named(name, email) if email and not shows_another(visible(name), (email,)) else None
