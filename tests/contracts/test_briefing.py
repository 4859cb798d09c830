"""A briefing can be made of every account."""

from doubles.boxes.base import OWNER, Boxes
from doubles.boxes.events import ME, MEETING, at
from doubles.boxes.letters import letter
from doubles.desks import briefed, texts

from integrations.types import SENT


async def test_mails_and_events_of_any_provider_are_told_and_the_next_time_only_what_is_new(boxes: Boxes) -> None:
    letters = boxes.mail
    letters.deliver(letter(date=at(18, 23), subject="Figures", body="Could you send them to me?"))
    letters.deliver(letter(date=at(19, 0), subject="Weekly", body="What is new.", **{"List-Id": "<w.example>"}))
    asked = letter(date=at(15, 8), subject="Offer", sender=OWNER, to="tom@acme.example", body="Could you call me?")
    letters.deliver(asked, SENT, seen=True)
    boxes.calendar.put(MEETING)
    first = await briefed("19 8:00", letters.account.readers, me=ME)
    assert texts(first, "answer") == ["Anna Berg: Could you send them to me? (Figures)"]
    assert texts(first, "waiting") == ["tom@acme.example: Could you call me? (Offer)"]
    assert texts(first, "newsletters") == ["1 newsletter: Anna Berg"]
    assert [text.partition(",")[0] for text in texts(first, "agenda")] == ["15:00-16:00 Budget review"]
    assert [one.trouble for one in first.looked] == [""]
    letters.deliver(letter(date=at(19, 9), subject="Lunch", body="Are you coming?"))
    second = await briefed("19 10:00", letters.account.readers, me=ME, after=first)
    assert texts(second, "answer") == ["Anna Berg: Are you coming? (Lunch)"]
    assert texts(second, "newsletters") == []
    assert "Anna Berg (Figures)" in texts(second, "open")
