"""An account in folders and one at a service, read as one and written each by itself."""

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from doubles.boxes import opened
from doubles.boxes.base import NOW, Boxes, MailBox
from doubles.boxes.events import ANNA, INVITATION, MEETING, STANDUP, at
from doubles.boxes.google import GoogleMail
from doubles.boxes.letters import MONDAY, letter
from doubles.boxes.microsoft import MicrosoftMail
from doubles.given import GivenContact
from doubles.providers.emulated import emulated

from assistant import open_assistant
from integrations.actions import CreateEvent, SendMail
from integrations.combined import CombinedReaders
from integrations.registry import AccountConfig
from integrations.types import OUTBOX, SENT, ContactQuery, EventQuery, Mail, MailQuery

WEEK = EventQuery(start=at(16, 0), end=at(23, 0))


@pytest.fixture(params=["google", "microsoft"])
async def both(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[tuple[Boxes, Boxes]]:
    """In folders, and at a service."""
    async with AsyncExitStack() as stack:
        folders = await stack.enter_async_context(opened("local", tmp_path / "local", "home"))
        service = await stack.enter_async_context(opened(request.param, tmp_path / "service", "work"))
        yield folders, service
        assert service.complaints == []


def combined(both: tuple[Boxes, Boxes]) -> CombinedReaders:
    return CombinedReaders([boxes.mail.account.readers for boxes in both])


async def test_mails_of_both_are_listed_by_date_and_paged_together(both: tuple[Boxes, Boxes]) -> None:
    for number in range(12):
        both[number % 3 == 0].mail.deliver(letter(subject=str(number), date=MONDAY + timedelta(hours=number)))
    seen: list[Mail] = []
    page = await combined(both).mail.search(MailQuery(limit=5))
    seen += page.items
    while page.next:
        page = await combined(both).mail.search(MailQuery(limit=5, cursor=page.next))
        seen += page.items
    assert [mail.subject for mail in seen] == [str(number) for number in reversed(range(12))]
    assert {mail.account for mail in seen} == {"home", "work"}


async def test_a_mail_and_its_thread_are_read_where_they_are(both: tuple[Boxes, Boxes]) -> None:
    for boxes in both:
        boxes.mail.deliver(letter(subject=boxes.mail.name, files={"a.pdf": boxes.mail.name.encode()}))
    mail = combined(both).mail
    for found in (await mail.search(MailQuery())).items:
        assert [one.account for one in await mail.thread(found.thread)] == [found.account]
        read = await mail.get(found.ref)
        assert await mail.attachment(read.ref, read.attachments[0].part) == found.account.encode()


async def test_people_and_folders_of_both_are_known(both: tuple[Boxes, Boxes]) -> None:
    for boxes in both:
        boxes.mail.deliver(letter(), f"Projects/{boxes.mail.name}")
    (anna,) = await combined(both).mail.correspondents("anna")
    assert anna.received == 2
    assert {"INBOX", "Projects/home", "Projects/work"} <= set(await combined(both).mail.folders())


async def test_the_calendars_of_both_count(both: tuple[Boxes, Boxes]) -> None:
    folders, service = both
    folders.calendar.put(MEETING)
    service.calendar.put(STANDUP)
    service.calendar.put(INVITATION)
    service.calendar.occupy(ANNA.email, at(19, 9), at(19, 10))
    calendar = combined(both).calendar
    events = (await calendar.events(WEEK)).items
    assert [(event.title, event.account) for event in events] == [
        ("Standup", "work"),
        ("Standup with cake", "work"),
        ("Budget review", "home"),
        ("Kick-off", "work"),
    ]
    for event in events:
        assert (await calendar.get(event.ref)).title == event.title
    assert [event.title for event in await calendar.invitations(NOW)] == ["Kick-off"]
    (anna,) = await calendar.busy([ANNA.email], at(19, 0), at(20, 0))
    assert anna.times == ((at(19, 9), at(19, 10)),)
    assert {one.account for one in await calendar.calendars()} == {"home", "work"}


async def test_contacts_and_groups_of_both_are_listed(both: tuple[Boxes, Boxes]) -> None:
    for boxes, name in zip(both, ("Zoe", "Adam"), strict=True):
        boxes.contacts.file(GivenContact(name, emails=(f"{name.lower()}@x.example",), groups=("Rowers",)))
    contacts = combined(both).contacts
    found = (await contacts.search(ContactQuery())).items
    assert [(contact.name, contact.account) for contact in found] == [("Adam", "work"), ("Zoe", "home")]
    (rowers,) = await contacts.groups()
    assert {member.email for member in rowers.members} == {"zoe@x.example", "adam@x.example"}


async def test_when_the_service_is_down_the_folders_are_read_and_it_is_said(both: tuple[Boxes, Boxes]) -> None:
    folders, service = both
    folders.mail.deliver(letter(subject="here"))
    service.mail.deliver(letter(subject="there"))
    service.cut_off()
    page = await combined(both).mail.search(MailQuery())
    assert [mail.subject for mail in page.items] == ["here"]
    assert [(one.where, one.account) for one in page.skipped] == [("work", True)]


async def test_a_write_goes_to_the_account_it_names(both: tuple[Boxes, Boxes], tmp_path: Path) -> None:
    folders, service = both
    accounts = [folders.mail.account.config, at_the_emulator(service.mail)]
    async with open_assistant(tmp_path / "assistant", zone="Europe/Berlin", accounts=accounts) as a:
        for name in ("home", "work"):
            mail = SendMail(account=name, to=(ANNA,), subject=f"from {name}", body="x")
            event = CreateEvent(account=name, title=f"of {name}", start=at(20, 9), end=at(20, 10))
            for action in (mail, event):
                preview = (await a.propose("c", [action], ["do it"])).previews[0]
                await a.approve(preview.id, preview.fingerprint)
    for boxes, folder in ((folders, OUTBOX), (service, SENT)):
        written = (await boxes.mail.reader.search(MailQuery(folders=(folder,)))).items
        assert [mail.subject for mail in written] == [f"from {boxes.mail.name}"]
        assert [event.title for event in await boxes.calendar.on(20)] == [f"of {boxes.mail.name}"]


@pytest.mark.parametrize("known_at", ["home", "work"])
async def test_a_new_mail_leaves_where_its_recipient_is_known_and_the_preview_names_the_account(
    both: tuple[Boxes, Boxes], tmp_path: Path, known_at: str
) -> None:
    for boxes in both:
        boxes.mail.deliver(letter(subject="other", sender="Somebody <else@x.example>"))
        if boxes.mail.name == known_at:
            boxes.mail.deliver(letter(subject="hello", sender=f"Anna Berg <{ANNA.email}>"))
    accounts = [both[0].mail.account.config, at_the_emulator(both[1].mail)]
    async with open_assistant(tmp_path / "assistant", zone="Europe/Berlin", accounts=accounts) as a:
        (preview,) = (await a.say("c", f"email {ANNA.email} saying I am late")).previews
    assert [action.account for action in preview.actions] == [known_at]
    assert preview.through == (f"{known_at} ({both[0].mail.owner})",)


async def test_with_one_account_no_preview_names_it(both: tuple[Boxes, Boxes], tmp_path: Path) -> None:
    async with open_assistant(tmp_path / "assistant", zone="Europe/Berlin", accounts=[both[0].mail.account.config]) as a:
        (preview,) = (await a.say("c", f"email {ANNA.email} saying I am late")).previews
    assert preview.through == ()


def at_the_emulator(box: MailBox) -> AccountConfig:
    assert isinstance(box, GoogleMail | MicrosoftMail)
    emulator: Any = box.google if isinstance(box, GoogleMail) else box.graph
    return emulated(box.account.config.kind, box.name, box.owner, endpoint=emulator.url, secret=emulator.secret(box.user))
