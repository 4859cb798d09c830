"""What a selection leaves out and narrows down, for every agent."""

from datetime import timedelta

import pytest

from assistant.reasoning.calls import CROWD
from integrations.actions import CancelEvent, MoveMail
from integrations.types import Address, Attachment

PDF = Attachment(part="2", filename="Offer.PDF", content_type="application/octet-stream", size=10)
PHOTO = Attachment(part="2", filename="a.jpg", content_type="image/jpeg", size=6_000_000)
TOM = Address(email="tom@office.example", name="Tom Lee")


@pytest.fixture
def full(office):
    """Monday is today."""
    office.mail("1", "anna", "Budget", "20 09:00", attachments=(PDF,))
    office.mail("2", "tom", "Lunch", "22 12:00", unread=True, attachments=(PHOTO,))
    office.mail("3", "rita", "News", "21 07:00", bulk=True)
    office.mail("4", "rita", "News again", "22 07:00", bulk=True)
    office.event("standup", "Stand-up", "23 11:30", "23 11:45")
    office.event("budget", "Budget review", "23 15:00", "23 16:30", "anna", "tom", location="Room 4")
    office.event("dentist", "Dentist", "24 15:00", "24 15:30", location="Hamburg")
    return office


def ids(data):
    return [mail.id for mail in data.mails]


def titles(data):
    return [event.title for event in data.events]


async def test_the_last_left_out_is_the_newest(full, say):
    left = say.which(each=True, bulk=True, without=(say.which(order="last"),))
    assert [action.mail.id for action in await full.actions("mail.trash", select=left) if isinstance(action, MoveMail)] == ["3"]


async def test_what_is_left_out_may_be_several_things(full, say):
    left = say.which(each=True, without=(say.which(bulk=True), say.which(people=(say.who("Tom", role="from"),))))
    data = await full.data("mail.find", select=left)
    assert ids(data) == ["1"]
    assert data.heading == "mails, without newsletters and mails from Tom"


async def test_an_order_counts_what_is_left(full, say):
    left = say.which(order="last", without=(say.which(bulk=True), say.which("Lunch")))
    assert ids(await full.data("mail.find", select=left)) == ["1"]


@pytest.mark.parametrize("operation", ["mail.trash", "event.cancel"])
async def test_a_change_of_all_but_something_that_is_not_there_is_not_made(full, say, operation):
    failure = await full.fails(operation, select=say.which(each=True, without=(say.which("Picnic"),)))
    assert failure.type == "not_found"
    assert "I have left everything as it is" in failure.message


async def test_looking_for_all_but_something_that_is_not_there_says_so(full, say):
    report = await full.report("mail.find", select=say.which(without=(say.which("Picnic"),)))
    assert len(report.data.mails) == 4
    assert "none of them is to be left out" in report.limitations[0]


async def test_an_event_left_out_stays(full, say):
    left = say.which(each=True, when=say.day(23), without=(say.which("Stand-up"),))
    (action,) = await full.actions("event.cancel", select=left)
    assert isinstance(action, CancelEvent) and action.event.id == "budget"


async def test_what_is_left_out_may_stand_on_another_day(full, say):
    left = say.which(each=True, when=say.day(24), without=(say.which("Stand-up"),))
    (action,) = await full.actions("event.cancel", select=left)
    assert isinstance(action, CancelEvent) and action.event.id == "dentist"


async def test_contacts_left_out_are_not_listed(full, say):
    data = await full.data("contact.find", select=say.which(each=True, without=(say.which(title="manager"),)))
    assert [contact.name for contact in data.contacts] == ["David Chen", "Sarah Novak", "Tom Lee"]


@pytest.mark.parametrize(
    ("more", "expected"),
    [
        ({"attached": "pdf"}, ["1"]), ({"attached": "image"}, ["2"]), ({"attached": "large"}, ["2"]),
        ({"known": False}, ["4", "3"]),
        ({"addressed": "only"}, ["2", "4", "3", "1"]), ({"addressed": "copy"}, []), ({"order": "nth_last", "number": 2}, ["4"]),
    ],
)  # fmt: skip
async def test_mails_are_narrowed_by_what_no_search_knows(full, say, more, expected):
    assert ids(await full.data("mail.find", select=say.which(**more))) == expected


@pytest.mark.parametrize(
    ("more", "expected"),
    [
        ({"guests": (0, 0)}, ["Stand-up", "Dentist"]), ({"guests": (2, CROWD)}, ["Budget review"]),
        ({"place": "room 4"}, ["Budget review"]),
        ({"lasting": (timedelta(hours=1), timedelta(days=9))}, ["Budget review"]), ({"place": "Hamburg"}, ["Dentist"]),
        ({"lasting": (timedelta(), timedelta(minutes=30))}, ["Stand-up"]), ({"order": "nth_last", "number": 2}, ["Budget review"]),
        ({"recurring": False}, ["Stand-up", "Budget review", "Dentist"]), ({"recurring": True}, []),
    ],
)  # fmt: skip
async def test_events_are_narrowed_by_guests_place_and_length(full, say, more, expected):
    assert titles(await full.data("event.find", select=say.which(each=True, when=say.day(23, 7), **more))) == expected


async def test_the_guests_of_an_event_are_all_but_the_user(full, say):
    data = await full.data("event.guests", select=say.which("Budget"))
    assert {address.email for address in data.addresses} == {"anna@acme.example", TOM.email}


async def test_somebody_mistyped_is_taken_for_the_only_one_near_which_is_a_guess(full, say):
    report = await full.report("mail.find", select=say.which(people=(say.who("Ana Berk", role="from"),)))
    assert ids(report.data) == ["1"]
    assert "taken for Anna Berg" in report.limitations[0]


async def test_the_last_of_each_is_one_from_everybody(full, say):
    data = await full.data("mail.find", select=say.which(people=(say.who("each member of Marketing", role="from"),), order="last"))
    assert ids(data) == ["2"]


async def test_cards_that_lack_something_are_found(full, say):
    data = await full.data("contact.find", select=say.which(lacking="phone"))
    assert [contact.name for contact in data.contacts] == ["David Chen", "David Smith", "Tom Lee"]
