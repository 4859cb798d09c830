"""Which mails ask for a thing."""

from datetime import UTC, datetime

import pytest

from assistant.agents.sifting import asks
from integrations.types import Address, Mail

REPORT = ("report",)


def mail(body: str, subject: str = "Hello") -> Mail:
    sender = Address(email="tom@acme.example", name="Tom Reed")
    at = datetime(2026, 11, 18, tzinfo=UTC)
    return Mail(account="local", id="1", etag="e", folder="INBOX", subject=subject, sender=sender, date=at, body=body)


@pytest.mark.parametrize(
    "body",
    [
        "Could you send me the report?",
        "Hi,\n\nplease share the reports with us.\n\nTom",
        "May I have the quarterly report? I need it for Thursday.",
        "I'd like to ask for the report.",
        "We still need the report.",
        "I am waiting for the report.",
    ],
)
def test_a_mail_asks_in_a_sentence_of_its_own(body):
    assert asks(mail(body), REPORT)


def test_the_subject_may_say_what_is_asked_for():
    assert asks(mail("Could you send it to me by Friday?", subject="Report"), REPORT)


@pytest.mark.parametrize(
    "body",
    [
        "Here is the report you asked for.",
        "The report was a pleasure to read. Thank you!",
        "Shall we have lunch on Friday? I have read the report.",
        "Read the report on our website.",
        "Sounds good.\n\nOn 17 November Anna wrote:\n> Could you send me the report?",
    ],
)
def test_a_mail_that_only_speaks_of_it_does_not_ask_for_it(body):
    assert not asks(mail(body), REPORT)


def test_a_question_about_it_asks_about_it():
    question = mail("Did you like the report?")
    assert asks(question, REPORT, about=True) and not asks(question, REPORT)
