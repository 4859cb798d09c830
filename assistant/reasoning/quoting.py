"""The layers of a mail: what was newly written, the signature, and the history that it quotes."""

import re
from typing import NamedTuple

LONGEST = 20_000
"""Characters of a mail that are looked at."""

_HISTORY = re.compile(
    r"^(?:On .{4,200} wrote:|Am .{4,200} schrieb\b.{0,80}:|Le .{4,200} a écrit ?:|El .{4,200} escribió:|Il .{4,200} ha scritto:"
    r"|Op .{4,200} (?:schreef\b.{0,80}|heeft .{2,80} geschreven):"
    r"|Em .{4,200} escreveu ?:|Den .{4,200} skrev\b.{0,80}:"
    r"|W dniu .{4,200} (?:pisze|napisał(?:\(a\)|a)?)\b.{0,80}:|.{4,200}写道 ?[:\uff1a]"
    r"|.{0,200}(?:\b(?:19|20)\d\d|\d:\d\d|年).{0,200}<[^<>@\s]{1,64}@[^<>\s]{1,255}> ?[:\uff1a]|-{2,} ?On .{4,200} wrote ?-{2,}"
    r"|-{2,} ?(?:Original Message|Ursprüngliche Nachricht) ?-{2,}|_{20,})\s*$",
    re.IGNORECASE,
)
_HISTORY_IN_TWO_LINES = re.compile(
    r"^(?:On|Am|Le|El|Il|Op) [^\n]{4,120}\n[^\n]{0,80}"
    r"(?:wrote|schrieb\b.{0,80}|a écrit ?|escribió|ha scritto|schreef\b.{0,80}):\s*$"
)
_HEADER = re.compile(
    r"^[>* ]*(?:From|Sent|Date|To|Cc|Subject|Von|Gesendet|An|Betreff|Datum|De|Envoyé|À|Objet|Enviado|Para|Asunto|Da|Inviato|A"
    r"|Oggetto|Van|Verzonden|Aan|Onderwerp|Enviad[ao] em|Assunto|Från|Skickat|Till|Ämne|Fra|Sendt|Til|Emne|Od|Wysłano|Do|Temat|От"
    r"|Отправлено|Дата|Кому|Тема|差出人|送信日時|宛先|件名|发件人|发送时间|收件人|主题|寄件者|寄件日期|收件者|主旨)"
    r" ?(?::\*? |[:\uff1a](?=[^\x00-\x7f]|\s?\d))",
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
WRAPPED_AT = 45
"""A line at least this long that ends in the middle of a sentence was broken by the mail program."""
_SIGNATURE_LINES = 8


class Parts(NamedTuple):
    """What somebody wrote, without quoted history. `farewell` are the lines from the sign-off on, with name and signature."""

    greeting: str
    text: str
    farewell: tuple[str, ...]


class Layers(NamedTuple):
    """`new` keeps quotations that are answered below; `history` is all that is quoted or forwarded behind it."""

    new: str
    signature: str
    history: str


def layers(text: str, writer: str = "") -> Layers:
    """Together they are the whole text; `writer` is the name under which it may be signed."""
    lines = text.replace("\r\n", "\n").split("\n")
    looked = lines[: len(_lines(text))]
    end = next((at for at, line in enumerate(looked) if _FORWARD.match(line) or _starts_history(looked, at)), len(lines))
    while end and (lines[end - 1].startswith(">") or not lines[end - 1].strip()):
        end -= 1
    own = _without_signature(lines[:end], writer)
    return Layers(*("\n".join(part).strip("\n") for part in (own, lines[len(own) : end], lines[end:])))


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
        if _SIGN_OFF.match(lines[at].strip()) and all(len(line) < WRAPPED_AT for line in lines[at + 1 :]):
            return lines[:at]
    names = (writer, *writer.split()) if writer else ()
    for at in written[-_SIGNATURE_LINES:]:
        alone = at == written[-1] or (at > 0 and not lines[at - 1].strip() and all(len(line) < WRAPPED_AT for line in lines[at:]))
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
