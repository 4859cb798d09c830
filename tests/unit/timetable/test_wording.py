"""Rules and tasks as people read them."""

from datetime import date

import pytest
from doubles.odd_clocks import rules, unhurried, wall
from hypothesis import assume, given

from assistant.timetable.rules import Ask, Calendar, Cron, GiveBriefing, Once, Remind, Rule, Task
from assistant.timetable.slots import check
from assistant.timetable.wording import in_words, task_in_words

START = wall("2026-11-27T09:00")
TODAY = date(2026, 11, 22)


@pytest.mark.parametrize(
    ("expression", "words"),
    [
        ("0 8 * * 1-5", "every weekday at 08:00"),
        ("0 8 * * *", "every day at 08:00"),
        ("@daily", "every day at 00:00"),
        ("0 18 * * 0", "on Sundays at 18:00"),
        ("0 18 * * 7", "on Sundays at 18:00"),
        ("0 9 * * sat,sun", "on Saturdays and Sundays at 09:00"),
        ("0 8,17 * * 1,3", "on Mondays and Wednesdays at 08:00 and 17:00"),
        ("15,45 8 * * *", "every day at 08:15 and 08:45"),
        ("* * * * *", "every minute"),
        ("*/15 * * * *", "every 15 minutes"),
        ("*/15 9-17 * * 1-5", "every 15 minutes from 09:00 to 17:45 on weekdays"),
        ("0 * * * *", "every hour"),
        ("10 * * * *", "every hour at 10 minutes past"),
        ("0 */2 * * *", "every 2 hours"),
        ("30 9-17 * * 1-5", "every hour from 09:30 to 17:30 on weekdays"),
        ("0 9 1,15 * *", "on the 1st and 15th of the month at 09:00"),
        ("0 9 22,23 * *", "on the 22nd and 23rd of the month at 09:00"),
        ("0 9 L * *", "on the last day of the month at 09:00"),
        ("0 9 LW * *", "on the last weekday of the month at 09:00"),
        ("0 9 * * 5L", "on the last Friday of the month at 09:00"),
        ("0 9 * * 1#1,1#3", "on the first and third Monday of the month at 09:00"),
        ("0 9 25 12 *", "every year on 25 December at 09:00"),
        ("0 9 * 1,7 *", "every day in January and July at 09:00"),
        ("15 6 13 * 5", "by the cron rule 15 6 13 * 5"),
        ("0 9 1-31 * MON", "by the cron rule 0 9 1-31 * MON"),
        ("*/15 9,17 * * *", "by the cron rule */15 9,17 * * *"),
        ("5,7 * * * *", "by the cron rule 5,7 * * * *"),
        ("0 9 */2 * *", "by the cron rule 0 9 */2 * *"),
    ],
)
def test_a_cron_rule_in_words(expression: str, words: str) -> None:
    assert in_words(Cron(expression=expression)) == words


@pytest.mark.parametrize(
    ("rrule", "words"),
    [
        ("FREQ=DAILY", "every day at 09:00"),
        ("FREQ=DAILY;INTERVAL=2", "every two days at 09:00"),
        ("FREQ=DAILY;BYDAY=MO,TU,WE,TH,FR", "every weekday at 09:00"),
        ("FREQ=DAILY;BYMONTH=6,7", "every day in June and July at 09:00"),
        ("FREQ=DAILY;BYHOUR=8,17;BYMINUTE=30", "every day at 08:30 and 17:30"),
        ("FREQ=WEEKLY", "on Fridays at 09:00"),
        ("FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR", "every weekday at 09:00"),
        ("FREQ=WEEKLY;INTERVAL=2;BYDAY=TH,MO", "every two weeks on Monday and Thursday at 09:00"),
        ("FREQ=WEEKLY;INTERVAL=2", "every two weeks on Friday at 09:00"),
        ("FREQ=MONTHLY", "on the 27th of the month at 09:00"),
        ("FREQ=MONTHLY;BYDAY=-1FR", "on the last Friday of the month at 09:00"),
        ("FREQ=MONTHLY;BYDAY=1MO,+3MO", "on the first and third Monday of the month at 09:00"),
        ("FREQ=MONTHLY;BYDAY=1MO,2FR", "on the first Monday and the second Friday of the month at 09:00"),
        ("FREQ=MONTHLY;BYMONTHDAY=1,15,-1", "on the 1st, 15th and last day of the month at 09:00"),
        ("FREQ=MONTHLY;INTERVAL=3;BYMONTHDAY=-1", "every three months on the last day at 09:00"),
        ("FREQ=MONTHLY;BYDAY=MO,TU,WE,TH,FR;BYSETPOS=-1", "on the last weekday of the month at 09:00"),
        ("FREQ=MONTHLY;BYDAY=MO;BYSETPOS=1", "on the first Monday of the month at 09:00"),
        ("FREQ=YEARLY", "every year on 27 November at 09:00"),
        ("FREQ=YEARLY;BYMONTH=5;BYDAY=2SU", "every year on the second Sunday in May at 09:00"),
        ("FREQ=YEARLY;BYMONTH=1,7;BYMONTHDAY=1", "every year on 1 January and 1 July at 09:00"),
        ("FREQ=HOURLY;INTERVAL=5", "every 5 hours"),
        ("FREQ=MINUTELY;INTERVAL=90;BYDAY=SA", "every 90 minutes on Saturdays"),
        ("FREQ=WEEKLY;BYDAY=MO;UNTIL=20261231", "on Mondays at 09:00, until 31 December"),
        ("FREQ=WEEKLY;BYDAY=MO;UNTIL=20270131T090000", "on Mondays at 09:00, until 31 January 2027"),
        ("FREQ=DAILY;COUNT=10", "every day at 09:00, 10 times"),
        ("FREQ=DAILY;COUNT=1", "every day at 09:00, once"),
        ("FREQ=YEARLY;BYWEEKNO=20", "by the calendar rule FREQ=YEARLY;BYWEEKNO=20"),
        ("FREQ=MONTHLY;BYDAY=MO", "by the calendar rule FREQ=MONTHLY;BYDAY=MO"),
        ("FREQ=HOURLY;BYHOUR=9,10", "by the calendar rule FREQ=HOURLY;BYHOUR=9,10"),
        ("FREQ=MONTHLY;BYDAY=FR;BYMONTHDAY=13", "by the calendar rule FREQ=MONTHLY;BYDAY=FR;BYMONTHDAY=13"),
    ],
)
def test_a_calendar_rule_in_words(rrule: str, words: str) -> None:
    assert in_words(Calendar(rrule=rrule, start=START), today=TODAY) == words


def test_a_single_time_in_words() -> None:
    assert in_words(Once(at=START)) == "on Friday 27 November at 09:00"


def test_a_year_that_is_not_this_one_is_said() -> None:
    assert in_words(Once(at=START), today=date(2025, 12, 31)) == "on Friday 27 November 2026 at 09:00"


def test_a_zone_of_its_own_is_said() -> None:
    assert in_words(Cron(expression="0 8 * * *"), "America/New_York") == "every day at 08:00 (America/New York time)"


@given(rules)
@unhurried
def test_there_are_words_for_every_rule_that_can_be_used(rule: Rule) -> None:
    assume(not check(rule))
    assert in_words(rule)


@pytest.mark.parametrize(
    ("task", "words"),
    [
        (GiveBriefing(), "briefing on your inbox and your day"),
        (GiveBriefing(parts=("week",)), "briefing on your week"),
        (Remind(text="call the bank"), "reminder: call the bank"),
        (Ask(text="Who wrote this week?"), "request: Who wrote this week?"),
    ],
)
def test_a_task_in_words(task: Task, words: str) -> None:
    assert task_in_words(task) == words
