"""What is wrapped around a question: where to look ("check my mails and …") and what the answer shall look like ("yes or no?")."""

import re
from functools import cache

from assistant.reasoning.offline.lexicon import lexicon

_EXPLETIVE = re.compile(
    r"\b(how (?:many \w+|long|far)) (?:is it|are there|is there)(?: still| left)? (until|till|before|to)\b", re.IGNORECASE
)
"""An "it" that stands for nothing: "how many days is it until …"."""


_PURPOSE = re.compile(
    r"(?P<sends>\b(?:send|write|e-?mail|mail|message)\b[^.?!'\"]{3,120}?) (?:in order )?"
    r"to remind (?:them|him|her|everyone|everybody|people|all)"
    r"(?P<it> (?:about|of) (?:it|this|that|(?:the|this|that) (?:event|meeting|appointment|call))(?=[.,;]|$))?",
    re.IGNORECASE,
)
_SAYS_WHAT = re.compile(r"\b(?:title|subject|body|text|say|saying|says)\b", re.IGNORECASE)


def _without_purpose(text: str) -> str:
    """ "Send the guests a mail to remind them of it. Title it …": what a mail is for, where its words are said behind."""
    found = _PURPOSE.search(text)
    if found is None:
        return text
    if not found["it"] and text[found.end() :].startswith((" about ", " of ")):
        return f"{text[: found.end('sends')]} about {text[found.end() :].lstrip().partition(' ')[2]}"
    if not _SAYS_WHAT.search(text, found.end()) or text[found.end() :][:1] not in ("", ".", ",", ";"):
        return text
    return f"{text[: found.end('sends')]}{text[found.end() :]}"


_LETTER = re.compile(
    r"[\s.,;]+(?:and )?(?P<label>(?:e?-?mail |message )?(?:(?P<subject>subject(?: line)?|title)|body|text|message|content))\s*:\s*",
    re.IGNORECASE,
)
"""A labelled part of a mail that is written: " Subject: …"."""


def _lettered(text: str) -> str:
    """ "Email Tom. Subject: Lift Body: It works": the labelled parts as parts of the one request."""
    if '"' in text or "'" in text.replace("n't", "").replace("'s", "").replace("'ll", "").replace("'m", ""):
        return text
    found = list(_LETTER.finditer(text))
    kinds = ["subject" if one["subject"] else "body" for one in found[:2]]
    if sorted(kinds) != ["body", "subject"] or "\n" in text:
        return text
    first, second = found[:2]
    between = text[first.end() : second.start()].rstrip(" .,;")
    lead = text[: first.start()]
    return f"{lead}, {first['label'].lower()}: {between}, {second['label'].lower()}: {text[second.end() :]}"


_TELLS = (
    r"(?:want|need|ask|tell|told|say|said|mention|expect|write|wrote|send|sent|promise|suggest|propose|have|has|had|would|should|"
    r"must|can|could|will|am|are|was|were|is|do|does|did|meet|see)(?:s|ed|ing)?"
)
_CLEFT = re.compile(
    r"\b(?P<asked>what|who|whom|when|where|why|how|which \w+)"
    rf"(?:(?:['\u2019]s| is| was)(?: it| (?:the|that) (?:thing|bit|stuff))(?: exactly| again)?| it (?:is|was))"
    rf"(?: that| which)? (?=(?:(?:my|our|the|mr|mrs|ms|dr)\.? )?(?:i|we|he|she|they|you|[^\W\d]+)(?: [^\W\d_]+)? {_TELLS}\b)",
    re.IGNORECASE,
)
"""The "was it that" of "what was it that Tom wanted", which only sets off what is asked for."""
_NUMBER_SHORT = re.compile(
    r"(?<=[a-z.]) (?:nos?|nr)\b\.?(?= (?:of|for|from|on|in)\b|(?: (?:again|please|pls))*\s*[?!.]?\s*$)", re.IGNORECASE
)


def _spelt_out(text: str) -> str:
    """ "The reference no. of …" with its number in full."""
    found = _NUMBER_SHORT.search(text)
    if found is None:
        return text
    before, _, last = text[: found.start()].rstrip(".").rpartition(" ")
    owned = last.lower().endswith(("'s", "\u2019s"))
    if not owned and last.lower().strip("'\u2019s") not in lexicon().small["serials"] | _PHONES:
        return text
    full = {"tel": "telephone", "ref": "reference"}.get(last.lower(), last)
    return f"{before} {full} number{text[found.end() :]}".lstrip()


_BESIDES_ME = re.compile(r"(?<=\w),? (?:besides|apart from|other than|aside from) (?:me|myself|us)(?=\s*\?*$)", re.IGNORECASE)
_IN_THEM = re.compile(r"(\bwith (?:\w+ ){0,2}\w+) in (?:them|it)(?=\s*[?.!]*$)", re.IGNORECASE)
"""Who else is asked for; what lies in a thing that has been named."""
_PHONES = frozenset("phone tel telephone mobile cell ref reference fax room permit house".split())


_BY_MAIL = re.compile(
    r"(?P<lead>\b(?:tell|let|inform|notify|write|remind|drop|message|e-?mail)\b [^,.;:\"']{1,60}?)"
    r"(?:,? (?:too|as well|also|(?:in|by|via|per) (?:(?:just |only )?(?:a|an|one) )?"
    r"(?:(?:short|quick|brief|single) )?(?:e-?mail|mail|message)))+,?"
    r" (?=(?:that|know|saying)\b)",
    re.IGNORECASE,
)
""" "Tell him in a mail as well that …": telling somebody is done by mail anyway."""


_CONFIRMED = re.compile(
    r"^(?P<polite>(?:please |can you |could you |would you )*)"
    r"(?P<verb>confirm|explain|report|announce|mention|point out|make clear) to"
    r" (?!(?:me|us|myself)\b)(?P<who>[^,.;:]{2,60}?) that\b",
    re.IGNORECASE,
)


def _told(text: str) -> str:
    """ "Confirm to Tom that …", "explain to Eva that …": he gets an answer, she is told."""
    found = _CONFIRMED.match(text)
    if found is None:
        return text
    verb = "answer" if found["verb"].lower() == "confirm" else "tell"
    return f"{found['polite']}{verb} {found['who']} that{text[found.end() :]}"


def unwrapped(text: str) -> str:
    """The question alone. What only says that mails are to be looked at for it is left out, as is the form of its answer."""
    text = _told(text)
    text = _IN_THEM.sub(r"\1", _BESIDES_ME.sub("", text))
    text = _CLEFT.sub(r"\g<asked> ", _spelt_out(_answering(_without_purpose(_lettered(text)))))
    text = _BY_MAIL.sub(r"\g<lead> ", _asked_of(_EXPLETIVE.sub(r"\1 \2", text)))
    first, *others = _sentences(text)
    kept = [_without_lead(first), *(_readable(sentence) for sentence in others if not _is_form(sentence))]
    return text if kept == [first, *others] else " ".join(kept)


_TO_MAIL = (
    r"(?:as an? (?:answer|reply|response)|in (?:answer|reply|response)|by way of (?:answer|reply)|by (?:answering|replying)|"
    r"answering|replying|responding) to (?P<mail>[^,:]{3,90}?)"
)
_TELLING = r"(?:tell|let|inform|notify|write to|write|e-?mail|message|answer)"
_POLITE = r"^(?P<polite>(?:please |can you |could you |would you )*)"
_SAID = r"(?:,? that|,? saying(?: that)?|:)\s+(?P<body>\S.*)$"
_ANSWERS = (
    re.compile(rf"{_POLITE}{_TELLING} (?P<who>[^,]{{2,40}}?)(?: know)?,? {_TO_MAIL}{_SAID}", re.IGNORECASE | re.DOTALL),
    re.compile(rf"{_POLITE}{_TO_MAIL}, {_TELLING}(?: (?P<who>[^,]{{2,40}}?))??(?: know)?{_SAID}", re.IGNORECASE | re.DOTALL),
)
_THEIRS = re.compile(r"^(?:his|her|their)\b", re.IGNORECASE)


def _answering(text: str) -> str:
    """ "Let Felix know, as an answer to his mail about the roof, that …" as "reply to Felix's mail about the roof saying …"."""
    found = next((match for pattern in _ANSWERS if (match := pattern.match(text))), None)
    if found is None:
        return text
    who = found["who"] or ""
    mail = _THEIRS.sub(f"{who}'s", found["mail"]) if who and who.lower() not in ("him", "her", "them") else found["mail"]
    return f"{found['polite']}reply to {mail} saying {found['body']}"


_IN_MAIL_OF = re.compile(
    r"^(?:please )?(?:look(?: it)?(?: up)?|check|see|find out) (?:in|from) (?P<whose>[^,.?!]{2,40}?)'s (?:last |latest |newest )?"
    r"(?:e-?mails?|mails?|messages?) (?=(?:how|when|what|who|where|which|why)\b)",
    re.IGNORECASE,
)
_THEN = re.compile(r",? and (?=(?:then )?(?:e-?mail|mail|send|tell|forward|reply|add|put)\b)|[.?!]?$", re.IGNORECASE)


def _asked_of(text: str) -> str:
    """ "Look up in Lena's mail how many windows …" asks what is said by Lena."""
    lead = _IN_MAIL_OF.match(text)
    if lead is None:
        return text
    question = text[lead.end() :]
    end = _THEN.search(question)
    at = end.start() if end else len(question)
    return f"{question[:at]} from {lead['whose']}{question[at:]}"


def _sentences(text: str) -> list[str]:
    return re.split(r"(?<=[.?!])\s+", text.strip()) if '"' not in text and "\n" not in text else [text]


def _without_lead(sentence: str) -> str:
    lead = _lead().match(sentence)
    return sentence[lead.end() :] if lead else sentence


@cache
def _lead() -> re.Pattern[str]:
    small = lexicon().small
    mails = "|".join(sorted(small["mail_store"], key=len, reverse=True))
    verbs = "|".join(sorted(small["looking_verbs"], key=len, reverse=True))
    asks = "|".join(sorted(small["asks_back"], key=len, reverse=True))
    question = "|".join(sorted(small["wh"] | small["auxiliaries"] - {"be", "been", "have"}))
    return re.compile(
        rf"(?:please |can you |could you )*(?:{verbs}) (?:all )?(?:of )?(?:my |the |our )(?:{mails})\b[ ,:;.]*(?:and )?(?:then )?"
        rf"(?=(?:please )?(?:(?:{asks})\b|(?:{question})\b(?! not\b)))",
        re.IGNORECASE,
    )


def _is_form(sentence: str) -> bool:
    words = " ".join(re.findall(r"[\w']+", sentence.lower()))
    return any(words == form or words.startswith(f"{form} and ") for form in lexicon().small["answer_forms"])


def _readable(sentence: str) -> str:
    """ "List the contents as answer": the mails that were asked for are read."""
    words = " ".join(re.findall(r"[\w']+", sentence.lower()))
    for tail in (" as the answer", " as an answer", " as answer", " as your answer"):
        words = words.removesuffix(tail)
    return "Read them." if words in lexicon().small["contents_too"] else sentence
