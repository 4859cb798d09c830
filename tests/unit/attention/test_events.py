from datetime import datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assistant.attention import rank_events
from integrations.types import Event

NOW = datetime(2026, 11, 18, 10, 0, tzinfo=ZoneInfo("Europe/Berlin"))


def event(title: str, hours: float, length: float = 1, **given: Any) -> Event:
    start = NOW + timedelta(hours=hours)
    values = {"account": "work", "calendar": "c", "id": title, "etag": "", "uid": title, "title": title}
    return Event(**(values | {"start": start, "end": start + timedelta(hours=length)} | given))


def reasons(*events: Event) -> dict[str, tuple[str, ...]]:
    return {ranked.event.title: ranked.reasons for ranked in rank_events(events, NOW)}


@pytest.mark.parametrize(
    ("hours", "reason"),
    [
        (-0.5, "going on now"),
        (0.5, "starts in 30 minutes"),
        (1 / 60, "starts in 1 minute"),
        (5, "today at 15:00"),
        (23, "tomorrow at 09:00"),
    ],
)
def test_what_is_soon_says_when(hours: float, reason: str) -> None:
    assert reasons(event("Review", hours)) == {"Review": (reason,)}


def test_events_that_overlap_name_each_other() -> None:
    told = reasons(event("A", 30, 2), event("B", 31), event("C", 32), event("D", 31.5, 0.25))
    assert told == {"A": ("overlaps with B and D",), "B": ("overlaps with A and D",), "D": ("overlaps with A and B",), "C": ()}


@pytest.mark.parametrize(
    "other",
    [{"all_day": True}, {"busy": False}, {"status": "cancelled"}, {"my_answer": "declined"}, {"title": "touching", "hours": 31}],
)
def test_what_takes_no_time_of_the_users_overlaps_nothing(other: dict[str, Any]) -> None:
    assert reasons(event("A", 30), event(**({"title": "other", "hours": 30} | other)))["A"] == ()


def test_an_open_invitation_is_named() -> None:
    assert reasons(event("A", 100, my_answer="needs-action")) == {"A": ("invitation awaiting your answer",)}
    assert reasons(event("A", 100, my_answer="accepted")) == {"A": ()}


def test_what_is_over_or_off_is_left_out() -> None:
    assert reasons(event("over", -2), event("off", 2, status="cancelled"), event("declined", 3, my_answer="declined")) == {}


def test_what_asks_most_comes_first_then_what_is_next() -> None:
    given_events = [event("later", 50), event("next", 40), event("soon", 1), event("open", 60, my_answer="needs-action")]
    assert [one.event.title for one in rank_events(given_events, NOW)] == ["soon", "open", "next", "later"]


@given(st.lists(st.tuples(st.integers(0, 40), st.integers(1, 20)), max_size=12))
def test_overlaps_are_found_as_by_comparing_every_pair(spans: list[tuple[int, int]]) -> None:
    events = [event(str(at), 30 + start / 4, length / 4) for at, (start, length) in enumerate(spans)]
    for ranked in rank_events(events, NOW):
        mine = ranked.event
        clash = any(other is not mine and other.start < mine.end and mine.start < other.end for other in events)
        assert any(reason.startswith("overlaps") for reason in ranked.reasons) == clash
