"""Results sent through Apprise, to a service that is really there: each once, what was refused again, what is unclear never."""

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from doubles.crashes import Died, dying
from doubles.delivering import SECRET, Days, NoteService, delivered, note_service, reminded

from assistant.bootstrap import LocalAccount
from assistant.errors import Unknown, UserError
from assistant.facade import Assistant
from assistant.scheduling.delivery import deliveries as making
from assistant.scheduling.delivery import notifying
from assistant.scheduling.delivery.targets import Targets
from assistant.timetable.rules import Cron, Remind


@pytest.fixture
def days(tmp_path: Path, account: LocalAccount) -> Days:
    return Days(tmp_path / "home", account)


@pytest.fixture
def service() -> Iterator[NoteService]:
    with note_service() as service:
        yield service


@contextmanager
def logged() -> Iterator[list[str]]:
    """All that comes to the root of the log, as it would be written."""
    lines: list[str] = []
    handler = logging.Handler()
    handler.emit = lambda record: lines.append(logging.Formatter().format(record))  # type: ignore[method-assign]
    root = logging.getLogger()
    before = root.level
    root.addHandler(handler)
    root.setLevel(logging.DEBUG)
    try:
        yield lines
    finally:
        root.setLevel(before)
        root.removeHandler(handler)


async def status(assistant: Assistant, schedule: str) -> tuple[str, int]:
    (delivery,) = await delivered(assistant, schedule)
    return delivery.status, delivery.attempts


async def test_a_result_arrives_once(days: Days, service: NoteService) -> None:
    async with days() as assistant:
        await assistant.targets.add("phone", service.address)
        schedule = await reminded(assistant, "phone")
        assert await status(assistant, schedule) == ("done", 1)
        days.passes(hours=2)
        await assistant.schedules.deliveries.retry()
    assert [(note["title"], note["message"], note["type"]) for note in service.notes] == [
        ("Reminder: call Tom", "Reminder: call Tom", "info")
    ]


async def test_what_was_refused_is_sent_again_after_growing_pauses(days: Days, service: NoteService) -> None:
    service.answers = [404, 429, 200]
    async with days() as assistant:
        await assistant.targets.add("phone", service.address)
        schedule = await reminded(assistant, "phone")
        (delivery,) = await delivered(assistant, schedule)
        assert (delivery.status, delivery.error) == ("pending", "phone refused it (error 404).")
        tried = []
        for minutes in (0.5, 1, 4, 2):
            days.passes(minutes=minutes)
            await assistant.schedules.deliveries.retry()
            tried.append(len(service.notes))
        assert tried == [1, 2, 2, 3]
        assert await status(assistant, schedule) == ("done", 3)


async def test_after_three_further_attempts_it_has_failed_and_the_next_run_says_so(days: Days, service: NoteService) -> None:
    service.answers = [403]
    async with days() as assistant:
        await assistant.targets.add("phone", service.address)
        schedule = await reminded(assistant, "phone")
        for _ in range(5):
            days.passes(minutes=31)
            await assistant.schedules.deliveries.retry()
        assert len(service.notes) == 4 and await status(assistant, schedule) == ("failed", 4)
        await assistant.schedules.change(schedule, targets=())
        first = await assistant.flow((await assistant.schedules.run(schedule)).flow)
        days.passes(minutes=1)
        second = await assistant.flow((await assistant.schedules.run(schedule)).flow)
    assert "The result of Mon 23 Nov, 07:30 could not be sent to phone: phone refused it (error 403)." in first.reply
    assert "could not be sent" not in second.reply


@pytest.mark.parametrize("answer", ["drops", 500, 503])
async def test_what_may_have_arrived_is_never_sent_again(days: Days, service: NoteService, answer: int | str) -> None:
    service.answers = [answer]
    async with days() as assistant:
        await assistant.targets.add("phone", service.address)
        schedule = await reminded(assistant, "phone")
        assert await status(assistant, schedule) == ("unknown", 1)
        days.passes(hours=3)
        await assistant.schedules.deliveries.retry()
        assert len(service.notes) == 1
        (notice,) = await assistant.schedules.deliveries.notices(schedule)
        assert notice.startswith("It is not certain whether the result of Mon 23 Nov, 07:30 reached phone")


async def test_a_service_that_hangs_is_given_up(days: Days, service: NoteService) -> None:
    service.answers = ["hangs"]
    async with days() as assistant:
        targets = Targets(assistant.database, assistant.targets.seal, assistant.clock, assistant.user, longest=0.2)
        await targets.add("phone", service.address)
        assert await targets.try_("phone") == "phone gave no answer in time."


async def test_where_nobody_is_there_it_is_sent_when_there_is(days: Days, service: NoteService) -> None:
    async with days() as assistant:
        await assistant.targets.add("phone", "json://127.0.0.1:1/")
        schedule = await reminded(assistant, "phone")
        (delivery,) = await delivered(assistant, schedule)
        assert (delivery.status, delivery.error) == ("pending", "phone could not be reached.")


async def test_apprise_itself_repeats_nothing(days: Days, service: NoteService) -> None:
    service.answers = ["drops"]
    async with days() as assistant:
        await assistant.targets.add("phone", f"{service.address}?retry=3&wait=0")
        await reminded(assistant, "phone")
    assert len(service.notes) == 1


async def test_a_result_of_two_processes_is_sent_by_one(days: Days, service: NoteService, monkeypatch: pytest.MonkeyPatch) -> None:
    async with days() as one, days() as other:
        await one.targets.add("phone", service.address)
        schedule = await one.schedules.add("Calls", Remind(text="call Tom"), Cron(expression="0 8 * * *"), targets=("phone",))
        monkeypatch.setattr(making.Deliveries, "make", _nothing)
        slot = (await one.schedules.run(schedule.id)).slot
        monkeypatch.undo()
        rows = await one.database.read(lambda s: making.deliveries.of_slot(s, schedule.id, slot))
        for assistant in (one, other):  # each has read it before the other began it
            await assistant.schedules.deliveries._see_to(rows[0])
    assert len(service.notes) == 1


async def _nothing(self: object, *given: object) -> None:
    """The process has ended before."""


async def test_what_was_recorded_is_sent_by_whoever_looks_next(
    days: Days, service: NoteService, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with days() as assistant:
        await assistant.targets.add("phone", service.address)
        monkeypatch.setattr(making.Deliveries, "make", _nothing)
        schedule = await reminded(assistant, "phone")
        monkeypatch.undo()
    async with days() as assistant:
        await assistant.schedules.deliveries.retry()
        assert await status(assistant, schedule) == ("done", 1) and len(service.notes) == 1


@pytest.mark.parametrize("after", [False, True])
async def test_who_dies_while_sending_leaves_it_unknown(
    days: Days, service: NoteService, monkeypatch: pytest.MonkeyPatch, after: bool
) -> None:
    """Whether the note had gone out by then or not."""
    async with days() as assistant:
        await assistant.targets.add("phone", service.address)
        monkeypatch.setattr(making.Deliveries, "make", _nothing)
        schedule = await reminded(assistant, "phone")
        monkeypatch.undo()
        revive = dying(monkeypatch, Targets, "send", after=after)
        with pytest.raises(Died):
            await assistant.schedules.deliveries.retry()
        revive()
    async with days() as assistant:
        await assistant.schedules.deliveries.retry()
        assert (await status(assistant, schedule))[0] == "pending", "somebody may still be at it"
        days.passes(minutes=6)
        await assistant.schedules.deliveries.retry()
        assert await status(assistant, schedule) == ("unknown", 1) and len(service.notes) == after
        (notice,) = await assistant.schedules.deliveries.notices(schedule)
        assert "The program ended while it was being sent" in notice


async def test_a_long_text_is_cut(days: Days, service: NoteService, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(notifying, "LONGEST_NOTE", 300)
    async with days() as assistant:
        await assistant.targets.add("phone", service.address)
        await reminded(assistant, "phone", text="all of it\n" * 100)
    (body,) = service.bodies
    assert 200 < len(body) <= 300 and body.endswith("all of it\n…")


async def test_the_audit_journal_tells_of_it(days: Days, service: NoteService) -> None:
    async with days() as assistant:
        await assistant.targets.add("phone", service.address)
        await reminded(assistant, "phone")
        (story,) = await assistant.audit()
        assert story.result == "done" and story.approval == "Approval was not needed: you had set it up so."
        assert story.lines[0].text == "As you set up with the schedule “Calls”: send “Reminder: call Tom” to phone."
        assert not (await assistant.verify_audit()).wrong


@pytest.mark.parametrize("answer", [200, 404, 500, "drops"])
async def test_the_address_stands_nowhere_in_clear(
    days: Days, service: NoteService, answer: int | str, caplog: pytest.LogCaptureFixture, capfd: pytest.CaptureFixture[str]
) -> None:
    service.answers = [answer]
    with logged() as log:
        async with days() as assistant:
            said = [str(await assistant.targets.add("phone", service.address))]
            schedule = await reminded(assistant, "phone")
            said += [str(await assistant.targets.list()), await assistant.targets.try_("phone")]
            said += [str(await delivered(assistant, schedule)), str(await assistant.audit())]
            said += [*await assistant.schedules.deliveries.notices(schedule)]
    stored = b"".join(path.read_bytes() for path in days.home.rglob("*") if path.is_file())
    assert service.notes and SECRET not in "\n".join((*said, *log, *capfd.readouterr())) and SECRET.encode() not in stored


# --- targets


async def test_a_target_is_listed_by_what_may_be_shown_of_it(days: Days) -> None:
    async with days() as assistant:
        await assistant.targets.add("Phone", "tgram://123456789:abcdefg_hijklmnop/lead2gold/")
        await assistant.targets.add("desk", "ntfys://ntfy.example.org/topic")
        assert [(one.name, one.says) for one in await assistant.targets.list()] == [
            ("desk", "ntfys://ntfy.example.org"),
            ("Phone", "tgram://…"),
        ]
        assert await assistant.targets.check(("MAIL", "phone")) == ("mail", "Phone")


@pytest.mark.parametrize(
    ("address", "why"),
    [
        ("nothing://known", "Apprise knows"),
        ("", "Apprise knows"),
        ("json://one.example, json://two.example", "Apprise knows"),
        ("syslog://", "Apprise knows"),
        ("tgram://123456789:abcdefg_hijklmnop/lead2gold/?template=/etc/passwd", "names a file"),
        (f"json://{'x' * 3000}", "Apprise knows"),
    ],
)
async def test_an_address_that_can_not_be_used_is_refused_without_being_repeated(days: Days, address: str, why: str) -> None:
    async with days() as assistant:
        with pytest.raises(UserError) as refused:
            await assistant.targets.add("phone", address)
        assert why in str(refused.value) and (not address or address not in str(refused.value))
        assert await assistant.targets.list() == ()


@pytest.mark.parametrize("name", ["mail", "Mail", "", "  ", "x" * 41, "a\nb"])
async def test_a_name_that_can_not_be_used_is_refused(days: Days, name: str) -> None:
    async with days() as assistant:
        with pytest.raises(UserError):
            await assistant.targets.add(name, "json://127.0.0.1/")


async def test_names_are_taken_without_regard_to_case(days: Days) -> None:
    async with days() as assistant:
        await assistant.targets.add("Phöne", "json://127.0.0.1/")
        with pytest.raises(UserError, match="already"):
            await assistant.targets.add("phÖne", "json://127.0.0.1/")


async def test_a_target_that_a_schedule_uses_stays(days: Days) -> None:
    async with days() as assistant:
        await assistant.targets.add("phone", "json://127.0.0.1:1/")
        schedule = await assistant.schedules.add("Calls", Remind(text="call Tom"), Cron(expression="0 8 * * *"), targets=("Phone",))
        with pytest.raises(UserError, match="“Calls”"):
            await assistant.targets.remove("phone")
        await assistant.schedules.remove(schedule.id)
        await assistant.targets.remove("phone")
        with pytest.raises(Unknown):
            await assistant.targets.remove("phone")


async def test_a_test_note_tells_whether_it_arrived(days: Days, service: NoteService) -> None:
    async with days() as assistant:
        await assistant.targets.add("phone", service.address)
        assert await assistant.targets.try_("phone") == ""
        service.answers = [401]
        assert await assistant.targets.try_("phone") == "phone refused it (error 401)."


async def test_without_its_package_it_says_what_to_install(
    days: Days, service: NoteService, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with days() as assistant:
        await assistant.targets.add("phone", service.address)
        monkeypatch.setattr(notifying, "installed", lambda: False)
        with pytest.raises(UserError, match=r"pip install -e '\.\[notify\]'"):
            await assistant.targets.add("desk", service.address)
        assert "pip install" in await assistant.targets.try_("phone")
    assert service.notes == []


async def test_with_another_key_a_target_can_not_be_used(days: Days, service: NoteService) -> None:
    async with days() as assistant:
        await assistant.targets.add("phone", service.address)
    (days.home / "secret.key").unlink()
    async with days() as assistant:
        assert "sealed with another key" in await assistant.targets.try_("phone")
    assert service.notes == []


async def test_one_user_does_not_see_or_use_what_another_has(days: Days, service: NoteService) -> None:
    async with days() as assistant:
        await assistant.targets.add("phone", service.address)
        theirs = Targets(assistant.database, assistant.targets.seal, assistant.clock, "u-eva")
        assert await theirs.list() == ()
        with pytest.raises(Unknown):
            await theirs.try_("phone")
