"""A time of a proposed mail's text put right: "sorry, I meant Tuesday", "the 5th, I mean"."""

import re
from collections.abc import Sequence

from assistant.reasoning.base import Request, Setting
from assistant.reasoning.offline.lexicon import lexicon
from assistant.reasoning.offline.reading.entities import mark
from assistant.reasoning.offline.reading.frames import strip_openers
from assistant.reasoning.offline.reading.text.items import Item
from integrations.actions import SaveDraft, SendMail

LEAD = re.compile(r"^(?:on|at|by|in|to|from|until|till|for) ", re.IGNORECASE)
BEHIND = re.compile(r"[\s,]+(?:i mean|i meant|sorry|rather|of course|that is)[\s.!]*$", re.IGNORECASE)


def reworded(request: Request) -> tuple[str, ...]:
    """The changes of text and subject in which the one time of the same kind is the new one; none where it is not so plain."""
    mail = request.proposal[0].action if len(request.proposal) == 1 else None
    if not isinstance(mail, SendMail | SaveDraft) or '"' in mail.body:
        return ()
    new = _corrected_to(request.text, request.setting)
    old = _alike(mark(mail.body, request.setting), new) if new is not None else ()
    if new is None or len(old) != 1:
        return ()
    before, after = (LEAD.sub("", words) for words in (old[0].text, new.text))
    at = mail.body.find(before, old[0].begin)
    changes = [f'say "{mail.body[:at]}{after}{mail.body[at + len(before) :]}"']
    if before in mail.subject and '"' not in mail.subject:
        changes.append(f'change the subject to "{mail.subject.replace(before, after)}"')
    return tuple(changes)


def _corrected_to(text: str, setting: Setting) -> Item | None:
    """The time that a message consists of beside the words that correct; None where it says more or does not correct."""
    said = BEHIND.sub("", text)
    items: Sequence[Item] = mark(said, setting)
    corrects = said != text
    while items:
        rest, taken = strip_openers(items, lexicon().polite["correcting"])
        rest, _ = strip_openers(rest, lexicon().polite["openers"])
        corrects = corrects or bool(taken)
        if len(rest) == len(items):
            break
        items = rest
    left = [item for item in items if item.kind != "punct"]
    return left[0] if corrects and len(left) == 1 and left[0].time is not None else None


def _alike(items: Sequence[Item], new: Item) -> tuple[Item, ...]:
    """Days for a day, times of day for a time of day, lengths for a length."""
    assert new.time is not None
    kind = _kind(new)
    return tuple(item for item in items if item.time is not None and _kind(item) == kind)


def _kind(item: Item) -> tuple[str, bool, bool]:
    assert item.time is not None
    return item.time.kind, item.time.has_date, item.time.has_time
