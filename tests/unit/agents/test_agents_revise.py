"""Changes to an open proposal."""

from datetime import timedelta

import pytest

from assistant.agents.email import EmailAgent
from assistant.agents.picking import ordered
from assistant.reasoning.calls import Call, Selection
from assistant.values import Data, Failure
from integrations.actions import CreateEvent, SendMail, UpdateEvent


@pytest.fixture
async def mail(office, say):
    """A mail to Anna and Tom."""
    data = await office.data("mail.send", to=(say.who("Anna"), say.who("Tom")), subject="Plan", body="Hi Anna,\nsee you.")
    office.results["proposal"] = data
    return office


@pytest.fixture
async def meeting(office, say):
    """A new meeting with Anna and Tom, and a dentist in the way at four."""
    office.event("dentist", "Dentist", "24 16:00", "24 16:30")
    data = await office.data("event.create", to=(say.who("Anna"), say.who("Tom")), time=say.point("24 14:00"))
    office.results["proposal"] = data
    return office


@pytest.fixture
async def move(office, say):
    office.event("b", "Budget", "23 15:00", "23 16:00", "anna", "tom")
    office.results["proposal"] = await office.data("event.move", select=say.which("Budget"), shift=timedelta(hours=1))
    return office


def emails(addresses):
    return [a.email for a in addresses]


async def test_another_time_keeps_date_length_and_people(meeting, say):
    data = await meeting.data("revise.time", time=say.point("23 15:00", dated=False))
    (proposal,) = data.proposals
    assert isinstance(proposal.action, CreateEvent)
    assert (proposal.action.start, proposal.action.end) == (say.at("24 15:00"), say.at("24 16:00"))
    assert emails(proposal.action.attendees) == ["anna@acme.example", "tom@office.example"]
    assert "15:00-16:00" in proposal.says


async def test_a_new_time_brings_its_own_collisions(meeting, say):
    four = await meeting.data("revise.time", time=say.point("23 16:00", dated=False))
    assert "collides with Dentist, Tue 24 Nov, 16:00-16:30" in four.proposals[0].notes
    meeting.results["proposal"] = four
    five = await meeting.data("revise.time", time=say.point("23 17:00", dated=False))
    assert not any("collides" in guess for guess in five.proposals[0].notes)


async def test_another_day_keeps_the_time(meeting, say):
    (action,) = await meeting.actions("revise.time", time=say.day(26))
    assert action.start == say.at("26 14:00")


async def test_an_hour_later(meeting, say):
    (action,) = await meeting.actions("revise.time", shift=timedelta(hours=1))
    assert action.start == say.at("24 15:00")


async def test_a_said_length_does_away_with_the_guessed_one(meeting):
    data = await meeting.data("revise.duration", duration=timedelta(minutes=45))
    assert data.proposals[0].action.end - data.proposals[0].action.start == timedelta(minutes=45)
    assert data.proposals[0].guesses == ()


async def test_a_move_is_revised_from_what_was_proposed(move, say):
    data = await move.data("revise.time", time=say.point("23 17:00", dated=False))
    (proposal,) = data.proposals
    assert isinstance(proposal.action, UpdateEvent)
    assert (proposal.action.start, proposal.action.end) == (say.at("23 17:00"), say.at("23 18:00"))
    assert proposal.before.start == say.at("23 15:00")


async def test_leaving_somebody_out_of_a_mail(mail, say):
    data = await mail.data("revise.drop_person", to=(say.who("Tom"),))
    (proposal,) = data.proposals
    assert emails(proposal.action.to) == ["anna@acme.example"]
    assert proposal.says == 'send "Plan" to Anna Berg'


async def test_leaving_somebody_out_of_a_new_meeting_renames_what_was_named_after_them(meeting, say):
    (action,) = await meeting.actions("revise.drop_person", to=(say.who("Tom"),))
    assert emails(action.attendees) == ["anna@acme.example"]
    assert action.title == "Meeting with Anna"


async def test_leaving_a_guest_out_of_a_move_removes_the_guest(move, say):
    (action,) = await move.actions("revise.drop_person", to=(say.who("Tom"),))
    assert action.remove_attendees == ("tom@office.example",)
    assert action.start == say.at("23 16:00")


async def test_the_only_recipient_cannot_be_left_out(office, say):
    office.results["proposal"] = await office.data("mail.send", to=(say.who("Anna"),), body="x")
    assert (await office.fails("revise.drop_person", to=(say.who("Anna"),))).type == "refused"


async def test_of_several_mails_the_one_to_somebody_is_left_out(office, say):
    one = await office.data("mail.send", to=(say.who("Anna"),), body="x")
    two = await office.data("mail.send", to=(say.who("Tom"),), body="x")
    office.results["proposal"] = Data(kind="proposals", proposals=one.proposals + two.proposals)
    (action,) = await office.actions("revise.drop_person", to=(say.who("Tom"),))
    assert emails(action.to) == ["anna@acme.example"]


async def test_of_several_cancellations_one_is_left_out(office, say):
    office.event("a", "Dentist", "24 15:00", "24 15:30")
    office.event("b", "Gym", "24 17:00", "24 18:00")
    office.results["proposal"] = await office.data("event.cancel", select=say.which(when=say.day(24), each=True))
    (action,) = await office.actions("revise.drop_person", select=say.which("dentist"))
    assert action.event.id == "b"


async def test_of_several_trashed_mails_those_from_somebody_are_left_out(office, say):
    office.mail("1", "anna", "A", "20 09:00")
    office.mail("2", "tom", "B", "20 10:00")
    office.results["proposal"] = await office.data("mail.trash", select=say.which(each=True))
    (action,) = await office.actions("revise.drop_person", to=(say.who("Anna"),))
    assert action.mail.id == "2"


async def test_somebody_who_is_not_in_it_is_said_with_those_who_are(mail, say):
    failure = await mail.fails("revise.drop_person", to=(say.who("Sarah"),))
    assert "in it: Anna Berg and Tom Lee" in failure.message


async def test_one_more_recipient(mail, say):
    data = await mail.data("revise.add_person", to=(say.who("Sarah"),))
    assert emails(data.proposals[0].action.to) == ["anna@acme.example", "tom@office.example", "sarah@office.example"]
    assert data.proposals[0].says == 'send "Plan" to Anna Berg, Tom Lee and Sarah Novak'


async def test_one_more_in_copy(mail, say):
    (action,) = await mail.actions("revise.add_person", cc=(say.who("Sarah"),))
    assert emails(action.cc) == ["sarah@office.example"]


async def test_one_more_guest(meeting, say):
    (action,) = await meeting.actions("revise.add_person", to=(say.who("Sarah"),))
    assert emails(action.attendees)[-1] == "sarah@office.example"


async def test_a_guest_added_to_a_move_is_invited(move, say):
    (action,) = await move.actions("revise.add_person", to=(say.who("Sarah"),))
    assert emails(action.add_attendees) == ["sarah@office.example"]


async def test_who_is_in_it_already_is_refused(mail, say):
    assert (await mail.fails("revise.add_person", to=(say.who("Anna"),))).type == "refused"


async def test_adding_one_of_two_davids_is_asked(mail, say):
    assert (await mail.asks("revise.add_person", to=(say.who("David"),))).entity == "David"


async def test_the_wrong_david_is_replaced_by_the_right_one(office, say):
    office.results["proposal"] = await office.data("mail.send", to=(say.who("David Smith"), say.who("Tom")), body="x")
    (action,) = await office.actions("revise.replace_person", to=(say.who("David Chen"),))
    assert emails(action.to) == ["david.chen@bolt.example", "tom@office.example"]


async def test_a_named_person_is_replaced_and_the_greeting_follows(mail, say):
    data = await mail.data("revise.replace_person", to=(say.who("Sarah"),), select=say.which(people=("Anna",)))
    (proposal,) = data.proposals
    assert emails(proposal.action.to) == ["sarah@office.example", "tom@office.example"]
    assert proposal.action.body == "Hi Sarah,\nsee you."
    assert any("greeting" in guess for guess in proposal.notes)


async def test_without_a_hint_whom_to_replace_is_not_guessed(mail, say):
    failure = await mail.fails("revise.replace_person", to=(say.who("Sarah"),))
    assert failure.type == "not_understood"
    assert "Anna Berg and Tom Lee" in failure.message


async def test_other_words(mail):
    (action,) = await mail.actions("revise.body", body="Never mind.")
    assert isinstance(action, SendMail)
    assert action.body == "Never mind."


async def test_other_words_not_dictated_are_a_brief(mail):
    data = await mail.data("revise.body", about="that it is off")
    assert data.proposals[0].action.body == ""
    assert data.proposals[0].brief.about == "that it is off"


async def test_another_subject(mail):
    data = await mail.data("revise.subject", subject="New plan")
    assert data.proposals[0].action.subject == "New plan"
    assert data.proposals[0].says == 'send "New plan" to Anna Berg and Tom Lee'


@pytest.mark.parametrize("operation", ["revise.subject", "revise.title"])
async def test_an_events_title_goes_by_both_words(meeting, operation):
    (action,) = await meeting.actions(operation, title="Kick-off")
    assert action.title == "Kick-off"


async def test_another_place(meeting):
    (action,) = await meeting.actions("revise.location", location="Room B")
    assert action.location == "Room B"


@pytest.mark.parametrize("operation", ["revise.time", "revise.duration", "revise.location"])
async def test_what_a_mail_does_not_have_cannot_be_changed(mail, say, operation):
    more = {"time": say.point("24 15:00"), "duration": timedelta(hours=1), "location": "B"}
    failure = await mail.fails(operation, **more)
    assert failure.type == "not_understood"
    assert "recipients, subject and text" in failure.message


async def test_without_a_proposal_there_is_nothing_to_revise(office):
    assert (await office.fails("revise.subject", subject="x")).type == "not_found"


async def test_of_two_mails_the_one_to_reword_is_asked_for(office, say):
    one = await office.data("mail.send", to=(say.who("Anna"),), subject="A", body="x")
    two = await office.data("mail.send", to=(say.who("Tom"),), subject="B", body="y")
    office.results["proposal"] = Data(kind="proposals", proposals=one.proposals + two.proposals)
    ambiguity = await office.asks("revise.body", body="z")
    office.bindings[ambiguity.entity] = ambiguity.choices[1].value
    first, second = await office.actions("revise.body", body="z")
    assert (first.body, second.body) == ("x", "z")


async def test_every_agent_can_revise(mail):
    report = await EmailAgent().perform(Call(operation="revise.subject", subject="x"), mail.desk)
    assert not isinstance(report, Failure)


async def test_only_those_named_stay(mail, say):
    (action,) = await mail.actions("revise.drop_person", to=(say.who("Anna"),), field="others")
    assert emails(action.to) == ["anna@acme.example"]


async def test_only_somebody_who_is_not_in_it_changes_nothing(mail, say):
    failure = await mail.fails("revise.drop_person", to=(say.who("Sarah"),), field="others")
    assert "in it: Anna Berg and Tom Lee" in failure.message


async def test_of_several_mails_the_newest_is_kept_whatever_its_place(office, say):
    office.mail("1", "anna", "A", "20 09:00")
    office.mail("2", "tom", "B", "20 10:00")
    office.results["proposal"] = await office.data("mail.trash", select=say.which(each=True))
    (action,) = await office.actions("revise.drop_person", select=Selection(refs=("proposal",), order="last"))
    assert action.mail.id == "1"


async def test_more_text_stands_behind_what_the_mail_says(mail):
    (action,) = await mail.actions("revise.body", body="see you soon", field="more")
    assert action.body.endswith("\n\nSee you soon.")


@pytest.mark.parametrize(("places", "found"), [((2, 4), "bd"), ((1, -1), "ad"), ((2, 9), ""), ((-1,), "d")])
def test_several_places_are_all_there_or_none_is_taken(places, found):
    assert "".join(ordered("abcd", Selection(order="nth", places=places))) == found
