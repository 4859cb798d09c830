"""What the assistant says, and does not do, while the disk that holds an account's folders is not there."""

from datetime import datetime
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from assistant import LocalAccount, open_assistant

BERLIN = ZoneInfo("Europe/Berlin")
NOW = datetime(2026, 11, 21, 10, tzinfo=BERLIN)
EVENT = "UID:{0}\r\nSUMMARY:Swim {0}\r\nDTSTART:20261121T150000Z\r\nDTEND:20261121T160000Z\r\n"
CARD = "BEGIN:VCARD\r\nVERSION:3.0\r\nUID:{0}\r\nFN:{0} Lee\r\nEMAIL:tom@{0}.example\r\nEND:VCARD\r\n"


def account(place: Path, name: str) -> LocalAccount:
    """With an event at 16:00 today and a contact named after the account."""
    disk = place / name
    for folder in ("mail/cur", "calendars", "contacts"):
        (disk / folder).mkdir(parents=True)
    inside = f"BEGIN:VEVENT\r\n{EVENT.format(name)}END:VEVENT\r\n"
    (disk / "calendars" / "a.ics").write_text(f"BEGIN:VCALENDAR\r\nVERSION:2.0\r\n{inside}END:VCALENDAR\r\n")
    (disk / "contacts" / "a.vcf").write_text(CARD.format(name))
    address = f"me@{name.lower()}.example"
    return LocalAccount(mail=disk / "mail", calendars=disk / "calendars", contacts=disk / "contacts", address=address, name=name)


async def ask(place: Path, accounts: list[LocalAccount], *said: str) -> list[str]:
    replies = []
    async with open_assistant(home=place / "home", zone="Europe/Berlin", clock=lambda: NOW, accounts=accounts) as assistant:
        for number, words in enumerate(said):
            turn = await assistant.say(f"c{number}", words)
            replies.append(f"{turn.reply} {turn.question.text if turn.question else ''}")
    return replies


LOOKS = ("what's on my calendar today?", "am I free today at 4pm?", "what is Mona's email address?")


async def test_the_only_account_that_cannot_be_read_is_not_answered_for(tmp_path: Path) -> None:
    accounts = [account(tmp_path, "Mona")]
    assert "Swim Mona" in (await ask(tmp_path, accounts, *LOOKS))[0]
    (tmp_path / "Mona").rename(tmp_path / "elsewhere")
    for reply in await ask(tmp_path, accounts, *LOOKS):
        assert "is a disk not mounted?" in reply
    (created,) = await ask(tmp_path, accounts, "schedule a dentist visit tomorrow at 3pm")
    assert "is a disk not mounted?" in created and "Done" not in created
    assert not (tmp_path / "Mona").exists()


@pytest.mark.parametrize("words", [*LOOKS, "find emails from Anna"])
async def test_the_one_of_several_accounts_that_cannot_be_read_is_named(tmp_path: Path, words: str) -> None:
    accounts = [account(tmp_path, "Ruth"), account(tmp_path, "Mona")]
    await ask(tmp_path, accounts, *LOOKS, words)
    (tmp_path / "Mona").rename(tmp_path / "elsewhere")
    (reply,) = await ask(tmp_path, accounts, words)
    assert "I couldn't read the account Mona" in reply


async def test_contacts_that_cannot_be_read_hinder_no_question_about_the_calendar(tmp_path: Path) -> None:
    accounts = [account(tmp_path, "Mona")]
    await ask(tmp_path, accounts, *LOOKS)
    (tmp_path / "Mona" / "contacts").rename(tmp_path / "elsewhere")
    (reply,) = await ask(tmp_path, accounts, LOOKS[0])
    assert "Swim Mona" in reply and "mounted" not in reply
