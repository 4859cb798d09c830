"""What the numbers of a briefing stand for."""

from collections.abc import Sequence

from assistant.briefing.facts import Briefing, Line
from assistant.briefing.wording import reasons, seen
from assistant.values import Data, Numbered
from integrations.types import Event
from risk.times import DASH


def numbered(briefing: Briefing) -> tuple[Numbered, ...]:
    """One for each number, in their order: what was told first under it."""
    invited = {
        _key(line.event) for section in briefing.sections if section.kind == "invitations" for line in section.lines if line.event
    }
    found: dict[int, Numbered] = {}
    for section in briefing.sections:
        for line in section.lines:
            if line.number and line.number not in found and (line.mail or line.event):
                found[line.number] = _as_numbered(line, shut=section.kind == "phishing", invited=invited)
    return tuple(found[number] for number in sorted(found))


def of_lines(lines: Sequence[Numbered]) -> Data:
    """For what points at "them" rather than at a number."""
    mails = tuple(line.mail for line in lines if line.mail and not line.shut)
    events = tuple({_key(line.event): line.event for line in lines if line.event}.values())
    return Data(kind="mails" if mails else "events", mails=mails, events=events)


def _as_numbered(line: Line, *, shut: bool, invited: set[tuple[str, ...]]) -> Numbered:
    mail = line.mail.model_copy(update={"body": ""}) if line.mail else None
    text = f" {DASH} ".join(filter(None, (seen(line.text), reasons(line))))
    invites = line.event is not None and (_key(line.event) in invited or line.event.my_answer == "needs-action")
    return Numbered(number=line.number, text=text, mail=mail, event=line.event, invites=invites, shut=shut)


def _key(event: Event) -> tuple[str, ...]:
    return event.account, event.calendar, event.id, event.recurrence.isoformat() if event.recurrence else ""
