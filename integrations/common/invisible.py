"""Characters that show nothing, but can split, reorder or smuggle words.

Unicode's default ignorable code points are taken out, and its directional formatting; where a script or an emoji needs one to look
as it does, that one stays.
"""

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

_IGNORED = (
    "\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2060-\u2065\u206a-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0"
    "\ufff0-\ufffb\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff"
)
_DIRECTIONS = "\u202a-\u202e\u2066-\u2069"
_CONTROLS = "\x00-\x08\x0e-\x1b\x7f-\x84\x86-\x9f"
"""But for what begins a new line, and the tab."""
_BLANK = "\u2800"
_SUSPECT = re.compile(f"[{_IGNORED}{_DIRECTIONS}{_CONTROLS}{_BLANK}]")
_RUN = re.compile(f"[{_IGNORED}{_CONTROLS}]+")
_DIRECTION = re.compile(f"[{_DIRECTIONS}]")
_ALONE = re.compile("[\u202a\u2066\u2068](?=[^\u202a-\u202e\u2066-\u2069\\n\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefe])"
                    "[^\u202a-\u202e\u2066-\u2069\\n\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefe]{1,80}[\u202c\u2069]")  # fmt: skip
"""An embedded piece that runs from left to right anyway: programs put these around numbers and addresses."""
_ALONE_RTL = re.compile("[\u202b\u2067\u2068](?=[\u0590-\u061b\u061d-\u08ff\ufb1d-\ufdff\ufe70-\ufefe])"
                        "[^A-Za-z0-9\u202a-\u202e\u2066-\u2069\\n]{1,200}[\u202c\u2069]")  # fmt: skip
"""The same of one that runs from right to left anyway."""
_RTL = re.compile("[\u0590-\u061b\u061d-\u08ff\ufb1d-\ufdff\ufe70-\ufefe\U00010800-\U00010fff\U0001e800-\U0001efff]")
_JOINED = re.compile(
    "[\u0600-\u08ff\u0900-\u0dff\u1000-\u109f\u1780-\u18af\u1a20-\u1aaf\u1b00-\u1b7f\ua840-\ua8ff\ua980-\ua9df\uaa60-\uaadf\uabc0-\uabff"
    "\ufb50-\ufdff\ufe70-\ufefe\U00010a00-\U000110cf\U00011100-\U0001173f\U0001e900-\U0001e95f]"
)
"""Letters of scripts in which a joiner, or its opposite, shapes what is seen: Arabic, Syriac, the Indic ones, Mongolian and kin."""
_UNSPACED = re.compile("[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u1950-\u19df\u3040-\u30ff\u3400-\u9fff]")
"""Letters of scripts without blanks, where a break of no width tells where a line may end."""
_IDEOGRAPH = re.compile("[\u3007\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003134f]")
_MONGOLIAN = re.compile("[\u1800-\u18af]")
_BRAILLE = re.compile("[\u2801-\u28ff]")
_FLAG = re.compile("\U0001f3f4(?:\U000e0067\U000e0062(?:\U000e0065\U000e006e\U000e0067|\U000e0073\U000e0063\U000e0074|"
                   "\U000e0077\U000e006c\U000e0073)\U000e007f)")  # fmt: skip
"""The flags of England, Scotland and Wales: all that tag characters are good for."""
_EMOJI = re.compile(
    "[\u00a9\u00ae\u203c\u2049\u2122\u2139\u2190-\u21ff\u2300-\u23ff\u2460-\u24ff\u25a0-\u27bf\u2900-\u297f\u2b00-\u2bff\u3030\u303d"
    "\u3297\u3299\U0001f000-\U0001faff]"
)
_KEYCAP = re.compile("[0-9#*]\ufe0f\u20e3")
_ZWNJ, _ZWJ, _EMOJI_LOOK, _SHY = "\u200c", "\u200d", "\ufe0f", "\u00ad"
_MARKS = "\u061c\u200e\u200f"
_MOST_PADDING = 6


class Cleaned(NamedTuple):
    """`invisible` and `directions` count the characters that were taken out and that nothing honest explains."""

    text: str
    invisible: int = 0
    directions: int = 0


def visible(text: str) -> str:
    """Without the characters that show nothing but can split, reorder or smuggle words."""
    return cleaned(text).text


def cleaned(text: str) -> Cleaned:
    """As `visible`, with what was taken out."""
    if not _SUSPECT.search(text):
        return Cleaned(text)
    kept, counted, directions = [], 0, 0
    for line in text.split("\n"):
        seen, odd = _line(line)
        kept.append(seen)
        counted += odd
        directions += len(_DIRECTION.findall(_without_plain(line)))
    return Cleaned("\n".join(kept), counted, directions)


def _without_plain(line: str) -> str:
    """The line without pieces that are embedded for no effect; inside of a word none is."""

    def alone(found: re.Match[str]) -> str:
        before, after = line[found.start() - 1 : found.start()], line[found.end() : found.end() + 1]
        return found[0] if before.isalnum() or after.isalnum() else ""

    return _ALONE_RTL.sub(alone, _ALONE.sub(alone, line)) if _DIRECTION.search(line) else line


def _line(line: str) -> tuple[str, int]:
    if not _SUSPECT.search(line):
        return line, 0
    line = _DIRECTION.sub("", line)
    line = line if _BRAILLE.search(line) else line.replace(_BLANK, " ")
    turned = bool(_RTL.search(line))
    kept: list[str] = []
    odd = end = 0
    for start, stop, stays in _runs(line):
        kept.append(line[end:start])
        if not stays:
            stays, counted = _judged(line[start:stop], line[start - 1 : start], line[stop : stop + 1], turned)
            odd += counted
        kept.append(stays)
        end = stop
    return "".join((*kept, line[end:])), odd


def _runs(line: str) -> Iterator[tuple[int, int, str]]:
    """(start, end, what of it is part of a flag or a keycap) of each run of ignored characters."""
    whole = {found.start() + 1: found.end() for found in _FLAG.finditer(line)}
    whole |= {found.start() + 1: found.end() - 1 for found in _KEYCAP.finditer(line)}
    for found in _RUN.finditer(line):
        start, stop = found.span()
        if start in whole:
            yield start, whole[start], line[start : whole[start]]
            start = whole[start]
        if start < stop:
            yield start, stop, ""


def _judged(run: str, before: str, after: str, turned: bool) -> tuple[str, int]:
    """(what of the run stays, how many of the others nothing honest explains)."""
    return (_short if len(run) < _MOST_PADDING else _any)(run, before, after, turned)


def _any(run: str, before: str, after: str, turned: bool) -> tuple[str, int]:
    stays = _staying(run, before, after, turned)
    return stays, 0 if stays == run or _honest(run, before, after) else len(run) - len(stays)


_short = lru_cache(maxsize=4096)(_any)


def _staying(run: str, before: str, after: str, turned: bool) -> str:
    """What of the run shapes what is seen."""
    if len(run) == 1 and run in _MARKS:
        return run if turned else ""
    if run[0] in "\ufe0e\ufe0f" and _EMOJI.match(before):
        return run[0] + (_ZWJ if run[1:] == _ZWJ and _EMOJI.match(after) else "")
    if run == _ZWJ and _EMOJI.match(after) and (_EMOJI.match(before) or before in ("\ufe0f", "\U000e007f")):
        return run
    if run in (_ZWNJ, _ZWJ) and _JOINED.match(before) and (_JOINED.match(after) or not after.isalnum()):
        return run
    if len(run) == 1 and "\u180b" <= run <= "\u180f" and _MONGOLIAN.match(before):
        return run
    return ""


def _honest(run: str, before: str, after: str) -> bool:
    """Whether programs and people write it without anything in mind: padding beside a blank, a place to break a word or a line."""
    if any("\x00" <= char <= "\x1b" for char in run):
        return False
    if all("\x7f" <= char <= "\x9f" for char in run):
        return True  # left over from a text in another encoding
    if any("\ufe00" <= char <= "\ufe0d" or char >= "\U000e0000" for char in run):
        return len(run) == 1 and bool(_IDEOGRAPH.match(before))
    if len(run) <= _MOST_PADDING and (not before or not after or before.isspace() or after.isspace()):
        return True
    if len(run) == 1 and run in "\u200b\u2060" and (_UNSPACED.match(before) or _UNSPACED.match(after)):
        return True
    return run in (_SHY, _EMOJI_LOOK, "\ufe0e", "\u200e") or (run in (_ZWNJ, _ZWJ) and bool(_JOINED.match(before)))
