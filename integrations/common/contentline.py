"""The lines of iCalendar and vCard files as a tree that renders back to the text it was read from, except where changed."""

import re
from collections.abc import Callable, Iterable, Iterator
from copy import deepcopy
from dataclasses import dataclass, field
from typing import NamedTuple

LINE_END = re.compile(r"\r\n|\n|\r")
PARAMETER = re.compile(r';([^=;:"]+)(?:=((?:"[^"]*"|[^";])*))?')
CONTROL = re.compile(r"[\x00-\x1f\x7f]+")
BREAK = re.compile(r"\r\n|[\r\n\x0b\x0c\x1c-\x1e\x85\u2028\u2029]")
ESCAPES = re.compile(r"\\(.)", re.DOTALL)


class Malformed(ValueError):
    """`str()` is one clause for people: why a file or an item in it can't be read."""


class Line(NamedTuple):
    """`raw` is as written, folds included and without the final line end; `text` is unfolded. `name` is upper-cased and without
    its `group` ("item1.")."""

    raw: str
    text: str
    name: str
    group: str

    @property
    def value(self) -> str:
        """Still escaped."""
        return self.text[self._colon() + 1 :]

    @property
    def params(self) -> dict[str, str]:
        """By upper-cased name, unquoted, a repeated one joined by commas; a bare one, as vCard 2.1 writes them, is a TYPE."""
        found: dict[str, str] = {}
        for match in PARAMETER.finditer(self.text[: self._colon()]):
            key, value = match[1].strip().upper(), match[2]
            if value is None:
                key, value = _bare(key)
            value = value.strip().replace('"', "")
            found[key] = f"{found[key]},{value}" if key in found else value
        return found

    def with_param(self, key: str, value: str) -> "Line":
        """With one parameter set, all others and their order kept."""
        colon = self._colon()
        head, rest = self.text[:colon], self.text[colon:]
        kept = PARAMETER.sub(lambda match: "" if match[1].strip().upper() == key else match[0], head)
        return made(f"{kept};{key}={param(value)}{rest}")

    def with_value(self, value: str) -> "Line":
        """With another value, already escaped."""
        return made(self.text[: self._colon() + 1] + value)

    def _colon(self) -> int:
        text = self.text
        if '"' in text:
            quoted = False
            for position, letter in enumerate(text):
                if letter == '"':
                    quoted = not quoted
                elif letter == ":" and not quoted:
                    return position
        colon = text.find(":")
        return colon if colon >= 0 else len(text)


def line(raw: str, text: str) -> Line:
    colon = text.find(":")
    semicolon = text.find(";", 0, colon) if colon >= 0 else text.find(";")
    head = text[: semicolon if semicolon >= 0 else colon if colon >= 0 else len(text)]
    group, _, name = head.rpartition(".")
    return Line(raw, text, name.strip().upper(), group.strip().lower())


@dataclass(slots=True)
class Block:
    """A component or card. `begin` and `end` are its own lines; `end` is None where the text stops before it."""

    name: str
    begin: Line
    body: "list[Line | Block]" = field(default_factory=list)
    end: Line | None = None

    @property
    def lines(self) -> Iterator[Line]:
        return (entry for entry in self.body if isinstance(entry, Line))

    @property
    def blocks(self) -> "Iterator[Block]":
        return (entry for entry in self.body if isinstance(entry, Block))

    def all(self, *names: str) -> list[Line]:
        return [entry for entry in self.body if isinstance(entry, Line) and entry.name in names]

    def get(self, name: str) -> Line | None:
        for entry in self.body:
            if isinstance(entry, Line) and entry.name == name:
                return entry
        return None

    def value(self, name: str) -> str:
        found = self.get(name)
        return found.value.strip() if found else ""

    def set(self, name: str, *lines: Line) -> None:
        """Puts `lines` where the first of that name stands, or after the last property; the others of that name go."""
        places = [at for at, entry in enumerate(self.body) if isinstance(entry, Line) and entry.name == name]
        at = places[0] if places else 1 + max((at for at, entry in enumerate(self.body) if isinstance(entry, Line)), default=-1)
        kept_before = self.body[:at]
        kept_after = [entry for entry in self.body[at:] if not (isinstance(entry, Line) and entry.name == name)]
        self.body = [*kept_before, *lines, *kept_after]

    def add(self, *lines: Line) -> None:
        at = 1 + max((at for at, entry in enumerate(self.body) if isinstance(entry, Line)), default=-1)
        self.body[at:at] = lines

    def change(self, change: "Callable[[Line], Line | None]") -> None:
        """Replaces every property by what `change` makes of it, dropping it where that is None."""
        changed = (change(entry) if isinstance(entry, Line) else entry for entry in self.body)
        self.body = [entry for entry in changed if entry is not None]

    def without(self, *names: str) -> "Block":
        """A shallow copy that lacks these properties."""
        kept = [entry for entry in self.body if isinstance(entry, Block) or entry.name not in names]
        return Block(self.name, self.begin, kept, self.end)

    def copy(self) -> "Block":
        return deepcopy(self)

    def walk(self, name: str) -> "Iterator[Block]":
        for block in self.blocks:
            if block.name == name:
                yield block
            yield from block.walk(name)


def decode(content: bytes) -> str:
    """UTF-8, as the standards have it, or the Latin-1 that old programs wrote."""
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError:
        return content.decode("cp1252", errors="replace")


def parse(text: str) -> list[Line | Block]:
    """The entries at top level. Lines that belong nowhere stay where they are; a block left open is closed by its parent's end."""
    root = Block("", made(""))
    stack = [root]
    for entry in _unfolded(text):
        if entry.name == "BEGIN":
            name = entry.value.strip().upper()
            # Only a vCard's AGENT may hold a block of its own kind; anywhere else the end of the first one is missing.
            if stack[-1].name == name and not _is_agent(stack[-1]):
                stack.pop()
            block = Block(name, entry)
            stack[-1].body.append(block)
            stack.append(block)
        elif entry.name == "END" and (name := entry.value.strip().upper()) in {block.name for block in stack[1:]}:
            while (closed := stack.pop()).name != name:
                pass
            closed.end = entry
        else:
            stack[-1].body.append(entry)
    return root.body


def render(entries: "Iterable[Line | Block]", line_end: str = "\r\n") -> str:
    text = "".join(f"{raw}\r\n" for raw in _raw(entries))
    return text if line_end == "\r\n" else text.replace("\r\n", line_end)


def line_end(text: str) -> str:
    return "\r\n" if "\r\n" in text or "\n" not in text else "\n"


def made(text: str) -> Line:
    """A line from its unfolded text, folded at 75 octets."""
    if len(text) <= 75 and text.isascii():
        return line(text, text)
    pieces, piece, size = [], "", 0
    for letter in text:
        width = len(letter.encode("utf-8", "replace"))
        if size + width > 75:
            pieces.append(piece)
            piece, size = "", 1
        piece += letter
        size += width
    return line("\r\n ".join([*pieces, piece]), text)


def prop(name: str, value: str, **params: str) -> Line:
    """A property from a value that is already escaped; a parameter's underscore stands for a hyphen."""
    head = "".join(f";{key.replace('_', '-')}={param(text)}" for key, text in params.items() if text)
    return made(f"{name}{head}:{CONTROL.sub(' ', value)}")


def param(value: str) -> str:
    """A parameter's value, quoted where needed; what quoting can't hold is replaced."""
    value = CONTROL.sub(" ", value).replace('"', "'")
    return f'"{value}"' if any(letter in value for letter in ",;:") else value


def lines_of(text: str) -> str:
    """As calendars and cards keep a text: with line ends of one kind, of which all programs know what they are."""
    return BREAK.sub("\n", text).replace("\t", " ")


def escape(text: str) -> str:
    text = text.replace("\\", "\\\\").replace(";", "\\;").replace(",", "\\,")
    return text.replace("\r\n", "\n").replace("\r", "\n").replace("\n", "\\n")


def unescape(text: str) -> str:
    return ESCAPES.sub(lambda match: "\n" if match[1] in "nN" else match[1], text) if "\\" in text else text


def split(value: str, separator: str) -> list[str]:
    """The unescaped parts of a structured value."""
    found = re.findall(rf"((?:\\.|[^\\{separator}])*)(?:{separator}|$)", value, re.DOTALL)
    return [unescape(part) for part in found[:-1] or [""]]


def _unfolded(text: str) -> Iterator[Line]:
    raw: list[str] = []
    quoted_printable = False
    for piece in LINE_END.split(text.removesuffix("\n").removesuffix("\r")):
        if raw and (piece[:1] in (" ", "\t") or quoted_printable):
            raw.append(piece)
        else:
            if raw:
                yield _joined(raw)
            raw = [piece]
            quoted_printable = False
        if quoted_printable or (raw[0] is piece and "QUOTED-PRINTABLE" in piece.partition(":")[0].upper()):
            quoted_printable = piece.endswith("=")
    if any(raw):
        yield _joined(raw)


def _joined(raw: list[str]) -> Line:
    if len(raw) == 1:
        return line(raw[0], raw[0])
    text = raw[0]
    for piece in raw[1:]:
        text = text[:-1] + piece if text.endswith("=") and piece[:1] not in (" ", "\t") else text + piece[1:]
    return line("\r\n".join(raw), text)


def _raw(entries: "Iterable[Line | Block]") -> Iterator[str]:
    for entry in entries:
        if isinstance(entry, Line):
            yield entry.raw
        else:
            yield entry.begin.raw
            yield from _raw(entry.body)
            if entry.end is not None:
                yield entry.end.raw


def _is_agent(block: Block) -> bool:
    last = block.body[-1] if block.body else None
    return isinstance(last, Line) and last.name == "AGENT"


def _bare(word: str) -> tuple[str, str]:
    return ("ENCODING", word) if word in ("QUOTED-PRINTABLE", "BASE64", "8BIT", "7BIT") else ("TYPE", word)
