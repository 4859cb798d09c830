"""What is particular to calendars and address books in local folders."""

from datetime import UTC, datetime, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

import icalendar
import pytest

from integrations.actions import CancelEvent, CreateContact, CreateEvent, UpdateEvent
from integrations.errors import Conflict, NotFound
from integrations.local.calendar import LocalCalendarReader
from integrations.local.calendar_writer import LocalCalendarWriter
from integrations.local.contacts import LocalContactReader
from integrations.local.contacts_writer import LocalContactWriter
from integrations.types import ContactQuery, Event, EventQuery

BERLIN = ZoneInfo("Europe/Berlin")
START = datetime(2026, 11, 19, 9, tzinfo=BERLIN)
WIDE = EventQuery(start=START - timedelta(days=300), end=START + timedelta(days=300))
LUNCH = CreateEvent(account="acc", title="Lunch", start=START, end=START + timedelta(hours=1))
EVA = CreateContact(account="acc", name="Eva Klein")


def books(root: Path, **settings: bool) -> tuple[LocalCalendarReader, LocalCalendarWriter]:
    owner = "me@home.example"
    reader = LocalCalendarReader(root, account="acc", owner=owner, zone=BERLIN, **settings)
    return reader, LocalCalendarWriter(root, account="acc", owner=owner, zone=BERLIN, clock=lambda: START, **settings)


def put(path: Path, *uids: str, day: int = 19) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    times = f"DTSTART:202611{day}T080000Z\r\nDURATION:PT1H\r\n"
    events = "".join(f"BEGIN:VEVENT\r\nUID:{uid}\r\nSUMMARY:{uid}\r\n{times}END:VEVENT\r\n" for uid in uids)
    path.write_bytes(f"BEGIN:VCALENDAR\r\nVERSION:2.0\r\n{events}END:VCALENDAR\r\n".encode())


def written(root: Path) -> dict[Path, int]:
    return {path: path.stat().st_mtime_ns for path in root.rglob("*")}


async def everything(reader: LocalCalendarReader) -> list[Event]:
    return list((await reader.events(WIDE)).items)


async def test_each_folder_is_a_calendar_with_its_display_name(tmp_path: Path) -> None:
    put(tmp_path / "work" / "a.ics", "a")
    put(tmp_path / "home" / "b.ics", "b")
    put(tmp_path / "home" / "c.ics", "c")
    (tmp_path / "empty").mkdir()
    (tmp_path / "home" / "displayname").write_text("Zu Hause\n")
    reader, _ = books(tmp_path)
    assert [(calendar.id, calendar.name) for calendar in await reader.calendars()] == [
        ("home", "Zu Hause"),
        ("work", "work"),
        ("empty", "empty"),
    ]
    chosen = await reader.events(WIDE.model_copy(update={"calendars": ("work",)}))
    assert [event.title for event in chosen.items] == ["a"]


async def test_items_may_lie_in_the_root_itself_and_a_new_event_goes_there(tmp_path: Path) -> None:
    put(tmp_path / "a.ics", "a")
    reader, writer = books(tmp_path)
    assert [calendar.id for calendar in await reader.calendars()] == ["."]
    receipt = await writer.execute(LUNCH, "key1")
    assert receipt.id == "key1.ics"
    assert {event.calendar for event in await everything(reader)} == {"."}


async def test_an_account_without_a_folder_yet_is_empty_and_gets_one_with_the_first_event(tmp_path: Path) -> None:
    reader, writer = books(tmp_path / "new")
    assert await reader.calendars() == ()
    assert await everything(reader) == []
    await writer.execute(LUNCH, "key1")
    assert [event.title for event in await everything(reader)] == ["Lunch"]


async def test_a_new_event_is_a_file_named_after_its_key_in_the_most_used_calendar(tmp_path: Path) -> None:
    put(tmp_path / "few" / "a.ics", "a")
    put(tmp_path / "many" / "all.ics", "b", "c", "d")
    _, writer = books(tmp_path)
    await writer.execute(LUNCH, "0123abcd")
    calendar = icalendar.Calendar.from_ical((tmp_path / "many" / "0123abcd.ics").read_bytes())
    assert [str(event["UID"]) for event in calendar.walk("VEVENT")] == ["0123abcd"]


async def test_what_other_programs_change_is_seen_at_once(tmp_path: Path) -> None:
    path = tmp_path / "work" / "a.ics"
    put(path, "a")
    reader, _ = books(tmp_path)
    before = (await everything(reader))[0]
    put(path, "a", day=20)
    after = (await everything(reader))[0]
    assert after.start == before.start + timedelta(days=1)
    assert after.etag != before.etag
    path.unlink()
    assert await everything(reader) == []


async def test_a_file_changed_by_another_program_after_reading_is_not_overwritten(tmp_path: Path) -> None:
    path = tmp_path / "work" / "a.ics"
    put(path, "a")
    reader, writer = books(tmp_path)
    event = (await everything(reader))[0]
    put(path, "a", day=20)
    content = path.read_bytes()
    with pytest.raises(Conflict):
        await writer.execute(UpdateEvent(account="acc", event=event.ref, title="x"), "k1")
    assert path.read_bytes() == content


async def test_an_exported_file_of_many_events_is_a_calendar_of_many_events(tmp_path: Path) -> None:
    path = tmp_path / "export.ics"
    put(path, "a", "b", "c")
    reader, writer = books(tmp_path)
    events = await everything(reader)
    assert [event.id for event in events] == ["export.ics#a", "export.ics#b", "export.ics#c"]
    for event in events[:2]:
        await writer.execute(CancelEvent(account="acc", event=event.ref), f"k{event.uid}")
    # Alone in its file now, it is still found under the id it was listed with.
    assert (await reader.get(events[2].ref)).title == "c"
    await writer.execute(CancelEvent(account="acc", event=events[2].ref), "kc")
    assert not path.exists()
    with pytest.raises(NotFound):
        await reader.get(events[2].ref)


async def test_reading_writes_nothing(tmp_path: Path) -> None:
    put(tmp_path / "work" / "a.ics", "a")
    before = written(tmp_path)
    reader, _ = books(tmp_path)
    await everything(reader)
    await reader.calendars()
    await reader.invitations(START)
    assert written(tmp_path) == before


async def test_a_file_that_cannot_be_read_is_skipped(tmp_path: Path) -> None:
    put(tmp_path / "work" / "a.ics", "a")
    (tmp_path / "work" / "dangling.ics").symlink_to(tmp_path / "nowhere")
    (tmp_path / "work" / "garbage.ics").write_bytes(b"\xff\xfe\x00\x01")
    reader, _ = books(tmp_path)
    page = await reader.events(WIDE)
    assert [event.title for event in page.items] == ["a"]
    assert [skipped.where for skipped in page.skipped] == ["work/garbage.ics"]


async def test_a_sample_is_marked_as_one(tmp_path: Path) -> None:
    put(tmp_path / "work" / "a.ics", "a")
    reader, _ = books(tmp_path, sample=True)
    assert (await everything(reader))[0].sample
    await LocalContactWriter(tmp_path, account="acc", sample=True).execute(EVA, "k1")
    contacts = await LocalContactReader(tmp_path, account="acc", sample=True).search(ContactQuery())
    assert contacts.items[0].sample


async def test_a_new_contact_is_a_file_named_after_its_key(tmp_path: Path) -> None:
    (tmp_path / "friends").mkdir()
    writer = LocalContactWriter(tmp_path, account="acc", clock=lambda: datetime(2026, 11, 18, tzinfo=UTC))
    receipt = await writer.execute(EVA, "0123abcd")
    assert receipt.id == "friends/0123abcd.vcf"
    assert (tmp_path / receipt.id).read_text().splitlines()[:3] == ["BEGIN:VCARD", "VERSION:3.0", "UID:0123abcd"]


async def test_a_file_of_many_cards_with_one_uid_twice_holds_them_all(tmp_path: Path) -> None:
    card = "BEGIN:VCARD\nVERSION:3.0\nUID:u\nFN:{}\nEND:VCARD\n"
    (tmp_path / "all.vcf").write_text(card.format("A") + card.format("B"))
    reader = LocalContactReader(tmp_path, account="acc")
    contacts = (await reader.search(ContactQuery())).items
    assert [contact.name for contact in contacts] == ["A", "B"]
    assert [await reader.get(contact.ref) for contact in contacts] == list(contacts)


async def test_a_large_address_book_is_listed_to_its_end_and_searched_by_whole_names_then_by_beginnings(tmp_path: Path) -> None:
    names = ("Eva Klein", "Evander Holt", "Mia Kleinert", *(f"Person{n} Surname{n}" for n in range(1200)))
    cards = (f"BEGIN:VCARD\r\nVERSION:3.0\r\nUID:{n}\r\nFN:{name}\r\nEND:VCARD\r\n" for n, name in enumerate(names))
    (tmp_path / "all.vcf").write_bytes("".join(cards).encode())
    reader = LocalContactReader(tmp_path, account="acc")

    async def found(name: str = "", **given: str) -> list[str]:
        return [contact.name for contact in (await reader.search(ContactQuery(name=name, **given))).items]

    assert len(await found()) == 1203
    assert await found("eva") == ["Eva Klein"]
    assert await found("ev") == ["Eva Klein", "Evander Holt"]
    assert await found("klein e") == ["Eva Klein"]
    assert await found("kle mi") == ["Mia Kleinert"]
    assert await found("zoe") == []
