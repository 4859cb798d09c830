"""Reports in plain words for people. Nothing is said here that does not stand in a report."""

from collections.abc import Callable, Sequence
from datetime import datetime, tzinfo
from typing import TypeVar

from assistant.reasoning.base import Account
from assistant.reasoning.lines import MAILS, MOST
from assistant.reasoning.offline.saying.items import (
    View,
    clash_line,
    contact_card,
    contact_line,
    event_lines,
    full_mail,
    mail_line,
    numbered,
    one_line,
    plain_text,
    slot_line,
    source_line,
)
from assistant.values import Data, Failure, Partial, Step

ADVICE = {
    "auth_expired": "Connect the account again, then ask once more.",
    "rate_limited": "Wait a little, then ask again.",
    "api_down": "Try again in a moment.",
    "read_only": "Choose another account or calendar for it.",
    "invalid_response": "Try again; if it stays so, ask for something narrower.",
    "not_understood": "Put it in other words, or say “help” to see what I can do.",
}

T = TypeVar("T")


def words(data: Data, *, now: datetime, zone: tzinfo, me: frozenset[str] = frozenset()) -> str:
    """The answer that a report carries. Lists are numbered as the conversation may refer to them ("the second one").
    `me` are the user's own addresses, which need no mention."""
    return "\n".join(_body(data, View(now=now, zone=zone, me=me)))


def _body(data: Data, view: View) -> list[str]:
    lines = _answer(data, view)
    if data.truth is None:
        return lines
    if data.kind == "text" and not data.text:
        return _whether_free(data, lines)
    verdict = "Yes" if data.truth else "No"
    if not lines:
        return [f"{verdict}."]
    said_so = lines[0].casefold().startswith(("yes", "no,", "no.", "no:"))
    return lines if said_so else [f"{verdict}. {lines[0]}", *lines[1:]]


def _whether_free(data: Data, lines: Sequence[str]) -> list[str]:
    """A free or taken time; `lines` are what stands in the way."""
    verdict, when = "Yes" if data.truth else "No", data.heading or "that"
    if not data.events:
        return [f"{verdict}, {when} is free."]
    taken = f"{verdict}, {when} is not free"
    return [f"{taken}:", *lines] if lines else [f"{taken}."]


def _answer(data: Data, view: View) -> list[str]:
    match data.kind:
        case "mails":
            return _mails(data, view)
        case "events":
            return _events(data, view)
        case "contacts":
            return _contacts(data)
        case "addresses":
            return _addresses(data)
        case "slots":
            return _list(data, data.slots, "free time", lambda slot: slot_line(slot, view))
        case "clashes":
            return _list(data, data.clashes, "conflict", lambda clash: clash_line(clash, view))
        case "count":
            return [f"{_capital(data.heading) or 'Found'}: {data.count or 0}."]
        case "proposals":
            return _list(data, data.proposals, "change to make", lambda proposal: proposal.says)
        case "templates":
            return _text(data, view) if data.text else ["You have no reply templates yet."]
    return _text(data, view)


def _mails(data: Data, view: View) -> list[str]:
    if not data.mails or not any(mail.body for mail in data.mails):
        return _list(data, data.mails, "mail", lambda mail: mail_line(mail, view), most=MAILS)
    shown = data.mails[:MAILS]
    lines = [] if len(data.mails) == 1 else [_header(data, data.mails, len(shown), "mail")]
    for number, mail in enumerate(shown, start=1):
        label = "" if len(data.mails) == 1 else f"{number}. "
        lines += [*full_mail(mail, view, label=label, alone=len(data.mails) == 1), ""]
    return lines[:-1]


def _events(data: Data, view: View) -> list[str]:
    shown = data.events[:MOST]
    if not shown:
        return [_none(data, "event")]
    return [_header(data, data.events, len(shown), "event"), *_with_reasons(event_lines(shown, view), data)]


def _contacts(data: Data) -> list[str]:
    if len(data.contacts) == 1:
        return contact_card(data.contacts[0])
    return _list(data, data.contacts, "contact", contact_line)


def _addresses(data: Data) -> list[str]:
    lines = [one_line(str(address)) for address in data.addresses]
    return lines if len(lines) == 1 else _list(data, lines, "address", str)


def _text(data: Data, view: View) -> list[str]:
    lines = [text] if (text := plain_text(data.text)) else []
    if data.already:
        return lines
    if lines and data.heading.startswith(("summary", "your ")):
        lines.insert(0, f"{_capital(data.heading)}:")
    if len(data.mails) == 1:
        lines.append(source_line(data.mails[0], view))
    elif not lines and data.mails:
        lines += _mails(data, view)
    if data.events:
        lines += event_lines(data.events[:MOST], view)
    if not lines and data.kind == "nothing" and data.heading:
        lines.append(_none(data, "thing"))
    return lines


def _list(data: Data, items: Sequence[T], noun: str, line: Callable[[T], str], most: int = MOST) -> list[str]:
    if not items:
        return [_none(data, noun)]
    shown = items[:most]
    return [_header(data, items, len(shown), noun), *_with_reasons(numbered(map(line, shown)), data)]


def _with_reasons(lines: Sequence[str], data: Data) -> list[str]:
    """Each numbered line with why it stands where it does; day headings among them have none."""
    reasons = iter(data.reasons)
    return [f"{line}: {reason}" if line[:1].isdigit() and (reason := next(reasons, "")) else line for line in lines]


def _header(data: Data, items: Sequence[object], shown: int, noun: str) -> str:
    total = max(data.total or 0, len(items))
    amount = f"showing {shown} of {total}" if shown < total else str(total)
    sample = ", from the sample account" if all(getattr(item, "sample", False) for item in items) else ""
    if not data.heading:
        return f"{_plural(total, noun) if shown == total else f'{_capital(noun)}s, {amount}'}{sample}:"
    return f"{_capital(data.heading)} ({amount}{sample}):"


def _none(data: Data, noun: str) -> str:
    looked = one_line(data.heading) or noun
    for start, found_none in (("your ", "I found none of your"), ("the ", "I did not find the")):
        if looked.startswith(start):
            return f"{found_none} {looked.removeprefix(start)}."
    return f"I found no {looked}."


def _plural(count: int, noun: str) -> str:
    ending = "" if count == 1 else "es" if noun.endswith("s") else "s"
    return f"{count} {noun}{ending}"


def _capital(text: str) -> str:
    line = one_line(text)
    return line[:1].upper() + line[1:]


def _said(text: str) -> str:
    return text if text.endswith((".", "!", "?", ":")) else f"{text}."


def reply_for(account: Account) -> str:
    """The reports of a flow in the order of its steps: answers, what limits them, and what went wrong with what to do."""
    parts = [part for step in account.steps if (part := _part(step, account))]
    return "\n\n".join(dict.fromkeys(parts))


def _part(step: Step, account: Account) -> str:
    report = account.reports.get(step.id)
    if report is None:
        return ""
    if isinstance(report, Failure):
        return _failure(report)
    # Proposals are shown as a preview, and a look-up that served another step is no answer of its own unless it decided something.
    silent = bool(report.data.proposals) or report.data.ambiguity is not None or _only_an_input(step, account)
    setting = account.setting
    me = frozenset(address.email for address in setting.me)
    answer = "" if silent else words(report.data, now=setting.now, zone=setting.zone, me=me)
    limits = [_limit(limit) for limit in report.limitations if limit not in answer] if isinstance(report, Partial) else []
    return "\n".join(filter(None, [answer, *limits]))


def _only_an_input(step: Step, account: Account) -> bool:
    decided = any(other.when and other.when.step == step.id for other in account.steps)
    served = any(step.id in other.needs and other.id in account.reports for other in account.steps)
    return served and not decided


def _limit(limitation: str) -> str:
    return f"Note: {_said(one_line(limitation))}"


def _failure(report: Failure) -> str:
    """What happened, and what to do about it where the message does not say so itself."""
    advice = ADVICE.get(report.type, "")
    message = _said(_capital(report.message)) if report.message else "That did not work."
    says_so = any(word in message.casefold() for word in ("try ", "please", "again", "connect", "choose"))
    return message if says_so or not advice else f"{message} {advice}"
