"""What is high, medium and low, line by line and at its borders, under the shipped matrix."""

from typing import Any

import pytest

from integrations.actions import (
    AnswerInvitation,
    CancelEvent,
    CreateContact,
    CreateEvent,
    DeleteContact,
    DeleteDraft,
    DeleteTemplate,
    MarkMail,
    MoveMail,
    RestoreContact,
    RestoreEvent,
    SaveDraft,
    SaveTemplate,
    SendMail,
    UpdateContact,
    UpdateEvent,
)
from integrations.types import Address, MailRef


def refs(number: int) -> list[MailRef]:
    return [MailRef(account="home", id=f"x{n}", etag="e") for n in range(number)]


def holding(world: Any, mails: list[MailRef]) -> Any:
    return world.evidence(*(world.mail(id=ref.id) for ref in mails))


def send(world: Any, **fields: Any) -> SendMail:
    return SendMail(**{"account": "home", "to": (world.anna,), "subject": "Hello", "body": "See you soon", **fields})


def create(world: Any, **fields: Any) -> CreateEvent:
    return CreateEvent(**{"account": "home", "title": "Swim", "start": world.at(23, 9), "end": world.at(23, 10), **fields})


def update(world: Any, **fields: Any) -> UpdateEvent:
    return UpdateEvent(account="home", event=world.event_ref, **fields)


# --- high


def test_ten_recipients_are_medium(world, rate):
    assert rate(world.evidence(), send(world, to=world.people(10))).level == "medium"


def test_eleven_recipients_are_high_and_the_reason_counts_them(world, rate):
    rating = rate(world.evidence(), send(world, to=world.people(11)))
    assert rating.level == "high"
    assert rating.reasons == ("mail would go to 11 recipients, more than 10",)


def test_to_cc_and_bcc_count_together_and_each_address_once(world, rate):
    people = world.people(11)
    spread = send(world, to=people[:4], cc=people[4:8], bcc=people[8:])
    doubled = send(world, to=people[:10], cc=people[:5])
    assert rate(world.evidence(), spread).level == "high"
    assert rate(world.evidence(), doubled).level == "medium"


def test_recipients_count_over_the_whole_proposal(world, rate):
    people = world.people(12)
    assert rate(world.evidence(), send(world, to=people[:6]), send(world, to=people[6:])).level == "high"


def test_ten_mails_to_one_person_are_medium_and_eleven_high(world, rate):
    assert rate(world.evidence(), *[send(world)] * 10).level == "medium"
    assert rate(world.evidence(), *[send(world)] * 11).level == "high"


def test_an_event_with_invitees_is_high(world, rate):
    rating = rate(world.evidence(), create(world, attendees=(world.anna,)))
    assert rating.level == "high"
    assert "Anna Berg" in rating.reasons[0]


@pytest.mark.parametrize("change", [{"title": "New"}, {"location": "Room B"}, {"remove_attendees": ("tom@work.example",)}])
def test_changing_an_event_with_others_in_it_is_high(world, rate, change):
    assert rate(world.evidence(world.meeting(world.tom)), update(world, **change)).level == "high"


def test_moving_an_event_with_others_in_it_is_high(world, rate):
    moved = update(world, start=world.at(23, 16), end=world.at(23, 17))
    assert rate(world.evidence(world.meeting(world.anna, world.tom)), moved).level == "high"


def test_inviting_to_an_event_of_ones_own_is_high(world, rate):
    assert rate(world.evidence(world.event()), update(world, add_attendees=(world.anna,))).level == "high"


def test_cancelling_a_meeting_is_high(world, rate):
    cancelled = CancelEvent(account="home", event=world.event_ref)
    assert rate(world.evidence(world.meeting(world.tom)), cancelled).level == "high"


@pytest.mark.parametrize("organizer", ["anna", "me"])
def test_a_guest_who_leaves_changes_no_calendar_of_others(world, rate, organizer):
    theirs = world.meeting(world.tom).model_copy(update={"organizer": getattr(world, organizer), "guest": True})
    rating = rate(world.evidence(theirs), CancelEvent(account="home", event=world.event_ref))
    assert (rating.level, rating.reasons) == ("medium", ("somebody else organises it: “Budget review”",))


def test_somebody_elses_event_that_may_be_more_than_a_guests_copy_is_high(world, rate):
    theirs = world.meeting(world.tom).model_copy(update={"organizer": world.anna})
    assert rate(world.evidence(theirs), CancelEvent(account="home", event=world.event_ref)).level == "high"


def test_an_event_to_which_only_i_am_invited_still_concerns_its_organiser(world, rate):
    theirs = world.meeting().model_copy(update={"organizer": world.anna})
    assert rate(world.evidence(theirs), update(world, start=world.at(23, 16), end=world.at(23, 17))).level == "high"


@pytest.mark.parametrize(
    ("subject", "body"),
    [
        ("Invoice 12", "as attached"),
        ("Hello", "Please wire the rest tomorrow"),
        ("Hello", "That makes 1.200,50 €"),
        ("Hello", "We settle at USD 5,000 then"),
        ("Hello", "I owe you 20 dollars"),
        ("Hello", "$5k is fine"),
        ("Payment", "done"),
        ("Hello", "my IBAN is below"),
    ],
)
def test_a_mail_about_money_is_high(world, rate, subject, body):
    rating = rate(world.evidence(), send(world, subject=subject, body=body))
    assert rating.level == "high"
    assert rating.reasons[0].startswith("it speaks of money")


@pytest.mark.parametrize(
    "body",
    [
        "The contract is ready",
        "I signed the NDA",
        "They filed a lawsuit",
        "under the GDPR",
        "We terminate on 1 May",
        "ask our attorneys",
    ],
)
def test_a_mail_about_legal_or_compliance_matters_is_high(world, rate, body):
    rating = rate(world.evidence(), send(world, body=body))
    assert rating.level == "high"
    assert rating.reasons[0].startswith("it speaks of legal")


def test_money_in_an_events_title_or_text_is_high(world, rate):
    assert rate(world.evidence(), create(world, title="Sign contract with Acme")).level == "high"
    assert rate(world.evidence(world.event()), update(world, description="bring the 300 € in cash")).level == "high"


@pytest.mark.parametrize(
    "body",
    [
        "Come to my party at 3 pm, the sign-up is open",
        "Pay attention to the step, and free of charge too",
        "The contractor comes at 10, room 500",
        "Sue and Bill play on the tennis court",
        "the expense of energy, the wireless router, the partying",
        "We saw 20 people, 5 dogs; price of the view: none",
    ],
)
def test_ordinary_words_are_no_alarm(world, rate, body):
    assert rate(world.evidence(), send(world, body=body)).level == "medium"


def test_money_in_the_quoted_history_of_a_reply_is_no_alarm(world, rate):
    mail = world.mail(body="Hi Max\nthe invoice is 300 €")
    reply = send(world, subject="Re: Plans", body="Thanks!\n> Hi Max\n> the invoice is 300 €", reply_to=world.mail_ref)
    assert rate(world.evidence(mail), reply).level == "medium"


def test_a_quotation_mark_alone_does_not_hide_money(world, rate):
    reply = send(world, subject="Re: Plans", body="> please wire 900 €", reply_to=world.mail_ref)
    assert rate(world.evidence(world.mail()), reply).level == "high"


def test_history_is_news_to_somebody_who_took_no_part_in_it(world, rate):
    mail = world.mail(to=(world.me,), body="please pay 900 € to the account below")
    reply = send(world, subject="Re: Plans", body="please pay 900 € to the account below", reply_to=world.mail_ref)
    assert rate(world.evidence(mail), reply).level == "medium"
    assert rate(world.evidence(mail), reply.model_copy(update={"cc": (world.tom,)})).level == "high"


def test_what_a_forward_carries_along_counts(world, rate):
    forward = send(world, to=(world.tom,), body="see below", forward_of=world.mail_ref)
    assert rate(world.evidence(world.mail(attachments=(world.attachment,))), forward).level == "high"
    assert rate(world.evidence(world.mail()), forward).level == "medium"


def test_a_forward_of_a_mail_that_cannot_be_looked_at_is_high(world, rate):
    rating = rate(world.evidence(), send(world, forward_of=world.mail_ref))
    assert rating == rating.model_copy(update={"level": "high", "reasons": ("what it is about could not be looked at",)})


def test_an_answer_to_a_mail_that_cannot_be_looked_at_is_high(world, rate):
    reply = send(world, reply_to=world.mail_ref)
    assert rate(world.evidence(), reply).warnings == ("what it is about could not be looked at",)
    assert rate(world.evidence(), reply).level == "high"
    assert rate(world.evidence(world.mail()), reply).warnings == ()


@pytest.mark.parametrize("original", ["reply_to", "forward_of"])
def test_a_draft_about_a_mail_that_cannot_be_looked_at_is_high(world, rate, original):
    draft = SaveDraft(account="home", to=(world.anna,), body="yes", **{original: world.mail_ref})
    assert rate(world.evidence(), draft).level == "high"
    assert rate(world.evidence(world.mail()), draft).level == "low"


@pytest.mark.parametrize("change", [MarkMail, MoveMail, DeleteDraft])
def test_a_change_to_a_mail_that_could_not_be_looked_at_is_high(world, rate, change):
    fields = {"folder": "Archive"} if change is MoveMail else {}
    blind = change(account="home", mail=world.mail_ref, **fields)
    other = world.mail(account="work")
    assert rate(world.evidence(other), blind).reasons == ("what it is about could not be looked at",)
    assert rate(world.evidence(other, world.mail()), blind).level != "high"


def test_equal_ids_in_two_accounts_are_two_things(world):
    mails = world.mail(subject="Plans"), world.mail(account="work", subject="Payroll")
    cards = world.contact(name="Anna"), world.contact(account="work", name="Ina")
    events = world.event(title="Swim"), world.event(account="work", title="Board"), world.event(calendar="other", title="Run")
    seen = world.evidence(*mails, *cards, *events)
    assert [seen.mail(mail.ref) for mail in mails] == list(mails)
    assert [seen.contact(card.ref) for card in cards] == list(cards)
    assert [seen.event(event.ref) for event in events] == list(events)


def test_two_deletions_are_in_bulk_and_one_is_not(world, rate):
    one, two = (MoveMail(account="home", mail=ref, folder="Trash") for ref in refs(2))
    there = holding(world, refs(2))
    assert rate(there, one).level == "low"
    rating = rate(there, one, two)
    assert (rating.level, rating.reasons) == ("high", ("2 things would be deleted together",))


def test_deletions_of_different_kinds_count_together(world, rate):
    trash = MoveMail(account="home", mail=world.mail_ref, folder="Trash")
    assert rate(world.evidence(world.event()), trash, CancelEvent(account="home", event=world.event_ref)).level == "high"


def test_cancelling_a_whole_series_is_high_and_one_instance_of_it_low(world, rate):
    series = world.event(series=True, rrule="FREQ=WEEKLY")
    instance = world.event(series=True, recurrence=world.at(23, 15))
    assert rate(world.evidence(series), CancelEvent(account="home", event=series.ref)).level == "high"
    assert rate(world.evidence(instance), CancelEvent(account="home", event=instance.ref)).level == "low"


def test_deleting_a_contact_is_high(world, rate):
    assert rate(world.evidence(world.contact()), DeleteContact(account="home", contact=world.contact_ref)).level == "high"


def test_a_mail_to_an_unknown_address_is_high_and_names_it(world, rate):
    rating = rate(world.evidence(), send(world, to=(world.stranger,)))
    assert rating.level == "high"
    assert "mallory@evil.example" in rating.reasons[0]


def test_an_address_that_the_user_typed_is_medium(world, rate):
    typed = world.evidence(words="write to Mallory@evil.example, saying hi")
    earlier = world.evidence(words="send it", said=("her address is mallory@evil.example.",))
    assert rate(typed, send(world, to=(world.stranger,))).level == "medium"
    assert rate(earlier, send(world, to=(world.stranger,))).level == "medium"


def test_a_new_address_for_a_contact_that_the_user_did_not_write_is_high(world, rate):
    change = UpdateContact(account="home", contact=world.contact_ref, emails=("anna@elsewhere.example",))
    unsaid = world.evidence(world.contact(), words="update Anna's address as she asked")
    said = world.evidence(world.contact(), words="update Anna's email to anna@elsewhere.example")
    assert rate(unsaid, change).level == "high"
    assert rate(said, change).level == "medium"


def test_putting_a_mail_into_the_outbox_is_high(world, rate):
    assert rate(world.evidence(), MoveMail(account="home", mail=world.mail_ref, folder="outbox")).level == "high"


def test_a_change_of_something_that_was_not_seen_is_high(world, rate):
    assert rate(world.evidence(), update(world, title="x")).level == "high"
    assert rate(world.evidence(), UpdateContact(account="home", contact=world.contact_ref, note="x")).level == "high"


def test_evidence_of_another_account_is_no_evidence(world, rate):
    assert rate(world.evidence(world.event(account="work")), update(world, title="x")).level == "high"


def test_an_empty_proposal_is_high(world, rate):
    assert rate(world.evidence()).level == "high"


# --- medium


def test_a_mail_to_somebody_known_is_medium(world, rate):
    rating = rate(world.evidence(), send(world))
    assert (rating.level, rating.reasons) == ("medium", ("it sends a mail to Anna Berg",))


def test_somebody_the_user_has_written_to_is_known(world, rate):
    assert rate(world.evidence(), send(world, to=(Address(email="old@friend.example"),))).level == "medium"


def test_a_contact_whose_address_was_saved_in_capitals_is_known(world, rate):
    evidence = world.evidence(contacts={"Eva@Klein.example": "Eva Klein"}, groups={"Team": ("Bo@X.example",)})
    people = (Address(email="eva@klein.example"), Address(email="bo@x.example"))
    assert rate(evidence, send(world, to=people)).reasons == ("it sends a mail to bo@x.example and Eva Klein",)


def test_a_strangers_name_cannot_forge_a_reason(world, rate):
    sly = Address(email="sly@evil.example", name="Bob\n\u202eYou asked for this\u2066")
    (reason,) = rate(world.evidence(), send(world, to=(sly,))).reasons
    assert reason.isprintable()
    assert "sly@evil.example" in reason


def test_somebody_who_only_wrote_is_known_once_the_user_names_them(world, rate):
    assert rate(world.evidence(words="send them my thanks"), send(world, to=(world.seller,))).level == "high"
    assert rate(world.evidence(words="tell shop offers thanks"), send(world, to=(world.seller,))).level == "medium"


def test_a_reply_is_medium(world, rate):
    mail = world.mail(sender=world.stranger)
    rating = rate(world.evidence(mail), send(world, to=(world.stranger,), reply_to=world.mail_ref))
    assert (rating.level, rating.reasons) == ("medium", ("it answers Mallory",))


def test_a_reply_led_to_another_domain_is_high(world, rate):
    mail = world.mail(reply_to=(world.stranger,))
    assert rate(world.evidence(mail), send(world, to=(world.stranger,), reply_to=world.mail_ref)).level == "high"


def test_a_mail_to_oneself_is_medium(world, rate):
    assert rate(world.evidence(), send(world, to=(world.me,))).level == "medium"


@pytest.mark.parametrize("answer", ["accepted", "declined", "tentative"])
def test_answering_an_invitation_is_medium_and_names_who_is_told(world, rate, answer):
    theirs = world.meeting(world.tom).model_copy(update={"organizer": world.anna})
    rating = rate(world.evidence(theirs), AnswerInvitation(account="home", event=world.event_ref, answer=answer))
    assert (rating.level, rating.reasons) == ("medium", ("the organiser is told your answer: Anna Berg",))


def test_rescheduling_a_series_of_ones_own_is_medium(world, rate):
    series = world.event(series=True, rrule="FREQ=WEEKLY")
    assert rate(world.evidence(series), update(world, start=world.at(23, 16), end=world.at(23, 17))).level == "medium"


def test_rescheduling_what_somebody_else_published_is_medium(world, rate):
    published = world.event(organizer=world.anna)
    assert rate(world.evidence(published), update(world, start=world.at(23, 16), end=world.at(23, 17))).level == "medium"


def test_cancelling_an_event_that_is_over_is_medium(world, rate):
    past = world.event(start=world.at(20, 9), end=world.at(20, 10))
    assert rate(world.evidence(past), CancelEvent(account="home", event=world.event_ref)).level == "medium"


def test_inviting_to_an_event_that_is_over_and_answering_its_invitation_are_told(world, rate):
    past = world.event(start=world.at(20, 9), end=world.at(20, 10), organizer=world.anna)
    own = past.model_copy(update={"organizer": world.me})
    answer = AnswerInvitation(account="home", event=world.event_ref, answer="accepted")
    assert rate(world.evidence(own), update(world, add_attendees=(world.tom,))).warnings == ("it is in the past: “Budget review”",)
    assert rate(world.evidence(past), answer).warnings == ("it is in the past: “Budget review”",)


def test_moving_an_event_into_the_past_is_told(world, rate):
    event = world.event()
    rating = rate(world.evidence(event), update(world, start=world.at(20, 15)))
    assert rating.level == "medium"
    assert rating.warnings == ("it is in the past: “Budget review”",)
    today = update(world, start=world.at(21, 15), end=world.at(21, 16))
    assert rate(world.evidence(event), today).warnings == ()


def test_adding_and_updating_a_contact_is_medium(world, rate):
    assert rate(world.evidence(), CreateContact(account="home", name="Eva")).level == "medium"
    change = UpdateContact(account="home", contact=world.contact_ref, phones=("+49 30 2",))
    assert rate(world.evidence(world.contact()), change).level == "medium"


def test_a_reply_template_is_medium(world, rate):
    assert rate(world.evidence(), SaveTemplate(name="thanks", body="Thank you")).level == "medium"
    assert rate(world.evidence(), DeleteTemplate(name="thanks")).level == "medium"


@pytest.mark.parametrize("folder", ["Archive", "INBOX", "Projects"])
def test_many_moves_that_can_be_undone_are_medium(world, rate, folder):
    moves = [MoveMail(account="home", mail=ref, folder=folder) for ref in refs(20)]
    assert rate(holding(world, refs(20)), *moves).level == "medium"


def test_marking_two_mails_is_medium_but_one_mail_twice_is_low(world, rate):
    first, second = refs(2)
    marks = [MarkMail(account="home", mail=ref, seen=True) for ref in (first, second)]
    twice = [MarkMail(account="home", mail=first, seen=True), MoveMail(account="home", mail=first, folder="Archive")]
    there = holding(world, [first, second])
    assert rate(there, *marks).level == "medium"
    assert rate(there, *twice).level == "low"


def test_deleting_a_draft_is_medium(world, rate):
    assert rate(world.evidence(world.mail()), DeleteDraft(account="home", mail=world.mail_ref)).level == "medium"


def test_five_own_events_at_once_are_low_and_six_medium(world, rate):
    events = [create(world, title=f"Swim {number}") for number in range(6)]
    assert rate(world.evidence(), *events[:5]).level == "low"
    assert rate(world.evidence(), *events).level == "medium"


# --- low


@pytest.mark.parametrize("folder", ["Archive", "Trash", "INBOX", "Projects"])
def test_moving_one_mail_is_low(world, rate, folder):
    assert rate(world.evidence(world.mail()), MoveMail(account="home", mail=world.mail_ref, folder=folder)).level == "low"


@pytest.mark.parametrize("mark", [{"seen": True}, {"seen": False}, {"flagged": True}])
def test_marking_one_mail_is_low(world, rate, mark):
    assert rate(world.evidence(world.mail()), MarkMail(account="home", mail=world.mail_ref, **mark)).level == "low"


def test_an_event_with_nobody_else_in_it_is_low(world, rate):
    own = world.evidence(world.event())
    assert rate(own, create(world)).level == "low"
    assert rate(own, create(world, attendees=(world.me,))).level == "low"
    assert rate(own, update(world, start=world.at(24, 9), end=world.at(24, 10))).level == "low"
    assert rate(own, update(world, title="Dentist")).level == "low"
    assert rate(own, CancelEvent(account="home", event=world.event_ref)).level == "low"


def test_a_draft_is_low_whoever_and_whatever_it_is_about(world, rate):
    draft = SaveDraft(account="home", to=(world.stranger, *world.people(20)), subject="Invoice", body="pay 300 €")
    assert rate(world.evidence(), draft).level == "low"


def test_putting_back_is_low_unless_it_reaches_others(world, rate):
    alone = RestoreEvent(account="home", event=world.event_ref, ics="BEGIN:VEVENT\r\nSUMMARY:x\r\nEND:VEVENT")
    folded = RestoreEvent(account="home", event=world.event_ref, ics="ATTENDEE;CN=Tom:MAILTO:tom@wo\r\n rk.example\r\n")
    assert rate(world.evidence(), alone).level == "low"
    assert rate(world.evidence(), folded).level == "high"
    assert rate(world.evidence(), RestoreContact(account="home", contact=world.contact_ref, vcf="x")).level == "low"


# --- together


def test_the_highest_level_wins_with_all_its_reasons_and_no_lower_ones(world, rate):
    mass = send(world, to=(*world.people(10), world.stranger), subject="Contract")
    rating = rate(world.evidence(world.mail()), MarkMail(account="home", mail=world.mail_ref, seen=True), mass)
    assert rating.level == "high"
    assert len(rating.reasons) == 3
    assert [reason.split(":")[0] for reason in rating.reasons] == [
        "mail would go to 11 recipients, more than 10",
        "it reaches somebody you neither know nor wrote down",
        "it speaks of legal or compliance matters",
    ]
