from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from icalendar import Calendar

from integrations.local.importing import ImportReport, LocalFolders, import_files

ZONE = """\
BEGIN:VTIMEZONE
TZID:Office
BEGIN:STANDARD
DTSTART:19700101T000000
TZOFFSETFROM:+0100
TZOFFSETTO:+0100
END:STANDARD
END:VTIMEZONE
"""


def event(uid: str = "one", *lines: str, start: str = "DTSTART:20261114T100000Z") -> str:
    head = ["BEGIN:VEVENT", f"UID:{uid}", "DTSTAMP:20261101T000000Z", start, "DURATION:PT1H", f"SUMMARY:Title of {uid}"]
    return "\n".join([*head, *lines, "END:VEVENT", ""])


def calendar(*components: str, head: str = "") -> str:
    return f"BEGIN:VCALENDAR\nVERSION:2.0\nPRODID:-//other//EN\n{head}" + "".join(components) + "END:VCALENDAR\n"


@pytest.fixture
def calendars(tmp_path: Path) -> Path:
    return tmp_path / "calendars"


def take(calendars: Path, text: str | bytes, name: str = "Work.ics") -> ImportReport:
    source = calendars.parent / name
    source.write_bytes(text.encode() if isinstance(text, str) else text)
    return import_files([source], LocalFolders(calendars=calendars))


def written(calendars: Path) -> dict[str, Calendar]:
    found = {}
    for path in calendars.rglob("*.ics"):
        parsed = Calendar.from_ical(path.read_bytes())
        assert isinstance(parsed, Calendar)
        found[path.relative_to(calendars).as_posix()] = parsed
    return found


def reasons(report: ImportReport) -> list[str]:
    return [skipped.reason for skipped in report.skipped]


def test_each_event_becomes_a_file_in_a_folder_named_after_its_file(calendars: Path) -> None:
    report = take(calendars, calendar(event("one"), event("two")))
    assert (report.events, report.skipped) == (2, ())
    assert set(written(calendars)) == {"Work/one.ics", "Work/two.ics"}


def test_a_calendar_is_named_as_it_names_itself(calendars: Path) -> None:
    take(calendars, calendar(event(), head="X-WR-CALNAME:Anna\\, private/home\n"))
    (folder,) = calendars.iterdir()
    assert (folder / "displayname").read_text() == "Anna, private/home"
    assert "/" not in folder.name


def test_a_series_keeps_its_exceptions_in_one_file(calendars: Path) -> None:
    series = event("s", "RRULE:FREQ=WEEKLY;COUNT=5")
    moved = event("s", "RECURRENCE-ID:20261121T100000Z", start="DTSTART:20261121T120000Z")
    assert take(calendars, calendar(series, event("other"), moved)).events == 2
    assert len(written(calendars)["Work/s.ics"].walk("VEVENT")) == 2


def test_an_event_takes_its_own_time_zone_along(calendars: Path) -> None:
    take(calendars, calendar(ZONE, event("zoned", start="DTSTART;TZID=Office:20261114T100000"), event("plain")))
    files = written(calendars)
    assert len(files["Work/zoned.ics"].walk("VTIMEZONE")) == 1
    assert not files["Work/plain.ics"].walk("VTIMEZONE")


def test_unknown_properties_are_kept(calendars: Path) -> None:
    take(
        calendars,
        calendar(event("one", "X-OTHER-PROGRAM;X-P=1:kept", "BEGIN:VALARM", "ACTION:DISPLAY", "TRIGGER:-PT5M", "END:VALARM")),
    )
    text = (calendars / "Work" / "one.ics").read_text()
    assert "X-OTHER-PROGRAM;X-P=1:kept" in text
    assert "TRIGGER:-PT5M" in text


def test_a_second_import_adds_nothing(calendars: Path) -> None:
    text = calendar(ZONE, event("one"), event("s", "RRULE:FREQ=DAILY"), event("s", "RECURRENCE-ID:20261115T100000Z"))
    take(calendars, text)
    report = take(calendars, text.replace("DTSTAMP:20261101", "DTSTAMP:20261109").replace("\n", "\r\n"), name="Renamed.ics")
    assert (report.events, report.duplicates, report.skipped) == (0, 2, ())


def test_an_event_without_uid_is_found_again(calendars: Path) -> None:
    text = calendar(event("x").replace("UID:x\n", ""))
    assert take(calendars, text).events == 1
    assert take(calendars, text).duplicates == 1
    assert next(iter(written(calendars).values())).walk("VEVENT")[0]["UID"]


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("SEQUENCE:3", "already there with other content (this one is newer)"),
        ("LAST-MODIFIED:20261201T000000Z", "already there with other content (this one is newer)"),
        ("LOCATION:Elsewhere", "already there with other content"),
    ],
)
def test_what_is_there_is_never_overwritten(calendars: Path, line: str, reason: str) -> None:
    take(calendars, calendar(event("one", "SEQUENCE:1") if line.startswith("LOC") else event("one")))
    before = (calendars / "Work" / "one.ics").read_bytes()
    report = take(calendars, calendar(event("one", line)))
    assert (report.events, reasons(report)) == (0, [reason])
    assert "“Title of one”" in report.skipped[0].where
    assert (calendars / "Work" / "one.ics").read_bytes() == before


def test_a_broken_event_does_not_cost_the_others(calendars: Path) -> None:
    broken = event("broken", start="DTSTART:the day after tomorrow")
    cut_off = event("cut").removesuffix("END:VEVENT\n")
    report = take(calendars, calendar(event("one"), broken, cut_off, event("two")))
    assert report.events == 2
    assert {skipped.where for skipped in report.skipped} == {"Work.ics, “Title of broken”", "Work.ics, “Title of cut”"}


def test_tasks_and_journals_are_skipped_as_such(calendars: Path) -> None:
    others = event("a").replace("VEVENT", "VTODO") + event("b").replace("VEVENT", "VJOURNAL")
    report = take(calendars, calendar(others, event("one")))
    assert report.events == 1
    assert reasons(report) == ["is a task, not an event", "is a journal entry, not an event"]


def test_several_calendars_in_one_file_are_all_read(calendars: Path) -> None:
    assert take(calendars, calendar(event("one")) + calendar(event("two"))).events == 2


@pytest.mark.parametrize("uid", ["../../etc/passwd", "a/b", "..", "x" * 300, "uid with spaces & more?", "ünïcode@x"])
def test_a_uid_never_leads_out_of_its_folder(calendars: Path, uid: str) -> None:
    assert take(calendars, calendar(event(uid))).events == 1
    (path,) = [path for path in calendars.parent.rglob("*.ics") if path.name != "Work.ics"]
    assert path.parent == calendars / "Work"


def test_other_encodings_are_read(calendars: Path) -> None:
    text = calendar(event("one", "LOCATION:Café"))
    assert take(calendars, text.encode("utf-16"), name="a.ics").events == 1
    assert take(calendars, text.encode("utf-8-sig"), name="b.ics").duplicates == 1
    assert take(calendars, text.replace(":one", ":two").encode("latin-1"), name="c.ics").events == 1


def test_events_join_the_calendar_of_that_name(calendars: Path) -> None:
    (calendars / "f00-ba4").mkdir(parents=True)
    (calendars / "f00-ba4" / "displayname").write_text("Work\n")
    take(calendars, calendar(event("one")))
    assert (calendars / "f00-ba4" / "one.ics").exists()


@pytest.mark.parametrize("method", ["REPLY", "CANCEL", "COUNTER"])
def test_an_answer_to_an_invitation_is_no_event(calendars: Path, method: str) -> None:
    report = take(calendars, calendar(event("one"), head=f"METHOD:{method}\n"))
    assert (report.events, len(report.skipped)) == (0, 1)


def test_a_calendar_without_events_is_told(calendars: Path) -> None:
    assert reasons(take(calendars, calendar(ZONE))) == ["holds no event"]


def test_a_damaged_file_in_the_folder_does_not_hinder_an_import(calendars: Path) -> None:
    (calendars / "Work").mkdir(parents=True)
    (calendars / "Work" / "damaged.ics").write_bytes(b"BEGIN:\nEND:\n\xff\x00")
    assert take(calendars, calendar(event("one"))).events == 1


DAMAGE = [b"BEGIN:VEVENT\n", b"END:VCALENDAR\n", b"BEGIN:\n", b'"', b"\r"]


@settings(max_examples=50, deadline=None)
@given(st.integers(0, 400), st.binary(max_size=12) | st.sampled_from(DAMAGE))
def test_damage_anywhere_is_survived(tmp_path_factory: pytest.TempPathFactory, at: int, damage: bytes) -> None:
    folder = tmp_path_factory.mktemp("damaged")
    text = calendar(ZONE, event("one"), event("two", "RRULE:FREQ=DAILY;COUNT=3")).encode()
    (folder / "x.ics").write_bytes(text[:at] + damage + text[at:])
    report = import_files([folder / "x.ics"], LocalFolders(calendars=folder / "calendars"))
    assert report.events + report.duplicates + len(report.skipped) >= 1
    assert import_files([folder / "x.ics"], LocalFolders(calendars=folder / "calendars")).taken == 0
