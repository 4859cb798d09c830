import hashlib
import mailbox
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, time, timedelta
from email.message import Message
from email.utils import getaddresses, parsedate_to_datetime
from itertools import combinations
from pathlib import Path
from zoneinfo import ZoneInfo

import icalendar
import pytest
import vobject

from integrations.common.mime import read_message
from integrations.local.calendar import LocalCalendarReader
from integrations.local.contacts import LocalContactReader
from integrations.local.sample import make_sample
from integrations.registry import AccountConfig
from integrations.types import ContactQuery, Event, EventQuery

BERLIN = ZoneInfo("Europe/Berlin")
OWNER = "alex.morgan@northwind.example"
FRIDAY = datetime(2026, 11, 20, 10, 30, tzinfo=BERLIN)

MOMENTS = {
    "a Friday": FRIDAY,
    "a Sunday": datetime(2026, 11, 22, 15, tzinfo=BERLIN),
    "the last day of the year": datetime(2026, 12, 31, 12, tzinfo=BERLIN),
    "the day clocks go back": datetime(2026, 10, 25, 9, tzinfo=BERLIN),
    "the day clocks go forward": datetime(2027, 3, 28, 9, tzinfo=BERLIN),
    "before a leap day": datetime(2028, 2, 12, 9, tzinfo=BERLIN),
    "just after midnight": datetime(2026, 11, 19, 0, 20, tzinfo=BERLIN),
    "the far west": datetime(2026, 7, 7, 23, 50, tzinfo=ZoneInfo("America/Los_Angeles")),
    "the far east": datetime(2026, 6, 1, 17, tzinfo=ZoneInfo("Asia/Tokyo")),
    "no zone at all": datetime(2026, 9, 2, 8, tzinfo=ZoneInfo("UTC")),
}


@dataclass(frozen=True)
class Sample:
    """`now` is in the user's zone."""

    account: AccountConfig
    now: datetime
    zone: ZoneInfo


@pytest.fixture(scope="module", params=MOMENTS)
def sample(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Sample:
    now = MOMENTS[request.param]
    zone = now.tzinfo
    assert isinstance(zone, ZoneInfo)
    return Sample(make_sample(tmp_path_factory.mktemp("sample"), now=now, zone=zone), now, zone)


@pytest.fixture(scope="module")
def account(tmp_path_factory: pytest.TempPathFactory) -> AccountConfig:
    return make_sample(tmp_path_factory.mktemp("sample"), now=FRIDAY, zone=BERLIN)


def mails(account: AccountConfig) -> Iterator[tuple[str, mailbox.MaildirMessage]]:
    """Every mail with its folder, as the standard library reads it."""
    root = mailbox.Maildir(account.settings["mail"], create=False)
    for folder, box in {"INBOX": root, **{name: root.get_folder(name) for name in root.list_folders()}}.items():
        yield from ((folder, message) for message in box)


def text_of(message: Message) -> str:
    part = next(part for part in message.walk() if part.get_content_type() == "text/plain")
    payload = part.get_payload(decode=True)
    assert isinstance(payload, bytes)
    return payload.decode()


def about(account: AccountConfig, subject: str) -> list[mailbox.MaildirMessage]:
    return [message for _, message in mails(account) if subject in str(message["Subject"])]


def calendar_of(account: AccountConfig, zone: ZoneInfo) -> LocalCalendarReader:
    return LocalCalendarReader(Path(account.settings["calendars"]), account="sample", owner=OWNER, zone=zone)


async def events(account: AccountConfig, now: datetime, zone: ZoneInfo, *, days: tuple[int, int]) -> tuple[Event, ...]:
    query = EventQuery(start=now + timedelta(days=days[0]), end=now + timedelta(days=days[1]))
    page = await calendar_of(account, zone).events(query)
    assert not page.skipped
    return page.items


def content_of(account: AccountConfig) -> dict[str, str]:
    root = Path(account.settings["mail"]).parent
    return {
        path.relative_to(root).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in root.rglob("*")
        if path.is_file()
    }


def test_the_account_is_a_marked_local_one(account: AccountConfig) -> None:
    assert (account.name, account.kind, account.address, account.sample) == ("sample", "local", OWNER, True)
    assert all(Path(folder).is_dir() for folder in account.settings.values())
    assert set(account.settings) == {"mail", "calendars", "contacts"}


def test_there_is_as_much_as_promised(account: AccountConfig) -> None:
    folders = Counter(folder for folder, _ in mails(account))
    assert 110 <= folders.total() <= 130
    assert min(folders["INBOX"], folders["Sent"], folders["Archive"]) >= 20
    assert len(list(Path(account.settings["calendars"]).rglob("*.ics"))) == 40
    assert len(list(Path(account.settings["contacts"]).rglob("*.vcf"))) == 30


def test_read_and_unread_mails_stand_side_by_side(account: AccountConfig) -> None:
    inbox = [message for folder, message in mails(account) if folder == "INBOX"]
    unread = [message for message in inbox if "S" not in message.get_flags()]
    assert 15 <= len(unread) <= len(inbox) / 2
    assert any("F" in message.get_flags() for message in inbox)
    assert all("S" in message.get_flags() for folder, message in mails(account) if folder != "INBOX")


def test_no_two_mails_are_alike(account: AccountConfig) -> None:
    every = [message for _, message in mails(account)]
    assert len({message["Message-ID"] for message in every}) == len(every)
    assert len({text_of(message) for message in every}) == len(every)


def test_answers_follow_what_they_answer(account: AccountConfig) -> None:
    by_id = {message["Message-ID"]: message for _, message in mails(account)}
    answers = [message for message in by_id.values() if message["In-Reply-To"]]
    assert len(answers) > 40
    for message in answers:
        parent = by_id[message["In-Reply-To"]]
        assert parsedate_to_datetime(parent["Date"]) < parsedate_to_datetime(message["Date"])
        assert message["References"].split()[-1] == parent["Message-ID"]
        assert ("R" in parent.get_flags()) >= (OWNER in message["From"])


def test_addresses_lie_in_domains_that_cannot_exist(account: AccountConfig) -> None:
    for _, message in mails(account):
        named = getaddresses([str(message[name]) for name in ("From", "To", "Cc", "Reply-To") if message[name]])
        assert named
        assert all(email.endswith(".example") for _, email in named)


def test_no_offset_is_left_in_a_text(account: AccountConfig) -> None:
    texts = [str(message["Subject"]) + text_of(message) for _, message in mails(account)]
    assert not [text for text in texts if "{" in text or "}" in text]


async def test_exactly_one_mail_is_phishing(account: AccountConfig) -> None:
    elsewhere = [message for _, message in mails(account) if message["Reply-To"]]
    assert len(elsewhere) == 1
    (message,) = elsewhere
    assert "northwlnd.example" in message["From"]
    assert "northwlnd" not in message["Reply-To"]
    assert "password" in text_of(message)


def test_newsletters_say_that_they_are(account: AccountConfig) -> None:
    bulk = [message for _, message in mails(account) if message["List-Unsubscribe"]]
    assert len(bulk) >= 10
    assert all(message["List-Id"] and message["Precedence"] == "bulk" for message in bulk)


@pytest.mark.parametrize("subject", ["Deadline", "security code", "Budget", "complain|wrong trail", "Invitation", "Which week"])
def test_the_planted_mails_are_there(account: AccountConfig, subject: str) -> None:
    assert any(about(account, word) for word in subject.split("|"))


def test_the_question_of_a_client_waits_for_an_answer(account: AccountConfig) -> None:
    (question,) = about(account, "Which week for the rollout?")
    assert "?" in text_of(question)
    assert "R" not in question.get_flags()
    assert not [message for _, message in mails(account) if message["In-Reply-To"] == question["Message-ID"]]


def test_one_proposal_was_answered_and_one_was_not(account: AccountConfig) -> None:
    assert [OWNER in message["From"] for message in about(account, "Alpine Trail Festival")] == [True]
    answered = about(account, "co-branded trail guides")
    assert any("rafael.ortiz" in message["From"] for message in answered)


def test_yesterdays_message_has_replies(account: AccountConfig) -> None:
    thread = about(account, "Photos for the launch page")
    (mine,) = [message for message in thread if OWNER in message["From"]]
    assert parsedate_to_datetime(mine["Date"]).astimezone(BERLIN).date() == FRIDAY.date() - timedelta(days=1)
    assert len([message for message in thread if message["In-Reply-To"] == mine["Message-ID"]]) == 3


async def test_the_invitation_is_the_event_that_awaits_an_answer(account: AccountConfig) -> None:
    (message,) = about(account, "Invitation")
    (part,) = [part for part in message.walk() if part.get_content_type() == "text/calendar"]
    invitation = icalendar.Calendar.from_ical(str(part.get_payload()))
    assert isinstance(invitation, icalendar.Calendar)
    assert (invitation["METHOD"], part.get_param("method")) == ("REQUEST", "REQUEST")
    (uid,) = [event["UID"] for event in invitation.walk("VEVENT")]
    waiting = await calendar_of(account, BERLIN).invitations(FRIDAY)
    assert [event.uid for event in waiting] == [uid]


async def test_contacts_hold_two_davids_and_the_groups(account: AccountConfig) -> None:
    reader = LocalContactReader(Path(account.settings["contacts"]), account="sample")
    assert {contact.name for contact in (await reader.search(ContactQuery(name="David"))).items} == {"David Smith", "David Chen"}
    for name in ("Anna", "Sarah", "John", "Tom"):
        assert len((await reader.search(ContactQuery(name=name))).items) == 1
    assert len((await reader.search(ContactQuery(company="Acme Corporation"))).items) == 3
    assert len((await reader.search(ContactQuery(title="manager"))).items) >= 5
    groups = {group.name: len(group.members) for group in await reader.groups()}
    assert groups == {"Marketing team": 5, "Board": 8}
    board = (await reader.search(ContactQuery(group="Board"))).items
    assert {"CEO", "CFO"} <= {word.strip("()") for contact in board for word in contact.title.split()}


def test_other_programs_read_cards_and_events(account: AccountConfig) -> None:
    for path in Path(account.settings["contacts"]).rglob("*.vcf"):
        assert vobject.readOne(path.read_text()).fn.value
    for path in Path(account.settings["calendars"]).rglob("*.ics"):
        (calendar,) = vobject.readComponents(path.read_text())
        assert calendar.vevent.summary.value
        parsed = icalendar.Calendar.from_ical(path.read_bytes())
        assert not [error for event in parsed.walk("VEVENT") for error in event.errors]


async def test_events_are_of_every_kind(account: AccountConfig) -> None:
    found = await events(account, FRIDAY, BERLIN, days=(-40, 60))
    assert {event.zone for event in found if not event.all_day} == {"Europe/Berlin", "America/New_York"}
    assert len({event.uid for event in found if event.series}) == 8
    assert sum(event.all_day for event in found) >= 4
    assert any(not event.attendees and not event.all_day and event.start > FRIDAY for event in found)
    assert {event.status for event in found} == {"confirmed", "tentative"}


async def test_exactly_one_conflict_lies_ahead(sample: Sample) -> None:
    timed = [event for event in await events(sample.account, sample.now, sample.zone, days=(-50, 70)) if not event.all_day]
    clashes = [(one, other) for one, other in combinations(timed, 2) if one.start < other.end and other.start < one.end]
    ((one, other),) = clashes
    assert {one.title, other.title} == {"Launch page review", "Pricing workshop"}
    assert sample.now < one.start < sample.now + timedelta(days=7)


async def test_the_next_meetings_at_three_have_others_in_them_and_four_is_free(sample: Sample) -> None:
    ahead = await events(sample.account, sample.now, sample.zone, days=(-1, 7))
    at_three = [event for event in ahead if event.start.hour == 15 and event.start.date() >= sample.now.date()]
    assert [event.title for event in at_three[:2]] == ["Budget review", "Acme rollout planning"]
    assert at_three[0].start.date() == sample.now.date()
    for meeting in at_three[:2]:
        assert (meeting.start.time(), len(meeting.attendees)) == (time(15), 3)
        assert not [event for event in ahead if meeting.end <= event.start < meeting.end + timedelta(hours=1)]


def test_mails_are_fresh_and_never_from_the_future(sample: Sample) -> None:
    dates = [parsedate_to_datetime(message["Date"]) for _, message in mails(sample.account)]
    assert max(dates) <= sample.now
    assert sample.now - max(dates) < timedelta(days=1)
    assert sample.now - min(dates) < timedelta(days=60)


async def test_meetings_lie_in_daylight_and_working_days(sample: Sample) -> None:
    today = sample.now.date()
    for event in await events(sample.account, sample.now, sample.zone, days=(-50, 70)):
        if event.attendees:
            assert 9 <= event.start.hour < 18
            assert event.start.weekday() < 5 or event.start.date() == today


async def test_a_date_in_a_mail_is_the_date_of_the_event(account: AccountConfig) -> None:
    (dentist,) = [event for event in await events(account, FRIDAY, BERLIN, days=(0, 14)) if event.title == "Dentist"]
    (reminder,) = about(account, "Your appointment on")
    assert f"{dentist.start:%A}, {dentist.start.day} {dentist.start:%B}" in str(reminder["Subject"])


def test_a_day_gives_the_same_sample_at_any_hour(tmp_path: Path) -> None:
    made = [make_sample(tmp_path / str(hour), now=FRIDAY.replace(hour=hour, minute=7), zone=BERLIN) for hour in (9, 16, 23)]
    assert content_of(made[0]) == content_of(made[1]) == content_of(made[2])


def test_what_is_there_is_left_alone(tmp_path: Path) -> None:
    account = make_sample(tmp_path, now=FRIDAY, zone=BERLIN)
    (Path(account.settings["calendars"]) / "family" / "dentist.ics").unlink()
    before = content_of(account)
    again = make_sample(tmp_path, now=FRIDAY + timedelta(days=3), zone=BERLIN)
    assert again == account
    assert content_of(again) == before
    assert not list(tmp_path.glob(".*"))


def test_nobody_else_may_look_into_the_sample_account(account: AccountConfig) -> None:
    written = [path for part in account.settings.values() for path in (Path(part), *Path(part).rglob("*"))]
    assert {path.stat().st_mode & 0o777 for path in written if path.is_dir()} == {0o700}
    assert {path.stat().st_mode & 0o777 for path in written if path.is_file()} == {0o600}


def test_nothing_is_strange_about_the_sample_mails(account: AccountConfig) -> None:
    files = [path for path in Path(account.settings["mail"]).rglob("*") if path.parent.name in ("cur", "new")]
    assert len(files) > 50 and not [path for path in files if read_message(path.read_bytes()).oddities]
