"""What collides, comes twice, falls outside of the user's day, or is sent and then made away with."""

from datetime import time, timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from integrations.actions import (
    AnswerInvitation,
    CancelEvent,
    CreateContact,
    CreateEvent,
    MoveMail,
    SendMail,
    UpdateEvent,
)
from integrations.types import MailRef
from risk.facts import facts_of

HOURS = (time(9), time(18))
BIN = "Trash"


def create(world: Any, **fields: Any) -> CreateEvent:
    return CreateEvent(**{"account": "home", "title": "Swim", "start": world.at(23, 11), "end": world.at(23, 12), **fields})


def move(world: Any, **fields: Any) -> UpdateEvent:
    return UpdateEvent(account="home", event=world.event_ref, **fields)


def send(world: Any, **fields: Any) -> SendMail:
    return SendMail(**{"account": "home", "to": (world.anna,), "subject": "Hello", "body": "See you at the usual place", **fields})


def trash(id: str = "m1") -> MoveMail:
    return MoveMail(account="home", mail=MailRef(account="home", id=id, etag="e1"), folder=BIN)


def told(fact: str, evidence: Any, *actions: Any) -> list[str]:
    return [clause for one in facts_of(actions, evidence).each for clause in getattr(one, fact)]


# --- at the same time


def test_an_event_on_top_of_another_is_told(world):
    evidence = world.evidence(around=(world.event(start=world.at(23, 11), end=world.at(23, 13)),))
    assert told("conflict", evidence, create(world)) == ["it collides with “Budget review”, Mon 23 Nov, 11:00\u201313:00"]


def test_a_conflict_is_a_warning_and_no_higher_level(world, rate):
    evidence = world.evidence(around=(world.event(start=world.at(23, 11), end=world.at(23, 12)),))
    rating = rate(evidence, create(world))
    assert rating.level == "low"
    assert rating.warnings == ("it collides with “Budget review”, Mon 23 Nov, 11:00\u201312:00",)
    assert rating.warnings[0] in rating.reasons


@pytest.mark.parametrize(
    "there",
    [
        {"start": 12, "end": 13},
        {"start": 10, "end": 11},
        {"start": 11, "end": 12, "busy": False},
        {"start": 11, "end": 12, "status": "tentative"},
        {"start": 11, "end": 12, "status": "cancelled"},
        {"start": 11, "end": 12, "my_answer": "declined"},
        {"start": 11, "end": 12, "my_answer": "tentative"},
        {"start": 0, "end": 23, "all_day": True},
    ],
    ids=str,
)
def test_what_takes_no_time_then_is_no_conflict(world, there):
    event = world.event(**{**there, "start": world.at(23, there["start"]), "end": world.at(23, there["end"])})
    assert told("conflict", world.evidence(around=(event,)), create(world)) == []


def test_an_all_day_event_collides_with_nothing(world):
    event = world.event(start=world.at(23, 11), end=world.at(23, 12))
    day = create(world, start=world.at(23, 0), end=world.at(24, 0), all_day=True)
    assert told("conflict", world.evidence(around=(event,)), day) == []


def test_moving_an_event_by_minutes_does_not_collide_with_itself(world):
    event = world.event(start=world.at(23, 11), end=world.at(23, 12))
    later = move(world, start=world.at(23, 11, 15), end=world.at(23, 12, 15))
    assert told("conflict", world.evidence(event, around=(event,)), later) == []


def test_a_series_that_moves_does_not_collide_with_its_own_instances(world):
    series = world.event(series=True, rrule="FREQ=DAILY", start=world.at(23, 11), end=world.at(23, 12))
    instance = world.event(series=True, recurrence=world.at(23, 11), start=world.at(23, 11), end=world.at(23, 12))
    later = move(world, start=world.at(23, 11, 15), end=world.at(23, 12, 15))
    assert told("conflict", world.evidence(series, around=(instance,)), later) == []


def test_two_events_that_trade_their_times_do_not_collide(world):
    one = world.event(start=world.at(23, 11), end=world.at(23, 12))
    other = world.event(id="ev2", title="Walk", start=world.at(23, 15), end=world.at(23, 16))
    there = move(world, start=world.at(23, 15), end=world.at(23, 16))
    back = UpdateEvent(account="home", event=other.ref, start=world.at(23, 11), end=world.at(23, 12))
    assert told("conflict", world.evidence(one, other, around=(one, other)), there, back) == []


def test_an_event_that_makes_room_is_no_conflict(world):
    event = world.event(start=world.at(23, 11), end=world.at(23, 12))
    both = CancelEvent(account="home", event=event.ref), create(world)
    assert told("conflict", world.evidence(event, around=(event,)), *both) == []


def test_two_new_events_at_one_time_collide_with_each_other(world):
    found = told("conflict", world.evidence(), create(world), create(world, title="Run"))
    assert sorted(clause.partition("”")[0] for clause in found) == ["it collides with “Run", "it collides with “Swim"]


def test_to_accept_what_collides_is_told_and_to_decline_it_is_not(world):
    event, other = world.event(), world.event(id="other", uid="other", title="Dentist")
    evidence = world.evidence(event, around=(event, other))
    yes, no = (AnswerInvitation(account="home", event=event.ref, answer=answer) for answer in ("accepted", "declined"))
    assert [clause.partition("”")[0] for clause in told("conflict", evidence, yes)] == ["it collides with “Dentist"]
    assert told("conflict", evidence, no) == []


# --- the user's day


@pytest.mark.parametrize(("hour", "length"), [(7, 1), (8, 2), (18, 1), (17, 3), (23, 2)])
def test_a_time_outside_of_the_day_that_nobody_named_is_told(world, rate, hour, length):
    start = world.at(23, hour)
    rating = rate(world.evidence(hours=HOURS), create(world, start=start, end=start + timedelta(hours=length)))
    assert rating.warnings == ("it is outside of your day, which goes from 09:00 to 18:00",)
    assert rating.level == "low"


@pytest.mark.parametrize("hour", [9, 12, 17])
def test_a_time_within_the_day_is_not_told(world, hour):
    event = create(world, start=world.at(23, hour), end=world.at(23, hour + 1))
    assert told("outside_hours", world.evidence(hours=HOURS), event) == []


@pytest.mark.parametrize(
    ("words", "hour"),
    [
        ("swim at 7pm on Monday", 19),
        ("swim on Monday at 19:00", 19),
        ("swim on Monday at 7", 19),
        ("swim on Monday at 7", 7),
        ("swim on Monday at 7.30 pm", 19),
        ("dinner with Anna on Monday", 20),
        ("drinks on Monday evening", 18),
        ("an early run on Monday", 6),
        ("schwimmen am Montag um 19 Uhr", 19),
        ("the gym on Monday at 6:15", 6),
        ("new yoga monday week six pm", 18),
        ("car service, Monday, quarter past eight", 8),
        ("car service, Monday, quarter to eight", 7),
    ],
)
def test_an_unusual_time_that_the_user_named_is_not_told(world, words, hour):
    event = create(world, start=world.at(23, hour), end=world.at(23, hour + 1))
    assert told("outside_hours", world.evidence(hours=HOURS, words=words), event) == []


def test_a_night_that_the_user_named_is_told_where_others_would_come(world):
    words, hours = "a call with Anna on Monday at 11 pm", {"start": world.at(23, 23), "end": world.at(24, 0)}
    evidence = world.evidence(world.meeting(world.anna), hours=HOURS, words=words)
    assert told("outside_hours", evidence, create(world, **hours)) == []
    for action in (create(world, attendees=(world.anna,), **hours), move(world, **hours)):
        assert told("outside_hours", evidence, action) == ["it is outside of your day, which goes from 09:00 to 18:00"]


@pytest.mark.parametrize("words", ["swim on Monday at 3", "swim on Monday for 3 hours", "swim with 3 friends on Monday", ""])
def test_a_time_in_the_night_is_not_what_a_bare_number_means(world, words):
    event = create(world, start=world.at(23, 3), end=world.at(23, 4))
    assert told("outside_hours", world.evidence(hours=HOURS, words=words), event) != []


def test_a_weekend_that_the_user_did_not_name_is_told(world):
    event = create(world, start=world.at(28, 11), end=world.at(28, 12))
    assert told("outside_hours", world.evidence(hours=HOURS, words="meet next week"), event) == ["it is on a Saturday"]
    for words in ("meet on Saturday", "meet at the weekend", "meet on 28 Nov", "meet on the 28th"):
        assert told("outside_hours", world.evidence(hours=HOURS, words=words), event) == []


def test_an_event_that_was_outside_before_may_move_there(world):
    before = world.event(start=world.at(23, 20), end=world.at(23, 21))
    later = move(world, start=world.at(23, 20, 30), end=world.at(23, 21, 30))
    assert told("outside_hours", world.evidence(before, hours=HOURS), later) == []


@pytest.mark.parametrize("words", ["the meeting fifteen minutes earlier", "push the meeting back by an hour", "half an hour later"])
def test_a_move_by_a_while_that_the_user_asked_for_is_not_told(world, words):
    before = world.event(start=world.at(23, 9), end=world.at(23, 10))
    earlier = move(world, start=world.at(23, 8, 45), end=world.at(23, 9, 45))
    assert told("outside_hours", world.evidence(before, hours=HOURS, words=words), earlier) == []
    assert told("outside_hours", world.evidence(before, hours=HOURS, words="move the meeting"), earlier) != []


def test_without_known_hours_nothing_is_outside_of_them(world):
    assert told("outside_hours", world.evidence(), create(world, start=world.at(28, 3), end=world.at(28, 4))) == []


def test_all_day_events_are_outside_of_no_hours(world):
    day = create(world, start=world.at(28, 0), end=world.at(29, 0), all_day=True)
    assert told("outside_hours", world.evidence(hours=HOURS), day) == []


# --- twice


def test_an_event_that_is_there_already_is_medium(world, rate):
    there = world.event(title="swim", start=world.at(23, 11), end=world.at(23, 12))
    rating = rate(world.evidence(around=(there,)), create(world))
    assert (rating.level, rating.warnings) == ("medium", ("there is already an event “Swim”, Mon 23 Nov, 11:00\u201312:00",))


def test_the_same_title_at_another_time_is_no_duplicate(world, rate):
    there = world.event(title="Swim", start=world.at(23, 13), end=world.at(23, 14))
    assert rate(world.evidence(around=(there,)), create(world)).level == "low"


def test_the_same_event_twice_in_one_proposal_is_told_once(world, rate):
    rating = rate(world.evidence(), create(world), create(world))
    assert (rating.level, rating.warnings) == ("medium", ("the event “Swim”, Mon 23 Nov, 11:00\u201312:00 would be there twice",))


def test_one_event_in_several_calendars_is_meant_so(world, rate):
    assert rate(world.evidence(), create(world, calendar="a"), create(world, calendar="b")).warnings == ()


def test_a_mail_sent_in_the_last_day_is_told(world):
    sent = world.mail(
        folder="Sent", sender=world.me, to=(world.anna,), subject="Hello", body="See you at the usual place\n\n-- \nMax"
    )
    assert told("duplicate", world.evidence(lately=(sent,)), send(world)) == [
        "you have sent this mail to the same people in the last day: “Hello”"
    ]


OTHERS: list[dict[str, Any]] = [
    {"body": "Not today"},
    {"body": "See you at the usual place\n\nAnd bring the maps."},
    {"subject": "Plans"},
    {"to": ()},
]


@pytest.mark.parametrize("other", OTHERS, ids=str)
def test_another_mail_to_the_same_people_is_not_told(world, other):
    sent = world.mail(
        **{
            "folder": "Sent",
            "sender": world.me,
            "to": (world.anna,),
            "subject": "Hello",
            "body": "See you at the usual place",
            **other,
        }
    )
    assert told("duplicate", world.evidence(lately=(sent,)), send(world)) == []


def test_a_mail_is_not_told_for_an_answer_to_it_that_was_sent_in_the_last_day(world):
    mail, answer = world.mail(), world.mail(folder="Sent", sender=world.me, to=(world.tom,), subject="Re: Plans", body="Fine")
    forward = send(world, to=(world.tom,), subject="Fwd: Plans", body="", forward_of=mail.ref)
    assert told("duplicate", world.evidence(mail, lately=(answer,)), forward) == []
    before = answer.model_copy(update={"subject": "Fwd: Plans", "body": "---------- Forwarded message\nShall we meet?"})
    assert len(told("duplicate", world.evidence(mail, lately=(before,)), forward)) == 1


def test_the_same_mail_twice_in_one_proposal_is_told(world):
    assert told("duplicate", world.evidence(), send(world), send(world)) == ["the mail “Hello” would go out twice"] * 2


def test_a_card_for_an_address_that_is_saved_is_told(world):
    card = CreateContact(account="home", name="A. Berg", emails=("Anna@berg.example",))
    assert told("duplicate", world.evidence(), card) == ["anna@berg.example is in your contacts already, as Anna Berg"]


def test_the_same_answer_again_is_told(world):
    event = world.event(my_answer="accepted", organizer=world.anna)
    again = AnswerInvitation(account="home", event=event.ref, answer="accepted")
    assert told("duplicate", world.evidence(event), again) == ["you have already accepted “Budget review”"]


# --- sent and made away with


def test_a_mail_that_is_sent_on_and_deleted_is_refused(world, rate):
    forward = send(world, body="", forward_of=world.mail_ref)
    rating = rate(world.evidence(world.mail(), words="what does Anna write?"), forward, trash())
    assert rating.refused == ("“Plans” would be sent on and deleted at once",)
    assert rating.level == "high"


def test_what_the_user_asked_for_in_one_message_is_shown_with_its_reason(world, rate):
    forward = send(world, to=(world.tom,), body="", forward_of=world.mail_ref)
    words = "forward Anna's mail to Tom and delete it"
    for said in ({"words": words}, {"words": "yes, to Tom", "said": (words,)}):
        rating = rate(world.evidence(world.mail(), **said), forward, trash())
        assert (rating.refused, rating.level) == ((), "high")
        assert "“Plans” would be sent on and deleted at once" in rating.reasons


def test_a_reply_is_no_sending_on(world, rate):
    reply = send(world, reply_to=world.mail_ref)
    rating = rate(world.evidence(world.mail(), words="answer Anna's mail and delete it"), reply, trash())
    assert "“Plans” would be answered and deleted at once" in rating.warnings


def test_two_requests_of_two_messages_are_not_one_for_both(world, rate):
    forward = send(world, to=(world.tom,), body="", forward_of=world.mail_ref)
    said = {"words": "forward Anna's mail to Tom", "said": ("delete the newsletter",)}
    assert rate(world.evidence(world.mail(), **said), forward, trash()).refused


def test_a_mail_whose_words_go_out_and_that_is_deleted_is_refused(world, rate):
    mail = world.mail(id="m2", body="Hi Max,\nthe garage opens with the number of our old house.\nAnna")
    leak = send(world, to=(world.tom,), body="fyi\n> the garage opens with the number of our old house.")
    assert rate(world.evidence(mail), leak, trash("m2")).refused


def test_the_users_own_sent_copy_that_disappears_is_refused(world, rate):
    sent = world.mail(id="m3", folder="Sent", sender=world.me, to=(world.anna,), subject="Before")
    hidden = MoveMail(account="home", mail=sent.ref, folder="Old stuff")
    assert rate(world.evidence(sent), send(world), hidden).refused


def test_sending_one_mail_and_deleting_another_is_high_unless_asked_for(world, rate):
    evidence = {"words": "tell Anna I am coming"}
    other = world.mail(id="m2", subject="Offers")
    rating = rate(world.evidence(other, **evidence), send(world), trash("m2"))
    assert (rating.level, rating.refused) == ("high", ())
    assert rating.warnings == ("a mail would go out while another is deleted: “Offers”",)
    asked = rate(world.evidence(other, words="tell Anna I am coming and delete the offers"), send(world), trash("m2"))
    assert (asked.level, asked.warnings) == ("medium", ())


@pytest.mark.parametrize("folder", ["Deleted Items", "junk", "Papierkorb"])
def test_a_bin_by_another_name_is_one_too(world, rate, folder):
    away = MoveMail(account="home", mail=world.mail_ref, folder=folder)
    assert rate(world.evidence(world.mail()), send(world, body="", forward_of=world.mail_ref), away).refused


def test_an_invitation_tells_others_as_a_mail_does(world, rate):
    secret = "the garage opens with the number of our old house"
    mail = world.mail(id="m2", subject="Offers", body=f"Hi Max,\n{secret}\nAnna")
    lunch = create(world, attendees=(world.tom,))
    rating = rate(world.evidence(mail, words="invite Tom"), lunch, trash("m2"))
    assert rating.warnings == ("an invitation would go out while a mail is deleted: “Offers”",)
    assert rate(
        world.evidence(mail, words="invite Tom"), create(world, attendees=(world.tom,), description=secret), trash("m2")
    ).refused
    asked = "book a swim with Tom on Monday and delete the offers"
    assert rate(world.evidence(mail, words=asked), lunch, trash("m2")).warnings == ()
    assert rate(world.evidence(mail), create(world), trash("m2")).warnings == ()


def test_a_note_to_oneself_and_a_deletion_is_no_alarm(world, rate):
    assert rate(world.evidence(world.mail()), send(world, to=(world.me,)), trash()).warnings == ()


# --- for any proposal

hours = st.integers(min_value=8, max_value=19)
events = st.builds(
    lambda hour, length, title: (hour, length, title),
    hours,
    st.integers(min_value=1, max_value=3),
    st.sampled_from(["Swim", "Run"]),
)


@given(new=st.lists(events, min_size=1, max_size=4), there=st.lists(events, max_size=4), data=st.data())
def test_what_is_told_depends_on_no_order(world, rate, new, there, data):
    actions = [create(world, title=title, start=world.at(23, hour), end=world.at(23, hour + length)) for hour, length, title in new]
    around = tuple(
        world.event(id=f"e{n}", title=title, start=world.at(23, hour), end=world.at(23, hour + length))
        for n, (hour, length, title) in enumerate(there)
    )
    shuffled = data.draw(st.permutations(actions))
    evidence, other = (world.evidence(around=around, hours=HOURS), world.evidence(around=around[::-1], hours=HOURS))
    assert rate(evidence, *actions) == rate(other, *shuffled)


@given(new=events, there=events)
def test_whatever_overlaps_is_told_and_what_does_not_is_not(world, new, there):
    event = world.event(title=there[2], start=world.at(23, there[0]), end=world.at(23, there[0] + there[1]))
    action = create(world, title=new[2], start=world.at(23, new[0]), end=world.at(23, new[0] + new[1]))
    facts = facts_of([action], world.evidence(around=(event,))).each[0]
    overlap = new[0] < there[0] + there[1] and there[0] < new[0] + new[1]
    assert bool(facts.conflict or facts.duplicate) is overlap
