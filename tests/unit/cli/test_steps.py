"""What is told while a task runs."""

from datetime import UTC, datetime

import pytest

from assistant.cli.steps import Steps
from assistant.cli.text import console
from assistant.events import FlowEvent

BEGUN = ("9", "Contacts agent: Find David's email address", {"id": 1, "agent": "contacts"})
FOUND = ("10", "Partial (50 %): 2 possibilities", {"id": 1, "status": "partial", "found": "2 possibilities", "kind": "contacts"})


def event(number: int, step: str, text: str, data: dict[str, object]) -> FlowEvent:
    return FlowEvent(flow="f", seq=number, at=datetime.now(UTC), step=step, text=text, data=data)


def told(*events: tuple[str, str, dict[str, object]], all_steps: bool = False, columns: int = 80) -> list[str]:
    out = console()
    out.width = columns
    with out.capture() as shown:
        steps = Steps(out, all_steps=all_steps)
        for number, one in enumerate(events, start=1):
            steps.hear(event(number, *one))
    return shown.get().splitlines()


async def test_a_delegation_and_its_result_are_one_quiet_line():
    assert told(BEGUN, FOUND) == ["· contacts: Find David's email address … 2 possibilities"]


async def test_a_line_is_cut_at_the_width_of_the_screen():
    (line,) = told(BEGUN, FOUND, columns=40)
    assert len(line) == 40 and line.endswith("…")


async def test_a_failure_is_told_with_its_reason():
    failed = ("10", "Error (not_found): no events", {"id": 1, "status": "error", "found": "I found no events."})
    assert told(BEGUN, failed)[0].endswith("… ✗ I found no events.")


async def test_what_is_prepared_is_counted_since_the_preview_shows_it():
    prepared = ("10", "Success (95 %): send …", {"id": 1, "status": "success", "found": "send …", "proposed": 2})
    assert told(BEGUN, prepared)[0].endswith("… 2 changes prepared")


@pytest.mark.parametrize("step", ["7", "7.5", "8", "11", "12", "12.1", "14", "15"])
async def test_bookkeeping_is_told_on_demand_only(step):
    assert told((step, "Nothing to ask.", {})) == []
    (line,) = told((step, "Nothing to ask.", {}), all_steps=True)
    assert line.split()[0] == step


async def test_a_change_of_plan_says_why_and_going_on_as_planned_says_nothing():
    assert told(("13", "CONTINUE: What there is suffices.", {"decision": "continue"})) == []
    assert told(("13", "REVISE: Looking in all folders.", {"decision": "revise"})) == ["· Looking in all folders."]


def drafting(text: str, **data: object) -> tuple[str, str, dict[str, object]]:
    return ("11", text, {"drafting": True, **data})


async def test_several_drafts_are_told_with_their_reason_then_each_as_it_is_written_and_the_votes():
    shown = told(
        drafting("Several drafts: it concerns money.", strategy="coordination", reasons=["it concerns money"]),
        drafting("warm is working.", kind="working", agent="warm"),
        drafting("warm answered.", kind="answered", agent="warm", answer="Hi Anna, I agree."),
        drafting("brief voted for warm: it\nanswers both", kind="voted", agent="brief", candidate="warm", reason="…"),
        drafting("thorough is out: its time was up.", kind="timed_out", agent="thorough"),
    )
    assert shown == [
        "· Several drafts: it concerns money.",
        "  ✎ warm answers: 4 words",
        "  ✓ brief voted for warm: it answers both",
        "  ✗ thorough is out: its time was up.",
    ]


async def test_how_drafters_come_to_that_is_told_on_demand_only():
    bookkeeping = [drafting("brief tries again: no tool was called", kind="rejected", agent="brief"), drafting("x", kind="working")]
    assert told(*bookkeeping) == [] and len(told(*bookkeeping, all_steps=True)) == 2


async def test_an_event_of_a_kind_that_is_not_known_is_passed_over():
    assert told(drafting("something new", kind="dreamt", agent="brief")) == []
