"""A fingerprint changes exactly when something changes that matters."""

from datetime import UTC, datetime, timedelta, timezone
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import TypeAdapter

from integrations.actions import Action, CreateEvent, MoveMail, SaveDraft, SendMail, UpdateEvent
from integrations.types import Address, EventRef, MailRef
from risk.preview import fingerprint

ACTION: TypeAdapter[Action] = TypeAdapter(Action)
words = st.text(max_size=12)
addresses = st.builds(Address, email=st.from_regex(r"[a-z]{1,6}@[a-z]{1,6}\.de", fullmatch=True), name=words)
lists = st.lists(addresses, max_size=3).map(tuple)
zones = st.sampled_from([UTC, ZoneInfo("Europe/Berlin"), ZoneInfo("Asia/Tokyo")])
moments = st.builds(
    lambda minutes, zone: (datetime(2026, 1, 1, tzinfo=UTC) + timedelta(minutes=minutes)).astimezone(zone),
    st.integers(0, 1_000_000),
    zones,
)
mail_refs = st.builds(MailRef, account=words, id=words, etag=words)
event_refs = st.builds(EventRef, account=words, calendar=words, id=words, etag=words, recurrence=st.none() | moments)
content = {
    "account": words,
    "to": lists,
    "cc": lists,
    "bcc": lists,
    "subject": words,
    "body": words,
    "reply_to": st.none() | mail_refs,
}
maybe = st.none() | words
actions = st.one_of(
    st.builds(SendMail, **content),
    st.builds(SaveDraft, **content),
    st.builds(MoveMail, account=words, mail=mail_refs, folder=words),
    st.builds(CreateEvent, account=words, title=words, start=moments, end=moments, attendees=lists, location=words),
    st.builds(UpdateEvent, account=words, event=event_refs, title=maybe, start=st.none() | moments, add_attendees=lists),
)
proposals = st.lists(actions, max_size=3)


@given(proposals, proposals)
def test_two_proposals_have_one_fingerprint_only_if_they_are_equal(first, second):
    assert (fingerprint(first) == fingerprint(second)) == (first == second)


@given(proposals)
def test_storing_and_loading_changes_nothing(proposal):
    loaded = [ACTION.validate_json(action.model_dump_json()) for action in proposal]
    assert fingerprint(loaded) == fingerprint(proposal)


@given(st.lists(actions, min_size=2, max_size=3, unique_by=lambda action: action.model_dump_json()))
def test_the_order_of_execution_matters(proposal):
    assert fingerprint(proposal) != fingerprint(proposal[::-1])


@given(moments)
def test_the_same_instant_in_another_zone_is_the_same(moment):
    def event(start: datetime) -> CreateEvent:
        return CreateEvent(account="a", title="t", start=start, end=start)

    there = moment.astimezone(timezone(timedelta(hours=-5)))
    assert fingerprint([event(moment)]) == fingerprint([event(there)])


def test_a_further_optional_field_of_a_later_version_changes_nothing():
    class Later(SendMail):
        priority: str = "normal"
        tags: tuple[str, ...] = ()

    fields = {"account": "a", "to": (Address(email="x@y.de"),), "subject": "s"}
    assert fingerprint([Later(**fields)]) == fingerprint([SendMail(**fields)])
    assert fingerprint([Later(**fields, priority="high")]) != fingerprint([SendMail(**fields)])


def test_the_etag_counts():
    def moved(etag: str) -> MoveMail:
        return MoveMail(account="a", mail=MailRef(account="a", id="1", etag=etag), folder="Trash")

    assert fingerprint([moved("v1")]) != fingerprint([moved("v2")])


def test_a_mail_and_a_draft_of_the_same_content_differ():
    assert fingerprint([SendMail(account="a")]) != fingerprint([SaveDraft(account="a")])


def test_an_empty_field_differs_from_one_left_as_it_is():
    ref = EventRef(account="a", calendar="c", id="1")
    assert fingerprint([UpdateEvent(account="a", event=ref, location="")]) != fingerprint([UpdateEvent(account="a", event=ref)])


def test_one_who_is_written_to_openly_or_secretly_differs():
    one = (Address(email="x@y.de"),)
    assert fingerprint([SendMail(account="a", cc=one)]) != fingerprint([SendMail(account="a", bcc=one)])


def test_a_time_without_a_zone_is_refused():
    floating = datetime(2026, 11, 23, 9)  # noqa: DTZ001
    with pytest.raises(ValueError, match="timezone"):
        CreateEvent(account="a", title="t", start=floating, end=floating)


def test_fingerprints_of_the_first_version_stay_as_they_were():
    """Previews approved before an upgrade carry these."""
    mail = SendMail(account="home", to=(Address(email="anna@berg.example", name="Anna Berg"),), subject="Grüße", body="Bis bald")
    start = datetime(2026, 11, 23, 15, tzinfo=ZoneInfo("Europe/Berlin"))
    event = EventRef(account="home", calendar="cal", id="ev", etag="v1", recurrence=start)
    update = UpdateEvent(account="home", event=event, start=start + timedelta(hours=1), end=start + timedelta(hours=2))
    assert fingerprint([mail, update]) == "v1:1dac3cc27d061f01cdfabae31548f060455ff2a355dc7e0dccdce1af85430c77"
