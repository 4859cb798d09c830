"""Files contacts into an address book folder: one .vcf file for each card."""

from collections import Counter
from contextlib import suppress
from hashlib import sha256
from pathlib import Path

from integrations.common.contentline import Block, Malformed, render, unescape
from integrations.common.vcard import read_card, uid_of
from integrations.local.importing.calendars import OTHER_CONTENT
from integrations.local.importing.files import UNREADABLE, Skip, put, read_text, safe_name

DEFAULT_BOOK = "contacts"


class CardFiler:
    def __init__(self, root: Path) -> None:
        self._root = root
        self._target = self._book()
        self._contents: set[str] = set()
        self._revisions: dict[str, str] = {}
        for path in sorted(root.rglob("*.vcf")) if root.is_dir() else ():
            # A card without UID is known by its file's name, even after it was changed here.
            self._revisions[path.stem] = ""
            with suppress(*UNREADABLE):
                for card in read_text(path.read_bytes()).walk("VCARD"):
                    self._remember(card)

    def take(self, data: bytes, skip: Skip) -> tuple[int, int]:
        """How many were new and how many there already."""
        text = read_text(data)
        cards = list(text.walk("VCARD"))
        if not cards:
            skip("", "holds no contact")
        taken = duplicates = 0
        for card in cards:
            key = uid_of(card)
            if _digest(card) in self._contents:
                duplicates += 1
            elif key in self._revisions:
                newer = card.value("REV") > self._revisions[key]
                skip(_shown(card), OTHER_CONTENT + (" (this one is newer)" if newer else ""))
            elif reason := _unreadable(card):
                skip(_shown(card), reason)
            elif put(self._target, safe_name(key), ".vcf", text.encode(render([card]))):
                self._remember(card)
                taken += 1
            else:
                skip(_shown(card), OTHER_CONTENT)
        return taken, duplicates

    def _remember(self, card: Block) -> None:
        self._contents.add(_digest(card))
        self._revisions[uid_of(card)] = card.value("REV")

    def _book(self) -> Path:
        """The address book with most cards, be it the root itself, else any there is."""
        cards = Counter(path.parent for path in self._root.rglob("*.vcf"))
        if cards:
            return max(sorted(cards), key=cards.__getitem__)
        books = sorted(folder for folder in self._root.glob("[!.]*") if folder.is_dir())
        return books[0] if books else self._root / DEFAULT_BOOK


def _unreadable(card: Block) -> str:
    if card.end is None:
        return "is cut off: its end is missing"
    try:
        read_card(card)
    except Malformed as error:
        return str(error)
    except ValueError:  # an encoding that is not what it says
        return "it can't be read"
    return ""


def _digest(card: Block) -> str:
    """Without the order of properties and how lines were folded."""
    lines = sorted(line.text.strip() for line in card.lines)
    return sha256("\n".join([*lines, *map(_digest, card.blocks)]).encode(errors="replace")).hexdigest()


def _shown(card: Block) -> str:
    name = unescape(card.value("FN") or card.value("N")).strip(" ;")
    return f"“{name[:80]}”" if name else uid_of(card)
