"""What the bytes of a mail say that is about to leave, read as strictly as can be: it must be what was approved, to the letter.

Two readers of addresses must agree, and no header may stand there that was not put there: others read more into a line than we do.
"""

import base64
import binascii
import email.utils
import hashlib
import re
from collections.abc import Mapping, Sequence
from email.message import Message
from typing import NamedTuple

from integrations.common.addresses import normal_email, parse_addresses
from integrations.common.headers import decode_header, raw_text
from integrations.common.mime import content_of, is_attachment, leaves, parse_message, safe_name
from integrations.errors import InvalidResponse
from integrations.types import Address

LONGEST_LINE = 998
LONGEST_NAME = 150
_FIELD = re.compile(r"([!-9;-~]+): (.*)", re.DOTALL)
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]")
_OURS = re.compile(r"=\?utf-8\?b\?[A-Za-z0-9+/]+=*\?=")
_WORD = re.compile(r"=\?[^?]*\?[bBqQ]\?[^?]*\?=")
_FLAG = re.compile("\U0001f3f4[\U000e0030-\U000e0039\U000e0061-\U000e007a]{2,6}\U000e007f")
_TAG = re.compile("[\U000e0000-\U000e007f]")
_OF_MIME = ("MIME-Version", "Content-Type", "Content-Transfer-Encoding")


class Enclosed(NamedTuple):
    """An attachment; `digest` is of its content, whatever its lines end in."""

    name: str
    kind: str
    size: int
    digest: str


class Said(NamedTuple):
    """What a mail must say. `headers`: in order, but for those of MIME; `people`: the addresses in each header that has any;
    `texts`: the types and contents of its text, of which there is one, or the same in two ways."""

    headers: Mapping[str, str]
    people: Mapping[str, Sequence[Address]]
    subject: str
    texts: Sequence[tuple[str, str]]
    enclosed: Sequence[Enclosed] = ()


def check(raw: bytes, said: Said) -> None:
    """Raises InvalidResponse unless `raw`, lines ending in LF, says just this."""
    fields, message = fields_of(raw), parse_message(raw)
    stated = {name: value for name, value in fields if name not in _OF_MIME}
    texts, enclosed = _parts(message)
    wrong = {
        "headers": list(stated.items()) != [(name, unfolded(value)) for name, value in said.headers.items()],
        "recipients": not all(_names(stated.get(line, ""), people) for line, people in said.people.items()),
        "subject": strict_text(stated.get("Subject", "")) != said.subject,
        "text": texts != list(said.texts),
        "attachments": enclosed != list(said.enclosed),
        "form": bool(message.defects),
    }
    if found := [what for what, is_wrong in wrong.items() if is_wrong]:
        raise InvalidResponse(f"The mail was not written: its {' and '.join(found)} would not be as approved.")


def fields_of(raw: bytes) -> list[tuple[str, str]]:
    """The head of a mail whose lines end in LF: names and unfolded values, in order. InvalidResponse where another program may find
    more in it, or less."""
    head, gap, _ = raw.partition(b"\n\n")
    text = head.decode("utf-8", "replace")
    found = [_FIELD.fullmatch(field) for field in re.split(r"\n(?![ \t])", text)]
    fields = [(one[1], unfolded(one[2])) for one in found if one]
    alone = len({name.lower() for name, _ in fields}) == len(found)
    short = all(len(line) <= LONGEST_LINE for line in head.split(b"\n"))
    sound = gap and b"\r" not in raw and b"\0" not in raw and "\ufffd" not in text
    if not (sound and short and alone) or any(_CONTROL.search(line) for line in text.split("\n")):
        raise InvalidResponse("The mail was not written: not everybody would read the same in its head.")
    return fields


def unfolded(value: str) -> str:
    return value.replace("\n", "")


def strict_text(value: str) -> str | None:
    """Of plain ASCII, or of encoded words just as we write them; None of anything else."""
    words = value.split(" ")
    if all(map(_OURS.fullmatch, words)):
        try:
            return b"".join(base64.b64decode(word[10:-2], validate=True) for word in words).decode()
        except ValueError:
            return None
    return value if value.isascii() and "=?" not in value and not _CONTROL.search(value) else None


def hides_a_break(text: str) -> bool:
    """Whether it ends a line, or holds what some program decodes into something that does."""
    return bool(_CONTROL.search(text)) or any(map(_decodes_to_a_break, _WORD.findall(text)))


def hides_words(text: str) -> bool:
    """Whether letters stand in it that nobody sees. Those that make a flag are seen."""
    return bool(_TAG.search(_FLAG.sub("", text)))


def enclosed_in(raw: bytes) -> list[Enclosed]:
    """What is attached to any mail."""
    return [_enclosed(part) for _, part, inside in leaves(parse_message(raw)) if is_attachment(part, inside)]


def text_of(raw: bytes) -> str:
    """The plain text of a mail that was checked."""
    return _parts(parse_message(raw))[0][0][1]


def filename_of(part: Message) -> str:
    """As it may be passed on: in one line, and nothing in it is left to be decoded."""
    try:
        name = part.get_filename() or ""
    except (LookupError, ValueError, TypeError):
        name = ""
    return safe_name(decode_header(raw_text(name))).replace("=?", "=_")[:LONGEST_NAME].strip()


def _decodes_to_a_break(word: str) -> bool:
    charset, way, data = word[2:-2].split("?", 2)
    encoded = data.encode("utf-8", "replace")
    try:
        content = binascii.a2b_qp(encoded, header=True) if way in "qQ" else base64.b64decode(encoded + b"==")
        text = content.decode(charset.partition("*")[0], "replace")
    except binascii.Error:
        return False
    except (LookupError, ValueError):
        text = ""
    return bool(_CONTROL.search(text)) or any(byte < 0x20 for byte in content)


def _names(value: str, people: Sequence[Address]) -> bool:
    """Whether both readers find just these, in this order."""
    approved = [address.email for address in people]
    ours = [address.email for address in parse_addresses(value)]
    others = [normal_email(address) for _, address in email.utils.getaddresses([value])] if value else []
    return ours == others == approved


def _parts(message: Message) -> tuple[list[tuple[str, str]], list[Enclosed]]:
    """Texts and attachments, of a mail in one of the forms in which we write them."""
    kind, children = message.get_content_type(), message.get_payload()
    inside = [part for part in children if isinstance(part, Message)] if isinstance(children, list) else []
    if kind == "multipart/alternative":
        return [_text(part) for part in inside], []
    if kind == "multipart/mixed" and inside:
        return [_text(inside[0])], list(map(_enclosed, inside[1:]))
    return [_text(message)], []


def _text(part: Message) -> tuple[str, str]:
    return part.get_content_type(), content_of(part).decode("utf-8", "replace")


def _enclosed(part: Message) -> Enclosed:
    content = content_of(part).replace(b"\r\n", b"\n")
    return Enclosed(filename_of(part), part.get_content_type(), len(content), hashlib.sha256(content).hexdigest())
