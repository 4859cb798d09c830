"""A briefing by mail to oneself where a mail leaves by itself, and comes back into one's own inbox."""

from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
from doubles.delivering import DAILY, delivered
from doubles.places import SERVICES, Clock, Connected, connected

from assistant.scheduling.values import Delivery
from assistant.timetable.rules import GiveBriefing
from integrations.types import INBOX, SENT, MailQuery

NOW = datetime(2026, 11, 18, 10, tzinfo=ZoneInfo("Europe/Berlin"))


@pytest.fixture(params=SERVICES)
def place(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Connected]:
    with connected(request.param, tmp_path / "home", Clock(NOW, "Europe/Berlin")) as place:
        yield place


async def test_a_briefing_leaves_at_once_and_is_no_news_for_the_next(place: Connected) -> None:
    async with place.opened() as assistant:
        schedule = await assistant.schedules.add("Morning", GiveBriefing(), DAILY, targets=("mail",))
        slot = await assistant.schedules.run(schedule.id)
        assert await delivered(assistant, schedule.id) == (Delivery(target="mail", status="done", attempts=1),)
        briefing = (await assistant.flow(slot.flow)).briefing
        assert briefing is not None
        (mail,) = place.written(SENT)
        assert mail["Subject"] == briefing.title and mail["Auto-Submitted"] == "auto-generated"
        assert [part.get_content_type() for part in mail.iter_parts()] == ["text/plain", "text/html"]
        came = (await assistant.readers.mail.search(MailQuery(folders=(INBOX,), subject=(briefing.title,)))).items
        assert len(came) == 1, "it comes back into the inbox"
        again = await assistant.briefing(("inbox",), since=briefing.coverage)
        assert briefing.title not in {line.mail.subject for section in again.sections for line in section.lines if line.mail}
