"""What a model is told of the user's world: bounded, and as data between delimiters that nobody can guess."""

import re
import secrets
import unicodedata
from collections.abc import Callable, Iterable, Sequence
from functools import cache
from importlib.resources import files

from assistant.llm.messages import Message
from assistant.reasoning.base import Request, Setting
from assistant.reasoning.lines import reference
from assistant.reasoning.llm.marks import harmless
from assistant.reasoning.llm.visible import one_line, visible
from assistant.reasoning.offline.saying.items import View, full_mail
from assistant.reasoning.offline.saying.wording import words
from assistant.reasoning.quoting import layers
from assistant.values import Data, Failure, Partial, Report, Shown, Step, Voice
from integrations.types import Address, Mail

KEPT_MESSAGES, KEPT_CHARACTERS = 8, 4000
"""Of the talk so far: what is sent as it was said."""
SUMMED, SUMMED_MESSAGES = 80, 10
"""Characters that are kept of each of the user's earlier messages, and of how many."""
OWN, ASKED = 8000, 2000
"""Characters of the user's own words, where they are to be carried out and where they only say what was asked."""
MAIL, MATERIAL = 4000, 24000
"""Characters of one mail, and of everything retrieved for one question."""
NOTES, NOTE = "NOTES, what the user asked to remember earlier", 500
"""Where it is told, and characters of one of them."""
LINE, LISTED = 200, 20
"""Characters of one line of a list that code makes, and how many lines."""
HEADS = (
    "BEGIN|END|MESSAGE|NOW|GOAL|HISTORY|SHOWN|PAUSED|PROPOSAL|REPORTS|MAILS|INSTRUCTION|FACTS|AS IT WOULD BEGIN|KIND|"
    "FAILED|STEPS NOT DONE|TEMPLATE|TO|THE USER|THE USER ASKED|THE MAIL|THE MAIL THAT IS ANSWERED|THE EVENTS AROUND|"
    "THE QUESTION|THE TIMES|WHAT IT SHALL SAY|NOTES"
)
"""How the frame's own lines begin, and the parts of a question."""
LAYERS = ("Newly written:", "Signature:", "Quoted history:")
HEAD = re.compile(rf"[\W_]*(?:(?:{HEADS})\b|(?i:{HEADS})\W*$)")
REPORT_HEAD = re.compile(r"^(?=[^\w\n]*\d{1,9}\. (?:email|calendar|contacts): )", re.MULTILINE)


@cache
def instructions(name: str) -> str:
    """The prompt of a question. The same bytes each time, so that endpoints can keep it."""
    return files(__package__).joinpath("prompts", f"{name}.md").read_text("utf-8").strip()


def question(name: str, *parts: str, **values: str) -> tuple[Message, ...]:
    system = instructions(name)
    for key, value in values.items():
        system = system.replace(f"{{{key}}}", value)
    return (Message(role="system", content=system), Message(role="user", content="\n\n".join(filter(None, parts))))


def framed(
    title: str, content: str, most: int = MATERIAL, token: Callable[[], str] = lambda: secrets.token_hex(8), *, talk: bool = False
) -> str:
    """`content` as data; empty where there is none. What is longer than `most` is cut, with a note outside of the data. In a `talk`
    the lines that begin without a blank are the speakers' own."""
    content = visible(content).strip()
    if not content:
        return ""
    mark = token()
    left = len(content) - most
    note = f"\n({left} more characters are not shown.)" if left > 0 else ""
    return f"{title}\nBEGIN {mark}\n{_escaped(harmless(content[:most].replace(mark, '[…]'), talk=talk))}\nEND {mark}{note}"


def own(title: str, words: str, most: int = OWN) -> str:
    """The user's own words. Of more than `most` characters the beginning and the end are kept."""
    words = visible(words).strip()
    if (left := len(words) - most) > 0:
        head = most * 3 // 4
        words = f"{words[:head]}\n(… {left} characters are left out here …)\n{words[len(words) - (most - head) :]}"
    return f"{title}\n{_escaped(words)}"


def _escaped(content: str) -> str:
    """Lines that look like the frame's own, or like the heads of what is asked, begin with a bar; so do no model's own marks."""
    lines = content.replace("<|", "< |").split("\n")
    return "\n".join(f"| {line}" if _heads(line) else line for line in lines)


def _heads(line: str) -> bool:
    """Whatever letters it is written in."""
    return bool(HEAD.match(line) or (not line.isascii() and HEAD.match(unicodedata.normalize("NFKC", line.lstrip()[:LINE]))))


def listed(lines: Iterable[str]) -> str:
    """Each as one line of its own."""
    lines = list(lines)
    more = [f"(and {len(lines) - LISTED} more)"] if len(lines) > LISTED else []
    return "\n".join([*(one_line(line, LINE) for line in lines[:LISTED]), *more])


def paused(request: Request) -> str:
    return listed(f"{one.flow}: {one_line(one.goal or one.about, LINE // 2)} ({one.status})" for one in request.paused)


def proposal(request: Request) -> str:
    return listed(one.says or one.action.kind for one in request.proposal)


def people(addresses: Iterable[Address]) -> str:
    return ", ".join(one_line(str(address), LINE) for address in list(addresses)[:LISTED])


def now(setting: Setting) -> str:
    at = setting.now.astimezone(setting.zone)
    return f"NOW: {at:%A %d %B %Y, %H:%M} ({setting.zone.key}). THE USER: {people(setting.me) or 'unknown'}."


def notes(setting: Setting) -> str:
    """What the user asked to remember."""
    return "\n".join(f"- {one_line(text, NOTE)}" for text in setting.notes)


def talk(history: Sequence[str]) -> str:
    """The last messages as they were, those before in short."""
    kept: list[str] = []
    room = KEPT_CHARACTERS
    for said in reversed(history[-KEPT_MESSAGES:]):
        whole = visible(said).replace("\n", "\n  ")  # so that nobody's lines pass for a message
        kept.insert(0, whole if len(whole) <= room else f"{whole[: max(room, SUMMED)]} […]")
        room -= len(kept[0])
        if room <= 0:
            break
    earlier = [said for said in history[: len(history) - len(kept)] if said.startswith("user: ")]
    short = [one_line(said, SUMMED) for said in earlier[-SUMMED_MESSAGES:]]
    head = [f"(earlier, in short; {len(earlier)} messages of the user)", *short, "(lately)"] if earlier else []
    return "\n".join([*head, *kept])


def found(data: Data, setting: Setting) -> str:
    """A result in words, as a person would be told it."""
    return _worded(data, setting)


def _apart(data: Data, setting: Setting) -> str:
    """The same for a model, with the layers of each mail set apart."""
    return _worded(data.model_copy(update={"mails": tuple(map(_layered, data.mails))}), setting)


def _worded(data: Data, setting: Setting) -> str:
    return words(data, now=setting.now, zone=setting.zone, me=frozenset(address.email for address in setting.me))


def shown(one: Shown, setting: Setting) -> str:
    """The lines of a briefing with what refers to them; what looks like phishing is told by its number alone."""
    if not one.lines:
        return _apart(one.data, setting)
    said = ((line, "looks like phishing" if line.shut else line.text) for line in one.lines)
    return "\n".join(f"{line.number}. {{{reference(line)}}} {one_line(words, LINE)}" for line, words in said)


def reported(steps: Iterable[Step], reports: "dict[int, Report]", setting: Setting) -> str:
    return "\n\n".join(_report(step, reports[step.id], setting) for step in steps if step.id in reports)


def _report(step: Step, report: Report, setting: Setting) -> str:
    lines = [f"{step.id}. {step.agent}: {one_line(step.instruction, ASKED)}"]
    if isinstance(report, Failure):
        return "\n".join([*lines, f"error ({report.type}): {one_line(report.message, ASKED)}"])
    if isinstance(report, Partial):
        lines += [f"incomplete: {one_line(line, ASKED)}" for line in report.limitations]
    return "\n".join([*lines, REPORT_HEAD.sub("| ", _apart(report.data, setting))])


def vouched(reports: "Iterable[Report]", setting: Setting) -> str:
    """What was found, without the instructions, which a model may have written."""
    return "\n\n".join(_vouched(report, setting) for report in reports)


def _vouched(report: Report, setting: Setting) -> str:
    if isinstance(report, Failure):
        return "" if report.type == "not_understood" else report.message
    limits = report.limitations if isinstance(report, Partial) else ()
    return "\n".join([*limits, found(report.data, setting)])


def mails(given: Iterable[Mail], setting: Setting) -> str:
    """What stands in them, to hold a model's words against."""
    return "\n\n".join(_mail(mail, setting) for mail in given)


def mails_apart(given: Iterable[Mail], setting: Setting) -> str:
    """The same for a model, with the layers of each mail set apart."""
    return "\n\n".join(_mail(_layered(mail), setting) for mail in given)


def batches(given: Iterable[Mail], setting: Setting, most: int = MATERIAL) -> tuple[tuple[Mail, ...], ...]:
    """In their order, so many in each as can be told of at once."""
    parts: list[list[Mail]] = []
    room = 0
    for mail in given:
        length = len(_mail(_layered(mail), setting)) + 2
        if length > room:
            parts.append([])
            room = most
        parts[-1].append(mail)
        room -= length
    return tuple(map(tuple, parts))


def is_long(mail: Mail, setting: Setting) -> bool:
    """Whether only its beginning is told."""
    return len(_whole(_layered(mail), setting)) > MAIL


def _mail(mail: Mail, setting: Setting) -> str:
    text = _whole(mail, setting)
    left = len(text) - MAIL
    return text if left <= 0 else f"{text[:MAIL]}\n[{left} more characters]"


def _whole(mail: Mail, setting: Setting) -> str:
    view = View(now=setting.now, zone=setting.zone, me=frozenset(address.email for address in setting.me))
    return "\n".join(full_mail(mail, view, label="", alone=True))


def _layered(mail: Mail) -> Mail:
    """Its text in up to three parts under a head each, indented, so that nothing in it passes for a head or for another mail."""
    if not mail.body.strip():
        return mail
    parts = zip(LAYERS, layers(visible(mail.body), mail.sender.name if mail.sender else ""), strict=True)
    lines = [line for head, part in parts if part.strip() for line in (head, *(f"  {line}" for line in part.split("\n")))]
    return mail.model_copy(update={"subject": f"Subject: {mail.subject}", "body": "\n".join(lines)})


def voice(known: Voice | None) -> str:
    """How the user writes, in a few lines; empty where nothing is known."""
    if known is None:
        return ""
    tones = {"formal": "formal (last names; Sie, vous, usted)", "familiar": "familiar (first names; du, tu)", "": ""}
    lines = {
        "Begins with": _on_one_line(known.greeting) or "no greeting",
        "Ends with": _on_one_line(f"{known.closing}\n{known.signature}") or "no closing",
        "Usual length, in words": str(known.words or ""),
        "Language": known.language,
        "Tone": tones[known.tone],
    }
    return "\n".join(f"{name}: {value}" for name, value in lines.items() if value)


def _on_one_line(text: str) -> str:
    return " / ".join(one_line(line, LINE) for line in text.strip().splitlines())
