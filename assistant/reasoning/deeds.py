"""What each writing operation does, in words, and the words by which people ask for it."""

import re
from collections.abc import Iterable, Mapping, Sequence

from assistant.reasoning.calls import Operation

DEEDS: Mapping[str, str] = {
    "mail.send": "send a mail", "mail.draft": "save a draft", "mail.reply": "answer a mail", "mail.forward": "forward a mail",
    "mail.mark_read": "mark mails as read", "mail.mark_unread": "mark mails as unread", "mail.flag": "flag mails",
    "mail.unflag": "unflag mails", "mail.archive": "archive mails", "mail.trash": "delete mails", "mail.restore": "restore mails",
    "event.create": "create an event", "event.move": "move an event", "event.rename": "rename an event",
    "event.resize": "change how long an event lasts", "event.relocate": "change the place of an event",
    "event.cancel": "cancel an event", "event.invite": "invite people", "event.uninvite": "take people out of an event",
    "event.replace": "invite other people instead", "event.swap": "swap two events", "event.accept": "accept an invitation",
    "event.decline": "decline an invitation", "event.tentative": "answer an invitation", "contact.add": "add a contact",
    "contact.update": "change a contact", "contact.delete": "delete a contact", "template.save": "save a reply template",
    "template.delete": "delete a reply template",
}  # fmt: skip

_MAILING = (
    r"send|mail|e-?mail|write|message|text|tell|let|inform|notify|ask|ping|remind|drop|note|say|thank|congrat\w*|apologi\w*|wish"
    r"|share|report|introduce|invite|answer|reply|respond|confirm|propose|suggest|offer|request|cancel|know|hear|cc|copy|word|words"
    r"|line|chase|nudge|get back|follow|pass|give|excuse|accept|decline|forward|talk|speak|contact|explain|announce|warn|invit\w+"
)
_MEETING = (
    r"schedule|book|create|add|block|put|set|arrange|organi[sz]e|reserve|enter|plan|make|hold|have|meet|invite|calendar|diary|remind"
    r"|appointment|slot|save|save the date|pencil|find|fix|need|lunch|dinner|coffee|breakfast|call|event"
)
_TIMING = (
    r"move|reschedule|shift|push|postpone|bring|pull|delay|extend|shorten|lengthen|change|make|prolong|swap|put|cut|trim|start|starts"
    r"|begin|begins|end|ends|last|lasts|long|longer|short|shorter|earlier|later|instead|switch|run|take|set|update|have|over|until"
    r"|at|to|from|hour|half"
)
_DELETING = (
    r"delete|trash|bin|remove|throw|rid|discard|erase|toss|clean|clear|tidy|dump|purge|empty|ditch|drop|kill|scrap|wipe|take"
)
_ANSWERING = (
    r"accept|decline|reject|refuse|rsvp|yes|no|attend|come|coming|join|tentative\w*|maybe|turn|say|confirm|count|sign|go|going|there"
    r"|make|pass|skip|answer|respond|reply|tell|can't|cannot|invitation|agree|let"
)
_CARDS = (
    r"contact|contacts|address|book|number|phone|card|e-?mail|save|store|add|new|change|update|birthday|company|title|note|job|is"
)
_ASKED: Mapping[str, str] = {
    "mail.send": _MAILING,
    "mail.reply": rf"{_MAILING}|agree|yes|no",
    "mail.forward": r"forward|fwd|pass|send|share|relay|get|give|hand|show|mail|e-?mail|copy|cc|let",
    "mail.draft": rf"draft|prepare|compose|{_MAILING}",
    "mail.mark_read": r"mark|read|unread|seen|tick",
    "mail.mark_unread": r"mark|read|unread|unseen|keep",
    "mail.flag": r"flag|star|mark|important|follow|highlight|remember|pin",
    "mail.unflag": r"flag|unflag|star|unstar|mark|remove|clear|drop|important",
    "mail.archive": r"archive|archived|file|away|clean|tidy|clear|put|done|move|out",
    "mail.trash": _DELETING,
    "mail.restore": r"restore|back|recover|undelete|unarchive|inbox|bring|move|put",
    "event.create": _MEETING,
    "event.move": _TIMING,
    "event.resize": _TIMING,
    "event.swap": rf"{_TIMING}|exchange|trade",
    "event.rename": r"rename|change|call|called|title|retitle|name|update|set|should be",
    "event.relocate": r"room|place|location|where|move|change|relocate|put|set|in|at|office|online",
    "event.cancel": rf"cancel|cancelled|call off|off|{_DELETING}|not happening|skip|free",
    "event.invite": r"invite|add|include|bring|join|cc|ask|get|too|also|as well|with|loop|let|tell|have",
    "event.uninvite": r"uninvite|disinvite|remove|without|drop|take|exclude|except|off|out|not|no",
    "event.replace": r"replace|instead|swap|switch|change|with",
    "event.accept": _ANSWERING,
    "event.decline": rf"{_ANSWERING}|not|out",
    "event.tentative": _ANSWERING,
    "contact.add": _CARDS,
    "contact.update": _CARDS,
    "contact.delete": _DELETING,
    "template.save": r"template|save|reply|answer|store|keep",
    "template.delete": rf"template|{_DELETING}",
}
_WORDS = {operation: re.compile(rf"\b(?:{words})\b", re.IGNORECASE) for operation, words in _ASKED.items()}


KIN: Sequence[frozenset[Operation]] = (
    frozenset({"event.accept", "event.decline", "event.tentative"}),
    frozenset({"event.invite", "event.uninvite", "event.replace"}),
    frozenset({"mail.mark_read", "mail.mark_unread"}),
    frozenset({"mail.flag", "mail.unflag"}),
    frozenset({"mail.archive", "mail.trash", "mail.restore"}),
    frozenset({"contact.add", "contact.update", "contact.delete"}),
    frozenset({"template.save", "template.delete"}),
    frozenset({"mail.trash", "event.cancel", "contact.delete", "template.delete"}),
)
"""What is asked for by much the same words, though one is not the other."""


def instead_of(operation: Operation, asked: Iterable[Operation]) -> Operation | None:
    """Which of those asked for it takes the place of, where it is none of them."""
    asked = tuple(asked)
    others = [one for one in asked for kin in KIN if {one, operation} <= kin]
    return None if operation in asked or not others else others[0]


def deed(operation: Operation) -> str:
    return DEEDS.get(operation, "change what is proposed")


VAGUE = re.compile(
    r"\b(?:take (?:good )?care|deal with|handle|sort (?:it|this|that|them|things|everything) out|see to|look after"
    r"|get (?:it|this|that|them|things) done|do (?:what|whatever|as|the rest|everything|it all|your thing)"
    r"|make (?:it|this) happen)\b",
    re.IGNORECASE,
)
"""Wishes that name no deed, and so ask for none."""


def speaks_of(text: str, operation: Operation) -> bool:
    """Whether a message has any word by which people ask for it; broad, so that what has none is surely something else."""
    words = _WORDS.get(operation)
    return words is None or words.search(VAGUE.sub(" ", text.replace("\u2019", "'"))) is not None
