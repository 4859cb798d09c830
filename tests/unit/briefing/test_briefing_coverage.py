import pytest
from doubles.desks import ANNA, ME, RITA, Box, at, briefed, desk_of, lines, texts
from doubles.down import WHY, Down

from assistant.briefing.facts import Briefing, Looked, Wanted
from assistant.briefing.gathering import gather
from assistant.timetable.rules import MORNING
from integrations.types import Changes, Contact


@pytest.fixture
def work() -> Box:
    box = Box("work")
    box.mail(ME, "Hello", "1 9:00", body="Good to know you.")
    return box


@pytest.fixture
def home() -> Box:
    return Box("home")


def looked(briefing: Briefing) -> dict[str, Looked]:
    return {one.account: one for one in briefing.looked}


async def test_a_first_briefing_covers_a_day_and_says_how_much_came(work: Box, home: Box) -> None:
    work.mail(ANNA, "Budget", "22 17:00")
    work.mail(ANNA, "Earlier", "21 3:00")
    home.event("Review", "23 10:00", "23 11:00")
    briefing = await briefed("23 8:00", work, home)
    assert looked(briefing)["work"] == Looked(
        account="work", since=at("22 8:00"), until=at("23 8:00"), mails=1, ahead=at("30 0:00")
    )
    assert looked(briefing)["home"].events == 1


async def test_an_account_that_is_down_is_named_and_the_next_briefing_covers_the_gap(work: Box, home: Box) -> None:
    first = await briefed("22 8:00", work, home)
    work.mail(ANNA, "Report", "22 17:00", "The report went out this morning.")
    home.mail(RITA, "Party", "22 17:00", "Will you come?")
    second = await briefed("23 8:00", Down(work.readers, "mail", "calendar", "contacts"), home, after=first)
    assert looked(second)["work"].trouble == WHY
    assert looked(second)["home"].trouble == ""
    assert texts(second, "answer") == ["Rita Gomez: Will you come? (Party)"]
    third = await briefed("24 8:00", work, home, after=second)
    assert looked(third)["work"].since == at("22 8:00")
    assert texts(third, "known") == ["Anna Berg: The report went out this morning. (Report)"]
    assert texts(third, "answer") == []


async def test_the_gap_of_a_first_briefing_is_covered_too(work: Box) -> None:
    first = await briefed("22 8:00", Down(work.readers, "mail"))
    work.mail(ANNA, "Report", "21 17:00", "The report went out this morning.")
    second = await briefed("24 8:00", work, after=first)
    assert looked(second)["work"].since == at("21 8:00")
    assert len(texts(second, "known")) == 1


async def test_what_was_told_of_an_account_stays_told_while_it_is_down(work: Box) -> None:
    work.mail(ANNA, "Budget", "21 17:00", "Could you send me the figures?")
    first = await briefed("22 8:00", work)
    second = await briefed("23 8:00", Down(work.readers, "mail", "calendar"), after=first)
    third = await briefed("24 8:00", work, after=second)
    assert texts(third, "answer") == []
    assert texts(third, "open") == ["Anna Berg (Budget)"]


async def test_a_conflict_of_two_accounts_stays_told_while_either_is_down(work: Box, home: Box) -> None:
    work.event("Board", "25 10:00", "25 11:00")
    home.event("Dentist", "25 10:30", "25 11:30")
    first = await briefed("23 8:00", work, home)
    assert len(texts(first, "conflicts")) == 1
    second = await briefed("23 12:00", Down(work.readers, "calendar"), home, after=first)
    third = await briefed("23 14:00", work, home, after=second)
    assert texts(third, "conflicts") == []


async def test_events_of_an_account_that_is_down_are_not_called_gone(work: Box) -> None:
    work.event("Review", "23 10:00", "23 11:00")
    first = await briefed("22 18:00", work)
    second = await briefed("23 8:00", Down(work.readers, "calendar"), after=first)
    assert not any("No longer" in section.note for section in second.sections)


@pytest.mark.parametrize(
    ("down", "kept"),
    [
        ("contacts", {"answer", "agenda", "invitations"}),
        ("calendar.invitations", {"answer", "agenda"}),
        ("calendar.events", {"answer", "invitations"}),
        ("mail.search", {"agenda", "invitations"}),
        ("mail.correspondents", {"answer", "agenda", "invitations"}),
    ],
)
async def test_a_part_that_is_down_hides_nothing_of_the_others_and_is_named(work: Box, down: str, kept: set[str]) -> None:
    work.mail(ANNA, "Budget", "22 17:00", "Could you send me the figures?")
    work.event("Review", "23 10:00", "23 11:00")
    work.event("Workshop", "26 10:00", "26 11:00", ME, organizer=RITA, my_answer="needs-action")
    briefing = await briefed("23 8:00", Down(work.readers, down))
    assert {kind for kind in ("answer", "agenda", "invitations") if lines(briefing, kind)} == kept
    assert (looked(briefing)["work"].trouble, looked(briefing)["work"].partly) == (WHY, True)


async def test_nothing_is_said_of_free_time_while_a_calendar_is_down(work: Box, home: Box) -> None:
    home.event("Workshop", "26 10:00", "26 11:00", ME, organizer=RITA, my_answer="needs-action")
    home.event("Review", "23 10:00", "23 11:00")
    briefing = await briefed("23 8:00", Down(work.readers, "calendar"), home)
    assert {section.kind for section in briefing.sections} == {"agenda", "invitations"}
    assert [line.reasons for line in lines(briefing, "invitations")] == [()]
    nothing = await briefed("23 8:00", Down(home.readers, "calendar.events"), parts=("day",))
    assert [section.kind for section in nothing.sections] == ["invitations"]


@pytest.mark.parametrize("down", ["mail.changes", "mail.thread", "mail.get"])
async def test_what_only_refines_may_fail_in_silence(work: Box, down: str) -> None:
    work.mail(ANNA, "Budget", "22 17:00", f"{'We talked about it at length. ' * 9}Could you send me the figures?", unread=True)
    work.mail(ME, "Offer", "20 9:00", "Could you send me the offer?")
    briefing = await briefed("23 8:00", Down(work.readers, down))
    assert looked(briefing)["work"].trouble == ""
    assert len(texts(briefing, "waiting")) == 1


async def test_a_mail_that_arrives_with_an_old_date_is_seen_through_the_cursor(work: Box) -> None:
    class Cursors(Down):
        """Tells what came since."""

        @property
        def mail(self) -> "Cursors":
            return self

        def __getattr__(self, asked: str) -> object:
            return getattr(self._readers.mail if asked != "calendar" and asked != "contacts" else self._readers, asked)

        async def changes(self, since: str = "") -> Changes:
            return Changes(cursor="2", changed=(late.ref,) if since == "1" else ())

    first = await briefed("22 8:00", work)
    late = work.mail(ANNA, "Delayed", "20 9:00", "The report went out this morning.", unread=True)
    known = first.coverage.accounts["work"].model_copy(update={"cursor": "1"})
    first = first.model_copy(update={"coverage": first.coverage.model_copy(update={"accounts": {"work": known}})})
    second = await briefed("23 8:00", Cursors(work.readers), after=first)
    assert texts(second, "known") == ["Anna Berg: The report went out this morning. (Delayed)"]
    assert second.coverage.accounts["work"].cursor == "2"


async def test_whom_one_account_knows_another_knows_too(work: Box, home: Box) -> None:
    home.contacts.append(Contact(account="home", id="c", etag="e", uid="c", name="Rita Gomez", emails=(RITA.email,)))
    work.mail(RITA, "Report", "22 17:00", "The report went out this morning.")
    assert len(texts(await briefed("23 8:00", work, home), "known")) == 1


async def test_numbers_run_over_all_sections_and_one_event_has_one(work: Box) -> None:
    work.mail(ANNA, "Budget", "22 17:00", "Could you send me the figures?")
    work.event("Review", "23 10:00", "23 11:00", ANNA)
    work.event("Call", "23 10:30", "23 11:30", ANNA, my_answer="needs-action")
    briefing = await briefed("23 8:00", work)
    told = {section.kind: [line.number for line in section.lines] for section in briefing.sections}
    assert told == {"answer": [1], "agenda": [2, 3], "conflicts": [3], "invitations": [3], "free": [0]}


async def test_asked_why_it_tells_what_everything_weighs_and_where_it_went(work: Box) -> None:
    work.mail(ANNA, "Budget", "22 17:00", "Could you send me the figures?", unread=True)
    work.mail(RITA, "Thanks", "22 17:00", "See you.")
    work.event("Review", "23 10:00", "23 11:00")
    work.event("Later", "27 10:00", "27 11:00")
    wanted = Wanted(parts=MORNING)
    desk = desk_of(at("23 8:00"), work.readers)
    weighed = {one.text: one for one in (await gather(desk, wanted, explain=True)).weighed}
    budget = weighed["Anna Berg: Budget"]
    assert budget.told == "answer"
    assert budget.points[0] == (3.0, "asks you a question")
    assert budget.score == sum(weight for weight, _ in budget.points)
    assert weighed["Rita Gomez: Thanks"].told == "asks nothing"
    assert weighed["Review, today, 10:00\u201311:00"].told == "agenda"
    assert weighed["Later, Friday 27 Nov, 10:00\u201311:00"].told == "on another day"
    assert (await gather(desk, wanted)).weighed == ()
