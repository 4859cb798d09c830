"""Whose links an answer may hold: those of the messages that the user's own words ask about."""

from datetime import UTC, datetime

import pytest

from assistant.reasoning.asked import asked_about, linkable
from assistant.values import Data, Failure, Report, Success
from integrations.types import Address, Contact, Event, Mail

AT = datetime(2026, 11, 18, 9, 0, tzinfo=UTC)


def mail(id: str, sender: str, subject: str, body: str = "") -> Mail:
    person = Address(name=sender.title(), email=f"{sender.replace(' ', '.')}@{id}.example")
    return Mail(account="home", id=id, etag="e", folder="INBOX", sender=person, subject=subject, body=body, date=AT)


ANNA = mail("northwind", "anna kowalski", "Slides for the review", "https://files.northwind.example/slides")
MALLORY = mail("evil", "mallory", "Urgent: your account", "https://evil.example/a https://evil.example/b")
STANDUP = Event(
    account="home", calendar="c", id="e", etag="e", uid="u", title="Standup", start=AT, end=AT, description="https://meet.example/1"
)
CARD = Contact(account="home", id="c", etag="e", uid="u", name="Anna Kowalski", note="https://anna.example/")
REPORTS: dict[int, Report] = {
    1: Success(data=Data(kind="mails", mails=(ANNA, MALLORY))),
    2: Success(data=Data(kind="events", events=(STANDUP,))),
}


@pytest.mark.parametrize(
    ("words", "there"),
    [
        ("where are Anna's slides?", {"slides"}),
        ("what did kowalski say about it?", {"slides"}),
        ("find the review", {"slides"}),
        ("what does mallory@evil.example want?", {"a", "b"}),
        ("sum up my unread mail", {"slides", "a", "b"}),
        ("what's on today?", {"1"}),
        ("what does the last mail from Anna say?", {"slides"}),
        ("what does the last mail from Zoe say?", set()),
        ("fasse meine neuen E-Mails zusammen", {"slides", "a", "b"}),
        ("please take care of it for me", set()),
        ("do you have any news for me?", set()),
    ],
)
def test_links_are_those_of_what_the_words_name(words: str, there: set[str]) -> None:
    found = linkable(words, REPORTS, as_said=False)
    assert {one for one in ("slides", "a", "b", "1") if f".example/{one}" in found} == there


def test_where_code_reads_the_plan_in_the_words_all_that_was_found_was_asked_about() -> None:
    found = linkable("go ahead", REPORTS)
    assert "https://evil.example/b" in found and "https://meet.example/1" in found


def test_what_a_model_said_of_mails_that_nobody_asked_about_is_left_out() -> None:
    summary: dict[int, Report] = {1: Success(data=Data(kind="text", text="See https://evil.example/a", mails=(MALLORY,)))}
    (report,) = asked_about(summary, "where are the slides?").values()
    assert isinstance(report, Success) and not report.data.text and not report.data.mails
    assert "See https" not in linkable("sum up Mallory's mail", summary)


def test_contacts_are_the_users_own_and_failures_stay() -> None:
    failed = Failure(type="not_found", message="nothing there")
    reports: dict[int, Report] = {1: Success(data=Data(kind="contacts", contacts=(CARD,))), 2: failed}
    assert asked_about(reports, "hm")[2] == failed and "https://anna.example/" in linkable("hm", reports, as_said=False)


def test_the_users_own_words_vouch_for_their_links() -> None:
    assert "https://mine.example/x" in linkable("send https://mine.example/x to Tom", {}, as_said=False)
