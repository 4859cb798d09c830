"""Mail header values as they are on the wire, and as people read them (RFC 2047)."""

import base64
import binascii
import codecs
import re

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
_WORD_BYTES = 42
"""Bytes in one encoded word: 75 characters at most, with `=?utf-8?b?` and `?=`."""


def decode_bytes(data: bytes, charset: str | None) -> str:
    """Text under the declared charset, else as UTF-8 or Windows-1252, whichever fits better; never an error."""
    declared = (charset or "utf-8").strip("\"' ").lower()
    for name in (_CHARSETS.get(declared, declared), "utf-8"):
        try:
            if codecs.lookup(name)._is_text_encoding:
                return data.decode(name)
        except (LookupError, ValueError):
            continue
    guess = data.decode("utf-8", "replace")
    mostly = guess.count("\ufffd") * 50 <= len(guess)
    return guess if mostly else data.decode("cp1252", "replace")


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
