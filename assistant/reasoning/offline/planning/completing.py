"""Sentences that say more of the request before them, and are none of their own: "It should say: …", "Make it 30 minutes"."""

import re

from assistant.reasoning.base import Setting
from assistant.reasoning.calls import Call
from assistant.reasoning.offline import criteria
from assistant.reasoning.offline.planning.instructing import instruction_of, titled_by_event, with_event
from assistant.reasoning.offline.planning.lookups import lookups
from assistant.reasoning.offline.planning.message.pieces import Piece
from assistant.reasoning.offline.planning.outline import Draft, refs_in, tidy
from assistant.reasoning.offline.reading.clauses.changes import POINTING, about_the_same, joined
from assistant.reasoning.offline.reading.grammar import parse

SAYS = re.compile(
    r"^(?:(?:it|the (?:mail|email|message|text)) (?:should|must|shall|can) (?:say|read)|(?:say|write))\s*(?:that\b)?\s*:?\s*(.+)$",
    re.I | re.S,
)
SUBJECT = re.compile(r"^(?:and )?(?:the |its |with the )?subject (?:is|should be|shall be)?\s*:?\s*(.+)$", re.I)
BEING = re.compile(
    r"^(?:it|the (?:mail|email|message)|that|this)\s+(?:(?:should|shall|must|can|has to|needs to)\s+)?(?:be\s+)?", re.I
)
QUOTES = "'\"\u201c\u2018"
FIELD = re.compile(r"^(?:and )?(?:her|his|their|its|the) ([a-z ]{2,20}?) (?:is|are|:)\s*(.+)$", re.I)


def goes_on(piece: Piece, draft: Draft) -> bool:
    """Whether the piece became part of the step before it."""
    return bool(draft.steps) and (_changes_the_same(piece, draft) or _completes(piece, draft))


def _completes(piece: Piece, draft: Draft) -> bool:
    """A sentence that says more of the write before it becomes part of that step."""
    if piece.role != "plain" or not criteria.writes(draft.calls[-1].operation):
        return False
    at = max(range(len(draft.steps)), key=lambda n: draft.steps[n].criterion.expects == "proposal" and draft.steps[n].id)
    before, call = draft.steps[at], draft.calls[-1]
    bare = before.instruction
    for gap in criteria.missing(call):
        bare = bare.replace(criteria.places(call, (gap,)), "")
    text = completed(bare, call, piece.text, draft.setting)
    whole = parse(text, draft.setting, before.agent) if text else None
    if text is not None and whole is not None and titled_by_event(whole):
        text = with_event(text, draft)
        whole = parse(text, draft.setting, before.agent) if text else None
    if text is None or whole is None or whole.call is None or whole.call.operation != call.operation:
        return False
    answered = {gap.what for gap in criteria.missing(call)} - {gap.what for gap in criteria.missing(whole.call)}
    draft.missing = [gap for gap in draft.missing if gap.what not in answered]
    _extend(at, text, whole.call, f"; {tidy(piece.text)}", draft)
    return True


def _changes_the_same(piece: Piece, draft: Draft) -> bool:
    """One more change of the event that the step before changes becomes part of that step."""
    before, text = draft.steps[-1], tidy(piece.text)
    found = parse(text, draft.setting)
    if not about_the_same(found.reading) or not POINTING & set(text.lower().split()):
        return False
    more = f" and {text[:1].lower()}{text[1:]}"
    whole = parse(f"{before.instruction}{more}", draft.setting)
    if whole.call is None or not whole.reading.certain or joined(draft.calls[-1], found.call or whole.call) is None:
        return False
    instruction = instruction_of(whole.clause.text, whole, lookups(whole.recipients, before.when, draft))
    _extend(draft.steps.index(before), instruction, whole.call, more, draft)
    gaps = criteria.missing(whole.call)
    draft.missing = [gap for gap in draft.missing if gap.what != "time" or gap in gaps]
    return True


def _extend(at: int, instruction: str, call: Call, more: str, draft: Draft) -> None:
    """The step at that place does what the longer instruction says."""
    before = draft.steps[at]
    draft.steps[at] = before.model_copy(update={"instruction": instruction, "needs": refs_in(instruction, before.needs)})
    draft.calls[-1] = call
    draft.goals[-1] += more


def completed(instruction: str, call: Call, text: str, setting: Setting) -> str | None:
    """The instruction with what the sentence adds; None where it adds nothing to this request."""
    text = text.strip()
    if call.operation in ("mail.send", "mail.draft", "mail.reply", "mail.forward"):
        return _mail(instruction, call, text) or _more_of_it(instruction, call, text, setting)
    if call.operation == "contact.add" and (found := FIELD.match(text)):
        return f"{instruction}, {found[1].strip()} {found[2].strip(' .')}"
    if call.operation == "event.create" and not call.title:
        more = parse(text.rstrip(" .!"), setting).call
        if more is not None and more.operation == "event.rename" and more.title and more.select.refs == ("shown",):
            return f"{instruction} called '{more.title}'"
    if call.operation == "event.create" and not call.duration:
        more = parse(text.rstrip(" .!"), setting).call
        if more is not None and more.operation == "event.resize" and more.duration and more.select.refs == ("shown",):
            return f"{instruction} for {int(more.duration.total_seconds()) // 60} minutes"
    return None


def _more_of_it(instruction: str, call: Call, text: str, setting: Setting) -> str | None:
    """ "Title it 'X' and say 'Y'", "It should be called 'X'", "Body: …": read as the end of the request before it."""
    if call.body and call.subject:
        return None
    more = BEING.sub("", text).strip()
    for joint in (", ", " and "):
        whole = f"{instruction}{joint}{more[:1].lower()}{more[1:]}"
        found = parse(whole, setting)
        if found.call is not None and found.reading.certain and _only_adds(call, found.call):
            return whole
    return None


def _only_adds(before: Call, after: Call) -> bool:
    """Whether the title, the text or both were added, and nothing else is different."""
    added = {name: getattr(after, name) for name in ("subject", "body") if not getattr(before, name) and getattr(after, name)}
    lines = {name: getattr(after, name) for name in ("to", "cc", "bcc") if len(getattr(after, name)) == len(getattr(before, name))}
    return bool(added) and before.model_copy(update={**added, **lines, "about": after.about}) == after and not after.about


def _mail(instruction: str, call: Call, text: str) -> str | None:
    if not (call.body or call.about) and (said := SAYS.match(text)):
        return f"{instruction} saying {said[1].strip()}"
    if not call.subject and (named := SUBJECT.match(text)):
        subject = named[1].strip(" .")
        at = instruction.find(" saying ")
        front, back = (instruction[:at], instruction[at:]) if at > 0 else (instruction, "")
        quoted = subject if subject[:1] in QUOTES else f'"{subject}"'
        return f"{front} with the subject {quoted}{back}"
    return None
