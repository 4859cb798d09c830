"""What `read_times` understands, said at 10:00 on Wednesday 18 November 2026 in Berlin."""

from datetime import datetime
from zoneinfo import ZoneInfo

import pytest

from assistant.reasoning.calls import TimeSpec
from assistant.reasoning.offline.dates import read_times

BERLIN = ZoneInfo("Europe/Berlin")
NOW = datetime(2026, 11, 18, 10, tzinfo=BERLIN)


def shown(spec: TimeSpec) -> str:
    """The understood value, short: flags (D a date was said, T a time), then start, or start..stop of a range; the year only where
    it is another one. Lengths in minutes; recurrences by their rule and first start."""

    def at(when: datetime | None) -> str:
        if when is None:
            return ""
        return f"{when:%m-%d %H:%M}" if when.year == 2026 else f"{when:%Y-%m-%d %H:%M}"

    flags = ("D" if spec.has_date else "") + ("T" if spec.has_time else "")
    if spec.kind == "duration":
        assert spec.duration is not None
        return f"{spec.duration.total_seconds() / 60:g} min"
    if spec.kind == "repeat":
        return f"{spec.rrule} {flags} {at(spec.start)}" + (f"..{at(spec.stop)}" if spec.stop else "")
    if spec.kind == "point":
        return f"{flags} {at(spec.start)}"
    return f"{flags} {at(spec.start)}..{at(spec.stop)}"


def read(text: str, **options: object) -> list[str]:
    return [shown(mention.spec) for mention in read_times(text, now=NOW, zone=BERLIN, **options)]  # type: ignore[arg-type]


DAYS = [
    ("today", "D 11-18 00:00"),
    ("tomorrow", "D 11-19 00:00"),
    ("yesterday", "D 11-17 00:00"),
    ("the day after tomorrow", "D 11-20 00:00"),
    ("day before yesterday", "D 11-16 00:00"),
    ("see you Thursday", "D 11-19 00:00"),
    ("Wednesday works", "D 11-25 00:00"),
    ("this Wednesday", "D 11-18 00:00"),
    ("this Friday", "D 11-20 00:00"),
    ("this Monday", "D 11-23 00:00"),
    ("next Tuesday", "D 11-24 00:00"),
    ("next Friday", "D 11-27 00:00"),
    ("last Monday", "D 11-09 00:00"),
    ("this past Friday", "D 11-13 00:00"),
    ("Tuesday next week", "D 11-24 00:00"),
    ("next week Thursday", "D 11-26 00:00"),
    ("next week on Friday", "D 11-27 00:00"),
    ("a week on Friday", "D 11-27 00:00"),
    ("Friday week", "D 11-27 00:00"),
    ("two weeks from Friday", "D 12-04 00:00"),
    ("the Monday after next", "D 11-30 00:00"),
    ("26 Nov", "D 11-26 00:00"),
    ("on the 26th of November", "D 11-26 00:00"),
    ("Nov 26th 2026", "D 11-26 00:00"),
    ("November the 26th", "D 11-26 00:00"),
    ("Nov. 26", "D 11-26 00:00"),
    ("26.11.2026", "D 11-26 00:00"),
    ("am 26.11. vormittags", "D 11-26 00:00"),
    ("26/11/2026", "D 11-26 00:00"),
    ("2026-11-26", "D 11-26 00:00"),
    ("2026/11/26", "D 11-26 00:00"),
    ("20261126", "D 11-26 00:00"),
    ("26-Nov-2026", "D 11-26 00:00"),
    ("Nov/26", "D 11-26 00:00"),
    ("11/26", "D 11-26 00:00"),
    ("26/11", "D 11-26 00:00"),
    ("26 November '27", "D 2027-11-26 00:00"),
    ("17 November", "D 2027-11-17 00:00"),
    ("18 November", "D 11-18 00:00"),
    ("29 February", "D 2028-02-29 00:00"),
    ("the 5th", "D 12-05 00:00"),
    ("on the 2nd", "D 12-02 00:00"),
    ("by the 20th at noon", "DT ..11-20 12:00"),
    ("the 5th of next month", "D 12-05 00:00"),
    ("the 1st of the month", "D 12-01 00:00"),
    ("the first of May", "D 2027-05-01 00:00"),
    ("twenty-fifth of December", "D 12-25 00:00"),
    ("May twenty nine", "D 2027-05-29 00:00"),
    ("Thursday, 26 November", "D 11-26 00:00"),
    ("Monday the 30th", "D 11-30 00:00"),
    ("Friday 13", "D 2027-08-13 00:00"),
    ("in nine days", "D 11-27 00:00"),
    ("in two weeks", "D 12-02 00:00"),
    ("in a month", "D 12-18 00:00"),
    ("in a year's time", "D 2027-11-18 00:00"),
    ("3 days ago", "D 11-15 00:00"),
    ("a couple of weeks ago", "D 11-04 00:00"),
    ("10 days from now", "D 11-28 00:00"),
    ("two days before Friday", "D 11-18 00:00"),
    ("three weeks after 1 December", "D 12-22 00:00"),
    ("3 working days from now", "D 11-23 00:00"),
    ("Christmas", "D 12-25 00:00"),
    ("New Year's Eve", "D 12-31 00:00"),
    ("Easter 2027", "D 2027-03-28 00:00"),
    ("Good Friday", "D 2027-03-26 00:00"),
    ("Thanksgiving", "D 11-26 00:00"),
    ("Black Friday", "D 11-27 00:00"),
    ("last Christmas", "D 2025-12-25 00:00"),
    ("the first Monday of December", "D 12-07 00:00"),
    ("the last Friday of November", "D 11-27 00:00"),
    ("the last day of the month", "D 11-30 00:00"),
    ("the first day of next month", "D 12-01 00:00"),
    ("Sat 28 Nov", "D 11-28 00:00"),
    ("all day Friday", "D 11-20 00:00"),
    ("Friday all day", "D 11-20 00:00"),
    ("tommorow", "D 11-19 00:00"),
    ("wednesady", "D 11-25 00:00"),
    ("febuary 3", "D 2027-02-03 00:00"),
    ("thrusday", "D 11-19 00:00"),
    ("yesterday's message", "D 11-17 00:00"),
    ("Friday's review", "D 11-20 00:00"),
    ("how does my day look", "D 11-18 00:00"),
]

MOMENTS = [
    ("am I free Thursday at 3?", "DT 11-19 15:00"),
    ("tomorrow 2pm", "DT 11-19 14:00"),
    ("tomorrow at 9", "DT 11-19 09:00"),
    ("tomorrow three", "DT 11-19 15:00"),
    ("3pm tomorrow", "DT 11-19 15:00"),
    ("3pm on Friday", "DT 11-20 15:00"),
    ("at 3:30 on Friday", "DT 11-20 15:30"),
    ("Friday at 3.30 p.m.", "DT 11-20 15:30"),
    ("Friday, 15:00", "DT 11-20 15:00"),
    ("Friday @ 11", "DT 11-20 11:00"),
    ("half past nine tomorrow", "DT 11-19 09:30"),
    ("quarter to five on Monday", "DT 11-23 16:45"),
    ("tonight at 8", "DT 11-18 20:00"),
    ("8 tonight", "DT 11-18 20:00"),
    ("at 8 this evening", "DT 11-18 20:00"),
    ("tomorrow evening at 6:30", "DT 11-19 18:30"),
    ("tomorrow morning at 7", "DT 11-19 07:00"),
    ("Friday at 7 in the morning", "DT 11-20 07:00"),
    ("Friday noon", "DT 11-20 12:00"),
    ("tonight at midnight", "DT 11-19 00:00"),
    ("first thing tomorrow", "DT 11-19 09:00"),
    ("end of day tomorrow", "DT 11-19 18:00"),
    ("eod Friday", "DT 11-20 18:00"),
    ("close of business tomorrow", "DT 11-19 18:00"),
    ("today at 9", "DT 11-18 21:00"),
    ("26 Nov 2026 15:00", "DT 11-26 15:00"),
    ("11/26/2026 3:15 pm", "DT 11-26 15:15"),
    ("2026-11-26T15:00", "DT 11-26 15:00"),
    ("2026-11-26T14:00Z", "DT 11-26 15:00"),
    ("26.11.2026 15:00", "DT 11-26 15:00"),
    ("Monday, Dec 7 at 9:00 AM", "DT 12-07 09:00"),
    ("in 30 minutes", "DT 11-18 10:30"),
    ("in an hour and a half", "DT 11-18 11:30"),
    ("20 minutes ago", "DT 11-18 09:40"),
    ("half an hour from now", "DT 11-18 10:30"),
    ("14:00 UTC tomorrow", "DT 11-19 15:00"),
    ("Nov 26 at 3:30pm EST", "DT 11-26 21:30"),
    ("tomorrow at 3pm New York time", "DT 11-19 21:00"),
    ("tomorrow 10:00 CET", "DT 11-19 10:00"),
    ("are you there right now", "DT 11-18 10:00"),
]

CLOCKS = [
    ("at 3", "T 11-18 15:00"),
    ("at 7", "T 11-18 19:00"),
    ("at 8", "T 11-19 08:00"),
    ("at 11", "T 11-18 11:00"),
    ("at 12", "T 11-18 12:00"),
    ("3pm", "T 11-18 15:00"),
    ("3 p.m.", "T 11-18 15:00"),
    ("12am", "T 11-19 00:00"),
    ("12 pm", "T 11-18 12:00"),
    ("15:00", "T 11-18 15:00"),
    ("03:00", "T 11-19 03:00"),
    ("1530h", "T 11-18 15:30"),
    ("15h30", "T 11-18 15:30"),
    ("at 0900", "T 11-19 09:00"),
    ("3 o'clock", "T 11-18 15:00"),
    ("ten to three", "T 11-18 14:50"),
    ("20 minutes past 8 in the evening", "T 11-18 20:20"),
    ("half past nine", "T 11-19 09:30"),
    ("at half nine", "T 11-19 09:30"),
    ("9ish", "T 11-19 09:00"),
    ("noon", "T 11-18 12:00"),
    ("at midnight", "T 11-19 00:00"),
    ("at three thirty", "T 11-18 15:30"),
    ("around 4pm", "T 11-18 16:00"),
    ("5 in the morning", "T 11-19 05:00"),
    ("9am Pacific", "T 11-18 18:00"),
    ("lunch at 1", "T 11-18 13:00"),
    ("meet in room 5 at 4", "T 11-18 16:00"),
    ("a meeting at 11 with 5 people", "T 11-18 11:00"),
]

RANGES = [
    ("this week", "D 11-16 00:00..11-23 00:00"),
    ("next week", "D 11-23 00:00..11-30 00:00"),
    ("last week", "D 11-09 00:00..11-16 00:00"),
    ("the week after next", "D 11-30 00:00..12-07 00:00"),
    ("this weekend", "D 11-21 00:00..11-23 00:00"),
    ("over the weekend", "D 11-21 00:00..11-23 00:00"),
    ("next month", "D 12-01 00:00..2027-01-01 00:00"),
    ("last month", "D 10-01 00:00..11-01 00:00"),
    ("this quarter", "D 10-01 00:00..2027-01-01 00:00"),
    ("Q1 2027", "D 2027-01-01 00:00..2027-04-01 00:00"),
    ("next year", "D 2027-01-01 00:00..2028-01-01 00:00"),
    ("in 2027", "D 2027-01-01 00:00..2028-01-01 00:00"),
    ("in December", "D 12-01 00:00..2027-01-01 00:00"),
    ("in March", "D 2027-03-01 00:00..2027-04-01 00:00"),
    ("December 2027", "D 2027-12-01 00:00..2028-01-01 00:00"),
    ("the week of 7 December", "D 12-07 00:00..12-14 00:00"),
    ("week 50", "D 12-07 00:00..12-14 00:00"),
    ("mid-December", "D 12-10 00:00..12-21 00:00"),
    ("the end of the month", "D 11-21 00:00..12-01 00:00"),
    ("beginning of next week", "D 11-23 00:00..11-25 00:00"),
    ("later this week", "D 11-19 00:00..11-23 00:00"),
    ("rest of the week", "D 11-18 00:00..11-23 00:00"),
    ("in the last week", "D 11-11 10:00..11-18 10:00"),
    ("in the past 4 days", "D 11-14 10:00..11-18 10:00"),
    ("the next 4 days", "D 11-18 10:00..11-23 00:00"),
    ("the next 2 hours", "DT 11-18 10:00..11-18 12:00"),
    ("in the last hour", "DT 11-18 09:00..11-18 10:00"),
    ("within two hours", "DT 11-18 10:00..11-18 12:00"),
    ("later today", "DT 11-18 10:00..11-19 00:00"),
    ("Mon\u2013Wed", "D 11-23 00:00..11-26 00:00"),
    ("Monday to Friday", "D 11-23 00:00..11-28 00:00"),
    ("from tomorrow to Sunday", "D 11-19 00:00..11-23 00:00"),
    ("17-19 December", "D 12-17 00:00..12-20 00:00"),
    ("December 17-19", "D 12-17 00:00..12-20 00:00"),
    ("from the 9th till the 17th of April", "D 2027-04-09 00:00..2027-04-18 00:00"),
    ("between 28 December and 3 January", "D 12-28 00:00..2027-01-04 00:00"),
    ("Jan-Feb 2027", "D 2027-01-01 00:00..2027-03-01 00:00"),
    ("from March to May", "D 2027-03-01 00:00..2027-06-01 00:00"),
    ("from 2024 to 2025", "D 2024-01-01 00:00..01-01 00:00"),
    ("by Friday", "D ..11-21 00:00"),
    ("until Friday", "D ..11-21 00:00"),
    ("before Friday", "D ..11-20 00:00"),
    ("after Friday", "D 11-21 00:00.."),
    ("since Monday", "D 11-16 00:00.."),
    ("since last week", "D 11-09 00:00.."),
    ("from Friday on", "D 11-20 00:00.."),
    ("Friday or later", "D 11-20 00:00.."),
    ("starting Monday", "D 11-23 00:00.."),
    ("by tomorrow at 5", "DT ..11-19 17:00"),
    ("by 5pm tomorrow", "DT ..11-19 17:00"),
    ("emails from last week", "D 11-09 00:00..11-16 00:00"),
    ("from 2 to 4 on Friday", "DT 11-20 14:00..11-20 16:00"),
    ("2-4pm tomorrow", "DT 11-19 14:00..11-19 16:00"),
    ("tomorrow 11am-1pm", "DT 11-19 11:00..11-19 13:00"),
    ("Monday 12-4", "DT 11-23 12:00..11-23 16:00"),
    ("between 9 and 11 on Monday", "DT 11-23 09:00..11-23 11:00"),
    ("Friday afternoon", "DT 11-20 12:00..11-20 18:00"),
    ("tomorrow morning", "DT 11-19 06:00..11-19 12:00"),
    ("tonight", "DT 11-18 18:00..11-19 00:00"),
    ("last night", "DT 11-17 18:00..11-18 00:00"),
    ("this evening", "DT 11-18 18:00..11-18 22:00"),
    ("after 11 on Monday", "DT 11-23 11:00..11-24 00:00"),
    ("before 9 tomorrow", "DT 11-19 00:00..11-19 09:00"),
    ("Friday after lunch", "DT 11-20 13:00..11-21 00:00"),
    ("10pm to 2am tomorrow", "DT 11-19 22:00..11-20 02:00"),
    ("tomorrow from 2pm for 90 minutes", "DT 11-19 14:00..11-19 15:30"),
    ("from Monday 9am to Tuesday 5pm", "DT 11-23 09:00..11-24 17:00"),
    ("for 3 days from Monday", "D 11-23 00:00..11-26 00:00"),
    ("from 9 to 5", "T 11-18 09:00..11-18 17:00"),
    ("between 9 and 11", "T 11-18 09:00..11-18 11:00"),
    ("2-4pm", "T 11-18 14:00..11-18 16:00"),
    ("11-1pm", "T 11-18 11:00..11-18 13:00"),
    ("after 11", "T 11-18 11:00.."),
    ("before noon", "T ..11-18 12:00"),
    ("by end of day", "T ..11-18 18:00"),
    ("in the afternoon", "T 11-18 12:00..11-18 18:00"),
    ("20th to 24th", "D 11-20 00:00..11-25 00:00"),
    ("21.12. - 4.1.", "D 12-21 00:00..2027-01-05 00:00"),
    ("after 5pm tomorrow", "DT 11-19 17:00..11-20 00:00"),
    ("since 5pm yesterday", "DT 11-17 17:00.."),
    ("before Friday 3pm", "DT ..11-20 15:00"),
    ("the first two weeks of December", "D 11-30 00:00..12-14 00:00"),
    ("between Christmas and New Year", "D 12-25 00:00..2027-01-02 00:00"),
]

LENGTHS = [
    ("30 minutes", "30 min"),
    ("a 60-minute slot", "60 min"),
    ("half an hour", "30 min"),
    ("1.5 hour", "90 min"),
    ("an hour and a half", "90 min"),
    ("one and a half hours", "90 min"),
    ("90 min", "90 min"),
    ("a couple of hours", "120 min"),
    ("2h30", "150 min"),
    ("1h 15m", "75 min"),
    ("2 hours and 15 minutes", "135 min"),
    ("a quarter of an hour", "15 min"),
    ("three quarters of an hour", "45 min"),
    ("for 45 minutes", "45 min"),
    ("it will last two hours", "120 min"),
    ("twenty-five minutes", "25 min"),
    ("two weeks", "20160 min"),
]

REPEATS = [
    ("every weekday at 8", "FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR DT 11-19 08:00"),
    ("every Monday and Thursday at 9", "FREQ=WEEKLY;BYDAY=MO,TH DT 11-19 09:00"),
    ("on Mondays and Wednesdays", "FREQ=WEEKLY;BYDAY=MO,WE D 11-18 00:00"),
    ("daily at 17:00", "FREQ=DAILY DT 11-18 17:00"),
    ("every day from 9 to 10", "FREQ=DAILY DT 11-19 09:00..11-19 10:00"),
    ("every morning", "FREQ=DAILY DT 11-19 08:00"),
    ("every morning at 7", "FREQ=DAILY DT 11-19 07:00"),
    ("weekly on Tuesdays at 2pm", "FREQ=WEEKLY;BYDAY=TU DT 11-24 14:00"),
    ("every other Tuesday", "FREQ=WEEKLY;INTERVAL=2;BYDAY=TU D 11-24 00:00"),
    ("every 3 weeks on Friday", "FREQ=WEEKLY;INTERVAL=3;BYDAY=FR D 11-20 00:00"),
    ("the first Monday of the month", "FREQ=MONTHLY;BYDAY=1MO D 12-07 00:00"),
    ("every last Friday of the month at 16:00", "FREQ=MONTHLY;BYDAY=-1FR DT 11-27 16:00"),
    ("every month on the 1st", "FREQ=MONTHLY;BYMONTHDAY=1 D 12-01 00:00"),
    ("monthly on the 15th at noon", "FREQ=MONTHLY;BYMONTHDAY=15 DT 12-15 12:00"),
    ("the 15th of every month", "FREQ=MONTHLY;BYMONTHDAY=15 D 12-15 00:00"),
    ("every 26 November", "FREQ=YEARLY;BYMONTH=11;BYMONTHDAY=26 D 11-26 00:00"),
    ("every Monday at 9 starting 1 December", "FREQ=WEEKLY;BYDAY=MO DT 12-07 09:00"),
    ("every Friday until 18 December", "FREQ=WEEKLY;BYDAY=FR;UNTIL=20261218T235959Z D 11-20 00:00"),
    ("every two hours", "FREQ=HOURLY;INTERVAL=2 D 11-18 00:00"),
    ("every weekend", "FREQ=WEEKLY;BYDAY=SA,SU D 11-21 00:00"),
]

SEVERAL = [
    ("move my 3pm to 4pm", ["T 11-18 15:00", "T 11-18 16:00"]),
    ("move the 3pm meeting to 4pm on Thursday", ["T 11-18 15:00", "DT 11-19 16:00"]),
    ("move the standup from 9 to 11", ["T 11-19 09:00", "T 11-18 11:00"]),
    ("change it from Monday to Tuesday", ["D 11-23 00:00", "D 11-24 00:00"]),
    ("30 minutes with Anna next week", ["30 min", "D 11-23 00:00..11-30 00:00"]),
    ("lunch at 12:30 on Friday for 45 minutes", ["DT 11-20 12:30", "45 min"]),
    ("make it an hour later", ["60 min"]),
    ("Monday or Tuesday", ["D 11-23 00:00", "D 11-24 00:00"]),
    ("what was said on 3 May 2025 and 4 May 2025", ["D 2025-05-03 00:00", "D 2025-05-04 00:00"]),
]

NOTHING = [
    "May I ask you something?",
    "I may be late",
    "march on",
    "please march to the store",
    "sun screen",
    "the sun is out",
    "we sat down",
    "room 3",
    "budget 2026",
    "2 mails",
    "the second one",
    "open the 2nd mail",
    "read the 1st",
    "the 5th floor",
    "3 people",
    "at 3 people",
    "from 5 to 10 people",
    "v1.2",
    "version 3.12.",
    "1:1 with Anna",
    "24/7 support",
    "call +49 30 1234567",
    "+1 555 010 2030",
    "at 12 Main Street",
    "1/2 cup",
    "the score was 3-2",
    "it costs 12.50 euro",
    "a ratio of 4:3",
    "Good morning everyone",
    "the weekly report",
    "email David",
    "April is on leave",
    "write to June about it",
    "May Smith asked",
    "increase it by 3",
    "now archive it",
    "keep me up to date",
    "one of them",
    "$5",
    "server 10.1.2.30",
    "invoice 2026-11",
    "order 20261126-77",
    "the next Year-End review",
    "what's the first thing on my calendar?",
    "https://example.org/a/b",
    "",
]


@pytest.mark.parametrize(("text", "value"), [*DAYS, *MOMENTS, *CLOCKS, *RANGES, *LENGTHS, *REPEATS])
def test_a_time_is_read_as_people_mean_it(text: str, value: str) -> None:
    assert read(text) == [value]


@pytest.mark.parametrize(("text", "values"), SEVERAL)
def test_several_times_are_read_one_by_one(text: str, values: list[str]) -> None:
    assert read(text) == values


@pytest.mark.parametrize("text", NOTHING)
def test_no_time_is_seen_where_there_is_none(text: str) -> None:
    assert read(text) == []


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("Monday", "D 11-16 00:00"),
        ("Wednesday", "D 11-11 00:00"),
        ("12 November", "D 11-12 00:00"),
        ("20 November", "D 2025-11-20 00:00"),
        ("the 5th", "D 11-05 00:00"),
        ("in October", "D 10-01 00:00..11-01 00:00"),
        ("at 3pm", "T 11-17 15:00"),
        ("between 3 and 10 November", "D 11-03 00:00..11-11 00:00"),
    ],
)
def test_looking_back_an_unnamed_week_or_year_is_the_last_one(text: str, value: str) -> None:
    assert read(text, prefer="past") == [value]


@pytest.mark.parametrize(("zone", "month"), [("Europe/Berlin", 12), ("America/New_York", 5), ("Europe/London", 12)])
def test_a_date_in_two_small_numbers_goes_by_the_zone(zone: str, month: int) -> None:
    place = ZoneInfo(zone)
    (mention,) = read_times("5/12/2027", now=NOW, zone=place)
    assert mention.spec.start is not None and mention.spec.start.month == month


def test_day_first_decides_where_it_is_given() -> None:
    assert read("5/12/2027", day_first=False) == ["D 2027-05-12 00:00"]
    assert read("5/12/2027", day_first=True) == ["D 2027-12-05 00:00"]


@pytest.mark.parametrize(("text", "value"), [("at 9", "T 11-18 21:00"), ("at 11", "T 11-18 11:00"), ("at 3", "T 11-18 15:00")])
def test_without_business_hours_a_bare_hour_is_the_next_one(text: str, value: str) -> None:
    assert read(text, business_hours=False) == [value]


def test_a_mention_covers_its_words_and_nothing_else() -> None:
    text = "please meet Anna on Friday at 3pm, not later"
    (mention,) = read_times(text, now=NOW, zone=BERLIN)
    assert text[mention.begin : mention.end] == mention.spec.text == "on Friday at 3pm"


def test_next_week_begins_tomorrow_on_a_sunday() -> None:
    sunday = datetime(2026, 11, 22, 10, tzinfo=BERLIN)
    (mention,) = read_times("next Tuesday", now=sunday, zone=BERLIN)
    assert mention.spec.start == datetime(2026, 11, 24, tzinfo=BERLIN)


def test_next_tuesday_said_on_a_saturday_is_the_coming_one() -> None:
    saturday = datetime(2026, 11, 21, 10, tzinfo=BERLIN)
    (mention,) = read_times("next Tuesday", now=saturday, zone=BERLIN)
    assert mention.spec.start == datetime(2026, 11, 24, tzinfo=BERLIN)


def test_now_is_taken_to_the_users_zone() -> None:
    late = datetime(2026, 11, 18, 23, 30, tzinfo=ZoneInfo("UTC"))
    (mention,) = read_times("today", now=late, zone=BERLIN)
    assert mention.spec.start == datetime(2026, 11, 19, tzinfo=BERLIN)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("Friday at 10 for 30 minutes", "DT 11-20 10:00"),
        ("breakfast tomorrow 7:30", "DT 11-19 07:30"),
        ("the gym on Friday 6:15", "DT 11-20 06:15"),
        ("a call on Friday 6:15", "DT 11-20 18:15"),
        ("dinner on Friday at 7:30", "DT 11-20 19:30"),
        ("Saturday at ten to eleven", "DT 11-21 10:50"),
        ("move it to ten to eleven on Saturday", "DT 11-21 10:50"),
    ],
)
def test_what_stands_beside_an_hour_says_what_it_means(text: str, value: str) -> None:
    assert read(text)[0] == value


@pytest.mark.parametrize("text", ["Saturday ten to eleven", "block ten to eleven on Saturday", "reserve 10 to 11 on Saturday"])
def test_two_hours_behind_a_day_or_a_verb_of_keeping_are_a_stretch(text: str) -> None:
    (mention,) = read_times(text, now=NOW, zone=BERLIN)
    start = datetime(2026, 11, 21, 10, tzinfo=BERLIN)
    assert (mention.spec.start, mention.spec.stop) == (start, start.replace(hour=11))


@pytest.mark.parametrize("text", ["for an hour or two", "for an hour or so", "for 60 or 90 minutes"])
def test_of_two_lengths_the_first_counts_and_both_are_its_words(text: str) -> None:
    mentions = read_times(text, now=NOW, zone=BERLIN)
    assert mentions[0].spec.duration is not None
