"""The course all sub-agents take, from the instruction in words to the report."""

import asyncio
from datetime import timedelta

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from assistant.agents.calendar import CalendarAgent
from assistant.agents.contacts import ContactsAgent
from assistant.agents.email import EmailAgent
from assistant.agents.report import CLEAN, LEAST, Notes
from assistant.reasoning.calls import Call, Operation, Person, Reading, Selection, TimeSpec
from assistant.values import Data, Failure, Partial, Success

AGENTS = {"email": EmailAgent(), "calendar": CalendarAgent(), "contacts": ContactsAgent()}


@pytest.fixture
def full(office):
    """Something of everything."""
    office.mail("1", "anna", "Budget 2027", "20 09:00", body="The budget approval is due on Friday.", thread="t1")
    office.mail("2", "tom", "Lunch", "22 12:00", unread=True)
    office.mail("3", "me", "Proposal", "18 10:00", thread="t3")
    office.mail("4", "anna", "Re: Proposal", "19 10:00", thread="t3")
    office.event("standup", "Stand-up", "23 09:30", "23 10:30")
    office.event("budget", "Budget review", "23 15:00", "23 16:00", "anna", "tom")
    office.event("dentist", "Dentist", "24 15:00", "24 15:30")
    office.event("yoga", "Yoga", "2 18:00", "2 19:00", series=True, rrule="FREQ=WEEKLY")
    start = office.events[1].start.replace(hour=18)
    office.event("yoga", "Yoga", "23 18:00", "23 19:00", series=True, rrule="FREQ=WEEKLY", recurrence=start)
    return office


async def test_what_is_read_for_certain_is_not_asked_of_the_reasoner(full):
    report = await AGENTS["email"].run("show my unread mail", full.desk)
    assert isinstance(report, Success)
    assert [m.id for m in report.data.mails] == ["2"]
    assert full.reasoner.asked == []


async def test_what_is_not_certain_is_asked_with_what_was_read(full):
    full.reasoner.reading = Reading(call=Call(operation="mail.count"), certain=True)
    report = await AGENTS["email"].run("wibble the frobnitz sideways", full.desk)
    assert report.data.kind == "count"
    (asked,) = full.reasoner.asked
    assert asked.agent == "email"
    assert asked.text == "wibble the frobnitz sideways"
    assert isinstance(asked.grammar, Reading)


async def test_what_nobody_understands_is_said_with_what_can_be_done(full):
    report = await AGENTS["calendar"].run("wibble the frobnitz sideways", full.desk)
    assert isinstance(report, Failure)
    assert report.type == "not_understood"
    assert "wibble the frobnitz sideways" in report.message
    assert "free times" in report.message


async def test_what_the_reading_guessed_stands_on_the_proposal_and_lowers_confidence(full, say):
    full.reasoner.reading = Reading(call=Call(operation="mail.trash", select=say.which("Lunch")), guesses=("Lunch is a subject",))
    report = await AGENTS["email"].run("wibble the frobnitz sideways", full.desk)
    assert isinstance(report, Success)
    assert report.confidence < CLEAN
    assert "Lunch is a subject" in report.data.proposals[0].guesses


async def test_an_uncertain_reading_without_reasons_is_still_said_to_be_one(full):
    full.reasoner.reading = Reading(call=Call(operation="mail.count"))
    report = await AGENTS["email"].run("wibble the frobnitz sideways", full.desk)
    assert isinstance(report, Partial)
    assert report.limitations


def test_confidence_falls_with_every_guess_and_limitation_but_not_with_cautions():
    def sure(guesses=0, limits=0, cautions=0):
        notes = Notes([f"g{n}" for n in range(guesses)], [f"c{n}" for n in range(cautions)], [f"l{n}" for n in range(limits)])
        return notes.report(Data(kind="count", count=1)).confidence

    assert sure() == CLEAN == sure(cautions=3)
    assert sure() > sure(guesses=1) > sure(limits=1) > sure(limits=1, guesses=1)
    assert sure(limits=9, guesses=9) == LEAST


@pytest.mark.parametrize(
    ("agent", "sentence", "expected"),
    [
        ("email", "Find all emails from anna@acme.example in the last week", ("mails", ["1", "4"])),
        ("email", "Search for emails containing 'budget approval'", ("mails", ["1"])),
        ("email", "Check if the client replied to our proposal", ("mails", ["4"])),
        ("email", "read the last mail from Tom", ("mails", ["2"])),
        ("calendar", "what's on my calendar tomorrow?", ("events", ["dentist"])),
        ("calendar", "when is my next meeting with Anna?", ("events", ["budget"])),
        ("contacts", "Find contact information for David Smith", ("contacts", ["c-dsmith"])),
        ("contacts", "Find all contacts from Acme Corporation", ("contacts", ["c-anna", "c-dsmith"])),
        ("contacts", "Get all contacts with 'manager' in their title", ("contacts", ["c-anna", "c-dsmith"])),
    ],
)
async def test_a_sentence_finds_what_it_names(full, agent, sentence, expected):
    report = await AGENTS[agent].run(sentence, full.desk)
    kind, ids = expected
    assert not isinstance(report, Failure), report.message
    assert report.data.kind == kind
    assert [item.id for item in getattr(report.data, kind)] == ids


@pytest.mark.parametrize(
    ("agent", "sentence", "says"),
    [
        ("email", "Send this email to the marketing team: Hello all", "send a mail to Sarah Novak and Tom Lee"),
        ("email", "reply to the latest email from Tom with 'Got it'", 'reply to Tom Lee: "Lunch"'),
        ("email", "archive the last mail from Tom", 'archive "Lunch" from Tom Lee, Sun 22 Nov, 12:00'),
        (
            "calendar",
            "Schedule meeting with Anna and Tom for tomorrow 2pm",
            'create "Meeting with Anna and Tom", Tue 24 Nov, 14:00-15:00 with Anna Berg and Tom Lee',
        ),
        (
            "calendar",
            "Move the 3pm meeting to 4pm on Thursday",
            'move "Budget review" (Anna Berg and Tom Lee) from Mon 23 Nov, 15:00-16:00 to Thu 26 Nov, 16:00-17:00',
        ),
        ("contacts", "Update Sarah's email to sarah.new@company.com", None),
    ],
)
async def test_a_sentence_proposes_what_it_asks_for(full, agent, sentence, says):
    full.contacts.sort(key=lambda c: c.name)
    report = await AGENTS[agent].run(sentence, full.desk)
    assert not isinstance(report, Failure), report.message
    (proposal,) = report.data.proposals
    assert proposal.says == (says or "change Sarah Novak's email from sarah@office.example to sarah.new@company.com")


async def test_free_slots_in_words(full):
    report = await AGENTS["calendar"].run("Find available 60-minute slots next Tuesday", full.desk)
    assert report.data.slots
    assert {slot.end - slot.start for slot in report.data.slots} == {timedelta(hours=1)}


@pytest.mark.parametrize("name", sorted(AGENTS))
def test_every_operation_has_exactly_one_home(name):
    homes = {"mail": "email", "template": "email", "event": "calendar", "contact": "contacts"}
    for operation in Operation.__args__:
        area = operation.partition(".")[0]
        belongs = area == "revise" or homes[area] == name
        assert (operation in AGENTS[name].handlers) == belongs, operation


WORDS = st.sampled_from(["budget", "Dentist", "", "(", "zeppelin", "budget review", "%", "Zoë"])
NAMES = st.sampled_from(["Anna", "David", "Nobody", "", "marketing team", "me", "Tom Lee"])
PERSONS = st.builds(
    Person,
    text=NAMES,
    email=st.sampled_from(["", "", "anna@acme.example", "not an address"]),
    ref=st.sampled_from(["", "", "", "1", "shown", "9"]),
    role=st.sampled_from(["any", "from", "to", "with"]),
)
DELTAS = st.sampled_from([None, timedelta(minutes=30), timedelta(hours=-3), timedelta(days=1), timedelta(0)])


@st.composite
def times(draw, say_at):
    start = draw(st.sampled_from([None, "20 09:00", "23 15:00", "24 00:00", "30 10:30"]))
    begin = say_at(start) if start else None
    length = draw(st.sampled_from([None, timedelta(hours=1), timedelta(days=1), timedelta(days=7)]))
    return TimeSpec(
        kind=draw(st.sampled_from(["point", "range", "duration", "repeat"])),
        text=draw(st.sampled_from(["", "this afternoon"])),
        start=begin,
        stop=begin + length if begin and length else None,
        duration=draw(DELTAS),
        rrule=draw(st.sampled_from(["", "FREQ=DAILY"])),
        has_date=draw(st.booleans()),
        has_time=draw(st.booleans()),
    )


def calls(say_at):
    few = st.lists(PERSONS, max_size=2).map(tuple)
    maybe_time = st.none() | times(say_at)
    selection = st.builds(
        Selection,
        refs=st.sampled_from([(), (), (), ("1",), ("shown",), ("9",)]),
        people=few,
        words=st.lists(WORDS, max_size=2).map(tuple),
        when=maybe_time,
        order=st.sampled_from(["", "first", "last", "next", "nth"]),
        number=st.sampled_from([1, 2, 0, -1, 500]),
        each=st.booleans(),
        unread=st.sampled_from([None, True, False]),
        unanswered=st.booleans(),
        folder=st.sampled_from(["", "", "sent", "trash", "nowhere"]),
        all_day=st.sampled_from([None, True]),
        company=st.sampled_from(["", "", "Acme"]),
        title=st.sampled_from(["", "", "manager"]),
        group=st.sampled_from(["", "", "Marketing", "nobody"]),
    )
    return st.builds(
        Call,
        operation=st.sampled_from(Operation.__args__),
        select=selection,
        to=few,
        cc=few,
        subject=st.sampled_from(["", "Hi"]),
        body=st.sampled_from(["", "x"]),
        about=st.sampled_from(["", "the delay"]),
        template=st.sampled_from(["", "thanks", "none"]),
        title=st.sampled_from(["", "New"]),
        time=maybe_time,
        duration=DELTAS,
        shift=DELTAS,
        location=st.sampled_from(["", "Room B"]),
        all_day=st.booleans(),
        field=st.sampled_from(["", "all", "reply", "them", "phone", "shoe"]),
        details=st.sampled_from([(), (("email", "a@b.example"),), (("phone", "1"),), (("shoe", "2"),)]),
        question=st.sampled_from(["", "reply", "when?"]),
    )


MAIL = ("mail.send", {"to": (Person(text="Anna"), Person(text="Tom")), "subject": "S", "body": "Hi Anna,\nb"})
MEETING = ("event.create", {"to": (Person(text="Anna"),)})
MOVE = ("event.move", {"select": Selection(words=("Budget review",)), "shift": timedelta(hours=1)})
TRASH = ("mail.trash", {"select": Selection(each=True)})
PROPOSALS = [(), (MAIL,), (MEETING,), (MOVE,), (MAIL, MAIL), (MAIL, MEETING, MOVE), (TRASH,)]


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_any_call_ends_in_a_report(full, say, data):
    """Whatever is asked: a report comes back, what is proposed is bounded, and nothing raises."""
    call = data.draw(calls(say.at))
    full.results.clear()
    full.results["1"] = Data(kind="mails", mails=tuple(full.mails[:2]))
    full.results["shown"] = Data(kind="events", events=tuple(full.events[:2]))
    for operation, more in data.draw(st.sampled_from(PROPOSALS)):
        before = full.results.get("proposal", Data())
        made = asyncio.run(full.data(operation, **more)).proposals
        full.results["proposal"] = Data(kind="proposals", proposals=(*before.proposals, *made))
    area = call.operation.partition(".")[0]
    agent = AGENTS[{"mail": "email", "template": "email", "event": "calendar", "contact": "contacts"}.get(area, "email")]
    report = asyncio.run(agent.perform(call, full.desk))
    assert isinstance(report, Success | Partial | Failure)
    if isinstance(report, Failure):
        assert report.message.strip()
    else:
        assert len(report.data.proposals) <= 200
        assert all(proposal.says for proposal in report.data.proposals)


@pytest.mark.parametrize("length", [timedelta(0), timedelta(minutes=-30)])
async def test_a_length_of_nothing_or_less_is_not_understood(full, length):
    for operation in ("event.create", "event.slots", "event.resize"):
        assert (await full.fails(operation, duration=length)).type == "not_understood"


async def test_an_end_before_the_start_is_not_understood(full, say):
    assert (await full.fails("event.slots", time=say.span("24 15:00", "24 14:00", "from 3 to 2"))).type == "not_understood"


async def test_a_sign_that_stands_for_an_earlier_result_is_never_written_down(office):
    office.contact("anna")
    report = await AGENTS["contacts"].perform(
        Call(operation="contact.update", select=Selection(people=(Person(text="Anna Berg"),)), details=(("phone", "the {shown}"),)),
        office.desk,
    )
    assert isinstance(report, Failure) and report.type == "not_understood"
