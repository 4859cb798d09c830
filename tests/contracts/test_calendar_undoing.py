"""A calendar's changes meet the changes of others, are done once, and can be taken back."""

from collections.abc import Callable

import pytest
from doubles.boxes.base import NAME, CalendarBox
from doubles.boxes.events import ANNA, INVITATION, MEETING, STANDUP, at, unstamped
from doubles.given import GivenEvent

from integrations.actions import Action, AnswerInvitation, CalendarAction, CancelEvent, CreateEvent, RestoreEvent, UpdateEvent
from integrations.errors import Conflict, NotFound, Unavailable
from integrations.types import EventRef

LUNCH = CreateEvent(account=NAME, title="Lunch", start=at(20, 12), end=at(20, 13))
KEY = "0a1b2c3d4e5f60718293a4b5c6d7e8f9"
Change = Callable[[EventRef], UpdateEvent | CancelEvent | AnswerInvitation]
CHANGES: dict[str, Change] = {
    "update": lambda ref: UpdateEvent(account=NAME, event=ref, title="Other", start=at(20, 16)),
    "cancel": lambda ref: CancelEvent(account=NAME, event=ref),
    "answer": lambda ref: AnswerInvitation(account=NAME, event=ref, answer="declined"),
}
MINE = MEETING.but(attendees=(*INVITATION.attendees, *MEETING.attendees[:1]))
"""An event of one's own that one attends."""
GIVEN = {"update": MINE, "cancel": MINE, "answer": INVITATION}
"""What each change is made to: not everywhere can one answer one's own invitation."""
each_change = pytest.mark.parametrize(("given", "change"), [(GIVEN[kind], CHANGES[kind]) for kind in CHANGES], ids=CHANGES)


@each_change
async def test_a_stale_etag_is_refused(calendar_box: CalendarBox, given: GivenEvent, change: Change) -> None:
    calendar_box.put(given)
    read = await calendar_box.only()
    other = CHANGES["update"] if given is MINE else lambda ref: AnswerInvitation(account=NAME, event=ref, answer="tentative")
    await calendar_box.writer.execute(other(read.ref), "other")
    between = await calendar_box.only()
    with pytest.raises(Conflict) as refused:
        await calendar_box.writer.execute(change(read.ref), "k1")
    assert refused.value.account == NAME
    assert await calendar_box.only() == between


@each_change
async def test_what_somebody_else_has_changed_is_not_overwritten(
    calendar_box: CalendarBox, given: GivenEvent, change: Change
) -> None:
    calendar_box.put(given)
    event = await calendar_box.only()
    calendar_box.rename(event.ref, "Meanwhile")
    with pytest.raises(Conflict):
        await calendar_box.writer.execute(change(event.ref), "k1")
    assert unstamped(await calendar_box.only()) == unstamped(event.model_copy(update={"title": "Meanwhile"}))


@each_change
async def test_an_empty_etag_is_not_checked(calendar_box: CalendarBox, given: GivenEvent, change: Change) -> None:
    calendar_box.put(given)
    await calendar_box.writer.execute(change((await calendar_box.only()).ref.model_copy(update={"etag": ""})), "k1")


@each_change
async def test_changing_what_is_gone_is_not_found(calendar_box: CalendarBox, given: GivenEvent, change: Change) -> None:
    calendar_box.put(given)
    event = await calendar_box.only()
    await calendar_box.writer.execute(CancelEvent(account=NAME, event=event.ref), "k0")
    with pytest.raises(NotFound):
        await calendar_box.writer.execute(change(event.ref), "k1")


@each_change
async def test_find_tells_whether_a_change_took_effect(calendar_box: CalendarBox, given: GivenEvent, change: Change) -> None:
    calendar_box.put(given)
    action = change((await calendar_box.only()).ref)
    assert await calendar_box.writer.find(action, "k1") is None
    done = await calendar_box.writer.execute(action, "k1")
    found = await calendar_box.writer.find(action, "k1")
    assert found is not None
    assert (found.id, found.etag) == (done.id, done.etag)


async def test_find_tells_whether_one_instance_was_cancelled(calendar_box: CalendarBox) -> None:
    calendar_box.put(STANDUP)
    action = CancelEvent(account=NAME, event=(await calendar_box.on(23))[0].ref)
    assert await calendar_box.writer.find(action, "k1") is None
    await calendar_box.writer.execute(action, "k1")
    assert await calendar_box.writer.find(action, "k1") is not None


async def test_find_tells_whether_an_event_was_created(calendar_box: CalendarBox) -> None:
    assert await calendar_box.writer.find(LUNCH, "k1") is None
    receipt = await calendar_box.writer.execute(LUNCH, "k1")
    assert await calendar_box.writer.find(LUNCH, "k1") == receipt
    assert await calendar_box.writer.find(LUNCH, "k2") is None


@each_change
async def test_undo_brings_back_the_event_as_it_was_and_can_itself_be_undone(
    calendar_box: CalendarBox, given: GivenEvent, change: Change
) -> None:
    if change is not CHANGES["update"]:
        calendar_box.needs("restore")
    calendar_box.put(given)
    before = await calendar_box.only()
    state = calendar_box.state(before.ref)
    receipt = await calendar_box.writer.execute(change(before.ref), "k1")
    changed = await calendar_box.all()
    (undo,) = receipt.undo
    assert isinstance(undo, RestoreEvent)
    assert await calendar_box.writer.find(undo, "k2") is None
    back = await calendar_box.writer.execute(undo, "k2")
    (restored,) = await calendar_box.all()
    assert unstamped(restored) == unstamped(before)
    assert calendar_box.state(restored.ref) == state
    assert await calendar_box.writer.find(undo, "k2") is not None
    await calendar_box.writer.execute(back.undo[0], "k3")  # type: ignore[arg-type]
    assert unstamped(*await calendar_box.all()) == unstamped(*changed)


async def test_undoing_the_cancellation_of_an_instance_brings_it_back(calendar_box: CalendarBox) -> None:
    calendar_box.needs("restore")
    calendar_box.put(STANDUP)
    before = await calendar_box.all()
    receipt = await calendar_box.writer.execute(CancelEvent(account=NAME, event=(await calendar_box.on(18))[0].ref), "k1")
    await calendar_box.writer.execute(receipt.undo[0], "k2")  # type: ignore[arg-type]
    assert unstamped(*await calendar_box.all()) == unstamped(*before)


async def test_undo_is_refused_when_the_event_was_changed_since(calendar_box: CalendarBox) -> None:
    calendar_box.put(MEETING)
    receipt = await calendar_box.writer.execute(UpdateEvent(account=NAME, event=(await calendar_box.only()).ref, title="A"), "k1")
    await calendar_box.writer.execute(UpdateEvent(account=NAME, event=(await calendar_box.only()).ref, title="B"), "k2")
    with pytest.raises(Conflict):
        await calendar_box.writer.execute(receipt.undo[0], "k3")  # type: ignore[arg-type]
    assert (await calendar_box.only()).title == "B"


async def test_instances_read_together_can_be_cancelled_one_after_another_and_brought_back(
    calendar_box: CalendarBox,
) -> None:
    calendar_box.needs("restore")
    calendar_box.put(STANDUP)
    before = await calendar_box.all()
    read = [event for event in before if event.start.month == 12] + await calendar_box.on(18)
    undo: list[Action] = []
    for number, event in enumerate(read):
        receipt = await calendar_box.writer.execute(CancelEvent(account=NAME, event=event.ref), f"k{number}")
        undo += receipt.undo
    assert [event.start for event in await calendar_box.all()] == [event.start for event in before if event not in read]
    for number, action in enumerate(reversed(undo)):
        await calendar_box.writer.execute(action, f"u{number}")  # type: ignore[arg-type]
    assert unstamped(*await calendar_box.all()) == unstamped(*before)


async def test_an_instance_is_stale_when_its_series_was_moved(calendar_box: CalendarBox) -> None:
    calendar_box.put(STANDUP)
    (instance,) = await calendar_box.on(23)
    series = await calendar_box.reader.get(instance.ref.model_copy(update={"recurrence": None}))
    await calendar_box.writer.execute(UpdateEvent(account=NAME, event=series.ref, end=at(5, 10, month=10)), "k1")
    with pytest.raises(Conflict):
        await calendar_box.writer.execute(CancelEvent(account=NAME, event=instance.ref), "k2")


# Replies that were lost


async def actions(calendar_box: CalendarBox) -> dict[str, CalendarAction]:
    """One of every kind, on events that are there."""
    for event in (MINE, STANDUP, INVITATION):
        calendar_box.put(event)
    refs = {event.title: event.ref for event in await calendar_box.all()}
    (instance,) = await calendar_box.on(23)
    undo = (await calendar_box.writer.execute(UpdateEvent(account=NAME, event=instance.ref, title="Moved"), KEY[::-1])).undo[0]
    assert isinstance(undo, RestoreEvent)
    (other,) = await calendar_box.on(25)
    return {
        "create": LUNCH,
        "restore": undo,
        "cancel one": CancelEvent(account=NAME, event=other.ref),
        "update one": UpdateEvent(account=NAME, event=other.ref, title="Other"),
        **{kind: change(refs[GIVEN[kind].title]) for kind, change in CHANGES.items()},
    }


KINDS = ["create", "restore", "cancel one", "update one", *CHANGES]


@pytest.mark.parametrize("kind", KINDS)
async def test_a_write_whose_reply_is_lost_took_effect_once_and_is_found(calendar_box: CalendarBox, kind: str) -> None:
    calendar_box.needs("connection")
    action = (await actions(calendar_box))[kind]
    before = unstamped(*await calendar_box.all())
    calendar_box.lose(action, "after")
    with pytest.raises(Unavailable):
        await calendar_box.writer.execute(action, KEY)
    once = unstamped(*await calendar_box.all())
    assert once != before
    receipt = await calendar_box.writer.find(action, KEY)
    assert receipt is not None and (receipt.key, receipt.action) == (KEY, action.kind)
    assert unstamped(*await calendar_box.all()) == once


@pytest.mark.parametrize("kind", KINDS)
async def test_a_write_that_never_arrived_is_not_found_and_can_be_done_again(calendar_box: CalendarBox, kind: str) -> None:
    calendar_box.needs("connection")
    action = (await actions(calendar_box))[kind]
    before = unstamped(*await calendar_box.all())
    calendar_box.lose(action, "before")
    with pytest.raises(Unavailable):
        await calendar_box.writer.execute(action, KEY)
    assert await calendar_box.writer.find(action, KEY) is None
    assert unstamped(*await calendar_box.all()) == before
    await calendar_box.writer.execute(action, KEY)
    assert await calendar_box.writer.find(action, KEY) is not None
    assert unstamped(*await calendar_box.all()) != before


# Others are told


async def test_guests_are_told_of_what_concerns_them_and_of_nothing_else(calendar_box: CalendarBox) -> None:
    calendar_box.needs("invite")
    calendar_box.put(STANDUP.but(attendees=()))
    alone = (await calendar_box.on(23))[0]
    await calendar_box.writer.execute(UpdateEvent(account=NAME, event=alone.ref, title="Alone"), "k1")
    assert calendar_box.told() == []
    made = await calendar_box.writer.execute(LUNCH.model_copy(update={"attendees": (ANNA,)}), "k2")
    assert calendar_box.told() == [(ANNA.email, "invitation")]
    (lunch,) = [event for event in await calendar_box.on(20) if event.id == made.id]
    moved = await calendar_box.writer.execute(UpdateEvent(account=NAME, event=lunch.ref, start=at(20, 13)), "k3")
    assert calendar_box.told()[1:] == [(ANNA.email, "update")]
    ref = lunch.ref.model_copy(update={"etag": moved.etag})
    await calendar_box.writer.execute(CancelEvent(account=NAME, event=ref), "k4")
    assert calendar_box.told()[2:] == [(ANNA.email, "cancellation")]


async def test_who_invited_is_told_the_answer(calendar_box: CalendarBox) -> None:
    calendar_box.needs("invite")
    calendar_box.put(INVITATION)
    event = await calendar_box.only()
    before = len(calendar_box.told())
    await calendar_box.writer.execute(AnswerInvitation(account=NAME, event=event.ref, answer="accepted"), "k1")
    assert calendar_box.told()[before:] == [(ANNA.email, "reply")]
