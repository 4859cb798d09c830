"""The text of a mail: of the parts that a person would read, in their order, as they show it."""

from email.message import Message
from typing import NamedTuple

from integrations.common.headers import decode_bytes, knows_charset
from integrations.common.mime_parsing import DEEPEST
from integrations.common.mime_parts import beginning_of, children, is_attachment, plain_lines
from integrations.common.oddities import Finds
from integrations.common.parts_differ import differ

LONGEST_TEXT = 400_000
_MOST_BYTES = 4 * LONGEST_TEXT


class Text(NamedTuple):
    """`markup`: what it was in HTML; `finds` are of this text alone."""

    text: str
    finds: Finds
    rich: bool = False
    markup: str = ""


class Texts:
    """Reads the texts of one mail; `finds` takes what was found in those that are shown. Beyond LONGEST_TEXT nothing is read."""

    def __init__(self, finds: Finds, *, bulk: bool = False) -> None:
        self._finds, self._bulk = finds, bulk
        self._left = _MOST_BYTES

    def of(self, message: Message) -> str:
        found = self._text(message)
        self._finds.join(found.finds)
        return shortened(found.text, self._finds)

    def _text(self, part: Message, inside: str = "", depth: int = 0) -> Text:
        kind = part.get_content_type()
        if depth and len(set(map(str, part.get_all("content-type", ())))) > 1:
            self._finds.add("double_header", "body")  # those of the mail itself are told of with its other headers
        if kind.startswith("multipart/") and part.is_multipart():
            if depth > DEEPEST:
                return Text("", Finds())
            each = [(_less_plain(child), self._text(child, kind, depth + 1)) for child in children(part)]
            written = [(rich, one) for rich, one in each if one.text.strip()]
            return self._chosen(written, each) if kind == "multipart/alternative" else _joined([one for _, one in each])
        if not kind.startswith(("text/", "multipart/")) or is_attachment(part, inside):
            return Text("", Finds())
        return self._own_text(part)

    def _chosen(self, written: list[tuple[int, Text]], each: list[tuple[int, Text]]) -> Text:
        """The plain text; told is whether the others say something else."""
        if not written:
            return Text("", Finds())
        least, chosen = min(written, key=lambda choice: choice[0])
        other = next((one for _, one in each if one.rich), None)
        if other and not chosen.rich and differ(chosen.text, other.text, other.markup, bulk=self._bulk):
            chosen.finds.add("parts_differ", "body")
        last = next(one for rank, one in reversed(written) if rank == least)  # which is what most programs show
        if last is not chosen and " ".join(last.text.split()) != " ".join(chosen.text.split()):
            chosen.finds.add("parts_differ", "body")
        return chosen

    def _own_text(self, part: Message) -> Text:
        finds = Finds()
        if self._left <= 0:
            finds.add("cut", "body")
            return Text("", finds)
        try:
            charset = part.get_content_charset()
        except (LookupError, ValueError, TypeError):
            charset = None
        content, whole = beginning_of(part, self._left)
        self._left -= len(content)
        finds.add("cut", "body", not whole)
        finds.add("charset", "body", bool(charset) and not knows_charset(charset or ""))
        rich = "html" in part.get_content_type()
        text = decode_bytes(content, charset)
        return Text(written(text, finds, html=rich), finds, rich, text if rich else "")


def _less_plain(part: Message) -> int:
    """The order in which alternatives are taken; few programs show another text than these."""
    kind = part.get_content_type()
    return 0 if kind == "text/plain" else 1 if kind == "text/html" or kind.startswith("multipart/") else 2


def _joined(texts: list[Text]) -> Text:
    """What was found is told of those too that show nothing."""
    finds = Finds()
    for one in texts:
        finds.join(one.finds)
    texts = [one for one in texts if one.text.strip()]
    if len(texts) == 1:
        return texts[0]._replace(finds=finds)
    rich = any(one.rich for one in texts)
    markup = "\n".join(one.markup or one.text for one in texts) if rich else ""
    return Text("\n\n".join(one.text.strip("\n") for one in texts), finds, rich, markup)


def written(content: str, finds: Finds, *, html: bool) -> str:
    text = plain_lines(content).replace("\0", "")
    return finds.html(text, "body") if html else finds.text(shortened(text, finds), "body")


def shortened(text: str, finds: Finds) -> str:
    finds.add("cut", "body", len(text) > LONGEST_TEXT)
    return text[:LONGEST_TEXT].strip("\n")


def readable(content: str, finds: Finds, *, html: bool) -> str:
    """A text as a mail has it, of one that comes decoded."""
    most = _MOST_BYTES
    finds.add("cut", "body", len(content) > most)
    return shortened(written(content[:most], finds, html=html), finds)
