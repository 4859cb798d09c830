"""What the calendar agent tells of the answers of an event's guests."""

import pytest

from assistant.values import Data, Partial
from integrations.types import Attendee


def invite(office, say, *answers: str, host: str = "me", title: str = "Tulips", **more):
    """An event of `host`, whose guests gave these answers ("anna accepted")."""
    those = tuple(Attendee(address=say.people[who], answer=answer) for who, _, answer in (one.partition(" ") for one in answers))
    return office.event(title.lower(), title, "27 09:00", "27 10:00", organizer=say.people[host], attendees=those, **more)


def asks(say, *people: str, field: str = "accepted", question: str = "whether", word: str = "Tulips", **more):
    who = tuple(say.who(one) for one in people)
    return {"select": say.which(*((word,) if word else ()), **more), "to": who, "field": field, "question": question}


@pytest.mark.parametrize("field", ["accepted", "declined", "tentative", "answered"])
async def test_who_has_not_answered_has_neither_accepted_nor_declined(office, say, field):
    invite(office, say, "anna needs-action")
    data = await office.data("event.answers", **asks(say, "Anna", field=field))
    assert data.truth is False
    assert data.text == "There is no answer from Anna Berg in your calendar yet."
    assert [event.title for event in data.events] == ["Tulips"]


@pytest.mark.parametrize(
    ("answer", "field", "truth", "text"),
    [
        ("accepted", "accepted", True, "Anna Berg has accepted."),
        ("accepted", "declined", False, "Anna Berg has accepted."),
        ("accepted", "answered", True, "Anna Berg has accepted."),
        ("declined", "declined", True, "Anna Berg has declined."),
        ("declined", "accepted", False, "Anna Berg has declined."),
        ("tentative", "accepted", False, "Anna Berg has answered “maybe”."),
        ("tentative", "tentative", True, "Anna Berg has answered “maybe”."),
    ],
)
async def test_a_guests_answer_is_told(office, say, answer, field, truth, text):
    invite(office, say, f"anna {answer}", "tom needs-action")
    data = await office.data("event.answers", **asks(say, "Anna", field=field))
    assert (data.truth, data.text) == (truth, text)


async def test_of_several_each_must_have_accepted(office, say):
    invite(office, say, "anna accepted", "tom needs-action")
    data = await office.data("event.answers", **asks(say, "Anna", "Tom"))
    assert data.truth is False
    assert data.text == "Anna Berg has accepted. There is no answer from Tom Lee in your calendar yet."


async def test_everybody_and_anybody_are_the_guests_without_the_user(office, say):
    invite(office, say, "anna accepted", "tom declined", "me accepted")
    assert (await office.data("event.answers", **asks(say))).truth is False
    assert (await office.data("event.answers", **asks(say, question="any"))).truth is True
    assert (await office.data("event.answers", **asks(say, question="any", field="tentative"))).truth is False


async def test_a_nickname_is_a_guest_and_part_of_another_name_is_not(office, say):
    invite(office, say, "anna accepted")
    assert (await office.data("event.answers", **asks(say, "Annie"))).truth is True
    data = await office.data("event.answers", **asks(say, "nna"))
    assert data.truth is False


async def test_who_is_no_guest_has_not_accepted(office, say):
    invite(office, say, "anna accepted")
    data = await office.data("event.answers", **asks(say, "Tom"))
    assert (data.truth, data.text) == (False, "No, Tom is not among its guests.")


async def test_an_event_without_guests_was_accepted_by_nobody(office, say):
    office.event("alone", "Tulips", "27 09:00", "27 10:00")
    data = await office.data("event.answers", **asks(say, question="any"))
    assert (data.truth, data.text) == (False, "No, nobody else is invited to it.")


async def test_which_of_two_guests_is_meant_is_asked(office, say):
    invite(office, say, "dsmith accepted", "dchen needs-action")
    asked = await office.asks("event.answers", **asks(say, "David"))
    assert asked.question == "Which David do you mean?"


async def test_silence_in_the_event_of_another_cannot_be_told(office, say):
    invite(office, say, "anna needs-action", "me accepted", host="tom")
    failure = await office.fails("event.answers", **asks(say, "Anna"))
    assert failure.type == "not_found"
    assert failure.message.startswith("I can't tell: your calendar holds no answer of Anna Berg to Tulips,")
    assert failure.message.endswith("guests answer Tom Lee, who organises it.")


async def test_an_answer_in_the_event_of_another_is_told_with_its_doubt(office, say):
    invite(office, say, "anna declined", "me accepted", host="tom")
    report = await office.report("event.answers", **asks(say, "Anna", field="declined"))
    assert isinstance(report, Partial)
    assert report.data.truth is True
    assert report.limitations == ("guests answer Tom Lee, who organises it; your calendar may lack the latest answers",)


async def test_nobody_is_said_to_have_declined_where_an_answer_is_unknown(office, say):
    invite(office, say, "anna accepted", "sarah needs-action", host="tom")
    failure = await office.fails("event.answers", **asks(say, question="any", field="declined"))
    assert "I can't tell" in failure.message


async def test_an_answer_that_no_provider_told_is_unknown(office, say):
    invite(office, say, "anna ")
    failure = await office.fails("event.answers", **asks(say, "Anna"))
    assert failure.message.startswith("I can't tell: your calendar holds no answer of Anna Berg")


async def test_who_accepted_is_told_with_all_other_answers(office, say):
    invite(office, say, "anna declined", "tom accepted", "sarah needs-action")
    data = await office.data("event.answers", **asks(say, question="who"))
    assert data.truth is None
    told = "Tom Lee has accepted. Anna Berg has declined. There is no answer from Sarah Novak in your calendar yet."
    assert data.text == told


async def test_nobody_has_accepted(office, say):
    invite(office, say, "anna needs-action")
    data = await office.data("event.answers", **asks(say, question="who"))
    assert data.text == "Nobody has accepted yet. There is no answer from Anna Berg in your calendar yet."


async def test_who_has_not_answered_stands_first(office, say):
    invite(office, say, "anna accepted", "tom needs-action")
    data = await office.data("event.answers", **asks(say, question="who not", field="answered"))
    assert data.text == "There is no answer from Tom Lee in your calendar yet. Anna Berg has accepted."


async def test_which_events_somebody_accepted(office, say):
    invite(office, say, "tom accepted", title="Tulips")
    invite(office, say, "tom needs-action", title="Roses")
    invite(office, say, "anna accepted", title="Lilies")

    async def titles(question: str) -> list[str]:
        data: Data = await office.data("event.answers", **asks(say, "Tom", question=question, word=""))
        return [event.title for event in data.events]

    assert await titles("which") == ["Tulips"]
    assert await titles("which not") == ["Roses"]


async def test_an_event_that_is_not_there_was_accepted_by_nobody(office, say):
    invite(office, say, "anna accepted")
    failure = await office.fails("event.answers", **asks(say, "Anna", word="Orchids"))
    assert failure.type == "not_found"


async def test_which_of_several_events_is_meant_is_asked(office, say):
    invite(office, say, "anna accepted", title="Tulips one")
    invite(office, say, "anna needs-action", title="Tulips two")
    assert await office.asks("event.answers", **asks(say, "Anna"))
