"""Real and malformed mails and events from other programs' test suites, briefed on every day on which there are some."""

from datetime import datetime, time, timedelta
from pathlib import Path

import pytest
from doubles.desks import BERLIN, ME, desk_of

from assistant.briefing.facts import Briefing, Wanted
from assistant.briefing.gathering import gather
from assistant.briefing.html import page
from assistant.briefing.markdown import written
from assistant.briefing.text import plain
from integrations.local.importing import LocalFolders, import_files
from integrations.registry import AccountConfig, open_account
from integrations.types import EventQuery, MailQuery

REAL = Path(__file__).resolve().parents[4] / "shared" / "data" / "realmail"
LONGEST = 160
"""Characters of a line."""

pytestmark = pytest.mark.skipif(not REAL.is_dir(), reason="the collection of real mails is not at ../shared/data/realmail")


async def test_every_day_can_be_told(tmp_path: Path) -> None:
    folders = LocalFolders(mail=tmp_path / "mail", calendars=tmp_path / "calendars", contacts=tmp_path / "contacts")
    import_files([REAL], folders)
    settings = {name: str(getattr(folders, name)) for name in ("mail", "calendars", "contacts")}
    config = AccountConfig(name="real", kind="local", address=ME.email, settings=settings)
    account = open_account(config, zone=BERLIN, index=tmp_path / "index")
    try:
        mails = await account.readers.mail.search(MailQuery(folders=("INBOX",), limit=1000))
        years = EventQuery(start=datetime(1990, 1, 1, tzinfo=BERLIN), end=datetime(2030, 1, 1, tzinfo=BERLIN), limit=200)
        events = await account.readers.calendar.events(years)
        days = {*(mail.date.date() for mail in mails.items), *(event.start.date() for event in events.items)}
        assert len(days) > 40
        for day in sorted(days):
            evening = datetime.combine(day, time(20), BERLIN)
            first = await gather(desk_of(evening - timedelta(hours=12), account.readers), Wanted(parts=("inbox", "day")))
            second = await gather(desk_of(evening, account.readers), Wanted(parts=("inbox", "week"), since=first.coverage))
            assert is_sound(first)
            assert is_sound(second)
    finally:
        await account.close()


def is_sound(briefing: Briefing) -> bool:
    """Every line is short and printable; it can be stored and shown in every form."""
    told = [line for section in briefing.sections for line in section.lines]
    assert all(0 < len(line.text) <= LONGEST and line.text.isprintable() for line in told)
    assert all(reason for line in told for reason in line.reasons)
    assert Briefing.model_validate_json(briefing.model_dump_json()) == briefing
    assert len(briefing.coverage.model_dump_json()) < 20_000
    return bool(plain(briefing) and written(briefing) and page(briefing))
