"""What the user asked others, and nobody answered."""

import asyncio
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta

from assistant.agents.base import Desk
from assistant.agents.report import Notes
from assistant.agents.trying import attempted
from assistant.agents.weighing import whole, without_text
from assistant.attention import asking_sentence, is_machine, wish_of
from assistant.briefing.coverage import Told
from assistant.briefing.facts import Line
from assistant.briefing.phrases import ago, cut, mail_words, names, topic
from integrations.types import OUTBOX, Address, Mail

PATIENCE = timedelta(days=2)
"""Only from then on the user waits for an answer."""
MOST_ASKED, MOST_TOLD = 20, 5


async def waiting_for(
    sent: Sequence[Mail], came: Mapping[str, datetime], told: Told, desk: Desk
) -> tuple[tuple[Line, ...], list[Line], int]:
    """New lines, those that were told before, and how many more there are. `sent` come newest first; `came`: when the newest mail
    of a thread did."""
    asked = await _asked(sent, came, told, desk)
    answered = await asyncio.gather(*(_is_answered(mail, desk) for mail in asked))
    new, still, more = list[Line](), list[Line](), 0
    for mail in (mail for mail, is_answered in zip(asked, answered, strict=True) if not is_answered):
        who, reason = names(_others(mail, desk.me)), f"you asked {ago(mail.date, desk.setting.now)}"
        if told.before(_key(mail)):
            text = f"{cut(who, 30)} owes you an answer ({topic(mail, 40)})"
            still.append(Line(text=text, reasons=(reason,), mail=without_text(mail), new=False))
        elif len(new) < MOST_TOLD:
            text = mail_words(mail, asking_sentence(mail, desk.setting.zone), who)
            new.append(Line(text=text, reasons=(reason,), mail=without_text(mail)))
        else:
            more += 1
            continue
        told.say(_key(mail), f"{mail.date.astimezone(UTC):%Y-%m-%dT%H:%M}")
    return tuple(new), still, more


def _key(mail: Mail) -> str:
    return f"waiting/{mail.account}/{mail.thread or mail.id}"


async def _asked(sent: Sequence[Mail], came: Mapping[str, datetime], told: Told, desk: Desk) -> list[Mail]:
    """The user's last mail of each thread, where it asks people something and nothing has come since. Those told before go first:
    they stay open until they are answered."""
    last: dict[tuple[str, str], Mail] = {}
    for mail in sent:
        last.setdefault((mail.account, mail.thread or mail.id), mail)
    old = [mail for mail in last.values() if _is_out(mail, desk) and came.get(mail.thread, mail.date) <= mail.date]
    old.sort(key=lambda mail: not told.before(_key(mail)))
    wishes = ((mail, wish_of(mail, desk.setting.zone)) for mail in await whole(old, desk))
    return [mail for mail, wish in wishes if wish.question or wish.request][:MOST_ASKED]


def _is_out(mail: Mail, desk: Desk) -> bool:
    return mail.folder != OUTBOX and desk.setting.now - mail.date >= PATIENCE and bool(_others(mail, desk.me))


def _others(mail: Mail, me: frozenset[str]) -> list[Address]:
    return [address for address in mail.recipients if address.email not in me and not is_machine(address)]


async def _is_answered(mail: Mail, desk: Desk) -> bool:
    """Answers may lie in any folder."""
    if not mail.thread:
        return False
    thread = await attempted(desk.readers.mail.thread(mail.thread), (), Notes())
    return any(one.date > mail.date and one.sender and one.sender.email not in desk.me for one in thread)
