"""What somebody wrote in a mail, sentence by sentence: without greeting, signature and quoted history."""

import re
from typing import NamedTuple

LONGEST = 20_000
"""Characters of a mail that are looked at."""

_HISTORY = re.compile(
    r"^(?:On .{4,200} wrote:|Am .{4,200} schrieb\b.{0,80}:|Le .{4,200} a écrit ?:|El .{4,200} escribió:|Il .{4,200} ha scritto:"
    r"|Op .{4,200} (?:schreef\b.{0,80}|heeft .{2,80} geschreven):"
    r"|-{2,} ?(?:Original Message|Ursprüngliche Nachricht) ?-{2,}|_{20,})\s*$",
    re.IGNORECASE,
)
_HISTORY_IN_TWO_LINES = re.compile(
    r"^(?:On|Am|Le|El|Il|Op) [^\n]{4,120}\n[^\n]{0,80}"
    r"(?:wrote|schrieb\b.{0,80}|a écrit ?|escribió|ha scritto|schreef\b.{0,80}):\s*$"
)
_HEADER = re.compile(
    r"^[>* ]*(?:From|Sent|Date|To|Cc|Subject|Von|Gesendet|An|Betreff|Datum|De|Envoyé|À|Objet|Enviado|Para|Asunto|Da|Inviato|A"
    r"|Oggetto|Van|Verzonden|Aan|Onderwerp) ?:\*? ",
    re.IGNORECASE,
)
_FORWARD = re.compile(r"^-{2,} ?(?:Forwarded message|Weitergeleitete Nachricht) ?-{2,}|^Begin forwarded message:", re.IGNORECASE)
_SIGNATURE = re.compile(r"^(?:--|__)$|^(?:Sent from my|Sent with|Get Outlook for|Von meinem \w+ gesendet)\b", re.IGNORECASE)
_SIGN_OFFS = (
    r"(?:with )?(?:(?:best|kind|kindest|warm|warmest|many) )?(?:regards|wishes|thanks)",
    r"thanks?(?: you)?(?: again| a lot| so much| in advance| very much)?",
    r"best|all the best|cheers|take care|love|xo+|talk soon|see you(?: soon| then| there)?",
    r"(?:yours )?(?:sincerely|truly|faithfully)|(?:sincerely )?yours",
    r"(?:(?:viele|liebe|beste|herzliche|schöne) )?grüße|mit (?:freundlichen|besten|herzlichen|lieben) grüßen",
    r"mfg|lg|vg|(?:lieben )?gruß",
    r"(?:vielen |herzlichen )?dank(?:e)?(?: (?:im voraus|vorab))?",
    r"(?:bien )?cordialement|bien à (?:vous|toi)|amicalement|à bientôt|bises|merci(?: d'avance| beaucoup)?",
    r"(?:un )?(?:cordial )?saludos?(?: cordiales)?|un abrazo|atentamente|(?:muchas )?gracias",
    r"(?:cordiali|distinti|cari) saluti|(?:un caro )?saluto|a presto|grazie(?: mille)?",
    r"(?:met )?(?:vriendelijke|hartelijke) groet(?:en)?|groet(?:en|jes)?|mvg|(?:alvast )?bedankt",
)
_SIGN_OFF = re.compile(rf"^(?:{'|'.join(_SIGN_OFFS)})[ ,.!]*(?:[ \u2013-]*(?-i:[A-Z])\w+)?$", re.IGNORECASE)
_GREETING = re.compile(
    r"^(?i:hi|hello|hey|dear|good (?:morning|afternoon|evening|day)|hallo|liebe[rs]?|sehr geehrte[r]?|guten (?:tag|morgen|abend)"
    r"|moin|servus|bonjour|bonsoir|salut|ch(?:er|ère)s?|hola|buen[oa]s (?:días|tardes)|estimad[oa]s?|querid[oa]s?"
    r"|ciao|buon(?:giorno|asera)|gentile|gentilissim[oa]|car[oaie](?= [A-Z])"
    r"|beste(?= )|geachte|hoi|dag|goede(?:morgen|middag|navond))"
    r"(?:[ ,]+(?:(?i:there|all|both|team|everyone|everybody|folks|again|and|und|zusammen|alle|à tous|tous|todos|a tutti|tutti"
    r"|allemaal|et|y|e|en|&|heer|mevrouw)(?!\w)|[^\W\d_a-zß-ÿ][\w.'\u2019-]*))*"
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


class Parts(NamedTuple):
    """What somebody wrote, without quoted history. `farewell` are the lines from the sign-off on, with name and signature."""

    greeting: str
    text: str
    farewell: tuple[str, ...]


def own_words(text: str, writer: str = "") -> str:
    """The writer's own text; `writer` is the name under which it may be signed. Of a bare forward it is what was forwarded."""
    parts = parted(text, writer)
    if parts.greeting or parts.text:
        return parts.text
    return _greeted(_forwarded(_lines(text)))[1]


def parted(text: str, writer: str = "") -> Parts:
    lines = _without_quotes(_lines(text))
    own = _without_signature(lines, writer)
    greeting, rest = _greeted(own)
    return Parts(greeting, rest, tuple(line.strip() for line in lines[len(own) :]))


def signs_off(line: str) -> bool:
    """ "Best regards," and the like."""
    return bool(_SIGN_OFF.match(line.strip()))


def _lines(text: str) -> list[str]:
    return text[:LONGEST].replace("\r\n", "\n").split("\n")


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
    names = (writer, *writer.split()) if writer else ()
    for at in written[-_SIGNATURE_LINES:]:
        alone = at == written[-1] or (at > 0 and not lines[at - 1].strip() and all(len(line) < _WRAPPED_AT for line in lines[at:]))
        if alone and lines[at].strip(" -\u2013.,") in names:
            return lines[:at]
    return lines


def _greeted(lines: list[str]) -> tuple[str, str]:
    """The greeting, and what follows it."""
    text = "\n".join(lines).strip()
    first, _, rest = text.partition("\n")
    greeting = _GREETING.match(first.strip())
    if greeting is None:
        return "", text
    return greeting[0].strip(), f"{first.strip()[greeting.end() :]}\n{rest}".strip()


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


_DAY_OF_MONTH = re.compile(
    r"(?:.*\D)?\d{1,2}\.\s+(?:jan|feb|mär|mar|apr|mai|may|jun|jul|aug|sep|okt|oct|nov|dez|dec)", re.IGNORECASE
)
""" "27. Nov", as Germans write it."""


def _split(block: str) -> list[str]:
    found: list[str] = []
    begin = 0
    for end in _ENDS.finditer(block):
        abbreviated = _ABBREVIATION.search(block, max(end.start() - _LONGEST_ABBREVIATION, begin), end.start() + 1)
        dated = _DAY_OF_MONTH.fullmatch(block[max(end.start() - 3, begin) : end.end() + 3])
        if not abbreviated and not dated and not block[end.end() : end.end() + 1].islower():
            found.append(block[begin : end.end()].strip())
            begin = end.end()
    rest = block[begin:].strip()
    return [*found, rest] if rest else found
