"""Which day "that day" and "that morning" mean."""

from assistant.reasoning.base import Setting
from assistant.reasoning.offline.planning.talk.thatday import on_that_day, single_day


def test_that_day_is_the_one_spoken_of_also_where_an_hour_stands_beside_it(setting: Setting) -> None:
    text = "book a chat on that day at 3"
    assert on_that_day(text, len(text), "on 14 December 2026 after 2pm", setting) == ("book a chat on Monday 14 December at 3", "")


def test_a_part_of_it_stays_a_part(setting: Setting) -> None:
    text = "cancel everything that morning"
    meant, unclear = on_that_day(text, len(text), "on 14 December 2026", setting)
    assert (meant, unclear) == ("cancel everything on Monday 14 December in the morning", "")


def test_the_same_day_is_the_one_that_the_sentence_names_itself(setting: Setting) -> None:
    text = "move the review on 14 December 2026 to 3pm the same day"
    meant, _ = on_that_day(text, len(text), "on 20 December 2026", setting)
    assert meant.endswith("to 3pm on Monday 14 December")


def test_a_day_that_nobody_named_is_unclear(setting: Setting) -> None:
    text = "book a chat on that day at 3"
    assert on_that_day(text, len(text), "", setting) == (text, "on that day")


def test_a_week_is_no_single_day(setting: Setting) -> None:
    assert single_day("next week", setting) == ""
