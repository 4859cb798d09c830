"""Undo restores what each kind of write has changed, and asks first where that reaches others."""

from datetime import timedelta

import pytest

from assistant.bootstrap import open_assistant
from integrations.actions import (
    CancelEvent,
    CreateContact,
    CreateEvent,
    DeleteContact,
    DeleteTemplate,
    MarkMail,
    MoveMail,
    SaveDraft,
    SaveTemplate,
    UpdateContact,
    UpdateEvent,
)
from integrations.types import Address, ContactQuery, EventQuery, MailQuery
from storage import templates

ANNA = Address(email="anna@example.org", name="Anna Berg")


@pytest.fixture
async def a(tmp_path, account, inbox, clock):
    """An account with a mail, an event, one with a guest, a contact and a template."""
    async with open_assistant(tmp_path / "home", clock=clock, zone="Europe/Berlin", accounts=[account]) as assistant:
        start = clock() + timedelta(days=1)
        alone = CreateEvent(account="local", title="Dentist", start=start, end=start + timedelta(hours=1))
        shared = alone.model_copy(update={"title": "Review", "attendees": (ANNA,)})
        card = CreateContact(account="local", name="Tom Lee", emails=("tom@example.org",))
        await done(assistant, alone, shared, card, SaveTemplate(name="thanks", body="Thank you!"))
        yield assistant


async def done(a, *actions):
    preview = (await a.propose("c", actions)).previews[0]
    turn = await a.approve(preview.id, preview.fingerprint)
    assert {outcome.status for outcome in turn.outcomes} == {"done"}
    return turn


async def standing(a, clock):
    """What there is, as a person sees it."""
    mails = (await a.look(MailQuery(folders=("INBOX", "Archive", "Trash", "Drafts")))).items
    events = (await a.look(EventQuery(start=clock(), end=clock() + timedelta(days=30)))).items
    cards = (await a.look(ContactQuery())).items
    saved = await a.database.read(lambda s: templates.list(s))
    return (
        [(m.subject, m.folder, m.unread, m.flagged) for m in mails],
        [(e.title, e.start, e.end, e.location, [str(one.address) for one in e.attendees]) for e in events],
        [(c.name, c.emails, c.phones) for c in cards],
        [(t.name, t.subject, t.body) for t in saved],
    )


async def ref_of(a, clock, title: str):
    events = (await a.look(EventQuery(start=clock(), end=clock() + timedelta(days=30)))).items
    return next(event.ref for event in events if event.title == title)


async def write_of(a, clock, kind: str):
    (mail,) = (await a.look(MailQuery(folders=("INBOX",)))).items
    (card,) = (await a.look(ContactQuery())).items
    event, start = await ref_of(a, clock, "Dentist"), clock() + timedelta(days=2)
    return {
        "mark": MarkMail(account="local", mail=mail.ref, seen=False, flagged=True),
        "archive": MoveMail(account="local", mail=mail.ref, folder="Archive"),
        "trash": MoveMail(account="local", mail=mail.ref, folder="Trash"),
        "draft": SaveDraft(account="local", to=(ANNA,), subject="Plan", body="b"),
        "create event": CreateEvent(account="local", title="Swim", start=start, end=start + timedelta(hours=1)),
        "move event": UpdateEvent(account="local", event=event, start=start, end=start + timedelta(hours=2)),
        "change event": UpdateEvent(account="local", event=event, title="Doctor", location="Main Street"),
        "cancel event": CancelEvent(account="local", event=event),
        "add contact": CreateContact(account="local", name="Eva Klein", emails=("eva@example.org",)),
        "change contact": UpdateContact(account="local", contact=card.ref, phones=("123",), name="Tom Fox"),
        "delete contact": DeleteContact(account="local", contact=card.ref),
        "save template": SaveTemplate(name="bye", body="Bye!"),
        "change template": SaveTemplate(name="thanks", body="Thanks a lot!"),
        "delete template": DeleteTemplate(name="thanks"),
    }[kind]


KINDS = (
    "mark", "archive", "trash", "create event", "move event", "change event", "cancel event", "add contact", "change contact",
    "delete contact", "save template", "change template", "delete template",
)  # fmt: skip


@pytest.mark.parametrize("kind", KINDS)
async def test_undo_restores_it(a, clock, kind):
    before = await standing(a, clock)
    written = await done(a, await write_of(a, clock, kind))
    assert await standing(a, clock) != before
    turn = await a.undo("c", written.flow)
    if turn.previews:  # what is not low of itself is shown first
        turn = await a.approve(turn.previews[0].id, turn.previews[0].fingerprint)
    assert [outcome.status for outcome in turn.outcomes] == ["done"]
    assert await standing(a, clock) == before


async def test_undo_of_several_restores_all(a, clock):
    before = await standing(a, clock)
    written = await done(
        a, *[await write_of(a, clock, kind) for kind in ("archive", "move event", "change contact", "change template")]
    )
    turn = await a.undo("c", written.flow)
    if turn.previews:
        turn = await a.approve(turn.previews[0].id, turn.previews[0].fingerprint)
    assert {outcome.status for outcome in turn.outcomes} == {"done"} and await standing(a, clock) == before


@pytest.mark.parametrize("change", ["move", "cancel"])
async def test_undo_that_reaches_others_is_shown_first(a, clock, change):
    before, event = await standing(a, clock), await ref_of(a, clock, "Review")
    start = clock() + timedelta(days=3)
    moved = UpdateEvent(account="local", event=event, start=start, end=start + timedelta(hours=1))
    written = await done(a, moved if change == "move" else CancelEvent(account="local", event=event))
    after = await standing(a, clock)
    turn = await a.undo("c", written.flow)
    (preview,) = turn.previews
    assert not turn.outcomes and await standing(a, clock) == after and "anna@example.org" in preview.model_dump_json()
    assert [o.status for o in (await a.approve(preview.id, preview.fingerprint)).outcomes] == ["done"]
    assert await standing(a, clock) == before


async def test_a_draft_is_taken_back_into_the_trash(a, clock):
    written = await done(a, await write_of(a, clock, "draft"))
    turn = await a.undo("c", written.flow)
    if turn.previews:
        turn = await a.approve(turn.previews[0].id, turn.previews[0].fingerprint)
    mails, *_ = await standing(a, clock)
    assert [folder for subject, folder, *_ in mails if subject == "Plan"] == ["Trash"]
