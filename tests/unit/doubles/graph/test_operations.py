"""What is emulated is told in full: which permission it needs, and which models its bodies are held to."""

import pytest
from doubles.graph.operations import OPERATIONS
from doubles.graph.schema import model
from doubles.graph.scopes import KNOWN, needed


@pytest.mark.parametrize("name", sorted({*OPERATIONS.models.values(), *OPERATIONS.answers.values()}))
def test_a_model_is_the_sdks(name: str) -> None:
    assert model(name).fields


def test_models_are_told_of_what_is_emulated() -> None:
    assert {*OPERATIONS.models, *OPERATIONS.answers} <= set(OPERATIONS.handlers)


@pytest.mark.parametrize("operation", sorted(name for name in OPERATIONS.handlers if not name.startswith("PUT /upload")))
def test_an_operation_needs_a_permission(operation: str) -> None:
    assert needed(operation) and needed(operation) <= KNOWN


@pytest.mark.parametrize(
    ("operation", "scope"),
    [
        ("GET /me/messages/{message}", "Mail.Read"),
        ("PATCH /me/messages/{message}", "Mail.ReadWrite"),
        ("POST /me/messages/{message}/send", "Mail.Send"),
        ("POST /me/events/{event}/cancel", "Calendars.ReadWrite"),
        ("POST /me/calendar/getSchedule", "Calendars.Read"),
        ("DELETE /me/contacts/{contact}", "Contacts.ReadWrite"),
        ("GET /me/mailboxSettings", "MailboxSettings.Read"),
    ],
)
def test_reading_needs_less_than_writing(operation: str, scope: str) -> None:
    assert scope in needed(operation)


def test_who_may_write_mail_may_not_send_it() -> None:
    assert "Mail.ReadWrite" not in needed("POST /me/messages/{message}/send")
    assert "Mail.Read" not in needed("DELETE /me/messages/{message}")
