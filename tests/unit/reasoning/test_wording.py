"""Reports in words: numbered lists, understood times, plain empty results, and nothing that no report says."""

from datetime import datetime
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assistant.reasoning.base import Account, Setting
from assistant.reasoning.offline.saying.wording import reply_for, words
from assistant.values import (
    Ambiguity,
    Clash,
    ContextBox,
    Criterion,
    Data,
    Failure,
    Partial,
    Proposal,
    Slot,
    Step,
    Success,
    When,
)
from integrations.actions import SendMail
from integrations.types import Address, Attachment, Attendee, Contact, Event, Mail

BERLIN = ZoneInfo("Europe/Berlin")
NOW = datetime(2026, 11, 21, 10, 0, tzinfo=BERLIN)
ANNA = Address(email="anna@berg.example", name="Anna Berg")
TOM = Address(email="tom@work.example")
ME = Address(email="max@home.example", name="Max Muster")


def at(day: int, hour: int, minute: int = 0) -> datetime:
    return datetime(2026, 11, day, hour, minute, tzinfo=BERLIN)


def mail(**fields: Any) -> Mail:
    known = {"account": "home", "id": "m", "etag": "e", "folder": "INBOX", "date": at(20, 14, 5), "subject": "Plans"}
    return Mail(**{"sender": ANNA, "to": (ME,), **known, **fields})


def event(**fields: Any) -> Event:
    known = {"account": "home", "calendar": "c", "id": "e", "etag": "v", "uid": "u", "title": "Standup", "zone": "Europe/Berlin"}
    return Event(**{"start": at(22, 9), "end": at(22, 9, 30), **known, **fields})


def contact(**fields: Any) -> Contact:
    known = {"account": "home", "id": "c", "etag": "k", "uid": "cu", "name": "Anna Berg", "emails": (ANNA.email,)}
    return Contact(**{**known, **fields})


def said(data: Data, me: frozenset[str] = frozenset()) -> list[str]:
    """The lines, with dashes as hyphens."""
    return words(data, now=NOW, zone=BERLIN, me=me).replace("\u2013", "-").splitlines()


# --- mails


def test_mails_are_numbered_with_who_and_when():
    mails = (mail(unread=True), mail(subject="", date=at(21, 8)), mail(date=datetime(2025, 3, 1, 9, tzinfo=BERLIN)))
    assert said(Data(kind="mails", mails=mails, heading="mails from Anna Berg, 9-15 November")) == [
        "Mails from Anna Berg, 9-15 November (3):",
        "1. Plans - Anna Berg, yesterday 14:05 (unread)",
        "2. (no subject) - Anna Berg, today 08:00",
        "3. Plans - Anna Berg, Sat 1 Mar 2025 09:00",
    ]


def test_ten_of_many_are_shown_and_the_rest_is_counted():
    lines = said(Data(kind="mails", mails=tuple(mail() for _ in range(15)), total=57, heading="mails from Anna"))
    assert lines[0] == "Mails from Anna (showing 10 of 57):"
    assert lines[-1].startswith("10. ")


def test_a_mail_that_the_user_sent_names_who_it_went_to():
    by_folder, by_sender = mail(folder="Sent", sender=ME, to=(TOM,)), mail(folder="Archive", sender=ME, to=(ANNA, TOM))
    lines = said(Data(kind="mails", mails=(by_folder, by_sender)), me=frozenset({ME.email}))
    assert "to tom@work.example" in lines[1]
    assert "to Anna Berg and tom@work.example" in lines[2]


def test_marks_and_attachments_stand_behind_a_mail():
    one = Attachment(part="2", filename="plan.pdf", content_type="application/pdf", size=9)
    assert said(Data(kind="mails", mails=(mail(flagged=True, attachments=(one, one)),)))[1].endswith("(flagged, 2 attachments)")


def test_reasons_stand_with_their_mails():
    lines = said(
        Data(kind="mails", mails=(mail(), mail()), reasons=("asks you something", ""), heading="mails that need your attention")
    )
    assert lines[1] == "1. Plans - Anna Berg, yesterday 14:05: asks you something"
    assert lines[2] == "2. Plans - Anna Berg, yesterday 14:05"


def test_a_line_break_in_a_subject_cannot_forge_a_line():
    lines = said(Data(kind="mails", mails=(mail(subject="Hi\n2. Other mail"),)))
    assert len(lines) == 2


def test_a_mail_cannot_send_orders_to_the_terminal():
    sly = mail(
        subject="Hi\x1b[2J", sender=Address(email="sly@evil.example", name="A\x1b]0;x\x07"), body="one\x1b[31m\r\ntwo\x08\n\tthree"
    )
    lines = said(Data(kind="mails", mails=(sly,)))
    assert all(line.replace("\t", "").isprintable() for line in lines)
    assert lines[-3:] == ["one[31m", "two", "\tthree"]


def test_one_mail_is_read_in_full():
    assert said(Data(kind="mails", mails=(mail(body="Hello Max\nsee you"),))) == [
        "Plans",
        "From: Anna Berg <anna@berg.example>",
        "To: Max Muster",
        "Date: Friday 20 Nov (yesterday), 14:05",
        "",
        "Hello Max",
        "see you",
    ]


def test_several_mails_are_read_one_by_one_and_a_cut_is_said():
    lines = said(Data(kind="mails", mails=(mail(body="short"), mail(body="x" * 1300)), heading="the last two mails"))
    assert lines[0] == "The last two mails (2):"
    assert lines[1] == "1. Plans"
    assert "2. Plans" in lines
    assert lines[-1] == "[100 more characters]"


def test_sample_data_is_marked_as_a_sample():
    assert "sample" in said(Data(kind="mails", mails=(mail(sample=True),)))[0]
    assert "sample" in said(Data(kind="mails", mails=(mail(sample=True, body="x"),)))[0]
    assert "sample" in said(Data(kind="events", events=(event(sample=True),)))[0]
    assert "sample" in said(Data(kind="contacts", contacts=(contact(sample=True),)))[0]
    assert "sample" not in said(Data(kind="mails", mails=(mail(sample=True), mail())))[0]


# --- nothing found


@pytest.mark.parametrize(
    ("data", "line"),
    [
        (Data(kind="mails", heading="mails from Anna about zebras"), "I found no mails from Anna about zebras."),
        (
            Data(kind="mails", heading="your mails to Anna without an answer"),
            "I found none of your mails to Anna without an answer.",
        ),
        (Data(kind="mails", heading="the last mail from Anna"), "I did not find the last mail from Anna."),
        (Data(kind="events", heading="events, Sat 21 Nov"), "I found no events, Sat 21 Nov."),
        (Data(kind="contacts"), "I found no contact."),
        (Data(kind="slots", heading="free slots of 1 hour, Tue 24 Nov"), "I found no free slots of 1 hour, Tue 24 Nov."),
        (Data(kind="clashes", heading="conflicts, Thu 26 Nov"), "I found no conflicts, Thu 26 Nov."),
        (Data(kind="templates"), "You have no reply templates yet."),
        (Data(kind="nothing", text="Nothing in your mail answers this.", heading="when?"), "Nothing in your mail answers this."),
    ],
)
def test_finding_nothing_is_said_with_what_was_looked_for(data, line):
    assert said(data) == [line]


# --- events and times


def test_events_stand_under_their_days_and_are_numbered_through():
    events = (
        event(),
        event(title="Lunch", start=at(22, 12), end=at(22, 13)),
        event(title="Review", start=at(27, 15), end=at(27, 16)),
    )
    assert said(Data(kind="events", events=events, heading="events, 22-28 November")) == [
        "Events, 22-28 November (3):",
        "Sunday 22 Nov (tomorrow)",
        "1. 09:00-09:30 Standup",
        "2. 12:00-13:00 Lunch",
        "Friday 27 Nov",
        "3. 15:00-16:00 Review",
    ]


def test_the_other_zone_is_named_only_where_it_differs():
    abroad = event(zone="America/New_York", start=at(22, 15), end=at(22, 16))
    assert said(Data(kind="events", events=(abroad,)))[-1] == "1. 15:00-16:00 (New York 09:00) Standup"
    for near in ("Europe/Paris", "UTC", "", "Nowhere/Land"):
        assert said(Data(kind="events", events=(event(zone=near),)))[-1] == "1. 09:00-09:30 Standup"


def test_place_company_and_an_open_answer_are_told_without_oneself():
    people = tuple(Attendee(address=one) for one in (ME, ANNA, TOM))
    meeting = event(location="Room A", organizer=ANNA, attendees=people, my_answer="needs-action")
    line = said(Data(kind="events", events=(meeting,)), me=frozenset({ME.email}))[-1]
    assert line == "1. 09:00-09:30 Standup, Room A, with Anna Berg and tom@work.example (not answered yet)"


def test_all_day_and_overnight_events():
    one = event(all_day=True, start=at(27, 0), end=at(28, 0))
    three = event(all_day=True, start=at(27, 0), end=at(30, 0))
    night = event(start=at(27, 22), end=at(28, 6))
    lines = said(Data(kind="events", events=(one, three, night)))
    assert [line for line in lines[1:] if line[0].isdigit()] == [
        "1. all day: Standup",
        "2. all day until Sun 29 Nov: Standup",
        "3. 22:00 - Sat 28 Nov 06:00 Standup",
    ]
    assert lines[0] == "3 events:"


def test_free_times_name_their_day():
    slots = (Slot(start=at(24, 9), end=at(24, 11)), Slot(start=at(21, 14), end=at(21, 15)))
    assert said(Data(kind="slots", slots=slots, total=9, heading="free slots of 1 hour")) == [
        "Free slots of 1 hour (showing 2 of 9):",
        "1. Tuesday 24 Nov, 09:00-11:00",
        "2. Saturday 21 Nov (today), 14:00-15:00",
    ]


def test_conflicts_name_both_events():
    clash = Clash(first=event(), second=event(title="Dentist", start=at(22, 9, 15), end=at(22, 10)))
    assert said(Data(kind="clashes", clashes=(clash,)))[1] == (
        "1. Sunday 22 Nov (tomorrow): Standup (09:00-09:30) and Dentist (09:15-10:00)"
    )


# --- yes, no and numbers


def test_whether_a_time_is_free():
    free = Data(kind="text", truth=True, heading="Thu 26 Nov, 15:00-15:30")
    taken = Data(kind="text", truth=False, heading="Sun 22 Nov, 09:00-09:30", events=(event(),))
    assert said(free) == ["Yes, Thu 26 Nov, 15:00-15:30 is free."]
    assert said(taken) == ["No, Sun 22 Nov, 09:00-09:30 is not free:", "Sunday 22 Nov (tomorrow)", "1. 09:00-09:30 Standup"]


def test_a_question_answered_by_what_was_found_begins_with_yes_or_no():
    yes = Data(kind="mails", mails=(mail(),), truth=True, heading="mails from Anna, the past 4 days")
    no = Data(kind="mails", truth=False, heading="mails from Anna, the past 4 days")
    assert said(yes)[0] == "Yes. Mails from Anna, the past 4 days (1):"
    assert said(no) == ["No. I found no mails from Anna, the past 4 days."]


def test_a_text_that_says_yes_itself_is_not_doubled():
    assert said(Data(kind="text", truth=True, text="Yes, on Friday.")) == ["Yes, on Friday."]
    assert said(Data(kind="text", truth=False, text="Nothing came.")) == ["No. Nothing came."]


@pytest.mark.parametrize("count", [0, 1, 57])
def test_a_count_is_told_with_what_was_counted(count):
    assert said(Data(kind="count", count=count, mails=(mail(),), heading="mails from Tom this week")) == [
        f"Mails from Tom this week: {count}."
    ]


# --- people and texts


def test_one_contact_is_a_card_and_several_a_list():
    full = contact(phones=("+49 30 1", "+49 30 2"), company="Acme", title="CTO", note="likes\ntea")
    assert said(Data(kind="contacts", contacts=(full,))) == [
        "Anna Berg",
        "Address: anna@berg.example",
        "Phone: +49 30 1, +49 30 2",
        "Company: Acme",
        "Title: CTO",
        "Note: likes tea",
    ]
    assert said(Data(kind="contacts", contacts=(full, contact(name="Tom Lee", emails=())), heading="contacts at Acme")) == [
        "Contacts at Acme (2):",
        "1. Anna Berg, anna@berg.example, +49 30 1, +49 30 2, Acme, CTO",
        "2. Tom Lee",
    ]


def test_one_address_stands_alone_and_several_are_numbered():
    assert said(Data(kind="addresses", addresses=(ANNA,))) == ["Anna Berg <anna@berg.example>"]
    assert said(Data(kind="addresses", addresses=(ANNA, TOM), heading="members of Team")) == [
        "Members of Team (2):",
        "1. Anna Berg <anna@berg.example>",
        "2. tom@work.example",
    ]


def test_an_answer_from_a_mail_names_its_source():
    data = Data(kind="text", text="The reunion is on 5 December.", mails=(mail(),), heading="when is the reunion?")
    assert said(data) == ["The reunion is on 5 December.", "Source: “Plans”, Anna Berg, yesterday"]


def test_a_summary_says_of_what():
    data = Data(kind="text", text="Two plans.", mails=(mail(), mail()), heading="summary of unread mails")
    assert said(data) == ["Summary of unread mails:", "Two plans."]


def test_proposals_are_told_by_what_they_say():
    one = Proposal(action=SendMail(account="home"), says="send a mail to Anna")
    assert said(Data(kind="proposals", proposals=(one,)))[-1] == "1. send a mail to Anna"


texts = st.text(max_size=30)
kinds = st.sampled_from(
    ["mails", "events", "contacts", "addresses", "slots", "clashes", "count", "text", "proposals", "templates", "nothing"]
)


@given(kind=kinds, truth=st.none() | st.booleans(), heading=texts, text=texts, subject=texts, number=st.integers(0, 12))
def test_any_data_can_be_worded_and_lists_count_on(kind, truth, heading, text, subject, number):
    data = Data(
        kind=kind,
        truth=truth,
        heading=heading,
        text=text,
        mails=tuple(mail(subject=subject) for _ in range(number)),
        events=tuple(event(title=subject) for _ in range(number)),
    )
    lines = said(data)
    assert kind in ("text", "nothing", "templates") or lines
    if kind in ("mails", "events") and number:
        marks = [line.partition(". ")[0] for line in lines[1:] if line.partition(". ")[0].isdigit()]
        assert marks == [str(n) for n in range(1, min(number, 10 if kind == "mails" else 25) + 1)]


# --- a whole flow


def step(number: int, *needs: int, when: When | None = None) -> Step:
    return Step(id=number, agent="email", instruction="look", criterion=Criterion(words="an answer"), needs=needs, when=when)


def reply(*pairs: tuple[Step, Any]) -> str:
    return reply_for(
        Account(
            text="x",
            box=ContextBox(),
            steps=tuple(one for one, _ in pairs),
            reports={one.id: report for one, report in pairs if report is not None},
            setting=Setting(now=NOW, zone=BERLIN, me=(ME,)),
        )
    )


COUNTED = Success(data=Data(kind="count", count=4, heading="unread mails"))
FREE = Success(data=Data(kind="text", truth=True, heading="Thu 26 Nov, 15:00-15:30"))


def test_answers_stand_in_the_order_of_the_steps():
    assert reply((step(1), COUNTED), (step(2), FREE)) == "Unread mails: 4.\n\nYes, Thu 26 Nov, 15:00-15:30 is free."


def test_limitations_are_noted_after_their_answer():
    partial = Partial(data=Data(kind="count", count=4, heading="unread mails"), limitations=("2 items could not be read",))
    assert reply((step(1), partial)) == "Unread mails: 4.\nNote: 2 items could not be read."


@pytest.mark.parametrize(
    ("kind", "message", "told"),
    [
        ("api_down", "home is out of reach", "Home is out of reach. Try again in a moment."),
        ("auth_expired", "the sign-in has run out", "The sign-in has run out. Connect the account again, then ask once more."),
        ("not_found", "There is no group called team.", "There is no group called team."),
        ("too_many", "That would be 300 mails. Please narrow it down.", "That would be 300 mails. Please narrow it down."),
        ("rate_limited", "Too many requests; try again later", "Too many requests; try again later."),
        ("api_down", "", "That did not work. Try again in a moment."),
    ],
)
def test_an_error_is_told_plainly_with_what_to_do(kind, message, told):
    assert reply((step(1), Failure(type=kind, message=message, context={"trace": "secret"}))) == told


def test_one_failed_step_does_not_hide_the_others():
    failed = Failure(type="not_found", message="There is no Zed.")
    assert reply((step(1), failed), (step(2), COUNTED)) == "There is no Zed.\n\nUnread mails: 4."


def test_proposals_are_left_to_the_preview_but_their_limits_are_told():
    data = Data(kind="proposals", proposals=(Proposal(action=SendMail(account="home"), says="send it"),))
    assert reply((step(1), Success(data=data))) == ""
    assert reply((step(1), Partial(data=data, limitations=("Eva has no address",)))) == "Note: Eva has no address."


def test_a_look_up_for_another_step_is_not_told_but_a_condition_is():
    looked = Success(data=Data(kind="addresses", addresses=(ANNA,)))
    assert reply((step(1), looked), (step(2, 1), COUNTED)) == "Unread mails: 4."
    condition = step(2, 1, when=When(step=1, holds=True))
    assert reply((step(1), FREE), (condition, COUNTED)).startswith("Yes, Thu 26 Nov")


def test_a_look_up_is_told_where_the_step_it_was_for_did_not_run():
    looked = Success(data=Data(kind="addresses", addresses=(ANNA,)))
    assert reply((step(1), looked), (step(2, 1), None)) == "Anna Berg <anna@berg.example>"


def test_an_open_question_is_left_to_the_question():
    open_one = Partial(data=Data(ambiguity=Ambiguity(entity="David", question="Which David?")), limitations=())
    assert reply((step(1), open_one)) == ""


def test_nothing_reported_is_nothing_said():
    assert reply((step(1), None)) == ""
