"""What a model thinks aloud before it answers, which is nobody's to read."""

import re

_NAMES = ("think", "thinking", "thought", "reasoning")
_OPENING = re.compile(rf"<({'|'.join(_NAMES)})>", re.IGNORECASE)
_BEGUN = tuple(f"<{name}>" for name in _NAMES)
_LONGEST = max(map(len, _NAMES)) + len("</>")
_DATA = ("{", "[", "```")
# Where a chat template has opened the block already, the answer only holds its end. In quotes it is what somebody wrote.
_UNOPENED = re.compile(rf"""(?<!["'`\u201c\u2018«])</(?:{"|".join(_NAMES)})>(?!["'`\u201d\u2019»])\s*""", re.IGNORECASE)


def spoken(text: str) -> str:
    """The answer without the thoughts and the blanks that it begins with; nothing where the thoughts don't end."""
    text = text.lstrip()
    text = text[_end_of_unopened(text) :]
    while begin := _OPENING.match(text):
        end = _closing(begin[1]).search(text, begin.end())
        text = text[end.end() :] if end else ""
    return text


def unopened(text: str) -> bool | None:
    """Whether it begins with thoughts that only have an end; None where data or nothing is said, for which models don't think."""
    text = text.lstrip()
    return None if not text or text.startswith(_DATA) else _end_of_unopened(text) > 0


def _end_of_unopened(text: str) -> int:
    if _OPENING.match(text) or text.startswith(_DATA):
        return 0
    found = _UNOPENED.search(text)
    return found.end() if found and not _OPENING.search(text, 0, found.start()) else 0


def _closing(name: str) -> re.Pattern[str]:
    return re.compile(rf"</{name}>\s*", re.IGNORECASE)


class Listening:
    """Takes a streamed answer piece by piece, and lets through what `spoken` leaves of the whole where no thoughts are unopened."""

    def __init__(self) -> None:
        self._kept = ""
        self._within = ""
        self._through = False

    def take(self, piece: str) -> str:
        if self._through:
            return piece
        self._kept += piece
        while self._passes_a_tag():
            pass
        return self.rest() if self._through else ""

    def rest(self) -> str:
        """What was kept back for fear that a thought begins."""
        kept, self._kept = self._kept, ""
        return "" if self._within else kept

    def _passes_a_tag(self) -> bool:
        if self._within:
            return self._leaves()
        self._kept = self._kept.lstrip()
        if begin := _OPENING.match(self._kept):
            self._within, self._kept = begin[1], self._kept[begin.end() :]
            return True
        self._through = not any(tag.startswith(self._kept.lower()) for tag in _BEGUN)
        return False

    def _leaves(self) -> bool:
        end = _closing(self._within).search(self._kept)
        if end is None:
            self._kept = self._kept[-_LONGEST:]
            return False
        self._within, self._kept = "", self._kept[end.end() :]
        return True
