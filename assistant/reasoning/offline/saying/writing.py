"""Short honest mails from the user's own wording: what is not known stays a visible gap."""

import re
from collections.abc import Mapping, Sequence

from assistant.reasoning.base import Draft, Setting
from assistant.reasoning.offline.saying.clauses import as_sentence, sentence_for
from assistant.reasoning.offline.saying.items import one_line
from assistant.reasoning.offline.saying.languages import Language, Tone, language_of, languages
from assistant.values import Brief, Voice
from integrations.types import Address, Mail

LONGEST = 60
"""Characters of a subject made from a text."""

ANSWERED = re.compile(r"^\s*(?:(?:re|aw|sv|antw|antwort)\s*(?:\[\d+\])?\s*:\s*)+", re.IGNORECASE)
FORWARDED = re.compile(r"^\s*(?:(?:fwd?|wg|tr|rv)\s*(?:\[\d+\])?\s*:\s*)+", re.IGNORECASE)
GREETING = re.compile(
    r"^(?:hi|hello|hey|dear|good (?:morning|afternoon|evening))\b[^,.!?\n]{0,40}[,!.]?\s*(?:\n+|$)", re.IGNORECASE
)
SALUTED = re.compile(r"^(?:hi|hello|hey|dear)\b[^,.!?\n]{0,30},\s*", re.IGNORECASE)
TITLES = frozenset({"dr", "prof", "professor", "mr", "mrs", "ms", "miss", "sir", "herr", "frau"})
PLACEHOLDER = re.compile(r"[\[{]\s*(?:first[ _]?)?name\s*[\]}]", re.IGNORECASE)
GAP = re.compile(r"\[([^\[\]\n]{1,80})\]")
DETERMINER = re.compile(r"^(?:the|a|an|my|our|your|his|her|their|this|that)\s+", re.IGNORECASE)
TOPIC = re.compile(r"I am writing (?:about|to ask for) (.+)")
GAP_FOR = {"mail": "what you want to say"}


def draft(brief: Brief, setting: Setting, templates: Mapping[str, str] | None = None) -> Draft:
    """`templates` maps names of reply templates to their texts; `brief.template` is such a name, or a text itself."""
    text = _template(brief.template, setting, templates or {}) if brief.template else ""
    if text:
        body = _filled(text, recipients_of(brief))
    elif is_text(brief.about):
        body = brief.about.strip()
    else:
        body = letter(_message(brief), brief, setting)
    return Draft(subject=subject_of(brief, body), body=body, gaps=tuple(dict.fromkeys(GAP.findall(body))))


def reply_subject(subject: str) -> str:
    """ "Re: ..." once, whatever stood before."""
    return f"Re: {ANSWERED.sub('', one_line(subject))}".strip()


def forward_subject(subject: str) -> str:
    return f"Fwd: {FORWARDED.sub('', one_line(subject))}".strip()


def subject_for(body: str) -> str:
    """The first words of a text, up to its first sentence's end or a sensible cut; empty for an empty text."""
    text = one_line(SALUTED.sub("", GREETING.sub("", body.strip(), count=1), count=1)) or one_line(body)
    first = re.split(r"(?<=[.!?])\s", text, maxsplit=1)[0]
    if len(first) > LONGEST:
        clause = re.split(r"[,;:]\s|\s[-\u2013\u2014]\s", first[: LONGEST + 1])
        kept = first[: len(clause[0])] if len(clause) > 1 and len(clause[0]) >= 15 else first[: LONGEST + 1].rpartition(" ")[0]
        first = _without_loose_end(kept or first[:LONGEST])
    first = first.strip(" .,;:!?-\u2013\u2014\u2026")
    return first[:1].upper() + first[1:]


def _without_loose_end(text: str) -> str:
    loose = r"(?:\s+(?:a|an|the|and|or|but|of|to|for|with|in|on|at|by|from|that|if|my|your|our|is|are|i|we|you))+$"
    return re.sub(loose, "", text, flags=re.IGNORECASE)


def first_name(address: Address) -> str:
    """How to greet somebody; empty where only an address is known."""
    name = one_line(address.name).strip("'\" ")
    if not name or "@" in name:
        return ""
    last, comma, first = name.partition(",")
    parts = [part for part in (first if comma else last).split() if part.rstrip(".").casefold() not in TITLES]
    return parts[0] if parts else ""


def _template(name: str, setting: Setting, templates: Mapping[str, str]) -> str:
    if name in templates:
        return templates[name]
    return f"[text of the template {name}]" if name in setting.templates else name


def _filled(template: str, recipients: Sequence[Address]) -> str:
    names = [name for address in recipients if (name := first_name(address))]
    return PLACEHOLDER.sub(names[0], template) if len(recipients) == 1 and names else template


def is_text(about: str) -> bool:
    """Whether it is no topic but a text to go out as it stands."""
    return "\n" in about.strip() or len(re.findall(r"[.!?](?:\s+[A-Z]|$)", about.strip())) > 1


def letter(message: str, brief: Brief, setting: Setting) -> str:
    """`message` between greeting and closing: the user's own where they write in its language."""
    voice = voice_for(brief, setting)
    farewell = "\n".join(filter(None, (voice.closing, voice.signature)))
    return "\n\n".join(filter(None, (voice.greeting, message, farewell)))


def voice_for(brief: Brief, setting: Setting) -> Voice:
    """The user's, where the letter will be in its language."""
    language = language_for(brief)
    if brief.voice is not None and brief.voice.language in (language, ""):
        return brief.voice
    return usual_voice(recipients_of(brief), setting.me, language)


def usual_voice(to: Sequence[Address], me: Sequence[Address], language: str = "", tone: Tone = "") -> Voice:
    """What is usual in a language; English where it is not known."""
    usual = languages().get(language, languages()["en"])
    mine = next((name for address in me if (name := first_name(address))), "")
    closing = f"{usual.closing}\n{mine}" if mine else usual.closing.rstrip(",")
    return Voice(greeting=_greeting(to, usual, tone), closing=closing, language=language, tone=tone)


def _greeting(to: Sequence[Address], usual: Language, tone: Tone) -> str:
    names = [first_name(address) for address in to]
    if len(names) > 2 or (len(names) == 2 and tone == "formal"):
        return usual.all_hello
    if not (names and all(names)):
        return usual.hello
    if tone == "formal":
        return usual.formal_hello.format(full=_full_name(to[0]))
    return usual.familiar_hello.format(first=f" {usual.also} ".join(names))


def _full_name(address: Address) -> str:
    last, comma, first = one_line(address.name).partition(",")
    return f"{first.strip()} {last}" if comma else last


def recipients_of(brief: Brief) -> tuple[Address, ...]:
    return brief.to or ((brief.answering.sender,) if brief.answering and brief.answering.sender else ())


def language_for(brief: Brief) -> str:
    """Of the user's words, which nobody translates here; without any, of the thread."""
    if brief.about:
        return language_of(brief.about) or "en"
    known = brief.voice.language if brief.voice else ""
    return known if known in languages() else "en"


def message_of(brief: Brief) -> str:
    """What stands between greeting and closing."""
    recipients, language = recipients_of(brief), language_for(brief)
    name = first_name(recipients[0]) if len(recipients) == 1 else ""
    about = one_line(brief.about)
    said = sentence_for(about, name) if language == "en" else as_sentence(about)
    if brief.kind == "forward":
        return f"{_forwarding(brief.answering)} {said}".strip() if about else _forwarding(brief.answering)
    if about:
        return said
    return f"[{languages()[language].answer}]" if brief.kind == "reply" else f"[{GAP_FOR[brief.kind]}]"


def _message(brief: Brief) -> str:
    """A reply without words of the user's thanks at least."""
    thanks = languages()[language_for(brief)].thanks if brief.kind == "reply" and not brief.about else ""
    return "\n\n".join(filter(None, (thanks, message_of(brief))))


def _forwarding(mail: Mail | None) -> str:
    if mail is None or mail.sender is None:
        return "Please see the mail below."
    return f"Please see the mail below from {one_line(mail.sender.name or mail.sender.email)}."


def subject_of(brief: Brief, body: str) -> str:
    """ "[subject]" where nothing tells what it is about."""
    original = brief.answering.subject if brief.answering else ""
    if brief.kind == "reply":
        return reply_subject(original)
    if brief.kind == "forward":
        return forward_subject(original)
    about = one_line(brief.about)
    if not about or brief.template:
        return subject_for(GAP.sub("", body)) if about or brief.template else "[subject]"
    if is_text(brief.about):
        return subject_for(brief.about)
    message = sentence_for(about, "")
    topic = TOPIC.match(message)
    if topic:
        return subject_for(DETERMINER.sub("", topic[1]))
    return "Question" if message.endswith("?") or message.startswith("I would like to know") else subject_for(message)
