"""What somebody wrote in a mail, sentence by sentence: without greeting, signature and quoted history."""

import re

LONGEST = 20_000
"""Characters of a mail that are looked at."""

_HISTORY = re.compile(
    r"^(?:On .{4,200} wrote:|Am .{4,200} schrieb\b.{0,80}:|Le .{4,200} a écrit ?:|El .{4,200} escribió:"
    r"|-{2,} ?(?:Original Message|Ursprüngliche Nachricht) ?-{2,}|_{20,})\s*$",
    re.IGNORECASE,
)
_HISTORY_IN_TWO_LINES = re.compile(r"^On [^\n]{4,120}\n[^\n]{0,80}wrote:\s*$")
_HEADER = re.compile(r"^[>* ]*(?:From|Sent|Date|To|Cc|Subject|Von|Gesendet|An|Betreff|Datum):\*? ", re.IGNORECASE)
_FORWARD = re.compile(r"^-{2,} ?(?:Forwarded message|Weitergeleitete Nachricht) ?-{2,}|^Begin forwarded message:", re.IGNORECASE)
_SIGNATURE = re.compile(r"^(?:--|__)$|^(?:Sent from my|Sent with|Get Outlook for|Von meinem \w+ gesendet)\b", re.IGNORECASE)
_SIGN_OFFS = (
    r"(?:with )?(?:(?:best|kind|kindest|warm|warmest|many) )?(?:regards|wishes|thanks)",
    r"thanks?(?: you)?(?: again| a lot| so much| in advance| very much)?",
    r"best|all the best|cheers|take care|love|xo+|talk soon|see you(?: soon| then| there)?",
    r"(?:yours )?(?:sincerely|truly|faithfully)|(?:sincerely )?yours",
    r"(?:viele|liebe|beste|herzliche) grüße|mit freundlichen grüßen|mfg|lg|vg|gruß|cordialement|saludos",
)
_SIGN_OFF = re.compile(rf"^(?:{'|'.join(_SIGN_OFFS)})[ ,.!]*(?:[ \u2013-]*(?-i:[A-Z])\w+)?$", re.IGNORECASE)
_GREETING = re.compile(
    r"^(?i:hi|hello|hey|dear|good (?:morning|afternoon|evening|day)|hallo|liebe[rs]?|guten (?:tag|morgen)|moin|bonjour|hola)"
    r"(?:[ ,]+(?:(?i:there|all|both|team|everyone|everybody|folks|again|and|und|&)(?!\w)|[^\W\d_a-zß-ÿ][\w.'\u2019-]*))*"
    r"\s*(?:[,!:.\u2013-]+(?!\w)\s*|$)"
)
_BULLET = re.compile(r"^\s*(?:[-*•·\u2013]|\d{1,2}[.)])\s+")
_ENDS = re.compile(r"(?<![.!?…])[.!?…]+[\"')\]\u201d\u2019]*\s+|[\u3002\uff01\uff1f]")
_ABBREVIATION = re.compile(
    r"(?<!\w)(?:[A-Z]|mr|mrs|ms|dr|prof|st|vs|etc|e\.g|i\.e|approx|ca|inc|ltd|co|dept|fig|jan|feb|mar|apr|jun|jul|aug"
    r"|sept?|oct|nov|dec|mon|tue|wed|thu|fri|z\.b|d\.h|bzw|usw)\.$",
    re.IGNORECASE,
)
_LONGEST_ABBREVIATION = 6
_WRAPPED_AT = 45
"""A line at least this long that ends in the middle of a sentence was broken by the mail program."""
_SIGNATURE_LINES = 8


def own_words(text: str, writer: str = "") -> str:
    """The writer's own text; `writer` is the name under which it may be signed. Of a bare forward it is what was forwarded."""
    lines = text[:LONGEST].replace("\r\n", "\n").split("\n")
    own = _without_signature(_without_quotes(lines), writer)
    if not any(line.strip() for line in own):
        own = _forwarded(lines)
    return "\n".join(_without_greeting(own)).strip()


def _without_quotes(lines: list[str]) -> list[str]:
    kept: list[str] = []
    for at, line in enumerate(lines):
        if _FORWARD.match(line) or _starts_history(lines, at):
            break
        if not line.startswith(">"):
            kept.append(line)
    return kept


def _starts_history(lines: list[str], at: int) -> bool:
    if _HISTORY.match(lines[at]) or _HISTORY_IN_TWO_LINES.match("\n".join(lines[at : at + 2])):
        return True
    return bool(_HEADER.match(lines[at]) and sum(bool(_HEADER.match(line)) for line in lines[at : at + 5]) >= 3)


def _forwarded(lines: list[str]) -> list[str]:
    begins = next((at for at, line in enumerate(lines) if _FORWARD.match(line)), None)
    if begins is None:
        return []
    return _without_signature([line for line in lines[begins + 1 :] if not _HEADER.match(line)])


def _without_signature(lines: list[str], writer: str = "") -> list[str]:
    marked = next((at for at, line in enumerate(lines) if _SIGNATURE.match(line.strip())), len(lines))
    lines = lines[:marked]
    written = [at for at, line in enumerate(lines) if line.strip()]
    for at in written[-_SIGNATURE_LINES - 1 :]:
        if _SIGN_OFF.match(lines[at].strip()) and all(len(line) < _WRAPPED_AT for line in lines[at + 1 :]):
            return lines[:at]
    if writer and written and lines[written[-1]].strip(" -\u2013.") in (writer, *writer.split()):
        return lines[: written[-1]]
    return lines


def _without_greeting(lines: list[str]) -> list[str]:
    for at, line in enumerate(lines):
        if not line.strip():
            continue
        greeting = _GREETING.match(line.strip())
        return [line.strip()[greeting.end() :], *lines[at + 1 :]] if greeting else lines[at:]
    return []


def sentences(text: str) -> tuple[str, ...]:
    """In order, each verbatim but for its line breaks."""
    return tuple(sentence for block in _blocks(text) for sentence in _split(block))


def _blocks(text: str) -> list[str]:
    """Paragraphs, list items and lines that stand alone; what ends in a colon goes with what it introduces."""
    blocks: list[str] = []
    previous = ""
    for line in text.split("\n"):
        stripped = line.strip()
        introduced = blocks and blocks[-1].endswith(":")
        continues = (introduced or len(previous) >= _WRAPPED_AT) and not _BULLET.match(line)
        if stripped and blocks and continues:
            blocks[-1] += f" {stripped}"
        elif stripped:
            blocks.append(_BULLET.sub("", line).strip())
        previous = stripped
    return blocks


def _split(block: str) -> list[str]:
    found: list[str] = []
    begin = 0
    for end in _ENDS.finditer(block):
        abbreviated = _ABBREVIATION.search(block, max(end.start() - _LONGEST_ABBREVIATION, begin), end.start() + 1)
        if not abbreviated and not block[end.end() : end.end() + 1].islower():
            found.append(block[begin : end.end()].strip())
            begin = end.end()
    rest = block[begin:].strip()
    return [*found, rest] if rest else found
