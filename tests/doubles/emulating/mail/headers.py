"""The header lines of a raw message, to be looked at and changed without touching its body."""

import re
from email.utils import getaddresses

from doubles.emulating.mail.mime import header_text

_LINE_END = re.compile(rb"\r?\n")
_FIELD = re.compile(rb"([!-9;-~]+)[ \t]*:")


def with_network_lines(raw: bytes) -> bytes:
    """Every line ends in CRLF, as mail travels."""
    return _LINE_END.sub(b"\r\n", raw)


class Headers:
    """The fields in order. Built from a raw message, `bytes()` gives that message back."""

    def __init__(self, raw: bytes) -> None:
        head, _, self.body = with_network_lines(raw).partition(b"\r\n\r\n")
        self.fields: list[bytes] = []
        for line in head.split(b"\r\n"):
            if line[:1] in (b" ", b"\t") and self.fields:
                self.fields[-1] += b"\r\n" + line
            elif line:
                self.fields.append(line)

    def __bytes__(self) -> bytes:
        return b"\r\n".join([*self.fields, b"", self.body])

    def values(self, name: str) -> list[str]:
        """Decoded; eight-bit bytes, which a header may not have, are taken for Latin-1 as mail services do."""
        found = [field.partition(b":")[2].decode("latin-1") for field in self.fields if _name(field) == name.lower()]
        return [header_text(name, value) for value in found]

    def get(self, name: str) -> str:
        return next(iter(self.values(name)), "")

    def addresses(self, *names: str) -> list[str]:
        """In small letters; an entry that is no address is given as it stands."""
        pairs = getaddresses([value for name in names for value in self.values(name)])
        return [email.lower() or name for name, email in pairs if email or name]

    def set(self, name: str, value: str) -> None:
        self.remove(name)
        self.fields.insert(0, f"{name}: {value}".encode())

    def rename(self, name: str, other: str) -> None:
        self.fields = [
            other.encode() + b":" + field.partition(b":")[2] if _name(field) == name.lower() else field for field in self.fields
        ]

    def remove(self, name: str) -> None:
        self.fields = [field for field in self.fields if _name(field) != name.lower()]

    def in_ascii(self) -> None:
        """Eight-bit bytes are taken for Latin-1: text that was UTF-8 comes out garbled."""
        self.fields = [field if field.isascii() else field.decode("latin-1").encode() for field in self.fields]


def _name(field: bytes) -> str:
    found = _FIELD.match(field)
    return found[1].decode().lower() if found else ""
