"""A scheduled briefing of two accounts on disks, one of which is not there for a day."""

from datetime import UTC, datetime
from email.message import EmailMessage
from email.utils import format_datetime
from pathlib import Path

from doubles.desks import texts

from assistant import LocalAccount, open_assistant
from assistant.briefing.facts import Briefing
from assistant.briefing.text import plain
from assistant.facade import Assistant
from assistant.timetable.rules import Cron, GiveBriefing


def account(place: Path, name: str) -> LocalAccount:
    disk = place / name
    for folder in ("mail/cur", "calendars", "contacts"):
        (disk / folder).mkdir(parents=True)
    address = f"sam@{name}.example"
    return LocalAccount(mail=disk / "mail", calendars=disk / "calendars", contacts=disk / "contacts", address=address, name=name)


def arrives(place: Path, name: str, subject: str, when: datetime) -> None:
    mail = EmailMessage()
    mail["From"], mail["To"], mail["Subject"] = "Anna Berg <anna@acme.example>", f"sam@{name}.example", subject
    mail["Date"], mail["Message-ID"] = format_datetime(when), f"<{subject.replace(' ', '.')}@acme.example>"
    mail.set_content("Could you send me the figures?")
    (place / name / "mail" / "cur" / f"{when.timestamp():.0f}.M1P1.host:2,").write_bytes(mail.as_bytes())


async def brief(assistant: Assistant) -> Briefing:
    (slot,) = await assistant.schedules.due()
    assert slot.status == "done"
    briefing = (await assistant.flow(slot.flow)).briefing
    assert briefing is not None
    return briefing


def day(number: int, hour: int = 9) -> datetime:
    return datetime(2026, 11, number, hour, tzinfo=UTC)


async def test_the_briefing_arrives_says_so_and_the_next_covers_the_gap(tmp_path: Path) -> None:
    accounts = [account(tmp_path, "work"), account(tmp_path, "home")]
    now = day(22)
    async with open_assistant(tmp_path / "house", clock=lambda: now, zone="UTC", accounts=accounts) as assistant:
        await assistant.schedules.add("Morning", GiveBriefing(), Cron(expression="0 8 * * *"))
        now = day(23)
        assert [one.trouble for one in (await brief(assistant)).looked] == ["", ""]

        arrives(tmp_path, "work", "In the gap", day(23, 17))
        arrives(tmp_path, "home", "At home", day(23, 17))
        (tmp_path / "work").rename(tmp_path / "elsewhere")
        now = day(24)
        without = await brief(assistant)
        assert [bool(one.trouble) for one in without.looked] == [True, False]
        assert "work" in plain(without) and "is a disk not mounted?" in plain(without)
        assert texts(without, "answer") == ["Anna Berg: Could you send me the figures? (At home)"]

        (tmp_path / "elsewhere").rename(tmp_path / "work")
        now = day(25)
        after = await brief(assistant)
        assert texts(after, "answer") == ["Anna Berg: Could you send me the figures? (In the gap)"]
        assert texts(after, "open") == ["Anna Berg (At home)"]
        assert [(one.account, one.since, one.trouble) for one in after.looked] == [("work", day(23), ""), ("home", day(24), "")]
