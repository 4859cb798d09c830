"""The sample account's briefings, as a person reads them."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from doubles.desks import BERLIN, at, briefed, lines, note, texts

from assistant.briefing.facts import Briefing
from assistant.timetable.rules import MORNING, Part
from integrations.local.sample import make_sample
from integrations.readers import Readers
from integrations.registry import open_account
from integrations.types import Address

ALEX = Address(email="alex.morgan@northwind.example", name="Alex Morgan")
HERE = Path(__file__).parent
FRAUD = "northwlnd.example looks like northwind.example, but is not"


@pytest.fixture
async def sample(tmp_path: Path, request: pytest.FixtureRequest) -> AsyncIterator[Readers]:
    """As it is made on Monday, 23 November 2026 at 8:00, or when the test says."""
    config = make_sample(tmp_path / "sample", now=at(getattr(request, "param", "23 8:00")), zone=BERLIN)
    account = open_account(config, zone=BERLIN, index=tmp_path / "index")
    yield account.readers
    await account.close()


def made(when: str) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("sample", [when], indirect=True)


async def told(now: str, sample: Readers, parts: tuple[Part, ...] = MORNING, after: Briefing | None = None) -> Briefing:
    return await briefed(now, sample, parts=parts, after=after, me=ALEX)


def whole(briefing: Briefing) -> str:
    """As it stands in the files beside this one."""
    said = [briefing.title]
    for section in briefing.sections:
        said += ["", f"[{section.kind}] {section.title}"]
        for line in lines(briefing, section.kind):
            said += [
                f"{line.number}. {line.text}",
                *(f"   - {why}" for why in line.reasons),
                *(f"   with {one}" for one in line.with_whom),
            ]
        said += [f"({note(briefing, section.kind)})"] if section.note else []
    return "\n".join([*said, ""])


async def test_monday_morning(sample: Readers) -> None:
    briefing = await told("23 8:00", sample)
    assert whole(briefing) == (HERE / "monday.txt").read_text(encoding="utf-8")
    assert [(one.account, one.mails, one.trouble) for one in briefing.looked] == [("sample", 8, "")]


async def test_tuesday_tells_what_was_left_out_what_presses_now_and_keeps_the_rest_open(sample: Readers) -> None:
    monday = await told("23 8:00", sample)
    tuesday = await told("24 8:00", sample, after=monday)
    assert texts(tuesday, "answer")[:2] == [
        "Emily Hart: When can we talk? (Third wrong trail in a month)",
        "Laura Jensen: Which week for the rollout?",
    ]
    assert [line.reasons[0] for line in lines(tuesday, "answer")[:2]] == ["deadline tomorrow", "deadline tomorrow"]
    assert {line.text for line in lines(monday, "answer")} & {line.text for line in lines(tuesday, "answer")} == set(
        texts(tuesday, "answer")[:2]
    )
    assert texts(tuesday, "phishing") == texts(tuesday, "conflicts") == texts(tuesday, "newsletters") == []
    assert "Launch page review and Pricing workshop at one time (tomorrow)" in texts(tuesday, "open")
    assert len(tuesday.coverage.model_dump_json()) < 4000


@made("27 17:30")
async def test_friday_evening_ends_with_what_comes_next(sample: Readers) -> None:
    briefing = await told("27 17:30", sample)
    assert texts(briefing, "agenda") == ["17:15-17:45 Retrospective, with David Chen, Anna Kowalski and Priya Raman"]
    assert note(briefing, "agenda") == "Next: Morning run by the canal, tomorrow, 07:30-08:15."
    assert texts(briefing, "free") == []


@made("27 17:30")
async def test_sunday_is_short_and_friendly(sample: Readers) -> None:
    saturday = await told("28 9:00", sample, parts=("day",))
    briefing = await told("29 9:00", sample, parts=("day",), after=saturday)
    assert note(briefing, "agenda") == "Nothing planned. Next: Team stand-up, tomorrow, 09:00-09:15."
    assert [section.kind for section in briefing.sections] == ["agenda", "open"]


@made("29 18:00")
async def test_sunday_evening_the_week_to_come(sample: Readers) -> None:
    briefing = await told("29 18:00", sample, parts=("week",))
    assert briefing.title == "The week from Monday 30 November"
    assert texts(briefing, "agenda")[0].startswith("tomorrow, 07:30-08:15 Morning run by the canal")
    assert "Tuesday 1 Dec: Launch page review (14:00-15:00) and Pricing workshop (14:30-15:30)" in texts(briefing, "conflicts")
    assert texts(briefing, "free")[0] == "tomorrow: 09:15-10:00, 10:45-15:00 and 16:00-18:00"


@pytest.mark.parametrize("sample", ["23 8:00", "27 17:30", "28 9:00", "31 8:00", "31 0:05", "30 23:55"], indirect=True)
async def test_whenever_it_is_the_planted_things_are_there_with_their_reasons(
    sample: Readers, request: pytest.FixtureRequest
) -> None:
    now = request.node.callspec.params["sample"]
    briefing = await told(now, sample)
    answers = {line.text.partition(":")[0]: line.reasons for line in lines(briefing, "answer")}
    assert "asks you a question" in answers["Anna Kowalski"]
    assert any(reason.startswith("deadline ") for reason in answers["Nadia Haddad"])
    (conflict,) = lines(briefing, "conflicts")
    assert "Launch page review" in conflict.text
    assert "Pricing workshop" in conflict.text
    (fraud,) = lines(briefing, "phishing")
    assert fraud.reasons[0] == FRAUD
    assert any("Roadmap workshop" in text for text in texts(briefing, "invitations"))
