"""What a model's words are held against before anybody sees them: plain code over the reports that they are about."""

import re
from collections.abc import Iterable

from assistant.reasoning.llm.figures import unknown_numbers

ADDRESS = re.compile(r"(?<![\w.+%-])[\w.+%-]+@[\w-]+(?:\.[\w-]+)+")
LINK = re.compile(r"(?:(?:https?|ftp)://|www\.)[^\s<>\"')\]\u201d]+", re.IGNORECASE)
BARE = re.compile(r"(?<![\w@/.-])(?:[\w-]{2,}\.)+[a-z]{2,24}(?:/[^\s<>\"')\]\u201d]*)?(?![\w@])")
ENDING = ".,;:!?\u2026*_`"
DONE = (
    "sent emailed mailed forwarded replied answered moved rescheduled scheduled booked created added cancelled canceled deleted "
    "trashed removed archived flagged marked updated changed renamed invited accepted declined saved drafted approved confirmed "
    "unsubscribed paid submitted notified informed transferred ordered executed shared"
).split()
DOING = (
    "sending emailing forwarding replying moving rescheduling booking creating cancelling deleting archiving paying inviting"
).split()
_VERB = rf"(?:{'|'.join(DONE)})"
_LATELY = r"(?: now| just| already| also| successfully| gladly| then)*"
_THING = (
    r"(?:e-?mails?|mails?|messages?|repl(?:y|ies)|responses?|invit(?:ation|e)s?|events?|meetings?|appointments?|calls?|drafts?|contacts?|"
    r"payments?|orders?|requests?|files?|documents?|money|it|they|that|this|everything|all)"
)
_WILL = r"(?:['\u2019]ll| will|['\u2019]m going to| am going to|['\u2019]re going to| are going to)"
FIRST_PERSON = (
    re.compile(
        rf"\b(?:I|we)(?:['\u2019]ve| have)?{_LATELY} (?:{_VERB}|did (?:it|that|so)|taken care of|took care of)\b", re.IGNORECASE
    ),
    re.compile(rf"\b(?:I|we){_WILL}(?: now| also)* (?!not\b|be able\b|need\b)\w+", re.IGNORECASE),
    re.compile(rf"\b(?:I['\u2019]m|I am|we['\u2019]re|we are){_LATELY} (?:{'|'.join(DOING)})\b", re.IGNORECASE),
)
PASSIVE = (
    re.compile(rf"\b(?:has|have|was|were|is|are) (?:now|just|successfully|already)+ (?:been )?{_VERB}\b", re.IGNORECASE),
    re.compile(rf"\b{_THING}\b[^.!?\n]{{0,60}}? (?:has|have) been(?: successfully)? {_VERB}\b", re.IGNORECASE),
    re.compile(rf"\b{_THING}\b[^.!?\n]{{0,60}}? (?:was|were|is|are) {_VERB}(?= (?:to|as|for) |[.!]|$)(?! by)", re.IGNORECASE),
)
_START = r"(?:^|(?<=[.!?\n])|(?<=[.!?\n] ))"
BARE_CLAIM = re.compile(
    rf"{_START}[ \t>*_\u2713\u2705\u2714-]*(?:all |ok(?:ay)?,? |yes,? |great,? )?"
    rf"(?:done|{_VERB})(?: and {_VERB})?(?= *(?:[.!,;\u2013\u2014]|$)| for you\b| as (?:requested|you asked)\b)",
    re.IGNORECASE | re.MULTILINE,
)
NOUN_CLAIM = re.compile(
    rf"{_START}[ \t]*(?:the |your )?{_THING}(?: to [^.!?\n:]{{1,40}}?)? {_VERB}(?= *[.!]| *$| to )", re.IGNORECASE | re.MULTILINE
)
TICK = re.compile("[\u2713\u2714\u2705\u2611]")
PREVIEWS = re.compile(
    r"\bpreviews?\b|\bawait(?:s|ing) your (?:approval|confirmation)"
    r"|\b(?:say|type|reply with|answer with|write|enter)(?: just| simply)?:? [\"'\u201c\u2018*`]*"
    r"(?:approve|yes|confirm|execute|go ahead)\b"
    r"|\b(?:approve|confirm) (?:it|this|that|the (?:proposal|plan|preview|draft))\b",
    re.IGNORECASE,
)
ATTRIBUTED = re.compile(
    r"\b(?:says?|said|saying|writes?|wrote|written|writing|tells?|told|asks?|asked|reports?|reported|informs?|confirms|mentions?|"
    r"mentioned|announces?|announced|reminds?|explains?|notes|adds|states?|claims?|according to|quotes?|quoting)\b",
    re.IGNORECASE,
)
QUOTED = re.compile(r"[\"\u201c\u201e][^\"\u201c\u201d\u201e]*[\"\u201d\u201c]|(?m:^>.*$)")
LABELS = frozenset("update done note status result sent summary answer info information reply assistant".split())


def faults(reply: str, material: str, said: str = "") -> tuple[str, ...]:
    """What `reply` holds that stands neither in `material` nor in what the user `said`, one clause each; none if honest."""
    return (*unfounded(reply, f"{material}\n{said}"), *false_claims(reply, material))


def unfounded(words: str, known: str) -> tuple[str, ...]:
    """Addresses, links and numbers that stand nowhere."""
    plain = unknown_numbers(_plain_text(words), _plain_text(known))
    return (*invented(words, known), *dict.fromkeys(f"the number {one} is in no report" for one in plain))


def invented(words: str, known: str) -> tuple[str, ...]:
    """Addresses and links that stand nowhere."""
    addresses = (f"the address {one} is in no report" for one in _unknown_addresses(words, known))
    return tuple(dict.fromkeys((*addresses, *(f"the link {one} is in no report" for one in _unknown_links(words, known)))))


def false_claims(words: str, material: str) -> tuple[str, ...]:
    """Doings of the assistant, and previews, that are none of the material's."""
    found = []
    if claim := _claim(words, material):
        found.append(f"“{claim}” claims something that was not done; what a mail says stands in quotes, with who says it")
    preview = PREVIEWS.search(words)
    if preview and _flat(preview[0]) not in _flat(material):
        found.append(f"“{preview[0]}” speaks of a preview, and there is none")
    return tuple(found)


def _unknown_addresses(reply: str, known: str) -> Iterable[str]:
    there = {one.rstrip(ENDING).casefold() for one in ADDRESS.findall(known)}
    return (one for one in (found.rstrip(ENDING) for found in ADDRESS.findall(reply)) if one.casefold() not in there)


def _unknown_links(reply: str, known: str) -> Iterable[str]:
    there = {_bare(one) for one in _links(known)} | {one.rpartition("@")[2].casefold() for one in ADDRESS.findall(known)}
    for link in _links(reply):
        bare = _bare(link)
        if not any(one == bare or one.startswith((f"{bare}/", f"{bare}?", f"{bare}#")) for one in there):
            yield link


def _links(text: str) -> list[str]:
    text = ADDRESS.sub(" ", text)
    full = [found.rstrip(ENDING) for found in LINK.findall(text)]
    return [*full, *(found.rstrip(ENDING) for found in BARE.findall(LINK.sub(" ", text)))]


def _bare(link: str) -> str:
    return re.sub(r"^(?:(?:https?|ftp)://)?(?:www\.)?", "", link.casefold()).rstrip("/")


def _plain_text(reply: str) -> str:
    return BARE.sub(" ", LINK.sub(" ", ADDRESS.sub(" ", reply)))


def _claim(reply: str, material: str) -> str:
    """What is told as done or promised by the assistant. What stands in quotes, or is told as somebody's words, is theirs as long
    as it stands in a report."""
    text, low = _unquoted(reply, material), _flat(material)
    if tick := TICK.search(text):
        return tick[0]
    for match in (found for pattern in (BARE_CLAIM, NOUN_CLAIM) for found in pattern.finditer(text)):
        if _flat(_line(text, match)) not in low:
            return _shown(match)
    for match in (found for pattern in FIRST_PERSON for found in pattern.finditer(text)):
        if not (_flat(match[0]) in low and _attributed(text, match, material)):
            return _shown(match)
    for match in (found for pattern in PASSIVE for found in pattern.finditer(text)):
        verb = match[0].split()[-1].casefold()
        if not (re.search(rf"\b{verb}\b", low) and (_flat(_line(text, match)) in low or _attributed(text, match, material))):
            return _shown(match)
    return ""


def _shown(match: re.Match[str]) -> str:
    return match[0].strip(" .!\n")


def _flat(text: str) -> str:
    return " ".join(text.replace("\u2019", "'").split()).casefold()


def _line(text: str, match: re.Match[str]) -> str:
    """The line in which it stands, without its bullet or number."""
    start = text.rfind("\n", 0, match.end()) + 1
    if start >= match.end():
        start = 0
    end = text.find("\n", match.end())
    return re.sub(r"^[ \t]*(?:[-•*]|\d{1,3}[.)])\s*", "", text[start : end if end >= 0 else len(text)])


def _attributed(text: str, match: re.Match[str], material: str) -> bool:
    """Whether it is told as somebody's words: after "Anna writes that", on a line that begins "Anna, Slides:", or in a mail that is
    shown line by line under its sender."""
    above, _, before = text[: match.start()].rpartition("\n")
    if ATTRIBUTED.search(re.split(r"[.!?]\s", before)[-1] + match[0]):
        return True
    lead, colon, _ = before.partition(":")
    if colon and _names_somebody(lead, material):
        return True
    headed = any(_heads_a_mail(line.strip(), material) for line in above.splitlines())
    return headed and _flat(_line(text, match)) in _flat(material)


def _heads_a_mail(line: str, material: str) -> bool:
    if line.startswith("From:"):
        return _flat(line) in _flat(material)
    return line.endswith(":") and bool(ATTRIBUTED.search(line) or _names_somebody(line, material))


def _names_somebody(lead: str, material: str) -> bool:
    names = {word.casefold() for word in re.findall(r"\b[^\W\d_][\w'-]+", lead) if word[0].isupper()} - LABELS
    return any(re.search(rf"\b{re.escape(name)}\b", material.casefold()) for name in names)


def _unquoted(text: str, material: str) -> str:
    """Without what is quoted from the material."""
    low = _flat(material)
    return QUOTED.sub(lambda found: " … " if _flat(found[0].strip('>"\u201c\u201d\u201e .,!?')) in low else found[0], text)
