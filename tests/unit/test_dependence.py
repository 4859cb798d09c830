"""Which approved actions rest on others."""

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assistant.pipeline.dependence import rests_on, waits_for
from assistant.pipeline.laying import Permit, held_until, rows_of
from integrations.actions import CancelEvent, CreateEvent, DeleteDraft, MarkMail, MoveMail, SaveTemplate, SendMail
from integrations.types import Address, EventRef, MailRef

NOW = datetime(2026, 11, 18, 10, tzinfo=UTC)
ONE, OTHER = MailRef(account="work", id="m1", etag="a"), MailRef(account="work", id="m2", etag="a")
MAIL = SendMail(account="work", to=(Address(email="tom@x.example"),), body="b")
REPLY = MAIL.model_copy(update={"reply_to": ONE})
EVENT = CreateEvent(account="work", title="Review", start=NOW, end=NOW + timedelta(hours=1))
CANCEL = CancelEvent(account="work", event=EventRef(account="work", calendar="c", id="e"))
ARCHIVE = MoveMail(account="work", mail=ONE, folder="Archive")
DELETE = DeleteDraft(account="work", mail=OTHER)
ACTIONS = [MAIL, REPLY, EVENT, CANCEL, ARCHIVE, DELETE, MarkMail(account="work", mail=OTHER, seen=True)]
OWN = frozenset({"me@x.example"})


@pytest.mark.parametrize(
    ("later", "earlier", "rests"),
    [
        (ARCHIVE, MarkMail(account="work", mail=ONE.model_copy(update={"etag": "b"}), seen=True), True),
        (ARCHIVE, MarkMail(account="work", mail=OTHER, seen=True), False),
        (ARCHIVE, REPLY, True),
        (MAIL, EVENT, True),
        (MAIL, CANCEL, True),
        (EVENT, MAIL, False),
        (MAIL, REPLY, False),
        (DELETE, MAIL, True),
        (SaveTemplate(name="t", body="b"), SaveTemplate(name="t", body="c"), True),
        (SaveTemplate(name="t", body="b"), SaveTemplate(name="u", body="c"), False),
    ],
)
def test_what_rests_on_what(later, earlier, rests):
    assert rests_on(later, earlier) is rests


@given(st.lists(st.sampled_from(ACTIONS), max_size=6), st.integers(min_value=0, max_value=30))
def test_only_mails_and_what_waits_for_them_are_held(actions, seconds):
    window = timedelta(seconds=seconds)
    rows = rows_of(Permit(by="approval", reference="p"), actions, lambda action: held_until(action, NOW, window, OWN))
    assert [row.position for row in rows] == list(range(len(actions))) and len({row.key for row in rows}) == len(rows)
    for n, (row, action) in enumerate(zip(rows, actions, strict=True)):
        waits = any(waits_for(action, earlier) for earlier in actions[:n])
        held = bool(seconds) and (isinstance(action, SendMail) or waits)
        assert (row.status, row.not_before) == (("held", NOW + window) if held else ("pending", None))


@given(st.integers(min_value=1, max_value=10_000))
def test_a_time_of_its_own_counts_more_than_the_window(minutes):
    when = NOW + timedelta(minutes=minutes)
    timed = MAIL.model_copy(update={"send_at": when, "to": (Address(email="me@x.example"),)})
    assert held_until(timed, NOW, timedelta(seconds=10), OWN) == when


def test_a_mail_to_oneself_alone_is_not_held():
    assert held_until(MAIL.model_copy(update={"to": (Address(email="me@x.example"),)}), NOW, timedelta(seconds=10), OWN) is None
