"""What a copy has otherwise than was approved, in words; and what is no difference."""

from datetime import UTC, datetime

import pytest

from integrations.actions import CreateEvent, SaveDraft, SendMail, UpdateEvent
from integrations.common.as_approved import Copy, guests_beside, of_event, of_mail, told
from integrations.types import Address, Attachment, Attendee, Event, EventRef, MailRef

ANNA, BOSS, EVE = (Address(email=f"{name}@x.example") for name in ("anna", "boss", "eve"))
MAIL = SendMail(account="a", to=(ANNA,), bcc=(BOSS,), subject="Plan B", body="Pay 4.500 to\nhttps://a.example/x.")
COPY = Copy((ANNA,), (), (BOSS,), "Plan B", "Pay 4.500 to https://a.example/x.\n\n", ())
PDF = Attachment(part="2", filename="a.pdf", content_type="application/pdf", size=20_000)
AT = datetime(2026, 11, 20, 12, tzinfo=UTC)
LUNCH = CreateEvent(account="a", title="Lunch", start=AT, end=AT.replace(hour=13), attendees=(ANNA,))


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({"bcc": (BOSS, EVE)}, "it also went to eve@x.example"),
        ({"to": (ANNA, BOSS)}, "everybody sees that boss@x.example got it too"),
        ({"to": ()}, "it does not name anna@x.example"),
        ({"to": (), "cc": (ANNA,)}, "anna@x.example got it in another way (Cc)"),
        ({"subject": "Plan C"}, "its subject is “Plan C”"),
        ({"text": "Pay 45.00 to https://a.example/x."}, "its text is not the one that you approved"),
        ({"text": COPY.text + " Thanks!"}, "its text is not the one that you approved"),
        ({"attachments": (PDF,)}, "it carries a.pdf, which was not approved"),
    ],
    ids=str,
)
def test_a_difference_is_named(changed: dict[str, object], words: str) -> None:
    assert told(of_mail(MAIL, COPY._replace(**changed))) == words


@pytest.mark.parametrize(
    "changed", [{}, {"bcc": ()}, {"subject": "Plan  B"}, {"text": "Pay\r\n4.500 to\nhttps://a.example/x."}], ids=str
)
def test_what_providers_do_to_any_mail_is_no_difference(changed: dict[str, object]) -> None:
    assert of_mail(MAIL, COPY._replace(**changed)) == ()


def test_a_forward_carries_what_the_original_did_and_no_more() -> None:
    action = MAIL.model_copy(update={"forward_of": MailRef(account="a", id="1")})
    copy = COPY._replace(text=f"{COPY.text}--- Forwarded ---\nold text", attachments=(PDF,))
    assert of_mail(action, copy, (PDF,)) == ()
    assert told(of_mail(action, copy._replace(attachments=()), (PDF,))) == "it lacks a.pdf"
    other = PDF.model_copy(update={"size": 90_000})
    assert told(of_mail(action, copy._replace(attachments=(other,)), (PDF,))) == "a.pdf is not of the size that was approved"


def test_of_a_draft_nothing_is_told_as_sent() -> None:
    draft = SaveDraft(account="a", subject=MAIL.subject, body=MAIL.body, to=(ANNA,))
    assert told(of_mail(draft, COPY)) == "it also names boss@x.example"


def event(**changed: object) -> Event:
    given = {"account": "a", "calendar": "c", "id": "1", "etag": "e", "uid": "u", "title": "Lunch", "start": AT, "end": LUNCH.end}
    return Event.model_validate({**given, "attendees": (Attendee(address=ANNA),), **changed})


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({}, ""),
        ({"attendees": (Attendee(address=ANNA), Attendee(address=BOSS))}, ""),
        ({"attendees": (Attendee(address=ANNA), Attendee(address=EVE))}, "it also invites eve@x.example"),
        ({"attendees": ()}, "it does not invite anna@x.example"),
        ({"title": "Dinner"}, "its title is “Dinner”"),
        ({"end": AT.replace(hour=15)}, "it ends 20 November 2026, 15:00"),
    ],
    ids=str,
)
def test_an_event_is_held_against_what_was_approved(changed: dict[str, object], words: str) -> None:
    assert told(of_event(LUNCH, event(**changed), BOSS.email)) == words


def test_of_a_change_only_what_it_names_is_looked_at() -> None:
    action = UpdateEvent(
        account="a", event=EventRef(account="a", calendar="c", id="1"), title="Lunch", remove_attendees=("EVE@x.example",)
    )
    assert of_event(action, event(location="anywhere"), BOSS.email) == ()
    still = event(attendees=(Attendee(address=EVE),))
    assert told(of_event(action, still, BOSS.email)) == "it also invites eve@x.example"
    assert guests_beside(["a@x.example"], ["A@x.example", "me@x.example", ""], "me@x.example") == ()
