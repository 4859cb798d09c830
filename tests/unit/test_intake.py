"""What comes in by a door: valid, in one form, and with nothing in it that nobody sees."""

from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assistant.errors import UserError
from assistant.intake import checked_actions, checked_text, none_put_back
from integrations.actions import (
    AnswerInvitation,
    CreateContact,
    CreateEvent,
    MoveMail,
    RestoreEvent,
    SaveTemplate,
    SendMail,
    UpdateEvent,
)
from integrations.common.addresses import unwritable
from integrations.types import Address, EventRef, MailRef

ANNA = Address(email="anna@north.example", name="Anna")
TAGS = "".join(chr(0xE0000 + ord(letter)) for letter in "code 482913")
EVENT = EventRef(account="home", calendar="c", id="e")
START, END = datetime(2026, 11, 18, 12, tzinfo=UTC), datetime(2026, 11, 18, 13, tzinfo=UTC)


def taken(action: Any) -> Any:
    (found,) = checked_actions([action], ["home"])
    return found


def mail(**fields: Any) -> SendMail:
    return SendMail.model_validate({"account": "home", "to": (ANNA,), "subject": "Hi", "body": "Hello", **fields})


def event(**fields: Any) -> CreateEvent:
    return CreateEvent.model_validate({"account": "home", "title": "Sync", "start": START, "end": END, **fields})


@pytest.mark.parametrize(
    "email",
    [
        "a@b.example\r\nATTENDEE:mailto:q@evil.example",
        "a@b.example\nBcc: q@evil.example",
        "alice@example.org<bob@evil.example>",
        "a@b.example, q@evil.example",
        "a@b.example\0",
        "a\u200b@b.example",
        f"a@b.example{TAGS}",
        "no address",
        "",
    ],
)
def test_what_is_no_address_is_refused_in_one_sentence(email: str) -> None:
    address = Address(email=email)
    update = UpdateEvent(account="home", event=EVENT, add_attendees=(address,))
    gone = UpdateEvent(account="home", event=EVENT, remove_attendees=(email,))
    contact = CreateContact(account="home", name="Anna", emails=(email,))
    for action in (mail(to=(ANNA, address)), mail(bcc=(address,)), event(attendees=(address,)), update, gone, contact):
        with pytest.raises(UserError) as refused:
            taken(action)
        assert str(refused.value).isprintable() and str(refused.value).count(".") < 6


def test_addresses_take_their_normal_form() -> None:
    action = mail(to=(Address(email=" Anna@NORTH.example ", name="  Anna   Berg "), Address(email="tom@xn--mnchen-3ya.example")))
    assert taken(action).to == (Address(email="anna@north.example", name="Anna Berg"), Address(email="tom@münchen.example"))


def test_a_name_that_shows_another_address_is_left_out() -> None:
    assert taken(mail(to=(Address(email="bob@evil.example", name="alice@example.org"),))).to == (Address(email="bob@evil.example"),)


HIDING = {
    "tags": f"See you{TAGS}",
    "turned": "See \u202eyou",
    "isolated": "See \u2067you",
    "a run": "See\u200b\u200c\u200d\u200byou",
    "selectors": "See" + "\ufe00\ufe01" * 8 + "you",
    "control": "See\x1b[2Jyou",
}


@pytest.mark.parametrize("text", HIDING.values(), ids=HIDING.keys())
@pytest.mark.parametrize(
    ("what", "proposed"),
    [
        ("subject", lambda text: mail(subject=text)),
        ("body", lambda text: mail(body=text)),
        ("name of a recipient", lambda text: mail(to=(Address(email="a@b.example", name=text),))),
        ("title", lambda text: event(title=text)),
        ("location", lambda text: event(location=text)),
        ("description", lambda text: event(description=text)),
        ("comment", lambda text: AnswerInvitation(account="home", event=EVENT, answer="accepted", comment=text)),
        ("note", lambda text: CreateContact(account="home", name="Anna", note=text)),
        ("name", lambda text: CreateContact(account="home", name=text)),
        ("phones", lambda text: CreateContact(account="home", name="Anna", phones=(text,))),
        ("body", lambda text: SaveTemplate(name="thanks", body=text)),
        ("folder", lambda text: MoveMail(account="home", mail=MailRef(account="home", id="1"), folder=text)),
    ],
)
def test_what_a_preview_could_not_show_is_refused_by_the_name_of_its_field(what: str, proposed: Any, text: str) -> None:
    with pytest.raises(UserError, match=f"The {what} "):
        taken(proposed(text))


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r", "\x0b", "\x1e", "\x85", "\u2028"])
@pytest.mark.parametrize("field", ["subject", "title"])
def test_what_is_one_line_has_no_other(field: str, end: str) -> None:
    action = mail(subject=f"Hi{end}Bcc: q@evil.example") if field == "subject" else event(title=f"x{end}ATTENDEE:q@evil.example")
    with pytest.raises(UserError, match=f"The {field} must be one line"):
        taken(action)


HONEST = [
    "Two lines\nand a tab\there",
    "👩\u200d👩\u200d👧 ❤\ufe0f 1\ufe0f\u20e3 🏴\U000e0067\U000e0062\U000e0077\U000e006c\U000e0073\U000e007f",
    "\u05e9\u05dc\u05d5\u05dd\u200f, Anna",
    "\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645",
    "日本語 “quoted” €",
]


@pytest.mark.parametrize("text", HONEST)
def test_honest_text_stays_letter_for_letter(text: str) -> None:
    assert taken(mail(body=text)).body == text and taken(event(description=text)).description == text


@pytest.mark.parametrize("mark", ["\u00ad", "\u200b", "\u2060", "\ufeff"])
def test_what_comes_along_with_a_copied_word_is_taken_out(mark: str) -> None:
    assert taken(mail(body=f"Donau{mark}dampf{mark}schiff")).body == "Donaudampfschiff"


def test_what_an_undo_puts_back_stays_as_its_provider_wrote_it() -> None:
    action = RestoreEvent(account="home", event=EVENT, ics=f"BEGIN:VCALENDAR\r\nSUMMARY:x{TAGS}\r\nEND:VCALENDAR\r\n")
    assert taken(action) == action


def test_only_an_undo_puts_something_back() -> None:
    action = RestoreEvent(account="home", event=EVENT, ics="BEGIN:VCALENDAR\r\nEND:VCALENDAR\r\n")
    none_put_back([action], shown=[action])
    with pytest.raises(UserError, match="Only an undo"):
        none_put_back([action.model_copy(update={"ics": "BEGIN:VCALENDAR\r\nSUMMARY:x\r\nEND:VCALENDAR\r\n"})], shown=[action])
    with pytest.raises(UserError, match="Only an undo"):
        none_put_back([mail(), action])


@given(st.text(max_size=40), st.text(max_size=40))
def test_whatever_is_taken_may_be_written(email: str, name: str) -> None:
    try:
        action = taken(mail(to=(Address(email=email, name=name),)))
    except UserError:
        return
    assert not any(map(unwritable, action.to))


def test_of_the_users_own_words_only_what_is_seen_is_taken() -> None:
    assert checked_text(f" write to Anna{TAGS}\u202e that\u200b I come\ufeff ", "message") == "write to Anna that I come"
    assert checked_text("\u202a+49 170 1234567\u202c", "message") == "+49 170 1234567"


def test_words_of_which_nothing_is_seen_are_none() -> None:
    with pytest.raises(UserError, match="nothing in this message"):
        checked_text(TAGS, "message")
