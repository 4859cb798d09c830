"""What is asked and wanted of mails that are scheduled."""

import pytest

from assistant.reasoning.offline.planning.outbox import outbox_command
from assistant.values import ShowOutbox, Withdraw


@pytest.mark.parametrize(
    "text",
    [
        "what is scheduled to go out?", "What's waiting to go out?", "which mails are scheduled?", "show me the scheduled mails",
        "list my scheduled emails", "is anything scheduled to be sent", "do I have any scheduled mails?",
    ],
)  # fmt: skip
def test_what_is_scheduled_is_asked_for(text: str) -> None:
    assert outbox_command(text) == ShowOutbox()


@pytest.mark.parametrize(
    ("text", "words", "every"),
    [
        ("cancel the scheduled mail to Helena", ("Helena",), False),
        ("don't send the scheduled mail to Helena", ("Helena",), False),
        ("please cancel the scheduled reply to Felix about the budget", ("Felix", "budget"), False),
        ("stop the scheduled mail", (), False),
        ("cancel all scheduled mails", (), True),
    ],
)
def test_a_scheduled_mail_is_called_off_by_its_people_and_its_subject(text: str, words: tuple[str, ...], every: bool) -> None:
    assert outbox_command(text) == Withdraw(words=words, every=every)


@pytest.mark.parametrize(
    "text",
    [
        "what is scheduled?", "what is scheduled for tomorrow?", "cancel my scheduled meetings", "cancel the mail", "cancel",
        "which mails are waiting for an answer?", "which replies are due?", "what did the scheduled mail say about me?",
    ],
)  # fmt: skip
def test_what_speaks_of_something_else_is_none(text: str) -> None:
    assert outbox_command(text) is None
