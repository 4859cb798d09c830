"""What the gate refuses is not even shown for approval, through whatever door it comes, and the journal tells of it."""

from datetime import datetime
from zoneinfo import ZoneInfo

import pytest

from assistant.bootstrap import LocalAccount, open_assistant
from assistant.timetable.rules import Ask, Cron
from integrations.actions import SendMail
from integrations.types import Address

NOW = datetime(2026, 11, 18, 10, 0, tzinfo=ZoneInfo("Europe/Berlin"))
LOOKALIKE = "s\u0430ra@orchard.example"
"""With a Cyrillic letter."""


@pytest.fixture
def opened(tmp_path, account: LocalAccount):
    card = "BEGIN:VCARD\r\nVERSION:3.0\r\nUID:sara\r\nFN:Sara Lind\r\nEMAIL:sara@orchard.example\r\nEND:VCARD\r\n"
    (account.contacts / "sara.vcf").write_bytes(card.encode())
    return lambda: open_assistant(tmp_path / "home", clock=lambda: NOW, zone="Europe/Berlin", accounts=[account])


def letter(account: str, to: str) -> SendMail:
    return SendMail(account=account, to=(Address(email=to),), subject="Plan", body="Here it is.")


async def test_a_proposal_to_a_perfect_lookalike_of_a_contact_is_refused(opened):
    async with opened() as a:
        turn = await a.propose("c", [letter(a.accounts[0].name, LOOKALIKE)])
        assert not turn.previews and "Nothing was prepared: " in turn.reply and not await a.open_previews()
        (story,) = await a.audit()
    assert story.result == "refused" and any("not even shown for approval" in line.text for line in story.lines)


async def test_a_change_that_is_refused_leaves_the_preview_as_it_was(opened):
    async with opened() as a:
        name = a.accounts[0].name
        (preview,) = (await a.propose("c", [letter(name, "sara@orchard.example")])).previews
        turn = await a.revise(preview.id, actions=[letter(name, LOOKALIKE)])
        assert "Nothing was prepared: " in turn.reply
        assert [(one.id, one.fingerprint) for one in await a.open_previews()] == [(preview.id, preview.fingerprint)]


async def test_a_refused_schedule_proposes_nothing(opened):
    async with opened() as a:
        made = await a.schedules.add("Mail", Ask(text=f"email {LOOKALIKE} saying hello"), Cron(expression="0 8 * * *"))
        await a.schedules.run(made.id)
        assert not await a.open_previews()
