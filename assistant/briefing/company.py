"""Who will be there, and what was last written with them."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import timedelta

from assistant.agents.base import Desk
from assistant.agents.report import Notes
from assistant.agents.trying import attempted
from assistant.attention import wish_of
from assistant.briefing.days import key
from assistant.briefing.phrases import day_named, topic
from assistant.reasoning.offline.saying.items import person
from integrations.types import Address, Event, Mail, MailQuery, Page

MOST_PEOPLE, MOST_MAILS, MOST_EACH = 20, 300, 4
LOOKED_BACK = timedelta(days=60)


async def met(events: Sequence[Event], desk: Desk) -> Mapping[str, tuple[str, ...]]:
    """By the key of an event, a sentence on the latest exchange with each other person in it. Everybody is told of once, where
    they come first."""
    company = _company(events, desk.me)
    everybody = {one.email: one for people in company.values() for one in people}
    if not everybody:
        return {}
    query = MailQuery(with_person=tuple(everybody), since=desk.setting.now - LOOKED_BACK, bulk=False, limit=MOST_MAILS)
    found = await attempted(desk.readers.mail.search(query), Page[Mail](), Notes())
    letters = [mail for mail in found.items if not wish_of(mail, desk.setting.zone).invites]
    last = _latest(letters, everybody, desk.me)
    return {
        name: tuple(_sentence(one, last[one.email], desk) for one in people if one.email in last)[:MOST_EACH]
        for name, people in company.items()
    }


def _company(events: Sequence[Event], me: frozenset[str]) -> dict[str, list[Address]]:
    named, found = set[str](), dict[str, list[Address]]()
    for event in events:
        coming = [one.address for one in event.attendees if one.answer != "declined"]
        people = [one for one in (*((event.organizer,) if event.organizer else ()), *coming) if one.email not in me | named]
        people = people[: max(MOST_PEOPLE - len(named), 0)]
        found[key(event)] = list({one.email: one for one in people}.values())
        named |= {one.email for one in people}
    return found


def _latest(mails: Iterable[Mail], people: Mapping[str, Address], me: frozenset[str]) -> dict[str, Mail]:
    """By address, the newest mail between them and the user; `mails` come newest first."""
    last: dict[str, Mail] = {}
    for mail in mails:
        if mail.sender is None:
            continue
        with_them = {one.email for one in mail.recipients} if mail.sender.email in me else {mail.sender.email}
        for email in with_them & people.keys():
            last.setdefault(email, mail)
    return last


def _sentence(one: Address, mail: Mail, desk: Desk) -> str:
    """ "Anna Berg: last wrote on Thursday about Budget Q4; you have not answered" """
    when, about = day_named(mail.date, desk.setting.now), topic(mail, 80)
    if mail.sender is None or mail.sender.email in desk.me:
        return f"{person(one)}: you last wrote {when} about {about}"
    wish = wish_of(mail, desk.setting.zone)
    open_still = (wish.question or wish.request) and not mail.answered
    return f"{person(one)}: last wrote {when} about {about}{'; you have not answered' if open_still else ''}"
