"""What is gathered for the gate, when two accounts number their things alike."""

from contextlib import AsyncExitStack
from datetime import datetime, time, timedelta
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

from assistant.pipeline.evidence import Directory
from assistant.pipeline.state import FlowState
from assistant.pipeline.surroundings import others_calendars
from assistant.values import Data, Shown
from integrations.actions import Action, CancelEvent, CreateContact, CreateEvent, DeleteContact, MarkMail, SendMail
from integrations.combined import CombinedReaders
from integrations.registry import Account, AccountConfig, open_account
from integrations.types import Address, Calendar, Contact, ContactRef, EventRef, Mail, MailRef
from risk.evidence import Evidence

BERLIN = ZoneInfo("Europe/Berlin")
NOW = datetime(2026, 11, 21, 10, tzinfo=BERLIN)
TIMES = "DTSTART:20261121T150000Z\r\nDTEND:20261121T160000Z\r\n"


def account(place: Path, name: str) -> Account:
    """Its mail, event and contact are called by its name, and have the same ids as those of any other."""
    disk = place / name
    for folder in ("mail/cur", "calendars", "contacts"):
        (disk / folder).mkdir(parents=True, exist_ok=True)
    (disk / "mail" / "cur" / "1.a.host:2,S").write_text(f"From: a@x.example\nSubject: {name}\n\nb\n")
    event = f"BEGIN:VEVENT\r\nUID:u\r\nSUMMARY:{name}\r\n{TIMES}END:VEVENT\r\n"
    (disk / "calendars" / "a.ics").write_text(f"BEGIN:VCALENDAR\r\nVERSION:2.0\r\n{event}END:VCALENDAR\r\n")
    (disk / "contacts" / "a.vcf").write_text(f"BEGIN:VCARD\r\nVERSION:3.0\r\nUID:u\r\nFN:{name}\r\nEND:VCARD\r\n")
    settings = {kind: str(disk / kind) for kind in ("mail", "calendars", "contacts")}
    config = AccountConfig(name=name, kind="local", address=f"me@{name}.example", settings=settings)
    return open_account(config, zone=BERLIN, index=place / "index", clock=lambda: NOW)


def said(text: str, **more: Any) -> FlowState:
    return FlowState(id="f", user="u", conversation="c", text=text, created=NOW, **more)


def new_event(name: str, start: datetime) -> CreateEvent:
    return CreateEvent(account=name, title="Walk", start=start, end=start + timedelta(hours=1))


async def gathered(place: Path, actions: list[Action], state: FlowState, day_ends: time | None = time(18)) -> Evidence:
    async with AsyncExitStack() as stack:
        one = account(place, "home")
        stack.push_async_callback(one.close)
        me = (Address(email="me@home.example"),)
        return await Directory(CombinedReaders([one.readers]), me, BERLIN, lambda: NOW, day_ends=day_ends).evidence(actions, state)


async def test_what_else_is_at_a_proposed_time_is_known(tmp_path: Path) -> None:
    beside = datetime(2026, 11, 21, 15, 30, tzinfo=BERLIN)
    seen = await gathered(tmp_path, [new_event("home", beside)], said(""))
    free = await gathered(tmp_path / "other", [new_event("home", beside + timedelta(hours=3))], said(""))
    assert [event.title for event in seen.around] == ["home"] and not free.around


async def test_whom_the_words_name_is_told_from_whom_they_mention(tmp_path: Path) -> None:
    state = said("write to zoe@x.example", said=("what does eva@x.example want?",))
    seen = await gathered(tmp_path, [], state)
    program = await gathered(tmp_path / "other", [], state.but(own_words=False))
    assert seen.named == {"zoe@x.example"} and not program.named


async def test_what_was_shown_is_read_again_for_what_carries_text(tmp_path: Path) -> None:
    mail = Mail(account="home", id="1.a.host", etag="", folder="INBOX", subject="home", date=NOW)
    state = said("", shown=(Shown(text="", data=Data(kind="mails", mails=(mail,))),))
    letter = SendMail(account="home", to=(Address(email="zoe@x.example"),), subject="s", body="b")
    mark = MarkMail(account="home", mail=MailRef(account="home", id="2.a.host"), seen=True)
    seen = await gathered(tmp_path, [letter], state)
    assert [one.body.strip() for one in seen.read.values()] == ["b"]
    assert not (await gathered(tmp_path / "other", [mark], state)).read


async def test_what_was_shown_and_is_gone_holds_nothing_up(tmp_path: Path) -> None:
    mail = Mail(account="home", id="9.a.host", etag="", folder="INBOX", subject="home", date=NOW)
    state = said("", shown=(Shown(text="", data=Data(kind="mails", mails=(mail,))),))
    letter = SendMail(account="home", to=(Address(email="zoe@x.example"),), subject="s", body="b")
    assert not (await gathered(tmp_path, [letter], state)).read


async def test_what_was_just_sent_to_the_same_people_is_known_even_while_it_waits_in_the_outbox(tmp_path: Path) -> None:
    head = "From: me@home.example\nTo: zoe@x.example\nDate: Sat, 21 Nov 2026 09:30:00 +0100\nSubject: "
    for folder, subject in ((".Sent", "gone"), (".Outbox", "waiting"), (".Archive", "put away"), ("", "own")):
        place = tmp_path / "home" / "mail" / folder / "cur"
        place.mkdir(parents=True, exist_ok=True)
        (place / f"{subject}.a.host:2,S").write_text(f"{head}{subject}\n\nb\n")
    letter = SendMail(account="home", to=(Address(email="zoe@x.example"),), subject="s", body="b")
    seen = await gathered(tmp_path, [letter], said(""))
    assert {one.subject for one in seen.lately} == {"gone", "waiting"}


async def test_who_writes_from_an_address_that_would_be_saved_is_known(tmp_path: Path) -> None:
    cards = [CreateContact(account="home", name=name, emails=(f"{name}@x.example",)) for name in ("A", "B")]
    assert [one.subject for one in (await gathered(tmp_path, cards, said(""))).read.values()] == ["home"]


async def test_whose_number_stands_in_a_text_is_known(tmp_path: Path) -> None:
    account(tmp_path, "home")
    card = "BEGIN:VCARD\r\nVERSION:3.0\r\nUID:t\r\nFN:Tom\r\nTEL:+49 30 123-456\r\nEND:VCARD\r\n"
    (tmp_path / "home" / "contacts" / "t.vcf").write_text(card)
    letter = SendMail(account="home", to=(Address(email="zoe@x.example"),), subject="s", body="Tom: (030) 123456")
    for body, names in ((letter.body, ["Tom"]), ("no number", [])):
        seen = await gathered(tmp_path, [letter.model_copy(update={"body": body})], said(""))
        assert [one.name for one in seen.contact_cards.values()] == names


async def test_the_users_day_is_known_where_it_is_set(tmp_path: Path) -> None:
    assert (await gathered(tmp_path, [], said(""))).hours == (time(9), time(18))
    assert (await gathered(tmp_path / "other", [], said(""), None)).hours is None


def test_a_calendar_named_after_one_contact_is_seen_by_others() -> None:
    calendars = [Calendar(account="a", id=name, name=name) for name in ("Work", "Lena Vogt", "Max", "Me Myself")]
    people = [("Lena Vogt", "lena@x.example"), ("Max Roth", "m@x.example"), ("Max Kern", "k@x.example")]
    cards = [Contact(account="a", id=email, etag="", uid=email, name=name, emails=(email,)) for name, email in people]
    me = [Address(email="me@x.example", name="Me Myself")]
    assert others_calendars(calendars, cards, me) == {("a", "Lena Vogt")}


async def test_things_with_equal_ids_in_two_accounts_are_both_looked_at(tmp_path: Path) -> None:
    names = ("home", "work")
    actions = [
        action
        for name in names
        for action in (
            MarkMail(account=name, mail=MailRef(account=name, id="1.a.host"), seen=True),
            CancelEvent(account=name, event=EventRef(account=name, calendar=".", id="a.ics")),
            DeleteContact(account=name, contact=ContactRef(account=name, id="a.vcf")),
        )
    ]
    turn = said("")
    async with AsyncExitStack() as stack:
        accounts = [account(tmp_path, name) for name in names]
        for one in accounts:
            stack.push_async_callback(one.close)
        directory = Directory(CombinedReaders([one.readers for one in accounts]), (), BERLIN, lambda: NOW)
        seen = await directory.evidence(actions, turn)
    marks = [action for action in actions if isinstance(action, MarkMail)]
    cancels = [action for action in actions if isinstance(action, CancelEvent)]
    deletes = [action for action in actions if isinstance(action, DeleteContact)]
    assert [mail.subject for action in marks if (mail := seen.mail(action.mail))] == list(names)
    assert [event.title for action in cancels if (event := seen.event(action.event))] == list(names)
    assert [card.name for action in deletes if (card := seen.contact(action.contact))] == list(names)
