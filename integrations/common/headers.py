"""Mail header values as they are on the wire, and as people read them (RFC 2047)."""

import base64
import binascii
import codecs
import encodings
import pkgutil
import re
from encodings import normalize_encoding
from encodings.aliases import aliases
from functools import cache, lru_cache

_WORD = re.compile(r"=\?([^?\s*]+)(?:\*[^?\s]*)?\?([bBqQ])\?([^?]*)\?=")
_FOLD = re.compile(r"\r?\n(?=[ \t])")
_CONTROL = re.compile(r"[\x00-\x1f\x7f\u2028\u2029]+")
_PLAIN = re.compile(r"[\x20-\x7e]*")
_CHARSETS = {
    "gb2312": "gb18030",
    "gbk": "gb18030",
    "x-gbk": "gb18030",
    "ks_c_5601-1987": "cp949",
    "iso-8859-1": "cp1252",
    "us-ascii": "utf-8",
    "ascii": "utf-8",
    "unicode-1-1-utf-7": "utf-7",
    "iso-8859-8-i": "iso-8859-8",
    "cp-850": "cp850",
    "utf8mb4": "utf-8",
}
_NO_CHARSETS = frozenset(
    {"unknown", "x-unknown", "unknown-8bit", "_autodetect", "x-user-defined", "default", "binary", "8bit", "none"}
)
"""What programs write where they don't know it."""
_OF_PYTHON = frozenset({"charmap", "idna", "punycode", "raw-unicode-escape", "undefined", "unicode-escape"})
"""Codecs of its own that are no charsets: what they make of a text nobody else sees, and some take time with its square."""
_SELDOM_READ = frozenset({"utf-7", "cp037", "cp1026", "cp1140", "cp273", "cp424", "cp500", "cp875"})
"""Hardly a mail program reads these, in which other letters, or markup, stand behind what is seen without them."""
_SURROGATE = re.compile("[\ud800-\udfff]")
_LONGEST_CHARSET = 60
_WORD_BYTES = 42
"""Bytes in one encoded word: 75 characters at most, with `=?utf-8?b?` and `?=`."""


def decode_bytes(data: bytes, charset: str | None) -> str:
    """Text under the declared charset, else as UTF-8 or Windows-1252, whichever fits better; never an error."""
    declared = (charset or "utf-8").strip("\"' ").lower()
    for name in (_codec(declared), "utf-8"):
        try:
            if name:
                return _SURROGATE.sub("\ufffd", data.decode(name))
        except (LookupError, ValueError):
            continue
    guess = data.decode("utf-8", "replace")
    mostly = guess.count("\ufffd") * 50 <= len(guess)
    return guess if mostly else data.decode("cp1252", "replace")


def knows_charset(charset: str) -> bool:
    """Whether it is a charset that mail programs read."""
    name = charset.strip("\"' ").lower()
    return name in _NO_CHARSETS or _codec(name) not in _SELDOM_READ | {""}


@cache
def _codecs() -> frozenset[str]:
    """The names that Python's codecs go by; looking for one that is none of them means looking through folders."""
    modules = (module.name for module in pkgutil.iter_modules(encodings.__path__))
    return frozenset((*aliases, *aliases.values(), *modules))


@lru_cache(maxsize=512)
def _codec(charset: str) -> str:
    """The codec of a charset in lower case; empty where there is none for texts."""
    name = _CHARSETS.get(charset, charset)
    if len(name) > _LONGEST_CHARSET or normalize_encoding(name) not in _codecs():
        return ""
    try:
        found = codecs.lookup(name)
    except (LookupError, ValueError):
        return ""
    return found.name if found._is_text_encoding and found.name not in _OF_PYTHON else ""


def strange_charsets(value: str) -> int:
    """How many of the encoded words in a header value are in a charset that nobody reads."""
    return sum(not knows_charset(found[1]) for found in _WORD.finditer(value)) if "=?" in value else 0


def raw_text(value: str) -> str:
    """A value as the standard parser holds it: bytes that are not ASCII stand in it as lone surrogates."""
    if value.isascii():
        return value
    try:
        return decode_bytes(value.encode("ascii", "surrogateescape"), None)
    except UnicodeEncodeError:
        return value.encode("utf-8", "replace").decode()


def _word_bytes(encoding: str, text: str) -> bytes:
    data = text.encode("utf-8", "replace")
    if encoding in "qQ":
        return binascii.a2b_qp(data, header=True)
    try:
        return base64.b64decode(data + b"=" * (-len(data) % 4))
    except binascii.Error:
        return data


def decode_header(value: str) -> str:
    """One line of readable text. Neighbouring encoded words are joined before decoding, since some split a character."""
    value = _FOLD.sub("", value)
    if "=?" not in value:
        return one_line(value)
    parts: list[str] = []
    charset, pending, end = "", b"", 0
    for word in _WORD.finditer(value):
        between = value[end : word.start()]
        gap = bool(between.strip()) or end == 0
        if pending and (gap or word[1].lower() != charset):
            parts.append(decode_bytes(pending, charset))
            pending = b""
        if gap:
            parts.append(between)
        charset, pending, end = word[1].lower(), pending + _word_bytes(word[2], word[3]), word.end()
    if pending:
        parts.append(decode_bytes(pending, charset))
    return one_line("".join(parts) + value[end:])


def one_line(text: str) -> str:
    return _CONTROL.sub(" ", text).strip()


def is_one_line(text: str) -> bool:
    """Without any character that could end a header or hide in it."""
    return not _CONTROL.search(text)


def encode_header(text: str) -> str:
    """ASCII for the wire, folded; `decode_header` gives `text` back. Text must be one line."""
    if _PLAIN.fullmatch(text) and "=?" not in text and len(text) <= 900:
        return text
    words, chunk = [], b""
    for character in text:
        encoded = character.encode()
        if len(chunk) + len(encoded) > _WORD_BYTES:
            words.append(chunk)
            chunk = b""
        chunk += encoded
    words.append(chunk)
    return "\n ".join(f"=?utf-8?b?{base64.b64encode(word).decode()}?=" for word in words)
