"""Where an event goes, under which conditions, and what a condition counts: each read apart from verb and object."""

from datetime import timedelta

import pytest
from unit.reasoning.grammar.reading import call, steps

from assistant.reasoning.base import Setting
from assistant.reasoning.calls import Person

HOUR, HALF = timedelta(hours=1), timedelta(minutes=30)


@pytest.mark.parametrize(
    ("text", "bounds"),
    [
        ("do I have more than 3 meetings on Friday?", (4, None)),
        ("did Tom send me at least two mails this week?", (2, None)),
        ("do I have fewer than 3 meetings on Friday?", (0, 2)),
        ("did Tom email me more than once today?", (2, None)),
        ("has Tom sent me 5 or more mails this week?", (5, None)),
        ("do I have a meeting longer than an hour on Friday?", None),
        ("do I have a meeting with more than 3 people on Friday?", None),
    ],
)
def test_a_check_counts(text: str, bounds: tuple[int, int | None] | None, setting: Setting) -> None:
    assert call(text, setting).bounds == bounds


def test_a_count_is_compared_with_what_was_counted_before(setting: Setting) -> None:
    planned = steps("Count the mails from Tom this week. If there are more than 4, archive them.", setting)
    assert "Check whether there are at least 5 mails {1}" in planned


@pytest.mark.parametrize(
    ("text", "side", "words"),
    [
        ("schedule a call right after the budget review", "after", ("budget", "review")),
        ("schedule a call just before my next standup", "before", ("standup",)),
        ("am I free directly after the budget review?", "after", ("budget", "review")),
    ],
)
def test_a_time_is_right_beside_an_event(text: str, side: str, words: tuple[str, ...], setting: Setting) -> None:
    found = call(text, setting)
    assert (found.side, found.beside.words if found.beside else ()) == (side, words)


def test_the_same_people_are_those_of_the_event_beside(setting: Setting) -> None:
    found = call("schedule half an hour right after the budget review, with the same people", setting)
    assert (found.to, found.duration) == ((Person(ref="beside"),), HALF)


def test_after_a_time_is_no_place_beside_an_event(setting: Setting) -> None:
    assert call("schedule a call with Tom after lunch tomorrow", setting).beside is None


@pytest.mark.parametrize(
    "text",
    [
        "move the budget review to 3pm unless that clashes with something",
        "unless it overlaps with another meeting, move the budget review to 3pm",
        "move the budget review to 3pm, provided that nothing else is in the way",
        "extend the budget review by half an hour as long as I'm free then",
    ],
)
def test_a_change_is_made_only_where_nothing_is_in_the_way(text: str, setting: Setting) -> None:
    (step,) = steps(text, setting)
    assert call(step, setting).guarded


def test_a_clash_that_is_wanted_guards_nothing(setting: Setting) -> None:
    assert not any(call(step, setting).guarded for step in steps("move the budget review to 3pm if it clashes", setting))


@pytest.mark.parametrize(
    ("text", "slot"),
    [
        ("move the budget review to my first free slot on Monday", "first"),
        ("move the budget review to the earliest time I'm free on Monday between 9 and 5", "first"),
        ("put the budget review into the last gap on Monday that is long enough", "last"),
        ("schedule an hour with Tom in my next free slot on Monday", "first"),
        ("move the budget review to the first of May", ""),
    ],
)
def test_a_free_time_is_a_place_for_an_event(text: str, slot: str, setting: Setting) -> None:
    assert call(text, setting).slot == slot


@pytest.mark.parametrize(
    ("text", "leaving", "coming"),
    [
        ("replace Tom with Anna in the budget review", "Tom", "Anna"),
        ("substitute Anna for Tom in the budget review", "Tom", "Anna"),
        ("put Anna in Tom's place in the budget review", "Tom", "Anna"),
        ("invite Anna instead of Tom to the budget review", "Tom", "Anna"),
        ("hand over my next meeting with Tom to Anna", "Tom", "Anna"),
    ],
)
def test_somebody_takes_the_place_of_somebody_else(text: str, leaving: str, coming: str, setting: Setting) -> None:
    found = call(text, setting)
    assert found.operation == "event.replace"
    assert ([one.text for one in found.leaving], [one.text for one in found.to]) == ([leaving], [coming])


@pytest.mark.parametrize(
    ("text", "lasting"),
    [
        ("shorten the longer meetings on Friday to an hour", HOUR),
        ("shorten all meetings on Friday that last more than an hour to 45 minutes", HOUR),
        ("shorten all meetings over 30 minutes on Friday to half an hour", HALF),
    ],
)
def test_meetings_are_chosen_by_how_long_they_last(text: str, lasting: timedelta, setting: Setting) -> None:
    found = call(text, setting)
    assert found.select.lasting is not None and found.select.lasting[0] == lasting
    assert found.select.order == "" and found.shift is None


@pytest.mark.parametrize(
    ("text", "order"), [("cancel the longest meeting on Friday", "longest"), ("cancel my shortest meeting", "shortest")]
)
def test_a_length_puts_events_in_order(text: str, order: str, setting: Setting) -> None:
    assert call(text, setting).select.order == order


def test_an_edge_is_looked_at_once_the_event_is_picked(setting: Setting) -> None:
    found = call("does my first meeting on Friday start after 10?", setting)
    assert found.select.when is not None and not found.select.when.has_time
    assert found.time is not None and found.time.start is not None and found.time.stop is None and found.field == "start"


def test_a_total_is_compared(setting: Setting) -> None:
    found = call("do I have more than 6 hours of meetings on Friday?", setting)
    assert found.together is not None and found.together[0] == timedelta(hours=6) and found.select.lasting is None


def test_hours_without_a_day_are_those_of_any_day(setting: Setting) -> None:
    found = call("cancel all meetings with Tom that start before 10", setting)
    assert found.select.when is not None and found.select.when.daily


@pytest.mark.parametrize(
    ("text", "instruction"),
    [
        ("Friday is packed. Cancel the last meeting.", "Cancel the last meeting on Friday 20 November"),
        ("cancel the first meeting on Friday and leave the others alone", "Cancel the first meeting on Friday"),
        ("Keep only the first meeting on Friday and cancel the rest", "Cancel all my meetings on Friday except the first one"),
    ],
)
def test_what_was_told_before_and_behind_is_part_of_the_request(text: str, instruction: str, setting: Setting) -> None:
    assert steps(text, setting) == [instruction]
