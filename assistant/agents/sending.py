"""When a mail goes out: as soon as it is approved, or at a time that lies ahead."""

from datetime import datetime, timedelta

from assistant.agents.base import Desk
from assistant.agents.report import Notes, Refusal
from assistant.agents.timing import PARTS, midnight
from assistant.agents.words import moment
from assistant.reasoning.calls import Call, TimeSpec
from assistant.values import Proposal
from integrations.actions import SendMail

NO_MOMENT = "Tell me the one moment at which the mail shall go out, such as tomorrow at 8."


def scheduled(proposal: Proposal, call: Call, desk: Desk, notes: Notes) -> Proposal:
    """The mail at the time that the call names; as it is where it names none."""
    return at_time(proposal, time_of_sending(call.time, desk, notes), desk) if call.time else proposal


def at_time(proposal: Proposal, when: datetime | None, desk: Desk) -> Proposal:
    """The same mail to go out then; None: as soon as it is approved."""
    action = proposal.action
    assert isinstance(action, SendMail)
    says = proposal.says.removesuffix(_then(action.send_at, desk)) + _then(when, desk)
    return proposal.model_copy(update={"action": action.model_copy(update={"send_at": when}), "says": says})


def _then(when: datetime | None, desk: Desk) -> str:
    return f", to go out {moment(when, desk.setting.now)}" if when else ""


def _not_past(when: datetime, desk: Desk) -> datetime:
    if when <= desk.setting.now:
        raise Refusal("not_understood", f"{moment(when, desk.setting.now)} has passed; tell me a time that lies ahead.")
    return when


def time_of_sending(spec: TimeSpec | None, desk: Desk, notes: Notes) -> datetime | None:
    """None for what is going on already, such as today."""
    if spec is None or spec.start is None or spec.windows or spec.kind in ("duration", "repeat"):
        raise Refusal("not_understood", NO_MOMENT)
    now, start = desk.setting.now, spec.start.astimezone(desk.setting.zone)
    under_way = start <= now and spec.stop is not None and now < spec.stop and not (spec.has_time and spec.kind == "point")
    if under_way:
        return None
    hour = _not_past(_hour(spec, start, desk), desk)
    if hour != start or not spec.has_time:
        notes.guess(f"it goes out at {hour:%H:%M}")
    return hour


def _hour(spec: TimeSpec, start: datetime, desk: Desk) -> datetime:
    """A day, or a part of one that begins before working hours, begins with them."""
    part = spec.kind == "range" and any(part in spec.text.lower() for part in PARTS)
    if spec.has_time and not part:
        return start
    opens = midnight(start, desk.setting.zone) + timedelta(hours=desk.day_starts.hour, minutes=desk.day_starts.minute)
    return max(start, opens)


def moved(proposal: Proposal, call: Call, desk: Desk, notes: Notes) -> Proposal:
    """A mail that is proposed, at another time: an hour alone keeps the day it has."""
    action = proposal.action
    assert isinstance(action, SendMail)
    before, spec = action.send_at, call.time
    if before is not None and call.shift is not None:
        return at_time(proposal, _not_past(before + call.shift, desk), desk)
    if before is not None and spec is not None and spec.start is not None and spec.has_time and not spec.has_date:
        local = spec.start.astimezone(desk.setting.zone)
        start = before.astimezone(desk.setting.zone).replace(hour=local.hour, minute=local.minute)
        spec = spec.model_copy(update={"start": start, "stop": None})
    return at_time(proposal, time_of_sending(spec, desk, notes), desk)
