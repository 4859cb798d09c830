"""Times in lists, recurrences with an end, dates that don't exist: said at 10:00 on Wednesday 18 November 2026 in Berlin."""

from datetime import datetime
from zoneinfo import ZoneInfo

import pytest

from assistant.reasoning.offline.dates import impossible_dates, read_times, say

BERLIN = ZoneInfo("Europe/Berlin")
NOW = datetime(2026, 11, 18, 10, tzinfo=BERLIN)


def said(text: str) -> list[str]:
    return [say(mention.spec, NOW) for mention in read_times(text, now=NOW, zone=BERLIN)]


@pytest.mark.parametrize(
    ("text", "times"),
    [
        ("next week on Tuesday or Friday", ["Tue 24 Nov 2026", "Fri 27 Nov 2026"]),
        ("next Wednesday or Thursday", ["Wed 25 Nov 2026", "Thu 26 Nov 2026"]),
        ("Thursday or Friday next week", ["Thu 26 Nov 2026", "Fri 27 Nov 2026"]),
        ("next week on Monday, Wednesday or Friday", ["Mon 23 Nov 2026", "Wed 25 Nov 2026", "Fri 27 Nov 2026"]),
        ("Monday or Friday", ["Mon 23 Nov 2026", "Fri 20 Nov 2026"]),
        ("this or next week", ["Mon 16 Nov 2026 to Sun 22 Nov 2026", "Mon 23 Nov 2026 to Sun 29 Nov 2026"]),
        ("this month or next", ["Sun 1 Nov 2026 to Mon 30 Nov 2026", "Tue 1 Dec 2026 to Thu 31 Dec 2026"]),
        ("December 8th, 9th or 11th", ["Tue 8 Dec 2026", "Wed 9 Dec 2026", "Fri 11 Dec 2026"]),
        ("the 8th or 9th of December", ["Tue 8 Dec 2026", "Wed 9 Dec 2026"]),
    ],
)
def test_days_in_a_list_share_the_week_or_month_that_is_said_once(text: str, times: list[str]) -> None:
    assert said(f"meet {text}") == times


@pytest.mark.parametrize(
    ("text", "times"),
    [
        ("tomorrow at 9am or 2pm", ["Thu 19 Nov 2026, 09:00", "Thu 19 Nov 2026, 14:00"]),
        ("Thursday or Friday at 3", ["Thu 19 Nov 2026, 15:00", "Fri 20 Nov 2026, 15:00"]),
        ("Thursday or Friday afternoon", ["Thu 19 Nov 2026, 12:00 to 18:00", "Fri 20 Nov 2026, 12:00 to 18:00"]),
        ("on Thursday and on Friday at 3", ["Thu 19 Nov 2026", "Fri 20 Nov 2026, 15:00"]),
    ],
)
def test_an_hour_said_once_holds_for_all_days_before_it(text: str, times: list[str]) -> None:
    assert said(f"meet {text}") == times


@pytest.mark.parametrize(
    ("text", "rule"),
    [
        ("every Monday at 9 for six weeks", "every Monday at 09:00, starting Mon 23 Nov 2026, until Sun 3 Jan 2027"),
        ("daily at noon for the next 2 weeks", "every day at 12:00, starting Wed 18 Nov 2026, until Tue 1 Dec 2026"),
        ("every Friday, 6 times", "every Friday, starting Fri 20 Nov 2026, 6 times"),
        ("every Friday for 6 sessions", "every Friday, starting Fri 20 Nov 2026, 6 times"),
    ],
)
def test_a_recurrence_ends_after_its_time_or_number(text: str, rule: str) -> None:
    assert said(text) == [rule]


def test_how_long_each_takes_is_no_end_of_a_recurrence() -> None:
    assert said("every Monday at 9 for an hour") == ["every Monday at 09:00, starting Mon 23 Nov 2026", "1 hour"]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("31 April", "There is no 31 April: April has 30 days."),
        ("June 31st", "There is no 31 June: June has 30 days."),
        ("the 30th of February", "There is no 30 February: February has 29 days."),
        ("29 February 2027", "2027 has no 29 February."),
        ("on 31/4", "There is no date 31/4."),
        ("14/14/2026", "There is no date 14/14/2026."),
        ("2026-02-30", "There is no date 2026-02-30."),
        ("at 26:30", "There is no time 26:30."),
        ("at 9:75", "There is no time 9:75."),
    ],
)
def test_a_time_that_does_not_exist_is_said_and_never_read_as_another(text: str, words: str) -> None:
    assert impossible_dates(f"meet {text}", now=NOW, zone=BERLIN) == (words,)
    assert said(f"meet {text}") == []


@pytest.mark.parametrize(
    "text",
    [
        "29 February",
        "31 December",
        "29 February 2028",
        "30.11.2026",
        "order 31/40",
        "version 2.30.4",
        "a 16:9 screen",
        "may 40 people come",
    ],
)
def test_what_may_exist_is_left_alone(text: str) -> None:
    assert impossible_dates(text, now=NOW, zone=BERLIN) == ()


@pytest.mark.parametrize(
    ("text", "time"),
    [
        ("a week today", "Wed 25 Nov 2026"),
        ("tomorrow week", "Thu 26 Nov 2026"),
        ("two weeks tomorrow", "Thu 3 Dec 2026"),
        ("from the middle of March to the end of May", "Tue 16 Mar 2027 to Mon 31 May 2027"),
        ("Sunday 2 weeks after 2 January", "Sun 10 Jan 2027"),
        ("in 4 days on Saturday", "Sat 21 Nov 2026"),
        ("between 7 and 9 this morning", "Wed 18 Nov 2026, 07:00 to 09:00"),
        ("the rest of the week", "Wed 18 Nov 2026 to Sun 22 Nov 2026"),
        ("mid-afternoon tomorrow", "Thu 19 Nov 2026, 14:00 to 16:00"),
        ("2026 12 24", "Thu 24 Dec 2026"),
        ("between the work hours of 8:00 and 16:00", "08:00 to 16:00"),
        ("a free half hour", "30 minutes"),
        ("two free hours", "2 hours"),
    ],
)
def test_more_wordings(text: str, time: str) -> None:
    assert said(f"meet {text}") == [time]
