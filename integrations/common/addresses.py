"""The one parser of mail addresses: strict about where an address begins and ends, so that nobody can pass for another."""

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import lru_cache

from integrations.common.headers import decode_header
from integrations.common.sanitising import visible
from integrations.types import Address

_TOKEN = re.compile(
    r"""(?P<word>=\?[^?\s]+\?[bBqQ]\?[^?\s]*\?=)
      | (?P<angle><[^<>]*>)
      | (?P<special>[,;:()<>"\\])
      | (?P<space>\s+)
      | (?P<text>(?:(?!=\?)[^\s,;:()<>"\\])+|=)""",
    re.VERBOSE | re.DOTALL,
)
_LOCAL = re.compile(r"[\w!#$%&'*+/=?^`{|}~.-]{1,64}")
_LABEL = re.compile(r"[^\W_](?:[\w-]{0,61}[^\W_])?")
_ADDRESS_IN_NAME = re.compile(r"[\w.+-]+@[\w.-]+\w")
_LONGEST_NAME = 200


@dataclass
class _Entry:
    """What stands between two commas."""

    before: list[str] = field(default_factory=list)
    angle: str | None = None
    comments: list[str] = field(default_factory=list)
    spaced: bool = False
    broken: bool = False

    @property
    def empty(self) -> bool:
        return not self.before and self.angle is None and not self.broken

    def add(self, kind: str, token: str) -> None:
        if kind == "space":
            self.spaced = True
        elif kind == "angle":
            self.broken |= self.angle is not None
            self.angle = token[1:-1].strip()
        elif kind == "special" or self.angle is not None:
            self.broken = True
        else:
            self.before.append(" " + token if self.spaced and self.before else token)
            self.spaced = False


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


_ENDS = {"(": _comment_end, '"': _quote_end}


def _entries(header: str) -> Iterator[_Entry]:
    entry, position, unclosed = _Entry(), 0, ""
    while position < len(header):
        found = _TOKEN.match(header, position)
        kind, token = (found.lastgroup or "text", found[0]) if found else ("special", header[position])
        if token in _ENDS and token not in unclosed:
            end = _ENDS[token](header, position)
            if end < 0:
                unclosed += token  # nor will a later one be looked for: that would take time without bound
            elif token == "(":
                entry.comments.append(header[position + 1 : end - 1])
                position = end
                continue
            else:
                kind, token = "text", header[position:end]
        position += len(token)
        if kind == "special" and token in ",;":
            yield entry
            entry = _Entry()
        elif kind == "special" and token == ":" and entry.angle is None and not entry.broken:
            entry = _Entry()  # what came before is the name of a group
        else:
            entry.add(kind, token)
    yield entry


def _unquoted(token: str) -> str:
    lead = " " if token.startswith(" ") else ""
    text = token.strip()
    return lead + re.sub(r"\\(.)", r"\1", text[1:-1]) if text.startswith('"') and text.endswith('"') and len(text) > 1 else token


def _shows_another(name: str, email: str) -> bool:
    shown = _ADDRESS_IN_NAME.findall(unicodedata.normalize("NFKC", name).lower())
    return any(address != email for address in shown)


def _name(entry: _Entry) -> str:
    written = "".join(map(_unquoted, entry.before)) if entry.angle is not None else ""
    return decode_header(written or " ".join(entry.comments))


def named(name: str, email: str) -> Address:
    """Of a valid address and a name that comes decoded; without the name where it shows another address than the true one, or only
    this one again."""
    name = " ".join(visible(name).split()).strip("'\"")
    return Address(email=email, name="" if name.lower() == email or _shows_another(name, email) else name[:_LONGEST_NAME])


def _label(text: str) -> str:
    """A domain label as people write it (`xn--mnchen-3ya` is `münchen`)."""
    if not text.startswith("xn--"):
        return text
    try:
        label = text[4:].encode("ascii").decode("punycode")
    except ValueError:
        return text
    return label if _LABEL.fullmatch(label) and unicodedata.normalize("NFKC", label).lower() == label else text


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
    return f"{local}@{'.'.join(labels)}"


def wire_email(email: str) -> str:
    """For a header or an SMTP server: the domain in punycode, the local part quoted where it must be."""
    local, _, domain = email.rpartition("@")
    labels = [label if label.isascii() else "xn--" + label.encode("punycode").decode() for label in domain.split(".")]
    quoted = f'"{local}"' if ".." in local or local[:1] == "." or local[-1:] == "." else local
    return f"{quoted}@{'.'.join(labels)}"


def _email(entry: _Entry) -> str:
    if entry.broken:
        return ""
    if entry.angle is not None:
        return normal_email(entry.angle)
    bare = "".join(entry.before)
    return "" if " " in bare.strip() else normal_email(bare.strip())


@lru_cache(maxsize=4096)
def parse_addresses(header: str) -> tuple[Address, ...]:
    """Every valid address of a header value as it is on the wire (names are decoded here); the rest is left out."""
    found = ((entry, _email(entry)) for entry in _entries(header))
    return tuple(named(_name(entry), email) for entry, email in found if email)


def parse_address(text: str) -> Address | None:
    """The one address that `text` is, with or without a name; None where it is not exactly one, or shows two."""
    entries = [entry for entry in _entries(text) if not entry.empty]
    if len(entries) != 1:
        return None
    email, name = _email(entries[0]), _name(entries[0])
    return named(name, email) if email and not _shows_another(visible(name), email) else None
