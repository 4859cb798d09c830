from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assistant.attention import Ranked, rank_mails
from integrations.types import Address, Attachment, Mail

NOW = datetime(2026, 11, 18, 10, 0, tzinfo=ZoneInfo("Europe/Berlin"))
"""A Wednesday."""
ME = "me@home.example"
ICS = Attachment(part="2", filename="invite.ics", content_type="text/calendar", size=9)
ANNA, STRANGER = "anna@friends.example", "hello@elsewhere.example"


def mail(body: str = "", subject: str = "Hello", sender: str = ANNA, days_ago: float = 0, **given: Any) -> Mail:
    name = f"{sender} {subject} {body} {days_ago} {given.get('to')}"
    values = {"account": "work", "id": name, "thread": name, "etag": "", "folder": "INBOX", "sender": Address(email=sender)}
    values |= {"to": (Address(email=ME),), "subject": subject, "body": body, "date": NOW - timedelta(days=days_ago)}
    return Mail(**(values | given))


def rank(*mails: Mail, known: str = ANNA, answered: Mapping[str, datetime] | None = None) -> tuple[Ranked, ...]:
    return rank_mails(mails, me=frozenset({ME}), known=frozenset(known.split()), answered=answered or {}, now=NOW)


def only(found: Mail, **given: Any) -> Ranked:
    (ranked,) = rank(found, **given)
    return ranked


@pytest.mark.parametrize(
    ("found", "reason"),
    [
        (mail("Are you coming?"), "asks you a question"),
        (mail("", snippet="Are you coming?"), "asks you a question"),
        (mail("Please send the report."), "asks you for something"),
        (mail("We need it by Friday."), "deadline Friday 20 Nov"),
        (mail("The report is due on 27 November."), "deadline Friday 27 Nov"),
        (mail("Sign no later than tomorrow, please."), "deadline tomorrow"),
        (mail("Kannst du mir bis Freitag die Zahlen schicken?"), "deadline Friday 20 Nov"),
        (mail("Bitte senden Sie den Vertrag bis zum 27. November zurück."), "deadline Friday 27 Nov"),
        (mail("Der Antrag muss vorliegen.", "Frist: 27.11.2026"), "deadline Friday 27 Nov"),
        (mail("Spätestens am 1. Dezember brauchen wir ihn."), "deadline Tuesday 1 Dec"),
        (mail("Sign before tomorrow, please.", days_ago=1), "deadline today"),
        (mail("Sign by tomorrow, please.", days_ago=2), "deadline was yesterday"),
        (mail("Are you coming?", days_ago=1), "unanswered for 1 day"),
        (mail("Are you coming?", days_ago=4), "unanswered for 4 days"),
        (mail("Are you coming?"), "from someone you write to"),
        (mail("x", "Invitation: Budget review"), "invitation awaiting your answer"),
        (
            mail("x", attachments=(ICS,)),
            "invitation awaiting",
        ),
        (mail("Everything is fine.", flagged=True), "you flagged it"),
        (mail("Call me.", "URGENT"), "marked as urgent"),
        (mail("Everything is fine.", unread=True), "unread, from someone you write to"),
    ],
)
def test_what_asks_for_attention_says_why(found: Mail, reason: str) -> None:
    ranked = only(found)
    assert any(said.startswith(reason) for said in ranked.reasons)
    assert ranked.score > 0


@pytest.mark.parametrize(
    "found",
    [
        mail("Everything is fine."),
        mail("Will you buy it by Friday?", bulk=True),
        mail("Are you coming?", answered=True),
        mail("Everything is fine.\n\nOn Monday Anna <a@x.org> wrote:\n> Are you coming by Friday?"),
        mail("Thank you for your order.", sender=STRANGER),
    ],
)
def test_what_asks_nothing_gets_no_attention(found: Mail) -> None:
    assert only(found).score <= 0


def test_a_thread_with_the_users_last_word_asks_nothing_more() -> None:
    found = mail("Are you coming?", days_ago=2)
    assert only(found, answered={found.thread: found.date}).score <= 0


def test_the_users_own_mails_are_left_out() -> None:
    assert rank(mail("Are you coming?", sender=ME)) == ()


def test_what_is_pressing_comes_before_what_is_not() -> None:
    order = [
        mail("Could you sign by tomorrow?", days_ago=1),
        mail("Could you sign by Friday 27 November?", days_ago=1),
        mail("Could you sign?", days_ago=1),
        mail("Could you sign?", sender=STRANGER, days_ago=1),
        mail("Could you sign?", sender=STRANGER, days_ago=1, to=(Address(email="all@friends.example"),)),
        mail("Could you sign?", bulk=True),
    ]
    assert [ranked.mail.id for ranked in rank(*reversed(order))] == [found.id for found in order]


def test_an_old_question_fades() -> None:
    week, year = only(mail("Are you coming?", days_ago=7)), only(mail("Are you coming?", days_ago=365))
    assert week.score > year.score
    assert not any("unanswered" in reason for reason in year.reasons)


def test_a_deadline_long_past_is_no_deadline() -> None:
    assert not any("deadline" in reason for reason in only(mail("Sign by tomorrow, please.", days_ago=20)).reasons)


def test_of_a_thread_the_mail_that_asks_most_stands_for_it() -> None:
    asking = mail("Are you coming?", days_ago=2, thread="t")
    ranked = rank(asking, mail("See the new agenda.", days_ago=1, thread="t"))
    assert [one.mail for one in ranked] == [asking]


def test_what_looks_like_phishing_is_set_apart_at_the_end_with_its_marks() -> None:
    fraud = mail("Verify your account within 24 hours: https://x.example", "Urgent", "service@paypa1.com")
    last = rank(fraud, mail("Everything is fine."), mail("Are you coming?"))[-1]
    assert last.mail == fraud
    assert last.score < 0
    assert all(reason.startswith("looks like phishing: ") for reason in last.reasons)


def test_a_single_weak_mark_warns_but_hides_nothing() -> None:
    found = mail("Could you sign by tomorrow?", sender=STRANGER, reply_to=(Address(email="desk@other.example"),), flagged=True)
    ranked = only(found)
    assert ranked.score > 0
    assert any(reason.startswith("careful: answers would go to desk@other.example") for reason in ranked.reasons)


@given(
    st.lists(
        st.tuples(st.sampled_from(["Are you coming?", "Fine.", "Sign by Friday!"]), st.integers(0, 90), st.booleans()), max_size=8
    )
)
def test_the_order_depends_on_the_mails_alone(given_mails: list[tuple[str, int, bool]]) -> None:
    mails = [mail(body, str(at), days_ago=days, bulk=bulk) for at, (body, days, bulk) in enumerate(given_mails)]
    ranked = rank(*mails)
    assert ranked == rank(*reversed(mails))
    assert [one.score for one in ranked] == sorted((one.score for one in ranked), reverse=True)
    assert {one.mail.id for one in ranked} == {one.id for one in mails}


@pytest.mark.parametrize(
    "subject",
    "Accepted|Declined|Tentative|Accepted tentatively|Cancelled|Canceled event|No longer invited|Zugesagt|Abgesagt".split("|"),
)
def test_the_answer_to_an_invitation_and_the_end_of_an_event_ask_for_no_answer(subject: str) -> None:
    found = only(mail("Good.", f"{subject}: Kick-off", attachments=(ICS,)))
    assert not any("invitation" in reason for reason in found.reasons)


def test_an_event_that_was_changed_asks_for_an_answer() -> None:
    assert "invitation awaiting your answer" in only(mail("x", "Changed: Kick-off", attachments=(ICS,))).reasons
