"""What strangers wrote, made fit to stand inside a sentence; and the one strict reading of addresses."""

import re
import unicodedata
from collections.abc import Iterator

LONGEST = 80

SEPARATORS = re.compile(
    r"[\s<>()\[\]{},;:\"\\\u2018\u201c-\u201f\u2026\u2013\u2014\u2022\u00ab\u00bb\u2039\u203a\u3001\u3002\uff0c\uff1a\uff1b]+"
)
BEFORE_ADDRESS = "*'`.!?|\u2019"
"""What nobody's address begins with, but which often stands right before one."""
DOMAIN_END = re.compile(r"[\w.-]*")
LOCAL = re.compile(r"[\w!#$%&'*+/=?^`{|}~.-]{1,64}")
LABEL = re.compile(r"[^\W_](?:[\w-]{0,61}[^\W_])?")
LONGEST_ADDRESS = 330

BLANK = re.compile("[\u115f\u1160\u2800\u3164\uffa0]")
"""Letters by name that show as nothing but room, with which a line can be torn apart."""
UNSEEN = re.compile("[\u034f\u17b4\u17b5\u180b-\u180d]")
_ACCENT = "[\u0300-\u036f\u0483-\u0489\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff]"
PILED = re.compile(f"({_ACCENT}{{3}}){_ACCENT}+")
"""No language sets more than three accents upon a letter; piled up they cover the lines around."""


def undisguised(text: str) -> str:
    """Without letters that show nothing, and without accents that cover other text."""
    return text if text.isascii() else PILED.sub(r"\1", BLANK.sub(" ", UNSEEN.sub("", text)))


def line(text: str, longest: int = LONGEST) -> str:
    """On one line, without control, format and bidi characters, and not too long."""
    shown = "".join(" " if unicodedata.category(char) in ("Cc", "Zl", "Zp") else char for char in text)
    kept = "".join(char for char in shown if unicodedata.category(char) not in ("Cf", "Cs", "Co", "Cn"))
    words = " ".join(undisguised(kept).split())
    return words if len(words) <= longest else words[: longest - 1].rstrip() + "\u2026"


def normal_domain(text: str) -> str:
    """Lower-cased and in Unicode (`xn--mnchen-3ya` is `münchen`); empty for what is none, or could be read as another."""
    labels = [_label(label) for label in unicodedata.normalize("NFC", text).lower().split(".")]
    return ".".join(labels) if all(labels) and len(text) <= 253 else ""


def _label(text: str) -> str:
    if text.startswith("xn--"):
        try:
            label = text[4:].encode("ascii").decode("punycode")
        except ValueError:
            return ""
        if label.isascii() or label.encode("punycode").decode("ascii") != text[4:]:
            return ""
        text = label
    sound = LABEL.fullmatch(text) and unicodedata.normalize("NFKC", text).lower() == text
    return text if sound else ""


def normal_address(text: str) -> str:
    """One way to write an address, as `normal_domain` writes its domain; empty for what is not exactly one."""
    if len(text) > LONGEST_ADDRESS:
        return ""
    local, at, domain = unicodedata.normalize("NFC", text).lower().rpartition("@")
    found = normal_domain(domain)
    return f"{local}@{found}" if at and LOCAL.fullmatch(local) and found else ""


def addresses_in(text: str) -> frozenset[str]:
    """Those that stand verbatim in a text, each whole: no part of a longer one is another. As `normal_address` writes them."""
    return frozenset(normal for _, normal in _found(text))


def placed_addresses(text: str) -> tuple[str, ...]:
    """As they stand there, in that order."""
    return tuple(dict.fromkeys(written for written, _ in _found(text)))


def _found(text: str) -> Iterator[tuple[str, str]]:
    if "@" in text:
        for part in SEPARATORS.split(text):
            written = _address(part) if part.count("@") == 1 and len(part) <= LONGEST_ADDRESS else ""
            if normal := normal_address(written):
                yield written, normal


def _address(part: str) -> str:
    local, _, rest = part.partition("@")
    marked = local.startswith("_") and rest.endswith("_")
    local = local.lstrip(BEFORE_ADDRESS + "_" * marked)
    domain = DOMAIN_END.match(rest)
    return f"{local}@{domain[0].rstrip('._-')}" if domain else ""


def stands_in(email: str, text: str) -> bool:
    """Whether just this address stands in the text. `email` as `normal_address` writes it."""
    return "@" in text and email.partition("@")[0] in text.lower() and email in addresses_in(text)


def mentions(email: str, text: str) -> bool:
    """Whether the address stands anywhere in the text, be it within a link. Nothing that vouches for it."""
    return re.search(rf"(?<![\w.+-]){re.escape(email)}(?![\w-]|\.\w)", text, re.IGNORECASE) is not None


def shown_address(email: str) -> str:
    """To be shown: an address that is not plain in ASCII, as it goes out, with its Unicode form behind it."""
    if email.isascii():
        return email
    local, _, domain = email.rpartition("@")
    plain = local if local.isascii() else "".join(char if char.isascii() else f"\\u{ord(char):04x}" for char in local)
    labels = [label if label.isascii() else "xn--" + label.encode("punycode").decode("ascii") for label in domain.split(".")]
    return f"{plain}@{'.'.join(labels)} ({line(email)})"
