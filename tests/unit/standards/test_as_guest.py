"""What somebody else's invitation may do in the owner's calendar."""

import pytest

from integrations.common.ical_edit import CalendarFile
from integrations.standards.dav.calendar_edits import as_guest

INVITATION = """BEGIN:VCALENDAR
VERSION:2.0
BEGIN:VEVENT
UID:u1
DTSTART:20261120T110000Z
SUMMARY:Kick-off
ORGANIZER:mailto:anna@south.example
ATTENDEE:mailto:me@home.example
{line}
BEGIN:VALARM
ACTION:{alarm}
TRIGGER:-PT15M
END:VALARM
END:VEVENT
END:VCALENDAR
"""


def taken_in(line: str = "X-NOTHING:x", alarm: str = "DISPLAY") -> str:
    file = CalendarFile(INVITATION.format(line=line, alarm=alarm))
    as_guest(file, by_mail=True)
    return file.text


@pytest.mark.parametrize("alarm", ["DISPLAY", "AUDIO", "EMAIL", "PROCEDURE"])
def test_it_brings_no_alarm(alarm: str) -> None:
    assert "VALARM" not in taken_in(alarm=alarm) and "SUMMARY:Kick-off" in taken_in(alarm=alarm)


@pytest.mark.parametrize(
    "line",
    [
        "ATTACH:https://evil.example/a.exe",
        "attach;VALUE=BINARY;ENCODING=BASE64:AAAA",
        "X-ALT-DESC;FMTTYPE=text/html:<img src='https://evil.example/x'>",
        "IMAGE;VALUE=URI:https://evil.example/x.png",
        "STYLED-DESCRIPTION;VALUE=URI:https://evil.example/x",
    ],
)
def test_it_brings_nothing_that_programs_fetch_or_show_instead(line: str) -> None:
    assert line not in taken_in(line) and "ATTENDEE:mailto:me@home.example" in taken_in(line)


def test_its_organiser_is_answered_by_us_alone() -> None:
    assert "ORGANIZER;SCHEDULE-AGENT=CLIENT:mailto:anna@south.example" in taken_in()
