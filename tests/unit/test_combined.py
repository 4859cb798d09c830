"""Several accounts read as one."""

from collections.abc import AsyncIterator, Sequence
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from integrations.combined import CombinedReaders
from integrations.errors import IntegrationError, NotFound, Unavailable
from integrations.readers import CalendarReader, ContactReader, MailReader, Readers
from integrations.registry import AccountConfig, open_account
from integrations.types import Busy, Changes, Mail, MailQuery, MailRef, Page

START = datetime(2026, 11, 16, 9, tzinfo=UTC)
COUNTS = {"home": 7, "work": 4, "club": 0}


class Unreachable:
    """An account whose server is down."""

    def __init__(self, readers: Readers) -> None:
        self._readers = readers

    accounts: Sequence[str] = ("down",)

    @property
    def mail(self) -> MailReader:
        raise_on_search = self._readers.mail

        class Down:
            def __getattr__(self, name: str) -> object:
                return getattr(raise_on_search, name)

            async def search(self, query: MailQuery) -> Page[Mail]:
                raise Unavailable("The server does not answer.", "down")

        return Down()  # type: ignore[return-value]

    @property
    def calendar(self) -> CalendarReader:
        return self._readers.calendar

    @property
    def contacts(self) -> ContactReader:
        return self._readers.contacts


@pytest.fixture
async def readers(tmp_path: Path) -> AsyncIterator[list[Readers]]:
    accounts = []
    for place, (name, count) in enumerate(COUNTS.items()):
        (tmp_path / name / "cur").mkdir(parents=True)
        for number in range(count):
            date = format_datetime(START + timedelta(hours=number, minutes=place))
            raw = f"From: Anna <anna@x.example>\nSubject: {name} {number}\nDate: {date}\nMessage-ID: <{number}@x>\n\nx\n"
            (tmp_path / name / "cur" / f"{number}.{name}.host:2,S").write_text(raw)
        config = AccountConfig(name=name, kind="local", address=f"me@{name}.example", settings={"mail": str(tmp_path / name)})
        accounts.append(open_account(config, zone=ZoneInfo("UTC"), index=tmp_path / "index"))
    yield [account.readers for account in accounts]
    for account in accounts:
        await account.close()


async def pages(combined: CombinedReaders, limit: int, oldest_first: bool = False) -> list[Mail]:
    mails: list[Mail] = []
    cursor: str | None = None
    while True:
        page = await combined.mail.search(MailQuery(limit=limit, cursor=cursor, oldest_first=oldest_first))
        assert page.total == sum(COUNTS.values()) and len(page.items) <= limit
        mails += page.items
        cursor = page.next
        if cursor is None:
            return mails


@pytest.mark.parametrize("limit", [1, 2, 3, 5, 11, 50])
@pytest.mark.parametrize("oldest_first", [False, True])
async def test_pages_of_all_accounts_are_in_order_with_none_lost_or_doubled(
    readers: list[Readers], limit: int, oldest_first: bool
) -> None:
    mails = await pages(CombinedReaders(readers), limit, oldest_first)
    assert len({(mail.account, mail.id) for mail in mails}) == len(mails) == 11
    assert [mail.date for mail in mails] == sorted((mail.date for mail in mails), reverse=not oldest_first)


async def test_a_reference_is_answered_by_its_own_account(readers: list[Readers]) -> None:
    combined = CombinedReaders(readers)
    assert (await combined.mail.get(MailRef(account="work", id="1.work.host"))).subject == "work 1"
    for ref in (MailRef(account="home", id="1.work.host"), MailRef(account="nobody", id="1.work.host")):
        with pytest.raises(NotFound):
            await combined.mail.get(ref)


async def test_threads_and_correspondents_are_merged(readers: list[Readers]) -> None:
    combined = CombinedReaders(readers)
    assert [mail.account for mail in await combined.mail.thread("<1@x>")] == ["home", "work"]
    (anna,) = await combined.mail.correspondents("anna")
    assert (anna.received, anna.last) == (11, START + timedelta(hours=6))
    assert await combined.mail.folders() == ("INBOX",)


async def test_an_account_out_of_reach_is_named_and_hides_no_other(readers: list[Readers]) -> None:
    page = await CombinedReaders([*readers[:2], Unreachable(readers[2])]).mail.search(MailQuery())
    assert len(page.items) == 11
    assert [(one.where, one.reason, one.account) for one in page.skipped] == [("down", "The server does not answer.", True)]


async def test_when_no_account_answers_the_error_is_told(readers: list[Readers]) -> None:
    with pytest.raises(IntegrationError):
        await CombinedReaders([Unreachable(readers[1]), Unreachable(readers[2])]).mail.search(MailQuery())


async def test_a_single_account_answers_unwrapped(readers: list[Readers]) -> None:
    combined = CombinedReaders(readers[:1])
    assert combined.mail is readers[0].mail
    assert combined.accounts == ("home",)


async def test_a_cursor_of_another_kind_is_refused(readers: list[Readers]) -> None:
    with pytest.raises(NotFound):
        await CombinedReaders(readers).mail.search(MailQuery(cursor="17"))


def letter(name: str) -> str:
    return f"From: Anna <anna@x.example>\nSubject: {name}\nDate: {format_datetime(START)}\n\nx\n"


async def test_changes_of_all_accounts_are_told_together(readers: list[Readers], tmp_path: Path) -> None:
    combined = CombinedReaders(readers).mail
    start = await combined.changes()
    assert (start.changed, start.gone, start.complete) == ((), (), True)
    for name in ("home", "work"):
        (tmp_path / name / "cur" / f"100.{name}.host:2,S").write_text(letter("new"))
    (tmp_path / "home" / "cur" / "0.home.host:2,S").unlink()
    told = await combined.changes(start.cursor)
    assert {(ref.account, ref.id) for ref in told.changed} == {("home", "100.home.host"), ("work", "100.work.host")}
    assert ([(ref.account, ref.id) for ref in told.gone], told.complete) == ([("home", "0.home.host")], True)
    assert (await combined.changes(told.cursor)).changed == ()


async def test_an_account_out_of_reach_keeps_its_place_among_the_changes(readers: list[Readers], tmp_path: Path) -> None:
    start = await CombinedReaders(readers).mail.changes()
    (tmp_path / "home" / "cur" / "100.home.host:2,S").write_text(letter("new"))
    without = await CombinedReaders([NotNow(readers[0]), *readers[1:]]).mail.changes(start.cursor)
    assert (without.changed, without.complete) == ((), True)
    told = await CombinedReaders(readers).mail.changes(without.cursor)
    assert [ref.id for ref in told.changed] == ["100.home.host"]


async def test_the_cursor_of_a_single_account_tells_nothing_of_several(readers: list[Readers]) -> None:
    single = (await CombinedReaders(readers[:1]).mail.changes()).cursor
    for cursor in (single, "12345", '"x"', "[1]"):
        told = await CombinedReaders(readers).mail.changes(cursor)
        assert not told.complete and told.changed == ()


async def test_of_an_account_that_has_come_since_everything_must_be_looked_at(readers: list[Readers]) -> None:
    start = await CombinedReaders(readers[:2]).mail.changes()
    told = await CombinedReaders(readers).mail.changes(start.cursor)
    assert not told.complete
    assert (await CombinedReaders(readers).mail.changes(told.cursor)).complete


class NotNow:
    """Whatever it is asked, it does not answer."""

    def __init__(self, readers: Readers) -> None:
        self.accounts = readers.accounts

    def __getattr__(self, name: str) -> "NotNow":
        return self

    async def changes(self, since: str = "") -> Changes:
        raise Unavailable("The server does not answer.", self.accounts[0])

    async def busy(self, emails: Sequence[str], start: datetime, end: datetime) -> tuple[Busy, ...]:
        raise Unavailable("The server does not answer.", self.accounts[0])


class Knowing:
    """An account that knows when these people have no time."""

    def __init__(self, name: str, **times: tuple[int, int]) -> None:
        self.accounts, self._times = (name,), times

    @property
    def calendar(self) -> "Knowing":
        return self

    async def busy(self, emails: Sequence[str], start: datetime, end: datetime) -> tuple[Busy, ...]:
        return tuple(self._of(email) for email in emails)

    def _of(self, email: str) -> Busy:
        if email not in self._times:
            return Busy(email=email, unknown=f"{self.accounts[0]} does not know")
        first, last = self._times[email]
        return Busy(email=email, times=((START.replace(hour=first), START.replace(hour=last)),))


async def test_somebodys_time_is_known_wherever_one_account_knows_it() -> None:
    combined = CombinedReaders([Knowing("home", anna=(14, 15)), Knowing("work", anna=(9, 10), tom=(11, 12))])  # type: ignore[list-item]
    anna, tom, eva = await combined.calendar.busy(["anna", "tom", "eva"], START, START + timedelta(days=1))
    assert [start.hour for start, _ in anna.times] == [9, 14] and not anna.unknown
    assert [start.hour for start, _ in tom.times] == [11] and not tom.unknown
    assert (eva.times, eva.unknown) == ((), "home does not know")


async def test_an_account_out_of_reach_hides_nobodys_time(readers: list[Readers]) -> None:
    combined = CombinedReaders([NotNow(readers[0]), Knowing("work", tom=(11, 12))])  # type: ignore[list-item]
    tom, eva = await combined.calendar.busy(["tom", "eva"], START, START + timedelta(days=1))
    assert [start.hour for start, _ in tom.times] == [11]
    assert (eva.unknown, eva.unreached) == ("The server does not answer", True)
