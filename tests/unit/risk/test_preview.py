"""What a preview shows: recipients, before and after, and what differs from an earlier one."""

from collections.abc import Iterable
from datetime import UTC, timedelta
from typing import Any

import pytest

from integrations.actions import (
    AnswerInvitation,
    CancelEvent,
    CreateEvent,
    DeleteContact,
    DeleteDraft,
    DeleteTemplate,
    MarkMail,
    MoveMail,
    RestoreContact,
    RestoreEvent,
    SaveTemplate,
    SendMail,
    UpdateContact,
    UpdateEvent,
)
from integrations.types import Attendee
from risk.changes import changes_of
from risk.matrix import Rating
from risk.preview import Change, Preview, Proposed, differences, fingerprint, make_preview
from risk.sayings import clause
from risk.times import DASH


def preview(world: Any, evidence: Any, *actions: Any, level: Any = "high", says: str = "does it") -> Preview:
    return make_preview(
        id="p1",
        flow="f1",
        conversation="c1",
        proposed=[Proposed(action=action, says=says) for action in actions],
        rating=Rating(level=level, reasons=("because",)),
        evidence=evidence,
        now=world.now,
    )


def told(action: Any, evidence: Any) -> list[tuple[str, str, str]]:
    return plain(changes_of(action, evidence))


def plain(changes: Iterable[Change]) -> list[tuple[str, str, str]]:
    """Dashes are written as hyphens here."""
    return [(one.field, one.before.replace(DASH, "-"), one.after.replace(DASH, "-")) for one in changes]


def update(world: Any, **fields: Any) -> UpdateEvent:
    return UpdateEvent(account="home", event=world.event_ref, **fields)


def test_a_preview_carries_level_reasons_fingerprint_and_expiry(world):
    mail = SendMail(account="home", to=(world.anna,))
    shown = preview(world, world.evidence(), mail)
    assert (shown.level, shown.reasons, shown.status) == ("high", ("because",), "open")
    assert shown.fingerprint == fingerprint([mail])
    assert shown.expires - shown.created == timedelta(days=7)
    assert shown.actions == (mail,)


def test_a_preview_carries_warnings_and_where_things_came_from(world):
    mail = SendMail(account="home", to=(world.anna,), body="see https://shop.example/sale")
    rating = Rating(level="medium", reasons=("because", "careful"), warnings=("careful",))
    shown = make_preview(
        id="p1",
        flow="f",
        conversation="c",
        proposed=[Proposed(action=mail)],
        rating=rating,
        evidence=world.evidence(),
        now=world.now,
    )
    assert shown.warnings == ("careful",)
    assert [(trace.kind, trace.source, trace.known) for trace in shown.items[0].traces] == [("link", "nowhere", False)]


def test_a_note_that_a_warning_says_again_is_left_out(world):
    swim = CreateEvent(account="home", title="Swim", start=world.at(23, 15), end=world.at(23, 16))
    notes = (
        "collides with Budget review, Mon 23 Nov, 15:00",
        'there is already a "Swim" at that time',
        "collides with Run, Mon",
        "free",
    )
    guesses = ("that time is in the past", "an hour")
    warnings = (
        "it collides with “Budget review”, Mon",
        "there is already an event “Swim”, Mon",
        "it is in the past: “Swim”",
    )
    shown = make_preview(
        id="p1",
        flow="f",
        conversation="c",
        proposed=[Proposed(action=swim, notes=notes, guesses=guesses)],
        rating=Rating(level="medium", reasons=warnings, warnings=warnings),
        evidence=world.evidence(),
        now=world.now,
    )
    assert shown.items[0].notes == ("collides with Run, Mon", "free")
    assert shown.items[0].guesses == ("an hour",)


def test_a_new_warning_is_a_difference(world):
    mail = SendMail(account="home", to=(world.anna,))
    old = preview(world, world.evidence(), mail)
    new = old.model_copy(update={"warnings": ("careful",)})
    assert differences(old, new) == (Change(field="Warning", before="", after="careful"),)
    assert differences(new, new) == ()


def test_a_preview_of_an_earlier_version_loads(world):
    shown = preview(world, world.evidence(), SendMail(account="home", to=(world.anna,)))
    older = shown.model_dump(mode="json", exclude={"warnings": True, "items": {"__all__": {"traces"}}})
    assert Preview.model_validate(older) == shown


def test_a_preview_survives_storing(world):
    shown = preview(world, world.evidence(world.meeting(world.tom)), update(world, start=world.at(23, 16)))
    loaded = Preview.model_validate_json(shown.model_dump_json())
    assert loaded == shown
    assert fingerprint(loaded.actions) == shown.fingerprint


def test_each_item_names_its_recipients_with_their_origin(world):
    (item,) = preview(world, world.evidence(), SendMail(account="home", to=(world.anna,), bcc=(world.stranger,))).items
    assert [(one.address.name, one.line, one.known) for one in item.recipients] == [
        ("Anna Berg", "to", True),
        ("Mallory", "bcc", False),
    ]


def test_an_item_without_words_of_its_own_says_what_it_does(world):
    (item,) = preview(world, world.evidence(), SendMail(account="home"), says="").items
    assert item.says == "sends a new mail"


def test_a_moved_event_shows_its_time_before_and_after(world):
    moved = update(world, start=world.at(23, 16), end=world.at(23, 17))
    assert told(moved, world.evidence(world.event())) == [("Time", "Mon 23 Nov, 15:00-16:00", "Mon 23 Nov, 16:00-17:00")]


def test_a_new_start_alone_keeps_the_end(world):
    assert told(update(world, start=world.at(23, 14)), world.evidence(world.event())) == [
        ("Time", "Mon 23 Nov, 15:00-16:00", "Mon 23 Nov, 14:00-16:00")
    ]


def test_times_stand_in_the_users_zone(world):
    event = world.event(start=world.at(23, 15).astimezone(UTC), end=world.at(23, 16).astimezone(UTC))
    longer = update(world, end=world.at(24, 1).astimezone(UTC))
    assert told(longer, world.evidence(event)) == [("Time", "Mon 23 Nov, 15:00-16:00", "Mon 23 Nov, 15:00 - Tue 24 Nov, 01:00")]


def test_all_day_spans_name_their_last_day_and_another_year(world):
    day = world.event(start=world.at(23, 0), end=world.at(24, 0), all_day=True)
    longer = update(world, end=world.at(26, 0))
    assert told(longer, world.evidence(day)) == [("Time", "Mon 23 Nov, all day", "Mon 23 Nov - Wed 25 Nov, all day")]
    later = update(world, start=world.at(23, 0).replace(year=2027), end=world.at(24, 0).replace(year=2027))
    assert told(later, world.evidence(day))[0][2] == "Tue 23 Nov 2027, all day"


def test_title_place_notes_and_attendees_are_told(world):
    event = world.meeting(world.tom, location="Room A")
    change = update(
        world,
        title="Review",
        location="Room B",
        description="bring it",
        add_attendees=(world.anna,),
        remove_attendees=(world.tom.email,),
    )
    assert told(change, world.evidence(event)) == [
        ("Title", "Budget review", "Review"),
        ("Place", "Room A", "Room B"),
        ("Notes", "", "bring it"),
        (
            "Attendees",
            "Max Muster <max@home.example>, Tom Lee <tom@work.example>",
            "Anna Berg <anna@berg.example>, Max Muster <max@home.example>",
        ),
    ]


def test_what_stays_the_same_is_no_change(world):
    assert told(update(world, title="Budget review", start=world.at(23, 15)), world.evidence(world.event())) == []


def test_mails_show_folder_and_marks(world):
    evidence = world.evidence(world.mail(unread=True))
    trash = MoveMail(account="home", mail=world.mail_ref, folder="Trash")
    mark = MarkMail(account="home", mail=world.mail_ref, seen=True, flagged=True)
    assert told(trash, evidence) == [("Folder", "Inbox", "Trash")]
    assert told(mark, evidence) == [("Read", "unread", "read"), ("Flag", "not flagged", "flagged")]
    assert told(DeleteDraft(account="home", mail=world.mail_ref), evidence) == [("Draft", "Plans", "deleted")]


def test_what_could_not_be_seen_is_said_to_be_not_known(world):
    trash = MoveMail(account="home", mail=world.mail_ref, folder="Trash")
    assert told(trash, world.evidence()) == [("Folder", "not known", "Trash")]
    assert told(update(world, title="x"), world.evidence()) == [("Title", "not known", "x")]
    moved = update(world, start=world.at(23, 16))
    assert told(moved, world.evidence())[0][1:] == ("not known", "Mon 23 Nov, 16:00 - not known")


def test_cancelling_and_answering_show_the_event(world):
    evidence = world.evidence(world.event(my_answer="needs-action"))
    cancel = CancelEvent(account="home", event=world.event_ref)
    answer = AnswerInvitation(account="home", event=world.event_ref, answer="tentative")
    assert told(cancel, evidence) == [("Event", "Budget review, Mon 23 Nov, 15:00-16:00", "cancelled")]
    assert told(answer, evidence) == [("Your answer", "not answered", "maybe")]
    series = world.evidence(world.event(series=True))
    assert told(cancel, series)[0][0] == "Series"


def test_what_is_told_with_a_cancellation_or_an_answer_is_shown_and_approved(world):
    evidence = world.evidence(world.event(my_answer="needs-action"))
    silent = CancelEvent(account="home", event=world.event_ref)
    for action in (silent, AnswerInvitation(account="home", event=world.event_ref, answer="declined")):
        told_too = action.model_copy(update={"comment": "I am ill."})
        assert told(told_too, evidence)[1:] == [("Message", "", "I am ill.")]
        assert fingerprint([told_too]) != fingerprint([action])


def test_a_guest_who_leaves_is_shown_what_goes_and_that_words_reach_nobody(world):
    evidence = world.evidence(world.event(guest=True))
    left = CancelEvent(account="home", event=world.event_ref, comment="I am ill.")
    assert told(left, evidence) == [
        ("Event", "Budget review, Mon 23 Nov, 15:00-16:00", "gone from your calendar only"),
        ("Message", "I am ill.", "told to nobody"),
    ]
    assert clause(left, evidence).endswith("from your calendar")


def test_contacts_show_each_field_before_and_after(world):
    evidence = world.evidence(world.contact())
    change = UpdateContact(account="home", contact=world.contact_ref, phones=("+49 30 2", "+49 30 3"), company="Acme")
    assert told(change, evidence) == [("Phone", "+49 30 1", "+49 30 2, +49 30 3"), ("Company", "", "Acme")]
    gone = DeleteContact(account="home", contact=world.contact_ref)
    assert told(gone, evidence) == [("Contact", "Anna Berg, anna@berg.example, +49 30 1", "deleted")]


def test_templates_show_the_text_they_replace(world):
    evidence = world.evidence(templates={"thanks": "Thank you"})
    assert told(SaveTemplate(name="thanks", body="Many thanks"), evidence) == [("Text", "Thank you", "Many thanks")]
    assert told(SaveTemplate(name="new", body="x"), evidence) == []
    assert told(DeleteTemplate(name="thanks"), evidence) == [("Template", "Thank you", "deleted")]


def test_putting_back_says_so_and_with_whom(world):
    restored = RestoreEvent(account="home", event=world.event_ref, ics="ATTENDEE:mailto:tom@work.example")
    assert told(restored, world.evidence()) == [("Event", "not in the calendar", "as it was before, with tom@work.example")]
    contact = RestoreContact(account="home", contact=world.contact_ref, vcf="x")
    assert told(contact, world.evidence()) == [("Contact", "not in your contacts", "as it was before")]


# --- differences


def test_a_refreshed_preview_tells_what_changed_underneath(world):
    moved = update(world, start=world.at(23, 16), end=world.at(23, 17))
    old = preview(world, world.evidence(world.meeting(world.tom)), moved)
    now = world.meeting(world.tom, etag="v2", start=world.at(23, 14), end=world.at(23, 15))
    again = moved.model_copy(update={"event": now.ref})
    assert plain(differences(old, preview(world, world.evidence(now), again))) == [
        ("Time as it stands", "Mon 23 Nov, 15:00-16:00", "Mon 23 Nov, 14:00-15:00"),
    ]


def test_new_attendees_underneath_are_told(world):
    moved = update(world, start=world.at(23, 16), end=world.at(23, 17))
    old = preview(world, world.evidence(world.meeting(world.tom)), moved)
    now = world.meeting(world.tom, world.anna)
    (change,) = differences(old, preview(world, world.evidence(now), moved))
    assert change.field == "Recipients"
    assert "anna@berg.example" in change.after
    assert "anna@berg.example" not in change.before


def test_a_revision_tells_text_recipients_and_level(world):
    mail = SendMail(account="home", to=(world.anna, world.tom), subject="Hi", body="At 3")
    old = preview(world, world.evidence(), mail, level="medium")
    new = preview(world, world.evidence(), mail.model_copy(update={"to": (world.anna,), "body": "At 4"}))
    assert [(change.field, change.before, change.after) for change in differences(old, new)] == [
        ("Level", "medium", "high"),
        ("Recipients", "Anna Berg <anna@berg.example> (to), Tom Lee <tom@work.example> (to)", "Anna Berg <anna@berg.example> (to)"),
        ("Text", "At 3", "At 4"),
    ]


def test_another_time_of_sending_is_told_and_none_changes_no_fingerprint(world):
    mail = SendMail(account="home", to=(world.anna,), subject="Hi", body="b")
    later = mail.model_copy(update={"send_at": world.now + timedelta(days=1)})
    (change,) = differences(preview(world, world.evidence(), mail), preview(world, world.evidence(), later))
    assert (change.field, change.before) == ("Goes out", "at once") and f"{later.send_at:%H:%M}" in change.after
    assert preview(world, world.evidence(), later).scheduled and not preview(world, world.evidence(), mail).scheduled
    told = mail.model_dump(mode="json")
    assert told.pop("send_at") is None and fingerprint([SendMail.model_validate(told)]) == fingerprint([mail])
    assert fingerprint([mail]) != fingerprint([later])


def test_a_new_event_at_another_time_is_told(world):
    event = CreateEvent(account="home", title="Swim", start=world.at(23, 9), end=world.at(23, 10))
    later = event.model_copy(update={"start": world.at(23, 10), "end": world.at(23, 11)})
    found = differences(preview(world, world.evidence(), event), preview(world, world.evidence(), later))
    assert plain(found) == [("Time", "Mon 23 Nov 2026, 09:00-10:00", "Mon 23 Nov 2026, 10:00-11:00")]


def test_an_action_more_or_less_is_told(world):
    one, two = SendMail(account="home", to=(world.anna,)), SendMail(account="home", to=(world.tom,))
    both, alone = preview(world, world.evidence(), one, two), preview(world, world.evidence(), one)
    assert differences(both, alone) == (Change(field="Action", before="does it", after="no longer part of it"),)
    assert differences(alone, both) == (Change(field="Action", before="", after="does it"),)


def test_a_change_that_does_not_show_is_still_told(world):
    trash = MoveMail(account="home", mail=world.mail_ref, folder="Trash")
    newer = trash.model_copy(update={"mail": trash.mail.model_copy(update={"etag": "e2"})})
    old, new = (preview(world, world.evidence(world.mail()), action) for action in (trash, newer))
    assert [change.field for change in differences(old, new)] == ["Version"]


@pytest.mark.parametrize("times", [1, 2])
def test_equal_previews_do_not_differ(world, times):
    mail = SendMail(account="home", to=(world.anna,), body="x")
    event = world.meeting(world.tom).model_copy(update={"attendees": (Attendee(address=world.tom),)})
    shown = preview(world, world.evidence(event), *[mail, update(world, title="y")] * times)
    assert differences(shown, shown) == ()
