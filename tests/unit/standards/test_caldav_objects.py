"""Spans of time that are kept at hand, and answers of any kind, taken apart."""

from contextlib import suppress
from datetime import UTC, datetime, timedelta
from typing import Any

from caldav.response import DAVResponse
from hypothesis import given
from hypothesis import strategies as st

from integrations.common.remote import Unreadable
from integrations.standards.dav.caldav_objects import FIRST, LAST, LONGEST_KEPT, Shelf, _around, _joined
from integrations.standards.dav.caldav_xml import Multistatus, events_between
from integrations.standards.dav.dav_errors import Server

moments = st.datetimes(timezones=st.just(UTC))
usual = st.timedeltas(timedelta(0), timedelta(days=90_000)).map(lambda since: datetime(1950, 1, 1, tzinfo=UTC) + since)
NAMES = ("multistatus", "response", "href", "propstat", "prop", "status", "getetag", "sync-token", "error", "resourcetype", "x")
TEXTS = ("", "/a/b.ics", "HTTP/1.1 200 OK", "HTTP/1.1 404 no", "HTTP/1.1 507 full", "200", "%", "http://[", "é", " ")
trees = st.recursive(
    st.tuples(st.sampled_from(NAMES), st.sampled_from(TEXTS)),
    lambda children: st.tuples(st.sampled_from(NAMES), st.lists(children, max_size=4)),
    max_leaves=25,
)


def xml(tree: tuple[str, Any]) -> str:
    name, inside = tree
    text = inside if isinstance(inside, str) else "".join(map(xml, inside))
    return f'<{name} xmlns="DAV:">{text}</{name}>'


@given(usual, usual)
def test_all_that_was_asked_for_lies_within_what_is_fetched(one: datetime, other: datetime) -> None:
    start, end = sorted((one, other))
    low, high = _around(start, end)
    assert Shelf(span=(low, high)).covers((start, end)) and low < high


@given(moments, moments)
def test_any_span_can_be_asked_for(start: datetime, end: datetime) -> None:
    low, high = _around(start, end)
    assert FIRST <= low < high <= LAST
    assert events_between(low, high)


@given(usual, usual, st.timedeltas(timedelta(hours=1), timedelta(days=3000)))
def test_no_more_is_kept_than_is_sensible_and_never_less_than_wanted(one: datetime, other: datetime, length: timedelta) -> None:
    wanted = (other, other + length)
    low, high = _joined((one, one + timedelta(days=90)), wanted)
    assert low <= wanted[0] and wanted[1] <= high
    assert high - low <= max(LONGEST_KEPT, length)


@given(trees)
def test_an_answer_of_any_form_is_read_or_unreadable(tree: tuple[str, Any]) -> None:
    for read in ("properties", "objects", "changes"):
        with suppress(Unreadable):
            getattr(Multistatus(DAVResponse.from_bytes(xml(tree).encode()), Server("acc", "calendar server")), read)
