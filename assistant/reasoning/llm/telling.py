"""What a model is told of the user's world: bounded, and as data between delimiters that nobody can guess."""

import re
import secrets
from collections.abc import Callable, Iterable, Sequence
from functools import cache
from importlib.resources import files

from assistant.llm.messages import Message
from assistant.reasoning.base import Setting
from assistant.reasoning.offline.saying.items import View, full_mail, one_line
from assistant.reasoning.offline.saying.wording import words
from assistant.values import Data, Failure, Partial, Report, Step, Voice
from integrations.types import Mail

KEPT_MESSAGES, KEPT_CHARACTERS = 8, 4000
"""Of the talk so far: what is sent as it was said."""
SUMMED = 80
"""Characters that are kept of each of the user's earlier messages."""
HEADS = re.compile(
    r"(?:^|(?<=[\r\n\x0b\x0c\x85\u2028\u2029]))(?=[ \t]*(?:BEGIN|END|MESSAGE|NOW|GOAL|HISTORY|SHOWN|PAUSED|PROPOSAL|REPORTS|MAILS|"
    r"INSTRUCTION|KIND|FAILED|STEPS NOT DONE|TEMPLATE|THE USER|THE MAIL|WHAT IT SHALL SAY)\b)"
)
MAIL, MATERIAL = 4000, 24000
"""Characters of one mail, and of everything retrieved for one question."""


@cache
def instructions(name: str) -> str:
    """The prompt of a question. The same bytes each time, so that endpoints can keep it."""
    return files(__package__).joinpath("prompts", f"{name}.md").read_text("utf-8").strip()


def question(name: str, *parts: str, **values: str) -> tuple[Message, ...]:
    system = instructions(name)
    for key, value in values.items():
        system = system.replace(f"{{{key}}}", value)
    return (Message(role="system", content=system), Message(role="user", content="\n\n".join(filter(None, parts))))


def framed(title: str, content: str, most: int = MATERIAL, token: Callable[[], str] = lambda: secrets.token_hex(8)) -> str:
    """`content` as data; empty where there is none. What is longer than `most` is cut, with a note outside of the data."""
    content = content.strip()
    if not content:
        return ""
    mark = token()
    kept, left = content[:most], len(content) - most
    note = f"\n({left} more characters are not shown.)" if left > 0 else ""
    return f"{title}\nBEGIN {mark}\n{_escaped(kept.replace(mark, '[…]'))}\nEND {mark}{note}"


def _escaped(content: str) -> str:
    """Lines that look like the frame's own, or like the heads of what is asked, begin with a bar."""
    return HEADS.sub("| ", content)


def now(setting: Setting) -> str:
    at = setting.now.astimezone(setting.zone)
    me = ", ".join(str(address) for address in setting.me)
    return f"NOW: {at:%A %d %B %Y, %H:%M} ({setting.zone.key}). THE USER: {me or 'unknown'}."


def talk(history: Sequence[str]) -> str:
    """The last messages as they were, those before in short."""
    history = [said.replace("\n", "\n  ") for said in history]  # so that nobody's lines pass for a message
    kept: list[str] = []
    room = KEPT_CHARACTERS
    for said in reversed(history[-KEPT_MESSAGES:]):
        kept.insert(0, said if len(said) <= room else f"{said[: max(room, SUMMED)]} […]")
        room -= len(kept[0])
        if room <= 0:
            break
    earlier = [said for said in history[: len(history) - len(kept)] if said.startswith("user: ")]
    short = [said[:SUMMED].rstrip() + (" […]" if len(said) > SUMMED else "") for said in earlier[-10:]]
    head = [f"(earlier, in short; {len(earlier)} messages of the user)", *short, "(lately)"] if earlier else []
    return "\n".join([*head, *kept])


def found(data: Data, setting: Setting) -> str:
    """A result in words, as a person would be told it."""
    return words(data, now=setting.now, zone=setting.zone, me=frozenset(address.email for address in setting.me))


def reported(steps: Iterable[Step], reports: "dict[int, Report]", setting: Setting) -> str:
    return "\n\n".join(_report(step, reports[step.id], setting) for step in steps if step.id in reports)


def _report(step: Step, report: Report, setting: Setting) -> str:
    lines = [f"{step.id}. {step.agent}: {step.instruction}"]
    if isinstance(report, Failure):
        return "\n".join([*lines, f"error ({report.type}): {report.message}"])
    if isinstance(report, Partial):
        lines += [f"incomplete: {line}" for line in report.limitations]
    return "\n".join([*lines, found(report.data, setting)])


def vouched(reports: "Iterable[Report]", setting: Setting) -> str:
    """What was found, without the instructions, which a model may have written."""
    return "\n\n".join(_vouched(report, setting) for report in reports)


def _vouched(report: Report, setting: Setting) -> str:
    if isinstance(report, Failure):
        return "" if report.type == "not_understood" else report.message
    limits = report.limitations if isinstance(report, Partial) else ()
    return "\n".join([*limits, found(report.data, setting)])


def mails(given: Iterable[Mail], setting: Setting) -> str:
    view = View(now=setting.now, zone=setting.zone, me=frozenset(address.email for address in setting.me))
    return "\n\n".join(_mail(mail, view) for mail in given)


def _mail(mail: Mail, view: View) -> str:
    text = "\n".join(full_mail(mail, view, label="", alone=True))
    left = len(text) - MAIL
    return text if left <= 0 else f"{text[:MAIL]}\n[{left} more characters]"


def voice(known: Voice | None) -> str:
    """How the user writes, in a few lines; empty where nothing is known."""
    if known is None:
        return ""
    tones = {"formal": "formal (last names; Sie, vous, usted)", "familiar": "familiar (first names; du, tu)", "": ""}
    lines = {
        "Begins with": " / ".join(map(one_line, known.greeting.splitlines())) or "no greeting",
        "Ends with": " / ".join(map(one_line, f"{known.closing}\n{known.signature}".strip().splitlines())) or "no closing",
        "Usual length, in words": str(known.words or ""),
        "Language": known.language,
        "Tone": tones[known.tone],
    }
    return "\n".join(f"{name}: {value}" for name, value in lines.items() if value)
