"""Answers that stand in the user's mail, quoted with their source."""

import re
from collections import Counter
from collections.abc import AsyncIterator, Sequence

from assistant.agents.base import Desk
from assistant.agents.headings import quoted
from assistant.agents.mails import select_mails
from assistant.agents.reading import DOUBT, MOST_SUMMARISED, known_people, with_bodies
from assistant.agents.report import Notes
from assistant.reasoning.calls import Call, Selection
from assistant.values import Data
from integrations.types import Mail

MOST_OF_A_WORD = 40
"""Mails looked at for each word of a question that no mail has all words of."""
SHORTEST_WORD = 3


WHERE = re.compile(r" (?:in the mail|of|in|from) \{\w+\}")
"""Where the answer is to be found, which is no part of what is asked."""


async def answer(call: Call, desk: Desk, notes: Notes) -> Data:
    """The sentence of a mail that answers the question. What others wrote comes before what the user did. Words of the question
    that no mail speaks of are left out, which is said, where nothing answers it with them."""
    from assistant.reasoning.offline.saying.answering import answer_from, leans, stems_of, unheard

    known, doubted = await known_people(desk), False
    call = call.model_copy(update={"question": WHERE.sub("", call.question)})
    seen: dict[tuple[str, str], Mail] = {}
    names = stems_of([word for person in call.select.people for word in person.text.split()])
    named = frozenset[str]()
    async for found, theirs in _likely(call, desk):
        mails = await with_bodies(found, desk)
        trusted = tuple(mail for mail in mails if not _doubtful(mail, known))
        doubted |= len(trusted) < len(mails)
        seen |= {(mail.account, mail.id): mail for mail in trusted}
        named = names if theirs else named
        if (said := _answered(call.question, trusted, desk, named)) is not None:
            told = answer_from(call.question, await _conversation(said[1], desk), named) or said
            return _quoted(call.question, *told)
    mails = tuple(seen.values())
    if left_out := unheard(call.question, mails, named, of_one=bool(named or (call.select.refs and leans(call.question)))):
        said = _answered(call.question, mails, desk, named | stems_of(left_out))
        if said is not None:
            notes.guess(f"no mail of those speaks of {quoted(left_out)}, so I left that out")
            return _quoted(call.question, *said)
    phishing = " Mails that look like phishing are left out." if doubted else ""
    return Data(kind="nothing", text=f"I found nothing in your mail that answers this.{phishing}", heading=call.question)


def _doubtful(mail: Mail, known: frozenset[str]) -> bool:
    from assistant.attention.suspicion import marks

    return sum(mark.weight for mark in marks(mail, known)) >= DOUBT


def _answered(question: str, mails: tuple[Mail, ...], desk: Desk, without: frozenset[str] = frozenset()) -> tuple[str, Mail] | None:
    from assistant.reasoning.offline.saying.answering import answer_from

    theirs = tuple(mail for mail in mails if not (mail.sender and mail.sender.email in desk.me))
    return answer_from(question, theirs, without) or answer_from(question, mails, without)


def _quoted(question: str, sentence: str, mail: Mail) -> Data:
    from assistant.reasoning.offline.saying.verdicts import value_in, verdict

    value = value_in(question, sentence)
    text = f"{value}: “{sentence}”" if value and value != sentence.strip(" .") else f"“{sentence}”"
    return Data(kind="text", text=text, mails=(mail,), truth=verdict(question, sentence), heading=question)


async def _conversation(mail: Mail, desk: Desk) -> tuple[Mail, ...]:
    """The mails of its thread that others wrote: a later one may have taken back what this one says."""
    found = await desk.readers.mail.thread(mail.thread) if mail.thread else ()
    return tuple(one for one in found if not (one.sender and one.sender.email in desk.me))


async def _likely(call: Call, desk: Desk) -> AsyncIterator[tuple[Sequence[Mail], bool]]:
    """The mails that hold all words of the question; then those that hold most of them, then all of whom it names. Each with
    whether they are theirs; of somebody who has written nothing the name is but a word."""
    select, quiet = call.select, Notes()
    of_them = select.model_copy(update={"words": ()})
    theirs = bool(select.people)
    if select.refs:
        yield (await select_mails(of_them, desk, quiet, limit=MOST_SUMMARISED)).items, theirs
        return
    all_of_them = await select_mails(select, desk, quiet, limit=MOST_SUMMARISED)
    if all_of_them.items:
        yield all_of_them.items, theirs
    written = (await select_mails(of_them, desk, quiet, limit=MOST_SUMMARISED)).items if theirs else ()
    words = select.words
    if theirs and not written and words:
        words = (*words, *(person.text for person in select.people))
        select, theirs = select.model_copy(update={"people": ()}), False
    pieces = tuple(dict.fromkeys(part for word in words for part in word.split() if len(part) >= SHORTEST_WORD))
    if pieces and (len(pieces) > 1 or pieces != words):
        yield await _with_most(pieces, select, desk), theirs
    if written:
        yield written, theirs


async def _with_most(pieces: Sequence[str], select: Selection, desk: Desk) -> Sequence[Mail]:
    """The mails that hold some of the words, those with most of them first."""
    found: dict[tuple[str, str], Mail] = {}
    hits: Counter[tuple[str, str]] = Counter()
    for piece in pieces:
        one = select.model_copy(update={"words": (piece,)})
        for mail in (await select_mails(one, desk, Notes(), limit=MOST_OF_A_WORD)).items:
            found[mail.account, mail.id] = mail
            hits[mail.account, mail.id] += 1
    ranked = sorted(found, key=lambda key: (hits[key], found[key].date), reverse=True)
    return [found[key] for key in ranked[:MOST_SUMMARISED]]
