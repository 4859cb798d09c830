"""What the planner knows about operations: which write, what they lack, when they have succeeded."""

from typing import Literal

from assistant.reasoning.base import Missing
from assistant.reasoning.calls import Call, Operation, Selection
from assistant.values import Criterion

WRITES = frozenset(
    {
        "mail.send", "mail.draft", "mail.reply", "mail.forward", "mail.mark_read", "mail.mark_unread", "mail.flag", "mail.unflag",
        "mail.archive", "mail.trash", "mail.restore", "event.create", "event.move", "event.rename", "event.resize",
        "event.relocate", "event.cancel", "event.invite", "event.uninvite", "event.replace", "event.swap", "event.accept",
        "event.decline", "event.tentative",
        "contact.add", "contact.update", "contact.delete", "template.save", "template.delete",
    }
)  # fmt: skip
LIGHT = frozenset(
    {"mail.draft", "mail.mark_read", "mail.mark_unread", "mail.flag", "mail.unflag", "mail.archive", "mail.trash", "mail.restore"}
)
"""Writes that touch nobody else and can be undone; the gate has the last word."""
REACHES_OTHERS = frozenset(
    {
        "event.move",
        "event.rename",
        "event.resize",
        "event.relocate",
        "event.cancel",
        "event.invite",
        "event.uninvite",
        "event.replace",
        "event.swap",
    }
)
DELETES = frozenset({"mail.trash", "event.cancel", "contact.delete", "template.delete"})

WORDS: dict[str, str] = {
    "mail": "the mails asked for are found, or it is certain that there are none",
    "event": "the calendar is read for what was asked",
    "contact": "the contacts asked for are found",
    "template": "the templates are listed",
}
WRITTEN: dict[str, str] = {
    "mail.send": "a mail to the right people is ready for approval",
    "mail.reply": "a reply to the right mail is ready for approval",
    "mail.forward": "the right mails are ready to be passed on",
    "mail.draft": "a draft is ready to be saved",
    "event.create": "an event at a fitting time is proposed",
}


def writes(operation: Operation) -> bool:
    return operation in WRITES or operation.startswith("revise.")


def criterion(call: Call) -> Criterion:
    operation = call.operation
    if writes(operation):
        return Criterion(words=WRITTEN.get(operation, "the change is proposed for exactly what was named"), expects="proposal")
    if operation == "contact.address":
        return Criterion(words="exactly one person with an address", expects="one")
    if operation == "contact.group" or (operation == "contact.find" and call.select.people):
        return Criterion(words=WORDS["contact"], expects="items")
    kind = operation.partition(".")[0]
    expects: Literal["answer", "items"] = "answer"
    return Criterion(words=WORDS[kind], expects=expects)


def missing(call: Call) -> tuple[Missing, ...]:
    """What the user must still say before the call can be carried out."""
    gaps: list[Missing] = []
    names = " and ".join(person.text or person.email for person in call.to if not person.ref and person.role != "except") or "them"
    operation = call.operation
    nothing_to_say = not (call.body or call.about or call.template or call.select.refs or call.select.folder)
    if operation in ("mail.send", "mail.draft", "mail.forward") and not call.to and not call.cc and call.field != "reply":
        verb = "should it go to" if operation == "mail.forward" else "should the mail go to"
        gaps.append(Missing(what="recipient", question=f"Who {verb}?"))
    if operation in ("mail.send", "mail.draft") and call.field != "reply" and nothing_to_say:
        gaps.append(Missing(what="message", question=f"What should the mail to {names} say?"))
    # A reply that is to be drafted can be written from what the mail asks.
    if operation == "mail.reply" and not (call.body or call.about or call.template):
        gaps.append(Missing(what="message", question="What should the reply say?"))
    if operation == "event.create" and call.field != "mail":
        gaps.extend(_event_gaps(call, names))
    gaps.extend(_change_gaps(call))
    return tuple(gaps)


def _event_gaps(call: Call, names: str) -> list[Missing]:
    if call.time or call.beside or call.slot or (call.duration and call.to):
        return []
    what = call.title or ("the meeting with " + names if call.to else "the meeting")
    if not call.title and not call.to:
        return [Missing(what="time", question="What should I schedule, with whom and when?")]
    return [Missing(what="time", question=f"When should {_lower(what)} be?")]


def _lower(title: str) -> str:
    return title if title.startswith("the ") else f"“{title}”"


def _change_gaps(call: Call) -> list[Missing]:
    operation = call.operation
    nothing = call.select == Selection()
    if nothing and operation in WRITES and operation.partition(".")[2] in (
        "mark_read", "mark_unread", "flag", "unflag", "archive", "trash", "restore", "forward",
    ):  # fmt: skip
        return [Missing(what="mail", question="Which mail do you mean?")]
    if nothing and operation in REACHES_OTHERS | {"event.accept", "event.decline", "event.tentative"}:
        return [Missing(what="event", question="Which event do you mean?")]
    checks = {
        "event.move": (
            call.time is None and call.shift is None and call.beside is None and not call.slot,
            "time",
            "To when should it move?",
        ),
        "event.rename": (not call.title, "title", "What should it be called?"),
        "event.resize": (
            call.duration is None and call.shift is None and call.time is None and call.factor is None,
            "duration",
            "How long should it be?",
        ),
        "event.relocate": (not call.location, "location", "Where should it be?"),
        "event.invite": (not call.to, "person", "Who should be invited?"),
        "contact.update": (not call.details, "details", "What should change, and to what?"),
        "contact.add": (not dict(call.details).get("name"), "name", "What is the contact's name?"),
        "contact.delete": (not call.select.people and not call.select.refs, "contact", "Which contact do you mean?"),
        "template.save": (not call.template, "template", "What should the template be called?"),
        "template.delete": (not call.template, "template", "Which template do you mean?"),
    }  # fmt: skip
    lacks, what, question = checks.get(operation, (False, "", ""))
    if operation == "template.save" and call.template and not call.body:
        return [Missing(what="message", question=f"What should the template {call.template} say?")]
    return [Missing(what=what, question=question)] if lacks else []


PLACES = {
    ("mail", "message"): ' saying "{message}"',
    ("mail", "recipient"): " to {recipient}",
    ("event", "time"): " {time}",
    ("event.move", "time"): " to {time}",
    ("event.rename", "title"): ' to "{title}"',
    ("event.resize", "duration"): " to {duration}",
    ("event.relocate", "location"): " to {location}",
    ("contact.update", "details"): " to {details}",
    ("contact.add", "name"): " named {name}",
    ("template", "template"): ' called "{template}"',
    ("template", "message"): ': "{message}"',
    ("mail", "mail"): " {mail}",
    ("event", "event"): " {event}",
    ("event.invite", "event"): " to {event}",
    ("event.uninvite", "event"): " from {event}",
    ("event.replace", "event"): " in {event}",
    ("event.swap", "event"): " of {event}",
}
"""Where an answer goes into the instruction: by operation or domain, and what was missing."""


def places(call: Call, gaps: tuple[Missing, ...]) -> str:
    """What is put behind an instruction, with a place for every answer that is still to come; recipients first."""
    domain = call.operation.partition(".")[0]
    found = [PLACES.get((call.operation, gap.what)) or PLACES.get((domain, gap.what), "") for gap in gaps]
    return "".join(found)


def flags(call: Call, *, groups: bool) -> list[str]:
    """Early risk flags of one call (step 2)."""
    found: list[str] = []
    select = call.select
    if groups and call.operation.startswith("mail."):
        found.append("it goes to a whole group")
    if call.operation in DELETES:
        found.append("several things are deleted" if select.each else "something is deleted")
    elif writes(call.operation) and select.each and call.operation != "mail.send":
        found.append("it changes several things at once")
    if call.operation in REACHES_OTHERS or (call.operation == "event.create" and call.to):
        found.append("others may be affected by a calendar change")
    return found
