"""Whether "it" and "her" still mean what was shown, once the talk has turned to something that was not found or not understood."""

import re
from collections.abc import Sequence

from assistant.reasoning.base import Request, Setting
from assistant.reasoning.calls import Call
from assistant.reasoning.naming import named
from assistant.reasoning.offline import criteria
from assistant.reasoning.offline.planning.talk.memory import kind_of
from assistant.reasoning.offline.reading.grammar import domain_of, parse
from assistant.values import Choice, Data, Question, Shown, Step

SHOWN_REF = re.compile(r"\{shown(\d?)\}")
LOOKS = frozenset(
    {"mail.find", "mail.read", "mail.summarise", "mail.check", "event.find", "event.next", "event.check", "contact.find",
     "contact.address", "contact.group"}
)  # fmt: skip
"""What turns the talk to other things even where it finds none of them."""
SHOWN_FIRST = frozenset({"mail.send", "mail.draft", "mail.reply", "mail.forward", "event.create"})
"""Their preview says whom and what they were taken for."""
MOST_NAMED = 3


def doubted(steps: Sequence[Step], request: Request, *, somebody: bool) -> Question | None:
    """The question before a write to what the talk may have left behind; `somebody`: it names a person by a pronoun alone."""
    turned = next((text for text in request.since if _asks_afresh(text, request.setting)), "")
    if not turned or not request.shown:
        return None
    lost = parse(turned, request.setting).call
    left = (_left_behind(step, lost, request, somebody=somebody) for step in steps)
    meant = next((shown for shown in left if shown is not None), None)
    if meant is None:
        return None
    things = _named(meant.data)
    # Nothing was shown since it was said, so its places are those of now.
    turned = named(turned, {f"shown{place or ''}": one.data for place, one in enumerate(request.shown)})
    said = "; ".join(dict.fromkeys(turned.rstrip(".").split("; ")))
    why = f"I did not understand “{said}”" if lost is None else f"I found nothing for “{said}”"
    return Question(
        id="meant", text=f"{why}. Do you mean what was shown before: {things}?", trigger="ambiguous", entity="what is meant",
        choices=(Choice(id="1", label=things, value=things),),
    )  # fmt: skip


def _left_behind(step: Step, lost: Call | None, request: Request, *, somebody: bool) -> Shown | None:
    """What was shown that the step would write to, though the talk has turned from it."""
    places = [int(found or 0) for found in SHOWN_REF.findall(step.instruction)]
    meant = [request.shown[place] for place in places if place < len(request.shown)]
    if step.criterion.expects != "proposal" or not (meant or somebody):
        return None
    call = parse(step.instruction, request.setting, step.agent).call
    meant = meant or [request.shown[0]]
    return None if call is None or call.operation in SHOWN_FIRST or _other_kind(lost, meant) else meant[0]


def _asks_afresh(text: str, setting: Setting) -> bool:
    """What was not understood, and what looks for things by their own names."""
    call = parse(text, setting).call
    if call is None:
        return True
    looks = call.operation in LOOKS | {"mail.answer"} or criteria.writes(call.operation)
    if not looks or any(ref.startswith("shown") for ref in call.select.refs):
        return False
    return call.operation == "mail.answer" or bool(call.select.people or call.select.words or call.select.group)


def _other_kind(lost: Call | None, meant: Sequence[Shown]) -> bool:
    """ "Any mail from the dentist?" leaves the event that was shown where it is."""
    if lost is None or lost.operation == "mail.answer":
        return False
    return all(kind_of(one.data) != domain_of(lost.operation) for one in meant)


def _named(data: Data) -> str:
    mails = [f"“{mail.subject}” from {mail.sender.name or mail.sender.email}" for mail in data.mails if mail.sender]
    names = mails or [f"“{event.title}”" for event in data.events] or [contact.name for contact in data.contacts]
    names = names or [address.name or str(address.email) for address in data.addresses]
    more = f" and {len(names) - MOST_NAMED} more" if len(names) > MOST_NAMED else ""
    return "; ".join(names[:MOST_NAMED]) + more
