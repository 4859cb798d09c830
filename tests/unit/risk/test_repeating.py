"""What others wrote, or an event's title, in a text for somebody who has no part in it."""

from typing import Any

import pytest

from integrations.actions import Action, CreateEvent, SendMail, UpdateEvent
from risk.evidence import key_of
from risk.facts import facts_of

SECRET = "The board wants to close the Leipzig office in March and nobody knows yet."


def told(evidence: Any, action: Action) -> list[str]:
    return list(facts_of([action], evidence).each[0].repeats)


def send(world: Any, body: str, **fields: Any) -> SendMail:
    return SendMail(**{"account": "home", "to": (world.tom,), "subject": "News", "body": body, **fields})


def invite(world: Any, description: str, **fields: Any) -> CreateEvent:
    return CreateEvent(account="home", title="Lunch", start=world.at(23, 12), end=world.at(23, 13), attendees=(world.tom,),
                       description=description, **fields)  # fmt: skip


def annas(world: Any, **fields: Any) -> Any:
    return world.mail(**{"to": (world.me,), "subject": "Leipzig", "body": f"Hi Max,\n\n{SECRET}\n\nAnna", **fields})


def with_read(world: Any, mail: Any, **fields: Any) -> Any:
    return world.evidence(read={key_of(mail.ref): mail}, **{"words": "tell Tom the news", **fields})


@pytest.mark.parametrize("make", [send, invite])
def test_a_text_that_repeats_anothers_mail_is_told_and_lifts_nothing(world, rate, make):
    evidence = with_read(world, annas(world))
    action = make(world, f"fyi: {SECRET.upper()}")
    said = "it repeats what Anna Berg <anna@berg.example> wrote in “Leipzig”"
    assert told(evidence, action) == [said]
    assert rate(evidence, action).level == rate(evidence, make(world, "fyi")).level
    assert said in rate(evidence, action).warnings


def test_those_who_took_part_in_it_know_it(world):
    assert told(with_read(world, annas(world, to=(world.me, world.tom))), send(world, SECRET)) == []


@pytest.mark.parametrize("words", ["send Tom what Anna wrote", "tell Tom about Leipzig", f"write to Tom saying {SECRET}"])
def test_what_the_user_speaks_of_or_dictates_may_go(world, words):
    assert told(with_read(world, annas(world), words=words), send(world, SECRET)) == []


def test_a_few_words_in_common_are_chance(world):
    assert told(with_read(world, annas(world)), send(world, "The board wants to close early. See you in March!")) == []


def test_the_conversation_that_is_answered_is_left_to_who_takes_part_in_it(world):
    mail = annas(world)
    assert told(world.evidence(mail), send(world, SECRET, reply_to=mail.ref, to=(world.anna,))) == []


def test_a_title_out_of_the_calendar_is_told(world):
    round_ = world.event(id="s", title="Salary round with HR")
    evidence = world.evidence(read_events={key_of(round_.ref): round_}, words="invite Tom to lunch")
    assert told(evidence, invite(world, "Max is busy: Salary round with HR")) == [
        "it tells of “Salary round with HR” in your calendar"
    ]
    assert told(evidence, invite(world, "A round with HR")) == []


def test_a_title_that_the_answered_mail_holds_is_no_news_to_its_sender(world):
    swim, mail = world.event(id="s", title="Swim with the team"), world.mail(subject="Swim with the team")
    evidence = world.evidence(mail, read_events={key_of(swim.ref): swim}, words="reply to Anna saying yes")
    reply = send(world, "yes", to=(world.anna,), subject="Re: Swim with the team", reply_to=mail.ref)
    assert told(evidence, reply) == []
    assert told(evidence, reply.model_copy(update={"reply_to": None})) != []


def test_a_title_is_not_told_to_those_in_the_event_nor_where_the_user_names_it(world):
    round_ = world.meeting(world.tom, id="s", title="Salary round with HR")
    other = world.event(id="o", title="Salary round with HR")
    for event, words in ((round_, "invite Tom"), (other, "tell Tom that the salary round with HR is first")):
        evidence = world.evidence(read_events={key_of(event.ref): event}, words=words)
        assert told(evidence, invite(world, "After the salary round with HR")) == []


def test_an_event_of_the_same_name_and_the_changed_one_itself_are_not_told(world):
    there = world.meeting(world.anna, title="Budget review for spring")
    again = CreateEvent(account="home", title="Budget review for spring", start=there.start, end=there.end, attendees=(world.tom,))
    rename = UpdateEvent(account="home", event=there.ref, title="Budget review for spring, moved")
    assert told(world.evidence(around=(there,)), again) == []
    assert told(world.evidence(there), rename) == []


def test_what_stays_with_the_user_is_none_of_it(world):
    assert told(with_read(world, annas(world)), invite(world, SECRET).model_copy(update={"attendees": ()})) == []
