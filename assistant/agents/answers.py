"""Answers that stand in the user's mail, quoted with their source."""

import re
from collections import Counter
from collections.abc import AsyncIterator, Sequence

from assistant.agents.base import Desk
from assistant.agents.mails import select_mails
from assistant.agents.reading import DOUBT, MOST_SUMMARISED, known_people, with_bodies
from assistant.agents.report import Notes
from assistant.reasoning.calls import Call
from assistant.values import Data
from integrations.types import Mail

MOST_OF_A_WORD = 40
"""Mails looked at for each word of a question that no mail has all words of."""
SHORTEST_WORD = 3


WHERE = re.compile(r" (?:in the mail|of|in|from) \{\w+\}")
"""Where the answer is to be found, which is no part of what is asked."""


async def answer(call: Call, desk: Desk, notes: Notes) -> Data:
    """The sentence of a mail that answers the question. What others wrote comes before what the user did."""
    from assistant.attention.suspicion import marks
    from assistant.reasoning.offline.saying.answering import answer_from
    from assistant.reasoning.offline.saying.verdicts import value_in, verdict

    known, doubted = await known_people(desk), False
    call = call.model_copy(update={"question": WHERE.sub("", call.question)})
    async for found in _likely(call, desk):
        mails = await with_bodies(found, desk)
        trusted = tuple(mail for mail in mails if sum(mark.weight for mark in marks(mail, known)) < DOUBT)
        doubted |= len(trusted) < len(mails)
        theirs = tuple(mail for mail in trusted if not (mail.sender and mail.sender.email in desk.me))
        said = answer_from(call.question, theirs) or answer_from(call.question, trusted)
        if said:
            sentence, mail = answer_from(call.question, await _conversation(said[1], desk)) or said
            value = value_in(call.question, sentence)
            text = f"{value}: “{sentence}”" if value and value != sentence.strip(" .") else f"“{sentence}”"
            truth = verdict(call.question, sentence)
            return Data(kind="text", text=text, mails=(mail,), truth=truth, heading=call.question)
    left_out = " Mails that look like phishing are left out." if doubted else ""
    return Data(kind="nothing", text=f"I found nothing in your mail that answers this.{left_out}", heading=call.question)


async def _conversation(mail: Mail, desk: Desk) -> tuple[Mail, ...]:
    """The mails of its thread that others wrote: a later one may have taken back what this one says."""
    found = await desk.readers.mail.thread(mail.thread) if mail.thread else ()
    return tuple(one for one in found if not (one.sender and one.sender.email in desk.me))


async def _likely(call: Call, desk: Desk) -> AsyncIterator[Sequence[Mail]]:
    """The mails that hold all words of the question; then those that hold most of them."""
    words, quiet = call.select.words, Notes()
    if call.select.refs:
        yield (await select_mails(call.select.model_copy(update={"words": ()}), desk, quiet, limit=MOST_SUMMARISED)).items
        return
    all_of_them = await select_mails(call.select, desk, quiet, limit=MOST_SUMMARISED)
    if all_of_them.items:
        yield all_of_them.items
    pieces = tuple(dict.fromkeys(part for word in words for part in word.split() if len(part) >= SHORTEST_WORD))
    if not pieces or (len(pieces) == 1 and pieces == words):
        return
    found: dict[tuple[str, str], Mail] = {}
    hits: Counter[tuple[str, str]] = Counter()
    for piece in pieces:
        for mail in (
            await select_mails(call.select.model_copy(update={"words": (piece,)}), desk, quiet, limit=MOST_OF_A_WORD)
        ).items:
            found[mail.account, mail.id] = mail
            hits[mail.account, mail.id] += 1
    ranked = sorted(found, key=lambda key: (hits[key], found[key].date), reverse=True)
    yield [found[key] for key in ranked[:MOST_SUMMARISED]]
